/*
 * Runs that are stopped again and again during the stages before a sweep. Each gets further, and
 * the last one has the answer. The stages keep the same as in a run that is not stopped.
 */
#include <string.h>

#include <pthread.h>

#include <glib/gstdio.h>

#include <chromosweep/chromosweep.h>

#include "../case_count.h"
#include "related.h"
#include "skipping/skip.h"
#include "state_fixture.h"

/* Sanitizers are slow, and see in the first rounds what they look for: what threads share, and what
 * a stop leaves behind. */
#if defined __SANITIZE_THREAD__
#define RACES 1
#define MEMORY 0
#elif defined __SANITIZE_ADDRESS__
#define RACES 0
#define MEMORY 1
#else
#define RACES 0
#define MEMORY 0
#endif

enum {
    BASES = 160000, /* squared enough to be worth keeping what is found */
    ROUNDS = 200,   /* never so many */
};

/* A keep in memory. It may stop the run that leaves something there. */
typedef struct {
    GHashTable *kept; /* GArray of gint64 by name */
    pthread_mutex_t lock;
    gboolean stops;
    gint stop;
    guint saves;
    guint timed; /* of these, how many the clock may have asked for */
} Memory;

static gint64 *
load(const char *name, gint64 *count, gpointer data)
{
    Memory *memory = data;
    pthread_mutex_lock(&memory->lock);
    const GArray *values = g_hash_table_lookup(memory->kept, name);
    gint64 *copy = NULL;
    if (values != NULL) {
        *count = values->len;
        copy = g_memdup2(values->data, values->len * sizeof(gint64));
    }
    pthread_mutex_unlock(&memory->lock);
    return copy;
}

/* Whether it is of sections, which are kept every second. */
static gboolean
is_timed(const char *name)
{
    return strstr(name, "pieces") != NULL;
}

static void
save(const char *name, const gint64 *values, gint64 count, gpointer data)
{
    Memory *memory = data;
    GArray *copy = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_array_append_vals(copy, values, (guint)count);
    pthread_mutex_lock(&memory->lock);
    g_hash_table_insert(memory->kept, g_strdup(name), copy);
    memory->saves++;
    memory->timed += is_timed(name);
    pthread_mutex_unlock(&memory->lock);
    if (memory->stops)
        g_atomic_int_set(&memory->stop, 1);
}

static void
drop(const char *name, gpointer data)
{
    Memory *memory = data;
    pthread_mutex_lock(&memory->lock);
    g_hash_table_remove(memory->kept, name);
    pthread_mutex_unlock(&memory->lock);
}

static void
memory_init(Memory *memory, gboolean stops)
{
    *memory = (Memory){.stops = stops};
    memory->kept =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
    pthread_mutex_init(&memory->lock, NULL);
}

static void
memory_clear(Memory *memory)
{
    g_hash_table_unref(memory->kept);
    pthread_mutex_destroy(&memory->lock);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Memory, memory_clear)

static void
pair_of(gint bases, CsSequence **a, CsSequence **b)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(8);
    g_autoptr(GString) first = g_string_new(NULL);
    related_append(rand, first, 4, bases);
    g_autoptr(GString) second = related_copy(rand, first, 4, 10);
    *a = cs_sequence_new("a", first->str, (gint64)first->len, NULL);
    *b = cs_sequence_new("b", second->str, (gint64)second->len, NULL);
}

static CsRectangle
whole_of(const CsSequence *a, const CsSequence *b, gboolean minus)
{
    CsRectangle whole = {
        .rows = cs_view_of(a), .columns = cs_view_of(b), .scoring = CS_SCORING_DEFAULT};
    whole.columns.reversed = whole.columns.complement = minus;
    return whole;
}

static void
expect_same_side(const CsBoundsSide *one, const CsBoundsSide *other)
{
    g_assert_cmpint(one->length, ==, other->length);
    g_assert_cmpuint(one->shift, ==, other->shift);
    const gsize bytes = (gsize)((one->length >> one->shift) + 1) * sizeof(CsScore);
    g_assert_cmpmem(one->highest, bytes, other->highest, bytes);
}

static void
expect_same_bounds(const CsBounds *one, const CsBounds *other)
{
    expect_same_side(&one->rows, &other->rows);
    expect_same_side(&one->columns, &other->columns);
    g_assert_true((one->table != NULL) == (other->table != NULL));
    if (one->table == NULL)
        return;
    g_assert_cmpint(one->table->layer, ==, other->table->layer);
    g_assert_cmpint(one->table->part, ==, other->table->part);
    const gsize bytes = (gsize)(one->table->rows * one->table->columns) * sizeof(gint32);
    g_assert_cmpmem(one->table->highest, bytes, other->table->highest, bytes);
}

