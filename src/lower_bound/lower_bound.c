/*
 * The score of a real alignment, from seeds, a chain and a sweep of the corridor around it.
 *
 * The corridor is cut into sections, which threads sweep at the same time. A cut goes through the
 * middle of a long seed of the chain, where an alignment near the chain is likely to pass. A
 * section has the rows and columns between two cuts:
 *
 *     +------+            Zeros enter the first section. Each other section gets a high H at its
 *     | 0    |            corner, which is the cut (corridor_sweep.h). `through` is H at the next
 *     +------+-----+      cut minus the high H: the worth of the best path from cut to cut. `head`
 *            | 1   |      is the best H minus the high H: what the best alignment gains that ends
 *            +-----+---+  inside. The lower bound is the highest sum of consecutive `through`s and
 *                  | 2 |  a `head`.
 *
 * The kernels are fastest if the best H is not wanted. So only the last section has a `head` at
 * once, and then each where a match for every row or column might make the lower bound higher.
 *
 * The high H is a match for each row or column of the section, plus the cost of a gap over all of
 * them. A path that reaches the next cut without having come through the corner scores at most a
 * match for each. So it counts as no more than that gap, which is a real path, too.
 *
 * Then bypasses are tried (bypasses.h). Sections in a row are replaced by one between the same cuts,
 * with a corridor past a piece of the chain, if that makes the lower bound higher.
 */
#include <string.h>

#include <chromosweep/error.h>

#include "lower_bound/bypasses.h"
#include "lower_bound/chain.h"
#include "lower_bound/corridor_sweep.h"
#include "lower_bound/kept_sections.h"
#include "lower_bound/kept_seeds.h"
#include "lower_bound/lower_bound.h"
#include "sweep/grid.h"
#include "system/parallel.h"
#include "system/stop.h"

enum {
    MARGIN = 384, /* columns on either side of the chain */
    /* Sections in short pairs, so that each thread has several; but not too short or too long ones. */
    SECTIONS = 128,
    LEAST_ROWS = 1 << 14,
    MOST_ROWS = 1 << 16,
    JUMP = 1 << 20, /* rows or columns between two seeds that make a section of their own */
    /* All bypasses take at most so many cells per row and column of the matrix, and so many more. */
    BYPASSES = 512,
    BYPASSES_MORE = 1 << 28,
    MOST_BYPASSED = JUMP + 4 * MOST_ROWS, /* rows of a section with a bypass */
};

/* A section with more columns is not swept. It is a million bases or more without a seed, and a gap over
 * all of it is hardly worse than the best path through it. */
#define MOST_COLUMNS (1 << 22)

/* A bypass is tried if it is likely to gain more than this share of the lower bound. */
#define LEAST_GAIN 0x1p-11

/* The highest costs for which sections are cut, so that no sum can overflow. */
#define MOST_COST 0x1p59

typedef CsCorridorSection Section;

/* The corridor's sweep. */
typedef struct {
    const CsSurvey *survey;
    CsCorridor *corridor;
    GArray *sections;
    gint64 section_rows; /* about half of those of a section, unless a long stretch has no seed */
    CsKeptSections kept;
    gboolean *is_wide; /* of each section: all threads share it */
} Walk;

/* About half of the rows of a section. */
static gint64
section_rows_of(gint64 m)
{
    return CLAMP(m / SECTIONS, LEAST_ROWS, MOST_ROWS);
}

static gboolean
is_empty(const Section *section)
{
    return section->columns > MOST_COLUMNS;
}

static gboolean
sweep_section(const Walk *walk, guint threads, Section *section, GError **error)
{
    const CsSurvey *survey = walk->survey;
    if (is_empty(section)) {
        section->best = section->high;
        section->exit =
            section->high > 0 ? survey->scoring.match * MIN(section->rows, section->columns) : 0;
        return TRUE;
    }
    return cs_corridor_sweep(walk->corridor, survey, threads, section, error);
}

