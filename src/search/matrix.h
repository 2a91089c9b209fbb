/* Substitution matrices of proteins: NCBI's, which are built in, or from a file in NCBI's format. */
#ifndef CS_MATRIX_H
#define CS_MATRIX_H

#include "search/pair_scores.h"

/* The names of the matrices that are built in, NULL-terminated. */
extern const char *const cs_matrix_names[];

/*
 * Reads a matrix into scoring->pairs, by the codes of cs_alphabet_protein. name is that of a built-in
 * matrix, in any case, or of a file. *builtin is its index in cs_matrix_names, or -1.
 *
 * A matrix has the 20 amino acids. What a letter scores that the matrix does not have is derived, as
 * cs_search() documents it.
 *
 * CS_ERROR_USAGE if there is neither such a matrix nor such a file, CS_ERROR_FAILED or
 * CS_ERROR_CONTENT for a file that cannot be read or is no matrix.
 */
gboolean cs_matrix_load(const char *name, CsPairScoring *scoring, int *builtin, GError **error);

#endif
