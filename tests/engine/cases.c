/* Random problems. */
#include "cases.h"

#include <string.h>

/* Sizes at which something in an engine changes: lanes, strips, warps, blocks. */
static const gint64 edges[] = {1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256};

static gint64
random_size(GRand *rand, gint64 unit, gint64 longest)
{
    gint64 size;
    switch (g_rand_int_range(rand, 0, 5)) {
    case 0: size = edges[g_rand_int_range(rand, 0, G_N_ELEMENTS(edges))]; break;
    case 1: size = unit * g_rand_int_range(rand, 1, 4); break;
    case 2: size = g_rand_int_range(rand, 0, 12); break;
    default: size = g_rand_int_range(rand, 0, longest + 1); break;
    }
    if (g_rand_int_range(rand, 0, 3) == 0)
        size += g_rand_int_range(rand, -1, 2);
    return CLAMP(size, 0, longest);
}

static gint64
random_unit(GRand *rand)
{
    if (g_rand_boolean(rand))
        return edges[g_rand_int_range(rand, 0, G_N_ELEMENTS(edges))] + g_rand_int_range(rand, 0, 2);
    return g_rand_int_range(rand, 1, 300);
}

/*
 * Random bases from an alphabet of 1 to 5 (the fifth is N), sometimes with runs of ambiguous bases
 * or in lower case.
 */
static char *
random_bases(GRand *rand, gint64 length, int alphabet, gboolean ambiguous)
{
    char *bases = g_malloc(length + 1);
    for (gint64 k = 0; k < length; k++)
        bases[k] = "ACGTN"[g_rand_int_range(rand, 0, alphabet)];
    for (int runs = ambiguous ? g_rand_int_range(rand, 1, 4) : 0; runs > 0 && length > 0; runs--) {
        gint64 from = g_rand_int_range(rand, 0, (gint32)length);
        gint64 count = g_rand_int_range(rand, 1, 20);
        count = MIN(count, length - from);
        memset(bases + from, "NnRyN"[g_rand_int_range(rand, 0, 5)], count);
    }
    if (g_rand_int_range(rand, 0, 4) == 0)
        for (gint64 k = 0; k < length; k++)
            bases[k] = g_ascii_tolower(bases[k]);
    bases[length] = '\0';
    return bases;
}

/* A copy of a with substitutions and with short and long gaps, cut to `longest` bases. */
static char *
mutate(GRand *rand, const char *a, gint64 m, int alphabet, gint64 longest)
{
    GString *b = g_string_new(NULL);
    double rate = g_rand_double_range(rand, 0, 0.2);
    gint64 from =
        g_rand_int_range(rand, 0, 3) == 0 && m > 0 ? g_rand_int_range(rand, 0, (gint32)m) : 0;
    for (gint64 k = from; k < m && (gint64)b->len < longest; k++) {
        double dice = g_rand_double(rand);
        if (dice < rate)
            g_string_append_c(b, "ACGTN"[g_rand_int_range(rand, 0, alphabet)]);
        else if (dice < rate * 1.1)
            k += g_rand_int_range(rand, 1, g_rand_boolean(rand) ? 4 : 60) - 1;
        else if (dice < rate * 1.2)
            for (int count = g_rand_int_range(rand, 1, g_rand_boolean(rand) ? 4 : 60); count > 0;
                 count--)
                g_string_append_c(b, "ACGTN"[g_rand_int_range(rand, 0, alphabet)]);
        else
            g_string_append_c(b, a[k]);
    }
    g_string_truncate(b, MIN((gsize)longest, b->len));
    return g_string_free(b, FALSE);
}

/* Some kernels need mismatch <= 2 * gap_extend: some scorings are at that limit, some beyond it.
 * The last three do not fit 32 bits; the one before them needs more than 16. With the gap cost of
 * 62, scores of unrelated sequences are below the cost of a gap's first base. */
static const CsScoring scorings[] = {
    {1, 3, 3, 2},
    {1, 3, 3, 2},
    {2, 4, 3, 2},
    {1, 5, 3, 2},
    {1, 1, 0, 1},
    {2, 3, 5, 2},
    {5, 4, 10, 1},
    {1, 0, 0, 0},
    {3, 1, 4, 0},
    {1, 3, 60, 2},
    {1000, 900, 2000, 500},
    {G_GINT64_CONSTANT(3000000000), 1, 2, 1},
    {G_GINT64_CONSTANT(1) << 51, 3, 3, 2},
    {G_GINT64_CONSTANT(1000000000000), G_GINT64_CONSTANT(3000000000000),
     G_GINT64_CONSTANT(3000000000000), G_GINT64_CONSTANT(2000000000000)},
};

