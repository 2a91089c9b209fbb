"""The exceptions: a class for each kind of error of the library, with the library's messages."""

from __future__ import annotations

import errno
import os
from typing import Dict, Optional, Tuple, Type


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


class _FileError(Error, OSError):
    """A file or folder cannot be used.

    Has ``errno``, ``strerror`` and ``filename``, like the exceptions of ``open()``.
    """

    _errno = 0

    def __init__(self, message: str, filename: Optional[str] = None) -> None:
        super().__init__(message)
        self.errno = self._errno
        self.strerror = os.strerror(self._errno)
        self.filename = filename

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> Tuple[Type[_FileError], Tuple[str, Optional[str]]]:
        return type(self), (str(self), self.filename)


class NotFoundError(_FileError, FileNotFoundError):
    """There is no such file or folder."""

    _errno = errno.ENOENT


class NotPermittedError(_FileError, PermissionError):
    """The file or folder may not be read or written."""

    _errno = errno.EACCES


class IsFolderError(_FileError, IsADirectoryError):
    """It is a folder where a file is needed."""

    _errno = errno.EISDIR


BY_CODE: Dict[int, Type[Error]] = {
    kind.status: kind
    for kind in (Error, UsageError, ContentError, DeviceError, CheckpointError, StoppedError)
}

# Python's own classes for values of CsErrorDetail.
BY_DETAIL: Dict[int, Type[_FileError]] = {5: NotFoundError, 6: NotPermittedError, 7: IsFolderError}
