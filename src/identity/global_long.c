/* Whole strips of rows are for the kernel. The last rows, which do not fill one, are computed one by one. */
#include "identity/global_long.h"
#include "system/memory.h"
#include "system/stop.h"

/* The recurrence of global_lane_kernel.c, along a row. */
static void
compute_row(CsGlobalLong *job, gint64 i)
{
    const gboolean matches = (job->matching >> job->query[i] & 1) != 0;
    gint64 w = i == 0 ? -job->open : 0, t = w - job->open;
    for (gint64 j = 0; j < job->columns; j++) {
        const gint64 u = job->u[j], s = job->s[j];
        const gint64 gain = matches && job->query[i] == job->record[j] ? job->match : job->other;
        const gint64 best = MAX(gain, MAX(s, t)), less = best - job->open;
        job->u[j] = best - w;
        job->s[j] = MAX(s, less) - w;
        t = MAX(t, less) - u;
        w = best - u;
    }
}

gboolean
cs_global_long(const CsGlobalLongKernel *kernel, CsGlobalLong *job, CsWide *found)
{
    g_autofree gint64 *u = cs_memory_try_new(gint64, job->columns);
    g_autofree gint64 *s = cs_memory_try_new(gint64, job->columns);
    if (u == NULL || s == NULL)
        return FALSE;
    job->u = u;
    job->s = s;
    for (gint64 j = 0; j < job->columns; j++) {
        u[j] = j == 0 ? -job->open : 0;
        s[j] = u[j] - job->open;
    }
    for (gint64 i = kernel->compute(job); i < job->rows && !cs_is_stopped(job->stop); i++)
        compute_row(job, i);
    *found = -job->open;
    for (gint64 j = 0; j < job->columns; j++)
        *found += u[j];
    return TRUE;
}
