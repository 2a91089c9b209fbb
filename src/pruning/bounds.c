/*
 * Upper bounds on what an alignment can still gain, from absent words and ambiguous letters.
 *
 * For one side at a time: absent_words.c marks where absent words end, of which disjoint ones are
 * chosen, and one step back over the marks a letter gives the bound after each letter. Only the
 * highest of each few letters is kept, at most MOST_KEPT values a side.
 */
#include <string.h>

#include <chromosweep/error.h>

#include "pruning/absent_words.h"
#include "pruning/bounds.h"
#include "pruning/bounds_rule.h"
#include "pruning/bounds_walk.h"

enum {
    SHORTER = 3, /* words are so much shorter ... */
    LONGER = 3,  /* ... and longer than log4 of the letters they are sought in */
    MOST_KEPT = 1 << 22,
};

/* As scoring.c has it: match * letters must stay below. */
#define LIMIT (G_MAXINT64 / 4)

static guint
log4_of(gint64 letters)
{
    guint log = 0;
    while (letters >= 4) {
        letters /= 4;
        log++;
    }
    return log;
}

/* So that at most MOST_KEPT values are kept, and one more. */
static guint
shift_of(gint64 length)
{
    guint shift = 0;
    while (length >> shift >= MOST_KEPT)
        shift++;
    return shift;
}

/* docs/algorithm.md proves the weights. */
CsBoundsRule
cs_bounds_rule(const CsScoring *scoring, gint64 length, gint64 other)
{
    const CsScore pair = scoring->match + scoring->mismatch;
    const CsScore deleted = scoring->match + scoring->gap_extend;
    CsBoundsRule rule = {.shift = shift_of(length)};
    if (length >= LIMIT / scoring->match) /* the sums could overflow */
        return rule;
    const guint log = log4_of(other);
    rule.shortest = MAX(log, SHORTER + 2) - SHORTER;
    rule.longest = MIN(log + LONGER, CS_ABSENT_LONGEST);
    rule.ambiguous = MIN(pair, deleted);
    rule.word = MIN(pair, cs_scoring_first_gap(scoring));
    rule.word = MIN(rule.word, deleted + scoring->gap_open / 2);
    rule.word = MIN(rule.word, deleted * rule.shortest);
    return rule;
}

/* Of the absent words takes the one that ends first, then goes on after it; others lose their mark.
 */
static void
choose_words(guint8 *marks, gint64 length, guint shortest)
{
    gint64 free_from = 0;
    for (gint64 k = 0; k < length; k++) {
        if ((k & 1) == 0 && marks[k >> 1] == 0) {
            k++;
            continue;
        }
        guint mark = cs_marks_get(marks, k);
        if (mark == CS_MARK_NONE || mark == CS_MARK_AMBIGUOUS)
            continue;
        if (k + 1 - (gint64)(shortest - 1 + mark) >= free_from)
            free_from = k + 1;
        else
            cs_marks_set(marks, k, CS_MARK_NONE);
    }
}

static void
raise_highest(CsBoundsSide *side, gint64 k, CsScore bound, CsScore most)
{
    CsScore *highest = &side->highest[k >> side->shift];
    *highest = MAX(*highest, MIN(bound, most));
}

/* The bound after letter k is that of the best place to stop, from the last letter back. */
static void
count_back(CsBoundsSide *side, const guint8 *marks, const CsScoring *scoring,
           const CsBoundsRule *rule, CsScore most)
{
    const CsScore match = scoring->match;
    CsScore bound = 0;
    for (gint64 k = side->length; k > 0;) {
        guint mark = cs_marks_get(marks, k - 1);
        if (mark == CS_MARK_NONE) {
            bound += match;
            raise_highest(side, --k, bound, most);
        } else if (mark == CS_MARK_AMBIGUOUS) {
            bound = MAX(0, bound + match - rule->ambiguous);
            raise_highest(side, --k, bound, most);
        } else {
            /* An alignment that begins inside the word does not pay for it; one that begins before
             * it may stop inside. */
            const gint64 letters = rule->shortest - 1 + mark;
            for (gint64 l = 1; l < letters; l++)
                raise_highest(side, k - l, bound + match * l, most);
            bound = MAX(match * (letters - 1), bound + match * letters - rule->word);
            raise_highest(side, k -= letters, bound, most);
        }
    }
}

