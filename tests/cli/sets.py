#!/usr/bin/env python3
"""sets.py PROGRAM: sets of alignments of genomes that were rearranged on purpose. Emits TAP.

A query is made of stretches of the target with changes in them. Some are inverted or moved, some left out, some copied.
Runs of N between the stretches keep alignments from going on by chance, so every stretch must be found to the base. Then
all formats are read back: by the code below and, if installed, by samtools, pyliftover, CrossMap and maf-convert. With
CHROMOSWEEP_TEST_READERS=all it is a failure if one is not.
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
    """A target of some stretches, and a query with the same in another order: (number, whether it is inverted). Numbers that
    are missing are deletions. Of a number that comes again the other copies have more changes, so the first is taken."""

    def __init__(self, folder, seed, order):
        rand = random.Random(seed)
        count = 1 + max(number for number, _ in order)
        stretches = ["".join(rand.choices("ACGT", k=rand.randrange(800, 2400))) for _ in range(count)]
        self.target, self.query = "", ""
        places, self.wanted, self.copies = [], [], []
        for bases in stretches:
            places.append(len(self.target))
            self.target += bases + "".join(rand.choices("ACGT", k=50))
        for number, inverted in order:
            self.query += "N" * 400  # a gap so long is a drop
            bases, here, there = change(rand, stretches[number]), len(self.query), places[number]
            place = there, there + len(stretches[number])
            again = any(row[3:] == place for row in self.wanted)
            if again:
                bases = change(rand, change(rand, bases))
            self.query += reverse(bases) if inverted else bases
            (self.copies if again else self.wanted).append((here, len(self.query), inverted, *place))
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


def check_copies(pair, _rows, _folder):
    """--all finds each copy that one-to-one has not, alone or in an alignment that goes further."""
    found = read_paf(run("align", "-q", "--all", "--strand", "both", "--min-score", str(LEAST), *pair.files))
    for row in found:
        rescore(pair, row)
    for start, end, minus, target, target_end in pair.copies:
        held = collections.Counter()
        for row in found:
            if row.minus == minus:
                held.update(q for t, (q, _) in partners(pair, [row]).items() if start <= q < end and target <= t < target_end)
        assert len(held) >= 0.9 * (end - start), (start, end, len(held))


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
    """The first N, and one strand alone. Slow engines see the short pairs only."""
    for number in range(1, len(rows) + 2, 1 + len(rows) // 4):
        text = run("align", "-q", "--one-to-one", "-n", str(number), "--min-score", str(LEAST), *pair.files)
        assert read_paf(text) == rows[:number]
    assert all(row.minus for row in read_paf(pair.align("--strand", "minus")))
    slow = [["--engine", "scalar"], ["--skip", "none"]] if len(rows) < 10 else []
    for options in (["--threads", "1"], ["--skip", "bounds"], *slow):
        assert read_paf(pair.align(*options)) == rows


def several(count):
    """Stretches of a larger genome, a quarter of them inverted; some are moved, left out, or again at the end."""
    rand = random.Random(count)
    order = [(number, rand.random() < 0.25) for number in range(count)]
    for _ in range(count // 8):
        order.insert(rand.randrange(len(order)), order.pop(rand.randrange(len(order))))
        order.pop(rand.randrange(len(order)))
    return order + rand.sample(order, count // 8)


class Assemblies:
    """Two targets and three queries, the last of which has nothing in common: stretches in other records, too."""

    ORDER = [[(0, False), (3, True), (1, False)], [(4, False), (5, True), (2, False)], []]

    def __init__(self, folder):
        rand = random.Random(7)
        stretches = ["".join(rand.choices("ACGT", k=1500 + 500 * k)) for k in range(6)]
        self.targets, self.queries = {"t1": "", "t2": ""}, {}
        places, self.wanted = [], []
        for number, bases in enumerate(stretches):
            name = "t1" if number < 3 else "t2"
            places.append((name, len(self.targets[name])))
            self.targets[name] += bases + "".join(rand.choices("ACGT", k=50))
        for number, order in enumerate(self.ORDER):
            name, text = f"q{number + 1}", ""
            for stretch, inverted in order:
                text += "N" * 400
                bases = change(rand, stretches[stretch])
                target, there = places[stretch]
                self.wanted.append((name, len(text), len(text) + len(bases), "-" if inverted else "+", target, there,
                                    there + len(stretches[stretch])))
                text += reverse(bases) if inverted else bases
            self.queries[name] = text or "".join(rand.choices("ACGT", k=1000))
        self.files = []
        for file, records in (("A.fa", self.targets), ("B.fa", self.queries)):
            (folder / file).write_text("".join(f">{name}\n{bases}\n" for name, bases in records.items()), encoding="ascii")
            self.files.append(str(folder / file))

    def align(self, *options, rule="--one-to-one"):
        return run("align", "-q", "--all-pairs", rule, "--min-score", str(LEAST), *options, *self.files)


def paf_places(text):
    fields = [line.split("\t") for line in text.splitlines()]
    return [(f[0], int(f[2]), int(f[3]), f[4], f[5], int(f[7]), int(f[8])) for f in fields]


def check_map(assemblies, folder):
    paf = assemblies.align()
    assert sorted(paf_places(paf)) == sorted(assemblies.wanted), paf_places(paf)
    scores = [int(tag[5:]) for line in paf.splitlines() for tag in line.split("\t") if tag.startswith("AS:i:")]
    assert scores == sorted(scores, reverse=True)
    for options in (["--engine", "scalar"], ["--threads", "1"], ["--skip", "none"]):
        assert assemblies.align(*options) == paf
    kept = ["--checkpoint", str(folder / "map")]
    assert assemblies.align(*kept) == paf and assemblies.align(*kept) == paf
    assert re.search("^(resume|result|get result) .*run the same command again$", run("info", str(folder / "map")), re.M)
    done = subprocess.run([PROGRAM, "resume", str(folder / "map")], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "run the same command" in done.stderr, done.stderr
    assert assemblies.align("--checkpoint-cleanup", *kept) == paf and not (folder / "map").exists()


def check_map_all(assemblies, folder):
    """With --all, each pair of records has the set that it has alone."""
    kept = ["--checkpoint", str(folder / "all")]
    lines = assemblies.align(rule="--all").splitlines()
    assert assemblies.align(*kept, rule="--all").splitlines() == lines
    assert assemblies.align("--checkpoint-cleanup", *kept, rule="--all").splitlines() == lines
    assert not (folder / "all").exists()
    for target in assemblies.targets:
        for query in assemblies.queries:
            alone = run("align", "-q", "--all", "--min-score", str(LEAST), "--target-name", target, "--query-name", query,
                        *assemblies.files).splitlines()
            assert [line for line in lines if line.split("\t")[5] == target and line.split("\t")[0] == query] == alone
    assert len(lines) >= len(assemblies.wanted)


def check_map_records(assemblies, _folder):
    """In SAM each query is a read with one primary record, and in MAF the target's records are in order."""
    sam = assemblies.align("--format", "sam").splitlines()
    assert [line.split("\t")[1:] for line in sam if line.startswith("@SQ")] == [
        [f"SN:{name}", f"LN:{len(bases)}"] for name, bases in assemblies.targets.items()]
    reads = [line.split("\t") for line in sam if line[0] != "@"]
    assert [(read[2], int(read[3]) - 1) for read in reads] == sorted(row[4:6] for row in assemblies.wanted)
    for name in ("q1", "q2"):
        assert sum(read[0] == name and int(read[1]) & 0x800 == 0 for read in reads) == 1
        for read in reads:
            others = [field[5:].rstrip(";").split(";") for field in read[11:] if field.startswith("SA:Z:")]
            if read[0] == name:
                assert sorted(tuple(other.split(",")[:2]) for other in others[0]) == sorted(
                    (row[4], str(row[5] + 1)) for row in assemblies.wanted
                    if row[0] == name and row[4:6] != (read[2], int(read[3]) - 1))
    maf = re.findall(r"^a score=\d+\ns (\S+) (\d+) (\d+) \+ (\d+) (\S+)\ns (\S+) (\d+) (\d+) (.) (\d+) (\S+)$",
                     assemblies.align("--format", "maf"), re.M)
    assert [(block[0], int(block[1])) for block in maf] == sorted(row[4:6] for row in assemblies.wanted)
    for block in maf:
        target, query = assemblies.targets[block[0]], assemblies.queries[block[5]]
        strand = reverse(query) if block[8] == "-" else query
        assert (len(target), len(query)) == (int(block[3]), int(block[9]))
        assert block[4].replace("-", "") == target[int(block[1]) : int(block[1]) + int(block[2])]
        assert block[10].replace("-", "") == strand[int(block[6]) : int(block[6]) + int(block[7])]


