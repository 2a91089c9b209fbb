/* The formats of an alignment, and what they share. */
#include <stdlib.h>
#include <string.h>

#include <chromosweep/error.h>

#include "formats/alignment_format.h"
#include "formats/bgzip.h"

const char *const cs_alignment_format_names[] = {
    [CS_ALIGNMENT_FORMAT_PAF] = "paf",   [CS_ALIGNMENT_FORMAT_SAM] = "sam",
    [CS_ALIGNMENT_FORMAT_BAM] = "bam",   [CS_ALIGNMENT_FORMAT_CRAM] = "cram",
    [CS_ALIGNMENT_FORMAT_MAF] = "maf",   [CS_ALIGNMENT_FORMAT_CHAIN] = "chain",
    [CS_ALIGNMENT_FORMAT_TEXT] = "text", [CS_ALIGNMENT_FORMAT_TSV] = "tsv",
    [CS_ALIGNMENT_FORMAT_JSON] = "json", NULL,
};

/* The end of a file's name before .gz or .bgz, or the end. */
static const char *
end_of_name(const char *file)
{
    static const char *const ends[] = {".gz", ".bgz"};
    const char *end = file + strlen(file);
    for (guint k = 0; k < G_N_ELEMENTS(ends); k++)
        if (g_str_has_suffix(file, ends[k]))
            return end - strlen(ends[k]);
    return end;
}

gboolean
cs_alignment_format_is_bgzip(const char *file)
{
    return *end_of_name(file) != '\0';
}

gboolean
cs_alignment_format_guess(const char *file, CsAlignmentFormat *format)
{
    g_autofree char *name = g_strndup(file, (gsize)(end_of_name(file) - file));
    const char *dot = strrchr(name, '.');
    if (dot == NULL || strchr(dot, '/') != NULL)
        return FALSE;
    if (strcmp(dot + 1, "txt") == 0) {
        *format = CS_ALIGNMENT_FORMAT_TEXT;
        return TRUE;
    }
    for (guint k = 0; cs_alignment_format_names[k] != NULL; k++)
        if (k != CS_ALIGNMENT_FORMAT_TEXT && strcmp(dot + 1, cs_alignment_format_names[k]) == 0) {
            *format = (CsAlignmentFormat)k;
            return TRUE;
        }
    return FALSE;
}

/* Whether htslib writes the format. */
static gboolean
is_of_reads(CsAlignmentFormat format)
{
    return format == CS_ALIGNMENT_FORMAT_SAM || format == CS_ALIGNMENT_FORMAT_BAM ||
           format == CS_ALIGNMENT_FORMAT_CRAM;
}

gboolean
cs_alignment_format_has_cigar(CsAlignmentFormat format)
{
    return is_of_reads(format) || format == CS_ALIGNMENT_FORMAT_PAF ||
           format == CS_ALIGNMENT_FORMAT_JSON;
}

const char *
cs_alignment_format_index(const CsAlignmentForm *form)
{
    if (form->format == CS_ALIGNMENT_FORMAT_CRAM)
        return ".crai";
    return form->format == CS_ALIGNMENT_FORMAT_BAM ||
                   (form->format == CS_ALIGNMENT_FORMAT_SAM && form->bgzip)
               ? ".csi"
               : NULL;
}

/* Blanks separate the fields of MAF and chain, so a name may not contain any. */
static gboolean
check_name(const char *side, const CsSequence *sequence, GError **error)
{
    const char *name = cs_sequence_get_name(sequence);
    gboolean good = name[0] != '\0';
    for (; *name != '\0'; name++)
        good = good && !g_ascii_iscntrl(*name) && !g_ascii_isspace(*name);
    if (!good)
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "the name of the %s cannot be written as MAF or chain, which take names of 1 "
                    "or more printable characters: choose --format paf or json",
                    side);
    return good;
}

