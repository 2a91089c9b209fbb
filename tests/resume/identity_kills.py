#!/usr/bin/env python3
"""identity_kills.py SUBJECT [SHIM]

Runs of identities with a checkpoint that are killed, or whose disk fails, resumed with another number of
threads until they are done. Their output must be that of a run that nobody stopped, byte for byte. Emits TAP.

SUBJECT is identity_subject. SHIM is fault_shim.so: without it, no operation on files is made to fail.
"""

import pathlib
import random
import sys
import tempfile

import killing


class Bench(killing.Bench):
    files = "identity-*"

    def __init__(self, subject, folder):
        super().__init__(folder)
        self.subject, self.rand = subject, random.Random(8)
        first = self.rand.choices("ACGT", k=120)
        with open(folder / "genes.fa", "w", encoding="ascii") as file:
            for k in range(40):
                gene = [self.rand.choice("ACGT") if self.rand.random() < k / 60 else base for base in first]
                print(f">gene{k}\n{''.join(gene[self.rand.randint(0, 40):])}", file=file)
            for k in range(3):  # pairs that are saved before they are whole
                print(f">long{k}\n{''.join(self.rand.choices('ACGT', k=600))}", file=file)
        self.wanted_of_subject = self.run(self.line_of_subject("whole")).stdout
        assert self.wanted_of_subject.count(b"\n") > 400

    def line_of_subject(self, directory):
        return [self.subject, "genes.fa", directory, str(self.rand.randint(1, 3))]


def main():
    subject, shim = ([pathlib.Path(name).resolve() for name in sys.argv[1:]] + [None])[:2]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(subject, pathlib.Path(folder))
        killing.tell([
            ("killed at any time", lambda: killing.kill_at_times(bench)),
            ("faults of the disk", lambda: killing.fail_operations(bench, shim, 100)),
        ], shim)


main()
