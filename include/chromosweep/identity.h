/* All against all: exact scores and identities of global alignments of many sequences. */
#ifndef CHROMOSWEEP_IDENTITY_H
#define CHROMOSWEEP_IDENTITY_H

#include <glib.h>

#include <chromosweep/control.h>
#include <chromosweep/export.h>
#include <chromosweep/search.h>

G_BEGIN_DECLS

/**
 * CsIdentityOver:
 * @CS_IDENTITY_LONGEST: the length of the longer sequence (Li et al., J Sign Process Syst 2014)
 * @CS_IDENTITY_SHORTEST: the length of the shorter one (as CD-HIT)
 * @CS_IDENTITY_COLUMNS: the columns of the alignment (as BLAST and EMBOSS)
 *
 * What the matches are divided by.
 */
typedef enum {
    CS_IDENTITY_LONGEST,
    CS_IDENTITY_SHORTEST,
    CS_IDENTITY_COLUMNS,
} CsIdentityOver;

/**
 * CsIdentityRecord:
 * @name: the first word of its header
 * @length: letters
 *
 * A sequence of a file.
 */
typedef struct {
    const char *name;
    gint64 length;
} CsIdentityRecord;

/**
 * CsIdentityPair:
 * @first: number of the record, from 0, in the first file
 * @second: the same in the second file, or, if there is one file, in this: then @second > @first
 * @score: of the best global alignments: all letters of both take part, and gaps at the ends cost
 *   what others do
 * @matches: pairs of equal letters in the alignment that counts. A letter that stands for several
 *   matches nothing: of nucleotides all but A, C, G and T (U), of proteins B, J, X and Z
 * @columns: its pairs and unpaired letters
 * @identity: matches divided as CsIdentityOptions.over says, from 0 to 1
 * @cigar: (nullable): the alignment: = is a match, X any other pair, I an unpaired letter of the first
 *   sequence, D one of the second; each with its number before it. %NULL without
 *   CsIdentityOptions.align
 *
 * Two sequences, aligned from end to end. Among all alignments with the best score, the one with the
 * most matches counts, and of those one with the fewest columns. So the numbers do not depend on
 * which of several alignments a program happens to find, and not on which sequence is the first.
 */
typedef struct {
    gint64 first;
    gint64 second;
    gint64 score;
    gint64 matches;
    gint64 columns;
    double identity;
    const char *cigar;
} CsIdentityPair;

typedef struct _CsIdentitySummary CsIdentitySummary;

/**
 * CsIdentityPairsFunc:
 * @summary: what is compared
 * @pairs: the next ones that are kept, ordered by first, then second
 * @count: of them
 *
 * Called from the thread that called cs_identity(), with all pairs in their order, as they become
 * complete. The pairs are valid during the call.
 *
 * Returns: %FALSE to stop, and cs_identity() then fails with CS_ERROR_STOPPED
 */
typedef gboolean (*CsIdentityPairsFunc)(const CsIdentitySummary *summary,
                                        const CsIdentityPair *pairs, gint64 count,
                                        gpointer user_data);

/**
 * CsIdentityProgress:
 * @fraction: how much is done, from 0 to 1. It is 1 only when everything is done
 * @pairs: that are done, those that filters left out included
 * @all_pairs: that there are
 * @kept: of @pairs, those whose identity is high enough
 * @cells: letters of the first times letters of the second sequence, of the pairs that were computed
 * @seconds: since cs_identity() was called
 * @seconds_left: until everything is done; negative while not known
 */
typedef struct {
    double fraction;
    gint64 pairs;
    gint64 all_pairs;
    gint64 kept;
    gint64 cells;
    double seconds;
    double seconds_left;
} CsIdentityProgress;

typedef void (*CsIdentityProgressFunc)(const CsIdentityProgress *progress, gpointer user_data);

/**
 * CsIdentityOptions:
 * @alphabet: what the sequences are
 * @matrix: (nullable): for proteins, as in #CsSearchOptions; it has to be symmetric
 * @match: for nucleotides: what a pair of equal bases adds, > 0
 * @mismatch: for nucleotides: what a pair of different or ambiguous bases costs, >= 0
 * @gap_open: what a gap costs in addition to its letters, >= 0; 0 makes gaps linear. Negative takes
 *   what cs_search() takes
 * @gap_extend: what each letter of a gap costs, the first included, >= 0. Negative likewise
 * @over: what the matches are divided by
 * @min_identity: leave out pairs below, from 0 to 1; 0 keeps all. It is rounded to nine decimals and
 *   then compared with integers: 97 matches of 100 reach 0.97
 * @align: find the alignments of the pairs that are kept, too
 * @threads: CPU threads; 0 takes cs_threads_granted()
 * @device: (nullable): where pairs are computed: auto, cpu, gpu, gpu:INDEX, gpu:UUID, gpu:all, or a list
 *   such as gpu:0,cpu, all of which take tiles. %NULL is auto: a GPU if one works, there is no least
 *   identity and the CPU would need more than a second; else the CPU
 * @pairs: (nullable): given the pairs in their order. Without it nothing of them is kept
 * @progress: (nullable): told about the progress, from the thread that called cs_identity()
 * @control: (nullable): asked whether to stop, or to save
 * @note: (nullable): told where a run goes on, and about a state that is damaged or cannot be saved
 * @data: passed to all functions
 * @checkpoint: (nullable): a folder where what is done is kept. If it holds some of the same run, the
 *   run goes on from there; @pairs is given all pairs from the first on, as in a run without a stop
 * @checkpoint_interval: seconds after which what is done is safe from a loss of power at the latest,
 *   >= 0. A killed process loses only the tiles under way
 * @checkpoint_fresh: remove what is there and begin anew
 * @memo: (nullable): kept in the checkpoint unchanged (CsIdentityCheckpointInfo.memo)
 *
 * Initialise with %CS_IDENTITY_OPTIONS_INIT, so that later members get their defaults. No score or cost may be above 10^9.
 */
