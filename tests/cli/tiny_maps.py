#!/usr/bin/env python3
"""tiny_maps.py PROGRAM [SEED [COUNT]]: sets of tiny linear and circular records through the command line, against brute
force. Emits TAP.

One record or several on each side, each side linear or circular. One-to-one sets and all alignments, also of a circle or
a line with itself, are found by the definitions in docs/proofs/alignment-sets.md and docs/proofs/circular.md: full matrices
of plain lists, of all turns of all circles. Strands, scorings, limits, checkpoints with other limits first, engines, threads,
lower case and runs of N are chosen at random. Shares no code with the program.
"""

import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
SEED, COUNT = (int(argument) for argument in (sys.argv[2:] + ["1", "150"][len(sys.argv[2:]) :])[:2])
NEVER = -(10**9)
COMPLEMENT = str.maketrans("ACGTN", "TGCAN")
SCORINGS = [(1, 3, 3, 2), (2, 3, 5, 2), (1, 1, 1, 1), (5, 4, 10, 1), (1, 1, 0, 1), (3, 4, 0, 2), (1, 0, 3, 2)]
WAYS = [[], ["-t", 1], ["-t", 3], ["--skip", "none"], ["--skip", "bounds"], ["--engine", "scalar"], ["--engine", "simd"],
        ["--grid", "2,3,1"], ["--row-budget", 0], ["--bits", 64]]


def reverse(bases):
    return bases.translate(COMPLEMENT)[::-1]


class Scoring:
    def __init__(self, numbers):
        self.match, self.mismatch, self.open, self.extend = numbers

    def matrices(self, t, q, masked):
        """H, E and F; masked(i, j) says of a pair, counted from 0, whether it may not be had."""
        width = len(q) + 1
        h, e, f = ([[first] * width for _ in range(len(t) + 1)] for first in (0, NEVER, NEVER))
        for i in range(1, len(t) + 1):
            for j in range(1, width):
                e[i][j] = max(h[i][j - 1] - self.open, e[i][j - 1]) - self.extend
                f[i][j] = max(h[i - 1][j] - self.open, f[i - 1][j]) - self.extend
                h[i][j] = max(0, h[i - 1][j - 1] + self.pair(t, q, i - 1, j - 1, masked), e[i][j], f[i][j])
        return h, e, f

    def pair(self, t, q, i, j, masked):
        if masked(i, j):
            return NEVER
        return self.match if t[i] == q[j] != "N" else -self.mismatch

    def end(self, t, q, masked):
        """The score and the first end of the best alignment."""
        h = self.matrices(t, q, masked)[0]
        return min((-h[i][j], i, j) for i in range(len(t) + 1) for j in range(len(q) + 1))

    def walk(self, t, q, masked):
        """The start and the steps of the best alignment that ends with the last bases."""
        h, e, f = self.matrices(t, q, masked)
        i, j, state, steps = len(t), len(q), "M", []
        while state != "M" or h[i][j] > 0:
            if state == "M" and h[i][j] == h[i - 1][j - 1] + self.pair(t, q, i - 1, j - 1, masked):
                steps.append("M")
                i, j = i - 1, j - 1
            elif state == "M":
                state = "I" if h[i][j] == e[i][j] else "D"
            else:
                value, i_next, j_next = (e[i][j], i, j - 1) if state == "I" else (f[i][j], i - 1, j)
                steps.append(state)
                i, j = i_next, j_next
                if value == h[i][j] - self.open - self.extend:
                    state = "M"
        return i, j, "".join(reversed(steps))

    def best(self, t, q, circles, masked=lambda i, j: False):
        """Score, start and steps of the best alignment of two stretches, of which each may be a circle: positions of both
        from 0, in doubled bases; None if there is none."""
        turns = [range(len(side)) if circle else range(1) for side, circle in zip((t, q), circles)]
        doubled = [side * 2 if circle else side for side, circle in zip((t, q), circles)]
        first = (0, 0, 0)
        for x in turns[0]:
            for y in turns[1]:
                score, i, j = self.end(doubled[0][x : x + len(t)], doubled[1][y : y + len(q)],
                                       lambda i, j, x=x, y=y: masked(i + x, j + y))
                first = min(first, (score, i + x, j + y)) if score else first
        if not first[0]:
            return None
        x, y = max(0, first[1] - len(t)), max(0, first[2] - len(q))
        i, j, steps = self.walk(doubled[0][x : first[1]], doubled[1][y : first[2]], lambda i, j: masked(i + x, j + y))
        return -first[0], x + i, y + j, steps

    def sums(self, t, q, steps):
        sums, i, j = [0], 0, 0
        for k, step in enumerate(steps):
            gap = -self.extend - (self.open if k == 0 or steps[k - 1] != step else 0)
            same = step == "M" and t[i] == q[j] != "N"
            sums.append(sums[-1] + (gap if step != "M" else self.match if same else -self.mismatch))
            i, j = i + (step != "I"), j + (step != "D")
        return sums


