/* chromosweep plot: a dot plot of two sequences. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/command.h"
#include "command/dot_plot.h"
#include "command/help.h"
#include "command/inputs.h"
#include "command/messages.h"
#include "command/output.h"
#include "command/print.h"
#include "command/progress.h"
#include "command/tile_scores.h"
#include "formats/escape.h"
#include "formats/names.h"

static const char help[] =
    "Usage: chromosweep plot [options] TARGET.fa QUERY.fa -o FILE.png|FILE.svg\n"
    "\n"
    "Draws a dot plot: the exact best local alignment score in each tile of the\n"
    "matrix, on both strands of the query, and where the best alignment of the whole\n"
    "sequences ends. The target is along x.\n"
    "\n"
    "Picture:\n"
    "  -o, --output FILE       write the picture to FILE; - is standard output\n"
    "      --format FORMAT     png or svg [from the ending of FILE]\n"
    "      --size N            longer side in pixels, 300 to 8000 [1200]\n"
    "      --tile N            bases per tile [depends on the size]\n"
    "      --min-score N       draw tiles that score less than N white [tiles scoring\n"
    "                          no better than chance are white]\n"
    "      --title TEXT        title of the picture [the names of the records]\n"
    "      --no-best           do not mark the best alignment; saves half the time\n"
    "Scoring, as for compare: a gap of k bases costs open + k * extend.\n"
    "  -A, --match N           score of a match [1]\n"
    "  -B, --mismatch N        cost of a mismatch [3]\n"
    "  -O, --gap-open N        cost of opening a gap, in addition to its bases [3]\n"
    "  -E, --gap-extend N      cost of each base of a gap, including the first [2]\n"
    "Input and running, as for compare:\n"
    "      --target-name NAME  use only this record of TARGET.fa\n"
    "      --query-name NAME   use only this record of QUERY.fa\n"
    "  -r, --target-region R   use NAME:FROM-TO, NAME:FROM- or NAME of TARGET.fa\n"
    "  -R, --query-region R    use NAME:FROM-TO, NAME:FROM- or NAME of QUERY.fa\n"
    "  -t, --threads N         CPU threads [all that this process may use]\n"
    "  -q, --quiet             print nothing but errors on standard error\n"
    "  -v, --verbose           print lengths, tiles and times\n" CS_HELP_LINES "+\n"
    "+Exit status: 0 success, 1 input, output or another operation failed, 2 wrong\n"
    "+usage, 3 malformed input, 4 not enough memory.\n"
    "\n"
    "Examples:\n"
    "  chromosweep plot human_MT.fa.gz orang_MT.fa.gz -o MT.png\n"
    "  chromosweep plot --size 2400 --title 'Two strains' a.fa b.fa -o strains.svg\n";

enum {
    SIZE_MIN = 300,
    SIZE_MAX = 8000,
};

/* The command line as GOption leaves it: every value as it was typed. */
typedef struct {
    CsInputsArguments pair;
    char *output, *format, *size, *tile, *min_score, *title;
    char *threads;
    CsHelpArguments help;
    gboolean no_best, quiet, verbose;
    char **files;
} Arguments;

/* What is to be done. The strings are those of the Arguments. */
typedef struct {
    CsInputs pair;
    const char *output;
    const char *title; /* NULL: the names */
    CsDotPlotFormat format;
    gint64 size, tile, threads;
    gint64 min_score; /* -1: what chance gives */
    gboolean best;
    CsProgressForm progress;
} Job;

static void
arguments_clear(Arguments *a)
{
    char *values[] = {a->output, a->format, a->size, a->tile, a->min_score, a->title, a->threads};
    cs_inputs_arguments_clear(&a->pair);
    for (guint k = 0; k < G_N_ELEMENTS(values); k++)
        g_free(values[k]);
    g_strfreev(a->files);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Arguments, arguments_clear)

static gboolean
arguments_parse(Arguments *a, int argc, char **argv, GError **error)
{
    const GOptionEntry entries[] = {
        CS_INPUTS_ENTRIES(&a->pair),
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &a->output, NULL, NULL},
        {"format", 0, 0, G_OPTION_ARG_FILENAME, &a->format, NULL, NULL},
        {"size", 0, 0, G_OPTION_ARG_FILENAME, &a->size, NULL, NULL},
        {"tile", 0, 0, G_OPTION_ARG_FILENAME, &a->tile, NULL, NULL},
        {"min-score", 0, 0, G_OPTION_ARG_FILENAME, &a->min_score, NULL, NULL},
        {"title", 0, 0, G_OPTION_ARG_FILENAME, &a->title, NULL, NULL},
        {"no-best", 0, 0, G_OPTION_ARG_NONE, &a->no_best, NULL, NULL},
        {"threads", 't', 0, G_OPTION_ARG_FILENAME, &a->threads, NULL, NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &a->quiet, NULL, NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &a->verbose, NULL, NULL},
        CS_HELP_ENTRIES(&a->help),
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a->files, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    return cs_arguments_parse(entries, argc, argv, error);
}

