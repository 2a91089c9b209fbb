#!/usr/bin/env python3
"""run.py [--regenerate] SCHEMAS FORMATS.md PROGRAM FIELDS: does the program's output fit the JSON schemas? Emits TAP.

SCHEMAS is the folder of NAME.schema.json. FORMATS.md is the page that must name every key of the schemas. Each schema
needs at least one line in OUTPUTS. The first number that the page has after the name of a format is its version.
FIELDS is print_result_fields; the schema of a result must be made from its table. --regenerate makes it.
"""

import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema

import result_schema

# A schema, and a shell line whose output must fit it, run in a folder with the files below. Every line of output that
# begins with { counts.
OUTPUTS = [
    ("result", "chromosweep compare --format json a.fa b.fa"),
    ("result", "chromosweep compare --format json --strand minus a.fa b.fa"),
    ("result", "chromosweep compare --format json --strand both -r a:11-90 -R '{b:c}:21-' a.fa b.fa"),
    ("result", "chromosweep compare --format json --strand both a.fa none.fa"),
    ("result", "chromosweep compare --format json --match 2 --mismatch 0 --gap-open 0 --gap-extend 1 a.fa - < b.fa"),
    ("result", "chromosweep compare --format json --checkpoint run a.fa b.fa && chromosweep resume run"),
    ("result", "chromosweep compare --format json --engine scalar a.fa strange.fa"),
    ("result", "for skip in none best bounds; do chromosweep compare --format json --skip $skip a.fa b.fa; done"),
    ("result", "cat a.fa b.fa > both.fa && chromosweep compare --all-pairs --format json both.fa both.fa"),
    ("align", "chromosweep align --format json a.fa b.fa"),
    ("align", "chromosweep align --format json --cigar m --strand both -r a:11-90 -R '{b:c}:21-' a.fa b.fa"),
    ("align", "chromosweep align --format json --strand minus a.fa b.fa; chromosweep align --format json a.fa none.fa"),
    ("align", "chromosweep align --format json a.fa strange.fa"),
    ("align", "sed '2s/^\\(.\\{60\\}\\)..../\\1/' a.fa > c.fa && chromosweep align --format json --max-drop 9 a.fa c.fa"),
    ("align-set", "chromosweep align --one-to-one -n 9 --format json a.fa b.fa"),
    ("align-set", "chromosweep align --one-to-one --min-score 20 --cigar m --format json -r a:11-90 -R '{b:c}:21-' a.fa b.fa"),
    ("align-set", "chromosweep align --one-to-one --min-score 20 --format json a.fa none.fa"),
    ("align-set", "chromosweep align --all -n 5 --format json a.fa b.fa"),
    ("align-set", "chromosweep align --all-pairs --one-to-one -n 5 --format json a.fa b.fa"),
    ("align-set", "chromosweep align --all --self --min-score 20 --format json a.fa a.fa"),
    ("info", "chromosweep compare --checkpoint run --format json -o out a.fa b.fa && chromosweep info --format json run"),
    ("info", "chromosweep compare --checkpoint run --strand both -r a:5-80 a.fa b.fa && chromosweep info --format json run"),
    ("info", "chromosweep align --checkpoint run -o out.bam a.fa b.fa && chromosweep info --format json run"),
    ("info", "chromosweep align --one-to-one --min-score 9 --checkpoint run -o out.paf a.fa b.fa && "
             "chromosweep info --format json run"),
    ("info", "chromosweep align --all -n 3 --self --checkpoint run -o out.paf a.fa a.fa && "
             "chromosweep info --format json run"),
    ("info", "chromosweep compare --checkpoint run a.fa none.fa && chromosweep info --format json run"),
    ("info", "chromosweep compare --checkpoint run a.fa - < b.fa && chromosweep info --format json run"),
    ("info", "chromosweep compare --checkpoint run a.fa b.fa && truncate -s -1 run/*1.state; "
             "chromosweep info --format json run"),
    ("info", "chromosweep compare --checkpoint run --strand both a.fa b.fa && echo > run/manifest.json; "
             "chromosweep info --format json run"),
    ("progress", "chromosweep compare --progress json -o out a.fa b.fa 2>&1"),
    ("progress", "chromosweep compare --progress json --strand both --engine scalar --threads 1 --checkpoint run "
                 "--checkpoint-interval 1s --max-time 3s long.fa long.fa 2>&1"),
    ("progress", "chromosweep compare --progress json a.fa none.fa 2>&1"),
    ("progress", "cat a.fa b.fa > both.fa; chromosweep compare --progress json --all-pairs both.fa both.fa 2>&1"),
    ("plan", "chromosweep plan --all -n 5 --format json a.fa b.fa"),
    ("plan", "chromosweep plan --one-to-one --min-score 9 --checkpoint run --format json a.fa b.fa"),
    ("plan", "chromosweep plan --format json a.fa b.fa"),
    ("plan", "for skip in none best bounds; do chromosweep plan --format json --skip $skip a.fa b.fa; done"),
    ("plan", "chromosweep plan --format json --checkpoint run -o out --strand both -r a:11-90 a.fa - < b.fa"),
    ("plan", "chromosweep compare --checkpoint run a.fa b.fa && chromosweep plan --format json --checkpoint run a.fa b.fa"),
    ("plan", "chromosweep plan --format json --engine scalar --checkpoint run --max-time 1s long.fa long.fa"),
    ("plan", "cat a.fa b.fa > both.fa; chromosweep plan --format json --all-pairs --checkpoint run both.fa both.fa"),
    ("search", "chromosweep search --format json a.fa b.fa"),
    ("search", "chromosweep search --format json --align --strand minus b.fa a.fa"),
    ("search", "chromosweep search --format json --align --type protein b.fa a.fa"),
    ("search", "chromosweep search --format json strange.fa a.fa"),
    ("search-info", "chromosweep search --checkpoint run -o out a.fa b.fa && chromosweep info --format json run"),
    ("search-info", "cat b.fa | chromosweep search --checkpoint run -o out a.fa - && chromosweep info --format json run"),
    ("search-plan", "chromosweep plan search --format json --checkpoint run a.fa b.fa"),
    ("search-progress", "chromosweep search --progress json -o out a.fa b.fa 2>&1"),
    ("search-progress", "cat b.fa | chromosweep search --progress json -o out a.fa - 2>&1"),
    ("identity", "chromosweep identity --format json family.fa"),
    ("identity", "chromosweep identity --format json --align --type protein -q --min-identity 0.1 family.fa a.fa"),
    ("identity-info", "chromosweep identity -q --checkpoint run -o out family.fa && chromosweep info --format json run"),
    ("identity-info", "cat a.fa | chromosweep identity -q --align --min-identity 0.5 --checkpoint run -o out family.fa - && "
                      "chromosweep info --format json run"),
    ("identity-plan", "chromosweep plan identity --format json --checkpoint run family.fa"),
    ("identity-plan", "chromosweep plan identity --format json --min-identity 0.5 family.fa a.fa"),
    ("identity-progress", "chromosweep identity --progress json -o out family.fa 2>&1"),
    ("devices", "chromosweep devices --format json"),
    ("devices", "chromosweep devices --format json --test --device cpu"),
]
BASES = "ACGTTGCAACCTGATCGATTACAGGCATNNCGATCATTAGCGACTACGATCAGCATCACGTACGACTTTAGCACGGCATCAGCATCGCA" * 2
FILES = {
    "a.fa": f">a\n{BASES}\n".encode(),
    "b.fa": f">b:c\n{BASES[30:130]}\n".encode(),
    "long.fa": b">long\n" + b"ACGTTGCAAC" * 5000 + b"\n",
    "none.fa": b">none\nNNNN\n",
    "family.fa": f">one\n{BASES}\n>two\n{BASES[5:]}\n>three\n{BASES[:60]}\n".encode(),
    "strange.fa": b">\xff\"\\ what follows is no name\nACGT\n",
}


