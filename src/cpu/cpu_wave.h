/*
 * The wave of blocks on CPU threads: the functions of an engine, for any block kernel.
 */
#ifndef CS_CPU_WAVE_H
#define CS_CPU_WAVE_H

#include "cpu/cpu_block.h"

/* How many diagonals a CPU engine accepts ahead. */
#define CS_CPU_WAVE_QUEUE 64

/* The functions of CsEngineClass. begin() also takes the kernels for 32-bit and 64-bit scores. */
CsRun *cs_cpu_wave_begin(CsCpuKernel kernel_32, CsCpuKernel kernel_64, const CsRectangle *rectangle,
                         const CsGrid *grid, const CsEngineOptions *options, GError **error);
gboolean cs_cpu_wave_feed(CsRun *run, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
                          CsScore known, GError **error);
gboolean cs_cpu_wave_submit(CsRun *run, gint64 d, GError **error);
gboolean cs_cpu_wave_collect(CsRun *run, CsCollected *collected, GError **error);
gboolean cs_cpu_wave_staircase(CsRun *run, CsStaircase *staircase, GError **error);
gboolean cs_cpu_wave_finish(CsRun *run, GError **error);
void cs_cpu_wave_free(CsRun *run);

/* Whether the rectangle's scores fit the width that the options ask for. Does not check memory. */
gboolean cs_cpu_wave_accepts(const CsRectangle *rectangle, const CsGridShape *shape,
                             const CsEngineOptions *options, GError **error);

void cs_cpu_wave_needs(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
                       const CsEngineOptions *options, CsEngineNeeds *needs);

#endif
