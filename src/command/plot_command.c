/* chromosweep plot: a dot plot of two sequences. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/command.h"
#include "command/dot_plot.h"
#include "command/help.h"
#include "command/identity_plot.h"
#include "command/identity_table.h"
#include "command/inputs.h"
#include "command/map_plot.h"
#include "command/messages.h"
#include "command/output.h"
#include "command/pair_list.h"
#include "command/places.h"
#include "command/print.h"
#include "command/progress.h"
#include "command/set_arguments.h"
#include "command/set_result.h"
#include "command/tile_scores.h"
#include "formats/escape.h"
#include "formats/names.h"
#include "formats/tiles_tsv.h"

static const char help[] =
    "Usage: chromosweep plot [options] TARGET.fa QUERY.fa -o FILE\n"
    "+      chromosweep plot [options] --identities FILE.tsv -o FILE\n"
    "\n"
    "Draws a dot plot: the exact best local alignment score in each tile of the\n"
    "matrix, on both strands of the query, and the path of the best alignment of the\n"
    "whole sequences with a ring where it ends. The target is along x.\n"
    "\n"
    "Output:\n"
    "  -o, --output FILE       write the picture to FILE; - is standard output\n"
    "      --format FORMAT     png, svg, pdf or html [from the ending of FILE]\n"
    "      --tiles FILE        write the scores of all tiles as a table, TSV\n"
    "      --size N            longer side in pixels, 300 to 8000 [1200]\n"
    "+     --dpi N             pixels per inch of a PNG or PDF, 50 to 2400 [150]\n"
    "      --tile N            bases per tile [depends on the size]\n"
    "      --min-tile-score N  draw tiles below N white [those as low as by chance]\n"
    "+     --title TEXT        title of the picture [the names of the records]\n"
    "      --no-best           do not mark the best alignment; saves up to half\n"
    "+     --no-path           mark its end, but do not draw its path\n"
    "      --one-to-one        draw all alignments that align --one-to-one finds\n"
    "+     --all               draw all that align --all finds\n"
    "      --min-score N       of these, those that score at least N\n"
    "+ -n, --number N          of these, the first N\n"
    "+     --all-pairs         draw those of all records of both files, without tiles\n"
    "      --identities FILE   draw a table of identity, TSV, as a heat map instead\n"
    "+     --order HOW         file or similar: records as there, or similar ones\n"
    "+                         together [file]\n"
    "+     --histogram         draw how many of its pairs have which identity\n"
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
    "      --device DEVICE     auto, cpu, gpu, gpu:INDEX or gpu:UUID for the best\n"
    "                          alignment; tiles are always computed on CPUs [auto]\n"
    "  -q, --quiet             print nothing but errors on standard error\n"
    "  -v, --verbose           print lengths, tiles and times\n" CS_HELP_LINES "+\n"
    "+Exit status: 0 success, 1 input, output or another operation failed, 2 wrong\n"
    "+usage, 3 malformed input, 4 no such device or not enough memory.\n"
    "\n"
    "Examples:\n"
    "  chromosweep plot -o ape.png \\\n"
    "      sequences/ape_target.fa.gz sequences/ape_query.fa.gz\n"
    "+ chromosweep plot --size 2400 --title 'Two apes' -o ape.pdf \\\n"
    "+     sequences/ape_target.fa.gz sequences/ape_query.fa.gz\n";

enum {
    SIZE_MIN = 300,
    SIZE_MAX = 8000,
    DPI_MIN = 50, /* a page of a PDF has at most 200 inches */
    DPI_MAX = 2400,
};

/* The command line as GOption returns it: every value as it was typed. */
typedef struct {
    CsInputsArguments pair;
    char *min_score, *number;
    char *output, *format, *tiles, *size, *dpi, *tile, *min_tile_score, *title;
    char *threads, *device, *identities, *order;
    CsHelpArguments help;
    gboolean one_to_one, all, all_pairs, no_best, no_path, histogram, quiet, verbose;
    char **files;
} Arguments;

/* What to do. The strings belong to the Arguments. */
typedef struct {
    CsInputs pair;
    const char *output; /* NULL: no picture */
    const char *tiles;  /* NULL: no table */
    const char *title;  /* NULL: the names */
    const char *device;
    CsPageFormat format;
    gboolean html; /* instead of the format */
    gint64 size, dpi, tile, threads;
    gint64 min_tile_score; /* -1: by chance, see choose_least() */
    CsAlignSetOptions set; /* whose paths are drawn, */
    gboolean is_set;       /* if this is TRUE */
    gboolean best, path, many;
    const char *identities; /* a table that is drawn instead of sequences; NULL: none */
    gboolean histogram, similar;
    CsProgressForm progress;
} Job;

