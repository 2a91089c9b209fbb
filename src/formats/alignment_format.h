/*
 * The formats of an alignment. A new one is a row of CsAlignmentFormat, of the table in
 * alignment_format.c, and a file alignment_NAME.c.
 */
#ifndef CS_ALIGNMENT_FORMAT_H
#define CS_ALIGNMENT_FORMAT_H

#include <stdio.h>

#include <chromosweep/align.h>

typedef enum {
    CS_ALIGNMENT_FORMAT_PAF,
    CS_ALIGNMENT_FORMAT_SAM,
    CS_ALIGNMENT_FORMAT_BAM,
    CS_ALIGNMENT_FORMAT_CRAM,
    CS_ALIGNMENT_FORMAT_MAF,
    CS_ALIGNMENT_FORMAT_CHAIN,
    CS_ALIGNMENT_FORMAT_TEXT,
    CS_ALIGNMENT_FORMAT_TSV,
    CS_ALIGNMENT_FORMAT_JSON,
} CsAlignmentFormat;

/* What --format takes, by CsAlignmentFormat; NULL-terminated. */
extern const char *const cs_alignment_format_names[];

/* How an alignment is to be written. */
typedef struct {
    CsAlignmentFormat format;
    gboolean merged;      /* M in place of = and X */
    gboolean differences; /* cs:Z in PAF */
    gint64 max_drop;      /* it is cut where its score falls by more; -1: it is not cut */
    gboolean swapped;     /* a chain that lifts the query to the target */
    gboolean bgzip;       /* compressed, where the format is not by itself */
    gboolean index;       /* an index, too; cs_alignment_format_index() tells of what kind */
    const char *line;     /* the command line, of one printable line */
} CsAlignmentForm;

/* What is to be written. Nothing in it is owned. */
typedef struct {
    const CsSequence *target, *query;
    const char *files[2]; /* as they were given */
    CsScoring scoring;
    const CsAlignment *alignment; /* NULL: the score is 0 */
    const GPtrArray *parts;       /* of CsAlignment: its pieces, or NULL for all of it */
    gint64 max_drop;     /* it was cut, or there is a caution, where the score falls by more */
    const GArray *drops; /* of CsAlignmentDrop: where it does */
} CsAlignmentStory;

/* What is written, one after the other, in the order of the target. */
guint cs_alignment_format_parts(const CsAlignmentStory *story);
const CsAlignment *cs_alignment_format_part(const CsAlignmentStory *story, guint k);

/*
 * Whether the format can hold any alignment of the two; CS_ERROR_USAGE where not. To be asked
 * before anything long begins.
 */
gboolean cs_alignment_format_check(const CsAlignmentForm *form, const CsSequence *target,
                                   const CsSequence *query, GError **error);

/* Whether its alignments have a CIGAR, which a form can merge. */
gboolean cs_alignment_format_has_cigar(CsAlignmentFormat format);

/* What the name of an index has after that of the file; NULL where the form has no index. */
const char *cs_alignment_format_index(const CsAlignmentForm *form);

/*
 * The whole of what a file has, and of what its index has if the form asks for one. Fails with
 * CS_ERROR_DEVICE when there is no memory.
 */
GBytes *cs_alignment_format_write(const CsAlignmentForm *form, const CsAlignmentStory *story,
                                  GBytes **index, GError **error);

/* The CIGAR along the target; merged: with M in place of = and X. */
void cs_alignment_format_cigar(const CsAlignment *alignment, gboolean merged, GString *text);

/* Matches of matches, mismatches and gaps, each gap counted once. */
double cs_alignment_format_identity(const CsAlignmentSummary *summary);

char *cs_alignment_paf(const CsAlignmentForm *form, const CsAlignmentStory *story);
char *cs_alignment_chain(const CsAlignmentForm *form, const CsAlignmentStory *story);
char *cs_alignment_tsv(const CsAlignmentStory *story);
char *cs_alignment_json(const CsAlignmentForm *form, const CsAlignmentStory *story);

/* These show every base. The file has their failures. */
void cs_alignment_maf(const CsAlignmentForm *form, const CsAlignmentStory *story, FILE *file);
void cs_alignment_text(const CsAlignmentStory *story, FILE *file);

/* SAM, BAM or CRAM, as the form says, as the bytes that a file has, and those of its index. */
GBytes *cs_alignment_sam(const CsAlignmentForm *form, const CsAlignmentStory *story, GBytes **index,
                         GError **error);

/* Whether names and lengths fit; CS_ERROR_USAGE where not. */
gboolean cs_alignment_sam_check(const CsSequence *target, const CsSequence *query, GError **error);

#endif
