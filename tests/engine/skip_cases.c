/* Pairs that are hard to skip blocks in. */
#include "skip_cases.h"

#include "../unit/related.h"

/* If opening a gap costs nothing, skipped blocks miss T only just; if it costs much, alignments
 * that leave a block in an open gap matter. Under each scoring another event limits the weights
 * (test_bounds.c). */
static const CsScoring scorings[] = {
    CS_SCORING_DEFAULT, CS_SCORING_DEFAULT, {1, 1, 0, 1}, {2, 3, 5, 2}, {5, 4, 10, 1}, {1, 0, 0, 0},
    {1, 3, 0, 2},       {1, 20, 4, 1},      {1, 5, 3, 1}, {3, 1, 4, 0}, {4, 20, 1, 1}, {2, 1, 2, 3},
};

/* A number below `below`, which may be 0. */
static gsize
below(GRand *rand, gsize below)
{
    return below == 0 ? 0 : (gsize)g_rand_int_range(rand, 0, (gint32)below);
}

static void
make_target(SkipCase *c, GRand *rand, int alphabet, int longest)
{
    GString *bases = c->target = g_string_new(NULL);
    related_append(rand, bases, alphabet, g_rand_int_range(rand, 1, longest + 1));
    switch (g_rand_int_range(rand, 0, 6)) {
    case 0: {
        const gsize from = below(rand, bases->len);
        const gsize unit = 1 + below(rand, 7); /* or fewer, at the end */
        g_autofree char *copy = g_strndup(bases->str + from, unit);
        for (int k = g_rand_int_range(rand, 2, 6); k > 0; k--)
            g_string_insert(bases, (gssize)from, copy);
        c->has[SKIP_TANDEM] = TRUE;
        break;
    }
    case 1: {
        g_autofree char *half = g_strdup(bases->str);
        g_string_append(bases, half);
        c->has[SKIP_HALVES] = TRUE;
        break;
    }
    case 2:
        related_add_ns(rand, bases, 30);
        c->has[SKIP_NS] = TRUE;
        break;
    default: break;
    }
}

/* The query occurs in the target again, after or before other bases. */
static void
copy_into_target(SkipCase *c, GRand *rand, int alphabet)
{
    g_autoptr(GString) more = g_string_new(NULL);
    for (int k = g_rand_int_range(rand, 1, 3); k > 0; k--) {
        related_append(rand, more, alphabet, g_rand_int_range(rand, 0, 6));
        g_string_append_len(more, c->query->str, (gssize)c->query->len);
    }
    g_string_insert_len(c->target, g_rand_boolean(rand) ? 0 : (gssize)c->target->len, more->str,
                        (gssize)more->len);
    c->has[SKIP_COPIES] = TRUE;
}

static void
make_query(SkipCase *c, GRand *rand, int alphabet, int longest)
{
    const gboolean unrelated = g_rand_int_range(rand, 0, 8) == 0;
    /* Changes no, a few or many bases. */
    const int changed = (int)below(rand, 2) * g_rand_int_range(rand, 0, 250);
    GString *bases = c->query = related_copy(rand, c->target, alphabet, changed);
    if (unrelated) {
        g_string_truncate(bases, 0);
        related_append(rand, bases, alphabet, g_rand_int_range(rand, 0, longest + 1));
        c->has[SKIP_UNRELATED] = TRUE;
    }
    switch (g_rand_int_range(rand, 0, 7)) {
    case 0: {
        const gsize cut = below(rand, bases->len);
        g_autofree char *front = g_strndup(bases->str, cut);
        g_string_append(g_string_erase(bases, 0, (gssize)cut), front);
        c->has[SKIP_ROTATED] = TRUE;
        break;
    }
    case 1:
        related_invert(bases, 0, bases->len);
        c->has[SKIP_INVERTED] = TRUE;
        break;
    case 2:
        related_add_ns(rand, bases, 30);
        c->has[SKIP_NS] = TRUE;
        break;
    case 3:
        related_invert(bases, bases->len / 3, bases->len / 3);
        c->has[SKIP_INVERTED] = TRUE;
        break;
    case 4: {
        const gsize from = below(rand, bases->len);
        g_string_erase(g_string_truncate(bases, from + below(rand, bases->len - from + 1)), 0,
                       (gssize)from);
        copy_into_target(c, rand, alphabet);
        break;
    }
    case 5: /* of a base that the other sequences usually lack */
        for (int k = g_rand_int_range(rand, 1, 12), at = (int)below(rand, bases->len); k > 0; k--)
            g_string_insert_c(bases, at, 'T');
        c->has[SKIP_GAP] = TRUE;
        break;
    default: break;
    }
}

SkipCase *
skip_case_new(guint32 seed, int longest)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    SkipCase *c = g_new0(SkipCase, 1);
    const int alphabet = g_rand_int_range(rand, 2, 5);
    c->scoring = &scorings[seed / 3 % G_N_ELEMENTS(scorings)];
    make_target(c, rand, alphabet, longest);
    make_query(c, rand, alphabet, longest);
    if (g_rand_boolean(rand)) { /* either sequence may lie along the rows */
        GString *target = c->target;
        c->target = c->query;
        c->query = target;
    }
    return c;
}

SkipCase *
skip_case_new_gap(guint32 seed, int scale)
{
    static const CsScoring small[] = {{5, 4, 10, 1}, {1, 20, 4, 1}}, wide = {5, 400, 600, 1};
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    SkipCase *c = g_new0(SkipCase, 1);
    c->scoring = scale == 1 ? &small[seed / 2 % 2] : &wide;
    c->target = g_string_new(NULL);
    related_append(rand, c->target, 2, 50 * scale);
    c->query = g_string_new(c->target->str);
    GString *with = seed % 2 == 0 ? c->target : c->query;
    for (int k = g_rand_int_range(rand, 4 * scale, 12 * scale); k > 0; k--)
        g_string_insert_c(with, 20 * scale, 'T');
    return c;
}

SkipCase *
skip_case_new_ns(guint32 seed)
{
    static const CsScoring by_default = CS_SCORING_DEFAULT;
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    SkipCase *c = g_new0(SkipCase, 1);
    const int ns = g_rand_int_range(rand, 10, 40);
    g_autofree char *run = g_strnfill(ns, 'N');
    c->scoring = &by_default;
    c->target = g_string_new(NULL);
    related_append(rand, c->target, 4, 8 * ns);
    c->query = g_string_new(c->target->str);
    g_string_insert(seed % 2 == 0 ? c->target : c->query, 4 * ns, run);
    return c;
}

void
skip_case_free(SkipCase *c)
{
    g_string_free(c->target, TRUE);
    g_string_free(c->query, TRUE);
    g_free(c);
}

void
skip_case_count(guint counts[SKIP_KINDS], const SkipCase *c)
{
    for (SkipKind kind = 0; kind < SKIP_KINDS; kind++)
        counts[kind] += c->has[kind];
}

void
skip_case_expect_all(const guint counts[SKIP_KINDS], guint cases)
{
    static const char *const names[] = {"tandem arrays", "halves twice", "runs of N", "rotations",
                                        "inversions",    "copies",       "gaps",      "unrelated"};
    for (SkipKind kind = 0; kind < SKIP_KINDS; kind++) {
        g_test_message("%s: %u of %u", names[kind], counts[kind], cases);
        if (cases >= 300) /* with fewer cases, a feature may be missing by chance */
            g_assert_cmpuint(counts[kind], >, cases / 20);
    }
}
