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
 * CsErrorReason:
 * @CS_REASON_NONE: none of these
 * @CS_REASON_IN_USE: CS_ERROR_CHECKPOINT, since another process uses the checkpoint
 * @CS_REASON_OTHER_KIND: CS_ERROR_CHECKPOINT, since the directory is of many pairs and not of one,
 *   or the other way round
 * @CS_REASON_NO_CHOICE: CS_ERROR_CONTENT, since a file has several records and none was chosen
 *
 * What a caller can do something about, beside the kind of failure.
 */
typedef enum {
    CS_REASON_NONE,
    CS_REASON_IN_USE,
    CS_REASON_OTHER_KIND,
    CS_REASON_NO_CHOICE,
} CsErrorReason;

/**
 * cs_error_get_reason:
 * @error: (nullable): of any domain
 */
CS_API CsErrorReason cs_error_get_reason(const GError *error);

G_END_DECLS

#endif
