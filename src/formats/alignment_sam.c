/*
 * An alignment as SAM, BAM or CRAM, through htslib: the target is the reference, the query the read. Its
 * bases outside the alignment are clipped: soft where they were compared, hard where the region
 * leaves them out. Of several pieces the one with the highest score is primary; the others are
 * supplementary, with all other bases of the query clipped hard, as minimap2 writes what it split.
 * CRAM stores the bases of the read, not their differences from the reference, so the reference
 * is not needed to read it.
 */
#include <string.h>
#include <unistd.h>

#include <htslib/hfile.h>
#include <htslib/sam.h>

#include <chromosweep/error.h>
#include <chromosweep/version.h>

#include "formats/alignment_format.h"
#include "formats/bgzip.h"

/*
 * The length of a CIGAR's operation has 28 bits in BAM. If both records are no longer than this, no
 * run and no clip is longer either. Nor are SEQ and the aligned part of the target: htslib writes
 * one operation for each of these when it moves a long CIGAR to the tag CG.
 */
#define LONGEST_RECORD ((G_GINT64_CONSTANT(1) << 28) - 1)

enum {
    LONGEST_NAME = 254,
    NO_QUALITY = 255,
    CSI_SHIFT = 14,    /* as samtools has it */
    MOST_IN_SA = 1000, /* pieces: each lists all others */
};

G_DEFINE_AUTOPTR_CLEANUP_FUNC(sam_hdr_t, sam_hdr_destroy)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(bam1_t, bam_destroy1)

/* As SAM has QNAME and RNAME, of which only the first may be without a name. */
static gboolean
check_name(const char *side, const CsSequence *sequence, gboolean is_target, GError **error)
{
    const char *name = cs_sequence_get_name(sequence);
    const gsize length = strlen(name);
    gboolean good = length <= LONGEST_NAME && strchr("*=@", name[0]) == NULL;
    if (length == 0)
        good = !is_target;
    for (gsize k = 0; k < length; k++)
        good = good && g_ascii_isgraph(name[k]);
    if (!good)
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "the name of the %s cannot be written as SAM, BAM or CRAM, which take 1 to %d "
                    "printable ASCII characters that do not begin with '*', '=' or '@': choose "
                    "--format paf or json",
                    side, LONGEST_NAME);
    return good;
}

static gboolean
check_length(const char *side, const CsSequence *sequence, GError **error)
{
    const gint64 length = cs_sequence_get_record_length(sequence);
    if (length <= LONGEST_RECORD)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                "the %s has %" G_GINT64_FORMAT " bases; SAM, BAM and CRAM hold %" G_GINT64_FORMAT
                " at most (2^28 - 1): choose --format paf or json",
                side, length, LONGEST_RECORD);
    return FALSE;
}

gboolean
cs_alignment_sam_check(const CsSequence *target, const CsSequence *query, GError **error)
{
    return check_length("target", target, error) && check_length("query", query, error) &&
           check_name("target", target, TRUE, error) && check_name("query", query, FALSE, error);
}

static gboolean
add_target(sam_hdr_t *header, const CsSequence *target, gboolean circular)
{
    g_autofree char *length =
        g_strdup_printf("%" G_GINT64_FORMAT, cs_sequence_get_record_length(target));
    return sam_hdr_add_line(header, "SQ", "SN", cs_sequence_get_name(target), "LN", length,
                            circular ? "TP" : NULL, "circular", NULL) == 0;
}

/* All records of the target, in their order, so that a record's place is its number in htslib. */
static gboolean
add_targets(sam_hdr_t *header, const CsAlignmentStory *story)
{
    const GPtrArray *records = story->records[0];
    const gboolean circular =
        story->circular == CS_CIRCULAR_TARGET || story->circular == CS_CIRCULAR_BOTH;
    gboolean good = records != NULL || add_target(header, story->target, circular);
    for (guint k = 0; records != NULL && good && k < records->len; k++)
        good = add_target(header, g_ptr_array_index(records, k), circular);
    return good;
}

static sam_hdr_t *
make_header(const CsAlignmentForm *form, const CsAlignmentStory *story)
{
    g_autoptr(sam_hdr_t) header = sam_hdr_init();
    if (header == NULL ||
        sam_hdr_add_line(header, "HD", "VN", SAM_FORMAT_VERSION, "SO", "coordinate", NULL) != 0 ||
        !add_targets(header, story) ||
        sam_hdr_add_line(header, "PG", "ID", "chromosweep", "PN", "chromosweep", "VN", cs_version(),
                         "CL", form->line, NULL) != 0)
        return NULL;
    return g_steal_pointer(&header);
}

