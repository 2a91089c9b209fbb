/*
 * A limit of address space counts what is reserved, not what is used. By default glibc reserves
 * 64 MiB for the small allocations of each new thread and 8 MiB for its stack, and keeps blocks of
 * up to 32 MiB when they are freed.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "command/limits.h"

enum {
    STACK_BYTES = 1 << 20,
    BLOCK_BYTES = 1 << 20,  /* larger ones go back to the system when they are freed */
    LEAST_BYTES = 12 << 20, /* three times what the library leaves free (system/memory.h) */
};

static gboolean
has_least(void)
{
    void *memory =
        mmap(NULL, LEAST_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return FALSE;
    munmap(memory, LEAST_BYTES);
    return TRUE;
}

gboolean
cs_limits_prepare(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return TRUE;
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, BLOCK_BYTES);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
    if (has_least())
        return TRUE;
    /* Printed directly, because the functions for messages allocate memory. */
    fprintf(stderr, "chromosweep: not enough memory: ulimit -v leaves less than %d MiB\n",
            LEAST_BYTES >> 20);
    return FALSE;
}
