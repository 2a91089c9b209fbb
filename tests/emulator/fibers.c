/* Fibers. swapcontext() would ask the kernel for the signal mask each time. */
#include <stdint.h>

#include "fibers.h"

#if defined(__x86_64__) && !defined(FIBERS_BY_UCONTEXT)

/* Keeps on the stack what the System V ABI lets a function expect to find unchanged. */
__asm__(".text\n"
        ".globl fiber_switch\n"
        ".hidden fiber_switch\n"
        ".type fiber_switch, @function\n"
        "fiber_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq (%rsi), %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size fiber_switch, . - fiber_switch\n");

void
fiber_prepare(Fiber *fiber, void *stack, size_t bytes, void (*function)(void))
{
    /* The ABI wants the stack aligned by 16 before a call, whose return address is the 0. */
    uintptr_t *top = (uintptr_t *)(((uintptr_t)stack + bytes) & ~(uintptr_t)15);
    *--top = 0;
    *--top = (uintptr_t)function;
    for (int k = 0; k < 6; k++)
        *--top = 0;
    fiber->stack = top;
}

#else

void
fiber_prepare(Fiber *fiber, void *stack, size_t bytes, void (*function)(void))
{
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = stack;
    fiber->context.uc_stack.ss_size = bytes;
    fiber->context.uc_link = NULL;
    makecontext(&fiber->context, function, 0);
}

void
fiber_switch(Fiber *from, Fiber *to)
{
    swapcontext(&from->context, &to->context);
}

#endif
