/*
 * Which GPU is meant and what is said when it cannot be used, on machines that this file makes up:
 * the calls of the CUDA runtime below answer as they tell.
 */
#include <string.h>

#include <chromosweep/device.h>
#include <chromosweep/error.h>

#include "cuda/cuda_device.h"

#define MOST 4

/* The machine: what each call answers. */
static struct {
    int driver;
    cudaError_t count_code;
    int count;
    struct {
        const char *name;
        guint8 uuid[16];
        int capability; /* times ten */
        int mode;
        cudaError_t open_code;
    } gpus[MOST];
    int current;
    guint set_calls;
} machine;

cudaError_t
cudaGetDeviceCount(int *count)
{
    *count = machine.count;
    return machine.count_code;
}

cudaError_t
cudaDriverGetVersion(int *version)
{
    *version = machine.driver;
    return cudaSuccess;
}

cudaError_t
cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    memset(properties, 0, sizeof *properties);
    g_strlcpy(properties->name, machine.gpus[device].name, sizeof properties->name);
    memcpy(properties->uuid.bytes, machine.gpus[device].uuid, sizeof properties->uuid.bytes);
    properties->major = machine.gpus[device].capability / 10;
    properties->minor = machine.gpus[device].capability % 10;
    properties->multiProcessorCount = 132;
    properties->totalGlobalMem = 1 << 30;
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor: *value = machine.gpus[device].capability / 10; break;
    case cudaDevAttrComputeCapabilityMinor: *value = machine.gpus[device].capability % 10; break;
    case cudaDevAttrComputeMode: *value = machine.gpus[device].mode; break;
    case cudaDevAttrClockRate: *value = 1980000; break;
    default: g_assert_not_reached();
    }
    return cudaSuccess;
}

cudaError_t
cudaGetDevice(int *device)
{
    *device = machine.current;
    return cudaSuccess;
}

cudaError_t
cudaSetDevice(int device)
{
    machine.current = device;
    machine.set_calls++;
    return cudaSuccess;
}

cudaError_t
cudaFree(void *pointer)
{
    g_assert_null(pointer);
    return machine.gpus[machine.current].open_code;
}

cudaError_t
cudaMemGetInfo(size_t *free_bytes, size_t *all_bytes)
{
    *free_bytes = 1000;
    *all_bytes = 1 << 30;
    return cudaSuccess;
}

cudaError_t
cudaGetLastError(void)
{
    return cudaSuccess;
}

const char *
cudaGetErrorString(cudaError_t code)
{
    return "the driver's words";
}

const char *
cudaGetErrorName(cudaError_t code)
{
    return "cudaErrorName";
}

/* Three GPUs: A and B differ in the last byte of the UUID only, C is of another kind. */
static void
make_machine(void)
{
    memset(&machine, 0, sizeof machine);
    machine.driver = CUDART_VERSION;
    machine.count = 3;
    for (int k = 0; k < machine.count; k++) {
        machine.gpus[k].name = "Made Up";
        machine.gpus[k].capability = 90;
        memset(machine.gpus[k].uuid, k == 2 ? 0xc2 : 0xab, 16);
    }
    machine.gpus[1].uuid[15] = 0x01;
    g_unsetenv("CUDA_VISIBLE_DEVICES");
}

static void
expect_opens(const char *device, int wanted)
{
    g_autoptr(GError) error = NULL;
    int ordinal = -1;
    gboolean opened = cs_cuda_device_open(device, &ordinal, &error);
    g_assert_no_error(error);
    g_assert_true(opened);
    g_assert_cmpint(ordinal, ==, wanted);
    g_assert_cmpint(machine.current, ==, wanted);
}

