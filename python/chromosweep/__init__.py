"""Exact Smith-Waterman of whole chromosomes: libchromosweep from Python.

    import chromosweep
    r = chromosweep.compare("a.fa.gz", "b.fa.gz")
    print(r.score, r.target_start, r.target_end, r.query_start, r.query_end)

:func:`compare` and :func:`resume` return a :class:`Result`; :class:`Comparison` is the same with progress.
:func:`align` returns the :class:`Alignment` itself, and :func:`align_set` all alignments that are asked for.
:func:`search` finds the records of a database that are most like each query.
:func:`identity` compares every record of a file with every other, end to end.
:func:`plan` estimates what a comparison needs before it starts.
:class:`Sequence` holds bases in memory. :func:`info` reads a checkpoint, and :func:`devices` lists GPUs and
CPU engines. Failures raise :class:`Error` or a class derived from it.

Coordinates are 1-based, lengths are in bases, times in seconds, memory in bytes.
"""

from ._alignment import Alignment, Drop
from ._alignment_set import AlignmentSet, SetSummary
from ._checkpoint import CheckpointInfo, Generation, info, remove_checkpoint
from ._comparison import Comparison, align, align_set, compare, resume
from ._device import Device, devices
from ._errors import (
    CheckpointError,
    ContentError,
    DeviceError,
    Error,
    IsFolderError,
    NotFoundError,
    NotPermittedError,
    StoppedError,
    UsageError,
)
from ._identity import IdentityPair, identity
from ._plan import Plan, PlanMember, plan
from ._records import Record, Scoring
from ._results import Progress, Result, StageSeconds, StrandResult
from ._search import Hit, Search, SearchSummary, search
from ._sequence import Sequence
from ._version import build_info, version

__all__ = [
    "Alignment",
    "AlignmentSet",
    "CheckpointError",
    "CheckpointInfo",
    "Comparison",
    "ContentError",
    "Device",
    "DeviceError",
    "Drop",
    "Error",
    "Generation",
    "Hit",
    "IdentityPair",
    "IsFolderError",
    "NotFoundError",
    "NotPermittedError",
    "Plan",
    "PlanMember",
    "Progress",
    "Record",
    "Result",
    "Scoring",
    "Search",
    "SearchSummary",
    "Sequence",
    "SetSummary",
    "StageSeconds",
    "StoppedError",
    "StrandResult",
    "UsageError",
    "align",
    "align_set",
    "build_info",
    "compare",
    "devices",
    "identity",
    "info",
    "plan",
    "remove_checkpoint",
    "resume",
    "search",
    "version",
]

__version__ = version()
