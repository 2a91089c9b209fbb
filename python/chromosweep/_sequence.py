"""Nucleotide sequences."""

from __future__ import annotations

import ctypes
import logging
import os
import weakref
from typing import Any, Optional, Tuple, Union

from ._arguments import Path, optional_bytes, path_bytes, text_bytes
from ._errors import UsageError
from ._library import call, library, text
from ._records import Record

_logger = logging.getLogger("chromosweep")


class Sequence:
    """One record of a FASTA file, or bases in memory; it never changes.

    Case is ignored and U is read as T. N and the other IUPAC ambiguity codes match nothing, not even
    themselves. Memory: one byte per base. Use :meth:`load` or :meth:`from_bases` to make one.
    """

    def __init__(self) -> None:
        raise TypeError("use Sequence.load() or Sequence.from_bases()")

    @classmethod
    def _take(cls, pointer: Any) -> Sequence:
        sequence = cls.__new__(cls)
        sequence._pointer = pointer
        weakref.finalize(sequence, library.cs_sequence_unref, pointer).atexit = False
        return sequence

    _pointer: Any

    @classmethod
    def load(
        cls, path: Path, name: Optional[str] = None, *, region: Optional[str] = None
    ) -> Sequence:
        """Loads a record or a region of one.

        :param path: a FASTA file, plain, gzip or bgzip; "-" is standard input
        :param name: the record to take, by the first word of its header; ``None`` takes the only one
        :param region: what to load, instead of ``name``: "NAME", "NAME:FROM-TO" (1-based, both included),
            "NAME:FROM-", or the same with "{NAME}" for names that could be taken for a region. A region that
            ends past the record's end is clipped, and the logger ``chromosweep`` gets a warning
        :raises Error: if the file cannot be read
        :raises ContentError: if the file is malformed, if it has several records and none was chosen, if it
            does not have exactly one record of that name, or if the region begins past the record's end
        :raises UsageError: if the region makes no sense
        """
        file = path_bytes("a file's name", path)
        if region is None:
            return cls._take(call(library.cs_sequence_load, file, optional_bytes("name", name)))
        if name is not None:
            raise UsageError("name and region cannot be used together")
        part = text_bytes("region", region)
        sequence = cls._take(call(library.cs_sequence_load_region, file, part))
        if sequence.clipped:
            _logger.warning(
                "%s: the region %r ends %d bases past the record's end, where it is clipped",
                sequence.file, region, sequence.clipped,
            )  # fmt: skip
        return sequence

    @classmethod
    def from_bases(cls, name: str, bases: Union[str, bytes, bytearray, memoryview]) -> Sequence:
        """Makes a sequence from IUPAC nucleotide codes, in either case and without white space.

        :param name: its name in results and checkpoints
        :raises ContentError: if a character is not a nucleotide code
        """
        if isinstance(bases, str):
            data = bases.encode("utf-8", "surrogateescape")
        elif isinstance(bases, (bytes, bytearray, memoryview)):
            data = bytes(bases)
        else:
            raise TypeError(f"bases must be str or bytes, not {type(bases).__name__}")
        named = text_bytes("name", name)
        return cls._take(call(library.cs_sequence_new, named, data, len(data)))

    @property
    def name(self) -> str:
        """The first word of its header; may be empty."""
        return text(library.cs_sequence_get_name(self._pointer)) or ""

    @property
    def file(self) -> Optional[str]:
        """The path it was loaded from; ``None`` if it was made in memory."""
        file: Optional[bytes] = library.cs_sequence_get_file(self._pointer)
        return None if file is None else os.fsdecode(file)

    @property
    def region(self) -> Optional[Tuple[int, int]]:
        """First and last base in the record, 1-based; ``None`` for the whole record."""
        offset = int(library.cs_sequence_get_offset(self._pointer))
        if len(self) == self._record_length:
            return None
        return (offset + 1, offset + len(self))

    @property
    def clipped(self) -> int:
        """How many bases the region asked for past the record's end; they are left out."""
        return int(library.cs_sequence_get_clipped(self._pointer))

    @property
    def ambiguous(self) -> int:
        """Number of bases that match nothing (N and other IUPAC codes)."""
        return int(library.cs_sequence_get_ambiguous(self._pointer))

    def __len__(self) -> int:
        """Number of bases, including ambiguous ones."""
        return int(library.cs_sequence_get_length(self._pointer))

    def __repr__(self) -> str:
        return f"<chromosweep.Sequence {self.name!r}, {len(self)} bases>"

    @property
    def _record_length(self) -> int:
        return int(library.cs_sequence_get_record_length(self._pointer))

    def _in_record(self, position: int) -> int:
        """A position behind the origin of a circular record, as one in the record."""
        length = self._record_length
        return position - length if position > length else position

    def _read(self, start: int, count: int, strand: int) -> str:
        """Bases of a strand, after so many."""
        bases = ctypes.create_string_buffer(count)
        library.cs_sequence_read(self._pointer, start, count, strand, bases)
        return bases.raw.decode("ascii")

    def _record(self) -> Record:
        return Record(self.file, self.name, len(self), self.region)
