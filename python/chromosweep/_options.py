"""The options of a comparison. Their names, types and defaults are defined only here."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Callable, List, Optional, SupportsIndex, Tuple, TypeVar, Union

from ._arguments import INT64_MAX, UINT_MAX, Path, integer, optional_bytes, path_bytes, text_bytes
from ._errors import UsageError
from ._library import (
    CS_ALIGN_SET_ALL,
    CS_ALIGN_SET_ONE_TO_ONE,
    CS_CIRCULAR_BOTH,
    CS_CIRCULAR_NONE,
    CS_CIRCULAR_QUERY,
    CS_CIRCULAR_TARGET,
    CS_STRAND_BOTH,
    CS_STRAND_MINUS,
    CS_STRAND_PLUS,
    CsAlignSetOptions,
    CsCompareOptions,
    call,
    library,
)
from ._records import SKIPS, Scoring, c_scoring
from ._sequence import Sequence

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

R = TypeVar("R")

Source = Union[Path, Sequence]
"""A sequence, or a FASTA file that contains it."""

Records = Union[Source, List[Sequence], Tuple[Sequence, ...]]
"""The same, or several sequences."""

Grid = Tuple[int, int, int]
"""Blocks on a diagonal, threads of a block, rows of a thread."""

STRANDS = {
    "plus": CS_STRAND_PLUS,
    "minus": CS_STRAND_MINUS,
    "both": CS_STRAND_BOTH,
    "+": CS_STRAND_PLUS,
    "-": CS_STRAND_MINUS,
}
"""Names that are accepted; results and checkpoints have "+" and "-"."""

_CIRCULAR = {
    None: CS_CIRCULAR_NONE,
    "target": CS_CIRCULAR_TARGET,
    "query": CS_CIRCULAR_QUERY,
    "both": CS_CIRCULAR_BOTH,
}

_RULES = {"one-to-one": CS_ALIGN_SET_ONE_TO_ONE, "all": CS_ALIGN_SET_ALL}

_DROP_MATCHES = 10_000
"""Sets without a least score are cut at drops of so many matches, as by the command."""


@dataclass(frozen=True)
class Job:
    """A comparison to run, in the library's terms."""

    sources: Tuple[Union[bytes, Sequence, Tuple[Sequence, ...]], Union[bytes, Sequence, Tuple[Sequence, ...]]]
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
    starts: bool
    row_budget: int
    """0: the library's choice; negative: no rows."""
    circular: int = CS_CIRCULAR_NONE
    align: bool = False
    """Whether to find the alignment itself too."""
    verify: bool = False
    max_drop: Optional[int] = None
    """Where to cut the alignment; ``None`` does not cut it."""
    set: Optional[CsAlignSetOptions] = None
    """Which set of alignments to find, if not only the best."""

    def load(self, side: int) -> Tuple[Sequence, ...]:
        """The records of a side: one, unless it has several for a set."""
        source = self.sources[side]
        if isinstance(source, tuple):
            return source
        if isinstance(source, Sequence):
            return (source,)
        if self.regions[side] is not None:
            return (Sequence._take(call(library.cs_sequence_load_region, source, self.regions[side])),)
        return (Sequence._take(call(library.cs_sequence_load, source, self.names[side])),)

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
            no_start=not self.starts,
            row_budget=self.row_budget,
            verify=self.verify,
            circular=self.circular,
        )


def checkpoint_interval_of(seconds: Optional[float]) -> float:
    """0 if there is none."""
    if seconds is None:
        return 0.0
    if not 0 < seconds < float("inf"):
        raise UsageError(f"checkpoint_interval must be a number of seconds greater than 0, not {seconds}")
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


def _row_budget(budget: Optional[int]) -> int:
    if budget is None:
        return 0
    return integer("row_budget", budget, 0, INT64_MAX) or -1


