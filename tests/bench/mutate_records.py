#!/usr/bin/env python3
"""mutate_records.py [-h] [OPTION...] FILE.fa[.gz] >RECORDS.fa: many related sequences, made from a few real ones.

Takes the records of the file in turn, and changes up to --changed of their bases: nine substitutions for each base that
is inserted or left out. Each is then cut, or filled up with random bases, to --length. The same options give the same
bases everywhere. As many as 16S genes of a large survey:

    mutate_records.py --count 25000 --length 1536 rrna16S.fa.gz >survey.fa
"""

import argparse
import gzip
import pathlib
import random
import sys

BASES = "ACGT"


def read_sequences(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="ascii") as file:
        records = ["".join(record.split("\n")[1:]) for record in file.read().split(">")[1:]]
    if not any(records):
        sys.exit(f"mutate_records.py: {path}: no sequences")
    return [record.upper() for record in records if record]


def change(sequence, changes, lot):
    letters = list(sequence)
    for _ in range(changes):
        place = int(lot.random() * len(letters))
        kind = int(lot.random() * 20)
        base = BASES[int(lot.random() * 4)]
        letters[place] = {0: "", 1: base + letters[place]}.get(kind, base)
    return "".join(letters)


def fill(sequence, length, lot):
    missing = max(length - len(sequence), 0)
    return sequence[:length] + "".join(BASES[int(lot.random() * 4)] for _ in range(missing))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, default=25000, help="records to make (25000)")
    parser.add_argument("--length", type=int, default=1536, help="bases of each (1536)")
    parser.add_argument("--changed", type=float, default=0.1, help="the largest share of bases that change (0.1)")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (1)")
    parser.add_argument("file", type=pathlib.Path)
    options = parser.parse_args()
    originals = read_sequences(options.file)
    lot = random.Random(options.seed)
    for number in range(options.count):
        original = originals[number % len(originals)]
        changes = int(lot.random() * options.changed * len(original))
        sequence = fill(change(original, changes, lot), options.length, lot)
        print(f">{number + 1}\n{sequence}")


if __name__ == "__main__":
    main()