/* The plot while it is made. */
typedef struct {
    CsSequence *pair[2];
    CsPairList records; /* instead, with --all-pairs */
    CsLayout layout;
    CsTiles *tiles;
    CsCompareResult best;
    CsAlignment *path;   /* that is drawn, or NULL */
    GPtrArray *set;      /* of CsAlignment, which are drawn, or NULL */
    gint64 least;        /* score below which tiles are white */
    GByteArray *picture; /* the whole file */
} Plot;

static void
plot_clear(Plot *plot)
{
    g_clear_pointer(&plot->pair[0], cs_sequence_unref);
    g_clear_pointer(&plot->pair[1], cs_sequence_unref);
    cs_pair_list_clear(&plot->records);
    g_clear_pointer(&plot->tiles, cs_tiles_free);
    g_clear_pointer(&plot->path, cs_alignment_free);
    g_clear_pointer(&plot->set, g_ptr_array_unref);
    g_clear_pointer(&plot->picture, g_byte_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Plot, plot_clear)

static void
arguments_clear(Arguments *a)
{
    char *values[] = {a->output,    a->format,         a->tiles,      a->size,    a->dpi,
                      a->tile,      a->min_tile_score, a->title,      a->threads, a->device,
                      a->min_score, a->number,         a->identities, a->order};
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
        {"tiles", 0, 0, G_OPTION_ARG_FILENAME, &a->tiles, NULL, NULL},
        {"size", 0, 0, G_OPTION_ARG_FILENAME, &a->size, NULL, NULL},
        {"dpi", 0, 0, G_OPTION_ARG_FILENAME, &a->dpi, NULL, NULL},
        {"tile", 0, 0, G_OPTION_ARG_FILENAME, &a->tile, NULL, NULL},
        {"one-to-one", 0, 0, G_OPTION_ARG_NONE, &a->one_to_one, NULL, NULL},
        {"all", 0, 0, G_OPTION_ARG_NONE, &a->all, NULL, NULL},
        {"min-score", 0, 0, G_OPTION_ARG_FILENAME, &a->min_score, NULL, NULL},
        {"number", 'n', 0, G_OPTION_ARG_FILENAME, &a->number, NULL, NULL},
        {"min-tile-score", 0, 0, G_OPTION_ARG_FILENAME, &a->min_tile_score, NULL, NULL},
        {"title", 0, 0, G_OPTION_ARG_FILENAME, &a->title, NULL, NULL},
        {"all-pairs", 0, 0, G_OPTION_ARG_NONE, &a->all_pairs, NULL, NULL},
        {"no-best", 0, 0, G_OPTION_ARG_NONE, &a->no_best, NULL, NULL},
        {"no-path", 0, 0, G_OPTION_ARG_NONE, &a->no_path, NULL, NULL},
        {"threads", 't', 0, G_OPTION_ARG_FILENAME, &a->threads, NULL, NULL},
        {"device", 0, 0, G_OPTION_ARG_FILENAME, &a->device, NULL, NULL},
        {"identities", 0, 0, G_OPTION_ARG_FILENAME, &a->identities, NULL, NULL},
        {"order", 0, 0, G_OPTION_ARG_FILENAME, &a->order, NULL, NULL},
        {"histogram", 0, 0, G_OPTION_ARG_NONE, &a->histogram, NULL, NULL},
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
           cs_arguments_number("--dpi", a->dpi, DPI_MIN, DPI_MAX, &job->dpi, error) &&
           cs_arguments_number("--tile", a->tile, 1, G_MAXINT64, &job->tile, error) &&
           cs_arguments_number("--min-tile-score", a->min_tile_score, 0, G_MAXINT64,
                               &job->min_tile_score, error);
}

/* The format by --format, or by the end of the output's name. */
static gboolean
parse_format(const Arguments *a, Job *job, GError **error)
{
    enum {
        HTML = CS_PAGE_PDF + 1
    };
    static const char *const formats[] = {
        [CS_PAGE_PNG] = "png", [CS_PAGE_SVG] = "svg", [CS_PAGE_PDF] = "pdf", [HTML] = "html"};
    const char *point = strrchr(a->output, '.');
    for (guint k = 0; k < G_N_ELEMENTS(formats); k++)
        if (a->format != NULL ? strcmp(a->format, formats[k]) == 0
                              : point != NULL && g_ascii_strcasecmp(point + 1, formats[k]) == 0) {
            job->html = k == HTML;
            job->format = job->html ? CS_PAGE_PNG : (CsPageFormat)k;
            return TRUE;
        }
    if (a->format != NULL)
        return cs_arguments_usage(error, "--format must be png, svg, pdf or html, not '%s'",
                                  a->format);
    return cs_arguments_usage(
        error, "'%s' does not end in .png, .svg, .pdf or .html: choose with --format", a->output);
}

static gboolean
parse_outputs(const Arguments *a, Job *job, GError **error)
{
    job->output = a->output;
    job->tiles = a->tiles;
    if (a->output == NULL && a->tiles == NULL)
        return cs_arguments_usage(
            error, "an output is needed: -o FILE.png, .svg, .pdf or .html, or --tiles FILE");
    if (g_strcmp0(a->output, "") == 0 || g_strcmp0(a->tiles, "") == 0)
        return cs_arguments_usage(error, "the name of the output file is empty");
    if (a->output == NULL) {
        job->best = job->path = FALSE;
        return TRUE;
    }
    if (a->tiles != NULL &&
        (strcmp(a->output, a->tiles) == 0 || cs_places_are_same(a->output, a->tiles)))
        return cs_arguments_usage(error, "--output and --tiles are the same file");
    return parse_format(a, job, error);
}

/* Which set of alignments is drawn, if one is wanted. */
static gboolean
parse_set(const Arguments *a, Job *job, GError **error)
{
    const CsSetArguments arguments = {
        .one_to_one = a->one_to_one, .all = a->all, .min_score = a->min_score, .number = a->number};
    job->is_set = cs_set_arguments_is_wanted(&arguments);
    return cs_set_arguments_read(&arguments, -1, &job->set, error);
}

/* An option that was given and means nothing with a table; NULL if there is none. */
static const char *
find_foreign(const Arguments *a)
{
    const CsInputsArguments *pair = &a->pair;
    const struct {
        const char *name;
        gboolean given;
    } all[] = {
        {"--tiles", a->tiles != NULL},
        {"--tile", a->tile != NULL},
        {"--min-tile-score", a->min_tile_score != NULL},
        {"--no-best", a->no_best},
        {"--no-path", a->no_path},
        {"--one-to-one", a->one_to_one},
        {"--all", a->all},
        {"--min-score", a->min_score != NULL},
        {"--number", a->number != NULL},
        {"--all-pairs", a->all_pairs},
        {"--match", pair->match != NULL},
        {"--mismatch", pair->mismatch != NULL},
        {"--gap-open", pair->gap_open != NULL},
        {"--gap-extend", pair->gap_extend != NULL},
        {"--target-name", pair->target_name != NULL},
        {"--query-name", pair->query_name != NULL},
        {"--target-region", pair->target_region != NULL},
        {"--query-region", pair->query_region != NULL},
        {"--threads", a->threads != NULL},
        {"--device", a->device != NULL},
    };
    for (guint k = 0; k < G_N_ELEMENTS(all); k++)
        if (all[k].given)
            return all[k].name;
    return NULL;
}

/* --identities, --order and --histogram. */
static gboolean
parse_table(const Arguments *a, Job *job, GError **error)
{
    static const char *const orders[] = {"file", "similar", NULL};
    guint place = 0;
    if (!cs_arguments_choice("--order", a->order, orders, &place, error))
        return FALSE;
    if (a->identities == NULL)
        return (a->order == NULL && !a->histogram) ||
               cs_arguments_usage(error, "%s needs --identities",
                                  a->order != NULL ? "--order" : "--histogram");
    const char *foreign = find_foreign(a);
    if (foreign != NULL)
        return cs_arguments_usage(error, "%s and --identities cannot be used together", foreign);
    if (a->files != NULL)
        return cs_arguments_usage(error, "--identities draws its table, and no sequences: '%s'",
                                  a->files[0]);
    if (a->histogram && a->order != NULL)
        return cs_arguments_usage(error, "a histogram has no --order");
    job->pair.files[0] = job->identities = a->identities;
    job->histogram = a->histogram;
    job->similar = place == 1;
    return TRUE;
}

static gboolean
job_init(Job *job, const Arguments *a, GError **error)
{
    *job = (Job){.title = a->title,
                 .device = a->device != NULL ? a->device : "auto",
                 .size = 1200,
                 .dpi = 150,
                 .threads = cs_threads_granted(),
                 .min_tile_score = -1,
                 .many = a->all_pairs,
                 .best = !a->no_best,
                 .path = !a->no_best && !a->no_path,
                 .progress = a->quiet ? CS_PROGRESS_NONE : cs_progress_auto()};
    if (!parse_numbers(a, job, error) || !parse_table(a, job, error) || !parse_set(a, job, error) ||
        (a->identities == NULL && !cs_inputs_init(&job->pair, &a->pair, a->files, error)) ||
        !parse_outputs(a, job, error))
        return FALSE;
    if (a->identities != NULL && job->html)
        return cs_arguments_usage(error, "--identities is drawn as png, svg or pdf");
    if (a->title != NULL && !g_utf8_validate(a->title, -1, NULL))
        return cs_arguments_usage(error, "--title must be UTF-8");
    if (a->device != NULL && !job->best)
        return cs_arguments_usage(
            error, "--device is for the best alignment, and --no-best leaves that out");
    if (job->is_set && !job->path)
        return cs_arguments_usage(error, "%s draws paths, and %s leaves them out",
                                  a->all ? "--all" : "--one-to-one",
                                  a->output == NULL ? "--tiles without -o"
                                  : a->no_best      ? "--no-best"
                                                    : "--no-path");
    if (a->all_pairs && !job->is_set)
        return cs_arguments_usage(error, "--all-pairs needs --one-to-one or --all");
    if (a->all_pairs && (a->tiles != NULL || a->tile != NULL || a->min_tile_score != NULL))
        return cs_arguments_usage(error, "--all-pairs draws no tiles, so %s cannot be used",
                                  a->tiles != NULL  ? "--tiles"
                                  : a->tile != NULL ? "--tile"
                                                    : "--min-tile-score");
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

/* The name of a sequence on its axis; with its file if the other has the same name. */
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

/* The set between all records. */
static GPtrArray *
find_many(const CsPairList *pairs, const CsCompareOptions *options, const CsAlignSetOptions *set,
          GError **error)
{
    const GPtrArray *targets = pairs->records[0], *queries = pairs->records[1];
    return cs_align_set_many((const CsSequence *const *)(const void *)targets->pdata, targets->len,
                             (const CsSequence *const *)(const void *)queries->pdata, queries->len,
                             options, set, error);
}

/* Finds the alignments that are drawn, of which the first is the best. */
static gboolean
find_set(const Job *job, Plot *plot, const CsCompareOptions *options, GError **error)
{
    CsAlignSetOptions set = job->set;
    set.max_drop = cs_set_arguments_drop(&set, &job->pair.scoring);
    plot->set = job->many ? find_many(&plot->records, options, &set, error)
                          : cs_align_set(plot->pair[0], plot->pair[1], options, &set, error);
    if (plot->set == NULL)
        return FALSE;
    plot->best = cs_set_result(plot->set);
    if (plot->set->len == 0)
        cs_message(CS_MESSAGE_WARNING, "no alignment scores %" G_GINT64_FORMAT,
                   MAX(1, job->set.min_score));
    else
        cs_set_result_tell(plot->set);
    return TRUE;
}

/* The score of a strand, or what it is known to be below. */
static char *
score_of(const CsStrandResult *strand)
{
    return strand->below > 0 ? g_strdup_printf("below %" G_GINT64_FORMAT, strand->below)
                             : g_strdup_printf("%" G_GINT64_FORMAT, strand->score);
}

static void
tell_best(const CsCompareResult *best)
{
    g_autofree char *plus = score_of(&best->strands[CS_STRAND_PLUS]);
    g_autofree char *minus = score_of(&best->strands[CS_STRAND_MINUS]);
    cs_message(CS_MESSAGE_DETAIL, "best score %s on plus, %s on minus: %.2f s, engine %s", plus,
               minus, best->seconds, best->engine);
}

/* Finds the best alignment on both strands, or at least where it ends. */
static gboolean
find_best(const Job *job, Plot *plot, GError **error)
{
    CsProgressTeller teller = {.form = job->progress};
    const CsSequence *target = plot->pair[0], *query = plot->pair[1];
    CsCompareResult *best = &plot->best;
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.scoring = job->pair.scoring;
    options.threads = (guint)job->threads;
    options.strand = CS_STRAND_BOTH;
    options.device = job->device;
    options.no_start = TRUE; /* of the other strand */
    if (cs_progress_is_heard(&teller)) {
        options.progress = cs_progress_tell;
        options.progress_data = &teller;
    }
    const gboolean done = job->is_set ? find_set(job, plot, &options, error)
                          : job->path ? cs_align(target, query, &options, best, &plot->path, error)
                                      : cs_compare(target, query, &options, best, error);
    cs_progress_end(&teller);
    if (done && !job->is_set)
        tell_best(best);
    return done;
}

/* The score below which tiles are white. Warns if that hides matches. */
static gint64
choose_least(const Job *job, const CsTiles *tiles)
{
    const CsScoring *scoring = &job->pair.scoring;
    const gint64 highest = cs_tile_scores_highest(tiles);
    if (job->min_tile_score >= 0) {
        if (highest < job->min_tile_score)
            cs_message(CS_MESSAGE_WARNING,
                       "all tiles are white: --min-tile-score is %" G_GINT64_FORMAT
                       ", but the highest score of a tile is %" G_GINT64_FORMAT,
                       job->min_tile_score, highest);
        return job->min_tile_score;
    }
    const gint64 chance = cs_tile_scores_chance(tiles, scoring);
    const gint64 perfect = cs_tile_scores_perfect(tiles, scoring);
    if (chance > perfect)
        cs_message(CS_MESSAGE_WARNING,
                   "tiles of %" G_GINT64_FORMAT
                   " bases are too small to tell similarity from chance: only "
                   "perfect matches are shown; try --tile %" G_GINT64_FORMAT,
                   MIN(tiles->target_tile, tiles->query_tile),
                   2 * (MIN(chance, G_MAXINT64 / 4) / scoring->match + 1));
    return MIN(chance, perfect);
}

/* Draws the whole file. */
static GByteArray *
draw(const Job *job, const Plot *plot, GError **error)
{
    g_autofree char *target_name = display_name(job, 0, plot->pair[0], plot->pair[1]);
    g_autofree char *query_name = display_name(job, 1, plot->pair[1], plot->pair[0]);
    g_autofree char *title = job->title != NULL ? cs_escape(job->title, FALSE) : NULL;
    g_autofree char *names = g_strdup_printf("%s × %s", target_name, query_name);
    const CsDotPlot picture = {
        .layout = &plot->layout,
        .tiles = plot->tiles,
        .scoring = &job->pair.scoring,
        .title = title,
        .target_name = target_name,
        .query_name = query_name,
        .target_offset = cs_sequence_get_offset(plot->pair[0]),
        .query_offset = cs_sequence_get_offset(plot->pair[1]),
        .least = plot->least,
        .by_chance = job->min_tile_score < 0,
        .best = job->best ? &plot->best : NULL,
        .best_minus = job->best && plot->best.strand == CS_STRAND_MINUS,
        .names = {cs_sequence_get_name(plot->pair[0]), cs_sequence_get_name(plot->pair[1])},
        .path =
            plot->set != NULL && plot->set->len > 0 ? g_ptr_array_index(plot->set, 0) : plot->path,
        .set = plot->set,
    };
    if (job->html)
        return cs_dot_plot_html(&picture, error);
    g_autoptr(CsPage) page = cs_page_new(job->format, plot->layout.picture_width,
                                         plot->layout.picture_height, (double)job->dpi);
    cs_page_set_title(page, title != NULL ? title : names);
    if (cs_page_lacks_fonts(page) != NULL)
        cs_message(CS_MESSAGE_WARNING, "%s; using plain ASCII text", cs_page_lacks_fonts(page));
    cs_dot_plot_draw(&picture, page);
    return cs_page_finish(page, error);
}

static gboolean
make_picture(const Job *job, Plot *plot, GError **error)
{
    plot->least = choose_least(job, plot->tiles);
    if (job->best && !find_best(job, plot, error))
        return FALSE;
    plot->picture = draw(job, plot, error);
    return plot->picture != NULL;
}

static gboolean
write_table(const Job *job, const Plot *plot, CsOutput *output, GError **error)
{
    if (!cs_output_begin_rows(output, job->pair.files, error) ||
        !cs_output_add_row(output, CS_TILES_TSV_HEADER, error))
        return FALSE;
    for (gint64 r = 0; r < plot->tiles->rows; r++) {
        g_autofree char *rows = cs_tiles_tsv_row(plot->tiles, r, plot->pair[0], plot->pair[1]);
        if (!cs_output_add_row(output, rows, error))
            return FALSE;
    }
    return cs_output_finish_rows(output, error);
}

/* Opens an output if it is wanted. */
static gboolean
open_output(const Job *job, const char *file, CsOutput **output, GError **error)
{
    if (file != NULL)
        *output = cs_output_open(file, job->pair.files, error);
    return file == NULL || *output != NULL;
}

/* The name of a file in the title. */
static char *
file_name(const Job *job, int side)
{
    g_autofree char *base = g_path_get_basename(job->pair.files[side]);
    return cs_escape(strcmp(base, "-") != 0 ? base : "standard input", FALSE);
}

/* Draws the plot of all records. */
static gboolean
run_many(const Job *job, Plot *plot, CsOutput *picture, GError **error)
{
    if (!cs_pair_list_load(&plot->records, &job->pair, NULL, error) || !find_best(job, plot, error))
        return FALSE;
    g_autofree char *target = file_name(job, 0), *query = file_name(job, 1);
    g_autofree char *title = job->title != NULL ? cs_escape(job->title, FALSE) : NULL;
    const CsMapPlot map = {.records = {plot->records.records[0], plot->records.records[1]},
                           .set = plot->set,
                           .scoring = &job->pair.scoring,
                           .title = title,
                           .names = {target, query},
                           .size = (int)job->size,
                           .dpi = (double)job->dpi};
    plot->picture = job->html ? cs_map_plot_html(&map) : cs_map_plot_draw(&map, job->format, error);
    return plot->picture != NULL &&
           cs_output_write_bytes(picture, (const char *)plot->picture->data, plot->picture->len,
                                 error);
}

/* Draws a table of identity. */
static gboolean
run_table(const Job *job, CsOutput *picture, GError **error)
{
    g_auto(CsIdentityTable) table = {0};
    if (!cs_identity_table_load(&table, job->identities, error))
        return FALSE;
    if (job->similar && !table.square) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "%s is a table of two files, which --order similar cannot sort",
                    job->identities);
        return FALSE;
    }
    if (job->similar)
        cs_identity_table_sort(&table);
    g_autofree char *title = job->title != NULL ? cs_escape(job->title, FALSE) : file_name(job, 0);
    const CsIdentityPlot plot = {.table = &table,
                                 .histogram = job->histogram,
                                 .title = title,
                                 .about = job->similar ? "identity; similar records together"
                                                       : "identity",
                                 .size = (int)job->size,
                                 .dpi = (double)job->dpi};
    g_autoptr(GByteArray) drawn = cs_identity_plot_draw(&plot, job->format, error);
    return drawn != NULL &&
           cs_output_write_bytes(picture, (const char *)drawn->data, drawn->len, error);
}

