// SPDX-License-Identifier: MIT
// Orders of calls that a project file declares. Older masters ask the user for them: components are put
// into tiers (MasterSim's cycles, the priorities of the EAS master) that are called in ascending order,
// those of a tier in the order of the file, and only a tier as a whole is iterated. Takt finds order
// and loops itself. Where that makes a difference, it follows the file if it can, and says so if not.
#ifndef TAKT_PROJECT_ORDER_H
#define TAKT_PROJECT_ORDER_H

#include "project/project.h"

/// What the file says about one component.
typedef struct takt_declared {
    int tier; ///< those with smaller numbers are called before
    bool is_iterated; ///< the tier may be iterated
} takt_declared;

typedef struct takt_declared_order {
    const char *program; ///< whose file this is, for messages: "MasterSim"
    const char *tier_name; ///< what a tier is called there: "cycle"
    const takt_declared *components; ///< one per component of the project
    bool matters; ///< values of other components are used in the step in which they arise
    bool iterates; ///< the algorithm iterates
    bool iterates_one; ///< also a tier of one component, which is connected with itself
} takt_declared_order;

/// Sorts the components of the project, of which each has only a name, a source and a place yet, into
/// the declared order. `components` is sorted with them.
bool takt_order_sort(takt_project *project, takt_declared *components);

/// Compares the declared order with the connections, which lead from their start to their end: gives
/// loops that the file does not iterate the algorithm seidel, and reports what else differs. Returns
/// false when memory is exhausted.
bool takt_order_check(takt_project *project, const takt_declared_order *order);

#endif
