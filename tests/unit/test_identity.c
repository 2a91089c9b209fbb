/*
 * Runs of cs_identity() against tests/engine/global_oracle.h: every pair in its order, with any number
 * of threads and tiles of any size, and stopped anywhere, again and again. A checkpoint of another run
 * is refused, and what is damaged in one is computed again.
 */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include <chromosweep/device.h>
#include <chromosweep/identity_checkpoint.h>
#include <chromosweep/identity_plan.h>

#include "../case_count.h"
#include "../engine/global_oracle.h"
#include "fasta_fixture.h"
#include "identity/filter.h"
#include "identity/identity_run.h"
#include "identity/keep.h"
#include "identity/part_file.h"
#include "identity/tile_pairs.h"
#include "limit_memory.h"
#include "ranks/ranks.h"

static const char amino_acids[] = "ARNDCQEGHILKMFPSTWYVX";
static const char bases[] = "ACGTN";

/* Records as a test knows them: letters of an alphabet by their indices. */
typedef struct {
    GPtrArray *records; /* GBytes */
    char *path;
} File;

static void
file_clear(File *file)
{
    g_clear_pointer(&file->records, g_ptr_array_unref);
    g_free(file->path);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(File, file_clear)

/* Many records resemble an earlier one. */
static File
make_file(GRand *rand, const char *name, gint count, gint most, const char *alphabet)
{
    File file = {g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref), NULL};
    const gint32 kinds = (gint32)strlen(alphabet);
    g_autoptr(GString) text = g_string_new(NULL);
    for (gint k = 0; k < count; k++) {
        g_autoptr(GByteArray) letters = g_byte_array_new();
        gsize length = 0;
        const guint8 *old = NULL;
        if (k > 0 && g_rand_int_range(rand, 0, 3) > 0)
            old = g_bytes_get_data(
                g_ptr_array_index(file.records, (guint)g_rand_int_range(rand, 0, k)), &length);
        const gint wanted = g_rand_int_range(rand, 1, most + 1);
        for (gsize at = 0; old != NULL ? at < length : letters->len < (guint)wanted; at++) {
            guint8 letter = (guint8)g_rand_int_range(rand, 0, kinds);
            const gint what = old != NULL ? g_rand_int_range(rand, 0, 12) : 0;
            if (old != NULL && what > 0)
                letter = old[at];
            if (what != 1)
                g_byte_array_append(letters, &letter, 1);
        }
        if (letters->len == 0)
            g_byte_array_append(letters, (const guint8 *)"", 1); /* the letter 0 */
        g_string_append_printf(text, ">%s%d\n", name, k);
        for (guint n = 0; n < letters->len; n++)
            g_string_append_c(text, alphabet[letters->data[n]]);
        g_string_append_c(text, '\n');
        g_ptr_array_add(file.records, g_bytes_new(letters->data, letters->len));
    }
    file.path = fixture_write(name, text->str, text->len);
    return file;
}

typedef struct {
    GRand *rand;
    gint asks;        /* until the run is stopped; negative: it is not */
    gint saves;       /* one in so many asks saves; 0: none */
    gint64 takes;     /* pairs until the caller wants no more; negative: all */
    gint warnings;    /* told */
    gint resumed;     /* likewise */
    GString *warning; /* (nullable): the last one is kept here */
    const char *lost; /* (nullable): a folder that is gone once pairs are told */
    gint64 last;      /* first * 2^32 + second of the last pair */
    double fraction;  /* told last */
    gint64 pairs;     /* likewise, those that are done */
    gint64 filtered, cells, cells_computed; /* of the summary */
    GString *text;
} Session;

/* Empties and removes a folder. */
static void
remove_folder(const char *directory)
{
    GDir *listing = g_dir_open(directory, 0, NULL);
    for (const char *name; listing != NULL && (name = g_dir_read_name(listing)) != NULL;) {
        g_autofree char *path = g_build_filename(directory, name, NULL);
        g_unlink(path);
    }
    if (listing != NULL)
        g_dir_close(listing);
    g_rmdir(directory);
}

static CsControl
control(gpointer data)
{
    Session *session = data;
    if (session->asks >= 0 && session->asks-- == 0)
        return CS_CONTROL_STOP;
    return session->saves > 0 && g_rand_int_range(session->rand, 0, session->saves) == 0
               ? CS_CONTROL_SAVE
               : CS_CONTROL_GO_ON;
}

static void
take_note(CsNoteKind kind, const char *message, gpointer data)
{
    Session *session = data;
    g_assert_null(strchr(message, '\n'));
    session->warnings += kind == CS_NOTE_WARNING;
    session->resumed += kind == CS_NOTE_EVENT;
    if (kind == CS_NOTE_WARNING && session->warning != NULL)
        g_string_assign(session->warning, message);
}

static void
take_progress(const CsIdentityProgress *progress, gpointer data)
{
    Session *session = data;
    g_assert_cmpfloat(progress->fraction, >=, session->fraction);
    g_assert_cmpfloat(progress->fraction, <=, 1);
    session->fraction = progress->fraction;
    session->pairs = progress->pairs;
    g_assert_cmpint(progress->pairs, <=, progress->all_pairs);
    g_assert_cmpint(progress->kept, <=, progress->pairs);
}

static gboolean
take_pairs(const CsIdentitySummary *summary, const CsIdentityPair *pairs, gint64 count,
           gpointer data)
{
    Session *session = data;
    g_assert_cmpint(count, >, 0);
    g_assert_cmpint(count, <=, summary->pairs_kept);
    if (session->lost != NULL)
        remove_folder(session->lost);
    for (gint64 k = 0; k < count; k++) {
        const gint64 place = (pairs[k].first << 32) + pairs[k].second;
        g_assert_cmpint(place, >, session->last);
        session->last = place;
        g_string_append_printf(session->text, "%d %d %" G_GINT64_FORMAT " %d %d %.9f %s\n",
                               (int)pairs[k].first, (int)pairs[k].second, pairs[k].score,
                               (int)pairs[k].matches, (int)pairs[k].columns, pairs[k].identity,
                               pairs[k].cigar != NULL ? pairs[k].cigar : "-");
        if (session->takes >= 0 && session->takes-- == 0)
            return FALSE;
    }
    return TRUE;
}

