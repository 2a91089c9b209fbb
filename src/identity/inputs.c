/* Reads what is compared: see inputs.h. */
#include <string.h>

#include <chromosweep/error.h>

#include "identity/inputs.h"
#include "search/alphabet.h"
#include "system/display.h"
#include "system/memory.h"

enum {
    LETTERS_THAT_TELL = 100, /* at least, whether a file is nucleotides */
};

gboolean
cs_identity_side_take(CsIdentitySide *side, CsRecordChunk *chunk, GError **error)
{
    side->chunk = chunk;
    side->count = side->chunk->count;
    side->letters = (gint64)side->chunk->letters_count;
    side->records = cs_memory_try_new(CsIdentityRecord, side->count);
    if (side->records == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for %" G_GINT64_FORMAT " records", side->count);
        return FALSE;
    }
    for (gint64 k = 0; k < side->count; k++) {
        const CsStreamRecord *record = &side->chunk->records[k];
        side->records[k] = (CsIdentityRecord){side->chunk->names + record->name, record->length};
        side->longest = MAX(side->longest, record->length);
    }
    return TRUE;
}

static gboolean
load_side(CsIdentitySide *side, const char *path, CsAlphabet *alphabet, const char *hint,
          GError **error)
{
    CsRecordChunk *chunk = cs_letters_load(path, alphabet, hint, error);
    return chunk != NULL && cs_identity_side_take(side, chunk, error);
}

/* Every nucleotide code is an amino acid, too, so proteins with nucleotides would be no error
 * otherwise. */
static gboolean
check_second(const CsIdentitySide *side, const char *path, GError **error)
{
    CsLetterCount count = {0};
    cs_letter_count_add(&count, side->chunk->letters, side->chunk->letters_count);
    if (side->letters < LETTERS_THAT_TELL || !cs_letter_count_is_nucleotide(&count))
        return TRUE;
    g_autofree char *shown =
        strcmp(path, "-") == 0 ? g_strdup("standard input") : cs_display_name(path);
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                "%s: this looks like nucleotides, but the first file holds proteins", shown);
    return FALSE;
}

static gboolean
load_second(CsIdentityInputs *inputs, const char *path, gboolean guessed, GError **error)
{
    const gboolean bases = inputs->alphabet == CS_ALPHABET_NUCLEOTIDE;
    const char *hint =
        bases ? "; the first file holds nucleotides, so the second one must, too" : "";
    return load_side(&inputs->sides[1], path, &inputs->alphabet, hint, error) &&
           (bases || !guessed || check_second(&inputs->sides[1], path, error));
}

/* Which sequence is the first would count otherwise. */
static gboolean
check_symmetry(const CsLetterScoring *scoring, GError **error)
{
    const gint32(*pairs)[CS_LETTERS_MAX] = scoring->pairs.pairs;
    for (guint a = 0; a < CS_PROTEIN_LETTERS; a++)
        for (guint b = 0; b < a; b++)
            if (pairs[a][b] != pairs[b][a]) {
                g_autofree char *shown = cs_display_name(scoring->matrix);
                g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                            "%s: the matrix is not symmetric: %c with %c scores %d, %c with %c %d",
                            shown, cs_alphabet_letter(b), cs_alphabet_letter(a), pairs[b][a],
                            cs_alphabet_letter(a), cs_alphabet_letter(b), pairs[a][b]);
                return FALSE;
            }
    return TRUE;
}

static gboolean
read_scoring(CsIdentityInputs *inputs, const CsIdentityOptions *options, GError **error)
{
    CsSearchOptions same = CS_SEARCH_OPTIONS_INIT;
    same.matrix = options->matrix;
    same.match = options->match;
    same.mismatch = options->mismatch;
    same.gap_open = options->gap_open;
    same.gap_extend = options->gap_extend;
    return cs_letter_scoring_read(&inputs->scoring, inputs->alphabet, &same, "sequences", error) &&
           (inputs->alphabet == CS_ALPHABET_NUCLEOTIDE || check_symmetry(&inputs->scoring, error));
}

void
cs_identity_inputs_arrange(CsIdentityInputs *inputs, gboolean one_file)
{
    inputs->one_file = one_file;
    inputs->rows = &inputs->sides[0];
    inputs->columns = &inputs->sides[one_file ? 0 : 1];
}

gboolean
cs_identity_inputs_init(CsIdentityInputs *inputs, const char *first, const char *second,
                        const CsIdentityOptions *options, GError **error)
{
    inputs->alphabet = options->alphabet;
    cs_identity_inputs_arrange(inputs, second == NULL);
    return load_side(&inputs->sides[0], first, &inputs->alphabet, "", error) &&
           (inputs->one_file ||
            load_second(inputs, second, options->alphabet == CS_ALPHABET_AUTO, error)) &&
           read_scoring(inputs, options, error);
}

void
cs_identity_inputs_clear(CsIdentityInputs *inputs)
{
    for (guint k = 0; k < 2; k++) {
        g_clear_pointer(&inputs->sides[k].chunk, cs_record_chunk_free);
        g_clear_pointer(&inputs->sides[k].records, g_free);
    }
    g_clear_pointer(&inputs->scoring.matrix, g_free);
}
