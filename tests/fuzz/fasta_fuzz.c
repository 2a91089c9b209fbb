/*
 * Fuzzes the FASTA reader. Whatever the bytes are (htslib detects text, gzip or BGZF), the result
 * is a valid sequence or an error of one line.
 *
 * The data also choose the record. If the first byte is 0x01 to 0x08, that many bytes after it are
 * its name. If it is 0x10 to 0x1c, the next 1 to 13 bytes are a region. The rest is the file.
 */
#include <stdlib.h>
#include <string.h>

#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts_log.h>

#include <chromosweep/error.h>

#include "sequence/fasta.h"
#include "sequence/bases.h"
#include "sequence/sequence_private.h"

int LLVMFuzzerTestOneInput(const guint8 *data, gsize size);

static void
check_sequence(const CsSequence *sequence, const char *name)
{
    gint64 ambiguous = 0;
    g_assert(sequence->length > 0);
    for (gint64 k = 0; k < sequence->length; k++) {
        g_assert(sequence->codes[k] <= CS_CODE_AMBIGUOUS);
        ambiguous += sequence->codes[k] == CS_CODE_AMBIGUOUS;
    }
    g_assert(sequence->ambiguous == ambiguous);
    g_assert(strcmp(sequence->file, "input") == 0);
    g_assert(name == NULL || strcmp(sequence->name, name) == 0);
}

static void
check_error(const GError *error)
{
    g_assert(error != NULL && error->domain == CS_ERROR);
    if (error->code == CS_ERROR_USAGE) {
        g_assert(g_str_has_prefix(error->message, "region \""));
    } else {
        g_assert(error->code == CS_ERROR_CONTENT);
        g_assert(g_str_has_prefix(error->message, "input: "));
    }
    g_assert(g_utf8_validate(error->message, -1, NULL));
    for (const char *p = error->message; *p != '\0'; p++)
        g_assert(!g_ascii_iscntrl(*p));
}

/* Calls the reader with input from memory. */
static BGZF *
open_bytes(const guint8 *data, gsize size)
{
    char *copy = malloc(size + 1); /* the stream frees it */
    if (size > 0)
        memcpy(copy, data, size);
    hFILE *file = hopen("mem:", "r:", copy, size);
    g_assert(file != NULL);
    BGZF *input = bgzf_hopen(file, "r");
    g_assert(input != NULL);
    return input;
}

static void
read_bytes(const guint8 *data, gsize size, const char *name)
{
    BGZF *input = open_bytes(data, size);
    g_autoptr(GError) error = NULL;
    g_autoptr(CsRegion) record = name != NULL ? cs_region_new_record(name) : NULL;
    g_autoptr(CsSequence) sequence = cs_fasta_read(input, "input", record, &error);
    bgzf_close(input);
    if (sequence != NULL) {
        g_assert(error == NULL);
        check_sequence(sequence, name);
    } else {
        check_error(error);
    }
    if (name != NULL || sequence == NULL)
        return;
    /* The only record is also found by its name. */
    input = open_bytes(data, size);
    g_autoptr(CsRegion) only = cs_region_new_record(sequence->name);
    g_autoptr(CsSequence) again = cs_fasta_read(input, "input", only, &error);
    bgzf_close(input);
    g_assert(error == NULL && again->length == sequence->length);
    g_assert(memcmp(again->codes, sequence->codes, (gsize)again->length) == 0);
}

/* A region is a stretch of its record. */
static void
read_region(const guint8 *data, gsize size, const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsRegion) region = cs_region_parse(text, &error);
    if (region == NULL) {
        check_error(error);
        return;
    }
    BGZF *input = open_bytes(data, size);
    g_autoptr(CsSequence) part = cs_fasta_read(input, "input", region, &error);
    bgzf_close(input);
    if (part == NULL) {
        check_error(error);
        return;
    }
    check_sequence(part, NULL);
    input = open_bytes(data, size);
    g_autoptr(CsRegion) record = cs_region_new_record(part->name);
    g_autoptr(CsSequence) whole = cs_fasta_read(input, "input", record, &error);
    bgzf_close(input);
    g_assert(error == NULL && whole->length == part->record_length);
    g_assert(part->offset >= 0 && part->length <= whole->length - part->offset);
    g_assert(memcmp(part->codes, whole->codes + part->offset, (gsize)part->length) == 0);
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
    hts_set_log_level(HTS_LOG_OFF);
    if (size > 0 && data[0] >= 1 && data[0] <= 8 && size > data[0]) {
        g_autofree char *name = g_strndup((const char *)data + 1, data[0]);
        read_bytes(data + 1 + data[0], size - 1 - data[0], name);
    } else if (size > 0 && data[0] >= 0x10 && data[0] <= 0x1c && size > data[0] - 0x0fu) {
        gsize length = data[0] - 0x0fu;
        g_autofree char *text = g_strndup((const char *)data + 1, length);
        read_region(data + 1 + length, size - 1 - length, text);
    } else {
        read_bytes(data, size, NULL);
    }
    return 0;
}
