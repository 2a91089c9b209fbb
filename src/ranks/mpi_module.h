/*
 * What the module for MPI offers. It is a file of its own, libchromosweep-mpi.so, so that the library
 * also runs where there is no MPI. A failure inside MPI ends all processes.
 *
 * A message goes through a lane, and those of a lane arrive in their order. Lanes other than 0 may be
 * used by any thread, one at a time each, if `threads` of the place is set; all else is for the
 * thread that started.
 */
#ifndef CS_MPI_MODULE_H
#define CS_MPI_MODULE_H

#include <glib.h>

/* The version of these declarations. A module with another version is refused. */
#define CS_MPI_MODULE_VERSION 3
#define CS_MPI_MODULE_SYMBOL "cs_mpi_module"

typedef struct {
    guint rank, size;             /* of all processes */
    guint local_rank, local_size; /* of those on this machine */
    guint sharers;    /* how many processes may run on the same CPU, at most, this one included */
    gboolean threads; /* several threads may send and receive */
} CsRankPlace;

typedef struct {
    guint version;
    void (*start)(CsRankPlace *place);
    void (*send)(guint to, guint lane, const void *data, gsize bytes);
    /* Whether a message has come from a process. */
    gboolean (*has_come)(guint from, guint lane);
    /* Waits for the next message from a process, without using much of a CPU. Returns its size. */
    gsize (*wait)(guint from, guint lane);
    /* Takes the message of so many bytes that wait() waited for. Only the first `kept` are stored. */
    void (*take)(guint from, guint lane, gsize bytes, void *data, gsize kept);
    void (*finish)(void); /* when all others finish, too */
} CsMpiModule;

/* What the module exports under CS_MPI_MODULE_SYMBOL. */
typedef const CsMpiModule *(*CsMpiModuleFunc)(void);

#endif
