/* Clusters of records. */
#include <stdlib.h>

#include <chromosweep/error.h>

#include "command/clusters.h"
#include "formats/escape.h"
#include "formats/identity_format.h"

const char *const cs_cluster_rule_names[] = {"single", "greedy", NULL};

enum {
    FIRST_ROOM = 1 << 12, /* pairs */
};

/* A similar pair. Once a rule needs it, the first record is the one that comes earlier in its order. */
typedef struct {
    guint32 first, second;
    gint32 millionths; /* of identity */
} Pair;

struct _CsClusters {
    CsClusterRule rule;
    Pair *pairs;
    gsize count, room;
    const CsIdentityRecord *records;
    guint32 n;          /* records */
    guint32 *leader;    /* of each record: its representative; before, a record nearer to it */
    gint32 *millionths; /* of each record, with its representative; -1 if that was no pair */
    guint32 *order;     /* the records in some order */
    guint32 *place;     /* of each record in it */
    guint32 *size;      /* of each representative: records in its cluster */
    gint64 clusters;
};

CsClusters *
cs_clusters_new(CsClusterRule rule)
{
    CsClusters *clusters = g_new0(CsClusters, 1);
    clusters->rule = rule;
    return clusters;
}

static gboolean
fail_memory(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory for clusters");
    return FALSE;
}

static gboolean
make_room(CsClusters *c, gsize more, GError **error)
{
    if (c->count + more <= c->room)
        return TRUE;
    const gsize room = MAX(MAX(FIRST_ROOM, c->count + more), c->room + c->room / 2);
    Pair *pairs = g_try_renew(Pair, c->pairs, room);
    if (pairs == NULL)
        return fail_memory(error);
    c->pairs = pairs;
    c->room = room;
    return TRUE;
}

/* Numbers of records fit 32 bits: cs_clusters_table() refuses more of them. */
gboolean
cs_clusters_add(CsClusters *c, const CsIdentitySummary *summary, const CsIdentityPair *pairs,
                gint64 count, GError **error)
{
    if (!make_room(c, (gsize)count, error))
        return FALSE;
    for (gint64 k = 0; k < count; k++)
        c->pairs[c->count++] =
            (Pair){.first = (guint32)pairs[k].first,
                   .second = (guint32)pairs[k].second,
                   .millionths = (gint32)cs_identity_millionths(summary, &pairs[k])};
    return TRUE;
}

static gboolean
allocate(CsClusters *c, const CsIdentityRecord *records, gint64 count, GError **error)
{
    if (count > G_MAXUINT32)
        return fail_memory(error);
    c->records = records;
    c->n = (guint32)count;
    c->leader = g_try_new(guint32, c->n);
    c->millionths = g_try_new(gint32, c->n);
    c->order = g_try_new(guint32, c->n);
    c->place = g_try_new(guint32, c->n);
    c->size = g_try_new0(guint32, c->n);
    return (c->leader != NULL && c->millionths != NULL && c->order != NULL && c->place != NULL &&
            c->size != NULL) ||
           fail_memory(error);
}

/* The longest first, equal ones as in the file. */
static int
compare_lengths(gconstpointer a, gconstpointer b, gpointer data)
{
    const CsClusters *c = data;
    const guint32 i = *(const guint32 *)a, j = *(const guint32 *)b;
    const gint64 more = c->records[j].length - c->records[i].length;
    return more != 0 ? (more > 0 ? 1 : -1) : i < j ? -1 : i > j;
}

static void
sort_by_length(CsClusters *c)
{
    for (guint32 k = 0; k < c->n; k++)
        c->order[k] = k;
    qsort_r(c->order, c->n, sizeof *c->order, compare_lengths, c);
    for (guint32 k = 0; k < c->n; k++)
        c->place[c->order[k]] = k;
}

/* The root of the record's tree; all on the way are then nearer to it. */
static guint32
find_root(guint32 *leader, guint32 k)
{
    while (leader[k] != k) {
        leader[k] = leader[leader[k]];
        k = leader[k];
    }
    return k;
}

/* Joins trees of records so that the root is the record that comes first in the order. */
static void
link_all(CsClusters *c)
{
    for (gsize p = 0; p < c->count; p++) {
        const guint32 a = find_root(c->leader, c->pairs[p].first);
        const guint32 b = find_root(c->leader, c->pairs[p].second);
        if (c->place[a] < c->place[b])
            c->leader[b] = a;
        else
            c->leader[a] = b;
    }
    for (guint32 k = 0; k < c->n; k++)
        c->leader[k] = find_root(c->leader, k);
    for (gsize p = 0; p < c->count; p++) {
        const Pair *pair = &c->pairs[p];
        if (c->leader[pair->first] == pair->second)
            c->millionths[pair->first] = pair->millionths;
        if (c->leader[pair->second] == pair->first)
            c->millionths[pair->second] = pair->millionths;
    }
}

