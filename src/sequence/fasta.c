/*
 * FASTA input. htslib turns a plain, gzip or bgzip file into text; the state machine here judges
 * it.
 *
 *   START -> LEAD -> NAME -> DESCRIPTION -> LETTERS     one record; '>' at a line's start begins
 *                       \-> RETURN ---------/           the next; CRs at a header's end
 *
 * - Text arrives in blocks cut anywhere, so all that a state needs to go on is in the parser.
 * - The container is judged before the records, and the records before the letters: a truncated
 *   file is an error whatever its text, and a bad letter counts only once it is known that its
 *   record is the one taken. It is therefore kept until the end.
 * - Nothing is ever dropped in silence: text is a header, a letter, white space or an error.
 * - Of a record of which a region is taken all letters are judged, but only the region's kept.
 * - Where every record is taken, the first that has a fault ends the taking, not the judging.
 * - Memory is one byte a letter taken, the record's name, and a constant.
 */
#include <stdarg.h>
#include <string.h>

#include <htslib/hfile.h>

#include "system/display.h"
#include "system/error.h"
#include "sequence/fasta.h"
#include "sequence/sequence_private.h"

enum {
    BLOCK_BYTES = 256 << 10,
    /* Buffers grow by at most this much, which realloc() does in place or by moving pages. */
    GROWTH_MAX = 32 << 20,
    NAMES_LISTED = 5,
};

typedef struct {
    guint8 *data;
    gsize used;
    gsize size;
} Buffer;

typedef enum {
    STATE_START,       /* before the first header */
    STATE_LEAD,        /* blanks between '>' and the name */
    STATE_NAME,        /* the header's first word */
    STATE_DESCRIPTION, /* the rest of the header */
    STATE_RETURN,      /* after a CR in a header: only CR and LF may follow */
    STATE_LETTERS,
} State;

typedef struct {
    const char *path;
    char *file;             /* as messages show it */
    const CsRegion *region; /* what to take, NULL for the only record */
    GPtrArray *all;         /* of CsSequence: take each record, or each that is wanted; or NULL */
    GHashTable *wanted;     /* their names; NULL: every record */
    GHashTable *seen;       /* names that all has */
    GError *fault;          /* of the first record to take that has one, with all */
    State state;
    gboolean line_start;
    const guint8 *block;
    gint64 block_offset; /* of the block in the text */

    gint64 records; /* headers begun */
    Buffer name;    /* of the record at hand, ends with NUL once its header is over */
    GString *names; /* the first ones, as messages list them */

    gboolean found;  /* the record to take has begun */
    gboolean part;   /* and a range of it is what to take */
    gboolean taking; /* and its letters are being read */
    char *taken_name;
    gint64 letters;    /* of it so far */
    gint64 start, end; /* those of them that are kept: from start on, before end */
    Buffer codes;
    gint64 ambiguous; /* of those kept */

    gboolean bad; /* the record to take holds what is no letter */
    guint8 bad_byte;
    gint64 bad_offset;
    gint64 bad_line;

    gint64 lines; /* ended before the block's current one */
} Parser;

static gboolean
is_blank(guint8 byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static void
buffer_clear(Buffer *buffer)
{
    g_clear_pointer(&buffer->data, g_free);
    buffer->used = buffer->size = 0;
}

/* Room for more bytes; when there is none, *asked is what was refused. */
static gboolean
buffer_reserve(Buffer *buffer, gsize more, gsize *asked)
{
    if (buffer->size - buffer->used >= more)
        return TRUE;
    gsize needed =
        buffer->used + more; /* no overflow: used is memory that exists, more is a block */
    gsize size = MAX(needed, buffer->size + MIN(buffer->size, GROWTH_MAX));
    guint8 *data = g_try_realloc(buffer->data, size);
    if (data == NULL) {
        *asked = size;
        return FALSE;
    }
    buffer->data = data;
    buffer->size = size;
    return TRUE;
}

static void
parser_clear(Parser *parser)
{
    g_free(parser->file);
    buffer_clear(&parser->name);
    g_string_free(parser->names, TRUE);
    g_free(parser->taken_name);
    buffer_clear(&parser->codes);
    g_clear_pointer(&parser->seen, g_hash_table_unref);
    g_clear_error(&parser->fault);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Parser, parser_clear)

/* Sets a content error that the file's name opens. */
static void G_GNUC_PRINTF(3, 4)
    content_error(const Parser *parser, GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "%s: %s", parser->file, message);
}

