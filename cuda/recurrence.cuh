/*
 * The recurrence, once, for both widths of the arithmetic.
 *
 *   M = H(i-1, j-1) + s          H = max(M, E, F, 0)
 *   E' = max(E - extend, H - first)     of the next column
 *   F' = max(F - extend, M - first)     of the next row
 *
 * (equations 1 to 3 of the CUDAlign paper, with F, not E, extended in the third). F is opened from
 * M, so that it waits only for F of the row above. Where the textbook opens F from E, the other
 * order, a gap down and then one to the right, gives the same H; where F leaves a block, the
 * missing gap is added (borders.cuh, mend()). If mismatch <= 2 * extend, E may also be opened from
 * M, and both share one sum: two sums and three maxima per cell (docs/proofs/gpu-gaps.md).
 *
 * The order of operands keeps sums on the FMA pipe: the compiler fuses a sum into a maximum, on the
 * busier ALU pipe, only if it is the first or second operand.
 */
#ifndef CS_RECURRENCE_CUH
#define CS_RECURRENCE_CUH

#include "cuda/nvcc.cuh"

/* Below every H, and so far above the lowest 16-bit value that a gap's cost can be subtracted. */
#define CS_NONE_16 (-20000)
#define CS_NONE_32 (-(1 << 30))

CS_DEVICE uint32_t
pack(int low, int high)
{
    return (uint32_t)(low & 0xffff) | (uint32_t)high << 16;
}

CS_DEVICE int
low_of(uint32_t pair)
{
    return (int)(int16_t)(pair & 0xffff);
}

CS_DEVICE int
high_of(uint32_t pair)
{
    return (int)pair >> 16;
}

/* Two cells of 16 bits in a word, relative to a base of the strip; H is clamped at the stored zero.
 */
struct Pair {
    enum {
        BITS = 16,
        HALVES = 2
    };
    CS_DEVICE uint32_t
    both(int value)
    {
        return pack(value, value);
    }
    CS_DEVICE uint32_t
    add(uint32_t a, uint32_t b)
    {
        return add_halves(a, b);
    }
    CS_DEVICE uint32_t
    max2(uint32_t a, uint32_t b)
    {
        return __vmaxs2(a, b);
    }
    CS_DEVICE uint32_t
    max3(uint32_t a, uint32_t b, uint32_t c)
    {
        return __vimax3_s16x2(a, b, c);
    }
    CS_DEVICE uint32_t
    min2(uint32_t a, uint32_t b)
    {
        return __vmins2(a, b);
    }
    CS_DEVICE uint32_t
    h(uint32_t e, uint32_t f, uint32_t m)
    {
        return __vimax3_s16x2_relu(e, f, m);
    }
    CS_DEVICE uint32_t
    gap(uint32_t gap, uint32_t extend, uint32_t opened)
    {
        return __viaddmax_s16x2(gap, extend, opened);
    }
    CS_DEVICE int
    part(uint32_t word, int half)
    {
        return half ? high_of(word) : low_of(word);
    }
    CS_DEVICE uint32_t
    with_part(uint32_t word, int half, int value)
    {
        return half ? pack(low_of(word), value) : pack(value, high_of(word));
    }
};

/* One cell of 32 bits, absolute. */
struct Single {
    enum {
        BITS = 32,
        HALVES = 1
    };
    CS_DEVICE uint32_t
    both(int value)
    {
        return (uint32_t)value;
    }
    CS_DEVICE uint32_t
    add(uint32_t a, uint32_t b)
    {
        return a + b;
    }
    CS_DEVICE uint32_t
    max2(uint32_t a, uint32_t b)
    {
        return (uint32_t)max((int)a, (int)b);
    }
    CS_DEVICE uint32_t
    max3(uint32_t a, uint32_t b, uint32_t c)
    {
        return (uint32_t)__vimax3_s32((int)a, (int)b, (int)c);
    }
    CS_DEVICE uint32_t
    min2(uint32_t a, uint32_t b)
    {
        return (uint32_t)min((int)a, (int)b);
    }
    CS_DEVICE uint32_t
    h(uint32_t e, uint32_t f, uint32_t m)
    {
        return (uint32_t)__vimax3_s32_relu((int)e, (int)f, (int)m);
    }
    CS_DEVICE uint32_t
    gap(uint32_t gap, uint32_t extend, uint32_t opened)
    {
        return (uint32_t)__viaddmax_s32((int)gap, (int)extend, (int)opened);
    }
    CS_DEVICE int
    part(uint32_t word, int)
    {
        return (int)word;
    }
    CS_DEVICE uint32_t
    with_part(uint32_t, int, int value)
    {
        return (uint32_t)value;
    }
};

#endif
