#!/usr/bin/env python3
"""test_simulate.py SIMULATE SEQUENCES: does chromosweep-simulate do what its help says?

The commands in SEQUENCES/README.md must make the shipped sequences, base for base. Compressed files are
compared as text, because their bytes depend on the compression library.
"""

import gzip
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SIMULATE, SEQUENCES = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])


# htslib 1.16 leaks its handle if closing a file fails. LeakSanitizer would report that.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}


def simulate(*arguments, folder):
    return subprocess.run([SIMULATE, *map(str, arguments)], cwd=folder, env=ENVIRONMENT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def text(path):
    content = path.read_bytes()
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def bases(path):
    return b"".join(text(path).splitlines()[1:])


def need(truth, why):
    if not truth:
        raise AssertionError(why)


def shipped(folder):
    readme = (SEQUENCES / "README.md").read_text().replace("\\\n", " ")
    made = set()
    for command in re.findall(r"^chromosweep-simulate (.*)$", readme, re.MULTILINE):
        arguments = shlex.split(command)
        run = simulate(*arguments, folder=folder)
        need(run.returncode == 0, f"{command}: {run.stderr}")
        for name in arguments[-2:]:
            need(text(folder / name) == text(SEQUENCES / name), f"{name} differs")
            made.add(name)
    for arguments, name in re.findall(r"^tools/simulate_family.py (.*) > sequences/(\S+)$", readme, re.MULTILINE):
        run = subprocess.run([sys.executable, SEQUENCES.parent / "tools/simulate_family.py", *shlex.split(arguments)],
                             check=True, stdout=subprocess.PIPE)
        need(run.stdout == (SEQUENCES / name).read_bytes(), f"{name} differs")
        made.add(name)
    there = {path.name for path in SEQUENCES.glob("*.fa*")}
    need(made == there, f"README.md makes {sorted(made)}, shipped are {sorted(there)}")


def chromosome_like(folder):
    run = simulate("--length", "1M", "a.fa", "b.fa", folder=folder)
    need(run.returncode == 0, run.stderr)
    digest = hashlib.md5(bases(folder / "a.fa") + b"/" + bases(folder / "b.fa")).hexdigest()
    need(digest == "3ff30e3418dc767a266ee338bc95923f", f"the human-chimp pair of 1 Mb became {digest}")


def lengths(folder):
    for preset in "human-chimp", "identical-80", "unrelated":
        for length in 1, 2, 19, 20, 51, 1000:
            run = simulate("-p", preset, "-l", length, "--target-leading-n", 3, "--query-leading-n", 5,
                           "--query-length", 77, "--line", 7, "a.fa", "b.fa.gz", folder=folder)
            need(run.returncode == 0, run.stderr)
            target, query = bases(folder / "a.fa"), bases(folder / "b.fa.gz")
            need(len(target) == length + 3 and len(query) == 77, f"{preset} {length}: wrong length")
            need(target.startswith(b"NNN") and query.startswith(b"NNNNN"), "no leading Ns")
            need(not set(target + query) - set(b"ACGTN"), "bases other than ACGTN")
            need(max(map(len, text(folder / "b.fa.gz").splitlines()[1:])) == 7, "wrong line length")


def plain_copy(folder):
    still = ["--substitutions", 0, "--indels", 0, "--inversion", 0, "--large-insertions", 0,
             "--large-deletions", 0, "--n-runs", 0]
    run = simulate("-l", 5000, *still, "a.fa", "b.fa", folder=folder)
    need(run.returncode == 0, run.stderr)
    need(bases(folder / "a.fa") == bases(folder / "b.fa"), "changes that nobody asked for")


def substitutions(folder):
    run = simulate("-l", 200000, "-p", "identical-95", "--indels", 0, "a.fa", "b.fa", folder=folder)
    need(run.returncode == 0, run.stderr)
    pairs = list(zip(bases(folder / "a.fa"), bases(folder / "b.fa"), strict=True))
    changed = sum(a != b for a, b in pairs)
    need(8500 < changed < 9500, f"{changed} substitutions where 9,000 are expected")


def refusals(folder):
    usage = [["a.fa"], ["a.fa", "a.fa"], ["-p", "none", "a.fa", "b.fa"], ["-l", "0", "a.fa", "b.fa"],
             ["-l", "1X", "a.fa", "b.fa"], ["-l", "M", "a.fa", "b.fa"], ["-l", "101G", "a.fa", "b.fa"],
             ["-l", "1000", "--inversion", "1001", "a.fa", "b.fa"], ["a.fa", "./a.fa"],
             ["--gc", "nan", "a.fa", "b.fa"], ["--repeats", ".6", "--tandems", ".6", "a.fa", "b.fa"],
             ["--target-name", "a\nb", "a.fa", "b.fa"], ["--unknown", "a.fa", "b.fa"]]
    failures = [["none/a.fa", "b.fa"], ["a.fa", "none/b.fa"], [".", "b.fa"], ["a.fa", "."],
                ["-l", "1000000", "/dev/full", "b.fa"], ["a.fa", "/dev/full"]]
    for status, cases in (2, usage), (1, failures):
        for arguments in cases:
            run = simulate(*arguments, folder=folder)
            need(run.returncode == status, f"{arguments}: status {run.returncode}, not {status}")
            need(run.stderr.count("\n") == 1, f"{arguments}: not one line: {run.stderr}")
            need(not list(folder.iterdir()), f"{arguments}: files are left")


def replacing(folder):
    (folder / "old.fa").write_text("old")
    (folder / "link.fa").symlink_to("old.fa")
    run = simulate("-l", "1k", "link.fa", "none/b.fa", folder=folder)
    need(run.returncode == 1 and (folder / "old.fa").read_text() == "old", "a failure changed a file")
    run = simulate("-l", "1k", "link.fa", "/dev/stdout", folder=folder)
    need(run.returncode == 0 and run.stdout.startswith(">query "), f"no query: {run.stderr}")
    need((folder / "link.fa").is_symlink(), "the link is gone")
    need(len(bases(folder / "old.fa")) == 1000, "what the link names was not replaced")
    need(len(list(folder.iterdir())) == 2, "temporary files are left")


def version(folder):
    for option in "-V", "--version":
        run = simulate(option, folder=folder)
        need(re.fullmatch(r"chromosweep-simulate \d[\d.]*\n", run.stdout), run.stdout + run.stderr)


def main():
    tests = [shipped, chromosome_like, lengths, plain_copy, substitutions, refusals, replacing, version]
    print(f"1..{len(tests)}")
    for number, test in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(pathlib.Path(folder))
                print(f"ok {number} {test.__name__}")
            except AssertionError as failure:
                print(f"not ok {number} {test.__name__}")
                print("# " + str(failure).replace("\n", "\n# "))


main()
