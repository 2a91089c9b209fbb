#!/usr/bin/env python3
"""sets.py PROGRAM: sets of alignments of genomes that were rearranged on purpose. Emits TAP.

A query is made of stretches of the target, some of them inverted or in another place, with changes in between. Runs of N
between the stretches keep alignments from going on by chance, so every stretch must be found to the base. Then all
formats are read back: by the code below and, where they are installed, by samtools, pyliftover, CrossMap and maf-convert.
With CHROMOSWEEP_TEST_READERS=all it is a failure if one is not.
"""

import collections
import importlib
import json
import logging
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
ALL_READERS = os.environ.get("CHROMOSWEEP_TEST_READERS") == "all"
COMPLEMENT = str.maketrans("ACGTN", "TGCAN")
LEAST = 300
STEP = 53  # of the positions, that many are lifted

logging.disable()  # CrossMap tells what it reads

# Positions count from 0, on the forward strands; the runs go along the target.
Row = collections.namedtuple("Row", "query_start query_end minus target_start target_end score runs")


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, check=False)
    assert done.returncode == 0, f"{arguments}: status {done.returncode}: {done.stderr.decode()}"
    return done.stdout.decode()


def reverse(bases):
    return bases.translate(COMPLEMENT)[::-1]


def change(rand, bases):
    """Some mismatches and short gaps, none near the ends."""
    out = list(bases[:40])
    k = 40
    while k < len(bases) - 40:
        kind = rand.random()
        if kind < 0.01:
            out.append("ACGT"[("ACGT".index(bases[k]) + rand.randrange(1, 4)) % 4])
        elif kind < 0.012:
            k += rand.randrange(1, 8)
        elif kind < 0.014:
            out += rand.choices("ACGT", k=rand.randrange(1, 8)) + [bases[k]]
        else:
            out.append(bases[k])
        k += 1
    return "".join(out) + bases[k:]


class Pair:
    """A target of some stretches, and a query with the same in another order: (number, whether it is inverted)."""

    def __init__(self, folder, seed, order):
        rand = random.Random(seed)
        stretches = ["".join(rand.choices("ACGT", k=rand.randrange(1000, 5000))) for _ in order]
        self.target, self.query = "", ""
        places, self.wanted = [], []
        for bases in stretches:
            places.append(len(self.target))
            self.target += bases + "".join(rand.choices("ACGT", k=50))
        for number, inverted in order:
            self.query += "N" * 400  # a gap so long is a drop
            bases = change(rand, stretches[number])
            here, there = len(self.query), places[number]
            self.query += reverse(bases) if inverted else bases
            self.wanted.append((here, len(self.query), inverted, there, there + len(stretches[number])))
        self.files = []
        for name, bases in (("t", self.target), ("q", self.query)):
            file = folder / f"{name}{seed}.fa"
            file.write_text(f">{name}\n{bases}\n", encoding="ascii")
            self.files.append(str(file))

    def align(self, *options):
        return run("align", "-q", "--one-to-one", "--min-score", str(LEAST), *options, *self.files)


def runs_of(cigar):
    assert re.fullmatch(r"(\d+[=XIDMSH])+", cigar), cigar
    return tuple((int(count), op) for count, op in re.findall(r"(\d+)(.)", cigar))


def read_paf(text):
    rows = []
    for line in text.splitlines():
        field = line.split("\t")
        tags = dict((tag[:2], tag[5:]) for tag in field[12:])
        assert field[0] == "q" and field[5] == "t" and tags["tp"] == "P" and "zd" not in tags
        rows.append(Row(int(field[2]), int(field[3]), field[4] == "-", int(field[7]), int(field[8]), int(tags["AS"]),
                        runs_of(tags["cg"])))
    return rows


def rescore(pair, row):
    strand = reverse(pair.query) if row.minus else pair.query
    t, q, score = row.target_start, len(strand) - row.query_end if row.minus else row.query_start, 0
    for count, op in row.runs:
        if op in "=X":
            for _ in range(count):
                equal = pair.target[t] == strand[q] != "N"
                assert equal == (op == "=")
                score += 1 if equal else -3
                t, q = t + 1, q + 1
        else:
            score -= 3 + 2 * count
            t, q = (t + count, q) if op == "D" else (t, q + count)
    assert score == row.score and t == row.target_end
    assert q == (len(strand) - row.query_start if row.minus else row.query_end)


def check_planted(pair, rows, _folder):
    for row in rows:
        rescore(pair, row)
    assert sorted(row[:5] for row in rows) == sorted(pair.wanted), (sorted(row[:5] for row in rows), sorted(pair.wanted))


