/* The passes over a query: which kernels compute it, and with how many lanes (tape.h). */
#ifndef CS_CUDA_PASSES_H
#define CS_CUDA_PASSES_H

#include "cuda/cuda_stripes.h"
#include "cuda/cuda_tapes.h"

/* What kernels of a kind take: cycles of a step of a warp, and columns beside those of letters. */
typedef struct {
    double row, step, team; /* for each row of a lane, besides, and for each team */
    double record, lane;    /* columns for each record, and for each lane of its team */
    double hand_on; /* at least this for each letter in a pass of few rows with another below */
    double few;     /* times as much with three warps a scheduler as with four */
    double alone;   /* for each row, if a warp waits for each result */
} CsCudaCosts;

/* A kernel and its lanes, and about how many cycles a pass takes one after the other: the last
 * one, and one with another below. */
typedef struct {
    const CsTapeKernel *kernel;
    int lanes;
    double cost, cost_above;
} CsCudaForm;

/* Appends the forms of a kernel that the device can run, and of them only the one that was asked for. */
void cs_cuda_forms_add(GArray *forms, const CsCudaTapes *tapes, const CsTapeKernel *kernel,
                       const CsCudaCosts *costs);

/* All of one form but the last. */
typedef struct {
    CsCudaForm form, last;
    guint count;
} CsCudaPasses;

/* The cheapest passes over so many rows. None if there is no form. */
CsCudaPasses cs_cuda_passes_plan(const GArray *forms, gint64 rows);

/* The same with stripes; all lanes have as many rows. */
CsCudaPasses cs_cuda_passes_plan_stripes(const GArray *forms, const CsCudaStripes *stripes);

/* Starts the kernels of all passes, of which there must be some. A cell of the column has so many bytes. */
gboolean cs_cuda_passes_start(const CsCudaPasses *passes, CsCudaTapes *tapes, gsize cell_bytes,
                              CsTapeLaunch *launch, GError **error);

#endif
