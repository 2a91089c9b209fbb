"""The sequences and the scoring of a comparison, as results and checkpoints describe them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Tuple

from ._library import CsScoring

SKIPS = ("auto", "none", "best", "bounds")  # in the order of CsSkipMode


def skip_done(mode: int) -> Optional[str]:
    """The mode that was used; ``None`` if unknown."""
    return SKIPS[mode] if mode > 0 else None


@dataclass(frozen=True)
class Record:
    """A sequence, without its bases."""

    file: Optional[str]
    """The path it was loaded from, "-" for standard input; ``None`` if it was made in memory."""
    name: str
    """The first word of its header; it may be empty."""
    length: int
    """Number of bases, including ambiguous ones; for a region, of the region."""
    region: Optional[Tuple[int, int]] = None
    """The region's first and last base in the record, 1-based; ``None`` for the whole record."""


@dataclass(frozen=True)
class Scoring:
    """The scoring of an alignment; a gap of k bases costs ``gap_open + k * gap_extend``."""

    match: int = 1
    """Score of a match, > 0."""
    mismatch: int = 3
    """Cost of a mismatch or an ambiguous base, >= 0."""
    gap_open: int = 3
    """Cost of opening a gap, in addition to its bases, >= 0."""
    gap_extend: int = 2
    """Cost of each base of a gap, including the first, >= 0."""


def scoring_of(scoring: Any) -> Scoring:
    """Makes a scoring from a CsScoring."""
    return Scoring(scoring.match, scoring.mismatch, scoring.gap_open, scoring.gap_extend)


def c_scoring(scoring: Scoring) -> CsScoring:
    return CsScoring(scoring.match, scoring.mismatch, scoring.gap_open, scoring.gap_extend)
