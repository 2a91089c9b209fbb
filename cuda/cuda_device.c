/* Which GPUs there are, which one is meant, and why one cannot be used. */
#include <string.h>

#include <chromosweep/device.h>
#include <chromosweep/error.h>

#include "cuda/cuda_device.h"

/* The oldest compute capability, times ten, that the kernels are made for. */
#define OLDEST_CAPABILITY 75

static gboolean fail(GError **error, cudaError_t code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Fails with a reason in our words and the driver's, and clears the error that the runtime keeps. */
static gboolean
fail(GError **error, cudaError_t code, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    g_autofree char *message = g_strdup_vprintf(format, values);
    va_end(values);
    cudaGetLastError();
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "%s: %s (%s)", message, cudaGetErrorString(code),
                cudaGetErrorName(code));
    return FALSE;
}

gboolean
cs_cuda_check(cudaError_t code, const char *what, GError **error)
{
    return code == cudaSuccess || fail(error, code, "%s", what);
}

static char *
format_version(int version)
{
    return g_strdup_printf("%d.%d", version / 1000, version % 1000 / 10);
}

/* What CUDA_VISIBLE_DEVICES leaves out is worth knowing when a GPU is missing. */
static char *
visible_phrase(void)
{
    const char *visible = g_getenv("CUDA_VISIBLE_DEVICES");
    return visible != NULL ? g_strdup_printf("; CUDA_VISIBLE_DEVICES is '%s'", visible)
                           : g_strdup("");
}

/* The versions of the driver and of this program, as messages end with them. */
static char *
versions_phrase(void)
{
    int driver = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess)
        driver = 0;
    g_autofree char *of_driver = driver > 0 ? format_version(driver) : g_strdup("unknown");
    g_autofree char *runtime = format_version(CUDART_VERSION);
    return g_strdup_printf("driver for CUDA %s, runtime %s", of_driver, runtime);
}

/* A driver that is too old, or none at all. */
static gboolean
fail_old_driver(GError **error, cudaError_t code)
{
    int driver = 0;
    g_autofree char *runtime = format_version(CUDART_VERSION);
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        return fail(error, code, "there is no NVIDIA driver here (runtime %s)", runtime);
    /* A driver serves all minor versions of its major one. */
    g_autofree char *needed = format_version(CUDART_VERSION / 1000 * 1000);
    g_autofree char *versions = versions_phrase();
    return fail(error, code, "the NVIDIA driver is too old: it must support CUDA %s or newer (%s)",
                needed, versions);
}

/* Failures of the driver as a whole, before any device. */
static gboolean
fail_driver(GError **error, cudaError_t code)
{
    g_autofree char *visible = visible_phrase(), *versions = versions_phrase();
    switch (code) {
    case cudaErrorInsufficientDriver:
    case cudaErrorStubLibrary: return fail_old_driver(error, code);
    case cudaErrorNoDevice:
        return fail(error, code, "the NVIDIA driver finds no GPU (%s)%s", versions, visible);
    case cudaErrorInvalidDevice:
        return fail(error, code, "the NVIDIA driver finds no such GPU (%s)%s", versions, visible);
    case cudaErrorSystemNotReady:
        return fail(error, code,
                    "the GPUs are not ready yet; machines with NVSwitch need the fabric manager "
                    "(%s)",
                    versions);
    case cudaErrorSystemDriverMismatch:
        return fail(error, code,
                    "the NVIDIA driver in the kernel and its libraries have different versions; "
                    "reboot if the driver was updated (%s)",
                    versions);
    case cudaErrorCompatNotSupportedOnDevice:
        return fail(error, code,
                    "the NVIDIA driver's compatibility library does not support this GPU (%s)",
                    versions);
    case cudaErrorOperatingSystem:
        return fail(error, code,
                    "the operating system does not let the NVIDIA driver use its GPUs (%s)",
                    versions);
    case cudaErrorInitializationError:
        return fail(error, code, "the NVIDIA driver does not start (%s)", versions);
    default: return fail(error, code, "the NVIDIA driver does not work (%s)", versions);
    }
}

static gboolean
count_devices(int *count, GError **error)
{
    cudaError_t code = cudaGetDeviceCount(count);
    if (code == cudaSuccess && *count == 0)
        code = cudaErrorNoDevice;
    return code == cudaSuccess || fail_driver(error, code);
}

