#!/usr/bin/env python3
"""tiny_sets.py PROGRAM [SEED [COUNT]]: sets of tiny sequences through the command line, against brute force. Emits TAP.

Strands, regions, lower case, runs of N, other IUPAC codes, line lengths, standard input, scorings up to 64 bits, limits,
engines, threads, checkpoints and JSON are chosen at random. The sets are found by the definitions in
docs/proofs/alignment-sets.md over full matrices of plain lists. Shares no code with the program.
"""

import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
SEED, COUNT = (int(argument) for argument in (sys.argv[2:] + ["1", "300"][len(sys.argv[2:]) :])[:2])
NEVER = -(10**40)
COMPLEMENT = str.maketrans("ACGTRYKMBVDHNSWU", "TGCAYRMKVBHDNSWA")
SCORINGS = [(1, 3, 3, 2), (2, 3, 5, 2), (1, 5, 3, 1), (3, 4, 0, 2), (1, 1, 0, 1), (1, 1, 1, 1), (5, 4, 10, 1), (1, 0, 3, 2),
            (7, 1, 1, 1)]
WAYS = [[], ["-t", 1], ["-t", 3], ["--skip", "none"], ["--skip", "bounds"], ["--skip", "best"], ["--engine", "scalar"],
        ["--engine", "simd"], ["--grid", "2,3,1"], ["--row-budget", 0], ["--bits", 64]]

# Positions from 0, on the forward strands; steps are M, D (a base of the target alone) and I.
Found = collections.namedtuple("Found", "score start end query_start query_end strand steps")


def reverse(bases):
    return bases.translate(COMPLEMENT)[::-1]


