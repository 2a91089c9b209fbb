/*
 * The files in the checkpoint of a search: their names, and what one says about itself.
 *
 *     search.lock                 locked by the run that uses the folder
 *     search-000000000007.state   packed_file.h: the head says which search it is, the data are the
 *                                 lists of all queries, and how far each has come
 */
#ifndef CS_SEARCH_FILES_H
#define CS_SEARCH_FILES_H

#include <glib.h>
#include <jansson.h>

#include "checkpoint/json_values.h"
#include "checkpoint/packed_file.h"

#define CS_SEARCH_LOCK "search.lock"

/* The numbers of all states, the highest first. other may be NULL; *other becomes the name of a file
 * that is not of a search, if there is one. */
GArray *cs_search_files_list(const char *directory, char **other);

char *cs_search_files_path(const char *directory, gint64 number);

/* A state. The texts belong to the head. */
typedef struct {
    CsPackedFile file;
    CsJson *head;
    const char *program_version;
    gint64 saved;         /* seconds since 1970 */
    gboolean usable;      /* by this version, on this kind of machine; else nothing below is set */
    gint64 numbers, size; /* of the data: 64-bit numbers, bytes */
    gint64 records;       /* that every query is done with */
    double seconds, fraction;
    const json_t *search; /* search_state.h: which one it is */
} CsSearchFile;

/* FALSE if it is damaged, or no state. Of its data only the checksum is looked at. */
gboolean cs_search_file_read(CsSearchFile *state, const char *path);

void cs_search_file_clear(CsSearchFile *state);

/* A whole file, for g_free(); NULL: not enough memory. Of the state, what is set here is written:
 * numbers, size, records, seconds, fraction, search. memo may be NULL. */
guint8 *cs_search_file_new(const CsSearchFile *state, const char *memo, const guint8 *data,
                           gsize *file_size);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsSearchFile, cs_search_file_clear)

#endif