static int
compare_pairs(gconstpointer a, gconstpointer b, gpointer data)
{
    const CsClusters *c = data;
    const Pair *one = a, *other = b;
    const guint32 *place = c->place;
    if (one->second != other->second)
        return place[one->second] < place[other->second] ? -1 : 1;
    return place[one->first] < place[other->first] ? -1 : place[one->first] > place[other->first];
}

/* Pairs are sorted by their later record, then by the earlier one. So the pairs of a record come when it
 * is known which of the earlier ones are representatives, and the first of these comes first. */
static void
join_greedily(CsClusters *c)
{
    for (gsize p = 0; p < c->count; p++) {
        Pair *pair = &c->pairs[p];
        if (c->place[pair->first] > c->place[pair->second]) {
            const guint32 first = pair->first;
            pair->first = pair->second;
            pair->second = first;
        }
    }
    if (c->count > 0)
        qsort_r(c->pairs, c->count, sizeof *c->pairs, compare_pairs, c);
    for (gsize p = 0; p < c->count; p++) {
        const Pair *pair = &c->pairs[p];
        if (c->leader[pair->second] == pair->second && c->leader[pair->first] == pair->first) {
            c->leader[pair->second] = pair->first;
            c->millionths[pair->second] = pair->millionths;
        }
    }
}

/* By size of the cluster, then by its first record, then the representative before others. */
static int
compare_clusters(gconstpointer a, gconstpointer b, gpointer data)
{
    const CsClusters *c = data;
    const guint32 i = *(const guint32 *)a, j = *(const guint32 *)b;
    const guint32 x = c->leader[i], y = c->leader[j];
    if (c->size[x] != c->size[y])
        return c->size[x] > c->size[y] ? -1 : 1;
    if (x != y)
        return c->place[x] < c->place[y] ? -1 : 1;
    if (i == x || j == y)
        return i == j ? 0 : i == x ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* Sorts the records as the table has them. Of each representative, `place` is the first record of its
 * cluster meanwhile. */
static void
sort_clusters(CsClusters *c)
{
    for (guint32 k = 0; k < c->n; k++)
        c->place[k] = G_MAXUINT32;
    for (guint32 k = 0; k < c->n; k++) {
        c->size[c->leader[k]]++;
        c->place[c->leader[k]] = MIN(c->place[c->leader[k]], k);
        c->order[k] = k;
    }
    qsort_r(c->order, c->n, sizeof *c->order, compare_clusters, c);
}

static void
append_line(CsClusters *c, GString *text, guint32 record)
{
    const guint32 leader = c->leader[record];
    g_autofree char *name = cs_escape(c->records[record].name, TRUE);
    g_autofree char *other = cs_escape(c->records[leader].name, TRUE);
    c->clusters += record == leader;
    g_string_append_printf(text, "%" G_GINT64_FORMAT "\t%s\t%" G_GINT64_FORMAT "\t%s\t",
                           c->clusters, name, c->records[record].length, other);
    if (c->millionths[record] >= 0)
        cs_identity_append(text, c->millionths[record]);
    else
        g_string_append(text, "NA");
    g_string_append_c(text, '\n');
}

char *
cs_clusters_table(CsClusters *c, const CsIdentityRecord *records, gint64 count, GError **error)
{
    if (!allocate(c, records, count, error))
        return NULL;
    for (guint32 k = 0; k < c->n; k++) {
        c->leader[k] = k;
        c->millionths[k] = -1;
    }
    sort_by_length(c);
    if (c->rule == CS_CLUSTER_SINGLE)
        link_all(c);
    else
        join_greedily(c);
    for (guint32 k = 0; k < c->n; k++)
        if (c->leader[k] == k)
            c->millionths[k] = CS_IDENTITY_ONE;
    sort_clusters(c);
    GString *text = g_string_new("#cluster\trecord\tlength\trepresentative\tidentity\n");
    for (guint32 k = 0; k < c->n; k++)
        append_line(c, text, c->order[k]);
    return g_string_free(text, FALSE);
}

gint64
cs_clusters_count(const CsClusters *clusters)
{
    return clusters->clusters;
}

void
cs_clusters_free(CsClusters *c)
{
    g_free(c->pairs);
    g_free(c->leader);
    g_free(c->millionths);
    g_free(c->order);
    g_free(c->place);
    g_free(c->size);
    g_free(c);
}
