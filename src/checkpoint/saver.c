/*
 * Saves states while the computation goes on. Until the thread has returned, it alone uses the
 * state, spare, failure and the checkpoint.
 */
#include <chromosweep/error.h>

#include "checkpoint/found_state.h"
#include "checkpoint/saver.h"

static gboolean
write_state(CsSaver *saver, const CsState *state, guint threads, GError **error)
{
    return saver->found != NULL
               ? cs_found_state_save(saver->checkpoint, saver->found, state, threads, &saver->hurry,
                                     error)
               : cs_checkpoint_save(saver->checkpoint, state, threads, &saver->hurry, error);
}

static void
save(gpointer data)
{
    CsSaver *saver = data;
    (void)write_state(saver, &saver->state, 1, &saver->failure);
    if (g_error_matches(saver->failure, CS_ERROR, CS_ERROR_STOPPED))
        g_clear_error(&saver->failure); /* abandoned, as cs_saver_finish() wished */
    saver->spare = g_steal_pointer(&saver->state.staircase.horizontal);
    cs_state_clear(&saver->state);
}

/* Hands over the outcome of the state before, which may have been saved without a thread. */
static void
join(CsSaver *saver, GError **failure)
{
    if (saver->thread != NULL)
        cs_thread_join(g_steal_pointer(&saver->thread));
    if (saver->failure != NULL)
        g_propagate_error(failure, g_steal_pointer(&saver->failure));
}

gboolean
cs_saver_is_busy(CsSaver *saver, GError **failure)
{
    if (saver->thread != NULL && !cs_thread_wait(saver->thread, 0))
        return TRUE;
    join(saver, failure);
    return FALSE;
}

void
cs_saver_start(CsSaver *saver, CsState *state)
{
    g_assert(saver->thread == NULL);
    g_clear_pointer(&saver->spare, cs_bus_free);
    saver->state = *state;
    *state = (CsState){0};
    saver->thread = cs_thread_new("saver", save, saver, NULL);
    if (saver->thread == NULL) /* then the computation waits for it */
        save(saver);
}

gboolean
cs_saver_finish(CsSaver *saver, const CsState *state, gboolean hurry, GError **failure,
                GError **error)
{
    g_atomic_int_set(&saver->hurry, hurry ? CS_HURRY_ABANDON : CS_HURRY_NOT);
    join(saver, failure);
    g_atomic_int_set(&saver->hurry, hurry ? CS_HURRY_DURABLE : CS_HURRY_NOT);
    return write_state(saver, state, saver->threads, error);
}

void
cs_saver_clear(CsSaver *saver)
{
    g_atomic_int_set(&saver->hurry, CS_HURRY_DURABLE);
    join(saver, NULL);
    g_clear_error(&saver->failure);
    g_clear_pointer(&saver->spare, cs_bus_free);
    cs_state_clear(&saver->state);
}
