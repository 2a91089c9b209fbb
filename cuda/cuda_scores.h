/* Scores of queries with many records on a GPU. */
#ifndef CS_CUDA_SCORES_H
#define CS_CUDA_SCORES_H

#include "scores/scorer_class.h"

extern const CsScorerClass cs_cuda_scorer;

#endif
