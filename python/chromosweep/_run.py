"""What searches and identities share: files of many records, and a thread that Ctrl-C stops."""

from __future__ import annotations

import ctypes
import threading
from typing import Any, Callable, Dict, Optional

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
from ._options import checkpoint_interval_of

_TYPES = {
    "auto": CS_ALPHABET_AUTO,
    "protein": CS_ALPHABET_PROTEIN,
    "nucleotide": CS_ALPHABET_NUCLEOTIDE,
}
_MOST = 10**9
"""The highest score of a pair, and the highest cost."""


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


class Run:
    """Calls ``function(first, second, options, error)`` on a thread of its own."""

    def __init__(self, function: Any, first: bytes, second: Optional[bytes], options: Any) -> None:
        self.function = function
        self.arguments = first, second, options
        self.control = ctypes.c_int(CS_CONTROL_GO_ON)
        self.done = threading.Event()
        self.at_end: Callable[[], object] = lambda: None
        """Called on that thread when the function has returned."""
        self.pointer: Any = None
        self.error: Optional[BaseException] = None
        options.control = read_control
        options.data = ctypes.addressof(self.control)

    def _work(self) -> None:
        first, second, options = self.arguments
        try:
            self.pointer = call(self.function, first, second, ctypes.byref(options))
        except BaseException as error:
            self.error = error
        self.done.set()
        self.at_end()

    def start(self) -> None:
        try:
            threading.Thread(target=self._work, name="chromosweep", daemon=True).start()
        except RuntimeError as error:  # Python's own, if the system refuses
            raise DeviceError(f"{error}: ulimit -v or -u may be too low") from None

    def stop(self) -> None:
        library.g_atomic_int_set(ctypes.byref(self.control), CS_CONTROL_STOP)

    def result(self) -> Any:
        """Waits for the end, and returns what the function did."""
        try:
            self.done.wait()
        except BaseException:  # usually Ctrl-C
            self.stop()
            raise
        if self.error is not None:
            raise self.error
        return self.pointer
