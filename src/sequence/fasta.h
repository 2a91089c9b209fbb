/* Reads FASTA from an open stream. sequence/input.h opens files. */
#ifndef CS_FASTA_H
#define CS_FASTA_H

#include <htslib/bgzf.h>

#include <chromosweep/sequence.h>

#include "sequence/region.h"

/*
 * Reads the region, or the only record if region is NULL. input is read to its end; the caller
 * opens and closes it. file is the name in messages and for cs_sequence_get_file(), "-" for
 * standard input. Errors are those of cs_sequence_load_region().
 */
CsSequence *cs_fasta_read(BGZF *input, const char *file, const CsRegion *region, GError **error);

/*
 * Reads the records of these names (NULL-terminated), or every record if names is NULL. Adds them
 * to `all` in the order of the file. Errors are those of cs_sequence_load_all(). After an error,
 * some of the records may have been added.
 */
gboolean cs_fasta_read_all(BGZF *input, const char *file, const char *const *names, GPtrArray *all,
                           GError **error);

/*
 * What takes the text of all records as it is read, in the order of collector.h. The functions are
 * described there. Errors that they set do not name the file.
 */
typedef struct {
    void (*begin_record)(gpointer data);
    char *(*show_name)(gpointer data);
    gboolean (*add_name)(gpointer data, const guint8 *bytes, gsize length, GError **error);
    gboolean (*end_header)(gpointer data, GError **error);
    gboolean (*reserve)(gpointer data, gsize letters, GError **error);
    void (*add_letters)(gpointer data, const guint8 *bytes, gsize length, gint64 offset,
                        gint64 line);
    gboolean (*finish)(gpointer data, GError **error);
} CsFastaSink;

/* A text that is read block by block. */
typedef struct _CsFastaText CsFastaText;

/* file is the name in messages, "-" for standard input. NULL if there is not enough memory. */
CsFastaText *cs_fasta_text_new(BGZF *input, const char *file, const CsFastaSink *sink,
                               gpointer data, GError **error);

/* Reads the next block into the sink. *ended is whether the text ended, and is complete. */
gboolean cs_fasta_text_read(CsFastaText *text, gboolean *ended, GError **error);

void cs_fasta_text_free(CsFastaText *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsFastaText, cs_fasta_text_free)

#endif
