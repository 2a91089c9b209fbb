"""Alignments themselves: where they start and end, and their runs of pairs and gaps."""

from __future__ import annotations

import ctypes
from ctypes import byref
from dataclasses import dataclass, field, replace
from typing import Any, Iterator, List, Optional, Tuple

from ._library import (
    CS_STRAND_MINUS,
    CS_STRAND_PLUS,
    CsAlignmentDrop,
    CsAlignmentIter,
    CsAlignmentRun,
    call,
    library,
)
from ._results import Result
from ._sequence import Sequence


@dataclass(frozen=True)
class Drop:
    """A stretch of an alignment in which the score falls far."""

    target_start: int
    """The first base of the target in it, 1-based in the whole record."""
    target_end: int
    """The last one; ``target_start`` - 1 if it has none."""
    query_start: int
    """The same of the query, on its forward strand."""
    query_end: int
    score: int
    """Of the stretch alone, below 0."""


@dataclass(frozen=True)
class Alignment:
    """A local alignment. If several are equally good, gaps are as far left in the target as possible."""

    score: int
    """Score of the alignment, above 0."""
    strand: str
    """Strand of the query: "+", or "-" for the reverse complement."""
    target_start: int
    """The first aligned base of the target, 1-based in the whole record."""
    target_end: int
    """The last aligned base of the target; less than ``target_start`` if the alignment runs over the origin of a
    circular target."""
    query_start: int
    """The first aligned base of the query on its forward strand. On minus the alignment reads from
    ``query_end`` down to ``query_start``."""
    query_end: int
    """The last aligned base of the query; less than ``query_start`` over the origin of a circular query."""
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
    runs: List[Tuple[int, str]] = field(repr=False)
    """Lengths and operations as in a CIGAR, along the forward strand of the target: "=" equal bases, "X"
    mismatches, "I" an insertion, "D" a deletion."""
    result: Optional[Result]
    """What :func:`compare` returns for the same sequences; ``None`` in a set."""
    pieces: List[Alignment]
    """With ``max_drop``, the pieces between the drops, in the order of the target, at least one; else empty. Each
    begins and ends with a match, has no such drop within, and scores more than ``max_drop``, unless it is the
    whole alignment."""
    drops: List[Drop]
    """With ``max_drop``, where the score falls by more than that; else empty."""
    _sequences: Tuple[Sequence, Sequence] = field(repr=False, compare=False)
    target_number: int = 0
    """The place of its target in the list given to :func:`align_set`, from 0; 0 if there was only one."""
    query_number: int = 0
    """The same of the query."""

    @property
    def cigar(self) -> str:
        """The runs as a CIGAR."""
        return "".join(f"{length}{op}" for length, op in self.runs)

    def aligned_pairs(self) -> Iterator[Tuple[Optional[int], Optional[int]]]:
        """Yields the positions of each column, target first, 1-based; ``None`` where a sequence has a gap."""
        minus = self.strand == "-"
        last_target, last_query = (sequence._record_length for sequence in self._sequences)
        t, q = self.target_start, self.query_end if minus else self.query_start
        for length, op in self.runs:
            for _ in range(length):
                yield t if op != "I" else None, q if op != "D" else None
                t += op != "I"
                q += (op != "D") * (-1 if minus else 1)
                t = t if t <= last_target else 1
                q = (q if q <= last_query else 1) or last_query

    def gapped(self) -> Tuple[str, str]:
        """Both sequences as they are aligned, target first, with "-" in gaps. Ambiguous bases are N; on minus
        the query is its reverse complement."""
        target, query = self._sequences
        minus = self.strand == "-"
        a = _read_around(target, self.target_start, self.target_end, CS_STRAND_PLUS)
        b = _read_around(
            query, self.query_start, self.query_end, CS_STRAND_MINUS if minus else CS_STRAND_PLUS
        )
        rows: Tuple[List[str], List[str]] = ([], [])
        t = q = 0
        for length, op in self.runs:
            rows[0].append("-" * length if op == "I" else a[t : t + length])
            rows[1].append("-" * length if op == "D" else b[q : q + length])
            t += length if op != "I" else 0
            q += length if op != "D" else 0
        return "".join(rows[0]), "".join(rows[1])


