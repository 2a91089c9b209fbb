"""Makes the schema of a result from the table of fields that print_result_fields prints."""

import json
import subprocess

TITLE = "Result of chromosweep compare and resume"
KINDS = {"whole": "integer", "real": "number", "text": "string", "region": "string"}
WIDTH = 120


def read_fields(program, table):
    """The fields of "result" or "align"."""
    run = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True)
    fields = [json.loads(line) for line in run.stdout.splitlines()]
    return [field for field in fields if field["table"] == table]


def value_schema(field):
    if field["constant"] is not None:
        return {"const": field["constant"]}
    if field["words"]:
        return {"enum": field["words"] + [None] * field["may_be_unknown"]}
    kind = KINDS[field["type"]]
    schema = {"type": [kind, "null"] if field["may_be_unknown"] else kind}
    if field["type"] in ("whole", "real"):
        schema["minimum"] = field["least"]
    if field["type"] == "region":
        schema["pattern"] = ":[0-9]+-[0-9]+$"
    return schema


def object_schema(properties):
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


def by_score(on_target, on_query):
    """Without an alignment, or where only a bound of the score is told, nothing is known of where it lies; otherwise at
    least its end in the target, and its start or end in the query. The arguments say where starts and ends are."""
    null, known = {"type": "null"}, {"type": "integer"}
    none = {"properties": {**on_target(null, null), **on_query(null, null)}}
    query = [{"properties": on_query(*place)} for place in ((known, {}), ({}, known))]
    some = {"properties": on_target({}, known), "anyOf": query}
    return {"if": {"properties": {"score": {"enum": [0, None]}}}, "then": none, "else": some}


def result_schema(fields):
    """Raises ValueError if target and query, or the strands, do not have the same form."""
    whole, parts = {}, {}
    for field in fields:
        if field["key"] is None:
            continue
        part, key, schema = field["object"], field["key"], value_schema(field)
        properties = whole if part is None else parts.setdefault(part, {})
        if properties.setdefault(key, schema) != schema:
            raise ValueError(f"{part}.{key} has two forms")
        if part is not None:
            whole[part] = {
                "strands": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"$ref": "#/$defs/strand"}},
                "scoring": None,
            }.get(part, {"$ref": "#/$defs/sequence"})
    whole["scoring"] = object_schema(parts.pop("scoring"))
    strand, sequence = parts.pop("strands"), parts.pop("target")
    if parts != {"query": sequence} or list(parts["query"]) != list(sequence):
        raise ValueError(f"target and {list(parts)} differ")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": TITLE,
        **object_schema(whole),
        **by_score(
            lambda start, end: {"target": {"properties": {"start": start, "end": end}}},
            lambda start, end: {"query": {"properties": {"start": start, "end": end}}},
        ),
        "$defs": {
            "sequence": object_schema(sequence),
            "strand": {
                **object_schema(strand),
                **by_score(
                    lambda start, end: {"target_start": start, "target_end": end},
                    lambda start, end: {"query_start": start, "query_end": end},
                ),
            },
        },
    }


def format_json(value, indent=0, used=0):
    """Writes an object on one line if it fits, otherwise with a key per line. Lists fill their lines."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or indent + used + len(line) < WIDTH:
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {format_json(item, indent + 2, len(key) + 5)}" for key, item in value.items()]
        return "{\n" + ",\n".join(inner + item for item in items) + "\n" + " " * indent + "}"
    rows = [inner]
    for k, item in enumerate(value):
        text = json.dumps(item, ensure_ascii=False) + "," * (k + 1 < len(value))
        if len(rows[-1]) + len(text) + 1 >= WIDTH and rows[-1] != inner:
            rows.append(inner)
        rows[-1] += text if rows[-1] == inner else " " + text
    return "[\n" + "\n".join(rows) + "\n" + " " * indent + "]"