typedef struct {
    CsAlphabet alphabet;
    const char *matrix;
    gint64 match;
    gint64 mismatch;
    gint64 gap_open;
    gint64 gap_extend;
    CsIdentityOver over;
    double min_identity;
    gboolean align;
    guint threads;
    const char *device;
    CsIdentityPairsFunc pairs;
    CsIdentityProgressFunc progress;
    CsControlFunc control;
    CsNoteFunc note;
    gpointer data;
    const char *checkpoint;
    double checkpoint_interval;
    gboolean checkpoint_fresh;
    const char *memo;
} CsIdentityOptions;

/* All other members are 0. C++ before C++20 has no designated initialisers. */
#ifdef __cplusplus
static inline CsIdentityOptions
cs_identity_options_init()
{
    CsIdentityOptions options = {};
    options.match = 1;
    options.mismatch = 3;
    options.gap_open = options.gap_extend = -1;
    options.checkpoint_interval = 60;
    return options;
}
#define CS_IDENTITY_OPTIONS_INIT cs_identity_options_init()
#else
#define CS_IDENTITY_OPTIONS_INIT                                                                   \
    {                                                                                              \
        .match = 1, .mismatch = 3, .gap_open = -1, .gap_extend = -1, .checkpoint_interval = 60     \
    }
#endif

/**
 * CsIdentitySummary:
 * @alphabet: never %CS_ALPHABET_AUTO
 * @first: the records of the first file
 * @first_count: of them
 * @second: those of the second file; @first if there is one file
 * @second_count: of them
 * @one_file: whether there is one file, each pair of its records once
 * @pairs: of all
 * @pairs_kept: that reach @min_identity
 * @pairs_filtered: that a filter left out before they were computed, since they cannot reach it
 * @cells: letters of the first times letters of the second sequence, of all pairs
 * @cells_computed: of the pairs that were computed, earlier runs included
 * @matrix: (nullable): for proteins, the name of the matrix or its file
 * @match: for nucleotides; 0 for proteins
 * @mismatch: likewise
 * @gap_open: what a gap cost in addition to its letters
 * @gap_extend: what each letter of a gap cost
 * @over: what the matches were divided by
 * @min_identity: as asked for
 * @threads: CPU threads
 * @instructions: the vector instructions, such as "avx2"
 * @device: (nullable): the GPU or GPUs that have computed; %NULL if the CPU has alone
 * @seconds: that this run took
 *
 * What was compared, and how. While pairs are told, the counts of them are those so far.
 */
struct _CsIdentitySummary {
    CsAlphabet alphabet;
    const CsIdentityRecord *first;
    gint64 first_count;
    const CsIdentityRecord *second;
    gint64 second_count;
    gboolean one_file;
    gint64 pairs;
    gint64 pairs_kept;
    gint64 pairs_filtered;
    gint64 cells;
    gint64 cells_computed;
    const char *matrix;
    gint64 match;
    gint64 mismatch;
    gint64 gap_open;
    gint64 gap_extend;
    CsIdentityOver over;
    double min_identity;
    guint threads;
    const char *instructions;
    const char *device;
    double seconds;
};

/** CsIdentity: what a run of cs_identity() has done. */
typedef struct _CsIdentity CsIdentity;

/**
 * cs_identity:
 * @first: a FASTA file, plain, gzip or bgzip; "-" is standard input
 * @second: (nullable): likewise: its records are compared with those of @first. %NULL compares each
 *   record of @first with all after it
 * @options: (nullable): %NULL takes the defaults
 * @error: CS_ERROR_FAILED if a file cannot be read; CS_ERROR_CONTENT if the content of one is
 *   malformed, or not of the alphabet; CS_ERROR_USAGE if an option makes no sense, or if a matrix is
 *   not symmetric; CS_ERROR_DEVICE if there is not enough memory, or no such device;
 *   CS_ERROR_STOPPED if @options.control or @options.pairs said so, after what is done was saved if
 *   there is a checkpoint; CS_ERROR_CHECKPOINT if the checkpoint is in use or of another run
 *
 * Finds score, matches and columns of the best global alignment of many pairs (Needleman-Wunsch with
 * linear or affine gaps). They are exact and the same on any device, with any number of threads and
 * after any interruption, whatever the lengths. Names need not be unique.
 *
 * Memory: a byte for each letter and about 64 for each record; up to 256 MiB for pairs that wait until
 * all before them are done, and as much for those that are told, where a row of pairs does not take
 * more; for each thread 160 bytes for each letter of the longest sequence. If that is more than there
 * is, the run fails before anything is computed. With a least identity, up to 8 bytes more for each letter
 * and 16 for each record; where there is less, fewer pairs are ruled out.
 *
 * Returns: (transfer full) (nullable): the result, or %NULL with @error set
 */
CS_API CsIdentity *cs_identity(const char *first, const char *second,
                               const CsIdentityOptions *options, GError **error);

CS_API void cs_identity_free(CsIdentity *identity);

/** cs_identity_get_summary: what was compared, and how. */
CS_API const CsIdentitySummary *cs_identity_get_summary(const CsIdentity *identity);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsIdentity, cs_identity_free)

G_END_DECLS

#endif
