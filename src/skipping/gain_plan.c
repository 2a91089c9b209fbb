/* Whether gains along diagonals are worth counting, how finely, and along which chain. */
#include <math.h>

#include "lower_bound/corridor.h"
#include "skipping/gain_grid.h"
#include "skipping/gain_width.h"
#include "skipping/gains.h"
#include "sweep/gpu_rate.h"
#include "sweep/grid.h"

enum {
    KMERS = 32,    /* of a band, at first; doubled with the blocks until counting is quick */
    BLOCK = 16,    /* diagonals; no more than k-mers, or paths drift for nothing */
    BLOCK_GPU = 8, /* less drift, where rooms leave so little else that it counts */
    DOUBLINGS = 10,
    PARTS = 512,           /* of the rows, for the estimates */
    MOST_COUNTED = 64,     /* blocks of bands, per base of both sequences */
    MOST_KEPT = 1,         /* entries of the table, likewise */
    LEAST_KMERS = 1 << 16, /* as many as there are bases of both sequences, or more if so many */
    MARGIN = 512,          /* columns of the strip on either side of the chain */
    NEAR = 64,             /* of these, what the best path may need */
    STEP = 384,            /* rows of a step of the strip: whole strips of the vector kernels */
    ALIKE = 6,             /* steps of the same columns: with fewer, more is left to the sweep */
    PIECE = 1024,          /* columns */
    TILE = 512,            /* blocks */
    SECTION = 24576,       /* rows of a section, at least */
    OVERLAP =
        2048, /* and of what it shares with the one below: the best path then stands out among all
                            * paths in the strip */
    LOWER = 128, /* so much less is gained beside a section, it is guessed */
    SECTION_BYTES =
        9,        /* that are kept of each row of a section, at most: lines of the smallest bands */
    LONGER = 8,   /* a section is so many times as long as that */
    LOOK = 32768, /* rows below it where gaps of the chain count */
    CREW = 4,     /* threads: fewer are busy with the strip and the grid */
    BESIDE = 6,   /* times as many diagonals as there would be if no path drifted for less */
    BESIDE_GPU = 3,    /* and where rooms lower the gains around */
    APART = 81920,     /* rows, about, between two lines of a room that are kept */
    ROOM_BYTES = 1,    /* per base of both sequences, that a room may take */
    FAR_ENTRIES = 512, /* of a line, of all diagonals */
    FAR_BASES = 8,     /* of both sequences, per entry of all lines */
};

/* A path off the best one must gain this many times less per base than the best. */
#define CLEARLY 1.05

/* How far below the best path a gain may be and still be kept, as a share of the score. */
#define KEPT_SLACK 0.04

/* Entries are made so coarse that the table takes so much of its room at most. */
#define KEPT_SHARE 0.7

/* Approximate seconds of one thread: per column of the index, per k-mer that is looked up, per
 * occurrence that is found, per block of a band, per cell of a strip and of a sweep; and per band for
 * handing its parts to other threads. */
#define SECONDS_A_COLUMN 1e-8
#define SECONDS_A_KMER 1e-7
#define SECONDS_A_HIT 3e-9
#define SECONDS_A_BLOCK 8e-9
#define SECONDS_A_CELL 3e-11
/* The same where a strip is so wide that its values do not stay in a cache, and all threads share it. */
#define SECONDS_A_WIDE_CELL 1.8e-10
#define SECONDS_A_BAND 5e-5
/* Seconds of one index, per column, for progress only: each thread looks at all columns, and threads share the
 * writing. Measured on one thread (3 to 6 Mb), where both indexes took an eighth of all. */
#define SECONDS_TO_LOOK 3.3e-9
#define SECONDS_TO_INDEX 1.7e-8
/* So many cells of a strip are computed in sections, which overlap. */
#define SECTIONS_SHARE 1.1
/* The chain itself loses some of what k-mers tell. */
#define LEADS 0.4
/* Columns of such a strip; and of one that threads share at all, in pieces. */
#define CACHED 2e6
#define SHARED 8