def pieces_of(sums, drop):
    """From one place to another, by the definition in docs/proofs/alignment.md."""
    def ends(p):
        after = next((c for c in sums[p + 1 :] if c > sums[p] or c < sums[p] - drop), NEVER)
        before = next((c for c in sums[:p][::-1] if c >= sums[p] or c < sums[p] - drop), NEVER)
        return p > 0 and after < sums[p] and before < sums[p]

    def begins(p):
        before = next((c for c in sums[:p][::-1] if c < sums[p] or c > sums[p] + drop), -NEVER)
        after = next((c for c in sums[p + 1 :] if c <= sums[p] or c > sums[p] + drop), -NEVER)
        return p + 1 < len(sums) and before > sums[p] and after > sums[p]

    first = 0
    for p in range(len(sums)):
        if begins(p):
            first = p
        if ends(p):
            yield first, p


def free_stretches(taken, circle):
    """From, to; a circle of which nothing is taken has one that is told as round."""
    n = len(taken)
    if circle and not any(taken):
        return [(0, n, True)] if n else []
    if not circle:
        return [(*found.span(), False) for found in re.finditer("0+", "".join("01"[base] for base in taken))]
    starts = [k for k in range(n) if not taken[k] and taken[k - 1]]
    return [(k, k + next(d for d in range(n) if taken[(k + d) % n]), False) for k in starts]


