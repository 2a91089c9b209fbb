"""The exceptions: a class for each kind of error of the library, with the library's messages."""

from __future__ import annotations

import errno
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


class NotFoundError(Error, FileNotFoundError):
    """There is no such file or folder."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.errno = errno.ENOENT


class NotPermittedError(Error, PermissionError):
    """The file or folder may not be read or written."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.errno = errno.EACCES


class IsFolderError(Error, IsADirectoryError):
    """It is a folder where a file is needed."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.errno = errno.EISDIR


BY_CODE: Dict[int, Type[Error]] = {
    kind.status: kind
    for kind in (Error, UsageError, ContentError, DeviceError, CheckpointError, StoppedError)
}

# Python's own classes for values of CsErrorDetail.
BY_DETAIL: Dict[int, Type[Error]] = {5: NotFoundError, 6: NotPermittedError, 7: IsFolderError}
