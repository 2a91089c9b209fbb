/* Writes a rectangle, its grid and options, and reads them again. */
#include <string.h>

#include <chromosweep/error.h>

#include "ranks/bulk.h"
#include "ranks/run_message.h"
#include "sweep/bounds_table.h"
#include "sweep/gain_table.h"

/* How a border that leaves has to look. */
static void
put_width(GString *message, const CsBus *bus)
{
    const int width = bus != NULL ? (int)bus->width : 0;
    CS_MESSAGE_PUT(message, width);
}

void
cs_run_message_put(GString *message, const CsRectangle *rectangle, const CsGrid *grid,
                   const CsGridShape *shape, const CsEngineOptions *options)
{
    const gsize rows = (gsize)grid->block_rows, columns = (gsize)grid->block_columns;
    CS_MESSAGE_PUT(message, *rectangle); /* the numbers in it; pointers are set again */
    CS_MESSAGE_PUT(message, *grid);
    cs_message_put_array(message, grid->row_starts, rows + 1, sizeof *grid->row_starts);
    CS_MESSAGE_PUT(message, *shape);
    put_width(message, rectangle->bottom);
    put_width(message, rectangle->right);
    cs_message_put_array(message, rectangle->special_rows, rectangle->n_special_rows,
                         sizeof *rectangle->special_rows);
    cs_message_put_array(message, rectangle->row_bounds, rows, sizeof *rectangle->row_bounds);
    cs_message_put_array(message, rectangle->column_bounds, columns,
                         sizeof *rectangle->column_bounds);
    cs_message_put_array(message, rectangle->rows_above, rows, sizeof *rectangle->rows_above);
    cs_message_put_array(message, rectangle->corners, rows, sizeof *rectangle->corners);
    cs_message_put_array(message, rectangle->bounds_table, 1, sizeof *rectangle->bounds_table);
    cs_message_put_array(message, rectangle->gain_table, 1, sizeof *rectangle->gain_table);
    CS_MESSAGE_PUT(message, options->threads);
    CS_MESSAGE_PUT(message, options->bits);
    cs_message_put_text(message, options->device);
}

void
cs_run_message_send(guint to, const CsRectangle *rectangle)
{
    const CsBoundsTable *bounds = rectangle->bounds_table;
    const CsGainTable *gains = rectangle->gain_table;
    cs_bulk_send_bases(to, &rectangle->rows);
    cs_bulk_send_bases(to, &rectangle->columns);
    cs_bulk_send_bus(to, rectangle->left);
    cs_bulk_send(to, bounds != NULL ? bounds->highest : NULL,
                 bounds != NULL ? (gsize)(bounds->rows * bounds->columns) * sizeof *bounds->highest
                                : 0);
    cs_bulk_send(to, gains != NULL ? gains->lines : NULL,
                 gains != NULL ? (gsize)gains->length * sizeof *gains->lines : 0);
    cs_bulk_send(to, gains != NULL ? gains->entries : NULL,
                 gains != NULL ? (gsize)gains->count * sizeof *gains->entries : 0);
}

/* The tables of block rows and block columns, and the heads of larger ones. */
static void
get_tables(CsMessageIn *message, CsRunMessage *run)
{
    gsize count;
    CsRectangle *rectangle = &run->rectangle;
    rectangle->special_rows = run->tables[0] =
        cs_message_get_array(message, &rectangle->n_special_rows, sizeof(gint64));
    rectangle->row_bounds = run->tables[1] = cs_message_get_array(message, &count, sizeof(CsScore));
    rectangle->column_bounds = run->tables[2] =
        cs_message_get_array(message, &count, sizeof(CsScore));
    rectangle->rows_above = run->tables[3] = cs_message_get_array(message, &count, sizeof(gint64));
    rectangle->corners = run->tables[4] = cs_message_get_array(message, &count, sizeof(CsScore));
    run->bounds_table = cs_message_get_array(message, &count, sizeof *run->bounds_table);
    if (run->bounds_table != NULL)
        run->bounds_table->highest = NULL;
    run->gain_table = cs_message_get_array(message, &count, sizeof *run->gain_table);
    if (run->gain_table != NULL) {
        run->gain_table->lines = NULL;
        run->gain_table->entries = NULL;
    }
    rectangle->bounds_table = run->bounds_table;
    rectangle->gain_table = run->gain_table;
}

