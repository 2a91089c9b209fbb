#!/usr/bin/env python3
"""circular.py PROGRAM SEQUENCES: circular records that begin elsewhere. Emits TAP.

A real sequence is turned and must be found whole. Genomes that were rearranged on purpose, as in sets.py, are turned so
that alignments run over both origins; the output is read back as in sets.py.
"""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import sets
from sets import CHECKS, READERS, Pair, read_paf, rescore, reverse, run, runs_of

SEQUENCES = pathlib.Path(sys.argv[2])
TURNS = {"query": 5123, "target": 4321, "both": 777}  # of the real sequence, by what is circular


def read_bases(file):
    """Without N, which would match nothing."""
    return "".join(gzip.open(file, "rt", encoding="ascii").read().split("\n")[1:]).upper().replace("N", "")


def write_fasta(file, name, bases):
    file.write_text(f">{name}\n{bases}\n", encoding="ascii")
    return str(file)


def turn(bases, by):
    return bases[by:] + bases[:by]


def check_whole(folder):
    """A turned copy is aligned from its first base to its last, on either strand."""
    bases = read_bases(SEQUENCES / "ape_target.fa.gz")[:8000]
    length = len(bases)
    target = write_fasta(folder / "whole.fa", "t", bases)
    for circular, by in TURNS.items():
        for minus in (False, True):
            turned = reverse(turn(bases, by)) if minus else turn(bases, by)
            query = write_fasta(folder / "turned.fa", "q", turned)
            options = ["--circular", circular, "--strand", "both", target, query]
            told = json.loads(run("align", "-q", "--format", "json", *options))
            assert (told["score"], told["statistics"]["matches"], told["statistics"]["columns"]) == (
                length, length, length), told["statistics"]
            assert told["strand"] == "+-"[minus]
            sides = [(told[side]["start"], told[side]["end"]) for side in ("target", "query")]
            first = by if circular == "target" else 0  # of the target, before the alignment
            second = (length - by) % length if circular != "target" else 0  # of the query, as that was turned
            if minus and second:
                second = length - second
            assert sides == [(first + 1, first or length), (second + 1, second or length)], (circular, minus, sides)
            rows = read_paf(run("align", "-q", *options).replace("\tzd:i:1", "").replace("\tzd:i:2", ""))
            assert [row.score for row in rows] == [row.target_end - row.target_start for row in rows]
            assert len(rows) == 2 and sum(row.score for row in rows) == length
            compared = json.loads(run("compare", "--format", "json", *options))
            assert compared["score"] == length
            assert [(compared[side]["start"], compared[side]["end"]) for side in ("target", "query")] == sides


TRANSLOCATIONS = {3: 0, 4: 0, 7: 1}  # of pairs with so many stretches: a turn is none


class Turned(Pair):
    """A pair of sets.py, both of whose sequences begin within the stretch that another one has first."""

    def __init__(self, folder, seed, order, stretch):
        super().__init__(folder, seed, order)
        there, here = self.wanted[stretch][3] + 321, self.wanted[-1 - stretch][0] + 456
        self.turns = here, there
        self.translocations = TRANSLOCATIONS[len(order)]
        self.lengths = len(self.query), len(self.target)
        self.query, self.target = turn(self.query, here), turn(self.target, there)
        self.files = [write_fasta(folder / f"t{seed}.fa", "t", self.target),
                      write_fasta(folder / f"q{seed}.fa", "q", self.query)]

    def align(self, *options):
        return super().align("--circular", "both", *options)

    def bases(self, side):
        """Those of the stretches, where they are now."""
        places = [want[:2] if side == 0 else want[3:] for want in self.wanted]
        return {(base - self.turns[side]) % self.lengths[side] for start, end in places for base in range(start, end)}


def check_planted(pair, rows, _folder):
    """Every base of a stretch belongs to an alignment, but for a gap at an origin, and no other base does."""
    for row in rows:
        rescore(pair, row)
        assert row.query_end <= pair.lengths[0] and row.target_end <= pair.lengths[1]
    assert len(rows) > len(pair.wanted)  # at least one runs over an origin
    for side in 0, 1:
        found = [base for row in rows for base in range(*(row[:2] if side == 0 else row[3:5]))]
        assert len(found) == len(set(found))
        assert set(found) <= pair.bases(side) and len(pair.bases(side)) - len(found) < 8


