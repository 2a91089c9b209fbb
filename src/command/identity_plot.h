/* Draws a table of identity: a heat map of all pairs, or a histogram. */
#ifndef CS_IDENTITY_PLOT_H
#define CS_IDENTITY_PLOT_H

#include "command/identity_table.h"
#include "command/page.h"

/* What to draw. Nothing in it is owned. */
typedef struct {
    const CsIdentityTable *table;
    gboolean histogram; /* instead of a heat map */
    const char *title;  /* UTF-8; empty: none */
    const char *about;  /* a line below it */
    int size;           /* of the longer side, in pixels */
    double dpi;
} CsIdentityPlot;

/* The whole file. Fails with CS_ERROR_DEVICE if there is not enough memory. */
GByteArray *cs_identity_plot_draw(const CsIdentityPlot *plot, CsPageFormat format, GError **error);

#endif
