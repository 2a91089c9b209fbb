#!/usr/bin/env python3
"""read_back.py PROGRAM: reads back the alignments that the command writes, and scores them. Emits TAP.

PAF and JSON are read here, SAM and BAM also by samtools and pysam if these are installed. Every alignment is scored
from the bases alone, and must have the score and the end that compare reports.
"""

import gzip
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import pysam
except ImportError:
    pysam = None

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


class Pair:
    """Two records that share a stretch, each with other bases around it."""

    def __init__(self, folder, seed, length, strand, scoring=(1, 3, 3, 2), regions=False, query_longer=False,
                 rate=0.04):
        rand = random.Random(seed)

        def some(count):
            return "".join(rand.choices("ACGT", k=count))

        core = some(length)
        target = some(rand.randrange(200)) + core + some(rand.randrange(200))
        query = some(rand.randrange(200)) + change(rand, core, rate, 30) + some(rand.randrange(200))
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


def check_paf(pair, text, merged=False):
    """Reads a line of PAF. Returns its CIGAR."""
    fields = text.decode().rstrip("\n").split("\t")
    tags = {tag[:2]: tag[5:] for tag in fields[12:]}
    assert len(tags) == len(fields) - 12 and "cg" in tags, text
    name, length, start, end, strand = fields[0], *map(int, fields[1:4]), fields[4]
    assert (name, length) == ("q.1", len(pair.bases["q.1"])) and strand == ("-" if pair.strand == "minus" else "+")
    assert (fields[5], int(fields[6])) == ("t", len(pair.bases["t"])) and fields[11] == "255"
    query = pair.bases["q.1"]
    first = start
    if strand == "-":
        query, first = reverse(query), length - end
    runs = runs_of(tags["cg"])
    assert ("M" in tags["cg"]) == merged
    score, t, q, counts = rescore(pair, int(fields[7]), first, query, runs)
    assert t == int(fields[8]) and q == first + end - start
    columns = sum(count for count, op in runs)
    assert (counts["="], columns) == (int(fields[9]), int(fields[10]))
    assert int(tags["NM"]) == columns - counts["="] and int(tags["AS"]) == score and tags["tp"] == "P"
    divergence = 1 - counts["="] / (counts["="] + counts["X"] + counts["gaps"])
    assert abs(float(tags["de"]) - divergence) < 1e-6
    for (low, high), a, b in zip(pair.ranges, (int(fields[7]), start), (int(fields[8]), end)):
        assert low <= a < b <= high
    found = pair.compare()
    query_end = start + 1 if strand == "-" else end
    assert (found["score"], found["target"]["end"], found["query"]["end"]) == (score, t, query_end)
    return tags["cg"], fields, score


def check_sam_line(pair, fields, cigar, paf, score):
    """Compares a line of SAM with the line of PAF."""
    assert fields[0] == "q.1" and fields[2] == "t" and fields[4] == "255" and fields[10] == "*"
    minus = pair.strand == "minus"
    assert int(fields[1]) == (16 if minus else 0) and int(fields[3]) == int(paf[7]) + 1
    low, high = pair.ranges[1]
    query = pair.bases["q.1"][low:high]
    assert fields[9] == (reverse(query) if minus else query)
    clips = [(low, "H"), (int(paf[2]) - low, "S")]
    after = [(high - int(paf[3]), "S"), (len(pair.bases["q.1"]) - high, "H")]
    if minus:
        clips, after = after[::-1], clips[::-1]
    wanted = "".join(f"{count}{op}" for count, op in clips if count) + cigar
    wanted += "".join(f"{count}{op}" for count, op in after if count)
    assert fields[5] == wanted, (fields[5], wanted)
    tags = {tag[:2]: tag[5:] for tag in fields[11:]}
    assert int(tags["AS"]) == score and int(tags["NM"]) == int(paf[10]) - int(paf[9])


def check_json(pair, text, cigar, paf, score):
    found = json.loads(text)
    assert found["score"] == score and found["cigar"] == cigar and found["strand"] == paf[4]
    for side, start, end in (("query", paf[2], paf[3]), ("target", paf[7], paf[8])):
        assert (found[side]["start"], found[side]["end"]) == (int(start) + 1, int(end))
    assert found["statistics"]["matches"] == int(paf[9]) and found["statistics"]["columns"] == int(paf[10])