static void
sweep_once(Walk *walk, gint64 k, guint threads)
{
    Section *section = &g_array_index(walk->sections, Section, k);
    if (!section->done && sweep_section(walk, threads, section, &section->failure))
        cs_kept_sections_add(&walk->kept, k);
}

/* A CsParallelFunc. */
static void
sweep_task(gint64 k, gpointer data)
{
    Walk *walk = data;
    if (!walk->is_wide[k])
        sweep_once(walk, k, 1);
}

static double
cells_of(const CsCorridor *corridor, const Section *section)
{
    return cs_corridor_cells(corridor, section->row, section->row + section->rows);
}

/* Sweeps all sections: on all threads those in which one alone would be busy for longer than the others
 * with the rest, then those, each on one thread. */
static void
sweep_all(Walk *walk)
{
    const guint count = walk->sections->len, threads = walk->survey->threads;
    g_autofree gboolean *is_wide = walk->is_wide = g_new0(gboolean, count);
    g_autofree double *cells = g_new(double, count);
    double all = 0;
    for (guint k = 0; k < count; k++)
        all += cells[k] = cells_of(walk->corridor, &g_array_index(walk->sections, Section, k));
    for (guint k = 0; k < count; k++) {
        walk->is_wide[k] = threads > 1 && cells[k] * threads >= all;
        if (is_wide[k] && !cs_is_stopped(walk->survey->stop))
            sweep_once(walk, k, threads);
    }
    (void)cs_parallel_run(count, threads, walk->survey->stop, sweep_task, walk);
    walk->is_wide = NULL;
}

/* The high H that enters a section, unless it is the first one. */
static CsScore
high_of(const CsScoring *scoring, gint64 rows, gint64 columns)
{
    return scoring->match * MIN(rows, columns) + 2 * scoring->gap_open +
           scoring->gap_extend * (rows + columns);
}

/* A section goes from a cut, or the start of the corridor, to the next cut, or its end. */
static void
append_section(Walk *walk, gint64 row, gint64 column, gint64 end_row, gint64 end_column)
{
    Section section = {
        .row = row, .rows = end_row - row, .column = column, .columns = end_column - column};
    if (section.rows <= 0 || section.columns <= 0)
        return;
    if (walk->sections->len > 0)
        section.high = high_of(&walk->survey->scoring, section.rows, section.columns);
    g_array_append_val(walk->sections, section);
}

/* Where the next section starts. */
typedef struct {
    gint64 row, column;
} Cut;

/* Ends a section at a base of a seed. */
static void
cut_at(Walk *walk, Cut *last, const CsSeed *seed, gint64 base)
{
    const Cut cut = {seed->row + base, seed->column + base};
    append_section(walk, last->row, last->column, cut.row, cut.column);
    *last = cut;
}

/* Cuts a seed that is as long as several sections inside. Returns whether it did. */
static gboolean
cut_long_seed(Walk *walk, Cut *last, const CsSeed *seed)
{
    const gint64 edge = walk->section_rows / 4;
    gint64 base = MAX(edge, last->row + walk->section_rows - seed->row);
    const gboolean cuts = base + edge <= seed->length;
    for (; base + edge <= seed->length; base += walk->section_rows)
        cut_at(walk, last, seed, base);
    return cuts;
}

/* After section_rows rows without a cut, cuts at the longest seed of the next section_rows rows.
 * Also cuts before and after each jump. */
static void
cut_chain(Walk *walk, Cut *last, const CsSeed *chain, gint64 length)
{
    const CsSeed *longest = NULL;
    for (gint64 k = 0; k < length; k++) {
        const CsSeed *seed = &chain[k];
        const gint64 half = seed->length / 2;
        if (longest != NULL && seed->row + half >= last->row + 2 * walk->section_rows) {
            cut_at(walk, last, longest, longest->length / 2);
            longest = NULL;
        }
        if (k > 0 && (seed->row - seed[-1].row - seed[-1].length > JUMP ||
                      seed->column - seed[-1].column - seed[-1].length > JUMP)) {
            if (seed[-1].row + seed[-1].length / 2 > last->row)
                cut_at(walk, last, &seed[-1], seed[-1].length / 2);
            cut_at(walk, last, seed, half);
            longest = NULL;
        }
        if (cut_long_seed(walk, last, seed))
            longest = NULL;
        else if (seed->row + half >= last->row + walk->section_rows &&
                 (longest == NULL || seed->length > longest->length))
            longest = seed;
    }
}

