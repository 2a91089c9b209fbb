/*
 * Collects sequences from a FASTA text: which of its records, and which of their bases. The
 * reader of the text (fasta.c) hands over what it finds, in order:
 *
 *     ( begin_record  add_name*  end_header  ( reserve  add_bases* )* )*  finish
 *
 * What is wrong with a record is CS_ERROR_CONTENT or, without memory, CS_ERROR_DEVICE; the messages
 * do not name the file.
 */
#ifndef CS_COLLECTOR_H
#define CS_COLLECTOR_H

#include <chromosweep/sequence.h>

#include "sequence/region.h"

typedef struct _CsCollector CsCollector;

/* One sequence: what region names, NULL for the only record. path is the sequence's file. */
CsCollector *cs_collector_new(const char *path, const CsRegion *region);

/* Each record, or each of those of the names (nullable, NULL-terminated), added to all. */
CsCollector *cs_collector_new_all(const char *path, const char *const *names, GPtrArray *all);

void cs_collector_free(CsCollector *collector);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsCollector, cs_collector_free)

/* A header begins. */
void cs_collector_begin_record(CsCollector *collector);

/* The name of the record at hand as far as it has come, for a message; (transfer full). */
char *cs_collector_show_name(const CsCollector *collector);

/* The next bytes of the record's name, the first word of its header; none of them NUL. */
gboolean cs_collector_add_name(CsCollector *collector, const guint8 *bytes, gsize length,
                               GError **error);

/* The header is over. */
gboolean cs_collector_end_header(CsCollector *collector, GError **error);

/* Room for so many more bases, where the record's are collected. */
gboolean cs_collector_reserve(CsCollector *collector, gsize bases, GError **error);

/*
 * The record's next bytes, a line or a part of one, for which there is room. They begin at that
 * byte offset of the text, in that line.
 */
void cs_collector_add_bases(CsCollector *collector, const guint8 *bytes, gsize length,
                            gint64 offset, gint64 line);

/* The text is over, and all of it is good but for the bases of what is collected. */
gboolean cs_collector_finish(CsCollector *collector, GError **error);

/* After cs_collector_finish(), of a collector of one: the sequence, where its bases are good. */
CsSequence *cs_collector_take(CsCollector *collector, GError **error);

#endif