/* Runs; the pairs as a text, or NULL if it failed. */
static char *
run(const char *first, const char *second, CsIdentityOptions options, CsIdentityTuning tuning,
    Session *session, GError **error)
{
    session->text = g_string_new(NULL);
    session->last = -1;
    session->fraction = 0;
    options.control = control;
    options.note = take_note;
    options.progress = take_progress;
    options.pairs = take_pairs;
    options.data = session;
    g_autoptr(CsIdentity) identity = cs_identity_run(first, second, &options, &tuning, error);
    if (identity == NULL) {
        g_string_free(session->text, TRUE);
        return NULL;
    }
    const CsIdentitySummary *summary = cs_identity_get_summary(identity);
    gint64 lines = 0;
    for (const char *at = session->text->str; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    g_assert_cmpint(lines, ==, summary->pairs_kept);
    g_assert_cmpint(summary->pairs_kept + summary->pairs_filtered, <=, summary->pairs);
    g_assert_cmpfloat(session->fraction, ==, 1);
    session->filtered = summary->pairs_filtered;
    session->cells = summary->cells;
    session->cells_computed = summary->cells_computed;
    return g_string_free(session->text, FALSE);
}

/* What a case is about. */
typedef struct {
    File files[2];
    gboolean two;
    CsIdentityOptions options;
    gint64 least, of; /* the least identity is least / of */
    gint32 pairs[GLOBAL_LETTERS][GLOBAL_LETTERS];
    char *matrix; /* a file */
} Case;

static void
case_clear(Case *self)
{
    file_clear(&self->files[0]);
    file_clear(&self->files[1]);
    g_free(self->matrix);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Case, case_clear)

/* A matrix of small scores, as a file. X scores as all other letters. */
static char *
make_matrix(GRand *rand, gint32 pairs[GLOBAL_LETTERS][GLOBAL_LETTERS])
{
    g_autoptr(GString) text = g_string_new(" ");
    for (const char *letter = amino_acids; *letter != '\0'; letter++)
        g_string_append_printf(text, " %c", *letter);
    for (guint a = 0; amino_acids[a] != '\0'; a++)
        for (guint b = 0; b <= a; b++)
            pairs[a][b] = pairs[b][a] =
                a == b ? g_rand_int_range(rand, 1, 12) : g_rand_int_range(rand, -6, 4);
    for (guint a = 0; amino_acids[a] != '\0'; a++) {
        g_string_append_printf(text, "\n%c", amino_acids[a]);
        for (guint b = 0; amino_acids[b] != '\0'; b++)
            g_string_append_printf(text, " %d", pairs[a][b]);
    }
    g_string_append_c(text, '\n');
    return fixture_write("matrix", text->str, text->len);
}

static gboolean
has_gpu(void)
{
    return cs_device_describe("gpu", NULL, NULL) != NULL;
}

static void
make_case(Case *self, GRand *rand, gint records, gint most)
{
    const gboolean protein = g_rand_boolean(rand);
    const char *alphabet = protein ? amino_acids : bases;
    static const gint64 parts[] = {10, 100, 1000};
    *self = (Case){.two = g_rand_boolean(rand), .options = CS_IDENTITY_OPTIONS_INIT};
    self->files[0] =
        make_file(rand, "first", g_rand_int_range(rand, 1, records + 1), most, alphabet);
    if (self->two)
        self->files[1] =
            make_file(rand, "second", g_rand_int_range(rand, 1, records + 1), most, alphabet);
    self->options.alphabet = protein ? CS_ALPHABET_PROTEIN : CS_ALPHABET_NUCLEOTIDE;
    self->options.match = g_rand_int_range(rand, 1, 6);
    self->options.mismatch = g_rand_int_range(rand, 0, 6);
    self->options.gap_open = g_rand_boolean(rand) ? 0 : g_rand_int_range(rand, 1, 8);
    self->options.gap_extend = g_rand_int_range(rand, 0, 5);
    self->options.over = (CsIdentityOver)g_rand_int_range(rand, 0, 3);
    self->options.align = g_rand_boolean(rand);
    static const char *const devices[] = {"gpu", "gpu:0,cpu", "gpu:all", "cpu,cpu", NULL};
    if (has_gpu())
        self->options.device = devices[g_rand_int_range(rand, 0, G_N_ELEMENTS(devices))];
    self->of = parts[g_rand_int_range(rand, 0, 3)];
    const gint64 leasts[] = {0, g_rand_int_range(rand, 0, (gint32)self->of + 1),
                             self->of - self->of / 10};
    self->least = leasts[g_rand_int_range(rand, 0, 3)];
    self->options.min_identity = (double)self->least / (double)self->of;
    if (protein) {
        self->options.matrix = self->matrix = make_matrix(rand, self->pairs);
        return;
    }
    for (guint a = 0; a < 5; a++)
        for (guint b = 0; b < 5; b++)
            self->pairs[a][b] =
                (gint32)(a == b && a != 4 ? self->options.match : -self->options.mismatch);
}

static const char *
second_path(const Case *self)
{
    return self->two ? self->files[1].path : NULL;
}

static GlobalProblem
problem_of(const Case *self, GBytes *row, GBytes *column)
{
    gsize rows, columns;
    GlobalProblem problem = {.pairs = self->pairs,
                             .first = self->options.gap_open + self->options.gap_extend,
                             .more = self->options.gap_extend};
    const guint ambiguous = self->matrix != NULL ? 20 : 4;
    for (guint a = 0; a < ambiguous; a++)
        problem.counts[a] = TRUE;
    problem.query = g_bytes_get_data(row, &rows);
    problem.record = g_bytes_get_data(column, &columns);
    problem.rows = (gint64)rows;
    problem.columns = (gint64)columns;
    return problem;
}

static gint64
divisor_of(const Case *self, const GlobalProblem *problem, gint64 columns)
{
    return self->options.over == CS_IDENTITY_LONGEST    ? MAX(problem->rows, problem->columns)
           : self->options.over == CS_IDENTITY_SHORTEST ? MIN(problem->rows, problem->columns)
                                                        : columns;
}

/* The lines of what was found are the pairs that the oracle keeps; CIGARs are worth what they say. */
static void
check_lines(const Case *self, const char *found)
{
    const File *columns = &self->files[self->two ? 1 : 0];
    g_auto(GStrv) lines = g_strsplit(found, "\n", 0);
    guint line = 0;
    for (guint i = 0; i < self->files[0].records->len; i++)
        for (guint j = self->two ? 0 : i + 1; j < columns->records->len; j++) {
            const GlobalProblem problem =
                problem_of(self, g_ptr_array_index(self->files[0].records, i),
                           g_ptr_array_index(columns->records, j));
            const GlobalTruth truth = global_oracle_long(&problem);
            const gint64 divisor = divisor_of(self, &problem, truth.columns);
            if (truth.matches * self->of < self->least * divisor)
                continue;
            g_autofree char *wanted = g_strdup_printf(
                "%u %u %" G_GINT64_FORMAT " %d %d %.9f ", i, j, truth.score, (int)truth.matches,
                (int)truth.columns, (double)truth.matches / (double)divisor);
            if (lines[line] == NULL || !g_str_has_prefix(lines[line], wanted))
                g_error("\"%s\" is wanted, not \"%s\"", wanted, lines[line]);
            const char *cigar = lines[line++] + strlen(wanted);
            if (!self->options.align) {
                g_assert_cmpstr(cigar, ==, "-");
                continue;
            }
            const GlobalTruth worth = global_oracle_worth(&problem, cigar);
            g_assert_cmpint(worth.score, ==, truth.score);
            g_assert_cmpint(worth.matches, ==, truth.matches);
            g_assert_cmpint(worth.columns, ==, truth.columns);
        }
    g_assert_true(lines[line] == NULL || lines[line][0] == '\0');
}

/* Tiles of one pair, of a few, and of all; results that wait for little room. */
static CsIdentityTuning
random_tuning(GRand *rand)
{
    static const gint64 sizes[] = {1, 100, 1000, 100000, 0};
    return (CsIdentityTuning){.tile_cells = sizes[g_rand_int_range(rand, 0, G_N_ELEMENTS(sizes))],
                              .waiting_bytes = g_rand_boolean(rand)};
}

/* One long pair, whose progress is told before it ends, and whose plan knows the time. */
static void
test_long_pair(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(42);
    g_autoptr(GString) text = g_string_new(NULL);
    CsIdentityOptions options = CS_IDENTITY_OPTIONS_INIT;
    CsIdentityPlan plan;
    fixture_begin();
    for (guint k = 0; k < 2; k++) {
        g_string_append_printf(text, ">r%u\n", k);
        for (guint i = 0; i < 400000; i++)
            g_string_append_c(text, bases[g_rand_int_range(rand, 0, 4)]);
        g_string_append_c(text, '\n');
    }
    g_autofree char *path = fixture_write("long", text->str, text->len);
    options.threads = 2;
    g_assert_true(cs_identity_plan(path, NULL, &options, &plan, NULL));
    g_assert_cmpfloat(plan.seconds, >, 1);
    g_assert_cmpfloat(plan.cells_a_second, >, 0);
    g_assert_cmpfloat(plan.cells_a_second * plan.seconds, <,
                      4e11); /* not those that a stop leaves out */
    g_assert_cmpfloat(plan.cells_a_second * plan.seconds, >, 4e10);
    options.align = TRUE; /* which takes longer, though the test does not come so far */
    g_assert_true(cs_identity_plan(path, NULL, &options, &plan, NULL));
    g_assert_cmpfloat(plan.cells_a_second * plan.seconds, >, 2.4e11);
    fixture_end();
}

/* A plan counts the words that rule out pairs, too. */
static void
test_plan_words(void)
{
    enum {
        RECORDS = 20,
        LETTERS = 300
    };
    g_autoptr(GString) text = g_string_new(NULL);
    CsIdentityOptions options = CS_IDENTITY_OPTIONS_INIT;
    CsIdentityPlan all, filtered;
    CsIdentityFilter filter;
    fixture_begin();
    for (guint k = 0; k < RECORDS; k++) {
        g_string_append_printf(text, ">r%u\n", k);
        for (guint i = 0; i < LETTERS; i++)
            g_string_append_c(text, bases[i * i % (k + 5) % 4]);
        g_string_append_c(text, '\n');
    }
    g_autofree char *path = fixture_write("words", text->str, text->len);
    g_assert_true(cs_identity_plan(path, NULL, &options, &all, NULL));
    options.min_identity = 0.97;
    g_assert_true(cs_identity_plan(path, NULL, &options, &filtered, NULL));
    cs_identity_filter_init(&filter, options.over, llround(0.97 * CS_IDENTITY_UNIT),
                            CS_IDENTITY_UNIT, cs_global_nucleotide_matching, LETTERS);
    g_assert_cmpint(filter.k, >, 0);
    g_assert_cmpint(filtered.host_bytes - all.host_bytes, ==,
                    RECORDS * (gint64)cs_identity_filter_bytes(&filter));
    fixture_end();
}

/* A plan names the devices that a run would take, and tells about what its checkpoint takes. */
static void
test_plan_devices(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(43);
    g_auto(Case) self;
    CsIdentityPlan plan;
    fixture_begin();
    make_case(&self, rand, 24, 60);
    static const char *const devices[] = {"cpu", "gpu:0", "gpu:0,cpu", "gpu:all"};
    for (guint k = 0; k < (has_gpu() ? G_N_ELEMENTS(devices) : 1); k++) {
        self.options.device = devices[k];
        g_assert_true(
            cs_identity_plan(self.files[0].path, second_path(&self), &self.options, &plan, NULL));
        g_assert_cmpint(plan.gpus > 0, ==, k > 0);
        g_assert_cmpint(plan.summary.device != NULL, ==, k > 0);
        if (k == 1 || k == 2)
            g_assert_cmpuint(plan.gpus, ==, 1);
        if (plan.gpus > 1)
            g_assert_true(g_str_has_prefix(plan.summary.device, "2 GPUs"));
    }
    fixture_end();
}

/* The sizes of the files of a checkpoint. */
static gint64
bytes_of_logs(const char *directory)
{
    g_autoptr(GArray) numbers = cs_identity_logs(directory, NULL);
    gint64 bytes = 0;
    for (guint k = 0; k < numbers->len; k++) {
        g_autofree char *path = cs_identity_log_path(directory, g_array_index(numbers, gint64, k));
        g_autofree char *contents = NULL;
        gsize length;
        g_assert_true(g_file_get_contents(path, &contents, &length, NULL));
        bytes += (gint64)length;
    }
    return bytes;
}

static void
test_plan_disk(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(44);
    fixture_begin();
    for (guint k = 0; k < 20; k++) {
        g_auto(Case) self;
        CsIdentityPlan plan;
        make_case(&self, rand, 60, 60);
        self.options.device = "cpu";
        self.options.min_identity = 0;
        g_autofree char *directory = fixture_path("disk");
        self.options.checkpoint = directory;
        g_assert_true(
            cs_identity_plan(self.files[0].path, second_path(&self), &self.options, &plan, NULL));
        g_assert_cmpint(plan.disk_bytes_free, >, 0);
        g_assert_cmpint(plan.first_name_bytes, >, 0);
        g_autoptr(CsIdentity) done =
            cs_identity(self.files[0].path, second_path(&self), &self.options, NULL);
        g_assert_nonnull(done);
        /* If the test was stopped early, it has met other pairs. */
        const gint64 there = bytes_of_logs(directory), pairs = plan.summary.pairs;
        g_assert_cmpint(plan.checkpoint_bytes + 2 * plan.pair_bytes * pairs, >=, there);
        g_assert_cmpint(plan.pair_bytes * pairs, <, 2 * (there + pairs));
        g_assert_true(cs_identity_checkpoint_remove(directory, NULL));
    }
    fixture_end();
}

static void
test_oracle(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(31);
    fixture_begin();
    for (guint k = case_count(300); k > 0; k--) {
        g_auto(Case) self;
        Session session = {.rand = rand, .asks = -1, .takes = -1};
        make_case(&self, rand, 24, k % 8 == 0 ? 120 : 24);
        self.options.threads = (guint)g_rand_int_range(rand, 1, 6);
        g_autofree char *found = run(self.files[0].path, second_path(&self), self.options,
                                     random_tuning(rand), &session, NULL);
        g_assert_nonnull(found);
        check_lines(&self, found);
    }
    fixture_end();
}

/* Numbers that 64 bits do not hold with matches and columns behind them, on a GPU likewise. */
static void
test_high_scores(void)
{
    static const gint lengths[] = {1500, 30, 1460, 1500};
    g_autoptr(GRand) rand = g_rand_new_with_seed(39);
    g_autoptr(GString) text = g_string_new(NULL);
    g_auto(Case) self = {.options = CS_IDENTITY_OPTIONS_INIT, .of = 1};
    fixture_begin();
    self.files[0].records = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    for (guint k = 0; k < G_N_ELEMENTS(lengths); k++) {
        guint8 *letters = g_malloc((gsize)lengths[k]);
        g_string_append_printf(text, ">r%u\n", k);
        for (gint i = 0; i < lengths[k]; i++) {
            letters[i] = (guint8)(g_rand_int_range(rand, 0, 9) > 0 ? i % 4 : 4);
            g_string_append_c(text, bases[letters[i]]);
        }
        g_string_append_c(text, '\n');
        g_ptr_array_add(self.files[0].records, g_bytes_new_take(letters, (gsize)lengths[k]));
    }
    self.files[0].path = fixture_write("high", text->str, text->len);
    self.options.alphabet = CS_ALPHABET_NUCLEOTIDE;
    self.options.match = self.options.mismatch = self.options.gap_extend = 1000000000;
    self.options.gap_open = 1;
    for (guint a = 0; a < 5; a++)
        for (guint b = 0; b < 5; b++)
            self.pairs[a][b] = a == b && a != 4 ? 1000000000 : -1000000000;
    for (guint gpu = 0; gpu < (has_gpu() ? 2 : 1); gpu++) {
        Session session = {.rand = rand, .asks = -1, .takes = -1};
        self.options.device = gpu == 1 ? "gpu" : "cpu";
        g_autofree char *found =
            run(self.files[0].path, NULL, self.options, (CsIdentityTuning){0}, &session, NULL);
        g_assert_nonnull(found);
        check_lines(&self, found);
    }
    fixture_end();
}

/* Tiles that the diagonal cuts in any row, on one thread, and so on one scorer of a GPU. */
static void
test_diagonal(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(40);
    g_auto(Case) self = {.options = CS_IDENTITY_OPTIONS_INIT, .of = 1};
    fixture_begin();
    self.files[0] = make_file(rand, "short", 90, 3, bases);
    self.options.alphabet = CS_ALPHABET_NUCLEOTIDE;
    self.options.device = has_gpu() ? "gpu" : "cpu";
    self.options.threads = 1;
    for (guint a = 0; a < 5; a++)
        for (guint b = 0; b < 5; b++)
            self.pairs[a][b] = a == b && a != 4 ? 1 : -3;
    self.options.gap_open = 3;
    self.options.gap_extend = 2;
    for (gint64 cells = 300; cells < 500; cells += 100) {
        Session session = {.rand = rand, .asks = -1, .takes = -1};
        g_autofree char *found = run(self.files[0].path, NULL, self.options,
                                     (CsIdentityTuning){.tile_cells = cells}, &session, NULL);
        g_assert_nonnull(found);
        check_lines(&self, found);
    }
    fixture_end();
}

/* The same bytes with any threads and tiles, with filters and without. */
static void
test_same(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(32);
    fixture_begin();
    for (guint k = case_count(10); k > 0; k--) {
        g_auto(Case) self;
        g_autofree char *wanted = NULL;
        make_case(&self, rand, 60, 80);
        for (guint threads = 1; threads <= 5; threads++) {
            Session session = {.rand = rand, .asks = -1, .takes = -1};
            CsIdentityTuning tuning = random_tuning(rand);
            self.options.threads = threads;
            tuning.unfiltered = threads == 1;
            g_autofree char *found =
                run(self.files[0].path, second_path(&self), self.options, tuning, &session, NULL);
            g_assert_nonnull(found);
            if (wanted != NULL)
                g_assert_true(g_str_equal(found, wanted));
            else
                wanted = g_steal_pointer(&found);
        }
    }
    fixture_end();
}

/* Families of genes: the pairs that are kept are those of no filter, and most others are not computed. */
static void
test_filters(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(38);
    g_autoptr(GString) text = g_string_new(NULL), gene = g_string_new(NULL);
    fixture_begin();
    for (guint k = 0; k < 60; k++) {
        if (k % 10 == 0)
            g_string_truncate(gene, 0);
        while (gene->len < 700)
            g_string_append_c(gene, "ACGT"[g_rand_int_range(rand, 0, 4)]);
        gene->str[g_rand_int_range(rand, 0, 700)] = 'A';
        g_string_erase(gene, g_rand_int_range(rand, 0, 600), 1);
        g_string_append_printf(text, ">%u\n%s\n", k, gene->str);
    }
    g_autofree char *path = fixture_write("genes", text->str, text->len);
    CsIdentityOptions options = CS_IDENTITY_OPTIONS_INIT;
    Session session = {.rand = rand, .asks = -1, .takes = -1};
    options.min_identity = 0.97;
    options.threads = 2;
    g_autofree char *all =
        run(path, NULL, options, (CsIdentityTuning){.unfiltered = TRUE}, &session, NULL);
    g_assert_cmpint(session.filtered, ==, 0);
    g_assert_cmpint(session.cells_computed, ==, session.cells);
    g_autofree char *some = run(path, NULL, options, (CsIdentityTuning){0}, &session, NULL);
    g_assert_cmpstr(some, ==, all);
    g_assert_cmpint(session.filtered, >=, 1500); /* most of those of two families */
    g_assert_cmpint(session.cells_computed, <, session.cells / 4);
    fixture_end();
}

static void
stop_and_go_on(GRand *rand, const char *directory)
{
    g_auto(Case) self;
    static const gint64 part_cells[] = {0, 1, 30000};
    if (g_rand_boolean(rand))
        make_case(&self, rand, 40, 60);
    else
        make_case(&self, rand, 8, 400);
    CsIdentityTuning tuning = random_tuning(rand);
    tuning.part_cells = part_cells[g_rand_int_range(rand, 0, G_N_ELEMENTS(part_cells))];
    Session session = {.rand = rand, .asks = -1, .takes = -1};
    self.options.threads = 2;
    g_autofree char *wanted =
        run(self.files[0].path, second_path(&self), self.options, tuning, &session, NULL);
    g_autofree char *found = NULL;
    self.options.checkpoint = directory;
    for (gint runs = 0; found == NULL; runs++) {
        g_autoptr(GError) error = NULL;
        session.asks = runs < 20 ? g_rand_int_range(rand, 0, 30) : -1;
        session.saves = g_rand_int_range(rand, 0, 3);
        session.takes = runs < 20 && g_rand_boolean(rand) ? g_rand_int_range(rand, 0, 900) : -1;
        self.options.checkpoint_interval = g_rand_int_range(rand, 0, 4) == 0 ? 0 : 600;
        self.options.threads = (guint)g_rand_int_range(rand, 1, 6);
        tuning.waiting_bytes = g_rand_boolean(rand);
        found = run(self.files[0].path, second_path(&self), self.options, tuning, &session, &error);
        if (found != NULL)
            break;
        g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
        g_autoptr(CsIdentityCheckpointInfo) info = cs_identity_checkpoint_info_new(directory, NULL);
        g_assert_cmpint(session.pairs, ==, info != NULL ? info->pairs_done : 0);
    }
    g_assert_true(g_str_equal(found, wanted));
    g_assert_cmpint(session.warnings, ==, 0);
    g_autoptr(GHashTable) parts = cs_part_files(directory);
    g_assert_cmpint(g_hash_table_size(parts), ==, 0);
    /* A complete run has its pairs in the folder, too. */
    session.asks = -1;
    session.takes = -1;
    g_autofree char *again =
        run(self.files[0].path, second_path(&self), self.options, tuning, &session, NULL);
    g_assert_true(g_str_equal(again, wanted));
    if (!cs_identity_checkpoint_is_there(directory))
        return; /* there was no pair */
    g_autoptr(CsIdentityCheckpointInfo) info = cs_identity_checkpoint_info_new(directory, NULL);
    g_assert_nonnull(info);
    g_assert_cmpfloat(info->fraction, ==, 1);
    g_assert_cmpint(info->pairs, ==, info->pairs_done);
    g_assert_cmpint(info->damaged, ==, 0);
    g_assert_cmpint(info->gap_extend, ==, self.options.gap_extend);
    g_assert_null(info->holder);
    g_assert_true(cs_identity_checkpoint_remove(directory, NULL));
    g_assert_false(g_file_test(directory, G_FILE_TEST_EXISTS));
}

static void
test_stops(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(33);
    fixture_begin();
    g_autofree char *directory = fixture_path("state");
    for (guint k = case_count(30); k > 0; k--)
        stop_and_go_on(rand, directory);
    fixture_end();
}

/* A complete run with a checkpoint of many tiles in one log. */
typedef struct {
    Case about;
    CsIdentityTuning tuning;
    char *directory, *log, *wanted;
} Kept;

static void
kept_init(Kept *kept, GRand *rand)
{
    fixture_begin();
    *kept = (Kept){.directory = fixture_path("state"), .tuning = {.tile_cells = 2000}};
    do {
        case_clear(&kept->about);
        make_case(&kept->about, rand, 60, 30);
    } while (kept->about.matrix == NULL || kept->about.files[0].records->len < 40 ||
             kept->about.two);
    kept->about.options.checkpoint = kept->directory;
    kept->about.options.threads = 2;
    kept->about.options.min_identity = 0;
    Session session = {.rand = rand, .asks = -1, .takes = -1};
    kept->wanted =
        run(kept->about.files[0].path, NULL, kept->about.options, kept->tuning, &session, NULL);
    kept->log = g_build_filename(kept->directory, "identity-000001.log", NULL);
}

static void
kept_clear(Kept *kept)
{
    remove_folder(kept->directory);
    case_clear(&kept->about);
    g_free(kept->directory);
    g_free(kept->log);
    g_free(kept->wanted);
    fixture_end();
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Kept, kept_clear)

static void
assert_refused(const Kept *kept, const char *path, CsIdentityOptions options, gint code,
               const char *what)
{
    g_autoptr(GError) error = NULL;
    Session session = {.asks = -1, .takes = -1};
    g_autofree char *found = run(path, NULL, options, kept->tuning, &session, &error);
    g_assert_null(found);
    g_assert_error(error, CS_ERROR, code);
    if (strstr(error->message, what) == NULL)
        g_error("\"%s\" lacks \"%s\"", error->message, what);
}

static void
test_other_run(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(34);
    g_auto(Kept) kept;
    kept_init(&kept, rand);
    const Case *about = &kept.about;
    const char *path = about->files[0].path;
    CsIdentityOptions other = about->options;
    other.gap_open += 1;
    assert_refused(&kept, path, other, CS_ERROR_CHECKPOINT, "gap-open: ");
    other = about->options;
    other.min_identity = 0.5;
    assert_refused(&kept, path, other, CS_ERROR_CHECKPOINT, "least identity: 0.0 there, 0.5 here");
    other = about->options;
    other.align = !other.align;
    assert_refused(&kept, path, other, CS_ERROR_CHECKPOINT, "alignments");
    other = about->options;
    other.matrix = "BLOSUM50";
    assert_refused(&kept, path, other, CS_ERROR_CHECKPOINT, "what pairs score");
    g_autofree char *text = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(path, &text, &length, NULL));
    text[1] = 'x'; /* of a name */
    g_autofree char *renamed = fixture_write("other", text, length);
    assert_refused(&kept, renamed, about->options, CS_ERROR_CHECKPOINT, "digest of the first file");
    /* Begun anew, it is another checkpoint. */
    Session session = {.asks = -1, .takes = -1};
    other = about->options;
    other.checkpoint_fresh = TRUE;
    g_autofree char *found = run(renamed, NULL, other, kept.tuning, &session, NULL);
    g_assert_cmpstr(found, ==, kept.wanted);
    g_assert_cmpint(session.resumed, ==, 0);
    assert_refused(&kept, path, about->options, CS_ERROR_CHECKPOINT, "digest of the first file");
}