/* What the sweep saves must be so many times the time of counting; better, so many times. */
#define SURELY 1.3
#define WELL 5.0
#define WELL_GPU 24.0
#define WELL_FAR 200.0 /* all diagonals, coarsely */

/* The most of the saved time that the cells may take by which the strip becomes wider, and the
 * most that rooms may take. A cell of a room takes some times as long as one of a dense sweep of the whole
 * matrix, because rooms are smaller. */
#define ROOM_SHARE 0.5
#define ROOM_SHARE_GPU 0.01
#define SWEPT_SHARE 0.06
#define SWEPT_SECONDS_A_CELL (2 * CS_GPU_SECONDS_A_CELL)
/* At 250 Mb they took a sixth of that, so progress reckons with this. */
#define ROOM_SECONDS_A_CELL (SWEPT_SECONDS_A_CELL / 6)

void
cs_gain_plan_clear(CsGainPlan *plan)
{
    g_clear_pointer(&plan->strip, g_free);
    g_clear_pointer(&plan->chain, g_free);
    g_clear_pointer(&plan->middle, g_free);
    g_clear_pointer(&plan->rooms, g_array_unref);
    g_clear_pointer(&plan->sections, g_array_unref);
    g_clear_pointer(&plan->shared, g_free);
    if (plan->far != NULL)
        cs_gain_plan_clear(plan->far);
    g_clear_pointer(&plan->far, g_free);
}

/*
 * How many diagonals of a row the bounds leave on either side of the best path, on the average: what
 * can be gained beyond the rest of the lower bound, by the price of a way there.
 */
static double
diagonals_left(const CsGainSearch *search)
{
    const CsScoring *scoring = &search->survey->scoring;
    const gint64 m = search->survey->rows.length, n = search->survey->columns.length;
    const double price = (double)(scoring->match + scoring->gap_extend);
    gint64 total = 0, bases = 0, s = 0;
    double sum = 0;
    for (gint64 k = 0; k < search->chain_length; k++)
        total += search->chain[k].length;
    for (gint64 part = 0; part < PARTS; part++) {
        const gint64 row = m * part / PARTS;
        for (; s < search->chain_length && search->chain[s].row <= row; s++)
            bases += search->chain[s].length;
        const double rest =
            (double)search->lower_bound * (1 - (double)bases / (double)MAX(total, 1));
        const CsScore bound = cs_bounds_side_highest(&search->bounds->rows, row, row);
        sum += CLAMP(2 * ((double)bound - rest) / price, 0, (double)n);
    }
    return sum / PARTS;
}

/* Whether the best path gains clearly more per row than one off it, which matches no k-mers. */
static gboolean
stands_out(const CsGainSearch *search, const CsGainRule *rule)
{
    if (search->chain_length == 0)
        return FALSE;
    const CsSeed *first = &search->chain[0], *last = &search->chain[search->chain_length - 1];
    const double rows = (double)(last->row + last->length - first->row);
    return (double)search->lower_bound > CLEARLY * cs_gain_rule_beside(rule) * rows;
}

static CsScore
slack_of(const CsGainSearch *search, const CsGainRule *rule)
{
    return (CsScore)(KEPT_SLACK * (double)(rule->scale * search->lower_bound)) +
           4 * rule->match * rule->band;
}

/* About how many entries of single blocks the table will have. Gains fall on either side of the best path,
 * and so does H. */
static double
entries_of(const CsGainSearch *search, const CsGainRule *rule)
{
    const double diagonals = 2 * (double)slack_of(search, rule) / (double)rule->deleted;
    return (double)search->survey->rows.length / (double)rule->band * diagonals /
           (double)rule->block;
}

/* How many there may be. */
static double
most_entries(const CsGainSearch *search)
{
    return KEPT_SHARE * MOST_KEPT *
           (double)(search->survey->rows.length + search->survey->columns.length);
}

