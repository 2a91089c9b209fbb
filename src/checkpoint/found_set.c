/* How far a set of alignments has come: see found_set.h, docs/formats.md. */
#include "checkpoint/found_set.h"
#include "checkpoint/found.h"

CsCheckpointSet *
cs_found_set_read(const char *directory, const CsFingerprintRecord *record)
{
    gint64 count = 0;
    g_autofree gint64 *head = cs_found_read(directory, record, CS_FOUND_SET, &count);
    if (head == NULL || count < CS_FOUND_SET_HEAD ||
        head[CS_FOUND_SET_LAYOUT] != CS_FOUND_SET_LATEST)
        return NULL;
    CsCheckpointSet *set = g_new0(CsCheckpointSet, 1);
    const gint64 most = head[CS_FOUND_SET_MOST];
    set->all = head[CS_FOUND_SET_ALL] != 0;
    set->self = head[CS_FOUND_SET_SELF] != 0;
    set->max_drop = head[CS_FOUND_SET_MAX_DROP];
    set->min_score = head[CS_FOUND_SET_LEAST];
    set->most = most < G_MAXINT64 ? most : 0;
    set->alignments = head[CS_FOUND_SET_COUNT];
    set->complete = head[CS_FOUND_SET_COMPLETE] != 0;
    set->fraction = set->complete ? 1 : CLAMP((double)head[CS_FOUND_SET_DONE] / 1e6, 0, 0.999999);
    return set;
}
