"""Identities: every record of a file with every other, or with those of a second file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Optional

from ._arguments import Path, path_bytes
from ._errors import UsageError
from ._library import (
    CS_IDENTITY_COLUMNS,
    CS_IDENTITY_LONGEST,
    CS_IDENTITY_SHORTEST,
    CsIdentityOptions,
    CsIdentityPairsFunc,
    library,
    text,
)
from ._run import Run, choice, members

_OVER = {
    "longest": CS_IDENTITY_LONGEST,
    "shortest": CS_IDENTITY_SHORTEST,
    "columns": CS_IDENTITY_COLUMNS,
}


@dataclass(frozen=True)
class IdentityPair:
    """Two sequences, aligned from end to end."""

    first: str
    """Name of the record in the first file."""
    first_number: int
    """Its number in the file, from 1."""
    first_length: int
    """Its letters."""
    second: str
    """Name of the other record: in the second file, or in the first, if there is one file."""
    second_number: int
    second_length: int
    score: int
    """Score of the best global alignments."""
    matches: int
    """Pairs of equal letters in the best alignment that has the most of them and, among those, the fewest columns."""
    columns: int
    """Columns of that alignment, gaps included."""
    identity: float
    """``matches`` divided as ``over`` says, from 0 to 1."""
    cigar: Optional[str]
    """The alignment, with =, X, I (letters of the first alone) and D; ``None`` without ``align=True``."""


def _pair_of(it: Any, firsts: Any, seconds: Any) -> IdentityPair:
    first, second = firsts[it.first], seconds[it.second]
    return IdentityPair(
        first=text(first.name) or "",
        first_number=it.first + 1,
        first_length=first.length,
        second=text(second.name) or "",
        second_number=it.second + 1,
        second_length=second.length,
        score=it.score,
        matches=it.matches,
        columns=it.columns,
        identity=it.identity,
        cigar=text(it.cigar),
    )


def identity(
    first: Path,
    second: Optional[Path] = None,
    *,
    type: str = "auto",
    matrix: Optional[Path] = None,
    match: int = 1,
    mismatch: int = 3,
    gap_open: Optional[int] = None,
    gap_extend: Optional[int] = None,
    over: str = "longest",
    min_identity: float = 0.0,
    align: bool = False,
    threads: Optional[int] = None,
    device: str = "auto",
    checkpoint: Optional[Path] = None,
    checkpoint_interval: Optional[float] = None,
    checkpoint_fresh: bool = False,
) -> Iterator[IdentityPair]:
    """Compares every record of a file with every other, or with all of a second file, by exact global alignments.

    ``first`` and ``second`` are FASTA files, plain, gzip or bgzip. The pairs come in order, the first record with all
    after it, then the second, while later ones are still computed; the run begins when the first is asked for, and
    stops if no more are. ``type``, ``matrix``, ``match``, ``mismatch``, ``gap_open``, ``gap_extend``, ``threads``
    and ``device`` are as for :func:`search`; a matrix must be symmetric. ``over`` is what the matches are divided by:
    the letters of the "longest" or the "shortest" sequence, or the "columns" of the alignment. Pairs below
    ``min_identity``, from 0 to 1, are left out, mostly without being aligned. With ``align`` pairs have CIGARs.

    ``checkpoint`` is a folder where what is done is saved, within ``checkpoint_interval`` seconds (60). The same run
    goes on from there, unless ``checkpoint_fresh``, and still yields all pairs.
    """
    if not 0 <= min_identity <= 1:
        raise UsageError(f"min_identity must be from 0 to 1, not {min_identity}")
    run: Run[IdentityPair] = Run()

    def take(summary: Any, pairs: Any, count: int, _data: Any) -> bool:
        names = summary.contents
        return run.take(count, lambda k: _pair_of(pairs[k], names.first, names.second))

    options = CsIdentityOptions(
        **members(type, matrix, match, mismatch, gap_open, gap_extend, align, threads, device, checkpoint,
                  checkpoint_interval, checkpoint_fresh, 60),
        over=choice("over", over, _OVER),
        min_identity=min_identity,
        pairs=CsIdentityPairsFunc(take),
    )
    other = None if second is None else path_bytes("second", second)
    return run.items(
        library.cs_identity, library.cs_identity_free, path_bytes("first", first), other, options
    )
