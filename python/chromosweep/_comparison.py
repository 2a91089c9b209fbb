"""Comparisons. The library computes each on a thread of its own; the classes here report its progress and stop it.

The thread keeps the _Run alive but not the Comparison. So the run ends when nobody can ask for its result any
more. To stop a run, a number is set that the library reads itself, without Python's lock. Only progress (at
most ten times a second) and notes call Python code.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
import weakref
from dataclasses import replace
from typing import Any, Iterator, Optional, Tuple

from ._alignment import Alignment, alignment_of
from ._alignment_set import AlignmentSet, alignment_set_of
from ._arguments import Path, optional_bytes, text_bytes
from ._checkpoint import info
from ._errors import DeviceError, Error, StoppedError, UsageError
from ._library import (
    CS_CONTROL_GO_ON,
    CS_CONTROL_STOP,
    CsCompareResult,
    CsProgressFunc,
    call,
    library,
    read_control,
)
from ._notes import log_note
from ._options import (
    STRANDS,
    AlignOptions,
    AlignSetOptions,
    Grid,
    Job,
    Options,
    Records,
    Source,
    method_takes,
    takes,
)
from ._records import Record, c_scoring
from ._results import Progress, Result, progress_of, result_of
from ._sequence import Sequence


def _several(records: Tuple[Sequence, ...]) -> Tuple[Any, int]:
    """An array of the library's sequences, and their number."""
    array = (ctypes.c_void_p * len(records))(*(each._pointer for each in records))
    return ctypes.cast(array, ctypes.POINTER(ctypes.c_void_p)), len(records)