def read_back(folder, pair):
    """Checks every format with one pair."""
    cigar, paf, score = check_paf(pair, pair.align("paf"))
    check_paf(pair, pair.align("paf", "--cigar", "m"), merged=True)
    check_json(pair, pair.align("json"), cigar, paf, score)
    lines = pair.align("sam").decode().splitlines()
    assert [line[:3] for line in lines[:-1]] == ["@HD", "@SQ", "@PG"]
    check_sam_line(pair, lines[-1].split("\t"), cigar, paf, score)
    zipped = folder / "a.paf.gz"
    pair.align("paf", "-o", str(zipped))
    assert gzip.decompress(zipped.read_bytes()).decode().rstrip("\n").split("\t") == paf
    pair.align("bam", "-o", str(folder / "a.bam"))
    pair.align("sam", "-o", str(folder / "a.sam.gz"))
    return cigar, paf, score


def read_by_samtools(folder, pair, told):
    for name in ("a.bam", "a.sam.gz"):
        file = str(folder / name)
        subprocess.run(["samtools", "quickcheck", *(["-u"] if name != "a.bam" else []), file], check=name == "a.bam")
        text = subprocess.run(["samtools", "view", file], check=True, capture_output=True, text=True).stdout
        check_sam_line(pair, text.rstrip("\n").split("\t"), *told)
    # calmd computes NM itself, and prints a warning if it differs.
    done = subprocess.run(["samtools", "calmd", str(folder / "a.bam"), pair.files[0]], check=True, capture_output=True)
    assert b"differ" not in done.stderr and b"NM" not in done.stderr, done.stderr
    subprocess.run(["samtools", "index", "-c", str(folder / "a.bam")], check=True)


def read_by_pysam(folder, pair, told):
    cigar, paf, _ = told
    with pysam.AlignmentFile(str(folder / "a.bam")) as file:
        (record,) = list(file)
    assert (record.reference_start, record.reference_end) == (int(paf[7]), int(paf[8]))
    query = pair.bases["q.1"]
    bases = record.query_alignment_sequence
    assert bases == (reverse(query[int(paf[2]) : int(paf[3])]) if record.is_reverse else query[int(paf[2]) : int(paf[3])])
    pairs = record.get_aligned_pairs(matches_only=True)
    equal = sum(record.query_sequence[q] == pair.bases["t"][t] != "N" for q, t in pairs)
    assert equal == int(paf[9]) and cigar in record.cigarstring


TESTS = [
    ("plus", {"seed": 1, "length": 3000, "strand": "plus"}),
    ("minus", {"seed": 2, "length": 3000, "strand": "minus"}),
    ("regions", {"seed": 3, "length": 3000, "strand": "plus", "regions": True}),
    ("regions on minus", {"seed": 4, "length": 3000, "strand": "minus", "regions": True}),
    ("a longer query", {"seed": 5, "length": 2500, "strand": "plus", "query_longer": True}),
    ("a longer query on minus", {"seed": 6, "length": 2500, "strand": "minus", "query_longer": True, "regions": True}),
    ("other costs", {"seed": 7, "length": 2500, "strand": "plus", "scoring": (5, 4, 10, 1)}),
    ("a short alignment", {"seed": 8, "length": 60, "strand": "minus"}),
    ("a long alignment", {"seed": 9, "length": 40000, "strand": "minus"}),
    ("more runs than BAM's own field has room for",
     {"seed": 10, "length": 100000, "strand": "plus", "scoring": (5, 1, 1, 1),
      "rate": 0.45}),
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
        except (AssertionError, subprocess.CalledProcessError, ValueError, KeyError) as error:
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
    pair.align("bam", "--max-drop", str(limit), "-o", str(folder / "pieces.bam"))
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
    if pysam is None:
        return
    with pysam.AlignmentFile(str(folder / "pieces.bam")) as file:
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


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        no_samtools = None if shutil.which("samtools") else "no samtools"
        no_pysam = None if pysam else "no pysam"
        for what, how in TESTS:
            pair = Pair(folder, **how)
            told = tap.test(f"{what}: read here", read_back, folder, pair)
            if what.startswith("more runs") and told:
                assert len(runs_of(told[0])) > 65535, len(runs_of(told[0]))
            failed = "nothing was written" if told is None else None
            tap.test(f"{what}: samtools", read_by_samtools, folder, pair, told, skip=no_samtools or failed)
            tap.test(f"{what}: pysam", read_by_pysam, folder, pair, told, skip=no_pysam or failed)
        for strand in ("plus", "minus"):
            pair = Pair(folder, 20, 20000, strand)
            tap.test(f"one alignment, however it is computed: {strand}", check_modes, pair)
            tap.test(f"pieces: {strand}", check_pieces, folder, Pair(folder, 21, 20000, strand))
        tap.test("a checkpoint of compare", check_checkpoint, folder, pair)
    print(f"1..{tap.count}")
    return 1 if tap.failures else 0


sys.exit(main())
