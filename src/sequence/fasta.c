/*
 * FASTA input. htslib turns a plain, gzip or bgzip file into text. The state machine here splits it
 * into headers and bases for a sink, most often a collector (collector.c).
 *
 *   START -> LEAD -> NAME -> DESCRIPTION -> BASES     one record; '>' at a line's start begins
 *                       \-> RETURN ---------/           the next; CRs at a header's end
 *
 * - Blocks of text may end anywhere, so everything needed to continue is in the parser.
 * - The container is checked before the records, and the records before the bases. A truncated file
 *   is an error whatever its text.
 * - Nothing is dropped silently: every byte belongs to a header, is a base or white space, or is an
 *   error.
 */
#include <string.h>

#include <htslib/hfile.h>

#include <chromosweep/error.h>

#include "sequence/collector.h"
#include "sequence/fasta.h"
#include "sequence/bases.h"
#include "sequence/container.h"
#include "system/display.h"
#include "system/error_detail.h"
#include "system/memory.h"

enum {
    BLOCK_BYTES = 4 * CS_CONTAINER_BLOCK_BYTES,
    TEXT_BYTES = 512, /* that tell whether a file is text */
};

typedef enum {
    STATE_START,       /* before the first header */
    STATE_LEAD,        /* blanks between '>' and the name */
    STATE_NAME,        /* the header's first word */
    STATE_DESCRIPTION, /* the rest of the header */
    STATE_RETURN,      /* after a CR in a header: only CR and LF may follow */
    STATE_BASES,
} State;

typedef struct {
    const CsFastaSink *sink;
    gpointer data; /* of the sink */
    State state;
    gboolean line_start;
    const guint8 *block;
    gint64 block_offset;  /* of the block in the text */
    gint64 lines;         /* ended before the block's current one */
    gint64 return_offset; /* of the first CR in the current header */
    gboolean compressed;  /* the text was */
} Parser;

static gboolean
end_header(Parser *parser, GError **error)
{
    parser->lines++;
    parser->state = STATE_BASES;
    parser->line_start = TRUE;
    return parser->sink->end_header(parser->data, error);
}

static void
begin_record(Parser *parser)
{
    parser->state = STATE_LEAD;
    parser->sink->begin_record(parser->data);
}

static gint64
text_offset(const Parser *parser, const guint8 *p)
{
    return parser->block_offset + (p - parser->block);
}

/* The format of a file that is not FASTA, by its first bytes, or NULL. */
static const char *
recognise(const guint8 *start, gsize length)
{
    static const struct {
        const char *magic;
        gsize length;
        const char *what;
    } kinds[] = {
        {"\x1f\x8b", 2, "gzip data inside gzip data"},
        {"BZh", 3, "bzip2 data"},
        {"\xfd"
         "7zXZ",
         5, "xz data"},
        {"\x28\xb5\x2f\xfd", 4, "zstd data"},
        {"PK\x03\x04", 4, "a zip archive"},
        {"\xef\xbb\xbf", 3, "text with a byte order mark"},
        {"LOCUS ", 6, "GenBank format"},
        {"ID   ", 5, "EMBL format"},
        {"##maf", 5, "a multiple alignment (MAF)"},
        {"\x43\x27\x41\x1a", 4, "2bit (twoBitToFa converts it)"},
        {"\x1a\x41\x27\x43", 4, "2bit (twoBitToFa converts it)"},
        {"BAM\x01", 4, "BAM"},
        {"CRAM", 4, "CRAM"},
        {"##gff-version", 13, "GFF"},
        {"##fileformat=VCF", 16, "VCF"},
        {"%PDF-", 5, "a PDF document"},
        {"\x89PNG\r\n\x1a\n", 8, "a PNG image"},
        {"\xff\xd8\xff", 3, "a JPEG image"},
        {"\x7f"
         "ELF",
         4, "a program (ELF)"},
        {"<", 1, "HTML or XML"},
        {"\xff\xfe", 2, "text in UTF-16"},
        {"\xfe\xff", 2, "text in UTF-16"},
    };
    for (guint k = 0; k < G_N_ELEMENTS(kinds); k++)
        if (length >= kinds[k].length && memcmp(start, kinds[k].magic, kinds[k].length) == 0)
            return kinds[k].what;
    return NULL;
}

/* Whether these bytes are text: ASCII or UTF-8 without control characters. */
static gboolean
is_text(const guint8 *start, gsize length)
{
    const char *text = (const char *)start, *stop;
    const gsize looked_at = MIN(length, TEXT_BYTES);
    if (!g_utf8_validate_len(text, looked_at, &stop) &&
        (looked_at == length || text + looked_at - stop > 3)) /* else a character is cut */
        return FALSE;
    for (const char *p = text; p < stop; p++)
        if (g_ascii_iscntrl(*p) && !g_ascii_isspace(*p))
            return FALSE;
    return TRUE;
}

