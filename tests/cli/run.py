#!/usr/bin/env python3
"""Runs the command as a table of cases says, and compares everything that it does. Emits TAP.

    run.py [--regenerate] [--only NAME] [--sequences FOLDER] PROGRAM CASES.toml

A case is a [[case]] table:

    name        what the case shows
    run         one or more shell lines, run by sh in an empty folder; `chromosweep` is PROGRAM,
                and `signal_when_caught` is the script of that name in this folder
    files       inputs by name: a text, or a table with one of
                    text, hex, gzip, bgzf (of a text), or random (so many random bases; seed)
                and perhaps cut (bytes to remove from the end), flip (an offset whose bits are inverted)
    folders     folders to make first
    links       symbolic links by name: where they point
    needs       without these the case is skipped: see MISSING; "sequences" means the real sequences that
                the lines name as sequences/FILE, "memory limit" that the program can run under a limit
    long        true if it takes long: with CHROMOSWEEP_TEST_LONG=no in the environment it is skipped
    terminal    standard error is a terminal of so many columns
    status      expected exit status of the last command (0)
    stdout      expected standard output, after masking (empty)
    stderr      expected standard error, likewise; stderr_like is a regular expression for all of it
    left        expected new files and their text, after masking; inputs must be unchanged

What varies from run to run or between machines is masked by `#`: times, rates, threads, the number of
cells computed, the progress at a stop, compressed sizes and the version.
--regenerate rewrites the expectations (status and what follows it) from what the program does now;
read the difference before you keep it.
"""

import argparse
import fcntl
import functools
import gzip
import json
import os
import pathlib
import pty
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import tomllib
import zlib

SECONDS_A_CASE = 600
SEQUENCES = pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "sequences"
SIGNALLER = pathlib.Path(__file__).resolve().with_name("signal_when_caught")
BGZF_END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
MASKS = [
    (r'("(?:cells_computed|seconds|gcups|threads|seconds_\w+)": )[0-9.e-]+', r"\1#"),
    (r'("program_version": )"[0-9.]+"', r'\1"#"'),
    (r"^(cells +\d+ \()\d+( computed, including reruns\))$", r"\1#\2"),
    (r"^(cells +\d+ \()\d+( computed, including reruns; )\d+( of these before the sweep\))$", r"\1#\2#\3"),
    (r"^(seconds +)[0-9.]+( of computing\D*)[0-9.]+( with loading|)$", r"\1#\2#\3"),
    (r"^(speed +)[0-9.]+( GCUPS)$", r"\1#\2"),
    (r"^(engine +\w+, )\d+ threads?$", r"\1#"),
    (r"^(chromosweep )\d[0-9.]*$", r"\1#"),
    (r'("saved": )"[0-9TZ:-]+"', r'\1"#"'),
    (r'("bytes": )\d+', r"\1#"),
    (r"^(saved +)[0-9-]+ [0-9:]+ UTC, after \w+ of computing$", r"\1#"),
    (r"(: \d+\.\d%, )\d+( bytes)$", r"\1#\2"),
    (r"^(written by +chromosweep )[0-9.]+(, format \d+)$", r"\1#\2"),
    (r"(resuming from \S+, after )\d+\.\d(% of the work)", r"\1#\2"),
    (r"^(memory +|available +| +)[0-9.]+ [KMG]iB( at most| for checkpoint| for skipping|)(?: \([a-z -]+\))?$",
     r"\1#\2"),
    (r"^(disk +.*; )[0-9.]+ [KMG]iB( free)$", r"\1#\2"),
    (r"^(speed +)[0-9.]+( GCUPS, measured in a short test)$", r"\1#\2"),
    (r"^(skipping +.*; estimated in )[0-9.]+( s)$", r"\1#\2"),
    (r"^(stages +)[0-9.]+( seconds before the sweep: seeds )[0-9.]+(, chain )[0-9.]+(, corridor )[0-9.]+(, bounds )[0-9.]+$",
     r"\1#\2#\3#\4#\5#"),
    (r"^(time +about )\w+", r"\1#"),
    (r"(the comparison takes about )\w+(, longer than --max-time)", r"\1#\2"),
    (r"^(Slurm +--mem=)\d+(M --cpus-per-task=)\d+( --time=)[\d:-]+$", r"\1#\2#\3#"),
    (r'("slurm": )"[^"]+"', r'\1"#"'),
    (r'("(?:host\w*|checkpoint|bytes_free|skip)": )[0-9.e-]+', r"\1#"),
    (r"(stopped (?:at the time limit )?after )\d+\.\d(% of the work)", r"\1#\2"),
]
MASKED_COLUMNS = re.compile(r"(?:(?:plus|minus)_)?(?:cells_computed|seconds\w*)|gcups|threads|program_version")


