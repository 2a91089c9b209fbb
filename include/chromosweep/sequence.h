/* Nucleotide sequences: a record of a FASTA file or a region of one, or bases in memory. */
#ifndef CHROMOSWEEP_SEQUENCE_H
#define CHROMOSWEEP_SEQUENCE_H

#include <glib.h>

#include <chromosweep/export.h>
#include <chromosweep/strand.h>

G_BEGIN_DECLS

/**
 * CsSequence:
 *
 * An immutable, reference-counted nucleotide sequence. Case is ignored and U is read as T. N and
 * every other IUPAC ambiguity code match nothing, not even themselves. Memory: one byte per base
 * plus a constant.
 */
typedef struct _CsSequence CsSequence;

/**
 * cs_sequence_load:
 * @path: a FASTA file, plain, gzip or bgzip; "-" is standard input
 * @name: (nullable): the record to load, by the first word of its header; %NULL loads the only
 *   record of the file
 * @error: CS_ERROR_FAILED if @path cannot be read; CS_ERROR_CONTENT if its content is malformed, if
 *   it has several records and @name is %NULL, or if it does not have @name exactly once;
 *   CS_ERROR_DEVICE if there is not enough memory
 *
 * Loads a record. Only its own bases are checked. No index is used or written.
 *
 * Returns: (transfer full) (nullable): the sequence, or %NULL with @error set
 */
CS_API CsSequence *cs_sequence_load(const char *path, const char *name, GError **error);

/**
 * cs_sequence_load_region:
 * @path: as for cs_sequence_load()
 * @region: (nullable): NAME for a whole record; NAME:FROM-TO for its bases FROM to TO, counted from
 *   1 and both included; NAME:FROM- or NAME:FROM for the bases from FROM to the end. Numbers may
 *   have commas between digits. Write {NAME} for a NAME that could be taken for a region. %NULL is
 *   the file's only record
 * @error: as in cs_sequence_load(); also CS_ERROR_CONTENT if the region begins past the record's
 *   end, or if the file has both a record with the name "NAME:FROM-TO" and a record NAME;
 *   CS_ERROR_USAGE if @region makes no sense
 *
 * Without braces, @region is taken as the name of a record. Only if the file has no such record is
 * the text after the last colon taken as a range. A region that ends past the record's end is
 * clipped there, as samtools does; see cs_sequence_get_clipped().
 *
 * If there is an index of samtools faidx (PATH.fai, for bgzip also PATH.gzi), only that record and
 * the headers are read. For this @path must be a regular file, plain with LF line ends or bgzip,
 * and the index must be no older than the file and agree with it. Otherwise the whole file is read.
 * In either case the record is checked from end to end and the result is the same. No index is ever
 * written.
 *
 * Returns: (transfer full) (nullable): the sequence, or %NULL with @error set
 */
CS_API CsSequence *cs_sequence_load_region(const char *path, const char *region, GError **error);

/**
 * cs_sequence_load_all:
 * @path: as for cs_sequence_load()
 * @names: (nullable) (array zero-terminated=1): the records to load; %NULL loads every record
 * @error: as for cs_sequence_load(); also CS_ERROR_CONTENT if two of the records have the same
 *   name, or if one has no bases
 *
 * Loads several records. Reads the file once.
 *
 * Returns: (transfer full) (nullable) (element-type CsSequence): the sequences in the order of the
 *   file, which g_ptr_array_unref() frees; %NULL with @error set
 */
CS_API GPtrArray *cs_sequence_load_all(const char *path, const char *const *names, GError **error);

/**
 * cs_sequence_new:
 * @name: the name that reports show
 * @bases: IUPAC nucleotide codes, either case; nothing else, not even white space
 * @length: number of bases, or -1 if @bases ends with a NUL byte; may be 0
 * @error: CS_ERROR_CONTENT if a byte is not a nucleotide code
 *
 * Returns: (transfer full) (nullable): the sequence, or %NULL with @error set
 */
CS_API CsSequence *cs_sequence_new(const char *name, const char *bases, gint64 length,
                                   GError **error);

CS_API CsSequence *cs_sequence_ref(CsSequence *sequence);
CS_API void cs_sequence_unref(CsSequence *sequence);

/** cs_sequence_get_file: the path that it was loaded from; %NULL if it was made in memory. */
CS_API const char *cs_sequence_get_file(const CsSequence *sequence);

/** cs_sequence_get_name: the first word of the header; it may be empty. */
CS_API const char *cs_sequence_get_name(const CsSequence *sequence);

/** cs_sequence_get_length: number of bases, of the region if there is one; ambiguous ones count. */
CS_API gint64 cs_sequence_get_length(const CsSequence *sequence);

/** cs_sequence_get_offset: number of bases of the record before the region; 0 without a region. */
CS_API gint64 cs_sequence_get_offset(const CsSequence *sequence);

/** cs_sequence_get_record_length: number of bases of the whole record. */
CS_API gint64 cs_sequence_get_record_length(const CsSequence *sequence);

/**
 * cs_sequence_get_clipped: how many bases the region asked for past the record's end; 0 if none.
 * They are left out.
 */
CS_API gint64 cs_sequence_get_clipped(const CsSequence *sequence);

/** cs_sequence_get_ambiguous: how many bases match nothing (N and the other IUPAC codes). */
CS_API gint64 cs_sequence_get_ambiguous(const CsSequence *sequence);

/**
 * cs_sequence_read:
 * @from: number of bases of the strand to pass over
 * @count: number of bases to read; @from + @count is at most cs_sequence_get_length()
 * @strand: %CS_STRAND_PLUS for the bases as in the record, %CS_STRAND_MINUS for the reverse
 *   complement
 * @bases: (out): @count bytes: A, C, G, T, and N for any ambiguous base; no NUL byte follows
 *
 * Reads bases.
 */
CS_API void cs_sequence_read(const CsSequence *sequence, gint64 from, gint64 count, CsStrand strand,
                             char *bases);

/** cs_sequence_is_indexed: whether the sequence was read with an index of the file. */
CS_API gboolean cs_sequence_is_indexed(const CsSequence *sequence);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsSequence, cs_sequence_unref)

G_END_DECLS

#endif
