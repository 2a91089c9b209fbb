#!/usr/bin/env python3
"""read_back.py PROGRAM: reads back the alignments that the command writes, and scores them. Emits TAP.

PAF, JSON, TSV and text are read here, the other formats by tools that others wrote, if these are installed
(other_readers.py). With CHROMOSWEEP_TEST_READERS=all it is a failure if one is not. Every alignment is scored from the
bases alone, and must have the score and the end that compare reports.
"""

import gzip
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import other_readers

ALL_READERS = os.environ.get("CHROMOSWEEP_TEST_READERS") == "all"
PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
COMPLEMENT = str.maketrans("ACGTN", "TGCAN")


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, check=False)
    assert done.returncode == 0, f"{arguments}: status {done.returncode}: {done.stderr.decode()}"
    return done.stdout


def reverse(bases):
    return bases.translate(COMPLEMENT)[::-1]


def change(rand, bases, rate, longest):
    """A related sequence, with mismatches, gaps of up to so many bases, and some Ns."""
    out = []
    k = 0
    while k < len(bases):
        kind = rand.random()
        if kind < rate:
            out.append(rand.choice("ACGT"))
            k += 1
        elif kind < 1.2 * rate:
            k += rand.randrange(1, longest)
        elif kind < 1.4 * rate:
            out.append("".join(rand.choices("ACGT", k=rand.randrange(1, longest))))
        elif kind < 1.5 * rate:
            out.append("N")
            k += 1
        else:
            out.append(bases[k])
            k += 1
    return "".join(out)


def change_each_second(bases):
    """A relative whose runs have one base each."""
    other = str.maketrans("ACGT", "CGTA")
    return "".join(base if k % 2 else base.translate(other) for k, base in enumerate(bases))


