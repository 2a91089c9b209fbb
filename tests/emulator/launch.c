/* A launch on the emulated device: whose turn it is, and who waits for whom. */
#include <string.h>
#include <sys/mman.h>

#include <glib.h>

#include "emulator.h"
#include "fibers.h"

enum {
    LANES = 32,
    BARRIERS = 16,
    STACK = 256 << 10, /* bytes of a lane, of which a fraction is touched */
    GUARD = 64 << 10,  /* no access below it */
    COLOUR = 832,      /* bytes between the stacks of neighbours: other sets of the cache */
    FENCE = 256,       /* bytes behind shared memory that must stay as they are */
    GARBAGE = 0xa5,
    PATIENCE = 20000, /* rounds in which all that run only wait */
};

typedef struct Warp Warp;
typedef struct Block Block;

typedef struct {
    Fiber fiber;
    Warp *warp;
    guint number; /* in the warp */
    int barrier;  /* at which it waits, or -1 */
    guint8 *stack;
} Lane;

struct Warp {
    Block *block;
    guint number;
    Lane lanes[LANES];
    guint32 ready, paused; /* lanes; the others wait, or have ended */
    guint ended;
    /* Lanes that have arrived where they meet, and what each brought, in turn. */
    guint arrived, turn;
    const char *where;
    guint64 values[2][LANES];
};

typedef struct {
    guint arrived, wanted;
    const char *where;
} Barrier;

struct Block {
    guint number;
    guint8 *shared;
    Warp *warps;
    guint ended; /* lanes */
    Barrier barriers[BARRIERS];
};

/* A launch in progress. */
typedef struct {
    const EmulatorLaunch *launch;
    Fiber scheduler;
    Lane *lane; /* that runs */
    GPtrArray *warps;
    guint *order; /* of the blocks */
    guint begun, ended;
    guint64 done; /* grows whenever somebody gets on */
    GPtrArray *stacks;
    guint32 lot;     /* state of the generator */
    gboolean random; /* the order */
} Run;

static __thread Run *run __attribute__((tls_model("initial-exec")));

/* Stacks are kept for the thread's next launch. */
static void
free_stack(gpointer stack)
{
    munmap(stack, STACK);
}

static void
free_stacks(gpointer stacks)
{
    g_ptr_array_free(stacks, TRUE);
}

static GPrivate thread_stacks = G_PRIVATE_INIT(free_stacks);

static guint8 *
take_stack(void)
{
    if (run->stacks->len > 0)
        return g_ptr_array_steal_index_fast(run->stacks, run->stacks->len - 1);
    guint8 *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, GUARD, PROT_NONE) != 0)
        g_error("no memory for the stack of an emulated lane");
    return stack;
}

/* A number below `count`: by lot (Marsaglia's xorshift), or 0. */
static guint
draw(guint count)
{
    if (!run->random)
        return 0;
    run->lot ^= run->lot << 13;
    run->lot ^= run->lot >> 17;
    run->lot ^= run->lot << 5;
    return (guint)((guint64)run->lot * count >> 32);
}

static void
describe_lane(GString *text, const Lane *lane)
{
    const Warp *warp = lane->warp;
    g_string_append_printf(text, "block %u, warp %u, lane %u", warp->block->number, warp->number,
                           lane->number);
}

/* What the lanes of a warp wait for. */
static void
describe_warp(GString *text, const Warp *warp)
{
    guint at_barrier = 0;
    int barrier = -1;
    for (guint k = 0; k < LANES; k++)
        if (warp->lanes[k].barrier >= 0) {
            at_barrier++;
            barrier = warp->lanes[k].barrier;
        }
    g_string_append_printf(text, "\nemulated GPU: block %u, warp %u:", warp->block->number,
                           warp->number);
    if (warp->arrived > 0)
        g_string_append_printf(text, " %u lanes at %s", warp->arrived, warp->where);
    if (at_barrier > 0)
        g_string_append_printf(text, " %u lanes at barrier %d, %s", at_barrier, barrier,
                               warp->block->barriers[barrier].where);
    if (warp->paused != 0)
        g_string_append_printf(text, " lanes 0x%08x wait for memory to change", warp->paused);
    if (warp->ended > 0)
        g_string_append_printf(text, " %u lanes have ended", warp->ended);
}

static void
fail_stuck(const char *why)
{
    g_autoptr(GString) text = g_string_new(why);
    for (guint k = 0; k < MIN(run->warps->len, 64); k++)
        describe_warp(text, g_ptr_array_index(run->warps, k));
    emulator_fail("%s", text->str);
}

void
emulator_fail(const char *format, ...)
{
    g_autoptr(GString) text = g_string_new("emulated GPU: ");
    va_list values;
    va_start(values, format);
    g_string_append_vprintf(text, format, values);
    va_end(values);
    if (run != NULL) {
        g_string_append(text, "\nemulated GPU: in ");
        if (run->lane != NULL) {
            describe_lane(text, run->lane);
            g_string_append(text, " of ");
        }
        g_string_append(text, run->launch->name);
    }
    g_printerr("%s\n", text->str);
    abort();
}

