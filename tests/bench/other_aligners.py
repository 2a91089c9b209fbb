#!/usr/bin/env python3
"""other_aligners.py [-h] [OPTION...] PROGRAM TARGET.fa QUERY.fa: sets of alignments beside those of other aligners.

Runs chromosweep, LASTZ, LAST, minimap2 and nucmer (those that are installed) on one record each, with one thread, and
prints a table for docs/performance.md. Every alignment is scored anew, from the bases, under match 1, mismatch 3, first
base of a gap 5, each further one 2. Shares no code with chromosweep.

It also checks that no other program beats a set, and ends with status 1 if one does:

- all: let k be the set's first alignment that has a pair in common with another program's. When k was found, no pair of
  the other one was masked, so it scores at most as much as k. If it has no pair in common with any, it scores less
  than the least score.
- one-to-one without a cut: before each round, no stretch of another program's alignment in bases that are not taken
  scores more than the alignment of that round; after the last, none has the least score.
- one-to-one: after the last round, likewise.

The columns: alignments; rows, those that score at least the least score; the best score. Then for each set: the share of
its pairs of bases that the program has in any alignment; how many of the set's alignments outscore the program, that is,
score more than each of its alignments that has a pair in common with them; and the sensitivity, 100% less the share of
pairs that are in alignments which outscore the program, and in none of its own.
"""

import argparse
import bisect
import collections
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MATCH, MISMATCH, OPEN, EXTEND = 1, 3, 3, 2
COMPLEMENT = str.maketrans("ACGTacgt", "TGCAtgca")
NO_CUT = str(10**12)

# From 0, on the forward target and on the query's strand; runs of =, X, D (target's bases alone) and I.
Alignment = collections.namedtuple("Alignment", "minus target query runs")
Program = collections.namedtuple("Program", "name command read")


def read_record(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="ascii") as file:
        header, *lines = file.read().splitlines()
    assert header[0] == ">" and not any(line.startswith(">") for line in lines), f"{path}: not one record"
    return "".join(lines).upper()


class Genomes:
    def __init__(self, target, query):
        self.target = target
        self.strands = (query, query.translate(COMPLEMENT)[::-1])

    def runs_of_pairs(self, minus, t, q, length):
        """Runs of = and X. Only bases equal themselves."""
        a, b = self.target[t : t + length], self.strands[minus][q : q + length]
        assert len(a) == len(b) == length
        if a == b and not set(a) - set("ACGT"):
            return [("=", length)]
        runs = []
        for x, y in zip(a, b):
            op = "=" if x == y and x in "ACGT" else "X"
            if runs and runs[-1][0] == op:
                runs[-1][1] += 1
            else:
                runs.append([op, 1])
        return [tuple(run) for run in runs]

    def alignment(self, minus, target, query, steps):
        """Of (M, D or I, length); steps of one kind in a row are one gap."""
        joined = []
        for op, length in steps:
            if length > 0 and joined and joined[-1][0] == op:
                joined[-1][1] += length
            elif length > 0:
                joined.append([op, length])
        runs, t, q = [], target, query
        for op, length in joined:
            runs += self.runs_of_pairs(minus, t, q, length) if op == "M" else [(op, length)]
            t += length if op != "I" else 0
            q += length if op != "D" else 0
        return Alignment(minus, target, query, runs)


def read_paf(text, genomes):
    for line in text.splitlines():
        fields = line.split("\t")
        minus = fields[4] == "-"
        (cigar,) = [field[5:] for field in fields[12:] if field.startswith("cg:Z:")]
        steps = [("M" if op in "M=X" else op, int(length)) for length, op in re.findall(r"(\d+)([M=XID])", cigar)]
        start = len(genomes.strands[0]) - int(fields[3]) if minus else int(fields[2])
        yield genomes.alignment(minus, int(fields[7]), start, steps)


def read_maf(text, genomes):
    rows = re.findall(r"^s +\S+ +(\d+) +\d+ +([+-]) +\d+ +(\S+)$", text, re.M)
    for (target, strand, a), (query, query_strand, b) in zip(rows[::2], rows[1::2]):
        assert strand == "+"
        steps = [("D" if y == "-" else "I" if x == "-" else "M", 1) for x, y in zip(a, b)]
        yield genomes.alignment(query_strand == "-", int(target), int(query), steps)


def read_delta(text, genomes):
    """MUMmer's: after each head of seven numbers one gap of one base a line, and 0."""
    lines = iter(text.splitlines()[2:])
    for line in lines:
        if line[0] == ">":
            continue
        t0, t1, q0, q1 = map(int, line.split()[:4])
        minus, steps, t = q0 > q1, [], t0 - 1
        for offset in iter(lambda: int(next(lines)), 0):
            steps += [("M", abs(offset) - 1), ("D" if offset > 0 else "I", 1)]
            t += abs(offset) - 1 + (offset > 0)
        steps.append(("M", t1 - t))
        yield genomes.alignment(minus, t0 - 1, len(genomes.strands[0]) - q0 if minus else q0 - 1, steps)


def value(op, length):
    return MATCH * length if op == "=" else -MISMATCH * length if op == "X" else -OPEN - EXTEND * length


