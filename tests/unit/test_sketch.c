/* Sketches of pairs whose relation is known. If nothing can be told, there is no warning. */
#include <string.h>

#include <chromosweep/compare.h>

#include "../reverse_complement.h"
#include "lower_bound/sketch.h"
#include "sequence/sequence_private.h"

#define SEED 1

static char *
random_bases(GRand *rand, gint64 length)
{
    char *bases = g_malloc(length + 1);
    for (gint64 k = 0; k < length; k++)
        bases[k] = "ACGT"[g_rand_int_range(rand, 0, 4)];
    bases[length] = '\0';
    return bases;
}

/* Replaces each base with this chance by a random one. */
static char *
mutate(GRand *rand, const char *bases, double chance)
{
    char *copy = g_strdup(bases);
    for (char *base = copy; *base != '\0'; base++)
        if (g_rand_double(rand) < chance)
            *base = "ACGT"[g_rand_int_range(rand, 0, 4)];
    return copy;
}

/* So many copies of the unit, each with changes of its own. */
static char *
array_of(GRand *rand, const char *unit, int copies, double chance)
{
    GString *array = g_string_new(NULL);
    for (int k = 0; k < copies; k++) {
        g_autofree char *copy = mutate(rand, unit, chance);
        g_string_append(array, copy);
    }
    return g_string_free(array, FALSE);
}

static CsSketch
sketch_of(const char *target, const char *query)
{
    g_autoptr(CsSequence) t = cs_sequence_new("t", target, -1, NULL);
    g_autoptr(CsSequence) q = cs_sequence_new("q", query, -1, NULL);
    CsSketch sketch, turned;
    cs_sketch_init(&sketch, t, q);
    if (t->length != q->length) { /* the k-mers of the shorter one are looked for */
        cs_sketch_init(&turned, q, t);
        g_assert_cmpmem(&sketch, sizeof sketch, &turned, sizeof turned);
    }
    return sketch;
}

static void
assert_verdict(const char *target, const char *query, CsSketchVerdict verdict)
{
    CsSketch sketch = sketch_of(target, query);
    g_assert_cmpint(cs_sketch_judge(&sketch), ==, verdict);
}

/* And the opposite if the query is reversed. */
static void
assert_strand(const char *target, const char *query, CsSketchVerdict verdict)
{
    static const CsSketchVerdict opposite[] = {CS_SKETCH_SILENT, CS_SKETCH_MINUS, CS_SKETCH_PLUS,
                                               CS_SKETCH_UNRELATED};
    g_autofree char *reversed = reverse_complement(query);
    assert_verdict(target, query, verdict);
    assert_verdict(target, reversed, opposite[verdict]);
}

static void
test_counts(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(SEED);
    g_autofree char *bases = random_bases(rand, 2000);
    g_autofree char *reversed = reverse_complement(bases);
    CsSketch sketch = sketch_of(bases, bases);
    const gint64 kmers = 2000 - CS_SKETCH_BASES + 1;
    g_assert_cmpint(sketch.kmers, ==, kmers);
    g_assert_cmpint(sketch.plus, ==, kmers);
    g_assert_cmpint(sketch.minus + sketch.both, ==, 0);
    sketch = sketch_of(bases, reversed);
    g_assert_cmpint(sketch.minus, ==, kmers);
    g_assert_cmpint(sketch.plus + sketch.both, ==, 0);
    g_autofree char *there_and_back = g_strconcat(bases, reversed, NULL);
    sketch = sketch_of(there_and_back, bases);
    g_assert_cmpint(sketch.both, ==, kmers);
    g_assert_cmpint(sketch.plus + sketch.minus, ==, 0);
    /* A k-mer must not have a base that matches nothing. */
    g_autofree char *holed = g_strdup(bases);
    holed[1000] = 'N';
    sketch = sketch_of(bases, holed);
    g_assert_cmpint(sketch.kmers, ==, kmers - CS_SKETCH_BASES);
    g_assert_cmpint(sketch.plus, ==, kmers - CS_SKETCH_BASES);
    /* Shorter than a k-mer. */
    sketch = sketch_of("ACGT", bases);
    g_assert_cmpint(sketch.kmers, ==, 0);
    sketch = sketch_of("ACGTACGTACGTACGTACGTN", bases);
    g_assert_cmpint(sketch.kmers, ==, 0);
    g_assert_cmpint(cs_sketch_judge(&sketch), ==, CS_SKETCH_SILENT);
}

