/*
 * Where a result goes: standard output, a file that is replaced whole, or a device. A failure to
 * write is a CS_ERROR_FAILED, or G_FILE_ERROR_PIPE where nobody reads a pipe any more.
 */
#ifndef CS_OUTPUT_H
#define CS_OUTPUT_H

#include <glib.h>

typedef struct _CsOutput CsOutput;

/*
 * Opens path, where NULL and "-" are standard output, and makes sure as far as can be known that it
 * can be written. Refuses (CS_ERROR_USAGE) a file that is one of inputs (NULL-terminated, "-" for
 * standard input). Nothing is left beside path until cs_output_write().
 */
CsOutput *cs_output_open(const char *path, const char *const *inputs, GError **error);

/* The file that will be replaced, links followed; NULL where none is. */
const char *cs_output_path(const CsOutput *output);

/*
 * Writes the whole of the result, once, and to the disk where it is a file's. On failure a file at
 * path is as it was, or already the new one where only that the disk has it is in doubt.
 */
gboolean cs_output_write(CsOutput *output, const char *text, GError **error);

gboolean cs_output_write_bytes(CsOutput *output, const char *bytes, gsize length, GError **error);

/*
 * Instead of cs_output_write(): one text after another, each in sight at once. For a file they
 * gather beside it, in path.part, which takes its place when the rows are finished and stays if
 * they are not. Inputs as in cs_output_open().
 */
gboolean cs_output_begin_rows(CsOutput *output, const char *const *inputs, GError **error);
gboolean cs_output_add_row(CsOutput *output, const char *text, GError **error);
gboolean cs_output_finish_rows(CsOutput *output, GError **error);

/* The file in which unfinished rows stand; NULL where there is none. */
const char *cs_output_part(const CsOutput *output);

/*
 * After cs_output_write() or cs_output_finish_rows(), whether what was written survives a crash, as
 * far as can be known. What is no regular file, such as a pipe, has it when it took every byte.
 */
gboolean cs_output_is_durable(const CsOutput *output);

void cs_output_free(CsOutput *output);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsOutput, cs_output_free)

#endif