/* As nvidia-smi prints it. */
static char *
format_uuid(const struct cudaDeviceProp *properties)
{
    /* An instance of a divided GPU carries that in its name. */
    gboolean instance = strstr(properties->name, " MIG ") != NULL;
    GString *text = g_string_new(instance ? "MIG-" : "GPU-");
    for (guint k = 0; k < sizeof properties->uuid.bytes; k++)
        g_string_append_printf(text, "%s%02x", k == 4 || k == 6 || k == 8 || k == 10 ? "-" : "",
                               (guint8)properties->uuid.bytes[k]);
    return g_string_free(text, FALSE);
}

/* "GPU 0 (NVIDIA H200, GPU-5a8b...)" */
static char *
format_device(int ordinal)
{
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, ordinal) != cudaSuccess)
        return g_strdup_printf("GPU %d", ordinal);
    g_autofree char *uuid = format_uuid(&properties);
    return g_strdup_printf("GPU %d (%s, %s)", ordinal, properties.name, uuid);
}

static gboolean
fail_unknown(GError **error, const char *device, const char *why, int count)
{
    g_autoptr(GString) all = g_string_new(NULL);
    for (int k = 0; k < count; k++) {
        g_autofree char *phrase = format_device(k);
        g_string_append_printf(all, "%s%s", k > 0 ? ", " : "", phrase);
    }
    g_autofree char *visible = visible_phrase();
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "%s '%s'; the GPUs are: %s%s", why, device,
                all->str, visible);
    return FALSE;
}

/* Whether a UUID begins with the text, whose case and whose "GPU-" do not matter. */
static gboolean
uuid_has_prefix(const char *uuid, const char *text)
{
    const gsize kind = strlen("GPU-");
    if (g_ascii_strncasecmp(text, "GPU-", kind) != 0 &&
        g_ascii_strncasecmp(text, "MIG-", kind) != 0)
        uuid += kind;
    return g_ascii_strncasecmp(uuid, text, strlen(text)) == 0;
}

/* The ordinal of a device given by index or UUID. */
static gboolean
find_device(const char *device, int count, int *ordinal, GError **error)
{
    gint64 index;
    if (device[strspn(device, "0123456789")] == '\0' && strlen(device) < 8) {
        if (!g_ascii_string_to_signed(device, 10, 0, count - 1, &index, NULL))
            return fail_unknown(error, device, "there is no GPU with index", count);
        *ordinal = (int)index;
        return TRUE;
    }
    int found = 0;
    for (int k = 0; k < count; k++) {
        struct cudaDeviceProp properties;
        if (!cs_cuda_check(cudaGetDeviceProperties(&properties, k), "reading a GPU's properties",
                           error))
            return FALSE;
        g_autofree char *uuid = format_uuid(&properties);
        if (uuid_has_prefix(uuid, device)) {
            *ordinal = k;
            found++;
        }
    }
    if (found > 1)
        return fail_unknown(error, device, "more than one GPU has a UUID that begins with", count);
    return found == 1 || fail_unknown(error, device, "there is no GPU with UUID", count);
}

/* Why no context could be made on a device. */
static gboolean
fail_context(GError **error, int ordinal, cudaError_t code)
{
    g_autofree char *phrase = format_device(ordinal);
    int mode = cudaComputeModeDefault;
    switch (code) {
    case cudaErrorDevicesUnavailable:
        if (cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, ordinal) == cudaSuccess &&
            mode == cudaComputeModeProhibited)
            return fail(error, code, "%s: its compute mode forbids computing", phrase);
        if (mode == cudaComputeModeExclusiveProcess)
            return fail(error, code,
                        "%s is busy: it is in exclusive mode and another program is using it",
                        phrase);
        return fail(error, code, "%s is busy or unavailable", phrase);
    case cudaErrorMemoryAllocation:
        return fail(error, code, "%s: not enough free memory even to start", phrase);
    case cudaErrorECCUncorrectable: return fail(error, code, "%s: its memory is damaged", phrase);
    case cudaErrorInsufficientDriver:
    case cudaErrorNoDevice:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice: return fail_driver(error, code);
    default: return fail(error, code, "%s does not work", phrase);
    }
}

/* Makes one device the current one. */
static gboolean
open_ordinal(int ordinal, GError **error)
{
    int major = 0, minor = 0;
    if (!cs_cuda_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal),
                       "reading a GPU's compute capability", error) ||
        !cs_cuda_check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal),
                       "reading a GPU's compute capability", error))
        return FALSE;
    if (10 * major + minor < OLDEST_CAPABILITY) {
        g_autofree char *phrase = format_device(ordinal);
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "%s is too old: its compute capability is %d.%d, and %d.%d is needed", phrase,
                    major, minor, OLDEST_CAPABILITY / 10, OLDEST_CAPABILITY % 10);
        return FALSE;
    }
    cudaError_t code = cudaSetDevice(ordinal);
    if (code == cudaSuccess)
        code = cudaFree(NULL); /* what makes the context */
    return code == cudaSuccess || fail_context(error, ordinal, code);
}

