/*
 * State files: see state_file.h for an overview, docs/formats.md for every byte.
 *
 * Writing: the calling thread and its helpers encode blocks of at most BLOCK_CELLS cells. The
 * calling thread alone writes them, in order. To bound the memory, a block may be begun only after
 * the previous block of its slot is written:
 *
 *     blocks   0  1  2  3  4  5  6  7  8
 *              `--written-'  `slots-'  not begun
 */
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include <chromosweep/error.h>

#include "checkpoint/bus_codec.h"
#include "checkpoint/state_head.h"
#include "system/disk.h"
#include "system/parallel.h"

#define MAGIC "CSWSTATE"
#define END_MAGIC "CSWSTEND"

enum {
    MAGIC_BYTES = 8,
    START_BYTES = 16, /* magic, version, length of the head */
    CHECKSUM_BYTES = 8,
    BLOCK_START_BYTES = 16, /* cells, stored bytes, checksum */
    SUMMED_BYTES = 8,       /* of these, what the block's checksum covers */
    END_BYTES = 24,
    MOST_HEAD_BYTES = 64 << 20,
    BLOCK_CELLS = CS_STATE_BLOCK_CELLS,
    MOST_THREADS = CS_STATE_MOST_THREADS,
};

/* Cells from + 1 .. from + count of bus 0, the horizontal one, or of riser bus - 1. */
typedef struct {
    guint bus;
    gint64 from;
    gint64 count;
} Block;

static void
put_32(guint8 *bytes, guint32 value)
{
    value = GUINT32_TO_LE(value);
    memcpy(bytes, &value, sizeof value);
}

static void
put_64(guint8 *bytes, guint64 value)
{
    value = GUINT64_TO_LE(value);
    memcpy(bytes, &value, sizeof value);
}

static guint32
get_32(const guint8 *bytes)
{
    guint32 value;
    memcpy(&value, bytes, sizeof value);
    return GUINT32_FROM_LE(value);
}

static guint64
get_64(const guint8 *bytes)
{
    guint64 value;
    memcpy(&value, bytes, sizeof value);
    return GUINT64_FROM_LE(value);
}

static const CsBus *
bus_of(const CsState *state, guint bus)
{
    return bus == 0 ? state->staircase.horizontal
                    : g_array_index(state->staircase.steps, CsStep, bus - 1).riser;
}

static void
cut_bus(GArray *blocks, guint bus, gint64 length)
{
    for (gint64 from = 0; from < length; from += BLOCK_CELLS) {
        Block block = {bus, from, MIN(BLOCK_CELLS, length - from)};
        g_array_append_val(blocks, block);
    }
}

/* The blocks of the file, in order. */
static GArray *
cut_blocks(gint64 n, const CsStaircase *staircase)
{
    GArray *blocks = g_array_new(FALSE, FALSE, sizeof(Block));
    cut_bus(blocks, 0, n);
    for (guint k = 0; staircase->steps != NULL && k < staircase->steps->len; k++)
        cut_bus(blocks, k + 1, g_array_index(staircase->steps, CsStep, k).height);
    return blocks;
}

/* Whether the file is large enough for the blocks that its head announces. */
static gboolean
fits_file(int fd, const CsStateHead *head)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return FALSE;
    const GArray *steps = head->state.staircase.steps;
    gint64 most = status.st_size / BLOCK_START_BYTES;
    gint64 blocks = cs_fingerprint_record_columns(head->record) / BLOCK_CELLS;
    for (guint k = 0; k < steps->len && blocks <= most; k++)
        blocks += 1 + g_array_index(steps, CsStep, k).height / BLOCK_CELLS;
    return blocks <= most;
}

static gint64
largest_block(const GArray *blocks)
{
    gint64 most = 1;
    for (guint k = 0; k < blocks->len; k++)
        most = MAX(most, g_array_index(blocks, Block, k).count);
    return most;
}

/*
 * The checksum of a block's first bytes and its payload. It moves the first bytes next to the
 * payload, over the place of the checksum.
 */
static guint64
block_checksum(guint8 *block, gsize stored)
{
    memcpy(block + SUMMED_BYTES, block, SUMMED_BYTES);
    return XXH64(block + SUMMED_BYTES, SUMMED_BYTES + stored, 0);
}