static gboolean
parse_numbers(const Arguments *a, Job *job, GError **error)
{
    return cs_arguments_number("--threads", a->threads, 1, CS_ARGUMENTS_THREADS_MAX, &job->threads,
                               error) &&
           cs_arguments_number("--size", a->size, SIZE_MIN, SIZE_MAX, &job->size, error) &&
           cs_arguments_number("--tile", a->tile, 1, G_MAXINT64, &job->tile, error) &&
           cs_arguments_number("--min-score", a->min_score, 0, G_MAXINT64, &job->min_score, error);
}

/* --format, or what the end of the output's name says. */
static gboolean
parse_output(const Arguments *a, Job *job, GError **error)
{
    static const char *const formats[] = {"png", "svg"};
    if (a->output == NULL || a->output[0] == '\0')
        return cs_arguments_usage(error,
                                  "an output file is needed, such as -o FILE.png or -o FILE.svg");
    job->output = a->output;
    const char *point = strrchr(a->output, '.');
    for (guint k = 0; k < G_N_ELEMENTS(formats); k++)
        if (a->format != NULL ? strcmp(a->format, formats[k]) == 0
                              : point != NULL && g_ascii_strcasecmp(point + 1, formats[k]) == 0) {
            job->format = k == 0 ? CS_DOT_PLOT_PNG : CS_DOT_PLOT_SVG;
            return TRUE;
        }
    if (a->format != NULL)
        return cs_arguments_usage(error, "--format must be png or svg, not '%s'", a->format);
    return cs_arguments_usage(
        error, "'%s' does not end in .png or .svg; choose a format with --format", a->output);
}

static gboolean
job_init(Job *job, const Arguments *a, GError **error)
{
    *job = (Job){.title = a->title,
                 .size = 1200,
                 .threads = cs_threads_granted(),
                 .min_score = -1,
                 .best = !a->no_best,
                 .progress = a->quiet ? CS_PROGRESS_NONE : cs_progress_auto()};
    if (!parse_numbers(a, job, error) || !cs_inputs_init(&job->pair, &a->pair, a->files, error) ||
        !parse_output(a, job, error))
        return FALSE;
    if (a->title != NULL && !g_utf8_validate(a->title, -1, NULL))
        return cs_arguments_usage(error, "--title must be UTF-8");
    if (a->quiet && a->verbose)
        return cs_arguments_usage(error, "--quiet and --verbose cannot be used together");
    cs_messages_set(a->quiet, a->verbose);
    return TRUE;
}

/* Loads the target (side 0) or the query (side 1). */
static CsSequence *
load(const Job *job, int side, GError **error)
{
    CsSequence *sequence = cs_inputs_load(&job->pair, side, error);
    if (sequence == NULL)
        return NULL;
    cs_inputs_warn(side, sequence);
    cs_inputs_tell(side, sequence);
    return sequence;
}

/* What the axis calls a sequence: its name, with its file's where the other has the same. */
static char *
display_name(const Job *job, int side, const CsSequence *sequence, const CsSequence *other)
{
    static const char *const sides[] = {"target", "query"};
    g_autofree char *region = cs_names_region_of(sequence);
    const char *name = region != NULL ? region : cs_sequence_get_name(sequence);
    g_autofree char *base = g_path_get_basename(job->pair.files[side]);
    const char *file = strcmp(base, "-") != 0 ? base : sides[side];
    gboolean same = strcmp(cs_sequence_get_name(sequence), cs_sequence_get_name(other)) == 0 &&
                    strcmp(job->pair.files[0], job->pair.files[1]) != 0;
    g_autofree char *shown = name[0] == '\0' ? g_strdup(file)
                             : same          ? g_strdup_printf("%s: %s", file, name)
                                             : g_strdup(name);
    return cs_escape(shown, FALSE);
}

static gboolean
plan(const Job *job, const CsSequence *target, const CsSequence *query, CsLayout *layout,
     GError **error)
{
    const gint64 m = cs_sequence_get_length(target), n = cs_sequence_get_length(query);
    cs_layout_init(layout, m, n, (int)job->size, job->tile);
    gint64 least = (MAX(m, n) - 1) / CS_DOT_PLOT_TILES_MAX + 1;
    if (job->tile == 0 || job->tile >= least)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                "tiles of %" G_GINT64_FORMAT " bases would make more than %d tiles per side; the "
                "smallest --tile here is %" G_GINT64_FORMAT,
                job->tile, CS_DOT_PLOT_TILES_MAX, least);
    return FALSE;
}

