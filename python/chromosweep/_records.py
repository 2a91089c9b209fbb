"""What results and checkpoints say of their comparison: the sequences and the scoring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Tuple

from ._library import CsScoring

SKIPS = ("auto", "none", "best", "bounds")  # as CsSkipMode counts them


def skip_done(mode: int) -> Optional[str]:
    """The mode that was used; ``None`` where that is not known."""
    return SKIPS[mode] if mode > 0 else None


@dataclass(frozen=True)
class Record:
    """A sequence, without its bases."""

    file: Optional[str]
    """The path it was loaded from, "-" for standard input; ``None`` when it was made in memory."""
    name: str
    """The first word of its header; it may be empty."""
    length: int
    """Bases, ambiguous ones included; of a region, the region's."""
    region: Optional[Tuple[int, int]] = None
    """The region's first and last base in the record, 1-based; ``None`` for the whole record."""


@dataclass(frozen=True)
class Scoring:
    """The scoring of an alignment; a gap of k bases costs ``gap_open + k * gap_extend``."""

    match: int = 1
    """What a pair of equal bases adds, > 0."""
    mismatch: int = 3
    """What a pair of different or ambiguous bases costs, >= 0."""
    gap_open: int = 3
    """What a gap costs beside its bases, >= 0."""
    gap_extend: int = 2
    """What each base of a gap costs, the first included, >= 0."""


def scoring_of(scoring: Any) -> Scoring:
    """From a CsScoring."""
    return Scoring(scoring.match, scoring.mismatch, scoring.gap_open, scoring.gap_extend)


def c_scoring(scoring: Scoring) -> CsScoring:
    return CsScoring(scoring.match, scoring.mismatch, scoring.gap_open, scoring.gap_extend)
