#!/usr/bin/env python3
"""rearranged.py [-h] [OPTION...] SIMULATE FOLDER: two assemblies, one rearranged, and the truth about them.

FOLDER gets target.fa, query.fa and truth.paf. The target comes from chromosweep-simulate, with repeats, and is cut into
records. The query has the same bases, but stretches are inverted, moved to other records, left out or repeated in tandem,
tails of records are exchanged, and new bases are inserted. Then each stretch gets substitutions and small gaps, and records
are reverse-complemented and shuffled. Each line of truth.paf is a stretch with its CIGAR, and with tp:A:S if it is the second
copy of a tandem. The same options make the same files.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

COMPLEMENT = str.maketrans("ACGT", "TGCA")
EDGE = 20  # bases at both ends of a stretch that are not changed


def reverse(bases):
    return bases.translate(COMPLEMENT)[::-1]


class Stretch:
    """Bases of a record of the target, or new ones (then record is None and end - start their number)."""

    def __init__(self, record, start, end, minus=False, again=False):
        self.record, self.start, self.end, self.minus, self.again = record, start, end, minus, again

    def length(self):
        return self.end - self.start

    def split(self, at):
        """The first bases as the query reads them, and the others."""
        middle = self.end - at if self.minus else self.start + at
        halves = [Stretch(self.record, self.start, middle, self.minus, self.again),
                  Stretch(self.record, middle, self.end, self.minus, self.again)]
        return halves[::-1] if self.minus else halves

    def turned(self):
        return Stretch(self.record, self.start, self.end, not self.minus, self.again)


def length_of(stretches):
    return sum(stretch.length() for stretch in stretches)


def cut(stretches, at):
    """The stretches before a position and those after it."""
    before = []
    for k, stretch in enumerate(stretches):
        if at <= stretch.length():
            halves = stretch.split(at)
            return before + [s for s in halves[:1] if s.length()], [s for s in halves[1:] if s.length()] + stretches[k + 1 :]
        before.append(stretch)
        at -= stretch.length()
    return before, []


def turned(stretches):
    return [stretch.turned() for stretch in reversed(stretches)]


class Rearranger:
    def __init__(self, rand, records, shortest, longest):
        self.rand, self.records, self.shortest, self.longest = rand, records, shortest, longest

    def take(self):
        """A record, and its stretches before, in and after a part of a random length."""
        length = self.rand.randrange(self.shortest, self.longest)
        number = self.rand.choice([k for k, record in enumerate(self.records) if length_of(record) > 2 * length])
        before, rest = cut(self.records[number], self.rand.randrange(length_of(self.records[number]) - length))
        inside, after = cut(rest, length)
        return number, before, inside, after

    def invert(self):
        number, before, inside, after = self.take()
        self.records[number] = before + turned(inside) + after

    def move(self):
        number, before, inside, after = self.take()
        self.records[number] = before + after
        other = self.rand.randrange(len(self.records))
        left, right = cut(self.records[other], self.rand.randrange(length_of(self.records[other])))
        self.records[other] = left + (inside if self.rand.random() < 0.5 else turned(inside)) + right

    def leave_out(self):
        number, before, _, after = self.take()
        self.records[number] = before + after

    def repeat(self):
        number, before, inside, after = self.take()
        copy = [Stretch(s.record, s.start, s.end, s.minus, s.record is not None) for s in inside]
        self.records[number] = before + inside + copy + after

    def put_in(self):
        number, before, inside, after = self.take()
        self.records[number] = before + [Stretch(None, 0, length_of(inside))] + inside + after

    def exchange(self):
        one, other = self.rand.sample(range(len(self.records)), 2)
        heads, tails = zip(*(cut(self.records[k], self.rand.randrange(length_of(self.records[k]))) for k in (one, other)))
        self.records[one], self.records[other] = heads[0] + tails[1], heads[1] + tails[0]


def change(rand, bases, substitutions, indels):
    """The bases with changes, and the CIGAR that says so, as runs."""
    out, runs, at = [], [], 0
    rate = substitutions + indels

    def add(op, count):
        if count and runs and runs[-1][0] == op:
            runs[-1][1] += count
        elif count:
            runs.append([op, count])

    while True:
        place = max(EDGE, at + int(rand.expovariate(rate))) if rate else len(bases)
        length = min(50, int(1 / (1 - rand.random())))
        if place + length >= len(bases) - EDGE:
            break
        out.append(bases[at:place])
        add("=", place - at)
        at = place
        if rand.random() * rate < substitutions:
            out.append(rand.choice("ACGT".replace(bases[at], "")))
            add("X", 1)
            at += 1
        elif rand.random() < 0.5:
            add("D", length)
            at += length
        else:
            out.append("".join(rand.choices("ACGT", k=length)))
            add("I", length)
    out.append(bases[at:])
    add("=", len(bases) - at)
    return "".join(out), runs


def simulated(program, seed, length):
    with tempfile.TemporaryDirectory() as folder:
        numbers = "-s", str(seed), "-l", str(length)
        subprocess.run([program, "-p", "identical-99", *numbers, f"{folder}/t.fa", f"{folder}/q.fa"], check=True)
        return "".join(pathlib.Path(folder, "t.fa").read_text(encoding="ascii").splitlines()[1:])


def write_fasta(path, records):
    with path.open("w", encoding="ascii") as file:
        for name, bases in records:
            file.write(f">{name}\n")
            file.writelines(bases[k : k + 80] + "\n" for k in range(0, len(bases), 80))


def write_query(rand, options, targets, records):
    lengths = dict((name, len(bases)) for name, bases in targets)
    bases_of, made, lines = dict(targets), [], []
    rand.shuffle(records)
    for number, record in enumerate(records):
        name, parts, at = f"q{number + 1}", [], 0
        for stretch in turned(record) if rand.random() < 0.5 else record:
            if stretch.record is None:
                parts.append("".join(rand.choices("ACGT", k=stretch.length())))
            else:
                bases, runs = change(rand, bases_of[stretch.record][stretch.start : stretch.end], options.substitutions,
                                     options.indels)
                parts.append(reverse(bases) if stretch.minus else bases)
                lines.append((name, at, at + len(bases), stretch, runs))
            at += len(parts[-1])
        made.append((name, "".join(parts)))
    write_fasta(options.folder / "query.fa", made)
    total = dict((name, len(bases)) for name, bases in made)
    with (options.folder / "truth.paf").open("w", encoding="ascii") as file:
        for name, start, end, stretch, runs in lines:
            equal = sum(count for op, count in runs if op == "=")
            print(name, total[name], start, end, "-" if stretch.minus else "+", stretch.record, lengths[stretch.record],
                  stretch.start, stretch.end, equal, sum(count for _, count in runs), 255,
                  "tp:A:S" if stretch.again else "tp:A:P", "cg:Z:" + "".join(f"{count}{op}" for op, count in runs), sep="\t",
                  file=file)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--records", type=int, default=16)
    parser.add_argument("--length", type=int, default=12_000_000, help="of the target, all records together")
    parser.add_argument("--events", type=int, default=8, help="of each kind: inversions, moves, deletions, tandem copies, "
                        "new bases, exchanges of tails")
    parser.add_argument("--shortest", type=int, default=3000, help="bases of an event")
    parser.add_argument("--longest", type=int, help="bases of an event [an eighth of a record]")
    parser.add_argument("--substitutions", type=float, default=0.01, help="a base")
    parser.add_argument("--indels", type=float, default=0.001, help="a base")
    parser.add_argument("simulate", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    return parser.parse_args()


def main():
    options = arguments()
    rand = random.Random(options.seed)
    options.folder.mkdir(exist_ok=True)
    bases = simulated(options.simulate.resolve(), options.seed, options.length)
    mean = options.length // options.records
    longest = options.longest or mean // 8
    if not 1 <= options.shortest < longest < mean // 2:
        sys.exit("rearranged.py: records are too short for events of such lengths")
    borders = [0, *(k * mean + rand.randrange(-mean // 4, mean // 4) for k in range(1, options.records)), len(bases)]
    targets = [(f"t{k + 1}", bases[start:end]) for k, (start, end) in enumerate(zip(borders, borders[1:]))]
    records = [[Stretch(name, 0, len(bases))] for name, bases in targets]
    it = Rearranger(rand, records, options.shortest, longest)
    events = [it.invert, it.move, it.leave_out, it.repeat, it.put_in, it.exchange] * options.events
    rand.shuffle(events)
    for event in events:
        event()
    write_fasta(options.folder / "target.fa", targets)
    write_query(rand, options, targets, [record for record in records if length_of(record)])


if __name__ == "__main__":
    main()