static gboolean
memory_error(const Parser *parser, gsize asked, GError **error)
{
    /* A name that does not fit cannot be shown. */
    g_autofree char *name = parser->taking ? cs_display_record(parser->taken_name) : NULL;
    g_autofree char *record = parser->taking
                                  ? g_strdup_printf("\"%s\"", name)
                                  : g_strdup_printf("%" G_GINT64_FORMAT, parser->records);
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "%s: record %s: cannot allocate %" G_GSIZE_FORMAT " bytes for its %s", parser->file,
                record, asked, parser->taking ? "letters" : "name");
    return FALSE;
}

/* Whether the record taken has letters, and those of the region. */
static gboolean
check_letters(const Parser *parser, GError **error)
{
    g_autofree char *shown = cs_display_record(parser->taken_name);
    if (parser->bad) {
        g_autofree char *byte = cs_display_byte(parser->bad_byte);
        content_error(parser, error,
                      "record \"%s\": %s at byte offset %" G_GINT64_FORMAT
                      " (line %" G_GINT64_FORMAT ") is not a nucleotide letter",
                      shown, byte, parser->bad_offset, parser->bad_line);
        return FALSE;
    }
    if (parser->letters == 0) {
        content_error(parser, error, "record \"%s\" has no letters", shown);
        return FALSE;
    }
    if (parser->part && !cs_region_fits(parser->region, parser->letters)) {
        g_autofree char *region = cs_display_record(parser->region->text);
        content_error(parser, error,
                      "record \"%s\" has %" G_GINT64_FORMAT
                      " letters: the region \"%s\" %s past its end",
                      shown, parser->letters, region,
                      parser->region->from > parser->letters ? "begins" : "ends");
        return FALSE;
    }
    return TRUE;
}

/* The record taken; NULL and an error when its letters will not do. */
static CsSequence *
take_sequence(Parser *parser, GError **error)
{
    if (!check_letters(parser, error))
        return NULL;
    guint8 *codes = g_try_realloc(parser->codes.data, parser->codes.used);
    if (codes == NULL) /* it only shrinks, but may fail all the same */
        codes = parser->codes.data;
    const CsSequence content = {
        .file = g_strdup(parser->path),
        .name = g_steal_pointer(&parser->taken_name),
        .offset = parser->start,
        .length = (gint64)parser->codes.used,
        .record_length = parser->letters,
        .ambiguous = parser->ambiguous,
        .codes = codes,
    };
    parser->codes = (Buffer){0};
    return cs_sequence_new_take(&content);
}

/* Of several to take, one is over. */
static void
close_record(Parser *parser)
{
    CsSequence *sequence =
        parser->found && parser->fault == NULL ? take_sequence(parser, &parser->fault) : NULL;
    if (sequence != NULL)
        g_ptr_array_add(parser->all, sequence);
    g_clear_pointer(&parser->taken_name, g_free);
    buffer_clear(&parser->codes);
    parser->found = parser->bad = FALSE;
    parser->letters = parser->ambiguous = 0;
}

static void
begin_record(Parser *parser)
{
    if (parser->all != NULL)
        close_record(parser);
    parser->state = STATE_LEAD;
    parser->records++;
    parser->name.used = 0;
    parser->taking = FALSE;
    if (parser->all == NULL && parser->region == NULL && parser->records > 1)
        buffer_clear(&parser->codes); /* there is no only record, so nothing to take */
}

static void
list_name(Parser *parser, const char *name)
{
    if (parser->records > NAMES_LISTED + 1)
        return;
    if (parser->records > 1)
        g_string_append(parser->names, ", ");
    g_autofree char *shown = cs_display_record(name);
    if (parser->records > NAMES_LISTED)
        g_string_append(parser->names, "...");
    else
        g_string_append(parser->names, *shown != '\0' ? shown : "\"\"");
}

