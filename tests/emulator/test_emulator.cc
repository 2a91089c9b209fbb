/* The emulated GPU itself: what lanes, warps and blocks do together, when work on a stream is done,
 * and the misuse that ends a program. */
#include <glib.h>

#include "cuda/nvcc.cuh"

enum {
    WORDS = 1024,
    BLOCKS = 40, /* more than run at once */
};

/* What a kernel is told. */
typedef struct {
    int32_t *words;
    cudaTextureObject_t texture;
    int what;
} Job;

/* A device's memory, and a stream. */
typedef struct {
    cudaStream_t stream;
    int32_t *words;
    int32_t *host; /* pinned */
} Device;

static void
device_init(Device *device)
{
    g_assert_cmpint(cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking), ==, 0);
    g_assert_cmpint(cudaMalloc((void **)&device->words, WORDS * sizeof(int32_t)), ==, 0);
    g_assert_cmpint(cudaHostAlloc((void **)&device->host, WORDS * sizeof(int32_t), 0), ==, 0);
    cudaMemsetAsync(device->words, 0, WORDS * sizeof(int32_t), device->stream);
}

static void
device_clear(Device *device)
{
    cudaFree(device->words);
    cudaFreeHost(device->host);
    cudaStreamDestroy(device->stream);
}

static void
fetch(const Device *device)
{
    cudaMemcpyAsync(device->host, device->words, WORDS * sizeof(int32_t), cudaMemcpyDeviceToHost,
                    device->stream);
}

/* Runs a kernel and waits. */
static void
run(const Device *device, void (*kernel)(Job), int blocks, int threads, size_t shared, Job job)
{
    job.words = device->words;
    launch_kernel(kernel, blocks, threads, shared, device->stream, job);
    g_assert_cmpint(cudaGetLastError(), ==, cudaSuccess);
    fetch(device);
    cudaStreamSynchronize(device->stream);
}

/* Each lane counts what is wrong. */
static void
lanes_kernel(Job job)
{
    const unsigned self = threadIdx.x & 31;
    const int64_t large = (int64_t)self << 40;
    int wrong = 0;
    for (int k = 0; k < 100; k++) {
        wrong += __shfl_sync(~0u, self + (unsigned)k, 5) != 5u + (unsigned)k;
        wrong += __shfl_up_sync(~0u, large, 3) != (self < 3 ? large : large - ((int64_t)3 << 40));
        wrong += __shfl_xor_sync(~0u, (int)self, 16) != (int)(self ^ 16);
        wrong += __ballot_sync(~0u, self % 3 == 0) != 0x49249249u;
        wrong += __any_sync(~0u, self == 40) || !__any_sync(~0u, self == 31);
        wrong += __all_sync(~0u, self > 0) || !__all_sync(~0u, self < 32);
        wrong += __reduce_min_sync(~0u, 7 - (int)self) != -24;
    }
    atomicAdd(job.words, wrong);
    atomicMax(job.words + 1, (int)threadIdx.x);
    atomicAdd(job.words + 2, 1);
}

static void
numbers_kernel(Job job)
{
    int wrong = 0;
    wrong += select_bytes(0x83020100u, 0x07068584u, 0x7b4c) != 0x07ff84ffu;
    wrong += shift_left(1, 31) != 1u << 31 || shift_left(1, 32) != 0 || shift_left(3, 40) != 0;
    wrong += add_halves(0x7fff0001u, 0x0001ffffu) != 0x80000000u;
    wrong += __vmaxs2(0x8000ffffu, 0x7fff0001u) != 0x7fff0001u;
    wrong += __vmins2(0x8000ffffu, 0x7fff0001u) != 0x8000ffffu;
    wrong += __vimax3_s16x2(0x00010002u, 0x0003fff0u, 0x00020001u) != 0x00030002u;
    wrong += __vimax3_s16x2_relu(0xffff0002u, 0xfff0fff0u, 0x80000001u) != 0x00000002u;
    wrong += __viaddmax_s16x2(0x00010001u, 0xffff0002u, 0xffff0001u) != 0x00000003u;
    wrong += __viaddmax_s16x2_relu(0x00010001u, 0xfff00002u, 0xfff10001u) != 0x00000003u;
    wrong += __vimax3_s32_relu(-5, -3, -4) != 0 || __viaddmax_s32(2, 3, 4) != 5;
    wrong += tex1Dfetch<unsigned>(job.texture, WORDS - 1) != 0;
    atomicAdd(job.words, wrong);
}

