/* Numbers in tables of many lines: several times as fast as printf(). */
#ifndef CS_DIGITS_H
#define CS_DIGITS_H

#include <glib.h>

enum {
    CS_DIGITS_MOST = 20, /* of 2^64 - 1 */
};

/* Writes the decimal digits of value, with zeros in front if there are fewer than `least`, which is at
 * most CS_DIGITS_MOST. Returns the place behind them. */
char *cs_digits_put(char *to, guint64 value, guint least);

/* Appends them to a text. */
void cs_digits_append(GString *text, guint64 value, guint least);

#endif