gint64
cs_gain_plan_beside(const CsGainRule *rule, gboolean gpu, CsScore fall)
{
    /* A path may also drift for less while it matches no k-mers anyway. */
    return (gpu ? BESIDE_GPU : BESIDE) * fall / MAX(1, rule->prices[0].inserted);
}

/* The diagonals that are counted on a line, on the average, if all were counted by another rule
 * (or NULL) before. */
static double
width_of(const CsGainSearch *search, const CsGainRule *rule, const CsGainRule *far)
{
    const gint64 most = search->survey->rows.length + search->survey->columns.length;
    double excess = diagonals_left(search) / 2 * (double)rule->deleted;
    if (far != NULL)
        excess =
            CLAMP(rule->scale * (cs_gain_rule_beside(far) * (double)search->survey->rows.length -
                                 (double)search->lower_bound),
                  0, excess);
    const CsScore fall = (CsScore)excess + slack_of(search, rule);
    return (double)MIN(most, 2 * cs_gain_plan_beside(rule, search->gpu, fall));
}

/* Blocks of bands. */
static double
blocks_of(const CsGainRule *rule, double m, double width)
{
    return m / (double)rule->band * (width / (double)rule->block + 1);
}

/* The seconds of the sweep without gains. With them it would take hardly any, but a GPU has to come
 * down all rows. */
static double
seconds_saved(const CsGainSearch *search)
{
    const double rows = (double)search->survey->rows.length;
    const double cells = rows * diagonals_left(search);
    if (search->gpu)
        return MAX(0, cells * CS_GPU_SECONDS_A_CELL - rows * CS_GPU_SECONDS_A_ROW);
    return cells * SECONDS_A_CELL / (double)search->survey->threads;
}

/* By how many columns the strip is wider on either side, so many rows above a line (widened()). */
static double
widening(const CsGainRule *rule, double rows)
{
    const double price = (double)(rule->kmer * (rule->inserted + rule->deleted));
    return rows * (double)rule->prices[0].missing / price;
}

/* The seconds of one thread that counting k-mers takes. */
static double
seconds_of_kmers(const CsGainRule *rule, double m, double n, double width)
{
    const double by_chance =
        (width + 2 * (double)rule->window) / (double)((gint64)1 << 2 * rule->kmer);
    return n * SECONDS_A_COLUMN +
           m / (double)rule->kmer * (SECONDS_A_KMER + by_chance * SECONDS_A_HIT);
}

/* The seconds that counting takes. In most bands the strip is so narrow that more threads hardly make it
 * faster, although they share it in sections; the others share the grid meanwhile. */
static double
seconds_of(const CsGainRule *rule, double m, double n, double width, double threads)
{
    const double kmers = seconds_of_kmers(rule, m, n, width);
    const double columns = (double)MIN(ALIKE * STEP, rule->band) + 2 * MARGIN +
                           2 * widening(rule, (double)rule->band / 2);
    const double strip = m * columns * SECONDS_A_CELL;
    const double grid = blocks_of(rule, m, width) * SECONDS_A_BLOCK;
    const double handing_over = threads > 1 ? m / (double)rule->band * SECONDS_A_BAND : 0;
    return kmers / threads + MAX(strip, (strip + grid) / threads) + handing_over;
}

/* A strip that is narrow is shared in sections alone, as above. One whose values do not stay in a
 * cache is slower. */