static void
make_texture(const Device *device, cudaTextureObject_t *texture)
{
    cudaResourceDesc resource = {};
    const cudaTextureDesc description = {};
    resource.res.linear.devPtr = device->words;
    resource.res.linear.sizeInBytes = WORDS * sizeof(int32_t);
    g_assert_cmpint(cudaCreateTextureObject(texture, &resource, &description, NULL), ==, 0);
}

static void
test_lanes(void)
{
    Device device;
    Job job = {};
    device_init(&device);
    make_texture(&device, &job.texture);
    run(&device, lanes_kernel, BLOCKS, 96, 0, job);
    g_assert_cmpint(device.host[0], ==, 0);
    g_assert_cmpint(device.host[1], ==, 95);
    g_assert_cmpint(device.host[2], ==, 96 * BLOCKS);
    run(&device, numbers_kernel, 1, 32, 0, job);
    g_assert_cmpint(device.host[0], ==, 0);
    cudaDestroyTextureObject(job.texture);
    device_clear(&device);
}

/* Each block waits for the one that took a ticket before. In each, a value goes from warp to warp.
 */
static void
chain_kernel(Job job)
{
    int *shared = (int *)dynamic_shared();
    const int warp = (int)threadIdx.x / 32, warps = 4;
    if (threadIdx.x == 0)
        shared[warps] = atomicAdd(job.words, 1);
    __syncthreads();
    const int ticket = shared[warps];
    if (threadIdx.x == 0) {
        while (load_acquire(job.words + 1) < ticket)
            __nanosleep(100);
        shared[0] = job.words[2];
    }
    for (int w = 1; w < warps; w++) {
        __syncwarp();
        if (warp == w || warp == w - 1)
            meet_two_warps(w);
        if (threadIdx.x == (unsigned)w * 32)
            shared[w] = shared[w - 1] + 1;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        job.words[2] = shared[warps - 1];
        __threadfence();
        store_release(job.words + 1, ticket + 1);
    }
}

static void
test_blocks(void)
{
    Device device;
    device_init(&device);
    run(&device, chain_kernel, BLOCKS, 128, 5 * sizeof(int), {});
    g_assert_cmpint(device.host[1], ==, BLOCKS);
    g_assert_cmpint(device.host[2], ==, 3 * BLOCKS);
    device_clear(&device);
}

/* The host sees a result when it has waited; pinned memory is read as late as that. */
static void
test_late(void)
{
    Device device;
    cudaEvent_t event;
    int32_t pageable = 7;
    device_init(&device);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    device.host[0] = 1;
    cudaMemcpyAsync(device.words, device.host, sizeof(int32_t), cudaMemcpyHostToDevice,
                    device.stream);
    cudaMemcpyAsync(device.words + 1, &pageable, sizeof pageable, cudaMemcpyHostToDevice,
                    device.stream);
    pageable = 8;
    device.host[0] = 2;
    cudaMemcpyAsync(device.host + 2, device.words, 2 * sizeof(int32_t), cudaMemcpyDeviceToHost,
                    device.stream);
    cudaEventRecord(event, device.stream);
    cudaMemsetAsync(device.words, 0, sizeof(int32_t), device.stream);
    cudaMemcpyAsync(device.host, device.words, sizeof(int32_t), cudaMemcpyDeviceToHost,
                    device.stream);
    const gboolean eager = emulator_setting("eager", 0) != 0;
    g_assert_cmpint(device.host[2], ==, eager ? 1 : (int32_t)0xa5a5a5a5u);
    cudaEventSynchronize(event);
    g_assert_cmpint(device.host[2], ==, eager ? 1 : 2);
    g_assert_cmpint(device.host[3], ==, 7);
    g_assert_cmpint(device.host[0], ==, eager ? 0 : 2);
    cudaMemcpyAsync(&pageable, device.words, sizeof pageable, cudaMemcpyDeviceToHost,
                    device.stream);
    g_assert_cmpint(pageable, ==, 0); /* waited for */
    g_assert_cmpint(device.host[0], ==, 0);
    cudaEventDestroy(event);
    device_clear(&device);
}

