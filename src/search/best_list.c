/* The best records of a query: see best_list.h. */
#include "search/best_list.h"

static int
compare(gconstpointer a, gconstpointer b)
{
    const CsBestEntry *one = a, *other = b;
    if (one->score != other->score)
        return one->score > other->score ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

static void
clear_entry(gpointer data)
{
    CsBestEntry *entry = data;
    g_free(entry->name);
    g_free(entry->cigar);
}

void
cs_best_list_init(CsBestList *list, gint64 most, gint64 least)
{
    *list = (CsBestList){.most = most,
                         .least = MAX(least, 1),
                         .entries = g_array_new(FALSE, FALSE, sizeof(CsBestEntry))};
    g_array_set_clear_func(list->entries, clear_entry);
}

void
cs_best_list_clear(CsBestList *list)
{
    g_clear_pointer(&list->entries, g_array_unref);
}

gboolean
cs_best_list_wants(const CsBestList *list, gint64 score, gint64 number)
{
    const CsBestEntry entry = {.score = score, .number = number};
    return score >= list->least && (!list->is_full || compare(&entry, &list->last) < 0);
}

void
cs_best_list_add(CsBestList *list, const CsBestEntry *entry)
{
    CsBestEntry copy = *entry;
    copy.name = g_strdup(entry->name);
    copy.cigar = g_strdup(entry->cigar);
    g_array_append_val(list->entries, copy);
    if (list->entries->len >= cs_best_list_most(list->most))
        cs_best_list_trim(list);
}

/* An entry that came twice stays once. A run that goes on finds again what the stopped one had
 * found of a chunk. */
static void
drop_twins(CsBestList *list)
{
    GArray *entries = list->entries;
    guint kept = MIN(entries->len, 1);
    for (guint k = 1; k < entries->len; k++) {
        CsBestEntry *last = &g_array_index(entries, CsBestEntry, kept - 1);
        CsBestEntry *entry = &g_array_index(entries, CsBestEntry, k);
        const gboolean twin = compare(last, entry) == 0;
        CsBestEntry *place = twin ? last : &g_array_index(entries, CsBestEntry, kept);
        kept += !twin;
        if (place == entry || (twin && entry->column == 0))
            continue;
        const CsBestEntry swapped = *place;
        *place = *entry;
        *entry = swapped;
    }
    g_array_set_size(entries, kept);
}

void
cs_best_list_trim(CsBestList *list)
{
    g_array_sort(list->entries, compare);
    drop_twins(list);
    if (list->entries->len < list->most)
        return;
    g_array_set_size(list->entries, (guint)list->most);
    const CsBestEntry *last = &g_array_index(list->entries, CsBestEntry, list->most - 1);
    cs_best_list_raise(list, last->score, last->number);
}

void
cs_best_list_raise(CsBestList *list, gint64 score, gint64 number)
{
    const CsBestEntry last = {.score = score, .number = number};
    if (!list->is_full || compare(&last, &list->last) < 0)
        list->last = last;
    list->is_full = TRUE;
}

void
cs_best_list_empty(CsBestList *list)
{
    g_array_set_size(list->entries, 0);
    list->is_full = FALSE;
}