def _offset(sequence: Sequence) -> int:
    return sequence.region[0] - 1 if sequence.region is not None else 0


def _read_around(sequence: Sequence, start: int, end: int, strand: int) -> str:
    """The bases from one to another, over the origin if the other comes first."""
    if start > end:
        parts = [
            _read_around(sequence, start, len(sequence), strand),
            _read_around(sequence, 1, end, strand),
        ]
        return "".join(reversed(parts) if strand == CS_STRAND_MINUS else parts)
    before = start - 1 - _offset(sequence)
    if strand == CS_STRAND_MINUS:
        before = len(sequence) - (end - _offset(sequence))
    return sequence._read(before, end - start + 1, strand)


def _runs_of(pointer: Any) -> List[Tuple[int, str]]:
    it, run = CsAlignmentIter(), CsAlignmentRun()
    runs = []
    library.cs_alignment_iter_init(byref(it), pointer)
    while library.cs_alignment_iter_next(byref(it), byref(run)):
        runs.append((run.length, run.op.decode()))
    library.cs_alignment_iter_clear(byref(it))
    return runs


def _drops_of(
    pointer: Any, max_drop: int, sequences: Tuple[Sequence, Sequence]
) -> List[Drop]:
    target, query = sequences
    array = library.cs_alignment_drops(pointer, max_drop)
    try:
        count = array.contents.len
        drops = (CsAlignmentDrop * count).from_address(array.contents.data) if count else ()
        return [
            Drop(
                target._in_record(d.target_start),
                target._in_record(d.target_end),
                query._in_record(d.query_start),
                query._in_record(d.query_end),
                d.score,
            )
            for d in drops
        ]
    finally:
        library.g_array_unref(array)


def _copy(
    pointer: Any,
    sequences: Tuple[Sequence, Sequence],
    result: Optional[Result],
    pieces: List[Alignment],
    drops: List[Drop],
) -> Alignment:
    it = library.cs_alignment_get_summary(pointer).contents
    target, query = sequences
    return Alignment(
        score=it.score,
        strand="+-"[it.strand],
        target_start=target._in_record(it.target_start),
        target_end=target._in_record(it.target_end),
        query_start=query._in_record(it.query_start),
        query_end=query._in_record(it.query_end),
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
        pieces=pieces,
        drops=drops,
        _sequences=sequences,
    )


def alignments_of(
    array: Any, targets: Tuple[Sequence, ...], queries: Tuple[Sequence, ...], result: Optional[Result]
) -> List[Alignment]:
    """Makes alignments from a GPtrArray of CsAlignment, which stays as it is."""
    found = []
    for k in range(array.contents.len):
        pointer, target, query = array.contents.pdata[k], ctypes.c_uint(), ctypes.c_uint()
        library.cs_alignment_get_records(pointer, byref(target), byref(query))
        sequences = targets[target.value], queries[query.value]
        one = _copy(pointer, sequences, result, [], [])
        found.append(replace(one, target_number=target.value, query_number=query.value))
    return found


def _pieces_of(
    pointer: Any, max_drop: int, sequences: Tuple[Sequence, Sequence], result: Result
) -> List[Alignment]:
    array = call(library.cs_alignment_cut, pointer, max_drop)
    try:
        target, query = sequences
        return alignments_of(array, (target,), (query,), result)
    finally:
        library.g_ptr_array_unref(array)


def alignment_of(
    pointer: ctypes.c_void_p,
    target: Sequence,
    query: Sequence,
    result: Result,
    max_drop: Optional[int],
) -> Optional[Alignment]:
    """Makes an alignment from a CsAlignment, which may be NULL and is freed."""
    if not pointer:
        return None
    sequences = target, query
    try:
        pieces, drops = [], []
        if max_drop is not None:
            pieces = _pieces_of(pointer, max_drop, sequences, result)
            drops = _drops_of(pointer, max_drop, sequences)
        return _copy(pointer, sequences, result, pieces, drops)
    finally:
        library.cs_alignment_free(pointer)
