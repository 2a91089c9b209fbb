/*
 * E-values by the finite-size correction of Spouge, as in NCBI BLAST+ ("the new FSC", Y. Park et
 * al., BMC Research Notes 5:286, 2012): what an alignment takes of both sequences is normally
 * distributed, with means and covariances that are linear in the score. The constants are those of
 * NCBI's blast_stat.c (public domain).
 */
#include <math.h>

#include "search/statistics.h"

typedef struct {
    int open, extend;
    double lambda, k, a, alpha, sigma;
} Row;

typedef struct {
    double ungapped_a, ungapped_alpha;
    int usual; /* index of the row with the recommended gap costs */
    guint count;
    const Row *rows;
} Table;

static const Row blosum45[] = {
    {13, 3, 0.207, 0.049, 1.5, 35.8559, 35.9639}, {12, 3, 0.199, 0.039, 1.8, 45.6936, 45.8517},
    {11, 3, 0.190, 0.031, 2.0, 62.8741, 63.1037}, {10, 3, 0.179, 0.023, 2.4, 88.2868, 88.6391},
    {16, 2, 0.210, 0.051, 1.5, 36.2798, 36.4524}, {15, 2, 0.203, 0.041, 1.7, 44.8257, 45.0604},
    {14, 2, 0.195, 0.032, 1.9, 60.7362, 61.1023}, {13, 2, 0.185, 0.024, 2.2, 85.1481, 85.6894},
    {12, 2, 0.171, 0.016, 2.8, 127.758, 128.582}, {19, 1, 0.205, 0.040, 1.9, 53.0714, 53.8282},
    {18, 1, 0.198, 0.032, 2.0, 72.3424, 73.4039}, {17, 1, 0.189, 0.024, 2.4, 103.055, 104.721},
    {16, 1, 0.176, 0.016, 2.8, 170.100, 173.003}};
static const Row blosum50[] = {
    {13, 3, 0.212, 0.063, 1.1, 18.1138, 18.2028}, {12, 3, 0.206, 0.055, 1.2, 22.6546, 22.7777},
    {11, 3, 0.197, 0.042, 1.4, 29.8611, 30.0457}, {10, 3, 0.186, 0.031, 1.7, 42.3938, 42.6740},
    {9, 3, 0.172, 0.022, 2.1, 66.0696, 66.5164},  {16, 2, 0.215, 0.066, 1.05, 17.9518, 18.0921},
    {15, 2, 0.210, 0.058, 1.2, 21.9401, 22.1418}, {14, 2, 0.202, 0.045, 1.4, 28.6812, 28.9619},
    {13, 2, 0.193, 0.035, 1.6, 42.0595, 42.4716}, {12, 2, 0.181, 0.025, 1.9, 63.7476, 64.3973},
    {19, 1, 0.212, 0.057, 1.2, 26.3112, 26.9233}, {18, 1, 0.207, 0.050, 1.4, 34.9037, 35.7348},
    {17, 1, 0.198, 0.037, 1.6, 48.8958, 50.1486}, {16, 1, 0.186, 0.025, 1.9, 76.4691, 78.4430},
    {15, 1, 0.171, 0.015, 2.7, 140.053, 144.160}};
static const Row blosum62[] = {
    {11, 2, 0.297, 0.082, 1.1, 12.6738, 12.7576}, {10, 2, 0.291, 0.075, 1.3, 16.4740, 16.6026},
    {9, 2, 0.279, 0.058, 1.5, 22.7519, 22.9500},  {8, 2, 0.264, 0.045, 1.8, 35.4838, 35.8213},
    {7, 2, 0.239, 0.027, 2.5, 61.2383, 61.8860},  {6, 2, 0.201, 0.012, 3.3, 140.417, 141.882},
    {13, 1, 0.292, 0.071, 1.2, 19.5063, 19.8931}, {12, 1, 0.283, 0.059, 1.5, 27.8562, 28.4699},
    {11, 1, 0.267, 0.041, 1.9, 42.6028, 43.6362}, {10, 1, 0.243, 0.024, 2.5, 83.1787, 85.0656},
    {9, 1, 0.206, 0.010, 4.0, 210.333, 214.842}};
static const Row blosum80[] = {
    {25, 2, 0.342, 0.17, 0.52, 1.73100, 1.73130},  {13, 2, 0.336, 0.15, 0.59, 2.67347, 2.69230},
    {9, 2, 0.319, 0.11, 0.76, 5.57609, 5.66786},   {8, 2, 0.308, 0.090, 0.89, 7.53695, 7.68623},
    {7, 2, 0.293, 0.070, 1.1, 11.5866, 11.8404},   {6, 2, 0.268, 0.045, 1.4, 19.9581, 20.4412},
    {11, 1, 0.314, 0.095, 0.90, 8.80861, 9.22332}, {10, 1, 0.299, 0.071, 1.1, 13.8338, 14.5334},
    {9, 1, 0.279, 0.048, 1.4, 24.2520, 25.4904}};
static const Row blosum90[] = {
    {9, 2, 0.310, 0.12, 0.67, 4.23229, 4.33417},   {8, 2, 0.300, 0.099, 0.76, 5.79702, 5.96142},
    {7, 2, 0.283, 0.072, 0.93, 9.04088, 9.32160},  {6, 2, 0.259, 0.048, 1.2, 16.0244, 16.5316},
    {11, 1, 0.302, 0.093, 0.78, 7.14325, 7.61919}, {10, 1, 0.290, 0.075, 1.04, 11.4839, 12.2698},
    {9, 1, 0.265, 0.044, 1.3, 21.4083, 22.8409}};
