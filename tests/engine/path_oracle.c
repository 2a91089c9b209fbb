/* A walk over full matrices, written exactly as the rule is stated. */
#include "path_oracle.h"

#include <stdlib.h>

char *
path_oracle(const OracleProblem *p, const Oracle *o, bool a_is_query, int *i0, int *j0)
{
    int i = o->i, j = o->j, n = 0;
    char state = 'H';
    if (o->score == 0)
        return NULL;
    char *steps = malloc((size_t)(p->m + p->n + 1));
    while (state != 'H' || o->h[i * o->width + j] > 0) {
        const int64_t h = o->h[i * o->width + j];
        const int64_t e = o->e[i * o->width + j], f = o->f[i * o->width + j];
        if (state == 'H') {
            if (h == o->h[(i - 1) * o->width + j - 1] + oracle_pair(p, i, j)) {
                steps[n++] = 'M';
                i--;
                j--;
            } else if (a_is_query) {
                state = h == f ? 'F' : 'E';
            } else {
                state = h == e ? 'E' : 'F';
            }
        } else if (state == 'E') {
            steps[n++] = 'C';
            j--;
            if (e == o->h[i * o->width + j] - p->open - p->extend)
                state = 'H';
        } else {
            steps[n++] = 'R';
            i--;
            if (f == o->h[i * o->width + j] - p->open - p->extend)
                state = 'H';
        }
    }
    *i0 = i;
    *j0 = j;
    for (int k = 0; k < n / 2; k++) {
        const char step = steps[k];
        steps[k] = steps[n - 1 - k];
        steps[n - 1 - k] = step;
    }
    steps[n] = '\0';
    return steps;
}
