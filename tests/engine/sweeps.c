/* Runs sweeps for tests. */
#include <string.h>

#include <chromosweep/error.h>

#include "../engine_choice.h"
#include "../some_ring.h"
#include "ring/ring_share.h"
#include "sweeps.h"

/* The engine of this name if it works here; "ring" is one, too, and "gpus" is a ring with GPUs. */
static const CsEngineClass *
find_engine(const char *name, GError **error)
{
    if (strcmp(name, "gpus") == 0)
        return engine_working("cuda", error) != NULL ? &cs_ring_gpu_engine : NULL;
    return strcmp(name, "ring") == 0 ? &cs_ring_engine : engine_working(name, error);
}

guint
sweeps_variants(const Variant **variants)
{
    static const Variant all[] = {
        {"scalar", NULL, 0},   {"simd", "neon", 0}, {"simd", "sse4.1", 0}, {"simd", "avx2", 0},
        {"simd", "avx512", 0}, {"ring", NULL, 0},   {"cuda", NULL, 16},    {"cuda", NULL, 32},
        {"gpus", NULL, 16},    {"gpus", NULL, 32},
    };
    static Variant able[G_N_ELEMENTS(all)];
    static guint count = 0;
    if (count == 0) {
        const char *before = "";
        for (guint k = 0; k < G_N_ELEMENTS(all); k++) {
            mask_simd(all[k].simd);
            const CsEngineClass *engine = find_engine(all[k].engine, NULL);
            if (engine == NULL)
                continue;
            const char *phrase = engine->describe(NULL, NULL);
            /* A missing instruction set falls back to the one before it. */
            if (all[k].simd == NULL || strcmp(phrase, before) != 0)
                able[count++] = all[k];
            before = phrase;
        }
        mask_simd(NULL);
        g_assert_cmpuint(count, >=, 2); /* the vector engine is among them */
    }
    *variants = able;
    return count;
}

CsRectangle
sweeps_rectangle(const Case *c, const CsSequence *a, const CsSequence *b)
{
    return (CsRectangle){
        .rows = cs_view_of(a),
        .columns = cs_view_of(b),
        .scoring = c->scoring,
        .tie_order = c->tie_order,
    };
}

/* Where the next piece of each special row must begin. */
typedef struct {
    const CsRectangle *rectangle;
    Swept *swept;
    gint64 *filled;
} Sink;

static gboolean
take_row(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f, gboolean bounds,
         gpointer user_data, GError **error)
{
    Sink *sink = user_data;
    gsize k = 0;
    g_assert_false(bounds);
    while (k < sink->rectangle->n_special_rows && sink->rectangle->special_rows[k] != i)
        k++;
    g_assert_cmpuint(k, <, sink->rectangle->n_special_rows);
    g_assert_cmpint(from, ==, sink->filled[k]);
    memcpy(sink->swept->special_h[k] + from, h, (gsize)count * sizeof *h);
    memcpy(sink->swept->special_f[k] + from, f, (gsize)count * sizeof *f);
    sink->filled[k] += count;
    return TRUE;
}

CsSweepOptions
sweeps_options(const Case *c, const Variant *variant)
{
    g_autoptr(GError) error = NULL;
    mask_simd(variant->simd);
    CsSweepOptions options = {
        .engine = find_engine(variant->engine, &error),
        .engine_options = {.threads = c->threads, .bits = variant->bits},
        .shape = {c->block_height, c->block_width, c->depth, 0, 0, FALSE},
    };
    g_assert_no_error(error);
    if (options.engine == &cs_ring_engine) { /* fewer threads than members, or more */
        some_ring(1 + (guint)((c->m + c->block_width) % 4), c->n % 2 != 0, &options.engine_options);
        options.engine_options.threads += (guint)(c->n % 3);
    }
    if (options.engine == &cs_ring_gpu_engine) {
        const guint lot = (guint)(c->m + 5 * c->n + 3 * c->block_width);
        options.engine =
            some_gpu_ring(lot, engine_working("cuda", NULL), count_gpus(), &options.engine_options);
    }
    if (!options.engine->gpu)
        return options;
    /* Every number of warps and height of strips, and sometimes row slices. */
    options.shape.block_threads = 32 * (guint)(1 + c->block_width % 8);
    options.shape.block_height <<= c->block_width / 8 % 4 * 2;
    if (c->block_height % 8 == 0)
        options.shape = (CsGridShape){20000, c->n + 1000, 1, options.shape.block_threads, 0, FALSE};
    return options;
}