/* The log with changes; the run finds the same, and says so if something was damaged. */
static void
run_damaged(const Kept *kept, const char *bytes, gsize length, gboolean damaged)
{
    Session session = {.asks = -1, .takes = -1};
    remove_folder(kept->directory);
    g_assert_cmpint(g_mkdir(kept->directory, 0777), ==, 0);
    g_assert_true(g_file_set_contents(kept->log, bytes, (gssize)length, NULL));
    g_autofree char *found =
        run(kept->about.files[0].path, NULL, kept->about.options, kept->tuning, &session, NULL);
    g_assert_cmpstr(found, ==, kept->wanted);
    g_assert_cmpint(session.warnings, ==, damaged);
}

/* Damage at this offset behind the beginning of a record's second word, in the middle of the log. */
static void
costs_one_tile(const Kept *kept, const char *bytes, gsize length, gsize offset)
{
    g_autofree char *other = g_memdup2(bytes, length), *rest = NULL;
    g_autofree char *second = g_build_filename(kept->directory, "identity-000002.log", NULL);
    gsize at = length / 2, more;
    while (memcmp(other + at, "\xb1\x2f\x43Stile", 8) != 0)
        at++;
    other[at + offset] ^= 4;
    run_damaged(kept, other, length, TRUE);
    g_autoptr(CsIdentityCheckpointInfo) info =
        cs_identity_checkpoint_info_new(kept->directory, NULL);
    g_assert_cmpint(info->damaged, ==, 1);
    g_assert_cmpint(info->logs, ==, 2);
    g_assert_cmpint(info->pairs_done, ==, info->pairs);
    g_assert_true(g_file_get_contents(second, &rest, &more, NULL));
    g_assert_cmpint(more, <, length / 4);
}