/* Stopped as soon as anything is kept. */
static void
test_section_by_section(void)
{
    if (case_count_is_low()) {
        g_test_skip("few cases are wanted");
        return;
    }
    g_autoptr(CsSequence) a = NULL, b = NULL;
    pair_of(4 * BASES, &a, &b); /* several sections */
    for (guint minus = 0; minus < 2; minus++) {
        g_autoptr(GError) error = NULL;
        g_auto(CsSkip) wanted = {0};
        g_auto(Memory) memory;
        const CsRectangle whole = whole_of(a, b, minus == 1);
        CsSkipSearch search = {.wanted = CS_SKIP_BOUNDS, .threads = 2, .keep_chain = TRUE};
        g_assert_true(cs_skip_init(&wanted, &whole, &search, &error));
        memory_init(&memory, TRUE);
        const CsKeep keep = {load, save, drop, &memory};
        gboolean found = FALSE;
        guint rounds = 0;
        search.keep = &keep;
        search.stop = &memory.stop;
        for (; !found && rounds < ROUNDS; rounds++) {
            g_auto(CsSkip) skip = {0};
            const guint before = memory.saves;
            memory.stop = 0;
            found = cs_skip_init(&skip, &whole, &search, &error);
            g_assert_true(found || memory.saves > before);
            g_assert_true(found || g_error_matches(error, CS_ERROR, CS_ERROR_STOPPED));
            g_clear_error(&error);
            if (!found)
                continue;
            g_assert_cmpint(skip.mode, ==, CS_SKIP_BOUNDS);
            g_assert_cmpint(skip.lower.score, ==, wanted.lower.score);
            /* How many blocks are computed again, in wider numbers, depends on the threads. */
            g_assert_cmpint(skip.lower.cells_kept + skip.lower.cells_computed, >=,
                            wanted.lower.cells_computed / 10 * 9);
            expect_same_bounds(skip.bounds, wanted.bounds);
        }
        g_test_message("%u rounds", rounds);
        g_assert_true(found);
        g_assert_cmpuint(rounds, >, 2);
        g_assert_cmpuint(rounds, <=, 20 + memory.timed);
        /* All is there now. */
        g_auto(CsSkip) again = {0};
        memory.stop = 1;
        g_assert_true(cs_skip_init(&again, &whole, &search, &error));
        g_assert_cmpint(again.lower.score, ==, wanted.lower.score);
        g_assert_cmpint(again.lower.cells_computed, ==, 0);
        /* The chain and its cuts, too, from which progress is forecast. */
        g_assert_cmpint(wanted.chain_length, >, 0);
        g_assert_cmpmem(again.chain, (gsize)again.chain_length * sizeof(CsSeed), wanted.chain,
                        (gsize)wanted.chain_length * sizeof(CsSeed));
        g_assert_true(minus == 1 || wanted.n_cuts > 0);
        g_assert_cmpmem(again.cuts, (gsize)again.n_cuts * sizeof(CsLowerBoundCut), wanted.cuts,
                        (gsize)wanted.n_cuts * sizeof(CsLowerBoundCut));
    }
}

/* Shortens each list that is kept, or spoils a number in it. */
static void
spoil(Memory *memory, GRand *rand, guint round)
{
    GHashTableIter iter;
    gpointer values;
    g_hash_table_iter_init(&iter, memory->kept);
    while (g_hash_table_iter_next(&iter, NULL, &values)) {
        GArray *array = values;
        if (array->len == 0)
            continue;
        const guint k = (guint)g_rand_int_range(rand, 0, (gint32)array->len);
        if (round % 2 == 0)
            g_array_set_size(array, k);
        else
            g_array_index(array, gint64, k) = round % 4 == 1 ? -1 : G_MAXINT64;
    }
}

