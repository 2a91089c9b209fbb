/*
 * The kernels of the CUDA engine as the host sees them: what a launch is told, and the functions
 * that launch. Everything here is plain C.
 *
 * A slot (grid.h) is a stream of chunks of CS_CHUNK columns: block after block, tier after tier. A
 * CUDA block serves one slot. Its warp w holds one strip of the block row. While warp 0 computes
 * chunk u, warp w computes chunk u - CS_LAG * w, so the rows above are always done. When warp 0 has
 * passed the columns of a block, the lower warps still have a triangle of its cells to compute. It
 * is delegated: the same warps compute it at the beginning of the next block (cells delegation).
 *
 *     u   warp 0    warp 1    warp 2          block q          block q + 1
 *     0   chunk 0                           w0  0 1 2 3 4 5 6 7|8 ...
 *     2   chunk 2   chunk 0                 w1      0 1 2 3 4 5|6 7 8   what is right of the bar
 *     4   chunk 4   chunk 2   chunk 0       w2          0 1 2 3|4 5 6   comes in block q + 1's
 *     6   chunk 6   chunk 4   chunk 2                                   launch
 *
 * The chunks of a block are launched in two parts. The short phase is the first
 * cs_kernel_short_phase() chunks; in it the slot's last warp finishes the bottom row of the block
 * before. The long phase is the rest; in it the slot below, which is one block behind, may need
 * that row. In neither phase does a block wait for another.
 *
 * A launch that skips has a list of blocks instead (CsKernelItem), from several external diagonals,
 * with only the blocks that may matter (cuda_spans.h). Each CUDA block takes the next one. It waits,
 * chunk by chunk, for what it needs from blocks that come before it in the list. So a thin wave
 * keeps the device busy, and some block can always go on.
 */
#ifndef CS_SWEEP_KERNEL_H
#define CS_SWEEP_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CS_CHUNK = 128,        /* columns */
    CS_LAG = 2,            /* chunks between a warp and the one below */
    CS_WARPS_MAX = 8,      /* in a block */
    CS_RING = 512,         /* columns of a strip's bottom row that the warp below can still read */
    CS_PENDING = 8,        /* series of chunks whose best cell a warp may leave for later */
    CS_PENDING_CHUNKS = 4, /* in a series, at most */
    CS_CODES = 8,          /* bases in a texel, 4 bits each */
    CS_PAD = 128,          /* columns, at least, between the last one and the next tier's first */
};

/* A best cell on the device; rows and columns from 1. */
typedef struct {
    int32_t score, i, j, unused;
} CsKernelBest;

/* H and the gap value of a cell of a bus, absolute. */
typedef struct {
    int32_t h, gap;
} CsKernelCell;

/* A block to compute in a launch that skips. */
typedef struct {
    int32_t row;   /* block row */
    int32_t slot;  /* where the row's state is kept */
    int32_t block; /* block column; block_columns: only what is left of the delegated triangle */
    int32_t start; /* block column at which the row begins */
    /* The chunks of the horizontal bus that have the row above, once it has come so far; elsewhere
     * zero enters. */
    int32_t top_from, top_until;
    /* How far another row above must have come before the block starts. 0: no wait. */
    int32_t wait_row, wait;
    int32_t drain; /* end the delegated triangle of the block before only, and keep no state */
} CsKernelItem;

/*
 * A row's progress is the number of chunks, from the first column on, that warp 0 has computed or
 * skipped: block * block_chunks before a block, CS_PROGRESS_ALL after the row's last one. The last
 * warp is CS_LAG * (warps - 1) chunks behind, and hands down up to CS_PAD columns of a chunk with the
 * next one. So a chunk of the row's bottom is complete on the bus at this progress:
 */
#define CS_PROGRESS_OF_CHUNK(chunk, warps) ((chunk) + CS_LAG * ((warps)-1) + 2)
#define CS_PROGRESS_ALL INT32_MAX

/* A table of bounds (bounds_table.h) of the whole matrix in device memory, or NULL, and how many
 * rows of that matrix are above, and columns left of, what is swept. */