/* A byte less, so that no record behind it begins at a multiple of 8. */
static void
loses_a_byte(const Kept *kept, const char *bytes, gsize length)
{
    g_autofree char *other = g_memdup2(bytes, length), *rest = NULL;
    g_autofree char *second = g_build_filename(kept->directory, "identity-000002.log", NULL);
    gsize more;
    memmove(other + length / 2, other + length / 2 + 1, length - length / 2 - 1);
    run_damaged(kept, other, length - 1, TRUE);
    g_assert_true(g_file_get_contents(second, &rest, &more, NULL));
    g_assert_cmpint(more, <, length / 4);
}

static void
test_damage(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(35);
    g_auto(Kept) kept;
    g_autofree char *bytes = NULL;
    gsize length;
    kept_init(&kept, rand);
    g_assert_true(g_file_get_contents(kept.log, &bytes, &length, NULL));
    run_damaged(&kept, bytes, length, FALSE);
    for (guint k = case_count(120); k > 0; k--) {
        g_autofree char *other = g_memdup2(bytes, length);
        const gsize at = (gsize)g_rand_int_range(rand, 0, (gint32)length);
        const gsize wanted = (gsize)g_rand_int_range(rand, 1, 400), many = MIN(wanted, length - at);
        switch (k % 4) {
        case 0: other[at] ^= (char)(1 << g_rand_int_range(rand, 0, 8)); break;
        case 1: memset(other + at, 0, many); break;
        case 2: memmove(other + at, other + at + many, length - at - many); break;
        default: break; /* it ends there */
        }
        const gsize now = k % 4 == 2 ? length - many : k % 4 == 3 ? at : length;
        const gboolean same = now == length && memcmp(bytes, other, length) == 0;
        Session session = {.asks = -1, .takes = -1};
        remove_folder(kept.directory);
        g_assert_cmpint(g_mkdir(kept.directory, 0777), ==, 0);
        g_assert_true(g_file_set_contents(kept.log, other, (gssize)now, NULL));
        g_autofree char *found =
            run(kept.about.files[0].path, NULL, kept.about.options, kept.tuning, &session, NULL);
        g_assert_cmpstr(found, ==, kept.wanted);
        g_assert_cmpint(session.warnings, <=, 1);
        if (same)
            g_assert_cmpint(session.warnings, ==, 0);
    }
    costs_one_tile(&kept, bytes, length, 80); /* the first byte of its pairs */
    loses_a_byte(&kept, bytes, length);
    costs_one_tile(&kept, bytes, length,
                   0); /* the magic number, without which its end is not known */
}

