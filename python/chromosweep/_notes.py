"""What the library tells beside results, for the logger "chromosweep"."""

from __future__ import annotations

import logging
from typing import Any

from ._library import CS_NOTE_DETAIL, CS_NOTE_EVENT, CS_NOTE_WARNING, CsNoteFunc, text

_LEVELS = {CS_NOTE_DETAIL: logging.DEBUG, CS_NOTE_EVENT: logging.INFO, CS_NOTE_WARNING: logging.WARNING}

_logger = logging.getLogger("chromosweep")


def _log(kind: int, message: bytes, _data: Any) -> None:
    _logger.log(_LEVELS.get(kind, logging.WARNING), "%s", text(message))


log_note = CsNoteFunc(_log)
