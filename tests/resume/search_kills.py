#!/usr/bin/env python3
"""search_kills.py PROGRAM SUBJECT [SHIM]

Searches with a checkpoint that are killed, stopped, or whose disk fails, resumed until they are done. Their
output must be that of a search that nobody stopped, byte for byte. Emits TAP.

SUBJECT is search_subject. SHIM is fault_shim.so: without it, no operation on files is made to fail.
"""

import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import killing

AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"


def write_fasta(path, rand, name, count, most):
    with open(path, "w", encoding="ascii") as file:
        for k in range(count):
            print(f">{name}{k}\n{''.join(rand.choices(AMINO_ACIDS, k=rand.randint(1, most)))}", file=file)


class Bench(killing.Bench):
    files = "search-*.state"

    def __init__(self, program, subject, folder):
        super().__init__(folder)
        self.program, self.subject = program, subject
        rand = random.Random(4)
        write_fasta(folder / "many.fa", rand, "query", 60, 1000)
        write_fasta(folder / "few.fa", rand, "query", 4, 300)
        write_fasta(folder / "d.fa", rand, "record", 9000, 700)
        self.wanted = self.search().stdout
        self.wanted_of_subject = self.run(self.line_of_subject("whole")).stdout
        assert self.wanted.count(b"\n") > 1000 and self.wanted_of_subject.count(b"\n") == 80

    def line_of_subject(self, directory):
        return [self.subject, "few.fa", "d.fa", directory]

    def line(self, *options):
        return [self.program, "search", "--format=tsv", "--align", "-t2", "-n20", *options, "many.fa", "d.fa"]

    def search(self, *options):
        return self.run(self.line(*options))


def send(bench, line, number, seconds):
    """The signal, so long after the program catches it. Its status, and what it said."""
    with subprocess.Popen(line, cwd=bench.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        while not killing.caught(process, number) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(seconds)
        process.send_signal(number)
        _, said = process.communicate()
    return process.returncode, said


def stop_by_signal(bench):
    """SIGTERM, SIGINT: the state is saved, and the program dies of the signal. On a machine that is slow it may come before
    anything is searched, on a fast one too late: then it is sent later or sooner."""
    for number in (signal.SIGTERM, signal.SIGINT):
        seconds = 0.3
        for run in range(20):
            directory = f"stopped{int(number)}-{run}"
            line = bench.line(f"--checkpoint={directory}")
            status, said = send(bench, line, number, seconds)
            if list((bench.folder / directory).glob("search-*.state")) and status != 0:
                break
            seconds *= 0.4 if status == 0 else 2
        if status != -number:
            return f"status {status} after signal {number}"
        if b"to resume, run the same command again" not in said:
            return f"it said {said!r}"
        if not list((bench.folder / directory).glob("search-*.state")):
            return "nothing was saved"
        wrong = bench.finish(line, bench.wanted)
        if wrong:
            return wrong
    return ""


def stop_at_time(bench):
    """--max-time, status 75, until it is done. Each run does a part, so it ends. The limit grows, for a machine that is
    slow."""
    stops = 0
    for run in range(100):
        line = bench.line("--checkpoint=limited", f"--max-time={2 ** (run // 10)}s", "-t1")
        done = bench.run(line)
        if done.returncode != 75:
            break
        stops += 1
    if stops == 0 or done.returncode != 0 or done.stdout != bench.wanted:
        return f"{stops} stops, then status {done.returncode}"
    done = bench.search("--checkpoint=limited", "--checkpoint-cleanup", "-o", "out.tsv")
    if done.returncode != 0 or (bench.folder / "out.tsv").read_bytes() != bench.wanted:
        return "a complete search did not write its hits to a file"
    return "the folder is still there" if (bench.folder / "limited").exists() else ""


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's & makes this process, and so its programs, ignore it
    program, subject, shim = ([pathlib.Path(name).resolve() for name in sys.argv[1:]] + [None])[:3]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, subject, pathlib.Path(folder))
        cases = [
            ("killed at any time", lambda: killing.kill_at_times(bench)),
            ("stopped by a signal", lambda: stop_by_signal(bench)),
            ("stopped at the time limit", lambda: stop_at_time(bench)),
            ("faults of the disk", lambda: killing.fail_operations(bench, shim, 60)),
        ]
        killing.tell(cases, shim)


main()
