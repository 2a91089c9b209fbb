/*
 * The container of a text, plain, gzip or BGZF, block by block. zlib checks the CRC and the length
 * at the end of a gzip member. htslib checks only the CRC of a BGZF block, so its length, ISIZE, is
 * checked here.
 */
#include <string.h>

#include "sequence/container.h"

enum {
    BSIZE_OFFSET = 16, /* of the block's length - 1, in its header */
};

/* ISIZE, the length of its text, of the block that was read last. */
static guint32
read_isize(const BGZF *input)
{
    const guint8 *block = input->compressed_block;
    guint16 bsize;
    guint32 isize;
    memcpy(&bsize, block + BSIZE_OFFSET, sizeof bsize);
    const gsize length = (gsize)GUINT16_FROM_LE(bsize) + 1;
    memcpy(&isize, block + length - sizeof isize, sizeof isize);
    return GUINT32_FROM_LE(isize);
}

gboolean
cs_container_read_block(BGZF *input)
{
    if (bgzf_read_block(input) != 0)
        return FALSE;
    const gboolean is_bgzf = input->is_compressed && !input->is_gzip;
    /* At the end of a file without an end marker, the last block was already checked. */
    if (!is_bgzf || (input->block_length == 0 && !input->last_block_eof) ||
        read_isize(input) == (guint32)input->block_length)
        return TRUE;
    input->errcode |= BGZF_ERR_ZLIB;
    return FALSE;
}

gssize
cs_container_read(BGZF *input, guint8 *text, gsize size)
{
    gsize length = 0;
    while (size - length >= CS_CONTAINER_BLOCK_BYTES) {
        if (!cs_container_read_block(input))
            return -1;
        if (input->block_length == 0)
            break;
        memcpy(text + length, input->uncompressed_block, (gsize)input->block_length);
        length += (gsize)input->block_length;
    }
    return (gssize)length;
}
