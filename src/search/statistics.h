/*
 * Bits and E-values of local alignments of proteins, with NCBI's published constants.
 */
#ifndef CS_STATISTICS_H
#define CS_STATISTICS_H

#include <glib.h>

/* The constants of a matrix with gap costs, named as in the literature. */
typedef struct {
    double lambda, k;
    double a, alpha, sigma; /* of alignments with gaps */
    double b, beta, tau;
} CsStatistics;

/* The gap costs that NCBI recommends for a matrix of cs_matrix_names. */
void cs_statistics_recommend(int matrix, gint64 *gap_open, gint64 *gap_extend);

/* Whether there are constants; a gap of k letters costs gap_open + k * gap_extend. matrix is an index
 * of cs_matrix_names; there are none for -1. */
gboolean cs_statistics_find(int matrix, gint64 gap_open, gint64 gap_extend,
                            CsStatistics *statistics);

double cs_statistics_bits(const CsStatistics *statistics, gint64 score);

/* How many records of a random database of `letters` letters are expected to reach the score, for a
 * query of m letters and the length n of the record found. */
double cs_statistics_evalue(const CsStatistics *statistics, gint64 score, gint64 m, gint64 n,
                            gint64 letters);

#endif
