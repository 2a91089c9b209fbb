/*
 * A region by index: PATH.fai, and for bgzip PATH.gzi.
 *
 *   PATH.fai   one record per line: name TAB bases TAB offset TAB bases per line TAB bytes per line
 *   PATH.gzi   a count, then for each block but the first where it begins, in the file and in the
 *              text; all numbers are 64-bit little-endian
 *
 * An index may belong to another file or an older version of the file, or be truncated, and a wrong
 * base would never be noticed later. Therefore:
 *
 * - Whatever can be checked against the file is checked. Between the bases of two records, before
 *   the first and after the last, there must be only white space and the header that names the
 *   next. So no record is missing, renamed, out of order or duplicated.
 * - Lines of the region's record end where the index says, and hold only bases.
 * - Every block that is read begins and ends where PATH.gzi says, and holds as much text.
 * - There are no errors here. In doubt, functions return NULL, and streaming the file says what is
 *   wrong.
 *
 * htslib trusts an index: faidx_fetch_seq64() returns whatever is where a wrong PATH.fai points,
 * and bgzf_useek() fails an assertion on a wrong PATH.gzi. Neither exposes its offsets, so both
 * files are read here.
 */
#include <string.h>

#include <htslib/hfile.h>

#include "sequence/container.h"
#include "sequence/faidx.h"
#include "sequence/bases.h"
#include "sequence/sequence_private.h"
#include "system/memory.h"

enum {
    CHUNK_BYTES = 64 << 10,
    GAP_MAX_BYTES = 1 << 20, /* a header, and white space around it */
    COLUMNS = 5,
    END_MARKER_BYTES = 28, /* the empty block that ends BGZF */
    BLOCK_MAX_BYTES = 64 << 10,
};

/* Where a BGZF block begins, in the file and in the text. */
typedef struct {
    gint64 address;
    gint64 offset;
} Block;

/* Access to the text of the file at any offset. */
typedef struct {
    BGZF *input;
    gint64 length;
    GArray *blocks; /* of BGZF, the end marker last; NULL for a plain file */
    guint loaded;   /* the block in the input's buffer, or blocks->len if there is none */
} Text;

typedef struct {
    const char *name;
    gint64 bases;
    gint64 offset; /* of the first */
    gint64 line;   /* bases per line; each line ends with LF */
} Record;

