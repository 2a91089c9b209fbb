#!/usr/bin/env python3
"""test_mutate_records.py: what mutate_records.py makes has the length asked for, is like its original, and stays the same."""

import gzip
import pathlib
import random
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).with_name("mutate_records.py")


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, check=False)


def main():
    lot = random.Random(1)
    originals = ["".join(lot.choices("ACGT", k=length)) for length in (300, 250)]
    text = "".join(f">r{k} one\n{letters[:70]}\n{letters[70:].lower()}\n" for k, letters in enumerate(originals))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "few.fa.gz")
        path.write_bytes(gzip.compress(text.encode()))
        made = run("--count", 5, "--length", 280, "--changed", 0, path)
        assert made.returncode == 0, made.stderr
        lines = made.stdout.split()
        assert lines[::2] == [">1", ">2", ">3", ">4", ">5"], lines
        for k, sequence in enumerate(lines[1::2]):
            assert len(sequence) == 280 and not set(sequence) - set("ACGT"), sequence
            assert sequence.startswith(originals[k % 2][:280]), f"record {k + 1} is not like its original"
        changed = run("--count", 40, "--length", 280, path)
        assert changed.stdout == run("--count", 40, "--length", 280, path).stdout, "made twice, it differs"
        assert changed.stdout != run("--count", 40, "--length", 280, "--seed", 2, path).stdout, "the seed does nothing"
        assert len(set(changed.stdout.split()[1::2])) > 30, "few records differ"
        path.write_bytes(gzip.compress(b""))
        empty = run(path)
        assert empty.returncode == 1 and "no sequences" in empty.stderr, empty


main()
print("1..1\nok 1 - mutate_records")
