/* When progress is shown, and where: what the progress of comparisons and of searches shares. */
#ifndef CS_PROGRESS_CLOCK_H
#define CS_PROGRESS_CLOCK_H

#include <glib.h>

typedef enum {
    CS_PROGRESS_NONE,
    CS_PROGRESS_LINE,
    CS_PROGRESS_JSON,
} CsProgressForm;

/* How a progress is written, for g_free(). */
typedef struct {
    char *(*line)(gconstpointer progress, gsize columns); /* of at most so many columns */
    char *(*json)(gconstpointer progress);
} CsProgressWriter;

/* A line of as many whole fields as fit the columns, for g_free(). Frees the fields. */
char *cs_progress_join(char *const *fields, guint count, gsize columns);

/* Initialise with zeroes. */
typedef struct {
    gboolean begun;    /* something was shown: the members below are known */
    gboolean printed;  /* the last progress is on standard error as JSON */
    gint64 next_print; /* on the monotonic clock, in microseconds */
    gint64 next_log;   /* likewise */
} CsProgressClock;

/* Shows the progress as a line on the terminal or as JSON once a second, and logs it once a minute. */
void cs_progress_clock_show(CsProgressClock *clock, CsProgressForm form,
                            const CsProgressWriter *writer, gconstpointer progress);

/* All is over: prints the last progress as JSON if it was not printed yet, logs it, and removes the
 * line from the terminal. */
void cs_progress_clock_end(CsProgressClock *clock, CsProgressForm form,
                           const CsProgressWriter *writer, gconstpointer progress);

#endif