gboolean
cs_alignment_format_check(const CsAlignmentForm *form, const CsSequence *target,
                          const CsSequence *query, GError **error)
{
    if (form->format == CS_ALIGNMENT_FORMAT_MAF || form->format == CS_ALIGNMENT_FORMAT_CHAIN)
        return check_name("target", target, error) && check_name("query", query, error);
    return !is_of_reads(form->format) || cs_alignment_sam_check(target, query, error);
}

guint
cs_alignment_format_parts(const CsAlignmentStory *story)
{
    return story->parts != NULL ? story->parts->len : story->alignment != NULL;
}

const CsAlignment *
cs_alignment_format_part(const CsAlignmentStory *story, guint k)
{
    return story->parts != NULL ? g_ptr_array_index(story->parts, k) : story->alignment;
}

const CsSequence *
cs_alignment_format_record(const CsAlignmentStory *story, const CsAlignment *part, int side)
{
    guint places[2] = {0, 0};
    if (part != NULL)
        cs_alignment_get_records(part, &places[0], &places[1]);
    return story->records[side] != NULL ? g_ptr_array_index(story->records[side], places[side])
           : side == 0                  ? story->target
                                        : story->query;
}

gboolean
cs_alignment_format_is_secondary(const CsAlignmentStory *story, guint k)
{
    return story->secondary != NULL && story->secondary[k];
}

gint64
cs_alignment_format_position(const CsSequence *sequence, gint64 position)
{
    const gint64 length = cs_sequence_get_record_length(sequence);
    return position > length ? position - length : position;
}

void
cs_alignment_format_cigar(const CsAlignment *alignment, gboolean merged, GString *text)
{
    g_auto(CsAlignmentIter) iter;
    CsAlignmentRun run;
    gint64 pairs = 0;
    cs_alignment_iter_init(&iter, alignment);
    while (cs_alignment_iter_next(&iter, &run)) {
        const gboolean joined = merged && (run.op == '=' || run.op == 'X');
        if (joined)
            pairs += run.length;
        if (!joined && pairs > 0)
            g_string_append_printf(text, "%" G_GINT64_FORMAT "M", pairs);
        if (!joined) {
            pairs = 0;
            g_string_append_printf(text, "%" G_GINT64_FORMAT "%c", run.length, run.op);
        }
    }
    if (pairs > 0)
        g_string_append_printf(text, "%" G_GINT64_FORMAT "M", pairs);
}

double
cs_alignment_format_identity(const CsAlignmentSummary *s)
{
    return (double)s->matches / (double)(s->matches + s->mismatches + s->insertions + s->deletions);
}

/* Whether a file of the format is in the order of the target. */
static gboolean
is_in_order(CsAlignmentFormat format)
{
    return is_of_reads(format) || format == CS_ALIGNMENT_FORMAT_MAF;
}

