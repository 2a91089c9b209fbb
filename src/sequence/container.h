/* The container of a text, plain, gzip or BGZF, block by block. */
#ifndef CS_CONTAINER_H
#define CS_CONTAINER_H

#include <glib.h>
#include <htslib/bgzf.h>

enum {
    CS_CONTAINER_BLOCK_BYTES = BGZF_MAX_BLOCK_SIZE, /* no block has more text */
};

/*
 * Reads the next block into input->uncompressed_block; input->block_length is 0 at the end. FALSE
 * where it is damaged: input->errcode says how.
 */
gboolean cs_container_read_block(BGZF *input);

/*
 * Reads as many blocks as have room in text for certain, at least one of CS_CONTAINER_BLOCK_BYTES.
 * Answers the bytes, 0 at the end, -1 where one of the blocks is damaged.
 */
gssize cs_container_read(BGZF *input, guint8 *text, gsize size);

#endif
