"""What a comparison tells on the way, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional

from ._library import CS_STRAND_MINUS, CS_STRAND_PLUS, text
from ._records import Record, Scoring, skip_done
from ._sequence import Sequence


@dataclass(frozen=True)
class Progress:
    """How far a comparison is."""

    cells_done: int
    """Cells finished so far, those of earlier sessions included."""
    cells: int
    """Cells of the whole matrix, target length times query length; twice that for both strands."""
    seconds: float
    """Of computing, those of earlier sessions included."""
    score: int
    """The best score so far."""
    target_end: Optional[int]
    """Where it ends, 1-based; ``None`` while the score is 0."""
    query_end: Optional[int]
    """Likewise."""
    strand: str
    """Its own, "+" or "-"."""
    cells_before: int
    """Of ``cells_done``, those of earlier sessions, perhaps elsewhere: they do not count for the speed."""
    seconds_before: float
    """Of ``seconds``, likewise."""
    next_checkpoint: Optional[float]
    """Seconds until the next state is due; ``None`` where none is."""
    cells_computed: int
    """Cells really computed for ``cells_done``, including reruns: fewer where some are skipped."""
    cells_computed_before: int
    """Of these, those of earlier sessions."""

    @property
    def fraction(self) -> float:
        """Of the cells, from 0 to 1."""
        return self.cells_done / self.cells if self.cells > 0 else 1.0

    @property
    def gcups(self) -> float:
        """Billions of cells computed a second in this session; 0 while that is not known."""
        seconds = self.seconds - self.seconds_before
        computed = self.cells_computed - self.cells_computed_before
        return computed / seconds / 1e9 if seconds > 0 else 0.0

    @property
    def seconds_left(self) -> Optional[float]:
        """At the speed of this session, cells that are skipped among it; ``None`` while that is not known."""
        left, seconds = self.cells - self.cells_done, self.seconds - self.seconds_before
        done = self.cells_done - self.cells_before
        if left == 0:
            return 0.0
        return left * seconds / done if done > 0 and seconds > 0 else None


@dataclass(frozen=True)
class StageSeconds:
    """What it took to find out what a sweep may skip; 0 where a stage was not run."""

    all: float
    """Seconds of all stages, in this session."""
    seeds: float
    """Of these, for matches that an alignment found first may be made of."""
    chain: float
    """For the best row of them."""
    corridor: float
    """For the best alignment near it, whose score is the lower bound."""
    bounds: float
    """For what alignments can still gain, beside chain and corridor."""


@dataclass(frozen=True)
class StrandResult:
    """The best local alignment of one strand of the query."""

    score: int
    """>= 0."""
    target_end: Optional[int]
    """As in :class:`Result`."""
    query_end: Optional[int]
    """Likewise."""
    skip: Optional[str]
    """As in :class:`Result`, of this strand, like what follows."""
    lower_bound: Optional[int]
    """Likewise."""
    cells_computed: Optional[int]
    """Likewise; ``None`` where a checkpoint of an earlier version told only the sum."""
    seconds: Optional[float]
    """Likewise."""
    stages: StageSeconds
    """Likewise; what both strands share counts for the first."""


@dataclass(frozen=True)
class Result:
    """The best local alignment. Of several with that score: smallest target end, then query end."""

    score: int
    """>= 0."""
    target_end: Optional[int]
    """Its last base in the target, 1-based in the whole record; ``None`` when the score is 0."""
    query_end: Optional[int]
    """Its last base in the query, likewise; on minus that is its smallest position."""
    cells: int
    """Bases of the target times those of the query; twice that for both strands."""
    cells_computed: int
    """Cells really computed, including reruns, of all sessions; it varies from run to run."""
    cells_resumed: int
    """Cells that a checkpoint already covered."""
    seconds: float
    """The sweep alone, of all sessions."""
    engine: str
    """That computed it."""
    threads: int
    """CPU threads used."""
    device: Optional[str]
    """The GPU's name; ``None`` when it was the CPU."""
    target: Record
    """The target, without its bases."""
    query: Record
    """The query, without its bases."""
    scoring: Scoring
    """Of the comparison."""
    strand: str
    """Of the query: "+", or "-" where its reverse complement was compared."""
    strands: Dict[str, StrandResult]
    """What each strand that was computed has, by "+" and "-"."""
    skip: Optional[str]
    """What was done on the strand of the result: "none", "best" or "bounds"; ``None`` where all is
    from a checkpoint of a version that did not tell."""
    lower_bound: Optional[int]
    """The score of an alignment that was known before its sweep; ``None`` where none was used."""
    stages: StageSeconds
    """Before the sweeps, of all strands."""
    cells_corridor: int
    """Of ``cells_computed``, those that lower bounds took: ``seconds`` has no part in them."""

    @property
    def gcups(self) -> float:
        """Billions of cells computed a second by the sweep alone; 0 when ``seconds`` is 0."""
        swept = self.cells_computed - self.cells_corridor
        return swept / self.seconds / 1e9 if self.seconds > 0 else 0.0


def _stage_seconds(it: Any) -> StageSeconds:
    return StageSeconds(
        all=it.all, seeds=it.seeds, chain=it.chain, corridor=it.corridor, bounds=it.bounds
    )


def _strand_result(it: Any) -> StrandResult:
    return StrandResult(
        score=it.score,
        target_end=it.target_end or None,
        query_end=it.query_end or None,
        skip=skip_done(it.skip),
        lower_bound=it.lower_bound or None,
        cells_computed=it.cells_computed if it.cells_computed >= 0 else None,
        seconds=it.seconds if it.seconds >= 0 else None,
        stages=_stage_seconds(it.stages),
    )


def result_of(found: Any, target: Sequence, query: Sequence, scoring: Scoring) -> Result:
    """From a CsCompareResult."""
    return Result(
        score=found.score,
        target_end=found.target_end or None,
        query_end=found.query_end or None,
        cells=found.cells,
        cells_computed=found.cells_computed,
        cells_resumed=found.cells_resumed,
        seconds=found.seconds,
        engine=text(found.engine) or "",
        threads=found.threads,
        device=text(found.device),
        target=target._record(),
        query=query._record(),
        scoring=scoring,
        strand="+-"[found.strand],
        strands={
            "+-"[k]: _strand_result(found.strands[k])
            for k in (CS_STRAND_PLUS, CS_STRAND_MINUS)
            if found.strands[k].computed
        },
        skip=skip_done(found.skip),
        lower_bound=found.lower_bound or None,
        stages=_stage_seconds(found.stages),
        cells_corridor=found.cells_corridor,
    )


def progress_of(state: Any) -> Progress:
    """From a CsProgress."""
    return Progress(
        cells_done=state.cells_done,
        cells=state.cells,
        seconds=state.seconds,
        score=state.score,
        target_end=state.target_end or None,
        query_end=state.query_end or None,
        strand="+-"[state.strand],
        cells_before=state.cells_before,
        seconds_before=state.seconds_before,
        next_checkpoint=state.next_checkpoint if state.next_checkpoint >= 0 else None,
        cells_computed=state.cells_computed,
        cells_computed_before=state.cells_computed_before,
    )
