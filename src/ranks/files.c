/* Compares hashes of files between machines, see files.h. */
#include <chromosweep/error.h>

#include <xxhash.h>

#include "ranks/files.h"
#include "ranks/ranks.h"
#include "system/disk.h"
#include "system/display.h"

#define CHUNK ((gsize)1 << 20)

typedef struct {
    guint64 bytes;
    XXH64_hash_t low, high; /* of its 128-bit hash */
} Print;

static GHashTable *
    same; /* paths that were compared already, for a search on circles or a set is many comparisons */

static gboolean
read_print(const char *path, int fd, XXH3_state_t *state, Print *print, GError **error)
{
    g_autofree guint8 *chunk = g_malloc(CHUNK);
    gssize size = -1;
    XXH3_128bits_reset(state);
    while ((size = cs_disk_read(fd, path, chunk, CHUNK, error)) > 0) {
        XXH3_128bits_update(state, chunk, (gsize)size);
        print->bytes += (guint64)size;
    }
    const XXH128_hash_t hash = XXH3_128bits_digest(state);
    print->low = hash.low64;
    print->high = hash.high64;
    return size == 0;
}

static gboolean
take_print(const char *path, Print *print, GError **error)
{
    *print = (Print){0};
    int fd = cs_disk_open(path, error);
    if (fd < 0)
        return FALSE;
    XXH3_state_t *state = XXH3_createState();
    const gboolean done = state != NULL && read_print(path, fd, state, print, error);
    if (state == NULL)
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory for a hash");
    XXH3_freeState(state);
    return cs_disk_close(&fd, path, done ? error : NULL) && done;
}

void
cs_files_answer(CsMessageIn *message, GString *answer)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = cs_message_get_text(message);
    Print print = {0};
    if (cs_message_check(message, &error))
        (void)take_print(path, &print, &error);
    cs_message_put_error(answer, error);
    cs_message_put_text(answer, g_get_host_name());
    CS_MESSAGE_PUT(answer, print);
}

/* Reads a rank's answer. */
static gboolean
check_rank(guint rank, const char *path, const Print *own, GError **error)
{
    g_auto(CsMessageIn) answer = cs_ranks_receive(rank);
    g_autoptr(GError) failure = NULL;
    Print print;
    (void)cs_message_get_error(&answer, &failure);
    g_autofree char *host = cs_message_get_text(&answer);
    CS_MESSAGE_GET(&answer, print);
    if (failure == NULL)
        (void)cs_message_check(&answer, &failure);
    if (failure != NULL) {
        g_set_error(error, CS_ERROR, failure->code, "process %u on %s: %s", rank,
                    host != NULL ? host : "its machine", failure->message);
        return FALSE;
    }
    if (print.bytes == own->bytes && print.low == own->low && print.high == own->high)
        return TRUE;
    g_autofree char *shown = cs_display_name(path);
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                "%s of process %u on %s differs from that of process 0 on %s", shown, rank, host,
                g_get_host_name());
    return FALSE;
}

gboolean
cs_files_check(const char *path, GError **error)
{
    const CsRanksRequest request = CS_RANKS_FILES;
    const guint size = cs_ranks_place()->size;
    g_autoptr(GString) message = g_string_new(NULL);
    GError *failure = NULL;
    Print own;
    if (same == NULL)
        same = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (size == 1 || path == NULL || g_hash_table_contains(same, path) ||
        !g_file_test(path, G_FILE_TEST_IS_REGULAR))
        return TRUE;
    CS_MESSAGE_PUT(message, request);
    cs_message_put_text(message, path);
    for (guint rank = 1; rank < size; rank++)
        cs_ranks_send(rank, message);
    (void)take_print(path, &own, &failure);
    for (guint rank = 1; rank < size; rank++) /* all of them answer */
        (void)check_rank(rank, path, &own, failure == NULL ? &failure : NULL);
    if (failure != NULL)
        g_propagate_error(error, failure);
    else
        g_hash_table_add(same, g_strdup(path));
    return failure == NULL;
}