def score_of(alignment):
    return sum(value(*run) for run in alignment.runs)


class Taken:
    """Stretches of a sequence that do not overlap."""

    def __init__(self):
        self.stretches = []

    def add(self, start, end):
        bisect.insort(self.stretches, (start, end))

    def first(self, start, end):
        """The first stretch in these bases, or None."""
        k = bisect.bisect_left(self.stretches, (start, start))
        for stretch in self.stretches[max(0, k - 1) : k + 1]:
            if stretch[1] > start and stretch[0] < end:
                return stretch
        return None


def best_in_boxes(alignment, genomes, taken):
    """The highest score of a part of the alignment without taken bases."""
    best = here = 0
    t, q, total = alignment.target, alignment.query, len(genomes.strands[0])
    for op, length in alignment.runs:
        tlen, qlen = length * (op != "I"), length * (op != "D")
        busy = []  # parts of the run, from its start
        at = 0
        while tlen and (found := taken[0].first(t + at, t + tlen)):
            busy.append((max(0, found[0] - t), found[1] - t))
            at = found[1] - t
        forward = total - q - qlen if alignment.minus else q
        at = 0
        while qlen and (found := taken[1].first(forward + at, forward + qlen)):
            part = (max(0, found[0] - forward), min(qlen, found[1] - forward))
            busy.append((qlen - part[1], qlen - part[0]) if alignment.minus else part)
            at = found[1] - forward
        at = 0
        for start, end in sorted(busy):
            if start > at and op == "=":
                best = max(best, here + value(op, start - at))
            here, at = 0, max(at, end)
        if at < length:
            here = max(0, here + value(op, length - at))
        best = max(best, here)
        t, q = t + tlen, q + qlen
    return best


def diagonals(alignment):
    """(strand and diagonal, first base in the target, end) of each run of pairs."""
    t, q = alignment.target, alignment.query
    for op, length in alignment.runs:
        if op in "=X":
            yield (alignment.minus, t - q), t, t + length
        t, q = t + length * (op != "I"), q + length * (op != "D")


class Pairs:
    """Where a pair of bases is in which alignments."""

    def __init__(self, alignments):
        self.runs = collections.defaultdict(list)
        for k, alignment in enumerate(alignments):
            for key, start, end in diagonals(alignment):
                self.runs[key].append((start, end, k))
        self.longest = {key: max(end - start for start, end, _ in runs) for key, runs in self.runs.items()}
        for runs in self.runs.values():
            runs.sort()

    def common(self, key, start, end):
        """(first, end, number of the alignment) of pairs in common."""
        runs = self.runs.get(key, [])
        k = bisect.bisect_left(runs, (start - self.longest.get(key, 0), 0, 0))
        while k < len(runs) and runs[k][0] < end:
            if runs[k][1] > start:
                yield max(start, runs[k][0]), min(end, runs[k][1]), runs[k][2]
            k += 1


def beside(ours, theirs):
    """The three columns of a set."""
    pairs, scores = Pairs(theirs), [score_of(alignment) for alignment in theirs]
    total = had = missed = number = 0
    for alignment in ours:
        count = found = best = 0
        for key, start, end in diagonals(alignment):
            count += end - start
            at = start
            for first, last, k in pairs.common(key, start, end):
                best = max(best, scores[k])
                found += max(0, last - max(at, first))
                at = max(at, last)
        total, had = total + count, had + found
        if score_of(alignment) > best:
            number += 1
            missed += count - found
    share = 100 / max(total, 1)
    return [f"{had * share:.1f}%", f"{number}", f"{100 - missed * share:.1f}%"]


class Checks:
    def __init__(self, genomes, least):
        self.genomes, self.least, self.failures, self.count = genomes, least, 0, 0

    def at_most(self, name, what, score, limit):
        self.count += 1
        if score > limit:
            self.failures += 1
            print(f"BEATEN by {name}: {what}: {score} > {limit}")

    def one_to_one(self, ours, name, theirs, rounds):
        """Of a set that was cut only the end can be checked: rounds are not told from pieces."""
        taken = Taken(), Taken()
        left = [(score_of(alignment), alignment) for alignment in theirs]
        total = len(self.genomes.strands[0])
        for number, alignment in enumerate(ours + [None]):
            if rounds or alignment is None:
                left = [(best, a) for _, a in left if (best := best_in_boxes(a, self.genomes, taken)) > 0]
                limit = score_of(alignment) if alignment else self.least - 1
                self.at_most(name, f"one-to-one, round {number + 1}", max((s for s, _ in left), default=0), limit)
            if alignment:
                t = alignment.target + sum(length for op, length in alignment.runs if op != "I")
                q = alignment.query + sum(length for op, length in alignment.runs if op != "D")
                taken[0].add(alignment.target, t)
                start, end = (total - q, total - alignment.query) if alignment.minus else (alignment.query, q)
                assert not taken[1].first(start, end), "bases are taken twice"
                taken[1].add(start, end)

    def all(self, ours, name, theirs):
        pairs, scores = Pairs(ours), [score_of(alignment) for alignment in ours]
        for number, alignment in enumerate(theirs):
            best = best_in_boxes(alignment, self.genomes, (Taken(), Taken()))
            shared = [k for run in diagonals(alignment) for _, _, k in pairs.common(*run)]
            limit = scores[min(shared)] if shared else self.least - 1
            self.at_most(name, f"all, alignment {number + 1} of the other", best, limit)


