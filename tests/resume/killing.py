"""Runs that are killed, or whose disk fails, resumed until they are done, for tests."""

import os
import pathlib
import random
import re
import subprocess
import time

# Without it, fewer kills and faults.
THOROUGH = os.environ.get("CHROMOSWEEP_TEST_CASES", "100%") == "100%"
FAULTS = ["eio", "enospc", "short", "tear", "kill-before", "kill-after", "full", "dead"]


class Bench:
    """A heir has `files`, a pattern of what a run saves; line_of_subject(), the command line of a run with
    a folder; and wanted_of_subject, what it prints."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, line, **environment):
        environment = {**os.environ, **environment}
        return subprocess.run(line, cwd=self.folder, env=environment, capture_output=True, timeout=300)

    def finish(self, line, wanted):
        """Resumes until nothing is left to do. The answer is empty, or what is wrong."""
        done = self.run(line)
        if done.returncode != 0:
            return f"status {done.returncode}: {done.stderr[-300:]!r}"
        return "" if done.stdout == wanted else "other hits"


def caught(process, number):
    """Whether the process has a handler of the signal."""
    try:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return False
    return int(re.search(r"SigCgt:\s*([0-9a-f]+)", status).group(1), 16) >> (number - 1) & 1


def kill_at_times(bench):
    """SIGKILL after random times, again and again."""
    rand, kills = random.Random(5), 0
    line = bench.line_of_subject("killed")
    begun = time.monotonic()
    bench.run(bench.line_of_subject("timed"))
    usual = time.monotonic() - begun
    planned = 60 if THOROUGH else 20
    for run in range(10 * planned):
        if run >= planned and kills >= 5:
            break
        with subprocess.Popen(line, cwd=bench.folder, stdout=subprocess.DEVNULL) as process:
            time.sleep(usual * rand.random() / 2)
            process.kill()
            kills += process.wait() < 0
        if process.returncode == 0:  # it is complete: begin anew
            for file in (bench.folder / "killed").glob(bench.files):
                file.unlink()
            if run >= planned:  # the machine was busier before
                usual /= 2
    if kills < 5:
        return f"only {kills} were killed in time"
    return bench.finish(line, bench.wanted_of_subject)


def fail_operations(bench, shim, least):
    """Every kind of fault in operations on files of the folder, of which there are at least so many."""
    log, directory = bench.folder / "operations", bench.folder / "faulty"
    line = bench.line_of_subject("faulty")
    environment = {"LD_PRELOAD": str(shim), "FAULT_SHIM_FOLDER": str(directory)}
    bench.run(line, **environment, FAULT_SHIM_LOG=str(log))
    count = len(log.read_text().splitlines())
    if count < least:
        return f"only {count} operations"
    rand, failed = random.Random(6), 0
    for at in [*range(1, 25), *rand.sample(range(25, count + 1), 8)]:
        for fault in FAULTS if THOROUGH and at <= 10 else rand.sample(FAULTS, 2):
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


def tell(cases, shim):
    """Runs cases and emits TAP. One whose name begins with "faults" needs a shim."""
    print(f"1..{len(cases)}")
    for number, (name, case) in enumerate(cases, 1):
        if shim is None and name.startswith("faults"):
            print(f"ok {number} - {name} # SKIP no shim")
            continue
        wrong = case()
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}{': ' + wrong if wrong else ''}", flush=True)
