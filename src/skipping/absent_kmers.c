/*
 * The k-mers of one sequence that occur nowhere in another.
 *
 * There are several passes over a sequence; threads take its stretches one by one. The first pass
 * goes over the other sequence and sets the bits of its longest k-mers. Then there is one pass over
 * this sequence for each length, the longest first. If a k-mer occurs, so do all k-mers at its end.
 * So a shorter one is looked up only where the longer one was absent or ran out of bases.
 *
 * Invariants:
 * 1. Bits are set only in the first pass, by atomic operations, so the bitmap does not depend on
 *    the order. Later passes only read it.
 * 2. Stretches have even lengths, so no two threads write marks into the same byte.
 */
#include <sys/mman.h>

#include <chromosweep/error.h>

#include "skipping/absent_kmers.h"
#include "sequence/kmer.h"
#include "sweep/grid.h"
#include "system/memory.h"
#include "system/parallel.h"
#include "system/stop.h"

enum {
    STRETCH = 1 << 16, /* bases, even */
    BATCH = 64,        /* lookups in progress, so that a thread need not wait for each */
};

typedef struct _Pass Pass;
struct _Pass {
    /* Works on bases from .. from + count - 1. `before` more bases precede them in memory, and one
     * may follow. */
    void (*work)(Pass *pass, gint64 from, gint64 count, const guint8 *bases, gint64 before);
    const CsView *view;
    guint64 *bitmap;
    guint shortest, longest;
    guint length;  /* of the k-mers looked up */
    guint8 *marks; /* NULL in the first pass */
    const gint *stop;
};

static gsize
bitmap_bytes(guint longest)
{
    return MAX(sizeof(guint64), ((gsize)1 << 2 * longest) / 8);
}

static void
set_bits(guint64 *bitmap, const guint64 *kmers, gsize n)
{
    for (gsize k = 0; k < n; k++) {
        guint64 bit = G_GUINT64_CONSTANT(1) << (kmers[k] & 63);
        guint64 *place = &bitmap[kmers[k] >> 6];
        if (!(__atomic_load_n(place, __ATOMIC_RELAXED) & bit))
            __atomic_fetch_or(place, bit, __ATOMIC_RELAXED);
    }
}

/* Sets the k-mers of the last bases of a stretch as if As followed. Otherwise join_bits() would
 * lose the shorter k-mers that end there. */
static void
note_end(Pass *pass, guint64 kmer, gint64 run)
{
    for (guint more = 1; more <= pass->longest - pass->shortest; more++) {
        guint length = pass->longest - more;
        if (run < length)
            continue;
        guint64 followed = (kmer & cs_kmer_mask(length)) << 2 * more;
        set_bits(pass->bitmap, &followed, 1);
    }
}

static void
note_kmers(Pass *pass, gint64 from, gint64 count, const guint8 *bases, gint64 before)
{
    const guint64 mask = cs_kmer_mask(pass->longest);
    const gboolean last = from + count == pass->view->length;
    guint64 kmers[BATCH], kmer = 0;
    gsize n = 0;
    gint64 run = 0;
    for (gint64 k = -before; k < count; k++) {
        guint8 code = bases[k];
        run = code < CS_CODE_AMBIGUOUS ? run + 1 : 0;
        kmer = (kmer << 2 | (code & 3)) & mask;
        if (k < 0)
            continue;
        if (run >= pass->longest) {
            kmers[n++] = kmer;
            __builtin_prefetch(&pass->bitmap[kmer >> 6], 1);
        }
        if (run > 0 && (k + 1 == count && last ? TRUE : bases[k + 1] == CS_CODE_AMBIGUOUS))
            note_end(pass, kmer, run);
        if (n == BATCH || k + 1 == count) {
            set_bits(pass->bitmap, kmers, n);
            n = 0;
        }
    }
}

static void
mark_absent(const Pass *pass, const guint64 *kmers, const gint64 *ends, gsize n)
{
    for (gsize k = 0; k < n; k++)
        if (!(pass->bitmap[kmers[k] >> 6] >> (kmers[k] & 63) & 1))
            cs_marks_set(pass->marks, ends[k], pass->length - pass->shortest + 1);
}

static void
mark_kmers(Pass *pass, gint64 from, gint64 count, const guint8 *bases, gint64 before)
{
    const guint64 mask = cs_kmer_mask(pass->length);
    const guint longer = pass->length + 1 - pass->shortest + 1; /* the mark of the pass before */
    guint64 kmers[BATCH], kmer = 0;
    gint64 ends[BATCH], run = 0;
    gsize n = 0;
    for (gint64 k = -before; k < count; k++) {
        guint8 code = bases[k];
        run = code < CS_CODE_AMBIGUOUS ? run + 1 : 0;
        kmer = (kmer << 2 | (code & 3)) & mask;
        if (k < 0)
            continue;
        if (run >= pass->length && (pass->length == pass->longest || run == pass->length ||
                                    cs_marks_get(pass->marks, from + k) == longer)) {
            ends[n] = from + k;
            kmers[n++] = kmer;
            __builtin_prefetch(&pass->bitmap[kmer >> 6]);
        }
        if (n == BATCH || k + 1 == count) {
            mark_absent(pass, kmers, ends, n);
            n = 0;
        }
    }
}