gboolean
sweeps_accepts(const Case *c, const Variant *variant, const CsRectangle *rectangle)
{
    CsSweepOptions options = sweeps_options(c, variant);
    g_autoptr(CsGrid) grid = cs_sweep_plan(rectangle, &options);
    g_autoptr(GError) error = NULL;
    if (grid->block_rows == 0 ||
        options.engine->accepts(rectangle, &options.shape, &options.engine_options, &error))
        return TRUE;
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    return FALSE;
}

const Variant *
sweeps_fitting(const Case *c, const Variant *variant, const CsRectangle *rectangle)
{
    const Variant *variants;
    sweeps_variants(&variants);
    return sweeps_accepts(c, variant, rectangle) ? variant : &variants[0];
}

guint
sweeps_members(const Case *c, const Variant *variant, const CsRectangle *rectangle,
               const CsGrid *grid)
{
    const CsSweepOptions options = sweeps_options(c, variant);
    return grid->block_rows == 0 ? 0
                                 : cs_ring_share_count(rectangle, grid, &options.engine_options);
}

CsGrid *
sweeps_grid(const Case *c, const Variant *variant, const CsRectangle *rectangle)
{
    CsSweepOptions options = sweeps_options(c, variant);
    return cs_sweep_plan(rectangle, &options);
}

void
sweeps_run(const Case *c, const Variant *variant, CsRectangle rectangle, Swept *swept)
{
    g_autoptr(GError) error = NULL;
    gint64 m = cs_rectangle_m(&rectangle), n = cs_rectangle_n(&rectangle);
    *swept = (Swept){.n_special = rectangle.n_special_rows};
    /* In turn: 64 bits here and 32 inside, or 64 bits in both. */
    CsWidth width;
    g_assert_true(cs_rectangle_width(&rectangle, &width, &error));
    if ((m + n) % 2 == 0)
        width = CS_WIDTH_64;
    swept->bottom = rectangle.bottom = cs_bus_new(n, width, &error);
    swept->right = rectangle.right = cs_bus_new(m, width, &error);
    g_assert_no_error(error);
    if (c->in_place) { /* the borders that leave overwrite those that enter */
        cs_rectangle_read_top(&rectangle, rectangle.bottom);
        cs_rectangle_read_left(&rectangle, rectangle.right);
        rectangle.top = rectangle.bottom;
        rectangle.left = rectangle.right;
    }
    swept->special_h = g_new0(CsScore *, swept->n_special + 1);
    swept->special_f = g_new0(CsScore *, swept->n_special + 1);
    for (gsize k = 0; k < swept->n_special; k++) {
        swept->special_h[k] = g_new(CsScore, n + 1);
        swept->special_f[k] = g_new(CsScore, n + 1);
    }
    g_autofree gint64 *filled = g_new0(gint64, swept->n_special + 1);
    Sink sink = {&rectangle, swept, filled};
    rectangle.row_func = take_row;
    rectangle.row_data = &sink;
    CsSweepOptions options = sweeps_options(c, variant);
    swept->grid = cs_sweep_plan(&rectangle, &options);
    gboolean success = cs_sweep_run(&rectangle, swept->grid, &options, &swept->state, &error);
    g_assert_no_error(error);
    g_assert_true(success);
    g_assert_cmpint(swept->state.cells, ==, m * n);
    for (gsize k = 0; k < swept->n_special; k++)
        g_assert_cmpint(filled[k], ==, n);
}

void
swept_clear(Swept *swept)
{
    for (gsize k = 0; k < swept->n_special; k++) {
        g_free(swept->special_h[k]);
        g_free(swept->special_f[k]);
    }
    g_free(swept->special_h);
    g_free(swept->special_f);
    cs_bus_free(swept->bottom);
    cs_bus_free(swept->right);
    cs_grid_free(swept->grid);
}
