// SPDX-License-Identifier: MIT
// A draft with the variables of an FMU.
#ifndef TAKT_AUTHOR_LIKE_H
#define TAKT_AUTHOR_LIKE_H

#include "author/draft.h"

/// Takes over variables, units, enumerations, clocks, dependencies and default experiment. What the kit has no word for
/// gives a warning. Both arguments must outlive the draft. False: out of memory.
bool takt_draft_take(takt_draft *draft, const takt_model *model,
                     const takt_description *description);

#endif