static const Row pam30[] = {
    {7, 2, 0.305, 0.15, 0.35, 1.01401, 1.16273},  {6, 2, 0.287, 0.11, 0.42, 1.68806, 1.95143},
    {5, 2, 0.264, 0.079, 0.59, 3.37701, 3.87195}, {10, 1, 0.309, 0.15, 0.35, 1.37205, 1.78877},
    {9, 1, 0.294, 0.11, 0.48, 2.46392, 3.18615},  {8, 1, 0.270, 0.072, 0.68, 5.36813, 6.76348}};
static const Row pam70[] = {
    {8, 2, 0.301, 0.12, 0.56, 2.88165, 3.02571},   {7, 2, 0.286, 0.093, 0.67, 4.53454, 4.78578},
    {6, 2, 0.264, 0.064, 0.90, 7.94263, 8.40272},  {11, 1, 0.305, 0.12, 0.59, 3.68140, 4.10802},
    {10, 1, 0.291, 0.091, 0.71, 6.00297, 6.71657}, {9, 1, 0.270, 0.060, 0.97, 11.3608, 12.6367}};
static const Row pam250[] = {
    {15, 3, 0.205, 0.049, 1.6, 34.5784, 34.9280}, {14, 3, 0.200, 0.043, 1.7, 43.3530, 43.4438},
    {13, 3, 0.194, 0.036, 1.9, 50.9485, 51.0817}, {12, 3, 0.186, 0.029, 2.2, 69.6065, 69.7936},
    {11, 3, 0.174, 0.020, 2.5, 98.6535, 98.9271}, {17, 2, 0.204, 0.047, 1.7, 41.5838, 41.7358},
    {16, 2, 0.198, 0.038, 1.8, 51.6352, 51.8439}, {15, 2, 0.191, 0.031, 2.2, 67.2567, 67.5585},
    {14, 2, 0.182, 0.024, 2.5, 96.3151, 96.7568}, {13, 2, 0.171, 0.017, 2.9, 135.653, 136.339},
    {21, 1, 0.205, 0.045, 1.8, 48.7282, 49.2188}, {20, 1, 0.199, 0.037, 1.9, 60.8320, 61.5141},
    {19, 1, 0.192, 0.029, 2.3, 84.0197, 84.9856}, {18, 1, 0.183, 0.021, 2.6, 113.829, 115.184},
    {17, 1, 0.171, 0.014, 3.3, 175.071, 177.196}};

/* In the order of cs_matrix_names. */
static const Table tables[] = {
    {0.9113, 9.611060, 6, G_N_ELEMENTS(blosum45), blosum45},
    {0.6895, 5.388310, 8, G_N_ELEMENTS(blosum50), blosum50},
    {0.7916, 4.964660, 8, G_N_ELEMENTS(blosum62), blosum62},
    {0.5222, 1.918130, 7, G_N_ELEMENTS(blosum80), blosum80},
    {0.4434, 1.377760, 5, G_N_ELEMENTS(blosum90), blosum90},
    {0.1938, 0.161818, 4, G_N_ELEMENTS(pam30), pam30},
    {0.3250, 0.633439, 4, G_N_ELEMENTS(pam70), pam70},
    {0.98, 11.754300, 8, G_N_ELEMENTS(pam250), pam250},
};

void
cs_statistics_recommend(int matrix, gint64 *gap_open, gint64 *gap_extend)
{
    const Table *table = &tables[matrix];
    *gap_open = table->rows[table->usual].open;
    *gap_extend = table->rows[table->usual].extend;
}

gboolean
cs_statistics_find(int matrix, gint64 gap_open, gint64 gap_extend, CsStatistics *statistics)
{
    for (guint k = 0; matrix >= 0 && k < tables[matrix].count; k++) {
        const Table *table = &tables[matrix];
        const Row *row = &table->rows[k];
        const double first = row->open + row->extend;
        if (row->open != gap_open || row->extend != gap_extend)
            continue;
        *statistics = (CsStatistics){row->lambda,
                                     row->k,
                                     row->a,
                                     row->alpha,
                                     row->sigma,
                                     2 * first * (table->ungapped_a - row->a),
                                     2 * first * (table->ungapped_alpha - row->alpha),
                                     2 * first * (table->ungapped_alpha - row->sigma)};
        return TRUE;
    }
    return FALSE;
}

double
cs_statistics_bits(const CsStatistics *s, gint64 score)
{
    return (s->lambda * (double)score - log(s->k)) / log(2);
}

/* The probability that a sequence is long enough for the alignment, and the number of places where it
 * can end. */
static void
find_room(const CsStatistics *s, double score, gint64 length, double *probability, double *places)
{
    const double variance = MAX(2 * s->alpha / s->lambda, s->alpha * score + s->beta);
    const double left = (double)length - (s->a * score + s->b);
    const double deviations = left / sqrt(variance);
    *probability = erfc(-deviations / G_SQRT2) / 2;
    *places =
        left * *probability + sqrt(variance) * exp(-deviations * deviations / 2) / sqrt(2 * G_PI);
}

double
cs_statistics_evalue(const CsStatistics *s, gint64 score, gint64 m, gint64 n, gint64 letters)
{
    const double y = (double)score;
    const double covariance = MAX(2 * s->sigma / s->lambda, s->sigma * y + s->tau);
    double of_query, of_record, places_of_query, places_of_record;
    find_room(s, y, m, &of_query, &places_of_query);
    find_room(s, y, n, &of_record, &places_of_record);
    const double area = places_of_query * places_of_record + covariance * of_query * of_record;
    return MAX(0, area) * s->k * exp(-s->lambda * y) * (double)letters / (double)n;
}
