/* The passes over a query: which kernels compute it, and with how many lanes (tape.h). */
#ifndef CS_CUDA_PASSES_H
#define CS_CUDA_PASSES_H

#include "cuda/cuda_tapes.h"

/* A kernel and its lanes, and about how many instructions a pass takes one after the other. */
typedef struct {
    const CsTapeKernel *kernel;
    int lanes;
    double cost;
} CsCudaForm;

/* Appends the forms of a kernel that the device can run, and of them only the one that was asked for. A
 * step of a warp takes about `row` instructions for each row. */
void cs_cuda_forms_add(GArray *forms, const CsCudaTapes *tapes, const CsTapeKernel *kernel,
                       double row);

/* All of one form but the last. */
typedef struct {
    CsCudaForm form, last;
    guint count;
} CsCudaPasses;

/* The cheapest passes over so many rows. None if there is no form. */
CsCudaPasses cs_cuda_passes_plan(const GArray *forms, gint64 rows);

/* Starts the kernels of all passes, of which there must be some. A cell of the column has so many bytes. */
gboolean cs_cuda_passes_start(const CsCudaPasses *passes, CsCudaTapes *tapes, gsize cell_bytes,
                              CsTapeLaunch *launch, GError **error);

#endif
