/*
 * Keeps the results of the stages before a sweep in the checkpoint, so that a comparison finishes
 * even if run after run is stopped during the stages. A second sweep and the proof of a score are
 * stages of their own, whose files have other names.
 *
 * Each run keeps what it finds. A stage that cannot be kept in parts may take longer than a run has.
 * So if runs found nothing new for long enough, the next run goes on without the stages, and its
 * sweep saves a state that is further on. "Long enough" is a sum of seconds, because a run that was
 * interrupted in its first moments says little.
 */
#include "checkpoint/found.h"
#include "compare/comparison.h"
#include "sweep/remainder.h"

#define TRIED "tried"

/* Of the matrix: what takes less than a second is found again faster. */
#define CELLS_WORTH_KEEPING 2e10

/* Milliseconds: what a run counts that was killed, or stopped at once; how many are enough; and
 * where the sum starts after a run that went on without the stages. */
enum {
    OF_KILLED = 60000,
    LEAST = 20000,
    ENOUGH = 120000,
    AGAIN = ENOUGH / 2,
};

/* Saves. Only the first failure is reported, because others are most likely the same. */
static void
save(CsCompareKeep *keep, const char *name, const gint64 *values, gint64 count)
{
    CsComparison *comparison = keep->comparison;
    g_autoptr(GError) failure = NULL;
    if (cs_found_save(comparison->checkpoint, name, values, count, &failure) ||
        g_atomic_int_add(&keep->failed, 1) > 0)
        return;
    g_autofree char *message = g_strdup_printf(
        "what the stages before the sweep found could not be saved: %s", failure->message);
    cs_compare_notes_leave(CS_NOTE_WARNING, message, comparison);
}

static void
save_tried(CsCompareKeep *keep, gint64 milliseconds)
{
    g_autofree char *file = g_strconcat(keep->stage, TRIED, NULL);
    save(keep, file, &milliseconds, 1);
}

/* The name of the file. */
static char *
file_of(const struct CsKeptStrand *kept, const char *name)
{
    return g_strconcat(kept->keep->stage, kept->prefix, name, NULL);
}

/* CsKeep's functions. */
static gint64 *
load_kept(const char *name, gint64 *count, gpointer data)
{
    const struct CsKeptStrand *kept = data;
    g_autofree char *file = file_of(kept, name);
    return cs_found_load(kept->keep->comparison->checkpoint, file, count);
}

static void
save_kept(const char *name, const gint64 *values, gint64 count, gpointer data)
{
    const struct CsKeptStrand *kept = data;
    g_autofree char *file = file_of(kept, name);
    save(kept->keep, file, values, count);
    if (g_atomic_int_add(&kept->keep->found, 1) == 0)
        save_tried(kept->keep, 0);
}

static void
drop_kept(const char *name, gpointer data)
{
    const struct CsKeptStrand *kept = data;
    g_autofree char *file = file_of(kept, name);
    cs_found_drop(kept->keep->comparison->checkpoint, file);
}

void
cs_compare_keep_first_state(const CsComparison *comparison)
{
    CsState state = comparison->state;
    CsRemainder remainder = {0};
    const CsRectangle whole = cs_comparison_rectangle(comparison, state.under_way);
    g_autoptr(GError) failure = NULL;
    if (state.cells > 0 || state.staircase.horizontal != NULL)
        return;
    gboolean saved = cs_remainder_init(&remainder, &whole, &failure);
    state.staircase = remainder.staircase;
    state.engine = comparison->sweep.engine->name;
    state.device = comparison->sweep.engine->gpu ? comparison->phrase : NULL;
    saved = saved && cs_checkpoint_save(comparison->checkpoint, &state,
                                        comparison->sweep.engine_options.threads, NULL, &failure);
    cs_remainder_clear(&remainder);
    if (!saved)
        cs_compare_note(comparison, CS_NOTE_WARNING, "could not save the state; continuing: %s",
                        failure->message);
}

gboolean
cs_compare_keep_begin(CsCompareKeep *keep, CsComparison *comparison, const char *stage)
{
    *keep = (CsCompareKeep){.comparison = comparison,
                            .stage = stage,
                            .kept = {{keep, "plus-"}, {keep, "minus-"}},
                            .start = g_get_monotonic_time()};
    for (guint k = 0; k < G_N_ELEMENTS(keep->strands); k++)
        keep->strands[k] = (CsKeep){load_kept, save_kept, drop_kept, &keep->kept[k]};
    cs_compare_keep_first_state(comparison);
    gint64 count = 0;
    g_autofree char *file = g_strconcat(stage, TRIED, NULL);
    g_autofree gint64 *tried = cs_found_load(comparison->checkpoint, file, &count);
    keep->tried = tried != NULL && count == 1 ? CLAMP(tried[0], 0, ENOUGH) : 0;
    if (keep->tried < ENOUGH) {
        save_tried(keep, keep->tried + OF_KILLED);
        return FALSE;
    }
    cs_compare_note(comparison, CS_NOTE_WARNING,
                    "several runs stopped before the search for what can be skipped was complete; "
                    "this run uses only what they found, which may take longer; the next run "
                    "searches again");
    save_tried(keep, AGAIN);
    return TRUE;
}

void
cs_compare_keep_end(CsCompareKeep *keep, gboolean ended)
{
    const gint64 took = (g_get_monotonic_time() - keep->start) / 1000;
    if (keep->tried >= ENOUGH || keep->found > 0)
        return; /* which was reported */
    save_tried(keep, ended ? 0 : keep->tried + CLAMP(took, LEAST, OF_KILLED));
}

gboolean
cs_compare_keep_pays(const CsComparison *comparison, const CsRectangle *whole,
                     const CsSkipSearch *how)
{
    return comparison->checkpoint != NULL && cs_checkpoint_is_writable(comparison->checkpoint) &&
           cs_skip_takes_time(whole, how) &&
           (double)cs_rectangle_m(whole) * (double)cs_rectangle_n(whole) >= CELLS_WORTH_KEEPING;
}

gboolean
cs_compare_keep_search(CsComparison *comparison, const char *stage, CsStrand strand,
                       const CsRectangle *whole, const CsSkipSearch *how, CsSkip *skip,
                       GError **error)
{
    CsCompareKeep keep;
    CsSkipSearch search = *how;
    if (!cs_compare_keep_pays(comparison, whole, how))
        return cs_skip_init(skip, whole, how, error);
    search.give_up = cs_compare_keep_begin(&keep, comparison, stage);
    search.keep = &keep.strands[strand];
    const gboolean found = cs_skip_init(skip, whole, &search, error);
    cs_compare_keep_end(&keep, found);
    return found;
}
