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
 * - Memory is one byte a letter of the record taken, its name, and a constant.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <htslib/hfile.h>
#include <htslib/hts_log.h>

#include <chromosweep/error.h>

#include "display.h"
#include "fasta.h"
#include "sequence_private.h"

enum {
    BLOCK_BYTES = 256 << 10,
    /* Buffers grow by at most this much, which realloc() does in place or by moving pages. */
    GROWTH_MAX = 32 << 20,
    NAMES_LISTED = 5,
    NAME_SHOWN_BYTES = 80,
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
    char *file;         /* as messages show it */
    const char *wanted; /* the record to take, NULL for the only one */
    State state;
    gboolean line_start;
    const guint8 *block;
    gint64 block_offset; /* of the block in the text */

    gint64 records; /* headers begun */
    Buffer name;    /* of the record at hand, ends with NUL once its header is over */
    GString *names; /* the first ones, as messages list them */

    gboolean found;  /* the record to take has begun */
    gboolean taking; /* and its letters are being stored */
    char *taken_name;
    Buffer codes;
    gint64 ambiguous;

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

/* A record's name as messages show it, cut when it is very long. */
static char *
show_name(const char *name)
{
    gsize length = strnlen(name, NAME_SHOWN_BYTES + 1);
    gboolean cut = length > NAME_SHOWN_BYTES;
    if (cut) {
        length = NAME_SHOWN_BYTES;
        while (length > 0 && ((guint8)name[length] & 0xc0) == 0x80)
            length--; /* not inside a character */
    }
    g_autofree char *kept = g_strndup(name, length);
    g_autofree char *shown = cs_display_name(kept);
    return g_strconcat(shown, cut ? "..." : "", NULL);
}

static gboolean
memory_error(const Parser *parser, gsize asked, GError **error)
{
    /* A name that does not fit cannot be shown. */
    g_autofree char *name = parser->taking ? show_name(parser->taken_name) : NULL;
    g_autofree char *record = parser->taking
                                  ? g_strdup_printf("\"%s\"", name)
                                  : g_strdup_printf("%" G_GINT64_FORMAT, parser->records);
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "%s: record %s: cannot allocate %" G_GSIZE_FORMAT " bytes for its %s", parser->file,
                record, asked, parser->taking ? "letters" : "name");
    return FALSE;
}

static void
begin_record(Parser *parser)
{
    parser->state = STATE_LEAD;
    parser->records++;
    parser->name.used = 0;
    parser->taking = FALSE;
    if (parser->wanted == NULL && parser->records > 1)
        buffer_clear(&parser->codes); /* there is no only record, so nothing to take */
}

static void
list_name(Parser *parser, const char *name)
{
    if (parser->records > NAMES_LISTED + 1)
        return;
    if (parser->records > 1)
        g_string_append(parser->names, ", ");
    g_autofree char *shown = show_name(name);
    if (parser->records > NAMES_LISTED)
        g_string_append(parser->names, "...");
    else
        g_string_append(parser->names, *shown != '\0' ? shown : "\"\"");
}

