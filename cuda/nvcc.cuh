/*
 * What the kernels say in words that only nvcc knows: PTX instructions, dynamic shared memory and
 * the launch. Everything else in them is C++ and CUDA's functions. The emulated device of the tests
 * has a header of the same name instead, with the same functions (tests/emulator/).
 */
#ifndef CS_NVCC_CUH
#define CS_NVCC_CUH

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#define CS_DEVICE static __device__ __forceinline__

/* Four bytes of a (0 .. 3) and b (4 .. 7). A selector with bit 3 set gives copies of the byte's
 * sign. */
CS_DEVICE uint32_t
select_bytes(uint32_t a, uint32_t b, uint32_t selector)
{
    uint32_t bytes; /* not __byte_perm(), which drops the selectors' sign bits */
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(a), "r"(b), "r"(selector));
    return bytes;
}

/* By 32 and more: zero. */
CS_DEVICE uint32_t
shift_left(uint32_t value, uint32_t by)
{
    uint32_t shifted;
    asm("shl.b32 %0, %1, %2;" : "=r"(shifted) : "r"(value), "r"(by));
    return shifted;
}

/* Sums of both halves. */
CS_DEVICE uint32_t
add_halves(uint32_t a, uint32_t b)
{
#if __CUDA_ARCH__ >= 900
    uint32_t sum;
    asm("add.s16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
#else
    return __vadd2(a, b);
#endif
}

/* Two values that the compiler would otherwise load again and again. */
CS_DEVICE void
keep_in_registers(uint32_t &a, uint32_t &b)
{
    asm volatile("" : "+r"(a), "+r"(b));
}

/* Loads 16 bytes of shared memory, exactly here. */
CS_DEVICE uint4
load_16(uint32_t address)
{
    uint4 v;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(address));
    return v;
}

/* Loads a value that others change, ahead of its use; a uniform load would wait for it at once. */
CS_DEVICE int
load_early(const int32_t *from)
{
    int value;
    asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(value) : "l"(from));
    return value;
}

CS_DEVICE int
load_acquire(const int32_t *from)
{
    int value;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

CS_DEVICE void
store_release(int32_t *to, int value)
{
    asm volatile("st.release.gpu.global.s32 [%0], %1;" : : "l"(to), "r"(value) : "memory");
}

/* Waits until two warps are at the barrier with this number, 1 to 15. */
CS_DEVICE void
meet_two_warps(int barrier)
{
    asm volatile("bar.sync %0, 64;" : : "r"(barrier) : "memory");
}

/* The block's dynamic shared memory. */
CS_DEVICE uint4 *
dynamic_shared(void)
{
    extern __shared__ uint4 shared[];
    return shared;
}

template <class Argument>
static void
launch_kernel(void (*kernel)(Argument), int blocks, int threads, size_t shared, cudaStream_t stream,
              const Argument &argument)
{
    kernel<<<blocks, threads, shared, stream>>>(argument);
}

#endif
