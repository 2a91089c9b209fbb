#!/usr/bin/env python3
"""test_completions.py PROGRAM: do bash and zsh offer the options that --help-all lists, and no others? Emits TAP.

bash is called as readline would call it. zsh's own functions are replaced by functions that print their arguments.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
FOLDER = pathlib.Path(__file__).resolve().parents[1] / "completions"

BASH = """
. "$1"
shift
COMP_LINE=$1 COMP_POINT=${#1}
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_chromosweep chromosweep
printf '%s\\n' "${COMPREPLY[@]}"
"""

ZSH = """
_arguments() {
    if [[ "$*" == *'->command'* ]]; then
        state=argument words=($subcommand)
        [[ -n $subcommand ]] || state=command
        return 1
    fi
    print -rl -- "$@"
}
_describe() { print -rl -- "${(@P)2}" }
subcommand=$2
. $1
"""


def run(*command, folder=None):
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(command, cwd=folder, text=True, capture_output=True, check=True,
                          env=dict(os.environ, PATH=path)).stdout


def help_of(*command):
    return run(PROGRAM, *command, "--help-all" if command else "--help")


def options_of(text):
    """Every option at the start of a line of help, or after the short option there."""
    lines = re.findall(r"^ {2,6}(?=-)(?:(-\w)\b,? ?)?(--[\w-]+)?", text, flags=re.MULTILINE)
    return sorted(name for line in lines for name in line if name)


def commands_of(text):
    return re.findall(r"^  (\w+)", text.split("Commands:\n")[1].split("\n\n")[0], flags=re.MULTILINE)


def bash(line, folder=None):
    """What bash offers at the end of the line. Words are split as readline splits them."""
    words = re.findall(r"[^\s=:]+|[=:]", line) + ([""] if line.endswith(" ") else [])
    return sorted(run("bash", "-c", BASH, "bash", FOLDER / "chromosweep.bash", line, *words, folder=folder).split())


def zsh(command=""):
    return run("zsh", "-f", "-c", ZSH, "zsh", FOLDER / "_chromosweep", command).splitlines()


def same(got, expected):
    if got != expected:
        raise AssertionError(f"offered {got}, expected {expected}")


def bash_names():
    commands = commands_of(help_of())
    same(bash("chromosweep "), sorted(commands + options_of(help_of())))
    same(bash("chromosweep com"), ["compare"])
    for command in commands:
        same(bash(f"chromosweep {command} -"), options_of(help_of(command)))
        same(bash(f"chromosweep {command} --vers"), ["--version"])


def bash_values():
    for line in "--format ", "--format=", "--match 2 --format ":
        same(bash(f"chromosweep compare {line}"), ["json", "text", "tsv"])
    same(bash("chromosweep compare --format=j"), ["json"])
    same(bash("chromosweep compare --bits "), ["16", "32", "64"])
    same(bash("chromosweep compare --engine s"), ["scalar", "simd"])
    same(bash("chromosweep compare --match "), [])
    same(bash("chromosweep identity --identity "), ["columns", "longest", "shortest"])
    same(bash("chromosweep zebra --"), [])


def bash_devices():
    listing = run(PROGRAM, "devices", "--format", "tsv").splitlines()
    devices = sorted({line.split("\t")[0] for line in listing[1:]} | {"auto", "cpu", "gpu"})
    same(sorted(set(bash("chromosweep compare --device "))), devices)
    same(bash("chromosweep compare --device a"), ["auto"])
    with tempfile.TemporaryDirectory() as name:
        program = pathlib.Path(name, "chromosweep")
        program.write_text("#!/bin/sh\nprintf '#device\\tengine\\ngpu:0\\tcuda\\ngpu:1\\tcuda\\n'\n")
        program.chmod(0o755)
        script = BASH.replace("_chromosweep chromosweep", f"_chromosweep {program}")
        line, words = "chromosweep devices --device gpu:", ["chromosweep", "devices", "--device", "gpu", ":"]
        found = run("bash", "-c", script, "bash", FOLDER / "chromosweep.bash", line, *words)
        same(found.split(), ["0", "1"])


def bash_files():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "target.fa").touch()
        (folder / "run").mkdir()
        same(bash("chromosweep compare ", folder), ["run", "target.fa"])
        same(bash("chromosweep compare -t 2 run -o t", folder), ["target.fa"])
        same(bash("chromosweep compare --output=", folder), ["run", "target.fa"])
        same(bash("chromosweep search --matrix ", folder), ["run", "target.fa"])
        same(bash("chromosweep devices ", folder), [])
        for command in commands_of(help_of()):
            if re.search("^Usage: .* DIR$", help_of(command), flags=re.MULTILINE):
                same(bash(f"chromosweep {command} ", folder), ["run"])
            for option in re.findall(r"(--[\w-]+) DIR\b", help_of(command)):
                same(bash(f"chromosweep {command} {option} ", folder), ["run"])


def help_fits():
    """--help fits a terminal of 40 lines. --help-all has its options and the others."""
    for command in [[], *([name] for name in commands_of(help_of()))]:
        short, full = run(PROGRAM, *command, "--help"), help_of(*command)
        for line in [*short.splitlines()[40:], *(line for line in full.splitlines() if len(line) > 80)]:
            raise AssertionError(f"{command} --help does not fit 40 lines of 80 columns: {line}")
        same(set(options_of(short)) - set(options_of(full)), set())
        same(run(PROGRAM, *command, "-h"), short)
        if command and "--help-all shows all options" not in short:
            raise AssertionError(f"{command} --help does not mention --help-all")


def zsh_names():
    commands = commands_of(help_of())
    same([line.split(":")[0] for line in zsh()], commands)
    for command in commands:
        found = [re.match(r"(?:\([^)]*\))?(-[\w-]+)[+=]?\[", line) for line in zsh(command)]
        same(sorted(match[1] for match in found if match), options_of(help_of(command)))


def zsh_values():
    specs = {match[1]: line for line in zsh("compare") if (match := re.match(r"(?:\([^)]*\))?(--[\w-]+)", line))}
    for option, action in {"--format": "(text tsv json)", "--output": "_files", "--device": "_chromosweep_devices",
                           "--bits": "(16 32 64)", "--match": " "}.items():
        same(specs[option].rsplit(":", 1)[1], action)
    same([line.rsplit(":", 1)[1] for line in zsh("compare") if line.startswith(":")], ["_files", "_files"])


def main():
    tests = [help_fits, bash_names, bash_values, bash_devices, bash_files, zsh_names, zsh_values]
    failed = 0
    print(f"1..{len(tests)}")
    for number, test in enumerate(tests, start=1):
        name, shell = test.__name__.replace("_", " "), test.__name__.split("_", maxsplit=1)[0]
        if shell != "help" and not shutil.which(shell):
            print(f"ok {number} - {name} # SKIP no {shell} here")
            continue
        try:
            test()
            print(f"ok {number} - {name}")
        except (AssertionError, subprocess.CalledProcessError) as error:
            failed += 1
            print(f"not ok {number} - {name}\n# {error}", *str(getattr(error, "stderr", "")).splitlines(), sep="\n# ")
    return 1 if failed else 0


sys.exit(main())
