/* Heads of logs: see run_head.h, docs/formats.md. */
#include <stdlib.h>
#include <string.h>

#include <chromosweep/error.h>

#include "checkpoint/json_values.h"
#include "config.h"
#include "identity/run_head.h"
#include "identity/tile_pairs.h"
#include "search/record_digest.h"

#define FORMAT "chromosweep-identity-log"

enum {
    VERSION = 1,
};

static char *
digest_side(const CsIdentitySide *side)
{
    XXH3_state_t *hash = XXH3_createState();
    XXH3_128bits_reset(hash);
    for (gint64 k = 0; k < side->count; k++)
        cs_record_digest_add(hash, side->records[k].name, side->records[k].length,
                             cs_identity_letters(side, k));
    char *hex = cs_record_digest_hex(XXH3_128bits_digest(hash));
    XXH3_freeState(hash);
    return hex;
}

json_t *
cs_run_identity_new(const CsIdentityInputs *inputs, const CsIdentityTiles *tiles,
                    const CsIdentityOptions *options, gint64 least)
{
    const CsPairScoring *scoring = &inputs->scoring.pairs;
    g_autofree char *rows = digest_side(inputs->rows);
    g_autofree char *columns = inputs->one_file ? NULL : digest_side(inputs->columns);
    g_autofree char *pairs =
        cs_record_digest_hex(XXH3_128bits(scoring->pairs, sizeof scoring->pairs));
    json_t *object = json_object();
    json_object_set_new(object, "one_file", json_boolean(inputs->one_file));
    json_object_set_new(object, "first_records", json_integer(inputs->rows->count));
    json_object_set_new(object, "second_records", json_integer(inputs->columns->count));
    json_object_set_new(object, "first_digest", json_string(rows));
    json_object_set_new(object, "second_digest", json_string(columns != NULL ? columns : rows));
    json_object_set_new(object, "alphabet", json_integer(inputs->alphabet));
    json_object_set_new(object, "pairs_digest", json_string(pairs));
    json_object_set_new(object, "gap_open", json_integer(inputs->scoring.gap_open));
    json_object_set_new(object, "gap_extend", json_integer(inputs->scoring.gap_extend));
    json_object_set_new(object, "over", json_integer(options->over));
    json_object_set_new(object, "min_identity_1e9", json_integer(least));
    json_object_set_new(object, "align", json_boolean(options->align));
    json_object_set_new(object, "pairs", json_integer(tiles->pairs));
    json_object_set_new(object, "cells", json_integer(tiles->cells));
    json_object_set_new(object, "tile_cells", json_integer(tiles->shape));
    json_object_set_new(object, "tiles", json_integer(tiles->count));
    return object;
}

/* A copy in which the least identity is a number that people read. No two become the same. */
static json_t *
with_decimals(const json_t *identity)
{
    json_t *copy = json_copy((json_t *)(gpointer)identity);
    const json_t *least = json_object_get(copy, "min_identity_1e9");
    if (json_is_integer(least))
        json_object_set_new(copy, "min_identity_1e9",
                            json_real((double)json_integer_value(least) / CS_IDENTITY_UNIT));
    return copy;
}

gboolean
cs_run_identity_compare(const json_t *there, const json_t *here, GError **error)
{
    static const CsJsonKey keys[] = {{"one_file", "whether there is one file"},
                                     {"first_records", "records of the first file"},
                                     {"second_records", "records of the second file"},
                                     {"first_digest", "digest of the first file"},
                                     {"second_digest", "digest of the second file"},
                                     {"alphabet", "alphabet"},
                                     {"pairs_digest", "digest of what pairs score"},
                                     {"gap_open", "gap-open"},
                                     {"gap_extend", "gap-extend"},
                                     {"over", "what identities are divided by"},
                                     {"min_identity_1e9", "least identity"},
                                     {"align", "whether alignments are found"},
                                     {"pairs", "number of pairs"},
                                     {"cells", "number of cells"},
                                     {"tile_cells", "cells of a tile"},
                                     {"tiles", "number of tiles"}};
    g_autoptr(CsJson) one = with_decimals(there), other = with_decimals(here);
    g_autofree char *difference = cs_json_difference(one, other, keys, G_N_ELEMENTS(keys));
    if (difference != NULL)
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT, "belongs to another run: %s", difference);
    return difference == NULL;
}

char *
cs_run_head_new(json_t *identity, const char *memo)
{
    g_autoptr(CsJson) head = json_pack("{s:s, s:i, s:s, s:O}", "format", FORMAT, "version", VERSION,
                                       "program_version", CS_VERSION, "identity", identity);
    return head != NULL && cs_json_text_write(head, "memo", memo) ? json_dumps(head, JSON_COMPACT)
                                                                  : NULL;
}

json_t *
cs_run_head_read(const char *text, gboolean *usable, const json_t **identity)
{
    const char *format = NULL;
    int version = 0;
    json_t *object = NULL;
    g_autoptr(CsJson) head = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    *identity = NULL;
    if (head == NULL ||
        json_unpack(head, "{s:s, s:i}", "format", &format, "version", &version) != 0 ||
        strcmp(format, FORMAT) != 0)
        return NULL;
    *usable = version == VERSION;
    if (*usable && json_unpack(head, "{s:o}", "identity", &object) != 0)
        return NULL;
    *identity = object;
    return g_steal_pointer(&head);
}

gboolean
cs_run_head_describe(json_t *head, CsIdentityCheckpointInfo *info, gint64 *cells, gint64 *tiles)
{
    const char *program = NULL;
    int alphabet, over, one_file, align;
    json_int_t n[8];
    g_autofree char *memo = NULL;
    if (json_unpack(head, "{s:s, s:{s:b, s:I, s:I, s:i, s:I, s:I, s:i, s:I, s:b, s:I, s:I, s:I}}",
                    "program_version", &program, "identity", "one_file", &one_file, "first_records",
                    &n[0], "second_records", &n[1], "alphabet", &alphabet, "gap_open", &n[2],
                    "gap_extend", &n[3], "over", &over, "min_identity_1e9", &n[4], "align", &align,
                    "pairs", &n[5], "cells", &n[6], "tiles", &n[7]) != 0 ||
        !cs_json_text_read(head, "memo", &memo))
        return FALSE;
    g_free(info->program_version);
    g_free(info->memo);
    info->program_version = g_strdup(program);
    info->memo = g_steal_pointer(&memo);
    info->alphabet = (CsAlphabet)alphabet;
    info->one_file = one_file;
    info->first_count = n[0];
    info->second_count = n[1];
    info->gap_open = n[2];
    info->gap_extend = n[3];
    info->over = (CsIdentityOver)over;
    info->min_identity = (double)n[4] / CS_IDENTITY_UNIT;
    info->align = align;
    info->pairs = n[5];
    *cells = n[6];
    *tiles = n[7];
    return TRUE;
}
