/* What begins a run of an engine on another rank, as a message. */
#ifndef CS_RUN_MESSAGE_H
#define CS_RUN_MESSAGE_H

#include "ranks/message.h"
#include "sweep/engine_class.h"

/* A piece of a special row; H and F of its columns follow as arrays. */
typedef struct {
    gint64 row, from, count;
    gboolean bounds;
} CsRowPiece;

/* What a message held. The rectangle, the grid and the options point into it. */
typedef struct {
    CsRectangle rectangle;
    CsGrid *grid;
    CsGridShape shape;
    CsEngineOptions options;
    guint8 *rows, *columns;
    CsBus *left, *bottom, *right;
    CsBoundsTable *bounds_table;
    CsGainTable *gain_table;
    gpointer tables[5];
    char *device;
} CsRunMessage;

/*
 * The rectangle has no top border and no marks. The numbers are a message of their own; bases, tables and the
 * border that enters follow it (bulk.h). The bases go with it because another machine may have
 * another region of a file, or none.
 */
void cs_run_message_put(GString *message, const CsRectangle *rectangle, const CsGrid *grid,
                        const CsGridShape *shape, const CsEngineOptions *options);
void cs_run_message_send(guint to, const CsRectangle *rectangle);

/* Fail with CS_ERROR_DEVICE if there is not enough memory. The second one takes what follows in
 * any case, see bulk.h. */
gboolean cs_run_message_get(CsMessageIn *message, CsRunMessage *run, GError **error);
void cs_run_message_receive(guint from, CsRunMessage *run, GError **failure);
void cs_run_message_clear(CsRunMessage *run);

#endif
