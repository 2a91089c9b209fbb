/* Which instruction set the vector engine runs on here. */
#include <string.h>

#include <chromosweep/error.h>

#include "config.h"
#include "cpu/cpu_shape.h"
#include "cpu/cpu_wave.h"
#include "cpu/scalar.h"
#include "cpu/simd.h"

typedef struct {
    const char *name;
    const char *description;
    gboolean (*works)(void);
    CsCpuKernel kernel; /* for 32-bit scores */
    const CsSimdKernel *const *kernels;
} Target;

static const CsSimdKernel *const kernels_128[] = {&cs_simd_128_1, &cs_simd_128_tilted,
                                                  &cs_simd_128_8, &cs_simd_128_16, &cs_simd_128_32};

static void
compute_128(CsCpuBlock *block)
{
    cs_simd_compute(kernels_128, block);
}

#ifdef CS_SIMD_X86
static const CsSimdKernel *const kernels_avx2[] = {
    &cs_simd_avx2_1, &cs_simd_avx2_tilted, &cs_simd_avx2_8, &cs_simd_avx2_16, &cs_simd_avx2_32};
static const CsSimdKernel *const kernels_avx512[] = {&cs_simd_avx512_1, &cs_simd_avx512_tilted,
                                                     &cs_simd_avx512_8, &cs_simd_avx512_16,
                                                     &cs_simd_avx512_32};
static const CsSimdKernel *const kernels_vbmi2[] = {&cs_simd_vbmi2_1, &cs_simd_avx512_tilted,
                                                    &cs_simd_avx512_8, &cs_simd_avx512_16,
                                                    &cs_simd_avx512_32};

static void
compute_avx2(CsCpuBlock *block)
{
    cs_simd_compute(kernels_avx2, block);
}

static void
compute_avx512(CsCpuBlock *block)
{
    cs_simd_compute(kernels_avx512, block);
}

static void
compute_vbmi2(CsCpuBlock *block)
{
    cs_simd_compute(kernels_vbmi2, block);
}

static gboolean
has_sse41(void)
{
    return __builtin_cpu_supports("sse4.1");
}

static gboolean
has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

static gboolean
has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}

static gboolean
has_vbmi2(void)
{
    return has_avx512() && __builtin_cpu_supports("avx512vbmi2");
}
#else
static gboolean
works_everywhere(void)
{
    return TRUE;
}
#endif

/* Best first. To the user, AVX-512 is one target. */
static const Target targets[] = {
#if defined(CS_SIMD_X86)
    {"avx512", "AVX-512", has_vbmi2, compute_vbmi2, kernels_vbmi2},
    {"avx512", "AVX-512", has_avx512, compute_avx512, kernels_avx512},
    {"avx2", "AVX2", has_avx2, compute_avx2, kernels_avx2},
    {"sse4.1", "SSE4.1", has_sse41, compute_128, kernels_128},
#elif defined(__aarch64__)
    {"neon", "NEON", works_everywhere, compute_128, kernels_128},
#else
    {"portable", "portable vectors", works_everywhere, compute_128, kernels_128},
#endif
};

/* The best target that works here and that CHROMOSWEEP_SIMD allows. */
static const Target *
pick_target(GError **error)
{
    const char *mask = g_getenv("CHROMOSWEEP_SIMD");
    guint first = 0;
    while (mask != NULL && strcmp(mask, targets[first].name) != 0)
        if (++first == G_N_ELEMENTS(targets)) {
            g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                        "CHROMOSWEEP_SIMD is '%s', which is not a vector target of this build",
                        mask);
            return NULL;
        }
    for (; first < G_N_ELEMENTS(targets); first++)
        if (targets[first].works())
            return &targets[first];
    g_set_error_literal(
        error, CS_ERROR, CS_ERROR_DEVICE,
        "this processor has none of the vector instructions that this build supports");
    return NULL;
}

const CsSimdKernel *const *
cs_simd_kernels(GError **error)
{
    const Target *target = pick_target(error);
    return target != NULL ? target->kernels : NULL;
}

const char *
cs_simd_target(GError **error)
{
    const Target *target = pick_target(error);
    return target != NULL ? target->name : NULL;
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
    /* 64-bit scores are rare, so they have no vector kernel. */
    return cs_cpu_wave_begin(target->kernel, cs_scalar_compute, rectangle, grid, options, error);
}

const CsEngineClass cs_simd_engine = {
    .name = "simd",
    .queue = CS_CPU_WAVE_QUEUE,
    .describe = describe,
    .shape = cs_cpu_shape_fill,
    .accepts = cs_cpu_wave_accepts,
    .needs = cs_cpu_wave_needs,
    .begin = begin,
    .feed = cs_cpu_wave_feed,
    .submit = cs_cpu_wave_submit,
    .collect = cs_cpu_wave_collect,
    .staircase = cs_cpu_wave_staircase,
    .finish = cs_cpu_wave_finish,
    .free = cs_cpu_wave_free,
};
