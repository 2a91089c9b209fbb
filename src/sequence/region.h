/* Parses the text of a region, which means certain bases of a record. */
#ifndef CS_REGION_H
#define CS_REGION_H

#include <glib.h>

/*
 * One text may have two meanings, and only the file decides: "a:1-9" is the whole record "a:1-9" or
 * a part of the record "a". If the file has both records, its reader reports an error.
 */
typedef struct {
    char *text;        /* as it was given */
    char *record;      /* it may mean the whole record of this name; NULL: it does not */
    char *part;        /* it may mean the range of the record of this name; NULL: it does not */
    gint64 from;       /* first base of the range, 1-based */
    gint64 to;         /* last base of the range; 0: the last one of the record */
    const char *fault; /* what is wrong with the range; NULL: nothing */
} CsRegion;

/*
 * Reads NAME, NAME:FROM, NAME:FROM-, NAME:FROM-TO, or the same with {NAME} for names that could be
 * taken for a region. With braces, a fault is CS_ERROR_USAGE at once. Without them it is none yet,
 * because the whole text may be a name.
 */
CsRegion *cs_region_parse(const char *text, GError **error);

/* The region that is the whole record of this name, whatever the name contains. */
CsRegion *cs_region_new_record(const char *name);

void cs_region_free(CsRegion *region);

/* CS_ERROR_USAGE if the region can only be part of a record and its range has a fault. */
gboolean cs_region_check(const CsRegion *region, GError **error);

/* How many bases of the range lie past the end of a record of this length. They are left out. */
gint64 cs_region_excess(const CsRegion *region, gint64 record_length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsRegion, cs_region_free)

#endif
