/* The scalar engine: the recurrence as it is written down. */
#ifndef CS_SCALAR_H
#define CS_SCALAR_H

#include "cpu/cpu_block.h"

/* Computes a block in 64-bit arithmetic, whatever the width of its borders. */
void cs_scalar_compute(CsCpuBlock *block);

extern const CsEngineClass cs_scalar_engine;

#endif