def check_json(pair, rows, _folder):
    told = json.loads(pair.align("--format", "json"))
    assert (told["format"], told["rule"], told["min_score"], told["max_drop"]) == (
        "chromosweep-align-set", "one-to-one", LEAST, LEAST)
    found = [Row(a["query"]["start"] - 1, a["query"]["end"], a["strand"] == "-", a["target"]["start"] - 1,
                 a["target"]["end"], a["score"], runs_of(a["cigar"])) for a in told["alignments"]]
    assert found == rows
    summary = told["summary"]
    assert summary["alignments"] == len(rows) and summary["duplications"] == 0
    assert summary["target_covered"] == sum(row.target_end - row.target_start for row in rows)
    assert summary["query_covered"] == sum(row.query_end - row.query_start for row in rows)
    bases = [sum(row.query_end - row.query_start for row in rows if row.minus == minus) for minus in (False, True)]
    assert summary["inversions"] == sum(row.minus != (bases[1] > bases[0]) for row in rows)


def check_tsv(pair, rows, _folder):
    head, *lines = pair.align("--columns", "query_start,query_end,strand,target_start,target_end,score").splitlines()
    assert head[0] == "#" and len(lines) == len(rows)
    for line, row in zip(lines, rows):
        start, end, strand, target, target_end, score = line.split("\t")
        assert (int(start) - 1, int(end), strand == "-", int(target) - 1, int(target_end), int(score)) == row[:6]


def check_text(pair, rows, _folder):
    text = pair.align("--format", "text")
    assert text.startswith(f"alignments  {len(rows)}\n")
    assert [int(score) for score in re.findall(r"^score +(\d+)$", text, re.M)] == [row.score for row in rows]


def check_sam(pair, rows, _folder):
    lines = [line.split("\t") for line in pair.align("--format", "sam").splitlines() if line[0] != "@"]
    starts = [int(line[3]) for line in lines]
    assert starts == sorted(starts) and sorted(start - 1 for start in starts) == sorted(row.target_start for row in rows)
    assert sum(int(line[1]) & 0x800 == 0 for line in lines) == 1
    best = max(rows, key=lambda row: row.score)
    for line in lines:
        (row,) = [row for row in rows if row.target_start == int(line[3]) - 1]
        assert (int(line[1]) & 16 != 0) == row.minus
        assert (int(line[1]) & 0x800 == 0) == (row == best)
        assert tuple(r for r in runs_of(line[5]) if r[1] not in "SH") == row.runs
        (others,) = [field[5:] for field in line[11:] if field.startswith("SA:Z:")]
        assert sorted(int(other.split(",")[1]) - 1 for other in others.rstrip(";").split(";")) == sorted(
            other.target_start for other in rows if other != row)


def check_maf(pair, rows, _folder):
    blocks = re.findall(r"^a score=(\d+)\ns t (\d+) (\d+) \+ \d+ (\S+)\ns q (\d+) (\d+) ([+-]) (\d+) (\S+)$",
                        pair.align("--format", "maf"), re.M)
    assert [int(block[1]) for block in blocks] == sorted(row.target_start for row in rows)
    for block in blocks:
        (row,) = [row for row in rows if row.target_start == int(block[1])]
        start = len(pair.query) - row.query_end if row.minus else row.query_start
        assert (int(block[0]), int(block[4]), block[6] == "-") == (row.score, start, row.minus)
        strand = reverse(pair.query) if row.minus else pair.query
        assert block[3].replace("-", "") == pair.target[row.target_start : row.target_end]
        assert block[8].replace("-", "") == strand[start : start + int(block[5])]


def partners(pair, rows):
    """Where a chain lifts the positions of the target: the position in the query and the strand."""
    lifted = {}
    for row in rows:
        t, q = row.target_start, len(pair.query) - row.query_end if row.minus else row.query_start
        for count, op in row.runs:
            for k in range(count if op in "=X" else 0):
                assert t + k not in lifted
                lifted[t + k] = (len(pair.query) - 1 - q - k if row.minus else q + k, "-" if row.minus else "+")
            t += count if op != "I" else 0
            q += count if op != "D" else 0
    return lifted


def check_lifts(pair, rows, lift, lift_back):
    forward = partners(pair, rows)
    back = {q: (t, strand) for t, (q, strand) in forward.items()}
    for position in range(0, len(pair.target), STEP):
        assert lift(position) == forward.get(position), position
    for position in range(0, len(pair.query), STEP):
        assert lift_back(position) == back.get(position), position


