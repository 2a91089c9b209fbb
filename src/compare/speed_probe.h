/*
 * How fast a matrix will be swept, from sweeps of parts of it that grow until one takes long enough.
 *
 * A part that takes long does not always tell the speed of a GPU. The first part starts the GPU, and the
 * first one that is large enough for two starts the second GPU of a ring. A part once took four times
 * as long on an H100 as the same part right after it. And a part with fewer slots than the whole has
 * leaves devices idle, while the pieces that the members of a ring pass on take the same time on each
 * diagonal. So a part of a GPU is large enough only if it takes long enough twice, and keeps about
 * as many slots busy as the whole.
 */
#ifndef CS_SPEED_PROBE_H
#define CS_SPEED_PROBE_H

#include <glib.h>

/* What the sweep of a part took. */
typedef struct {
    double seconds;
    gint64 cells; /* fewer than asked for if it was stopped */
    gint64 slots; /* the depth of its grid */
} CsProbed;

/* Sweeps a part of about so many cells, but stops after `most` seconds. */
typedef gboolean (*CsProbeFunc)(double cells, double most, CsProbed *probed, gpointer user_data,
                                GError **error);

/* Finds the speed within about `most` seconds. The whole has `cells` cells and a grid of so many
 * slots. The fastest part gives the speed, since each cause of an error makes a part slower. */
gboolean cs_speed_probe(CsProbeFunc func, gpointer user_data, double cells, gint64 slots,
                        gboolean gpu, double most, double *cells_a_second, GError **error);

#endif