double
cs_gain_plan_band_seconds(const CsGainPlan *plan, gint64 band, guint threads)
{
    const CsGainRule *rule = &plan->rule;
    const double all = MAX(1, (double)threads);
    double wide = 0, narrow = 0, rooms = 0;
    for (gint64 s = band * plan->steps; s < (band + 1) * plan->steps; s++) {
        const double columns = (double)(plan->strip[s].to - plan->strip[s].from);
        const double cells = MAX(0, columns) * (double)plan->step;
        if (columns >= CACHED)
            wide += cells * SECONDS_A_WIDE_CELL;
        else if (columns >= SHARED * (double)plan->piece)
            wide += cells * SECONDS_A_CELL;
        else
            narrow += cells * SECONDS_A_CELL;
    }
    for (guint r = 0; plan->rooms != NULL && r < plan->rooms->len; r++) {
        const CsGainRoom *room = &g_array_index(plan->rooms, CsGainRoom, r);
        if (room->last == band)
            rooms += ROOM_SECONDS_A_CELL * (double)(room->last - room->first + 1) *
                     (double)rule->band * (double)(room->columns.to - room->columns.from);
    }
    if (plan->shared != NULL && plan->shared[band]) {
        wide += SECTIONS_SHARE * narrow;
        narrow = 0;
    }
    const double others = blocks_of(rule, (double)rule->band, plan->width) * SECONDS_A_BLOCK +
                          (double)rule->band / (double)rule->kmer * SECONDS_A_KMER + wide;
    return rooms + MAX(narrow, (narrow + others) / all) + (threads > 1 ? SECONDS_A_BAND : 0);
}

double
cs_gain_plan_seconds(const CsGainPlan *plan, guint threads)
{
    double seconds = plan->far != NULL ? cs_gain_plan_seconds(plan->far, threads) : 0;
    for (gint64 k = 0; k < plan->bands; k++)
        seconds += cs_gain_plan_band_seconds(plan, k, threads);
    return seconds;
}

double
cs_gain_plan_index_seconds(gint64 columns, guint threads)
{
    return (double)columns * (SECONDS_TO_LOOK + SECONDS_TO_INDEX / (double)MAX(1, threads));
}

double
cs_gain_plan_all_seconds(const CsGainPlan *plan, gint64 columns, guint threads)
{
    const gint64 indexes = plan->far != NULL ? 2 : 1;
    return (double)indexes * cs_gain_plan_index_seconds(columns, threads) +
           cs_gain_plan_seconds(plan, threads);
}

/* The rule whose bands have KMERS k-mers, doubled so often. FALSE if there is none. */
static gboolean
make_rule(CsGainRule *rule, const CsGainSearch *search, int doublings)
{
    const CsSurvey *survey = search->survey;
    const gint64 m = survey->rows.length, n = survey->columns.length;
    const gint64 block = search->gpu ? BLOCK_GPU : BLOCK;
    return cs_gain_rule_init(rule, &survey->scoring, m, n, (gint64)KMERS << doublings,
                             block << doublings) &&
           (gint64)1 << 2 * rule->kmer <= MAX(LEAST_KMERS, m + n);
}

/* The same, and its seconds; infinite if there is none. */
static double
try_rule(CsGainRule *rule, const CsGainSearch *search, const CsGainRule *far, int doublings)
{
    const CsSurvey *survey = search->survey;
    const double m = (double)survey->rows.length, n = (double)survey->columns.length;
    if (!make_rule(rule, search, doublings))
        return INFINITY;
    const double width = width_of(search, rule, far);
    if (blocks_of(rule, m, width) > MOST_COUNTED * (m + n) ||
        (!search->gpu && entries_of(search, rule) > most_entries(search)))
        return INFINITY;
    return seconds_of(rule, m, n, width, MAX(1, (double)survey->threads));
}

/*
 * Chooses the smallest bands and blocks that take little of the time that they save, or else those
 * that take least. FALSE if that is too much. On a GPU smaller ones save less: a wider band only
 * keeps more of it busy. On a CPU they save nothing if the table has no room for each block.
 */
static gboolean
choose_rule(CsGainRule *rule, const CsGainSearch *search, const CsGainRule *far, double saved)
{
    double least = saved;
    for (int doublings = 0; doublings < DOUBLINGS; doublings++)
        least = MIN(least, try_rule(rule, search, far, doublings));
    if (least * SURELY >= saved)
        return FALSE;
    const double most = MAX(least, saved / (search->gpu ? WELL_GPU : WELL));
    for (int doublings = 0; try_rule(rule, search, far, doublings) > most; doublings++)
        ;
    return TRUE;
}

