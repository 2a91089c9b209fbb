/*
 * A GPU made of ordinary code, for tests where there is none: the engine's kernels and host code,
 * compiled by gcc, compute the same values, thousands of times more slowly.
 *
 *     cuda_runtime_api.h, runtime.c   CUDA's runtime: memory, streams, events, textures
 *     cuda/nvcc.cuh                   the kernels' language: lanes, shuffles, PTX
 *     emulator.h, launch.c            a launch: blocks, warps and lanes that take turns
 *     fibers.h, fibers.c              how one lane goes on where another stops
 *
 * Each lane is a fiber with a stack of its own, and all of them run on the thread that waits for
 * the stream. A lane runs until it must wait for others: at a shuffle, a vote or a barrier. Which
 * one goes on is then drawn by lot, as is the order of warps and blocks. So code that forgets to
 * wait often gets a wrong result or ends with a message. It does not prove that code waits: lanes
 * never run at the same time, and whatever one of them writes all others see at once.
 *
 * Work on a stream is done as late as possible, when the host waits for it. So a host that reads a
 * result or changes a source too early does so in every run.
 *
 * What is emulated is for EMULATED_GPU to say, a list such as "gpus=2 multiprocessors=3":
 *
 *     gpus=1               how many there are
 *     multiprocessors=2    of each; a sweep's slots depend on it
 *     capability=9.0       7.5, 8.0 or 9.0: how much shared memory there is
 *     seed=1               of the order of lanes, warps and blocks; 0: as they are numbered
 *     eager=0              1: work on a stream is done at once
 *     failing=-1           launches on this GPU fail,
 *     launches=0           after so many since this was set
 *
 * Misuse ends the program. What it prints begins with "emulated GPU:" and says what was wrong, in
 * which lane and in which kernel.
 *
 * There is no default stream. Launches run one after another, those of different streams and GPUs,
 * too: a kernel cannot wait for one that is launched elsewhere.
 */
#ifndef EMULATOR_H
#define EMULATOR_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a kernel knows as threadIdx and blockIdx. */
typedef struct {
    unsigned x;
} EmulatorIndex;

/* A kernel and its one argument, which is copied. */
typedef struct {
    void (*enter)(const void *kernel, const void *argument);
    const void *kernel;
    const char *name; /* for messages */
    const void *argument;
    size_t argument_bytes;
    unsigned blocks, threads;
    size_t shared; /* bytes of a block */
} EmulatorLaunch;

/* Ends the program with this line and where it is. */
void emulator_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* A value of EMULATED_GPU. */
double emulator_setting(const char *name, double otherwise);

/* Queues a launch on a stream, or fails as CUDA does: see cudaGetLastError(). */
void emulator_queue(const EmulatorLaunch *launch, cudaStream_t stream);

/* Runs a launch on this thread; resident: blocks that run at once, at most. */
void emulator_run(const EmulatorLaunch *launch, unsigned resident);

/* Of the lane that runs. */
EmulatorIndex emulator_thread(void);
EmulatorIndex emulator_block(void);

/* Waits until all lanes of the warp are here, and returns the value that each came with. They stay
 * until the lane's next call. `where` is the place in the source, which must be the same for all. */
const uint64_t *emulator_meet(const char *where, uint32_t mask, uint64_t value);

/* Waits at a barrier of the block until this many threads are there; 0: all of the block. */
void emulator_barrier(const char *where, int barrier, unsigned threads);

/* Lets others run before the lane goes on. */
void emulator_pause(void);

/* What other blocks can notice: sometimes they run first. */
void emulator_touch(void);

/* The block's shared memory. */
void *emulator_shared(void);

/* Bytes of it from this offset on, which must be inside and a multiple of their number. */
const void *emulator_shared_at(uint32_t offset, size_t bytes);

/* A word of a linear texture. */
uint32_t emulator_texel(cudaTextureObject_t texture, int index);

#ifdef __cplusplus
}
#endif

#endif
