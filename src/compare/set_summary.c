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
find_new(const GArray *ranges, gint64 from, gint64 to, guint *first, guint *count)
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

static gint64
count_new_in(const GArray *ranges, gint64 from, gint64 to)
{
    guint first, count;
    return find_new(ranges, from, to, &first, &count);
}

/* Adds a range to others. Returns how many of its bases are new. */
static gint64
cover_range(GArray *ranges, gint64 from, gint64 to)
{
    Range joined = {from, to};
    guint first, count;
    const gint64 fresh = find_new(ranges, from, to, &first, &count);
    if (count > 0) {
        joined.from = MIN(from, g_array_index(ranges, Range, first).from);
        joined.to = MAX(to, g_array_index(ranges, Range, first + count - 1).to);
        g_array_remove_range(ranges, first, count);
    }
    g_array_insert_val(ranges, first, joined);
    return fresh;
}

/* Bases of one record: `before` come before its first one, of all that are counted. */
typedef struct {
    GArray *ranges;        /* of Range */
    gint64 before, period; /* of a circle, whose bases are counted once in every turn; or 0 */
} Record;

/* How many bases of a stretch others do not have. */
static gint64
count_new(const Record *record, gint64 from, gint64 to)
{
    const gint64 before = record->before, period = record->period;
    if (period > 0 && to > period)
        return count_new_in(record->ranges, before + from, before + period) +
               count_new_in(record->ranges, before + 1, before + to - period);
    return count_new_in(record->ranges, before + from, before + to);
}

/* Adds a stretch to others. Returns how many of its bases are new. */
static gint64
cover(const Record *record, gint64 from, gint64 to)
{
    const gint64 before = record->before, period = record->period;
    if (period > 0 && to > period)
        return cover_range(record->ranges, before + from, before + period) +
               cover_range(record->ranges, before + 1, before + to - period);
    return cover_range(record->ranges, before + from, before + to);
}

static gint
compare_queries(gconstpointer one, gconstpointer other)
{
    const Member *a = one, *b = other;
    return a->query < b->query ? -1 : a->query > b->query;
}

/* At equal places in the target, the last in the query goes first, so that they do not follow each
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
turn_circles(GArray *members, const CsAlignment *alignment)
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
    cs_alignment_get_periods(alignment, &target, &query);
    for (guint k = 0; k < members->len; k++) {
        Member *member = &g_array_index(members, Member, k);
        if (target > 0)
            member->target = distance(first.target, member->target, 2 * target);
        if (query > 0)
            member->query = distance(first.query, member->query, 2 * query);
    }
}

/* Bases of all records counted on, so that those of one follow those of the record before. */
typedef struct {
    gint64 target, query; /* that a record takes */
} Strides;

static Strides
strides_of(const GPtrArray *alignments)
{
    Strides strides = {1, 1};
    for (guint k = 0; k < alignments->len; k++) {
        const CsAlignmentSummary *s = cs_alignment_get_summary(g_ptr_array_index(alignments, k));
        strides.target = MAX(strides.target, s->target_end + 1);
        strides.query = MAX(strides.query, s->query_end + 1);
    }
    return strides;
}

/* An alignment that is no duplication. */
typedef struct {
    guint target, query; /* its records */
    const CsAlignment *alignment;
    const CsAlignmentSummary *summary;
} Kept;

/* By the records of the query, then by those of the target. */
static gint
compare_records(gconstpointer one, gconstpointer other)
{
    const Kept *a = one, *b = other;
    if (a->query != b->query)
        return a->query < b->query ? -1 : 1;
    return a->target < b->target ? -1 : a->target > b->target;
}

/* Adds the alignments of a pair of records with a backbone to the counts. */
static void
count_pair(const Kept *kept, guint n, gint64 *columns, CsAlignSetSummary *summary)
{
    g_autoptr(GArray) plus = g_array_new(FALSE, FALSE, sizeof(Member));
    g_autoptr(GArray) minus = g_array_new(FALSE, FALSE, sizeof(Member));
    gint64 own[2] = {0};
    for (guint k = 0; k < n; k++) {
        own[kept[k].summary->strand] += kept[k].summary->columns;
        add_member(kept[k].summary->strand == CS_STRAND_MINUS ? minus : plus, kept[k].summary);
    }
    const gboolean turned = own[CS_STRAND_MINUS] > own[CS_STRAND_PLUS];
    GArray *members = turned ? minus : plus;
    columns[turned ? CS_STRAND_MINUS : CS_STRAND_PLUS] += own[turned];
    summary->inversions += (turned ? plus : minus)->len;
    turn_circles(members, kept[0].alignment);
    summary->translocations += members->len - backbone_length(members);
}