/* Chooses the smallest bands and blocks with which all diagonals can be counted in next to no time. */
static gboolean
choose_far(CsGainRule *far, const CsGainSearch *search, double saved)
{
    const double m = (double)search->survey->rows.length,
                 n = (double)search->survey->columns.length;
    for (int doublings = 0; doublings < DOUBLINGS; doublings++) {
        if (!make_rule(far, search, doublings))
            continue;
        const double seconds =
            seconds_of_kmers(far, m, n, m + n) + blocks_of(far, m, m + n) * SECONDS_A_BLOCK;
        if (seconds * WELL_FAR <= saved * MAX(1, (double)search->survey->threads))
            return TRUE;
    }
    return FALSE;
}

CsGainPlan *
cs_gain_plan_far(const CsGainRule *rule, gint64 m, gint64 n)
{
    CsGainPlan *plan = g_new(CsGainPlan, 1);
    *plan = (CsGainPlan){.rule = *rule,
                         .bands = cs_divide_up(m, rule->band),
                         .step = MIN(STEP, rule->band),
                         .piece = PIECE,
                         .tile = TILE,
                         .beside = m + n,
                         .slack = (m + n) * rule->inserted, /* reaches all diagonals */
                         .all = TRUE,
                         .coarse = 1,
                         .width = (double)(m + n),
                         .most = (m + n) / FAR_BASES};
    plan->steps = cs_divide_up(rule->band, plan->step);
    plan->strip = g_new0(CsGainSpan, plan->bands * plan->steps);
    plan->chain = g_new0(CsGainSpan, plan->bands);
    plan->middle = g_new0(gint64, plan->bands);
    while ((m + n) / (rule->block * plan->coarse) >= FAR_ENTRIES)
        plan->coarse *= 2;
    return plan;
}

/* The columns of the corridor in some rows. */
static CsGainSpan
span_of(const CsCorridor *corridor, gint64 from, gint64 to)
{
    CsGainSpan span = {G_MAXINT64, 0};
    for (gint64 k = from / CS_CORRIDOR_LINE; k * CS_CORRIDOR_LINE < to; k++) {
        const CsCorridorLine *line = &corridor->lines[k];
        if (line->to > 0)
            span = (CsGainSpan){MIN(span.from, line->from), MAX(span.to, line->to)};
    }
    return span.to > 0 ? span : (CsGainSpan){0};
}

/* The columns of the corridor in a band, at most, and by how many the strip may become wider on
 * either side. */
static gint64
widest(gint64 both)
{
    return both / 16 + 4 * MARGIN;
}

static gint64
widest_room(gint64 both)
{
    return both / 64 + 8 * MARGIN;
}

/* The columns of a step that begins after a row: those of the corridor, or else those around a
 * diagonal. */
static CsGainSpan
step_of(const CsCorridor *corridor, gint64 from, gint64 to, gint64 n, gint64 diagonal,
        gint64 margin)
{
    const CsGainSpan span = span_of(corridor, from, to);
    if (span.from < span.to || from + diagonal >= n || to + diagonal <= 0)
        return span;
    return (CsGainSpan){CLAMP(from + diagonal - margin, 0, n), CLAMP(to + diagonal + margin, 0, n)};
}

/* The most cells by which the strip may become wider. Wide strips are shared by all threads. */
static double
most_room(const CsGainSearch *search, double saved)
{
    const double threads = (double)search->survey->threads;
    if (search->gpu)
        return ROOM_SHARE_GPU * saved * threads / SECONDS_A_WIDE_CELL;
    return ROOM_SHARE * saved * threads / SECONDS_A_CELL;
}

/* Within a band a path beside the strip may match every row, and gains the weight of the k-mers too
 * much. So the higher a step lies above the line, the wider it is, by what the way there and back
 * costs. */
