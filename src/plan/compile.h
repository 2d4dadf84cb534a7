// SPDX-License-Identifier: MIT
// What compile.c puts together to a plan: dependencies, slots of values, blocks, order of initialization.
#ifndef TAKT_PLAN_COMPILE_H
#define TAKT_PLAN_COMPILE_H

#include "plan/plan.h"
#include "plan/wiring.h"

/// Each is in a file of its own; false when memory is exhausted.
bool takt_plan_add_dependencies(takt_plan *plan, const takt_wiring *wiring);
bool takt_plan_probe(takt_plan *plan, const takt_wiring *wiring, int component);
bool takt_plan_lay_out(takt_plan *plan, takt_wiring *wiring);
bool takt_plan_add_blocks(takt_plan *plan, const takt_wiring *wiring, takt_problems *problems);
bool takt_plan_tear_blocks(takt_plan *plan);
bool takt_plan_add_stages(takt_plan *plan, const takt_wiring *wiring, bool is_initial);

#endif
