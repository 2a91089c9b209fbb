/*
 * Chooses which records of a text become sequences, and which of their bases.
 *
 * - If a region is collected, all bases of the record are checked, but only the region's are kept.
 * - Bases are checked last. A wrong one counts only once it is known that its record is the one
 *   asked for, so its place is kept until the text ends. If several records are collected, the
 *   first fault in one ends the collecting; the rest of the text is still checked.
 * - Memory is one byte per base collected, the name of the record, and a constant.
 */
#include <string.h>

#include <chromosweep/error.h>

#include "sequence/collector.h"
#include "sequence/protein.h"
#include "sequence/bases.h"
#include "sequence/sequence_private.h"
#include "system/display.h"
#include "system/error_detail.h"
#include "system/memory.h"

enum {
    /* Buffers grow by at most this much. realloc() does that in place or by moving pages. */
    GROWTH_MAX = 32 << 20,
    NAMES_LISTED = 5,
    /* Letters of later records that tell whether the file holds protein. */
    LATER_LETTERS = 1 << 20,
};

typedef struct {
    guint8 *data;
    gsize used;
    gsize size;
} Buffer;

struct _CsCollector {
    const char *path;
    const CsRegion *region; /* what to collect, NULL for the only record */
    GPtrArray *all; /* of CsSequence, if every record, or every wanted one, is collected; or NULL */
    const char *const *asked; /* their names; NULL: every record */
    GHashTable *wanted;       /* the same as a set */
    GHashTable *seen;         /* names that all has */
    GError *fault;            /* the first fault in one of `all`, if that is no wrong byte */

    gint64 records; /* headers begun */
    Buffer name;    /* of the current record; ends with NUL once its header is read */
    GString *names; /* the first ones, as messages list them */

    gboolean found;      /* the record to collect has begun */
    gboolean part;       /* and only a range of it is to be collected */
    gboolean collecting; /* and its bases are being read */
    char *chosen;        /* its name */
    gint64 bases;        /* of it so far */
    gint64 start, end;   /* those of them that are kept: from start on, before end */
    Buffer codes;
    gint64 ambiguous; /* of those kept */

    gboolean bad; /* it holds what is no base */
    guint8 bad_byte;
    gint64 bad_offset;
    gint64 bad_line;
    /* From there on letters are counted: the record's, then those of later records. A short peptide
     * alone does not tell what it is. */
    CsProteinCount counted, later;
    CsProteinCount *counting; /* one of them, or NULL */
};

static void
buffer_clear(Buffer *buffer)
{
    g_clear_pointer(&buffer->data, g_free);
    buffer->used = buffer->size = 0;
}

/* Makes room for more bytes. If there is none, *asked is how much was refused. */
static gboolean
buffer_reserve(Buffer *buffer, gsize more, gsize *asked)
{
    if (buffer->size - buffer->used >= more)
        return TRUE;
    /* No overflow: used is memory that exists, more is a block of the text. */
    gsize needed = buffer->used + more;
    gsize size = MAX(needed, buffer->size + MIN(buffer->size, GROWTH_MAX));
    guint8 *data = cs_memory_try_resize(buffer->data, size, 1);
    if (data == NULL) {
        *asked = size;
        return FALSE;
    }
    buffer->data = data;
    buffer->size = size;
    return TRUE;
}

CsCollector *
cs_collector_new(const char *path, const CsRegion *region)
{
    CsCollector *collector = g_new0(CsCollector, 1);
    collector->path = path;
    collector->region = region;
    collector->end = G_MAXINT64;
    collector->names = g_string_new(NULL);
    return collector;
}

CsCollector *
cs_collector_new_all(const char *path, const char *const *names, GPtrArray *all)
{
    CsCollector *collector = cs_collector_new(path, NULL);
    collector->asked = names;
    collector->wanted = names != NULL ? g_hash_table_new(g_str_hash, g_str_equal) : NULL;
    for (; names != NULL && *names != NULL; names++)
        g_hash_table_add(collector->wanted, (gpointer)*names);
    collector->all = all;
    collector->seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return collector;
}

void
cs_collector_free(CsCollector *collector)
{
    buffer_clear(&collector->name);
    g_string_free(collector->names, TRUE);
    g_free(collector->chosen);
    buffer_clear(&collector->codes);
    g_clear_pointer(&collector->wanted, g_hash_table_unref);
    g_clear_pointer(&collector->seen, g_hash_table_unref);
    g_clear_error(&collector->fault);
    g_free(collector);
}

