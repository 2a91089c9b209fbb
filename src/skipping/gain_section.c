/* Relative gains of a section, and how high they lie. */
#include "skipping/gain_section.h"

#include "sweep/grid.h"
#include "system/memory.h"
#include "system/stop.h"

enum {
    HIGHER = 16, /* so much higher than the best path a section may be */
};

/* The columns of a band's steps and the one below it, together. */
static CsGainSpan
columns_of(const CsGainSectionShape *shape, const CsGainSection *section, gint64 k)
{
    const gint64 first = k * shape->steps;
    const gint64 end = first + shape->steps + (k < section->last);
    CsGainSpan all = shape->strip[first];
    for (gint64 s = first; s < end; s++)
        if (shape->strip[s].from < shape->strip[s].to)
            all =
                (CsGainSpan){MIN(all.from, shape->strip[s].from), MAX(all.to, shape->strip[s].to)};
    return all;
}

/* The columns of the chain after the line above a band, and after the line below it. In high bands the chain's
 * columns reach to the sides of the strip. */
static CsGainSpan
top_of(const CsGainSectionShape *shape, gint64 k)
{
    const CsGainSpan *chain = &shape->chain[k];
    return (CsGainSpan){chain->from, MIN(chain->to, chain->from + shape->near)};
}

static CsGainSpan
bottom_of(const CsGainSectionShape *shape, gint64 k)
{
    const CsGainSpan *chain = &shape->chain[k];
    return (CsGainSpan){MAX(chain->from, chain->to - shape->near), chain->to};
}

static gint64
widest_of(const CsGainSectionShape *shape, const CsGainSection *section)
{
    gint64 widest = 0;
    for (gint64 k = section->first; k <= section->last; k++) {
        const CsGainSpan columns = columns_of(shape, section, k);
        widest = MAX(widest, columns.to - columns.from);
    }
    return widest;
}

void
cs_gain_section_clear(CsGainSectionValues *values)
{
    g_clear_pointer(&values->lines, g_free);
    g_clear_pointer(&values->memory, g_free);
    g_clear_pointer(&values->h, g_free);
    g_clear_pointer(&values->f, g_free);
}

/* Keeps what the strip has after the line above a band. */
static void
keep_line(CsGainSectionValues *values, const CsGainStrip *strip, gint64 k, CsGainSpan chain,
          gint32 **next)
{
    CsGainSectionLine *line = &values->lines[k - values->section->first];
    line->blocks = cs_gain_strip_blocks(strip, k);
    line->gains = *next;
    *next += line->blocks.to - line->blocks.from;
    for (gint64 b = 0; b < line->blocks.to - line->blocks.from; b++)
        line->gains[b] = G_MAXINT32;
    CsGainReach reach = {.gains = line->gains - line->blocks.from};
    cs_gain_strip_lower(strip, k, &reach, &line->blocks);
    line->highest = cs_gain_strip_highest(strip, &chain);
}

/* Makes room for a value of each block of each line. */
static gboolean
make_memory(CsGainSectionValues *values, const CsGainSectionShape *shape)
{
    const CsGainSection *section = values->section;
    const CsGainSpan *top = &shape->strip[section->first * shape->steps];
    gint64 blocks = 0;
    for (gint64 k = section->first; k <= section->last; k++) {
        const CsGainSpan *span = &shape->strip[k * shape->steps];
        blocks += MAX(0, span->to - span->from) / shape->rule->block + 3;
    }
    values->memory = cs_memory_try_new(gint32, blocks);
    values->top = *top;
    values->top.to = MAX(top->from, top->to);
    values->h = cs_memory_try_new(gint32, MAX(1, values->top.to - top->from));
    values->f = cs_memory_try_new(gint32, MAX(1, values->top.to - top->from));
    return values->memory != NULL && values->h != NULL && values->f != NULL;
}

void
cs_gain_section_compute(CsGainSectionValues *values, const CsGainSection *section,
                        const CsGainSectionShape *shape)
{
    g_auto(CsGainStrip) strip = {0};
    CsGainStripShape own = shape->shape;
    *values = (CsGainSectionValues){.section = section};
    own.threads = 1;
    own.widest = widest_of(shape, section);
    if (!make_memory(values, shape) ||
        !cs_gain_strip_init(&strip, &own, shape->rule, shape->bases, shape->scoring, NULL)) {
        cs_gain_section_clear(values);
        return;
    }
    gint32 *next = values->memory;
    values->lines = g_new0(CsGainSectionLine, section->last - section->first + 1);
    for (gint64 k = section->last; k >= section->first && !cs_is_stopped(own.stop); k--) {
        CsGainSectionLine *line = &values->lines[k - section->first];
        line->entered = strip.entered;
        cs_gain_strip_begin(&strip, k, &shape->strip[k * shape->steps], NULL);
        cs_gain_strip_climb(&strip, 0);
        keep_line(values, &strip, k, top_of(shape, k), &next);
        strip.entered = MAX(0, line->highest - shape->lower);
    }
    cs_gain_strip_take(&strip, &values->top, values->h, values->f);
    values->cells = cs_gain_strip_cells(&strip);
}