gboolean
cs_cuda_device_open(const char *device, int *ordinal, GError **error)
{
    int count, found;
    if (!count_devices(&count, error))
        return FALSE;
    if (device != NULL) {
        if (!find_device(device, count, &found, error) || !open_ordinal(found, error))
            return FALSE;
        *ordinal = found;
        return TRUE;
    }
    g_autoptr(GString) reasons = g_string_new(NULL);
    for (int k = 0; k < count; k++) {
        g_autoptr(GError) failure = NULL;
        if (open_ordinal(k, &failure)) {
            *ordinal = k;
            return TRUE;
        }
        g_string_append_printf(reasons, "%s%s", k > 0 ? "; " : "", failure->message);
    }
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, reasons->str);
    return FALSE;
}

const char *
cs_cuda_device_name(int ordinal, GError **error)
{
    struct cudaDeviceProp properties;
    if (!cs_cuda_check(cudaGetDeviceProperties(&properties, ordinal), "reading a GPU's properties",
                       error))
        return NULL;
    return g_intern_string(properties.name);
}

CsCudaSize
cs_cuda_device_size(int ordinal)
{
    CsCudaSize size = {1, 48 << 10, 64 << 10, 0};
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, ordinal) == cudaSuccess)
        size.memory = (gint64)properties.totalGlobalMem;
    (void)cudaDeviceGetAttribute(&size.multiprocessors, cudaDevAttrMultiProcessorCount, ordinal);
    (void)cudaDeviceGetAttribute(&size.shared_block, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                 ordinal);
    (void)cudaDeviceGetAttribute(&size.shared_multiprocessor,
                                 cudaDevAttrMaxSharedMemoryPerMultiprocessor, ordinal);
    return size;
}

gboolean
cs_cuda_device_has_room(gint64 bytes, GError **error)
{
    gsize free_bytes, total;
    if (!cs_cuda_check(cudaMemGetInfo(&free_bytes, &total), "asking for free memory", error))
        return FALSE;
    if ((gsize)bytes <= free_bytes)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "not enough memory on the GPU: %" G_GINT64_FORMAT " MiB needed, %" G_GSIZE_FORMAT
                " of %" G_GSIZE_FORMAT " MiB free",
                (bytes >> 20) + 1, free_bytes >> 20, total >> 20);
    return FALSE;
}

static void
append_device(GArray *devices, int ordinal)
{
    g_autoptr(GError) failure = NULL;
    CsDevice device = {
        .device = g_strdup_printf("gpu:%d", ordinal),
        .engine = "cuda",
        .gpu = TRUE,
        .index = (guint)ordinal,
        .memory_free = -1,
    };
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, ordinal) == cudaSuccess) {
        device.name = g_strdup(properties.name);
        device.uuid = format_uuid(&properties);
        device.capability_major = (guint)properties.major;
        device.capability_minor = (guint)properties.minor;
        device.multiprocessors = (guint)properties.multiProcessorCount;
        device.memory_total = (gint64)properties.totalGlobalMem;
    }
    int khz = 0, driver = 0, runtime = 0;
    gsize free_bytes, all_bytes;
    if (cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, ordinal) == cudaSuccess)
        device.clock_mhz = (guint)khz / 1000;
    if (cudaDriverGetVersion(&driver) == cudaSuccess)
        device.driver = format_version(driver);
    if (cudaRuntimeGetVersion(&runtime) == cudaSuccess)
        device.runtime = format_version(runtime);
    if (!open_ordinal(ordinal, &failure))
        device.fault = g_strdup(failure->message);
    else if (cudaMemGetInfo(&free_bytes, &all_bytes) == cudaSuccess)
        device.memory_free = (gint64)free_bytes;
    cudaGetLastError();
    g_array_append_val(devices, device);
}

gboolean
cs_cuda_device_list(const char *device, GArray *devices, GError **error)
{
    int count, first = 0, last;
    if (!count_devices(&count, error))
        return FALSE;
    last = count - 1;
    if (device != NULL) {
        if (!find_device(device, count, &first, error))
            return FALSE;
        last = first;
    }
    int current = 0;
    gboolean known = cudaGetDevice(&current) == cudaSuccess;
    for (int k = first; k <= last; k++)
        append_device(devices, k);
    if (known)
        cudaSetDevice(current);
    cudaGetLastError();
    return TRUE;
}
