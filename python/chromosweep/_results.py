"""The progress and the result of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional

from ._library import CS_STRAND_MINUS, CS_STRAND_PLUS, text
from ._records import Record, Scoring, skip_done
from ._sequence import Sequence


@dataclass(frozen=True)
class Progress:
    """The progress of a comparison."""

    cells_done: int
    """Cells finished so far, in this run and earlier ones."""
    cells: int
    """Cells of the whole matrix: target length times query length, twice that for both strands."""
    seconds: float
    """Computing time in seconds, in this run and earlier ones."""
    score: int
    """The best score so far."""
    target_end: Optional[int]
    """The last base of the best alignment in the target, 1-based; ``None`` while the score is 0."""
    query_start: Optional[int]
    """On minus, its first base in the query; ``None`` on plus."""
    query_end: Optional[int]
    """On plus, its last base in the query; ``None`` on minus."""
    strand: str
    """The strand of the best score, "+" or "-"."""
    cells_before: int
    """The part of ``cells_done`` from earlier runs, which does not count for the speed."""
    seconds_before: float
    """The part of ``seconds`` from earlier runs."""
    next_checkpoint: Optional[float]
    """Seconds until the next state is saved; ``None`` without a checkpoint and before the sweep."""
    cells_computed: int
    """Cells really computed for ``cells_done``. Skipped cells do not count; a cell computed twice counts twice."""
    cells_computed_before: int
    """The part of ``cells_computed`` from earlier runs."""
    fraction: float
    """How much of the work is done, from 0 to 1: ``cells_computed`` of ``cells_expected``. It never falls."""
    cells_expected: int
    """Cells that the sweeps will have computed in the end, by a forecast that is corrected as the sweep goes on."""
    seconds_left: Optional[float]
    """Seconds until everything is done, at the latest speed; ``None`` while not known."""
    elapsed: float
    """Seconds since the comparison began, in this run."""
    stage: str
    """What the comparison is doing: "seeds", "chain", "corridor" or "bounds", which find out what may be skipped,
    "sweep", or, after that, "rows", a second sweep, "trace", "verify" or "tiles",
    around the ends of all alignments."""
    stage_strand: Optional[str]
    """The strand that the stage works on, "+" or "-"; ``None`` for "sweep"."""
    stage_seconds: float
    """Seconds since the stage began; 0 for "sweep"."""
    lower_bound: Optional[int]
    """The score of an alignment that was found before the sweep; ``None`` while none is known."""

    @property
    def gcups(self) -> float:
        """Billions of cells computed per second in this run; 0 while unknown."""
        seconds = self.seconds - self.seconds_before
        computed = self.cells_computed - self.cells_computed_before
        return computed / seconds / 1e9 if seconds > 0 else 0.0


@dataclass(frozen=True)
class StageSeconds:
    """Seconds of each stage before a sweep; 0 for a stage that was not run."""

    all: float
    """All stages, in this run."""
    seeds: float
    """Finding seeds."""
    chain: float
    """Chaining the seeds."""
    corridor: float
    """Computing the corridor around the chain, which gives the lower bound."""
    bounds: float
    """Computing the bounds, at the same time as chain and corridor."""


@dataclass(frozen=True)
class StrandResult:
    """The best local alignment of one strand of the query."""

    score: Optional[int]
    """>= 0; ``None`` if no more is known than that it is less than ``below``."""
    target_start: Optional[int]
    """As in :class:`Result`."""
    target_end: Optional[int]
    """Likewise."""
    query_start: Optional[int]
    """Likewise."""
    query_end: Optional[int]
    """Likewise."""
    skip: Optional[str]
    """As in :class:`Result`, for this strand; the same holds for the fields below."""
    lower_bound: Optional[int]
    """Likewise."""
    cells_computed: Optional[int]
    """Likewise; ``None`` if a checkpoint of an earlier version has only the sum."""
    seconds: Optional[float]
    """Likewise."""
    stages: StageSeconds
    """Likewise; work that both strands share counts for the first one."""
    below: Optional[int] = None
    """The score of the other strand, if this one scores less."""


@dataclass(frozen=True)
class Result:
    """The best local alignment; on a tie, one that ends first in the target, then in the query as read."""

    score: int
    """>= 0."""
    target_start: Optional[int]
    """The first aligned base of the target, 1-based in the whole record; ``None`` if the score is 0, or without
    ``starts``."""
    target_end: Optional[int]
    """The last aligned base of the target; ``None`` if the score is 0."""
    query_start: Optional[int]
    """The first aligned base of the query, on the forward strand; ``None`` if the score is 0, or, on plus, without
    ``starts``."""
    query_end: Optional[int]
    """The last aligned base of the query, on the forward strand; ``None`` if the score is 0, or, on minus, without
    ``starts``."""
    cells: int
    """Target length times query length; twice that for both strands."""
    cells_computed: int
    """Cells computed in all runs; a cell computed twice counts twice. This varies from run to run."""
    cells_resumed: int
    """Cells that were done when the run resumed."""
    seconds: float
    """Seconds of the sweep alone, in all runs."""
    engine: str
    """The engine that computed it."""
    threads: int
    """CPU threads used."""
    device: Optional[str]
    """The GPU's name; ``None`` for the CPU."""
    target: Record
    """The target, without its bases."""
    query: Record
    """The query, without its bases."""
    scoring: Scoring
    """The scoring used."""
    strand: str
    """Strand of the query: "+", or "-" for the reverse complement."""
    strands: Dict[str, StrandResult]
    """The result of each strand that was computed, by "+" and "-"."""
    skip: Optional[str]
    """How cells were skipped on the strand of the result: "none", "best" or "bounds"; ``None`` if the whole result
    comes from a checkpoint of an earlier version, which did not record it."""
    lower_bound: Optional[int]
    """The score of an alignment found before the sweep; ``None`` if there was none."""
    stages: StageSeconds
    """The stages before the sweeps, all strands together."""
    cells_corridor: int
    """The part of ``cells_computed`` spent on lower bounds; not part of ``seconds``."""

    @property
    def gcups(self) -> float:
        """Billions of cells computed per second by the sweep alone; 0 if ``seconds`` is 0."""
        swept = self.cells_computed - self.cells_corridor
        return swept / self.seconds / 1e9 if self.seconds > 0 else 0.0