static void
text_clear(Text *text)
{
    g_clear_pointer(&text->blocks, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Text, text_clear)

static gboolean
is_fresh(const char *index, const struct stat *status)
{
    struct stat own;
    if (stat(index, &own) != 0 || !S_ISREG(own.st_mode))
        return FALSE;
    return own.st_mtim.tv_sec != status->st_mtim.tv_sec
               ? own.st_mtim.tv_sec > status->st_mtim.tv_sec
               : own.st_mtim.tv_nsec >= status->st_mtim.tv_nsec;
}

gboolean
cs_faidx_is_fresh(const char *path, const struct stat *status)
{
    g_autofree char *index = g_strconcat(path, ".fai", NULL);
    return S_ISREG(status->st_mode) && is_fresh(index, status);
}

static Block
block_at(const Text *text, guint k)
{
    return g_array_index(text->blocks, Block, k);
}

/* Reads block k and checks that it is as the index says. */
static gboolean
load_block(Text *text, guint k)
{
    BGZF *input = text->input;
    Block block = block_at(text, k), next = block_at(text, k + 1);
    gboolean behind = text->loaded + 1 == k; /* the input is already there */
    text->loaded = text->blocks->len;
    if (!behind && bgzf_seek(input, block.address << 16, SEEK_SET) != 0)
        return FALSE;
    if (!cs_container_read_block(input) || input->is_gzip || htell(input->fp) != next.address ||
        input->block_length != next.offset - block.offset)
        return FALSE;
    text->loaded = k;
    return TRUE;
}

/* The block that holds a byte of the text. */
static guint
find_block(const Text *text, gint64 offset)
{
    guint low = 0, high = text->blocks->len - 1; /* the last one begins where the text ends */
    while (high - low > 1) {
        guint middle = low + (high - low) / 2;
        if (block_at(text, middle).offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static gboolean
text_read(Text *text, gint64 offset, guint8 *bytes, gint64 length)
{
    if (offset < 0 || length < 0 || offset > text->length || length > text->length - offset)
        return FALSE;
    if (text->blocks == NULL) {
        hFILE *file = text->input->fp;
        return (htell(file) == offset || hseek(file, offset, SEEK_SET) == offset) &&
               hread(file, bytes, (size_t)length) == length;
    }
    while (length > 0) {
        guint k = text->loaded;
        if (k >= text->blocks->len || offset < block_at(text, k).offset ||
            offset >= block_at(text, k + 1).offset) {
            k = find_block(text, offset);
            if (!load_block(text, k))
                return FALSE;
        }
        gint64 now = MIN(length, block_at(text, k + 1).offset - offset);
        const guint8 *block = text->input->uncompressed_block;
        memcpy(bytes, block + (offset - block_at(text, k).offset), (gsize)now);
        bytes += now;
        offset += now;
        length -= now;
    }
    return TRUE;
}

/* Reads where the blocks begin. */
static GArray *
read_gzi(const char *path, gint64 file_size)
{
    g_autofree char *index = g_strconcat(path, ".gzi", NULL);
    g_autofree char *bytes = NULL;
    gsize size;
    guint64 pair[2], count;
    if (!g_file_get_contents(index, &bytes, &size, NULL) || size < sizeof count)
        return NULL;
    memcpy(&count, bytes, sizeof count);
    count = GUINT64_FROM_LE(count);
    if ((size - sizeof count) % sizeof pair != 0 || count != (size - sizeof count) / sizeof pair ||
        count > G_MAXUINT / sizeof pair - 2)
        return NULL;
    g_autoptr(GArray) blocks = g_array_new(FALSE, FALSE, sizeof(Block));
    Block last = {0};
    g_array_append_val(blocks, last);
    for (gsize k = 0; k < count; k++) {
        memcpy(pair, bytes + sizeof count + k * sizeof pair, sizeof pair);
        guint64 address = GUINT64_FROM_LE(pair[0]), offset = GUINT64_FROM_LE(pair[1]);
        if (address > (guint64)file_size || (gint64)address <= last.address ||
            offset > G_MAXINT64 || (gint64)offset <= last.offset ||
            (gint64)offset - last.offset > BLOCK_MAX_BYTES)
            return NULL;
        last = (Block){(gint64)address, (gint64)offset};
        g_array_append_val(blocks, last);
    }
    return g_steal_pointer(&blocks);
}

/* Finds out the length of the text and, for BGZF, where its blocks are. */
static gboolean
text_init(Text *text, BGZF *input, const char *path, const struct stat *status)
{
    *text = (Text){.input = input, .length = status->st_size};
    if (!input->is_compressed)
        return TRUE;
    g_autofree char *index = g_strconcat(path, ".gzi", NULL);
    if (input->is_gzip || !is_fresh(index, status) || bgzf_check_EOF(input) != 1)
        return FALSE;
    text->blocks = read_gzi(path, status->st_size);
    if (text->blocks == NULL)
        return FALSE;
    /* The end marker closes the list; some writers list it themselves. */
    Block end = {.address = status->st_size - END_MARKER_BYTES};
    Block last = block_at(text, text->blocks->len - 1);
    text->length = last.offset;
    if (last.address < end.address) {
        /* The last block's size is only in the file. */
        if (bgzf_seek(input, last.address << 16, SEEK_SET) != 0 || !cs_container_read_block(input))
            return FALSE;
        text->length = end.offset = last.offset + input->block_length;
        g_array_append_val(text->blocks, end);
    } else if (last.address > end.address) {
        return FALSE;
    }
    text->loaded = text->blocks->len;
    return text->length > 0;
}

/* Reads a line of PATH.fai, and checks that the record is within the text. The name stays in the
 * line. */
static gboolean
read_record(char *line, const Text *text, Record *record)
{
    g_auto(GStrv) columns = g_strsplit(line, "\t", COLUMNS + 1);
    guint64 numbers[COLUMNS];
    if (g_strv_length(columns) != COLUMNS)
        return FALSE;
    for (int k = 1; k < COLUMNS; k++)
        if (!g_ascii_string_to_unsigned(columns[k], 10, 1, (guint64)text->length + 1, &numbers[k],
                                        NULL))
            return FALSE;
    line[strlen(columns[0])] = '\0';
    *record = (Record){line, (gint64)numbers[1], (gint64)numbers[2], (gint64)numbers[3]};
    return numbers[4] == numbers[3] + 1;
}

/* The offset of a base of a record. Bases count from 0. */
static gint64
base_offset(const Record *record, gint64 base)
{
    return record->offset + base + base / record->line;
}

/*
 * Whether the bytes after the bases of one record (or at the start of the file) are white space and
 * the whole header of the next one; or only white space if there is no next one.
 */
static gboolean
is_gap(const guint8 *bytes, gsize length, gboolean line_start, const char *name)
{
    const guint8 *p = bytes, *end = bytes + length;
    for (; p < end && (cs_bases_is_blank(*p) || *p == '\n'); p++)
        line_start = *p == '\n';
    if (name == NULL || p == end)
        return name == NULL && p == end;
    if (*p != '>' || !line_start)
        return FALSE;
    p++;
    /* One LF, as the last byte. Headers with CR are not for an index. */
    if (memchr(p, '\n', (gsize)(end - p)) != end - 1 || memchr(p, '\r', (gsize)(end - p)) != NULL)
        return FALSE;
    while (*p == ' ' || *p == '\t')
        p++;
    gsize name_length = strlen(name);
    return name_length < (gsize)(end - p) && memcmp(p, name, name_length) == 0 &&
           (p[name_length] == ' ' || p[name_length] == '\t' || p[name_length] == '\n');
}

/* Checks the gap between two records; NULL stands for the start or the end of the text. */
static gboolean
check_gap(Text *text, const Record *before, const Record *record)
{
    gint64 from = before != NULL ? base_offset(before, before->bases - 1) + 1 : 0;
    gint64 to = record != NULL ? record->offset : text->length;
    if (to < from || to > text->length || to - from > GAP_MAX_BYTES)
        return FALSE;
    g_autofree guint8 *bytes = g_try_malloc((gsize)(to - from) + 1);
    return bytes != NULL && text_read(text, from, bytes, to - from) &&
           is_gap(bytes, (gsize)(to - from), before == NULL, record != NULL ? record->name : NULL);
}

/*
 * Checks the lines of PATH.fai against the text, and finds the only record that the region names.
 * *part is whether the region is a range of it.
 */
static gboolean
find_record(Text *text, char *lines, const CsRegion *region, Record *found, gboolean *part)
{
    Record record, before = {0};
    gboolean any = FALSE;
    guint matches = 0;
    while (*lines != '\0') {
        char *newline = strchr(lines, '\n');
        if (newline == NULL)
            return FALSE;
        *newline = '\0';
        if (!read_record(lines, text, &record) || !check_gap(text, any ? &before : NULL, &record))
            return FALSE;
        gboolean is_part = g_strcmp0(record.name, region->part) == 0;
        if (is_part || g_strcmp0(record.name, region->record) == 0) {
            *found = record;
            *part = is_part;
            matches++;
        }
        any = TRUE;
        before = record;
        lines = newline + 1;
    }
    return matches == 1 && check_gap(text, &before, NULL);
}

/* Reads a record from its first base to its last, and keeps some of them. */
typedef struct {
    const Record *record;
    gint64 start, end; /* bases to keep: from start on, before end */
    gint64 at;         /* the next base */
    gint64 column;     /* of it in its line */
    guint8 *codes;     /* of those kept */
    gint64 ambiguous;
} Reading;

/*
 * Takes the next bytes, and overwrites them. FALSE if lines have another length or a byte is no
 * base.
 */
static gboolean
take_lines(Reading *reading, guint8 *p, const guint8 *stop)
{
    while (p < stop) {
        if (reading->column == reading->record->line) {
            reading->column = 0;
            if (*p++ != '\n')
                return FALSE;
            continue;
        }
        const gint64 at = reading->at;
        const gboolean kept = at >= reading->start && at < reading->end;
        const gint64 edge = at < reading->start ? reading->start
                            : kept              ? reading->end
                                                : reading->record->bases;
        const gint64 left = MIN(stop - p, reading->record->line - reading->column);
        const gint64 now = MIN(left, edge - at);
        gint64 ambiguous;
        if (!cs_bases_encode(p, now, kept ? reading->codes + (at - reading->start) : p, &ambiguous))
            return FALSE;
        reading->ambiguous += kept ? ambiguous : 0;
        reading->at += now;
        reading->column += now;
        p += now;
    }
    return TRUE;
}

/*
 * The codes of the bases to keep, NULL if the record is not as the index says. The whole record is
 * read, because one line of another length shifts the bases after it, and may make the record
 * longer or shorter than the index says.
 */
static guint8 *
read_bases(Text *text, Reading *reading)
{
    const Record *record = reading->record;
    const gint64 stop = base_offset(record, record->bases - 1) + 1;
    g_autofree guint8 *codes = cs_memory_try((gsize)(reading->end - reading->start), 1);
    g_autofree guint8 *chunk = g_malloc(CHUNK_BYTES);
    if (codes == NULL)
        return NULL;
    reading->codes = codes;
    for (gint64 offset = record->offset; offset < stop;) {
        const gint64 length = MIN(stop - offset, CHUNK_BYTES);
        if (!text_read(text, offset, chunk, length) || !take_lines(reading, chunk, chunk + length))
            return NULL;
        offset += length;
    }
    return g_steal_pointer(&codes);
}

CsSequence *
cs_faidx_read(BGZF *input, const char *path, const struct stat *status, const CsRegion *region)
{
    g_autofree char *index = g_strconcat(path, ".fai", NULL);
    g_autofree char *lines = NULL;
    gsize size;
    g_auto(Text) text = {0};
    if (!cs_faidx_is_fresh(path, status) || !text_init(&text, input, path, status) ||
        !g_file_get_contents(index, &lines, &size, NULL) || strlen(lines) != size)
        return NULL;
    Record record = {0};
    gboolean part = FALSE;
    if (!find_record(&text, lines, region, &record, &part) ||
        (part && (region->fault != NULL || region->from > record.bases)))
        return NULL;
    gint64 start = part ? region->from - 1 : 0;
    gint64 end = part && region->to > 0 ? MIN(region->to, record.bases) : record.bases;
    Reading reading = {.record = &record, .start = start, .end = end};
    guint8 *codes = read_bases(&text, &reading);
    if (codes == NULL)
        return NULL;
    const CsSequence content = {
        .file = g_strdup(path),
        .name = g_strdup(record.name),
        .offset = start,
        .length = end - start,
        .record_length = record.bases,
        .clipped = part ? cs_region_excess(region, record.bases) : 0,
        .ambiguous = reading.ambiguous,
        .indexed = TRUE,
        .codes = codes,
    };
    return cs_sequence_new_take(&content);
}
