/*
 * The formats of an alignment. A new format needs a value in CsAlignmentFormat, a row in the table
 * of alignment_format.c, and a file alignment_NAME.c.
 */
#ifndef CS_ALIGNMENT_FORMAT_H
#define CS_ALIGNMENT_FORMAT_H

#include <stdio.h>

#include <chromosweep/align.h>
#include <chromosweep/align_set.h>

#include "formats/columns.h"

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

/* The names that --format takes, in the order of CsAlignmentFormat; NULL-terminated. */
extern const char *const cs_alignment_format_names[];

/* The columns of TSV that may be chosen. */
extern const CsColumnsChoice cs_alignment_columns_choice;

/* The format that the end of a file's name stands for, before .gz or .bgz if there is one; FALSE if
 * it stands for none. */
gboolean cs_alignment_format_guess(const char *file, CsAlignmentFormat *format);

/* Whether the name says that a file is compressed with bgzip. */
gboolean cs_alignment_format_is_bgzip(const char *file);

/* How to write an alignment. */
typedef struct {
    CsAlignmentFormat format;
    gboolean merged;      /* M instead of = and X */
    gboolean differences; /* cs:Z in PAF */
    gint64 max_drop;      /* cut the alignment where its score falls by more; -1: do not cut it */
    gboolean swapped;     /* a chain that lifts the query to the target */
    gboolean bgzip;       /* compress with bgzip, unless the format is compressed itself */
    gboolean index;       /* write an index, too; cs_alignment_format_index() tells which one */
    CsColumns columns;    /* of TSV */
    const char *line;     /* the command line, as one printable line */
} CsAlignmentForm;

/* What to write. Nothing in it is owned. */
typedef struct {
    const CsSequence *target, *query; /* of several records the first */
    const GPtrArray *records[2];      /* of CsSequence: all of them; NULL: there is one of each */
    const char *files[2];             /* target and query, as they were given */
    CsScoring scoring;
    const CsAlignment *alignment; /* NULL: the score is 0 */
    const GPtrArray *parts;       /* of CsAlignment: its pieces, or NULL for all of it; or a set */
    const gboolean *secondary;    /* of a set, for each part: whether it repeats others; or NULL */
    const CsAlignSetOptions *set; /* which set, or NULL; `alignment` is then its first */
    const GPtrArray *members;     /* of CsAlignment: the set as it was found */
    CsCircular circular; /* parts of such records are split at the origin, where that is needed */
    gint64 max_drop;     /* it was cut, or there is a caution, where the score falls by more */
    const GArray *drops; /* of CsAlignmentDrop: where it does */
} CsAlignmentStory;

/* What is written, one after the other: pieces in the order of the target, a set in its own, but
 * in that of the target where the format wants it. */
guint cs_alignment_format_parts(const CsAlignmentStory *story);
const CsAlignment *cs_alignment_format_part(const CsAlignmentStory *story, guint k);
/* The record of a part of the story on side 0 (target) or 1 (query); NULL stands for the whole. */
const CsSequence *cs_alignment_format_record(const CsAlignmentStory *story, const CsAlignment *part,
                                             int side);

gboolean cs_alignment_format_is_secondary(const CsAlignmentStory *story, guint k);

/*
 * Whether the format can hold every alignment of the two sequences; CS_ERROR_USAGE if not. Check
 * this before a long computation begins.
 */
gboolean cs_alignment_format_check(const CsAlignmentForm *form, const CsSequence *target,
                                   const CsSequence *query, GError **error);

/* Whether the format has a CIGAR. */
gboolean cs_alignment_format_has_cigar(CsAlignmentFormat format);

/* What to append to the name of a file for the name of its index; NULL if it cannot have one. */
const char *cs_alignment_format_index(const CsAlignmentForm *form);

/*
 * The whole content of a file, and of its index if the form asks for one. Fails with
 * CS_ERROR_DEVICE if there is not enough memory.
 */
GBytes *cs_alignment_format_write(const CsAlignmentForm *form, const CsAlignmentStory *story,
                                  GBytes **index, GError **error);

/* The CIGAR along the target; merged: with M instead of = and X. */
void cs_alignment_format_cigar(const CsAlignment *alignment, gboolean merged, GString *text);

/* A position behind the origin of a circular record, as one in the record. */
gint64 cs_alignment_format_position(const CsSequence *sequence, gint64 position);

/* Matches divided by the sum of matches, mismatches and gaps, with each gap counted once. */
double cs_alignment_format_identity(const CsAlignmentSummary *summary);

char *cs_alignment_paf(const CsAlignmentForm *form, const CsAlignmentStory *story);
char *cs_alignment_chain(const CsAlignmentForm *form, const CsAlignmentStory *story);
char *cs_alignment_tsv(const CsAlignmentForm *form, const CsAlignmentStory *story);
/* A set as a JSON object. */
char *cs_alignment_set_json(const CsAlignmentForm *form, const CsAlignmentStory *story);

char *cs_alignment_json(const CsAlignmentForm *form, const CsAlignmentStory *story);

/* These write every base. Errors are left to ferror(). */
void cs_alignment_maf(const CsAlignmentForm *form, const CsAlignmentStory *story, FILE *file);
void cs_alignment_text(const CsAlignmentStory *story, FILE *file);

/* SAM, BAM or CRAM, as the form says: the bytes of a file, and of its index. */
GBytes *cs_alignment_sam(const CsAlignmentForm *form, const CsAlignmentStory *story, GBytes **index,
                         GError **error);

/* Whether SAM allows the names and lengths; CS_ERROR_USAGE if not. */
gboolean cs_alignment_sam_check(const CsSequence *target, const CsSequence *query, GError **error);

#endif