static void
misuse_kernel(Job job)
{
    const unsigned self = threadIdx.x;
    int value = (int)self;
    switch (job.what) {
    case 0:
        if (self < 16)
            value = __shfl_sync(~0u, value, 1);
        else
            value = __shfl_sync(~0u, value, 2);
        break;
    case 1:
        if (self == 3)
            return;
        __syncwarp();
        break;
    case 2:
        if (self < 32)
            meet_two_warps(1);
        break;
    case 3:
        while (load_acquire(job.words) == 0)
            __nanosleep(100);
        break;
    case 4: value = (int)load_16(64).x; break;
    case 5: value = (int)load_16(8).x; break;
    case 6: ((int *)dynamic_shared())[16] = value; break;
    case 7: value = (int)tex1Dfetch<unsigned>(job.texture, WORDS); break;
    case 8: value = (int)__ballot_sync(0xffffu, self < 8); break;
    }
    job.words[self] = value;
}

static void
test_misuse(void)
{
    static const char *const messages[] = {
        "*lanes of a warp meet at *:* and at *Job)*",
        "*lane*ended*",
        "*all wait for each other*warp 0: 32 lanes at barrier 1*",
        "*nobody gets on*wait for memory to change*",
        "*16 bytes are loaded at 64 of 64 bytes of shared memory*",
        "*16 bytes are loaded at 8 of 64 bytes of shared memory*",
        "*written behind its 64 bytes of shared memory*",
        "*texel 1024 of a texture of 4096 bytes*",
        "*only whole warps can meet*",
    };
    for (guint k = 0; k < G_N_ELEMENTS(messages); k++) {
        g_autofree char *path = g_strdup_printf("/emulator/misuse/subprocess/%u", k);
        g_test_trap_subprocess(path, 0, (GTestSubprocessFlags)0);
        g_test_trap_assert_failed();
        g_test_trap_assert_stderr(messages[k]);
    }
}

static void
misuse(gconstpointer what)
{
    Device device;
    Job job = {};
    device_init(&device);
    job.what = GPOINTER_TO_INT(what);
    make_texture(&device, &job.texture);
    run(&device, misuse_kernel, 1, 64, 64, job);
}

/* Launches that a device refuses. */
static void
test_refused(void)
{
    Device device;
    device_init(&device);
    launch_kernel(chain_kernel, 0, 32, 0, device.stream, Job{});
    g_assert_cmpint(cudaGetLastError(), ==, cudaErrorInvalidConfiguration);
    launch_kernel(chain_kernel, 1, 32, 64 << 10, device.stream, Job{});
    g_assert_cmpint(cudaGetLastError(), ==, cudaErrorInvalidValue);
    g_assert_cmpint(cudaGetLastError(), ==, cudaSuccess);
    g_assert_cmpint(
        cudaFuncSetAttribute(chain_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 300 << 10),
        ==, cudaErrorInvalidValue);
    device_clear(&device);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/emulator/lanes", test_lanes);
    g_test_add_func("/emulator/blocks", test_blocks);
    g_test_add_func("/emulator/late", test_late);
    g_test_add_func("/emulator/refused", test_refused);
    g_test_add_func("/emulator/misuse", test_misuse);
    for (int k = 0; k < 9; k++) {
        g_autofree char *path = g_strdup_printf("/emulator/misuse/subprocess/%d", k);
        g_test_add_data_func(path, GINT_TO_POINTER(k), misuse);
    }
    return g_test_run();
}
