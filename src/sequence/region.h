/* The text of a region: which bases of which record. */
#ifndef CS_REGION_H
#define CS_REGION_H

#include <glib.h>

/*
 * One text may mean two things, and only the file tells which: "a:1-9" is all of the record "a:1-9"
 * or a part of the record "a". A file that has both is the reader's error to report.
 */
typedef struct {
    char *text;        /* as it was given */
    char *record;      /* take all of the record of this name; NULL: not meant */
    char *part;        /* or the range of the record of this name; NULL: not meant */
    gint64 from;       /* the range, 1-based, both ends included; */
    gint64 to;         /* 0: to the record's end */
    const char *fault; /* what is wrong with the range, NULL when nothing is */
} CsRegion;

/*
 * Reads NAME, NAME:FROM, NAME:FROM-, NAME:FROM-TO, and the same with {NAME}, for names that would
 * be mistaken. With braces a fault is CS_ERROR_USAGE at once; without, the text may be a name.
 */
CsRegion *cs_region_parse(const char *text, GError **error);

/* All of the record of that name, whatever is in the name. */
CsRegion *cs_region_new_record(const char *name);

void cs_region_free(CsRegion *region);

/* CS_ERROR_USAGE when the region can only be a part of a record and its range has a fault. */
gboolean cs_region_check(const CsRegion *region, GError **error);

/* How many bases of the range lie past the end of a record of that length; they are left out. */
gint64 cs_region_excess(const CsRegion *region, gint64 record_length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsRegion, cs_region_free)

#endif