/*
 * No alignment that matters begins before the first letter that can match: so where it is still to
 * come, H is 0 and there is nothing to gain.
 */
static void
clear_before_letters(CsBoundsSide *side, const guint8 *marks)
{
    gint64 before = 0;
    while (before < side->length && cs_marks_get(marks, before) == CS_MARK_AMBIGUOUS)
        before++;
    memset(side->highest, 0, (gsize)(before >> side->shift) * sizeof(CsScore));
}

static void
count_letters(CsBoundsSide *side, CsScore match, gint64 other)
{
    for (gint64 k = 0; k <= side->length; k++)
        raise_highest(side, k, match * MIN(side->length - k, other), G_MAXINT64);
}

/* As cs_bounds_side_init(); works, if there are any, take the marks. */
static gboolean
side_init(CsBoundsSide *side, const CsView *of, const CsView *in, const CsScoring *scoring,
          const CsBoundsRule *rule, guint threads, CsBoundsWork *as_rows, CsBoundsWork *as_columns,
          const gint *stop, GError **error)
{
    CsBoundsSide made = {.length = of->length, .shift = rule->shift};
    g_autofree guint8 *marks = NULL;
    if (rule->word > 0 || rule->ambiguous > 0) {
        guint longest = rule->word > 0 ? rule->longest : 0;
        marks = cs_absent_words_mark(of, in, rule->shortest, longest, threads, stop, error);
        if (marks == NULL)
            return FALSE;
    }
    made.highest = g_try_new0(CsScore, (gsize)(made.length >> made.shift) + 1);
    if (made.highest == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "too little memory for bounds of %" G_GINT64_FORMAT " letters", made.length);
        return FALSE;
    }
    if (marks == NULL) {
        count_letters(&made, scoring->match, in->length);
    } else {
        choose_words(marks, made.length, rule->shortest);
        count_back(&made, marks, scoring, rule, scoring->match * MIN(of->length, in->length));
        clear_before_letters(&made, marks);
        if (as_rows != NULL)
            cs_bounds_work_take_rows(as_rows, marks);
        if (as_columns != NULL)
            cs_bounds_work_take_columns(as_columns, marks);
    }
    *side = made;
    return TRUE;
}

gboolean
cs_bounds_side_init(CsBoundsSide *side, const CsView *of, const CsView *in,
                    const CsScoring *scoring, const CsBoundsRule *rule, guint threads,
                    const gint *stop, GError **error)
{
    return side_init(side, of, in, scoring, rule, threads, NULL, NULL, stop, error);
}

void
cs_bounds_side_clear(CsBoundsSide *side)
{
    g_free(side->highest);
    side->highest = NULL;
}

CsScore
cs_bounds_side_highest(const CsBoundsSide *side, gint64 from, gint64 to)
{
    g_assert(from >= 0 && from <= to && to <= side->length);
    CsScore highest = 0;
    for (gint64 k = from >> side->shift; k <= to >> side->shift; k++)
        highest = MAX(highest, side->highest[k]);
    return highest;
}

/* The table of both sides, from bands of rows and, if that is not NULL, from bands of columns. */
static CsBoundsTable *
make_table(const CsBoundsWork *rows, const CsBoundsWork *columns, const gint *stop, GError **error)
{
    CsBoundsTable *table = cs_bounds_table_new(rows, stop, error);
    if (table == NULL || columns == NULL)
        return table;
    CsBoundsTable *other = cs_bounds_table_new(columns, stop, error);
    if (other == NULL)
        g_clear_pointer(&table, cs_bounds_table_free);
    else
        cs_bounds_table_lower(table, other, columns->plan.n, columns->plan.m);
    cs_bounds_table_free(other);
    return table;
}

