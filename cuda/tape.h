/*
 * Tapes: how kernels compute queries with many records, as the host sees it.
 *
 * A team of 1 to 32 lanes computes a query with a record. Its lanes hold `rows` rows of the query each,
 * in registers, and walk along the record, each one column behind the lane above (score_kernel.cu: two):
 *
 *     step t     lane 0     column t          the cell of a lane's last row goes down to the next lane
 *                lane 1     column t - 1
 *                lane 2     column t - 2
 *
 * It walks along a tape: records that lie behind each other, with a letter between them that is none, or two.
 * There a lane hands what it found of the record to the next lane and begins again, so that none waits
 * for the others at the end of a record. The last lane stores it.
 *
 * A query that is longer than a team holds takes several passes, each a launch. The cells of the last
 * row of a pass stay in `column`, one for each letter of the records, for the next one.
 *
 * What the letters of the rows gain with each letter is in shared memory, a profile:
 *
 *     [letter of the record][some rows][lane of the warp]     16 bytes: as many rows as that holds
 *
 * A quarter of a warp reads 128 bytes at a time that lie in different banks whatever the letters.
 */
#ifndef CS_TAPE_H
#define CS_TAPE_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CS_TAPE_PAIR_LETTERS = 32, /* in a row of the gains of pairs */
    CS_TAPE_PAD = 64,          /* letters that are none before the first record, for lanes behind */
    CS_TAPE_MOVE = 32,         /* columns after which a lane may move what its values are above */
};

/* What a lane's rows of a half are for: the number of the query, and marks. */
enum {
    CS_STRIPE_BEGINS = 1, /* the query, below another one of the pass */
    CS_STRIPE_STORES = 2, /* what is found down to here */
    CS_STRIPE_TAKES = 4,  /* what an earlier pass has stored */
    CS_STRIPE_QUERY = 8,  /* times the number */
};

/* Where a record is. Those of a launch are sorted, the longest first. */
typedef struct {
    uint32_t start; /* of its first letter; those before it and behind it are none */
    int32_t length;
    uint32_t number; /* where what is found of it goes */
} CsTapeRecord;

/* What a kernel gets. The order of the members decides how many registers it takes. */
typedef struct {
    const uint8_t *letters;      /* of all records, in their order, with `none` between them. Behind
                               the last one are as many as the longest tape of a launch has */
    const CsTapeRecord *records; /* with two in the halves a whole number of pairs */
    const uint32_t *tapes; /* the first record of each tape, and the one behind the last. With two
                              records in the halves NULL: each pair is a tape of its own */
    int32_t units;         /* tapes */
    int32_t none;          /* the code that stands for no letter; that of the others is lower */
    int32_t *next;         /* the first unit that no warp has taken; 0 at the launch */
    const uint8_t *queries[2]; /* for the halves; those of one query are the same */
    int32_t query_rows[2];     /* letters of each from the first row of the pass on */
    const void
        *pairs;    /* what two letters gain: [of the query][of the record], CS_TAPE_PAIR_LETTERS */
    int32_t lanes; /* of a team: a power of 2 */
    /* What gaps cost. score_kernel.cu: minus the costs of a gap's letters, in both halves, and the cost
     * of its first one. */
    uint32_t minus_first, minus_more;
    int32_t first;
    uint32_t factor;      /* 1, which the compiler is not to know: see score_kernel.cu */
    uint32_t high;        /* 2^16, which it is not to know, either */
    void *column;         /* a cell for each letter */
    int32_t takes, gives; /* whether the pass takes its cells from `column`, or gives */
    void *found;          /* by number */
    /* score_kernel.cu, with two halves of queries: what each lane is for, in both of them, from the
     * first one of the pass on. */
    const uint8_t *stripes[2];
    uint32_t found_step; /* what is found of a query lies so far behind that of the one before */
    int64_t minus_open;  /* global_kernel.cu: minus what a gap costs beside its letters */
} CsTapeLaunch;

typedef struct {
    int rows;        /* of a lane; 0: this is none, and ends a list */
    int row_bytes;   /* of shared memory, for each lane and letter */
    int two_records; /* in the halves, not two queries */
    int threads;     /* of a block */
    /* How many blocks run at once on a multiprocessor. */
    cudaError_t (*resident)(size_t shared, int *blocks);
    cudaError_t (*start)(const CsTapeLaunch *launch, int blocks, size_t shared,
                         cudaStream_t stream);
} CsTapeKernel;

/* Bytes of shared memory of a block: `letters` is that of all codes, with `none`. */
static inline size_t
cs_tape_shared_bytes(const CsTapeKernel *kernel, int letters)
{
    return (size_t)kernel->rows * (size_t)kernel->row_bytes * (size_t)letters * 32;
}

#ifdef __cplusplus
}
#endif

#endif