def _limit(what: str, value: Optional[SupportsIndex], least: int) -> Optional[int]:
    return None if value is None else integer(what, value, least, INT64_MAX)


def _circular(circular: Optional[str]) -> int:
    if circular not in _CIRCULAR:
        raise UsageError(f"circular must be 'target', 'query' or 'both', not {circular!r}")
    return _CIRCULAR[circular]


def _strand(strand: str) -> int:
    if strand not in STRANDS:
        raise UsageError(f"strand must be 'plus', 'minus' or 'both', not {strand!r}")
    return STRANDS[strand]


def _skip(skip: str) -> int:
    if skip not in SKIPS:
        raise UsageError(f"skip must be 'auto', 'none', 'best' or 'bounds', not {skip!r}")
    return SKIPS.index(skip)


def _source(
    what: str, source: Records, name: Optional[str], region: Optional[str]
) -> Union[bytes, Sequence, Tuple[Sequence, ...]]:
    if name is not None and region is not None:
        raise UsageError(f"{what}_name and {what}_region cannot be used together")
    if isinstance(source, (list, tuple)):
        source = tuple(source)
        if not source or not all(isinstance(each, Sequence) for each in source):
            raise TypeError(f"several records of the {what} must be a list of at least one Sequence")
    elif not isinstance(source, Sequence):
        return path_bytes(f"the {what}'s file name", source)
    if region is not None:
        raise UsageError(f"{what}_region selects a part of a file, but the {what} is not a file")
    if name is not None:
        raise UsageError(f"{what}_name selects a record of a file, but the {what} is not a file")
    return source


@dataclass(frozen=True)
class Options:
    """The parameters of :class:`Comparison`, where they are described."""

    target: Source
    query: Source
    target_name: Optional[str] = None
    query_name: Optional[str] = None
    target_region: Optional[str] = None
    query_region: Optional[str] = None
    strand: str = "plus"
    skip: str = "auto"
    match: int = 1
    mismatch: int = 3
    gap_open: int = 3
    gap_extend: int = 2
    device: str = "auto"
    engine: str = "auto"
    threads: int = 0
    checkpoint: Optional[Path] = None
    checkpoint_interval: Optional[float] = None
    checkpoint_fresh: bool = False
    grid: Optional[Grid] = None
    bits: int = 0
    starts: bool = True
    row_budget: Optional[int] = None
    circular: Optional[str] = None

    def job(self) -> Job:
        """
        :raises UsageError: if a parameter is out of range, or if two exclude each other
        """
        if not isinstance(self, AlignSetOptions) and isinstance(self.target, (list, tuple)):
            raise TypeError("only align_set() takes several records of the target")
        if not isinstance(self, AlignSetOptions) and isinstance(self.query, (list, tuple)):
            raise TypeError("only align_set() takes several records of the query")
        if self.checkpoint is None and (self.checkpoint_interval is not None or self.checkpoint_fresh):
            raise UsageError("checkpoint_interval and checkpoint_fresh need a checkpoint")
        return Job(
            sources=(
                _source("target", self.target, self.target_name, self.target_region),
                _source("query", self.query, self.query_name, self.query_region),
            ),
            names=(
                optional_bytes("target_name", self.target_name),
                optional_bytes("query_name", self.query_name),
            ),
            regions=(
                optional_bytes("target_region", self.target_region),
                optional_bytes("query_region", self.query_region),
            ),
            strand=_strand(self.strand),
            skip=_skip(self.skip),
            scoring=Scoring(
                integer("match", self.match, 1, INT64_MAX),
                integer("mismatch", self.mismatch, 0, INT64_MAX),
                integer("gap_open", self.gap_open, 0, INT64_MAX),
                integer("gap_extend", self.gap_extend, 0, INT64_MAX),
            ),
            device=text_bytes("device", self.device),
            engine=text_bytes("engine", self.engine),
            threads=integer("threads", self.threads, 0, UINT_MAX),
            grid=_grid(self.grid),
            bits=integer("bits", self.bits, 0, UINT_MAX),
            checkpoint=None if self.checkpoint is None else path_bytes("checkpoint", self.checkpoint),
            checkpoint_interval=checkpoint_interval_of(self.checkpoint_interval),
            checkpoint_fresh=bool(self.checkpoint_fresh),
            memo=None,
            starts=bool(self.starts),
            row_budget=_row_budget(self.row_budget),
            circular=_circular(self.circular),
        )


