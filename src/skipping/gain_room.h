/*
 * Rooms: rectangles around hot stretches (gain_width.h) in which gains are exact, as far as those
 * around them are. Such a rectangle is much wider than a band is high, so a GPU sweeps it at once,
 * over all of its bands, as one of the sequences read backwards (rectangle.h).
 *
 *      first band  +-------------------+    What leaves: on every few lines H and F, which lower
 *                  |        <---       |    the gains of blocks and the values of the strip.
 *            line  +===================+
 *                  |        ^          |    What enters on the right, where a path may leave it: a
 *            line  +===================+    match per row and then the highest gain that can be
 *                  |        |          |    reached, at most what the bounds say. From below: the
 *       last band  +-------------------+    gains of the line's blocks.
 */
#ifndef CS_GAIN_ROOM_H
#define CS_GAIN_ROOM_H

#include "lower_bound/survey.h"
#include "skipping/bounds.h"
#include "skipping/gain_strip.h"
#include "sweep/sweep.h"

typedef struct {
    gint64 first, last; /* bands */
    CsGainSpan columns;
} CsGainRoom;

/* What is kept of a room: a line above every few of its bands, the top one among them. */
typedef struct _CsGainRoomLines CsGainRoomLines;

/* What a room's sweep needs. */
typedef struct {
    const CsGainRule *rule;
    const CsSurvey *survey;
    const CsBounds *bounds;
    const CsSweepOptions *sweep; /* its engine and the engine's options */
    gint64 apart;                /* bands from one line that is kept to the next */
    /* For each band of the matrix, `steps` spans; the first one is that of the strip at its top. */
    const CsGainSpan *strip;
    gint64 steps;
} CsGainRoomSweep;

/*
 * Sweeps a room upwards from the gains after the line below it, which have been counted on all of
 * its diagonals. *cells grows by the cells computed. Fails as sweeps do: with CS_ERROR_DEVICE if the
 * engine cannot, and with CS_ERROR_STOPPED soon after the survey's *stop (if any) becomes nonzero.
 */
CsGainRoomLines *cs_gain_room_sweep(const CsGainRoom *room, const CsGainRoomSweep *how,
                                    const CsGainReach *below, gint64 *cells, GError **error);
void cs_gain_room_lines_free(CsGainRoomLines *lines);

/* On the line above band k, if it is kept: lowers the values of the strip, which has computed the
 * band. */
void cs_gain_room_limit(const CsGainRoomLines *lines, gint64 k, CsGainStrip *strip);

/* On the same line: lowers the gains of those blocks of `counted` that lie in the room. *lowered,
 * the blocks that may have been lowered so far, grows. */
void cs_gain_room_lower(const CsGainRoomLines *lines, gint64 k, CsGainReach *line,
                        CsGainSpan counted, CsGainSpan *lowered);

/* The most bytes that one room of so many rows and columns takes while it is swept, and what is
 * kept of it, apart from the engine's own. */
guint64 cs_gain_room_memory(const CsGainRule *rule, gint64 rows, gint64 columns, gint64 apart);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsGainRoomLines, cs_gain_room_lines_free)

#endif
