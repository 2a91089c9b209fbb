#!/usr/bin/env python3
"""test_packaging.py SOURCE: do packaging/, debian/ and docs/building.md name what meson.build needs? Emits TAP.

The table of docs/building.md has the names of each library in Debian, Fedora and conda. Everything that meson.build
needs must be in the table, and the names in the table must be in debian/control and in the conda recipe.
"""

import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])
BASE = "debian:12-slim"


def read(name):
    return (SOURCE / name).read_text(encoding="utf-8")


def need(truth, why):
    if not truth:
        raise AssertionError(why)


def dependencies():
    """The libraries of meson.build by their pkg-config names, with the oldest versions allowed."""
    found = re.findall(r"dependency\('([\w.-]+)'(?:, version: '>=([\d.]+)')?", read("meson.build"))
    return {name: version for name, version in found if name not in ("threads", "mpi")}  # MPI is optional


def table():
    """For each library, its names in Debian, Fedora and conda."""
    rows = re.findall(r"^\| ([^|]+) \| `(\S+)` \| `(\S+)` \| `(\S+)`[^|]*\|$", read("docs/building.md"), re.M)
    return {name: packages for cell, *packages in rows for name in re.findall(r"`(\S+?)`", cell) or [cell]}


def recipe_needs(section):
    """The packages in a section of the recipe's requirements, with their versions."""
    requirements = read("packaging/conda/recipe.yaml").split("\nrequirements:\n")[1].split("\ntests:\n")[0]
    body = re.search(rf"^  {section}:\n((?:    .*\n)+)", requirements + "\n", re.M)[1]
    return dict(re.findall(r"^    - ([\w.-]+)(?: >=([\d.]+))?$", body, re.M))


def versions():
    version = re.search(r"^  version: '([\d.]+)'", read("meson.build"), re.M)[1]
    need(f'\n  version: "{version}"\n' in read("packaging/conda/recipe.yaml"), f"the recipe is not of version {version}")
    need(re.match(rf"chromosweep \({re.escape(version)}[-)]", read("debian/changelog")), f"debian/changelog is not of version {version}")


def libraries():
    wanted, known = dependencies(), table()
    need(len(wanted) > 3, f"meson.build needs only {wanted}")
    control, recipe = read("debian/control").split("\nPackage:")[0], recipe_needs("host")
    for name, version in wanted.items():
        need(name in known, f"docs/building.md has no package for {name}")
        debian, _, conda = known[name]
        need(re.search(rf"^ {re.escape(debian)}\b", control, re.M), f"debian/control lacks {debian}")
        need(conda in recipe and recipe[conda] == (version or recipe[conda]), f"the recipe needs {conda} {recipe.get(conda)}, meson.build {name} {version}")
    more = set(recipe) - {known[name][2] for name in wanted} - {"python"}
    need(not more, f"the recipe needs {more}, meson.build does not")


def tools():
    recipe, known = recipe_needs("build"), table()
    for name in "Meson 1.0", "Ninja", "pkg-config":
        need(known[name][2] in recipe, f"the recipe lacks {known[name][2]}")
    least = re.search(r"meson_version: '>=([\d.]+)'", read("meson.build"))[1]
    need(least.startswith(recipe["meson"]), f"the recipe needs Meson {recipe['meson']}, meson.build {least}")


def options():
    """The options that the recipe sets exist."""
    known = set(re.findall(r"^option\('(\w+)'", read("meson_options.txt"), re.M))
    used = set(re.findall(r"-D(\w+)=", read("packaging/conda/recipe.yaml")))
    need(used and used <= known, f"no such options: {used - known}")
    need((SOURCE / "LICENSE").exists(), "there is no LICENSE")


def dockerfile():
    """The image installs packages that debian/control makes. It has no list of its own."""
    text = read("packaging/Dockerfile")
    made = set(re.findall(r"^Package: (\S+)$", read("debian/control"), re.M))
    copied = set(re.findall(r"chromosweep/?(?:/build)?/(\w+)_\*\.deb|/build/(\w+)_\*\.deb", text))
    copied = {name for pair in copied for name in pair if name}
    need(copied == {"chromosweep", "libchromosweep0"} and copied <= made, f"it copies {copied}")
    need(set(re.findall(r"^FROM (\S+)", text, re.M)) == {BASE}, f"it is not from {BASE} alone")
    need(not re.search(r"install[^\n]* lib\w+", text), "it names libraries, which debian/control does")


def main():
    tests = {"one version": versions, "libraries of the table, debian/control and the recipe": libraries,
             "tools of the table and the recipe": tools, "the recipe's options": options,
             "the Dockerfile builds on debian/control": dockerfile}
    failed = 0
    print(f"1..{len(tests)}")
    for number, (title, test) in enumerate(tests.items(), start=1):
        try:
            test()
            print(f"ok {number} - {title}")
        except AssertionError as error:
            failed += 1
            print(f"not ok {number} - {title}", *str(error).splitlines(), sep="\n# ")
    return 1 if failed else 0


sys.exit(main())