class Problem:
    def __init__(self, scoring, strands, least, most, drop):
        self.match, self.mismatch, self.open, self.extend = scoring
        self.strands, self.least, self.most, self.drop = strands, least, most, drop

    def pair(self, x, y):
        x, y = (base.replace("U", "T") for base in (x, y))
        return self.match if x == y and x in "ACGT" else -self.mismatch

    def best(self, t, q, masked=frozenset()):
        """Score, start and end in both and the steps of the best alignment; None if there is none."""
        width = len(q) + 1
        h, e, f = ([[first] * width for _ in range(len(t) + 1)] for first in (0, NEVER, NEVER))
        best, end = 0, None

        def diagonal(i, j):
            return NEVER if (i, j) in masked else h[i - 1][j - 1] + self.pair(t[i - 1], q[j - 1])

        for i in range(1, len(t) + 1):
            for j in range(1, width):
                e[i][j] = max(h[i][j - 1] - self.open, e[i][j - 1]) - self.extend
                f[i][j] = max(h[i - 1][j] - self.open, f[i - 1][j]) - self.extend
                h[i][j] = max(0, diagonal(i, j), e[i][j], f[i][j])
                if h[i][j] > best:
                    best, end = h[i][j], (i, j)
        if end is None:
            return None
        (i, j), state, steps = end, "M", []
        while state != "M" or h[i][j] > 0:
            if state == "M" and h[i][j] == diagonal(i, j):
                steps.append("M")
                i, j = i - 1, j - 1
            elif state == "M":
                state = "I" if h[i][j] == e[i][j] else "D"
            else:
                value, before = (e[i][j], (i, j - 1)) if state == "I" else (f[i][j], (i - 1, j))
                steps.append(state)
                i, j = before
                if value == h[i][j] - self.open - self.extend:
                    state = "M"
        return best, i, end[0], j, end[1], "".join(reversed(steps))

    def sums(self, t, q, steps):
        """What the first columns score."""
        sums, i, j = [0], 0, 0
        for k, step in enumerate(steps):
            gap = -self.extend - (self.open if k == 0 or steps[k - 1] != step else 0)
            sums.append(sums[-1] + (self.pair(t[i], q[j]) if step == "M" else gap))
            i, j = i + (step != "I"), j + (step != "D")
        return sums

    def ends(self, sums, p):
        after = next((c for c in sums[p + 1 :] if c > sums[p] or c < sums[p] - self.drop), NEVER)
        before = next((c for c in sums[:p][::-1] if c >= sums[p] or c < sums[p] - self.drop), NEVER)
        return p > 0 and after < sums[p] and before < sums[p]

    def begins(self, sums, p):
        before = next((c for c in sums[:p][::-1] if c < sums[p] or c > sums[p] + self.drop), -NEVER)
        after = next((c for c in sums[p + 1 :] if c <= sums[p] or c > sums[p] + self.drop), -NEVER)
        return p + 1 < len(sums) and before > sums[p] and after > sums[p]

    def pieces(self, sums):
        first = 0
        for p in range(len(sums)):
            if self.begins(sums, p):
                first = p
            if self.ends(sums, p):
                yield first, p

    def one_to_one(self, t, q):
        taken, found = ([False] * len(t), [False] * len(q)), []
        while self.most is None or len(found) < self.most:
            rounds = []
            for a, b in boxes(taken[0]):
                for x, y in boxes(taken[1]):
                    for strand in self.strands:
                        read = q[x:y] if strand == "+" else reverse(q[x:y])
                        best = self.best(t[a:b], read)
                        if best:
                            end = x + best[4] if strand == "+" else len(q) - y + best[4]
                            rounds.append((-best[0], strand == "-", a + best[2], end, best, a, x, y, read))
            first = min(rounds, default=None)
            if first is None or -first[0] < self.least:
                break
            for piece in self.cut(t, first):
                if self.most is None or len(found) < self.most:
                    found.append(piece)
                    taken[0][piece.start : piece.end] = [True] * (piece.end - piece.start)
                    taken[1][piece.query_start : piece.query_end] = [True] * (piece.query_end - piece.query_start)
        return found

    def cut(self, t, of_round):
        _, minus, _, _, (_, i0, i1, j0, j1, steps), a, x, y, read = of_round
        sums, pieces = self.sums(t[a + i0 : a + i1], read[j0:j1], steps), []
        for first, last in self.pieces(sums):
            i, i_end = (i0 + p - steps[:p].count("I") for p in (first, last))
            j, j_end = (j0 + p - steps[:p].count("D") for p in (first, last))
            place = (y - j_end, y - j) if minus else (x + j, x + j_end)
            pieces.append(Found(sums[last] - sums[first], a + i, a + i_end, *place, "-" if minus else "+", steps[first:last]))
        return sorted(pieces, key=lambda piece: (-piece.score, piece.start))

    def all(self, t, q, itself):
        found = []
        for strand in self.strands:
            read, masked, count = q if strand == "+" else reverse(q), set(), 0
            if itself:
                masked = {(i, j) for i in range(len(t) + 1) for j in range(len(q) + 1)
                          if (j if strand == "+" else len(q) - j + 1) <= i}
            while count != self.most and (best := self.best(t, read, masked)) and best[0] >= self.least:
                score, i, i_end, j, j_end, steps = best
                place = (j, j_end) if strand == "+" else (len(q) - j_end, len(q) - j)
                found.append(Found(score, i, i_end, *place, strand, steps))
                count += 1
                for step in steps:
                    i, j = i + (step != "I"), j + (step != "D")
                    if step == "M":
                        masked.add((i, j))
        return sorted(found, key=lambda one: (-one.score, one.strand == "-"))[: self.most]


def boxes(taken):
    return [found.span() for found in re.finditer("0+", "".join("01"[base] for base in taken))]


def random_bases(rand, longest):
    bases = rand.choices(rand.choice(["AC", "ACGT", "ACGT"]), k=rand.randrange(1, longest))
    if rand.random() < 0.3:
        bases.insert(rand.randrange(len(bases)), "N" * rand.randrange(1, 6))
    if rand.random() < 0.1:
        bases[rand.randrange(len(bases))] = rand.choice("RYKMSWBDHVU")
    return "".join(bases)


def related_bases(rand, target):
    parts = []
    for _ in range(rand.randrange(1, 5)):
        start = rand.randrange(len(target))
        copy = "".join(base if rand.random() > 0.1 else rand.choice(["", "A", "C", "G", "T", "AC"])
                       for base in target[start : start + rand.randrange(3, 25)])
        parts += [reverse(copy) if rand.random() < 0.4 else copy, *rand.choices("ACGT", k=rand.randrange(5))]
    return "".join(parts) or "A"


def region(rand, bases):
    if rand.random() < 0.3:
        start = rand.randrange(len(bases))
        return start, rand.randrange(start, len(bases)) + 1
    return 0, len(bases)


def read_paf(text):
    for line in text.splitlines():
        field = line.split("\t")
        tags = {tag[:2]: tag[5:] for tag in field[12:]}
        steps = "".join(("M" if op in "=X" else op) * int(count) for count, op in re.findall(r"(\d+)([=XDI])", tags["cg"]))
        yield Found(int(tags["AS"]), *map(int, (field[7], field[8], field[2], field[3])), field[4], steps)


