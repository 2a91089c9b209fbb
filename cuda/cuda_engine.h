/* The engine of NVIDIA GPUs. */
#ifndef CS_CUDA_ENGINE_H
#define CS_CUDA_ENGINE_H

#include "sweep/engine_class.h"

extern const CsEngineClass cs_cuda_engine;

#endif
