/*
 * Compares the speed of the vector engine's lanes, measured in the same minute: bench_lanes
 *
 * On one thread, each target computes a block of unrelated bases. The borders and the best score
 * suit tilted lanes, then lanes of 16 bits, then lanes of 8 bits or single bits. They take turns in ROUNDS rounds.
 * The fastest times are printed as GCUPS.
 */
#include <stdlib.h>

#include <chromosweep/chromosweep.h>

#include "../engine_choice.h"
#include "cpu/simd.h"

enum {
    HEIGHT = 1536,
    WIDTH = 11520,
    ROUNDS = 15,
};

typedef struct {
    const char *name;
    int narrowest;  /* index of the first kernel to try */
    CsScore corner; /* H; along the borders H falls from it by a gap's next base per cell */
    CsScore best;   /* the known score */
    double fastest; /* seconds */
} Lanes;

static void
compute(const CsSimdKernel *const *kernels, Lanes *lanes, CsCpuBlock *block)
{
    const gint32 extend = (gint32)block->scoring->gap_extend;
    gint32 *h[] = {block->top_h, block->left_h}, *gap[] = {block->top_f, block->left_e};
    const gint64 count[] = {WIDTH, HEIGHT};
    for (int side = 0; side < 2; side++)
        for (gint64 k = 0; k < count[side]; k++) {
            h[side][k] = MAX((gint32)lanes->corner - extend * (gint32)(k + 1), 0);
            gap[side][k] = 0;
        }
    block->corner = lanes->corner;
    block->best = (CsBest){lanes->best, 1, 1};
    const gint64 start = g_get_monotonic_time();
    cs_simd_compute(kernels + lanes->narrowest, block);
    lanes->fastest = MIN(lanes->fastest, (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC);
}

static void
race(const char *target, CsCpuBlock *block)
{
    Lanes all[] = {{"tilted", 1, 1000000, 2000000, G_MAXDOUBLE},
                   {"16 bits", 1, 60000, 60000 + HEIGHT / 2, G_MAXDOUBLE},
                   {"8 bits", 1, 0, 1000, G_MAXDOUBLE},
                   {"1 bit", 0, 0, 1000, G_MAXDOUBLE}};
    mask_simd(target);
    const CsSimdKernel *const *kernels = cs_simd_kernels(NULL);
    for (guint round = 0; kernels != NULL && round < ROUNDS; round++)
        for (guint k = 0; k < G_N_ELEMENTS(all); k++)
            compute(kernels, &all[k], block);
    for (guint k = 0; kernels != NULL && k < G_N_ELEMENTS(all); k++)
        g_print("%-8s %-8s %6.2f GCUPS\n", cs_engine_describe("simd", NULL), all[k].name,
                (double)HEIGHT * WIDTH / all[k].fastest / 1e9);
}

int
main(void)
{
    static const char *const targets[] = {"sse4.1", "avx2", "avx512"};
    const CsScoring scoring = CS_SCORING_DEFAULT;
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    g_autofree guint8 *rows = g_malloc(HEIGHT), *columns = g_malloc(WIDTH);
    for (int i = 0; i < HEIGHT; i++)
        rows[i] = (guint8)g_rand_int_range(rand, 0, 4);
    for (int j = 0; j < WIDTH; j++)
        columns[j] = (guint8)g_rand_int_range(rand, 0, 4);
    g_autofree gint32 *buses = g_new(gint32, 2 * (HEIGHT + WIDTH));
    CsCpuBlock block = {
        .rows = rows,
        .columns = columns,
        .height = HEIGHT,
        .width = WIDTH,
        .scoring = &scoring,
        .score_width = CS_WIDTH_32,
        .top_h = buses,
        .top_f = buses + WIDTH,
        .left_h = buses + 2 * WIDTH,
        .left_e = buses + 2 * WIDTH + HEIGHT,
    };
    if (posix_memalign(&block.scratch, 64, CS_CPU_SCRATCH(HEIGHT, WIDTH)) != 0)
        g_error("not enough memory");
    for (guint k = 0; k < G_N_ELEMENTS(targets); k++)
        race(targets[k], &block);
    free(block.scratch);
    return 0;
}
