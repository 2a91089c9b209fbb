/* What the members of a ring can do. */
#include <string.h>

#include <chromosweep/error.h>

#include "ring/ring_shape.h"
#include "ring/ring_share.h"

static const CsMember *
find_gpu(const CsEngineOptions *options)
{
    const CsMember *member = options->members;
    while (!member->engine->gpu)
        member++;
    return member;
}

/* What was asked for, or what any borders fit. */
static guint
asked_bits(const CsRectangle *rectangle, const CsEngineOptions *options)
{
    if (options->bits != 0 || !cs_ring_share_has_gpu(options) ||
        cs_ring_share_is_whole(rectangle, options))
        return options->bits;
    return rectangle->skipped ? 32 : 0;
}

/* What a member is told. */
static CsEngineOptions
options_of(const CsRectangle *rectangle, const CsEngineOptions *options, const CsMember *member)
{
    CsEngineOptions own = *options;
    own.members = NULL;
    own.n_members = 0;
    own.device = member->device;
    own.bits = asked_bits(rectangle, options);
    return own;
}

CsEngineOptions
cs_ring_shape_whole(const CsRectangle *rectangle, const CsEngineOptions *options, guint members)
{
    CsEngineOptions own = options_of(rectangle, options, &options->members[0]);
    const guint sharers = cs_ring_share_skippers(rectangle, options, members);
    if (sharers > 1) {
        own.members = options->members;
        own.n_members = sharers;
    }
    return own;
}

/* A part of so many rows as a GPU gets it, but with the borders of the whole. */
static CsRectangle
part_of(const CsRectangle *rectangle, gint64 rows)
{
    static const CsScore corner = 0; /* what tells a member's rectangle from others */
    CsRectangle part = *rectangle;
    part.rows = cs_view_slice(&rectangle->rows, 0, rows);
    part.corners = &corner;
    part.row_bounds = part.column_bounds = NULL;
    part.special_rows = NULL;
    part.n_special_rows = 0;
    part.skipped = part.skipping = FALSE;
    return part;
}

static CsRectangle
typical_part(const CsRectangle *rectangle, const CsEngineOptions *options)
{
    const gint64 m = cs_rectangle_m(rectangle);
    return part_of(rectangle, MIN(m, m / options->n_members + 1));
}

/*
 * The slots of all members together in blocks of this size, which are dealt by speed: as many as keep one GPU full, while no
 * GPU gets more than run there at once. With more it would take twice as long for a diagonal.
 */
static gint64
count_slots(const CsRectangle *rectangle, const CsEngineOptions *options, const CsGridShape *shape)
{
    const CsRectangle part = typical_part(rectangle, options);
    gint64 all = 0, slots = G_MAXINT64;
    for (guint k = 0; k < options->n_members; k++)
        all += MAX(1, options->members[k].speed);
    for (guint k = 0; k < options->n_members; k++) {
        const CsMember *member = &options->members[k];
        const CsEngineOptions own = options_of(rectangle, options, member);
        CsGridShape of_member = *shape;
        of_member.depth = 0;
        if (!member->engine->gpu)
            continue;
        member->engine->shape(&part, &own, &of_member);
        const gint64 at_once =
            MAX(1, of_member.depth /
                       cs_ring_share_sharers(options->members, options->n_members, member));
        slots = MIN(slots, cs_divide_up(at_once * all, MAX(1, member->speed)));
    }
    return MAX(slots, options->n_members);
}

/* Blocks that suit a GPU's part, and as many slots as run at once. */
static void
shape_for_gpus(const CsRectangle *rectangle, const CsEngineOptions *options, CsGridShape *shape)
{
    const CsMember *gpu = find_gpu(options);
    const CsEngineOptions own = options_of(rectangle, options, gpu);
    const CsRectangle part = typical_part(rectangle, options);
    const guint members = shape->members;
    CsGridShape alone = *shape, shared = *shape;
    gpu->engine->shape(rectangle, &own, &alone);
    gpu->engine->shape(&part, &own, &shared);
    shared.depth = count_slots(rectangle, options, &shared);
    if (shape->depth > 0)
        shared.depth = MIN(shared.depth, shape->depth);
    else if (cs_divide_up(cs_rectangle_m(rectangle), shared.block_height) <= alone.depth)
        shared.depth = 1; /* one GPU has a slot for each block row */
    const gint64 columns = cs_divide_up(cs_rectangle_n(rectangle), shared.block_width);
    shared.depth = MIN(shared.depth, cs_ring_share_most_slots(columns, options));
    const gboolean one = members == 1 || alone.depth == 1 || shared.depth < 2;
    *shape = one ? alone : shared;
    shape->members = one ? 1 : members;
}

void
cs_ring_shape(const CsRectangle *rectangle, const CsEngineOptions *options, CsGridShape *shape)
{
    const guint members = shape->members;
    CsEngineOptions all = cs_ring_shape_whole(rectangle, options, members);
    if (cs_ring_share_has_gpu(options) && !cs_ring_share_is_whole(rectangle, options) &&
        cs_rectangle_m(rectangle) > 0 && cs_rectangle_n(rectangle) > 0) {
        shape_for_gpus(rectangle, options, shape);
        return;
    }
    if (members != 1)
        all.threads = MAX(cs_ring_share_threads(options), options->n_members);
    options->members[0].engine->shape(rectangle, &all, shape);
    shape->members = members; /* an engine may make a new shape */
}