/* Stops once a part of the only tile is there. */
static CsControl
stop_with_part(gpointer data)
{
    g_autoptr(GHashTable) parts = cs_part_files(data);
    return g_hash_table_size(parts) > 0 ? CS_CONTROL_STOP : CS_CONTROL_GO_ON;
}

static void
stop_in_long_pair(const char *path, CsIdentityOptions options, CsIdentityTuning tuning)
{
    options.control = stop_with_part;
    options.data = (gpointer)options.checkpoint;
    options.checkpoint_interval = 0;
    while (TRUE) {
        g_autoptr(GError) error = NULL;
        g_autoptr(CsIdentity) identity = cs_identity_run(path, NULL, &options, &tuning, &error);
        if (identity == NULL) {
            g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
            return;
        }
        remove_folder(options.checkpoint); /* it was complete before it was asked */
    }
}

/* A long pair that is stopped goes on; if what was saved is damaged, it begins again, and says so. */
static void
test_damaged_part(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(43);
    CsIdentityOptions options = CS_IDENTITY_OPTIONS_INIT;
    const CsIdentityTuning tuning = {.part_cells = 1};
    fixture_begin();
    g_autoptr(GString) text = g_string_new(NULL);
    const guint length_of_each = case_count_is_low() ? 15000 : 30000;
    for (guint k = 0; k < 2; k++) {
        g_string_append_printf(text, ">r%u\n", k);
        for (guint i = 0; i < length_of_each; i++)
            g_string_append_c(text, bases[g_rand_int_range(rand, 0, 4)]);
        g_string_append_c(text, '\n');
    }
    g_autofree char *path = fixture_write("long", text->str, text->len);
    g_autofree char *directory = fixture_path("state"), *part = cs_part_file_path(directory, 0);
    Session session = {.asks = -1, .takes = -1};
    options.threads = 2;
    g_autofree char *wanted = run(path, NULL, options, tuning, &session, NULL);
    options.checkpoint = directory;
    options.checkpoint_interval = 600;
    for (guint damaged = 0; damaged < (case_races_only() ? 1 : 3); damaged++) {
        g_autofree char *bytes = NULL;
        gsize length;
        stop_in_long_pair(path, options, tuning);
        g_autoptr(CsIdentityCheckpointInfo) info = cs_identity_checkpoint_info_new(directory, NULL);
        g_assert_nonnull(info);
        g_assert_cmpint(info->pairs_done, ==, 0);
        g_assert_cmpfloat(info->fraction, >, 0);
        g_assert_true(g_file_get_contents(part, &bytes, &length, NULL));
        if (damaged > 0)
            bytes[damaged == 1 ? length / 2 : 20] ^= 1;
        g_assert_true(g_file_set_contents(part, bytes, (gssize)length, NULL));
        session.warnings = 0;
        g_autofree char *found = run(path, NULL, options, tuning, &session, NULL);
        g_assert_cmpstr(found, ==, wanted);
        g_assert_cmpint(session.warnings, ==, damaged > 0);
        g_assert_false(g_file_test(part, G_FILE_TEST_EXISTS));
        remove_folder(directory);
    }
    stop_in_long_pair(path, options, tuning);
    g_assert_true(cs_identity_checkpoint_remove(directory, NULL));
    g_assert_false(g_file_test(directory, G_FILE_TEST_EXISTS));
    fixture_end();
}

