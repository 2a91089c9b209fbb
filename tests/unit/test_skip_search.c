/* The search before a sweep, the modes that it falls back to, and which rows are marked as
 * bounds. */
#include <chromosweep/error.h>

#include "../case_count.h"
#include "../random_sequence.h"
#include "cpu/scalar.h"
#include "skipping/skip.h"
#include "skipping/skip_forecast.h"
#include "related.h"
#include "sweep/sweep.h"

#define BASES 200000 /* enough for skipping to pay */

/* Two sequences, alike or not; the minus strand of the second is its other view. */
typedef struct {
    CsSequence *a, *b;
} Pair;

static Pair
pair_new(gint64 bases, gboolean alike)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(3);
    g_autoptr(GString) a = g_string_new(NULL), other = g_string_new(NULL);
    related_append(rand, a, 4, (gint)bases);
    related_append(rand, other, 4, (gint)bases);
    g_autoptr(GString) b = related_copy(rand, alike ? a : other, 4, alike ? 10 : 0);
    return (Pair){cs_sequence_new("a", a->str, (gint64)a->len, NULL),
                  cs_sequence_new("b", b->str, (gint64)b->len, NULL)};
}

static void
pair_clear(Pair *pair)
{
    cs_sequence_unref(pair->a);
    cs_sequence_unref(pair->b);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pair, pair_clear)

static CsRectangle
whole_of(const Pair *pair, const CsScoring *scoring, gboolean minus)
{
    CsRectangle whole = {
        .rows = cs_view_of(pair->a), .columns = cs_view_of(pair->b), .scoring = *scoring};
    whole.columns.reversed = whole.columns.complement = minus;
    return whole;
}

/* The mode that results from the wanted one. */
static CsSkipMode
mode_of(const Pair *pair, const CsScoring *scoring, const CsSkipSearch *how, gboolean noted)
{
    g_autoptr(GError) error = NULL;
    g_auto(CsSkip) skip = {0};
    g_autoptr(CsSeedsIndex) index = NULL;
    CsSkipSearch search = *how;
    search.index = &index;
    const CsRectangle whole = whole_of(pair, scoring, FALSE);
    cs_skip_init(&skip, &whole, &search, &error);
    g_assert_no_error(error);
    g_assert_cmpint(skip.bounds != NULL, ==, skip.mode != CS_SKIP_NONE);
    g_assert_cmpint(skip.note != NULL, ==, noted);
    g_assert_true(skip.mode == CS_SKIP_BOUNDS || skip.lower.score <= how->known ||
                  how->wanted == CS_SKIP_AUTO);
    return skip.mode;
}

static void
test_modes(void)
{
    /* Gaps cost nothing, so absent k-mers cost nothing. */
    const CsScoring usual = CS_SCORING_DEFAULT, free_gaps = {1, 2, 0, 0};
    g_auto(Pair) alike = pair_new(BASES, TRUE), strange = pair_new(BASES, FALSE);
    g_auto(Pair) small = pair_new(900, TRUE), empty = pair_new(0, TRUE);
    const struct {
        const Pair *pair;
        const CsScoring *scoring;
        CsSkipMode wanted;
        gboolean gpu;
        CsSkipMode expected;
    } cases[] = {
        {&alike, &usual, CS_SKIP_AUTO, FALSE, CS_SKIP_BOUNDS},
        {&alike, &usual, CS_SKIP_AUTO, TRUE, CS_SKIP_NONE}, /* a GPU is faster without */
        {&alike, &usual, CS_SKIP_BOUNDS, TRUE, CS_SKIP_BOUNDS},
        {&alike, &usual, CS_SKIP_NONE, FALSE, CS_SKIP_NONE},
        {&alike, &usual, CS_SKIP_BEST, FALSE, CS_SKIP_BEST},
        {&strange, &usual, CS_SKIP_AUTO, FALSE, CS_SKIP_NONE},
        {&strange, &usual, CS_SKIP_BOUNDS, FALSE, CS_SKIP_BOUNDS},
        {&small, &usual, CS_SKIP_AUTO, FALSE, CS_SKIP_NONE},
        {&small, &usual, CS_SKIP_BOUNDS, FALSE, CS_SKIP_BOUNDS},
        {&small, &free_gaps, CS_SKIP_BOUNDS, FALSE, CS_SKIP_BEST},
        {&alike, &free_gaps, CS_SKIP_AUTO, FALSE, CS_SKIP_NONE},
        {&empty, &usual, CS_SKIP_BOUNDS, FALSE, CS_SKIP_NONE},
        {&empty, &free_gaps, CS_SKIP_BEST, FALSE, CS_SKIP_NONE},
    };
    for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
        const CsSkipSearch how = {.wanted = cases[k].wanted, .gpu = cases[k].gpu, .threads = 2};
        g_test_message("case %u", k);
        g_assert_cmpint(mode_of(cases[k].pair, cases[k].scoring, &how, FALSE), ==,
                        cases[k].expected);
    }
}

