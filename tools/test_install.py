#!/usr/bin/env python3
"""test_install.py BUILD CC...: does `meson install` install everything, and does it work there? Emits TAP.

Installs into a folder of its own (DESTDIR), looks for each file, builds examples/compare.c as docs/c.md says and
compares its result with that of the installed command.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(sys.argv[1]).resolve()
COMPILER = sys.argv[2:]
EXAMPLE = SOURCE / "examples" / "compare.c"
ALIGN_EXAMPLE = SOURCE / "examples" / "align.c"
PAIR = [SOURCE / "sequences" / name for name in ("ape_target.fa.gz", "ape_query.fa.gz")]


def run(*command, **environment):
    """Runs a command without Meson's LD_LIBRARY_PATH, which would find the library of the build folder."""
    kept = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    done = subprocess.run(command, text=True, capture_output=True, env=kept | environment, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def need(truth, why):
    if not truth:
        raise AssertionError(why)


class Installation:
    def __init__(self, folder):
        options = json.loads(run("meson", "introspect", "--buildoptions", BUILD))
        self.options = {option["name"]: option["value"] for option in options}
        self.folder = folder
        self.prefix = folder / self.options["prefix"].lstrip("/")
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", folder)
        self.files = {path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir()}

    def place(self, option):
        return self.prefix / self.options[option]

    def command(self, *arguments):
        """Runs the installed command. The loader knows the real /usr, but not this copy of it."""
        there = {"LD_LIBRARY_PATH": str(self.place("libdir"))} if self.options["prefix"] == "/usr" else {}
        return run(self.place("bindir") / "chromosweep", *arguments, **there)


def prefix(tree):
    outside = [str(path) for path in tree.files if not (tree.folder / path).is_relative_to(tree.prefix)]
    need(not outside, f"outside of the prefix: {outside}")


def everything(tree):
    commands = re.findall(r"^  (\w+)", tree.command("--help").split("Commands:\n")[1].split("\n\n")[0], flags=re.M)
    need(len(commands) > 1, "no commands")
    expected = {"bindir": ["chromosweep"], "libdir": ["libchromosweep.so", "libchromosweep.so.0", "libchromosweep.a",
                                                      "pkgconfig/chromosweep.pc"]}
    expected["mandir"] = ["man1/chromosweep.1", *(f"man1/chromosweep-{command}.1" for command in commands)]
    expected["datadir"] = ["bash-completion/completions/chromosweep", "zsh/site-functions/_chromosweep",
                           *(f"chromosweep/schema/{path.name}" for path in (SOURCE / "docs" / "schema").iterdir()),
                           *(f"doc/chromosweep/examples/{path.name}" for path in (SOURCE / "examples").iterdir()
                             if path.is_file()),
                           *(f"doc/chromosweep/examples/sequences/{path.name}"
                             for path in (SOURCE / "sequences").iterdir() if ".fa" in path.suffixes),
                           "doc/chromosweep/examples/sequences/expected.tsv"]
    expected["includedir"] = [str(path.relative_to(SOURCE / "include"))
                              for path in (SOURCE / "include" / "chromosweep").glob("*.h")]
    places = {tree.place(option) / name for option, names in expected.items() for name in names}
    places.add(tree.place("libdir") / f"libchromosweep.so.{tree.command('--version').split()[1]}")
    missing = sorted(str(path) for path in places if not path.exists())
    places.add(tree.place("libdir") / "libchromosweep-mpi.so")  # if there was MPI
    need(not missing, f"missing: {missing}")
    more = sorted(str(path) for path in tree.files
                  if tree.folder / path not in places and not {"dist-packages", "site-packages"} & set(path.parts))
    need(not more, f"not expected: {more}")


def no_traces(tree):
    """Text files name neither the build folder nor DESTDIR."""
    for path in tree.files:
        text = (tree.folder / path).read_bytes()
        for trace in BUILD, SOURCE, tree.folder:
            need(b"\0" in text or str(trace).encode() not in text, f"{path} names {trace}")


def package_file(tree):
    """The text of the pkg-config file, with its first line changed to where the tree is, as its format allows."""
    text = (tree.place("libdir") / "pkgconfig" / "chromosweep.pc").read_text()
    need(text.count(own_prefix := f"prefix={tree.options['prefix']}\n") == 1, f"no {own_prefix!r} in {text}")
    # The needs of a static link, such as CUDA, may be elsewhere below the same prefix.
    own = re.sub(r"^Libs\.private:.*$", "", text, flags=re.M)
    need(own.count(tree.options["prefix"] + "/") == 0, f"paths that cannot move: {text}")
    return text.replace(own_prefix, f"prefix={tree.prefix}\n")


def sanitize_flags(tree):
    sanitize = tree.options.get("b_sanitize", "none")
    return [f"-fsanitize={sanitize}"] if sanitize != "none" else []


def expected_output(tree):
    answer = json.loads(tree.command("compare", "--format", "json", *PAIR))
    target, query = answer["target"], answer["query"]
    return (f"{answer['score']}: {target['start']}-{target['end']} in the target, "
            f"{query['start']}-{query['end']} in the query\n")


def expected_gaps(tree):
    answer = json.loads(tree.command("align", "--format", "json", "--strand", "both", *PAIR))
    minus = answer["strand"] == "-"
    target, query = answer["target"]["start"] - 1, answer["query"]["end"] + 1 if minus else answer["query"]["start"] - 1
    lines = []
    for count, op in re.findall(r"(\d+)(.)", answer["cigar"]):
        if op in "ID":
            lines.append(f"{count}{op} after {target},{query}\n")
        target += int(count) if op != "I" else 0
        query += 0 if op == "D" else -int(count) if minus else int(count)
    return "".join(lines)


def static_program(tree):
    """The examples in C work with the static library."""
    text = package_file(tree)
    (tree.folder / "chromosweep.pc").write_text(text)
    flags = run("pkg-config", "--cflags", "--libs", "chromosweep", PKG_CONFIG_PATH=str(tree.folder)).split()
    need(f"-I{tree.place('includedir')}" in flags and f"-L{tree.place('libdir')}" in flags, f"{flags}")
    # The libraries that the static library needs may be dynamic ones.
    needs = re.search(r"^Requires\.private: (.*)$", text, flags=re.M)[1]
    needs = ["glib-2.0", *re.sub(r" [<>=]+ [^,]*,?|,", " ", needs).split()]
    private = re.search(r"^Libs\.private: (.*)$", text, flags=re.M)[1].split()
    includes = [flag for flag in flags if flag.startswith("-I")]
    for example, expected in (ALIGN_EXAMPLE, expected_gaps), (EXAMPLE, expected_output):
        run(*COMPILER, *sanitize_flags(tree), example, "-o", tree.folder / "program", *includes,
            tree.place("libdir") / "libchromosweep.a", *private, *run("pkg-config", "--libs", *needs).split())
        found = run(tree.folder / "program", *PAIR, G_SLICE="always-malloc")
        need(found == expected(tree), f"{found!r}")
    for name, bases in (("a", "AAAA"), ("c", "CCC")):
        (tree.folder / f"{name}.fa").write_text(f">{name}\n{bases}\n")
    found = run(tree.folder / "program", tree.folder / "a.fa", tree.folder / "c.fa", G_SLICE="always-malloc")
    need(found == "0, no alignment\n", f"{found!r}")


def documented_program(tree):
    """The commands of docs/c.md work as they stand there, if ~/.local is the prefix, or if pkg-config and the loader
    find the library by themselves, as below /usr."""
    page = (SOURCE / "docs" / "c.md").read_text(encoding="utf-8")
    quoted = [block.split("```")[0] for block in page.split("```c\n")[1:]]
    need(quoted == [program.read_text(encoding="utf-8") for program in (EXAMPLE, ALIGN_EXAMPLE)],
         "docs/c.md does not quote examples/compare.c and examples/align.c")
    commands = next(block for block in re.findall(r"(?:^    .*\n)+", page, flags=re.M) if "-rpath" in block)
    home = tree.folder / "home"
    shutil.copytree(tree.prefix, home / ".local", symlinks=True)
    package = next(home.rglob("chromosweep.pc"))
    package.write_text(package_file(tree).replace(f"prefix={tree.prefix}\n", f"prefix={home / '.local'}\n"))
    (home / "bin").mkdir()
    compiler = home / "bin" / "cc"  # this build's, with its options
    compiler.write_text(f"#!/bin/sh\nPATH={shlex.quote(os.environ['PATH'])}\n"
                        "exec " + shlex.join([*COMPILER, *sanitize_flags(tree)]) + ' "$@"\n')
    compiler.chmod(0o755)
    work = home / "work"
    work.mkdir()
    shutil.copy(EXAMPLE, work)
    for name, path in zip(("target.fa", "query.fa"), PAIR):
        shutil.copy(path, work / name)
    found = run("bash", "-euc", f"cd {shlex.quote(str(work))}\n{commands}", HOME=str(home),
                PATH=f"{compiler.parent}:{os.environ['PATH']}", G_SLICE="always-malloc")
    need(found == expected_output(tree), f"{commands}: {found!r}")
    (work / "compare").unlink()
    commands = next(block for block in re.findall(r"(?:^    .*\n)+", page, flags=re.M) if "    cc compare.c" in block)
    need("prefix" not in commands, commands)
    found = run("bash", "-euc", f"cd {shlex.quote(str(work))}\n{commands}", HOME=str(home),
                PATH=f"{compiler.parent}:{os.environ['PATH']}", PKG_CONFIG_PATH=str(package.parent),
                LD_LIBRARY_PATH=str(next(home.rglob("libchromosweep.so")).parent), G_SLICE="always-malloc")
    need(found == expected_output(tree), f"{commands}: {found!r}")


def documented_package(tree):
    """The commands of docs/python.md for another prefix work as they stand there."""
    packages = list(tree.prefix.rglob("chromosweep/__init__.py"))
    if not packages:
        return  # built with -Dpython=disabled
    page = (SOURCE / "docs" / "python.md").read_text(encoding="utf-8")
    commands = next(block for block in re.findall(r"(?:^    .*\n)+", page, flags=re.M) if "prefix=" in block)
    commands = re.sub(r"prefix=\S+", f"prefix={shlex.quote(str(tree.prefix))}", commands, count=1)
    found = run("bash", "-euc", f"cd /\n{commands}")
    need(found == tree.command("--version").split()[1] + "\n", f"{commands}: {found!r}")


def user_site(tree):
    """With the prefix ~/.local, the package is installed where python3 looks for it."""
    home = tree.folder / "user"
    place, _ = run(sys.executable, SOURCE / "python" / "places.py", home / ".local", "/nowhere", "/lib.so",
                   HOME=str(home)).splitlines()
    looked_for = run(sys.executable, "-c", "import site; print(site.getusersitepackages())", HOME=str(home)).strip()
    need(place == f"{looked_for}/chromosweep", f"{place}, not in {looked_for}")


def examples(tree):
    """The table of pairs names existing files, even if the folder is copied, and its answers are right."""
    folder = tree.folder / "copied" / "examples"
    shutil.copytree(tree.place("datadir") / "doc" / "chromosweep" / "examples", folder)
    need(os.access(folder / "slurm_array", os.X_OK), "slurm_array cannot be run")
    answers = (folder / "sequences" / "expected.tsv").read_text().splitlines()
    known = {tuple(row.split("\t")[:2]): row.split("\t")[2:5] for row in answers[1:]}
    rows = [line.split("\t") for line in (folder / "pairs.tsv").read_text().splitlines() if line[0] != "#"]
    need(len(rows) == len(known), f"{len(rows)} pairs, {len(known)} answers")
    for name, *files in rows:
        result = json.loads(tree.command("compare", "--format", "json", *(folder / file for file in files)))
        target, query = result["target"], result["query"]
        found = [str(number) for number in (result["score"], target["end"], query["end"])]
        need(found == known[target["name"], query["name"]], f"{name}: {found}")


def exports(tree):
    """The shared library exports what the public headers mark, and what Debian's package promises."""
    table = run("nm", "-D", "--defined-only", tree.place("libdir") / "libchromosweep.so")
    shown = {line.split()[2] for line in table.splitlines() if not re.search(r" _*(asan|ubsan|tsan|odr)_", line)}
    headers = "".join(path.read_text() for path in (SOURCE / "include" / "chromosweep").glob("*.h"))
    marked = set(re.findall(r"^CS_API\b[^;(]*?(\w+)\(", headers, flags=re.M))
    symbols = (SOURCE / "debian" / "libchromosweep0.symbols").read_text()
    promised = set(re.findall(r"^ (\w+)@Base ", symbols, flags=re.M))
    need(len(marked) > 1 and shown == marked == promised,
         f"not alike: the library {shown - marked}, headers {marked - shown}, Debian {promised ^ marked}")


def main():
    tests = {"everything is under the prefix": prefix, "everything is there, and nothing else": everything,
             "no text names the build": no_traces,
             "the example in C is that of docs/c.md, whose commands build and run it": documented_program,
             "the example in C with the static library": static_program,
             "Python finds the package as docs/python.md says": documented_package,
             "Python finds the package below ~/.local": user_site,
             "the examples' pairs of sequences are there, with known answers": examples,
             "the library exports the public functions": exports}
    failed = 0
    print(f"1..{len(tests)}")
    with tempfile.TemporaryDirectory(prefix="chromosweep-install-") as name:
        tree = Installation(pathlib.Path(name))
        for number, (title, test) in enumerate(tests.items(), start=1):
            try:
                test(tree)
                print(f"ok {number} - {title}")
            except AssertionError as error:
                failed += 1
                print(f"not ok {number} - {title}", *str(error).splitlines(), sep="\n# ")
    return 1 if failed else 0


sys.exit(main())