@dataclass(frozen=True)
class AlignOptions(Options):
    """The parameters of :func:`align`, where they are described."""

    verify: bool = False
    max_drop: Optional[int] = None

    def job(self) -> Job:
        limit = _limit("max_drop", self.max_drop, 0)
        return replace(super().job(), align=True, verify=bool(self.verify), max_drop=limit)


@dataclass(frozen=True)
class AlignSetOptions(Options):
    """The parameters of :func:`align_set`, where they are described."""

    target: Records  # type: ignore[assignment]
    query: Records  # type: ignore[assignment]
    strand: str = "both"
    rule: str = "one-to-one"
    min_score: Optional[int] = None
    number: Optional[int] = None
    max_drop: Optional[int] = None
    with_itself: bool = False

    def job(self) -> Job:
        if self.rule not in _RULES:
            raise UsageError(f"rule must be 'one-to-one' or 'all', not {self.rule!r}")
        if self.min_score is None and self.number is None:
            raise UsageError("a set of alignments needs min_score or number, or it would not end")
        if self.rule == "all" and self.max_drop is not None:
            raise UsageError("max_drop cannot be used with the rule 'all', which splits nothing")
        if self.rule != "all" and self.with_itself:
            raise UsageError("with_itself needs the rule 'all'")
        job = super().job()
        least = _limit("min_score", self.min_score, 1)
        drop = _limit("max_drop", self.max_drop, 0)
        if drop is None:
            drop = least or _DROP_MATCHES * job.scoring.match
        options = CsAlignSetOptions(
            rule=_RULES[self.rule],
            min_score=least or 0,
            most=_limit("number", self.number, 1) or 0,
            max_drop=min(drop, INT64_MAX),
            self=bool(self.with_itself),
        )
        return replace(job, set=options)


def _show(function: Callable[..., Any], of: Callable[..., Any]) -> None:
    """Shows help() and inspect the parameters of another function. Those with defaults are keyword-only."""
    own = inspect.signature(function)
    parameters = [own.parameters["self"]] if "self" in own.parameters else []
    for each in inspect.signature(of).parameters.values():
        has_default = each.default is not each.empty
        parameters.append(each.replace(kind=each.KEYWORD_ONLY) if has_default else each)
    setattr(function, "__signature__", own.replace(parameters=parameters))


def _named(function: Callable[..., R]) -> Callable[..., R]:
    """Wrong arguments are refused in the name of the function itself, not of what it hands them on to."""
    signature = inspect.signature(function)
    name = function.__qualname__
    if name.endswith(".__init__"):
        name = name[: -len(".__init__")]

    @functools.wraps(function)
    def checked(*arguments: Any, **named: Any) -> R:
        try:
            signature.bind(*arguments, **named)
        except TypeError as error:
            raise TypeError(f"{name}(): {error}") from None
        return function(*arguments, **named)

    return checked


def takes(of: Callable[P, object]) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """For a function that takes the parameters of another function, or of a class, and passes them on."""

    def decorate(function: Callable[..., R]) -> Callable[P, R]:
        _show(function, of)
        return _named(function)

    return decorate


def method_takes(of: Callable[P, object]) -> Callable[[Callable[..., R]], Callable[Concatenate[Any, P], R]]:
    """The same for a method."""

    def decorate(function: Callable[..., R]) -> Callable[Concatenate[Any, P], R]:
        _show(function, of)
        return _named(function)

    return decorate
