/* What the kinds of `plan` print alike. */
#ifndef CS_PLAN_LINES_H
#define CS_PLAN_LINES_H

#include <glib.h>

/* Such as "469 KiB". */
char *cs_plan_bytes(gint64 bytes);

/* Options of sbatch, with a margin. Without GPUs gpus is 0; seconds are negative if not known. */
char *cs_plan_slurm(gint64 bytes, guint cpus, guint gpus, double seconds);

/* Prints that there is not enough memory, as a failure, and returns its exit status. who is that of
 * cs_print_failure(). */
int cs_plan_fail_memory(const char *who, gint64 bytes, gint64 available, const char *limit);

/* Appends a line. The text is escaped, so it stays one line. */
void cs_plan_line(GString *text, const char *label, const char *format, ...) G_GNUC_PRINTF(3, 4);

#endif
