#!/usr/bin/env python3
"""known_alignments.py [--long] PROGRAM SIMULATE START_ORACLE SEQUENCES: alignments whose start is known. Emits TAP.

Starts and ends of the real pairs up to 350 kb come from tests/engine/start_oracle.c, which fills every cell of the
matrix. With --long it does so again (the shortest pair always), and longer pairs are aligned, whose starts and counts
come from MASA-CUDAlign. That reports whichever of the best alignments its partitions happen to pick, so counts may
differ from ours, but the score may not. SEQUENCES is a folder of real sequences; pairs of which it lacks one are
skipped.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

LONG = "--long" in sys.argv
PROGRAM, SIMULATE, START_ORACLE, SEQUENCES = (pathlib.Path(argument).resolve() for argument in sys.argv[1 + LONG:])

# Target, query, score, start and end in each.
SHORT_PAIRS = [
    ("MT_human", "MT_orang", 6680, (597, 22), (16569, 16025)),
    ("NC_001416.1", "NC_000932.1", 18, (35744, 62787), (35761, 62804)),
    ("NC_000898.1", "NC_007605.1", 18, (41041, 44336), (41058, 44353)),
    ("NC_000898.1", "NC_001664", 97882, (504, 430), (161924, 159298)),
    ("LPA_human_chm13", "LPA_human_HG01358_tig02", 285612, (6551, 1), (327694, 337324)),
    ("yeast_S288C_chrI", "yeast_SK1_chrI", 141552, (13525, 17064), (199302, 201489)),
]

# And MASA's matches, mismatches, gap openings and bases in gaps.
LONG_PAIRS = [
    ("NC_000913.3", "NC_002695.2", 1367174, (1655056, 2254995), (4490102, 5345820), (2640889, 84438, 23321, 475219)),
]
SIMULATED = (3024785, (29020, 29015), None, (3730879, 107872, 9158, 177502))


def find(name):
    for suffix in ".fa", ".fa.gz":
        path = SEQUENCES / (name + suffix)
        if path.exists():
            return path
    return None


def align(*arguments):
    done = subprocess.run([PROGRAM, "align", "--format", "json", *arguments], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def score_of(counts):
    matches, mismatches, openings, bases = counts
    return matches - 3 * mismatches - 3 * openings - 2 * bases


def counts_of(found):
    it = found["statistics"]
    runs = re.findall(r"(\d+)([=XID])", found["cigar"])
    totals = {op: sum(int(count) for count, each in runs if each == op) for op in "=XID"}
    assert totals == {"=": it["matches"], "X": it["mismatches"], "I": it["inserted"], "D": it["deleted"]}, totals
    openings = it["insertions"] + it["deletions"]
    assert openings == sum(op in "ID" for _, op in runs)
    return it["matches"], it["mismatches"], openings, it["inserted"] + it["deleted"]


def check(files, score, start, end, counts=None):
    found = align(*(["--verify"] if not LONG else []), *map(str, files))
    ours = counts_of(found)
    assert found["score"] == score == score_of(ours), (found["score"], score, ours)
    assert tuple(found[side]["start"] for side in ("target", "query")) == start, found["target"] | found["query"]
    assert end is None or tuple(found[side]["end"] for side in ("target", "query")) == end, found["target"]
    if counts is not None:
        assert score_of(counts) == score
        print(f"# MASA-CUDAlign's counts: {counts}; ours: {ours}")


def establish(files, score, start, end):
    done = subprocess.run([START_ORACLE, *files], capture_output=True, check=True)
    assert tuple(map(int, done.stdout.split())) == (score, *start, *end), done.stdout


def simulated(*fact):
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / name for name in ("t.fa", "q.fa")]
        subprocess.run([SIMULATE, "-s", "7", "-l", "4M", *files], check=True)
        check(files, *fact)


def main():
    failures = 0
    cases = [(f"{pair[0]} x {pair[1]}", check, [find(pair[0]), find(pair[1])], pair[2:])
             for pair in (LONG_PAIRS if LONG else SHORT_PAIRS)]
    cases += [(f"{pair[0]} x {pair[1]}: the oracle", establish, [find(pair[0]), find(pair[1])], pair[2:])
              for pair in SHORT_PAIRS[: None if LONG else 1]]
    if LONG:
        cases.append(("simulated, 4 Mb", simulated, None, SIMULATED))
    print(f"1..{len(cases)}")
    for k, (name, function, files, fact) in enumerate(cases, 1):
        if files is not None and None in files:
            print(f"ok {k} - {name} # SKIP a sequence of this pair is missing")
            continue
        try:
            function(*([files] if files is not None else []), *fact)
            print(f"ok {k} - {name}", flush=True)
        except AssertionError as error:
            failures += 1
            print(f"not ok {k} - {name}\n# {str(error)[:1000]}", flush=True)
    return 1 if failures else 0


sys.exit(main())