typedef struct {
    const int32_t *highest; /* rows by columns entries */
    int32_t layer, part;    /* rows and columns of an entry */
    int32_t rows, columns;
    int32_t above, left_of;
} CsKernelTable;

/* A line of a table of gains (gain_table.h). */
typedef struct {
    int64_t first;
    int32_t from, to;
    int32_t counted_from, counted_to;
    int32_t left, right, beyond;
} CsKernelGainLine;

/* A table of gains of the whole matrix in device memory, or NULL; the rest as in CsKernelTable. */
typedef struct {
    const CsKernelGainLine *lines;
    const int32_t *entries;
    int32_t m, n;        /* of that matrix */
    int32_t band, block; /* rows between lines, diagonals of an entry */
    int32_t above, left_of;
} CsKernelGains;

typedef struct {
    /* The problem. */
    cudaTextureObject_t rows, columns; /* codes, CS_CODES a texel */
    int32_t n;
    int32_t match, mismatch, first, extend; /* first: of a gap's first base */
    int32_t columns_first;                  /* the tie order */
    int32_t corner;                         /* H(0, 0) */
    const CsKernelCell *left;               /* m cells, or NULL: zero */
    const int32_t
        *corners; /* of each block row: H left of the row above it; or NULL: as in `left` */
    const int32_t *enter_f; /* of each block row: F of its last row in column 1, as opened from what
                             * comes from the left as E; or NULL: none */

    /* The grid. Block row of slot s in tier b: index b * slots + s. */
    const int32_t *starts, *ends; /* rows of each block row: starts + 1 .. ends; none: both equal */
    /* Which block rows' last rows are needed. If kept_end < 0: all except row loose_end. Otherwise:
     * row kept_end, and all except each slot's last. */
    int32_t kept_end, loose_end;
    int32_t slots, tiers, block_columns;
    int32_t block_chunks; /* C / CS_CHUNK */
    int32_t stagger;      /* 1: slot s runs block d - s; 0: all slots run block d */
    int32_t full;         /* every chunk takes the slow loop: the fast one cannot hold the scores */

    /* Marks of the whole matrix (end_marks.h): a byte for each square of mark_unit rows and columns,
     * which becomes 1 where H may be mark_least or more; or NULL. Above and left of what is swept are
     * so many rows and columns. H and F that enter a strip are lowered to `lowered`. */
    uint8_t *marks;
    int32_t mark_least, mark_unit, mark_columns, mark_above, mark_left_of;
    int32_t lowered;

    /* The horizontal bus: block_columns * block_chunks * CS_CHUNK cells, one for all slots
     * (bus_stride 0) or one for each. */
    CsKernelCell *bus;
    int64_t bus_stride;

    /* What a warp keeps from launch to launch. */
    uint32_t *state;     /* the lanes' words, CS_STATE_WORDS() a thread */
    void *rings;         /* CS_RING bottom cells a warp, 8 bytes each */
    int32_t *bases;      /* 4 a warp */
    uint32_t *pending;   /* CS_PENDING a warp: CS_PENDING_WORDS() each */
    int32_t *bounds;     /* of what is pending, CS_PENDING a warp; -1: free */
    CsKernelBest *bests; /* each warp's best among cells that it looked at exactly */
    int32_t *best_score; /* the highest score of a cell seen anywhere */
    CsKernelBest *best;  /* the best of all settled cells */
    uint64_t *reruns;    /* how many chunks were computed a second time */

    /* Borders that leave. */
    CsKernelCell *right;  /* m cells, or NULL */
    const int32_t *owned; /* per slot: the rows above those whose border it writes; or NULL */
    const int32_t
        *special;         /* of each block row: its place in a diagonal's pieces, or -1; or NULL */
    CsKernelCell *pieces; /* host memory: [queue][special_places][block columns] cells */
    int32_t queue, special_places;

    /* This launch. */
    int64_t diagonal;
    int32_t chunk_begin, chunk_end; /* of the block */
    int32_t slot_from, slot_count;  /* the slots to run: only those that have work */
    int32_t drain;                  /* as in CsKernelItem, for all slots */
    CsKernelCell *risers;           /* of what drains: a block height for each slot */
    int32_t warps;                  /* in a block */

    /* A launch that skips (skip_rule.h). */
    const CsKernelItem *items;
    int32_t item_count;
    int32_t *ticket; /* items taken; and how many were taken before this launch */
    int32_t tickets_before;
    int32_t *progress;            /* of each block row */
    int32_t *computed;            /* host memory: of each item, the chunks that were not skipped */
    const int32_t *row_bounds;    /* of each block row, what can still be gained */
    const int32_t *column_bounds; /* of each block column */
    CsKernelTable both;           /* beside them */
    CsKernelGains gains;          /* likewise */
    int32_t open;
    int32_t *trouble; /* not 0: values were too far apart for 16 bits */
} CsKernelLaunch;

