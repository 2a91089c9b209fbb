/* An alignment as path_oracle() has one. */
#ifndef ALIGNMENT_STEPS_H
#define ALIGNMENT_STEPS_H

#include <chromosweep/alignment.h>

/* For g_free(). */
static inline char *
alignment_steps(const CsAlignment *alignment)
{
    GString *steps = g_string_new(NULL);
    g_auto(CsAlignmentIter) iter;
    CsAlignmentRun run;
    cs_alignment_iter_init(&iter, alignment);
    while (cs_alignment_iter_next(&iter, &run))
        for (gint64 k = 0; k < run.length; k++)
            g_string_append_c(steps, run.op == 'I' ? 'C' : run.op == 'D' ? 'R' : 'M');
    return g_string_free(steps, FALSE);
}

#endif
