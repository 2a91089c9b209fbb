"""What a comparison would take, before it is begun."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Dict, Optional

from ._comparison import note
from ._errors import Error, UsageError
from ._library import CsNoteFunc, CsPlan, call, library, text
from ._options import Options, Source, takes
from ._records import SKIPS, c_scoring


@dataclass(frozen=True)
class Plan:
    """What a comparison would take on this machine. Memory and disk are in bytes, each at most."""

    works: bool
    """Whether there is memory and disk enough here and now."""
    fault: Optional[str]
    """What there is too little of; ``None`` where it works."""
    cells: int
    """Bases of the target times those of the query; twice that for both strands."""
    cells_done: int
    """Of these, what the checkpoint covers already."""
    engine: str
    """That would compute."""
    device: Optional[str]
    """The GPU's name; ``None`` when it is the CPU."""
    threads: int
    """CPU threads, as many as there is work for."""
    bits: int
    """Of the arithmetic on a GPU; on the CPU of scores between blocks."""
    block_rows: int
    """Rows of blocks that the matrix of a strand is cut into."""
    block_columns: int
    """Columns of them."""
    blocks_a_diagonal: int
    """Blocks that may be at work at once."""
    block_height: int
    """Bases."""
    block_width: int
    """Bases."""
    host_bytes: int
    """Memory of a process of the command that does it: the sum of the five that follow and ``host_bytes_skip``."""
    host_bytes_program: int
    """Of libraries and stacks. Python itself comes on top here."""
    host_bytes_sequences: int
    """Of the bases."""
    host_bytes_buses: int
    """Of the horizontal bus."""
    host_bytes_engine: int
    """Of block states, or of a GPU's driver."""
    host_bytes_checkpoint: int
    """Of what states are copied to and packed in; 0 without a checkpoint."""
    host_bytes_least: int
    """``host_bytes`` without copies that are only made when a stop comes amid a save."""
    host_bytes_available: Optional[int]
    """What this process can have in all, what it holds now included; ``None`` if not known."""
    host_limit: Optional[str]
    """What bounds that, in words; ``None`` if not known."""
    device_bytes: int
    """Memory of the GPU; 0 when it is the CPU."""
    disk_bytes: int
    """Of the checkpoint's directory; 0 without a checkpoint."""
    disk_bytes_expected: int
    """Of it, as genomes pack as a rule."""
    disk_bytes_there: int
    """Of it, what is there already."""
    disk_bytes_free: Optional[int]
    """What can still be written there; ``None`` if not known, or without a checkpoint."""
    cells_a_second: Optional[float]
    """By a probe; ``None`` if there was none, or there are no cells."""
    seconds: Optional[float]
    """For ``cells`` at this speed, or ``cells_expected``, and ``seconds_before``; likewise."""
    seconds_left: Optional[float]
    """For what is not done; likewise."""
    skip: str
    """What would be skipped: "none", "best" or "bounds"; "auto" where it was not found out."""
    lower_bound: Optional[int]
    """As in :class:`Result`; ``None`` where it was not found out."""
    cells_expected: Optional[int]
    """Cells that are likely to be computed for ``cells``; ``None`` if not known."""
    seconds_before: float
    """That it took here to find out what can be skipped, as a run will."""
    host_bytes_skip: int
    """Of memory, for finding that out."""


def _fault(made: CsPlan) -> Optional[str]:
    try:
        call(library.cs_plan_check, ctypes.byref(made))
    except Error as error:
        return str(error)
    return None


def _plan(made: CsPlan) -> Plan:
    # What C marks as not known is None here.
    unknown: Dict[str, float] = {"host_bytes_available": -1, "disk_bytes_free": -1, "cells_expected": -1, "lower_bound": 0}
    if made.cells_a_second == 0:
        unknown |= {"cells_a_second": 0, "seconds": 0, "seconds_left": 0}
    members: Dict[str, Any] = {}
    for name, _ in CsPlan._fields_:
        value: Any = getattr(made, name)
        if isinstance(value, bytes):
            value = text(value)
        members[name] = None if value == unknown.get(name) else value
    members["skip"] = SKIPS[made.skip]
    fault = _fault(made)
    return Plan(works=fault is None, fault=fault, **members)


@dataclass(frozen=True)
class _PlanOptions(Options):
    probe: float = 3.0


@takes(_PlanOptions)
def plan(target: Source, query: Source, **options: Any) -> Plan:
    """Tells what :func:`compare` would take with the same arguments. Nothing is written or changed.

    :param probe: for how many seconds at most the speed may be measured, on corners of the matrix; 0 not to
        measure it, nor to find out how much can be skipped, which may take 60 seconds more
    :raises Error: as :func:`compare` would before it computes, but for want of memory, which ``works`` tells
    """
    asked = _PlanOptions(target, query, **options)
    job = asked.job()
    if not 0 <= asked.probe < float("inf"):
        raise UsageError(f"probe is a time in seconds, not {asked.probe}")
    # What can be refused is refused before anything is loaded.
    call(library.cs_scoring_check, ctypes.byref(c_scoring(job.scoring)), 1, 1)
    call(library.cs_device_describe, job.device, job.engine)
    targets, queries = job.load(0), job.load(1)
    c_options, made = job.options(), CsPlan()
    c_options.note = CsNoteFunc(note)
    call(
        library.cs_plan,
        targets._pointer,
        queries._pointer,
        ctypes.byref(c_options),
        asked.probe,
        ctypes.byref(made),
    )
    return _plan(made)