static void
several_error(const Parser *parser, GError **error)
{
    content_error(parser, error, "several records (%s): choose one by name", parser->names->str);
    cs_error_set_reason(error, CS_REASON_NO_CHOICE);
}

static gboolean
two_records_error(const Parser *parser, const char *name, GError **error)
{
    g_autofree char *shown = cs_display_record(name);
    content_error(parser, error, "two records named \"%s\"", shown);
    return FALSE;
}

/*
 * Whether the record that begins is one that the region names: the whole of it, or the range of it
 * that "NAME:FROM-TO" means where no record has all of that for a name.
 */
static gboolean
choose_named(Parser *parser, const char *name, GError **error)
{
    const CsRegion *region = parser->region;
    gboolean whole = g_strcmp0(name, region->record) == 0;
    gboolean part = g_strcmp0(name, region->part) == 0;
    if (!whole && !part)
        return TRUE;
    if (parser->found && part == parser->part)
        return two_records_error(parser, name, error);
    if (parser->found) {
        g_autofree char *record = cs_display_record(region->record);
        g_autofree char *part_of = cs_display_record(region->part);
        g_autofree char *range = cs_display_record(region->text + strlen(region->part) + 1);
        content_error(parser, error,
                      "both a record \"%s\" and a record \"%s\": put the name in braces, {%s} or "
                      "{%s}:%s",
                      record, part_of, record, part_of, range);
        return FALSE;
    }
    parser->part = part;
    parser->taking = !part || region->fault == NULL;
    parser->found = TRUE;
    if (part) {
        parser->start = region->from - 1;
        parser->end = region->to > 0 ? region->to : G_MAXINT64;
    }
    return TRUE;
}

/* Whether the record that begins is among those wanted. Names tell results apart. */
static gboolean
choose_wanted(Parser *parser, const char *name, GError **error)
{
    if (parser->wanted != NULL && !g_hash_table_contains(parser->wanted, name))
        return TRUE;
    if (!g_hash_table_add(parser->seen, g_strdup(name)))
        return two_records_error(parser, name, error);
    parser->found = TRUE;
    parser->taking = parser->fault == NULL;
    return TRUE;
}

/* The header is over: is this the record to take? */
static gboolean
end_header(Parser *parser, GError **error)
{
    gsize asked;
    if (!buffer_reserve(&parser->name, 1, &asked))
        return memory_error(parser, asked, error);
    parser->name.data[parser->name.used++] = '\0';
    const char *name = (const char *)parser->name.data;
    parser->lines++;
    parser->state = STATE_LETTERS;
    parser->line_start = TRUE;
    list_name(parser, name);

    if (parser->all != NULL) {
        if (!choose_wanted(parser, name, error))
            return FALSE;
    } else if (parser->region != NULL) {
        if (!choose_named(parser, name, error))
            return FALSE;
    } else {
        parser->found = TRUE;
        parser->taking = parser->records == 1;
        if (parser->records > NAMES_LISTED) {
            several_error(parser, error); /* the rest of the file cannot change that */
            return FALSE;
        }
    }
    if (parser->found && parser->taken_name == NULL) {
        parser->taken_name = (char *)parser->name.data;
        parser->name = (Buffer){0};
    }
    return TRUE;
}

static gint64
text_offset(const Parser *parser, const guint8 *p)
{
    return parser->block_offset + (p - parser->block);
}

/* What a file that is no FASTA begins like, or NULL. */
static const char *
recognise(const guint8 *start, gsize length)
{
    static const struct {
        const char *magic;
        gsize length;
        const char *what;
    } kinds[] = {
        {"BZh", 3, "bzip2 data"},
        {"\xfd"
         "7zXZ",
         5, "xz data"},
        {"\x28\xb5\x2f\xfd", 4, "zstd data"},
        {"PK\x03\x04", 4, "a zip archive"},
        {"\xef\xbb\xbf", 3, "text with a byte order mark"},
        {"LOCUS ", 6, "GenBank format"},
        {"BAM\x01", 4, "BAM"},
        {"CRAM", 4, "CRAM"},
    };
    for (guint k = 0; k < G_N_ELEMENTS(kinds); k++)
        if (length >= kinds[k].length && memcmp(start, kinds[k].magic, kinds[k].length) == 0)
            return kinds[k].what;
    return NULL;
}