/* A folder with other files, and one that cannot be made. */
static void
test_folders(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(36);
    g_auto(Kept) kept;
    kept_init(&kept, rand);
    const char *path = kept.about.files[0].path;
    CsIdentityOptions other = kept.about.options;
    g_autofree char *folder = g_path_get_dirname(path);
    other.checkpoint = folder;
    assert_refused(&kept, path, other, CS_ERROR_USAGE, "holds other files");
    g_autofree char *none = g_build_filename(folder, "no", "such", NULL);
    other.checkpoint = none;
    assert_refused(&kept, path, other, CS_ERROR_FAILED, "no");
    g_autoptr(GError) error = NULL;
    g_assert_null(cs_identity_checkpoint_info_new(none, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
}

static void
assert_fails(const char *first, const char *second, CsIdentityOptions options, gint code,
             const char *what)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsIdentity) found = cs_identity(first, second, &options, &error);
    g_assert_null(found);
    g_assert_error(error, CS_ERROR, code);
    if (strstr(error->message, what) == NULL)
        g_error("\"%s\" lacks \"%s\"", error->message, what);
}

static char *
write_text(const char *name, const char *text)
{
    return fixture_write(name, text, strlen(text));
}

/* A run whose folder vanishes completes, and says so once; one that is stopped then fails. */
static void
test_lost_folder(void)
{
    static const char says[] = "cannot save what is done: cannot open ";
    fixture_begin();
    g_autofree char *directory = fixture_path("state");
    g_autofree char *path = write_text("dna", ">a\nACGT\n>b\nACGGT\n");
    g_autoptr(GString) warning = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    CsIdentityOptions options = CS_IDENTITY_OPTIONS_INIT;
    Session session = {.asks = -1, .takes = -1, .warning = warning, .lost = directory};
    options.checkpoint = directory;
    options.checkpoint_interval = 600;
    g_autofree char *found = run(path, NULL, options, (CsIdentityTuning){0}, &session, NULL);
    g_assert_nonnull(found);
    g_assert_cmpint(session.warnings, ==, 1);
    g_assert_true(g_str_has_prefix(warning->str, says));
    session.takes = 0;
    g_assert_null(run(path, NULL, options, (CsIdentityTuning){0}, &session, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    g_assert_true(g_str_has_prefix(error->message, says));
    fixture_end();
}

static void
test_bad(void)
{
    fixture_begin();
    CsIdentityOptions options = CS_IDENTITY_OPTIONS_INIT;
    g_autofree char *dna = write_text("dna", ">a\nACGT\n>b\nACGGT\n");
    g_autofree char *protein = write_text("protein", ">a\nMKWV\n>b\nMKWVL\n");
    g_autofree char *empty = write_text("empty", "");
    g_autofree char *wrong = write_text("wrong", ">a\nACGT\n>b\nAC1T\n");
    g_autofree char *skewed = write_text("skewed", "  A C\nA 1 2\nC 3 4\n");
    GString *long_dna = g_string_new(">a\n");
    for (guint k = 0; k < 50; k++)
        g_string_append(long_dna, "ACGT");
    g_autofree char *more_dna = fixture_write("more", long_dna->str, long_dna->len);
    g_string_free(long_dna, TRUE);
    assert_fails("/nonexistent/file", NULL, options, CS_ERROR_FAILED, "/nonexistent/file");
    assert_fails(empty, NULL, options, CS_ERROR_CONTENT, "empty");
    assert_fails(wrong, NULL, options, CS_ERROR_CONTENT, "record \"b\": '1' at byte offset 13");
    assert_fails(dna, protein, options, CS_ERROR_CONTENT, "the first file holds nucleotides");
    assert_fails(protein, more_dna, options, CS_ERROR_CONTENT, "looks like nucleotides");
    assert_fails("-", "-", options, CS_ERROR_USAGE, "standard input");
    options.matrix = "BLOSUM62";
    assert_fails(dna, NULL, options, CS_ERROR_USAGE, "no matrix");
    options.matrix = skewed;
    assert_fails(protein, NULL, options, CS_ERROR_CONTENT, "no row for");
    options.matrix = NULL;
    options.min_identity = 1.5;
    assert_fails(dna, NULL, options, CS_ERROR_USAGE, "from 0 to 1");
    options.min_identity = 0;
    options.mismatch = -1;
    assert_fails(dna, NULL, options, CS_ERROR_USAGE, "mismatch");
    options.mismatch = 3;
    options.device = "abacus";
    assert_fails(dna, NULL, options, CS_ERROR_USAGE, "abacus");
    fixture_end();
}

/* Which sequence is the first must not count. */
static void
test_skewed_matrix(void)
{
    fixture_begin();
    gint32 pairs[GLOBAL_LETTERS][GLOBAL_LETTERS] = {{0}};
    g_autoptr(GRand) rand = g_rand_new_with_seed(37);
    g_autofree char *protein = write_text("protein", ">a\nMKWV\n>b\nMKWVL\n");
    g_autofree char *path = make_matrix(rand, pairs), *text = NULL;
    CsIdentityOptions options = CS_IDENTITY_OPTIONS_INIT;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    char *last = text + strlen(text) - 1; /* what X and X score is before */
    *last = '\0';
    char *before = strrchr(text, ' ');
    *before = '\0';
    g_autofree char *skewed = g_strdup_printf("%s9 %s\n", text, before + 1);
    g_autofree char *skewed_path = write_text("skewed", skewed);
    options.matrix = skewed_path;
    assert_fails(protein, NULL, options, CS_ERROR_USAGE, "not symmetric");
    fixture_end();
}

/* One record has no pair. */
static void
test_one_record(void)
{
    fixture_begin();
    g_autofree char *dna = write_text("dna", ">a\nACGT\n");
    g_autoptr(GError) error = NULL;
    g_autoptr(CsIdentity) identity = cs_identity(dna, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpint(cs_identity_get_summary(identity)->pairs, ==, 0);
    g_assert_cmpint(cs_identity_get_summary(identity)->first_count, ==, 1);
    g_assert_cmpstr(cs_identity_get_summary(identity)->first[0].name, ==, "a");
    fixture_end();
}

static void
begin_many(CsRankPlace *place)
{
    *place = (CsRankPlace){.size = 1, .local_size = G_MAXINT32, .sharers = 1};
}

static void
begin_one(CsRankPlace *place)
{
    *place = (CsRankPlace){.size = 1, .local_size = 1, .sharers = 1};
}

static const CsMpiModule many = {.version = CS_MPI_MODULE_VERSION, .start = begin_many},
                         one = {.version = CS_MPI_MODULE_VERSION, .start = begin_one};

#ifndef SANITIZED
static void
begin_some(CsRankPlace *place)
{
    *place = (CsRankPlace){.size = 1, .local_size = 60, .sharers = 1};
}
#endif

/* With too little memory, it fails before it computes anything; with a little more, it works. */
static void
test_memory(void)
{
#ifdef SANITIZED
    g_test_skip("a sanitizer needs more memory");
#else
    if (!in_own_process())
        return;
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    fixture_begin();
    for (guint k = 0; k < 20000; k++)
        g_string_append_printf(text, ">%u\nAC\n", k);
    g_autofree char *path = fixture_write("many", text->str, text->len);
    CsIdentityOptions options = CS_IDENTITY_OPTIONS_INIT;
    Session session = {.asks = 0, .takes = -1};
    static const CsMpiModule some = {.version = CS_MPI_MODULE_VERSION, .start = begin_some};
    options.threads = 1;
    limit_memory(100 << 20);
    g_autofree char *found = run(path, NULL, options, (CsIdentityTuning){0}, &session, &error);
    g_assert_null(found);
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_nonnull(strstr(error->message, "MiB needed"));
    g_assert_cmpint(session.asks, ==, 0); /* nobody was asked */
    g_clear_error(&error);
    limit_memory((gsize)1 << 30); /* of address space, which each process has for itself */
    cs_ranks_join(&some);
    session.asks = 1;
    g_autofree char *other = run(path, NULL, options, (CsIdentityTuning){0}, &session, &error);
    cs_ranks_join(&one);
    g_assert_null(other);
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    fixture_end();
#endif
}

/* The processes of a machine share its memory. */
static void
test_shared_memory(void)
{
    g_autoptr(GError) error = NULL;
    fixture_begin();
    g_autofree char *dna = write_text("dna", ">a\nACGT\n");
    cs_ranks_join(&many);
    g_autoptr(CsIdentity) refused = cs_identity(dna, NULL, NULL, &error);
    cs_ranks_join(&one);
    g_assert_null(refused);
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_nonnull(strstr(error->message, "for all processes"));
    fixture_end();
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/identity/oracle", test_oracle);
    g_test_add_func("/identity/long-pair", test_long_pair);
    g_test_add_func("/identity/plan-words", test_plan_words);
    g_test_add_func("/identity/plan-devices", test_plan_devices);
    g_test_add_func("/identity/plan-disk", test_plan_disk);
    g_test_add_func("/identity/high-scores", test_high_scores);
    g_test_add_func("/identity/diagonal", test_diagonal);
    g_test_add_func("/identity/same", test_same);
    g_test_add_func("/identity/filters", test_filters);
    g_test_add_func("/identity/stops", test_stops);
    g_test_add_func("/identity/other-run", test_other_run);
    g_test_add_func("/identity/damage", test_damage);
    g_test_add_func("/identity/damaged-part", test_damaged_part);
    g_test_add_func("/identity/folders", test_folders);
    g_test_add_func("/identity/lost-folder", test_lost_folder);
    g_test_add_func("/identity/bad", test_bad);
    g_test_add_func("/identity/skewed-matrix", test_skewed_matrix);
    g_test_add_func("/identity/memory", test_memory);
    g_test_add_func("/identity/shared-memory", test_shared_memory);
    g_test_add_func("/identity/one-record", test_one_record);
    return g_test_run();
}