/* The k-mers of a long sequence are a sample of all its length. */
static void
test_sample(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(SEED);
    g_autofree char *bases = random_bases(rand, 1000000);
    g_autofree char *other = random_bases(rand, 500000);
    g_autofree char *half = g_strdup_printf("%.500000s%s", bases, other);
    CsSketch sketch = sketch_of(bases, half);
    g_assert_cmpint(sketch.kmers, >, CS_SKETCH_KMERS * 9 / 10);
    g_assert_cmpint(sketch.kmers, <=, CS_SKETCH_KMERS);
    g_assert_cmpint(sketch.plus, >, sketch.kmers * 48 / 100);
    g_assert_cmpint(sketch.plus, <, sketch.kmers * 52 / 100);
    /* The limit itself, and a base more and less. */
    for (gint64 length = CS_SKETCH_KMERS - 1; length <= CS_SKETCH_KMERS + 1; length++) {
        g_autofree char *piece = g_strndup(bases, length);
        sketch = sketch_of(piece, bases);
        g_assert_cmpint(sketch.plus, ==, sketch.kmers);
    }
}

static void
test_strands(void)
{
    static const double changed[] = {0, 0.05, 0.2};
    static const gint64 lengths[] = {300, 1000, 15000, 300000};
    g_autoptr(GRand) rand = g_rand_new_with_seed(SEED);
    for (guint k = 0; k < G_N_ELEMENTS(lengths); k++) {
        g_autofree char *target = random_bases(rand, lengths[k]);
        for (guint c = 0; c < (lengths[k] < 15000 ? 2 : G_N_ELEMENTS(changed)); c++) {
            g_autofree char *query = mutate(rand, target, changed[c]);
            assert_strand(target, query, CS_SKETCH_PLUS);
        }
    }
    /* If a quarter is inverted, the rest decides; if half is inverted, neither strand is better. */
    g_autofree char *a = random_bases(rand, 30000), *b = random_bases(rand, 10000);
    g_autofree char *c = random_bases(rand, 30000), *turned = reverse_complement(c);
    g_autofree char *target = g_strconcat(a, b, NULL), *rb = reverse_complement(b);
    g_autofree char *query = g_strconcat(a, rb, NULL);
    CsSketch sketch = sketch_of(target, query);
    g_assert_cmpint(cs_sketch_judge(&sketch), !=, CS_SKETCH_MINUS);
    g_autofree char *ac = g_strconcat(a, c, NULL), *half = g_strconcat(a, turned, NULL);
    assert_strand(ac, half, CS_SKETCH_SILENT);
}

static void
test_unrelated(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(SEED);
    for (gint64 length = 6000; length <= 600000; length *= 10) {
        g_autofree char *target = random_bases(rand, length);
        g_autofree char *query = random_bases(rand, length + length / 3);
        assert_strand(target, query, CS_SKETCH_UNRELATED);
    }
    /* Too short to tell. */
    g_autofree char *target = random_bases(rand, 3000), *query = random_bases(rand, 400000);
    assert_strand(target, query, CS_SKETCH_SILENT);
    /* A gene of 2% of the length is something in common. */
    g_autofree char *a = random_bases(rand, 50000), *b = random_bases(rand, 49000);
    g_autofree char *with = g_strdup_printf("%s%.1000s", b, a + 20000);
    CsSketch sketch = sketch_of(a, with);
    g_assert_cmpint(cs_sketch_judge(&sketch), !=, CS_SKETCH_UNRELATED);
}

