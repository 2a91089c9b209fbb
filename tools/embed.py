#!/usr/bin/env python3
"""embed.py FILE...: prints C with the text of each file: dot_plot.js becomes `static const unsigned char dot_plot_js[]`."""

import pathlib
import sys

for name in sys.argv[1:]:
    path = pathlib.Path(name)
    # Numbers, because no string of C99 need be longer than 4095 characters.
    numbers = [*path.read_bytes(), 0]
    print(f"static const unsigned char {path.name.replace('.', '_')}[] = {{")
    for k in range(0, len(numbers), 24):
        print(*numbers[k : k + 24], sep=",", end=",\n")
    print("};")
