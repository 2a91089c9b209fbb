/*
 * Collects sequences from a FASTA text: certain records, and certain bases of them. The reader of
 * the text (fasta.c) hands over what it finds, in this order:
 *
 *     ( begin_record  add_name*  end_header  ( reserve  add_bases* )* )*  finish
 *
 * A fault of a record is CS_ERROR_CONTENT, a lack of memory is CS_ERROR_DEVICE. The messages do not
 * name the file.
 */
#ifndef CS_COLLECTOR_H
#define CS_COLLECTOR_H

#include <chromosweep/sequence.h>

#include "sequence/region.h"

typedef struct _CsCollector CsCollector;

/* Collects one sequence: the region, or the only record if region is NULL. path is the file of the
 * sequence. */
CsCollector *cs_collector_new(const char *path, const CsRegion *region);

/* Collects the records of these names (NULL-terminated), or every record if names is NULL. Adds the
 * sequences to `all`. */
CsCollector *cs_collector_new_all(const char *path, const char *const *names, GPtrArray *all);

void cs_collector_free(CsCollector *collector);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsCollector, cs_collector_free)

/* A header begins. */
void cs_collector_begin_record(CsCollector *collector);

/* The name of the current record as far as it was read, for a message; (transfer full). */
char *cs_collector_show_name(const CsCollector *collector);

/* The next bytes of the record's name, which is the first word of its header. None is NUL. */
gboolean cs_collector_add_name(CsCollector *collector, const guint8 *bytes, gsize length,
                               GError **error);

/* The header ends. */
gboolean cs_collector_end_header(CsCollector *collector, GError **error);

/* Makes room for so many more bases, if the record's bases are collected. */
gboolean cs_collector_reserve(CsCollector *collector, gsize bases, GError **error);

/*
 * The next bytes of the record, a line or part of a line. cs_collector_reserve() has made room for
 * them. offset (in bytes) and line say where in the text they begin.
 */
void cs_collector_add_bases(CsCollector *collector, const guint8 *bytes, gsize length,
                            gint64 offset, gint64 line);

/* The text ends. All of it is good, except perhaps the bases that were collected. */
gboolean cs_collector_finish(CsCollector *collector, GError **error);

/* After cs_collector_finish(), for a collector of one sequence: the sequence, if its bases are
 * good. */
CsSequence *cs_collector_take(CsCollector *collector, GError **error);

#endif
