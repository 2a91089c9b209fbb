/* Ways from one seed of a chain to another, and what a best alignment loses on them, about. */
#ifndef CS_WAY_H
#define CS_WAY_H

#include "lower_bound/seeds.h"
#include "lower_bound/survey.h"

/* Rows and columns between two seeds, and how many of either are ambiguous bases. */
typedef struct {
    gint64 rows, columns;
    gint64 ambiguous_rows, ambiguous_columns;
} CsWay;

/* The way between two seeds. The ambiguous bases are not counted. */
CsWay cs_way_between(const CsSeed *before, const CsSeed *after);

/* Counts the ambiguous bases of a way that begins after a seed. */
void cs_way_count_ambiguous(CsWay *way, const CsSurvey *survey, const CsSeed *before);

/* Whether most of the bases on the way are unrelated; the others are taken for related. */
gboolean cs_way_is_long(const CsWay *way);

/* What is lost on a long way. */
double cs_way_cost(const CsScoring *scoring, const CsWay *way);

/* About how far mismatches are apart on the short ways of a chain. */
double cs_way_apart(const CsSeed *chain, gint64 length);

/* How many mismatches a short way has then: one that ends a seed, unless a gap does, and some more. */
double cs_way_mismatches(const CsWay *way, double apart);

#endif