Case *
case_new(guint32 seed, int longest)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    Case *c = g_new0(Case, 1);
    c->block_height = random_unit(rand);
    c->block_width = random_unit(rand);
    c->m = random_size(rand, c->block_height, longest);
    int alphabet = g_rand_int_range(rand, 1, 6);
    gboolean ambiguous = g_rand_int_range(rand, 0, 4) == 0;
    c->a = random_bases(rand, c->m, alphabet, ambiguous);
    if (g_rand_boolean(rand))
        c->b = mutate(rand, c->a, c->m, alphabet, longest);
    else
        c->b = random_bases(rand, random_size(rand, c->block_width, longest), alphabet, ambiguous);
    c->n = (gint64)strlen(c->b);
    c->scoring = scorings[g_rand_int_range(rand, 0, G_N_ELEMENTS(scorings))];
    if (longest > 1000) /* the largest match would overflow */
        c->scoring.match = MIN(c->scoring.match, G_GINT64_CONSTANT(1) << 49);
    c->tie_order = g_rand_boolean(rand) ? CS_TIE_ROW_FIRST : CS_TIE_COLUMN_FIRST;
    c->threads = (guint)g_rand_int_range(rand, 1, 4);
    c->in_place = g_rand_boolean(rand);
    /* At most a few hundred blocks, or most of the time goes into handing them over. */
    while (c->m * c->n > 400 * c->block_height * c->block_width) {
        c->block_height = 2 * c->block_height;
        c->block_width = 2 * c->block_width + 1;
    }
    c->depth = g_rand_int_range(rand, 1, 9);
    for (gint64 row = 0; c->m > 0 && c->n_special_rows < G_N_ELEMENTS(c->special_rows);) {
        row += g_rand_int_range(rand, 1, (gint32)c->m + 1);
        if (row > c->m)
            break;
        c->special_rows[c->n_special_rows++] = row;
    }
    return c;
}

/* So many copies of the unit. */
static char *
repeat(GRand *rand, const char *unit, gint64 most)
{
    GString *bases = g_string_new(NULL);
    const double rate = g_rand_double_range(rand, 0, 0.15);
    const gint64 length = g_rand_int_range(rand, 0, (gint32)most + 1);
    while ((gint64)bases->len < length) {
        g_string_append(bases, unit);
        if (g_rand_double(rand) < rate)
            g_string_truncate(bases, bases->len - 1);
        else if (g_rand_double(rand) < rate)
            bases->str[bases->len - 1] = "ACGTN"[g_rand_int_range(rand, 0, 5)];
        if (g_rand_double(rand) < rate / 4)
            g_string_append(bases, "NNNNNN");
    }
    g_string_truncate(bases, (gsize)length);
    return g_string_free(bases, FALSE);
}

void
case_repeat(Case *c, GRand *rand, int longest)
{
    g_autofree char *unit = random_bases(rand, g_rand_int_range(rand, 1, 13), 4, FALSE);
    g_free(c->a);
    g_free(c->b);
    c->a = repeat(rand, unit, longest);
    c->b = repeat(rand, unit, longest);
    c->m = (gint64)strlen(c->a);
    c->n = (gint64)strlen(c->b);
    c->n_special_rows = 0;
}

void
case_free(Case *c)
{
    g_free(c->a);
    g_free(c->b);
    g_free(c);
}

void
case_widen(Case *c, GRand *rand, gsize rows, gsize columns)
{
    GString *a = g_string_new(c->a), *b = g_string_new(c->b);
    while (a->len < rows)
        g_string_append_c(a, "ACGT"[g_rand_int_range(rand, 0, 4)]);
    while (b->len < columns) {
        g_string_append_c(b, "ACGT"[g_rand_int_range(rand, 0, 4)]);
        if (g_rand_int_range(rand, 0, 100) == 0)
            g_string_append(b, a->str);
    }
    g_free(c->a);
    g_free(c->b);
    c->m = (gint64)a->len;
    c->a = g_string_free(a, FALSE);
    c->n = (gint64)b->len;
    c->b = g_string_free(b, FALSE);
    c->scoring.match = MIN(c->scoring.match, G_GINT64_CONSTANT(1) << 49);
    c->depth = 8;
    c->block_height = 1 + 2 * g_rand_int_range(rand, 16, 160);
    c->block_width = 64 + g_rand_int_range(rand, 0, 2);
}

OracleProblem
case_problem(const Case *c)
{
    return (OracleProblem){
        .a = c->a,
        .b = c->b,
        .m = (int)c->m,
        .n = (int)c->n,
        .match = c->scoring.match,
        .mismatch = c->scoring.mismatch,
        .open = c->scoring.gap_open,
        .extend = c->scoring.gap_extend,
        .columns_first = c->tie_order == CS_TIE_COLUMN_FIRST,
    };
}

char *
case_describe(const Case *c)
{
    return g_strdup_printf(
        "%" G_GINT64_FORMAT " x %" G_GINT64_FORMAT ", blocks %" G_GINT64_FORMAT
        " x %" G_GINT64_FORMAT ", depth %" G_GINT64_FORMAT ", %u threads, scoring %" G_GINT64_FORMAT
        " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT ", %s%s, a %.40s b %.40s",
        c->m, c->n, c->block_height, c->block_width, c->depth, c->threads, c->scoring.match,
        c->scoring.mismatch, c->scoring.gap_open, c->scoring.gap_extend,
        c->tie_order == CS_TIE_ROW_FIRST ? "row first" : "column first",
        c->in_place ? ", in place" : "", c->a, c->b);
}
