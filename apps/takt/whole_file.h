// SPDX-License-Identifier: MIT
// Small files that the program writes at once: they are complete, or what was there before stays as it was.
#ifndef TAKT_APP_WHOLE_FILE_H
#define TAKT_APP_WHOLE_FILE_H

#include <stdbool.h>

/// Could it be written? Nothing is left of the attempt. Otherwise errno says why not.
bool cli_whole_file_is_possible(const char *path);

/// Writes a text and what stands at its end ("\n"). What is no regular file (a pipe, a device), or lies in a folder where nothing can be made, is written in
/// place. Returns false when that fails, with the reason in errno.
bool cli_whole_file_write(const char *path, const char *text, const char *end);

#endif