typedef struct {
    guint8 *bytes; /* of a block, as in the file */
    gsize size;
    gboolean ready;
} Slot;

/* What the encoding threads share. Members from `next` on are protected by the lock. */
typedef struct {
    const CsState *state;
    const GArray *blocks;
    int fd;
    const char *path;
    const gint *hurry; /* or NULL */
    gint64 most_cells;
    guint n_slots;
    Slot *slots; /* block k has slot k mod n_slots */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    guint next;    /* the first block that no thread has begun */
    guint written; /* blocks */
    gboolean over; /* helpers must end */
    GError *error; /* of a helper */
} Packing;

static gboolean
pack_block(Packing *packing, CsBusEncoder *encoder, guint k, GError **error)
{
    const Block *block = &g_array_index(packing->blocks, Block, k);
    Slot *slot = &packing->slots[k % packing->n_slots];
    if (slot->bytes == NULL)
        slot->bytes = g_try_malloc(BLOCK_START_BYTES + cs_bus_codec_bound(packing->most_cells));
    if (slot->bytes == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory to pack a state");
        return FALSE;
    }
    CsBus slice = cs_bus_slice(bus_of(packing->state, block->bus), block->from, block->count);
    gsize stored;
    if (!cs_bus_encoder_run(encoder, &slice, slot->bytes + BLOCK_START_BYTES, &stored, error))
        return FALSE;
    put_32(slot->bytes, (guint32)block->count);
    put_32(slot->bytes + 4, (guint32)stored);
    put_64(slot->bytes + SUMMED_BYTES, block_checksum(slot->bytes, stored));
    slot->size = BLOCK_START_BYTES + stored;
    return TRUE;
}

static void
help_packing(gpointer data)
{
    Packing *packing = data;
    GError *error = NULL;
    g_autoptr(CsBusEncoder) encoder = cs_bus_encoder_new(packing->most_cells, NULL);
    if (encoder == NULL)
        return; /* the other threads do the work */
    pthread_mutex_lock(&packing->lock);
    while (!packing->over && error == NULL && packing->next < packing->blocks->len) {
        if (packing->next >= packing->written + packing->n_slots) {
            pthread_cond_wait(&packing->changed, &packing->lock);
            continue;
        }
        guint k = packing->next++;
        pthread_mutex_unlock(&packing->lock);
        gboolean packed = pack_block(packing, encoder, k, &error);
        pthread_mutex_lock(&packing->lock);
        packing->slots[k % packing->n_slots].ready = packed;
        pthread_cond_broadcast(&packing->changed);
    }
    if (error != NULL && packing->error == NULL)
        packing->error = g_steal_pointer(&error);
    g_clear_error(&error);
    pthread_cond_broadcast(&packing->changed);
    pthread_mutex_unlock(&packing->lock);
}

/* Waits for block k, the next to be written. Packs it here unless a helper has begun it. */
static gboolean
await_block(Packing *packing, CsBusEncoder *encoder, guint k, GError **error)
{
    Slot *slot = &packing->slots[k % packing->n_slots];
    pthread_mutex_lock(&packing->lock);
    gboolean mine = packing->next == k;
    packing->next += mine;
    while (!mine && !slot->ready && packing->error == NULL)
        pthread_cond_wait(&packing->changed, &packing->lock);
    gboolean ready = mine || slot->ready;
    if (!ready)
        g_propagate_error(error, g_steal_pointer(&packing->error));
    pthread_mutex_unlock(&packing->lock);
    return ready && (!mine || pack_block(packing, encoder, k, error));
}

static void
free_slot(Packing *packing, guint k)
{
    pthread_mutex_lock(&packing->lock);
    packing->slots[k % packing->n_slots].ready = FALSE;
    packing->written = k + 1;
    pthread_cond_broadcast(&packing->changed);
    pthread_mutex_unlock(&packing->lock);
}

gboolean
cs_state_is_abandoned(const gint *hurry, GError **error)
{
    if (hurry == NULL || g_atomic_int_get(hurry) != CS_HURRY_ABANDON)
        return FALSE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "a newer state takes its place");
    return TRUE;
}

