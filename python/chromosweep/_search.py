"""Searches: the records of a database that are most like each query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, List, Optional

from ._arguments import INT64_MAX, Path, integer, path_bytes
from ._errors import UsageError
from ._library import (
    CS_ALPHABET_PROTEIN,
    CsSearchHit,
    CsSearchHitsFunc,
    CsSearchOptions,
    library,
    text,
)
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
class SearchSummary:
    """What was searched, and how."""

    type: str
    """What the sequences are, "protein" or "nucleotide"."""
    queries: int
    """How many there are."""
    records: int
    """Of the database."""
    letters: int
    """Of the database."""
    matrix: Optional[str]
    """Name of the matrix, or its file; ``None`` for nucleotides."""
    gap_open: int
    """What a gap costs in addition to its letters."""
    gap_extend: int
    """What each letter of a gap costs."""


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


def _summary_of(it: Any) -> SearchSummary:
    return SearchSummary(
        type="protein" if it.alphabet == CS_ALPHABET_PROTEIN else "nucleotide",
        queries=it.queries,
        records=it.records,
        letters=it.letters,
        matrix=text(it.matrix),
        gap_open=it.gap_open,
        gap_extend=it.gap_extend,
    )


class Search(Iterator[Hit]):
    """The hits of a search, query by query, the best one of each first.

    They come as soon as a query and those before it are complete, while the end of the database is still searched with
    others. The search begins when the first hit is asked for. It stops after :meth:`close`, at the end of a ``with``
    block, when the object is dropped, and when the program ends. ``list(search)`` has all hits.

    Iterating raises what goes wrong, also after some hits. Messages go to the logger "chromosweep", as for
    :class:`Comparison`.
    """

    def __init__(self, queries: bytes, database: bytes, options: CsSearchOptions) -> None:
        run: Run[Hit] = Run()
        summaries: List[SearchSummary] = []
        self._summaries = summaries

        # It must not keep self, or nobody could drop that.
        def take(summary: Any, hits: Any, count: int, _data: Any) -> bool:
            if not summaries:
                summaries.append(_summary_of(summary.contents))
            return run.take(count, lambda k: _hit_of(hits[k]))

        options.hits = CsSearchHitsFunc(take)
        self._hits = run.items(library.cs_search, library.cs_search_free, queries, database, options)

    def __next__(self) -> Hit:
        return next(self._hits)

    @property
    def summary(self) -> Optional[SearchSummary]:
        """What was searched; ``None`` until a query is complete."""
        return self._summaries[0] if self._summaries else None

    def close(self) -> None:
        """Stops the search, saves its state if there is a checkpoint, and waits for that. There are no more hits."""
        self._hits.close()

    def __enter__(self) -> Search:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


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
) -> Search:
    """Finds the records of a database that are most like each query, with exact scores.

    ``queries`` and ``database`` are FASTA files, plain, gzip or bgzip. ``type`` is "protein", "nucleotide" or "auto",
    which goes by the letters of the queries. Proteins are scored with ``matrix``, the name of one of NCBI's
    (BLOSUM62 if it is ``None``) or a file in that format, nucleotides with ``match`` and ``mismatch`` on ``strand``
    "plus", "minus" or "both". A gap of k letters costs ``gap_open + k * gap_extend``; ``None`` takes what NCBI recommends
    for the matrix, or 3 and 2 for nucleotides. ``number`` hits are kept for each query; ``min_score`` and ``max_evalue``
    leave out others. With ``align`` hits have their alignments. ``device`` is "auto", "cpu", "gpu", "gpu:INDEX",
    "gpu:UUID", "gpu:all" or a list such as "gpu:0,gpu:1,cpu", which shares the database; the hits are the same on any.

    ``checkpoint`` is a folder where the state is saved every ``checkpoint_interval`` seconds (600), and if the search is
    interrupted. The same search goes on from there, unless ``checkpoint_fresh``, and still yields all hits.
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
    return Search(path_bytes("queries", queries), path_bytes("database", database), options)