static CsTiles *
compute_tiles(const Job *job, const CsSequence *target, const CsSequence *query,
              const CsLayout *layout, GError **error)
{
    CsProgressTeller teller = {.form = job->progress};
    CsTileOptions options = CS_TILE_OPTIONS_INIT;
    options.scoring = job->pair.scoring;
    options.target_tile = layout->target_tile;
    options.query_tile = layout->query_tile;
    options.threads = (guint)job->threads;
    if (cs_progress_is_heard(&teller)) {
        options.progress = cs_progress_tell;
        options.progress_data = &teller;
    }
    CsTiles *tiles = cs_tiles_new(target, query, &options, error);
    cs_progress_end(&teller);
    if (tiles != NULL)
        cs_message(CS_MESSAGE_DETAIL,
                   "%" G_GINT64_FORMAT " x %" G_GINT64_FORMAT " tiles of %" G_GINT64_FORMAT
                   " x %" G_GINT64_FORMAT
                   " bases, both strands: %.2f s on the CPU, engine %s, threads: %u",
                   tiles->rows, tiles->columns, tiles->target_tile, tiles->query_tile,
                   tiles->seconds, tiles->engine, tiles->threads);
    return tiles;
}

/* The best alignment of both strands. */
static gboolean
find_best(const Job *job, const CsSequence *target, const CsSequence *query,
          CsCompareResult *result, GError **error)
{
    CsProgressTeller teller = {.form = job->progress};
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.scoring = job->pair.scoring;
    options.threads = (guint)job->threads;
    options.strand = CS_STRAND_BOTH;
    if (cs_progress_is_heard(&teller)) {
        options.progress = cs_progress_tell;
        options.progress_data = &teller;
    }
    gboolean done = cs_compare(target, query, &options, result, error);
    cs_progress_end(&teller);
    if (done)
        cs_message(CS_MESSAGE_DETAIL,
                   "best score %" G_GINT64_FORMAT " on plus, %" G_GINT64_FORMAT
                   " on minus: %.2f s, engine %s",
                   result->strands[CS_STRAND_PLUS].score, result->strands[CS_STRAND_MINUS].score,
                   result->seconds, result->engine);
    return done;
}

/* Whatever can be refused is refused before anything long begins. */
static gboolean
run(const Job *job, GError **error)
{
    CsLayout layout;
    CsCompareResult best;
    if (!cs_scoring_check(&job->pair.scoring, 1, 1, error))
        return FALSE;
    g_autoptr(CsOutput) output = cs_output_open(job->output, job->pair.files, error);
    g_autoptr(CsSequence) target = output != NULL ? load(job, 0, error) : NULL;
    g_autoptr(CsSequence) query = target != NULL ? load(job, 1, error) : NULL;
    if (query == NULL || !plan(job, target, query, &layout, error))
        return FALSE;
    CsDotPlot picture = {.layout = &layout, .scoring = &job->pair.scoring};
    g_autoptr(CsTiles) tiles = compute_tiles(job, target, query, &layout, error);
    if (tiles == NULL || (job->best && !find_best(job, target, query, &best, error)))
        return FALSE;
    g_autofree char *target_name = display_name(job, 0, target, query);
    g_autofree char *query_name = display_name(job, 1, query, target);
    g_autofree char *title = job->title != NULL
                                 ? cs_escape(job->title, FALSE)
                                 : g_strdup_printf("%s × %s", target_name, query_name);
    picture.tiles = tiles;
    picture.title = title;
    picture.target_name = target_name;
    picture.query_name = query_name;
    picture.target_offset = cs_sequence_get_offset(target);
    picture.query_offset = cs_sequence_get_offset(query);
    picture.least =
        job->min_score >= 0 ? job->min_score : cs_tile_scores_background(tiles, &job->pair.scoring);
    picture.by_chance = job->min_score < 0;
    picture.best = job->best ? &best : NULL;
    picture.best_minus = job->best && best.strand == CS_STRAND_MINUS;
    g_autoptr(GByteArray) bytes = cs_dot_plot_draw(&picture, job->format, error);
    return bytes != NULL &&
           cs_output_write_bytes(output, (const char *)bytes->data, bytes->len, error);
}

int
cs_plot_command(int argc, char **argv)
{
    g_auto(Arguments) arguments = {0};
    g_autoptr(GError) error = NULL;
    Job job;
    if (!arguments_parse(&arguments, argc, argv, &error))
        return cs_print_failure("chromosweep plot", error);
    if (cs_help_is_wanted(&arguments.help))
        return cs_help_print(&arguments.help, help);
    if (!job_init(&job, &arguments, &error) || !run(&job, &error))
        return cs_print_failure("chromosweep plot", error);
    return 0;
}