/* Refuses what it can before anything long begins. */
static gboolean
run(const Job *job, GError **error)
{
    g_auto(Plot) plot = {0};
    g_autoptr(CsOutput) picture = NULL;
    g_autoptr(CsOutput) table = NULL;
    if (job->identities != NULL)
        return open_output(job, job->output, &picture, error) && run_table(job, picture, error);
    if (!cs_scoring_check(&job->pair.scoring, 1, 1, error) ||
        cs_device_describe(job->device, NULL, error) == NULL ||
        !open_output(job, job->output, &picture, error) ||
        !open_output(job, job->tiles, &table, error))
        return FALSE;
    if (job->many)
        return run_many(job, &plot, picture, error);
    for (int side = 0; side < 2; side++) {
        plot.pair[side] = load(job, side, error);
        if (plot.pair[side] == NULL)
            return FALSE;
    }
    if (!plan(job, plot.pair[0], plot.pair[1], &plot.layout, error))
        return FALSE;
    plot.tiles = compute_tiles(job, plot.pair[0], plot.pair[1], &plot.layout, error);
    return plot.tiles != NULL && (picture == NULL || make_picture(job, &plot, error)) &&
           (table == NULL || write_table(job, &plot, table, error)) &&
           (picture == NULL || cs_output_write_bytes(picture, (const char *)plot.picture->data,
                                                     plot.picture->len, error));
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
