/* libchromosweep: exact affine-gap Smith-Waterman of whole chromosomes. */
#ifndef CHROMOSWEEP_CHROMOSWEEP_H
#define CHROMOSWEEP_CHROMOSWEEP_H

#include <chromosweep/align.h>
#include <chromosweep/align_set.h>
#include <chromosweep/alignment.h>
#include <chromosweep/checkpoint.h>
#include <chromosweep/circular.h>
#include <chromosweep/compare.h>
#include <chromosweep/control.h>
#include <chromosweep/device.h>
#include <chromosweep/engine.h>
#include <chromosweep/error.h>
#include <chromosweep/identity.h>
#include <chromosweep/identity_checkpoint.h>
#include <chromosweep/identity_plan.h>
#include <chromosweep/plan.h>
#include <chromosweep/ranks.h>
#include <chromosweep/scoring.h>
#include <chromosweep/search.h>
#include <chromosweep/search_checkpoint.h>
#include <chromosweep/search_plan.h>
#include <chromosweep/sequence.h>
#include <chromosweep/skip.h>
#include <chromosweep/strand.h>
#include <chromosweep/threads.h>
#include <chromosweep/tiles.h>
#include <chromosweep/version.h>

#endif
