/*
 * Something found that grows: records in one file of a checkpoint, appended one by one, and read
 * again by this run or a later one. As with found.h they save time and nothing else. A file that
 * does not belong to this comparison and version of the program counts as missing, and a record that
 * is not whole ends the file. Without a checkpoint, the file is a temporary one without a name.
 *
 *     | checksum of length and head | length | head, JSON | record | record | ...
 *
 * A record: | checksum of the next 56 bytes | numbers | size | checksum of the bytes | bytes |
 */
#ifndef CS_FOUND_LOG_H
#define CS_FOUND_LOG_H

#include "checkpoint/checkpoint.h"

enum {
    CS_FOUND_NUMBERS = 5,
};

typedef struct {
    gint64 numbers[CS_FOUND_NUMBERS];
    gint64 size;      /* of the bytes */
    guint64 checksum; /* of the bytes */
    gint64 offset;    /* of the bytes in the file */
} CsFoundRecord;

typedef struct _CsFoundLog CsFoundLog;

/* Called with each record, in order; FALSE ends the list before it. */
typedef gboolean (*CsFoundRecordFunc)(const CsFoundRecord *record, gpointer user_data);

/*
 * An empty file. It replaces the one of that name when it is settled; a temporary one, without a
 * checkpoint, never is. Fails as writing does.
 */
CsFoundLog *cs_found_log_new(const CsCheckpoint *checkpoint, const char *name, GError **error);
gboolean cs_found_log_settle(CsFoundLog *log, GError **error);

/* Opens the file of that name, to be listed; NULL if there is none that can be used. */
CsFoundLog *cs_found_log_open(const CsCheckpoint *checkpoint, const char *name);
void cs_found_log_free(CsFoundLog *log);

/* Calls func with every whole record. */
void cs_found_log_list(CsFoundLog *log, CsFoundRecordFunc func, gpointer user_data);

/* From now on records are appended after this one; those that follow are gone. */
gboolean cs_found_log_cut(CsFoundLog *log, const CsFoundRecord *last, GError **error);

/* Appends a record, whose numbers and size are set, with these bytes, and fills in the rest of it. */
gboolean cs_found_log_append(CsFoundLog *log, CsFoundRecord *record, const void *bytes,
                             GError **error);

/* Reads the bytes of a record. Fails with CS_ERROR_CONTENT where they are damaged. */
gboolean cs_found_log_read(const CsFoundLog *log, const CsFoundRecord *record, void *bytes,
                           GError **error);

/* The length of the file in bytes. */
gint64 cs_found_log_bytes(const CsFoundLog *log);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsFoundLog, cs_found_log_free)

#endif
