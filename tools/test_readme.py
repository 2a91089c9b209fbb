#!/usr/bin/env python3
"""test_readme.py PROGRAM SIMULATE SOURCE: do the examples in the documents print what they show?

Runs the examples of README.md and of the pages of docs/ that have any. The examples of a page run one after the other
in one folder with the shipped sequences/, as if a reader worked through the page. Emits TAP.

    ```console      lines that begin with "$ " are commands for bash; below them is what they print on standard output
                    and error. A command must succeed. "..." stands for any text, even for several lines
    ```pycon        input and output of Python, in the form of doctest; skipped if the library cannot be loaded
    #!/bin/bash     an indented block that begins so is a script for Slurm. It must succeed in the folder of the
                    page, with a program `srun` that just runs its arguments
    until ...       an indented block that begins so is a loop of runs. It must go on after a run that ends with status
                    75, and end with a result
    PYTHONPATH=...  an indented line that begins so starts program.py from the source tree
    import ...      an indented block that begins so is a Python program. If a module that it imports is missing,
                    only its syntax is checked
    library(...)    the same for R and ggplot2
    docker build, rattler-build
                    an indented block that begins so is not run, since it needs a network. The files that it names
                    must exist

The picture of README.md must be the one that its command draws: inside the frame, since text depends on the fonts.
README.md must also be short enough to be read: see README_WORDS. The examples of every --help-all must succeed, on
shortened sequences. Those for a GPU are not run.
"""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import zlib


class Skipped(Exception):
    """Why an example was not run."""


PROGRAM, SIMULATE, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
README_WORDS = 900
SHORT = {"target": 31000, "query": 5000}  # what the examples of --help-all see of a record; one begins at 30,001
PICTURE = "docs/images/ape.png"
FRAME = range(96, 930), range(110, 900)  # rows and columns of the picture that are inside its frame
LIBRARY = PROGRAM.parent / "src" / "libchromosweep.so.0"
ENVIRONMENT = {
    **os.environ,
    "PATH": f"{PROGRAM.parent}:{SIMULATE.parent}:{os.environ['PATH']}",
    "PYTHONPATH": str(SOURCE / "python"),
    "PYTHONDONTWRITEBYTECODE": "1",
    "MPLBACKEND": "Agg",
    "CHROMOSWEEP_LIBRARY": str(LIBRARY),
    # htslib 1.16 leaks its handle if closing a file fails. LeakSanitizer would report that.
    "ASAN_OPTIONS": "detect_leaks=0",
}


def run(*command, folder):
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, text=True, check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def examples(page, pattern):
    """The blocks that match, each with the number of its first line."""
    text = page.read_text(encoding="utf-8")
    for block in re.finditer(pattern, text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, block.start(1)) + 1, block[1]


def fenced(page, language):
    return examples(page, rf"^```{language}\n(.*?)^```$")


def commands(block):
    """Each command, with the output below it."""
    pieces = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    if pieces[0] or len(pieces) < 3:
        raise AssertionError("an example begins with a command")
    return list(zip(pieces[1::2], pieces[2::2]))


def matches(shown, printed):
    return re.fullmatch(".*?".join(map(re.escape, shown.split("..."))), printed, re.DOTALL)


def console(block, folder):
    for command, shown in commands(block):
        done = run("bash", "-o", "pipefail", "-c", command, folder=folder)
        if done.returncode != 0:
            raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}")
        if not matches(shown, done.stdout):
            raise AssertionError(f"{command}\nshown:\n{shown}\nprinted:\n{done.stdout}")


def python(block, folder):
    (folder / "pycon.txt").write_text(block)
    done = run(sys.executable, "-m", "doctest", "-o", "ELLIPSIS", "pycon.txt", folder=folder)
    if done.returncode != 0:
        raise AssertionError(done.stdout)


def python_program(block, folder):
    text = textwrap.dedent(block)
    compile(text, "example", "exec")
    modules = ", ".join(each.split()[0].split(".")[0] for line in re.findall(r"^import (.+)$", text, re.MULTILINE)
                        for each in line.split(","))
    able = [it for it in (sys.executable, "/usr/bin/python3")
            if os.path.exists(it) and run(it, "-c", f"import {modules}", folder=folder).returncode == 0]
    if not able:
        raise Skipped(f"no {modules} here; the syntax is right")
    done = run(able[0], "-c", text, folder=folder)
    if done.returncode != 0:
        raise AssertionError(done.stdout)


