/* JSON as the program prints it: strings that may be no UTF-8, one object a line. */
#ifndef CS_JSON_H
#define CS_JSON_H

#include <jansson.h>

#include <chromosweep/scoring.h>
#include <chromosweep/skip.h>

/* A string, with U+FFFD for what is no UTF-8; null for NULL. */
json_t *cs_json_text(const char *text);

/* x >= 0, rounded to millionths as far as a double has so many digits. */
json_t *cs_json_millionths(double x);

/* The same; null for x < 0, which means that it is not known. */
json_t *cs_json_millionths_or_null(double x);

/* A position, counted from 1, or a score; null if it is 0, which means that it is not known. */
json_t *cs_json_known(gint64 value);

/* A mode; null for CS_SKIP_AUTO, which means that a checkpoint of an earlier version does not
 * tell. */
json_t *cs_json_skip(CsSkipMode skip);

/* The four values of a scoring. */
json_t *cs_json_scoring(const CsScoring *scoring);

/* The object as one line with its keys in order. Frees the object. */
char *cs_json_line(json_t *object);

#endif
