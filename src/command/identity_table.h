/* Reads a table of identity, to draw it: pairs of records, and how similar they are. */
#ifndef CS_IDENTITY_TABLE_H
#define CS_IDENTITY_TABLE_H

#include <glib.h>

typedef struct {
    guint32 first, second; /* records, by their places in `names` of a side */
    float identity;        /* from 0 to 1 */
} CsIdentityCell;

/*
 * A square has the same records on both sides, and no pair with itself. A rectangle has those of two
 * files: in it every record of the column `first` is paired with every one of `second`, and no name is in
 * both columns.
 */
typedef struct {
    gboolean square;
    GPtrArray *names[2];   /* UTF-8, of the rows and of the columns; the same array in a square */
    CsIdentityCell *cells; /* in a square each pair once, or in both orders */
    gsize count, room;     /* of them */
} CsIdentityTable;

/*
 * Reads the file; "-" is standard input. Records come in the order in which the table names them, or by
 * their numbers if it has first_number and second_number. Other columns than these, first, second and
 * identity may be there, and are ignored. Fails with CS_ERROR_FAILED, or with CS_ERROR_CONTENT and
 * the line, or with CS_ERROR_DEVICE if memory is short.
 */
gboolean cs_identity_table_load(CsIdentityTable *table, const char *file, GError **error);

/*
 * Reorders the records of a square so that similar ones are neighbours: clusters are joined, the most
 * similar first (single linkage), and each joined one has its earlier part first.
 */
void cs_identity_table_sort(CsIdentityTable *table);

void cs_identity_table_clear(CsIdentityTable *table);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsIdentityTable, cs_identity_table_clear)

#endif