def write_chains(pair, folder):
    for name, options in (("a.chain", []), ("back.chain", ["--swap"])):
        pair.align("-o", str(folder / name), *options)


def check_pyliftover(pair, rows, folder):
    write_chains(pair, folder)

    def lifter(name, source):
        chain = READERS["pyliftover"].LiftOver(str(folder / name))

        def lift(position):
            found = chain.convert_coordinate(source, position)
            assert len(found) <= 1
            return found[0][1:3] if found else None

        return lift

    check_lifts(pair, rows, lifter("a.chain", "t"), lifter("back.chain", "q"))


def check_crossmap(pair, rows, folder):
    write_chains(pair, folder)
    crossmap = READERS["CrossMap"]

    def lifter(name, source):
        maps, _, _ = crossmap.read_chain_file(str(folder / name))

        def lift(position):
            found = crossmap.map_coordinates(maps, source, position, position + 1, chrom_style="n")
            assert not found or len(found) == 2
            return (found[1][1], found[1][3]) if found else None

        return lift

    check_lifts(pair, rows, lifter("a.chain", "t"), lifter("back.chain", "q"))


def check_samtools(pair, rows, folder):
    for name in ("a.bam", "a.cram", "a.sam.gz"):
        pair.align("--write-index", "-o", str(folder / name))
        for row in rows:
            text = subprocess.run(["samtools", "view", str(folder / name), f"t:{row.target_start + 1}-{row.target_end}"],
                                  check=True, capture_output=True, text=True).stdout
            assert row.target_start + 1 in [int(line.split("\t")[3]) for line in text.splitlines()]
    done = subprocess.run(["samtools", "calmd", str(folder / "a.bam"), pair.files[0]], check=True, capture_output=True)
    assert b"differ" not in done.stderr, done.stderr


def check_maf_convert(pair, rows, folder):
    (folder / "a.maf").write_text(pair.align("--format", "maf"), encoding="ascii")
    done = subprocess.run(["maf-convert", "sam", str(folder / "a.maf")], check=True, capture_output=True, text=True)
    lines = [line.split("\t") for line in done.stdout.splitlines() if line[0] != "@"]
    assert [(int(line[3]) - 1, int(line[1]) & 16 != 0) for line in lines] == sorted(
        (row.target_start, row.minus) for row in rows)


def check_limits(pair, rows, _folder):
    """The first N, and one strand alone."""
    for number in range(1, len(rows) + 2):
        text = run("align", "-q", "--one-to-one", "-n", str(number), "--min-score", str(LEAST), *pair.files)
        assert read_paf(text) == rows[:number]
    assert all(row.minus for row in read_paf(pair.align("--strand", "minus")))
    for options in (["--engine", "scalar"], ["--threads", "1"], ["--skip", "bounds"], ["--skip", "none"]):
        assert read_paf(pair.align(*options)) == rows


READERS = {
    "pyliftover": module("pyliftover"),
    "CrossMap": module("cmmodule.utils"),
    "samtools": shutil.which("samtools"),
    "maf-convert": shutil.which("maf-convert"),
}
CHECKS = {
    "every stretch is found to the base": check_planted,
    "JSON": check_json,
    "TSV": check_tsv,
    "text": check_text,
    "SAM": check_sam,
    "MAF": check_maf,
    "limits, strands and engines": check_limits,
    "pyliftover": check_pyliftover,
    "CrossMap": check_crossmap,
    "samtools": check_samtools,
    "maf-convert": check_maf_convert,
}
ORDERS = {
    "an inversion": [(0, False), (1, True), (2, False)],
    "a translocation": [(0, False), (3, False), (1, False), (2, False)],
    "much": [(4, True), (0, False), (2, True), (1, False), (6, False), (3, False), (5, True)],
    "the other strand": [(2, True), (1, True), (0, True)],
}


def main():
    print(f"1..{len(ORDERS) * len(CHECKS)}")
    count = failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed, (what, order) in enumerate(ORDERS.items()):
            pair = Pair(folder, seed, order)
            rows = read_paf(pair.align())
            for check, function in CHECKS.items():
                count += 1
                if not READERS.get(check, True):
                    failures += ALL_READERS
                    print("not ok" if ALL_READERS else "ok", count, f"- {what}: {check} # SKIP it is not installed")
                    continue
                try:
                    function(pair, rows, folder)
                    print("ok", count, f"- {what}: {check}", flush=True)
                except (AssertionError, subprocess.CalledProcessError) as error:
                    failures += 1
                    print("not ok", count, f"- {what}: {check}: {str(error)[:300]}", flush=True)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