static void
mark_ambiguous(Pass *pass, gint64 from, gint64 count, const guint8 *bases,
               G_GNUC_UNUSED gint64 before)
{
    for (gint64 k = 0; k < count; k++)
        if (bases[k] == CS_CODE_AMBIGUOUS)
            cs_marks_set(pass->marks, from + k, CS_MARK_AMBIGUOUS);
}

static void
run_stretch(gint64 stretch, gpointer data)
{
    Pass *pass = data;
    guint8 bases[CS_ABSENT_LONGEST + STRETCH + 1];
    const gint64 length = pass->view->length;
    gint64 from = stretch * STRETCH, count = MIN(STRETCH, length - from);
    gint64 before = MIN(from, CS_ABSENT_LONGEST);
    gint64 after = from + count < length;
    CsView slice = cs_view_slice(pass->view, from - before, before + count + after);
    cs_view_read(&slice, CS_CODE_AMBIGUOUS, bases);
    pass->work(pass, from, count, bases + before, before);
}

static void
run_pass(Pass *pass, guint threads)
{
    const gint64 stretches = cs_divide_up(pass->view->length, STRETCH);
    cs_parallel_run(stretches, threads, pass->stop, run_stretch,
                    pass); /* the caller asks for the stop */
}

/* Joins each four bits into one: the k-mers without their last base. */
static guint64
join_bits(guint64 bits)
{
    bits |= bits >> 1;
    bits |= bits >> 2;
    bits &= G_GUINT64_CONSTANT(0x1111111111111111);
    bits = (bits | bits >> 3) & G_GUINT64_CONSTANT(0x0303030303030303);
    bits = (bits | bits >> 6) & G_GUINT64_CONSTANT(0x000f000f000f000f);
    bits = (bits | bits >> 12) & G_GUINT64_CONSTANT(0x000000ff000000ff);
    return (bits | bits >> 24) & 0xffff;
}

/* Turns the bitmap of k-mers of `length` + 1 bases into that of k-mers of `length` bases. */
static void
shorten_kmers(guint64 *bitmap, guint length)
{
    const gsize longer = bitmap_bytes(length + 1) / sizeof *bitmap;
    for (gsize k = 0; k < longer; k += 4) {
        guint64 joined = 0;
        for (gsize l = 0; l < MIN(4, longer - k); l++)
            joined |= join_bits(bitmap[k + l]) << 16 * l;
        bitmap[k / 4] = joined;
    }
}

/* A bitmap of zeros, in huge pages if possible, because accesses to it are random. */
static guint64 *
bitmap_new(guint longest, GError **error)
{
    gsize size = bitmap_bytes(longest);
    void *bitmap = MAP_FAILED;
    if (cs_memory_enter(size)) {
        bitmap = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        cs_memory_leave();
    }
    if (bitmap == MAP_FAILED) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for the k-mers of %u bases (%" G_GSIZE_FORMAT " MiB)",
                    longest, size >> 20);
        return NULL;
    }
    madvise(bitmap, size, MADV_HUGEPAGE); /* a hint */
    return bitmap;
}

guint8 *
cs_absent_kmers_mark(const CsView *of, const CsView *in, guint shortest, guint longest,
                     guint threads, const gint *stop, GError **error)
{
    g_assert(longest == 0 || (shortest >= 1 && shortest <= longest));
    g_assert(longest <= CS_ABSENT_LONGEST && longest < shortest + CS_MARK_AMBIGUOUS - 1);
    g_autofree guint8 *marks = cs_memory_try((gsize)of->length / 2 + 1, 1);
    if (marks == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for marks of %" G_GINT64_FORMAT " bases", of->length);
        return NULL;
    }
    Pass pass = {.view = of,
                 .shortest = shortest,
                 .longest = longest,
                 .marks = marks,
                 .stop = stop,
                 .work = mark_ambiguous};
    run_pass(&pass, threads);
    if (longest > 0 && !cs_is_stopped(stop)) {
        pass.bitmap = bitmap_new(longest, error);
        if (pass.bitmap == NULL)
            return NULL;
        pass.view = in;
        pass.work = note_kmers;
        run_pass(&pass, threads);
        pass.view = of;
        pass.work = mark_kmers;
        for (pass.length = longest; pass.length >= shortest && !cs_is_stopped(stop);
             pass.length--) {
            if (pass.length < longest)
                shorten_kmers(pass.bitmap, pass.length);
            run_pass(&pass, threads);
        }
        munmap(pass.bitmap, bitmap_bytes(longest));
    }
    if (cs_is_stopped(stop)) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED,
                            "stopped while looking for absent k-mers");
        return NULL;
    }
    return g_steal_pointer(&marks);
}

guint64
cs_absent_kmers_memory(gint64 length, guint longest, guint threads)
{
    return (guint64)length / 2 + 1 + (longest > 0 ? bitmap_bytes(longest) : 0) +
           (guint64)threads * (STRETCH + (1 << 14));
}