/* If starts are equal, the one that was found first. */
static gint
compare_starts(gconstpointer one, gconstpointer other, gpointer parts)
{
    const guint a = *(const guint *)one, b = *(const guint *)other;
    const CsAlignment *part_a = g_ptr_array_index((GPtrArray *)parts, a);
    const CsAlignment *part_b = g_ptr_array_index((GPtrArray *)parts, b);
    const gint64 start_a = cs_alignment_get_summary(part_a)->target_start;
    const gint64 start_b = cs_alignment_get_summary(part_b)->target_start;
    guint targets[2], queries[2];
    cs_alignment_get_records(part_a, &targets[0], &queries[0]);
    cs_alignment_get_records(part_b, &targets[1], &queries[1]);
    if (targets[0] != targets[1])
        return targets[0] < targets[1] ? -1 : 1;
    if (start_a != start_b)
        return start_a < start_b ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Puts the parts in the order of the target. They stay owned by the story's array. */
static GPtrArray *
sort_parts(const GPtrArray *parts, gboolean *secondary)
{
    GPtrArray *sorted = g_ptr_array_new();
    g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autofree gboolean *before = g_memdup2(secondary, (gsize)parts->len * sizeof *secondary);
    for (guint k = 0; k < parts->len; k++)
        g_array_append_val(places, k);
    g_array_sort_with_data(places, compare_starts, (gpointer)parts);
    for (guint k = 0; k < places->len; k++) {
        const guint place = g_array_index(places, guint, k);
        g_ptr_array_add(sorted, g_ptr_array_index(parts, place));
        secondary[k] = before[place];
    }
    return sorted;
}

/* Splits the parts at the origins of circular records. */
static GPtrArray *
split_parts(const CsAlignmentStory *story, GError **error)
{
    g_autoptr(GPtrArray) split = g_ptr_array_new_with_free_func((GDestroyNotify)cs_alignment_free);
    for (guint k = 0; k < cs_alignment_format_parts(story); k++) {
        g_autoptr(GPtrArray) pieces = cs_alignment_split(cs_alignment_format_part(story, k), error);
        if (pieces == NULL)
            return NULL;
        g_ptr_array_extend_and_steal(split, g_steal_pointer(&pieces));
    }
    return g_steal_pointer(&split);
}

/* JSON has a set's alignments whole, and one that is not cut as it is. */
static gboolean
is_split(const CsAlignmentForm *form, const CsAlignmentStory *story)
{
    const gboolean json = form->format == CS_ALIGNMENT_FORMAT_JSON;
    return story->circular != CS_CIRCULAR_NONE && story->alignment != NULL &&
           (!json || story->set == NULL);
}

/* MAF and text may need more memory than there is; that is an error, not a crash. */
static GBytes *
write_long(const CsAlignmentForm *form, const CsAlignmentStory *story, GError **error)
{
    char *text = NULL;
    gsize size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file != NULL && form->format == CS_ALIGNMENT_FORMAT_MAF)
        cs_alignment_maf(form, story, file);
    else if (file != NULL)
        cs_alignment_text(story, file);
    const gboolean failed = file == NULL || ferror(file) != 0;
    if (file != NULL && fclose(file) == 0 && !failed)
        return g_bytes_new_with_free_func(text, size, free, text);
    free(text);
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory for the alignment as %s",
                cs_alignment_format_names[form->format]);
    return NULL;
}

static GBytes *
write_text(const CsAlignmentForm *form, const CsAlignmentStory *story, GError **error)
{
    char *text = NULL;
    switch (form->format) {
    case CS_ALIGNMENT_FORMAT_PAF: text = cs_alignment_paf(form, story); break;
    case CS_ALIGNMENT_FORMAT_CHAIN: text = cs_alignment_chain(form, story); break;
    case CS_ALIGNMENT_FORMAT_TSV: text = cs_alignment_tsv(form, story); break;
    case CS_ALIGNMENT_FORMAT_JSON:
        text = story->set != NULL ? cs_alignment_set_json(form, story)
                                  : cs_alignment_json(form, story);
        break;
    default: return write_long(form, story, error);
    }
    return g_bytes_new_take(text, strlen(text));
}

GBytes *
cs_alignment_format_write(const CsAlignmentForm *form, const CsAlignmentStory *story,
                          GBytes **index, GError **error)
{
    CsAlignmentStory told = *story;
    g_autoptr(GPtrArray) sorted = NULL;
    g_autoptr(GPtrArray) split = is_split(form, story) ? split_parts(story, error) : NULL;
    if (is_split(form, story) && split == NULL)
        return NULL;
    if (split != NULL && (split->len > 1 || story->parts != NULL))
        told.parts = split;
    const gboolean in_any_order = story->set != NULL || told.parts == split;
    g_autofree gboolean *secondary =
        in_any_order && told.parts != NULL ? cs_align_set_secondary(told.parts) : NULL;
    told.secondary = secondary;
    if (secondary != NULL && is_in_order(form->format))
        told.parts = sorted = sort_parts(told.parts, secondary);
    if (is_of_reads(form->format))
        return cs_alignment_sam(form, &told, index, error);
    g_autoptr(GBytes) bytes = write_text(form, &told, error);
    return bytes == NULL || !form->bgzip ? g_steal_pointer(&bytes) : cs_bgzip(bytes, error);
}
