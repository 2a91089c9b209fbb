"""Converts Python's values to C's. Checks them, because ctypes cuts numbers that are too large without an error."""

from __future__ import annotations

import operator
import os
from typing import Optional, SupportsIndex, Union

from ._errors import UsageError

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
"""The name of a file or a folder."""

UINT_MAX = 2**32 - 1
INT64_MAX = 2**63 - 1


def _whole(what: str, value: bytes) -> bytes:
    if b"\0" in value:
        raise UsageError(f"{what} contains a NUL character")
    return value


def path_bytes(what: str, path: Path) -> bytes:
    value = _whole(what, os.fsencode(path))
    if not value:
        raise UsageError(f"{what} is empty")
    return value


def text_bytes(what: str, value: str) -> bytes:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, not {type(value).__name__}")
    return _whole(what, value.encode("utf-8", "surrogateescape"))


def optional_bytes(what: str, value: Optional[str]) -> Optional[bytes]:
    return None if value is None else text_bytes(what, value)


def integer(what: str, value: SupportsIndex, least: int, most: int) -> int:
    number = operator.index(value)
    if not least <= number <= most:
        raise UsageError(f"{what} must be a whole number from {least} to {most}, not {number}")
    return number