/* One of the lanes in a mask that is not empty. */
static Lane *
draw_lane(Warp *warp)
{
    const guint32 ready = warp->ready;
    const guint from = draw(LANES);
    const guint32 turned = ready >> from | ready << (LANES - from) % LANES;
    return &warp->lanes[(from + (guint)__builtin_ctz(turned)) % LANES];
}

/* The lane stops: another one of its warp goes on or, if none can, another warp. */
static void
stop(Lane *self)
{
    Warp *warp = self->warp;
    if (warp->ready == 0) {
        fiber_switch(&self->fiber, &run->scheduler);
        return;
    }
    run->lane = draw_lane(warp);
    fiber_switch(&self->fiber, &run->lane->fiber);
}

static guint32
bit_of(const Lane *lane)
{
    return 1u << lane->number;
}

EmulatorIndex
emulator_thread(void)
{
    const Lane *self = run->lane;
    return (EmulatorIndex){self->warp->number * LANES + self->number};
}

EmulatorIndex
emulator_block(void)
{
    return (EmulatorIndex){run->lane->warp->block->number};
}

void *
emulator_shared(void)
{
    return run->lane->warp->block->shared;
}

const void *
emulator_shared_at(uint32_t offset, size_t bytes)
{
    if (offset % bytes != 0 || offset + bytes > run->launch->shared)
        emulator_fail("%zu bytes are loaded at %u of %zu bytes of shared memory", bytes, offset,
                      run->launch->shared);
    return run->lane->warp->block->shared + offset;
}

