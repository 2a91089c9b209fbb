/* Fingerprints as JSON, and which field differs: see fingerprint.h and docs/formats.md. */
#include <string.h>

#include <xxhash.h>

#include <chromosweep/error.h>

#include "checkpoint/fingerprint.h"
#include "checkpoint/json_values.h"
#include "sequence/sequence_private.h"
#include "system/disk.h"
#include "system/display.h"

/* Checkpoints hold these texts, so they must never change. */
static const char *const kinds[] = {
    [CS_CIRCULAR_NONE] = "local",
    [CS_CIRCULAR_TARGET] = "local, target circular",
    [CS_CIRCULAR_QUERY] = "local, query circular",
    [CS_CIRCULAR_BOTH] = "local, both circular",
};
#define AMBIGUITY "IUPAC letters but A C G T U match nothing"

enum {
    DIGEST_DIGITS = 32,
    SHOWN = 60, /* characters of an unexpected value in a message */
};

static char *
digest_of(const CsSequence *sequence)
{
    const void *codes = sequence->length > 0 ? (const void *)sequence->codes : "";
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(codes, (gsize)sequence->length));
    GString *text = g_string_new(NULL);
    for (gsize k = 0; k < sizeof canonical.digest; k++)
        g_string_append_printf(text, "%02x", canonical.digest[k]);
    return g_string_free(text, FALSE);
}

static void
fill_side(CsFingerprintSide *side, const CsSequence *sequence)
{
    const char *file = cs_sequence_get_file(sequence);
    side->digest = digest_of(sequence);
    side->length = sequence->length;
    if (sequence->length < sequence->record_length) {
        side->from = sequence->offset + 1;
        side->to = sequence->offset + sequence->length;
    }
    side->name = g_strdup(sequence->name);
    side->file = file == NULL || strcmp(file, "-") == 0 ? g_strdup(file) : cs_disk_absolute(file);
}

static json_t *
side_to_json(const CsFingerprintSide *side)
{
    json_t *region = side->from > 0
                         ? json_pack("[I, I]", (json_int_t)side->from, (json_int_t)side->to)
                         : json_null();
    return json_pack("{s:s, s:I, s:o}", "digest", side->digest, "length", (json_int_t)side->length,
                     "region", region);
}

CsFingerprintRecord *
cs_fingerprint_record_new(const CsFingerprint *identity)
{
    CsFingerprintRecord *record = g_new0(CsFingerprintRecord, 1);
    const CsScoring *scoring = &identity->scoring;
    fill_side(&record->target, identity->target);
    fill_side(&record->query, identity->query);
    record->transposed = identity->transposed;
    record->strand = identity->strand;
    record->circular = identity->circular;
    record->scoring = *scoring;
    record->memo = g_strdup(identity->memo);
    record->identity = json_pack(
        "{s:o, s:o, s:s, s:{s:I, s:I, s:I, s:I}, s:s, s:s}", "target",
        side_to_json(&record->target), "query", side_to_json(&record->query), "strand",
        cs_strand_name(record->strand), "scoring", "match", (json_int_t)scoring->match, "mismatch",
        (json_int_t)scoring->mismatch, "gap_open", (json_int_t)scoring->gap_open, "gap_extend",
        (json_int_t)scoring->gap_extend, "kind", kinds[record->circular], "ambiguity", AMBIGUITY);
    g_assert(record->identity != NULL); /* some hundred bytes: g_malloc would have ended here too */
    return record;
}

static void
clear_side(CsFingerprintSide *side)
{
    g_free(side->digest);
    g_free(side->file);
    g_free(side->name);
}

void
cs_fingerprint_record_free(CsFingerprintRecord *record)
{
    if (record == NULL)
        return;
    clear_side(&record->target);
    clear_side(&record->query);
    g_free(record->memo);
    json_decref(record->identity);
    g_free(record);
}

static json_t *
source_to_json(const CsFingerprintSide *side)
{
    json_t *source = json_object();
    if (cs_json_text_write(source, "file", side->file) &&
        cs_json_text_write(source, "name", side->name))
        return source;
    json_decref(source);
    return NULL;
}

gboolean
cs_fingerprint_record_write(const CsFingerprintRecord *record, json_t *object)
{
    g_autoptr(CsJson) source = json_pack("{s:o, s:o}", "target", source_to_json(&record->target),
                                         "query", source_to_json(&record->query));
    /* A copy: reference counts are not for several threads in every build of Jansson. */
    return source != NULL &&
           json_object_set_new(object, "identity", json_deep_copy(record->identity)) == 0 &&
           json_object_set(object, "source", source) == 0 &&
           cs_json_text_write(object, "memo", record->memo) &&
           json_object_set_new(object, "orientation",
                               json_string(record->transposed ? "query" : "target")) == 0;
}

static gboolean
fail(GError **error, const char *what)
{
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "malformed %s", what);
    return FALSE;
}

/* Reads null, or [from, to] within the bases of the record. */
static gboolean
read_region(json_t *region, CsFingerprintSide *side)
{
    json_int_t from = 0, to = 0;
    if (json_is_null(region))
        return TRUE;
    if (json_unpack(region, "[I, I!]", &from, &to) != 0 || from < 1 || to < from ||
        to - from != side->length - 1)
        return FALSE;
    side->from = from;
    side->to = to;
    return TRUE;
}

/* A kind of a later version is none of these; it is compared as text. */
static CsCircular
circular_of(const char *kind)
{
    for (guint k = 0; k < G_N_ELEMENTS(kinds); k++)
        if (strcmp(kind, kinds[k]) == 0)
            return (CsCircular)k;
    return CS_CIRCULAR_NONE;
}

