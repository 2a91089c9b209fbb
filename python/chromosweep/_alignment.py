"""The best alignment itself: where it starts and ends, and its runs of pairs and gaps."""

from __future__ import annotations

import ctypes
from ctypes import byref
from dataclasses import dataclass
from typing import Any, Iterator, List, Optional, Tuple

from ._library import CsAlignmentIter, CsAlignmentRun, library
from ._results import Result


@dataclass(frozen=True)
class Alignment:
    """The best local alignment. If several are equally good, gaps are as far left in the target as possible."""

    score: int
    """Score of the alignment, above 0."""
    strand: str
    """Strand of the query: "+", or "-" for the reverse complement."""
    target_start: int
    """The first aligned base of the target, 1-based in the whole record."""
    target_end: int
    """The last aligned base of the target, at least ``target_start``."""
    query_start: int
    """The first aligned base of the query on its forward strand. On minus the alignment reads from
    ``query_end`` down to ``query_start``."""
    query_end: int
    """The last aligned base of the query, at least ``query_start``."""
    columns: int
    """Number of pairs and unpaired bases."""
    matches: int
    """Number of pairs of equal bases."""
    mismatches: int
    """Number of all other pairs."""
    ambiguous: int
    """Number of mismatches with an N or another ambiguous base."""
    insertions: int
    """Number of gaps with unpaired query bases."""
    inserted: int
    """Number of bases in the insertions."""
    deletions: int
    """Number of gaps with unpaired target bases."""
    deleted: int
    """Number of bases in the deletions."""
    runs: List[Tuple[int, str]]
    """Lengths and operations as in a CIGAR, along the forward strand of the target: "=" equal bases, "X"
    mismatches, "I" an insertion, "D" a deletion."""
    result: Result
    """What :func:`compare` returns for the same sequences."""

    @property
    def cigar(self) -> str:
        """The runs as a CIGAR."""
        return "".join(f"{length}{op}" for length, op in self.runs)

    def aligned_pairs(self) -> Iterator[Tuple[Optional[int], Optional[int]]]:
        """Yields the positions of each column, target first, 1-based; ``None`` where a sequence has a gap."""
        minus = self.strand == "-"
        t, q = self.target_start, self.query_end if minus else self.query_start
        for length, op in self.runs:
            for _ in range(length):
                yield t if op != "I" else None, q if op != "D" else None
                t += op != "I"
                q += (op != "D") * (-1 if minus else 1)


def _runs_of(pointer: Any) -> List[Tuple[int, str]]:
    it, run = CsAlignmentIter(), CsAlignmentRun()
    runs = []
    library.cs_alignment_iter_init(byref(it), pointer)
    while library.cs_alignment_iter_next(byref(it), byref(run)):
        runs.append((run.length, run.op.decode()))
    library.cs_alignment_iter_clear(byref(it))
    return runs


def alignment_of(pointer: ctypes.c_void_p, result: Result) -> Optional[Alignment]:
    """Makes an alignment from a CsAlignment, which may be NULL and is freed."""
    if not pointer:
        return None
    try:
        it = library.cs_alignment_get_summary(pointer).contents
        return Alignment(
            score=it.score,
            strand="+-"[it.strand],
            target_start=it.target_start,
            target_end=it.target_end,
            query_start=it.query_start,
            query_end=it.query_end,
            columns=it.columns,
            matches=it.matches,
            mismatches=it.mismatches,
            ambiguous=it.ambiguous,
            insertions=it.insertions,
            inserted=it.inserted,
            deletions=it.deletions,
            deleted=it.deleted,
            runs=_runs_of(pointer),
            result=result,
        )
    finally:
        library.cs_alignment_free(pointer)