char *
cs_collector_show_name(const CsCollector *collector)
{
    const Buffer *name = &collector->name;
    g_autofree char *text = name->used > 0 ? g_strndup((char *)name->data, name->used) : NULL;
    return cs_display_record(text != NULL ? text : "");
}

static gboolean
memory_error(const CsCollector *collector, gsize asked, GError **error)
{
    /* A name that does not fit into memory cannot be shown. */
    g_autofree char *name = collector->collecting ? cs_display_record(collector->chosen) : NULL;
    g_autofree char *record = collector->collecting
                                  ? g_strdup_printf("\"%s\"", name)
                                  : g_strdup_printf("%" G_GINT64_FORMAT, collector->records);
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "record %s: cannot allocate %" G_GSIZE_FORMAT " bytes for its %s", record, asked,
                collector->collecting ? "bases" : "name");
    return FALSE;
}

/* "record" or "file", what looks like protein; or NULL. */
static const char *
what_is_protein(const CsCollector *collector)
{
    CsProteinCount all = collector->counted;
    if (!collector->bad)
        return NULL;
    if (cs_protein_is_likely(&all, collector->bases))
        return "record";
    cs_protein_add(&all, &collector->later);
    return cs_protein_is_likely(&all, collector->bases) ? "file" : NULL;
}

/* What the byte that is no base tells of the file, or "". */
static char *
make_hint(const CsCollector *collector)
{
    const char *protein = what_is_protein(collector);
    if (protein != NULL)
        return g_strdup_printf(
            "; the %s looks like protein: use search or identity, which take proteins", protein);
    return g_strdup(collector->bad_byte == '-' ? "; if the file is aligned FASTA, remove the gaps"
                                               : "");
}

/* Checks that the collected record has bases, and those of the region. */
static gboolean
check_bases(const CsCollector *collector, GError **error)
{
    const CsRegion *region = collector->region;
    g_autofree char *shown = cs_display_record(collector->chosen);
    if (collector->bad) {
        g_autofree char *byte = cs_display_byte(collector->bad_byte);
        g_autofree char *hint = make_hint(collector);
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                    "record \"%s\": %s at byte offset %" G_GINT64_FORMAT " (line %" G_GINT64_FORMAT
                    ") is not a nucleotide code%s",
                    shown, byte, collector->bad_offset, collector->bad_line, hint);
        return FALSE;
    }
    if (collector->bases == 0) {
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "record \"%s\" has no bases", shown);
        return FALSE;
    }
    if (collector->part && region->from > collector->bases) {
        g_autofree char *text = cs_display_record(region->text);
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                    "record \"%s\" has %" G_GINT64_FORMAT
                    " bases: the region \"%s\" begins past its end",
                    shown, collector->bases, text);
        return FALSE;
    }
    return TRUE;
}

/* The bases, in memory of exactly their size. The buffer has room for a block of the text; it is
 * reused for the next record if most of it was not needed. NULL if memory is short. */
static guint8 *
take_codes(CsCollector *collector)
{
    Buffer *buffer = &collector->codes;
    guint8 *codes;
    if (buffer->used < buffer->size / 2) {
        codes = cs_memory_try_resize(NULL, buffer->used, 1);
        if (codes != NULL)
            memcpy(codes, buffer->data, buffer->used);
        return codes;
    }
    codes = g_try_realloc(buffer->data, buffer->used);
    if (codes == NULL) /* shrinking may fail, too */
        codes = buffer->data;
    *buffer = (Buffer){0};
    return codes;
}

CsSequence *
cs_collector_take(CsCollector *collector, GError **error)
{
    if (!check_bases(collector, error))
        return NULL;
    const gint64 length = (gint64)collector->codes.used;
    guint8 *codes = take_codes(collector);
    if (codes == NULL) {
        memory_error(collector, collector->codes.used, error);
        return NULL;
    }
    const CsSequence content = {
        .file = g_strdup(collector->path),
        .name = g_steal_pointer(&collector->chosen),
        .offset = collector->start,
        .length = length,
        .record_length = collector->bases,
        .clipped = collector->part ? cs_region_excess(collector->region, collector->bases) : 0,
        .ambiguous = collector->ambiguous,
        .codes = codes,
    };
    return cs_sequence_new_take(&content);
}

/* Ends one of several records. One with a wrong byte stays as it is until the text ends. */
static void
close_record(CsCollector *collector)
{
    if (collector->bad)
        return;
    CsSequence *sequence = collector->found && collector->fault == NULL
                               ? cs_collector_take(collector, &collector->fault)
                               : NULL;
    if (sequence != NULL)
        g_ptr_array_add(collector->all, sequence);
    g_clear_pointer(&collector->chosen, g_free);
    collector->codes.used = 0;
    collector->found = FALSE;
    collector->bases = collector->ambiguous = 0;
}

