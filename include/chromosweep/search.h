/* The best records of a database for each query: exact scores of proteins or nucleotides. */
#ifndef CHROMOSWEEP_SEARCH_H
#define CHROMOSWEEP_SEARCH_H

#include <glib.h>

#include <chromosweep/control.h>
#include <chromosweep/export.h>
#include <chromosweep/strand.h>

G_BEGIN_DECLS

/**
 * CsAlphabet:
 * @CS_ALPHABET_AUTO: nucleotides if every letter of the queries is an IUPAC nucleotide code and nine
 *   in ten are A, C, G, T, U or N; otherwise proteins
 * @CS_ALPHABET_PROTEIN: every letter from A to Z and *; case is ignored. What U, O, B, Z, J, X and *
 *   score is what the matrix says, or cs_search() if the matrix does not have them
 * @CS_ALPHABET_NUCLEOTIDE: IUPAC nucleotide codes, as in #CsSequence
 *
 * What the sequences are.
 */
typedef enum {
    CS_ALPHABET_AUTO,
    CS_ALPHABET_PROTEIN,
    CS_ALPHABET_NUCLEOTIDE,
} CsAlphabet;

/**
 * CsSearchProgress:
 * @fraction: how much of the database is done, from 0 to 1; negative while that is not known, as
 *   with standard input. It is 1 only when everything is done
 * @records: records that are done
 * @letters: their letters
 * @cells: letters of the queries times letters of the database, of what was computed
 * @seconds: since cs_search() was called
 * @seconds_left: until everything is done; negative while not known
 *
 * What a search has done.
 */
typedef struct {
    double fraction;
    gint64 records;
    gint64 letters;
    gint64 cells;
    double seconds;
    double seconds_left;
} CsSearchProgress;

/**
 * CsSearchProgressFunc:
 *
 * Called from the thread that called cs_search(), at most about ten times a second, and once when
 * everything is done.
 */
typedef void (*CsSearchProgressFunc)(const CsSearchProgress *progress, gpointer user_data);

typedef struct _CsSearchHit CsSearchHit;
typedef struct _CsSearchSummary CsSearchSummary;

/**
 * CsSearchHitsFunc:
 * @summary: what was searched
 * @hits: those of the next query, the best one first
 * @count: of them, which may be 0
 *
 * Called from the thread that called cs_search(), once for each query in their order, as soon as it
 * and all before it are complete: while the end of the database is still searched with the queries
 * after it. The hits are valid during the call.
 *
 * Returns: %FALSE to stop the search, which then fails with CS_ERROR_STOPPED
 */
typedef gboolean (*CsSearchHitsFunc)(const CsSearchSummary *summary, const CsSearchHit *hits,
                                     gint64 count, gpointer user_data);

/**
 * CsSearchOptions:
 * @alphabet: what the sequences are
 * @matrix: (nullable): for proteins: BLOSUM45, BLOSUM50, BLOSUM62, BLOSUM80, BLOSUM90, PAM30, PAM70 or
 *   PAM250, in any case, or a file in NCBI's format. %NULL is BLOSUM62. If it is not symmetric, rows
 *   are letters of the query
 * @match: for nucleotides: what a pair of equal bases adds, > 0
 * @mismatch: for nucleotides: what a pair of different or ambiguous bases costs, >= 0
 * @gap_open: what a gap costs in addition to its letters, >= 0. Negative takes what NCBI recommends
 *   for the matrix (11 for BLOSUM62 and for a file), 3 for nucleotides
 * @gap_extend: what each letter of a gap costs, the first included, >= 0. Negative takes what NCBI
 *   recommends for the matrix (1 for BLOSUM62 and for a file), 2 for nucleotides
 * @strand: for nucleotides: the strands of the queries
 * @number: how many hits to keep for each query, > 0
 * @min_score: leave out hits that score less
 * @max_evalue: leave out hits whose E-value is higher; negative leaves out none. Only where there are
 *   E-values
 * @align: find the alignments of the hits, too
 * @threads: CPU threads; 0 takes cs_threads_granted()
 * @chunk: letters of the database that are searched at a time; 0 chooses. The result is the same
 *   with any
 * @progress: (nullable): told about the progress
 * @control: (nullable): asked whether to stop, or to save, about a thousand times a second
 * @data: passed to all functions
 * @checkpoint: (nullable): a folder where states are saved. If it holds one of this search, the search
 *   goes on from there. The database is read again from its beginning, and checked
 * @checkpoint_interval: seconds between two states, >= 0. In addition one is saved when @control says
 *   so, and at the end
 * @checkpoint_fresh: do not load a state: begin anew
 * @note: (nullable): told where the search goes on, and about a state that is damaged or cannot be
 *   saved
 * @memo: (nullable): kept in the checkpoint unchanged (CsSearchCheckpointInfo.memo)
 * @hits: (nullable): given the hits query by query. The result then holds none
 * @device: (nullable): where the scores are computed: auto, cpu, gpu, gpu:INDEX, gpu:UUID, gpu:all, or a
 *   list such as "gpu:0,gpu:1,cpu", whose devices share the database. %NULL is auto, which takes the first
 *   GPU that works, if the search is long enough to be worth its start, and otherwise the CPU. The result
 *   is the same on any
 *
 * Initialise with %CS_SEARCH_OPTIONS_INIT, so that later members get their defaults. No score or cost
 * may be above 10^9.
 */