def r_program(block, folder):
    if shutil.which("Rscript") is None:
        raise Skipped("no R here")
    (folder / "example.R").write_text(textwrap.dedent(block))
    has_ggplot = run("Rscript", "-e", "library(ggplot2)", folder=folder).returncode == 0
    done = run("Rscript", *(["example.R"] if has_ggplot else ["-e", 'parse("example.R")']), folder=folder)
    if done.returncode != 0:
        raise AssertionError(done.stdout)
    if not has_ggplot:
        raise Skipped("no ggplot2 here; the syntax is right")


def names_files(block, _folder):
    for path in re.findall(r"packaging/[\w/.-]+", block):
        if not (SOURCE / path).exists():
            raise AssertionError(f"there is no {path}")
    raise Skipped("it takes a network; the files that it names exist")


def slurm_script(block, folder):
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "srun").write_text('#!/bin/sh\nexec "$@"\n')
    (programs / "srun").chmod(0o755)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        for file in folder.glob("*.fa"):
            (pathlib.Path(name) / file.name).symlink_to(file)
        (pathlib.Path(name) / "script").write_text(textwrap.dedent(block))
        done = run("bash", "-c", 'PATH="$1:$PATH" exec bash script', "bash", str(programs), folder=name)
        if done.returncode != 0:
            raise AssertionError(f"status {done.returncode}\n{done.stdout}")


def rows_of_png(path):
    """The rows of a PNG of 8 bits per channel, RGB, not interlaced: 3 bytes per pixel."""
    data, packed, at = path.read_bytes(), b"", 8
    while at < len(data):
        length, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width = int.from_bytes(body[:4], "big")
            if body[8:] != bytes([8, 2, 0, 0, 0]):
                raise AssertionError(f"{path.name}: not 8 bits, RGB")
        packed += body if kind == b"IDAT" else b""
        at += length + 12
    raw, rows, above = zlib.decompress(packed), [], bytearray(3 * width)
    for start in range(0, len(raw), 3 * width + 1):
        how, row = raw[start], bytearray(raw[start + 1 : start + 1 + 3 * width])
        for k, up in enumerate(above):
            left, corner = (row[k - 3], above[k - 3]) if k >= 3 else (0, 0)
            base = left + up - corner
            nearest = min((abs(base - each), n, each) for n, each in enumerate((left, up, corner)))[2]
            row[k] = row[k] + (0, left, up, (left + up) // 2, nearest)[how] & 255
        rows.append(row)
        above = row
    return rows


def picture(_block, folder):
    shown, drawn = rows_of_png(SOURCE / PICTURE), rows_of_png(folder / "ape.png")
    if [len(rows) for rows in (shown, drawn)] + [len(shown[0])] != [len(shown)] * 2 + [len(drawn[0])]:
        raise AssertionError("another size")
    rows, columns = FRAME
    inside = slice(3 * columns[0], 3 * columns[-1] + 3)
    other = sum(abs(a - b) > 16 for row in rows for a, b in zip(shown[row][inside], drawn[row][inside]))
    if other > 100:  # a few are left to other versions of cairo, which smooth the path
        raise AssertionError(f"{other} bytes differ: draw {PICTURE} again")


def until_loop(block, folder):
    """The first run is stopped: a program in the place of chromosweep ends with status 75."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        work = pathlib.Path(name)
        for file in folder.glob("*.fa"):
            (work / file.name).symlink_to(file)
        stub = work / "chromosweep"
        stub.write_text(f'#!/bin/sh\necho "$@" >> asked\n[ -e stopped ] || {{ : > stopped; exit 75; }}\nexec {PROGRAM} "$@"\n')
        stub.chmod(0o755)
        done = run("bash", "-c", 'PATH=.:$PATH\n' + textwrap.dedent(block), folder=work)
        runs = (work / "asked").read_text().splitlines()
        if done.returncode != 0 or len(runs) != 2 or not (work / "result.txt").exists():
            raise AssertionError(f"status {done.returncode}, {len(runs)} runs\n{done.stdout}")


def from_source(line, folder):
    if not has_python():
        raise Skipped("the library cannot be loaded into Python")
    with tempfile.TemporaryDirectory(dir=folder) as name:
        work = pathlib.Path(name)
        (work / "python").symlink_to(SOURCE / "python")
        (work / "build").symlink_to(PROGRAM.parent)
        (work / "program.py").write_text("import chromosweep; print(chromosweep.__file__, chromosweep.version())")
        done = run("bash", "-c", "unset PYTHONPATH CHROMOSWEEP_LIBRARY\n" + line, folder=work)
        if done.returncode != 0 or not done.stdout.startswith(f"{work}/python/"):
            raise AssertionError(f"status {done.returncode}\n{done.stdout}")


def help_examples(name, folder):
    """Runs the examples of a command's --help-all."""
    shown = run(str(PROGRAM), *name.split(), "--help-all" if name else "--help", folder=folder).stdout
    for command in re.split(r"^  (?=chromosweep)", shown.split("\nExamples:\n")[1], flags=re.MULTILINE)[1:]:
        if "--device gpu" in command:
            continue
        done = run("bash", "-c", command, folder=folder)
        if done.returncode != 0:
            raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}")