static void
cut_sections(Walk *walk, const CsSeed *chain, gint64 length)
{
    const gint64 m = walk->survey->rows.length, n = walk->survey->columns.length;
    const CsScoring *scoring = &walk->survey->scoring;
    const gint64 end = MIN(walk->corridor->end * CS_CORRIDOR_LINE, m);
    const gint64 row = walk->corridor->first * CS_CORRIDOR_LINE;
    Cut last = {row, cs_corridor_columns(walk->corridor, row, end).from};
    if ((double)scoring->match * (double)MIN(m, n) + 2 * (double)scoring->gap_open +
            (double)scoring->gap_extend * ((double)m + (double)n) <
        MOST_COST)
        cut_chain(walk, &last, chain, length);
    append_section(walk, last.row, last.column, end,
                   cs_corridor_columns(walk->corridor, last.row, end).to);
}

/* The highest sum of consecutive `through`s and a `head`. *from is the section where it starts. */
static CsScore
join_sections(const GArray *sections, guint *from)
{
    const Section *first = &g_array_index(sections, Section, 0);
    CsScore best = first->best, so_far = first->exit;
    guint begin = *from = 0;
    for (guint k = 1; k < sections->len; k++) {
        const Section *section = &g_array_index(sections, Section, k);
        if (so_far + section->best - section->high > best) {
            best = so_far + section->best - section->high;
            *from = begin;
        }
        so_far += section->exit - section->high;
        if (so_far < 0) {
            so_far = 0;
            begin = k + 1;
        }
    }
    return best;
}

/* The section whose best H, not looked for yet, might make the lower bound highest; or NULL. */
static Section *
most_promising(const GArray *sections, CsScore match, CsScore bound)
{
    CsScore highest = bound, so_far = 0;
    Section *found = NULL;
    for (guint k = 0; k < sections->len; k++) {
        Section *section = &g_array_index(sections, Section, k);
        const CsScore most = so_far + match * MIN(section->rows, section->columns);
        if (!section->ends && !is_empty(section) && most > highest) {
            highest = most;
            found = section;
        }
        so_far = MAX(0, so_far + section->exit - section->high);
    }
    return found;
}

/* Looks for the best H of all sections where it matters. *from is the section where the alignment
 * begins. */
static gboolean
find_end(Walk *walk, CsLowerBound *bound, guint *from, GError **error)
{
    Section *section;
    bound->score = join_sections(walk->sections, from);
    while ((section = most_promising(walk->sections, walk->survey->scoring.match, bound->score)) !=
           NULL) {
        const gint64 before = section->cells_computed;
        section->ends = TRUE;
        if (!sweep_section(walk, walk->survey->threads, section, error))
            return FALSE;
        bound->cells_computed += section->cells_computed - before;
        bound->score = join_sections(walk->sections, from);
    }
    return TRUE;
}

static gboolean
fail_if_stopped(const gint *stop, GError **error)
{
    if (!cs_is_stopped(stop))
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "stopped while computing the corridor");
    return FALSE;
}

/* The scores at the cuts below section `from`, where the alignment scores `before` when it comes
 * in. */
static void
note_cuts(CsLowerBoundSearch *search, const GArray *sections, guint from, CsScore before)
{
    CsScore so_far = before;
    search->cuts = g_new(CsLowerBoundCut, sections->len);
    for (guint k = from; k + 1 < sections->len; k++) {
        const Section *section = &g_array_index(sections, Section, k);
        so_far += section->exit - section->high;
        search->cuts[search->n_cuts++] = (CsLowerBoundCut){section->row + section->rows, so_far};
    }
}

/* The seeds of a chain with a bypass, from that of one cut, or the first one, to that of another, or the
 * last one. *straight is the seed after the bypass. */
