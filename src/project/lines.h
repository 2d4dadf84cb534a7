// SPDX-License-Identifier: MIT
// What the readers of line-based project files (.msim, the EAS master's configuration) share: lines with
// their numbers, words with quotes, problems with their places, settings, paths.
#ifndef TAKT_PROJECT_LINES_H
#define TAKT_PROJECT_LINES_H

#include "project/project.h"

enum { TAKT_MAX_WORDS = 8 }; ///< of a line; readers need fewer

typedef struct takt_lines {
    takt_project *project;
    bool is_out_of_memory; ///< nothing that follows counts
    char *rest; ///< behind the present line
    int number; ///< of the present line, from 1
} takt_lines;

/// Reads a text file as one text in the project's arena. Refuses files with bytes of 0, which are not text.
takt_status takt_lines_read(takt_project *project, char **out, takt_error *err);

/// Copies a text in memory into the project's arena, in the same way.
takt_status takt_lines_copy(takt_project *project, const void *data, size_t size, char **out,
                            takt_error *err);

/// The next line without blanks at its ends that is neither empty nor a comment (#); NULL at the end.
/// Lines are cut out of `rest`. A line that is not UTF-8 is reported and passed over.
char *takt_lines_next(takt_lines *lines);

takt_place takt_lines_place(const takt_lines *lines);

/// A problem in the present line, or in line `number`.
void takt_lines_report(takt_lines *lines, takt_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void takt_lines_report_at(takt_lines *lines, int number, takt_level level, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// Cuts the first word off a line, in place: what follows it, without blanks before it.
char *takt_lines_cut_word(char *line);

/// Splits a line into words, in place; "..." holds blanks together and is taken off. Returns how many
/// there are (of more than TAKT_MAX_WORDS only the first are kept), or -1 for a quote that is not
/// closed.
int takt_lines_split(char *line, char *words[TAKT_MAX_WORDS]);

/// Sets a setting; what is wrong is reported at line `number` as that of `keyword`.
void takt_lines_set(takt_lines *lines, int number, const char *keyword, const char *setting,
                    const char *value);
void takt_lines_set_number(takt_lines *lines, int number, const char *keyword, const char *setting,
                           double value);

/// A path seen from the folder of the project file, in its arena; backslashes count as slashes. NULL:
/// out of memory, which is noted.
const char *takt_lines_path(takt_lines *lines, const char *path);

/// Ends the reading of a project: without components there is nothing more to find, which is an error
/// that shows `example`, a line with one.
takt_status takt_lines_end(takt_lines *lines, const char *example, takt_error *err);

#endif
