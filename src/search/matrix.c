/*
 * Reads substitution matrices. The built-in ones are NCBI's files (public domain), which the build
 * turns into text here, so there is one reader for all.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <chromosweep/error.h>

#include "search/alphabet.h"
#include "search/matrix.h"
#include "sequence/input.h"
#include "system/display.h"
#include "system/error_detail.h"

#include "search_matrices.h"

enum {
    FILE_MOST = 1 << 20, /* bytes */
};

const char *const cs_matrix_names[] = {"BLOSUM45", "BLOSUM50", "BLOSUM62", "BLOSUM80", "BLOSUM90",
                                       "PAM30",    "PAM70",    "PAM250",   NULL};

static const unsigned char *const texts[] = {BLOSUM45, BLOSUM50, BLOSUM62, BLOSUM80,
                                             BLOSUM90, PAM30,    PAM70,    PAM250};

static const char amino_acids[] = "ARNDCQEGHILKMFPSTWYV";

typedef struct {
    const char *file;
    guint line;
    guint8 columns[CS_PROTEIN_LETTERS]; /* their codes */
    guint column_count;
    gboolean has_row[CS_PROTEIN_LETTERS], has_column[CS_PROTEIN_LETTERS];
    CsPairScoring *scoring;
} Reader;

static gboolean
fail(const Reader *reader, GError **error, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    g_autofree char *what = g_strdup_vprintf(format, values);
    g_autofree char *file = cs_display_name(reader->file);
    va_end(values);
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "%s: %s", file, what);
    return FALSE;
}

/* The code of a word that is one letter. */
static gboolean
read_letter(const Reader *reader, const char *word, guint8 *code, GError **error)
{
    *code = cs_alphabet_protein.codes[(guint8)word[0]];
    if (*code != CS_STREAM_INVALID && word[1] == '\0')
        return TRUE;
    g_autofree char *shown = cs_display_record(word);
    return fail(reader, error, "line %u: \"%s\" is not an amino acid", reader->line, shown);
}

static gboolean
read_columns(Reader *reader, char **words, GError **error)
{
    for (; *words != NULL; words++) {
        guint8 code;
        if (!read_letter(reader, *words, &code, error))
            return FALSE;
        if (reader->has_column[code])
            return fail(reader, error, "line %u: two columns for %s", reader->line, *words);
        reader->has_column[code] = TRUE;
        reader->columns[reader->column_count++] = code;
    }
    return TRUE;
}

static gboolean
read_row(Reader *reader, char **words, GError **error)
{
    guint8 row;
    const guint count = g_strv_length(words) - 1;
    if (!read_letter(reader, words[0], &row, error))
        return FALSE;
    if (reader->has_row[row])
        return fail(reader, error, "line %u: two rows for %s", reader->line, words[0]);
    if (count != reader->column_count)
        return fail(reader, error, "line %u: %u scores, but there are %u columns", reader->line,
                    count, reader->column_count);
    reader->has_row[row] = TRUE;
    for (guint k = 0; k < count; k++) {
        gint64 score;
        if (!g_ascii_string_to_signed(words[k + 1], 10, -CS_PAIR_MOST, CS_PAIR_MOST, &score,
                                      NULL)) {
            g_autofree char *shown = cs_display_record(words[k + 1]);
            return fail(reader, error, "line %u: \"%s\" is not a whole number from %d to %d",
                        reader->line, shown, -CS_PAIR_MOST, CS_PAIR_MOST);
        }
        reader->scoring->pairs[row][reader->columns[k]] = (gint32)score;
    }
    return TRUE;
}

static gboolean
read_line(Reader *reader, const char *line, GError **error)
{
    g_auto(GStrv) all = g_strsplit_set(line, " \t\r", 0);
    guint count = 0;
    for (char **word = all; *word != NULL; word++) { /* leave out what is empty */
        if (**word != '\0')
            all[count++] = *word;
        else
            g_free(*word);
    }
    all[count] = NULL;
    if (count == 0 || all[0][0] == '#')
        return TRUE;
    return reader->column_count == 0 ? read_columns(reader, all, error)
                                     : read_row(reader, all, error);
}

static guint8
code_of(char letter)
{
    return cs_alphabet_protein.codes[(guint8)letter];
}

/* A quarter, rounded down. */
static gint32
quarter(gint64 sum)
{
    return (gint32)(sum >= 0 ? sum / 4 : -((3 - sum) / 4));
}

/* Letters that stand for two others, or for one. */
static const struct {
    char letter, one, other;
} derived[] = {{'B', 'N', 'D'}, {'Z', 'Q', 'E'}, {'J', 'I', 'L'}, {'U', 'C', 'C'}, {'O', 'X', 'X'}};

/* Gives these letters their scores, if the matrix does not have them: the mean of all pairs that a pair
 * may stand for, rounded once. */