static gboolean
new_border(gint64 length, int width, CsBus **bus, GError **error)
{
    if (width != 0)
        *bus = cs_bus_new(length, (CsWidth)width, error);
    return width == 0 || *bus != NULL;
}

gboolean
cs_run_message_get(CsMessageIn *message, CsRunMessage *run, GError **error)
{
    gsize count;
    int bottom, right;
    CsRectangle *rectangle = &run->rectangle;
    CS_MESSAGE_GET(message, *rectangle);
    run->grid = g_new(CsGrid, 1);
    CS_MESSAGE_GET(message, *run->grid);
    run->grid->row_starts = cs_message_get_array(message, &count, sizeof(gint64));
    CS_MESSAGE_GET(message, run->shape);
    CS_MESSAGE_GET(message, bottom);
    CS_MESSAGE_GET(message, right);
    get_tables(message, run);
    CS_MESSAGE_GET(message, run->options.threads);
    CS_MESSAGE_GET(message, run->options.bits);
    run->options.device = run->device = cs_message_get_text(message);
    rectangle->top = NULL;
    rectangle->marks = NULL;
    if (!cs_message_check(message, error) ||
        !new_border(run->grid->n, bottom, &run->bottom, error) ||
        !new_border(run->grid->m, right, &run->right, error))
        return FALSE;
    rectangle->bottom = run->bottom;
    rectangle->right = run->right;
    return TRUE;
}

/* The bases are codes now, in the order in which they are read. */
static CsView
view_of(const guint8 *codes, gint64 length)
{
    return (CsView){.codes = codes, .length = length};
}

void
cs_run_message_receive(guint from, CsRunMessage *run, GError **failure)
{
    CsRectangle *rectangle = &run->rectangle;
    CsBoundsTable *bounds = run->bounds_table;
    CsGainTable *gains = run->gain_table;
    run->rows = cs_bulk_receive_bases(from, rectangle->rows.length, failure);
    run->columns = cs_bulk_receive_bases(from, rectangle->columns.length, failure);
    rectangle->rows = view_of(run->rows, rectangle->rows.length);
    rectangle->columns = view_of(run->columns, rectangle->columns.length);
    rectangle->left = run->left = cs_bulk_receive_bus(from, failure);
    const gint64 entry = sizeof(gint32), line = sizeof(CsGainLine);
    gpointer highest = cs_bulk_receive(
        from, bounds != NULL ? bounds->rows * bounds->columns * entry : -1, failure);
    gpointer lines = cs_bulk_receive(from, gains != NULL ? gains->length * line : -1, failure);
    gpointer entries = cs_bulk_receive(from, gains != NULL ? gains->count * entry : -1, failure);
    if (bounds != NULL)
        bounds->highest = highest;
    if (gains != NULL) {
        gains->lines = lines;
        gains->entries = entries;
    }
}

void
cs_run_message_clear(CsRunMessage *run)
{
    g_free(run->rows);
    g_free(run->columns);
    g_clear_pointer(&run->grid, cs_grid_free);
    cs_bus_free(run->left);
    cs_bus_free(run->bottom);
    cs_bus_free(run->right);
    g_clear_pointer(&run->bounds_table, cs_bounds_table_free);
    g_clear_pointer(&run->gain_table, cs_gain_table_free);
    for (guint k = 0; k < G_N_ELEMENTS(run->tables); k++)
        g_free(run->tables[k]);
    g_free(run->device);
}
