#!/usr/bin/env python3
"""same_alignment.py PROGRAM SIMULATE: one pair of 200 kb is aligned in many ways, and the PAF is the same to the last
byte. Emits TAP.

With so many bases the sweep keeps many rows, and strips are traced ahead, on several threads. The tests in tests/engine
compare short paths with an oracle.
"""

import pathlib
import signal
import subprocess
import sys
import tempfile

PROGRAM, SIMULATE = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:])
COMPLEMENT = str.maketrans("ACGTN", "TGCAN")

WAYS = [
    ["-t", "1"],
    ["-t", "4"],
    ["-t", "4", "--skip", "none"],
    ["-t", "2", "--skip", "best"],
    ["-t", "3", "--skip", "bounds"],
    ["-t", "4", "--bits", "32"],
    ["-t", "4", "--bits", "64"],
    ["-t", "4", "--row-budget", "0"],
    ["-t", "4", "--row-budget", "20K"],
    ["-t", "4", "--verify"],
]


class Pair:
    """The files, also with the query's other strand, and the PAF of an alignment without any options."""

    def __init__(self, folder):
        self.folder = folder
        self.files = [str(folder / name) for name in ("t.fa", "q.fa")]
        subprocess.run([SIMULATE, "-s", "7", "-l", "200k", *self.files], check=True)
        head, *lines = pathlib.Path(self.files[1]).read_text().splitlines()
        self.minus = [self.files[0], str(folder / "minus.fa")]
        pathlib.Path(self.minus[1]).write_text(f"{head}\n{''.join(lines).translate(COMPLEMENT)[::-1]}\n")
        self.paf = align(*self.files)
        assert len(self.paf.split("\t")) > 12, self.paf

    def mirrored(self):
        """The same alignment of the query's other strand."""
        fields = self.paf.split("\t")
        length, start, end = map(int, fields[1:4])
        return "\t".join([fields[0], str(length), str(length - end), str(length - start), "-", *fields[5:]])


def command(*words):
    return [PROGRAM, "align", "-q", *map(str, words)]


def align(*words):
    done = subprocess.run(command(*words), capture_output=True, check=False, text=True)
    assert done.returncode == 0, f"{words}: status {done.returncode}: {done.stderr}"
    return done.stdout


def interrupted(pair, seconds, *words):
    """What a run writes that is resumed until it is not interrupted, each time a little later."""
    directory = words[words.index("--checkpoint") + 1]
    saved = 0
    while True:
        with subprocess.Popen(command(*words, *pair.files), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as process:  # fmt: skip
            try:
                output, errors = process.communicate(timeout=seconds)
                assert process.returncode == 0, f"status {process.returncode}: {errors}"
                return output, saved
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGTERM)
                process.communicate()
        saved += (directory / "manifest.json").exists()
        seconds *= 1.5


def test_way(way):
    def test(pair):
        assert align(*way, *pair.files) == pair.paf

    return test


def test_strands(pair):
    assert align("--strand", "minus", "-t", "3", *pair.minus) == pair.mirrored()
    assert align("--strand", "both", "-t", "4", *pair.minus) == pair.mirrored()


def test_sweep_interrupted(pair):
    paf, saved = interrupted(pair, 0.1, "-t", "2", "--skip", "best", "--checkpoint", pair.folder / "sweep")
    assert paf == pair.paf
    assert saved > 0, "no run was interrupted"


def test_trace_interrupted(pair):
    directory = pair.folder / "trace"
    subprocess.run([PROGRAM, "compare", "-q", "--no-start", "--checkpoint", directory, *pair.files], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    paf, saved = interrupted(pair, 0.03, "-t", "1", "--checkpoint", directory)
    assert paf == pair.paf
    assert saved > 0, "no run was interrupted"


def main():
    tests = [(" ".join(way), test_way(way)) for way in WAYS]
    tests += [("the other strand", test_strands), ("the sweep interrupted", test_sweep_interrupted),
              ("the second sweep and the trace interrupted", test_trace_interrupted)]  # fmt: skip
    failures = 0
    print(f"1..{len(tests)}")
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair(pathlib.Path(folder))
        for k, (name, test) in enumerate(tests, 1):
            try:
                test(pair)
                print(f"ok {k} - {name}", flush=True)
            except AssertionError as error:
                failures += 1
                told = str(error)[:1000].replace("\n", "\n# ")
                print(f"not ok {k} - {name}\n# {told}", flush=True)
    return 1 if failures else 0


sys.exit(main())