/* Impossible numbers are not used: nothing is read beyond an end, and no bound is too high. */
static void
test_spoilt(void)
{
    g_autoptr(CsSequence) a = NULL, b = NULL;
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    pair_of(BASES, &a, &b);
    const CsRectangle whole = whole_of(a, b, FALSE);
    CsSkipSearch search = {.wanted = CS_SKIP_BOUNDS, .threads = 2};
    g_auto(CsSkip) wanted = {0};
    g_assert_true(cs_skip_init(&wanted, &whole, &search, NULL));
    for (guint round = 0; round < 12; round += case_count_is_low() ? 3 : 1) {
        g_autoptr(GError) error = NULL;
        g_auto(Memory) memory;
        memory_init(&memory, TRUE);
        const CsKeep keep = {load, save, drop, &memory};
        search.keep = &keep;
        search.stop = &memory.stop;
        for (guint k = 0; k <= round / 4; k++) { /* up to another stage */
            g_auto(CsSkip) skip = {0};
            memory.stop = 0;
            (void)cs_skip_init(&skip, &whole, &search, NULL);
        }
        spoil(&memory, rand, round);
        memory.stops = FALSE;
        memory.stop = 0;
        g_auto(CsSkip) skip = {0};
        g_assert_true(cs_skip_init(&skip, &whole, &search, &error));
        g_assert_cmpint(skip.lower.score, <=, wanted.lower.score);
        g_assert_nonnull(skip.bounds);
    }
}

/* A run, and when it is stopped. */
typedef struct {
    const char *directory;
    gboolean at_once; /* stop at once, until a run gives up the stages; else at a new finding */
    gboolean gave_up;
    char *before;      /* what had been found */
    gboolean is_timed; /* the new finding is kept every second */
    guint timed;       /* runs that such a finding stopped */
    guint warnings;
} Run;

/* Names and sizes of what the stages before a sweep have found. */
static char *
look(const char *directory)
{
    g_autoptr(GDir) listing = g_dir_open(directory, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (const char *name; listing != NULL && (name = g_dir_read_name(listing)) != NULL;) {
        GStatBuf status;
        g_autofree char *path = g_build_filename(directory, name, NULL);
        if (g_str_has_prefix(name, "found-") && g_str_has_suffix(name, ".state") &&
            !g_str_has_prefix(name, "found-tried") && !g_str_has_suffix(name, "-rows.state") &&
            !g_str_has_suffix(name, "-trace.state") && g_stat(path, &status) == 0)
            g_ptr_array_add(names, g_strdup_printf("%s %ld", name, (long)status.st_size));
    }
    g_ptr_array_add(names, NULL);
    return g_strjoinv("\n", (char **)names->pdata);
}

static CsControl
control(gpointer data)
{
    Run *run = data;
    if (run->at_once)
        return run->gave_up ? CS_CONTROL_GO_ON : CS_CONTROL_STOP;
    g_autofree char *now = look(run->directory);
    g_auto(GStrv) found = g_strsplit(now, "\n", -1);
    gboolean more = FALSE;
    for (guint k = 0; found[k] != NULL && !more; k++) {
        more = strstr(run->before, found[k]) == NULL;
        run->is_timed = more && is_timed(found[k]);
    }
    return more ? CS_CONTROL_STOP : CS_CONTROL_GO_ON;
}

static void
note(CsNoteKind kind, const char *message, gpointer data)
{
    Run *run = data;
    /* That minus is the wrong strand is no concern of ours. */
    run->warnings += kind == CS_NOTE_WARNING && strstr(message, "damaged") != NULL;
    run->gave_up = run->gave_up || strstr(message, "uses only what they found") != NULL;
}

static gboolean
compare(Run *run, const CsSequence *a, const CsSequence *b, CsStrand strand,
        CsCompareResult *result)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *before = look(run->directory);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    run->before = before;
    options.engine = "simd";
    options.threads = 2;
    options.strand = strand;
    options.skip = CS_SKIP_BOUNDS;
    options.checkpoint = run->directory;
    options.control = control;
    options.control_data = run;
    options.note = note;
    options.note_data = run;
    const gboolean done = cs_compare(a, b, &options, result, &error);
    g_assert_true(done || g_error_matches(error, CS_ERROR, CS_ERROR_STOPPED));
    run->timed += !done && run->is_timed;
    return done;
}

static CsCompareResult
truth_of(const CsSequence *a, const CsSequence *b, CsStrand strand)
{
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    options.engine = "simd";
    options.strand = strand;
    options.skip = CS_SKIP_BOUNDS;
    g_assert_true(cs_compare(a, b, &options, &result, NULL));
    return result;
}

/* As soon as a run was stopped, there is a state to resume from. */
static void
expect_state(const char *directory)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(directory, TRUE, &error);
    g_assert_no_error(error);
    g_assert_null(info->fault);
    g_assert_cmpuint(info->n_generations, >=, 1);
    g_assert_null(info->generations[0].fault);
}

