/* CUDA's runtime on emulated devices: memory, streams, events, textures, launches. */
#include <stdarg.h>
#include <string.h>

#include <glib.h>

#include "emulator.h"

enum {
    GPUS_AT_MOST = 16,
    THREADS_AT_MOST = 1024,  /* of a block */
    THREADS_RESIDENT = 2048, /* of a multiprocessor */
    SHARED_ANY = 48 << 10,   /* bytes of a block that need no attribute */
    SHARED_SYSTEM = 1 << 10, /* bytes that the system takes in every block */
    MEMORY = 1 << 30,        /* bytes of a device */
    GARBAGE = 0xa5,          /* in memory that nobody has written */
};

typedef enum {
    ON_DEVICE,
    PINNED,
} Kind;

/* A piece of memory that the runtime has given out. */
typedef struct {
    guint8 *start;
    gsize bytes;
    Kind kind;
    gboolean mapped;
    int device;
} Piece;

/* A rectangle of bytes. */
typedef struct {
    guint8 *to;
    const guint8 *from;
    gsize to_pitch, from_pitch, width, height;
    guint8 *staged; /* what was pageable when it was queued, or NULL */
} Copy;

typedef struct {
    guint8 *to;
    int value;
    gsize bytes;
} Fill;

typedef enum {
    COPY,
    FILL,
    LAUNCH,
    RECORD,
} WorkKind;

/* What a stream has to do. */
typedef struct {
    WorkKind kind;
    union {
        Copy copy;
        Fill fill;
        EmulatorLaunch launch; /* owns its argument */
        cudaEvent_t event;
    };
} Work;

struct CUstream_st {
    int device;
    GQueue work;
};

struct CUevent_st {
    cudaStream_t stream; /* that has still to come to it, or NULL */
    guint times;         /* recorded and not reached */
};

typedef struct {
    const guint8 *start;
    gsize bytes;
} Texture;

static GRecMutex lock; /* guards all that follows */
static GPtrArray *pieces, *streams;
static GHashTable *shared_limits; /* of kernels */
static gsize used[GPUS_AT_MOST];
static int failing = -1;
static guint launches; /* on it */

static __thread int current_device;
static __thread cudaError_t last_error;

double
emulator_setting(const char *name, double otherwise)
{
    const char *list = g_getenv("EMULATED_GPU");
    g_auto(GStrv) words = g_strsplit_set(list != NULL ? list : "", " ,", -1);
    for (guint k = 0; words[k] != NULL; k++) {
        const gsize length = strlen(name);
        if (strncmp(words[k], name, length) == 0 && words[k][length] == '=')
            return g_ascii_strtod(words[k] + length + 1, NULL);
    }
    return otherwise;
}

static int
count_gpus(void)
{
    return (int)CLAMP(emulator_setting("gpus", 1), 0, GPUS_AT_MOST);
}

static int
capability(void)
{
    return (int)(10 * emulator_setting("capability", 9) + 0.5);
}

static int
multiprocessors(void)
{
    return (int)MAX(emulator_setting("multiprocessors", 2), 1);
}

/* Bytes of shared memory of a multiprocessor. */
static int
shared_memory(void)
{
    return (capability() >= 90 ? 228 : capability() >= 80 ? 164 : 64) << 10;
}

static int
shared_of_block(void)
{
    return shared_memory() - (capability() >= 80 ? SHARED_SYSTEM : 0);
}

static cudaError_t
answer(cudaError_t code)
{
    if (code != cudaSuccess)
        last_error = code;
    return code;
}

cudaError_t
cudaGetLastError(void)
{
    const cudaError_t code = last_error;
    last_error = cudaSuccess;
    return code;
}

const char *
cudaGetErrorName(cudaError_t code)
{
    switch (code) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorNoDevice: return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorLaunchOutOfResources: return "cudaErrorLaunchOutOfResources";
    default: return "another error";
    }
}

const char *
cudaGetErrorString(cudaError_t code)
{
    return code == cudaSuccess ? "no error" : "an emulated device says so";
}

/* Devices. */

cudaError_t
cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t
cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t
cudaGetDeviceCount(int *count)
{
    *count = count_gpus();
    return *count > 0 ? cudaSuccess : answer(cudaErrorNoDevice);
}

cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    if (device < 0 || device >= count_gpus())
        return answer(cudaErrorInvalidDevice);
    *properties = (struct cudaDeviceProp){
        .totalGlobalMem = MEMORY,
        .major = capability() / 10,
        .minor = capability() % 10,
        .multiProcessorCount = multiprocessors(),
    };
    g_strlcpy(properties->name, "emulated GPU", sizeof properties->name);
    properties->uuid.bytes[15] = (char)device;
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    if (device < 0 || device >= count_gpus())
        return answer(cudaErrorInvalidDevice);
    switch (attribute) {
    case cudaDevAttrClockRate: *value = 1000; break;
    case cudaDevAttrMultiProcessorCount: *value = multiprocessors(); break;
    case cudaDevAttrComputeMode: *value = cudaComputeModeDefault; break;
    case cudaDevAttrComputeCapabilityMajor: *value = capability() / 10; break;
    case cudaDevAttrComputeCapabilityMinor: *value = capability() % 10; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = shared_memory(); break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = shared_of_block(); break;
    default: return answer(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t
cudaGetDevice(int *device)
{
    *device = current_device;
    return cudaSuccess;
}

cudaError_t
cudaSetDevice(int device)
{
    if (device < 0 || device >= count_gpus())
        return answer(cudaErrorInvalidDevice);
    current_device = device;
    return cudaSuccess;
}

cudaError_t
cudaMemGetInfo(size_t *free_bytes, size_t *all_bytes)
{
    g_rec_mutex_lock(&lock);
    *all_bytes = MEMORY;
    *free_bytes = MEMORY - used[current_device];
    g_rec_mutex_unlock(&lock);
    return cudaSuccess;
}

/* Work on streams. */

static void
run_copy(Copy *copy)
{
    const guint8 *from = copy->staged != NULL ? copy->staged : copy->from;
    const gsize from_pitch = copy->staged != NULL ? copy->width : copy->from_pitch;
    for (gsize row = 0; row < copy->height; row++)
        memcpy(copy->to + row * copy->to_pitch, from + row * from_pitch, copy->width);
    g_free(copy->staged);
}

static guint
resident_blocks(guint threads, gsize shared)
{
    const guint by_shared = (guint)((gsize)shared_memory() / (shared + SHARED_SYSTEM));
    return MIN(MIN(by_shared, THREADS_RESIDENT / threads), 32);
}

static void
run_launch(EmulatorLaunch *launch)
{
    emulator_run(launch,
                 (guint)multiprocessors() * resident_blocks(launch->threads, launch->shared));
    g_free((gpointer)launch->argument);
}

static void
run_work(Work *work)
{
    switch (work->kind) {
    case COPY: run_copy(&work->copy); break;
    case FILL: memset(work->fill.to, work->fill.value, work->fill.bytes); break;
    case LAUNCH: run_launch(&work->launch); break;
    case RECORD:
        if (--work->event->times == 0)
            work->event->stream = NULL;
        break;
    }
    g_free(work);
}

static void
run_all(cudaStream_t stream)
{
    while (!g_queue_is_empty(&stream->work))
        run_work(g_queue_pop_head(&stream->work));
}

static void
queue(cudaStream_t stream, const Work *work)
{
    if (stream == NULL)
        emulator_fail("the default stream is not emulated");
    if (stream->device != current_device)
        emulator_fail("a stream of GPU %d is used while GPU %d is the current one", stream->device,
                      current_device);
    g_queue_push_tail(&stream->work, g_memdup2(work, sizeof *work));
    if (emulator_setting("eager", 0) != 0)
        run_all(stream);
}

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    if (flags != cudaStreamNonBlocking)
        emulator_fail("a stream that waits for the default stream is not emulated");
    g_rec_mutex_lock(&lock);
    *stream = g_new(struct CUstream_st, 1);
    **stream = (struct CUstream_st){.device = current_device, .work = G_QUEUE_INIT};
    if (streams == NULL)
        streams = g_ptr_array_new();
    g_ptr_array_add(streams, *stream);
    g_rec_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
    g_rec_mutex_lock(&lock);
    run_all(stream);
    g_ptr_array_remove(streams, stream);
    g_free(stream);
    g_rec_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t
cudaStreamSynchronize(cudaStream_t stream)
{
    g_rec_mutex_lock(&lock);
    run_all(stream);
    g_rec_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = g_new0(struct CUevent_st, 1);
    return cudaSuccess;
}

/* Runs what is before the last place where the event was recorded. */
static void
run_until(cudaEvent_t event)
{
    while (event->stream != NULL)
        run_work(g_queue_pop_head(&event->stream->work));
}

cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
    g_rec_mutex_lock(&lock);
    run_until(event);
    g_free(event);
    g_rec_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    g_rec_mutex_lock(&lock);
    if (event->stream != NULL && event->stream != stream)
        run_until(event);
    event->stream = stream;
    event->times++;
    queue(stream, &(Work){.kind = RECORD, .event = event});
    g_rec_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t
cudaEventSynchronize(cudaEvent_t event)
{
    g_rec_mutex_lock(&lock);
    run_until(event);
    g_rec_mutex_unlock(&lock);
    return cudaSuccess;
}

/* Whether the event has been reached is drawn by lot: if so, that happens now. */
cudaError_t
cudaEventQuery(cudaEvent_t event)
{
    static GRand *lots;
    g_rec_mutex_lock(&lock);
    if (lots == NULL)
        lots = g_rand_new_with_seed((guint32)emulator_setting("seed", 1));
    const gboolean waits = event->stream != NULL && g_rand_boolean(lots);
    if (!waits)
        run_until(event);
    g_rec_mutex_unlock(&lock);
    return answer(waits ? cudaErrorNotReady : cudaSuccess);
}

/* Memory. */

/* The piece in which these bytes lie, or NULL. */
static const Piece *
piece_of(const void *pointer, gsize bytes)
{
    const guint8 *start = pointer;
    for (guint k = 0; pieces != NULL && k < pieces->len; k++) {
        const Piece *piece = g_ptr_array_index(pieces, k);
        if (start < piece->start || start >= piece->start + piece->bytes)
            continue;
        if (start + bytes > piece->start + piece->bytes)
            emulator_fail("%zu bytes at %zu of %zu bytes of memory", bytes,
                          (gsize)(start - piece->start), piece->bytes);
        return piece;
    }
    return NULL;
}

static gboolean
is_on_device(const void *pointer, gsize bytes)
{
    const Piece *piece = piece_of(pointer, bytes);
    return piece != NULL && piece->kind == ON_DEVICE;
}

static void *
give_out(gsize bytes, Kind kind, gboolean mapped)
{
    Piece *piece = g_new(Piece, 1);
    *piece = (Piece){.start = g_aligned_alloc(1, MAX(bytes, 1), 256),
                     .bytes = bytes,
                     .kind = kind,
                     .mapped = mapped,
                     .device = current_device};
    memset(piece->start, GARBAGE, bytes);
    if (pieces == NULL)
        pieces = g_ptr_array_new();
    g_ptr_array_add(pieces, piece);
    return piece->start;
}

/* Takes it back when all that was queued is done, as CUDA does. */
static void
take_back(void *pointer, Kind kind)
{
    for (guint k = 0; streams != NULL && k < streams->len; k++)
        run_all(g_ptr_array_index(streams, k));
    const Piece *found = piece_of(pointer, 0);
    if (found == NULL || found->start != pointer || found->kind != kind)
        emulator_fail("freeing what was not allocated in this way");
    Piece *piece = (Piece *)found;
    if (kind == ON_DEVICE)
        used[piece->device] -= piece->bytes;
    g_ptr_array_remove_fast(pieces, piece);
    g_aligned_free(piece->start);
    g_free(piece);
}

cudaError_t
cudaMalloc(void **pointer, size_t bytes)
{
    cudaError_t code = cudaErrorMemoryAllocation;
    g_rec_mutex_lock(&lock);
    if (used[current_device] + bytes <= MEMORY) {
        used[current_device] += bytes;
        *pointer = give_out(bytes, ON_DEVICE, FALSE);
        code = cudaSuccess;
    }
    g_rec_mutex_unlock(&lock);
    return answer(code);
}

cudaError_t
cudaFree(void *pointer)
{
    g_rec_mutex_lock(&lock);
    if (pointer != NULL)
        take_back(pointer, ON_DEVICE);
    g_rec_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t
cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    g_rec_mutex_lock(&lock);
    *pointer = give_out(bytes, PINNED, (flags & cudaHostAllocMapped) != 0);
    g_rec_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t
cudaFreeHost(void *pointer)
{
    g_rec_mutex_lock(&lock);
    if (pointer != NULL)
        take_back(pointer, PINNED);
    g_rec_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t
cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    (void)flags;
    g_rec_mutex_lock(&lock);
    const Piece *piece = piece_of(host, 0);
    const gboolean mapped = piece != NULL && piece->mapped;
    g_rec_mutex_unlock(&lock);
    *device = host;
    return answer(mapped ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t
cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    g_rec_mutex_lock(&lock);
    if (!is_on_device(to, bytes))
        emulator_fail("setting bytes that are not on a device");
    queue(stream, &(Work){.kind = FILL, .fill = {to, value, bytes}});
    g_rec_mutex_unlock(&lock);
    return cudaSuccess;
}

/* Pageable memory is read when the copy is queued, and has been written when the call returns. */
cudaError_t
cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                  size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (width == 0 || height == 0)
        return cudaSuccess;
    const gsize to_bytes = (height - 1) * to_pitch + width;
    const gsize from_bytes = (height - 1) * from_pitch + width;
    Work work = {.kind = COPY,
                 .copy = {.to = to,
                          .from = from,
                          .to_pitch = to_pitch,
                          .from_pitch = from_pitch,
                          .width = width,
                          .height = height}};
    g_rec_mutex_lock(&lock);
    if (is_on_device(to, to_bytes) != (kind != cudaMemcpyDeviceToHost) ||
        is_on_device(from, from_bytes) != (kind != cudaMemcpyHostToDevice))
        emulator_fail("a copy is not between the memories that it names");
    if (kind == cudaMemcpyHostToDevice && piece_of(from, from_bytes) == NULL) {
        Copy stage = work.copy;
        stage.to = work.copy.staged = g_malloc(width * height);
        stage.to_pitch = width;
        run_copy(&stage);
    }
    queue(stream, &work);
    if (kind == cudaMemcpyDeviceToHost && piece_of(to, to_bytes) == NULL)
        run_all(stream);
    g_rec_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                cudaStream_t stream)
{
    return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}

/* Textures. */

struct cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

cudaError_t
cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource,
                        const struct cudaTextureDesc *description,
                        const struct cudaResourceViewDesc *view)
{
    (void)description;
    (void)view;
    const void *start = resource->res.linear.devPtr;
    const gsize bytes = resource->res.linear.sizeInBytes;
    g_rec_mutex_lock(&lock);
    if (!is_on_device(start, bytes))
        emulator_fail("a texture of memory that is not on a device");
    g_rec_mutex_unlock(&lock);
    Texture *made = g_new(Texture, 1);
    *made = (Texture){start, bytes};
    *texture = (cudaTextureObject_t)(guintptr)made;
    return cudaSuccess;
}

cudaError_t
cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    g_free((gpointer)(guintptr)texture);
    return cudaSuccess;
}

uint32_t
emulator_texel(cudaTextureObject_t texture, int index)
{
    const Texture *from = (const Texture *)(guintptr)texture;
    uint32_t texel;
    if (index < 0 || ((gsize)index + 1) * sizeof texel > from->bytes)
        emulator_fail("texel %d of a texture of %zu bytes", index, from->bytes);
    memcpy(&texel, from->start + (gsize)index * sizeof texel, sizeof texel);
    return texel;
}

/* Kernels. */

cudaError_t
cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value > shared_of_block())
        return answer(cudaErrorInvalidValue);
    g_rec_mutex_lock(&lock);
    if (shared_limits == NULL)
        shared_limits = g_hash_table_new(NULL, NULL);
    g_hash_table_insert(shared_limits, (gpointer)kernel, GINT_TO_POINTER(value));
    g_rec_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads,
                                              size_t shared)
{
    (void)kernel;
    *blocks = (int)resident_blocks((guint)threads, shared);
    return cudaSuccess;
}