static void
several_error(const Parser *parser, GError **error)
{
    content_error(parser, error, "several records (%s): choose one by name", parser->names->str);
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

    if (parser->wanted == NULL) {
        parser->taking = parser->records == 1;
        if (parser->records > NAMES_LISTED) {
            several_error(parser, error); /* the rest of the file cannot change that */
            return FALSE;
        }
    } else if (strcmp(name, parser->wanted) == 0) {
        if (parser->found) {
            g_autofree char *shown = show_name(name);
            content_error(parser, error, "two records named \"%s\"", shown);
            return FALSE;
        }
        parser->taking = TRUE;
    }
    if (parser->taking) {
        parser->found = TRUE;
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
            parser->codes.data[parser->codes.used++] = code;
            parser->ambiguous += code == CS_CODE_AMBIGUOUS;
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

/* Stores the letters of a part of a line; there is room for them. */
static void
take(Parser *parser, const guint8 *p, const guint8 *stop)
{
    while (stop > p && is_blank(stop[-1]))
        stop--;
    if (p == stop)
        return;
    guint8 *codes = parser->codes.data + parser->codes.used;
    gsize length = (gsize)(stop - p);
    guint8 all = 0;
    gsize ambiguous = 0;
    for (gsize k = 0; k < length; k++) {
        guint8 code = cs_letter_codes[p[k]];
        codes[k] = code;
        all |= code;
        ambiguous += code >> 2 & 1; /* CS_CODE_AMBIGUOUS */
    }
    if (all > (CS_CODE_AMBIGUOUS | CS_CODE_T)) {
        take_carefully(parser, p, stop);
        return;
    }
    parser->codes.used += length;
    parser->ambiguous += (gint64)ambiguous;
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

/* The text is over: answers the sequence, or why there is none. */
static CsSequence *
parser_finish(Parser *parser, const char *file, GError **error)
{
    if (parser->state == STATE_START) {
        content_error(parser, error, "no FASTA record: the file is %s",
                      parser->block_offset == 0 ? "empty" : "blank");
        return NULL;
    }
    if (parser->state != STATE_LETTERS && !end_header(parser, error))
        return NULL;
    if (parser->wanted == NULL && parser->records > 1) {
        several_error(parser, error);
        return NULL;
    }
    if (!parser->found) {
        g_autofree char *shown = show_name(parser->wanted);
        content_error(parser, error, "no record named \"%s\"; the file has %s", shown,
                      parser->names->str);
        return NULL;
    }
    g_autofree char *shown = show_name(parser->taken_name);
    if (parser->bad) {
        g_autofree char *byte = cs_display_byte(parser->bad_byte);
        content_error(parser, error,
                      "record \"%s\": %s at byte offset %" G_GINT64_FORMAT
                      " (line %" G_GINT64_FORMAT ") is not a nucleotide letter",
                      shown, byte, parser->bad_offset, parser->bad_line);
        return NULL;
    }
    if (parser->codes.used == 0) {
        content_error(parser, error, "record \"%s\" has no letters", shown);
        return NULL;
    }
    gint64 length = (gint64)parser->codes.used;
    guint8 *codes = g_try_realloc(parser->codes.data, parser->codes.used);
    if (codes == NULL) /* it only shrinks, but may fail all the same */
        codes = parser->codes.data;
    parser->codes.data = NULL;
    return cs_sequence_new_take(g_strdup(file), g_steal_pointer(&parser->taken_name), codes, length,
                                parser->ambiguous);
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

CsSequence *
cs_fasta_read(BGZF *input, const char *file, const char *name, GError **error)
{
    g_return_val_if_fail(input != NULL && file != NULL, NULL);

    gboolean begun_as_bgzf = input->is_compressed && !input->is_gzip;
    g_auto(Parser) parser = {.wanted = name, .state = STATE_START, .line_start = TRUE};
    parser.file = strcmp(file, "-") == 0 ? g_strdup("standard input") : cs_display_name(file);
    parser.names = g_string_new(NULL);

    g_autofree guint8 *block = g_malloc(BLOCK_BYTES);
    ssize_t length;
    while ((length = bgzf_read(input, block, BLOCK_BYTES)) > 0) {
        if (!parser_feed(&parser, block, (gsize)length, error))
            return NULL;
    }
    /* An error that htslib met while it only peeked looks like the file's end. */
    if (length < 0 || herrno(input->fp) != 0) {
        stream_error(&parser, input, error);
        return NULL;
    }
    /*
     * htslib goes on with gzip where a BGZF block's header is none. That is sound after an end
     * marker; elsewhere a damaged header length may have swallowed whole blocks.
     */
    if (begun_as_bgzf && !input->last_block_eof) {
        content_error(&parser, error,
                      input->is_gzip ? "corrupt BGZF data: a block without a BGZF header"
                                     : "BGZF without its end marker: truncated");
        return NULL;
    }
    return parser_finish(&parser, file, error);
}

/* htslib's log level belongs to the process: off while any thread reads, then as it was. */
static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static guint log_readers;
static enum htsLogLevel log_level;

static void
log_off(void)
{
    pthread_mutex_lock(&log_mutex);
    if (log_readers++ == 0) {
        log_level = hts_get_log_level();
        hts_set_log_level(HTS_LOG_OFF);
    }
    pthread_mutex_unlock(&log_mutex);
}

static void
log_restore(void)
{
    pthread_mutex_lock(&log_mutex);
    if (--log_readers == 0)
        hts_set_log_level(log_level);
    pthread_mutex_unlock(&log_mutex);
}

/* open() rather than htslib's, which takes "http://..." and "data:..." for more than names. */
static BGZF *
open_input(const char *path, struct stat *status)
{
    int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                    : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return NULL;
    hFILE *file = fstat(fd, status) == 0 ? hdopen(fd, "r") : NULL;
    if (file == NULL) {
        int saved_errno = errno;
        close(fd);
        errno = saved_errno;
        return NULL;
    }
    BGZF *input = bgzf_hopen(file, "r");
    if (input == NULL)
        hclose_abruptly(file); /* keeps errno */
    return input;
}

/* Whether a regular file is no longer what it was when it was opened. */
static gboolean
has_changed(const char *path, const struct stat *before)
{
    struct stat after;
    return S_ISREG(before->st_mode) && stat(path, &after) == 0 && after.st_dev == before->st_dev &&
           after.st_ino == before->st_ino &&
           (after.st_size != before->st_size || after.st_mtim.tv_sec != before->st_mtim.tv_sec ||
            after.st_mtim.tv_nsec != before->st_mtim.tv_nsec);
}

CsSequence *
cs_sequence_load(const char *path, const char *name, GError **error)
{
    g_return_val_if_fail(path != NULL, NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    CsSequence *sequence = NULL;
    struct stat before = {0};
    log_off();
    errno = 0;
    BGZF *input = open_input(path, &before);
    if (input != NULL) {
        sequence = cs_fasta_read(input, path, name, error);
        if (sequence != NULL && has_changed(path, &before)) {
            g_autofree char *shown = cs_display_name(path);
            g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "%s changed while it was read", shown);
            g_clear_pointer(&sequence, cs_sequence_unref);
        }
        hclearerr(input->fp); /* it has been told, and bgzf_close() leaks when it meets one */
        bgzf_close(input);
    } else {
        int saved_errno = errno;
        g_autofree char *shown =
            strcmp(path, "-") == 0 ? g_strdup("standard input") : cs_display_name(path);
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot open %s: %s", shown,
                    g_strerror(saved_errno));
    }
    log_restore();
    return sequence;
}
