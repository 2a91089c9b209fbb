/* The error domain of libchromosweep. */
#ifndef CHROMOSWEEP_ERROR_H
#define CHROMOSWEEP_ERROR_H

#include <glib.h>

#include <chromosweep/export.h>

G_BEGIN_DECLS

/**
 * CS_ERROR:
 *
 * The domain of every GError that the library sets. The message is one line that says what failed
 * and where (the file, the record, the offset, the option).
 */
#define CS_ERROR (cs_error_quark())

/**
 * CsError:
 *
 * @CS_ERROR_FAILED: input or output failed, or another failure without a kind of its own
 * @CS_ERROR_USAGE: the arguments make no sense, by themselves or for these sequences
 * @CS_ERROR_CONTENT: the content of a file is malformed
 * @CS_ERROR_DEVICE: no such device, not enough memory on it or on the host, or a device that
 *   computes wrongly
 * @CS_ERROR_CHECKPOINT: a checkpoint is damaged, in use, or of another comparison
 * @CS_ERROR_STOPPED: stopped on request before the end
 *
 * The kinds of failure. The values are the exit statuses of the command.
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
 * @CS_DETAIL_NONE: the code says all
 * @CS_DETAIL_IN_USE: with CS_ERROR_CHECKPOINT: another run uses the folder
 * @CS_DETAIL_PAIRS: with CS_ERROR_CHECKPOINT: the folder holds the checkpoints of many pairs and
 *   should be the checkpoint of a single comparison, or the other way round
 * @CS_DETAIL_RECORDS: with CS_ERROR_CONTENT: a file has several records, and one must be chosen
 * @CS_DETAIL_ABSENT: with CS_ERROR_CONTENT: a file has no record with the name that
 *   cs_error_get_absent() returns
 * @CS_DETAIL_NOT_FOUND: with CS_ERROR_FAILED: there is no such file or folder
 * @CS_DETAIL_NOT_PERMITTED: with CS_ERROR_FAILED: permission to use the file or folder is missing
 * @CS_DETAIL_IS_FOLDER: with CS_ERROR_FAILED: it is a folder, not a file
 *
 * Distinguishes errors with the same code.
 */
typedef enum {
    CS_DETAIL_NONE,
    CS_DETAIL_IN_USE,
    CS_DETAIL_PAIRS,
    CS_DETAIL_RECORDS,
    CS_DETAIL_ABSENT,
    CS_DETAIL_NOT_FOUND,
    CS_DETAIL_NOT_PERMITTED,
    CS_DETAIL_IS_FOLDER,
} CsErrorDetail;

/**
 * cs_error_get_detail:
 * @error: an error of any domain
 *
 * Returns: its detail; %CS_DETAIL_NONE if it has none
 */
CS_API CsErrorDetail cs_error_get_detail(const GError *error);

/**
 * cs_error_get_absent:
 * @error: an error of any domain
 *
 * Returns: (nullable): with CS_DETAIL_ABSENT, the name of the record that a file does not have;
 *   otherwise %NULL
 */
CS_API const char *cs_error_get_absent(const GError *error);

/**
 * cs_error_get_path:
 * @error: an error of any domain
 *
 * Returns: (nullable): with CS_ERROR_FAILED, the file or folder that could not be used, as far as
 *   it is known, always with the details about files and folders above; otherwise %NULL
 */
CS_API const char *cs_error_get_path(const GError *error);

G_END_DECLS

#endif
