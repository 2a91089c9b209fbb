/*
 * Pieces of an alignment, against their definition read column by column.
 *
 * Let C(p) be the score of the path's first p columns, n of them in all, and X the limit.
 *
 *   p ends a piece    if the score falls by more than X after it, with nothing higher on the way, or
 *                     p = n; and if, going back from p, every C is lower than C(p) as far as one
 *                     that is lower by more than X, or as far as 0.
 *   p begins a piece  if the score fell by more than X before it, with nothing lower on the way, or
 *                     p = 0; and if, going on from p, every C is higher than C(p) as far as one
 *                     that is higher by more than X, or as far as n.
 */
#include <string.h>

#include "../case_count.h"
#include "alignment/pieces.h"

enum {
    LONGEST = 80, /* stretches of a path */
};

/* A path, made along with the bases that it pairs. */
typedef struct {
    GString *steps; /* =, X, R (of the rows alone), C (of the columns alone), one a column */
    CsScoring scoring;
    CsSequence *rows, *columns;
    CsRectangle matrix;
    CsPath path;
    GArray *scores; /* C(0) .. C(n) */
} Trial;

static gint64
score_at(const Trial *trial, guint p)
{
    return g_array_index(trial->scores, gint64, p);
}

static gint64
step_score(const GString *steps, const CsScoring *scoring, gsize k)
{
    const char step = steps->str[k];
    if (step == '=' || step == 'X')
        return step == '=' ? scoring->match : -scoring->mismatch;
    const gboolean opens = k == 0 || steps->str[k - 1] != step;
    return -scoring->gap_extend - (opens ? scoring->gap_open : 0);
}

/* The shortest of the best stretches of columns: what a local alignment is. */
static void
keep_best(GString *steps, const CsScoring *scoring)
{
    gint64 best = 0;
    gsize from = 0, count = 0;
    for (gsize a = 0; a < steps->len; a++) {
        gint64 score = 0;
        if (steps->str[a] != '=')
            continue;
        for (gsize b = a; b < steps->len; b++) {
            score += step_score(steps, scoring, b);
            if (score > best || (score == best && count > 0 && b + 1 - a < count)) {
                best = score;
                from = a;
                count = b + 1 - a;
            }
        }
    }
    g_string_truncate(steps, from + count);
    g_string_erase(steps, 0, (gssize)from);
}

static GString *
random_steps(GRand *rand, const CsScoring *scoring)
{
    GString *steps = g_string_new(NULL);
    const int most = 1 << g_rand_int_range(rand, 0, 6), count = g_rand_int_range(rand, 1, LONGEST);
    for (int k = 0; k < count; k++) {
        const char step = "====XXRC"[g_rand_int_range(rand, 0, 8)];
        const int length = g_rand_int_range(rand, 1, most + 1);
        for (int l = 0; l < length; l++)
            g_string_append_c(steps, step);
    }
    keep_best(steps, scoring);
    return steps;
}

static void
add_bases(GRand *rand, char step, GString *rows, GString *columns)
{
    const int base = g_rand_int_range(rand, 0, 4);
    const int other = (base + g_rand_int_range(rand, 1, 4)) % 4;
    if (step != 'C')
        g_string_append_c(rows, "ACGT"[base]);
    if (step != 'R')
        g_string_append_c(columns, "ACGT"[step == 'X' ? other : base]);
}

/* FALSE where the random columns hold no alignment. */
static gboolean
trial_init(Trial *trial, GRand *rand)
{
    static const CsScoring scorings[] = {{1, 3, 3, 2}, {1, 1, 0, 1},  {2, 1, 1, 1},
                                         {1, 0, 0, 0}, {5, 4, 10, 0}, {1, 2, 2, 2}};
    g_autoptr(GString) rows = g_string_new("ACG"), columns = g_string_new("T");
    *trial = (Trial){.scoring = scorings[g_rand_int_range(rand, 0, G_N_ELEMENTS(scorings))],
                     .scores = g_array_new(FALSE, FALSE, sizeof(gint64))};
    trial->steps = random_steps(rand, &trial->scoring);
    gint64 score = 0;
    g_array_append_val(trial->scores, score);
    for (gsize k = 0; k < trial->steps->len; k++) {
        add_bases(rand, trial->steps->str[k], rows, columns);
        score += step_score(trial->steps, &trial->scoring, k);
        g_array_append_val(trial->scores, score);
    }
    trial->rows = cs_sequence_new("rows", rows->str, -1, NULL);
    trial->columns = cs_sequence_new("columns", columns->str, -1, NULL);
    trial->matrix = (CsRectangle){.rows = cs_view_of(trial->rows),
                                  .columns = cs_view_of(trial->columns),
                                  .scoring = trial->scoring};
    cs_path_init(&trial->path, (gint64)rows->len, (gint64)columns->len);
    for (gsize k = trial->steps->len; k-- > 0;) {
        const char step = trial->steps->str[k];
        const CsPathKind kind = step == 'R'   ? CS_PATH_ROWS
                                : step == 'C' ? CS_PATH_COLUMNS
                                              : CS_PATH_PAIRS;
        g_assert_true(cs_path_step_back(&trial->path, kind, 1, NULL));
    }
    cs_path_turn(&trial->path);
    return trial->steps->len > 0;
}

