/* Which devices of its machine a rank computes on: those asked for, or its part of all GPUs. */
#ifndef CS_DEALT_H
#define CS_DEALT_H

#include "engines/device.h"
#include "ranks/message.h"

/* What rank 0 asks all others. */
typedef struct {
    const char *device, *engine; /* as in cs_device_choice_init() */
    guint threads;               /* of the CPU at most */
} CsDealtAsk;

void cs_dealt_put(GString *message, const CsDealtAsk *ask);

/*
 * Turns a choice by the same texts into one of members. Where any GPU will do, the GPUs of the machine
 * are dealt in turn to its ranks; with fewer GPUs than ranks, some ranks share one. Where any device will
 * do, ask->device becomes the kind that this rank has, so that all others take the same.
 */
gboolean cs_dealt_choose(CsDeviceChoice *choice, CsDealtAsk *ask, GError **error);

/* Sets which GPU a choice of one device means, where several processes may take any. Those of a process
 * that is dealt several stay idle but for the first. */
void cs_dealt_take_gpu(CsDeviceChoice *choice);

/* Answers a message from cs_dealt_put(), on another rank. */
void cs_dealt_answer(CsMessageIn *message, GString *answer);

#endif