/* A kernel in one of the forms that it is compiled in. */
typedef struct {
    int bits;  /* 16: two cells a word; 32: one */
    int words; /* A, words per lane */
    /* The gap costs that this form is compiled for: a gap's first base and each further one. A
     * mismatch may then cost at most 2 * extend. 0: any costs. */
    int first, extend;
    int warps;  /* in a block, at most */
    int blocks; /* of that many warps, for which a multiprocessor has enough registers */

    /* Shared memory of a block with this many warps. */
    size_t (*shared_bytes)(int warps);

    /* How many blocks with this many warps run at once on a multiprocessor of the current device.
      */
    cudaError_t (*resident)(int warps, int *blocks);

    /* Launches one phase of an external diagonal. Asynchronous, like the other launches. */
    cudaError_t (*sweep)(const CsKernelLaunch *launch, cudaStream_t stream);

    /* Computes pending chunks again that may hold the best cell, looking at every cell. Merges all
     * best cells into launch->best. For both kinds of launches. */
    cudaError_t (*settle)(const CsKernelLaunch *launch, cudaStream_t stream);

    /* Launches that skip; NULL: this form has none. */
    cudaError_t (*resident_skipping)(int warps, int *blocks);
    cudaError_t (*sweep_skipping)(const CsKernelLaunch *launch, cudaStream_t stream);
} CsKernel;

/* The forms of each width, the tallest first, ended by one with 0 bits. */
extern const CsKernel cs_kernels_16[];
extern const CsKernel cs_kernels_32[];

/* Rows that a warp's strip has. */
static inline int
cs_kernel_strip_rows(const CsKernel *kernel)
{
    return (kernel->bits == 16 ? 64 : 32) * kernel->words;
}

/* Chunks of the short phase; a block has at least twice as many. */
static inline int
cs_kernel_short_phase(int warps)
{
    return CS_LAG * (warps - 1) + 2;
}

/* Chunks that a block of a skipping sweep has at least: a block right of everything that can enter
 * from above has chunks of every warp that are right of it, too (cuda_spans.c). */
static inline int
cs_kernel_least_chunks(int warps)
{
    return cs_kernel_short_phase(warps) + 1;
}

/*
 * The words that a lane keeps from launch to launch: H of its rows from 0 on, then E, H above the
 * first row, four words of the round before, the base of all 16-bit values, and the carry of
 * mend().
 */
#define CS_STATE_ABOVE(words) (2 * (words))
#define CS_STATE_ROUND(words) (2 * (words) + 1)
#define CS_STATE_BASE(words) (2 * (words) + 5)
#define CS_STATE_ALONG(words) (2 * (words) + 6)
#define CS_STATE_WORDS(words) (2 * (words) + 7)

/* Pending chunks: state of 32 lanes, the words of the bus above, and 8 of what they are. */
#define CS_PENDING_WORDS(words) (32 * CS_STATE_WORDS(words) + 2 * CS_CHUNK * CS_PENDING_CHUNKS + 8)

#ifdef __cplusplus
}
#endif

#endif