/* Each of the following functions reads from p on and returns where it stopped, NULL on error. */

static const guint8 *
read_start(Parser *parser, const guint8 *p, const guint8 *end, GError **error)
{
    for (; p < end && (cs_bases_is_blank(*p) || *p == '\n'); p++) {
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
    /* Too short to be recognised as gzip. */
    const gboolean cut_gzip = *p == 0x1f && offset == 0 && !parser->compressed;
    const char *foreign = offset == 0 ? recognise(p, (gsize)(end - p)) : NULL;
    if (*p == '@')
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                    "this is FASTQ or SAM, not FASTA ('@' at byte offset %" G_GINT64_FORMAT ")",
                    offset);
    else if (cut_gzip)
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "truncated gzip data");
    else if (foreign != NULL)
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                    "this is %s, not FASTA (plain, gzip or bgzip)", foreign);
    else if (*p != '>' && is_text(p, (gsize)(end - p)))
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                    "this is text without a FASTA header: %s at byte offset %" G_GINT64_FORMAT
                    ", not '>'",
                    byte, offset);
    else
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                    "no FASTA header before %s at byte offset %" G_GINT64_FORMAT, byte, offset);
    return NULL;
}

/* Fails because of a byte that a header may not have. */
static const guint8 *
fail_in_header(const Parser *parser, const char *what, gint64 offset, GError **error)
{
    g_autofree char *shown = parser->sink->show_name(parser->data);
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                "record \"%s\": %s at byte offset %" G_GINT64_FORMAT " (line %" G_GINT64_FORMAT ")",
                shown, what, offset, parser->lines + 1);
    return NULL;
}

static const guint8 *
read_name(Parser *parser, const guint8 *p, const guint8 *end, GError **error)
{
    const guint8 *start = p;
    while (p < end && !cs_bases_is_blank(*p) && *p != '\n' && *p != '\0')
        p++;
    if (!parser->sink->add_name(parser->data, start, (gsize)(p - start), error))
        return NULL;
    if (p < end && *p == '\0')
        return fail_in_header(parser, "NUL byte in the name", text_offset(parser, p), error);
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
        parser->return_offset = text_offset(parser, carriage_return);
        return carriage_return + 1;
    }
    if (newline == NULL)
        return end;
    return end_header(parser, error) ? newline + 1 : NULL;
}

/*
 * A CR inside a header is either text or a line end of old Macintosh files. Either guess could lose
 * or invent bases, so it is an error.
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
    return fail_in_header(parser, "carriage return within the header", parser->return_offset,
                          error);
}

static const guint8 *
read_bases(Parser *parser, const guint8 *p, const guint8 *end, GError **error)
{
    if (!parser->sink->reserve(parser->data, (gsize)(end - p), error))
        return NULL;
    while (p < end) {
        if (parser->line_start && *p == '>') {
            begin_record(parser);
            return p + 1;
        }
        const guint8 *newline = memchr(p, '\n', (gsize)(end - p));
        const guint8 *stop = newline != NULL ? newline : end;
        parser->sink->add_letters(parser->data, p, (gsize)(stop - p), text_offset(parser, p),
                                  parser->lines + 1);
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
        case STATE_BASES: p = read_bases(parser, p, end, error); break;
        }
    }
    parser->block_offset += (gint64)length;
    return p != NULL;
}

/* Checks at the end of the text whether it was complete. */
static gboolean
parser_finish(Parser *parser, GError **error)
{
    if (parser->state == STATE_START) {
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "no FASTA record: the file is %s",
                    parser->block_offset == 0 ? "empty" : "blank");
        return FALSE;
    }
    if (parser->state != STATE_BASES && !end_header(parser, error))
        return FALSE;
    return parser->sink->finish(parser->data, error);
}

/* Sets the error by why reading failed. */
static void
stream_error(BGZF *input, GError **error)
{
    int io_errno = herrno(input->fp);
    if (io_errno != 0) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED, g_strerror(io_errno));
        cs_error_set_detail_of_errno(error, io_errno);
        return;
    }
    /* If a file ends too early, htslib says BGZF_ERR_IO, or BGZF_ERR_HEADER within a header. */
    const char *what = "corrupt";
    if (input->errcode & BGZF_ERR_IO)
        what = "truncated";
    else if (input->errcode & BGZF_ERR_HEADER)
        what = "truncated or corrupt";
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                "%s %s data before byte %" G_GINT64_FORMAT " of the compressed file", what,
                input->is_gzip ? "gzip" : "BGZF", (gint64)htell(input->fp));
}

/* Adds the name of the file to an error, but not to that of a malformed region. */
static void
propagate(GError *failure, const char *file, GError **error)
{
    g_autofree char *shown =
        strcmp(file, "-") == 0 ? g_strdup("standard input") : cs_display_name(file);
    if (failure->code == CS_ERROR_FAILED) {
        g_prefix_error(&failure, "cannot read %s: ", shown);
        cs_error_set_path(&failure, file);
    } else if (failure->code != CS_ERROR_USAGE)
        g_prefix_error(&failure, "%s: ", shown);
    g_propagate_error(error, failure);
}