class Tap:
    """Counts the tests and prints their lines."""

    def __init__(self):
        self.count = self.failures = 0

    def test(self, what, faults):
        self.count += 1
        self.failures += bool(faults)
        print("not ok" if faults else "ok", self.count, "-", what.replace("#", "No."), flush=True)
        for fault in faults:
            print("#  ", str(fault).replace("\n", "\n#   "), flush=True)


def objects(schema):
    """The schemas within this one that describe objects, and so name keys."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


def open_ends(schema, page):
    """Objects that would accept any key, and keys that may be missing or that the page does not name."""
    for part in objects(schema):
        keys = list(part.get("properties", {}))
        if part.get("additionalProperties") is not False:
            yield f"an object with {keys} takes other keys"
        if part.get("required") != keys:
            yield f"an object with {keys} requires {part.get('required')}"
        for key in keys:
            if not re.search(rf"`([a-z_]+\.)?{key}`", page):
                yield f"no page has {key}"


def check_version(schema, page):
    """Whether the page has the schema's version of the format."""
    name, version = (schema["properties"][key]["const"] for key in ("format", "version"))
    told = re.search(rf"`{name}`[^0-9]*([0-9]+)", page)
    if told is None or int(told[1]) != version:
        yield f"the page says that {name} has version {told and told[1]}, and the schema {version}"