def _stage_seconds(it: Any) -> StageSeconds:
    return StageSeconds(
        all=it.all, seeds=it.seeds, chain=it.chain, corridor=it.corridor, bounds=it.bounds
    )


def _strand_result(it: Any, target: Sequence, query: Sequence) -> StrandResult:
    return StrandResult(
        score=it.score if it.below == 0 else None,
        target_start=it.target_start or None,
        target_end=target._in_record(it.target_end) or None,
        query_start=it.query_start or None,
        query_end=query._in_record(it.query_end) or None,
        skip=skip_done(it.skip),
        lower_bound=it.lower_bound or None,
        cells_computed=it.cells_computed if it.cells_computed >= 0 else None,
        seconds=it.seconds if it.seconds >= 0 else None,
        stages=_stage_seconds(it.stages),
        below=it.below or None,
    )


def result_of(found: Any, target: Sequence, query: Sequence, scoring: Scoring) -> Result:
    """Makes a result from a CsCompareResult."""
    return Result(
        score=found.score,
        target_start=found.target_start or None,
        target_end=target._in_record(found.target_end) or None,
        query_start=found.query_start or None,
        query_end=query._in_record(found.query_end) or None,
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
            "+-"[k]: _strand_result(found.strands[k], target, query)
            for k in (CS_STRAND_PLUS, CS_STRAND_MINUS)
            if found.strands[k].computed
        },
        skip=skip_done(found.skip),
        lower_bound=found.lower_bound or None,
        stages=_stage_seconds(found.stages),
        cells_corridor=found.cells_corridor,
    )


_STAGES = ("sweep", "seeds", "chain", "corridor", "bounds", "rows", "trace", "verify", "tiles")


def progress_of(state: Any) -> Progress:
    """Makes a progress from a CsProgress."""
    return Progress(
        cells_done=state.cells_done,
        cells=state.cells,
        seconds=state.seconds,
        score=state.score,
        target_end=state.target_end or None,
        query_start=state.query_start or None,
        query_end=state.query_end or None,
        strand="+-"[state.strand],
        cells_before=state.cells_before,
        seconds_before=state.seconds_before,
        next_checkpoint=state.next_checkpoint if state.next_checkpoint >= 0 else None,
        cells_computed=state.cells_computed,
        cells_computed_before=state.cells_computed_before,
        fraction=state.fraction,
        cells_expected=state.cells_expected,
        seconds_left=state.seconds_left if state.seconds_left >= 0 else None,
        elapsed=state.elapsed,
        stage=_STAGES[state.stage],
        stage_strand="+-"[state.stage_strand] if state.stage != 0 else None,
        stage_seconds=state.stage_seconds,
        lower_bound=state.lower_bound or None,
    )
