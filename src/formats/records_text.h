/* What search and identity print alike as text. */
#ifndef CS_RECORDS_TEXT_H
#define CS_RECORDS_TEXT_H

#include <glib.h>

/* "proteins" and "nucleotides", by CsAlphabet. */
extern const char *const cs_records_text_types[];

/* Appends "1 record" or "2 records". */
void cs_records_text_count(GString *text, gint64 count, const char *one, const char *several);

/* Appends the line about the scoring. The matrix is NULL for nucleotides. */
void cs_records_text_scoring(GString *text, const char *matrix, gint64 match, gint64 mismatch,
                             gint64 gap_open, gint64 gap_extend);

#endif