class Case:
    def __init__(self, rand, folder):
        rule = rand.choice(["one-to-one", "one-to-one", "all", "self"])
        t = random_bases(rand, 40)
        q = t if rule == "self" else related_bases(rand, t) if rand.random() < 0.7 else random_bases(rand, 30)
        unit = rand.choice([1, 1, 10**6, 10**14])
        scoring = tuple(number * unit for number in rand.choice(SCORINGS))
        match = scoring[0]
        least, most = match * rand.choice([1, 3, 6]), rand.choice([None, None, 1, 2, 3, 1000])
        strands, drop = rand.choice(["+", "-", "+-"]), least
        options = ["-q", "--min-score", least, "--strand", {"+": "plus", "-": "minus", "+-": "both"}[strands]]
        for option, number in zip("ABOE", scoring):
            options += [f"-{option}", number]
        if rule == "one-to-one":
            drop = rand.choice([least, 0, 1, 10 * match, 10**17])
            options += ["--one-to-one", *(["--max-drop", drop] if drop != least else [])]
        else:
            most = most or 40
            options += ["--all", *(["--self"] if rule == "self" else [])]
        options += ["-n", most] if most else []
        t0, t1 = region(rand, t)
        q0, q1 = (t0, t1) if rule == "self" else region(rand, q)
        options += ["-r", f"t:{t0 + 1}-{t1}", "-R", f"{'t' if rule == 'self' else 'q'}:{q0 + 1}-{q1}", *rand.choice(WAYS)]
        self.files, self.input = [self.write(rand, folder, "t", t)], None
        self.files.append(self.files[0] if rule == "self" else self.write(rand, folder, "q", q))
        if rule != "self" and rand.random() < 0.15:
            self.input, self.files[1] = self.files[1].read_text(encoding="ascii"), "-"
        self.options = options
        self.checkpoint = ["--checkpoint", folder / "checkpoint"] if not self.input and rand.random() < 0.2 else []
        self.json = rand.random() < 0.3
        problem, parts = Problem(scoring, strands, least, most, drop), (t[t0:t1], q[q0:q1])
        wanted = problem.one_to_one(*parts) if rule == "one-to-one" else problem.all(*parts, rule == "self")
        self.wanted = [one._replace(start=one.start + t0, end=one.end + t0, query_start=one.query_start + q0,
                                    query_end=one.query_end + q0) for one in wanted]

    @staticmethod
    def write(rand, folder, name, bases):
        path, width = folder / f"{name}.fa", rand.randrange(1, 10)
        text = bases.lower() if rand.random() < 0.3 else bases
        path.write_text(f">{name}\n" + "".join(text[k : k + width] + "\n" for k in range(0, len(text), width)), encoding="ascii")
        return path

    def run(self, *more):
        done = subprocess.run([PROGRAM, "align", *map(str, (*self.options, *more, *self.files))], input=self.input,
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, (done.args, done.returncode, done.stderr)
        return done.stdout

    def check(self):
        for _ in range(2 if self.checkpoint else 1):
            found = list(read_paf(self.run(*self.checkpoint)))
            assert found == self.wanted, (self.options, [path if path == "-" else path.read_text() for path in self.files],
                                          found, self.wanted)
        if self.json:
            told = json.loads(self.run("--format", "json"))
            found = [(a["score"], a["target"]["start"] - 1, a["target"]["end"], a["query"]["start"] - 1, a["query"]["end"],
                      a["strand"]) for a in told["alignments"]]
            assert found == [one[:6] for one in self.wanted]
            covered = [len({k for one in self.wanted for k in range(*one[at : at + 2])}) for at in (1, 3)]
            assert [told["summary"][f"{side}_covered"] for side in ("target", "query")] == covered


def main():
    print("1..1")
    several = 0
    for number in range(COUNT):
        with tempfile.TemporaryDirectory() as name:
            case = Case(random.Random(SEED * 1000003 + number), pathlib.Path(name))
            try:
                case.check()
            except AssertionError as error:
                print(f"not ok 1 - seed {SEED}, case {number}: {error}")
                sys.exit(1)
            several += len(case.wanted) > 1
    assert COUNT < 100 or several > COUNT // 5, several
    print(f"# {several} of {COUNT} sets have several alignments")
    print("ok 1 - sets of tiny sequences")


main()
