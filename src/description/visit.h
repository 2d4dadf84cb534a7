// SPDX-License-Identifier: MIT
// Visiting the elements of a model description by tables.
#ifndef TAKT_DESCRIPTION_VISIT_H
#define TAKT_DESCRIPTION_VISIT_H

#include "description/reader.h"

typedef struct takt_element_rule {
    const char *name;
    takt_element_fn read;
} takt_element_rule;

/// Visits the children of the present element: each by the rule with its name, others are skipped.
/// The rules end with a NULL name.
takt_status takt_description_children(takt_description_reader *reader,
                                      const takt_element_rule *rules, takt_error *err);

#endif
