/* The error domain of libchromosweep. */
#ifndef CHROMOSWEEP_ERROR_H
#define CHROMOSWEEP_ERROR_H

#include <glib.h>

#include <chromosweep/export.h>

G_BEGIN_DECLS

/**
 * CS_ERROR:
 *
 * Every GError that the library sets is in this domain, and its message is one line that names what
 * failed and where (the file, the record, the offset, the option).
 */
#define CS_ERROR (cs_error_quark())

/**
 * CsError:
 *
 * The kinds of failure; the values are the exit statuses of the command.
 *
 * @CS_ERROR_FAILED: input or output failed, or something that has no kind of its own
 * @CS_ERROR_USAGE: the arguments make no sense, alone or for these sequences
 * @CS_ERROR_CONTENT: a file's content is malformed
 * @CS_ERROR_DEVICE: no such device, or too little memory on it or on the host
 * @CS_ERROR_CHECKPOINT: a checkpoint is damaged, in use, or of another run
 * @CS_ERROR_STOPPED: stopped on request before the end
 */
typedef enum {
    CS_ERROR_FAILED = 1,
    CS_ERROR_USAGE = 2,
    CS_ERROR_CONTENT = 3,
    CS_ERROR_DEVICE = 4,
    CS_ERROR_CHECKPOINT = 5,
    CS_ERROR_STOPPED = 75,
} CsError;

CS_API GQuark cs_error_quark(void);

/**
 * CsErrorDetail:
 * @CS_DETAIL_NONE: nothing beside the code
 * @CS_DETAIL_IN_USE: of CS_ERROR_CHECKPOINT: another run has the directory
 * @CS_DETAIL_PAIRS: of CS_ERROR_CHECKPOINT: the directory is one of many pairs where one of a
 *   single comparison is wanted, or the other way round
 * @CS_DETAIL_RECORDS: of CS_ERROR_CONTENT: a file has several records, of which one must be
 *   named
 * @CS_DETAIL_NOT_FOUND: of CS_ERROR_FAILED: there is no such file or folder
 * @CS_DETAIL_NOT_PERMITTED: of CS_ERROR_FAILED: the file or folder may not be used so
 * @CS_DETAIL_IS_FOLDER: of CS_ERROR_FAILED: it is a folder and not a file
 *
 * What a program may want to tell apart among errors of one code.
 */
typedef enum {
    CS_DETAIL_NONE,
    CS_DETAIL_IN_USE,
    CS_DETAIL_PAIRS,
    CS_DETAIL_RECORDS,
    CS_DETAIL_NOT_FOUND,
    CS_DETAIL_NOT_PERMITTED,
    CS_DETAIL_IS_FOLDER,
} CsErrorDetail;

/**
 * cs_error_get_detail:
 * @error: of any domain
 *
 * Returns: its detail; %CS_DETAIL_NONE where it has none
 */
CS_API CsErrorDetail cs_error_get_detail(const GError *error);

G_END_DECLS

#endif