typedef struct {
    CsAlphabet alphabet;
    const char *matrix;
    gint64 match;
    gint64 mismatch;
    gint64 gap_open;
    gint64 gap_extend;
    CsStrand strand;
    gint64 number;
    gint64 min_score;
    double max_evalue;
    gboolean align;
    guint threads;
    gint64 chunk;
    CsSearchProgressFunc progress;
    CsControlFunc control;
    gpointer data;
    const char *checkpoint;
    double checkpoint_interval;
    gboolean checkpoint_fresh;
    CsNoteFunc note;
    const char *memo;
    CsSearchHitsFunc hits;
    const char *device;
} CsSearchOptions;

/** CS_SEARCH_NUMBER: how many hits are kept for each query by default. */
#define CS_SEARCH_NUMBER 250

/* All other members are 0. C++ before C++20 has no designated initialisers. */
#ifdef __cplusplus
static inline CsSearchOptions
cs_search_options_init()
{
    CsSearchOptions options = {};
    options.match = 1;
    options.mismatch = 3;
    options.gap_open = options.gap_extend = -1;
    options.strand = CS_STRAND_BOTH;
    options.number = CS_SEARCH_NUMBER;
    options.min_score = 1;
    options.max_evalue = -1;
    options.checkpoint_interval = 600;
    return options;
}
#define CS_SEARCH_OPTIONS_INIT cs_search_options_init()
#else
#define CS_SEARCH_OPTIONS_INIT                                                                     \
    {                                                                                              \
        .match = 1, .mismatch = 3, .gap_open = -1, .gap_extend = -1, .strand = CS_STRAND_BOTH,     \
        .number = CS_SEARCH_NUMBER, .min_score = 1, .max_evalue = -1, .checkpoint_interval = 600   \
    }
#endif

/**
 * CsSearchHit:
 * @query: its name, the first word of its header
 * @query_number: its number in the file, from 1
 * @query_length: its letters
 * @target: name of the record
 * @target_number: its number in the database, from 1
 * @target_length: its letters
 * @score: score of the best local alignment of the two, > 0
 * @bits: the score in bits; 0 if there are no constants for the scoring
 *   (CsSearchSummary.has_evalues)
 * @evalue: how many records with this score are expected by chance; -1 if there are no constants
 *   for the scoring
 * @strand: of the query; %CS_STRAND_PLUS for proteins
 * @target_start: first letter of an alignment in the record, 1-based
 * @target_end: its last letter
 * @query_start: its first letter in the query, on the forward strand
 * @query_end: its last letter, likewise
 * @cigar: (nullable): the alignment as a CIGAR with =, X, I and D, along the record; %NULL without
 *   CsSearchOptions.align
 * @columns: of the alignment: pairs and unpaired letters; here and below 0 without an alignment
 * @matches: pairs of equal letters
 * @gap_openings: gaps
 *
 * A record of the database that is similar to a query. If several alignments have the score, it is
 * one that ends first in the record, and of those first in the query as it is read (on minus from its
 * last letter). Of those that end there, it starts last in the record, then in the query.
 */