/* Long sequences that tell little. */
static void
test_repeats(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(SEED);
    g_autofree char *none = g_strnfill(100000, 'N'), *as = g_strnfill(60000, 'A');
    g_autofree char *ts = g_strnfill(60000, 'T');
    g_autofree char *ac = array_of(rand, "AC", 30000, 0), *gt = array_of(rand, "GT", 30000, 0);
    assert_verdict(none, none, CS_SKETCH_SILENT);
    assert_strand(as, as, CS_SKETCH_SILENT);
    assert_strand(ac, ac, CS_SKETCH_SILENT);
    /* Arrays that run against each other beside what is related: by k-mers, not by length. */
    g_autofree char *a = random_bases(rand, 20000), *b = mutate(rand, a, 0.05);
    g_autofree char *a_ac = g_strconcat(a, ac, none, NULL), *b_gt = g_strconcat(gt, none, b, NULL);
    assert_strand(a_ac, b_gt, CS_SKETCH_PLUS);
    g_autofree char *a_a = g_strconcat(a, as, NULL), *b_t = g_strconcat(ts, b, NULL);
    assert_strand(a_a, b_t, CS_SKETCH_PLUS);
    /* In unrelated sequences too, an array is something in common. */
    g_autofree char *c = random_bases(rand, 20000), *c_gt = g_strconcat(c, gt, NULL);
    assert_strand(a_ac, c_gt, CS_SKETCH_SILENT);
    /* Satellites, each copy of its own, against each other beside twice as much that is related. */
    g_autofree char *unit = random_bases(rand, 171);
    g_autofree char *satellite = array_of(rand, unit, 60, 0.1);
    g_autofree char *other = array_of(rand, unit, 60, 0.1), *against = reverse_complement(other);
    g_autofree char *a_s = g_strconcat(a, satellite, NULL), *b_s = g_strconcat(b, against, NULL);
    CsSketch sketch = sketch_of(a_s, b_s);
    g_assert_cmpint(cs_sketch_judge(&sketch), !=, CS_SKETCH_MINUS);
}

static void
note_into(CsNoteKind kind, const char *message, gpointer user_data)
{
    if (kind == CS_NOTE_WARNING &&
        (strstr(message, " strand, ") != NULL || strstr(message, "unrelated") != NULL))
        g_string_append_printf(user_data, "%s\n", message);
}

static gboolean many;

static void
assert_noted(const char *target, const char *query, CsStrand strand, const char *beginning)
{
    g_autoptr(CsSequence) t = cs_sequence_new("t", target, -1, NULL);
    g_autoptr(CsSequence) q = cs_sequence_new("q", query, -1, NULL);
    g_autoptr(GString) notes = g_string_new(NULL);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.device = "cpu";
    options.strand = strand;
    options.one_of_many = many;
    options.note = note_into;
    options.note_data = notes;
    CsCompareResult result;
    g_autoptr(GError) error = NULL;
    g_assert_true(cs_compare(t, q, &options, &result, &error));
    g_assert_no_error(error);
    if (beginning == NULL)
        g_assert_cmpstr(notes->str, ==, "");
    else
        g_assert_true(g_str_has_prefix(notes->str, beginning));
}

static void
test_notes(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(SEED);
    g_autofree char *target = random_bases(rand, 6000), *query = mutate(rand, target, 0.05);
    g_autofree char *reversed = reverse_complement(query), *other = random_bases(rand, 7000);
    const char *unrelated = "target t and query q look unrelated: ";
    assert_noted(target, query, CS_STRAND_PLUS, NULL);
    assert_noted(target, query, CS_STRAND_MINUS,
                 "target t and query q match mostly on the plus strand: ");
    assert_noted(target, query, CS_STRAND_BOTH, NULL);
    assert_noted(target, reversed, CS_STRAND_PLUS,
                 "target t and query q match mostly on the minus strand: ");
    assert_noted(target, reversed, CS_STRAND_MINUS, NULL);
    assert_noted(target, reversed, CS_STRAND_BOTH, NULL);
    assert_noted(target, other, CS_STRAND_PLUS, unrelated);
    assert_noted(other, target, CS_STRAND_BOTH, unrelated);
    /* One of many pairs. */
    many = TRUE;
    assert_noted(target, other, CS_STRAND_PLUS, NULL);
    assert_noted(target, reversed, CS_STRAND_PLUS, "target t and query q match mostly");
    many = FALSE;
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sketch/counts", test_counts);
    g_test_add_func("/sketch/sample", test_sample);
    g_test_add_func("/sketch/strands", test_strands);
    g_test_add_func("/sketch/unrelated", test_unrelated);
    g_test_add_func("/sketch/repeats", test_repeats);
    g_test_add_func("/sketch/notes", test_notes);
    return g_test_run();
}
