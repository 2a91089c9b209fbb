/* The kernels of one form, and what launches them. */
#ifndef CS_KERNEL_FORMS_CUH
#define CS_KERNEL_FORMS_CUH

#include "cuda/dense_sweep.cuh"
#include "cuda/skipping_sweep.cuh"
#include "cuda/settle.cuh"

/* At most WARPS per block and RESIDENT such blocks per multiprocessor; SKIPPING: it may skip. */
template <class S, int WARPS, int RESIDENT, bool SKIPPING> struct Form {
    static constexpr CsKernel
    kernel()
    {
        CsKernel kernel = {};
        kernel.bits = S::Cell::BITS;
        kernel.words = S::A;
        kernel.first = S::FIRST;
        kernel.extend = S::EXTEND;
        kernel.warps = WARPS;
        kernel.blocks = RESIDENT;
        kernel.shared_bytes = shared_bytes;
        kernel.resident = resident<false>;
        kernel.sweep = sweep<false>;
        kernel.settle = settle;
        if constexpr (SKIPPING) {
            kernel.resident_skipping = resident<true>;
            kernel.sweep_skipping = sweep<true>;
        }
        return kernel;
    }

    static size_t
    settle_bytes(int warps)
    {
        return warps * sizeof(WarpMemory);
    }

    static size_t
    shared_bytes(int warps)
    {
        return settle_bytes(warps) + (size_t)warps * S::TABLE_BYTES;
    }

    typedef void Kernel(CsKernelLaunch);

    /* SKIPS: for launches that skip. */
    template <bool SKIPS>
    static constexpr Kernel *
    sweep_kernel()
    {
        if constexpr (SKIPS)
            return skipping_kernel<S, WARPS, RESIDENT>;
        else
            return dense_kernel<S, WARPS, RESIDENT>;
    }

    /* How many blocks with this many warps run at once. */
    template <bool SKIPS>
    static cudaError_t
    resident(int warps, int *blocks)
    {
        Kernel *sweep = sweep_kernel<SKIPS>(), *settle = settle_kernel<S, WARPS, RESIDENT>;
        cudaError_t code = cudaFuncSetAttribute(sweep, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                (int)shared_bytes(warps));
        if (code == cudaSuccess)
            code = cudaFuncSetAttribute(settle, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)settle_bytes(warps));
        if (code != cudaSuccess)
            return code;
        return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, sweep, warps * 32,
                                                             shared_bytes(warps));
    }

    template <bool SKIPS>
    static cudaError_t
    sweep(const CsKernelLaunch *launch, cudaStream_t stream)
    {
        const int blocks = SKIPS ? launch->item_count : launch->slot_count;
        launch_kernel(sweep_kernel<SKIPS>(), blocks, launch->warps * 32,
                      shared_bytes(launch->warps), stream, *launch);
        return cudaGetLastError();
    }

    static cudaError_t
    settle(const CsKernelLaunch *launch, cudaStream_t stream)
    {
        launch_kernel(settle_kernel<S, WARPS, RESIDENT>, launch->slots, launch->warps * 32,
                      settle_bytes(launch->warps), stream, *launch);
        return cudaGetLastError();
    }
};

#endif