static CsSeed *
bypassing_chain(const CsLowerBoundSearch *search, const CsBypass *bypass, gint64 from_row,
                gint64 end_row, gint64 *length, gint64 *straight)
{
    gint64 from = bypass->before, end = bypass->after;
    while (from > 0 && search->chain[from].row > from_row)
        from--;
    while (end + 1 < search->bound.chain && search->chain[end + 1].row < end_row)
        end++;
    const gint64 before = bypass->before + 1 - from, after = end + 1 - bypass->after;
    CsSeed *chain = g_new(CsSeed, before + after);
    memcpy(chain, &search->chain[from], (gsize)before * sizeof *chain);
    memcpy(&chain[before], &search->chain[bypass->after], (gsize)after * sizeof *chain);
    *length = before + after;
    *straight = before;
    return chain;
}

/* The sections that a bypass replaces, from .. end - 1: from the last cut before it to the first one after
 * it. */
static void
find_bypassed(const GArray *sections, const CsSeed *chain, const CsBypass *bypass, guint *from,
              guint *end)
{
    const CsSeed *before = &chain[bypass->before], *after = &chain[bypass->after];
    guint k = 1;
    while (k < sections->len &&
           g_array_index(sections, Section, k).row <= before->row + before->length)
        k++;
    *from = k - 1;
    while (k < sections->len && g_array_index(sections, Section, k).row < after->row)
        k++;
    *end = k;
}

/* Takes over the lines of a section of another corridor. */
static void
take_lines(CsCorridor *corridor, const CsCorridor *from, const Section *section)
{
    const gint64 end = section->row + section->rows;
    for (gint64 k = section->row / CS_CORRIDOR_LINE; k * CS_CORRIDOR_LINE < end; k++) {
        CsCorridorLine *line = &corridor->lines[k];
        const CsCorridorLine more = from->lines[k];
        const gboolean whole =
            k * CS_CORRIDOR_LINE >= section->row && (k + 1) * CS_CORRIDOR_LINE <= end;
        if (whole || line->to == 0)
            *line = more;
        else if (more.to > 0)
            *line = (CsCorridorLine){MIN(line->from, more.from), MAX(line->to, more.to)};
    }
}

/* Replaces sections by another one if the lower bound is higher then. */
static gboolean
replace_sections(GArray *sections, guint from, guint end, const Section *section)
{
    guint start;
    const CsScore before = join_sections(sections, &start);
    g_autofree Section *replaced =
        g_memdup2(&g_array_index(sections, Section, from), (end - from) * sizeof *replaced);
    g_array_remove_range(sections, from, end - from);
    g_array_insert_vals(sections, from, section, 1);
    if (join_sections(sections, &start) > before)
        return TRUE;
    g_array_remove_range(sections, from, 1);
    g_array_insert_vals(sections, from, replaced, end - from);
    return FALSE;
}

/* Tries a bypass, if it takes no more than so many cells, which are subtracted. */
static gboolean
try_bypass(Walk *walk, CsLowerBoundSearch *search, const CsBypass *bypass, double *most_cells,
           gboolean *is_taken, GError **error)
{
    const CsSurvey *survey = walk->survey;
    guint from, end;
    find_bypassed(walk->sections, search->chain, bypass, &from, &end);
    const Section *first = &g_array_index(walk->sections, Section, from);
    const Section *last = &g_array_index(walk->sections, Section, end - 1);
    Section section = {.row = first->row,
                       .rows = last->row + last->rows - first->row,
                       .column = first->column,
                       .columns = last->column + last->columns - first->column,
                       .ends = last->ends,
                       .done = TRUE};
    if (is_empty(&section) || section.rows > MOST_BYPASSED)
        return TRUE;
    if (from > 0)
        section.high = high_of(&survey->scoring, section.rows, section.columns);
    gint64 length, straight;
    g_autofree CsSeed *chain = bypassing_chain(search, bypass, section.row,
                                               section.row + section.rows, &length, &straight);
    g_auto(CsCorridor) corridor = {0};
    if (!cs_corridor_init(&corridor, survey->rows.length, survey->columns.length, chain, length,
                          straight, MARGIN, error))
        return FALSE;
    const double cells = cells_of(&corridor, &section);
    if (cells > *most_cells)
        return TRUE;
    *most_cells -= cells;
    if (!cs_corridor_sweep(&corridor, survey, survey->threads, &section, error))
        return FALSE;
    search->bound.cells_computed += section.cells_computed;
    *is_taken = replace_sections(walk->sections, from, end, &section);
    if (*is_taken)
        take_lines(walk->corridor, &corridor, &section);
    return TRUE;
}

