"""What searches and identities share: files of many records, and a run whose finds are handed over while it goes on.

The library calls a function on the run's thread, which puts what it is given into a queue. Whoever iterates takes it from
there. The function waits if nobody does, so that memory does not fill up.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import queue
import threading
import weakref
from typing import Any, Callable, Dict, Generator, Generic, List, Optional, TypeVar

from ._arguments import UINT_MAX, Path, integer, path_bytes, text_bytes
from ._errors import DeviceError, UsageError
from ._library import (
    CS_ALPHABET_AUTO,
    CS_ALPHABET_NUCLEOTIDE,
    CS_ALPHABET_PROTEIN,
    CS_CONTROL_GO_ON,
    CS_CONTROL_STOP,
    call,
    library,
    read_control,
)
from ._notes import log_note
from ._options import checkpoint_interval_of

_TYPES = {
    "auto": CS_ALPHABET_AUTO,
    "protein": CS_ALPHABET_PROTEIN,
    "nucleotide": CS_ALPHABET_NUCLEOTIDE,
}
_MOST = 10**9
"""The highest score of a pair, and the highest cost."""
_BATCH = 4096
"""Items that are handed over at a time."""
_BATCHES = 16
"""How many of these batches may wait."""
_LOOK = 0.1
"""How often a thread that has to wait looks whether nobody wants more, in seconds."""

T = TypeVar("T")


def choice(what: str, value: str, choices: Any) -> int:
    if value not in choices:
        raise UsageError(f"{what} must be one of {', '.join(choices)}, not {value!r}")
    number: int = choices[value]
    return number


def members(
    type: str,
    matrix: Optional[Path],
    match: int,
    mismatch: int,
    gap_open: Optional[int],
    gap_extend: Optional[int],
    align: bool,
    threads: Optional[int],
    device: str,
    checkpoint: Optional[Path],
    checkpoint_interval: Optional[float],
    checkpoint_fresh: bool,
    usual_interval: float,
) -> Dict[str, Any]:
    """The members that CsSearchOptions and CsIdentityOptions have in common."""
    if checkpoint is None and (checkpoint_interval is not None or checkpoint_fresh):
        raise UsageError("checkpoint_interval and checkpoint_fresh need a checkpoint")
    return {
        "alphabet": choice("type", type, _TYPES),
        "matrix": None if matrix is None else path_bytes("matrix", matrix),
        "match": integer("match", match, 1, _MOST),
        "mismatch": integer("mismatch", mismatch, 0, _MOST),
        "gap_open": -1 if gap_open is None else integer("gap_open", gap_open, 0, _MOST),
        "gap_extend": -1 if gap_extend is None else integer("gap_extend", gap_extend, 0, _MOST),
        "align": bool(align),
        "threads": 0 if threads is None else integer("threads", threads, 1, UINT_MAX),
        "device": text_bytes("device", device),
        "checkpoint": None if checkpoint is None else path_bytes("checkpoint", checkpoint),
        "checkpoint_interval": checkpoint_interval_of(checkpoint_interval) or usual_interval,
        "checkpoint_fresh": bool(checkpoint_fresh),
    }


class Run(Generic[T]):
    """Calls a function of the library on a thread of its own, and hands over what it finds."""

    def __init__(self) -> None:
        self._batches: queue.Queue[Optional[List[T]]] = queue.Queue(_BATCHES)
        self._unwanted = threading.Event()
        self._control = ctypes.c_int(CS_CONTROL_GO_ON)
        self._thread: Optional[threading.Thread] = None
        self._process = os.getpid()
        self._waited_for = True  # when it ends
        self._error: Optional[BaseException] = None

    def _put(self, batch: Optional[List[T]]) -> bool:
        """Waits until there is room; False if nobody wants more."""
        while not self._unwanted.is_set():
            try:
                self._batches.put(batch, timeout=_LOOK)
                return True
            except queue.Full:
                pass
        return False

    def take(self, count: int, make: Callable[[int], T]) -> bool:
        """Makes the items 0 to ``count`` - 1 and hands them over. For the function that the library calls: it never raises."""
        try:
            return all(
                self._put([make(k) for k in range(at, min(at + _BATCH, count))])
                for at in range(0, count, _BATCH)
            )
        except BaseException as error:  # ctypes would print it and go on
            self._error = error
            return False

    def _work(self, work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:
            self._error = self._error or error
        self._put(None)

    def _start(self, work: Callable[[], object]) -> None:
        self._thread = threading.Thread(target=self._work, args=(work,), name="chromosweep", daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:  # Python's own, if the system refuses
            raise DeviceError(f"{error}: ulimit -v or -u may be too low") from None
        _runs.add(self)

    def end(self) -> None:
        """Stops the run and waits until its thread has ended. A second Ctrl-C ends the wait."""
        self._unwanted.set()
        library.g_atomic_int_set(ctypes.byref(self._control), CS_CONTROL_STOP)
        # A fork does not have the thread. On the thread itself this may be called by the garbage collector.
        if (
            self._waited_for
            and self._process == os.getpid()
            and self._thread is not None
            and self._thread is not threading.current_thread()
        ):
            self._waited_for = False
            self._thread.join()

    def items(
        self, function: Any, free: Any, first: bytes, second: Optional[bytes], options: Any
    ) -> Generator[T, None, None]:
        """Starts ``function(first, second, options, error)``, and yields what it finds. ``free`` takes its result."""
        options.note = log_note
        options.control = read_control
        options.data = ctypes.addressof(self._control)
        self._start(lambda: free(call(function, first, second, ctypes.byref(options))))
        try:
            while True:
                batch = self._batches.get()
                if batch is None:
                    break
                yield from batch
        finally:  # also if the caller takes no more, or presses Ctrl-C
            self.end()
        if self._error is not None:
            raise self._error


_runs: weakref.WeakSet[Run[Any]] = weakref.WeakSet()


def _end_all() -> None:
    for run in list(_runs):
        run.end()


# When Python exits, threads can no longer call it. A run that hands something over would never end.
atexit.register(_end_all)
