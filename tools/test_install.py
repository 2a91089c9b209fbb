#!/usr/bin/env python3
"""test_install.py BUILD CC...: is what `meson install` puts somewhere complete, and does it work there? Emits TAP.

Installs into a folder of its own (DESTDIR), looks for each thing, compiles the program of docs/c.md with the installed
pkg-config file and compares what it finds with what the installed command finds.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(sys.argv[1]).resolve()
COMPILER = sys.argv[2:]
PAIR = [SOURCE / "sequences" / name for name in ("ape_target.fa.gz", "ape_query.fa.gz")]


def run(*command, **environment):
    """Without Meson's LD_LIBRARY_PATH, which would find the library that was not installed."""
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
        """In /usr the loader finds the library by itself, which here it cannot."""
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
    need(not missing, f"missing: {missing}")
    more = sorted(str(path) for path in tree.files
                  if tree.folder / path not in places and not {"dist-packages", "site-packages"} & set(path.parts))
    need(not more, f"not expected: {more}")


def no_traces(tree):
    """What is text names neither where it was built nor where it was put for a while."""
    for path in tree.files:
        text = (tree.folder / path).read_bytes()
        for trace in BUILD, SOURCE, tree.folder:
            need(b"\0" in text or str(trace).encode() not in text, f"{path} names {trace}")


def program(tree):
    """The one of docs/c.md; the pkg-config file is moved by its first line, as its format means it."""
    page = (SOURCE / "docs" / "c.md").read_text(encoding="utf-8")
    (tree.folder / "program.c").write_text(page.split("```c\n")[1].split("```")[0])
    package = tree.place("libdir") / "pkgconfig" / "chromosweep.pc"
    text = package.read_text()
    need(text.count(self_prefix := f"prefix={tree.options['prefix']}\n") == 1, f"no {self_prefix!r} in {text}")
    # What a static link needs may come from elsewhere below the same prefix, such as CUDA.
    own = re.sub(r"^Libs\.private:.*$", "", text, flags=re.M)
    need(own.count(tree.options["prefix"] + "/") == 0, f"paths that cannot move: {text}")
    (tree.folder / "chromosweep.pc").write_text(text.replace(self_prefix, f"prefix={tree.prefix}\n"))
    flags = run("pkg-config", "--cflags", "--libs", "chromosweep", PKG_CONFIG_PATH=str(tree.folder)).split()
    need(f"-I{tree.place('includedir')}" in flags and f"-L{tree.place('libdir')}" in flags, f"{flags}")
    sanitize = tree.options.get("b_sanitize", "none")
    more = [f"-fsanitize={sanitize}"] if sanitize != "none" else []
    # The static library's own needs, of which the dynamic ones will do.
    needs = re.search(r"^Requires\.private: (.*)$", text, flags=re.M)[1]
    needs = ["glib-2.0", *re.sub(r" [<>=]+ [^,]*,?|,", " ", needs).split()]
    private = re.search(r"^Libs\.private: (.*)$", text, flags=re.M)[1].split()
    includes = [flag for flag in flags if flag.startswith("-I")]
    static = [*includes, tree.place("libdir") / "libchromosweep.a", *private]
    static += run("pkg-config", "--libs", *needs).split()
    answer = json.loads(tree.command("compare", "--format", "json", *PAIR))
    for libraries in flags, static:
        run(*COMPILER, *more, tree.folder / "program.c", "-o", tree.folder / "program", *libraries)
        found = run(tree.folder / "program", *PAIR, LD_LIBRARY_PATH=str(tree.place("libdir")), G_SLICE="always-malloc")
        need(found == f"{answer['score']} at {answer['target']['end']},{answer['query']['end']}\n",
             f"{libraries}: {found!r}: {answer}")


def examples(tree):
    """The table of pairs names files that are there, wherever the folder is copied to, and their answers are right."""
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
    """What the shared library shows is what the public headers mark, and what Debian's package promises."""
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
             "the program of docs/c.md, with the shared library and the static one": program,
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