/* Whether a bypass shares some steps with one that is taken, but not all of them. */
static gboolean
is_crossed(const GArray *taken, const CsBypass *bypass)
{
    for (guint k = 0; k < taken->len; k++) {
        const CsBypass *other = &g_array_index(taken, CsBypass, k);
        if (bypass->before < other->after && other->before < bypass->after &&
            (bypass->before > other->before || bypass->after < other->after))
            return TRUE;
    }
    return FALSE;
}

/* Takes the bypasses that make the lower bound higher. */
static gboolean
take_bypasses(Walk *walk, CsLowerBoundSearch *search, GError **error)
{
    guint from;
    const CsSurvey *survey = walk->survey;
    double most_cells =
        (double)BYPASSES * ((double)survey->rows.length + (double)survey->columns.length) +
        BYPASSES_MORE;
    const double least = (double)join_sections(walk->sections, &from) * LEAST_GAIN;
    g_autoptr(GArray) taken = g_array_new(FALSE, FALSE, sizeof(CsBypass));
    g_autoptr(GArray) bypasses =
        cs_bypasses_find(survey, search->chain, search->bound.chain, least);
    for (guint k = 0; k < bypasses->len; k++) {
        const CsBypass *bypass = &g_array_index(bypasses, CsBypass, k);
        gboolean is_taken = FALSE;
        if (is_crossed(taken, bypass))
            continue;
        if (!try_bypass(walk, search, bypass, &most_cells, &is_taken, error))
            return FALSE;
        if (is_taken)
            g_array_append_vals(taken, bypass, 1);
    }
    return TRUE;
}

static gboolean
sweep_sections(Walk *walk, CsLowerBoundSearch *search, GError **error)
{
    CsLowerBound *bound = &search->bound;
    const CsSurvey *survey = walk->survey;
    const guint count = walk->sections->len;
    const gint *stop = survey->stop;
    guint from;
    g_array_index(walk->sections, Section, count - 1).ends = TRUE;
    bound->cells_kept =
        cs_kept_sections_begin(&walk->kept, survey->keep, walk->sections, survey->scoring.match);
    bound->cells_computed = -bound->cells_kept;
    sweep_all(walk);
    cs_kept_sections_end(&walk->kept);
    for (guint k = 0; k < count; k++) {
        Section *section = &g_array_index(walk->sections, Section, k);
        bound->cells_computed += section->cells_computed;
        if (section->failure == NULL)
            continue;
        g_propagate_error(error, g_steal_pointer(&section->failure));
        return FALSE;
    }
    if (!fail_if_stopped(stop, error) || !take_bypasses(walk, search, error) ||
        !find_end(walk, bound, &from, error) || !fail_if_stopped(stop, error))
        return FALSE;
    if (from == 0) {
        note_cuts(search, walk->sections, 0, 0);
        return TRUE;
    }
    /* It may begin before the cut. */
    Section before = g_array_index(walk->sections, Section, from - 1);
    before.high = before.cells_computed = 0;
    if (!sweep_section(walk, survey->threads, &before, error))
        return FALSE;
    bound->score += before.exit;
    bound->cells_computed += before.cells_computed;
    note_cuts(search, walk->sections, from, before.exit);
    return TRUE;
}

static void
clear_section(gpointer data)
{
    Section *section = data;
    g_clear_error(&section->failure);
}

