/*
 * The wave of blocks on CPU threads: the slots of an engine, for any block kernel.
 */
#ifndef CS_CPU_WAVE_H
#define CS_CPU_WAVE_H

#include "cpu_block.h"

/* How many diagonals a CPU engine takes ahead. */
#define CS_CPU_WAVE_QUEUE 64

/* Takes the kernel for the width that the rectangle's scores need. */
CsRun *cs_cpu_wave_begin(CsCpuKernel kernel_32, CsCpuKernel kernel_64, const CsRectangle *rectangle,
                         const CsGrid *grid, guint threads, GError **error);
gboolean cs_cpu_wave_submit(CsRun *run, gint64 d, GError **error);
gboolean cs_cpu_wave_collect(CsRun *run, CsCollected *collected, GError **error);
gboolean cs_cpu_wave_staircase(CsRun *run, CsStaircase *staircase, GError **error);
gboolean cs_cpu_wave_finish(CsRun *run, GError **error);
void cs_cpu_wave_free(CsRun *run);

/* The shape for an m x n sweep: blocks up to height x width, smaller where threads would starve. */
void cs_cpu_wave_shape(gint64 m, gint64 n, guint threads, gint64 *block_height, gint64 *block_width,
                       gint64 *depth);

#endif
