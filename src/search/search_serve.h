/* Words between the ranks of a search: see search_dealer.h. */
#ifndef CS_SEARCH_SERVE_H
#define CS_SEARCH_SERVE_H

typedef enum {
    /* From rank 0. */
    CS_SEARCH_CHUNK, /* follows; and limits (search_message.h) */
    CS_SEARCH_NONE,  /* instead of a chunk */
    CS_SEARCH_STOP,
    /* To rank 0. */
    CS_SEARCH_WANT,   /* a chunk */
    CS_SEARCH_RESULT, /* an error or none; cells; entries */
    CS_SEARCH_ENDED,
} CsSearchWord;

#endif