class Pair:
    """Two records that share a stretch, each with other bases around it."""

    def __init__(self, folder, seed, length, strand, scoring=(1, 3, 3, 2), regions=False, query_longer=False,
                 is_of_bam=False):
        rand = random.Random(seed)

        def some(count):
            return "".join(rand.choices("ACGT", k=count))

        core = some(length)
        relative = change_each_second(core) if is_of_bam else change(rand, core, 0.04, 30)
        target = some(rand.randrange(200)) + core + some(rand.randrange(200))
        query = some(rand.randrange(200)) + relative + some(rand.randrange(200))
        if query_longer:
            query += some(length // 2)
        if strand == "minus":
            query = reverse(query)
        self.bases = {"t": target, "q.1": query}
        self.files = []
        for name, bases in self.bases.items():
            file = folder / f"{name}.fa"
            file.write_text(f">{name} a record\n{bases}\n", encoding="ascii")
            pathlib.Path(f"{file}.fai").unlink(missing_ok=True)
            self.files.append(str(file))
        self.is_of_bam = is_of_bam  # many short runs; since that takes long, only BAM and CRAM are written
        self.wanted = ["a.bam", "a.cram"] if is_of_bam else list(FILES)
        self.scoring = scoring
        self.strand = strand
        self.options = ["--strand", strand]
        for option, value in zip(("-A", "-B", "-O", "-E"), scoring):
            self.options += [option, str(value)]
        self.ranges = [(0, len(target)), (0, len(query))]
        if regions:
            self.ranges = [(101, len(target) - 77), (130, len(query) - 55)]
            self.options += ["-r", f"t:102-{len(target) - 77}", "-R", f"q.1:131-{len(query) - 55}"]

    def align(self, form, *more):
        return run("align", "--format", form, *self.options, *more, *self.files)

    def compare(self):
        return json.loads(run("compare", "--format", "json", *self.options, *self.files))


def runs_of(cigar):
    assert re.fullmatch(r"(\d+[=XIDMSH])+", cigar), cigar
    return [(int(count), op) for count, op in re.findall(r"(\d+)(.)", cigar)]


def rescore(pair, t, q, query, runs):
    """The score and the end of a path that begins after so many bases. Checks that = and X are right."""
    match, mismatch, gap_open, gap_extend = pair.scoring
    target = pair.bases["t"]
    score = 0
    counts = {"=": 0, "X": 0, "I": 0, "D": 0, "gaps": 0}
    for count, op in runs:
        if op in "=XM":
            for k in range(count):
                equal = target[t + k] == query[q + k] and target[t + k] != "N"
                assert op == "M" or equal == (op == "="), f"{op} at {t + k}, {q + k}"
                score += match if equal else -mismatch
                counts["=" if equal else "X"] += 1
        else:
            score -= gap_open + count * gap_extend
            counts[op] += count
            counts["gaps"] += 1
        t += count if op != "I" else 0
        q += count if op != "D" else 0
    return score, t, q, counts


class Told:
    """What a line of PAF says, checked against the bases."""

    def __init__(self, pair, text, merged=False):
        self.fields = fields = text.decode().rstrip("\n").split("\t")
        tags = self.tags = {tag[:2]: tag[5:] for tag in fields[12:]}
        assert len(tags) == len(fields) - 12 and "cg" in tags, text
        self.pair, self.cigar = pair, tags["cg"]
        self.minus = pair.strand == "minus"
        name, length, start, end, strand = fields[0], *map(int, fields[1:4]), fields[4]
        self.target_start, self.target_end = int(fields[7]), int(fields[8])
        assert (name, length) == ("q.1", len(pair.bases["q.1"])) and strand == ("-" if self.minus else "+")
        assert (fields[5], int(fields[6])) == ("t", len(pair.bases["t"])) and fields[11] == "255"
        query = pair.bases["q.1"]
        # On the strand that is aligned, where a query on minus is reversed.
        self.strand_bases = reverse(query) if self.minus else query
        self.query_start, self.query_end = (length - end, length - start) if self.minus else (start, end)
        low, high = pair.ranges[1]
        self.clipped = length - high if self.minus else low
        runs = runs_of(self.cigar)
        assert ("M" in self.cigar) == merged
        self.score, t, q, counts = rescore(pair, self.target_start, self.query_start, self.strand_bases, runs)
        assert t == self.target_end and q == self.query_end
        columns = sum(count for count, op in runs)
        assert (counts["="], columns) == (int(fields[9]), int(fields[10]))
        assert int(tags["NM"]) == columns - counts["="] and int(tags["AS"]) == self.score and tags["tp"] == "P"
        divergence = 1 - counts["="] / (counts["="] + counts["X"] + counts["gaps"])
        assert abs(float(tags["de"]) - divergence) < 1e-6
        for (low, high), a, b in zip(pair.ranges, (self.target_start, start), (self.target_end, end)):
            assert low <= a < b <= high
        found = pair.compare()
        assert (found["score"], found["target"]["end"]) == (self.score, t)
        assert (found["query"]["start"], found["query"]["end"]) == (start + 1, end)
        self.lay_out(runs)

    def lay_out(self, runs):
        """blocks: bases before it in both, on the strand that is aligned, and pairs. rows: all columns with their bases."""
        t, q = self.target_start, self.query_start
        target, query = self.pair.bases["t"], self.strand_bases
        self.blocks, rows = [], ([], [])
        before = "I"
        for count, op in runs:
            if op in "ID":
                rows[0].append("-" * count if op == "I" else target[t : t + count])
                rows[1].append("-" * count if op == "D" else query[q : q + count])
            else:
                rows[0].append(target[t : t + count])
                rows[1].append(query[q : q + count])
                if before in "ID":
                    self.blocks.append((t, q, 0))
                self.blocks[-1] = (*self.blocks[-1][:2], self.blocks[-1][2] + count)
            t += count if op != "I" else 0
            q += count if op != "D" else 0
            before = op
        self.rows = ("".join(rows[0]), "".join(rows[1]))

    def check_sam(self, fields, merged=False):
        """A line of SAM; merged: with M in its CIGAR."""
        assert fields[0] == "q.1" and fields[2] == "t" and fields[4] == "255" and fields[10] == "*"
        assert int(fields[1]) == (16 if self.minus else 0) and int(fields[3]) == self.target_start + 1
        (low, high), length = self.pair.ranges[1], len(self.strand_bases)
        if self.minus:
            low, high = length - high, length - low
        assert fields[9] == self.strand_bases[low:high]
        clips = [(low, "H"), (self.query_start - low, "S")]
        after = [(high - self.query_end, "S"), (length - high, "H")]
        cigar = merge(self.cigar) if merged else self.cigar
        wanted = "".join(f"{count}{op}" for count, op in clips if count) + cigar
        wanted += "".join(f"{count}{op}" for count, op in after if count)
        assert fields[5] == wanted, (fields[5], wanted)
        tags = {tag[:2]: tag[5:] for tag in fields[11:]}
        assert int(tags["AS"]) == self.score and tags["NM"] == self.tags["NM"]


def merge(cigar):
    """With M for = and X."""
    merged = []
    for count, op in runs_of(cigar):
        op = "M" if op in "=X" else op
        if merged and merged[-1][1] == op:
            count += merged.pop()[0]
        merged.append((count, op))
    return "".join(f"{count}{op}" for count, op in merged)


def check_json(told, text):
    found = json.loads(text)
    paf = told.fields
    assert found["score"] == told.score and found["cigar"] == told.cigar and found["strand"] == paf[4]
    for side, start, end in (("query", paf[2], paf[3]), ("target", paf[7], paf[8])):
        assert (found[side]["start"], found[side]["end"]) == (int(start) + 1, int(end))
    counts = found["statistics"]
    gaps = [(count, op) for count, op in runs_of(told.cigar) if op in "ID"]
    for op, openings, bases in (("I", "insertions", "inserted"), ("D", "deletions", "deleted")):
        lengths = [count for count, its in gaps if its == op]
        assert (counts[openings], counts[bases]) == (len(lengths), sum(lengths))
    columns = list(zip(*told.rows))
    assert counts["columns"] == len(columns) == int(paf[10]) and counts["matches"] == int(paf[9])
    pairs = [pair for pair in columns if "-" not in pair]
    assert counts["mismatches"] == len(pairs) - counts["matches"]
    assert counts["ambiguous"] == int(told.tags["nn"]) == sum("N" in pair for pair in pairs)
    assert abs(counts["identity"] - counts["matches"] / len(columns)) < 1e-6
    assert abs(counts["identity_gap_compressed"] - counts["matches"] / (len(pairs) + len(gaps))) < 1e-6
    return found


def check_tsv(found, text):
    """Every value that JSON has under the same name. Only in a set may an alignment be secondary."""
    names, values = (line.split("\t") for line in text.decode().splitlines())
    row = dict(zip((name.lstrip("#") for name in names), values))
    assert len(row) == len(names) == len(values)
    sides = {f"{side}_{key}": value for side in ("target", "query") for key, value in found[side].items()}
    known = {**found, **sides, **found["scoring"], **found["statistics"], "secondary": 0}
    for name, value in row.items():
        shown = "NA" if known[name] is None else known[name]
        assert float(value) == shown if isinstance(shown, float) else value == str(shown), (name, value, shown)


def check_differences(told, text):
    """Builds the rows anew from cs and the target."""
    t, target, query = told.target_start, [], []
    differences = {tag[:2]: tag[5:] for tag in text.decode().rstrip("\n").split("\t")[12:]}["cs"]
    pieces = re.findall(r":[0-9]+|\*[acgtn]{2}|[-+][acgtn]+", differences)
    assert "".join(pieces) == differences
    for piece in pieces:
        kind, rest = piece[0], piece[1:].upper()
        here = target_of = told.pair.bases["t"][t : t + (int(rest) if kind == ":" else len(rest) if kind == "-" else 1)]
        if kind == "*":
            assert rest[0] == here
            query.append(rest[1])
        elif kind == "+":
            target_of, here = "-" * len(rest), ""
            query.append(rest)
        else:
            assert kind == ":" or rest == here
            query.append(here if kind == ":" else "-" * len(rest))
        target.append(target_of)
        t += len(here)
    assert ("".join(target), "".join(query)) == told.rows


def check_text(told, text):
    """The rows of 60 columns, put together again."""
    lines = text.decode().splitlines()
    rows = [line.split() for line in lines if re.match(r"(target|query ) +([0-9]+  )?[ACGTN-]+(  [0-9]+)?$", line)]
    target, query = rows[::2], rows[1::2]
    assert all(row[0] == "target" for row in target) and all(row[0] == "query" for row in query)

    def bases(rows):
        return "".join(row[1] if len(row) == 2 else row[2] for row in rows)

    def positions(rows):
        return [(int(row[1]), int(row[3]), len(row[2].replace("-", ""))) for row in rows if len(row) == 4]

    assert (bases(target), bases(query)) == told.rows
    assert len(target) == (len(told.rows[0]) + 59) // 60
    first, step = told.target_start + 1, 1
    for rows in (target, query):
        for start, end, count in positions(rows):
            assert (start, end) == (first, first + step * (count - 1))
            first += step * count
        first = int(told.fields[3]) if told.minus else int(told.fields[2]) + 1
        step = -1 if told.minus else 1
    equal = "".join(a if a == b != "N" else " " for a, b in zip(*told.rows))
    shown = [line.split()[0] for line in lines if line and set(line) <= set(" |")]
    assert sum(len(line.replace(" ", "")) for line in lines if set(line) <= set(" |")) == len(equal.replace(" ", "")), shown


# What read_back() writes for the tools of others: the name of the file, its format and options.
FILES = {
    "a.bam": ("bam", "--write-index"),
    "a.cram": ("cram", "--write-index"),
    "a.sam.gz": ("sam", "--write-index"),
    "a.maf": ("maf",),
    "a.chain": ("chain",),
    "a.chain.gz": ("chain",),
    "back.chain": ("chain", "--swap"),
}


def read_back(folder, pair):
    """Every format of one pair, each written once."""
    told = Told(pair, pair.align("paf"))
    told.written = pair.wanted
    for name in told.written:
        pair.align(*FILES[name], "-o", str(folder / name))
    if pair.is_of_bam:
        assert len(runs_of(told.cigar)) > 65535, len(runs_of(told.cigar))
        return told
    Told(pair, pair.align("paf", "--cigar", "m"), merged=True)
    check_tsv(check_json(told, pair.align("json")), pair.align("tsv"))
    check_differences(told, pair.align("paf", "--cs"))
    check_text(told, pair.align("text"))
    lines = pair.align("sam").decode().splitlines()
    assert [line[:3] for line in lines[:-1]] == ["@HD", "@SQ", "@PG"]
    told.check_sam(lines[-1].split("\t"))
    pair.align("paf", "-o", str(folder / "a.paf.gz"))
    assert gzip.decompress((folder / "a.paf.gz").read_bytes()).decode().rstrip("\n").split("\t") == told.fields
    return told


TESTS = [
    ("plus", {"seed": 1, "length": 3000, "strand": "plus"}),
    ("minus", {"seed": 2, "length": 3000, "strand": "minus"}),
    ("regions", {"seed": 3, "length": 3000, "strand": "plus", "regions": True}),
    ("regions on minus", {"seed": 4, "length": 3000, "strand": "minus", "regions": True}),
    ("a longer query", {"seed": 5, "length": 2500, "strand": "plus", "query_longer": True}),
    ("a longer query on minus", {"seed": 6, "length": 2500, "strand": "minus", "query_longer": True, "regions": True}),
    ("other costs", {"seed": 7, "length": 2500, "strand": "plus", "scoring": (5, 4, 10, 1)}),
    ("a short alignment", {"seed": 8, "length": 60, "strand": "minus"}),
    ("a long alignment", {"seed": 9, "length": 12000, "strand": "minus"}),
    ("more runs than BAM's own field has room for",
     {"seed": 10, "length": 66000, "strand": "plus", "scoring": (5, 1, 20, 1), "is_of_bam": True}),
]

MODES = [
    ("--engine", "scalar"),
    ("--engine", "simd"),
    ("--threads", "1"),
    ("--threads", "3"),
    ("--skip", "none"),
    ("--skip", "best"),
    ("--skip", "bounds"),
    ("--grid", "5,3,7"),
    ("--bits", "64"),
]


class Tap:
    def __init__(self):
        self.count = self.failures = 0

    def test(self, what, function, *arguments, skip=None):
        self.count += 1
        told = None
        if skip:
            print(f"ok {self.count} - {what} # SKIP {skip}", flush=True)
            return None
        try:
            told = function(*arguments)
            print(f"ok {self.count} - {what}", flush=True)
        except (AssertionError, subprocess.CalledProcessError, ValueError, KeyError, IndexError) as error:
            self.failures += 1
            print(f"not ok {self.count} - {what}", flush=True)
            print("# " + f"{type(error).__name__}: {error}"[:2000].replace("\n", "\n# "), flush=True)
        return told


def check_modes(pair):
    texts = {mode: pair.align("paf", *mode) for mode in MODES}
    odd = [mode for mode, text in texts.items() if text != texts[MODES[0]]]
    assert not odd, f"another alignment with {odd}"


def check_pieces(folder, pair):
    """Each piece scored anew, none with a drop within; SAM has the same ones, one of them primary."""
    limit = 20
    lines = pair.align("paf", "--max-drop", str(limit)).decode().splitlines()
    assert len(lines) > 3, len(lines)
    pair.align("bam", "--write-index", "--max-drop", str(limit), "-o", str(folder / "pieces.bam"))
    found = json.loads(pair.align("json", "--max-drop", str(limit)))
    assert len(found["drops"]) == len(lines) - 1 == len(found["pieces"]) - 1
    scores = [piece["score"] for piece in found["pieces"]]
    assert sum(scores) + sum(drop["score"] for drop in found["drops"]) == found["score"]
    minus = pair.strand == "minus"
    query = reverse(pair.bases["q.1"]) if minus else pair.bases["q.1"]
    wanted = []
    for k, (line, piece) in enumerate(zip(lines, found["pieces"])):
        fields = line.split("\t")
        tags = {tag[:2]: tag[5:] for tag in fields[12:]}
        assert int(tags["zd"]) == (k + 1 < len(lines)) + 2 * (k > 0) and tags["tp"] == "P"
        first = len(query) - int(fields[3]) if minus else int(fields[2])
        score, t, q, _ = rescore(pair, int(fields[7]), first, query, runs_of(tags["cg"]))
        assert score == int(tags["AS"]) == piece["score"] > limit
        assert t == int(fields[8]) and q == first + int(fields[3]) - int(fields[2])
        wanted.append((int(fields[7]), t, query[first:q]))
    pair.align("maf", "--max-drop", str(limit), "-o", str(folder / "pieces.maf"))
    pair.align("chain", "--max-drop", str(limit), "-o", str(folder / "pieces.chain"))
    other_readers.check_pieces(folder, wanted, scores)
    if other_readers.pysam is None:
        return
    with other_readers.pysam.AlignmentFile(str(folder / "pieces.bam")) as file:
        records = list(file)
    assert [(r.reference_start, r.reference_end, r.query_alignment_sequence) for r in records] == wanted
    primary = [k for k, r in enumerate(records) if not r.is_supplementary]
    assert primary == [scores.index(max(scores))]
    assert all(r.get_tag("SA").count(";") == len(records) - 1 for r in records)


def check_checkpoint(folder, pair):
    """align can resume from a state of compare."""
    place = str(folder / "run")
    run("compare", "--checkpoint", place, *pair.options, *pair.files)
    assert pair.align("paf", "--checkpoint", place) == pair.align("paf")
    pair.align("paf", "--checkpoint", place, "--checkpoint-cleanup", "-o", str(folder / "out"))
    assert not pathlib.Path(place).exists()


def check_readers():
    missing = [reader for reader, _, _, there in other_readers.READERS if not there]
    assert not missing, f"missing: {', '.join(missing)}"


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for what, how in TESTS:
            pair = Pair(folder, **how)
            told = tap.test(f"{what}: read here", read_back, folder, pair)
            for reader, function, file, there in other_readers.READERS:
                if file in pair.wanted:
                    skip = None if told and there else f"no {reader}" if told else "nothing was written"
                    tap.test(f"{what}: {reader}", function, folder, pair, told, skip=skip)
        for strand in ("plus", "minus"):
            pair = Pair(folder, 20, 6000, strand)
            tap.test(f"one alignment, however it is computed: {strand}", check_modes, pair)
            tap.test(f"pieces: {strand}", check_pieces, folder, Pair(folder, 21, 8000, strand))
        tap.test("a checkpoint of compare", check_checkpoint, folder, pair)
        if ALL_READERS:
            tap.test("every reader is here", check_readers)
    print(f"1..{tap.count}")
    return 1 if tap.failures else 0


sys.exit(main())
