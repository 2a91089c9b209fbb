#!/usr/bin/env python3
"""check_paths.py PAGE.md...: does every file that a page names exist?

Looks at links and at text in backquotes, outside blocks of code, if it is clearly a path of the source
tree: it ends like one of our files, or it is below a folder that exists. Paths are relative to the page's
folder or to the top of the tree, where this must be run. Build products and paths outside the source tree
are ignored.
"""

import pathlib
import re
import sys

ENDINGS = {".build", ".c", ".h", ".json", ".md", ".py", ".sh", ".toml", ".tsv", ".txt"}


def paths_named(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^    .*$", "", text, flags=re.MULTILINE)
    for name in re.findall(r"`([^`\n]+)`|\]\(([^)#\s]+)", text):
        name = name[0] or name[1]
        if re.fullmatch(r"[\w.-]+(/[\w.-]+)*/?", name):
            yield name


def is_ours(name, folders):
    parts = name.split("/")
    if name == "." or ".." in parts or parts[0].startswith("build") or parts[0].isupper():  # DIR/...
        return False
    if "/" in name and any((folder / parts[0]).is_dir() for folder in folders):
        return True
    return pathlib.PurePosixPath(name).suffix in ENDINGS


def main():
    missing = []
    for page in map(pathlib.Path, sys.argv[1:]):
        folders = [page.parent, pathlib.Path(".")]
        for name in paths_named(page.read_text(encoding="utf-8")):
            if is_ours(name, folders) and not any((folder / name).exists() for folder in folders):
                missing.append(f"{page}: there is no {name}")
    print(*missing, sep="\n", end="\n" if missing else "")
    return 1 if missing else 0


sys.exit(main())
