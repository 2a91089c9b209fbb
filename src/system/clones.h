/*
 * Loops over 32-bit numbers that the compiler turns into vectors. A function that is CS_CLONED is compiled
 * for AVX2, too; which of the two runs is decided when the program starts. What it calls on the way must
 * be CS_IN_CLONES, which makes it a part of both.
 */
#ifndef CS_CLONES_H
#define CS_CLONES_H

/* The choice is made before a sanitizer is ready for it. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define CS_CLONES_FAIL 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define CS_CLONES_FAIL 1
#endif
#endif

#if defined(__x86_64__) && defined(__linux__) && !defined(CS_CLONES_FAIL)
#define CS_CLONED __attribute__((target_clones("avx2", "default")))
#else
#define CS_CLONED
#endif
#define CS_IN_CLONES static inline __attribute__((always_inline))

#endif