def shorten(source, folder):
    """Copies the shipped sequences, each record cut off, since nobody looks at what the help's examples print."""
    folder.mkdir()
    for path in source.glob("*.fa*"):
        kind = "target" if "_target" in path.name else "query"
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt") as whole, opener(folder / path.name, "wt") as short:
            for record in whole.read().split(">")[1:]:
                header, bases = record.split("\n", 1)
                short.write(f">{header}\n{bases[:SHORT[kind]]}\n")


def helps():
    """The commands that --help lists."""
    shown = run(str(PROGRAM), "--help", folder=".").stdout
    return ["", *re.findall(r"^  (\w+) ", shown.split("Commands:\n")[1].split("\n\n")[0], re.MULTILINE)]


def tests(page):
    """The tests of a page, as (line, test, text). All blocks of Python together are one test."""
    for line, block in fenced(page, "console"):
        yield line, console, block
    for line, block in examples(page, r"^(    #!/bin/bash\n(?:    [^\n]*\n)+)"):
        yield line, slurm_script, block
    for line, block in examples(page, rf"^(!\[[^]]*\]\({re.escape(PICTURE)}\))"):
        yield line, picture, block
    for line, block in examples(page, r"^( +until [^\n]*\n(?: +[^\n]*\n)* +done\n)"):
        yield line, until_loop, block
    for line, block in examples(page, r"^    (PYTHONPATH=[^\n]*)\n"):
        yield line, from_source, block
    for first, test in ("import ", python_program), (r"library\(", r_program), ("(?:docker|rattler-build) build ", names_files):
        for line, block in examples(page, rf"^(    {first}[^\n]*\n(?:    [^\n]*\n)*)"):
            yield line, test, block
    blocks = list(fenced(page, "pycon"))
    if blocks:
        yield blocks[0][0], python, "\n".join(block for _, block in blocks)


def has_python():
    with tempfile.TemporaryDirectory() as folder:
        return run(sys.executable, "-c", "import chromosweep", folder=folder).returncode == 0


def main():
    pages = [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("**/*.md"))]
    found = {page.relative_to(SOURCE): list(tests(page)) for page in pages}
    found["--help"] = [(name, help_examples, name) for name in helps()]
    can_python = has_python()
    failed, number = 0, 1
    print(f"1..{sum(map(len, found.values())) + 1}")
    words = len(pages[0].read_text(encoding="utf-8").split())
    if words > README_WORDS:
        failed += 1
    print(f"{'not ok' if failed else 'ok'} 1 - README.md: {words} words, at most {README_WORDS}")
    for page, cases in found.items():
        with tempfile.TemporaryDirectory(prefix="chromosweep-readme-") as name:
            folder = pathlib.Path(name)
            if page == "--help":
                shorten(SOURCE / "sequences", folder / "sequences")
            else:
                (folder / "sequences").symlink_to(SOURCE / "sequences")
            for line, test, block in cases:
                number += 1
                title = f"{number} - {page}:{line}"
                if test is python and not can_python:
                    print(f"ok {title} # SKIP the library cannot be loaded into Python")
                    continue
                try:
                    test(block, folder)
                    print(f"ok {title}")
                except Skipped as why:
                    print(f"ok {title} # SKIP {why}")
                except AssertionError as error:
                    failed += 1
                    print(f"not ok {title}", *str(error).splitlines(), sep="\n# ")
    return 1 if failed else 0


sys.exit(main())