static void
append_op(GArray *cigar, gint64 length, guint32 op)
{
    guint32 *last = cigar->len > 0 ? &g_array_index(cigar, guint32, cigar->len - 1) : NULL;
    const guint32 more = (guint32)length << BAM_CIGAR_SHIFT;
    if (length == 0)
        return;
    if (last != NULL && bam_cigar_op(*last) == op) {
        *last += more;
        return;
    }
    const guint32 value = more | op;
    g_array_append_val(cigar, value);
}

static guint32
op_of(char op, gboolean merged)
{
    return op == 'I'   ? BAM_CINS
           : op == 'D' ? BAM_CDEL
           : merged    ? BAM_CMATCH
           : op == '=' ? BAM_CEQUAL
                       : BAM_CDIFF;
}

/* What of the query's record is clipped before a part and after it, as the query is read. */
static void
clips_of(const CsSequence *query, const CsAlignmentSummary *s, gboolean supplementary, gint64 *soft,
         gint64 *hard)
{
    const gint64 from = cs_sequence_get_offset(query);
    const gint64 to = from + cs_sequence_get_length(query);
    const int first = s->strand == CS_STRAND_MINUS;
    hard[first] = from;
    hard[!first] = cs_sequence_get_record_length(query) - to;
    soft[first] = s->query_start - 1 - from;
    soft[!first] = to - s->query_end;
    for (int k = 0; supplementary && k < 2; k++) {
        hard[k] += soft[k];
        soft[k] = 0;
    }
}

/* Along the target; what is left of the query's record at either end is clipped. */
static GArray *
make_cigar(const CsAlignmentForm *form, const CsAlignment *part, const gint64 *soft,
           const gint64 *hard)
{
    GArray *cigar = g_array_new(FALSE, FALSE, sizeof(guint32));
    append_op(cigar, hard[0], BAM_CHARD_CLIP);
    append_op(cigar, soft[0], BAM_CSOFT_CLIP);
    g_auto(CsAlignmentIter) iter;
    CsAlignmentRun run;
    cs_alignment_iter_init(&iter, part);
    while (cs_alignment_iter_next(&iter, &run))
        append_op(cigar, run.length, op_of(run.op, form->merged));
    append_op(cigar, soft[1], BAM_CSOFT_CLIP);
    append_op(cigar, hard[1], BAM_CHARD_CLIP);
    return cigar;
}

/* The query as it is aligned, between hard clips: on minus its reverse complement. */
static char *
read_bases(const CsSequence *query, CsStrand strand, gint64 from, gint64 count)
{
    char *bases = g_try_malloc((gsize)count + 1);
    if (bases == NULL)
        return NULL;
    cs_sequence_read(query, from, count, strand, bases);
    bases[count] = '\0';
    return bases;
}

/* A record of the query: its parts, by their places in the story. */
typedef struct {
    GArray *parts;   /* of guint */
    guint primary;   /* the one with the highest score, the first of equal ones */
    guint canonical; /* how many are primary or supplementary */
} Read;

static void
read_free(gpointer data)
{
    Read *read = data;
    g_array_unref(read->parts);
    g_free(read);
}

static Read *
read_of(const CsAlignmentStory *story, const GPtrArray *reads, guint k)
{
    guint target, query;
    cs_alignment_get_records(cs_alignment_format_part(story, k), &target, &query);
    return g_ptr_array_index(reads, query);
}

static gint64
score_of(const CsAlignmentStory *story, guint k)
{
    return cs_alignment_get_summary(cs_alignment_format_part(story, k))->score;
}

/* Those of all records of the query. */
static GPtrArray *
make_reads(const CsAlignmentStory *story)
{
    GPtrArray *reads = g_ptr_array_new_with_free_func(read_free);
    for (guint n = story->records[1] != NULL ? story->records[1]->len : 1; n > 0; n--) {
        Read *read = g_new0(Read, 1);
        read->parts = g_array_new(FALSE, FALSE, sizeof(guint));
        g_ptr_array_add(reads, read);
    }
    for (guint k = 0; k < cs_alignment_format_parts(story); k++) {
        Read *read = read_of(story, reads, k);
        if (read->parts->len == 0 || score_of(story, k) > score_of(story, read->primary))
            read->primary = k;
        read->canonical += !cs_alignment_format_is_secondary(story, k);
        g_array_append_val(read->parts, k);
    }
    return reads;
}

