"""What a comparison needs, estimated before it starts."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from ._errors import Error, UsageError
from ._library import CsPlan, call, library, text
from ._notes import log_note
from ._options import Options, Source, takes
from ._records import SKIPS, c_scoring


@dataclass(frozen=True)
class PlanMember:
    """One of several devices that share a comparison."""

    device: str
    """The device that was asked for, such as "cpu"."""
    threads: int
    """CPU threads that it gets; 0 if it is left alone or a GPU."""
    rows: int
    """Rows of the matrix of one strand that it computes; 0 if it is left alone."""


@dataclass(frozen=True)
class Plan:
    """What a comparison needs on this machine. Memory and disk are upper limits in bytes."""

    works: bool
    """Whether there is enough memory and disk space now."""
    fault: Optional[str]
    """What is missing; ``None`` if nothing is."""
    cells: int
    """Target length times query length; twice that for both strands."""
    cells_done: int
    """Cells that the checkpoint has already done."""
    engine: str
    """The engine that would compute."""
    device: Optional[str]
    """The GPU's name; ``None`` for the CPU."""
    threads: int
    """CPU threads that have work to do."""
    bits: int
    """Width of the arithmetic on a GPU; on the CPU, of the scores between blocks."""
    block_rows: int
    """Block rows of the matrix of one strand."""
    block_columns: int
    """Block columns of the matrix of one strand."""
    blocks_a_diagonal: int
    """Blocks that can be computed at the same time."""
    block_height: int
    """Rows of a block."""
    block_width: int
    """Columns of a block."""
    host_bytes: int
    """Memory of the command that runs it: the sum of the next five and ``host_bytes_skip``."""
    host_bytes_program: int
    """Libraries and stacks. Python needs memory in addition."""
    host_bytes_sequences: int
    """The bases of both sequences."""
    host_bytes_buses: int
    """The horizontal bus."""
    host_bytes_engine: int
    """Block states, or a GPU's driver."""
    host_bytes_checkpoint: int
    """Copying and packing states; 0 without a checkpoint."""
    host_bytes_least: int
    """``host_bytes`` without copies that are made only if the run is stopped during a save."""
    host_bytes_available: Optional[int]
    """Memory available to this process, including what it uses now; ``None`` if unknown."""
    host_limit: Optional[str]
    """What limits it, in words; ``None`` if unknown."""
    device_bytes: int
    """Memory of the GPU; 0 for the CPU."""
    disk_bytes: int
    """Size of the checkpoint; 0 without one."""
    disk_bytes_expected: int
    """Likely size, if the states compress as those of genomes usually do."""
    disk_bytes_there: int
    """Size of what is already there."""
    disk_bytes_free: Optional[int]
    """Free space there; ``None`` if unknown, or without a checkpoint."""
    cells_a_second: Optional[float]
    """Speed measured in a short test; ``None`` if there was none, or there are no cells."""
    seconds: Optional[float]
    """``seconds_before`` and the time for the sweeps at this speed: for ``cells_expected`` if cells are skipped by
    bounds, otherwise for ``cells``. ``None`` as above."""
    seconds_left: Optional[float]
    """The time for what is left to compute. ``None`` as above."""
    skip: str
    """How cells would be skipped: "none", "best" or "bounds"; "auto" if unknown."""
    lower_bound: Optional[int]
    """As in :class:`Result`; ``None`` if unknown."""
    cells_expected: Optional[int]
    """How many of ``cells`` will probably be computed; ``None`` if unknown."""
    seconds_before: float
    """How long the stages before the sweep took here; a run will need the same time."""
    host_bytes_skip: int
    """Memory of the stages before the sweep."""
    row_bytes: int
    """What rows of an alignment would take; 0 because :func:`compare` keeps none."""
    members: Tuple[PlanMember, ...]
    """What each device gets if ``device`` is a list; else empty."""


def _fault(made: CsPlan) -> Optional[str]:
    try:
        call(library.cs_plan_check, ctypes.byref(made))
    except Error as error:
        return str(error)
    return None


def _plan(made: CsPlan) -> Plan:
    # Values that are not known have a mark in C and are None here.
    unknown: Dict[str, float] = {"host_bytes_available": -1, "disk_bytes_free": -1, "cells_expected": -1, "lower_bound": 0}
    if made.cells_a_second == 0:
        unknown |= {"cells_a_second": 0, "seconds": 0, "seconds_left": 0}
    fields: Dict[str, Any] = {}
    for name, _ in CsPlan._fields_:
        value: Any = getattr(made, name)
        if isinstance(value, bytes):
            value = text(value)
        fields[name] = None if value == unknown.get(name) else value
    fields["skip"] = SKIPS[made.skip]
    for name in ("cells_most", "seconds_most"):  # of sets, which are not planned here
        del fields[name]
    members = made.members[: fields.pop("n_members")]
    fields["members"] = tuple(PlanMember(text(each.device) or "", each.threads, each.rows) for each in members)
    fault = _fault(made)
    return Plan(works=fault is None, fault=fault, **fields)


@dataclass(frozen=True)
class _PlanOptions(Options):
    probe: float = 3.0


@takes(_PlanOptions)
def plan(target: Source, query: Source, **options: Any) -> Plan:
    """Estimates what :func:`compare` with the same arguments would need. Writes and changes nothing.

    :param probe: the longest time in seconds to measure the speed on parts of the matrix; 0 measures neither
        the speed nor how much can be skipped, which may take another 110 seconds
    :raises Error: as :func:`compare` would before it computes, except for a lack of memory, which ``works`` shows
    """
    asked = _PlanOptions(target, query, **options)
    job = asked.job()
    if not 0 <= asked.probe < float("inf"):
        raise UsageError(f"probe must be a time in seconds, not {asked.probe}")
    # Raises what it can before anything is loaded.
    call(library.cs_scoring_check, ctypes.byref(c_scoring(job.scoring)), 1, 1)
    call(library.cs_device_describe, job.device, job.engine)
    targets, queries = job.load(0)[0], job.load(1)[0]
    c_options, made = job.options(), CsPlan()
    c_options.note = log_note
    call(
        library.cs_plan,
        targets._pointer,
        queries._pointer,
        ctypes.byref(c_options),
        asked.probe,
        ctypes.byref(made),
    )
    return _plan(made)
