/* Reads a text block by block from its container: plain, gzip or BGZF. */
#ifndef CS_CONTAINER_H
#define CS_CONTAINER_H

#include <glib.h>
#include <htslib/bgzf.h>

enum {
    CS_CONTAINER_BLOCK_BYTES = BGZF_MAX_BLOCK_SIZE, /* the most text in a block */
};

/*
 * Reads the next block into input->uncompressed_block. input->block_length is 0 at the end. FALSE
 * if the block is damaged; input->errcode says how.
 */
gboolean cs_container_read_block(BGZF *input);

/*
 * Reads as many blocks as are sure to fit into text, which has room for at least one of
 * CS_CONTAINER_BLOCK_BYTES. Returns the number of bytes, 0 at the end, -1 if a block is damaged.
 */
gssize cs_container_read(BGZF *input, guint8 *text, gsize size);

#endif
