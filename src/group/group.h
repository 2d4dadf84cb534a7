// SPDX-License-Identifier: MIT
// Central integration: instances for model exchange that are connected directly become one instance, whose
// equations are those of all of them together with the connections between them.
#ifndef TAKT_GROUP_GROUP_H
#define TAKT_GROUP_GROUP_H

#include "instance/watch.h"
#include "system/system.h"

/// The same system with one component for each set of components for model exchange that are connected
/// directly. Its variables are those of its members, "member.variable". `system` must outlive the result,
/// which is owned by the caller. `watch` may be NULL. `*out` is NULL when there is nothing to join.
takt_status takt_group_system(const takt_system *system, takt_watch *watch, takt_system **out,
                              takt_error *err);

#endif