def check_map_json(assemblies, _folder):
    told = json.loads(assemblies.align("--format", "json"))
    assert [record["name"] for record in told["target"]["records"]] == ["t1", "t2"]
    assert [(a["query"]["name"], a["query"]["start"] - 1, a["query"]["end"], a["strand"], a["target"]["name"],
             a["target"]["start"] - 1, a["target"]["end"]) for a in told["alignments"]] == paf_places(assemblies.align())
    columns = "query_name,query_start,query_end,strand,target_name,target_start,target_end"
    lines = [line.split("\t") for line in assemblies.align("--format", "tsv", "--columns", columns).splitlines()]
    assert [(f[0], int(f[1]) - 1, int(f[2]), f[3], f[4], int(f[5]) - 1, int(f[6])) for f in lines[1:]] == paf_places(
        assemblies.align())
    summary = told["summary"]
    assert summary["target_covered"] == sum(row[6] - row[5] for row in assemblies.wanted)
    assert summary["query_covered"] == sum(row[2] - row[1] for row in assemblies.wanted)
    # q1 has most in common with t1, where nothing moved; q2 with t2, where one is inverted.
    assert (summary["inversions"], summary["translocations"], summary["duplications"]) == (1, 2, 0), summary


def check_map_lifts(assemblies, folder):
    paf = assemblies.align("-o", str(folder / "map.chain")) or assemblies.align()
    chain = READERS["pyliftover"].LiftOver(str(folder / "map.chain"))
    for name, bases in assemblies.targets.items():
        for position in range(0, len(bases), STEP):
            inside = [row for row in paf_places(paf) if row[4] == name and row[5] <= position < row[6]]
            found = chain.convert_coordinate(name, position)
            assert len(found) <= len(inside)
            if found:
                assert found[0][0] == inside[0][0] and found[0][2] == inside[0][3]
                assert inside[0][1] <= found[0][1] < inside[0][2]
    assert chain.convert_coordinate("t1", 10)[0][0] == "q1" and chain.convert_coordinate("t2", 10)[0][0] == "q1"


