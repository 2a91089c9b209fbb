/*
 * What enters a chunk: the bases of its rows and columns as the loops read them, and the values
 * from above.
 *
 * A row's base becomes a selector: it picks the row's score from the score bytes of a column. Each
 * column of this chunk and of the one before has an entry in shared memory (Column). If columns are
 * A, C, G and T, the scores of the first words are in a table in shared memory, for each pair of
 * bases that a word's two columns can have.
 *
 * A column has no byte for an ambiguous row, which matches nothing. So with Pair the columns of a
 * strip that has ambiguous rows are *biased*: their bytes are the scores plus a mismatch, 0 or
 * match + mismatch, and the loop subtracts the mismatch again. No byte is negative, so a selector
 * that asks for the sign of one gives 0, a mismatch.
 */
#ifndef CS_COLUMNS_CUH
#define CS_COLUMNS_CUH

#include "cuda/strip.cuh"

/* The score bytes of a base against A, C, G and T. */
template <class S>
CS_DEVICE uint32_t
profile(const Warp<S> &warp, uint32_t code, bool biased)
{
    const int match = warp.p.match, mismatch = warp.p.mismatch;
    uint32_t differ = (uint32_t)(uint8_t)(biased ? match + mismatch : match ^ -mismatch);
    uint32_t at = shift_left(differ, 8 * code); /* by 32: nothing */
    return (biased ? 0 : warp.mismatches) ^ at;
}

CS_DEVICE int
row_code(const CsKernelLaunch &p, int i)
{
    return tex1Dfetch<unsigned>(p.rows, i / CS_CODES) >> i % CS_CODES * 4 & 15;
}

/* The CS_CODES codes from column c on, a multiple of CS_CODES; outside, codes that match nothing.
 */
CS_DEVICE uint32_t
column_codes(const CsKernelLaunch &p, int64_t c)
{
    return c >= 0 && c < p.n ? tex1Dfetch<unsigned>(p.columns, (int)(c / CS_CODES)) : 0x44444444u;
}

/* Where the entry of column o, from -CS_CHUNK to CS_CHUNK - 1, of chunk xc is kept. Lanes are two
 * columns apart, so the entries that they read at once are neighbours. */
CS_DEVICE int
place(int xc, int o)
{
    int c = ((xc & 1) * CS_CHUNK + o) & (2 * CS_CHUNK - 1);
    return c % 2 * PITCH + c / 2;
}

/* Selectors of the rows' scores. Bits 0 .. 15 select from the column's bytes, with their signs;
 * with Pair, an ambiguous row selects signs only. With Single, bits 16 .. 31 hold the code. */
template <class S>
CS_DEVICE uint32_t
selector(const Warp<S> &warp, const StripRows &rows, int k, bool &odd)
{
    int i = rows.start + warp.lane * S::A + k;
    int a = i < rows.end ? row_code(warp.p, i) : 4;
    odd |= a > 3;
    if (S::H == 1)
        return (uint32_t)(a & 3) | (uint32_t)(a & 3 | 8) * 0x1110u | (uint32_t)a << 16;
    int b = i + 32 * S::A < rows.end ? row_code(warp.p, i + 32 * S::A) : 4;
    odd |= b > 3;
    const uint32_t low = a > 3 ? 0x88 : (uint32_t)a | (uint32_t)(a | 8) << 4;
    const uint32_t high = b > 3 ? 0xcc : (uint32_t)(4 | b) | (uint32_t)(12 | b) << 4;
    return low | high << 8;
}

/* Loads the selectors. Returns whether the strip has ambiguous rows, or rows below the last one,
 * which count as ambiguous. */
template <class S>
CS_DEVICE bool
load_rows(const Warp<S> &warp, const StripRows &rows, uint32_t (&selectors)[S::A])
{
    bool odd = false;
#pragma unroll
    for (int k = 0; k < S::A; k++)
        selectors[k] = selector(warp, rows, k, odd);
    return __any_sync(~0u, odd);
}

/* Fills the table: scores of the first TABLE words for each pair of bases in neighbouring columns.
 */
template <class S>
CS_DEVICE void
make_table(const Warp<S> &warp, const uint32_t (&selectors)[S::A])
{
#pragma unroll
    for (int k = 0; k < S::TABLE; k++)
        for (int c = 0; c < COMBINATIONS; c++)
            ((uint32_t *)&warp.table[(c * (S::TABLE / 4) + k / 4) * 32 + warp.lane])[k & 3] =
                S::Cell::add(select_bytes(profile(warp, c & 3, true), profile(warp, c >> 2, true),
                                          selectors[k]),
                             S::Cell::both(-warp.p.mismatch));
}