struct _CsFastaText {
    BGZF *input;
    const char *file;
    gboolean begun_as_bgzf;
    Parser parser;
    guint8 block[BLOCK_BYTES];
};

CsFastaText *
cs_fasta_text_new(BGZF *input, const char *file, const CsFastaSink *sink, gpointer data,
                  GError **error)
{
    CsFastaText *text = cs_memory_try(sizeof(CsFastaText), 1);
    if (text == NULL) {
        propagate(g_error_new_literal(CS_ERROR, CS_ERROR_DEVICE, "not enough memory to read it"),
                  file, error);
        return NULL;
    }
    text->input = input;
    text->file = file;
    text->begun_as_bgzf = input->is_compressed && !input->is_gzip;
    text->parser = (Parser){
        .sink = sink, .data = data, .line_start = TRUE, .compressed = input->is_compressed};
    return text;
}

void
cs_fasta_text_free(CsFastaText *text)
{
    g_free(text);
}

/* Checks at the end of the input that nothing is missing, and ends the text. */
static gboolean
end_text(CsFastaText *text, gssize length, GError **error)
{
    const BGZF *input = text->input;
    /* An error while htslib only peeked looks like the end of the file. */
    if (length < 0 || herrno(input->fp) != 0) {
        stream_error(text->input, error);
        return FALSE;
    }
    /*
     * htslib continues with gzip if a block has no BGZF header. That is right after an end marker.
     * Elsewhere a damaged length may have swallowed whole blocks.
     */
    if (text->begun_as_bgzf && !input->last_block_eof) {
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                    input->is_gzip ? "corrupt BGZF data: a block without a BGZF header"
                                   : "truncated BGZF data: the end marker is missing");
        return FALSE;
    }
    return parser_finish(&text->parser, error);
}

gboolean
cs_fasta_text_read(CsFastaText *text, gboolean *ended, GError **error)
{
    GError *failure = NULL;
    const gssize length = cs_container_read(text->input, text->block, BLOCK_BYTES);
    *ended = length <= 0;
    if (*ended ? end_text(text, length, &failure)
               : parser_feed(&text->parser, text->block, (gsize)length, &failure))
        return TRUE;
    propagate(failure, text->file, error);
    return FALSE;
}

/* The sink that a collector is. */

static void
begin_in_collector(gpointer data)
{
    cs_collector_begin_record(data);
}

static char *
show_name_of_collector(gpointer data)
{
    return cs_collector_show_name(data);
}

static gboolean
add_name_to_collector(gpointer data, const guint8 *bytes, gsize length, GError **error)
{
    return cs_collector_add_name(data, bytes, length, error);
}

static gboolean
end_header_in_collector(gpointer data, GError **error)
{
    return cs_collector_end_header(data, error);
}

static gboolean
reserve_in_collector(gpointer data, gsize letters, GError **error)
{
    return cs_collector_reserve(data, letters, error);
}

static void
add_to_collector(gpointer data, const guint8 *bytes, gsize length, gint64 offset, gint64 line)
{
    cs_collector_add_bases(data, bytes, length, offset, line);
}

static gboolean
finish_collector(gpointer data, GError **error)
{
    return cs_collector_finish(data, error);
}

static const CsFastaSink collector_sink = {
    begin_in_collector,   show_name_of_collector, add_name_to_collector, end_header_in_collector,
    reserve_in_collector, add_to_collector,       finish_collector};

/* Reads to the end of the input. */
static gboolean
read_all(BGZF *input, const char *file, CsCollector *collector, GError **error)
{
    g_autoptr(CsFastaText) text = cs_fasta_text_new(input, file, &collector_sink, collector, error);
    gboolean ended = text == NULL;
    while (!ended)
        if (!cs_fasta_text_read(text, &ended, error))
            return FALSE;
    return text != NULL;
}

CsSequence *
cs_fasta_read(BGZF *input, const char *file, const CsRegion *region, GError **error)
{
    g_return_val_if_fail(input != NULL && file != NULL, NULL);

    GError *failure = NULL;
    g_autoptr(CsCollector) collector = cs_collector_new(file, region);
    if (!read_all(input, file, collector, error))
        return NULL;
    CsSequence *sequence = cs_collector_take(collector, &failure);
    if (sequence == NULL)
        propagate(failure, file, error);
    return sequence;
}

gboolean
cs_fasta_read_all(BGZF *input, const char *file, const char *const *names, GPtrArray *all,
                  GError **error)
{
    g_return_val_if_fail(input != NULL && file != NULL && all != NULL, FALSE);

    g_autoptr(CsCollector) collector = cs_collector_new_all(file, names, all);
    return read_all(input, file, collector, error);
}
