/*
 * start_oracle TARGET.fa QUERY.fa: score, ends and starts of the best alignment. Run by hand, to find
 * the facts of other tests. Fills every cell of the matrix as path_oracle.c walks it, in linear memory: each H,
 * E and F carries the first pair of the path that the walk back from it would take. Shares no code
 * with the engines. Plus strand, the scoring of the CUDAlign paper; minutes for 300 kb.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <chromosweep/chromosweep.h>

enum {
    MATCH = 1,
    MISMATCH = 3,
    FIRST_GAP = 5,
    EXTEND = 2,
    NONE = -(1 << 29),
};

typedef struct {
    int32_t score;
    int32_t i, j; /* the first pair */
} Node;

typedef struct {
    Node h, f;
} Cell;

/* The first where they are equal. */
static Node
better(Node x, Node y)
{
    return y.score > x.score ? y : x;
}

static Node
less(Node node, int32_t cost)
{
    node.score -= cost;
    return node;
}

/* Of an alignment that ends with this pair. */
static Node
pair(Node before, gboolean equal, int32_t i, int32_t j)
{
    const Node start = {0, i, j};
    return less(before.score > 0 ? before : start, equal ? -MATCH : MISMATCH);
}

static Node
fill_row(Cell *row, char base, int32_t i, const char *columns, int32_t n, Node best,
         int32_t *best_j)
{
    Node diagonal = {0}, left = {0}, e = {.score = NONE};
    for (int32_t j = 1; j <= n; j++) {
        Cell *cell = &row[j];
        const Node above = cell->h;
        e = better(less(left, FIRST_GAP), less(e, EXTEND));
        cell->f = better(less(above, FIRST_GAP), less(cell->f, EXTEND));
        const gboolean equal = base == columns[j - 1] && base != 'N';
        /* A pair goes first, then unpaired bases of the query, which lies along the columns. */
        Node h = better(better(pair(diagonal, equal, i, j), e), cell->f);
        if (h.score < 0)
            h.score = 0;
        diagonal = above;
        cell->h = left = h;
        if (h.score > best.score) {
            best = h;
            *best_j = j;
        }
    }
    return best;
}

static char *
read_bases(const CsSequence *sequence)
{
    const gint64 length = cs_sequence_get_length(sequence);
    char *bases = g_malloc((gsize)length);
    cs_sequence_read(sequence, 0, length, CS_STRAND_PLUS, bases);
    return bases;
}

int
main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    if (argc != 3)
        g_error("usage: start_oracle TARGET.fa QUERY.fa");
    g_autoptr(CsSequence) target = cs_sequence_load(argv[1], NULL, &error);
    g_autoptr(CsSequence) query = error == NULL ? cs_sequence_load(argv[2], NULL, &error) : NULL;
    if (error != NULL)
        g_error("%s", error->message);
    const int32_t m = (int32_t)cs_sequence_get_length(target);
    const int32_t n = (int32_t)cs_sequence_get_length(query);
    g_autofree char *rows = read_bases(target), *columns = read_bases(query);
    g_autofree Cell *row = g_new0(Cell, n + 1);
    Node best = {0};
    int32_t best_i = 0, best_j = 0;
    for (int32_t j = 0; j <= n; j++)
        row[j].f.score = NONE;
    for (int32_t i = 1; i <= m; i++) {
        const int32_t before = best.score;
        best = fill_row(row, rows[i - 1], i, columns, n, best, &best_j);
        best_i = best.score > before ? i : best_i;
    }
    printf("%d\t%d\t%d\t%d\t%d\n", best.score, best.i, best.j, best_i, best_j);
    return 0;
}
