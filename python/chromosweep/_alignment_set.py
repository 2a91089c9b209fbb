"""Sets of alignments: which belong to one, and what it amounts to."""

from __future__ import annotations

import ctypes
from ctypes import byref
from dataclasses import dataclass
from typing import Any, Iterator, List, Tuple

from ._alignment import Alignment, alignments_of
from ._library import CsAlignSetSummary, gboolean, library
from ._sequence import Sequence


@dataclass(frozen=True)
class SetSummary:
    """What a set of alignments amounts to.

    The backbone is the series of alignments on one strand whose middles are in the same order in both sequences (on
    minus in opposite orders) and whose scores have the highest sum. Without duplications, its strand is the one with
    more columns.
    """

    alignments: int
    """How many there are."""
    target_covered: int
    """Bases of the target from the start of an alignment to its end, each counted once."""
    query_covered: int
    """The same of the query."""
    columns: int
    """Of all alignments."""
    matches: int
    """Of all alignments."""
    strand: str
    """The strand of the backbone, "+" or "-"."""
    inversions: int
    """Alignments on the other strand that are no duplications."""
    translocations: int
    """Alignments on ``strand`` that are no duplications, and not in the backbone either."""
    duplications: int
    """Alignments that share more than half of their bases, in the target or in the query, with ones before them."""

    @property
    def identity(self) -> float:
        """``matches`` / ``columns``, which is the identity weighted by length; 0 for an empty set."""
        return self.matches / self.columns if self.columns else 0.0


@dataclass(frozen=True)
class AlignmentSet:
    """A set of alignments, which may be empty. ``len()`` and iteration are those of ``alignments``."""

    alignments: List[Alignment]
    """In the order in which they are found, highest score first; pieces of one alignment together, by score."""
    secondary: List[bool]
    """Whether each repeats others: whether more than half of its bases in the query lie between the start and the end
    of primary ones before it. minimap2 tells secondary alignments from primary ones in this way."""
    summary: SetSummary
    """What the set amounts to."""

    def __iter__(self) -> Iterator[Alignment]:
        return iter(self.alignments)

    def __len__(self) -> int:
        return len(self.alignments)


def _summary_of(array: Any) -> SetSummary:
    it = CsAlignSetSummary()
    library.cs_align_set_summarise(array, byref(it))
    return SetSummary(
        alignments=it.alignments,
        target_covered=it.target_covered,
        query_covered=it.query_covered,
        columns=it.columns,
        matches=it.matches,
        strand="+-"[it.strand],
        inversions=it.inversions,
        translocations=it.translocations,
        duplications=it.duplications,
    )


def _secondary_of(array: Any) -> List[bool]:
    pointer = library.cs_align_set_secondary(array)
    try:
        flags = ctypes.cast(pointer, ctypes.POINTER(gboolean))
        return [bool(flags[k]) for k in range(array.contents.len)]
    finally:
        library.g_free(pointer)


def alignment_set_of(
    array: Any, targets: Tuple[Sequence, ...], queries: Tuple[Sequence, ...]
) -> AlignmentSet:
    """Makes a set from a GPtrArray of CsAlignment, which is freed."""
    try:
        return AlignmentSet(
            alignments_of(array, targets, queries, None), _secondary_of(array), _summary_of(array)
        )
    finally:
        library.g_ptr_array_unref(array)