/* Few cells are not worth a search, above all on many threads. A score that is asked for saves the search for one. */
static void
test_few_cells(void)
{
    const CsScoring usual = CS_SCORING_DEFAULT;
    g_auto(Pair) alike = pair_new(50000, TRUE), strange = pair_new(50000, FALSE);
    CsSkipSearch how = {.wanted = CS_SKIP_AUTO, .threads = 1};
    g_assert_cmpint(mode_of(&alike, &usual, &how, FALSE), ==, CS_SKIP_BOUNDS);
    g_assert_cmpint(mode_of(&strange, &usual, &how, FALSE), ==, CS_SKIP_NONE);
    how.threads = 3;
    g_assert_cmpint(mode_of(&alike, &usual, &how, FALSE), ==, CS_SKIP_NONE);
    how.threads = 1;
    how.floor = 25000;
    g_assert_cmpint(mode_of(&strange, &usual, &how, FALSE), ==, CS_SKIP_BOUNDS);
}

/* The sweep will need more memory than any machine has. */
static void
test_short_of_memory(void)
{
    const CsScoring usual = CS_SCORING_DEFAULT;
    g_auto(Pair) pair = pair_new(BASES, TRUE);
    CsSkipSearch how = {.wanted = CS_SKIP_BOUNDS, .threads = 2, .sweep_bytes = G_MAXINT64 / 4};
    g_assert_cmpint(mode_of(&pair, &usual, &how, TRUE), ==, CS_SKIP_BEST);
    how.wanted = CS_SKIP_AUTO;
    g_assert_cmpint(mode_of(&pair, &usual, &how, TRUE), ==, CS_SKIP_BEST);
    how.wanted = CS_SKIP_NONE;
    g_assert_cmpint(mode_of(&pair, &usual, &how, FALSE), ==, CS_SKIP_NONE);
    /* A known lower bound is used nevertheless. */
    g_autoptr(GError) error = NULL;
    g_auto(CsSkip) skip = {0};
    const CsRectangle whole = whole_of(&pair, &usual, FALSE);
    how.wanted = CS_SKIP_BOUNDS;
    how.known = 123;
    cs_skip_init(&skip, &whole, &how, &error);
    g_assert_no_error(error);
    g_assert_cmpint(skip.mode, ==, CS_SKIP_BEST);
    g_assert_cmpint(skip.lower.score, ==, 123);
    cs_skip_give_way(&skip, "said");
    g_assert_cmpint(skip.mode, ==, CS_SKIP_NONE);
    g_assert_null(skip.bounds);
    g_assert_cmpint(skip.lower.score, ==, 0);
    g_assert_cmpstr(skip.note, ==, "nothing is skipped: said");
    /* Fewer threads are used if there are too many. */
    how = (CsSkipSearch){.wanted = CS_SKIP_BOUNDS, .threads = G_MAXUINT};
    g_assert_cmpint(mode_of(&pair, &usual, &how, FALSE), ==, CS_SKIP_BOUNDS);
}

