/* Global alignments of sequences with many records on a GPU. */
#ifndef CS_CUDA_GLOBAL_H
#define CS_CUDA_GLOBAL_H

#include "scores/global_class.h"

extern const CsGlobalScorerClass cs_cuda_global_scorer;

#endif
