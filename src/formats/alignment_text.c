/* An alignment for people: what it is, then its columns, 60 to a row, as BLAST shows them. */
#include <string.h>

#include "formats/alignment_columns.h"
#include "formats/alignment_fields.h"
#include "formats/names.h"

enum {
    WIDTH = 60,
};

/* Columns that are shown together. */
typedef struct {
    gint64 count;
    char target[WIDTH + 1], equal[WIDTH + 1], query[WIDTH + 1];
    gint64 n_target, n_query; /* bases in them */
} Row;

static void
append_line(GString *text, const CsAlignmentReport *report, const char *label, const char *line)
{
    cs_fields_line(text, cs_alignment_fields, report, label, line);
}

static void
append_sequence(GString *text, const CsAlignmentReport *report, const char *label, guint side)
{
    g_autofree char *shown = cs_names_sequence(report->files[side], report->sequences[side]);
    g_string_append_printf(text, "%-12s%s\n", label, shown);
}

static void
append_identity(GString *text, const CsAlignmentReport *report)
{
    char by_columns[G_ASCII_DTOSTR_BUF_SIZE], compressed[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(by_columns, sizeof by_columns, "%.4f", 100 * report->identity);
    g_ascii_formatd(compressed, sizeof compressed, "%.4f", 100 * report->identity_gap_compressed);
    g_string_append_printf(text, "%-12s%s%% of the columns; %s%% if each gap counts once\n",
                           "identity", by_columns, compressed);
}

static void
append_header(GString *text, const CsAlignmentReport *report)
{
    if (report->found) {
        append_line(text, report, "score", "{score}");
        append_line(text, report, "aligned",
                    "target {target_start} to {target_end}, query {query_start} to {query_end}");
        append_line(text, report, "strand",
                    report->summary.strand == CS_STRAND_MINUS
                        ? "{strand} (the query is reversed and complemented)"
                        : "{strand}");
    } else {
        append_line(text, report, "score", "{score}: no bases match, so there is no alignment");
    }
    append_sequence(text, report, "target", 0);
    append_sequence(text, report, "query", 1);
    append_line(text, report, "scoring", "match adds {match}, mismatch costs {mismatch}");
    append_line(text, report, "gaps", "k bases cost {gap_open} + k * {gap_extend}");
    if (!report->found)
        return;
    append_line(text, report, "columns", "{columns}");
    append_line(text, report, "matches", "{matches}");
    append_line(text, report, "mismatches", "{mismatches} (with an ambiguous base: {ambiguous})");
    append_line(text, report, "insertions", "{insertions} (bases of the query: {inserted})");
    append_line(text, report, "deletions", "{deletions} (bases of the target: {deleted})");
    append_identity(text, report);
}

/* Fills a row as far as there are columns. */
static void
fill(Row *row, CsAlignmentColumns *columns)
{
    char op;
    gint64 now;
    *row = (Row){0};
    while (row->count < WIDTH && (now = cs_alignment_columns_next(columns, WIDTH - row->count, &op,
                                                                  row->target + row->count,
                                                                  row->query + row->count)) > 0) {
        memset(row->equal + row->count, op == '=' ? '|' : ' ', (gsize)now);
        row->count += now;
        row->n_target += op != 'I' ? now : 0;
        row->n_query += op != 'D' ? now : 0;
    }
}

/* The bases of one side with the positions of the first and the last one, if there is one. */
static void
print_side(FILE *file, const char *label, int digits, gint64 first, gint64 last, gboolean any,
           const char *bases)
{
    if (any)
        fprintf(file, "%s  %*" G_GINT64_FORMAT "  %s  %" G_GINT64_FORMAT "\n", label, digits, first,
                bases, last);
    else
        fprintf(file, "%s  %*s  %s\n", label, digits, "", bases);
}

static void
print_rows(FILE *file, const CsAlignmentStory *story, const CsAlignment *part)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(part);
    const gboolean minus = s->strand == CS_STRAND_MINUS;
    const gint64 step = minus ? -1 : 1;
    const int digits = snprintf(NULL, 0, "%" G_GINT64_FORMAT, MAX(s->target_end, s->query_end));
    gint64 i = s->target_start, j = minus ? s->query_end : s->query_start;
    g_auto(CsAlignmentColumns) columns;
    Row row;
    cs_alignment_columns_init(&columns, story, part);
    for (fill(&row, &columns); row.count > 0; fill(&row, &columns)) {
        gsize shown = (gsize)row.count;
        while (shown > 0 && row.equal[shown - 1] == ' ')
            shown--;
        row.equal[shown] = '\0';
        fputc('\n', file);
        print_side(file, "target", digits, i, i + row.n_target - 1, row.n_target > 0, row.target);
        fprintf(file, "%*s%s\n", shown > 0 ? 8 + digits + 2 : 0, "", row.equal);
        print_side(file, "query ", digits, j, j + step * (row.n_query - 1), row.n_query > 0,
                   row.query);
        i += row.n_target;
        j += step * row.n_query;
    }
}

/* What a set amounts to. */
static void
append_summary(GString *text, const CsAlignmentStory *story)
{
    CsAlignSetSummary s;
    char identity[G_ASCII_DTOSTR_BUF_SIZE];
    cs_align_set_summarise(story->members, &s);
    g_ascii_formatd(identity, sizeof identity, "%.4f",
                    s.columns > 0 ? 100 * (double)s.matches / (double)s.columns : 0);
    g_string_append_printf(text, "%-12s%" G_GINT64_FORMAT "\n", "alignments", s.alignments);
    g_string_append_printf(text,
                           "%-12starget %" G_GINT64_FORMAT ", query %" G_GINT64_FORMAT " bases\n",
                           "covered", s.target_covered, s.query_covered);
    g_string_append_printf(text, "%-12s%s%% of the columns\n", "identity", identity);
    g_string_append_printf(text,
                           "%-12sinversions %" G_GINT64_FORMAT ", translocations %" G_GINT64_FORMAT
                           ", duplications %" G_GINT64_FORMAT "\n",
                           "rearranged", s.inversions, s.translocations, s.duplications);
}

/* The summary, then each alignment with a header of its own. */
static void
print_set(const CsAlignmentStory *story, FILE *file)
{
    g_autoptr(GString) summary = g_string_new(NULL);
    append_summary(summary, story);
    fputs(summary->str, file);
    for (guint k = 0; k < cs_alignment_format_parts(story); k++) {
        const CsAlignment *part = cs_alignment_format_part(story, k);
        g_autoptr(GString) header = g_string_new(NULL);
        CsAlignmentReport report;
        cs_alignment_report_init(&report, story, part, NULL);
        append_header(header, &report);
        fprintf(file, "\nalignment %u of %u\n%s", k + 1, cs_alignment_format_parts(story),
                header->str);
        print_rows(file, story, part);
    }
}

void
cs_alignment_text(const CsAlignmentStory *story, FILE *file)
{
    if (story->set != NULL) {
        print_set(story, file);
        return;
    }
    CsAlignmentReport report;
    g_autoptr(GString) header = g_string_new(NULL);
    const guint parts = cs_alignment_format_parts(story);
    cs_alignment_report_init(&report, story, story->alignment, NULL);
    append_header(header, &report);
    fputs(header->str, file);
    for (guint k = 0; k < parts; k++) {
        const CsAlignment *part = cs_alignment_format_part(story, k);
        if (parts > 1)
            fprintf(file, "\npiece %u of %u, score %" G_GINT64_FORMAT "\n", k + 1, parts,
                    cs_alignment_get_summary(part)->score);
        print_rows(file, story, part);
    }
}
