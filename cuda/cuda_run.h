/*
 * One sweep on a GPU: what its parts share, and the contract of its three layouts (cuda_plan.h;
 * cuda_engine.c has a drawing). A layout keeps its own data in a struct that begins with a CsRun.
 */
#ifndef CS_CUDA_RUN_H
#define CS_CUDA_RUN_H

#include "cuda/cuda_footprint.h"
#include "cuda/cuda_memory.h"

enum {
    CS_CUDA_QUEUE = 32, /* diagonals submitted but not collected, at most */
};

/* What the host is told of the best cell. */
typedef struct {
    CsKernelBest best;
    guint64 reruns;
    gint64 score;   /* the lower half: the highest score of a cell seen anywhere */
    gint32 trouble; /* a skipping sweep's values did not fit: CsKernelLaunch */
    gint32 tickets; /* items taken by all launches */
} CsCudaTotals;

/* A layout's part of the engine's contract (engine_class.h). */
typedef struct {
    gsize size; /* of its struct */

    /* State and bases are on the device: adds borders, rows and the layout's own data. */
    gboolean (*set_up)(CsRun *run, GError **error);

    /* As in CsEngineClass; NULL: the layout is none for a member of a ring. */
    gboolean (*feed)(CsRun *run, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
                     GError **error);

    gboolean (*submit)(CsRun *run, gint64 d, GError **error);

    /* Of diagonal d; run->latest are the totals then. */
    gboolean (*collect)(CsRun *run, gint64 d, CsCollected *collected, GError **error);

    /* Fills a staircase that has a horizontal bus; its best cell is then that of run->latest. */
    gboolean (*staircase)(CsRun *run, CsStaircase *copy, GError **error);

    gboolean (*finish)(CsRun *run, GError **error);

    /* Called when nothing is queued, even after a set_up() that failed or was never called. */
    void (*clear)(CsRun *run);
} CsCudaLayout;

extern const CsCudaLayout cs_cuda_wave;
extern const CsCudaLayout cs_cuda_row_slices;
extern const CsCudaLayout cs_cuda_skipping;
extern const CsCudaLayout cs_cuda_skipping_other; /* of CsRun.others */

struct _CsRun {
    const CsCudaLayout *layout;
    const CsRectangle *rectangle;
    const CsGrid *grid;
    CsCudaPlan plan;
    CsCudaFootprint footprint;
    int ordinal;
    CsCudaMemory memory;
    CsKernelLaunch launch; /* changed from launch to launch */
    CsCudaTotals *totals;  /* on the device */
    CsCudaTotals latest;   /* the same on the host, as last copied */
    gint64 submitted, collected;
    /* In a skipping sweep that several GPUs share: those of the others, which are set up and freed
     * with this one. */
    CsRun **others;
    guint n_others;
    guint speed;    /* then: as in CsMember */
    gboolean alone; /* several could have shared the sweep, but it is not one that they share */
};

/* A run of a layout that is not set up yet. Fails with CS_ERROR_DEVICE if the current device, whose
 * number this is, has no room for it. */
CsRun *cs_cuda_run_new(const CsCudaLayout *layout, const CsRectangle *rectangle, const CsGrid *grid,
                       const CsCudaPlan *plan, int ordinal, GError **error);

/*
 * Sets up a run whose members above `memory` are filled in and whose device is the current one.
 * Fails with CS_ERROR_DEVICE; the run is to be freed even then.
 */
gboolean cs_cuda_run_set_up(CsRun *run, GError **error);

/* Waits for everything queued. */
void cs_cuda_run_free(CsRun *run);

/* Puts the rows of each block row of the grid on the device. */
gboolean cs_cuda_run_make_rows(CsRun *run, GError **error);

/* Whether anybody needs the rectangle's last row. If not, it may end inside a strip at no cost. */
gboolean cs_cuda_run_wants_bottom(const CsRun *run);

/* Whether the values that leave the sweep are bounds (CsRowFunc). */
gboolean cs_cuda_run_leaves_bounds(const CsRun *run);

/* Cells of one warp's chunk. */
gint64 cs_cuda_run_chunk_cells(const CsRun *run);

/* Adds what was marked on the device to the rectangle's marks, if it has some. */
gboolean cs_cuda_run_take_marks(CsRun *run, GError **error);

/* The best cell of the latest totals, and the best score that the device knew then. */
CsBest cs_cuda_run_best(const CsRun *run);
gint32 cs_cuda_run_known(const CsRun *run);

#endif