struct _CsSearchHit {
    const char *query;
    gint64 query_number;
    gint64 query_length;
    const char *target;
    gint64 target_number;
    gint64 target_length;
    gint64 score;
    double bits;
    double evalue;
    CsStrand strand;
    gint64 target_start;
    gint64 target_end;
    gint64 query_start;
    gint64 query_end;
    const char *cigar;
    gint64 columns;
    gint64 matches;
    gint64 gap_openings;
};

/**
 * CsSearchSummary:
 * @alphabet: what the sequences are, never %CS_ALPHABET_AUTO
 * @queries: number of queries
 * @query_letters: their letters
 * @records: records of the database
 * @letters: their letters
 * @cells: letters of the queries times letters of the database, for both strands twice
 * @cells_computed: by this run
 * @matrix: (nullable): for proteins, the name of the matrix or its file
 * @match: for nucleotides; 0 for proteins
 * @mismatch: likewise
 * @gap_open: what a gap cost in addition to its letters
 * @gap_extend: what each letter of a gap cost
 * @has_evalues: whether there are bits and E-values
 * @threads: CPU threads
 * @instructions: the vector instructions, such as "avx2"
 * @seconds: that the search took, in this run
 * @device: (nullable): the GPU or GPUs that have computed scores, such as "NVIDIA H200"; %NULL if the CPU
 *   has computed all
 *
 * What was searched, and how.
 */
struct _CsSearchSummary {
    CsAlphabet alphabet;
    gint64 queries;
    gint64 query_letters;
    gint64 records;
    gint64 letters;
    gint64 cells;
    gint64 cells_computed;
    const char *matrix;
    gint64 match;
    gint64 mismatch;
    gint64 gap_open;
    gint64 gap_extend;
    gboolean has_evalues;
    guint threads;
    const char *instructions;
    double seconds;
    const char *device;
};

/** CsSearch: the result of a search. */
typedef struct _CsSearch CsSearch;

/**
 * cs_search:
 * @queries: a FASTA file, plain, gzip or bgzip; "-" is standard input. Names must be unique
 * @database: likewise, but it is read record by record, and names need not be unique
 * @options: (nullable): %NULL takes the defaults
 * @error: CS_ERROR_FAILED if a file cannot be read; CS_ERROR_CONTENT if the content of one is
 *   malformed, or not of the alphabet; CS_ERROR_USAGE if an option makes no sense; CS_ERROR_DEVICE if
 *   there is not enough memory, or no such device; CS_ERROR_STOPPED if @options.control or @options.hits said so, after
 *   a state was saved if there is a checkpoint; CS_ERROR_CHECKPOINT if the checkpoint is damaged, in
 *   use or of another search, or if the database is not the one that it has searched
 *
 * Finds the score of the best local alignment of every query with every record (Smith-Waterman with
 * affine gaps), and keeps the best records of each query. Scores are exact, whatever the lengths. The
 * hits of a query are ordered by score, then as in the database. They are the same on any device, with
 * any number of threads, any chunks and any instructions.
 *
 * If the matrix does not have a letter, U scores as C, O as X, B, Z and J as the mean of N and D, Q and
 * E, I and L (with another of these, of all four pairs), rounded down, X as -1, and * as the lowest score
 * of the matrix, with itself as 1.
 *
 * Memory: the queries, twice @options.chunk and twice the longest record, about 200 bytes for each hit
 * that is kept (an eighth more than @options.number for each query), with @options.align mostly less than
 * a byte more for each letter of its query, and for each thread 300 bytes for each letter of the longest
 * query. A thread that finds an alignment of m letters of the query and n of a record takes about
 * 8 m sqrt(n) bytes more.
 * With a GPU, twice the chunk more and what its driver takes.
 *
 * A stop loses, of each query, at most the chunk that is searched with it.
 *
 * Returns: (transfer full) (nullable): the result, or %NULL with @error set
 */
CS_API CsSearch *cs_search(const char *queries, const char *database,
                           const CsSearchOptions *options, GError **error);

CS_API void cs_search_free(CsSearch *search);

/** cs_search_get_hits: the hits, those of the first query first, the best one of each first; *count of
 * them. */
CS_API const CsSearchHit *cs_search_get_hits(const CsSearch *search, gint64 *count);

/** cs_search_get_summary: what was searched, and how. */
CS_API const CsSearchSummary *cs_search_get_summary(const CsSearch *search);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsSearch, cs_search_free)

G_END_DECLS

#endif