static gboolean
write_blocks(Packing *packing, gint64 *bytes, GError **error)
{
    g_autoptr(CsBusEncoder) encoder = cs_bus_encoder_new(packing->most_cells, error);
    if (encoder == NULL)
        return FALSE;
    g_autoptr(GByteArray) checksums = g_byte_array_new();
    for (guint k = 0; k < packing->blocks->len; k++) {
        if (cs_state_is_abandoned(packing->hurry, error) ||
            !await_block(packing, encoder, k, error))
            return FALSE;
        const Slot *slot = &packing->slots[k % packing->n_slots];
        if (!cs_disk_write(packing->fd, packing->path, slot->bytes, slot->size, error))
            return FALSE;
        *bytes += (gint64)slot->size;
        g_byte_array_append(checksums, slot->bytes + SUMMED_BYTES, CHECKSUM_BYTES);
        free_slot(packing, k);
    }
    guint8 end[END_BYTES] = END_MAGIC;
    put_64(end + MAGIC_BYTES, packing->blocks->len);
    put_64(end + MAGIC_BYTES + 8, XXH64(checksums->data, checksums->len, 0));
    *bytes += END_BYTES;
    return cs_disk_write(packing->fd, packing->path, end, END_BYTES, error);
}

/* Packs all blocks, with as many helpers as threads can be started. */
static gboolean
pack_blocks(Packing *packing, guint threads, gint64 *bytes, GError **error)
{
    const guint helpers = CLAMP(threads, 1, MIN(MOST_THREADS, MAX(packing->blocks->len, 1))) - 1;
    packing->most_cells = largest_block(packing->blocks);
    packing->n_slots = helpers + 2;
    packing->slots = g_new0(Slot, packing->n_slots);
    pthread_mutex_init(&packing->lock, NULL);
    pthread_cond_init(&packing->changed, NULL);
    CsThread *started[MOST_THREADS];
    guint n_started = 0;
    while (n_started < helpers &&
           (started[n_started] = cs_thread_new("packing", help_packing, packing, NULL)) != NULL)
        n_started++;
    gboolean written = write_blocks(packing, bytes, error);
    pthread_mutex_lock(&packing->lock);
    packing->over = TRUE;
    pthread_cond_broadcast(&packing->changed);
    pthread_mutex_unlock(&packing->lock);
    for (guint k = 0; k < n_started; k++)
        cs_thread_join(started[k]);
    for (guint k = 0; k < packing->n_slots; k++)
        g_free(packing->slots[k].bytes);
    g_free(packing->slots);
    g_clear_error(&packing->error);
    pthread_mutex_destroy(&packing->lock);
    pthread_cond_destroy(&packing->changed);
    return written;
}

static gboolean
write_head(int fd, const char *path, CsStateHead *head, const CsState *state, GError **error)
{
    char *text = cs_state_head_dump(head, state);
    gsize length = text != NULL ? strlen(text) : 0;
    if (text == NULL || length > MOST_HEAD_BYTES) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED,
                            text == NULL ? "cannot write a state's head: not enough memory"
                                         : "cannot write a state's head: it is too long");
        free(text);
        return FALSE;
    }
    g_autofree guint8 *bytes = g_malloc(START_BYTES + length + CHECKSUM_BYTES);
    memcpy(bytes, MAGIC, MAGIC_BYTES);
    put_32(bytes + MAGIC_BYTES, CS_STATE_VERSION);
    put_32(bytes + MAGIC_BYTES + 4, (guint32)length);
    memcpy(bytes + START_BYTES, text, length);
    free(text);
    head->checksum = XXH64(bytes, START_BYTES + length, 0);
    put_64(bytes + START_BYTES + length, head->checksum);
    head->bytes = (gint64)(START_BYTES + length + CHECKSUM_BYTES);
    return cs_disk_write(fd, path, bytes, START_BYTES + length + CHECKSUM_BYTES, error);
}

gboolean
cs_state_file_write(int fd, const char *path, CsStateHead *head, const CsState *state,
                    guint threads, const gint *hurry, GError **error)
{
    gint64 n = cs_fingerprint_record_columns(head->record);
    g_assert(state->staircase.horizontal != NULL && state->staircase.horizontal->length == n);
    g_autoptr(GArray) blocks = cut_blocks(n, &state->staircase);
    Packing packing = {.state = state, .blocks = blocks, .fd = fd, .path = path, .hurry = hurry};
    return write_head(fd, path, head, state, error) &&
           pack_blocks(&packing, threads, &head->bytes, error);
}