static gsize
shared_limit(const EmulatorLaunch *launch)
{
    const int limit = shared_limits == NULL
                          ? 0
                          : GPOINTER_TO_INT(g_hash_table_lookup(shared_limits, launch->kernel));
    return (gsize)MAX(limit, SHARED_ANY);
}

/* Whether a GPU fails from now on. */
static gboolean
is_failing(int device)
{
    const int wanted = (int)emulator_setting("failing", -1);
    if (wanted != failing)
        launches = 0;
    failing = wanted;
    return device == failing && launches++ >= emulator_setting("launches", 0);
}

void
emulator_queue(const EmulatorLaunch *launch, cudaStream_t stream)
{
    if (launch->blocks == 0 || launch->threads == 0 || launch->threads > THREADS_AT_MOST) {
        answer(cudaErrorInvalidConfiguration);
        return;
    }
    if (launch->threads % 32 != 0)
        emulator_fail("%u threads are no whole number of warps", launch->threads);
    g_rec_mutex_lock(&lock);
    if (launch->shared > shared_limit(launch)) {
        answer(cudaErrorInvalidValue);
    } else if (is_failing(stream->device)) {
        answer(cudaErrorLaunchOutOfResources);
    } else {
        Work work = {.kind = LAUNCH, .launch = *launch};
        work.launch.argument = g_memdup2(launch->argument, launch->argument_bytes);
        queue(stream, &work);
    }
    g_rec_mutex_unlock(&lock);
}