/* Both strands share an index, and a known lower bound is not searched for. */
static void
test_shared(void)
{
    g_autoptr(GError) error = NULL;
    const CsScoring usual = CS_SCORING_DEFAULT;
    g_auto(Pair) pair = pair_new(70000, TRUE);
    g_autoptr(CsSeedsIndex) shared = NULL;
    for (guint minus = 0; minus < 2; minus++) {
        g_autoptr(CsSeedsIndex) own = NULL;
        g_auto(CsSkip) one = {0}, other = {0}, known = {0};
        const CsRectangle whole = whole_of(&pair, &usual, minus == 1);
        CsSkipSearch how = {.wanted = CS_SKIP_BOUNDS, .threads = 2, .index = &shared};
        const CsSeedsIndex *before = shared;
        cs_skip_init(&one, &whole, &how, &error);
        g_assert_no_error(error);
        g_assert_true(minus == 0 || shared == before);
        how.index = &own;
        cs_skip_init(&other, &whole, &how, &error);
        g_assert_no_error(error);
        g_assert_cmpint(one.lower.score, ==, other.lower.score);
        g_assert_cmpint(one.lower.chain, ==, other.lower.chain);
        g_assert_cmpint(one.lower.score, >, minus == 0 ? 40000 : 0);
        how.known = 123;
        cs_skip_init(&known, &whole, &how, &error);
        g_assert_no_error(error);
        g_assert_cmpint(known.mode, ==, CS_SKIP_BOUNDS);
        g_assert_cmpint(known.lower.score, ==, 123);
        g_assert_cmpint(known.lower.cells_computed, ==, 0);
    }
}

