#!/usr/bin/env python3
"""tools/check_includes.py [TOP]

Checks the includes in src/, cuda/ and include/. A file may include headers of its own folder and of the
folders before it in the order below. Private headers are named with their folder. Headers must not form
a circle. src/command and src/formats may use only the public API of the library. Prints each line that
breaks a rule; the exit status is 1 if there is one.
"""

import os
import re
import sys

# The lowest folders first. Folders on the same line may not use each other.
FLOORS = [
    ["system"],
    ["sequence"],
    ["sweep", "scores"],
    ["cpu", "cuda", "ring"],
    ["engines"],
    ["ranks"],
    ["lower_bound"],
    ["skipping"],
    ["checkpoint"],
    ["alignment"],
    ["compare"],
    ["search"],
    ["identity"],
    ["serve"],
    ["formats"],
    ["command"],
]

# The folder that a public header belongs to. Files that may use that folder may include the header.
PUBLIC = {
    "error": "system",
    "export": "system",
    "threads": "system",
    "version": "system",
    "scoring": "sequence",
    "sequence": "sequence",
    "circular": "sequence",
    "strand": "sequence",
    "control": "sweep",
    "engine": "engines",
    "device": "sweep",  # CsDevice, which engines fill in
    "skip": "skipping",
    "checkpoint": "checkpoint",
    "alignment": "alignment",
    "align": "compare",
    "align_set": "compare",
    "compare": "compare",
    "plan": "compare",
    "ranks": "ranks",
    "tiles": "compare",
    "identity": "compare",
    "identity_checkpoint": "compare",
    "identity_plan": "compare",
    "search": "compare",
    "search_checkpoint": "compare",
    "search_plan": "compare",
    "chromosweep": "compare",
}

# Folders of the program, not of the library. They may use only the public API of the library.
PROGRAM = {"formats", "command"}

# Headers that the build makes.
GENERATED = {"config.h", "search_matrices.h", "command/dot_plot_files.h"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<(chromosweep/[^>]+)>)')


def sources(top):
    for folder in ["include/chromosweep", "cuda", "src"]:
        for place, folders, names in os.walk(os.path.join(top, folder)):
            folders.sort()
            for name in sorted(names):
                if name.endswith((".c", ".h", ".cu", ".cuh")):
                    yield os.path.relpath(os.path.join(place, name), top)


def room_of(path):
    """Of a path from the top; None where it lies in none."""
    parts = path.split("/")
    if parts[0] == "include":
        return PUBLIC.get(parts[-1][:-2])
    room = parts[0] if parts[0] == "cuda" else parts[1]
    return room if len(parts) == (2 if parts[0] == "cuda" else 3) else None


def check(top):
    floor = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
    faults, graph = [], {}
    paths = list(sources(top))
    known = set(paths)
    for path in paths:
        room = room_of(path)
        if room not in floor:
            faults.append(f"{path}: stands in no room of tools/check_includes.py")
            continue
        graph[path] = []
        with open(os.path.join(top, path), encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if not match or match[1] in GENERATED:
                continue
            if match[2]:
                target = "include/" + match[2]
            else:
                target = match[1] if match[1].startswith("cuda/") else "src/" + match[1]
            where = f"{path}:{number}"
            if target not in known:
                faults.append(f"{where}: {match[1] or match[2]} is no header of ours, named with its folder")
                continue
            graph[path].append(target)
            there = room_of(target)
            if there not in floor:
                continue  # told for the header itself
            if floor[there] > floor[room]:
                faults.append(f"{where}: {room} may not include {there}, which comes after it")
            elif floor[there] == floor[room] and there != room:
                faults.append(f"{where}: {room} may not include {there}, which is beside it")
            elif room in PROGRAM and there not in PROGRAM and match[1]:
                faults.append(f"{where}: {room} sees the public API only, not {match[1]}")
            if path.startswith("include/") and match[1]:
                faults.append(f"{where}: a public header includes public ones only")
    return faults + circles(graph)


def circles(graph):
    """Finds each circle of headers once, by depth-first search."""
    faults, done, trail = [], set(), []

    def visit(path):
        if path in trail:
            circle = trail[trail.index(path):] + [path]
            faults.append("a circle of headers: " + " -> ".join(circle))
            return
        if path in done:
            return
        trail.append(path)
        for target in graph.get(path, []):
            visit(target)
        trail.pop()
        done.add(path)

    for path in graph:
        visit(path)
    return faults


def main():
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    top = sys.argv[1] if len(sys.argv) == 2 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    faults = check(top)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