static gboolean
read_side(json_t *identity, json_t *source, const char *which, CsFingerprintSide *side,
          GError **error)
{
    const char *digest = NULL;
    json_int_t length = -1;
    json_t *region = NULL, *from = json_object_get(source, which);
    if (json_unpack(identity, "{s:{s:s, s:I, s:o}}", which, "digest", &digest, "length", &length,
                    "region", &region) != 0 ||
        !cs_json_is_hex(digest, DIGEST_DIGITS) || length < 0)
        return fail(error, "identity");
    side->digest = g_strdup(digest);
    side->length = length;
    if (!read_region(region, side))
        return fail(error, "region");
    if (!cs_json_text_read(from, "file", &side->file) ||
        !cs_json_text_read(from, "name", &side->name) || side->name == NULL)
        return fail(error, "source");
    return TRUE;
}

CsFingerprintRecord *
cs_fingerprint_record_read(json_t *object, GError **error)
{
    g_autoptr(CsFingerprintRecord) record = g_new0(CsFingerprintRecord, 1);
    const char *strand = NULL, *kind = NULL, *ambiguity = NULL, *orientation = NULL;
    json_int_t match = 0, mismatch = 0, gap_open = 0, gap_extend = 0;
    json_t *identity = json_object_get(object, "identity");
    json_t *source = json_object_get(object, "source");
    if (json_unpack(identity, "{s:s, s:{s:I, s:I, s:I, s:I}, s:s, s:s}", "strand", &strand,
                    "scoring", "match", &match, "mismatch", &mismatch, "gap_open", &gap_open,
                    "gap_extend", &gap_extend, "kind", &kind, "ambiguity", &ambiguity) != 0) {
        fail(error, "identity");
        return NULL;
    }
    record->identity = json_incref(identity);
    if (!cs_strand_read(strand, &record->strand)) {
        fail(error, "strand");
        return NULL;
    }
    record->circular = circular_of(kind);
    record->scoring = (CsScoring){match, mismatch, gap_open, gap_extend};
    if (!read_side(identity, source, "target", &record->target, error) ||
        !read_side(identity, source, "query", &record->query, error))
        return NULL;
    if (json_unpack(object, "{s:s}", "orientation", &orientation) != 0 ||
        (strcmp(orientation, "query") != 0 && strcmp(orientation, "target") != 0)) {
        fail(error, "orientation");
        return NULL;
    }
    record->transposed = strcmp(orientation, "query") == 0;
    if (!cs_json_text_read(object, "memo", &record->memo)) {
        fail(error, "memo");
        return NULL;
    }
    return g_steal_pointer(&record);
}

/* Any JSON value, as a message shows it. */
static char *
shown_value(json_t *value)
{
    char *dumped = value != NULL && !json_is_string(value)
                       ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT)
                       : NULL;
    const char *text = json_is_string(value) ? json_string_value(value) : dumped;
    g_autofree char *shown = cs_display_name(text != NULL ? text : "missing");
    g_autofree char *cut =
        g_utf8_strlen(shown, -1) > SHOWN ? g_utf8_substring(shown, 0, SHOWN) : NULL;
    char *result = cut != NULL ? g_strconcat(cut, "...", NULL) : g_strdup(shown);
    free(dumped);
    return result;
}

static json_t *
field_of(json_t *identity, const char *object, const char *field)
{
    return json_object_get(object != NULL ? json_object_get(identity, object) : identity, field);
}

static gboolean
compare_values(const char *object, const char *field, json_t *there, json_t *here, GError **error)
{
    if (there != NULL && here != NULL && json_equal(there, here))
        return TRUE;
    g_autofree char *one = shown_value(there), *other = shown_value(here);
    g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                "belongs to another comparison: %s%s%s is %s there and %s here",
                object != NULL ? object : "", object != NULL ? "." : "", field, one, other);
    return FALSE;
}

gboolean
cs_fingerprint_record_compare(const CsFingerprintRecord *there, const CsFingerprintRecord *here,
                              GError **error)
{
    static const struct {
        const char *object, *field;
    } fields[] = {
        {"target", "length"},    {"query", "length"},       {"target", "digest"},
        {"query", "digest"},     {"target", "region"},      {"query", "region"},
        {NULL, "strand"},        {"scoring", "match"},      {"scoring", "mismatch"},
        {"scoring", "gap_open"}, {"scoring", "gap_extend"}, {NULL, "kind"},
        {NULL, "ambiguity"},
    };
    for (guint k = 0; k < G_N_ELEMENTS(fields); k++)
        if (!compare_values(fields[k].object, fields[k].field,
                            field_of(there->identity, fields[k].object, fields[k].field),
                            field_of(here->identity, fields[k].object, fields[k].field), error))
            return FALSE;
    if (there->transposed != here->transposed) {
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                    "belongs to another comparison: orientation is %s there and %s here",
                    there->transposed ? "query" : "target", here->transposed ? "query" : "target");
        return FALSE;
    }
    return TRUE;
}

gint64
cs_fingerprint_record_rows(const CsFingerprintRecord *record)
{
    return record->transposed ? record->query.length : record->target.length;
}

gint64
cs_fingerprint_record_columns(const CsFingerprintRecord *record)
{
    return record->transposed ? record->target.length : record->query.length;
}

gint64
cs_fingerprint_record_cells(const CsFingerprintRecord *record)
{
    return record->target.length * record->query.length *
           (record->strand == CS_STRAND_BOTH ? 2 : 1);
}

CsPlacement
cs_fingerprint_record_placement(const CsFingerprintRecord *record)
{
    return (CsPlacement){
        .transposed = record->transposed,
        .target_offset = record->target.from > 0 ? record->target.from - 1 : 0,
        .query_offset = record->query.from > 0 ? record->query.from - 1 : 0,
        .query_length = record->query.length,
    };
}