static void
derive(Reader *reader)
{
    gint32(*pairs)[CS_LETTERS_MAX] = reader->scoring->pairs;
    guint8 parts[CS_PROTEIN_LETTERS][2];
    for (guint8 code = 0; code < CS_PROTEIN_LETTERS; code++)
        parts[code][0] = parts[code][1] = code;
    for (guint k = 0; k < G_N_ELEMENTS(derived); k++) {
        const guint8 code = code_of(derived[k].letter);
        if (!reader->has_row[code]) {
            parts[code][0] = code_of(derived[k].one);
            parts[code][1] = code_of(derived[k].other);
        }
    }
    for (guint8 a = 0; a < CS_PROTEIN_LETTERS; a++)
        for (guint8 b = 0; b < CS_PROTEIN_LETTERS; b++) {
            gint64 sum = 0;
            for (guint k = 0; k < 4; k++)
                sum += pairs[parts[a][k / 2]][parts[b][k % 2]];
            pairs[a][b] = quarter(sum);
        }
}

static void
set_letter(Reader *reader, char letter, gint32 score, gint32 with_itself)
{
    gint32(*pairs)[CS_LETTERS_MAX] = reader->scoring->pairs;
    const guint8 code = code_of(letter);
    if (reader->has_row[code])
        return;
    for (guint k = 0; k < CS_PROTEIN_LETTERS; k++)
        pairs[code][k] = pairs[k][code] = score;
    pairs[code][code] = with_itself;
}

/* The lowest and the highest score that the matrix itself has. */
static void
find_range(const Reader *reader, gint32 *lowest, gint32 *highest)
{
    *lowest = G_MAXINT32;
    *highest = G_MININT32;
    for (guint a = 0; a < CS_PROTEIN_LETTERS; a++)
        for (guint b = 0; b < CS_PROTEIN_LETTERS; b++)
            if (reader->has_row[a] && reader->has_column[b]) {
                *lowest = MIN(*lowest, reader->scoring->pairs[a][b]);
                *highest = MAX(*highest, reader->scoring->pairs[a][b]);
            }
}

static gboolean
complete(Reader *reader, GError **error)
{
    if (reader->column_count == 0)
        return fail(reader, error, "no matrix: no line has the letters of the columns");
    for (guint8 code = 0; code < CS_PROTEIN_LETTERS; code++)
        if (reader->has_row[code] != reader->has_column[code])
            return fail(reader, error, "the matrix has a %s for %c, but no %s",
                        reader->has_row[code] ? "row" : "column",
                        code == CS_PROTEIN_STOP ? '*' : 'A' + code,
                        reader->has_row[code] ? "column" : "row");
    for (const char *letter = amino_acids; *letter != '\0'; letter++)
        if (!reader->has_row[code_of(*letter)])
            return fail(reader, error, "the matrix has no row for %c", *letter);
    gint32 lowest, highest;
    find_range(reader, &lowest, &highest);
    if (highest <= 0)
        return fail(reader, error, "no score of the matrix is above 0");
    set_letter(reader, 'X', -1, -1);
    set_letter(reader, '*', lowest, 1);
    derive(reader);
    cs_pair_scoring_init(reader->scoring, CS_PROTEIN_LETTERS);
    return TRUE;
}

static gboolean
read_text(const char *file, const char *text, CsPairScoring *scoring, GError **error)
{
    Reader reader = {.file = file, .scoring = scoring};
    g_auto(GStrv) lines = g_strsplit(text, "\n", 0);
    for (char **line = lines; *line != NULL; line++) {
        reader.line++;
        if (!read_line(&reader, *line, error))
            return FALSE;
    }
    return complete(&reader, error);
}

/* What is in the file: at most as much as shows that it is too long. NULL with errno set if it cannot
 * be read. */
static char *
read_bytes(const char *path, gsize *length)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    char *text = g_malloc(FILE_MOST + 2);
    *length = fread(text, 1, FILE_MOST + 1, file);
    text[*length] = '\0';
    const int code = ferror(file) ? errno : 0;
    fclose(file);
    if (code != 0)
        g_clear_pointer(&text, g_free);
    errno = code;
    return text;
}

static gboolean
fail_to_open(const char *path, int code, GError **error)
{
    if (code != ENOENT) {
        cs_input_fail(path, code, error);
        return FALSE;
    }
    g_autofree char *shown = cs_display_name(path),
                    *names = g_strjoinv(", ", (char **)cs_matrix_names);
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                "there is no matrix and no file %s; built in are %s", shown, names);
    cs_error_set_path(error, path);
    return FALSE;
}

static gboolean
read_file(const char *path, CsPairScoring *scoring, GError **error)
{
    gsize length = 0;
    g_autofree char *text = read_bytes(path, &length);
    if (text == NULL)
        return fail_to_open(path, errno, error);
    if (length > FILE_MOST || strlen(text) != length) {
        const Reader reader = {.file = path};
        return fail(&reader, error, "this is no matrix");
    }
    return read_text(path, text, scoring, error);
}

gboolean
cs_matrix_load(const char *name, CsPairScoring *scoring, int *builtin, GError **error)
{
    *builtin = -1;
    for (int k = 0; cs_matrix_names[k] != NULL; k++)
        if (g_ascii_strcasecmp(name, cs_matrix_names[k]) == 0)
            *builtin = k;
    return *builtin >= 0
               ? read_text(cs_matrix_names[*builtin], (const char *)texts[*builtin], scoring, error)
               : read_file(name, scoring, error);
}