template <class S>
CS_DEVICE void
look_ahead(const Warp<S> &warp, Ahead &ahead, int xc, bool with_bus)
{
    const CsKernelLaunch &p = warp.p;
    int64_t c = (int64_t)xc * CS_CHUNK + warp.lane * EACH;
    ahead.codes = column_codes(p, c / CS_CODES * CS_CODES);
    if (S::H == 2)
        ahead.before = column_codes(p, c / CS_CODES * CS_CODES - APART);
    if (with_bus && warp.w == 0) {
        const int4 *cells = (const int4 *)(p.bus + warp.slot * p.bus_stride + c);
#pragma unroll
        for (int r = 0; r < EACH; r += 2) {
            int4 pair = cells[r / 2];
            ahead.cells[r].h = pair.x;
            ahead.cells[r].gap = pair.y;
            ahead.cells[r + 1].h = pair.z;
            ahead.cells[r + 1].gap = pair.w;
        }
    }
    ahead.known = load_early(p.best_score);
    ahead.chunk = xc;
}

/* H and F of a cell of the row that the warp above has left in its ring, absolute. `turn` is the
 * chunk's place in the ring. */
template <class S>
CS_DEVICE CsKernelCell
cell_above(const Warp<S> &warp, int turn, int r)
{
    const WarpMemory &above = warp.memory[warp.self - 1];
    int made = warp.lane * EACH + r + S::SKEW, chunk = turn + made / CS_CHUNK & 3;
    return cell_of<S>(above.ring[chunk * CS_CHUNK + made % CS_CHUNK], above.bases[chunk]);
}

template <class S>
CS_DEVICE void
set_bus(Column &column, int h, int f)
{
    if (S::H == 2) {
        column.w = pack(h, f);
    } else {
        column.z = (uint32_t)h;
        column.w = (uint32_t)f;
    }
}

/* H and F above the columns: from the bus, or what the warp above has left in its ring. */
template <class S>
CS_DEVICE void
read_bus(const Warp<S> &warp, Column (&columns)[EACH], const Ahead &ahead, int turn, int base)
{
    const int lowered = warp.p.lowered;
    if (warp.w == 0) {
#pragma unroll
        for (int r = 0; r < EACH; r++)
            set_bus<S>(columns[r], warp.relative(min(ahead.cells[r].h, lowered), base),
                       warp.relative(min(ahead.cells[r].gap, lowered), base));
        return;
    }
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        CsKernelCell cell = cell_above(warp, turn, r);
        set_bus<S>(columns[r], warp.relative(min(cell.h, lowered), base),
                   warp.relative(min(cell.gap, lowered), base));
    }
}

/*
 * Fills the entries of the chunk that was fetched ahead. Its turn in the ring says which base of
 * the warp above applies. odd: the strip has ambiguous rows. Returns whether all columns are A, C, G
 * or T.
 */
template <class S>
CS_DEVICE bool
fill(const Warp<S> &warp, const Ahead &ahead, int xc, int turn, int base, bool odd, bool with_bus)
{
    static_assert(EACH == 4 && CS_CODES == 8, "a lane has half of a texel's columns");
    const int lane = warp.lane;
    uint32_t codes = ahead.codes >> lane % 2 * 16, before = ahead.before >> lane % 2 * 16;
    Column columns[EACH];
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        uint32_t code = codes >> 4 * r & 7, other = before >> 4 * r & 7;
        columns[r] = {profile(warp, code, S::H == 2 && odd),
                      S::H == 2 ? profile(warp, other, odd) : code, 0, 0};
        if (S::H == 2)
            columns[r].z = ((code & 3) + 4 * (other & 3)) * (S::TABLE / 4) * 512;
    }
    if (with_bus)
        read_bus(warp, columns, ahead, turn, base);
#pragma unroll
    for (int r = 0; r < EACH; r++)
        warp.mine().columns[place(xc, lane * EACH + r)] = columns[r];
    return __all_sync(~0u, (codes & 0x4444) == 0);
}

/* Fills the entries left of chunk xc with bases that match nothing. */
template <class S>
CS_DEVICE void
clear_columns(const Warp<S> &warp, int xc, bool odd)
{
    const uint32_t bytes = profile(warp, 4, S::H == 2 && odd);
    const Column none = {bytes, S::H == 2 ? bytes : 4u, 0, 0};
    for (int r = 0; r < EACH; r++)
        warp.mine().columns[place(xc, warp.lane * EACH + r - CS_CHUNK)] = none;
}

/* Fills the entries of the chunk before chunk xc. Returns whether all are A, C, G or T. */
template <class S>
CS_DEVICE bool
refill(const Warp<S> &warp, int xc, int base, bool odd)
{
    if (xc == 0) {
        clear_columns(warp, xc, odd);
        return false;
    }
    Ahead ahead;
    look_ahead(warp, ahead, xc - 1, false);
    return fill(warp, ahead, xc - 1, 0, base, odd, false);
}

#endif