/* What is reached after the line below a band, and what entered in its place. */
typedef struct {
    const CsGainRule *rule;
    const CsGainReach *below;
    gint64 m, n;
    gint32 entered;
    CsScore base;
} Comparison;

/* Some diagonals; none if lowest > highest. */
static void
compare(Comparison *comparison, gint64 lowest, gint64 highest)
{
    if (lowest > highest)
        return;
    const CsGainRule *rule = comparison->rule;
    const gint64 from = cs_gain_block_of(rule, comparison->m, MAX(lowest, -comparison->m));
    const gint64 to = cs_gain_block_of(rule, comparison->m, MIN(highest, comparison->n));
    for (gint64 block = from; block <= to; block++)
        comparison->base = MAX(comparison->base, comparison->below->reached[block] / rule->scale -
                                                     comparison->entered);
}

/* Whether a section would begin its own bands higher than the best path. A path that begins at the bottom beside a
 * long gap of the best one does not pay for the gap. */
static gboolean
is_too_high(const CsGainSectionValues *values, const CsGainSectionShape *shape, gint64 k,
            const CsGainReach *below)
{
    const CsGainSection *section = values->section;
    const gint64 line = (k + 1) * shape->rule->band, n = shape->bases->n;
    Comparison path = {.rule = shape->rule, .below = below, .m = shape->bases->m, .n = n};
    if (k != section->own || k == section->last)
        return FALSE;
    const CsGainSpan chain = top_of(shape, k + 1);
    if (chain.from >= chain.to)
        return FALSE;
    compare(&path, MAX(chain.from, 0) - line, MIN(chain.to, n) - line);
    return values->base + values->lines[k + 1 - section->first].highest > path.base + HIGHER;
}

gboolean
cs_gain_section_raise(CsGainSectionValues *values, const CsGainSectionShape *shape, gint64 k,
                      const CsGainReach *below)
{
    const CsGainRule *rule = shape->rule;
    const gint64 m = shape->bases->m, n = shape->bases->n, height = shape->shape.height;
    const gint64 first = k * rule->band, line = MIN(m, first + rule->band);
    const gint64 steps = cs_divide_up(line - first, height);
    const CsGainSpan *spans = &shape->strip[k * shape->steps], chain = bottom_of(shape, k);
    const CsGainSpan none = {0};
    const gboolean begins = k == values->section->last;
    Comparison comparison = {.rule = rule,
                             .below = below,
                             .m = m,
                             .n = n,
                             .entered = values->lines[k - values->section->first].entered,
                             .base = values->base};
    if (begins && chain.from < chain.to)
        compare(&comparison, MAX(chain.from, 0) - line, MIN(chain.to, n) - line);
    const CsScore base = comparison.base;
    for (gint64 s = 0; s < steps; s++) {
        const gint64 above = first + s * height, row = MIN(line, above + height);
        const CsGainSpan *span = &spans[s];
        const CsGainSpan under = s + 1 < steps ? spans[s + 1] : begins ? none : spans[shape->steps];
        if (span->from >= span->to)
            continue;
        compare(&comparison, span->to - row + 1, span->to - above); /* on the right */
        compare(&comparison, span->from - row, MIN(span->to, under.from - 1) - row);
        compare(&comparison, MAX(span->from, under.to) - row, span->to - row);
    }
    values->base = comparison.base;
    return comparison.base > base || is_too_high(values, shape, k, below);
}

CsGainSpan
cs_gain_section_lower(const CsGainSectionValues *values, const CsGainRule *rule, gint64 k,
                      CsGainReach *line, gint32 *best)
{
    const CsGainSectionLine *own = &values->lines[k - values->section->first];
    const CsScore base = rule->scale * values->base;
    for (gint64 block = own->blocks.from; block < own->blocks.to; block++) {
        const gint32 gain = own->gains[block - own->blocks.from];
        if (gain != G_MAXINT32)
            line->gains[block] = (gint32)MIN(line->gains[block], base + gain);
    }
    *best = (gint32)(base + rule->scale * own->highest);
    return own->blocks;
}
