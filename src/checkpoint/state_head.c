/*
 * The head of a state file: everything in a state except the buses. All that is read is checked
 * here, once, so that other code may rely on it: see cs_state_head_parse().
 */
#include <math.h>

#include <chromosweep/control.h>
#include <chromosweep/error.h>

#include "checkpoint/json_values.h"
#include "checkpoint/state_head.h"
#include "config.h"
#include "sweep/rectangle.h"

#define FORMAT "chromosweep-state"

void
cs_state_clear(CsState *state)
{
    cs_staircase_clear(&state->staircase);
}

void
cs_state_begin_minus(CsState *state)
{
    state->plus = state->staircase.best;
    state->under_way = CS_STRAND_MINUS;
    state->threshold = 0;
    state->skipped = FALSE;
    state->forecast.m = 0;
    cs_state_clear(state);
    state->staircase = (CsStaircase){0};
}

double
cs_state_fraction(const CsState *state, gint64 cells)
{
    const gint64 expected = cs_state_expected(state, cells);
    return state->cells >= cells ? 1
           : expected > 0        ? MIN((double)state->cells_computed / (double)expected, 1)
                                 : 0;
}

gint64
cs_state_expected(const CsState *state, gint64 cells)
{
    return state->cells >= cells       ? state->cells_computed
           : state->cells_expected > 0 ? state->cells_expected
                                       : state->cells_computed + cells - state->cells;
}

double
cs_state_done(const CsState *state, gint64 cells, double traced, double proved)
{
    const double sweeps = cs_state_fraction(state, cells);
    const double swept = state->verifies ? CS_PROGRESS_SWEEPS_VERIFIED : CS_PROGRESS_SWEEPS;
    const double all = state->verifies ? CS_PROGRESS_TRACED_VERIFIED : 1;
    if (state->no_start)
        return sweeps;
    if (state->cells < cells)
        return swept * sweeps;
    return traced < 1 ? swept + (all - swept) * traced : all + (1 - all) * proved;
}

void
cs_state_head_clear(CsStateHead *head)
{
    g_clear_pointer(&head->record, cs_fingerprint_record_free);
    g_clear_pointer(&head->program_version, g_free);
    cs_state_clear(&head->state);
}

static json_t *
steps_to_json(const CsStaircase *staircase)
{
    json_t *steps = json_array();
    for (guint k = 0; staircase->steps != NULL && k < staircase->steps->len; k++) {
        const CsStep *step = &g_array_index(staircase->steps, CsStep, k);
        if (json_array_append_new(
                steps, json_pack("[I, I, I, I]", (json_int_t)step->row, (json_int_t)step->height,
                                 (json_int_t)step->column, (json_int_t)step->corner)) != 0) {
            json_decref(steps);
            return NULL;
        }
    }
    return steps;
}

/* Whether both strands are compared and plus is complete. */
static gboolean
has_plus(const CsStateHead *head, const CsState *state)
{
    return head->record->strand == CS_STRAND_BOTH && state->under_way == CS_STRAND_MINUS;
}

static json_t *
best_to_json(const CsBest *best)
{
    return json_pack("{s:I, s:I, s:I}", "score", (json_int_t)best->score, "i", (json_int_t)best->i,
                     "j", (json_int_t)best->j);
}

static json_t *
known_integer(gint64 value)
{
    return value >= 0 ? json_integer(value) : json_null();
}

static json_t *
known_real(double value)
{
    return value >= 0 ? json_real(value) : json_null();
}

static gboolean
is_asked_for(const CsStateHead *head, CsStrand strand)
{
    return head->record->strand == CS_STRAND_BOTH || head->record->strand == strand;
}

