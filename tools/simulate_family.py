#!/usr/bin/env python3
"""simulate_family.py [options] > FAMILY.fa: makes groups of similar nucleotide sequences, for chromosweep identity.

A random ancestor gives each group a founder, and a founder gives each of its records a sequence. Each time some bases
change: nine substitutions for each insertion or deletion of up to three bases. Groups have letters, records in them
numbers, and the order of the records is random. The same options give the same bases on every machine.
"""

import argparse
import random

BASES = "ACGT"


class Chance:
    """Random numbers from random() alone, whose values no version of Python may change."""

    def __init__(self, seed):
        self.random = random.Random(seed).random

    def below(self, n):
        return int(self.random() * n)

    def sequence(self, length):
        return [BASES[self.below(4)] for _ in range(length)]

    def copy(self, bases, rate):
        """The bases after changes at this rate."""
        made = []
        for base in bases:
            at = self.random()
            if at >= rate:
                made.append(base)
            elif at < 0.9 * rate:
                made.append(BASES[(BASES.index(base) + 1 + self.below(3)) % 4])
            elif at < 0.95 * rate:
                made += [base, *self.sequence(1 + self.below(3))]
        return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers [1]")
    parser.add_argument("--length", type=int, default=300, help="bases of the ancestor [300]")
    parser.add_argument("--groups", type=int, default=3, help="at most 26 [3]")
    parser.add_argument("--records", type=int, default=8, help="in all groups together [8]")
    parser.add_argument("--between", type=float, default=0.1, help="changes per base, from ancestor to founder [0.1]")
    parser.add_argument("--within", type=float, default=0.02, help="at most, from founder to record [0.02]")
    options = parser.parse_args()
    chance = Chance(options.seed)
    ancestor = chance.sequence(options.length)
    founders = [chance.copy(ancestor, options.between) for _ in range(options.groups)]
    counts = [0] * options.groups
    for _ in range(options.records):
        group = chance.below(options.groups)
        counts[group] += 1
        print(f">{chr(ord('a') + group)}{counts[group]}")
        bases = "".join(chance.copy(founders[group], options.within * chance.random()))
        for at in range(0, len(bases), 80):
            print(bases[at : at + 80])


if __name__ == "__main__":
    main()
