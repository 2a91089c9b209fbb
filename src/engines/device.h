/* From the device that a caller asks for (chromosweep/device.h) to the engines that match it. */
#ifndef CS_DEVICE_H
#define CS_DEVICE_H

#include "sweep/engine_class.h"

typedef enum {
    CS_DEVICE_AUTO,
    CS_DEVICE_CPU,
    CS_DEVICE_GPU,
} CsDeviceKind;

/* The most members of a ring. */
#define CS_DEVICE_MEMBERS 64

/* What was asked for, and the engines that match it, best first. For several devices this is the
 * ring alone, and its members, the GPUs first. */
typedef struct {
    CsDeviceKind kind;
    const char *device;   /* for CsEngineOptions; points into the text */
    gboolean engine_free; /* no engine was named */
    const CsEngineClass *engines[8];
    guint n_engines;                     /* at least 1 */
    CsMember members[CS_DEVICE_MEMBERS]; /* engine NULL: the choice's own, until it is made */
    guint n_members;                     /* 0: one device */
} CsDeviceChoice;

/*
 * Fails with CS_ERROR_USAGE if a text makes no sense or the two contradict each other, and with
 * CS_ERROR_DEVICE if this build lacks the only engine that would match.
 */
gboolean cs_device_choice_init(CsDeviceChoice *choice, const char *device, const char *engine,
                               GError **error);

/* Turns a choice into one of members: those that a list of devices such as "gpu:all" or "gpu:0,cpu"
 * names, even if it is a single one. */
gboolean cs_device_choice_take_members(CsDeviceChoice *choice, const char *list, GError **error);

/* Turns a choice of any device into one of GPUs, at most so many: the first one that can be used, and those of the same
 * model. Returns FALSE if there are not two of them. */
gboolean cs_device_choice_take_alike(CsDeviceChoice *choice, guint most);

/* What engine k of the choice runs on, as in CsEngineClass. */
const char *cs_device_choice_describe(const CsDeviceChoice *choice, guint k, GError **error);

/* Member k of the ring as a text chooses it, such as "cpu" or "gpu:0". */
const char *cs_device_choice_name(const CsDeviceChoice *choice, guint k);

/* What an engine of the choice gets. The choice must outlive its use. */
CsEngineOptions cs_device_choice_options(const CsDeviceChoice *choice, guint threads, guint bits);

/* Whether the next engine should be tried after this failure of engine k. */
gboolean cs_device_choice_goes_on(const CsDeviceChoice *choice, guint k, const GError *failure);

#endif