static void
expect_refuses(const char *device, const char *like)
{
    g_autoptr(GError) error = NULL;
    int ordinal = -1;
    g_assert_false(cs_cuda_device_open(device, &ordinal, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_cmpint(ordinal, ==, -1);
    if (!g_pattern_match_simple(like, error->message))
        g_error("not like '%s': %s", like, error->message);
}

static void
test_choice(void)
{
    make_machine();
    expect_opens(NULL, 0);
    expect_opens("0", 0);
    expect_opens("2", 2);
    expect_opens("GPU-abababab-abab-abab-abab-abababababab", 0);
    expect_opens("GPU-abababab-abab-abab-abab-abababababA", 0);
    expect_opens("gpu-ABABABAB-abab-abab-abab-ababababab01", 1);
    expect_opens("GPU-c", 2);
    expect_opens("c2c2", 2);
    expect_refuses("3", "there is no GPU with index '3'; the GPUs are: GPU 0 (Made Up, "
                        "GPU-abababab-abab-abab-abab-abababababab), GPU 1 (*), GPU 2 (*)");
    expect_refuses("GPU-abab",
                   "more than one GPU has a UUID that begins with 'GPU-abab'; the GPUs *");
    expect_refuses("GPU-1", "there is no GPU with UUID 'GPU-1'; the GPUs are: *");
    expect_refuses("GPU-c2c2c2c2-c2c2-c2c2-c2c2-c2c2c2c2c2c2c2", "there is no GPU with UUID *");
    expect_refuses("-1", "there is no GPU with UUID '-1'*");
    g_setenv("CUDA_VISIBLE_DEVICES", "0,1,2", TRUE);
    expect_refuses("7", "*; CUDA_VISIBLE_DEVICES is '0,1,2'");
    machine.gpus[2].name = "Made Up MIG 1g.5gb";
    expect_opens("MIG-c2", 2);
    expect_refuses("GPU-c2", "there is no GPU with UUID*");
}

/* Without a choice, the first that works. */
static void
test_first_that_works(void)
{
    make_machine();
    machine.gpus[0].open_code = cudaErrorDevicesUnavailable;
    machine.gpus[0].mode = cudaComputeModeExclusiveProcess;
    machine.gpus[1].capability = 70;
    expect_opens(NULL, 2);
    expect_refuses("0", "GPU 0 (Made Up, GPU-*) is busy: it is in exclusive mode and another "
                        "program is using it: the driver's words (cudaErrorName)");
    expect_refuses("1", "GPU 1 (*) is too old: its compute capability is 7.0, and 7.5 is needed");
    machine.gpus[2].open_code = cudaErrorMemoryAllocation;
    expect_refuses(NULL, "GPU 0 * is busy: *; GPU 1 * is too old: *; GPU 2 *: not enough free "
                         "memory even to start: the driver's words (*)");
    machine.gpus[0].mode = cudaComputeModeProhibited;
    expect_refuses("0", "*: its compute mode forbids computing: *");
    machine.gpus[0].mode = cudaComputeModeDefault;
    expect_refuses("0", "*is busy or unavailable: *");
    machine.gpus[0].open_code = cudaErrorUnknown;
    expect_refuses("0", "GPU 0 * does not work: *");
    machine.gpus[0].open_code = cudaErrorECCUncorrectable;
    expect_refuses("0", "*: its memory is damaged: *");
    machine.gpus[1].capability = 75;
    expect_opens(NULL, 1);
}

static void
test_no_driver(void)
{
    const struct {
        int driver;
        cudaError_t code;
        const char *like;
    } drivers[] = {
        {0, cudaErrorInsufficientDriver,
         "there is no NVIDIA driver here (runtime *.*): the driver's words (*)"},
        {11040, cudaErrorInsufficientDriver,
         "the NVIDIA driver is too old: it must support CUDA *.0 or newer (driver for CUDA 11.4, "
         "runtime *.*): *"},
        {13000, cudaErrorNoDevice,
         "the NVIDIA driver finds no GPU (driver for CUDA 13.0, runtime *.*): *"},
        {13000, cudaSuccess, "the NVIDIA driver finds no GPU (*): *"},
        {13000, cudaErrorSystemNotReady,
         "the GPUs are not ready yet; * fabric manager (driver for CUDA 13.0, *): *"},
        {13000, cudaErrorSystemDriverMismatch,
         "*have different versions; * (driver for CUDA 13.0, *): *"},
        {13000, cudaErrorInitializationError,
         "the NVIDIA driver does not start (driver for CUDA 13.0, *): *"},
        {13000, cudaErrorUnknown, "the NVIDIA driver does not work (driver for CUDA 13.0, *): *"},
        {0, cudaErrorUnknown, "the NVIDIA driver does not work (driver for CUDA unknown, *): *"},
    };
    for (guint k = 0; k < G_N_ELEMENTS(drivers); k++) {
        make_machine();
        machine.count = 0;
        machine.driver = drivers[k].driver;
        machine.count_code = drivers[k].code;
        expect_refuses(NULL, drivers[k].like);
        expect_refuses("0", drivers[k].like);
        g_assert_cmpuint(machine.set_calls, ==, 0);
        g_autoptr(GError) error = NULL;
        g_autoptr(GArray) devices = g_array_new(FALSE, TRUE, sizeof(CsDevice));
        g_assert_false(cs_cuda_device_list(NULL, devices, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    }
    machine.count_code = cudaErrorNoDevice;
    g_setenv("CUDA_VISIBLE_DEVICES", "", TRUE);
    expect_refuses(NULL, "the NVIDIA driver finds no GPU (*); CUDA_VISIBLE_DEVICES is '': *");
}

static void
device_clear(gpointer data)
{
    CsDevice *device = data;
    g_free(device->device);
    g_free(device->name);
    g_free(device->fault);
    g_free(device->uuid);
    g_free(device->driver);
    g_free(device->runtime);
}

static void
test_list(void)
{
    make_machine();
    machine.gpus[1].open_code = cudaErrorDevicesUnavailable;
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) devices = g_array_new(FALSE, TRUE, sizeof(CsDevice));
    g_array_set_clear_func(devices, device_clear);
    g_assert_true(cs_cuda_device_list(NULL, devices, &error));
    g_assert_cmpuint(devices->len, ==, 3);
    g_assert_cmpint(machine.current, ==, 0);
    const CsDevice *good = &g_array_index(devices, CsDevice, 0);
    g_assert_cmpstr(good->device, ==, "gpu:0");
    g_assert_cmpstr(good->uuid, ==, "GPU-abababab-abab-abab-abab-abababababab");
    g_assert_cmpuint(good->capability_major, ==, 9);
    g_assert_cmpuint(good->clock_mhz, ==, 1980);
    g_assert_cmpint(good->memory_free, ==, 1000);
    g_assert_cmpint(good->memory_total, ==, 1 << 30);
    g_assert_null(good->fault);
    const CsDevice *busy = &g_array_index(devices, CsDevice, 1);
    g_assert_cmpint(busy->memory_free, ==, -1);
    g_assert_true(g_pattern_match_simple("GPU 1 *busy*", busy->fault));

    g_assert_true(cs_cuda_device_list("GPU-c2", devices, &error));
    g_assert_cmpuint(devices->len, ==, 4);
    g_assert_cmpstr(g_array_index(devices, CsDevice, 3).device, ==, "gpu:2");
    g_assert_false(cs_cuda_device_list("9", devices, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_cmpuint(devices->len, ==, 4);
}

static void
test_check(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_true(cs_cuda_check(cudaSuccess, "a call", &error));
    g_assert_no_error(error);
    g_assert_false(cs_cuda_check(cudaErrorUnknown, "a call", &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_cmpstr(error->message, ==, "a call: the driver's words (cudaErrorName)");
    make_machine();
    g_clear_error(&error);
    g_assert_cmpstr(cs_cuda_device_name(1, &error), ==, "Made Up");
}

/* Of 1,000 free bytes. */
static void
test_room(void)
{
    g_autoptr(GError) error = NULL;
    make_machine();
    g_assert_true(cs_cuda_device_has_room(1000, &error));
    g_assert_no_error(error);
    g_assert_false(cs_cuda_device_has_room(3 << 20, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_cmpstr(error->message, ==,
                    "not enough memory on the GPU: 4 MiB needed, 0 of 1024 MiB free");
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cuda-device/choice", test_choice);
    g_test_add_func("/cuda-device/first-that-works", test_first_that_works);
    g_test_add_func("/cuda-device/no-driver", test_no_driver);
    g_test_add_func("/cuda-device/list", test_list);
    g_test_add_func("/cuda-device/check", test_check);
    g_test_add_func("/cuda-device/room", test_room);
    return g_test_run();
}