/* A piece as SA lists it, with a short CIGAR as minimap2 writes it there: clips, pairs, and then
 * the difference in length as one gap. */
static void
append_to_sa(GString *text, const CsAlignmentStory *story, guint k)
{
    const CsAlignment *part = cs_alignment_format_part(story, k);
    const CsAlignmentSummary *s = cs_alignment_get_summary(part);
    const gint64 target = s->target_end - s->target_start + 1;
    const gint64 query = s->query_end - s->query_start + 1;
    gint64 soft[2], hard[2];
    clips_of(cs_alignment_format_record(story, part, 1), s, FALSE, soft, hard);
    g_string_append_printf(text, "%s,%" G_GINT64_FORMAT ",%c,",
                           cs_sequence_get_name(cs_alignment_format_record(story, part, 0)),
                           s->target_start, s->strand == CS_STRAND_MINUS ? '-' : '+');
    if (soft[0] + hard[0] > 0)
        g_string_append_printf(text, "%" G_GINT64_FORMAT "S", soft[0] + hard[0]);
    g_string_append_printf(text, "%" G_GINT64_FORMAT "M", MIN(target, query));
    if (target != query)
        g_string_append_printf(text, "%" G_GINT64_FORMAT "%c", ABS(target - query),
                               query > target ? 'I' : 'D');
    if (soft[1] + hard[1] > 0)
        g_string_append_printf(text, "%" G_GINT64_FORMAT "S", soft[1] + hard[1]);
    g_string_append_printf(text, ",%d,%" G_GINT64_FORMAT ";", NO_QUALITY, s->columns - s->matches);
}

/* All pieces but k, the primary one first. Secondary alignments are not listed. */
static char *
list_others(const CsAlignmentStory *story, const Read *read, guint k)
{
    GString *text = g_string_new(NULL);
    if (k != read->primary)
        append_to_sa(text, story, read->primary);
    for (guint place = 0; place < read->parts->len; place++) {
        const guint other = g_array_index(read->parts, guint, place);
        if (other != k && other != read->primary && !cs_alignment_format_is_secondary(story, other))
            append_to_sa(text, story, other);
    }
    return g_string_free(text, FALSE);
}

static gboolean
add_tags(bam1_t *record, const CsAlignmentStory *story, const Read *read, guint k)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(cs_alignment_format_part(story, k));
    const guint parts = read->canonical;
    g_autofree char *others =
        parts > 1 && parts <= MOST_IN_SA && !cs_alignment_format_is_secondary(story, k)
            ? list_others(story, read, k)
            : NULL;
    /* SAM's numbers have 32 bits: a scoring of large numbers may need more. */
    return bam_aux_update_int(record, "NM", s->columns - s->matches) == 0 &&
           (s->score > G_MAXINT32 || bam_aux_update_int(record, "AS", s->score) == 0) &&
           bam_aux_update_float(record, "de", (float)(1 - cs_alignment_format_identity(s))) == 0 &&
           (others == NULL || bam_aux_update_str(record, "SA", -1, others) == 0);
}

static bam1_t *
make_record(const CsAlignmentForm *form, const CsAlignmentStory *story, const Read *read, guint k)
{
    const CsAlignment *part = cs_alignment_format_part(story, k);
    const CsSequence *query = cs_alignment_format_record(story, part, 1);
    guint target_place, query_place;
    cs_alignment_get_records(part, &target_place, &query_place);
    const CsAlignmentSummary *s = cs_alignment_get_summary(part);
    const char *name = cs_sequence_get_name(query);
    const char *shown = name[0] != '\0' ? name : "*";
    const gint64 record_length = cs_sequence_get_record_length(query);
    const gint64 offset = cs_sequence_get_offset(query);
    const guint16 kind = cs_alignment_format_is_secondary(story, k) ? BAM_FSECONDARY
                         : k != read->primary                       ? BAM_FSUPPLEMENTARY
                                                                    : 0;
    const guint16 flags = (s->strand == CS_STRAND_MINUS ? BAM_FREVERSE : 0) | kind;
    gint64 soft[2], hard[2];
    clips_of(query, s, k != read->primary, soft, hard);
    const gint64 length = record_length - hard[0] - hard[1];
    const gint64 outside = s->strand == CS_STRAND_MINUS
                               ? record_length - offset - cs_sequence_get_length(query)
                               : offset;
    g_autoptr(GArray) cigar = make_cigar(form, part, soft, hard);
    g_autofree char *bases = read_bases(query, s->strand, hard[0] - outside, length);
    g_autoptr(bam1_t) record = bam_init1();
    if (bases == NULL || record == NULL ||
        bam_set1(record, strlen(shown), shown, flags, (int)target_place, s->target_start - 1,
                 NO_QUALITY, cigar->len, (const guint32 *)(const void *)cigar->data, -1, -1, 0,
                 (gsize)length, bases, NULL, 0) < 0 ||
        !add_tags(record, story, read, k))
        return NULL;
    return g_steal_pointer(&record);
}

