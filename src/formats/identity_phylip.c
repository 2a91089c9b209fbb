/*
 * Distances as a matrix in PHYLIP's relaxed format: the number of records, then a line for each, with its
 * whole name and the distances to all records, or in the lower form to those before it. A distance is
 * 1 - identity, rounded to 8 decimals. Until the matrix is complete it is kept with 4 bytes a pair.
 */
#include <chromosweep/error.h>

#include "formats/digits.h"
#include "formats/identity_format.h"

enum {
    DECIMALS = 8,
    UNIT = 100000000, /* a distance of 1; distances fit 32 bits */
    PART = 1 << 20,   /* bytes that `more` appends, about */
};

/* Programs cut names at blanks, and take the first of equal names. */
static gboolean
check_names(const CsIdentitySummary *s, GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (gint64 k = 0; k < s->first_count; k++) {
        const char *name = s->first[k].name;
        if (name[0] == '\0') {
            g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                        "record %" G_GINT64_FORMAT " has no name, which PHYLIP needs", k + 1);
            return FALSE;
        }
        if (!g_hash_table_add(seen, (gpointer)name)) {
            g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                        "two records are named \"%s\"; PHYLIP needs a name for each", name);
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
begin(CsIdentityWriter *writer, GString *text, GError **error)
{
    const CsIdentitySummary *s = writer->summary;
    if (!check_names(s, error))
        return FALSE;
    writer->matrix = g_try_new(guint32, MAX(1, s->pairs));
    if (writer->matrix == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for a matrix of %" G_GINT64_FORMAT
                    " pairs; --format tsv needs none",
                    s->pairs);
        return FALSE;
    }
    g_string_append_printf(text, "%" G_GINT64_FORMAT "\n", s->first_count);
    return TRUE;
}

/* Without a least identity, every pair comes, in the order of the matrix. */
static void
add(CsIdentityWriter *writer, GString *text, const CsIdentityPair *pair)
{
    const gint64 divisor = cs_identity_format_divisor(writer->summary, pair);
    writer->matrix[writer->pairs] =
        (guint32)cs_identity_scaled(divisor - pair->matches, divisor, UNIT);
}

/* Row i of the triangle begins behind those of n - 1, n - 2, ... pairs. */
static guint32
distance(const CsIdentityWriter *writer, gint64 i, gint64 j)
{
    const gint64 n = writer->summary->first_count, a = MIN(i, j), b = MAX(i, j);
    return a == b ? 0 : writer->matrix[a * n - a * (a + 1) / 2 + (b - a - 1)];
}

static void
append_row(const CsIdentityWriter *writer, GString *text, gint64 row, gint64 count)
{
    g_string_append(text, writer->summary->first[row].name);
    for (gint64 k = 0; k < count; k++) {
        const guint32 value = distance(writer, row, k);
        g_string_append(text, value < UNIT ? " 0." : " 1.");
        cs_digits_append(text, value % UNIT, DECIMALS);
    }
    g_string_append_c(text, '\n');
}

static gboolean
append_rows(CsIdentityWriter *writer, GString *text, gboolean lower)
{
    const gint64 n = writer->summary->first_count;
    const gsize end = text->len + PART;
    for (; writer->rows_done < n && text->len < end; writer->rows_done++)
        append_row(writer, text, writer->rows_done, lower ? writer->rows_done : n);
    return writer->rows_done < n;
}

static gboolean
more_square(CsIdentityWriter *writer, GString *text)
{
    return append_rows(writer, text, FALSE);
}

static gboolean
more_lower(CsIdentityWriter *writer, GString *text)
{
    return append_rows(writer, text, TRUE);
}

const CsIdentityWriterClass cs_identity_phylip = {.begin = begin, .add = add, .more = more_square};
const CsIdentityWriterClass cs_identity_phylip_lower = {
    .begin = begin, .add = add, .more = more_lower};
