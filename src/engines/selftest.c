/*
 * The known-answer test. The problems come from a generator, not from files, and the answers below
 * from the scalar engine, as a unit test confirms. Each aims at something: a long diagonal with
 * gaps, no diagonal at all, stretches that match nothing, blocks cut short in either direction.
 */
#include <chromosweep/error.h>

#include "engines/selftest.h"
#include "sweep/sweep.h"

typedef struct {
    const char *name;
    gint64 m; /* bases of the rows' sequence */
    /* Bases of the columns' one, or 0: it is a copy of the other with mutations. */
    gint64 n;
    gint64 unknown; /* one base in so many begins a run of N in both; 0 for none */
    CsTieOrder tie_order;
    CsBest best;
    guint64 bottom; /* hash of H and F of the bottom row */
} Problem;

static const Problem problems[] = {
    {"similar pair", 60000, 0, 0, CS_TIE_ROW_FIRST, {41785, 60000, 60103}, 0x88727f80b3fd82f2},
    {"unrelated", 20011, 23017, 0, CS_TIE_COLUMN_FIRST, {13, 15718, 13623}, 0xd5d4ec4682c6f1a0},
    {"runs of N", 30000, 0, 1500, CS_TIE_COLUMN_FIRST, {7877, 29473, 29420}, 0x12e1ea8c65b235e2},
    {"few rows", 300, 200000, 0, CS_TIE_ROW_FIRST, {12, 138, 199112}, 0x47466c4eaf579b74},
    {"few columns", 200000, 300, 0, CS_TIE_ROW_FIRST, {13, 4452, 91}, 0x53b917a5a133fb63},
};

/* Splitmix64 (Steele, Lea and Flood, 2014). */
static guint64
next_random(guint64 *state)
{
    guint64 z = *state += G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static gint64
random_below(guint64 *state, gint64 limit)
{
    return (gint64)(next_random(state) % (guint64)limit);
}

static void
append_random(GString *bases, guint64 *state, gint64 count)
{
    for (gint64 k = 0; k < count; k++)
        g_string_append_c(bases, "ACGT"[random_below(state, 4)]);
}

/* A copy in which of 1,000 bases 30 are replaced, and 3 each begin a deletion or an insertion. */
static void
append_mutated(GString *bases, const GString *original, guint64 *state)
{
    for (gsize k = 0; k < original->len; k++) {
        gint64 fate = random_below(state, 1000);
        if (fate < 3)
            k += (gsize)random_below(state, 30);
        else if (fate < 6)
            append_random(bases, state, 1 + random_below(state, 30));
        else if (fate < 36)
            append_random(bases, state, 1);
        else
            g_string_append_c(bases, original->str[k]);
    }
}

static void
overwrite_with_unknown(GString *bases, guint64 *state, gint64 spacing)
{
    for (gsize k = 0; spacing > 0 && k < bases->len; k++)
        if (random_below(state, spacing) == 0)
            for (gint64 run = random_below(state, 200); run > 0 && k < bases->len; run--)
                bases->str[k++] = 'N';
}

static CsSequence *
make_sequence(const GString *bases)
{
    return cs_sequence_new("selftest", bases->str, (gint64)bases->len, NULL);
}

static void
make_pair(const Problem *problem, CsSequence **rows, CsSequence **columns)
{
    guint64 state = (guint64)problem->m * 1000003 + (guint64)problem->n;
    g_autoptr(GString) a = g_string_new(NULL), b = g_string_new(NULL);
    append_random(a, &state, problem->m);
    if (problem->n > 0)
        append_random(b, &state, problem->n);
    else
        append_mutated(b, a, &state);
    overwrite_with_unknown(a, &state, problem->unknown);
    overwrite_with_unknown(b, &state, problem->unknown);
    *rows = make_sequence(a);
    *columns = make_sequence(b);
}

/* FNV-1a, a whole number at a time. */
static guint64
hash_bottom(const CsBus *bottom)
{
    guint64 hash = G_GUINT64_CONSTANT(0xcbf29ce484222325);
    for (gint64 k = 0; k < bottom->length; k++) {
        CsScore h = cs_width_get(bottom->width, bottom->h, k);
        CsScore f = cs_width_get(bottom->width, bottom->gap, k);
        hash = (hash ^ (guint64)h) * G_GUINT64_CONSTANT(0x100000001b3);
        hash = (hash ^ (guint64)f) * G_GUINT64_CONSTANT(0x100000001b3);
    }
    return hash;
}

/* NULL, or what is wrong. */
static char *
judge(const Problem *problem, const CsBest *best, guint64 bottom)
{
    const CsBest *known = &problem->best;
    if (best->score != known->score)
        return g_strdup_printf("the score is %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
                               best->score, known->score);
    if (best->i != known->i || best->j != known->j)
        return g_strdup_printf("the end is %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT
                               ", not %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT,
                               best->i, best->j, known->i, known->j);
    if (bottom != problem->bottom)
        return g_strdup_printf("the bottom row is %016" G_GINT64_MODIFIER
                               "x, not %016" G_GINT64_MODIFIER "x",
                               bottom, problem->bottom);
    return NULL;
}

static gboolean
run_problem(const Problem *problem, CsSweepOptions *sweep, GError **error)
{
    g_autoptr(CsSequence) rows = NULL, columns = NULL;
    make_pair(problem, &rows, &columns);
    CsRectangle rectangle = {
        .rows = cs_view_of(rows),
        .columns = cs_view_of(columns),
        .scoring = CS_SCORING_DEFAULT,
        .tie_order = problem->tie_order,
    };
    g_autoptr(CsBus) bottom = cs_bus_new(columns->length, CS_WIDTH_32, error);
    if (bottom == NULL)
        return FALSE;
    rectangle.bottom = bottom;
    const CsEngineClass *engine = sweep->engine;
    sweep->shape = (CsGridShape){0};
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, sweep);
    CsSweepState state;
    if (!engine->accepts(&rectangle, &sweep->shape, &sweep->engine_options, error) ||
        !cs_sweep_run(&rectangle, grid, sweep, &state, error)) {
        g_prefix_error(error, "self-test of %s (%s): ", engine->name, problem->name);
        return FALSE;
    }
    g_autofree char *wrong = judge(problem, &state.best, hash_bottom(bottom));
    if (wrong == NULL)
        return TRUE;
    const char *phrase = engine->describe(sweep->engine_options.device, NULL);
    g_autofree char *bits = sweep->engine_options.bits > 0
                                ? g_strdup_printf(", %u bits", sweep->engine_options.bits)
                                : g_strdup("");
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "engine %s (%s) gives wrong results and is not used (%s%s: %s)", engine->name,
                phrase != NULL ? phrase : "?", problem->name, bits, wrong);
    return FALSE;
}

gboolean
cs_selftest_run(const CsEngineClass *engine, const CsEngineOptions *options, GError **error)
{
    static const guint gpu_bits[] = {16, 32};
    gboolean both = engine->gpu && options->bits == 0;
    CsSweepOptions sweep = {.engine = engine, .engine_options = *options};
    for (guint b = 0; b < (both ? G_N_ELEMENTS(gpu_bits) : 1); b++) {
        if (both)
            sweep.engine_options.bits = gpu_bits[b];
        for (guint k = 0; k < G_N_ELEMENTS(problems); k++)
            if (!run_problem(&problems[k], &sweep, error))
                return FALSE;
    }
    return TRUE;
}
