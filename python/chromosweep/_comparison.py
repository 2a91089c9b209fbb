"""Comparisons: a thread each in which the library computes, and what tells of it and stops it.

The thread holds the _Run and never the Comparison, so that the run ends when nobody can ask for its result
any more. To stop it is to set a number that the library itself reads, without Python's lock; only
progress, ten times a second at the most, and notes come back into Python.
"""

from __future__ import annotations

import atexit
import ctypes
import logging
import os
import threading
import weakref
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Optional, Tuple, Union

from ._arguments import INT64_MAX, UINT_MAX, Path, integer, optional_bytes, path_bytes, text_bytes
from ._checkpoint import info
from ._errors import Error, StoppedError, UsageError
from ._library import (
    CS_CONTROL_GO_ON,
    CS_CONTROL_STOP,
    CS_NOTE_DETAIL,
    CS_NOTE_EVENT,
    CS_NOTE_WARNING,
    CS_STRAND_BOTH,
    CS_STRAND_MINUS,
    CS_STRAND_PLUS,
    CsCompareOptions,
    CsCompareResult,
    CsNoteFunc,
    CsProgressFunc,
    call,
    library,
    read_control,
    text,
)
from ._records import SKIPS, Record, Scoring, c_scoring, skip_done
from ._sequence import Sequence

Source = Union[Path, Sequence]
"""A sequence, or the FASTA file that has it."""

Grid = Tuple[int, int, int]
"""Blocks on a diagonal, threads of a block, rows of a thread."""

_STRANDS = {"plus": CS_STRAND_PLUS, "minus": CS_STRAND_MINUS, "both": CS_STRAND_BOTH}
_STRANDS_OF_INFO = {"+": CS_STRAND_PLUS, "-": CS_STRAND_MINUS, "both": CS_STRAND_BOTH}

_LEVELS = {CS_NOTE_DETAIL: logging.DEBUG, CS_NOTE_EVENT: logging.INFO, CS_NOTE_WARNING: logging.WARNING}

_logger = logging.getLogger("chromosweep")


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
    """Cells really computed for ``cells_done``, reruns included: fewer where some are skipped."""
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
    """Its last letter in the target, 1-based in the whole record; ``None`` when the score is 0."""
    query_end: Optional[int]
    """Its last letter in the query, likewise; on minus that is its smallest position."""
    cells: int
    """Letters of the target times those of the query; twice that for both strands."""
    cells_computed: int
    """Cells really computed, reruns included, of all sessions; it varies from run to run."""
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
    """The target, without its letters."""
    query: Record
    """The query, without its letters."""
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


@dataclass(frozen=True)
class _Job:
    """What is to be done, as the library takes it."""

    sources: Tuple[Union[bytes, Sequence], Union[bytes, Sequence]]
    names: Tuple[Optional[bytes], Optional[bytes]]
    regions: Tuple[Optional[bytes], Optional[bytes]]
    strand: int
    skip: int
    scoring: Scoring
    device: bytes
    engine: bytes
    threads: int
    grid: Grid
    bits: int
    checkpoint: Optional[bytes]
    checkpoint_interval: float
    checkpoint_fresh: bool
    memo: Optional[bytes]

    def load(self, side: int) -> Sequence:
        source = self.sources[side]
        if isinstance(source, Sequence):
            return source
        if self.regions[side] is not None:
            return Sequence._take(call(library.cs_sequence_load_region, source, self.regions[side]))
        return Sequence._take(call(library.cs_sequence_load, source, self.names[side]))

    def options(self) -> CsCompareOptions:
        return CsCompareOptions(
            scoring=c_scoring(self.scoring),
            device=self.device,
            engine=self.engine,
            threads=self.threads,
            grid_blocks=self.grid[0],
            grid_threads=self.grid[1],
            grid_alpha=self.grid[2],
            bits=self.bits,
            checkpoint=self.checkpoint,
            checkpoint_interval=self.checkpoint_interval,
            checkpoint_fresh=self.checkpoint_fresh,
            memo=self.memo,
            strand=self.strand,
            skip=self.skip,
        )


def _note(kind: int, message: bytes, _data: Any) -> None:
    _logger.log(_LEVELS.get(kind, logging.WARNING), "%s", text(message))


