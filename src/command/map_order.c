/* The order of the records of a query. */
#include "command/map_order.h"

/* An alignment, as far as it matters here. */
typedef struct {
    guint target;
    gint64 middle; /* twice that of its bases of the target */
    gint64 columns;
    gboolean minus;
} Part;

/* A record of the query, and where it lies. */
typedef struct {
    CsMapRecord record;
    guint target;
    gint64 middle;
} Place;

static gint
compare_parts(gconstpointer one, gconstpointer other)
{
    const Part *a = one, *b = other;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    return a->middle < b->middle ? -1 : a->middle > b->middle;
}

static gint
compare_places(gconstpointer one, gconstpointer other)
{
    const Place *a = one, *b = other;
    if (a->record.placed != b->record.placed)
        return a->record.placed ? -1 : 1;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    if (a->middle != b->middle)
        return a->middle < b->middle ? -1 : 1;
    return a->record.place < b->record.place ? -1 : a->record.place > b->record.place;
}

/* Fills the place from the parts first .. end - 1, all with one record of the target. */
static void
take_target(Place *place, const GArray *parts, guint first, guint end, gint64 columns)
{
    gint64 before = 0, minus = 0;
    place->target = g_array_index(parts, Part, first).target;
    for (guint k = first; k < end; k++) {
        const Part *part = &g_array_index(parts, Part, k);
        minus += part->minus ? part->columns : 0;
        if (2 * before <= columns)
            place->middle = part->middle;
        before += part->columns;
    }
    place->record.minus = 2 * minus > columns;
}

static Place
find_place(guint record, GArray *parts)
{
    Place place = {.record = {.place = record, .placed = parts->len > 0}};
    gint64 most = 0;
    g_array_sort(parts, compare_parts);
    for (guint first = 0, end; first < parts->len; first = end) {
        gint64 columns = 0;
        for (end = first; end < parts->len && g_array_index(parts, Part, end).target ==
                                                  g_array_index(parts, Part, first).target;
             end++)
            columns += g_array_index(parts, Part, end).columns;
        if (columns > most) {
            most = columns;
            take_target(&place, parts, first, end, columns);
        }
    }
    return place;
}

/* The alignments of each record of the query. */
static GPtrArray *
sort_by_query(const GPtrArray *alignments, guint n)
{
    GPtrArray *queries = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint k = 0; k < n; k++)
        g_ptr_array_add(queries, g_array_new(FALSE, FALSE, sizeof(Part)));
    for (guint k = 0; k < alignments->len; k++) {
        const CsAlignment *alignment = g_ptr_array_index(alignments, k);
        const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
        Part part = {.middle = s->target_start + s->target_end,
                     .columns = s->columns,
                     .minus = s->strand == CS_STRAND_MINUS};
        guint query;
        cs_alignment_get_records(alignment, &part.target, &query);
        g_array_append_val(g_ptr_array_index(queries, query), part);
    }
    return queries;
}

GArray *
cs_map_order_new(const GPtrArray *alignments, guint n)
{
    g_autoptr(GPtrArray) queries = sort_by_query(alignments, n);
    g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(Place));
    GArray *order = g_array_new(FALSE, FALSE, sizeof(CsMapRecord));
    for (guint k = 0; k < n; k++) {
        const Place place = find_place(k, g_ptr_array_index(queries, k));
        g_array_append_val(places, place);
    }
    g_array_sort(places, compare_places);
    for (guint k = 0; k < n; k++)
        g_array_append_val(order, g_array_index(places, Place, k).record);
    return order;
}