class Case:
    def __init__(self, rand):
        self.rand = rand
        self.scoring = Scoring(rand.choice(SCORINGS))
        self.rule = rand.choice(["one-to-one", "one-to-one", "all"])
        self.circles = rand.choice([(True, True), (True, False), (False, True), (False, False)])
        self.strands = rand.choice(["+", "-", "+-", "+-"])
        match = self.scoring.match
        self.least = match * rand.choice([1, 2, 3])
        self.drop = rand.choice([self.least, 0, match, 10**6]) if self.rule == "one-to-one" else self.least
        self.most = rand.choice([None, None, None, 2, 3]) if self.rule == "one-to-one" else rand.choice([2, 4, 8])
        records = [rand.choice([1, 1, 2, 3]) for _ in range(2)]
        longest = 20 if sum(records) < 4 else 14
        pool = "".join(rand.choices(rand.choice(["AC", "ACGT", "ACGTN"]), k=longest))
        self.targets = [self.bases(pool, longest) for _ in range(records[0])]
        self.queries = [self.bases(pool, longest) for _ in range(records[1])]

    def bases(self, pool, longest):
        rand = self.rand
        parts = []
        while sum(map(len, parts)) < 3 or rand.random() < 0.4:
            start = rand.randrange(len(pool))
            part = (pool + pool)[start : start + rand.randrange(1, len(pool))]
            part = "".join(base if rand.random() > 0.08 else rand.choice(["", "A", "C", "G", "T", "CG"]) for base in part)
            parts.append((reverse(part) if rand.random() < 0.3 else part) * rand.choice([1, 1, 1, 2]))
        bases = "".join(parts)[: rand.randrange(1, longest + 1)]
        return bases or "G"

    def one_to_one(self):
        """What the command is to write: score, records, places from 0 (the end may lie beyond the length), strand, steps."""
        taken = [[[False] * len(record) for record in side] for side in (self.targets, self.queries)]
        found = []
        while self.most is None or len(found) < self.most:
            rounds = [box for k, t in enumerate(self.targets) for l, q in enumerate(self.queries)
                      for rows in free_stretches(taken[0][k], self.circles[0])
                      for columns in free_stretches(taken[1][l], self.circles[1]) for strand in self.strands
                      if (box := self.box(k, l, t, q, rows, columns, strand))]
            first = min(rounds, default=None)
            if first is None or -first[0] < self.least:
                break
            for piece in self.cut(first):
                if self.most is None or len(found) < self.most:
                    found.append(piece)
                    _, k, l, i, i_end, j, j_end = piece[:7]
                    for p in range(i, i_end):
                        taken[0][k][p % len(self.targets[k])] = True
                    for p in range(j, j_end):
                        taken[1][l][p % len(self.queries[l])] = True
        return found

    def box(self, k, l, t, q, rows, columns, strand):
        """The best alignment of a box, after what decides between equal ones."""
        t_box, q_box = (t + t)[rows[0] : rows[1]], (q + q)[columns[0] : columns[1]]
        read = q_box if strand == "+" else reverse(q_box)
        best = self.scoring.best(t_box, read, (rows[2], columns[2]))
        if best is None:
            return None
        score, i, j, steps = best
        i_end, j_end = i + len(steps) - steps.count("I"), j + len(steps) - steps.count("D")
        place = (rows[0] + i_end - 1) % len(t)
        last = columns[0] + j_end - 1 if strand == "+" else columns[1] - j_end
        order = (l, last % len(q)) if strand == "+" else (-l, -(last % len(q)))
        return -score, strand == "-", k, place, order, l, i, j, steps, rows, columns, t_box, read

    def cut(self, first):
        _, minus, k, _, _, l, i0, j0, steps, rows, columns, t_box, read = first
        sums = self.scoring.sums((t_box + t_box)[i0:], (read + read)[j0:], steps)
        cut = []
        for begin, end in pieces_of(sums, self.drop):
            i, i_end = (rows[0] + i0 + p - steps[:p].count("I") for p in (begin, end))
            j, j_end = (j0 + p - steps[:p].count("D") for p in (begin, end))
            place = (2 * columns[1] - columns[0] - j_end, 2 * columns[1] - columns[0] - j) if minus and columns[2] else (
                (columns[1] - j_end, columns[1] - j) if minus else (columns[0] + j, columns[0] + j_end))
            cut.append((sums[end] - sums[begin], k, l, i, i_end, *place, "-" if minus else "+", steps[begin:end]))
        return [self.settled(one) for one in sorted(cut, key=lambda one: (-one[0], one[3]))]

    def settled(self, one):
        """The same in the first copies."""
        score, k, l, i, i_end, j, j_end, strand, steps = one
        down = i // len(self.targets[k]) * len(self.targets[k])
        right = j // len(self.queries[l]) * len(self.queries[l])
        return score, k, l, i - down, i_end - down, j - right, j_end - right, strand, steps

    def all(self):
        found = []
        for k, t in enumerate(self.targets):
            for l, q in enumerate(self.queries):
                for strand in self.strands:
                    found += self.all_of(k, l, t, q, strand)
        return sorted(found, key=lambda one: (-one[0], one[7] == "-", one[1], one[2]))[: self.most]

    def all_of(self, k, l, t, q, strand):
        read, masked, found = q if strand == "+" else reverse(q), set(), []
        while len(found) < self.most:
            best = self.scoring.best(t, read, self.circles, lambda i, j: (i % len(t), j % len(q)) in masked)
            if best is None or best[0] < self.least:
                break
            score, i, j, steps = best
            i_end, j_end = i + len(steps) - steps.count("I"), j + len(steps) - steps.count("D")
            bases = len(q) * (2 if self.circles[1] else 1)
            place = (j, j_end) if strand == "+" else (bases - j_end, bases - j)
            found.append(self.settled((score, k, l, i, i_end, *place, strand, steps)))
            for step in steps:
                if step == "M":
                    masked.add((i % len(t), j % len(q)))
                i, j = i + (step != "I"), j + (step != "D")
        return found

    def write(self, folder, name, records):
        path = folder / f"{name}.fa"
        lower = self.rand.random() < 0.3
        path.write_text("".join(f">{name}{k}\n{bases.lower() if lower else bases}\n" for k, bases in enumerate(records)),
                        encoding="ascii")
        return path

    def run(self, folder):
        rand, scoring = self.rand, self.scoring
        which = {(True, True): "both", (True, False): "target", (False, True): "query"}.get(self.circles)
        options = ["-q", f"--{self.rule}", "--strand", {"+": "plus", "-": "minus", "+-": "both"}[self.strands],
                   "-A", scoring.match, "-B", scoring.mismatch, "-O", scoring.open, "-E", scoring.extend,
                   "--format", "json"]
        options += ["--circular", which] if which else []
        options += ["--all-pairs"] if len(self.targets) + len(self.queries) > 2 else []
        options += ["--max-drop", self.drop] if self.rule == "one-to-one" else []
        files = [self.write(folder, "t", self.targets), self.write(folder, "q", self.queries)]
        limits = ["--min-score", self.least, *(["-n", self.most] if self.most else [])]
        self.command = [*options, *limits]
        if rand.random() < 0.4:
            options += ["--checkpoint", folder / "run"]
            for _ in range(rand.randrange(3)):
                self.align(*options, *rand.choice(WAYS), "--min-score", self.least * rand.randrange(1, 4), "-n",
                           rand.randrange(1, 5), *files)
        told = json.loads(self.align(*options, *rand.choice(WAYS), *limits, *files))
        return list(map(self.read, told["alignments"]))

    def read(self, one):
        k, l = (int(one[side]["name"][1:]) for side in ("target", "query"))
        places = []
        for side, bases in (("target", self.targets[k]), ("query", self.queries[l])):
            start, end = one[side]["start"] - 1, one[side]["end"]
            places += [start, end + (len(bases) if end <= start else 0)]
        steps = "".join(("M" if op in "=X" else op) * int(count) for count, op in re.findall(r"(\d+)([=XDI])", one["cigar"]))
        return one["score"], k, l, *places, one["strand"], steps

    @staticmethod
    def align(*arguments):
        done = subprocess.run([PROGRAM, "align", *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, (done.args, done.returncode, done.stderr)
        return done.stdout


def main():
    print("1..1")
    several = 0
    for number in range(COUNT):
        case = Case(random.Random(SEED * 1000003 + number))
        wanted = case.one_to_one() if case.rule == "one-to-one" else case.all()
        with tempfile.TemporaryDirectory() as name:
            found = case.run(pathlib.Path(name))
        if found != wanted:
            print(f"not ok 1 - seed {SEED}, case {number}: {case.command} {case.targets} {case.queries}: {found}, not {wanted}")
            sys.exit(1)
        several += len(wanted) > 1
    assert COUNT < 100 or several > COUNT // 5, several
    print(f"# {several} of {COUNT} sets have several alignments")
    print("ok 1 - sets of tiny linear and circular records")


main()