void
cs_collector_begin_record(CsCollector *collector)
{
    if (collector->all != NULL)
        close_record(collector);
    collector->records++;
    collector->name.used = 0;
    collector->collecting = FALSE;
    collector->counting = collector->bad ? &collector->later : NULL;
    if (collector->all == NULL && collector->region == NULL && collector->records > 1)
        buffer_clear(&collector->codes); /* it is not the only record, so nothing is collected */
}

gboolean
cs_collector_add_name(CsCollector *collector, const guint8 *bytes, gsize length, GError **error)
{
    gsize asked;
    if (!buffer_reserve(&collector->name, length, &asked))
        return memory_error(collector, asked, error);
    if (length > 0)
        memcpy(collector->name.data + collector->name.used, bytes, length);
    collector->name.used += length;
    return TRUE;
}

static void
list_name(CsCollector *collector, const char *name)
{
    if (collector->records > NAMES_LISTED + 1)
        return;
    if (collector->records > 1)
        g_string_append(collector->names, ", ");
    g_autofree char *shown = cs_display_record(name);
    if (collector->records > NAMES_LISTED)
        g_string_append(collector->names, "...");
    else
        g_string_append(collector->names, *shown != '\0' ? shown : "\"\"");
}

static gboolean
several_error(const CsCollector *collector, GError **error)
{
    if (what_is_protein(collector) != NULL) /* to choose a record would not help */
        return check_bases(collector, error);
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "several records (%s): choose one by name",
                collector->names->str);
    cs_error_set_detail(error, CS_DETAIL_RECORDS);
    return FALSE;
}

static gboolean
two_records_error(const char *name, GError **error)
{
    g_autofree char *shown = cs_display_record(name);
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "two records named \"%s\"", shown);
    return FALSE;
}

static gboolean
both_error(const CsRegion *region, GError **error)
{
    g_autofree char *record = cs_display_record(region->record);
    g_autofree char *part = cs_display_record(region->part);
    g_autofree char *range = cs_display_record(region->text + strlen(region->part) + 1);
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                "the file has both a record \"%s\" and a record \"%s\": write {%s} or {%s}:%s",
                record, part, record, part, range);
    return FALSE;
}

/* Takes the first record as the only one, until another follows. */
static gboolean
choose_only(CsCollector *collector, GError **error)
{
    collector->found = TRUE;
    collector->collecting = collector->records == 1;
    /* Once all names that the message lists are known, the rest of the file cannot change it. */
    return collector->records <= NAMES_LISTED || several_error(collector, error);
}

/*
 * Whether the region names the record that begins: all of it, or a range of it, if the text is
 * "NAME:FROM-TO" and no record has that whole text as its name.
 */
static gboolean
choose_named(CsCollector *collector, const char *name, GError **error)
{
    const CsRegion *region = collector->region;
    gboolean whole = g_strcmp0(name, region->record) == 0;
    gboolean part = g_strcmp0(name, region->part) == 0;
    if (!whole && !part)
        return TRUE;
    if (collector->found)
        return part == collector->part ? two_records_error(name, error) : both_error(region, error);
    collector->part = part;
    collector->collecting = !part || region->fault == NULL;
    collector->found = TRUE;
    if (part) {
        collector->start = region->from - 1;
        collector->end = region->to > 0 ? region->to : G_MAXINT64;
    }
    return TRUE;
}

/* Whether the record that begins is wanted. Names must be unique, because results are told apart by
 * them. */
static gboolean
choose_wanted(CsCollector *collector, const char *name, GError **error)
{
    if (collector->wanted != NULL && !g_hash_table_contains(collector->wanted, name))
        return TRUE;
    if (!g_hash_table_add(collector->seen, g_strdup(name)))
        return two_records_error(name, error);
    collector->found = TRUE;
    collector->collecting = collector->fault == NULL && !collector->bad;
    return TRUE;
}

gboolean
cs_collector_end_header(CsCollector *collector, GError **error)
{
    static const guint8 nul = '\0';
    if (!cs_collector_add_name(collector, &nul, 1, error))
        return FALSE;
    const char *name = (const char *)collector->name.data;
    list_name(collector, name);
    if (collector->all != NULL      ? !choose_wanted(collector, name, error)
        : collector->region != NULL ? !choose_named(collector, name, error)
                                    : !choose_only(collector, error))
        return FALSE;
    if (collector->found && collector->chosen == NULL) {
        collector->chosen = (char *)collector->name.data;
        collector->name = (Buffer){0};
    }
    return TRUE;
}

