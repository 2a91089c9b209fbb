/* Random pairs of circles. */
#include "circular_trial.h"

#include <string.h>

#include <chromosweep/checkpoint.h>
#include <chromosweep/error.h>

#include "../unit/related.h"
#include "alignment_steps.h"

enum {
    LONGEST = 60,      /* where one record is circular */
    LONGEST_BOTH = 17, /* where both are */
};

static GString *
turned(const GString *bases, gsize by)
{
    GString *text = g_string_new(bases->str + by);
    return g_string_append_len(text, bases->str, (gssize)by);
}

static void
append_unit(CircularTrial *trial, GString *text, int alphabet, int longest)
{
    g_autoptr(GString) unit = g_string_new(NULL);
    related_append(trial->rand, unit, alphabet, g_rand_int_range(trial->rand, 1, 6));
    while ((int)(text->len + unit->len) <= longest)
        g_string_append(text, unit->str);
}

/* The target: random, a tandem array, or twice the same with changes. */
static void
make_target(CircularTrial *trial, int alphabet, int longest)
{
    GRand *rand = trial->rand;
    trial->target = g_string_new(NULL);
    switch (g_rand_int_range(rand, 0, 5)) {
    case 0: append_unit(trial, trial->target, alphabet, g_rand_int_range(rand, 1, longest)); break;
    case 1: {
        related_append(rand, trial->target, alphabet, g_rand_int_range(rand, 2, longest / 2));
        g_autoptr(GString) copy = related_copy(rand, trial->target, alphabet, 60);
        g_string_append(trial->target, copy->str);
        break;
    }
    default: related_append(rand, trial->target, alphabet, g_rand_int_range(rand, 1, longest));
    }
    if (trial->target->len == 0)
        g_string_append_c(trial->target, 'C');
}

/* The query: a turned copy, one and a half copies, an inverted one, a part, or something else. */
static void
make_query(CircularTrial *trial, int alphabet, int longest)
{
    GRand *rand = trial->rand;
    const gsize by = (gsize)g_rand_int_range(rand, 0, (gint32)trial->target->len);
    g_autoptr(GString) turn = turned(trial->target, by);
    const int changed = g_rand_int_range(rand, 0, 3) * g_rand_int_range(rand, 0, 150);
    const int kind = g_rand_int_range(rand, 0, 6);
    if (kind == 0) {
        trial->query = g_string_new(NULL);
        related_append(rand, trial->query, alphabet, g_rand_int_range(rand, 1, longest));
        return;
    }
    if (kind == 1) {
        g_autoptr(GString) more = related_copy(rand, turn, alphabet, changed);
        g_string_append_len(turn, more->str, g_rand_int_range(rand, 0, (gint32)more->len + 1));
    }
    if (kind == 2)
        g_string_truncate(turn, (gsize)g_rand_int_range(rand, 1, (gint32)turn->len + 1));
    if (kind == 3)
        related_append(rand, turn, alphabet, g_rand_int_range(rand, 0, 9));
    trial->query = related_copy(rand, turn, alphabet, changed);
    if (g_rand_int_range(rand, 0, 3) == 0)
        related_invert(trial->query, 0, trial->query->len);
    if (trial->query->len == 0)
        g_string_append_c(trial->query, 'A');
    g_string_truncate(trial->query, MIN(trial->query->len, (gsize)(longest + longest / 2)));
}

void
circular_trial_init(CircularTrial *trial, guint32 seed, gboolean on_gpu)
{
    static const CsScoring scorings[] = {
        CS_SCORING_DEFAULT, {2, 3, 5, 2}, {1, 1, 1, 1}, {1, 0, 0, 0}, {3, 4, 0, 2}};
    static const char *const engines[] = {"scalar", "simd", "cuda"};
    *trial = (CircularTrial){.rand = g_rand_new_with_seed(seed)};
    GRand *rand = trial->rand;
    CsCompareOptions *o = &trial->options;
    *o = (CsCompareOptions)CS_COMPARE_OPTIONS_INIT;
    o->circular = (CsCircular)(1 + seed % 3);
    const int alphabet = g_rand_int_range(rand, 1, 5);
    const int longest = o->circular == CS_CIRCULAR_BOTH ? LONGEST_BOTH : LONGEST;
    make_target(trial, alphabet, longest);
    make_query(trial, alphabet, longest);
    if (g_rand_int_range(rand, 0, 8) == 0)
        related_add_ns(rand, trial->target, 3);
    if (g_rand_boolean(rand) && o->circular != CS_CIRCULAR_BOTH) {
        GString *target = trial->target;
        trial->target = trial->query;
        trial->query = target;
    }
    o->scoring = scorings[g_rand_int_range(rand, 0, G_N_ELEMENTS(scorings))];
    o->strand = (CsStrand)g_rand_int_range(rand, 0, 3);
    o->engine = engines[on_gpu ? 2 : g_rand_int_range(rand, 0, 2)];
    o->threads = (guint)g_rand_int_range(rand, 1, 4);
    o->skip = (CsSkipMode)g_rand_int_range(rand, CS_SKIP_AUTO, CS_SKIP_BOUNDS + 1);
    trial->what =
        g_strdup_printf("seed %u, circular %d, strand %d, target %s, query %s", seed,
                        (int)o->circular, (int)o->strand, trial->target->str, trial->query->str);
}

void
circular_trial_clear(CircularTrial *trial)
{
    g_rand_free(trial->rand);
    g_string_free(trial->target, TRUE);
    g_string_free(trial->query, TRUE);
    g_free(trial->what);
}