def variants(value):
    """Copies of the value with one key more or one key less, in each of its objects."""
    if isinstance(value, dict):
        yield {**value, "unheard_of": 0}
        for key in value:
            yield {other: value[other] for other in value if other != key}
            for variant in variants(value[key]):
                yield {**value, key: variant}
    elif isinstance(value, list):
        for k, item in enumerate(value):
            for variant in variants(item):
                yield [*value[:k], variant, *value[k + 1 :]]


def outputs(line, environment):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            pathlib.Path(folder, name).write_bytes(text)
        run = subprocess.run(["sh", "-c", line], cwd=folder, env=environment, stdout=subprocess.PIPE)
    return [json.loads(text) for text in run.stdout.decode().splitlines() if text.startswith("{")]


def check_outputs(schema, line, environment):
    """The faults in the output of the line."""
    validator = jsonschema.Draft202012Validator(schema)
    printed = outputs(line, environment)
    if not printed:
        yield "it prints no object"
    for value in printed:
        yield from (f"{error.json_path}: {error.message}" for error in validator.iter_errors(value))
        for variant in variants(copy.deepcopy(value)):
            if validator.is_valid(variant):
                yield f"this is let through, too: {json.dumps(variant)}"


def check_schema(schema, page):
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        yield error
        return
    yield from open_ends(schema, page)


def check_fields(fields, page):
    """The fields of a result that are missing in the page's table."""
    table = "".join(line for line in page.splitlines(True) if line.startswith("| "))
    for field in fields:
        part = field["object"]
        key = field["key"] if part in (None, "strands") else f"{part}.{field['key']}"
        for name in filter(None, (key, field["column"])):
            if f"`{name}`" not in table:
                yield f"no table has {name}"


def check_aligned(fields, schema, page):
    """Fields of an alignment that the schema does not have where they belong, or that the page leaves out."""
    table = "".join(line for line in page.partition("**JSON** is")[2].splitlines(True) if line.startswith("| "))
    sequence = schema["$defs"]["sequence"]
    parts = {None: schema, "target": sequence, "query": sequence, "statistics": schema["$defs"]["statistics"],
             "scoring": schema["properties"]["scoring"]}
    for field in fields:
        if field["key"] and field["key"] not in parts[field["object"]]["properties"]:
            yield f"the schema has no {field['key']}"
        for name in filter(None, (field["key"], field["column"])):
            if f"`{name}`" not in table:
                yield f"no table has {name}"


def check_made(schema, made):
    """Whether the shipped schema is the one that is made, with the same order of keys."""
    if json.dumps(schema) != json.dumps(made):
        yield "it is not what the table of fields says: run this with --regenerate and read the difference"


def main():
    regenerate = sys.argv[1] == "--regenerate"
    schemas, page, program, table = map(pathlib.Path, sys.argv[1 + regenerate :])
    page = page.read_text(encoding="utf-8")
    fields = result_schema.read_fields(table, "result")
    aligned = result_schema.read_fields(table, "align")
    made = result_schema.result_schema(fields)
    if regenerate:
        text = result_schema.format_json(made) + "\n"
        (schemas / "result.schema.json").write_text(text, encoding="utf-8")
    tap = Tap()
    shipped = json.loads((schemas / "result.schema.json").read_text(encoding="utf-8"))
    tap.test("the schema of a result is made from the table of fields", list(check_made(shipped, made)))
    tap.test("the table of fields stands in the page", list(check_fields(fields, page)))
    align = json.loads((schemas / "align.schema.json").read_text(encoding="utf-8"))
    tap.test("the fields of an alignment stand in its schema and in the page", list(check_aligned(aligned, align, page)))
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(program.resolve(), pathlib.Path(folder, "chromosweep"))
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        for file in sorted(schemas.iterdir()):
            name = file.name.removesuffix(".schema.json")
            schema = json.loads(file.read_text(encoding="utf-8"))
            lines = [line for what, line in OUTPUTS if what == name]
            tap.test(f"{file.name} is a schema, and closed", list(check_schema(schema, page)))
            tap.test(f"{file.name} has the version that the page tells", list(check_version(schema, page)))
            tap.test(f"{file.name} has outputs that are tried", [] if lines else ["none"])
            for line in lines:
                tap.test(line, list(check_outputs(schema, line, environment)))
    print(f"1..{tap.count}")
    return 1 if tap.failures else 0


sys.exit(main())