class _Run:
    """A comparison that is running."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.changed = threading.Condition()
        self.progress: Optional[Progress] = None
        self.ticks = 0  # how often progress was reported
        self.result: Optional[Result] = None
        self.alignment: Optional[Alignment] = None
        self.set: Optional[AlignmentSet] = None
        self.error: Optional[BaseException] = None
        self.done = False
        self.stopped = False  # at our request
        self.loaded = False  # when there may be something to save
        self.process = os.getpid()
        self.waited_for = True  # when the program ends
        self._control = ctypes.c_int(CS_CONTROL_GO_ON)
        try:
            threading.Thread(target=self._work, name="chromosweep", daemon=True).start()
        except RuntimeError as error:  # Python's own, if the system refuses
            raise DeviceError(f"{error} for the comparison: ulimit -v or -u may be too low") from None
        _runs.add(self)

    def stop(self) -> None:
        self.stopped = True
        library.g_atomic_int_set(ctypes.byref(self._control), CS_CONTROL_STOP)

    def wait(self, seen: Optional[int] = None) -> None:
        """Waits until there is progress after tick `seen`, or until the end."""
        try:
            with self.changed:
                self.changed.wait_for(lambda: self.done or seen is not None and self.ticks > seen)
        except BaseException:  # usually Ctrl-C
            self.end()
            raise

    def end(self) -> None:
        """Stops the run and waits until its state is saved. A second Ctrl-C ends the wait.

        Does not wait for a run that is still loading, because it may read from a pipe that gets no data.
        """
        self.stop()
        self.waited_for = False
        with self.changed:
            self.changed.wait_for(lambda: self.done or not self.loaded)

    def _work(self) -> None:
        try:
            self._compare()
        except Error as error:
            self.error = error.with_traceback(None)  # its frames would keep the sequences alive
        except BaseException as error:
            self.error = error
        with self.changed:
            self.done = True
            self.changed.notify_all()

    def finish(self) -> None:
        """Waits for the end, and raises the error if there was one."""
        self.wait()
        if self.error is not None:
            raise self.error

    def _compare(self) -> None:
        job = self.job
        # Raises what it can before anything is loaded.
        call(library.cs_scoring_check, ctypes.byref(c_scoring(job.scoring)), 1, 1)
        call(library.cs_device_describe, job.device, job.engine)
        targets, queries = job.load(0), job.load(1)
        target, query = targets[0], queries[0]
        with self.changed:
            if self.stopped:
                raise StoppedError("stopped before the first cell")
            self.loaded = True
        options, found = job.options(), CsCompareResult()
        options.note = log_note
        options.progress = CsProgressFunc(self._tell)
        options.control = read_control
        options.control_data = ctypes.addressof(self._control)
        arguments = target._pointer, query._pointer, ctypes.byref(options)
        if job.set is not None:
            if len(targets) > 1 or len(queries) > 1:
                sides = *_several(targets), *_several(queries)
                array = call(library.cs_align_set_many, *sides, ctypes.byref(options), ctypes.byref(job.set))
            else:
                array = call(library.cs_align_set, *arguments, ctypes.byref(job.set))
            self.set = alignment_set_of(array, targets, queries)
        elif job.align:
            pointer = ctypes.c_void_p()
            call(library.cs_align, *arguments, ctypes.byref(found), ctypes.byref(pointer))
            result = result_of(found, target, query, job.scoring)
            self.alignment = alignment_of(pointer, target, query, result, job.max_drop)
            self.result = result
        else:
            call(library.cs_compare, *arguments, ctypes.byref(found))
            self.result = result_of(found, target, query, job.scoring)

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


# When Python exits, it would kill threads that are saving.
atexit.register(_end_all)


def _region(record: Record) -> Optional[bytes]:
    if record.region is None:
        return None
    first, last = record.region
    return text_bytes("the region", f"{{{record.name}}}:{first}-{last}")


class Comparison:
    """A comparison that runs in a thread of its own. It starts at once.

    Iterating yields the newest :class:`Progress`: one before the first cell, then at most about ten per
    second, and a last one at the end. :meth:`result` waits for the end::

        with chromosweep.Comparison("a.fa.gz", "b.fa.gz", checkpoint="a-b.checkpoint") as comparison:
            for p in comparison:
                print(f"{p.fraction:.1%}  {p.gcups:.1f} GCUPS  best {p.score}")
            print(comparison.result().score)

    The comparison stops when the ``with`` block ends, on Ctrl-C while iterating or waiting, when the program
    ends, and when the object is dropped. All but the last wait until the state is saved, if there is a
    checkpoint; a second Ctrl-C ends that wait. Messages of the library go to the logger "chromosweep":
    details (level DEBUG), events such as resuming from a checkpoint (INFO), and warnings.

    :param target: a FASTA file, plain, gzip or bgzip, "-" for standard input, or a :class:`Sequence`
    :param query: likewise
    :param target_name: the record of the target's file, by the first word of its header; ``None`` if the
        file has only one
    :param query_name: likewise
    :param target_region: a part of the target's file, instead of ``target_name``: "NAME:FROM-TO", 1-based
        with both ends included, "NAME:FROM-" or "NAME"; write "{NAME}" if the name contains a colon. Starts
        and ends of alignments are positions in the whole record
    :param query_region: likewise
    :param strand: strand of the query: "plus" or "+", "minus" or "-" for its reverse complement, or "both" for
        the better of the two, plus on a tie. Starts and ends are positions on the forward strand
    :param skip: how to skip cells that cannot change the result: "auto", "none", "best" for cells that
        cannot reach the best score so far, or "bounds" for cells that cannot reach a lower bound, which
        is found first
    :param match: score of a match, > 0
    :param mismatch: cost of a mismatch or an ambiguous base, >= 0
    :param gap_open: cost of opening a gap, in addition to its bases, >= 0
    :param gap_extend: cost of each base of a gap, including the first, >= 0
    :param device: "auto", "cpu", "gpu", "gpu:INDEX", "gpu:UUID" or a list such as "cpu,cpu", which shares the rows
    :param engine: "auto" or an engine's name
    :param threads: CPU threads; 0 uses all that this process may use
    :param checkpoint: a folder, created if missing, in which the state is saved and from which an earlier
        run of the same comparison resumes
    :param checkpoint_interval: seconds between two saved states; ``None`` is the library's, 600
    :param checkpoint_fresh: start over; the states in the folder are kept
    :param grid: for experiments: blocks on a diagonal, threads of a block, rows of a thread
    :param bits: for experiments: bits per score, 16, 32 or 64; 0 chooses
    :param starts: also find where the alignment starts, which takes a little longer
    :param row_budget: bytes for the special rows that are kept to find it; ``None`` chooses by what is free, 0 keeps
        none. Where hardly any are kept, a second sweep keeps up to 32 MiB and 4 bytes a base. It changes how long
        that takes, never the result
    :param circular: "target", "query" or "both" if these records are circular: alignments may run over the origin, and
        take each base once. Not with a region of that record, a checkpoint, ``verify``, or the rule "all"
    :raises UsageError: if an argument is out of range; errors that only the library can find are raised
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
        starts: bool = True,
        row_budget: Optional[int] = None,
    ) -> Comparison:
        """Resumes the comparison of a checkpoint.

        Files, records, regions, strand and scoring are those of the checkpoint. Everything else may differ.

        :param directory: as given to ``checkpoint``
        :raises CheckpointError: if the folder holds no usable checkpoint
        :raises UsageError: if a sequence was made in memory or read from standard input; then repeat the
            comparison with the same ``checkpoint``
        """
        held = info(directory)
        for side, record in (("target", held.target), ("query", held.query)):
            if record.file is None or record.file == "-":
                origin = "made in memory" if record.file is None else "read from standard input"
                raise UsageError(
                    f"checkpoint {os.fsdecode(directory)}: the {side} was {origin}, so it cannot be "
                    "loaded again; repeat the comparison with this checkpoint"
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
            starts=starts,
            row_budget=row_budget,
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
                strand=STRANDS[held.strand],
                scoring=held.scoring,
                memo=optional_bytes("memo", held.memo),
            )
        )
        return comparison

    def _start(self, job: Job) -> None:
        self._run = _Run(job)
        weakref.finalize(self, self._run.stop).atexit = False

    def __iter__(self) -> Iterator[Progress]:
        """Yields the newest progress until the end.

        :raises Error: if the comparison failed, but not if :meth:`stop` stopped it
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
        """The newest progress; ``None`` if there is none yet."""
        return self._run.progress

    @property
    def done(self) -> bool:
        """Whether the comparison has ended, successfully or not."""
        return self._run.done

    def stop(self) -> None:
        """Asks the comparison to stop and returns at once. With a checkpoint, the state is saved."""
        self._run.stop()

    def result(self) -> Result:
        """Waits for the end and returns the result.

        :raises StoppedError: if the comparison was stopped before the end
        :raises Error: if it failed; the class says why
        """
        self._run.finish()
        assert self._run.result is not None
        return self._run.result

    def __enter__(self) -> Comparison:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._run.end()


@takes(Options)
def compare(target: Source, query: Source, **options: Any) -> Result:
    """Finds the best local alignment of two sequences (Smith-Waterman with affine gaps, exact).

    ::

        r = chromosweep.compare("a.fa.gz", "b.fa.gz")
        print(r.score, r.target_start, r.target_end, r.query_start, r.query_end)

    Parameters and exceptions are those of :class:`Comparison`, which also reports progress.
    Memory: one byte per base of both sequences, and 8 bytes (at most 16) per base of the shorter one. Before the sweep,
    the search for what can be skipped takes up to 20 bytes per base of the shorter one. Ctrl-C stops it.
    """
    return Comparison(target, query, **options).result()


@takes(AlignOptions)
def align(target: Source, query: Source, **options: Any) -> Optional[Alignment]:
    """Finds the best local alignment itself; ``None`` if the score is 0.

    ::

        found = chromosweep.align("a.fa.gz", "b.fa.gz")
        if found:
            print(found.target_start, found.target_end, found.query_start, found.query_end, found.cigar)

    Parameters and exceptions are those of :class:`Comparison`, and two more. Ctrl-C stops it; with a checkpoint, the
    next call goes on from there.

    :param verify: prove the score a second time by a sweep of the reversed sequences, in about the same time
    :param max_drop: cut the alignment where its score falls by more than this; see :attr:`Alignment.pieces`
    """
    comparison = Comparison.__new__(Comparison)
    comparison._start(AlignOptions(target, query, **options).job())
    comparison.result()
    return comparison._run.alignment


@takes(AlignSetOptions)
def align_set(target: Records, query: Records, **options: Any) -> AlignmentSet:
    """Finds a set of alignments, exactly. Each has the best score that is possible beside those before it.

    ::

        found = chromosweep.align_set("a.fa.gz", "b.fa.gz", min_score=2000)
        for each in found:
            print(each.score, each.strand, each.target_start, each.target_end, each.query_start, each.query_end)
        print(found.summary.inversions)

    Parameters and exceptions are those of :class:`Comparison`, but ``strand`` is "both" unless it is given, ``starts``
    has no effect, and there are five more. Ctrl-C stops it; with a checkpoint, the next call continues from there.

    Target and query may also be lists of :class:`Sequence`. Then the set is one between all records of both lists, such
    as a map of two assemblies. :attr:`Alignment.target_number` and :attr:`Alignment.query_number` tell the records of
    each alignment.

    :param rule: "one-to-one": each base takes part once. The best alignment is split at drops, and its pieces take the
        bases from their start to their end; the next is the best that spans no taken base, on either strand, and so on.
        Or "all": on each strand the best alignment, then the best that has no pair in common with one before it, and so
        on (Waterman and Eggert). "all" computes the whole matrix of each strand
    :param min_score: the set ends where the next alignment scores less, before it is split, >= 1
    :param number: the most alignments in the set, pieces counted one by one, >= 1. ``min_score`` or ``number`` is
        needed
    :param max_drop: with "one-to-one", split alignments where their score falls by more than this; ``None`` is
        ``min_score``, without it 10,000 matches
    :param with_itself: with "all", if target and query are the same: leaves out the alignment of each base with itself,
        and finds each repeat once
    """
    comparison = Comparison.__new__(Comparison)
    comparison._start(AlignSetOptions(target, query, **options).job())
    comparison._run.finish()
    assert comparison._run.set is not None
    return comparison._run.set


@takes(Comparison.resume)
def resume(directory: Path, **options: Any) -> Result:
    """Resumes the comparison of a checkpoint and runs it to its end.

    Parameters and exceptions are those of :meth:`Comparison.resume`. If the comparison is complete, this returns
    its result at once.
    """
    return Comparison.resume(directory, **options).result()