/* Sweeps the corridor around the chain. */
static gboolean
sweep_corridor(CsLowerBoundSearch *search, const CsSurvey *survey, GError **error)
{
    CsLowerBound *bound = &search->bound;
    const gint64 m = survey->rows.length, n = survey->columns.length;
    g_auto(CsCorridor) corridor = {0};
    if (!cs_corridor_init(&corridor, m, n, search->chain, bound->chain, 0, MARGIN, error))
        return FALSE;
    Walk walk = {.survey = survey,
                 .corridor = &corridor,
                 .sections = g_array_new(FALSE, FALSE, sizeof(Section)),
                 .section_rows = section_rows_of(m)};
    g_array_set_clear_func(walk.sections, clear_section);
    cut_sections(&walk, search->chain, bound->chain);
    const gboolean success = walk.sections->len == 0 || sweep_sections(&walk, search, error);
    g_array_unref(walk.sections);
    g_assert(bound->score >= 0 && bound->score <= survey->scoring.match * MIN(m, n));
    return success;
}

/* The seconds since *time, which is then set to now. */
static double
seconds_since(gint64 *time)
{
    const gint64 before = *time;
    *time = g_get_monotonic_time();
    return (double)(*time - before) / G_USEC_PER_SEC;
}

void
cs_lower_bound_search_clear(CsLowerBoundSearch *search)
{
    g_clear_pointer(&search->seeds, g_free);
    g_clear_pointer(&search->chain, g_free);
    g_clear_pointer(&search->cuts, g_free);
}

/* The index holds the columns forwards, for either strand. */
static CsView
forward_columns(const CsView *columns)
{
    CsView view = *columns;
    view.reversed = FALSE;
    view.complement = !columns->complement != !columns->reversed;
    return view;
}

gboolean
cs_lower_bound_load(CsLowerBound *bound, const CsSurvey *survey)
{
    const CsScore most = survey->scoring.match * MIN(survey->rows.length, survey->columns.length);
    gint64 count;
    g_autofree gint64 *found = cs_keep_load(survey->keep, "score", &count);
    if (found == NULL || count != 2 || found[0] < 0 || found[0] > most || found[1] < 0)
        return FALSE;
    *bound = (CsLowerBound){.score = found[0], .cells_kept = found[1]};
    return TRUE;
}

CsLowerBoundCut *
cs_lower_bound_load_cuts(const CsSurvey *survey, gint64 *length)
{
    gint64 count = 0, before = 0;
    const gint64 m = survey->rows.length, n = survey->columns.length;
    g_autofree gint64 *found = cs_keep_load(survey->keep, "cuts", &count);
    g_autofree CsLowerBoundCut *cuts = g_new(CsLowerBoundCut, MAX(1, count / 2));
    *length = 0;
    for (gint64 k = 0; found != NULL && k < count / 2; k++) {
        const CsLowerBoundCut cut = {found[2 * k], found[2 * k + 1]};
        if (cut.row < before || cut.row > m || cut.score < 0 ||
            cut.score > survey->scoring.match * MIN(m, n))
            return NULL;
        cuts[k] = cut;
        before = cut.row;
    }
    *length = found != NULL ? count / 2 : 0;
    return *length > 0 ? g_steal_pointer(&cuts) : NULL;
}

CsSeed *
cs_lower_bound_load_chain(const CsSurvey *survey, gint64 *length)
{
    gint64 bases;
    return cs_kept_seeds_load(survey, "chain", TRUE, length, &bases);
}

