/*
 * Sections of the corridor in a keep. A result is used only for exactly the same rows and columns.
 * So it is the score of a real alignment, however the corridor was cut in the earlier run.
 */
#include "lower_bound/kept_sections.h"

/* A section as it is kept. */
typedef struct {
    gint64 number;
    gint64 row, rows, column, columns;
    gint64 best, exit, cells;
} Kept;

enum {
    NUMBERS = 8, /* of a section */
};

_Static_assert(sizeof(Kept) == NUMBERS * sizeof(gint64), "a section is so many numbers");

#define INTERVAL G_USEC_PER_SEC

static CsCorridorSection *
section_at(const CsKeptSections *kept, gint64 k)
{
    return &g_array_index(kept->sections, CsCorridorSection, k);
}

/* Whether this belongs to the section and is possible, so that sums of several are possible,
 * too. */
static gboolean
is_of(const CsCorridorSection *section, const Kept *found, CsScore match)
{
    const CsScore most = section->high + match * MIN(section->rows, section->columns);
    return found->row == section->row && found->rows == section->rows &&
           found->column == section->column && found->columns == section->columns &&
           found->best >= section->high && found->best <= most && found->exit >= 0 &&
           found->exit <= most && found->cells >= 0 && found->cells < G_MAXINT32 * section->rows;
}

gint64
cs_kept_sections_begin(CsKeptSections *kept, const CsKeep *keep, GArray *sections, CsScore match)
{
    *kept = (CsKeptSections){
        .keep = keep, .sections = sections, .next = g_get_monotonic_time() + INTERVAL};
    pthread_mutex_init(&kept->lock, NULL);
    gint64 count = 0, cells = 0;
    g_autofree gint64 *values = cs_keep_load(keep, "pieces", &count);
    for (gint64 k = 0; values != NULL && k < count / NUMBERS; k++) {
        const Kept *found = (const Kept *)values + k;
        CsCorridorSection *section = found->number >= 0 && found->number < sections->len
                                         ? section_at(kept, found->number)
                                         : NULL;
        if (section == NULL || section->done || !is_of(section, found, match))
            continue;
        section->best = found->best;
        section->exit = found->exit;
        section->cells_computed = found->cells;
        section->done = TRUE;
        cells += found->cells;
    }
    return cells;
}

static void
save(CsKeptSections *kept)
{
    g_autoptr(GArray) done = g_array_new(FALSE, FALSE, sizeof(Kept));
    for (gint64 k = 0; k < kept->sections->len; k++) {
        const CsCorridorSection *section = section_at(kept, k);
        if (!section->done) /* another thread may be writing it */
            continue;
        const Kept found = {.number = k,
                            .row = section->row,
                            .rows = section->rows,
                            .column = section->column,
                            .columns = section->columns,
                            .best = section->best,
                            .exit = section->exit,
                            .cells = section->cells_computed};
        g_array_append_val(done, found);
    }
    cs_keep_save(kept->keep, "pieces", (const gint64 *)(void *)done->data,
                 (gint64)done->len * NUMBERS);
    kept->unsaved = FALSE;
}

void
cs_kept_sections_add(CsKeptSections *kept, gint64 k)
{
    pthread_mutex_lock(&kept->lock);
    section_at(kept, k)->done = kept->unsaved = TRUE;
    const gint64 now = g_get_monotonic_time();
    if (kept->keep != NULL && now >= kept->next) {
        save(kept);
        kept->next = now + INTERVAL;
    }
    pthread_mutex_unlock(&kept->lock);
}

void
cs_kept_sections_end(CsKeptSections *kept)
{
    if (kept->keep != NULL && kept->unsaved)
        save(kept);
    pthread_mutex_destroy(&kept->lock);
}
