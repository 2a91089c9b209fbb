/* Functions that stop and go on, each on its own stack, all in one thread. */
#ifndef FIBERS_H
#define FIBERS_H

#include <stddef.h>

#if defined(__x86_64__) && !defined(FIBERS_BY_UCONTEXT)
typedef struct {
    void *stack; /* where it stopped */
} Fiber;
#else
#include <ucontext.h>
typedef struct {
    ucontext_t context;
} Fiber;
#endif

/* A fiber that will call the function, which must not return, on this stack. */
void fiber_prepare(Fiber *fiber, void *stack, size_t bytes, void (*function)(void));

/* Stops here, and goes on where the other one stopped. */
void fiber_switch(Fiber *from, Fiber *to);

#endif
