/*
 * The destination of a result: standard output, a device, or a file that is replaced as a whole. A
 * failure to write is CS_ERROR_FAILED, or G_FILE_ERROR_PIPE if nobody reads a pipe any more.
 */
#ifndef CS_OUTPUT_H
#define CS_OUTPUT_H

#include <glib.h>

typedef struct _CsOutput CsOutput;

/*
 * Opens path; NULL and "-" are standard output. Checks, as far as possible, that it can be written.
 * Refuses (CS_ERROR_USAGE) a file that is one of inputs (NULL-terminated, "-" for standard input).
 * Leaves no file beside path until cs_output_write().
 */
CsOutput *cs_output_open(const char *path, const char *const *inputs, GError **error);

/* The file that will be replaced, with links followed; NULL if none will be. */
const char *cs_output_path(const CsOutput *output);

/*
 * Writes the whole result, once; a file is written to the disk. If this fails, the file at path is
 * unchanged, or it is already the new one and only its being on the disk is in doubt.
 */
gboolean cs_output_write(CsOutput *output, const char *text, GError **error);

gboolean cs_output_write_bytes(CsOutput *output, const char *bytes, gsize length, GError **error);

/*
 * Instead of cs_output_write(): writes row after row, so that each can be read at once. The rows of
 * a file go to path.part. It replaces the file when the rows are finished, and stays if they are
 * not. inputs are those of cs_output_open().
 */
gboolean cs_output_begin_rows(CsOutput *output, const char *const *inputs, GError **error);
gboolean cs_output_add_row(CsOutput *output, const char *text, GError **error);
gboolean cs_output_finish_rows(CsOutput *output, GError **error);

/* The file with unfinished rows; NULL if there is none. */
const char *cs_output_part(const CsOutput *output);

/*
 * Called after cs_output_write() or cs_output_finish_rows(). Whether the output survives a crash,
 * as far as can be known. A pipe or another file that is not regular counts as soon as it has taken
 * every byte.
 */
gboolean cs_output_is_durable(const CsOutput *output);

void cs_output_free(CsOutput *output);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsOutput, cs_output_free)

#endif