class _Run:
    """A comparison under way."""

    def __init__(self, job: _Job) -> None:
        self.job = job
        self.changed = threading.Condition()
        self.progress: Optional[Progress] = None
        self.ticks = 0  # how often progress was told
        self.result: Optional[Result] = None
        self.error: Optional[BaseException] = None
        self.done = False
        self.stopped = False  # on our request
        self.loaded = False  # from when on there may be something to save
        self.process = os.getpid()
        self.waited_for = True  # when the program ends
        self._control = ctypes.c_int(CS_CONTROL_GO_ON)
        threading.Thread(target=self._work, name="chromosweep", daemon=True).start()
        _runs.add(self)

    def stop(self) -> None:
        self.stopped = True
        library.g_atomic_int_set(ctypes.byref(self._control), CS_CONTROL_STOP)

    def wait(self, seen: Optional[int] = None) -> None:
        """Until progress beyond `seen` ticks was told, or the end."""
        try:
            with self.changed:
                self.changed.wait_for(lambda: self.done or seen is not None and self.ticks > seen)
        except BaseException:  # Ctrl-C, as a rule
            self.end()
            raise

    def end(self) -> None:
        """Stops it and waits until its state is saved; a second Ctrl-C ends the wait for good.

        One that is still loading, perhaps from a pipe that nobody feeds, is not waited for.
        """
        self.stop()
        self.waited_for = False
        with self.changed:
            self.changed.wait_for(lambda: self.done or not self.loaded)

    def _work(self) -> None:
        try:
            self.result = self._compare()
        except Error as error:
            self.error = error.with_traceback(None)  # whose frames would keep the sequences
        except BaseException as error:
            self.error = error
        with self.changed:
            self.done = True
            self.changed.notify_all()

    def _compare(self) -> Result:
        job = self.job
        # What can be refused is refused before anything is loaded.
        call(library.cs_scoring_check, ctypes.byref(c_scoring(job.scoring)), 1, 1)
        call(library.cs_device_describe, job.device, job.engine)
        target, query = job.load(0), job.load(1)
        with self.changed:
            if self.stopped:
                raise StoppedError("stopped before the first cell")
            self.loaded = True
        options, found = job.options(), CsCompareResult()
        options.note = CsNoteFunc(_note)
        options.progress = CsProgressFunc(self._tell)
        options.control = read_control
        options.control_data = ctypes.addressof(self._control)
        call(
            library.cs_compare,
            target._pointer,
            query._pointer,
            ctypes.byref(options),
            ctypes.byref(found),
        )
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
            scoring=job.scoring,
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
    def _tell(self, told: Any, _data: Any) -> int:
        state = told.contents
        progress = Progress(
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
        with self.changed:
            self.progress = progress
            self.ticks += 1
            self.changed.notify_all()
        return 1


_runs: weakref.WeakSet[_Run] = weakref.WeakSet()


def _end_all() -> None:
    for run in list(_runs):
        if run.waited_for and run.process == os.getpid():
            run.end()


# Python's own end would cut threads off in the midst of saving.
atexit.register(_end_all)


def _interval(seconds: Optional[float]) -> float:
    if seconds is None:
        return 0.0
    if not 0 < seconds < float("inf"):
        raise UsageError(f"checkpoint_interval must be seconds, more than 0, not {seconds}")
    return float(seconds)


def _grid(grid: Optional[Grid]) -> Grid:
    if grid is None:
        return (0, 0, 0)
    blocks, threads, rows = grid
    return (
        integer("the grid's blocks", blocks, 1, UINT_MAX),
        integer("the grid's threads", threads, 1, UINT_MAX),
        integer("the grid's rows", rows, 1, UINT_MAX),
    )


def _strand(strand: str) -> int:
    if strand not in _STRANDS:
        raise UsageError(f"strand must be 'plus', 'minus' or 'both', not {strand!r}")
    return _STRANDS[strand]


def _skip(skip: str) -> int:
    if skip not in SKIPS:
        raise UsageError(f"skip must be 'auto', 'none', 'best' or 'bounds', not {skip!r}")
    return SKIPS.index(skip)


def _source(
    what: str, source: Source, name: Optional[str], region: Optional[str]
) -> Union[bytes, Sequence]:
    if name is not None and region is not None:
        raise UsageError(f"{what}_name and {what}_region exclude each other")
    if not isinstance(source, Sequence):
        return path_bytes(f"the {what}'s file name", source)
    if region is not None:
        raise UsageError(f"{what}_region chooses a part of a file, and the {what} is none")
    if name is not None:
        raise UsageError(f"{what}_name chooses a record of a file, and the {what} is none")
    return source


def _region(record: Record) -> Optional[bytes]:
    if record.region is None:
        return None
    first, last = record.region
    return text_bytes("the region", f"{{{record.name}}}:{first}-{last}")


def job_of(
    target: Source,
    query: Source,
    *,
    target_name: Optional[str],
    query_name: Optional[str],
    target_region: Optional[str],
    query_region: Optional[str],
    strand: str,
    skip: str,
    match: int,
    mismatch: int,
    gap_open: int,
    gap_extend: int,
    device: str,
    engine: str,
    threads: int,
    checkpoint: Optional[Path],
    checkpoint_interval: Optional[float],
    checkpoint_fresh: bool,
    grid: Optional[Grid],
    bits: int,
) -> _Job:
    """From the arguments of :class:`Comparison`."""
    if checkpoint is None and (checkpoint_interval is not None or checkpoint_fresh):
        raise UsageError("checkpoint_interval and checkpoint_fresh need checkpoint")
    return _Job(
        sources=(
            _source("target", target, target_name, target_region),
            _source("query", query, query_name, query_region),
        ),
        names=(
            optional_bytes("target_name", target_name),
            optional_bytes("query_name", query_name),
        ),
        regions=(
            optional_bytes("target_region", target_region),
            optional_bytes("query_region", query_region),
        ),
        strand=_strand(strand),
        skip=_skip(skip),
        scoring=Scoring(
            integer("match", match, 1, INT64_MAX),
            integer("mismatch", mismatch, 0, INT64_MAX),
            integer("gap_open", gap_open, 0, INT64_MAX),
            integer("gap_extend", gap_extend, 0, INT64_MAX),
        ),
        device=text_bytes("device", device),
        engine=text_bytes("engine", engine),
        threads=integer("threads", threads, 0, UINT_MAX),
        grid=_grid(grid),
        bits=integer("bits", bits, 0, UINT_MAX),
        checkpoint=None if checkpoint is None else path_bytes("checkpoint", checkpoint),
        checkpoint_interval=_interval(checkpoint_interval),
        checkpoint_fresh=bool(checkpoint_fresh),
        memo=None,
    )


class Comparison:
    """A comparison under way, in a thread of its own; it starts at once.

    Iterating yields :class:`Progress`, the newest each time: one before the first cell is computed, then
    about ten times a second at the most, and a last one when it is done. :meth:`result` waits for the end::

        with chromosweep.Comparison("a.fa.gz", "b.fa.gz", checkpoint="a-b.checkpoint") as comparison:
            for p in comparison:
                print(f"{p.fraction:.1%}  {p.gcups:.1f} GCUPS  best {p.score}")
            print(comparison.result().score)

    Leaving the ``with`` block, Ctrl-C while iterating or waiting, the end of the program, and dropping the
    object stop what still runs; all but the last wait until the state is saved where a checkpoint was asked
    for, and a second Ctrl-C ends that wait. What the library remarks on the way goes to the logger
    "chromosweep": details (level DEBUG), events such as from where a checkpoint goes on (INFO), and
    warnings.

    :param target: a FASTA file, plain, gzip or bgzip, "-" for standard input, or a :class:`Sequence`
    :param query: likewise
    :param target_name: the record of the target's file, by the first word of its header; ``None`` takes the
        only one
    :param query_name: likewise
    :param target_region: what to take of the target's file in place of ``target_name``: "NAME:FROM-TO",
        1-based and both included, "NAME:FROM-" or "NAME", or the same with "{NAME}" for names that could be
        mistaken; ends are positions in the whole record
    :param query_region: likewise
    :param strand: of the query: "plus", "minus" for its reverse complement, or "both", two sweeps of which
        the better one is the result, plus when equal. Ends are positions on the forward strands, so that on
        minus ``query_end``, the last letter as the alignment is read, is its smallest position
    :param skip: what need not be computed, with the same result: "auto", "none", "best" for blocks that
        cannot reach the best score so far, "bounds" for those that cannot reach a lower bound
        that is found first
    :param match: what a pair of equal bases adds, > 0
    :param mismatch: what a pair of different or ambiguous letters costs, >= 0
    :param gap_open: what a gap costs beside its letters, >= 0
    :param gap_extend: what each letter of a gap costs, the first included, >= 0
    :param device: "auto", "cpu", "gpu", "gpu:INDEX" or "gpu:UUID"
    :param engine: "auto" or an engine's name
    :param threads: CPU threads; 0 takes all that this process is granted
    :param checkpoint: a directory, made if missing, in which the state is saved and from which an earlier
        run of the same comparison is resumed
    :param checkpoint_interval: seconds between two saved states; ``None`` is the library's, 600
    :param checkpoint_fresh: begin anew beside what the directory holds
    :param grid: for experiments: blocks on a diagonal, threads of a block, rows of a thread
    :param bits: for experiments: 16, 32 or 64, the width of the arithmetic; 0 is as suits
    :raises UsageError: here, when an argument is out of its range; what only the library can tell is raised
        by iterating and by :meth:`result`
    """

    def __init__(
        self,
        target: Source,
        query: Source,
        *,
        target_name: Optional[str] = None,
        query_name: Optional[str] = None,
        target_region: Optional[str] = None,
        query_region: Optional[str] = None,
        strand: str = "plus",
        skip: str = "auto",
        match: int = 1,
        mismatch: int = 3,
        gap_open: int = 3,
        gap_extend: int = 2,
        device: str = "auto",
        engine: str = "auto",
        threads: int = 0,
        checkpoint: Optional[Path] = None,
        checkpoint_interval: Optional[float] = None,
        checkpoint_fresh: bool = False,
        grid: Optional[Grid] = None,
        bits: int = 0,
    ) -> None:
        self._start(
            job_of(
                target,
                query,
                target_name=target_name,
                query_name=query_name,
                target_region=target_region,
                query_region=query_region,
                strand=strand,
                skip=skip,
                match=match,
                mismatch=mismatch,
                gap_open=gap_open,
                gap_extend=gap_extend,
                device=device,
                engine=engine,
                threads=threads,
                checkpoint=checkpoint,
                checkpoint_interval=checkpoint_interval,
                checkpoint_fresh=checkpoint_fresh,
                grid=grid,
                bits=bits,
            )
        )

    @classmethod
    def resume(
        cls,
        directory: Path,
        *,
        skip: str = "auto",
        device: str = "auto",
        engine: str = "auto",
        threads: int = 0,
        checkpoint_interval: Optional[float] = None,
        grid: Optional[Grid] = None,
        bits: int = 0,
    ) -> Comparison:
        """Goes on with the comparison that a directory of checkpoints holds.

        The files, the records, the regions, the strand and the scoring are those of the run that made it; the rest may differ.

        :param directory: as given to ``checkpoint``
        :raises CheckpointError: when it holds no checkpoint, or none that can be used
        :raises UsageError: when a sequence was made in memory or read from standard input: then make the
            comparison again, with the same ``checkpoint``
        """
        held = info(directory)
        for side, record in (("target", held.target), ("query", held.query)):
            if record.file is None or record.file == "-":
                origin = "made in memory" if record.file is None else "read from standard input"
                raise UsageError(
                    f"checkpoint {os.fsdecode(directory)}: the {side} was {origin}: "
                    "make the comparison again, with this checkpoint"
                )
        assert held.target.file is not None and held.query.file is not None
        comparison = cls.__new__(cls)
        comparison._start(
            _Job(
                sources=(os.fsencode(held.target.file), os.fsencode(held.query.file)),
                names=(
                    text_bytes("the target's name", held.target.name),
                    text_bytes("the query's name", held.query.name),
                ),
                regions=(_region(held.target), _region(held.query)),
                strand=_STRANDS_OF_INFO[held.strand],
                skip=_skip(skip),
                scoring=held.scoring,
                device=text_bytes("device", device),
                engine=text_bytes("engine", engine),
                threads=integer("threads", threads, 0, UINT_MAX),
                grid=_grid(grid),
                bits=integer("bits", bits, 0, UINT_MAX),
                checkpoint=path_bytes("directory", directory),
                checkpoint_interval=_interval(checkpoint_interval),
                checkpoint_fresh=False,
                memo=optional_bytes("memo", held.memo),
            )
        )
        return comparison

    def _start(self, job: _Job) -> None:
        self._run = _Run(job)
        weakref.finalize(self, self._run.stop).atexit = False

    def __iter__(self) -> Iterator[Progress]:
        """Progress, the newest each time, until the end.

        :raises Error: when the comparison failed, but not when it was stopped by :meth:`stop`
        """
        run, seen = self._run, 0
        while True:
            run.wait(seen)
            with run.changed:
                progress, ticks = run.progress, run.ticks
            if ticks == seen:
                break
            seen = ticks
            assert progress is not None
            yield progress
        if run.error is not None and not (run.stopped and isinstance(run.error, StoppedError)):
            raise run.error

    @property
    def progress(self) -> Optional[Progress]:
        """The newest; ``None`` when there was none yet."""
        return self._run.progress

    @property
    def done(self) -> bool:
        """Whether it has ended, whichever way."""
        return self._run.done

    def stop(self) -> None:
        """Asks it to stop, and returns at once; a state is saved where a checkpoint was asked for."""
        self._run.stop()

    def result(self) -> Result:
        """Waits for the end.

        :raises StoppedError: when it was stopped before the end
        :raises Error: when it failed, by the class of the failure
        """
        self._run.wait()
        if self._run.error is not None:
            raise self._run.error
        assert self._run.result is not None
        return self._run.result

    def __enter__(self) -> Comparison:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._run.end()


def compare(
    target: Source,
    query: Source,
    *,
    target_name: Optional[str] = None,
    query_name: Optional[str] = None,
    target_region: Optional[str] = None,
    query_region: Optional[str] = None,
    strand: str = "plus",
    skip: str = "auto",
    match: int = 1,
    mismatch: int = 3,
    gap_open: int = 3,
    gap_extend: int = 2,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    checkpoint: Optional[Path] = None,
    checkpoint_interval: Optional[float] = None,
    checkpoint_fresh: bool = False,
    grid: Optional[Grid] = None,
    bits: int = 0,
) -> Result:
    """Finds the best local alignment of two sequences: Smith-Waterman with affine gaps, exact.

    ::

        r = chromosweep.compare("a.fa.gz", "b.fa.gz")
        print(r.score, r.target_end, r.query_end)

    The parameters and what it raises are those of :class:`Comparison`, which also tells of the progress.
    Memory: a byte a letter of both, and 8 bytes (at most 16) a letter of the shorter one. Ctrl-C stops it.
    """
    return Comparison(
        target,
        query,
        target_name=target_name,
        query_name=query_name,
        target_region=target_region,
        query_region=query_region,
        strand=strand,
        skip=skip,
        match=match,
        mismatch=mismatch,
        gap_open=gap_open,
        gap_extend=gap_extend,
        device=device,
        engine=engine,
        threads=threads,
        checkpoint=checkpoint,
        checkpoint_interval=checkpoint_interval,
        checkpoint_fresh=checkpoint_fresh,
        grid=grid,
        bits=bits,
    ).result()


def resume(
    directory: Path,
    *,
    skip: str = "auto",
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    checkpoint_interval: Optional[float] = None,
    grid: Optional[Grid] = None,
    bits: int = 0,
) -> Result:
    """Goes on with the comparison that a directory of checkpoints holds, to its end.

    The parameters and what it raises are those of :meth:`Comparison.resume`. A comparison that is already
    complete returns its result at once.
    """
    return Comparison.resume(
        directory,
        skip=skip,
        device=device,
        engine=engine,
        threads=threads,
        checkpoint_interval=checkpoint_interval,
        grid=grid,
        bits=bits,
    ).result()
