// SPDX-License-Identifier: MIT
// The files of a new FMU project, made from a finished draft.
#ifndef TAKT_AUTHOR_PROJECT_FILES_H
#define TAKT_AUTHOR_PROJECT_FILES_H

#include "author/draft.h"
#include "base/text.h"

/// Texts of the files.
void takt_author_source(const takt_draft *draft, takt_text *out);
void takt_author_test(const takt_draft *draft, takt_text *out);
void takt_author_build(const takt_draft *draft, const char *kit, takt_text *out);
void takt_author_readme(const takt_draft *draft, takt_text *out);

/// Writes all files into a folder, which is made where it is missing. Nothing that exists is replaced: then nothing is
/// written, and each such file is a problem. After a failure no file of ours is left.
takt_status takt_author_write(takt_draft *draft, const char *folder, const char *kit,
                              takt_error *err);

#endif