/* Each of the following reads on from p and answers where it stopped, NULL on error. */

static const guint8 *
read_start(Parser *parser, const guint8 *p, const guint8 *end, GError **error)
{
    for (; p < end && (is_blank(*p) || *p == '\n'); p++) {
        parser->line_start = *p == '\n';
        parser->lines += *p == '\n';
    }
    if (p == end)
        return p;
    if (*p == '>' && parser->line_start) {
        begin_record(parser);
        return p + 1;
    }
    gint64 offset = text_offset(parser, p);
    g_autofree char *byte = cs_display_byte(*p);
    const char *foreign = offset == 0 ? recognise(p, (gsize)(end - p)) : NULL;
    if (*p == '@')
        content_error(parser, error,
                      "this is FASTQ or SAM, not FASTA ('@' at byte offset %" G_GINT64_FORMAT ")",
                      offset);
    else if (foreign != NULL)
        content_error(parser, error, "this is %s; plain, gzip and bgzip FASTA are read", foreign);
    else if (*p == 0x1f && offset == 0)
        content_error(parser, error, "truncated gzip data"); /* too short to pass for gzip */
    else
        content_error(parser, error, "no FASTA header before %s at byte offset %" G_GINT64_FORMAT,
                      byte, offset);
    return NULL;
}

static const guint8 *
read_name(Parser *parser, const guint8 *p, const guint8 *end, GError **error)
{
    const guint8 *start = p;
    while (p < end && !is_blank(*p) && *p != '\n' && *p != '\0')
        p++;
    gsize length = (gsize)(p - start), asked;
    if (!buffer_reserve(&parser->name, length, &asked)) {
        memory_error(parser, asked, error);
        return NULL;
    }
    if (length > 0)
        memcpy(parser->name.data + parser->name.used, start, length);
    parser->name.used += length;
    if (p < end && *p == '\0') {
        content_error(parser, error,
                      "record %" G_GINT64_FORMAT ": NUL byte in the name at byte offset "
                      "%" G_GINT64_FORMAT,
                      parser->records, text_offset(parser, p));
        return NULL;
    }
    if (p < end)
        parser->state = STATE_DESCRIPTION;
    return p;
}

static const guint8 *
read_description(Parser *parser, const guint8 *p, const guint8 *end, GError **error)
{
    const guint8 *newline = memchr(p, '\n', (gsize)(end - p));
    const guint8 *stop = newline != NULL ? newline : end;
    const guint8 *carriage_return = memchr(p, '\r', (gsize)(stop - p));
    if (carriage_return != NULL) {
        parser->state = STATE_RETURN;
        return carriage_return + 1;
    }
    if (newline == NULL)
        return end;
    return end_header(parser, error) ? newline + 1 : NULL;
}

/*
 * A CR amid a header is either text or the end of a line of a file from long ago. Either guess
 * could lose letters or invent them, so it is an error.
 */
static const guint8 *
read_return(Parser *parser, const guint8 *p, const guint8 *end, GError **error)
{
    while (p < end && *p == '\r')
        p++;
    if (p == end)
        return p;
    if (*p == '\n')
        return end_header(parser, error) ? p + 1 : NULL;
    content_error(parser, error,
                  "record %" G_GINT64_FORMAT
                  ": carriage return amid the header, before byte offset "
                  "%" G_GINT64_FORMAT,
                  parser->records, text_offset(parser, p));
    return NULL;
}

