/* Describes the checkpoint of a search, without changing it, and removes it. */
#include <sys/stat.h>
#include <unistd.h>

#include <chromosweep/error.h>
#include <chromosweep/search_checkpoint.h>

#include "checkpoint/checkpoint_lock.h"
#include "search/search_files.h"
#include "search/search_state.h"
#include "system/disk.h"
#include "system/display.h"

gboolean
cs_search_checkpoint_is_there(const char *directory)
{
    g_return_val_if_fail(directory != NULL, FALSE);

    g_autofree char *lock = g_build_filename(directory, CS_SEARCH_LOCK, NULL);
    g_autoptr(GArray) numbers = cs_search_files_list(directory, NULL);
    return numbers->len > 0 || g_file_test(lock, G_FILE_TEST_EXISTS);
}

void
cs_search_checkpoint_info_free(CsSearchCheckpointInfo *info)
{
    if (info == NULL)
        return;
    for (guint k = 0; k < info->n_states; k++) {
        g_free(info->states[k].file);
        g_free(info->states[k].fault);
    }
    g_free(info->states);
    g_free(info->program_version);
    g_free(info->memo);
    g_free(info->holder);
    g_free(info);
}

/* Which search it is, of the newest usable state. */
static gboolean
describe(CsSearchCheckpointInfo *info, const CsSearchFile *state)
{
    CsSearchOptions options = CS_SEARCH_OPTIONS_INIT;
    g_autofree char *memo = NULL;
    if (!cs_json_text_read(state->head, "memo", &memo) ||
        !cs_search_identity_read(state->search, &options, &info->queries, &info->query_letters))
        return FALSE;
    info->program_version = g_strdup(state->program_version);
    info->memo = g_steal_pointer(&memo);
    info->alphabet = options.alphabet;
    info->strand = options.strand;
    info->gap_open = options.gap_open;
    info->gap_extend = options.gap_extend;
    info->number = options.number;
    info->min_score = options.min_score;
    info->align = options.align;
    return TRUE;
}

static void
add_state(CsSearchCheckpointInfo *info, const char *directory, gint64 number)
{
    g_autofree char *path = cs_search_files_path(directory, number);
    g_auto(CsSearchFile) state = {0};
    struct stat status;
    CsSearchSaved *saved = &info->states[info->n_states];
    *saved = (CsSearchSaved){.number = number, .file = g_path_get_basename(path)};
    saved->bytes = stat(path, &status) == 0 ? status.st_size : 0;
    const gboolean good = cs_search_file_read(&state, path);
    g_autofree gpointer data =
        good && state.usable ? cs_packed_file_unpack(&state.file, (gsize)state.size) : NULL;
    if (good && !state.usable) {
        saved->fault = g_strdup("its format is another version, or of another kind of machine");
    } else if (data == NULL || (info->usable < 0 && !describe(info, &state))) {
        saved->fault = g_strdup("it is damaged");
    } else {
        saved->saved = state.saved;
        saved->seconds = state.seconds;
        saved->records = state.records;
        saved->fraction = state.fraction;
        if (info->usable < 0)
            info->usable = (int)info->n_states;
    }
    info->n_states++;
}

CsSearchCheckpointInfo *
cs_search_checkpoint_info_new(const char *directory, GError **error)
{
    g_return_val_if_fail(directory != NULL, NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    g_autofree char *shown = cs_display_name(directory);
    g_autoptr(CsSearchCheckpointInfo) info = g_new0(CsSearchCheckpointInfo, 1);
    g_autoptr(GDir) folder = g_dir_open(directory, 0, NULL);
    if (folder == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot open checkpoint %s", shown);
        return NULL;
    }
    g_autoptr(GArray) numbers = cs_search_files_list(directory, NULL);
    info->holder = cs_checkpoint_lock_holder(directory, CS_SEARCH_LOCK);
    info->usable = -1;
    info->states = g_new0(CsSearchSaved, numbers->len);
    for (guint k = 0; k < numbers->len; k++)
        add_state(info, directory, g_array_index(numbers, gint64, k));
    if (numbers->len > 0)
        return g_steal_pointer(&info);
    g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                "checkpoint %s: nothing has been saved yet; %s%s", shown,
                info->holder != NULL ? "in use by " : "run the same command again",
                info->holder != NULL ? info->holder : "");
    return NULL;
}

gboolean
cs_search_checkpoint_remove(const char *directory, GError **error)
{
    g_return_val_if_fail(directory != NULL, FALSE);
    g_return_val_if_fail(error == NULL || *error == NULL, FALSE);

    g_autofree char *path = g_build_filename(directory, CS_SEARCH_LOCK, NULL);
    const int lock = cs_checkpoint_lock(directory, CS_SEARCH_LOCK, NULL, NULL, error);
    if (lock < 0)
        return FALSE;
    g_autoptr(GArray) numbers = cs_search_files_list(directory, NULL);
    gboolean good = TRUE;
    for (guint k = 0; good && k < numbers->len; k++) {
        g_autofree char *state = cs_search_files_path(directory, g_array_index(numbers, gint64, k));
        good = cs_disk_unlink(state, error);
    }
    good = good && cs_disk_unlink(path, error);
    if (good)
        (void)rmdir(directory);
    close(lock);
    return good;
}
