/* The side of all other ranks: runs of engines, as rank 0 asks for them. */
#include <string.h>

#include <chromosweep/error.h>

#include "engines/engine_registry.h"
#include "ranks/bulk.h"
#include "ranks/dealt.h"
#include "ranks/files.h"
#include "ranks/ranks.h"
#include "ranks/run_message.h"
#include "ranks/serve.h"
#include "system/memory.h"

/* A run that rank 0 began. */
typedef struct {
    CsRunMessage given;
    const CsEngineClass *engine;
    CsRun *run;
    GString *pieces; /* of special rows, since the last answer */
    GError *failure; /* of a request without an answer */
} Served;

static void
served_free(gpointer data)
{
    Served *served = data;
    if (served->run != NULL)
        served->engine->free(served->run);
    cs_run_message_clear(&served->given);
    g_string_free(served->pieces, TRUE);
    g_clear_error(&served->failure);
    g_free(served);
}

/* A CsRowFunc. */
static gboolean
keep_piece(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f, gboolean bounds,
           gpointer user_data, GError **error)
{
    Served *served = user_data;
    CsRowPiece piece;
    memset(&piece, 0, sizeof piece);
    piece.row = i;
    piece.from = from;
    piece.count = count;
    piece.bounds = bounds;
    CS_MESSAGE_PUT(served->pieces, piece);
    cs_message_put_array(served->pieces, h, (gsize)count, sizeof *h);
    cs_message_put_array(served->pieces, f, (gsize)count, sizeof *f);
    return TRUE;
}

/* Runs took about 80% of an estimate. A run that might fit is not refused. */
static gboolean
might_fit(gint64 bytes, gint64 available)
{
    return available < 0 || bytes - bytes * 2 / 5 <= available;
}

/*
 * This process's limit of address space is for what it takes itself. All processes of this machine need about the
 * same. They begin one after the other, so what those before this one take is gone already. What a driver takes is
 * a guess.
 */
static gboolean
check_memory(const CsRunMessage *given, const CsEngineNeeds *needs, gboolean gpu, GError **error)
{
    const CsRankPlace *place = cs_ranks_place();
    const char *limit;
    const gint64 bytes = needs->buses + (gpu ? 0 : needs->other) + given->grid->m + given->grid->n;
    guint processes = place->local_size - place->local_rank;
    gint64 available = cs_memory_reach_together("/", &limit);
    if (might_fit(processes * bytes, available)) {
        processes = 1;
        available = cs_memory_reach("/", &limit);
        if (might_fit(bytes, available))
            return TRUE;
    }
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "not enough memory on %s: about %" G_GINT64_FORMAT
                " MiB needed for %u of its processes, %" G_GINT64_FORMAT " MiB available (%s)",
                g_get_host_name(), (processes * bytes >> 20) + 1, processes, available >> 20,
                limit);
    return FALSE;
}

/* Rank 0 has judged the rectangle by its own device. This one may be smaller, or of another kind. */
static gboolean
check_device(const CsEngineClass *engine, const CsRunMessage *given, GError **error)
{
    CsEngineNeeds needs;
    CsGridShape rounded = given->shape;
    if (!engine->accepts(&given->rectangle, &given->shape, &given->options, error))
        return FALSE;
    engine->shape(&given->rectangle, &given->options, &rounded);
    if (engine->gpu && (rounded.block_height != given->shape.block_height ||
                        rounded.block_width != given->shape.block_width)) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "its blocks differ from those of process 0, so it cannot share them");
        return FALSE;
    }
    engine->needs(&given->rectangle, given->grid, &given->shape, &given->options, &needs);
    return check_memory(given, &needs, engine->gpu, error);
}

static gboolean
begin(Served *served, CsMessageIn *message, GError **error)
{
    CsRunMessage *given = &served->given;
    GError *failure = NULL;
    gboolean gpu;
    g_autofree char *name = cs_message_get_text(message);
    (void)cs_run_message_get(message, given, &failure);
    cs_run_message_receive(0, given, &failure);
    if (failure != NULL) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    given->rectangle.row_func = keep_piece;
    given->rectangle.row_data = served;
    served->engine = cs_engine_lookup(name, &gpu, error);
    if (served->engine != NULL && check_device(served->engine, given, error))
        served->run = served->engine->begin(&given->rectangle, given->grid, &given->shape,
                                            &given->options, error);
    return served->run != NULL;
}

static gboolean
feed(Served *served, CsMessageIn *message, GError **error)
{
    gint64 from, count;
    CsScore known;
    gsize cells;
    CS_MESSAGE_GET(message, from);
    CS_MESSAGE_GET(message, count);
    CS_MESSAGE_GET(message, known);
    g_autofree CsScore *h = cs_message_get_array(message, &cells, sizeof *h);
    g_autofree CsScore *f = cs_message_get_array(message, &cells, sizeof *f);
    return cs_message_check(message, error) &&
           served->engine->feed(served->run, from, count, h, f, known, error);
}

