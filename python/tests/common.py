"""Shared by the tests: sequences, and programs that run on their own."""

import functools
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading

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


def join_threads(case, count):
    """Threads of runs end, so that only these many are left."""
    for thread in threading.enumerate():
        if thread.name.startswith("chromosweep"):
            thread.join(60)
    case.assertEqual(threading.active_count(), count)


def left_open(case, program):
    """Whoever begins to take what `found` yields, and no more, can end the program, also by Ctrl-C or an exception."""
    ends = {"": 0, "sys.exit(3)": 3, "[each for each in found if sys.exit(4)]": 4,
            "os.kill(os.getpid(), signal.SIGINT)": -signal.SIGINT, "sys.keep = found\ngc.disable()": 0}
    for end, status in ends.items():
        with case.subTest(end), start(f"import gc, os, sys, chromosweep\n{program}\nnext(found)\n{end}") as process:
            try:
                _, errors = process.communicate(timeout=300)
            finally:
                process.kill()
            case.assertEqual(process.returncode, status, errors)