gboolean
cs_lower_bound_find_seeds(CsLowerBoundSearch *search, const CsSurvey *survey, CsSeedsIndex **index,
                          GError **error)
{
    const CsView *rows = &survey->rows, *columns = &survey->columns;
    gint64 time = g_get_monotonic_time();
    search->chain = cs_kept_seeds_load(survey, "chain", TRUE, &search->bound.chain, &search->bases);
    if (search->chain == NULL)
        search->seeds =
            cs_kept_seeds_load(survey, "seeds", FALSE, &search->bound.seeds, &search->bases);
    if (search->chain != NULL || search->seeds != NULL)
        return TRUE;
    if (*index == NULL) {
        const CsView forward = forward_columns(columns);
        const CsSeedsRule rule = cs_seeds_rule(rows->length, columns->length);
        *index = cs_seeds_index_new(&forward, &rule, survey->threads, survey->stop, error);
    }
    if (*index == NULL)
        return FALSE;
    search->seeds = cs_seeds_look_up(*index, rows, columns->reversed, survey->threads, survey->stop,
                                     &search->bound.seeds, error);
    search->bound.seconds_seeds = seconds_since(&time);
    if (search->seeds == NULL)
        return FALSE;
    cs_kept_seeds_save(survey->keep, "seeds", search->seeds, search->bound.seeds, 0);
    return TRUE;
}

gboolean
cs_lower_bound_find_chain(CsLowerBoundSearch *search, const CsSurvey *survey, GError **error)
{
    gint64 time = g_get_monotonic_time();
    const CsChainCosts costs = cs_chain_costs(&survey->scoring);
    gint64 worth;
    if (search->chain != NULL) /* it was kept */
        return TRUE;
    search->chain = cs_chain_find(search->seeds, search->bound.seeds, &costs, survey->threads,
                                  survey->stop, &search->bound.chain, &worth, error);
    search->bound.seconds_chain = seconds_since(&time);
    if (search->chain == NULL)
        return FALSE;
    g_clear_pointer(&search->seeds, g_free);
    search->bases = worth / CS_CHAIN_BASE;
    cs_kept_seeds_save(survey->keep, "chain", search->chain, search->bound.chain, search->bases);
    cs_keep_drop(survey->keep, "seeds");
    return TRUE;
}

static void
keep_cuts(const CsLowerBoundSearch *search, const CsKeep *keep)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (gint64 k = 0; k < search->n_cuts; k++) {
        const gint64 cut[] = {search->cuts[k].row, search->cuts[k].score};
        g_array_append_vals(numbers, cut, G_N_ELEMENTS(cut));
    }
    if (numbers->len > 0)
        cs_keep_save(keep, "cuts", (const gint64 *)(gpointer)numbers->data, (gint64)numbers->len);
}

gboolean
cs_lower_bound_sweep(CsLowerBoundSearch *search, const CsSurvey *survey, GError **error)
{
    gint64 time = g_get_monotonic_time();
    if (search->bound.chain > 0 && !sweep_corridor(search, survey, error))
        return FALSE;
    search->bound.seconds_corridor = seconds_since(&time);
    const gint64 found[] = {search->bound.score,
                            search->bound.cells_kept + search->bound.cells_computed};
    keep_cuts(search, survey->keep);
    cs_keep_save(survey->keep, "score", found, G_N_ELEMENTS(found));
    cs_keep_drop(survey->keep, "pieces");
    return TRUE;
}

guint64
cs_lower_bound_memory(gint64 m, gint64 n, guint threads)
{
    gint64 seeds;
    const guint64 finding = cs_seeds_memory(m, n, threads, &seeds);
    const guint64 chaining = (guint64)seeds * sizeof(CsSeed) + cs_chain_memory(seeds);
    const guint64 lines = (guint64)cs_divide_up(m, CS_CORRIDOR_LINE) * sizeof(CsCorridorLine);
    /* For the sections in progress, of which no two share a row or a column. */
    const guint64 rows = MIN((guint64)m, (guint64)threads * MOST_BYPASSED);
    const guint64 columns = MIN((guint64)n, (guint64)threads * MOST_COLUMNS);
    const guint64 sweeping = 2 * (guint64)seeds * sizeof(CsSeed) + 2 * lines +
                             cs_corridor_sweep_memory((gint64)columns, (gint64)rows, threads) +
                             (guint64)(m / section_rows_of(m) + 1) * 4 * sizeof(Section);
    /* The index may be kept for the other strand. */
    return MAX(finding, cs_seeds_index_memory(m, n) + MAX(chaining, sweeping));
}