CsBounds *
cs_bounds_new_planned(const CsView *rows, const CsView *columns, const CsScoring *scoring,
                      const CsBoundsPlan *plan, const CsBoundsPlan *turned, guint threads,
                      const gint *stop, GError **error)
{
    g_autoptr(CsBounds) bounds = g_new0(CsBounds, 1);
    g_auto(CsBoundsWork) work = {0}, turned_work = {0};
    CsBoundsWork *first = plan != NULL ? &work : NULL; /* a plan has words on both sides */
    CsBoundsWork *second = plan != NULL && turned != NULL ? &turned_work : NULL;
    CsBoundsRule of_rows = cs_bounds_rule(scoring, rows->length, columns->length);
    CsBoundsRule of_columns = cs_bounds_rule(scoring, columns->length, rows->length);
    if (first != NULL)
        cs_bounds_work_init(first, plan);
    if (second != NULL)
        cs_bounds_work_init(second, turned);
    if (!side_init(&bounds->rows, rows, columns, scoring, &of_rows, threads, first, second, stop,
                   error) ||
        !side_init(&bounds->columns, columns, rows, scoring, &of_columns, threads, second, first,
                   stop, error))
        return NULL;
    if (first != NULL) {
        bounds->table = make_table(first, second, stop, error);
        if (bounds->table == NULL)
            return NULL;
    }
    return g_steal_pointer(&bounds);
}

CsBounds *
cs_bounds_new(const CsView *rows, const CsView *columns, const CsScoring *scoring, guint threads,
              const gint *stop, GError **error)
{
    CsBoundsPlan plan, turned;
    const gint64 m = rows->length, n = columns->length;
    gboolean planned =
        cs_bounds_plan_init(&plan, m, n, scoring) && cs_bounds_plan_init(&turned, n, m, scoring);
    return cs_bounds_new_planned(rows, columns, scoring, planned ? &plan : NULL,
                                 planned ? &turned : NULL, threads, stop, error);
}

CsBounds *
cs_bounds_new_of_matches(gint64 m, gint64 n, const CsScoring *scoring, GError **error)
{
    g_autoptr(CsBounds) bounds = g_new0(CsBounds, 1);
    const CsView rows = {.length = m}, columns = {.length = n};
    const CsBoundsRule of_rows = {.shift = shift_of(m)}, of_columns = {.shift = shift_of(n)};
    if (!cs_bounds_side_init(&bounds->rows, &rows, &columns, scoring, &of_rows, 1, NULL, error) ||
        !cs_bounds_side_init(&bounds->columns, &columns, &rows, scoring, &of_columns, 1, NULL,
                             error))
        return NULL;
    return g_steal_pointer(&bounds);
}

void
cs_bounds_free(CsBounds *bounds)
{
    if (bounds == NULL)
        return;
    cs_bounds_side_clear(&bounds->rows);
    cs_bounds_side_clear(&bounds->columns);
    cs_bounds_table_free(bounds->table);
    g_free(bounds);
}

guint64
cs_bounds_memory(gint64 m, gint64 n, guint threads, guint64 *kept)
{
    const CsScoring scoring = CS_SCORING_DEFAULT;
    guint64 of_rows = ((m >> shift_of(m)) + 1) * sizeof(CsScore);
    guint64 of_columns = ((n >> shift_of(n)) + 1) * sizeof(CsScore);
    guint64 first = cs_absent_words_memory(m, cs_bounds_rule(&scoring, m, n).longest, threads);
    guint64 second = cs_absent_words_memory(n, cs_bounds_rule(&scoring, n, m).longest, threads);
    if (kept != NULL)
        *kept = of_rows + of_columns + CS_BOUNDS_TABLE_BYTES;
    return MAX(first, second) + of_rows + of_columns + cs_bounds_walk_memory();
}

CsScore *
cs_bounds_of_rows(const CsBounds *bounds, const CsGrid *grid, gint64 above)
{
    CsScore *of_blocks = g_new(CsScore, grid->block_rows + 1);
    for (gint64 bi = 0; bi < grid->block_rows; bi++)
        of_blocks[bi] = cs_bounds_side_highest(&bounds->rows, above + grid->row_starts[bi],
                                               above + grid->row_starts[bi + 1]);
    return of_blocks;
}

CsScore *
cs_bounds_of_columns(const CsBounds *bounds, const CsGrid *grid, gint64 left)
{
    CsScore *of_blocks = g_new(CsScore, grid->block_columns + 1);
    for (gint64 bj = 0; bj < grid->block_columns; bj++)
        of_blocks[bj] =
            cs_bounds_side_highest(&bounds->columns, left + cs_grid_column_start(grid, bj),
                                   left + cs_grid_column_start(grid, bj + 1));
    return of_blocks;
}