static void
trial_clear(Trial *trial)
{
    g_string_free(trial->steps, TRUE);
    cs_sequence_unref(trial->rows);
    cs_sequence_unref(trial->columns);
    cs_path_clear(&trial->path);
    g_array_unref(trial->scores);
}

static gboolean
ends_piece(const Trial *trial, guint p, gint64 limit)
{
    const guint n = trial->scores->len - 1;
    const gint64 c = score_at(trial, p);
    guint q = p;
    while (q < n && score_at(trial, q) <= c && c - score_at(trial, q) <= limit)
        q++;
    if (p < n && c - score_at(trial, q) <= limit)
        return FALSE;
    for (q = p; q > 0 && c - score_at(trial, q) <= limit; q--)
        if (score_at(trial, q - 1) >= c)
            return FALSE;
    return TRUE;
}

static gboolean
begins_piece(const Trial *trial, guint p, gint64 limit)
{
    const guint n = trial->scores->len - 1;
    const gint64 c = score_at(trial, p);
    guint q = p;
    while (q > 0 && score_at(trial, q) >= c && score_at(trial, q) - c <= limit)
        q--;
    if (p > 0 && score_at(trial, q) - c <= limit)
        return FALSE;
    for (q = p; q < n && score_at(trial, q) - c <= limit; q++)
        if (score_at(trial, q + 1) <= c)
            return FALSE;
    return TRUE;
}

/* So many columns of the path. */
static guint
columns_before(const Trial *trial, const CsPlace *place)
{
    guint p = (guint)place->done;
    for (gsize k = 0; k < place->run; k++)
        p += (guint)cs_path_length(&trial->path, k);
    return p;
}

static void
check_place(const Trial *trial, const CsPlace *place, guint wanted)
{
    gint64 i = trial->path.i0, j = trial->path.j0;
    for (guint k = 0; k < wanted; k++) {
        i += trial->steps->str[k] != 'C';
        j += trial->steps->str[k] != 'R';
    }
    g_assert_cmpuint(columns_before(trial, place), ==, wanted);
    g_assert_cmpint(place->score, ==, score_at(trial, wanted));
    g_assert_cmpint(place->i, ==, i);
    g_assert_cmpint(place->j, ==, j);
}

/* A piece is an alignment of its own, of the same columns. */
static void
check_cut(const Trial *trial, const CsPiece *piece, gint64 limit, gboolean alone)
{
    g_autoptr(GError) error = NULL;
    g_auto(CsPath) part = {0};
    const guint from = columns_before(trial, &piece->from), to = columns_before(trial, &piece->to);
    const CsScore score = piece->to.score - piece->from.score;
    gint64 highest = score_at(trial, from);
    g_assert_true(cs_pieces_cut(&trial->path, piece, &part, &error));
    g_assert_true(cs_path_check(&part, &trial->matrix, score, &error));
    g_assert_cmpint(part.i0, ==, piece->from.i);
    g_assert_cmpint(part.j0, ==, piece->from.j);
    g_assert_true(trial->steps->str[from] == '=' && trial->steps->str[to - 1] == '=');
    g_assert_true(alone || score > limit);
    for (guint p = from; p <= to; p++) {
        highest = MAX(highest, score_at(trial, p));
        g_assert_cmpint(highest - score_at(trial, p), <=, limit);
    }
}

static void
check_limit(const Trial *trial, gint64 limit)
{
    g_autoptr(GArray) pieces = cs_pieces_find(&trial->path, &trial->matrix, limit);
    const guint n = trial->scores->len - 1;
    guint k = 0;
    gboolean within = FALSE;
    for (guint p = 0; p <= n; p++) {
        if (ends_piece(trial, p, limit)) {
            g_assert_true(within && k < pieces->len);
            check_place(trial, &g_array_index(pieces, CsPiece, k).to, p);
            within = FALSE;
            k++;
        }
        if (begins_piece(trial, p, limit)) {
            g_assert_true(!within && k < pieces->len);
            check_place(trial, &g_array_index(pieces, CsPiece, k).from, p);
            within = TRUE;
        }
    }
    g_assert_cmpuint(k, ==, pieces->len);
    g_assert_false(within);
    for (k = 0; k < pieces->len; k++)
        check_cut(trial, &g_array_index(pieces, CsPiece, k), limit, pieces->len == 1);
    check_place(trial, &g_array_index(pieces, CsPiece, 0).from, 0);
    check_place(trial, &g_array_index(pieces, CsPiece, pieces->len - 1).to, n);
}

static void
test_random(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    guint several = 0;
    for (guint k = 0; k < case_count(20000); k++) {
        Trial trial;
        if (trial_init(&trial, rand)) {
            const gint64 limits[] = {0, 1, g_rand_int_range(rand, 0, 100),
                                     score_at(&trial, trial.scores->len - 1)};
            for (guint l = 0; l < G_N_ELEMENTS(limits); l++)
                check_limit(&trial, limits[l]);
            g_autoptr(GArray) pieces = cs_pieces_find(&trial.path, &trial.matrix, limits[2]);
            several += pieces->len > 1;
        }
        trial_clear(&trial);
    }
    g_test_message("%u paths cut", several);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pieces/random", test_random);
    return g_test_run();
}
