/* Which vector target the engine runs on here. */
#include <string.h>

#include <chromosweep/error.h>

#include "config.h"
#include "cpu_wave.h"
#include "simd.h"

typedef struct {
    const char *name;
    const char *description;
    gboolean (*works)(void);
    CsCpuKernel kernel_32;
    CsCpuKernel kernel_64;
} Target;

static gboolean
works_everywhere(void)
{
    return TRUE;
}

#ifdef CS_SIMD_X86
static gboolean
has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

static gboolean
has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
#endif

/* Best first. */
static const Target targets[] = {
#ifdef CS_SIMD_X86
    {"avx512", "AVX-512", has_avx512, cs_simd_avx512_32, cs_simd_avx512_64},
    {"avx2", "AVX2", has_avx2, cs_simd_avx2_32, cs_simd_avx2_64},
#endif
    {"baseline", "baseline vectors", works_everywhere, cs_simd_baseline_32, cs_simd_baseline_64},
};

static const char *mask_in_tests;

void
cs_simd_set_mask(const char *name)
{
    mask_in_tests = name;
}

/* The best target that works here and is not masked. */
static const Target *
pick_target(GError **error)
{
    const char *mask = mask_in_tests != NULL ? mask_in_tests : g_getenv("CHROMOSWEEP_SIMD");
    guint first = 0;
    while (mask != NULL && strcmp(mask, targets[first].name) != 0)
        if (++first == G_N_ELEMENTS(targets)) {
            g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                        "CHROMOSWEEP_SIMD is '%s', which is no vector target of this build", mask);
            return NULL;
        }
    while (!targets[first].works())
        first++;
    return &targets[first];
}

static const char *
describe(const char *device, GError **error)
{
    const Target *target = pick_target(error);
    return target != NULL ? target->description : NULL;
}

static CsRun *
begin(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
      const CsEngineOptions *options, GError **error)
{
    const Target *target = pick_target(error);
    if (target == NULL)
        return NULL;
    return cs_cpu_wave_begin(target->kernel_32, target->kernel_64, rectangle, grid, options, error);
}

const CsEngineClass cs_simd_engine = {
    .name = "simd",
    .queue = CS_CPU_WAVE_QUEUE,
    .describe = describe,
    .shape = cs_cpu_wave_shape,
    .accepts = cs_cpu_wave_accepts,
    .begin = begin,
    .submit = cs_cpu_wave_submit,
    .collect = cs_cpu_wave_collect,
    .staircase = cs_cpu_wave_staircase,
    .finish = cs_cpu_wave_finish,
    .free = cs_cpu_wave_free,
};