def programs(program, least, with_all, folder):
    ours = [str(program), "align", "-q", "-t", "1", "--device", "cpu", "--min-score", str(least)]
    yield Program("one-to-one", [*ours, "--one-to-one", "T", "Q"], read_paf)
    yield Program("one-to-one, not cut", [*ours, "--one-to-one", "--max-drop", NO_CUT, "T", "Q"], read_paf)
    if with_all:
        yield Program("all", [*ours, "--all", "--strand", "both", "T", "Q"], read_paf)
    yield Program("LASTZ", ["lastz", "T", "Q", "--match=1,3", "--gap=3,2", "--format=maf"], read_maf)
    yield Program("LASTZ, ydrop 300",
                  ["lastz", "T", "Q", "--match=1,3", "--gap=3,2", "--ydrop=300", "--format=maf"], read_maf)
    for name, more in ("LAST", []), ("LAST, -y 1000", ["-y", "1000"]):
        command = f"lastdb {folder}/db T && lastal -P1 -r1 -q3 -a3 -b2 {' '.join(more)} {folder}/db Q"
        yield Program(name, ["sh", "-c", command], read_maf)
    for preset in "asm5", "asm10", "asm20":
        yield Program(f"minimap2 {preset}", ["minimap2", "-t1", "-cx", preset, "T", "Q"], read_paf)
    yield Program("minimap2 asm20, our scoring",
                  ["minimap2", "-t1", "-cx", "asm20", "-A1", "-B3", "-O3", "-E2", "-s40", "-z200", "T", "Q"], read_paf)
    yield Program("nucmer", ["sh", "-c", f"nucmer -p {folder}/n T Q && cat {folder}/n.delta"], read_delta)
    yield Program("nucmer --maxmatch", ["sh", "-c", f"nucmer --maxmatch -p {folder}/n T Q && cat {folder}/n.delta"],
                  read_delta)


def run(command, files):
    """Standard output and CPU seconds, those of children included."""
    names = [re.sub(r"\b[TQ]\b", lambda found: str(files[found.group()]), word) if word in "TQ" or " " in word else word
             for word in command]
    before = os.times()
    done = subprocess.run(names, capture_output=True, check=False)
    after = os.times()
    assert done.returncode == 0, f"{names}: status {done.returncode}: {done.stderr.decode()[:1000]}"
    seconds = sum(after[2:4]) - sum(before[2:4])
    return done.stdout.decode(), seconds


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--min-score", type=int, default=2000, help="the least score of a row and of both sets")
    parser.add_argument("--all", action="store_true", help="also --all, which computes the whole matrix")
    parser.add_argument("--commands", action="store_true", help="print the commands, too")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("query", type=pathlib.Path)
    return parser.parse_args()


def main():
    options = arguments()
    genomes = Genomes(read_record(options.target), read_record(options.query))
    checks = Checks(genomes, options.min_score)
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = {"T": folder / "target.fa", "Q": folder / "query.fa"}
        for key, bases in ("T", genomes.target), ("Q", genomes.strands[0]):
            files[key].write_text(f">{key}\n{bases}\n", encoding="ascii")
        _, seconds = run([str(options.program), "compare", "-q", "-t", "1", "--device", "cpu", "T", "Q"], files)
        print(f"compare of the plus strand: {seconds:.1f} CPU seconds")
        for each in programs(options.program.resolve(), options.min_score, options.all, folder):
            if not shutil.which(each.command[2].split()[0] if each.command[0] == "sh" else each.command[0]):
                print(f"{each.name}: not installed")
                continue
            if options.commands:
                print("   ", " ".join(each.command))
            text, seconds = run(each.command, files)
            found[each.name] = list(each.read(text, genomes)), seconds
    sets = [key for key in ("one-to-one", "all") if key in found]
    columns = ["pairs", "outscored by", "sensitivity"]
    print("| program | alignments | rows | best score |", *(f" {set}: {c} |" for set in sets for c in columns), " CPU s |",
          sep="")
    print("|---|" + "---|" * (4 + len(sets) * len(columns)))
    for name, (alignments, seconds) in found.items():
        scores = [score_of(alignment) for alignment in alignments]
        cells = [name, len(scores), sum(score >= options.min_score for score in scores), f"{max(scores, default=0):,}"]
        for key in sets:
            cells += beside(found[key][0], alignments)
        print("|", " | ".join(map(str, cells)), f"| {seconds:.1f} |")
        checks.one_to_one(found["one-to-one"][0], name, alignments, rounds=False)
        checks.one_to_one(found["one-to-one, not cut"][0], name, alignments, rounds=True)
        if options.all:
            checks.all(found["all"][0], name, alignments)
    print(f"{checks.count} checks: a set was beaten in {checks.failures}")
    sys.exit(checks.failures > 0)


main()