/* The work of the strands to compare. */
static json_t *
work_to_json(const CsStateHead *head, const CsState *state)
{
    json_t *array = json_array();
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        const CsStrandWork *work = &state->work[strand];
        if (!is_asked_for(head, strand))
            continue;
        if (json_array_append_new(
                array,
                json_pack("{s:s, s:o, s:I, s:o, s:I, s:o, s:I}", "strand", cs_strand_name(strand),
                          "skip",
                          work->skip != CS_SKIP_AUTO ? json_string(cs_skip_mode_name(work->skip))
                                                     : json_null(),
                          "lower_bound", (json_int_t)work->lower_bound, "cells_computed",
                          known_integer(work->cells_computed), "cells_corridor",
                          (json_int_t)work->cells_corridor, "seconds", known_real(work->seconds),
                          "floor", (json_int_t)work->floor)) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* For each part of the rows: its cells and their columns. NULL if there is no forecast. */
static json_t *
forecast_to_json(const CsWorkForecast *forecast)
{
    if (forecast->m == 0)
        return json_null();
    json_t *array = json_array();
    for (gint64 k = 0; k < CS_WORK_PARTS; k++)
        if (json_array_append_new(array,
                                  json_pack("[I, I, I]", (json_int_t)MIN(forecast->cells[k], 9e18),
                                            (json_int_t)forecast->from[k],
                                            (json_int_t)forecast->to[k])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

/* The cells that were computed for lower bounds. */
static gint64
cells_of_corridors(const CsState *state)
{
    return state->work[CS_STRAND_PLUS].cells_corridor + state->work[CS_STRAND_MINUS].cells_corridor;
}

static json_t *
state_to_json(const CsStateHead *head, const CsState *state)
{
    const CsStaircase *stairs = &state->staircase;
    g_autofree char *saved = cs_json_time_new(head->saved);
    return json_pack(
        "{s:s, s:i, s:s, s:I, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:I, "
        "s:I, s:f, s:I, s:b, s:I, s:s, s:o, s:o, s:b, s:b, s:b, s:o, s:o, s:I}",
        "format", FORMAT, "version", CS_STATE_VERSION, "program_version", CS_VERSION, "generation",
        (json_int_t)head->generation, "saved", saved, "m",
        (json_int_t)cs_fingerprint_record_rows(head->record), "n",
        (json_int_t)cs_fingerprint_record_columns(head->record), "row", (json_int_t)stairs->row,
        "corner", (json_int_t)stairs->corner, "steps", steps_to_json(stairs), "best",
        best_to_json(&stairs->best), "cells", (json_int_t)state->cells, "cells_computed",
        (json_int_t)(state->cells_computed + cells_of_corridors(state)), "seconds", state->seconds,
        "threshold", (json_int_t)state->threshold, "skipped", (int)state->skipped, "threads",
        (json_int_t)state->threads, "under_way", cs_strand_name(state->under_way), "plus",
        has_plus(head, state) ? best_to_json(&state->plus) : json_null(), "strands",
        work_to_json(head, state), "no_start", (int)state->no_start, "best_start",
        (int)state->best_start, "verify", (int)state->verifies, "cells_expected",
        state->cells_expected > 0 ? json_integer(state->cells_expected) : json_null(), "forecast",
        forecast_to_json(&state->forecast), "min_score", (json_int_t)state->min_score);
}

char *
cs_state_head_dump(const CsStateHead *head, const CsState *state)
{
    g_autoptr(CsJson) object = state_to_json(head, state);
    if (object == NULL || !cs_fingerprint_record_write(head->record, object) ||
        !cs_json_text_write(object, "engine", state->engine) ||
        !cs_json_text_write(object, "device", state->device))
        return NULL;
    return json_dumps(object, JSON_COMPACT);
}

static gboolean
fail(GError **error, const char *what)
{
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "malformed %s", what);
    return FALSE;
}

/* From scoring and lengths: the bounds of every value, and the width. */
static gboolean
read_range(CsStateHead *head, gint64 m, gint64 n, GError **error)
{
    const CsFingerprintRecord *record = head->record;
    if (m != cs_fingerprint_record_rows(record) || n != cs_fingerprint_record_columns(record) ||
        (n != 0 && m > G_MAXINT64 / n / (record->strand == CS_STRAND_BOTH ? 2 : 1)))
        return fail(error, "size of the matrix");
    CsRectangle whole = {
        .rows.length = m,
        .columns.length = n,
        .scoring = record->scoring,
    };
    if (!cs_rectangle_width(&whole, &head->width, NULL))
        return fail(error, "scoring");
    head->highest = record->scoring.match * MIN(m, n);
    return TRUE;
}

static gboolean
within(gint64 value, gint64 lowest, gint64 highest)
{
    return value >= lowest && value <= highest;
}

/*
 * Reads the steps. Each begins where the one above ends, and the last ends at `row`. Columns do not
 * grow from step to step; two steps with equal columns are allowed. docs/formats.md has the limits.
 * Sets covered, the number of cells. No sum overflows, because m * n does not.
 */
static gboolean
read_steps(CsStateHead *head, json_t *steps, gint64 m, gint64 n, gint64 *covered, GError **error)
{
    CsStaircase *stairs = &head->state.staircase;
    stairs->steps = g_array_new(FALSE, TRUE, sizeof(CsStep));
    gint64 end = -1, column = n - 1;
    *covered = 0;
    for (gsize k = 0; k < json_array_size(steps); k++) {
        json_int_t at[4];
        if (json_unpack(json_array_get(steps, k), "[I, I, I, I!]", &at[0], &at[1], &at[2],
                        &at[3]) != 0)
            return fail(error, "steps");
        CsStep step = {.row = at[0], .height = at[1], .column = at[2], .corner = at[3]};
        if (!within(step.row, end < 0 ? 0 : end, end < 0 ? m : end) ||
            !within(step.height, 1, m - step.row) || !within(step.column, 1, column) ||
            !within(step.corner, 0, head->highest))
            return fail(error, "steps");
        *covered += step.height * step.column + (end < 0 ? step.row * n : 0);
        end = step.row + step.height;
        column = step.column;
        g_array_append_val(stairs->steps, step);
    }
    if (end >= 0 && end != stairs->row)
        return fail(error, "steps");
    if (end < 0)
        *covered = stairs->row * n;
    return TRUE;
}

static gboolean
is_best(const CsStateHead *head, const CsBest *best, gint64 m, gint64 n)
{
    const gboolean some = best->score > 0;
    return within(best->score, 0, head->highest) && within(best->i, some, some ? m : 0) &&
           within(best->j, some, some ? n : 0);
}

/* Reads the strand in progress, and the best of the other. Files of versions without strands lack
 * both. */
static gboolean
read_strands(CsStateHead *head, json_t *object, gint64 m, gint64 n, GError **error)
{
    CsState *state = &head->state;
    const CsStrand strand = head->record->strand;
    json_t *under_way = json_object_get(object, "under_way"),
           *plus = json_object_get(object, "plus");
    json_int_t score, i, j;
    state->under_way = CS_STRAND_PLUS;
    if (under_way != NULL && (!cs_strand_read(json_string_value(under_way), &state->under_way) ||
                              state->under_way == CS_STRAND_BOTH))
        return fail(error, "strand");
    if (strand != CS_STRAND_BOTH && state->under_way != strand)
        return fail(error, "strand");
    if (!has_plus(head, state))
        return plus == NULL || json_is_null(plus) || fail(error, "strand");
    if (json_unpack(plus, "{s:I, s:I, s:I}", "score", &score, "i", &i, "j", &j) != 0)
        return fail(error, "best cell");
    state->plus = (CsBest){score, i, j};
    return is_best(head, &state->plus, m, n) || fail(error, "best cell");
}

static gboolean
read_skip(json_t *object, CsSkipMode *skip)
{
    *skip = CS_SKIP_AUTO;
    if (json_is_null(object))
        return TRUE;
    for (CsSkipMode mode = CS_SKIP_NONE; mode <= CS_SKIP_BOUNDS; mode++)
        if (g_strcmp0(json_string_value(object), cs_skip_mode_name(mode)) == 0)
            *skip = mode;
    return *skip != CS_SKIP_AUTO;
}

static gboolean
read_strand_work(const CsStateHead *head, json_t *object, CsStrandWork *work)
{
    json_t *strand = NULL, *skip = NULL, *computed = NULL, *seconds = NULL;
    json_int_t lower_bound, corridor, floor = 0; /* earlier versions skipped nothing below one */
    if (json_unpack(object, "{s:o, s:o, s:I, s:o, s:I, s:o, s?I}", "strand", &strand, "skip", &skip,
                    "lower_bound", &lower_bound, "cells_computed", &computed, "cells_corridor",
                    &corridor, "seconds", &seconds, "floor", &floor) != 0)
        return FALSE;
    *work = (CsStrandWork){
        .lower_bound = lower_bound,
        .cells_computed = json_is_null(computed) ? -1 : json_integer_value(computed),
        .cells_corridor = corridor,
        .floor = floor,
        .seconds = json_is_null(seconds) ? -1 : json_number_value(seconds),
    };
    return read_skip(skip, &work->skip) && within(lower_bound, 0, head->highest) && corridor >= 0 &&
           floor >= 0 &&
           (json_is_null(computed) || (json_is_integer(computed) && work->cells_computed >= 0)) &&
           (json_is_null(seconds) || (json_is_number(seconds) && work->seconds >= 0));
}

/*
 * Reads the work of each strand, and subtracts the cells for lower bounds from *computed. Files of
 * older versions have only the sum.
 */
static gboolean
read_work(CsStateHead *head, json_t *object, json_int_t *computed, double seconds)
{
    CsState *state = &head->state;
    json_t *array = json_object_get(object, "strands");
    if (array == NULL) {
        const CsStrandWork sum = {.cells_computed = *computed, .seconds = seconds};
        const CsStrandWork unknown = {.cells_computed = -1, .seconds = -1};
        state->work[state->under_way] = has_plus(head, state) ? unknown : sum;
        if (has_plus(head, state))
            state->work[CS_STRAND_PLUS] = unknown;
        return TRUE;
    }
    gsize k = 0;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        if (!is_asked_for(head, strand))
            continue;
        json_t *one = json_array_get(array, k++);
        const char *name = json_string_value(json_object_get(one, "strand"));
        if (g_strcmp0(name, cs_strand_name(strand)) != 0 ||
            !read_strand_work(head, one, &state->work[strand]) ||
            state->work[strand].cells_corridor > *computed)
            return FALSE;
        *computed -= state->work[strand].cells_corridor;
    }
    return json_array_size(array) == k;
}

/* Both may be missing or null: files of older versions lack them. */
static gboolean
read_forecast(CsState *state, json_t *object, gint64 m, gint64 n)
{
    const json_t *expected = json_object_get(object, "cells_expected");
    const json_t *parts = json_object_get(object, "forecast");
    CsWorkForecast *forecast = &state->forecast;
    if (expected != NULL && !json_is_null(expected)) {
        state->cells_expected = json_integer_value(expected);
        if (state->cells_expected < MAX(1, state->cells_computed))
            return FALSE;
    }
    if (parts == NULL || json_is_null(parts))
        return TRUE;
    if (json_array_size(parts) != CS_WORK_PARTS)
        return FALSE;
    *forecast = (CsWorkForecast){.m = m, .n = n};
    for (gint64 k = 0; k < CS_WORK_PARTS; k++) {
        json_int_t cells, from, to;
        if (json_unpack(json_array_get(parts, (gsize)k), "[I, I, I!]", &cells, &from, &to) != 0 ||
            cells < 0 || !within(from, 0, to) || !within(to, from, n))
            return FALSE;
        forecast->cells[k] = (double)cells;
        forecast->from[k] = from;
        forecast->to[k] = to;
    }
    return TRUE;
}

static gboolean
read_state(CsStateHead *head, json_t *object, GError **error)
{
    json_int_t m, n, row, corner, score, i, j, cells, computed, threshold, threads, least = 0;
    json_t *steps = NULL;
    double seconds = 0;
    int skipped = 0;
    if (json_unpack(
            object,
            "{s:I, s:I, s:I, s:I, s:o, s:{s:I, s:I, s:I}, s:I, s:I, s:F, s:I, s:b, s:I, s?I}", "m",
            &m, "n", &n, "row", &row, "corner", &corner, "steps", &steps, "best", "score", &score,
            "i", &i, "j", &j, "cells", &cells, "cells_computed", &computed, "seconds", &seconds,
            "threshold", &threshold, "skipped", &skipped, "threads", &threads, "min_score",
            &least) != 0 ||
        !json_is_array(steps))
        return fail(error, "state");
    if (!read_range(head, m, n, error))
        return FALSE;
    if (!within(row, 0, m) || !within(corner, 0, head->highest))
        return fail(error, "row");
    CsState *state = &head->state;
    state->staircase.row = row;
    state->staircase.corner = corner;
    state->staircase.best = (CsBest){score, i, j};
    gint64 covered;
    if (!read_steps(head, steps, m, n, &covered, error) || !read_strands(head, object, m, n, error))
        return FALSE;
    if (has_plus(head, state))
        covered += m * n;
    if (cells != covered || computed < 0)
        return fail(error, "number of cells");
    if (!read_work(head, object, &computed, seconds))
        return fail(error, "strands");
    if (!is_best(head, &state->staircase.best, m, n))
        return fail(error, "best cell");
    if (!within(threshold, 0, head->highest) || !isfinite(seconds) || seconds < 0 ||
        !within(threads, 0, G_MAXINT) || least < 0)
        return fail(error, "state");
    state->cells = cells;
    state->cells_computed = computed;
    state->seconds = seconds;
    state->threshold = threshold;
    state->min_score = least;
    state->skipped = skipped;
    state->threads = (guint)threads;
    state->no_start = json_is_true(json_object_get(object, "no_start"));
    state->best_start = json_is_true(json_object_get(object, "best_start"));
    state->verifies = json_is_true(json_object_get(object, "verify"));
    return read_forecast(state, object, m, n) || fail(error, "forecast");
}

static gboolean
read_names(CsStateHead *head, json_t *object, GError **error)
{
    g_autofree char *engine = NULL, *device = NULL;
    const char *format = NULL, *program = NULL, *saved = NULL;
    json_int_t generation = 0;
    if (json_unpack(object, "{s:s, s:s, s:I, s:s}", "format", &format, "program_version", &program,
                    "generation", &generation, "saved", &saved) != 0 ||
        g_strcmp0(format, FORMAT) != 0 || generation < 1 || cs_json_time_read(saved) < 0 ||
        !cs_json_text_read(object, "engine", &engine) ||
        !cs_json_text_read(object, "device", &device))
        return fail(error, "description");
    head->program_version = g_strdup(program);
    head->generation = generation;
    head->saved = cs_json_time_read(saved);
    head->state.engine = g_intern_string(engine);
    head->state.device = g_intern_string(device);
    return TRUE;
}

gboolean
cs_state_head_parse(const char *text, gsize length, CsStateHead *head, GError **error)
{
    json_error_t where;
    g_autoptr(CsJson) object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
    if (object == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "malformed JSON at byte %d", where.position);
        return FALSE;
    }
    if (!read_names(head, object, error))
        return FALSE;
    head->record = cs_fingerprint_record_read(object, error);
    return head->record != NULL && read_state(head, object, error);
}