gboolean
cs_collector_reserve(CsCollector *collector, gsize bases, GError **error)
{
    gsize asked;
    return !collector->collecting || buffer_reserve(&collector->codes, bases, &asked) ||
           memory_error(collector, asked, error);
}

/*
 * Keeps the bases among bytes that may include blanks or worse. Returns the first byte that is
 * neither a base nor a blank, NULL if there is none.
 */
static const guint8 *
keep_carefully(CsCollector *collector, const guint8 *p, const guint8 *stop)
{
    for (; p < stop; p++) {
        guint8 code = cs_bases_codes[*p];
        if (code != CS_CODE_INVALID) {
            if (collector->bases >= collector->start && collector->bases < collector->end) {
                collector->codes.data[collector->codes.used++] = code;
                collector->ambiguous += code == CS_CODE_AMBIGUOUS;
            }
            collector->bases++;
        } else if (!cs_bases_is_blank(*p)) {
            return p;
        }
    }
    return NULL;
}

/* The same for bytes that are most likely all bases, as in most lines. */
static const guint8 *
keep_bases(CsCollector *collector, const guint8 *p, const guint8 *stop)
{
    while (stop > p && cs_bases_is_blank(stop[-1]))
        stop--;
    while (p < stop) {
        /* Bytes are before, within or after the bases to keep. */
        gboolean before = collector->bases < collector->start;
        gboolean keep = !before && collector->bases < collector->end;
        gint64 edge = before ? collector->start : keep ? collector->end : G_MAXINT64;
        gint64 length = MIN(stop - p, edge - collector->bases), ambiguous;
        guint8 *codes = collector->codes.data + collector->codes.used;
        if (!cs_bases_encode(p, length, codes, &ambiguous))
            return keep_carefully(collector, p, stop);
        if (keep) {
            collector->codes.used += (gsize)length;
            collector->ambiguous += ambiguous;
        }
        collector->bases += length;
        p += length;
    }
    return NULL;
}

void
cs_collector_add_bases(CsCollector *collector, const guint8 *bytes, gsize length, gint64 offset,
                       gint64 line)
{
    if (collector->counting != NULL && collector->later.letters < LATER_LETTERS)
        cs_protein_count(collector->counting, bytes, length);
    if (!collector->collecting)
        return;
    const guint8 *bad = keep_bases(collector, bytes, bytes + length);
    if (bad == NULL)
        return;
    collector->bad = TRUE;
    collector->bad_byte = *bad;
    collector->bad_offset = offset + (bad - bytes);
    collector->bad_line = line;
    collector->collecting = FALSE;
    collector->counting = &collector->counted;
    cs_protein_count(collector->counting, bad, (gsize)(bytes + length - bad));
    buffer_clear(&collector->codes);
}

static gboolean
absent_error(const CsCollector *collector, const CsRegion *region, GError **error)
{
    /* A text with a malformed range is more likely a name. */
    const char *first =
        region->part != NULL && region->fault == NULL ? region->part : region->record;
    g_autofree char *shown = cs_display_record(first);
    g_autofree char *other = first != region->record && region->record != NULL
                                 ? cs_display_record(region->record)
                                 : NULL;
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "no record named \"%s\"%s%s%s; the file has %s",
                shown, other != NULL ? " or \"" : "", other != NULL ? other : "",
                other != NULL ? "\"" : "", collector->names->str);
    cs_error_set_absent(error, first);
    return FALSE;
}

/* Checks that all wanted records were found and that none has a fault. */
static gboolean
finish_all(CsCollector *collector, GError **error)
{
    close_record(collector);
    for (const char *const *name = collector->asked; name != NULL && *name != NULL; name++)
        if (!g_hash_table_contains(collector->seen, *name)) {
            g_autoptr(CsRegion) record = cs_region_new_record(*name);
            return absent_error(collector, record, error);
        }
    if (collector->bad)
        return check_bases(collector, error);
    if (collector->fault == NULL)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&collector->fault));
    return FALSE;
}

gboolean
cs_collector_finish(CsCollector *collector, GError **error)
{
    if (collector->all != NULL)
        return finish_all(collector, error);
    if (collector->region == NULL && collector->records > 1)
        return several_error(collector, error);
    if (!collector->found)
        return absent_error(collector, collector->region, error);
    return !collector->part || cs_region_check(collector->region, error);
}