void
circular_alone(CircularTrial *trial, int longest)
{
    GRand *rand = trial->rand;
    GString *target = trial->target;
    const int kind = g_rand_int_range(rand, 0, 4);
    if (kind < 2) {
        g_string_truncate(target, MIN(target->len, (gsize)longest / 2));
        g_autoptr(GString) copy = related_copy(rand, target, 4, g_rand_int_range(rand, 0, 2) * 60);
        if (kind == 1)
            related_invert(copy, 0, copy->len);
        g_string_append(target, copy->str);
    }
    if (kind == 2)
        related_append(rand, target, 2, longest / 3);
    g_string_truncate(target, MIN(target->len, (gsize)longest));
    g_autoptr(GString) turn = turned(target, (gsize)g_rand_int_range(rand, 0, (gint32)target->len));
    g_string_assign(trial->target, turn->str);
    g_string_assign(trial->query, turn->str);
    trial->options.circular = CS_CIRCULAR_BOTH;
    g_free(trial->what);
    trial->what =
        g_strdup_printf("strand %d, circle %s", (int)trial->options.strand, trial->target->str);
}

/* A CsControlFunc. */
static CsControl
stop_later(gpointer user_data)
{
    CircularStops *stops = user_data;
    if (stops->left == 0)
        return CS_CONTROL_STOP;
    stops->left--;
    return stops->left % 3 == 0 ? CS_CONTROL_SAVE : CS_CONTROL_GO_ON;
}

/* A CsNoteFunc: what one run saved, the next one has a use for. */
static void
hear(CsNoteKind kind, const char *message, gpointer user_data)
{
    const CircularStops *stops = user_data;
    if (kind == CS_NOTE_WARNING &&
        (strstr(message, "wrong") != NULL || strstr(message, "no use") != NULL ||
         strstr(message, "damaged") != NULL || strstr(message, "save") != NULL))
        g_error("%s: %s", stops->trial->what, message);
}

void
circular_stops_init(CircularStops *stops, const CircularTrial *trial)
{
    *stops = (CircularStops){.trial = trial,
                             .directory = g_dir_make_tmp("chromosweep-circles-XXXXXX", NULL)};
}

void
circular_stops_begin(CircularStops *stops)
{
    GRand *rand = stops->trial->rand;
    stops->options = stops->trial->options;
    stops->options.engine = g_rand_boolean(rand) ? "scalar" : "simd";
    stops->options.threads = (guint)g_rand_int_range(rand, 1, 3);
    stops->options.skip = (CsSkipMode)g_rand_int_range(rand, CS_SKIP_AUTO, CS_SKIP_BOUNDS + 1);
    stops->options.checkpoint = stops->directory;
    stops->options.control = stop_later;
    stops->options.note = hear;
    stops->options.control_data = stops->options.note_data = stops;
    stops->runs++;
    stops->left = (guint)g_rand_int_range(rand, 0, 12) * stops->runs;
}

CsAlignSetOptions
circular_stops_limits(const CircularStops *stops, const CsAlignSetOptions *set)
{
    GRand *rand = stops->trial->rand;
    CsAlignSetOptions other = *set;
    if (g_rand_int_range(rand, 0, 4) > 0)
        return other;
    other.min_score = stops->trial->options.scoring.match * g_rand_int_range(rand, 1, 12);
    other.most = g_rand_int_range(rand, 0, 5);
    return other;
}

gboolean
circular_stops_end(CircularStops *stops, const GError *error)
{
    if (error != NULL && !g_error_matches(error, CS_ERROR, CS_ERROR_STOPPED))
        g_error("%s, run %u: %s", stops->trial->what, stops->runs, error->message);
    return error != NULL;
}

void
circular_stops_clear(CircularStops *stops)
{
    g_assert_true(cs_checkpoint_remove(stops->directory, NULL));
    g_assert_false(g_file_test(stops->directory, G_FILE_TEST_EXISTS));
    g_free(stops->directory);
}

char *
circular_describe(const CsAlignment *alignment)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    g_autofree char *steps = alignment_steps(alignment);
    return g_strdup_printf("%c score %d target %d-%d query %d-%d %s",
                           s->strand == CS_STRAND_MINUS ? '-' : '+', (int)s->score,
                           (int)s->target_start, (int)s->target_end, (int)s->query_start,
                           (int)s->query_end, steps);
}

void
circular_rearrange(CircularTrial *trial, int longest)
{
    GRand *rand = trial->rand;
    g_string_truncate(trial->target, 0);
    g_string_truncate(trial->query, 0);
    related_append(rand, trial->target, 4, g_rand_int_range(rand, longest / 2, longest));
    const gsize by = (gsize)g_rand_int_range(rand, 0, (gint32)trial->target->len);
    g_autoptr(GString) turn = turned(trial->target, by);
    for (gsize from = 0, count; from < turn->len; from += count) {
        count = MIN((gsize)g_rand_int_range(rand, 4, longest / 2), turn->len - from);
        g_autofree char *text = g_strndup(turn->str + from, count);
        g_autoptr(GString) copy = g_string_new(text);
        if (g_rand_boolean(rand))
            related_invert(copy, 0, copy->len);
        g_string_insert(trial->query, g_rand_boolean(rand) ? 0 : -1, copy->str);
    }
    g_free(trial->what);
    trial->what =
        g_strdup_printf("circular %d, strand %d, target %s, query %s", (int)trial->options.circular,
                        (int)trial->options.strand, trial->target->str, trial->query->str);
}