static gboolean fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
fail(GError **error, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    g_propagate_error(error, g_error_new_valist(CS_ERROR, CS_ERROR_CONTENT, format, values));
    va_end(values);
    return FALSE;
}

/* Reads exactly `size` bytes. `where` names the part of the file. */
static gboolean
read_exactly(int fd, const char *path, const char *where, guint8 *bytes, gsize size, GError **error)
{
    gssize done = cs_disk_read(fd, path, bytes, size, error);
    if (done >= 0 && (gsize)done < size)
        return fail(error, "%s: the file ends there", where);
    return done >= 0;
}

/*
 * The version counts only if the head's checksum is right. Up to there all versions have the same
 * form.
 */
gboolean
cs_state_file_read_head(int fd, const char *path, CsStateHead *head, GError **error)
{
    guint8 start[START_BYTES];
    *head = (CsStateHead){0};
    if (!read_exactly(fd, path, "head", start, START_BYTES, error))
        return FALSE;
    if (memcmp(start, MAGIC, MAGIC_BYTES) != 0)
        return fail(error, "head: not a state file");
    guint32 version = get_32(start + MAGIC_BYTES), length = get_32(start + MAGIC_BYTES + 4);
    if (length > MOST_HEAD_BYTES)
        return fail(error, "head: wrong length");
    g_autofree guint8 *bytes = g_try_malloc(START_BYTES + length + CHECKSUM_BYTES);
    if (bytes == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory for a head");
        return FALSE;
    }
    memcpy(bytes, start, START_BYTES);
    if (!read_exactly(fd, path, "head", bytes + START_BYTES, length + CHECKSUM_BYTES, error))
        return FALSE;
    head->checksum = XXH64(bytes, START_BYTES + length, 0);
    if (get_64(bytes + START_BYTES + length) != head->checksum)
        return fail(error, "head: wrong checksum");
    if (version != CS_STATE_VERSION) {
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                    "format version %u; this program reads version %d", version, CS_STATE_VERSION);
        return FALSE;
    }
    head->bytes = START_BYTES + (gint64)length + CHECKSUM_BYTES;
    g_autoptr(GError) failure = NULL;
    if (cs_state_head_parse((const char *)bytes + START_BYTES, length, head, &failure))
        return TRUE;
    g_propagate_prefixed_error(error, g_steal_pointer(&failure), "head: ");
    cs_state_head_clear(head);
    return FALSE;
}

/* The state of reading blocks. */
typedef struct {
    int fd;
    const char *path;
    CsStateHead *head;
    CsBusDecoder *decoder;
    guint8 *block;
    CsBus *scratch;        /* used if no bus is loaded */
    GByteArray *checksums; /* of the blocks so far */
} Reading;

/* Reads a block into all cells of a bus. */
static gboolean
read_block(Reading *reading, guint number, CsBus *bus, GError **error)
{
    g_autofree char *where = g_strdup_printf("block %u", number);
    guint8 *block = reading->block;
    if (!read_exactly(reading->fd, reading->path, where, block, BLOCK_START_BYTES, error))
        return FALSE;
    gsize stored = get_32(block + 4);
    if (get_32(block) != bus->length)
        return fail(error, "%s: wrong number of cells", where);
    if (stored > cs_bus_codec_bound(bus->length))
        return fail(error, "%s: wrong length", where);
    if (!read_exactly(reading->fd, reading->path, where, block + BLOCK_START_BYTES, stored, error))
        return FALSE;
    g_byte_array_append(reading->checksums, block + SUMMED_BYTES, CHECKSUM_BYTES);
    guint64 checksum = get_64(block + SUMMED_BYTES);
    if (checksum != block_checksum(block, stored))
        return fail(error, "%s: wrong checksum", where);
    reading->head->bytes += (gint64)(BLOCK_START_BYTES + stored);
    if (cs_bus_decoder_run(reading->decoder, block + BLOCK_START_BYTES, stored, 0,
                           reading->head->highest, bus, error))
        return TRUE;
    g_prefix_error(error, "%s: ", where);
    return FALSE;
}

