/*
 * The kernels' language on an emulated device (emulator.h): CUDA's words and functions, as far as
 * the kernels use them, and what cuda/nvcc.cuh says in PTX. g++ finds this header instead of that.
 */
#ifndef CS_NVCC_CUH
#define CS_NVCC_CUH

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "emulator.h"

#define __CUDA_ARCH__ 900
#define __global__
#define __device__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(threads, blocks)
#define CS_DEVICE static inline

#define threadIdx emulator_thread()
#define blockIdx emulator_block()

/* The line that calls. */
#define EMULATOR_TEXT(line) #line
#define EMULATOR_LINE(line) EMULATOR_TEXT(line)
#define EMULATOR_HERE (__FILE__ ":" EMULATOR_LINE(__LINE__))

struct alignas(16) int4 {
    int x, y, z, w;
};

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

CS_DEVICE int4
make_int4(int x, int y, int z, int w)
{
    return {x, y, z, w};
}

CS_DEVICE uint4
make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return {x, y, z, w};
}

/* Numbers. */

CS_DEVICE int
min(int a, int b)
{
    return a < b ? a : b;
}

CS_DEVICE int
max(int a, int b)
{
    return a > b ? a : b;
}

CS_DEVICE int64_t
min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

CS_DEVICE int64_t
max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

CS_DEVICE int
__ffs(unsigned bits)
{
    return __builtin_ffs((int)bits);
}

/* The two halves of a word; sums wrap. */
typedef int16_t EmulatorHalves __attribute__((vector_size(4)));
typedef uint16_t EmulatorUnsignedHalves __attribute__((vector_size(4)));

CS_DEVICE uint32_t
__vadd2(uint32_t a, uint32_t b)
{
    return (uint32_t)((EmulatorUnsignedHalves)a + (EmulatorUnsignedHalves)b);
}

CS_DEVICE uint32_t
__vsub2(uint32_t a, uint32_t b)
{
    return (uint32_t)((EmulatorUnsignedHalves)a - (EmulatorUnsignedHalves)b);
}

CS_DEVICE uint32_t
__vmaxs2(uint32_t a, uint32_t b)
{
    EmulatorHalves x = (EmulatorHalves)a, y = (EmulatorHalves)b;
    return (uint32_t)(x > y ? x : y);
}

CS_DEVICE uint32_t
__vmins2(uint32_t a, uint32_t b)
{
    EmulatorHalves x = (EmulatorHalves)a, y = (EmulatorHalves)b;
    return (uint32_t)(x < y ? x : y);
}

CS_DEVICE uint32_t
__vimax3_s16x2(uint32_t a, uint32_t b, uint32_t c)
{
    return __vmaxs2(__vmaxs2(a, b), c);
}

CS_DEVICE uint32_t
__vimax3_s16x2_relu(uint32_t a, uint32_t b, uint32_t c)
{
    return __vmaxs2(__vimax3_s16x2(a, b, c), 0);
}

CS_DEVICE uint32_t
__viaddmax_s16x2(uint32_t a, uint32_t b, uint32_t c)
{
    return __vmaxs2(__vadd2(a, b), c);
}

CS_DEVICE uint32_t
__viaddmax_s16x2_relu(uint32_t a, uint32_t b, uint32_t c)
{
    return __vmaxs2(__viaddmax_s16x2(a, b, c), 0);
}

CS_DEVICE int
__vimax3_s32(int a, int b, int c)
{
    return max(max(a, b), c);
}

CS_DEVICE int
__vimax3_s32_relu(int a, int b, int c)
{
    return max(__vimax3_s32(a, b, c), 0);
}

CS_DEVICE int
__viaddmax_s32(int a, int b, int c)
{
    return max((int)((unsigned)a + (unsigned)b), c);
}

CS_DEVICE uint32_t
select_bytes(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t selected = 0;
    for (int k = 0; k < 4; k++) {
        const uint32_t which = selector >> 4 * k & 15;
        uint32_t byte = (uint32_t)(bytes >> 8 * (which & 7)) & 0xff;
        if (which & 8)
            byte = byte & 0x80 ? 0xff : 0;
        selected |= byte << 8 * k;
    }
    return selected;
}

CS_DEVICE uint32_t
shift_left(uint32_t value, uint32_t by)
{
    return by < 32 ? value << by : 0;
}

CS_DEVICE uint32_t
add_halves(uint32_t a, uint32_t b)
{
    return __vadd2(a, b);
}

CS_DEVICE void
keep_in_registers(uint32_t &, uint32_t &)
{
}

/* Lanes of a warp. */

template <class T>
static inline T
emulator_value(const uint64_t *all, unsigned lane)
{
    T value;
    memcpy(&value, &all[lane & 31], sizeof value);
    return value;
}

/* The values that all lanes have. */
template <class T>
static inline const uint64_t *
emulator_all(const char *where, unsigned mask, T value)
{
    static_assert(sizeof(T) <= sizeof(uint64_t), "one word for each lane");
    uint64_t word = 0;
    memcpy(&word, &value, sizeof value);
    return emulator_meet(where, mask, word);
}

