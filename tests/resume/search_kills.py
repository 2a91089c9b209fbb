#!/usr/bin/env python3
"""search_kills.py PROGRAM SUBJECT [SHIM]

Searches with a checkpoint that are killed, stopped, or whose disk fails, resumed until they are done. Their
output must be that of a search that nobody stopped, byte for byte. Emits TAP.

SUBJECT is search_subject. SHIM is fault_shim.so: without it, no operation on files is made to fail.
"""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"
FAULTS = ["eio", "enospc", "short", "tear", "kill-before", "kill-after", "full", "dead"]


def write_fasta(path, rand, name, count, most):
    with open(path, "w", encoding="ascii") as file:
        for k in range(count):
            print(f">{name}{k}\n{''.join(rand.choices(AMINO_ACIDS, k=rand.randint(1, most)))}", file=file)


class Bench:
    def __init__(self, program, subject, folder):
        self.program, self.subject, self.folder = program, subject, folder
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

    def run(self, line, **environment):
        environment = {**os.environ, **environment}
        return subprocess.run(line, cwd=self.folder, env=environment, capture_output=True, timeout=300)

    def search(self, *options):
        return self.run(self.line(*options))

    def finish(self, line, wanted):
        """Resumes until nothing is left to do. The answer is empty, or what is wrong."""
        done = self.run(line)
        if done.returncode != 0:
            return f"status {done.returncode}: {done.stderr[-300:]!r}"
        return "" if done.stdout == wanted else "other hits"


def kill_at_times(bench):
    """SIGKILL after random times, again and again."""
    rand, kills = random.Random(5), 0
    line = bench.line_of_subject("killed")
    begun = time.monotonic()
    bench.run(bench.line_of_subject("timed"))
    usual = time.monotonic() - begun
    for _ in range(60):
        with subprocess.Popen(line, cwd=bench.folder, stdout=subprocess.DEVNULL) as process:
            time.sleep(usual * rand.random() / 2)
            process.kill()
            kills += process.wait() < 0
        if process.returncode == 0:  # it is complete: begin anew
            for file in (bench.folder / "killed").glob("search-*.state"):
                file.unlink()
    if kills < 10:
        return f"only {kills} were killed in time"
    return bench.finish(line, bench.wanted_of_subject)


def stop_by_signal(bench):
    """SIGTERM, SIGINT: the state is saved, and the program dies of the signal."""
    for number in (signal.SIGTERM, signal.SIGINT):
        directory = f"stopped{int(number)}"
        line = bench.line(f"--checkpoint={directory}")
        with subprocess.Popen(line, cwd=bench.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            time.sleep(0.5)
            process.send_signal(number)
            _, said = process.communicate()
        if process.returncode != -number:
            return f"status {process.returncode} after signal {number}"
        if b"to resume, run the same command again" not in said:
            return f"it said {said!r}"
        if not list((bench.folder / directory).glob("search-*.state")):
            return "nothing was saved"
        wrong = bench.finish(line, bench.wanted)
        if wrong:
            return wrong
    return ""


def stop_at_time(bench):
    """--max-time, status 75, until it is done. Each run does a part, so it ends."""
    line = bench.line("--checkpoint=limited", "--max-time=1s", "-t1")
    stops = 0
    for _ in range(100):
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


def fail_operations(bench, shim):
    """Every kind of fault in operations on files of the folder."""
    log, directory = bench.folder / "operations", bench.folder / "faulty"
    line = bench.line_of_subject("faulty")
    environment = {"LD_PRELOAD": str(shim), "FAULT_SHIM_FOLDER": str(directory)}
    bench.run(line, **environment, FAULT_SHIM_LOG=str(log))
    count = len(log.read_text().splitlines())
    if count < 60:
        return f"only {count} operations"
    rand, failed = random.Random(6), 0
    for at in [*range(1, 25), *rand.sample(range(25, count + 1), 8)]:
        for fault in FAULTS if at <= 10 else rand.sample(FAULTS, 2):
            for file in directory.glob("*"):
                file.unlink()
            done = bench.run(line, **environment, FAULT_SHIM_AT=str(at), FAULT_SHIM_DO=fault)
            failed += done.returncode != 0
            if done.returncode == 0 and done.stdout != bench.wanted_of_subject:
                return f"{fault} at {at}: other hits, and status 0"
            wrong = bench.finish(line, bench.wanted_of_subject)
            if wrong:
                return f"after {fault} at {at} (status {done.returncode}): {wrong}"
    return "" if failed > 0 else "nothing failed"


def main():
    program, subject, shim = ([pathlib.Path(name).resolve() for name in sys.argv[1:]] + [None])[:3]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, subject, pathlib.Path(folder))
        cases = [
            ("killed at any time", lambda: kill_at_times(bench)),
            ("stopped by a signal", lambda: stop_by_signal(bench)),
            ("stopped at the time limit", lambda: stop_at_time(bench)),
            ("faults of the disk", lambda: fail_operations(bench, shim)),
        ]
        print(f"1..{len(cases)}")
        for number, (name, case) in enumerate(cases, 1):
            if shim is None and name.startswith("faults"):
                print(f"ok {number} - {name} # SKIP no shim")
                continue
            wrong = case()
            print(f"{'not ok' if wrong else 'ok'} {number} - {name}{': ' + wrong if wrong else ''}", flush=True)


main()