/* The places are literals, of which the compiler may keep several copies. */
static gboolean
is_same_place(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

const uint64_t *
emulator_meet(const char *where, uint32_t mask, uint64_t value)
{
    Lane *self = run->lane;
    Warp *warp = self->warp;
    const guint turn = warp->turn;
    if (mask != ~0u)
        emulator_fail("only whole warps can meet, not 0x%08x at %s", mask, where);
    if (warp->ended > 0)
        emulator_fail("%u lanes have ended without coming to %s", warp->ended, where);
    if (warp->arrived == 0)
        warp->where = where;
    else if (!is_same_place(warp->where, where))
        emulator_fail("lanes of a warp meet at %s and at %s", warp->where, where);
    warp->values[turn][self->number] = value;
    if (++warp->arrived < LANES) {
        warp->ready &= ~bit_of(self);
        stop(self);
        return warp->values[turn];
    }
    warp->arrived = 0;
    warp->turn ^= 1;
    warp->ready = ~0u;
    run->done++;
    /* Only here may other warps come between, so that lanes that are together read the same. */
    if (draw(64) == 1)
        fiber_switch(&self->fiber, &run->scheduler);
    return warp->values[turn];
}

/* Lets those go on who wait at a barrier. */
static void
open_barrier(Block *block, int number)
{
    const guint warps = run->launch->threads / LANES;
    block->barriers[number].arrived = 0;
    run->done++;
    for (guint w = 0; w < warps; w++) {
        Warp *warp = &block->warps[w];
        guint32 waiting = 0;
        for (guint k = 0; k < LANES; k++)
            if (warp->lanes[k].barrier == number) {
                warp->lanes[k].barrier = -1;
                waiting |= 1u << k;
            }
        if (waiting != 0 && waiting != ~0u)
            emulator_fail("a warp is divided at barrier %d, %s", number,
                          block->barriers[number].where);
        warp->ready |= waiting;
    }
}

void
emulator_barrier(const char *where, int number, unsigned threads)
{
    Lane *self = run->lane;
    Block *block = self->warp->block;
    if (number < 0 || number >= BARRIERS)
        emulator_fail("there is no barrier %d, at %s", number, where);
    Barrier *barrier = &block->barriers[number];
    const guint wanted = threads > 0 ? threads : run->launch->threads;
    if (barrier->arrived == 0) {
        barrier->where = where;
        barrier->wanted = wanted;
    } else if (barrier->wanted != wanted || !is_same_place(barrier->where, where)) {
        emulator_fail("%u threads meet at barrier %d, %s, and %u at %s", barrier->wanted, number,
                      barrier->where, wanted, where);
    }
    self->barrier = number;
    self->warp->ready &= ~bit_of(self);
    if (++barrier->arrived == wanted)
        open_barrier(block, number);
    stop(self);
}

void
emulator_pause(void)
{
    Lane *self = run->lane;
    self->warp->ready &= ~bit_of(self);
    self->warp->paused |= bit_of(self);
    stop(self);
}

void
emulator_touch(void)
{
    if (draw(8) == 1)
        emulator_pause();
}

/* A lane's life. */
static void
live(void)
{
    const EmulatorLaunch *launch = run->launch;
    launch->enter(launch->kernel, launch->argument);
    Lane *self = run->lane;
    Warp *warp = self->warp;
    if (warp->arrived > 0)
        emulator_fail("a lane has ended while others wait at %s", warp->where);
    warp->ready &= ~bit_of(self);
    warp->ended++;
    warp->block->ended++;
    run->done++;
    stop(self);
    g_assert_not_reached();
}

static void
begin_lane(Warp *warp, guint number)
{
    Lane *lane = &warp->lanes[number];
    *lane = (Lane){.warp = warp, .number = number, .barrier = -1, .stack = take_stack()};
    const gsize bytes = STACK - GUARD - number * COLOUR;
    fiber_prepare(&lane->fiber, lane->stack + GUARD, bytes, live);
}

static void
begin_block(guint number)
{
    const EmulatorLaunch *launch = run->launch;
    const guint warps = launch->threads / LANES;
    Block *block = g_new0(Block, 1);
    block->number = number;
    block->warps = g_new0(Warp, warps);
    block->shared = g_aligned_alloc(1, launch->shared + FENCE, 128);
    memset(block->shared, GARBAGE, launch->shared + FENCE);
    for (guint w = 0; w < warps; w++) {
        Warp *warp = &block->warps[w];
        warp->block = block;
        warp->number = w;
        warp->ready = ~0u;
        for (guint k = 0; k < LANES; k++)
            begin_lane(warp, k);
        g_ptr_array_add(run->warps, warp);
    }
}

static void
end_block(Block *block)
{
    const EmulatorLaunch *launch = run->launch;
    const guint warps = launch->threads / LANES;
    for (guint k = 0; k < FENCE; k++)
        if (block->shared[launch->shared + k] != GARBAGE)
            emulator_fail("block %u has written behind its %zu bytes of shared memory",
                          block->number, launch->shared);
    for (guint w = 0; w < warps; w++) {
        g_ptr_array_remove(run->warps, &block->warps[w]);
        for (guint k = 0; k < LANES; k++)
            g_ptr_array_add(run->stacks, block->warps[w].lanes[k].stack);
    }
    g_aligned_free(block->shared);
    g_free(block->warps);
    g_free(block);
    run->ended++;
}

/* Lets a warp go on until none of its lanes can. */
static void
run_warp(Warp *warp)
{
    warp->ready |= warp->paused;
    warp->paused = 0;
    run->lane = draw_lane(warp);
    fiber_switch(&run->scheduler, &run->lane->fiber);
    run->lane = NULL;
}

/* Every warp once, or most of them. */
static void
run_round(void)
{
    const guint count = run->warps->len, from = draw(count);
    gboolean some = FALSE;
    for (guint k = 0; k < count; k++) {
        Warp *warp = g_ptr_array_index(run->warps, (from + k) % count);
        if ((warp->ready | warp->paused) == 0)
            continue;
        some = TRUE;
        if (draw(4) != 3)
            run_warp(warp);
    }
    if (!some)
        fail_stuck("all wait for each other");
}

/* In the order in which blocks begin. */
static void
shuffle_blocks(void)
{
    const guint count = run->launch->blocks;
    run->order = g_new(guint, count);
    for (guint k = 0; k < count; k++) {
        const guint at = run->random ? draw(k + 1) : k;
        run->order[k] = run->order[at];
        run->order[at] = k;
    }
}

static void
run_blocks(guint resident)
{
    const guint blocks = run->launch->blocks;
    guint64 done = 0;
    guint idle = 0;
    while (run->ended < blocks) {
        while (run->begun < blocks && run->begun - run->ended < resident)
            begin_block(run->order[run->begun++]);
        run_round();
        idle = run->done == done ? idle + 1 : 0;
        done = run->done;
        if (idle > PATIENCE)
            fail_stuck("nobody gets on");
        for (guint k = run->warps->len; k-- > 0;) {
            Block *block = ((Warp *)g_ptr_array_index(run->warps, k))->block;
            if (block->ended == run->launch->threads) {
                end_block(block);
                k = run->warps->len;
            }
        }
    }
}

void
emulator_run(const EmulatorLaunch *launch, unsigned resident)
{
    static guint launches = 0;
    const guint seed = (guint)emulator_setting("seed", 1);
    g_assert(run == NULL);
    if (g_private_get(&thread_stacks) == NULL)
        g_private_set(&thread_stacks, g_ptr_array_new_with_free_func(free_stack));
    Run this = {
        .launch = launch,
        .warps = g_ptr_array_new(),
        .stacks = g_private_get(&thread_stacks),
        .lot = (seed + launches++ * 2654435761u) | 1,
        .random = seed != 0,
    };
    run = &this;
    shuffle_blocks();
    run_blocks(resident);
    run = NULL;
    g_free(this.order);
    g_ptr_array_free(this.warps, TRUE);
}