static CsGainSpan
widened(const CsGainRule *rule, CsGainSpan span, gint64 rows, gint64 n)
{
    const gint64 more = (gint64)widening(rule, (double)rows);
    if (span.from >= span.to)
        return span;
    return (CsGainSpan){MAX(0, span.from - more), MIN(n, span.to + more)};
}

/* Lays the strip along the chain, and beyond its ends along the nearest diagonal. */
static gboolean
lay_strip(CsGainPlan *plan, const CsGainSearch *search)
{
    const gint64 m = search->survey->rows.length, n = search->survey->columns.length;
    const gint64 margin = search->sizes != NULL ? search->sizes->margin : MARGIN;
    const CsSeed *first = &search->chain[0];
    const gint64 most = widest(m + n);
    g_auto(CsCorridor) corridor = {0};
    if (!cs_corridor_init(&corridor, m, n, search->chain, search->chain_length, 0, margin, NULL))
        return FALSE;
    plan->step = MIN(STEP, plan->rule.band);
    plan->piece = PIECE;
    plan->tile = TILE;
    plan->steps = cs_divide_up(plan->rule.band, plan->step);
    plan->strip = g_new0(CsGainSpan, plan->bands * plan->steps);
    plan->chain = g_new0(CsGainSpan, plan->bands);
    plan->middle = g_new(gint64, plan->bands);
    gint64 middle = first->column - first->row;
    for (gint64 k = 0; k < plan->bands; k++) {
        const gint64 row = k * plan->rule.band, end = MIN(m, row + plan->rule.band);
        const CsGainSpan band = span_of(&corridor, row, end);
        if (band.to - band.from > most) /* it covers a long gap whole */
            return FALSE;
        if (band.from < band.to) {
            plan->chain[k] = (CsGainSpan){band.from + margin - NEAR, band.to - margin + NEAR};
            middle = (band.from + band.to - row - end) / 2;
        }
        plan->middle[k] = CLAMP(middle, -m, n);
        for (gint64 s = 0; row + s * plan->step < end; s++) {
            const gint64 from = row + s / ALIKE * ALIKE * plan->step;
            const gint64 to = MIN(end, from + ALIKE * plan->step);
            plan->strip[k * plan->steps + s] = widened(
                &plan->rule, step_of(&corridor, from, to, n, middle, margin), end - from, n);
        }
    }
    return TRUE;
}

gint64
cs_gain_plan_widest(const CsGainPlan *plan)
{
    gint64 widest = 0;
    for (gint64 k = 0; k < plan->bands; k++) {
        CsGainSpan all = {G_MAXINT64, 0};
        for (gint64 s = 0; s <= plan->steps && k * plan->steps + s < plan->bands * plan->steps;
             s++) {
            const CsGainSpan *span = &plan->strip[k * plan->steps + s];
            if (span->from < span->to)
                all = (CsGainSpan){MIN(all.from, span->from), MAX(all.to, span->to)};
        }
        widest = MAX(widest, all.to - all.from);
    }
    return widest;
}

/* Whether a band may be part of a section: the strip and the chain pass all of it. */
static gboolean
has_chain(const CsGainPlan *plan, gint64 k)
{
    for (gint64 s = 0; s < plan->steps; s++)
        if (plan->strip[k * plan->steps + s].from >= plan->strip[k * plan->steps + s].to)
            return FALSE;
    return plan->chain[k].from < plan->chain[k].to;
}

