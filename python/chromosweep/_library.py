"""libchromosweep in terms of ctypes: where the library is, its structs and its functions.

A struct has the same name, members and order as in the C headers, and is defined only here: a member that is
added in C needs one line here. The import fails if the library's structs have other sizes, and the tests
compare every offset with the C compiler's.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int64,
    c_size_t,
    c_uint,
    c_uint32,
    c_void_p,
)
from typing import Any, Dict, List, Optional, Tuple, Type

from . import _config
from ._errors import BY_CODE, BY_DETAIL, Error

gboolean = c_int
guint = c_uint
gint64 = c_int64


class GError(Structure):
    _fields_ = [
        ("domain", c_uint32),
        ("code", c_int),
        ("message", c_char_p),
    ]


class GArray(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("len", guint),
    ]


class GPtrArray(Structure):
    _fields_ = [
        ("pdata", POINTER(c_void_p)),
        ("len", guint),
    ]


class CsScoring(Structure):
    _fields_ = [
        ("match", gint64),
        ("mismatch", gint64),
        ("gap_open", gint64),
        ("gap_extend", gint64),
    ]


class CsProgress(Structure):
    _fields_ = [
        ("cells_done", gint64),
        ("cells", gint64),
        ("seconds", c_double),
        ("score", gint64),
        ("target_end", gint64),
        ("query_start", gint64),
        ("query_end", gint64),
        ("strand", c_int),
        ("cells_before", gint64),
        ("seconds_before", c_double),
        ("next_checkpoint", c_double),
        ("cells_computed", gint64),
        ("cells_computed_before", gint64),
        ("fraction", c_double),
        ("cells_expected", gint64),
        ("seconds_left", c_double),
        ("elapsed", c_double),
        ("stage", c_int),
        ("stage_strand", c_int),
        ("stage_seconds", c_double),
        ("lower_bound", gint64),
    ]


CsProgressFunc = CFUNCTYPE(gboolean, POINTER(CsProgress), c_void_p)
CsNoteFunc = CFUNCTYPE(None, c_int, c_char_p, c_void_p)

CS_STRAND_PLUS = 0
CS_STRAND_MINUS = 1
CS_STRAND_BOTH = 2

CS_CIRCULAR_NONE = 0
CS_CIRCULAR_TARGET = 1
CS_CIRCULAR_QUERY = 2
CS_CIRCULAR_BOTH = 3

CS_ALIGN_SET_ONE_TO_ONE = 0
CS_ALIGN_SET_ALL = 1

CS_NOTE_DETAIL = 0
CS_NOTE_EVENT = 1
CS_NOTE_WARNING = 2

CS_CONTROL_GO_ON = 0
CS_CONTROL_SAVE = 1
CS_CONTROL_STOP = 2


class CsCompareOptions(Structure):
    _fields_ = [
        ("scoring", CsScoring),
        ("engine", c_char_p),
        ("threads", guint),
        ("progress", CsProgressFunc),
        ("progress_data", c_void_p),
        ("device", c_char_p),
        ("grid_blocks", guint),
        ("grid_threads", guint),
        ("grid_alpha", guint),
        ("note", CsNoteFunc),
        ("note_data", c_void_p),
        ("bits", guint),
        ("checkpoint", c_char_p),
        ("checkpoint_interval", c_double),
        ("checkpoint_fresh", gboolean),
        ("memo", c_char_p),
        ("control", c_void_p),
        ("control_data", c_void_p),
        ("strand", c_int),
        ("one_of_many", gboolean),
        ("skip", c_int),
        ("row_budget", gint64),
        ("no_start", gboolean),
        ("verify", gboolean),
        ("circular", c_int),
        ("min_score", gint64),
    ]


class CsStageSeconds(Structure):
    _fields_ = [
        ("all", c_double),
        ("seeds", c_double),
        ("chain", c_double),
        ("corridor", c_double),
        ("bounds", c_double),
    ]


class CsStrandResult(Structure):
    _fields_ = [
        ("computed", gboolean),
        ("score", gint64),
        ("target_start", gint64),
        ("target_end", gint64),
        ("query_start", gint64),
        ("query_end", gint64),
        ("skip", c_int),
        ("lower_bound", gint64),
        ("cells_computed", gint64),
        ("seconds", c_double),
        ("stages", CsStageSeconds),
        ("below", gint64),
    ]


class CsCompareResult(Structure):
    _fields_ = [
        ("score", gint64),
        ("target_start", gint64),
        ("target_end", gint64),
        ("query_start", gint64),
        ("query_end", gint64),
        ("cells", gint64),
        ("cells_computed", gint64),
        ("seconds", c_double),
        ("engine", c_char_p),
        ("threads", guint),
        ("device", c_char_p),
        ("cells_resumed", gint64),
        ("strand", c_int),
        ("strands", CsStrandResult * 2),
        ("skip", c_int),
        ("lower_bound", gint64),
        ("stages", CsStageSeconds),
        ("cells_corridor", gint64),
        ("below", gint64),
    ]


class CsAlignmentSummary(Structure):
    _fields_ = [
        ("score", gint64),
        ("strand", c_int),
        ("target_start", gint64),
        ("target_end", gint64),
        ("query_start", gint64),
        ("query_end", gint64),
        ("columns", gint64),
        ("matches", gint64),
        ("mismatches", gint64),
        ("ambiguous", gint64),
        ("insertions", gint64),
        ("inserted", gint64),
        ("deletions", gint64),
        ("deleted", gint64),
    ]


class CsAlignSetOptions(Structure):
    _fields_ = [
        ("rule", c_int),
        ("min_score", gint64),
        ("most", gint64),
        ("max_drop", gint64),
        ("self", gboolean),
    ]


class CsAlignSetSummary(Structure):
    _fields_ = [
        ("alignments", gint64),
        ("target_covered", gint64),
        ("query_covered", gint64),
        ("columns", gint64),
        ("matches", gint64),
        ("strand", c_int),
        ("inversions", gint64),
        ("translocations", gint64),
        ("duplications", gint64),
    ]


class CsAlignmentRun(Structure):
    _fields_ = [
        ("op", c_char),
        ("length", gint64),
    ]


class CsAlignmentDrop(Structure):
    _fields_ = [
        ("target_start", gint64),
        ("target_end", gint64),
        ("query_start", gint64),
        ("query_end", gint64),
        ("score", gint64),
    ]


class CsAlignmentIter(Structure):
    _fields_ = [
        ("alignment", c_void_p),
        ("path", c_void_p),
    ]


class CsGeneration(Structure):
    _fields_ = [
        ("number", gint64),
        ("file", c_char_p),
        ("bytes", gint64),
        ("saved", gint64),
        ("cells_done", gint64),
        ("rows_done", gint64),
        ("score", gint64),
        ("target_end", gint64),
        ("query_start", gint64),
        ("query_end", gint64),
        ("seconds", c_double),
        ("fault", c_char_p),
        ("strand", c_int),
        ("under_way", c_int),
        ("skip", c_int),
        ("of_another", gboolean),
        ("fraction", c_double),
        ("traced", c_double),
        ("proved", c_double),
        ("min_score", gint64),
    ]


class CsCheckpointSet(Structure):
    _fields_ = [
        ("all", gboolean),
        ("self", gboolean),
        ("max_drop", gint64),
        ("min_score", gint64),
        ("most", gint64),
        ("alignments", gint64),
        ("fraction", c_double),
        ("complete", gboolean),
        ("sweep", c_double),
    ]


class CsCheckpointInfo(Structure):
    _fields_ = [
        ("format_version", gint64),
        ("program_version", c_char_p),
        ("target_file", c_char_p),
        ("query_file", c_char_p),
        ("target_name", c_char_p),
        ("query_name", c_char_p),
        ("target_length", gint64),
        ("query_length", gint64),
        ("target_digest", c_char_p),
        ("query_digest", c_char_p),
        ("strand", c_char_p),
        ("scoring", CsScoring),
        ("memo", c_char_p),
        ("holder", c_char_p),
        ("fault", c_char_p),
        ("generations", POINTER(CsGeneration)),
        ("n_generations", guint),
        ("target_from", gint64),
        ("target_to", gint64),
        ("query_from", gint64),
        ("query_to", gint64),
        ("set", POINTER(CsCheckpointSet)),
        ("circular", c_int),
    ]


class CsPlanMember(Structure):
    _fields_ = [
        ("device", c_char_p),
        ("threads", guint),
        ("rows", gint64),
    ]


class CsPlan(Structure):
    _fields_ = [
        ("cells", gint64),
        ("cells_done", gint64),
        ("engine", c_char_p),
        ("device", c_char_p),
        ("threads", guint),
        ("bits", guint),
        ("block_rows", gint64),
        ("block_columns", gint64),
        ("blocks_a_diagonal", gint64),
        ("block_height", gint64),
        ("block_width", gint64),
        ("host_bytes", gint64),
        ("host_bytes_program", gint64),
        ("host_bytes_sequences", gint64),
        ("host_bytes_buses", gint64),
        ("host_bytes_engine", gint64),
        ("host_bytes_checkpoint", gint64),
        ("host_bytes_least", gint64),
        ("host_bytes_available", gint64),
        ("host_limit", c_char_p),
        ("device_bytes", gint64),
        ("disk_bytes", gint64),
        ("disk_bytes_expected", gint64),
        ("disk_bytes_there", gint64),
        ("disk_bytes_free", gint64),
        ("cells_a_second", c_double),
        ("seconds", c_double),
        ("seconds_left", c_double),
        ("skip", c_int),
        ("lower_bound", gint64),
        ("cells_expected", gint64),
        ("seconds_before", c_double),
        ("host_bytes_skip", gint64),
        ("row_bytes", gint64),
        ("cells_most", gint64),
        ("seconds_most", c_double),
        ("n_members", guint),
        ("members", CsPlanMember * 64),
    ]


class CsDevice(Structure):
    _fields_ = [
        ("device", c_char_p),
        ("engine", c_char_p),
        ("name", c_char_p),
        ("fault", c_char_p),
        ("automatic", gboolean),
        ("gpu", gboolean),
        ("index", guint),
        ("uuid", c_char_p),
        ("capability_major", guint),
        ("capability_minor", guint),
        ("multiprocessors", guint),
        ("clock_mhz", guint),
        ("memory_free", gint64),
        ("memory_total", gint64),
        ("driver", c_char_p),
        ("runtime", c_char_p),
    ]


class CsDeviceList(Structure):
    _fields_ = [
        ("devices", POINTER(CsDevice)),
        ("count", guint),
        ("no_gpu", c_char_p),
    ]


class CsSearchProgress(Structure):
    _fields_ = [
        ("fraction", c_double),
        ("records", gint64),
        ("letters", gint64),
        ("cells", gint64),
        ("seconds", c_double),
        ("seconds_left", c_double),
    ]


CS_ALPHABET_AUTO = 0
CS_ALPHABET_PROTEIN = 1
CS_ALPHABET_NUCLEOTIDE = 2


class CsSearchHit(Structure):
    _fields_ = [
        ("query", c_char_p),
        ("query_number", gint64),
        ("query_length", gint64),
        ("target", c_char_p),
        ("target_number", gint64),
        ("target_length", gint64),
        ("score", gint64),
        ("bits", c_double),
        ("evalue", c_double),
        ("strand", c_int),
        ("target_start", gint64),
        ("target_end", gint64),
        ("query_start", gint64),
        ("query_end", gint64),
        ("cigar", c_char_p),
        ("columns", gint64),
        ("matches", gint64),
        ("gap_openings", gint64),
    ]


class CsSearchSummary(Structure):
    _fields_ = [
        ("alphabet", c_int),
        ("queries", gint64),
        ("query_letters", gint64),
        ("records", gint64),
        ("letters", gint64),
        ("cells", gint64),
        ("cells_computed", gint64),
        ("matrix", c_char_p),
        ("match", gint64),
        ("mismatch", gint64),
        ("gap_open", gint64),
        ("gap_extend", gint64),
        ("has_evalues", gboolean),
        ("threads", guint),
        ("instructions", c_char_p),
        ("seconds", c_double),
        ("device", c_char_p),
    ]


CsSearchHitsFunc = CFUNCTYPE(
    gboolean, POINTER(CsSearchSummary), POINTER(CsSearchHit), gint64, c_void_p
)


class CsSearchOptions(Structure):
    _fields_ = [
        ("alphabet", c_int),
        ("matrix", c_char_p),
        ("match", gint64),
        ("mismatch", gint64),
        ("gap_open", gint64),
        ("gap_extend", gint64),
        ("strand", c_int),
        ("number", gint64),
        ("min_score", gint64),
        ("max_evalue", c_double),
        ("align", gboolean),
        ("threads", guint),
        ("chunk", gint64),
        ("progress", c_void_p),
        ("control", c_void_p),
        ("data", c_void_p),
        ("checkpoint", c_char_p),
        ("checkpoint_interval", c_double),
        ("checkpoint_fresh", gboolean),
        ("note", CsNoteFunc),
        ("memo", c_char_p),
        ("hits", CsSearchHitsFunc),
        ("device", c_char_p),
    ]


CS_IDENTITY_LONGEST = 0
CS_IDENTITY_SHORTEST = 1
CS_IDENTITY_COLUMNS = 2


class CsIdentityRecord(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("length", gint64),
    ]


class CsIdentityPair(Structure):
    _fields_ = [
        ("first", gint64),
        ("second", gint64),
        ("score", gint64),
        ("matches", gint64),
        ("columns", gint64),
        ("identity", c_double),
        ("cigar", c_char_p),
    ]


class CsIdentitySummary(Structure):
    _fields_ = [
        ("alphabet", c_int),
        ("first", POINTER(CsIdentityRecord)),
        ("first_count", gint64),
        ("second", POINTER(CsIdentityRecord)),
        ("second_count", gint64),
        ("one_file", gboolean),
        ("pairs", gint64),
        ("pairs_kept", gint64),
        ("pairs_filtered", gint64),
        ("cells", gint64),
        ("cells_computed", gint64),
        ("matrix", c_char_p),
        ("match", gint64),
        ("mismatch", gint64),
        ("gap_open", gint64),
        ("gap_extend", gint64),
        ("over", c_int),
        ("min_identity", c_double),
        ("threads", guint),
        ("instructions", c_char_p),
        ("device", c_char_p),
        ("seconds", c_double),
    ]


CsIdentityPairsFunc = CFUNCTYPE(
    gboolean, POINTER(CsIdentitySummary), POINTER(CsIdentityPair), gint64, c_void_p
)


class CsIdentityOptions(Structure):
    _fields_ = [
        ("alphabet", c_int),
        ("matrix", c_char_p),
        ("match", gint64),
        ("mismatch", gint64),
        ("gap_open", gint64),
        ("gap_extend", gint64),
        ("over", c_int),
        ("min_identity", c_double),
        ("align", gboolean),
        ("threads", guint),
        ("device", c_char_p),
        ("pairs", CsIdentityPairsFunc),
        ("progress", c_void_p),
        ("control", c_void_p),
        ("note", CsNoteFunc),
        ("data", c_void_p),
        ("checkpoint", c_char_p),
        ("checkpoint_interval", c_double),
        ("checkpoint_fresh", gboolean),
        ("memo", c_char_p),
    ]


STRUCTS: Tuple[Type[Structure], ...] = (
    CsScoring,
    CsProgress,
    CsCompareOptions,
    CsStageSeconds,
    CsStrandResult,
    CsCompareResult,
    CsAlignSetOptions,
    CsAlignSetSummary,
    CsAlignmentSummary,
    CsAlignmentRun,
    CsAlignmentDrop,
    CsAlignmentIter,
    CsGeneration,
    CsCheckpointSet,
    CsCheckpointInfo,
    CsPlanMember,
    CsPlan,
    CsDevice,
    CsDeviceList,
    CsSearchProgress,
    CsSearchOptions,
    CsSearchHit,
    CsSearchSummary,
    CsIdentityRecord,
    CsIdentityPair,
    CsIdentitySummary,
    CsIdentityOptions,
)

_error = POINTER(POINTER(GError))
_sequence = c_void_p

# The result and the arguments of each function. GLib's functions are found through the library, which needs GLib.
_FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "cs_version": (c_char_p, []),
    "cs_struct_size": (c_size_t, [c_char_p]),
    "cs_build_info": (c_void_p, []),
    "cs_error_quark": (c_uint32, []),
    "cs_error_get_detail": (c_int, [POINTER(GError)]),
    "cs_error_get_path": (c_char_p, [POINTER(GError)]),
    "cs_scoring_check": (gboolean, [POINTER(CsScoring), gint64, gint64, _error]),
    "cs_sequence_load": (_sequence, [c_char_p, c_char_p, _error]),
    "cs_sequence_load_region": (_sequence, [c_char_p, c_char_p, _error]),
    "cs_sequence_new": (_sequence, [c_char_p, c_char_p, gint64, _error]),
    "cs_sequence_unref": (None, [_sequence]),
    "cs_sequence_get_clipped": (gint64, [_sequence]),
    "cs_sequence_get_file": (c_char_p, [_sequence]),
    "cs_sequence_get_name": (c_char_p, [_sequence]),
    "cs_sequence_get_length": (gint64, [_sequence]),
    "cs_sequence_get_offset": (gint64, [_sequence]),
    "cs_sequence_get_record_length": (gint64, [_sequence]),
    "cs_sequence_get_ambiguous": (gint64, [_sequence]),
    "cs_sequence_read": (None, [_sequence, gint64, gint64, c_int, c_char_p]),
    "cs_compare": (
        gboolean,
        [_sequence, _sequence, POINTER(CsCompareOptions), POINTER(CsCompareResult), _error],
    ),
    "cs_align": (
        gboolean,
        [
            _sequence,
            _sequence,
            POINTER(CsCompareOptions),
            POINTER(CsCompareResult),
            POINTER(c_void_p),
            _error,
        ],
    ),
    "cs_align_set": (
        POINTER(GPtrArray),
        [_sequence, _sequence, POINTER(CsCompareOptions), POINTER(CsAlignSetOptions), _error],
    ),
    "cs_align_set_many": (
        POINTER(GPtrArray),
        [
            POINTER(_sequence),
            c_uint,
            POINTER(_sequence),
            c_uint,
            POINTER(CsCompareOptions),
            POINTER(CsAlignSetOptions),
            _error,
        ],
    ),
    "cs_align_set_secondary": (c_void_p, [POINTER(GPtrArray)]),
    "cs_align_set_summarise": (None, [POINTER(GPtrArray), POINTER(CsAlignSetSummary)]),
    "cs_alignment_cut": (POINTER(GPtrArray), [c_void_p, gint64, _error]),
    "cs_alignment_drops": (POINTER(GArray), [c_void_p, gint64]),
    "cs_alignment_free": (None, [c_void_p]),
    "cs_alignment_get_records": (None, [c_void_p, POINTER(c_uint), POINTER(c_uint)]),
    "cs_alignment_get_summary": (POINTER(CsAlignmentSummary), [c_void_p]),
    "cs_alignment_iter_init": (None, [POINTER(CsAlignmentIter), c_void_p]),
    "cs_alignment_iter_clear": (None, [POINTER(CsAlignmentIter)]),
    "cs_alignment_iter_next": (gboolean, [POINTER(CsAlignmentIter), POINTER(CsAlignmentRun)]),
    "cs_plan": (
        gboolean,
        [_sequence, _sequence, POINTER(CsCompareOptions), c_double, POINTER(CsPlan), _error],
    ),
    "cs_plan_set": (
        gboolean,
        [
            _sequence,
            _sequence,
            POINTER(CsCompareOptions),
            POINTER(CsAlignSetOptions),
            c_double,
            POINTER(CsPlan),
            _error,
        ],
    ),
    "cs_plan_check": (gboolean, [POINTER(CsPlan), _error]),
    "cs_device_list_new": (POINTER(CsDeviceList), [c_char_p, _error]),
    "cs_device_list_free": (None, [POINTER(CsDeviceList)]),
    "cs_device_describe": (c_char_p, [c_char_p, c_char_p, _error]),
    "cs_checkpoint_info_new": (POINTER(CsCheckpointInfo), [c_char_p, gboolean, _error]),
    "cs_checkpoint_info_free": (None, [POINTER(CsCheckpointInfo)]),
    "cs_checkpoint_remove": (gboolean, [c_char_p, _error]),
    "cs_search": (c_void_p, [c_char_p, c_char_p, POINTER(CsSearchOptions), _error]),
    "cs_search_checkpoint_is_there": (gboolean, [c_char_p]),
    "cs_search_checkpoint_remove": (gboolean, [c_char_p, _error]),
    "cs_search_free": (None, [c_void_p]),
    "cs_identity": (c_void_p, [c_char_p, c_char_p, POINTER(CsIdentityOptions), _error]),
    "cs_identity_free": (None, [c_void_p]),
    "g_error_free": (None, [POINTER(GError)]),
    "g_array_unref": (None, [POINTER(GArray)]),
    "g_free": (None, [c_void_p]),
    "g_ptr_array_unref": (None, [POINTER(GPtrArray)]),
    "g_atomic_int_get": (c_int, [POINTER(c_int)]),
    "g_atomic_int_set": (None, [POINTER(c_int), c_int]),
}


def _path() -> str:
    """The library that CHROMOSWEEP_LIBRARY names, that the package was installed with, or that the loader finds."""
    chosen = os.environ.get("CHROMOSWEEP_LIBRARY")
    if chosen:
        return chosen
    if not _config.LIBRARY.startswith("@"):
        beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), _config.LIBRARY)
        if os.path.exists(beside):
            return os.path.normpath(beside)
    return "libchromosweep.so.0"


def _version(library: ctypes.CDLL) -> str:
    try:
        library.cs_version.restype = c_char_p
        version: bytes = library.cs_version()
        return version.decode()
    except AttributeError:
        return "of unknown version"


def _check(library: ctypes.CDLL, path: str) -> None:
    """Fails if a struct has another size. It would be read or written past its end."""
    for struct in STRUCTS:
        here, there = ctypes.sizeof(struct), library.cs_struct_size(struct.__name__.encode())
        if here != there:
            raise ImportError(
                f"libchromosweep {_version(library)} ({path}) does not match this package: "
                f"{struct.__name__} has {there} bytes in the library, {here} in the package"
            )


def _load() -> ctypes.CDLL:
    path = _path()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        if any(words in str(error).lower() for words in ("map segment", "allocate memory")):
            raise MemoryError(f"cannot load libchromosweep: {error}; ulimit -v may be too low") from None
        raise ImportError(
            f"cannot load libchromosweep: {error} (set the environment variable "
            "CHROMOSWEEP_LIBRARY to the path of the library)"
        ) from error
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(
                f"libchromosweep {_version(library)} ({path}) does not match this package: "
                f"it has no function {name}()"
            ) from None
        function.restype = result
        function.argtypes = arguments
    _check(library, path)
    return library


library = _load()

# A CsControlFunc that needs neither Python nor its lock. control_data points to a CsControl.
read_control = ctypes.cast(library.g_atomic_int_get, c_void_p).value


def _take_error(error: Any) -> Error:
    failure = error.contents
    code = failure.code if failure.domain == library.cs_error_quark() else Error.status
    detail = library.cs_error_get_detail(error)
    message = text(failure.message) or ""
    path = text(library.cs_error_get_path(error))
    library.g_error_free(error)
    if detail in BY_DETAIL:
        return BY_DETAIL[detail](message, path)
    return BY_CODE.get(code, Error)(message)


def call(function: Any, *arguments: Any) -> Any:
    """Calls a function whose last argument is a GError **, and raises the error that it sets."""
    error = POINTER(GError)()
    value = function(*arguments, ctypes.byref(error))
    if error:
        raise _take_error(error)
    return value


def text(value: Optional[bytes]) -> Optional[str]:
    """For names and messages. Bytes that are not UTF-8 survive the conversion in both directions."""
    return None if value is None else value.decode("utf-8", "surrogateescape")
