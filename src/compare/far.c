/* The side of rank 0: see far.h. */
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chromosweep/error.h>

#include "compare/far.h"
#include "compare/far_message.h"
#include "ranks/bulk.h"
#include "ranks/lanes.h"
#include "ranks/ranks.h"
#include "sequence/sequence_private.h"
#include "system/disk.h"

#define PAUSE 1000 /* microseconds between two looks */

typedef struct {
    const CsCompareOptions *options;
    guint rank, address;
    gboolean stops; /* it was told */
} Far;

/* What other ranks have: texts of a rank and the key of a sequence. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *sent;

gboolean
cs_far_is(const char *device)
{
    guint rank;
    const char *there;
    return cs_lanes_split(device, &rank, &there) && rank != cs_ranks_place()->rank;
}

/* Sends a sequence unless the rank has it, or another lane is sending it. */
static void
send_sequence(const Far *far, const CsSequence *sequence, const char *key)
{
    const CsLanesWord word = CS_LANES_SEQUENCE;
    g_autoptr(GString) message = g_string_new(NULL);
    pthread_mutex_lock(&lock);
    if (sent == NULL)
        sent = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    const gboolean is_new = g_hash_table_add(sent, g_strdup_printf("%u %s", far->rank, key));
    pthread_mutex_unlock(&lock);
    if (!is_new)
        return;
    CS_MESSAGE_PUT(message, word);
    cs_message_put_text(message, key);
    cs_far_put_sequence(message, sequence);
    cs_ranks_send(far->address, message);
    cs_bulk_send(far->address, sequence->codes, (gsize)sequence->length);
}

static void
send_control(const Far *far, CsControl control)
{
    const CsLanesWord word = CS_LANES_CONTROL;
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, word);
    CS_MESSAGE_PUT(message, control);
    cs_ranks_send(far->address, message);
}

/* Passes on what the caller wants. */
static void
ask(Far *far)
{
    const CsCompareOptions *options = far->options;
    const CsControl control =
        options->control != NULL ? options->control(options->control_data) : CS_CONTROL_GO_ON;
    if (control != CS_CONTROL_GO_ON && !far->stops)
        send_control(far, control);
    far->stops |= control == CS_CONTROL_STOP;
}

static void
tell_note(const CsCompareOptions *options, CsMessageIn *message)
{
    CsNoteKind kind;
    CS_MESSAGE_GET(message, kind);
    g_autofree char *text = cs_message_get_text(message);
    if (options->note != NULL && text != NULL)
        options->note(kind, text, options->note_data);
}

static void
tell_progress(Far *far, CsMessageIn *message)
{
    const CsCompareOptions *options = far->options;
    CsProgress progress;
    CS_MESSAGE_GET(message, progress);
    if (options->progress == NULL || options->progress(&progress, options->progress_data) ||
        far->stops)
        return;
    far->stops = TRUE;
    send_control(far, CS_CONTROL_STOP);
}

/* Waits for the end of the comparison. */
static gboolean
wait_for(Far *far, CsCompareResult *result, GError **error)
{
    for (;;) {
        while (!cs_ranks_has_come(far->address)) {
            ask(far);
            g_usleep(PAUSE);
        }
        g_auto(CsMessageIn) message = cs_ranks_receive(far->address);
        CsLanesWord word;
        CS_MESSAGE_GET(&message, word);
        if (word == CS_LANES_NOTE)
            tell_note(far->options, &message);
        else if (word == CS_LANES_PROGRESS)
            tell_progress(far, &message);
        else {
            CsCompareResult found;
            if (!cs_message_get_error(&message, error))
                return FALSE;
            cs_far_get_result(&message, &found);
            if (!cs_message_check(&message, error))
                return FALSE;
            *result = found;
            return TRUE;
        }
    }
}

/* The other rank looks whether the folder is there (far_serve.c). */
static gboolean
make_folder(const char *folder, gboolean *made, GError **error)
{
    *made = folder != NULL && mkdir(folder, 0777) == 0;
    if (folder == NULL || *made || errno == EEXIST)
        return TRUE;
    return cs_disk_fail("create", folder, errno, error);
}

gboolean
cs_far_compare(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
               CsCompareResult *result, GError **error)
{
    const CsLanesWord word = CS_LANES_COMPARE;
    CsCompareOptions there = *options;
    Far far = {.options = options, .address = cs_lanes_address(options->device)};
    const char *device;
    char keys[2][CS_FAR_KEY];
    gboolean made;
    if (!cs_lanes_split(options->device, &far.rank, &device) || far.address == 0) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "there is no device '%s'", options->device);
        return FALSE;
    }
    g_autofree char *folder =
        options->checkpoint != NULL ? cs_disk_absolute(options->checkpoint) : NULL;
    if (!make_folder(folder, &made, error))
        return FALSE;
    there.checkpoint = folder;
    cs_far_key(target, keys[0]);
    cs_far_key(query, keys[1]);
    send_sequence(&far, target, keys[0]);
    send_sequence(&far, query, keys[1]);
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, word);
    cs_message_put_text(message, keys[0]);
    cs_message_put_text(message, keys[1]);
    cs_far_put_options(message, &there);
    cs_ranks_send(far.address, message);
    const gboolean good = wait_for(&far, result, error);
    if (made)
        (void)rmdir(folder); /* unless there is a state in it */
    if (!good && !g_error_matches(*error, CS_ERROR, CS_ERROR_STOPPED))
        g_prefix_error(error, "process %u: ", far.rank);
    return good;
}