/* The number of the chain's seeds that begin above a row. */
static gint64
seeds_above(const CsGainSearch *search, gint64 row)
{
    gint64 from = 0, to = search->chain_length;
    while (from < to) {
        const gint64 middle = from + (to - from) / 2;
        if (search->chain[middle].row < row)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Whether a path that begins in some rows, on the diagonal that the chain has there, gains no more than
 * the chain, which pays for its gaps. */
static gboolean
gains_steadily(const CsGainSearch *search, gint64 top, gint64 bottom)
{
    const CsScoring *scoring = &search->survey->scoring;
    CsScore gain = 0;
    for (gint64 s = seeds_above(search, bottom) - 1; s > 0; s--) {
        const CsSeed *seed = &search->chain[s], *before = seed - 1;
        const gint64 from = MAX(seed->row, top), to = MIN(seed->row + seed->length, bottom);
        const gint64 jump = ABS(seed->column - seed->row - before->column + before->row);
        if (seed->row < top)
            break;
        gain += MAX(0, to - from) * scoring->match;
        if (jump > 0)
            gain -= scoring->gap_open + jump * scoring->gap_extend;
        if (gain < 0)
            return FALSE;
    }
    return TRUE;
}

/* Whether on a row the chain's own diagonal gains most. For some rows above a gap, the diagonal below the gap
 * gains more: that of its price which k-mers cannot tell is not lost beside the chain. */
static gboolean
leads(const CsGainSearch *search, const CsGainRule *rule, gint64 row)
{
    const double lost = (double)rule->prices[0].missing / (double)(rule->kmer * rule->scale);
    const gint64 first = seeds_above(search, row);
    for (gint64 s = first; s > 0 && s < search->chain_length; s++) {
        const CsSeed *above = &search->chain[first - 1], *seed = &search->chain[s];
        const gint64 jump = ABS(seed->column - seed->row - above->column + above->row);
        const gint64 rows = seed->row - row;
        if (rows > LOOK)
            break;
        if ((double)(jump * search->survey->scoring.gap_extend) >
            LOWER + LEADS * lost * (double)rows)
            return FALSE;
    }
    return TRUE;
}

/* Cuts the bands between hot stretches into sections. The lowest ones only begin the first section. */
static void
cut_sections(CsGainPlan *plan, const CsGainSearch *search, const gboolean *hot)
{
    const gint64 band = plan->rule.band, overlap = cs_divide_up(OVERLAP, band);
    const gint64 length = MAX(LONGER * overlap, cs_divide_up(SECTION, band));
    plan->sections = g_array_new(FALSE, FALSE, sizeof(CsGainSection));
    plan->shared = g_new0(gboolean, plan->bands);
    plan->lower = LOWER;
    plan->near = 2 * NEAR + CS_CORRIDOR_LINE;
    for (gint64 last = plan->bands - 1; last >= 0; last--) {
        gint64 first = last + 1;
        while (first > 0 && !hot[first - 1] && has_chain(plan, first - 1))
            first--;
        for (gint64 own = last - overlap; own >= first;) {
            const gint64 bottom = (own + overlap + 1) * band;
            if (!leads(search, &plan->rule, bottom) ||
                !gains_steadily(search, (own + 1) * band, bottom)) {
                own--;
                continue;
            }
            const CsGainSection section = {MAX(first, own - length + 1), own, own + overlap};
            g_array_append_val(plan->sections, section);
            for (gint64 k = section.first; k <= own; k++)
                plan->shared[k] = TRUE;
            own = section.first - 1;
        }
        last = MIN(last, first);
    }
}

/* Gives hot stretches room, in the strip or beside it, and cuts the rest into sections. */
static void
give_room(CsGainPlan *plan, const CsGainSearch *search, double saved)
{
    g_autofree gboolean *hot = g_new0(gboolean, plan->bands);
    const gint64 m = search->survey->rows.length, n = search->survey->columns.length;
    plan->sweep = search->sweep;
    plan->apart = MAX(1, APART / plan->rule.band);
    if (plan->sweep != NULL)
        plan->rooms = g_array_new(FALSE, FALSE, sizeof(CsGainRoom));
    CsGainWidth width = {.spans = plan->strip,
                         .bands = plan->bands,
                         .steps = plan->steps,
                         .widest = widest_room(m + n),
                         .most_cells = most_room(search, saved),
                         .hot = hot,
                         .rooms = plan->rooms,
                         .most_swept = SWEPT_SHARE * saved / SWEPT_SECONDS_A_CELL,
                         .most_bytes = ROOM_BYTES * (guint64)(m + n),
                         .apart = plan->apart};
    cs_gain_widen(&plan->rule, search->survey, search->chain, search->chain_length, &width);
    if (search->survey->threads >= CREW)
        cut_sections(plan, search, hot);
}

/* Chooses the rules, if there is one that pays. */
static gboolean
find_rules(CsGainPlan *plan, const CsGainSearch *search, double saved)
{
    const CsGainSizes *sizes = search->sizes;
    const gint64 m = search->survey->rows.length, n = search->survey->columns.length;
    CsGainRule *rule = &plan->rule, far;
    if (sizes != NULL)
        return cs_gain_rule_init_sized(rule, &search->survey->scoring, m, n, sizes->kmers,
                                       sizes->block, sizes->kmer, sizes->window);
    const gboolean all = choose_far(&far, search, saved);
    if (!choose_rule(rule, search, all ? &far : NULL, saved) || !stands_out(search, rule))
        return FALSE;
    plan->width = width_of(search, rule, all ? &far : NULL);
    if (all && far.band > rule->band)
        plan->far = cs_gain_plan_far(&far, m, n);
    return TRUE;
}

/* All of a plan but the room for hot stretches. */
static gboolean
begin_plan(CsGainPlan *plan, const CsGainSearch *search, double saved)
{
    const gint64 m = search->survey->rows.length, n = search->survey->columns.length;
    *plan = (CsGainPlan){0};
    if (search->chain_length == 0 || !find_rules(plan, search, saved))
        return FALSE;
    plan->bands = cs_divide_up(m, plan->rule.band);
    plan->gpu = search->gpu;
    plan->slack = slack_of(search, &plan->rule);
    plan->beside = m + n;
    plan->most = MOST_KEPT * (m + n);
    plan->coarse = 1;
    while (entries_of(search, &plan->rule) > most_entries(search) * (double)plan->coarse)
        plan->coarse *= 2;
    if (lay_strip(plan, search))
        return TRUE;
    cs_gain_plan_clear(plan);
    return FALSE;
}

gboolean
cs_gain_plan_init(CsGainPlan *plan, const CsGainSearch *search)
{
    const double saved = seconds_saved(search);
    if (!begin_plan(plan, search, saved))
        return FALSE;
    give_room(plan, search, saved);
    return TRUE;
}

gboolean
cs_gain_plan_pays(const CsGainSearch *search)
{
    g_auto(CsGainPlan) plan = {0};
    return begin_plan(&plan, search, seconds_saved(search));
}

guint64
cs_gains_memory(gint64 m, gint64 n, guint64 *kept)
{
    const guint64 both = (guint64)(m + n);
    const guint64 bands = (guint64)m / (KMERS * CS_GAIN_SHORTEST_KMER) + 2;
    const guint64 table = MOST_KEPT * both * sizeof(gint32) + bands * sizeof(CsGainLine);
    const guint64 far = both / FAR_BASES * sizeof(gint32) + bands * sizeof(CsGainLine);
    if (kept != NULL)
        *kept = table;
    /* Beside it: the table of all diagonals, the index, the strip, a room, the sequences, what is missing in some bands, and two
     * lines and what lies on either side of a block. */
    const guint64 blocks = both / BLOCK + 1, line = 2 * sizeof(gint32);
    const guint64 index = ((guint64)n + MAX(LEAST_KMERS, both) + 1) * sizeof(guint32);
    return table + far + index + ROOM_BYTES * both +
           SECTION_BYTES * (guint64)MIN(m, CS_GAIN_SECTIONS * SECTION) +
           bands * (2 * sizeof(CsGainSpan) + sizeof(gint64)) + both +
           (CS_GAIN_MISSING * both + blocks) * sizeof(guint16) + blocks * 3 * line +
           2 * line * (guint64)(widest(m + n) + 2 * widest_room(m + n));
}
