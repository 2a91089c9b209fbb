/* The side of the other ranks: a thread for each lane. See far.h. */
#include <pthread.h>

#include <chromosweep/device.h>
#include <chromosweep/error.h>

#include "compare/far.h"
#include "compare/far_message.h"
#include "ranks/lanes.h"
#include "ranks/ranks.h"
#include "system/display.h"
#include "system/parallel.h"

typedef struct {
    guint address; /* of rank 0 */
    CsThread *thread;
    gboolean stops; /* the comparison is to stop */
} Lane;

/* The sequences that this rank has, by their keys; NULL: there was not enough memory for it. They stay:
 * rank 0 sends each once. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_more = PTHREAD_COND_INITIALIZER;
static GHashTable *sequences;

static GPtrArray *lanes; /* of Lane */

static void
take_sequence(const Lane *lane, CsMessageIn *message)
{
    GError *failure = NULL;
    char *key = cs_message_get_text(message);
    CsSequence *sequence = cs_far_receive_sequence(lane->address, message, &failure);
    g_clear_error(&failure);
    pthread_mutex_lock(&lock);
    g_hash_table_insert(sequences, key, sequence);
    pthread_cond_broadcast(&has_more);
    pthread_mutex_unlock(&lock);
}

/* Another lane may be receiving it. */
static CsSequence *
find_sequence(const char *key)
{
    gpointer sequence;
    pthread_mutex_lock(&lock);
    while (!g_hash_table_lookup_extended(sequences, key, NULL, &sequence))
        pthread_cond_wait(&has_more, &lock);
    pthread_mutex_unlock(&lock);
    return sequence;
}

/* A CsNoteFunc. */
static void
send_note(CsNoteKind kind, const char *text, gpointer data)
{
    const CsLanesWord word = CS_LANES_NOTE;
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, word);
    CS_MESSAGE_PUT(message, kind);
    cs_message_put_text(message, text);
    cs_ranks_send(((const Lane *)data)->address, message);
}

/* A CsProgressFunc. */
static gboolean
send_progress(const CsProgress *progress, gpointer data)
{
    const CsLanesWord word = CS_LANES_PROGRESS;
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, word);
    CS_MESSAGE_PUT(message, *progress);
    cs_ranks_send(((const Lane *)data)->address, message);
    return TRUE;
}

/* A CsControlFunc. */
static CsControl
hear_control(gpointer data)
{
    Lane *lane = data;
    CsControl heard = CS_CONTROL_GO_ON;
    while (cs_ranks_has_come(lane->address)) {
        g_auto(CsMessageIn) message = cs_ranks_receive(lane->address);
        CsLanesWord word;
        CsControl control;
        CS_MESSAGE_GET(&message, word);
        CS_MESSAGE_GET(&message, control);
        g_assert(word == CS_LANES_CONTROL);
        heard = control;
        lane->stops |= control == CS_CONTROL_STOP;
    }
    return lane->stops ? CS_CONTROL_STOP : heard;
}

/* Rank 0 has made the folder, so one that only this node has is told apart. */
static gboolean
check_folder(const char *folder, GError **error)
{
    if (folder == NULL || g_file_test(folder, G_FILE_TEST_IS_DIR))
        return TRUE;
    g_autofree char *shown = cs_display_name(folder);
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                "%s does not see %s: the folder of the checkpoint must be one that all nodes share",
                g_get_host_name(), shown);
    return FALSE;
}

static gboolean
compare(Lane *lane, CsMessageIn *message, CsCompareResult *result, GError **error)
{
    CsCompareOptions options;
    char *texts[4];
    g_autofree char *one = cs_message_get_text(message);
    g_autofree char *other = cs_message_get_text(message);
    cs_far_get_options(message, &options, texts);
    options.note = send_note;
    options.progress = send_progress;
    options.control = hear_control;
    options.note_data = options.progress_data = options.control_data = lane;
    lane->stops = FALSE;
    gboolean good = cs_message_check(message, error) && check_folder(options.checkpoint, error);
    const CsSequence *target = good ? find_sequence(one) : NULL;
    const CsSequence *query = good ? find_sequence(other) : NULL;
    if (good && (target == NULL || query == NULL)) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory for the bases");
        good = FALSE;
    }
    good = good && cs_compare(target, query, &options, result, error);
    for (guint k = 0; k < G_N_ELEMENTS(texts); k++)
        g_free(texts[k]);
    return good;
}

static void
answer(Lane *lane, CsLanesWord request, CsMessageIn *message)
{
    const CsLanesWord word = CS_LANES_DONE;
    CsCompareResult result = {0};
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    if (request == CS_LANES_TEST) {
        g_autofree char *device = cs_message_get_text(message);
        g_autofree char *engine = cs_message_get_text(message);
        (void)cs_device_test(device, engine, &error);
    } else {
        (void)compare(lane, message, &result, &error);
    }
    CS_MESSAGE_PUT(text, word);
    cs_message_put_error(text, error);
    cs_far_put_result(text, &result);
    cs_ranks_send(lane->address, text);
}

/* A CsThreadFunc. */
static void
serve_lane(gpointer data)
{
    Lane *lane = data;
    for (;;) {
        g_auto(CsMessageIn) message = cs_ranks_receive(lane->address);
        CsLanesWord word;
        CS_MESSAGE_GET(&message, word);
        if (word == CS_LANES_END)
            return;
        if (word == CS_LANES_SEQUENCE)
            take_sequence(lane, &message);
        else if (word != CS_LANES_CONTROL) /* which came too late */
            answer(lane, word, &message);
    }
}

/* Rank 0 has ended them. */
static void
join_lanes(void)
{
    for (guint k = 0; lanes != NULL && k < lanes->len; k++) {
        Lane *lane = lanes->pdata[k];
        cs_thread_join(lane->thread);
        g_free(lane);
    }
    g_clear_pointer(&lanes, g_ptr_array_unref);
}

/* So many lanes as threads can be started for. */
static void
start_lanes(guint count, GError **error)
{
    if (sequences == NULL)
        sequences = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    lanes = g_ptr_array_new();
    for (guint k = 0; k < count; k++) {
        g_autofree Lane *lane = g_new0(Lane, 1);
        lane->address = cs_ranks_address(0, k + 1);
        lane->thread = cs_thread_new("lane", serve_lane, lane, k == 0 ? error : NULL);
        if (lane->thread == NULL)
            return;
        g_ptr_array_add(lanes, g_steal_pointer(&lane));
    }
}

void
cs_far_serve(CsMessageIn *message)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    guint count;
    CS_MESSAGE_GET(message, count);
    join_lanes();
    if (count == 0)
        return;
    start_lanes(count, &error);
    cs_lanes_set_count(lanes->len);
    cs_message_put_error(text, error);
    CS_MESSAGE_PUT(text, lanes->len);
    cs_ranks_send(0, text);
}
