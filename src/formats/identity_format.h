/*
 * The formats of identity. Pairs come in their order, as they become complete; a matrix is written when
 * the last is known. A new format needs a value in CsIdentityFormat, a name, and a row in the table of
 * identity_format.c, and a file identity_NAME.c.
 */
#ifndef CS_IDENTITY_FORMAT_H
#define CS_IDENTITY_FORMAT_H

#include <chromosweep/identity.h>

#include "formats/columns.h"
#include "formats/digits.h"

typedef enum {
    CS_IDENTITY_FORMAT_TEXT,
    CS_IDENTITY_FORMAT_TSV,
    CS_IDENTITY_FORMAT_JSON,
    CS_IDENTITY_FORMAT_PHYLIP,
    CS_IDENTITY_FORMAT_PHYLIP_LOWER,
} CsIdentityFormat;

/* The names that --format takes, and the endings of files that imply a format, with commas between them,
 * in the order of CsIdentityFormat; NULL-terminated. */
extern const char *const cs_identity_format_names[];
extern const char *const cs_identity_format_endings[];

/* Those that --identity takes, in the order of CsIdentityOver; NULL-terminated. */
extern const char *const cs_identity_over_names[];

/* A pair with its names: the report of the fields. */
typedef struct {
    const char *first, *second;
    gint64 first_length, second_length;
    gint64 score, matches, columns;
    double identity; /* rounded to millionths */
    const char *cigar;
    gint64 first_number, second_number; /* from 1 */
} CsIdentityRow;

extern const CsField cs_identity_fields[];
extern const CsColumnsChoice cs_identity_columns;

/* The default columns with that of an alignment. */
extern const char cs_identity_aligned_columns[];

void cs_identity_row_init(CsIdentityRow *row, const CsIdentitySummary *summary,
                          const CsIdentityPair *pair);

/* What the matches of a pair are divided by. */
gint64 cs_identity_format_divisor(const CsIdentitySummary *summary, const CsIdentityPair *pair);

/* part * scale / whole, rounded to the nearest, a half up. 0 <= part <= whole < 10^14; scale is a multiple
 * of 10^4, at most 10^8. */
gint64 cs_identity_scaled(gint64 part, gint64 whole, gint64 scale);

/* The identity of a pair in millionths, rounded from its numbers, not from a double that was rounded
 * before. */
#define CS_IDENTITY_ONE 1000000
gint64 cs_identity_millionths(const CsIdentitySummary *summary, const CsIdentityPair *pair);

enum {
    CS_IDENTITY_DIGITS = CS_DIGITS_MOST + 7, /* with a point and six decimals */
};

/* Writes such a number with as many decimals as it has, from 1 to 6, in at most CS_IDENTITY_DIGITS
 * characters. Returns the place behind it. */
char *cs_identity_put(char *to, gint64 millionths);

/* Appends it to a text. */
void cs_identity_append(GString *text, gint64 millionths);

/* Writes pairs. */
typedef struct _CsIdentityWriter CsIdentityWriter;

/* columns are those of TSV. */
CsIdentityWriter *cs_identity_writer_new(CsIdentityFormat format, const CsColumns *columns);

/* Appends what comes before all pairs; summary must live until the last is added. Fails with
 * CS_ERROR_CONTENT if a matrix cannot have these names, and with CS_ERROR_DEVICE if there is not
 * enough memory for it. */
gboolean cs_identity_writer_begin(CsIdentityWriter *writer, GString *text,
                                  const CsIdentitySummary *summary, GError **error);

void cs_identity_writer_add(CsIdentityWriter *writer, GString *text, const CsIdentityPair *pairs,
                            gint64 count);

/* After the last pair: appends more, as long as it returns TRUE. */
gboolean cs_identity_writer_more(CsIdentityWriter *writer, GString *text,
                                 const CsIdentitySummary *summary);

void cs_identity_writer_free(CsIdentityWriter *writer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsIdentityWriter, cs_identity_writer_free)

/* What a format does; each but `add` may be NULL. */
typedef struct {
    gboolean (*begin)(CsIdentityWriter *writer, GString *text, GError **error);
    void (*add)(CsIdentityWriter *writer, GString *text, const CsIdentityPair *pair);
    gboolean (*more)(CsIdentityWriter *writer, GString *text);
} CsIdentityWriterClass;

/* Sets the cells, as cs_escape() does: once, since there may be thousands of millions of pairs. A line takes
 * well below a microsecond. */
void cs_identity_writer_escape(CsIdentityWriter *writer, gboolean backslash);

extern const CsIdentityWriterClass cs_identity_text, cs_identity_tsv, cs_identity_json,
    cs_identity_phylip, cs_identity_phylip_lower;

/* For those files; freed with the writer. */
struct _CsIdentityWriter {
    const CsIdentityWriterClass *class;
    const CsIdentitySummary *summary;
    CsColumns columns;
    gint64 pairs;     /* that were added */
    char **cells[2];  /* of TSV and text: the names, escaped, of the first and the second file */
    int widths[2];    /* of text: of the names of the first and the second file */
    guint32 *matrix;  /* of PHYLIP: distances of the pairs in their order */
    gint64 rows_done; /* of PHYLIP */
};

#endif
