"""Shared by the tests: sequences, and programs that run on their own."""

import functools
import os
import pathlib
import random
import signal
import subprocess
import sys

import chromosweep

SEQUENCES = pathlib.Path(os.environ["CHROMOSWEEP_TEST_SEQUENCES"])

# Computes cell by cell, so that a comparison takes a while.
SLOW = {"engine": "scalar", "threads": 1, "skip": "none"}


@functools.cache
def related(length):
    """Two sequences with long alignments, so that a wrong score would show."""
    chance = random.Random(1)
    target = "".join(chance.choices("ACGT", k=length))
    query = list(target)
    for _ in range(length // 20):
        query[chance.randrange(length)] = chance.choice("ACGT")
    return target, "".join(query)


def pair(length):
    return tuple(chromosweep.Sequence.from_bases(name, text)
                 for name, text in zip(("target", "query"), related(length)))


def write_pair(folder, length):
    paths = []
    for name, text in zip(("target", "query"), related(length)):
        path = pathlib.Path(folder) / f"{name}.fa"
        path.write_text(f">{name}\n{text}\n", encoding="ascii")
        paths.append(path)
    return paths


def start(program):
    """Runs this program in a new Python. It heeds Ctrl-C even if a shell's & made this process ignore it."""
    program = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n" + program
    return subprocess.Popen([sys.executable, "-c", program], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def interrupt(process):
    process.send_signal(signal.SIGINT)
