"""The exceptions: the library's error kinds as classes, with its messages as they are."""

from __future__ import annotations

from typing import Dict, Type


class Error(Exception):
    """Input or output failed, or something without a class of its own.

    All other exceptions derive from this one. A message is one line that says what failed and where.
    """

    status = 1
    """The exit status of the command ``chromosweep``."""


class UsageError(Error, ValueError):
    """The arguments are wrong, by themselves or for these sequences."""

    status = 2


class ContentError(Error, ValueError):
    """The content of a file, or of a sequence, is malformed."""

    status = 3


class DeviceError(Error):
    """There is no such device, not enough memory on it or on the host, or it gives wrong results."""

    status = 4


class CheckpointError(Error):
    """A checkpoint is damaged, in use, or belongs to another comparison."""

    status = 5


class StoppedError(Error):
    """Stopped on request before the end."""

    status = 75


BY_CODE: Dict[int, Type[Error]] = {
    kind.status: kind
    for kind in (Error, UsageError, ContentError, DeviceError, CheckpointError, StoppedError)
}
