"""The version of the library, and how it was built."""

from __future__ import annotations

import ctypes

from ._library import library


def version() -> str:
    """The library's version, such as "0.1.0"."""
    return str(library.cs_version().decode())


def build_info() -> str:
    """How the library was built and what it runs on, one "key: value" per line."""
    pointer = library.cs_build_info()
    try:
        return ctypes.string_at(pointer).decode("utf-8", "replace")
    finally:
        library.g_free(pointer)