def bgzf(data, end=BGZF_END):
    """The data as BGZF, in blocks of at most 60 kB, with the end marker."""
    blocks = []
    for start in range(0, len(data), 60000):
        piece = data[start : start + 60000]
        deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
        body = deflate.compress(piece) + deflate.flush()
        head = bytes.fromhex("1f8b08040000000000ff060042430200") + struct.pack("<H", len(body) + 25)
        blocks.append(head + body + struct.pack("<II", zlib.crc32(piece), len(piece)))
    return b"".join(blocks) + end


def content(spec):
    """The bytes of an input that a case describes."""
    if isinstance(spec, str):
        return spec.encode()
    if "hex" in spec:
        data = bytes.fromhex(spec["hex"])
    elif "gzip" in spec:
        data = gzip.compress(spec["gzip"].encode(), mtime=0)
    elif "bgzf" in spec:
        data = bgzf(spec["bgzf"].encode())
    elif "random" in spec:
        bases = random.Random(spec.get("seed", 0)).choices("ACGT", k=spec["random"])
        data = b">random\n" + "".join(bases).encode() + b"\n"
    else:
        data = spec["text"].encode()
    if "cut" in spec:
        data = data[: -spec["cut"]]
    if "flip" in spec:
        at = spec["flip"]
        data = data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]
    return data


@functools.cache
def german_locale():
    """A folder with a locale whose decimal sign is a comma, or None if it cannot be made."""
    folder = tempfile.mkdtemp(prefix="chromosweep-locale-")
    made = shutil.which("localedef") and subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", f"{folder}/de_DE.UTF-8"], capture_output=True
    )
    if not made or made.returncode > 1 or not os.path.isdir(f"{folder}/de_DE.UTF-8"):
        shutil.rmtree(folder)
        return None
    return folder


def has_fonts():
    """Whether fontconfig is set up and finds fonts in one of the usual folders."""
    folders = ("/usr/share/fonts", "/usr/local/share/fonts", os.path.expanduser("~/.local/share/fonts"))
    return os.path.exists("/etc/fonts/fonts.conf") and any(
        next(pathlib.Path(folder).rglob("*.[ot]t[fc]"), None) for folder in folders)


MISSING = {
    "taskset": lambda: not shutil.which("taskset") and "no taskset here",
    "samtools": lambda: not shutil.which("samtools") and "no samtools here",
    "fonts": lambda: not has_fonts() and "no fonts here",
    "/dev/full": lambda: not os.path.exists("/dev/full") and "no /dev/full here",
    "not root": lambda: os.geteuid() == 0 and "root may write anywhere",
    "locale": lambda: not german_locale() and "no German locale can be made",
}


def missing_sequence(case, sequences):
    """Why a case that needs real sequences cannot run with this folder, or None."""
    for name in re.findall(r"\bsequences/([\w.-]+)", case["run"]):
        if not (sequences / name).exists():
            return f"no {name} among real sequences"
    return None


def works_in_little_memory(program):
    """Whether the program starts under a limit of address space."""
    command = ["sh", "-c", 'ulimit -v 400000 && exec "$0" --version', program]
    return subprocess.run(command, capture_output=True).returncode == 0


def mask(text):
    lines = text.split("\n")
    for k, line in enumerate(lines[:-1]):
        if line.startswith("#") and "\t" in line:
            names, values = line[1:].split("\t"), lines[k + 1].split("\t")
            if len(names) == len(values):
                shown = ["#" if MASKED_COLUMNS.fullmatch(n) else v for n, v in zip(names, values)]
                lines[k + 1] = "\t".join(shown)
    text = "\n".join(lines)
    for pattern, replacement in MASKS:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text


