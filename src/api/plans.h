// SPDX-License-Identifier: MIT
// Making the plan of a system, for runs, checks and descriptions.
#ifndef TAKT_API_PLANS_H
#define TAKT_API_PLANS_H

#include "plan/plan.h"

/// The plan of a system, or, for central integration, of a system with groups, which is made for it: then
/// `*own` must outlive the plan, else it is NULL.
takt_status takt_make_plan(const takt_system *system, bool is_static, takt_watch *watch,
                           takt_system **own, takt_plan **out, takt_error *err);

#endif