def check_json(pair, rows, _folder):
    """An alignment is written whole; cut at the origins it is what PAF has."""
    told = json.loads(pair.align("--format", "json"))
    over = 0
    assert len(told["alignments"]) == told["summary"]["alignments"] == len(pair.wanted)
    for a in told["alignments"]:
        t, q = a["target"]["start"] - 1, (a["query"]["end"] if a["strand"] == "-" else a["query"]["start"] - 1)
        parts = [row for row in rows if row.minus == (a["strand"] == "-")]
        first = [row for row in parts if row.target_start == t]
        assert len(first) == 1 and q == (first[0].query_end if first[0].minus else first[0].query_start)
        assert sum(row.target_end == a["target"]["end"] for row in parts) == 1
        over += (a["target"]["end"] < a["target"]["start"]) + (a["query"]["end"] < a["query"]["start"])
        bases = sum(count for count, op in runs_of(a["cigar"]) if op != "I")
        assert bases == (a["target"]["end"] - t) % pair.lengths[1]
    assert told["summary"]["translocations"] == pair.translocations
    assert over == 2 and len(rows) - len(pair.wanted) == over


def check_text(pair, rows, _folder):
    text = pair.align("--format", "text")
    assert text.startswith(f"alignments  {len(pair.wanted)}\n") and text.count("\nalignment ") == len(rows)


def check_engines(pair, rows, _folder):
    slow = [["--engine", "scalar"]] if len(pair.wanted) == 3 else []
    for options in (*slow, ["--threads", "1"], ["--skip", "bounds"], ["--skip", "none"]):
        assert read_paf(pair.align(*options)) == rows
    assert all(row.minus for row in read_paf(pair.align("--strand", "minus")))


def check_sam_header(pair, _rows, _folder):
    """@SQ says that the target is circular."""
    for circular in ("target", "query"):
        text = run("align", "-q", "--format", "sam", "--circular", circular, *pair.files)
        assert ("TP:circular" in text.splitlines()[1]) == (circular == "target")


OWN = {
    "every stretch is found": check_planted,
    "JSON": check_json,
    "text": check_text,
    "engines": check_engines,
    "the header of SAM": check_sam_header,
}
SHARED = ("TSV", "SAM", "MAF", "pyliftover", "CrossMap", "samtools", "maf-convert")
ORDERS = {
    "an inversion": ([(0, False), (1, True), (2, False)], 1),
    "nothing": ([(0, False), (1, False), (2, False), (3, False)], 1),
    "much": ([(4, True), (0, False), (2, True), (1, False), (6, False), (3, False), (5, True)], 2),
}


class Tap:
    def __init__(self):
        self.count = self.failures = 0

    def run(self, what, function, *arguments):
        self.count += 1
        try:
            function(*arguments)
            print("ok", self.count, f"- {what}", flush=True)
        except (AssertionError, subprocess.CalledProcessError) as error:
            self.failures += 1
            print("not ok", self.count, f"- {what}: {str(error)[:300]}", flush=True)

    def skip(self, what):
        self.count += 1
        self.failures += sets.ALL_READERS
        print("not ok" if sets.ALL_READERS else "ok", self.count, f"- {what} # SKIP it is not installed")


def main():
    tap = Tap()
    print(f"1..{1 + len(ORDERS) * (len(OWN) + len(SHARED))}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tap.run("a turned copy is found whole", check_whole, folder)
        for seed, (what, (order, stretch)) in enumerate(ORDERS.items()):
            pair = Turned(folder, seed, order, stretch)
            rows = read_paf(pair.align())
            for check, function in {**OWN, **{each: CHECKS[each] for each in SHARED}}.items():
                if READERS.get(check, True):
                    tap.run(f"{what}: {check}", function, pair, rows, folder)
                else:
                    tap.skip(f"{what}: {check}")
    sys.exit(tap.failures > 0)


main()