#define __shfl_sync(mask, value, lane) emulator_shuffle(EMULATOR_HERE, mask, value, lane)
#define __shfl_up_sync(mask, value, by) emulator_shuffle_up(EMULATOR_HERE, mask, value, by)
#define __shfl_xor_sync(mask, value, by) emulator_shuffle_xor(EMULATOR_HERE, mask, value, by)
#define __ballot_sync(mask, truth) emulator_ballot(EMULATOR_HERE, mask, truth)
#define __any_sync(mask, truth) (emulator_ballot(EMULATOR_HERE, mask, truth) != 0)
#define __all_sync(mask, truth) (emulator_ballot(EMULATOR_HERE, mask, truth) == ~0u)
#define __reduce_min_sync(mask, value) emulator_min(EMULATOR_HERE, mask, value)
#define __syncwarp() ((void)emulator_meet(EMULATOR_HERE, ~0u, 0))

template <class T>
static inline T
emulator_shuffle(const char *where, unsigned mask, T value, int lane)
{
    return emulator_value<T>(emulator_all(where, mask, value), (unsigned)lane);
}

template <class T>
static inline T
emulator_shuffle_up(const char *where, unsigned mask, T value, unsigned by)
{
    const uint64_t *all = emulator_all(where, mask, value);
    const unsigned self = threadIdx.x & 31;
    return self < by ? value : emulator_value<T>(all, self - by);
}

template <class T>
static inline T
emulator_shuffle_xor(const char *where, unsigned mask, T value, unsigned by)
{
    const uint64_t *all = emulator_all(where, mask, value);
    return emulator_value<T>(all, (threadIdx.x & 31) ^ by);
}

static inline unsigned
emulator_ballot(const char *where, unsigned mask, bool truth)
{
    const uint64_t *all = emulator_all(where, mask, truth);
    unsigned bits = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        bits |= (unsigned)emulator_value<bool>(all, lane) << lane;
    return bits;
}

static inline int
emulator_min(const char *where, unsigned mask, int value)
{
    const uint64_t *all = emulator_all(where, mask, value);
    for (unsigned lane = 0; lane < 32; lane++)
        value = min(value, emulator_value<int>(all, lane));
    return value;
}

/* Warps of a block. */

#define __syncthreads() emulator_barrier(EMULATOR_HERE, 0, 0)
#define meet_two_warps(barrier) emulator_barrier(EMULATOR_HERE, barrier, 64)

CS_DEVICE uint4 *
dynamic_shared(void)
{
    return (uint4 *)emulator_shared();
}

/* It may be outside, as long as nothing is loaded from there. */
CS_DEVICE size_t
__cvta_generic_to_shared(const void *pointer)
{
    return (size_t)((const char *)pointer - (const char *)emulator_shared());
}

CS_DEVICE uint4
load_16(uint32_t address)
{
    return *(const uint4 *)emulator_shared_at(address, sizeof(uint4));
}

/* Memory that blocks share. */

CS_DEVICE void
__threadfence(void)
{
    emulator_touch();
}

CS_DEVICE void
__nanosleep(unsigned)
{
    emulator_pause();
}

/* Lanes that load together get the same value. */
#define load_early(from) emulator_shuffle(EMULATOR_HERE, ~0u, *(from), 0)

CS_DEVICE int
load_acquire(const int32_t *from)
{
    emulator_touch();
    return *from;
}

CS_DEVICE void
store_release(int32_t *to, int value)
{
    *to = value;
    emulator_touch();
}

template <class T>
static inline T
atomicAdd(T *to, T value)
{
    emulator_touch();
    const T old = *to;
    *to = old + value;
    return old;
}

CS_DEVICE int
atomicMax(int *to, int value)
{
    emulator_touch();
    const int old = *to;
    *to = max(old, value);
    return old;
}

CS_DEVICE int
atomicExch(int *to, int value)
{
    emulator_touch();
    const int old = *to;
    *to = value;
    return old;
}

/* Who finds another value may be waiting for it to change. */
CS_DEVICE int
atomicCAS(int *to, int expected, int value)
{
    const int old = *to;
    if (old == expected)
        *to = value;
    else
        emulator_pause();
    return old;
}

template <class T>
static inline T
tex1Dfetch(cudaTextureObject_t texture, int index)
{
    static_assert(sizeof(T) == sizeof(uint32_t), "a texture of words");
    return emulator_texel(texture, index);
}

/* The launch. */

#define launch_kernel(...) emulator_launch(__PRETTY_FUNCTION__, __VA_ARGS__)

template <class Argument>
static void
emulator_enter(const void *kernel, const void *argument)
{
    ((void (*)(Argument))kernel)(*(const Argument *)argument);
}

template <class Argument>
static void
emulator_launch(const char *name, void (*kernel)(Argument), int blocks, int threads, size_t shared,
                cudaStream_t stream, const Argument &argument)
{
    const EmulatorLaunch launch = {
        emulator_enter<Argument>, (const void *)kernel, name,  &argument, sizeof argument,
        (unsigned)blocks,         (unsigned)threads,    shared};
    emulator_queue(&launch, stream);
}

#endif
