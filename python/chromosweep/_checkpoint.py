"""What a checkpoint holds, and how to remove it."""

from __future__ import annotations

import datetime
import os
from dataclasses import dataclass
from typing import Any, Optional, Tuple

from ._arguments import Path, path_bytes
from ._library import call, library, text
from ._records import Record, Scoring, scoring_of, skip_done


@dataclass(frozen=True)
class Generation:
    """One saved state."""

    number: int
    """Counts up from 1."""
    file: str
    """Its name within the folder."""
    bytes: int
    """Size of the file."""
    saved: Optional[datetime.datetime]
    """When it was saved, in UTC; ``None`` if the time in the file is impossible."""
    cells_done: int
    """Cells of the matrix that are done."""
    rows_done: int
    """Complete rows of the matrix; the longer sequence lies along the rows."""
    score: int
    """The best score so far."""
    target_end: Optional[int]
    """The last base of that alignment in the target, 1-based; ``None`` while the score is 0."""
    query_start: Optional[int]
    """On minus, its first base in the query; ``None`` on plus."""
    query_end: Optional[int]
    """On plus, its last base in the query; ``None`` on minus."""
    seconds: float
    """Computing time in seconds."""
    fault: Optional[str]
    """Why it cannot be used; ``None`` if it can."""
    strand: str = "+"
    """Strand of the best score: "+" or "-"."""
    under_way: str = "+"
    """The strand that is being computed: "+" or "-"."""
    skip: Optional[str] = None
    """How cells were skipped, as in :class:`Result`; ``None`` if unknown."""
    fraction: float = 0.0
    """How much of the work was done, as in :class:`Progress`; 0 if it has a fault."""


@dataclass(frozen=True)
class CheckpointInfo:
    """What a checkpoint holds."""

    format_version: int
    """Version of the file format."""
    program_version: str
    """Version of the program that wrote it."""
    target: Record
    """Its file's path is absolute."""
    query: Record
    """Likewise."""
    target_digest: str
    """Digest of the bases, 32 hexadecimal digits."""
    query_digest: str
    """Likewise."""
    strand: str
    """"+", "-" or "both"."""
    scoring: Scoring
    """The scoring of the comparison."""
    memo: Optional[str]
    """A note of the program that made the checkpoint."""
    holder: Optional[str]
    """Who uses it now, such as "process 4711 on node17"."""
    fault: Optional[str]
    """What is wrong with the manifest, if anything; the rest then comes from the newest good generation."""
    generations: Tuple[Generation, ...]
    """The newest first."""

    @property
    def newest(self) -> Optional[Generation]:
        """The newest generation without a fault, from which a comparison would resume."""
        return next((each for each in self.generations if each.fault is None), None)

    @property
    def fraction(self) -> float:
        """How much of the work is done, from 0 to 1, by :attr:`newest`."""
        return 0.0 if self.newest is None else self.newest.fraction


def _time(seconds: int) -> Optional[datetime.datetime]:
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    except (OverflowError, ValueError, OSError):
        return None


def _generation(it: Any) -> Generation:
    return Generation(
        number=it.number,
        file=os.fsdecode(it.file),
        bytes=it.bytes,
        saved=_time(it.saved),
        cells_done=it.cells_done,
        rows_done=it.rows_done,
        score=it.score,
        target_end=it.target_end or None,
        query_start=it.query_start or None,
        query_end=it.query_end or None,
        seconds=it.seconds,
        fault=text(it.fault),
        strand="+-"[it.strand],
        under_way="+-"[it.under_way],
        skip=skip_done(it.skip),
        fraction=it.fraction,
    )


def _record(
    file: Optional[bytes], name: Optional[bytes], length: int, first: int, last: int
) -> Record:
    region = (first, last) if first > 0 else None
    return Record(None if file is None else os.fsdecode(file), text(name) or "", length, region)


def _info(it: Any) -> CheckpointInfo:
    return CheckpointInfo(
        format_version=it.format_version,
        program_version=text(it.program_version) or "",
        target=_record(
            it.target_file, it.target_name, it.target_length, it.target_from, it.target_to
        ),
        query=_record(it.query_file, it.query_name, it.query_length, it.query_from, it.query_to),
        target_digest=text(it.target_digest) or "",
        query_digest=text(it.query_digest) or "",
        strand=text(it.strand) or "",
        scoring=scoring_of(it.scoring),
        memo=text(it.memo),
        holder=text(it.holder),
        fault=text(it.fault),
        generations=tuple(_generation(it.generations[k]) for k in range(it.n_generations)),
    )


def info(directory: Path, *, verify: bool = False) -> CheckpointInfo:
    """Reads what a checkpoint holds. It changes nothing, and may be called while a run uses the checkpoint.

    :param directory: as given to ``compare(checkpoint=...)``
    :param verify: read every generation completely and check all checksums; otherwise only the heads
        are read
    :raises Error: if the folder does not exist or cannot be read
    :raises CheckpointError: if the folder holds no checkpoint, or one of an unknown version
    """
    pointer = call(library.cs_checkpoint_info_new, path_bytes("directory", directory), bool(verify))
    try:
        return _info(pointer.contents)
    finally:
        library.cs_checkpoint_info_free(pointer)


def remove_checkpoint(directory: Path) -> None:
    """Removes what chromosweep wrote into the folder, then the folder itself if it is empty.

    :raises CheckpointError: if a run is using it
    :raises Error: if something cannot be removed
    """
    path = path_bytes("directory", directory)
    is_search = library.cs_search_checkpoint_is_there(path)
    call(library.cs_search_checkpoint_remove if is_search else library.cs_checkpoint_remove, path)
