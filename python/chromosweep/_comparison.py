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
from dataclasses import replace
from typing import Any, Iterator, Optional

from ._arguments import Path, optional_bytes, text_bytes
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
    CsCompareResult,
    CsNoteFunc,
    CsProgressFunc,
    call,
    library,
    read_control,
    text,
)
from ._options import Grid, Job, Options, Source, method_takes, takes
from ._records import Record, c_scoring
from ._results import Progress, Result, progress_of, result_of

_STRANDS_OF_INFO = {"+": CS_STRAND_PLUS, "-": CS_STRAND_MINUS, "both": CS_STRAND_BOTH}

_LEVELS = {CS_NOTE_DETAIL: logging.DEBUG, CS_NOTE_EVENT: logging.INFO, CS_NOTE_WARNING: logging.WARNING}

_logger = logging.getLogger("chromosweep")


def note(kind: int, message: bytes, _data: Any) -> None:
    _logger.log(_LEVELS.get(kind, logging.WARNING), "%s", text(message))


class _Run:
    """A comparison under way."""

    def __init__(self, job: Job) -> None:
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
        options.note = CsNoteFunc(note)
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
        return result_of(found, target, query, job.scoring)

    def _tell(self, told: Any, _data: Any) -> int:
        progress = progress_of(told.contents)
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


def _region(record: Record) -> Optional[bytes]:
    if record.region is None:
        return None
    first, last = record.region
    return text_bytes("the region", f"{{{record.name}}}:{first}-{last}")


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
        minus ``query_end``, the last base as the alignment is read, is its smallest position
    :param skip: what need not be computed, with the same result: "auto", "none", "best" for blocks that
        cannot reach the best score so far, "bounds" for those that cannot reach a lower bound
        that is found first
    :param match: what a pair of equal bases adds, > 0
    :param mismatch: what a pair of different or ambiguous bases costs, >= 0
    :param gap_open: what a gap costs beside its bases, >= 0
    :param gap_extend: what each base of a gap costs, the first included, >= 0
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

    @method_takes(Options)
    def __init__(self, target: Source, query: Source, **options: Any) -> None:
        self._start(Options(target, query, **options).job())

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
        options = Options(
            held.target.file,
            held.query.file,
            skip=skip,
            device=device,
            engine=engine,
            threads=threads,
            checkpoint=directory,
            checkpoint_interval=checkpoint_interval,
            grid=grid,
            bits=bits,
        )
        comparison = cls.__new__(cls)
        comparison._start(
            replace(
                options.job(),
                names=(
                    text_bytes("the target's name", held.target.name),
                    text_bytes("the query's name", held.query.name),
                ),
                regions=(_region(held.target), _region(held.query)),
                strand=_STRANDS_OF_INFO[held.strand],
                scoring=held.scoring,
                memo=optional_bytes("memo", held.memo),
            )
        )
        return comparison

    def _start(self, job: Job) -> None:
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


@takes(Options)
def compare(target: Source, query: Source, **options: Any) -> Result:
    """Finds the best local alignment of two sequences: Smith-Waterman with affine gaps, exact.

    ::

        r = chromosweep.compare("a.fa.gz", "b.fa.gz")
        print(r.score, r.target_end, r.query_end)

    The parameters and what it raises are those of :class:`Comparison`, which also tells of the progress.
    Memory: a byte a base of both, and 8 bytes (at most 16) a base of the shorter one; the search for what can be
    skipped takes up to 20 bytes a base of the shorter one before that. Ctrl-C stops it.
    """
    return Comparison(target, query, **options).result()


@takes(Comparison.resume)
def resume(directory: Path, **options: Any) -> Result:
    """Goes on with the comparison that a directory of checkpoints holds, to its end.

    The parameters and what it raises are those of :meth:`Comparison.resume`. A comparison that is already
    complete returns its result at once.
    """
    return Comparison.resume(directory, **options).result()
