"""Reads the files of format version 1 as docs/formats.md describes them, without help from the program.

regions() cuts a state file into named pieces. reseal_state() and reseal_manifest() change a file and correct its
checksums.
"""

import json
import struct

MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = (11400714785074694791, 14029467366897019727, 1609587929392839161,
                      9650029242287828579, 2870177450012600261)  # fmt: skip


def rotate(value, bits):
    return (value << bits | value >> (64 - bits)) & MASK


def mix(accumulator, lane):
    return rotate((accumulator + lane * P2) & MASK, 31) * P1 & MASK


def xxh64(data):
    """XXH64 with seed 0."""
    at, size = 0, len(data)
    if size >= 32:
        lanes = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
        while at + 32 <= size:
            lanes = [mix(a, lane) for a, lane in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        value = sum(rotate(a, bits) for a, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for a in lanes:
            value = ((value ^ mix(0, a)) * P1 + P4) & MASK
    else:
        value = P5
    value = (value + size) & MASK
    while at + 8 <= size:
        value = (rotate(value ^ mix(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4) & MASK
        at += 8
    if at + 4 <= size:
        value = (rotate(value ^ struct.unpack_from("<I", data, at)[0] * P1 & MASK, 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        value = rotate(value ^ byte * P5 & MASK, 11) * P1 & MASK
    value = (value ^ value >> 33) * P2 & MASK
    value = (value ^ value >> 29) * P3 & MASK
    return value ^ value >> 32


def regions(data, head=False):
    """The regions of an undamaged state file as [(name, start, end), ...]; with head, the text of its head instead."""
    length = struct.unpack_from("<I", data, 12)[0]
    if head:
        return data[16 : 16 + length]
    assert data[:8] == b"CSWSTATE", data[:8]
    found = [("magic", 0, 8), ("version", 8, 12), ("head length", 12, 16), ("head", 16, 16 + length),
             ("head checksum", 16 + length, 24 + length)]  # fmt: skip
    assert xxh64(data[: 16 + length]) == struct.unpack_from("<Q", data, 16 + length)[0], "the head's checksum"
    at, blocks, sums = 24 + length, 0, b""
    while data[at : at + 8] != b"CSWSTEND":
        cells, stored, checksum = struct.unpack_from("<IIQ", data, at)
        assert 1 <= cells <= 262144
        end = at + 16 + stored
        assert xxh64(data[at : at + 8] + data[at + 16 : end]) == checksum, f"the checksum of block {blocks}"
        names = ("cells", at, at + 4), ("stored bytes", at + 4, at + 8), ("checksum", at + 8, at + 16)
        found += [(f"block {blocks} {name}", start, stop) for name, start, stop in (*names, ("frame", at + 16, end))]
        sums += data[at + 8 : at + 16]
        at, blocks = end, blocks + 1
    assert struct.unpack_from("<QQ", data, at + 8) == (blocks, xxh64(sums)), "the end"
    assert len(data) == at + 24, "bytes after the end"
    return found + [("end", at, at + 8), ("count", at + 8, at + 16), ("checksum of checksums", at + 16, at + 24)]


class Number(float):
    """A number with a fraction, kept as it was written."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number


def load(text):
    return json.loads(text, parse_float=Number)


def compact(value):
    """Writes JSON as jansson does with JSON_COMPACT | JSON_SORT_KEYS."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{compact(key)}:{compact(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(compact(item) for item in value) + "]"
    return value.text if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)


def reseal_manifest(data, **changes):
    manifest = load(data) | changes
    manifest.pop("checksum", None)
    manifest["checksum"] = f"{xxh64(compact(manifest).encode()):016x}"
    return compact(manifest).encode()


def reseal_state(data, version=1, head=None):
    """The state with another version, or other values in its head."""
    length = struct.unpack_from("<I", data, 12)[0]
    text = data[16 : 16 + length]
    if head is not None or version != 1:
        text = compact(load(text) | {"version": version} | (head or {})).encode()
    start = data[:8] + struct.pack("<II", version, len(text)) + text
    return start + struct.pack("<Q", xxh64(start)) + data[24 + length :]
