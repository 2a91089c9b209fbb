#!/usr/bin/env python3
"""test_check_includes.py CHECK_INCLUDES: does it report each include that breaks a rule, and no other? Emits TAP."""

import pathlib
import subprocess
import sys
import tempfile

# A tree without faults: for each file, what it includes.
TREE = {
    "include/chromosweep/error.h": ["<glib.h>"],
    "include/chromosweep/compare.h": ["<chromosweep/error.h>"],
    "src/system/disk.h": [],
    "src/system/disk.c": ["<chromosweep/error.h>", '"config.h"', '"system/disk.h"'],
    "src/sweep/grid.h": ["<stdint.h>", '"system/disk.h"'],
    "src/cpu/scalar.h": ['"sweep/grid.h"'],
    "cuda/cuda_engine.h": ['"sweep/grid.h"'],
    "cuda/cuda_plan.c": ['"cuda/cuda_engine.h"'],
    "src/compare/tiles.c": ['"sweep/grid.h"', "<chromosweep/compare.h>"],
    "src/command/report.h": ["<chromosweep/compare.h>"],
    "src/command/report.c": ['"command/report.h"'],
}

# Each fault: a file, an include to add to it, and the line that must be printed.
PLANTED = {
    "a room that comes after": ("src/sweep/grid.h", '"compare/tiles.h"', "which comes after it"),
    "a public header of one": ("src/system/disk.c", "<chromosweep/compare.h>", "which comes after it"),
    "the room beside": ("src/cpu/scalar.h", '"cuda/cuda_engine.h"', "which is beside it"),
    "a private header, from the command": ("src/command/report.c", '"sweep/grid.h"', "sees the public API only"),
    "a private header, from a public one": ("include/chromosweep/compare.h", '"sweep/grid.h"', "public ones only"),
    "a header without its folder": ("src/system/disk.c", '"disk.h"', "is no header of ours"),
    "a header that is not there": ("src/system/disk.c", '"system/none.h"', "is no header of ours"),
    "itself": ("src/sweep/grid.h", '"sweep/grid.h"', "a circle of headers: src/sweep/grid.h -> src/sweep/grid.h"),
    "a circle of three": ("src/system/disk.h", '"system/second.h"', "a circle of headers: src/system/disk.h -> "),
    "a room that nobody knows": ("src/attic/old.c", '"system/disk.h"', "stands in no room"),
    "a file outside of all rooms": ("src/loose.c", '"system/disk.h"', "stands in no room"),
    "a public header of no room": ("include/chromosweep/new.h", "<glib.h>", "stands in no room"),
}
WITH = {
    "a room that comes after": {"src/compare/tiles.h": []},
    "a circle of three": {"src/system/second.h": ['"system/third.h"'], "src/system/third.h": ['"system/disk.h"']},
}


def faults(check, tree):
    """The exit status and the printed lines for a tree."""
    with tempfile.TemporaryDirectory() as name:
        for path, includes in tree.items():
            (file := pathlib.Path(name) / path).parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(f"#include {included}\n" for included in includes))
        ran = subprocess.run([sys.executable, check, name], text=True, capture_output=True, check=False)
        assert not ran.stderr, ran.stderr
        return ran.returncode, ran.stdout.splitlines()


def check_planted(check, what):
    path, include, told = PLANTED[what]
    tree = TREE | WITH.get(what, {})
    tree[path] = [*tree.get(path, []), include]
    status, lines = faults(check, tree)
    assert status == 1 and len(lines) == 1 and told in lines[0] and path in lines[0], (status, lines)


def check_in_order(check):
    found = faults(check, TREE)
    assert found == (0, []), found


def check_ours(check):
    """The source tree itself, as it is now."""
    ran = subprocess.run([sys.executable, check], text=True, capture_output=True, check=False)
    assert ran.returncode == 0 and not ran.stdout + ran.stderr, ran.stdout + ran.stderr


def main():
    tests = {"what is in order": check_in_order, "the source tree": check_ours}
    tests |= {f"planted: {what}": lambda check, what=what: check_planted(check, what) for what in PLANTED}
    print(f"1..{len(tests)}")
    for number, (title, test) in enumerate(tests.items(), 1):
        try:
            test(sys.argv[1])
            print(f"ok {number} - {title}")
        except AssertionError as failure:
            print(f"not ok {number} - {title}")
            print("# " + str(failure).replace("\n", "\n# "))


main()
