/* Stops a comparison before all cells are done. */
#ifndef STOP_AFTER_H
#define STOP_AFTER_H

#include <chromosweep/compare.h>

typedef struct {
    guint left; /* diagonals until it stops */
} StopAfter;

/* A CsControlFunc. */
static inline CsControl
stop_after(gpointer data)
{
    StopAfter *stop = data;
    return stop->left == 0 || --stop->left == 0 ? CS_CONTROL_STOP : CS_CONTROL_GO_ON;
}

#endif