static gboolean
write_records(samFile *file, sam_hdr_t *header, const CsAlignmentForm *form,
              const CsAlignmentStory *story)
{
    g_autoptr(GPtrArray) reads = make_reads(story);
    for (guint k = 0; k < cs_alignment_format_parts(story); k++) {
        g_autoptr(bam1_t) record = make_record(form, story, read_of(story, reads, k), k);
        if (record == NULL || sam_write1(file, header, record) < 0)
            return FALSE;
    }
    return TRUE;
}

/* CRAM 3.0, which all readers of today know, with bases instead of differences. */
static gboolean
set_options(const CsAlignmentForm *form, samFile *file)
{
    return form->format != CS_ALIGNMENT_FORMAT_CRAM ||
           (hts_set_opt(file, CRAM_OPT_VERSION, "3.0") == 0 &&
            hts_set_opt(file, CRAM_OPT_NO_REF, 1) == 0);
}

static const char *
mode_of(const CsAlignmentForm *form)
{
    return form->format == CS_ALIGNMENT_FORMAT_BAM    ? "wb"
           : form->format == CS_ALIGNMENT_FORMAT_CRAM ? "wc"
           : form->bgzip                              ? "wz"
                                                      : "w";
}

/* Closes fd. index: the name of the file for the index; NULL: write none. */
static gboolean
write_file(int fd, sam_hdr_t *header, const CsAlignmentForm *form, const CsAlignmentStory *story,
           const char *index)
{
    hFILE *stream = hdopen(fd, "w");
    samFile *file = stream != NULL ? hts_hopen(stream, "alignment", mode_of(form)) : NULL;
    if (file == NULL) {
        if (stream != NULL)
            hclose_abruptly(stream);
        else
            close(fd);
        return FALSE;
    }
    const gboolean written = set_options(form, file) && sam_hdr_write(file, header) == 0 &&
                             (index == NULL || sam_idx_init(file, header, CSI_SHIFT, index) == 0) &&
                             write_records(file, header, form, story) &&
                             (index == NULL || sam_idx_save(file) == 0);
    return hts_close(file) == 0 && written;
}

/* Writes both files to memory. htslib can open an index only by its name. */
static gboolean
write_files(sam_hdr_t *header, const CsAlignmentForm *form, const CsAlignmentStory *story,
            GBytes **bytes, GBytes **index, GError **error)
{
    const int fd = cs_bgzip_open_memory(error);
    const int index_fd = fd >= 0 && form->index ? cs_bgzip_open_memory(error) : -1;
    g_autofree char *name = index_fd >= 0 ? g_strdup_printf("/proc/self/fd/%d", index_fd) : NULL;
    const gboolean opened = fd >= 0 && (index_fd >= 0 || !form->index);
    const gboolean written = opened && write_file(dup(fd), header, form, story, name);
    if (opened && !written)
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for the alignment as SAM, BAM or CRAM%s",
                    form->index ? ", or no /proc" : "");
    if (written && form->index)
        *index = cs_bgzip_close_memory(index_fd, error);
    else if (index_fd >= 0)
        close(index_fd);
    if (written && (!form->index || *index != NULL))
        *bytes = cs_bgzip_close_memory(fd, error);
    else if (fd >= 0)
        close(fd);
    return *bytes != NULL;
}

GBytes *
cs_alignment_sam(const CsAlignmentForm *form, const CsAlignmentStory *story, GBytes **index,
                 GError **error)
{
    g_autoptr(sam_hdr_t) header = make_header(form, story);
    g_autoptr(GBytes) bytes = NULL, its_index = NULL;
    if (header == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "not enough memory for the alignment as SAM, BAM or CRAM");
        return NULL;
    }
    if (!write_files(header, form, story, &bytes, &its_index, error))
        return NULL;
    if (form->index)
        *index = g_steal_pointer(&its_index);
    return g_steal_pointer(&bytes);
}
