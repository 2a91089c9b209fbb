"""Searches: the records of a database that are most like each query."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Iterator, List, Optional

from ._arguments import INT64_MAX, Path, integer, path_bytes
from ._errors import UsageError
from ._library import CS_ALPHABET_PROTEIN, CsSearchHit, CsSearchOptions, gint64, library, text
from ._options import STRANDS
from ._run import Run, choice, members


@dataclass(frozen=True)
class Hit:
    """A record of the database that is similar to a query. Positions are 1-based, on the forward strands."""

    query: str
    """Name of the query."""
    query_number: int
    """Its number in the file, from 1."""
    query_length: int
    """Its letters."""
    target: str
    """Name of the record."""
    target_number: int
    """Its number in the database, from 1."""
    target_length: int
    """Its letters."""
    score: int
    """Of the best local alignment of the two."""
    bits: Optional[float]
    """The score in bits; ``None`` without constants for the scoring."""
    evalue: Optional[float]
    """How many records with this score are expected by chance; ``None`` without constants for the scoring."""
    strand: str
    """Of the query, "+" or "-"; always "+" for proteins."""
    target_start: int
    target_end: int
    query_start: int
    query_end: int
    cigar: Optional[str]
    """The alignment along the target, with =, X, I and D; here and below ``None`` without ``align=True``."""
    columns: Optional[int]
    """Of the alignment: pairs and unpaired letters."""
    matches: Optional[int]
    """Pairs of equal letters."""
    gap_openings: Optional[int]
    """Gaps."""

    @property
    def identity(self) -> Optional[float]:
        """``matches`` / ``columns``."""
        return None if self.columns is None or self.matches is None else self.matches / self.columns


@dataclass(frozen=True)
class SearchResult:
    """What a search found. ``len()`` and iteration are those of ``hits``."""

    hits: List[Hit]
    """Those of the first query first, the best one of each first."""
    type: str
    """What the sequences are, "protein" or "nucleotide"."""
    queries: int
    """How many there were."""
    records: int
    """Of the database."""
    letters: int
    """Of the database."""
    matrix: Optional[str]
    """Name of the matrix, or its file; ``None`` for nucleotides."""
    gap_open: int
    """What a gap cost in addition to its letters."""
    gap_extend: int
    """What each letter of a gap cost."""

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)


def _name(value: Optional[bytes]) -> str:
    return text(value) or ""


def _hit_of(it: CsSearchHit) -> Hit:
    known, aligned = it.evalue >= 0, it.cigar is not None
    return Hit(
        query=_name(it.query),
        query_number=it.query_number,
        query_length=it.query_length,
        target=_name(it.target),
        target_number=it.target_number,
        target_length=it.target_length,
        score=it.score,
        bits=it.bits if known else None,
        evalue=it.evalue if known else None,
        strand="+-"[it.strand],
        target_start=it.target_start,
        target_end=it.target_end,
        query_start=it.query_start,
        query_end=it.query_end,
        cigar=text(it.cigar),
        columns=it.columns if aligned else None,
        matches=it.matches if aligned else None,
        gap_openings=it.gap_openings if aligned else None,
    )


def _result_of(pointer: Any) -> SearchResult:
    """Makes a result from a CsSearch, which is freed."""
    try:
        count = gint64()
        hits = library.cs_search_get_hits(pointer, ctypes.byref(count))
        summary = library.cs_search_get_summary(pointer).contents
        return SearchResult(
            hits=[_hit_of(hits[k]) for k in range(count.value)],
            type="protein" if summary.alphabet == CS_ALPHABET_PROTEIN else "nucleotide",
            queries=summary.queries,
            records=summary.records,
            letters=summary.letters,
            matrix=text(summary.matrix),
            gap_open=summary.gap_open,
            gap_extend=summary.gap_extend,
        )
    finally:
        library.cs_search_free(pointer)


def search(
    queries: Path,
    database: Path,
    *,
    type: str = "auto",
    matrix: Optional[Path] = None,
    match: int = 1,
    mismatch: int = 3,
    gap_open: Optional[int] = None,
    gap_extend: Optional[int] = None,
    strand: str = "both",
    number: int = 250,
    min_score: int = 1,
    max_evalue: Optional[float] = None,
    align: bool = False,
    threads: Optional[int] = None,
    device: str = "auto",
    checkpoint: Optional[Path] = None,
    checkpoint_interval: Optional[float] = None,
    checkpoint_fresh: bool = False,
) -> SearchResult:
    """Finds the records of a database that are most like each query, with exact scores.

    ``queries`` and ``database`` are FASTA files, plain, gzip or bgzip. ``type`` is "protein", "nucleotide" or "auto",
    which goes by the letters of the queries. Proteins are scored with ``matrix``, the name of one of NCBI's
    (BLOSUM62 if it is ``None``) or a file in that format, nucleotides with ``match`` and ``mismatch`` on ``strand``
    "plus", "minus" or "both". A gap of k letters costs ``gap_open + k * gap_extend``; ``None`` takes what NCBI recommends
    for the matrix, or 3 and 2 for nucleotides. ``number`` hits are kept for each query; ``min_score`` and ``max_evalue``
    leave out others. With ``align`` hits have their alignments. ``device`` is "auto", "cpu", "gpu", "gpu:INDEX",
    "gpu:UUID", "gpu:all" or a list such as "gpu:0,gpu:1,cpu", which shares the database; the hits are the same on any.

    ``checkpoint`` is a folder where the state is saved every ``checkpoint_interval`` seconds (600), and if the search is
    interrupted. The same search goes on from there, unless ``checkpoint_fresh``.
    """
    if max_evalue is not None and not max_evalue >= 0:
        raise UsageError(f"max_evalue must be at least 0, not {max_evalue}")
    options = CsSearchOptions(
        **members(type, matrix, match, mismatch, gap_open, gap_extend, align, threads, device, checkpoint,
                  checkpoint_interval, checkpoint_fresh, 600),
        strand=choice("strand", strand, STRANDS),
        number=integer("number", number, 1, 2**31 - 1),
        min_score=integer("min_score", min_score, 0, INT64_MAX),
        max_evalue=-1 if max_evalue is None else max_evalue,
    )
    run = Run(library.cs_search, path_bytes("queries", queries), path_bytes("database", database), options)
    run.start()
    return _result_of(run.result())
