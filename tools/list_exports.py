#!/usr/bin/env python3
"""list_exports.py HEADER...: prints a version script for the linker, from the CS_API marks of public headers.

Symbols get no version. The exported symbols are those of debian/libchromosweep0.symbols; all others are local.
"""

import pathlib
import re
import sys

names = set()
for header in sys.argv[1:]:
    text = re.sub(r"/\*.*?\*/", "", pathlib.Path(header).read_text(encoding="utf-8"), flags=re.S)
    for declaration in re.findall(r"^CS_API\b([^;]*);", text, flags=re.M):
        names.add(re.search(r"(\w+)\s*\(", declaration).group(1))
print("{\nglobal:", *(f"    {name};" for name in sorted(names)), "local:\n    *;\n};", sep="\n")