/* Stores the letters of a part of a line that holds blanks or worse. */
static void
take_carefully(Parser *parser, const guint8 *p, const guint8 *stop)
{
    for (; p < stop; p++) {
        guint8 code = cs_letter_codes[*p];
        if (code != CS_CODE_INVALID) {
            if (parser->letters >= parser->start && parser->letters < parser->end) {
                parser->codes.data[parser->codes.used++] = code;
                parser->ambiguous += code == CS_CODE_AMBIGUOUS;
            }
            parser->letters++;
        } else if (!is_blank(*p)) {
            parser->bad = TRUE;
            parser->bad_byte = *p;
            parser->bad_offset = text_offset(parser, p);
            parser->bad_line = parser->lines + 1;
            parser->taking = FALSE;
            buffer_clear(&parser->codes);
            return;
        }
    }
}

/* Judges the letters of a part of a line, and stores those to keep; all of them have room. */
static void
take(Parser *parser, const guint8 *p, const guint8 *stop)
{
    while (stop > p && is_blank(stop[-1]))
        stop--;
    while (p < stop) {
        /* What lies before, within or behind those to keep. */
        gboolean before = parser->letters < parser->start;
        gboolean keep = !before && parser->letters < parser->end;
        gint64 edge = before ? parser->start : keep ? parser->end : G_MAXINT64;
        gint64 length = MIN(stop - p, edge - parser->letters), ambiguous;
        if (!cs_letters_encode(p, length, parser->codes.data + parser->codes.used, &ambiguous)) {
            take_carefully(parser, p, stop);
            return;
        }
        if (keep) {
            parser->codes.used += (gsize)length;
            parser->ambiguous += ambiguous;
        }
        parser->letters += length;
        p += length;
    }
}

static const guint8 *
read_letters(Parser *parser, const guint8 *p, const guint8 *end, GError **error)
{
    gsize asked;
    if (parser->taking && !buffer_reserve(&parser->codes, (gsize)(end - p), &asked)) {
        memory_error(parser, asked, error);
        return NULL;
    }
    while (p < end) {
        if (parser->line_start && *p == '>') {
            begin_record(parser);
            return p + 1;
        }
        const guint8 *newline = memchr(p, '\n', (gsize)(end - p));
        if (parser->taking)
            take(parser, p, newline != NULL ? newline : end);
        parser->line_start = newline != NULL;
        parser->lines += newline != NULL;
        p = newline != NULL ? newline + 1 : end;
    }
    return p;
}

static gboolean
parser_feed(Parser *parser, const guint8 *block, gsize length, GError **error)
{
    const guint8 *p = block, *end = block + length;
    parser->block = block;
    while (p != NULL && p < end) {
        switch (parser->state) {
        case STATE_START: p = read_start(parser, p, end, error); break;
        case STATE_LEAD:
            while (p < end && (*p == ' ' || *p == '\t'))
                p++;
            if (p < end)
                parser->state = STATE_NAME;
            break;
        case STATE_NAME: p = read_name(parser, p, end, error); break;
        case STATE_DESCRIPTION: p = read_description(parser, p, end, error); break;
        case STATE_RETURN: p = read_return(parser, p, end, error); break;
        case STATE_LETTERS: p = read_letters(parser, p, end, error); break;
        }
    }
    parser->block_offset += (gint64)length;
    return p != NULL;
}

static void
absent_error(const Parser *parser, const CsRegion *region, GError **error)
{
    /* A text whose range makes no sense is more likely a name. */
    const char *first =
        region->part != NULL && region->fault == NULL ? region->part : region->record;
    g_autofree char *shown = cs_display_record(first);
    g_autofree char *other = first != region->record && region->record != NULL
                                 ? cs_display_record(region->record)
                                 : NULL;
    content_error(parser, error, "no record named \"%s\"%s%s%s; the file has %s", shown,
                  other != NULL ? " or \"" : "", other != NULL ? other : "",
                  other != NULL ? "\"" : "", parser->names->str);
}

/* Of several to take, all are over. */
static gboolean
finish_all(Parser *parser, GError **error)
{
    GHashTableIter names;
    gpointer name;
    close_record(parser);
    if (parser->wanted != NULL) {
        g_hash_table_iter_init(&names, parser->wanted);
        while (g_hash_table_iter_next(&names, &name, NULL))
            if (!g_hash_table_contains(parser->seen, name)) {
                g_autoptr(CsRegion) record = cs_region_new_record(name);
                absent_error(parser, record, error);
                return FALSE;
            }
    }
    if (parser->fault == NULL)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&parser->fault));
    return FALSE;
}