/* Whether a GPU computes the ring's blocks as they are. */
static gboolean
check_blocks(const CsRectangle *part, const CsGridShape *shape, const CsMember *member,
             const CsEngineOptions *own, GError **error)
{
    CsGridShape rounded = *shape;
    member->engine->shape(part, own, &rounded);
    if (rounded.block_height == shape->block_height && rounded.block_width == shape->block_width)
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "its blocks differ from those of the first GPU, so it cannot share them");
    return FALSE;
}

/* Beside GPUs the arithmetic on the CPU is as wide as it has to be. */
static gboolean
cpu_bits(const CsRectangle *rectangle, const CsEngineOptions *options, guint *bits, GError **error)
{
    const gboolean gpus = cs_ring_share_has_gpu(options);
    CsWidth width;
    if (!cs_rectangle_width(rectangle, &width, error))
        return FALSE;
    if (gpus && width != CS_WIDTH_32) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "scores of this size need 64-bit arithmetic, which the GPU lacks");
        return FALSE;
    }
    *bits = options->bits != 0 && !gpus ? options->bits : 8 * (guint)width;
    return TRUE;
}

static gboolean
accepts_member(const CsRectangle *rectangle, const CsGridShape *shape,
               const CsEngineOptions *options, const CsMember *member, GError **error)
{
    CsEngineOptions own = options_of(rectangle, options, member);
    if (member->engine->feed == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "engine %s cannot be a member of a ring",
                    member->engine->name);
        return FALSE;
    }
    if (!member->engine->gpu)
        return cpu_bits(rectangle, options, &own.bits, error) &&
               member->engine->accepts(rectangle, shape, &own, error);
    const CsRectangle part = typical_part(rectangle, options);
    return member->engine->accepts(&part, shape, &own, error) &&
           check_blocks(&part, shape, member, &own, error);
}

gboolean
cs_ring_shape_accepts(const CsRectangle *rectangle, const CsGridShape *shape,
                      const CsEngineOptions *options, GError **error)
{
    guint bits;
    if (shape->members == 1 || cs_ring_share_is_whole(rectangle, options)) {
        const CsEngineOptions own = cs_ring_shape_whole(rectangle, options, shape->members);
        return options->members[0].engine->accepts(rectangle, shape, &own, error);
    }
    if (!cpu_bits(rectangle, options, &bits, error))
        return FALSE;
    for (guint k = 0; k < options->n_members; k++)
        if (!accepts_member(rectangle, shape, options, &options->members[k], error))
            return FALSE;
    return TRUE;
}

gboolean
cs_ring_shape_bits(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
                   const CsEngineOptions *options, guint *cpu, guint *gpu, GError **error)
{
    *gpu = 0;
    if (!cpu_bits(rectangle, options, cpu, error))
        return FALSE;
    if (!cs_ring_share_has_gpu(options))
        return TRUE;
    for (guint k = 0; k < options->n_members; k++)
        if (options->members[k].engine->gpu &&
            !accepts_member(rectangle, shape, options, &options->members[k], error))
            return FALSE;
    const CsMember *member = find_gpu(options);
    const CsEngineOptions own = options_of(rectangle, options, member);
    const CsRectangle part = typical_part(rectangle, options);
    CsEngineNeeds needs;
    member->engine->needs(&part, grid, shape, &own, &needs);
    *gpu = needs.bits;
    return TRUE;
}

/* What one share takes. */
static void
needs_of_share(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
               const CsEngineOptions *options, const CsShare *share, CsEngineNeeds *needs)
{
    CsRectangle part = *rectangle;
    CsEngineOptions own = options_of(rectangle, options, share->member);
    part.rows = cs_view_slice(&rectangle->rows, 0, share->grid.m);
    if (share->member->engine->gpu)
        part = part_of(rectangle, share->grid.m);
    else
        (void)cpu_bits(rectangle, options, &own.bits, NULL);
    if (!cs_ring_share_has(share, grid, grid->block_rows - 1))
        part.bottom = NULL;
    own.threads = share->threads;
    share->member->engine->needs(&part, &share->grid, shape, &own, needs);
}

void
cs_ring_shape_needs(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
                    const CsEngineOptions *options, CsEngineNeeds *needs)
{
    const guint count = cs_ring_share_count(rectangle, grid, options);
    g_autofree CsShare *shares = g_new0(CsShare, count);
    if (count == 1) {
        const CsEngineOptions own = cs_ring_shape_whole(rectangle, options, grid->members);
        options->members[0].engine->needs(rectangle, grid, shape, &own, needs);
        return;
    }
    g_autofree gint64 *device =
        g_new0(gint64, count); /* of each member and those before it there */
    cs_ring_share_deal(rectangle, grid, options, shares);
    *needs = (CsEngineNeeds){0};
    if (rectangle->bottom != NULL) /* while a state is taken, a member's copy of its bus */
        needs->other = 2 * (gint64)rectangle->bottom->width * grid->n;
    for (guint k = 0; k < count; k++) {
        CsEngineNeeds of_member;
        needs_of_share(rectangle, grid, shape, options, &shares[k], &of_member);
        needs->buses += of_member.buses;
        needs->other += of_member.other + shares[k].grid.m + 40 * shares[k].grid.block_rows;
        for (guint l = 0; l <= k; l++)
            if (cs_ring_share_is_same_device(shares[k].member, shares[l].member))
                device[l] += of_member.device;
        needs->risers += of_member.risers;
        needs->bits = MAX(needs->bits, of_member.bits);
    }
    for (guint k = 0; k < count; k++) {
        needs->device = MAX(needs->device, device[k]);
        cs_ring_share_clear(&shares[k]);
    }
}
