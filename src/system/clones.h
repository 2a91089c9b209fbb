/*
 * Loops over 32-bit numbers that the compiler turns into vectors. A function that is CS_CLONED is compiled
 * for AVX2, too; which of the two runs is decided when the program starts. What it calls on the way must
 * be CS_IN_CLONES, which makes it a part of both.
 */
#ifndef CS_CLONES_H
#define CS_CLONES_H

#include <limits.h> /* __GLIBC__ */

/* Clones need a loader that chooses, and make the choice before a sanitizer is ready for it. Those of clang 14 cannot be
 * called from other files. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) &&                            \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define CS_CLONED __attribute__((target_clones("avx2", "default")))
#else
#define CS_CLONED
#endif
#define CS_IN_CLONES static inline __attribute__((always_inline))

#endif