MAP_CHECKS = {
    "the map of two assemblies": check_map,
    "all alignments of two assemblies": check_map_all,
    "records in SAM and MAF": check_map_records,
    "records in JSON": check_map_json,
    "pyliftover": check_map_lifts,
}

READERS = {
    "pyliftover": module("pyliftover"),
    "CrossMap": module("cmmodule.utils"),
    "samtools": shutil.which("samtools"),
    "maf-convert": shutil.which("maf-convert"),
}
CHECKS = {
    "every stretch is found to the base": check_planted,
    "--all has every copy": check_copies,
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
    "deletions": [(0, False), (2, False), (3, True), (6, False)],
    "tandem copies": [(0, False), (1, False), (1, False), (1, False), (2, True), (2, True), (3, False)],
    "a genome": several(16),
}


def run_check(count, what, check, function, *arguments):
    """Whether it passed, or was skipped where that is allowed."""
    if not READERS.get(check, True):
        print("not ok" if ALL_READERS else "ok", count, f"- {what}: {check} # SKIP it is not installed")
        return not ALL_READERS
    try:
        function(*arguments)
        print("ok", count, f"- {what}: {check}", flush=True)
        return True
    except (AssertionError, subprocess.CalledProcessError) as error:
        print("not ok", count, f"- {what}: {check}: {str(error)[:300]}", flush=True)
        return False


def main():
    print(f"1..{len(ORDERS) * len(CHECKS) + len(MAP_CHECKS)}")
    count = failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed, (what, order) in enumerate(ORDERS.items()):
            pair = Pair(folder, seed, order)
            rows = read_paf(pair.align())
            for check, function in CHECKS.items():
                count += 1
                failures += not run_check(count, what, check, function, pair, rows, folder)
        assemblies = Assemblies(folder)
        for check, function in MAP_CHECKS.items():
            count += 1
            failures += not run_check(count, "assemblies", check, function, assemblies, folder)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
