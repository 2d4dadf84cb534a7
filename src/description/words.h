// SPDX-License-Identifier: MIT
// How single words of a description must look: names of variables, dates, values of attributes that
// nothing else reads.
#ifndef TAKT_DESCRIPTION_WORDS_H
#define TAKT_DESCRIPTION_WORDS_H

#include "description/reader.h"

/// Does a name follow the convention "structured" (FMI 2.0.5 and 3.0.2, section 2.2.9 and 2.4.7.5):
/// vehicle.'any thing'[2].x, der(x,2)?
bool takt_word_is_structured(const char *name);

/// Checks the values of those attributes of the present element that are not read.
void takt_words_check(takt_description_reader *reader);

#endif