static gboolean
submit(Served *served, CsMessageIn *message, GError **error)
{
    gint64 d;
    CS_MESSAGE_GET(message, d);
    return cs_message_check(message, error) && served->engine->submit(served->run, d, error);
}

static gboolean
collect(Served *served, GString *answer, GError **error)
{
    CsCollected collected;
    memset(&collected, 0, sizeof collected);
    if (!served->engine->collect(served->run, &collected, error))
        return FALSE;
    CS_MESSAGE_PUT(answer, collected);
    return TRUE;
}

static gboolean
staircase(Served *served, CsStaircase *found, GString *answer, GError **error)
{
    if (!served->engine->staircase(served->run, found, error))
        return FALSE;
    CS_MESSAGE_PUT(answer, found->row);
    CS_MESSAGE_PUT(answer, found->corner);
    CS_MESSAGE_PUT(answer, found->best);
    cs_message_put_array(answer, found->steps->data, found->steps->len, sizeof(CsStep));
    return TRUE;
}

static void
send_staircase(const Served *served, const CsStaircase *found)
{
    cs_bulk_send_bus(0, found->horizontal);
    for (guint k = 0; k < found->steps->len; k++)
        cs_bulk_send_bus(0, g_array_index(found->steps, CsStep, k).riser);
    cs_bulk_send_bus(0, served->given.right);
}

/* Does what is asked of a run and answers: how many buses follow, an error or none, what was asked for,
 * pieces; then the buses. */
static void
answer_for(Served *served, CsRanksRequest request)
{
    g_autoptr(GError) error = g_steal_pointer(&served->failure);
    g_autoptr(GString) answer = g_string_new(NULL), content = g_string_new(NULL);
    g_auto(CsStaircase) found = {0};
    guint buses = 0;
    if (error == NULL && request == CS_RANKS_COLLECT)
        (void)collect(served, content, &error);
    else if (error == NULL && request == CS_RANKS_FINISH)
        buses = served->engine->finish(served->run, &error) ? 2 : 0;
    else if (error == NULL && staircase(served, &found, content, &error))
        buses = 2 + found.steps->len;
    CS_MESSAGE_PUT(answer, buses);
    cs_message_put_error(answer, error);
    cs_message_put(answer, content->str, content->len);
    cs_message_put(answer, served->pieces->str, served->pieces->len);
    g_string_truncate(served->pieces, 0);
    cs_ranks_send(0, answer);
    if (buses > 0 && request == CS_RANKS_STAIRCASE) {
        send_staircase(served, &found);
    } else if (buses > 0) {
        cs_bulk_send_bus(0, served->given.bottom);
        cs_bulk_send_bus(0, served->given.right);
    }
}

static void
serve_begin(GHashTable *runs, guint32 number, CsMessageIn *message)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) answer = g_string_new(NULL);
    Served *served = g_new0(Served, 1);
    served->pieces = g_string_new(NULL);
    if (begin(served, message, &error))
        g_hash_table_insert(runs, GUINT_TO_POINTER(number), served);
    else
        served_free(served);
    cs_message_put_error(answer, error);
    cs_ranks_send(0, answer);
}

/* A request about a run. After a failure nothing is done until rank 0 has heard of it. */
static void
serve_run(GHashTable *runs, CsRanksRequest request, CsMessageIn *message)
{
    guint32 number;
    CS_MESSAGE_GET(message, number);
    if (request == CS_RANKS_BEGIN) {
        serve_begin(runs, number, message);
        return;
    }
    Served *served = g_hash_table_lookup(runs, GUINT_TO_POINTER(number));
    g_assert(served != NULL);
    if (request == CS_RANKS_FREE)
        g_hash_table_remove(runs, GUINT_TO_POINTER(number));
    else if (request == CS_RANKS_FEED && served->failure == NULL)
        (void)feed(served, message, &served->failure);
    else if (request == CS_RANKS_SUBMIT && served->failure == NULL)
        (void)submit(served, message, &served->failure);
    else if (request != CS_RANKS_FEED && request != CS_RANKS_SUBMIT)
        answer_for(served, request);
}

GHashTable *
cs_serve_runs_new(void)
{
    return g_hash_table_new_full(NULL, NULL, NULL, served_free);
}

gboolean
cs_serve_next(GHashTable *runs, const CsServeMore *more)
{
    CsRanksRequest request;
    g_autoptr(GString) answer = g_string_new(NULL);
    g_auto(CsMessageIn) message = cs_ranks_receive(0);
    CS_MESSAGE_GET(&message, request);
    switch (request) {
    case CS_RANKS_END: return FALSE;
    case CS_RANKS_FILES:
        cs_files_answer(&message, answer);
        cs_ranks_send(0, answer);
        break;
    case CS_RANKS_DEVICES:
        cs_dealt_answer(&message, answer);
        cs_ranks_send(0, answer);
        break;
    case CS_RANKS_SEARCH: more->search(&message); break;
    case CS_RANKS_IDENTITY: more->identity(&message); break;
    case CS_RANKS_LANES: more->lanes(&message); break;
    default: serve_run(runs, request, &message);
    }
    return TRUE;
}