static gboolean
equal_cells(const CsBus *one, const CsBus *other)
{
    if (one->width == other->width) {
        gsize bytes = (gsize)one->length * one->width;
        return memcmp(one->h, other->h, bytes) == 0 && memcmp(one->gap, other->gap, bytes) == 0;
    }
    for (gint64 k = 0; k < one->length; k++)
        if (cs_width_get(one->width, one->h, k) != cs_width_get(other->width, other->h, k) ||
            cs_width_get(one->width, one->gap, k) != cs_width_get(other->width, other->gap, k))
            return FALSE;
    return TRUE;
}

static gboolean
read_blocks(Reading *reading, const GArray *blocks, gboolean load, const CsState *same,
            const gint *hurry, GError **error)
{
    for (guint k = 0; k < blocks->len; k++) {
        if (hurry != NULL && g_atomic_int_get(hurry) != 0)
            return TRUE;
        const Block *block = &g_array_index(blocks, Block, k);
        const CsBus *whole = load ? bus_of(&reading->head->state, block->bus) : reading->scratch;
        CsBus to = cs_bus_slice(whole, load ? block->from : 0, block->count);
        if (!read_block(reading, k + 1, &to, error))
            return FALSE;
        if (same != NULL) {
            CsBus wanted = cs_bus_slice(bus_of(same, block->bus), block->from, block->count);
            if (!equal_cells(&to, &wanted))
                return fail(error, "block %u: not what was written", k + 1);
        }
    }
    guint8 end[END_BYTES + 1];
    gssize done = cs_disk_read(reading->fd, reading->path, end, END_BYTES + 1, error);
    if (done < 0)
        return FALSE;
    if (done < END_BYTES || memcmp(end, END_MAGIC, MAGIC_BYTES) != 0)
        return fail(error, "end: missing");
    if (done > END_BYTES)
        return fail(error, "end: more data follows");
    if (get_64(end + MAGIC_BYTES) != blocks->len ||
        get_64(end + MAGIC_BYTES + 8) !=
            XXH64(reading->checksums->data, reading->checksums->len, 0))
        return fail(error, "end: wrong checksum");
    reading->head->bytes += END_BYTES;
    return TRUE;
}

static gboolean
make_buses(CsStateHead *head, GError **error)
{
    CsStaircase *stairs = &head->state.staircase;
    stairs->horizontal =
        cs_bus_new(cs_fingerprint_record_columns(head->record), head->width, error);
    if (stairs->horizontal == NULL)
        return FALSE;
    for (guint k = 0; k < stairs->steps->len; k++) {
        CsStep *step = &g_array_index(stairs->steps, CsStep, k);
        step->riser = cs_bus_new(step->height, head->width, error);
        if (step->riser == NULL)
            return FALSE;
    }
    return TRUE;
}

static gboolean
same_shape(const CsState *one, const CsState *other)
{
    const GArray *a = one->staircase.steps, *b = other->staircase.steps;
    if (a->len != (b != NULL ? b->len : 0))
        return FALSE;
    for (guint k = 0; k < a->len; k++)
        if (g_array_index(a, CsStep, k).height != g_array_index(b, CsStep, k).height)
            return FALSE;
    return TRUE;
}

gboolean
cs_state_file_read_blocks(int fd, const char *path, CsStateHead *head, gboolean load,
                          const CsState *same, const gint *hurry, GError **error)
{
    if (same != NULL && !same_shape(&head->state, same))
        return fail(error, "head: not what was written");
    if (!fits_file(fd, head))
        return fail(error, "head: more blocks than the file can hold");
    g_autoptr(GArray) blocks =
        cut_blocks(cs_fingerprint_record_columns(head->record), &head->state.staircase);
    gint64 most = largest_block(blocks);
    if (load && !make_buses(head, error))
        return FALSE;
    g_autoptr(CsBus) scratch = load ? NULL : cs_bus_new(most, head->width, error);
    if (!load && scratch == NULL)
        return FALSE;
    g_autoptr(CsBusDecoder) decoder = cs_bus_decoder_new(most, error);
    if (decoder == NULL)
        return FALSE;
    g_autofree guint8 *block = g_try_malloc(BLOCK_START_BYTES + cs_bus_codec_bound(most));
    if (block == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory for a block");
        return FALSE;
    }
    g_autoptr(GByteArray) checksums = g_byte_array_new();
    Reading reading = {fd, path, head, decoder, block, scratch, checksums};
    return read_blocks(&reading, blocks, load, same, hurry, error);
}
