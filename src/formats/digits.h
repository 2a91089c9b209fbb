/* Numbers in tables of many lines: several times as fast as printf(). */
#ifndef CS_DIGITS_H
#define CS_DIGITS_H

#include <glib.h>

/* Appends the decimal digits of value, with zeros in front if there are fewer than `least`, which is at
 * most 20. */
void cs_digits_append(GString *text, guint64 value, guint least);

#endif