/* The text is over: whether what it has will do. */
static gboolean
parser_finish(Parser *parser, GError **error)
{
    if (parser->state == STATE_START) {
        content_error(parser, error, "no FASTA record: the file is %s",
                      parser->block_offset == 0 ? "empty" : "blank");
        return FALSE;
    }
    if (parser->state != STATE_LETTERS && !end_header(parser, error))
        return FALSE;
    if (parser->all != NULL)
        return finish_all(parser, error);
    if (parser->region == NULL && parser->records > 1) {
        several_error(parser, error);
        return FALSE;
    }
    if (!parser->found) {
        absent_error(parser, parser->region, error);
        return FALSE;
    }
    return !parser->part || cs_region_check(parser->region, error);
}

/* What bgzf_read() failed of. */
static void
stream_error(const Parser *parser, BGZF *input, GError **error)
{
    int io_errno = herrno(input->fp);
    if (io_errno != 0) {
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot read %s: %s", parser->file,
                    g_strerror(io_errno));
        return;
    }
    /* htslib flags a file that ends too early as BGZF_ERR_IO, or BGZF_ERR_HEADER within a header.
     */
    const char *what = "corrupt";
    if (input->errcode & BGZF_ERR_IO)
        what = "truncated";
    else if (input->errcode & BGZF_ERR_HEADER)
        what = "truncated or corrupt";
    content_error(parser, error,
                  "%s %s data before byte %" G_GINT64_FORMAT " of the compressed file", what,
                  input->is_gzip ? "gzip" : "BGZF", (gint64)htell(input->fp));
}

static void
parser_init(Parser *parser, const char *file)
{
    parser->path = file;
    parser->state = STATE_START;
    parser->line_start = TRUE;
    parser->end = G_MAXINT64;
    parser->file = strcmp(file, "-") == 0 ? g_strdup("standard input") : cs_display_name(file);
    parser->names = g_string_new(NULL);
}

/* Reads to the input's end. */
static gboolean
parser_run(Parser *parser, BGZF *input, GError **error)
{
    gboolean begun_as_bgzf = input->is_compressed && !input->is_gzip;
    g_autofree guint8 *block = g_malloc(BLOCK_BYTES);
    ssize_t length;
    while ((length = bgzf_read(input, block, BLOCK_BYTES)) > 0) {
        if (!parser_feed(parser, block, (gsize)length, error))
            return FALSE;
    }
    /* An error that htslib met while it only peeked looks like the file's end. */
    if (length < 0 || herrno(input->fp) != 0) {
        stream_error(parser, input, error);
        return FALSE;
    }
    /*
     * htslib goes on with gzip where a BGZF block's header is none. That is sound after an end
     * marker; elsewhere a damaged header length may have swallowed whole blocks.
     */
    if (begun_as_bgzf && !input->last_block_eof) {
        content_error(parser, error,
                      input->is_gzip ? "corrupt BGZF data: a block without a BGZF header"
                                     : "BGZF without its end marker: truncated");
        return FALSE;
    }
    return parser_finish(parser, error);
}

CsSequence *
cs_fasta_read(BGZF *input, const char *file, const CsRegion *region, GError **error)
{
    g_return_val_if_fail(input != NULL && file != NULL, NULL);

    g_auto(Parser) parser = {.region = region};
    parser_init(&parser, file);
    return parser_run(&parser, input, error) ? take_sequence(&parser, error) : NULL;
}

gboolean
cs_fasta_read_all(BGZF *input, const char *file, GHashTable *wanted, GPtrArray *all, GError **error)
{
    g_return_val_if_fail(input != NULL && file != NULL && all != NULL, FALSE);

    g_auto(Parser) parser = {.wanted = wanted, .all = all};
    parser.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    parser_init(&parser, file);
    return parser_run(&parser, input, error);
}
