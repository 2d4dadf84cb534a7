// SPDX-License-Identifier: MIT
// Variables of a draft from words: "u:Real:unit=W" of the command line, and tables.
#ifndef TAKT_AUTHOR_WORDS_H
#define TAKT_AUTHOR_WORDS_H

#include "author/draft.h"

/// Adds a variable. `kind` is a causality ("input") or "state", which stands for a local variable with its derivative;
/// `text` is NAME[:TYPE][:KEY=VALUE]..., in which a backslash takes the meaning from a colon. Problems are counted in the
/// draft; false: out of memory.
bool takt_draft_read_words(takt_draft *draft, const char *kind, const char *text);

/// Adds the variables of a table (CSV), one per row. Its columns are `name`, `causality`, `type` and the keys of
/// takt_draft_read_words(), in any order. Fails when the file cannot be read; problems are counted.
takt_status takt_draft_read_table(takt_draft *draft, const char *path, takt_error *err);

#endif