static void
test_stopped(void)
{
    g_autoptr(GError) error = NULL;
    const CsScoring usual = CS_SCORING_DEFAULT;
    g_auto(Pair) pair = pair_new(BASES, TRUE);
    g_autoptr(CsSeedsIndex) index = NULL;
    g_auto(CsSkip) skip = {0};
    const CsRectangle whole = whole_of(&pair, &usual, FALSE);
    const gint stop = 1;
    CsSkipSearch how = {.wanted = CS_SKIP_AUTO, .threads = 2, .index = &index, .stop = &stop};
    g_assert_false(cs_skip_init(&skip, &whole, &how, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    g_clear_error(&error);
    how.known = 1; /* then only bounds are searched for */
    g_assert_false(cs_skip_init(&skip, &whole, &how, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
}

/* Stages that began before the search find the same, on either strand, and can be stopped. */
static void
test_ahead(void)
{
    const CsScoring usual = CS_SCORING_DEFAULT;
    g_auto(Pair) pair = pair_new(70000, TRUE);
    for (guint k = 0; k < 4; k++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(CsSeedsIndex) index = NULL, other_index = NULL;
        g_auto(CsSkip) one = {0}, other = {0};
        const CsRectangle whole = whole_of(&pair, &usual, k % 2 == 1);
        CsSkipWatch watch = {0};
        gint stop = 0;
        CsSkipSearch how = {
            .wanted = CS_SKIP_BOUNDS, .gpu = k < 2, .threads = 2, .keep_chain = TRUE};
        G_GNUC_UNUSED g_autoptr(CsSkipAhead) left_over = cs_skip_ahead_new(&whole, &how);
        g_autoptr(CsSkipAhead) ahead = cs_skip_ahead_new(&whole, &how);
        if (ahead == NULL) {
            g_test_skip("too little memory");
            return;
        }
        how.index = &index;
        how.stop = &stop;
        how.watch = &watch;
        g_assert_true(cs_skip_init(&one, &whole, &how, &error));
        how.ahead = ahead;
        how.index = &other_index;
        g_assert_true(cs_skip_init(&other, &whole, &how, &error));
        g_assert_no_error(error);
        g_assert_cmpint(other.mode, ==, one.mode);
        g_assert_cmpint(other.lower.score, ==, one.lower.score);
        g_assert_cmpint(other.lower.cells_computed, ==, one.lower.cells_computed);
        g_assert_cmpint(watch.lower_bound, ==, one.lower.score);
        g_assert_nonnull(other_index);
        g_assert_cmpmem(other.chain, (gsize)other.chain_length * sizeof *other.chain, one.chain,
                        (gsize)one.chain_length * sizeof *one.chain);
        g_assert_cmpmem(other.cuts, (gsize)other.n_cuts * sizeof *other.cuts, one.cuts,
                        (gsize)one.n_cuts * sizeof *one.cuts);
        g_assert_cmpfloat(other.share_left, ==, one.share_left);
        stop = 1;
        cs_skip_clear(&other);
        g_clear_pointer(&ahead, cs_skip_ahead_free);
        how.ahead = ahead = cs_skip_ahead_new(&whole, &how);
        g_assert_false(cs_skip_init(&other, &whole, &how, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    }
}

/* What has to be found anyway in another way, or not at all, does not begin before. */
static void
test_not_ahead(void)
{
    const CsScoring usual = CS_SCORING_DEFAULT;
    g_auto(Pair) pair = pair_new(1000, TRUE);
    const CsRectangle whole = whole_of(&pair, &usual, FALSE);
    const CsSkipSearch hows[] = {
        {.wanted = CS_SKIP_NONE, .threads = 1},
        {.wanted = CS_SKIP_BEST, .threads = 1},
        {.wanted = CS_SKIP_AUTO, .threads = 1}, /* it is small */
        {.wanted = CS_SKIP_BOUNDS, .threads = 1, .known = 1},
        {.wanted = CS_SKIP_BOUNDS, .threads = 1, .floor = 1},
        {.wanted = CS_SKIP_BOUNDS, .threads = 1, .hopeless = TRUE},
        {.wanted = CS_SKIP_BOUNDS, .threads = 1, .give_up = TRUE},
        {.wanted = CS_SKIP_BOUNDS, .threads = 1, .sweep_bytes = G_MAXINT64 / 32}};
    for (guint k = 0; k < G_N_ELEMENTS(hows); k++)
        g_assert_null(cs_skip_ahead_new(&whole, &hows[k]));
}

/* The special rows of a sweep. */
typedef struct {
    gint64 n;
    CsScore *h, *f;   /* of the whole sweep, row after row */
    gboolean compare; /* compare with the rows that are kept */
    guint exact, bounds;
} Rows;

static gboolean
take_row(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f, gboolean bounds,
         gpointer user_data, GError **error)
{
    Rows *rows = user_data;
    CsScore *there_h = rows->h + (i / 10 - 1) * rows->n + from;
    CsScore *there_f = rows->f + (i / 10 - 1) * rows->n + from;
    (void)error;
    rows->exact += !bounds;
    rows->bounds += bounds;
    for (gint64 k = 0; k < count; k++) {
        if (!rows->compare) {
            there_h[k] = h[k];
            there_f[k] = f[k];
        } else if (bounds) {
            g_assert_cmpint(h[k], <=, there_h[k]);
        } else {
            g_assert_cmpint(h[k], ==, there_h[k]);
            g_assert_cmpint(f[k], ==, there_f[k]);
        }
    }
    return TRUE;
}

static CsSweepState
sweep_rows(CsRectangle rectangle, const CsSkip *skip, guint threads, Rows *rows)
{
    g_autoptr(GError) error = NULL;
    const gint64 at[] = {10, 20, 30, 100, 200, 300, 400};
    CsSweepOptions options = {.engine = &cs_scalar_engine,
                              .engine_options = {.threads = threads},
                              .shape = {10, 10, 5, 0, 0, FALSE}};
    rectangle.special_rows = at;
    rectangle.n_special_rows = G_N_ELEMENTS(at);
    rectangle.row_func = take_row;
    rectangle.row_data = rows;
    rows->exact = rows->bounds = 0;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    CsSweepState state;
    CsSkipBounds attached = cs_skip_attach(skip, &rectangle, grid, 0, 0, 0);
    cs_sweep_run(&rectangle, grid, &options, &state, &error);
    cs_skip_detach(&attached);
    g_assert_no_error(error);
    return state;
}

static void
test_marks(void)
{
    g_autoptr(GError) error = NULL;
    const CsScoring usual = CS_SCORING_DEFAULT;
    g_auto(Pair) pair = pair_new(400, TRUE);
    g_autoptr(CsSeedsIndex) index = NULL;
    g_auto(CsSkip) skip = {0};
    CsRectangle whole = whole_of(&pair, &usual, FALSE);
    const gint64 n = cs_rectangle_n(&whole);
    g_autofree CsScore *h = g_new0(CsScore, 40 * n), *f = g_new0(CsScore, 40 * n);
    Rows rows = {.n = n, .h = h, .f = f};
    CsSkipSearch how = {.wanted = CS_SKIP_BOUNDS, .threads = 1, .index = &index};
    cs_skip_init(&skip, &whole, &how, &error);
    g_assert_no_error(error);
    g_assert_false(sweep_rows(whole, NULL, 2, &rows).skipped);
    g_assert_cmpuint(rows.exact, >, 0);
    g_assert_cmpuint(rows.bounds, ==, 0);
    rows.compare = TRUE;
    for (guint threads = 1; threads <= 3; threads++) {
        const CsSweepState state = sweep_rows(whole, &skip, threads, &rows);
        g_assert_true(state.skipped);
        g_assert_cmpint(state.cells_computed, <, state.cells);
        g_assert_cmpuint(rows.bounds, >, 0);
        g_assert_cmpuint(rows.exact, >, 0);
    }
    whole.skipped = TRUE; /* what enters */
    g_assert_true(sweep_rows(whole, NULL, 2, &rows).skipped);
    g_assert_cmpuint(rows.exact, ==, 0);
}

enum {
    PLACES = 20
};

/* What is told during a search: with the chain, then with the bounds. */
typedef struct {
    const CsRectangle *whole;
    const CsGrid *grid;
    guint count;
    CsScore scores[2], rows[2][PLACES], columns[2][PLACES];
    double cells[2];
    gboolean follow[2];
} Told;

static void
read_bounds(const CsBoundsSide *side, CsScore *bounds)
{
    for (gint64 k = 0; k < PLACES; k++) {
        const gint64 base = side->length * k / PLACES;
        bounds[k] = cs_bounds_side_highest(side, base, base);
    }
}

static void
take_news(const CsSkip *skip, const CsGainTable *table, gboolean follow, gpointer data)
{
    Told *told = data;
    CsWorkForecast work, shared;
    if (table != NULL)
        return;
    g_assert_cmpuint(told->count, <, G_N_ELEMENTS(told->scores));
    cs_skip_forecast_work(skip, told->whole, told->grid, FALSE, 1, &work);
    cs_skip_forecast_work(skip, told->whole, told->grid, FALSE, 3, &shared);
    g_assert_cmpmem(&work, sizeof work, &shared, sizeof shared);
    read_bounds(&skip->bounds->rows, told->rows[told->count]);
    read_bounds(&skip->bounds->columns, told->columns[told->count]);
    told->scores[told->count] = skip->lower.score;
    told->follow[told->count] = follow;
    told->cells[told->count++] = cs_work_forecast_cells(&work);
}

/* The chain tells scores and bounds closely; cells depend on small differences between them. Random bases gain
 * a little less than those of chromosomes, which have repeats. */
static void
check_guess(const Told *told)
{
    const double close = 0.05 * (double)cs_rectangle_m(told->whole);
    g_assert_cmpuint(told->count, ==, 2);
    g_assert_cmpint(told->follow[0], ==, told->follow[1]);
    g_assert_cmpfloat_with_epsilon((double)told->scores[0], (double)told->scores[1], close);
    for (guint k = 0; k < PLACES; k++) {
        g_assert_cmpfloat_with_epsilon((double)told->rows[0][k], (double)told->rows[1][k], close);
        g_assert_cmpfloat_with_epsilon((double)told->columns[0][k], (double)told->columns[1][k],
                                       close);
    }
    g_assert_cmpfloat(told->cells[0], <, 2.5 * told->cells[1]);
    g_assert_cmpfloat(told->cells[0], >, told->cells[1] / 2.5);
}

/* Pairs that are alike from end to end, or only between ambiguous or unrelated bases. */
static void
test_guess(void)
{
    if (case_skip_again())
        return;
    const CsScoring usual = CS_SCORING_DEFAULT;
    const struct {
        gsize from, ambiguous; /* bases of the target */
        gsize unrelated;       /* at its start */
        int changed;           /* as in related_copy() */
    } cases[] = {{0, 0, 0, 15},     {150000, 60000, 0, 15},
                 {0, 60000, 0, 15}, {200000, 30000, 50000, 15},
                 {0, 0, 0, 60},     {150000, 60000, 0, 40}};
    for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(k);
        g_autoptr(GError) error = NULL;
        g_autoptr(GString) a = g_string_new(NULL), other = g_string_new(NULL);
        g_autoptr(CsSeedsIndex) index = NULL;
        g_auto(CsSkip) skip = {0};
        related_append(rand, a, 4, 300000);
        related_append(rand, other, 4, (int)cases[k].unrelated);
        g_autoptr(GString) b = related_copy(rand, a, 4, cases[k].changed);
        memset(a->str + cases[k].from, 'N', cases[k].ambiguous);
        memcpy(a->str, other->str, other->len);
        g_auto(Pair) pair = {cs_sequence_new("a", a->str, (gint64)a->len, NULL),
                             cs_sequence_new("b", b->str, (gint64)b->len, NULL)};
        CsRectangle whole = whole_of(&pair, &usual, FALSE);
        CsSweepOptions options = {.engine = &cs_scalar_engine,
                                  .engine_options = {.threads = 1},
                                  .shape = {512, 512, 0, 0, 0, FALSE}};
        g_autoptr(CsGrid) grid = cs_sweep_plan(&whole, &options);
        Told told = {.whole = &whole, .grid = grid};
        const CsSkipNews news = {take_news, &told};
        const CsSkipSearch how = {.wanted = CS_SKIP_BOUNDS,
                                  .threads = 1,
                                  .keep_chain = TRUE,
                                  .index = &index,
                                  .news = &news};
        g_test_message("case %u", k);
        cs_skip_init(&skip, &whole, &how, &error);
        g_assert_no_error(error);
        g_test_message("scores %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                       ", cells %g and %g, follow %d",
                       (gint64)told.scores[0], (gint64)told.scores[1], told.cells[0], told.cells[1],
                       told.follow[1]);
        check_guess(&told);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/skip-search/modes", test_modes);
    g_test_add_func("/skip-search/few-cells", test_few_cells);
    g_test_add_func("/skip-search/short-of-memory", test_short_of_memory);
    g_test_add_func("/skip-search/shared", test_shared);
    g_test_add_func("/skip-search/stopped", test_stopped);
    g_test_add_func("/skip-search/ahead", test_ahead);
    g_test_add_func("/skip-search/not-ahead", test_not_ahead);
    g_test_add_func("/skip-search/marks", test_marks);
    g_test_add_func("/skip-search/guess", test_guess);
    return g_test_run();
}
