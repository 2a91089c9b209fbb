/* One comparison on several processes of one or more machines, started by mpirun or srun. */
#ifndef CHROMOSWEEP_RANKS_H
#define CHROMOSWEEP_RANKS_H

#include <glib.h>

#include <chromosweep/export.h>

G_BEGIN_DECLS

/**
 * cs_ranks_start:
 * @arguments: (nullable): a text that has to be the same in all processes, such as the command line
 * @rank: (out): this process's number, from 0 on
 * @error: return location for an error, or NULL
 *
 * Joins the other processes if mpirun, mpiexec or srun started several of them as one MPI job.
 * Otherwise this process is alone, and MPI is not loaded. Call it first, on the main thread.
 *
 * Process 0 then compares as usual: cs_compare(), cs_align() and cs_align_set() on this thread use the devices of all
 * processes.
 * All others call cs_ranks_serve().
 *
 * Returns: how many processes there are, 1 if this one is alone; 0 with @error set to
 *   CS_ERROR_DEVICE if there are several that cannot be joined: process 0 tells the error, then calls
 *   cs_ranks_end(). @rank is always filled in.
 */
CS_API guint cs_ranks_start(const char *arguments, guint *rank, GError **error);

/**
 * cs_ranks_count:
 *
 * Returns: how many processes compare together, 1 if this one is alone
 */
CS_API guint cs_ranks_count(void);

/**
 * cs_ranks_devices:
 * @device: (nullable): as CsCompareOptions.device
 * @engine: (nullable): as CsCompareOptions.engine
 * @threads: of the CPU at most in each process; 0 is all that are granted
 * @error: as in cs_device_describe(), for each process; CS_ERROR_DEVICE also if MPI does not allow
 *   several threads
 *
 * Lists the devices of all processes, for many comparisons at a time. Each name, such as
 * "process:1:gpu:0", is a CsCompareOptions.device: cs_compare() then takes that device alone, on any
 * thread of process 0, but one comparison at a time on each device. The other process has the bases from
 * process 0, and writes the checkpoint, in a folder that both must see. Call it in process 0 on the main
 * thread.
 *
 * Returns: (transfer full) (nullable): the names, for g_strfreev(), those of process 0 first; %NULL with
 *   @error set
 */
CS_API char **cs_ranks_devices(const char *device, const char *engine, guint threads,
                               GError **error);

/** cs_ranks_test: does the same as cs_device_test(), for one of cs_ranks_devices() too. */
CS_API gboolean cs_ranks_test(const char *device, const char *engine, GError **error);

/**
 * cs_ranks_serve:
 *
 * Computes what process 0 asks for, until that calls cs_ranks_end(). It prints nothing: failures are
 * told to process 0. SIGTERM, SIGINT, SIGHUP, SIGUSR1 and SIGXCPU are ignored, because process 0
 * decides what they mean.
 *
 * Then exit with status 0: a launcher may kill process 0 once another process fails.
 */
CS_API void cs_ranks_serve(void);

/**
 * cs_ranks_end:
 *
 * Lets the other processes end. Process 0 calls it last, after it has written everything, whether it
 * failed or not. Does nothing in a process that is alone.
 */
CS_API void cs_ranks_end(void);

G_END_DECLS

#endif