/* The number of the first alignments that have the same query, or also the same target. */
static guint
count_same(const Kept *kept, guint n, gboolean also_target)
{
    guint count = 0;
    while (count < n && kept[count].query == kept[0].query &&
           (!also_target || kept[count].target == kept[0].target))
        count++;
    return count;
}

/* Counts the alignments of one record of the query. Its backbone lies in the record of the target with
 * which it has most columns, the first of equal ones. */
static void
count_query(const Kept *kept, guint n, gint64 *columns, CsAlignSetSummary *summary)
{
    const Kept *partner = kept;
    guint partner_n = 0;
    gint64 most = -1;
    for (guint from = 0, same; from < n; from += same) {
        gint64 sum = 0;
        same = count_same(kept + from, n - from, TRUE);
        for (guint k = from; k < from + same; k++)
            sum += kept[k].summary->columns;
        if (sum > most) {
            most = sum;
            partner = kept + from;
            partner_n = same;
        }
    }
    count_pair(partner, partner_n, columns, summary);
    summary->translocations += n - partner_n;
}

void
cs_align_set_summarise(const GPtrArray *alignments, CsAlignSetSummary *summary)
{
    g_autoptr(GArray) target = g_array_new(FALSE, FALSE, sizeof(Range));
    g_autoptr(GArray) query = g_array_new(FALSE, FALSE, sizeof(Range));
    g_autoptr(GArray) kept = g_array_new(FALSE, FALSE, sizeof(Kept));
    const Strides strides = strides_of(alignments);
    gint64 columns[2] = {0};
    *summary = (CsAlignSetSummary){.alignments = alignments->len};
    for (guint k = 0; k < alignments->len; k++) {
        const CsAlignment *alignment = g_ptr_array_index(alignments, k);
        const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
        Kept one = {.alignment = alignment, .summary = s};
        cs_alignment_get_records(alignment, &one.target, &one.query);
        Record rows_of = {target, strides.target * one.target, 0};
        Record bases_of = {query, strides.query * one.query, 0};
        cs_alignment_get_periods(alignment, &rows_of.period, &bases_of.period);
        const gint64 rows = s->target_end - s->target_start + 1;
        const gint64 bases = s->query_end - s->query_start + 1;
        const gint64 new_rows = cover(&rows_of, s->target_start, s->target_end);
        const gint64 new_bases = cover(&bases_of, s->query_start, s->query_end);
        summary->target_covered += new_rows;
        summary->query_covered += new_bases;
        summary->columns += s->columns;
        summary->matches += s->matches;
        if (2 * new_rows < rows || 2 * new_bases < bases)
            summary->duplications++;
        else
            g_array_append_val(kept, one);
    }
    g_array_sort(kept, compare_records);
    const Kept *all = (const Kept *)(const void *)kept->data;
    for (guint from = 0, same; from < kept->len; from += same) {
        same = count_same(all + from, kept->len - from, FALSE);
        count_query(all + from, same, columns, summary);
    }
    summary->strand =
        columns[CS_STRAND_MINUS] > columns[CS_STRAND_PLUS] ? CS_STRAND_MINUS : CS_STRAND_PLUS;
}

gboolean *
cs_align_set_secondary(const GPtrArray *alignments)
{
    g_autoptr(GArray) primary = g_array_new(FALSE, FALSE, sizeof(Range));
    gboolean *secondary = g_new0(gboolean, alignments->len + 1);
    const Strides strides = strides_of(alignments);
    for (guint k = 0; k < alignments->len; k++) {
        const CsAlignment *alignment = g_ptr_array_index(alignments, k);
        const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
        guint target, query;
        gint64 period;
        Record record = {primary, 0, 0};
        cs_alignment_get_records(alignment, &target, &query);
        cs_alignment_get_periods(alignment, &period, &record.period);
        record.before = strides.query * query;
        const gint64 bases = s->query_end - s->query_start + 1;
        secondary[k] = 2 * count_new(&record, s->query_start, s->query_end) < bases;
        if (!secondary[k])
            (void)cover(&record, s->query_start, s->query_end);
    }
    return secondary;
}