def read_files(folder):
    """Every regular file and link below the folder, by its path in the folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = "-> " + os.readlink(path)
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


def drain(terminal, pieces):
    """Reads a terminal until its other end is closed."""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            return
        if not piece:
            return
        pieces.append(piece)


def execute(case, program, folder):
    """Runs the lines of the case. Returns the status, standard output and standard error."""
    with tempfile.TemporaryDirectory(prefix="chromosweep-bin-") as commands:
        os.symlink(program, os.path.join(commands, "chromosweep"))
        os.symlink(SIGNALLER, os.path.join(commands, SIGNALLER.name))
        environment = dict(os.environ, LC_ALL="C", PATH=commands + os.pathsep + os.environ["PATH"])
        if "locale" in case.get("needs", []):
            environment.update(LOCPATH=german_locale(), LC_ALL="de_DE.UTF-8")
        errors, reader, pieces = subprocess.PIPE, None, []
        if "terminal" in case:
            master, errors = pty.openpty()
            fcntl.ioctl(errors, termios.TIOCSWINSZ, struct.pack("HHHH", 24, case["terminal"], 0, 0))
            reader = threading.Thread(target=drain, args=(master, pieces))
            reader.start()
        child = subprocess.Popen(
            ["sh", "-c", case["run"]], cwd=folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
        )  # fmt: skip
        try:
            if reader is not None:
                os.close(errors)
            output, error_output = child.communicate(timeout=SECONDS_A_CASE)
        finally:
            child.kill()
        if reader is not None:
            reader.join()
            os.close(master)
            error_output = b"".join(pieces)
    return child.returncode, output, error_output


def observe(case, program, sequences):
    """Runs the case in a fresh folder. Returns what it did, masked, and the inputs that it changed."""
    with tempfile.TemporaryDirectory(prefix="chromosweep-cli-") as name:
        folder = pathlib.Path(name)
        for made in case.get("folders", []):
            (folder / made).mkdir(parents=True)
        for path, spec in case.get("files", {}).items():
            (folder / path).write_bytes(content(spec))
        for path, target in case.get("links", {}).items():
            (folder / path).symlink_to(target)
        if "sequences" in case.get("needs", []):
            (folder / "sequences").symlink_to(sequences)
        before = read_files(folder)
        status, output, errors = execute(case, program, folder)
        after = read_files(folder)
    decode = lambda data: mask(data.decode(errors="backslashreplace"))
    new = {k: v for k, v in after.items() if k not in before or v != before[k]}
    left = {k: v if isinstance(v, str) else decode(v) for k, v in new.items()}
    seen = {"status": status, "stdout": decode(output), "stderr": decode(errors), "left": left}
    return seen, sorted(set(before) - set(after))


def differences(case, seen, lost):
    told = [f"an input is gone: {name}" for name in lost]
    expected = {"status": 0, "stdout": "", "stderr": "", "left": {}} | case
    if "stderr_like" in case:
        if not re.fullmatch(case["stderr_like"], seen["stderr"], flags=re.DOTALL):
            told.append(f"stderr is not like {case['stderr_like']!r}: {seen['stderr']!r}")
        del expected["stderr"]
    for key in seen:
        if key in expected and expected[key] != seen[key]:
            told.append(f"{key}: expected {expected[key]!r}")
            told.append(f"{key}:      got {seen[key]!r}")
    return told


def toml_text(text):
    if "\n" in text and "'''" not in text and all(c in "\n\t" or c.isprintable() for c in text):
        return "'''\n" + text + "'''"
    return json.dumps(text, ensure_ascii=not text.isprintable())


def regenerate(path, observed):
    """Replaces the expectations at the end of each case's table by what was observed."""
    blocks = re.split(r"(?m)^(?=\[\[case\]\]\n)", path.read_text())
    for k, (case, seen) in enumerate(observed, start=1):
        if seen is None:
            continue
        ending = re.search(r"\n((?:# [^\n]*\n|\n)*)\Z", blocks[k]).group(1)
        given = re.split(r"(?m)^(?:status|stdout|stderr|left\.[^\n]*?) = ", blocks[k])[0]
        given = given.rstrip("\n") + "\n"
        if seen["status"] != 0:
            given += f"status = {seen['status']}\n"
        for key in ("stdout", "stderr"):
            if seen[key] and f"{key}_like" not in case:
                given += f"{key} = {toml_text(seen[key])}\n"
        for name, text in seen["left"].items():
            given += f"left.{json.dumps(name)} = {toml_text(text)}\n"
        blocks[k] = given + ending
    path.write_text("".join(blocks))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--regenerate", action="store_true")
    parser.add_argument("--only", metavar="NAME")
    parser.add_argument("--sequences", type=pathlib.Path, default=SEQUENCES, metavar="FOLDER")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("cases", type=pathlib.Path)
    arguments = parser.parse_args()
    sequences = arguments.sequences.resolve()
    cases = tomllib.loads(arguments.cases.read_text())["case"]
    print(f"1..{len(cases)}")
    failed, observed = 0, []
    for number, case in enumerate(cases, start=1):
        needs = case.get("needs", [])
        reasons = [why for need in needs if need in MISSING and (why := MISSING[need]())]
        if "sequences" in needs and (why := missing_sequence(case, sequences)):
            reasons.append(why)
        if "memory limit" in needs and not works_in_little_memory(arguments.program.resolve()):
            reasons.append("the program, perhaps with a sanitizer, takes too much address space")
        if case.get("long") and os.environ.get("CHROMOSWEEP_TEST_LONG") == "no":
            reasons.append("takes long")
        if arguments.only not in (None, case["name"]):
            reasons.append("not asked for")
        if reasons:
            print(f"ok {number} - {case['name']} # SKIP {reasons[0]}", flush=True)
            observed.append((case, None))
            continue
        start = time.monotonic()
        seen, lost = observe(case, arguments.program.resolve(), sequences)
        observed.append((case, seen))
        told = differences(case, seen, lost)
        failed += bool(told)
        seconds = time.monotonic() - start
        print(f"{'not ok' if told else 'ok'} {number} - {case['name']} # {seconds:.1f} s", flush=True)
        for line in told:
            print(f"#   {line}")
    if german_locale.cache_info().currsize and german_locale():
        shutil.rmtree(german_locale())
    if arguments.regenerate:
        regenerate(arguments.cases, observed)
    return 1 if failed and not arguments.regenerate else 0


if __name__ == "__main__":
    sys.exit(main())