/* Repeats runs until one is done. Returns how many. */
static guint
run_until_done(Run *run, const CsSequence *a, const CsSequence *b, CsStrand strand)
{
    const CsCompareResult wanted = truth_of(a, b, strand);
    CsCompareResult result;
    guint rounds = 1;
    for (; !compare(run, a, b, strand, &result); rounds++) {
        g_assert_cmpuint(rounds, <, ROUNDS);
        expect_state(run->directory);
    }
    g_test_message("%u rounds", rounds);
    g_assert_cmpint(result.score, ==, wanted.score);
    g_assert_cmpint(result.target_start, ==, wanted.target_start);
    g_assert_cmpint(result.target_end, ==, wanted.target_end);
    g_assert_cmpint(result.query_start, ==, wanted.query_start);
    g_assert_cmpint(result.query_end, ==, wanted.query_end);
    g_assert_cmpint(result.strand, ==, wanted.strand);
    g_assert_cmpint(result.cells_corridor, >=, run->at_once ? 0 : wanted.cells_corridor);
    g_autofree char *left = look(run->directory);
    g_assert_cmpstr(left, ==, ""); /* it has served */
    return rounds;
}

static void
test_rounds(void)
{
    g_autoptr(CsSequence) a = NULL, b = NULL;
    pair_of(BASES, &a, &b);
    const gboolean few = case_count_is_low(); /* the other tests have plus */
    const CsStrand first = few ? CS_STRAND_MINUS : CS_STRAND_PLUS;
    const CsStrand last = few ? CS_STRAND_MINUS : CS_STRAND_BOTH;
    for (CsStrand strand = first; strand <= last; strand++) {
        g_autofree char *directory = scratch_new();
        Run run = {.directory = directory};
        const guint rounds = run_until_done(&run, a, b, strand);
        g_assert_cmpuint(rounds, >, 2);
        g_assert_cmpuint(rounds, <=, 30 + run.timed);
        g_assert_cmpuint(run.warnings, ==, 0);
        scratch_free(g_steal_pointer(&directory));
    }
}

static void
test_first_rounds(void)
{
    g_autoptr(CsSequence) a = NULL, b = NULL;
    pair_of(BASES, &a, &b);
    g_autofree char *directory = scratch_new();
    Run run = {.directory = directory};
    CsCompareResult result;
    for (guint round = 0; round < 4; round++) {
        g_assert_false(compare(&run, a, b, CS_STRAND_PLUS, &result));
        expect_state(directory);
    }
    scratch_free(g_steal_pointer(&directory));
}

/* If no run finds anything, in the end one goes on without the stages. */
static void
test_give_up(void)
{
    g_autoptr(CsSequence) a = NULL, b = NULL;
    pair_of(BASES, &a, &b);
    g_autofree char *directory = scratch_new();
    Run run = {.directory = directory, .at_once = TRUE};
    const guint rounds = run_until_done(&run, a, b, CS_STRAND_PLUS);
    g_assert_true(run.gave_up);
    g_assert_cmpuint(rounds, >, 2);
    g_assert_cmpuint(rounds, <=, 8);
    scratch_free(g_steal_pointer(&directory));
}

/* If a file is damaged or of another comparison, its content is found again. */
static void
test_damaged(void)
{
    g_autoptr(CsSequence) a = NULL, b = NULL;
    pair_of(BASES, &a, &b);
    g_autofree char *directory = scratch_new();
    Run run = {.directory = directory};
    CsCompareResult result;
    guint damaged = 0;
    while (!compare(&run, a, b, CS_STRAND_PLUS, &result)) {
        g_autoptr(GDir) listing = g_dir_open(directory, 0, NULL);
        for (const char *name; damaged < 2 && (name = g_dir_read_name(listing)) != NULL;)
            if (g_str_has_prefix(name, "found-plus-")) {
                g_autofree char *path = g_build_filename(directory, name, NULL);
                g_autoptr(GByteArray) bytes = bytes_read(path);
                bytes->data[bytes->len / 2] ^= 1;
                bytes_write(path, bytes->data, bytes->len);
                damaged++;
            }
    }
    g_assert_cmpuint(damaged, ==, 2);
    g_assert_cmpuint(run.warnings, >, 0);
    g_assert_cmpint(result.score, ==, truth_of(a, b, CS_STRAND_PLUS).score);
    scratch_free(g_steal_pointer(&directory));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (RACES || MEMORY) {
        g_test_add_func("/stops/first-rounds", test_first_rounds);
    } else {
        g_test_add_func("/stops/section-by-section", test_section_by_section);
        g_test_add_func("/stops/rounds", test_rounds);
        g_test_add_func("/stops/give-up", test_give_up);
        g_test_add_func("/stops/damaged", test_damaged);
    }
    if (!RACES)
        g_test_add_func("/stops/spoilt", test_spoilt);
    return g_test_run();
}
