/*
 * What a set of alignments amounts to. The backbone is the series of alignments on one strand that
 * keeps the order of both sequences and scores most. What does not belong to it is an inversion, a
 * translocation or a duplication.
 */
#include <chromosweep/align_set.h>

#include "alignment/alignment.h"

typedef struct {
    gint64 from, to;
} Range;

/* An alignment of the backbone's strand. Places are twice those of its middle; on minus those in the
 * query fall along the target, so they are negative. */
typedef struct {
    gint64 target, query;
    guint rank; /* of query among all, from 1; equal ones share it */
    double score;
} Member;

/* The first of some disjoint ranges in their order that ends at `at` or later. */
static guint
find_range(const GArray *ranges, gint64 at)
{
    guint low = 0, high = ranges->len;
    while (low < high) {
        const guint middle = low + (high - low) / 2;
        if (g_array_index(ranges, Range, middle).to < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many bases of a range others do not have. It overlaps *count of them, from *first on. */
static gint64
count_new(const GArray *ranges, gint64 from, gint64 to, guint *first, guint *count)
{
    gint64 known = 0;
    *first = find_range(ranges, from);
    for (*count = 0; *first + *count < ranges->len; ++*count) {
        const Range *range = &g_array_index(ranges, Range, *first + *count);
        if (range->from > to)
            break;
        known += MIN(range->to, to) - MAX(range->from, from) + 1;
    }
    return to - from + 1 - known;
}

/* Adds a range to others. Returns how many of its bases are new. */
static gint64
cover(GArray *ranges, gint64 from, gint64 to)
{
    Range joined = {from, to};
    guint first, count;
    const gint64 fresh = count_new(ranges, from, to, &first, &count);
    if (count > 0) {
        joined.from = MIN(from, g_array_index(ranges, Range, first).from);
        joined.to = MAX(to, g_array_index(ranges, Range, first + count - 1).to);
        g_array_remove_range(ranges, first, count);
    }
    g_array_insert_val(ranges, first, joined);
    return fresh;
}

static gint
compare_queries(gconstpointer one, gconstpointer other)
{
    const Member *a = one, *b = other;
    return a->query < b->query ? -1 : a->query > b->query;
}

/* Of equal places in the target the last in the query goes first, so that they do not follow each
 * other. */
static gint
compare_targets(gconstpointer one, gconstpointer other)
{
    const Member *a = one, *b = other;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    return -compare_queries(one, other);
}

/* The highest score of a series whose last member has a rank below `rank`, and its length. */
typedef struct {
    double score;
    gint64 length;
} Series;

static Series
best_below(const Series *tree, guint rank)
{
    Series best = {0};
    for (guint k = rank - 1; k > 0; k -= k & -k)
        if (tree[k].score > best.score)
            best = tree[k];
    return best;
}

/* How many members the backbone has. */
static gint64
backbone_length(GArray *members)
{
    Series best = {0};
    g_autofree Series *tree = g_new0(Series, members->len + 1);
    g_array_sort(members, compare_queries);
    for (guint k = 0; k < members->len; k++) {
        Member *member = &g_array_index(members, Member, k);
        member->rank = k + 1;
        if (k > 0 && member[-1].query == member->query)
            member->rank = member[-1].rank;
    }
    g_array_sort(members, compare_targets);
    for (guint k = 0; k < members->len; k++) {
        const Member *member = &g_array_index(members, Member, k);
        Series series = best_below(tree, member->rank);
        series.score += member->score;
        series.length++;
        for (guint at = member->rank; at <= members->len; at += at & -at)
            if (series.score > tree[at].score)
                tree[at] = series;
        if (series.score > best.score)
            best = series;
    }
    return best.length;
}

/* Adds an alignment that is no duplication to those of its strand. */
static void
add_member(GArray *members, const CsAlignmentSummary *s)
{
    const gint64 query = s->query_start + s->query_end;
    const Member member = {.target = s->target_start + s->target_end,
                           .query = s->strand == CS_STRAND_MINUS ? -query : query,
                           .score = (double)s->score};
    g_array_append_val(members, member);
}

static gint64
distance(gint64 from, gint64 to, gint64 period)
{
    const gint64 rest = (to - from) % period;
    return rest < 0 ? rest + period : rest;
}

/* A circle has no first base: there the order of the members is counted from the one that scores
 * most, the first of equal ones. Their places are twice the positions. */
static void
turn_circles(GArray *members, const GPtrArray *alignments)
{
    gint64 target = 0, query = 0;
    const Member *best = NULL;
    for (guint k = 0; k < members->len; k++) {
        const Member *member = &g_array_index(members, Member, k);
        best = best == NULL || member->score > best->score ? member : best;
    }
    if (best == NULL)
        return;
    const Member first = *best;
    cs_alignment_get_periods(g_ptr_array_index(alignments, 0), &target, &query);
    for (guint k = 0; k < members->len; k++) {
        Member *member = &g_array_index(members, Member, k);
        if (target > 0)
            member->target = distance(first.target, member->target, 2 * target);
        if (query > 0)
            member->query = distance(first.query, member->query, 2 * query);
    }
}

void
cs_align_set_summarise(const GPtrArray *alignments, CsAlignSetSummary *summary)
{
    g_autoptr(GArray) target = g_array_new(FALSE, FALSE, sizeof(Range));
    g_autoptr(GArray) query = g_array_new(FALSE, FALSE, sizeof(Range));
    g_autoptr(GArray) plus = g_array_new(FALSE, FALSE, sizeof(Member));
    g_autoptr(GArray) minus = g_array_new(FALSE, FALSE, sizeof(Member));
    gint64 columns[2] = {0};
    *summary = (CsAlignSetSummary){.alignments = alignments->len};
    for (guint k = 0; k < alignments->len; k++) {
        const CsAlignmentSummary *s = cs_alignment_get_summary(g_ptr_array_index(alignments, k));
        const gint64 rows = s->target_end - s->target_start + 1;
        const gint64 bases = s->query_end - s->query_start + 1;
        const gint64 new_rows = cover(target, s->target_start, s->target_end);
        const gint64 new_bases = cover(query, s->query_start, s->query_end);
        summary->target_covered += new_rows;
        summary->query_covered += new_bases;
        summary->columns += s->columns;
        summary->matches += s->matches;
        if (2 * new_rows < rows || 2 * new_bases < bases) {
            summary->duplications++;
            continue;
        }
        columns[s->strand] += s->columns;
        add_member(s->strand == CS_STRAND_MINUS ? minus : plus, s);
    }
    const gboolean turned = columns[CS_STRAND_MINUS] > columns[CS_STRAND_PLUS];
    GArray *members = turned ? minus : plus;
    summary->strand = turned ? CS_STRAND_MINUS : CS_STRAND_PLUS;
    summary->inversions = (turned ? plus : minus)->len;
    turn_circles(members, alignments);
    summary->translocations = members->len - backbone_length(members);
}

gboolean *
cs_align_set_secondary(const GPtrArray *alignments)
{
    g_autoptr(GArray) primary = g_array_new(FALSE, FALSE, sizeof(Range));
    gboolean *secondary = g_new0(gboolean, alignments->len + 1);
    for (guint k = 0; k < alignments->len; k++) {
        const CsAlignmentSummary *s = cs_alignment_get_summary(g_ptr_array_index(alignments, k));
        const gint64 bases = s->query_end - s->query_start + 1;
        guint first, count;
        secondary[k] = 2 * count_new(primary, s->query_start, s->query_end, &first, &count) < bases;
        if (!secondary[k])
            (void)cover(primary, s->query_start, s->query_end);
    }
    return secondary;
}
