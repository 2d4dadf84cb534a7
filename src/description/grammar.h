// SPDX-License-Identifier: MIT
// Which elements and attributes a model description may have, as the schemas of the standard say. The
// readers of the versions pass over what they do not need; here it is noticed when a word is misspelt.
#ifndef TAKT_DESCRIPTION_GRAMMAR_H
#define TAKT_DESCRIPTION_GRAMMAR_H

#include "description/reader.h"

/// One element. The rows of one parent lie together; a table ends with a NULL parent.
typedef struct takt_grammar_row {
    const char *parent, *name;
    const char *attributes; ///< between blanks
    int order; ///< above 0: occurs at most once, and not after elements of a higher order
} takt_grammar_row;

extern const takt_grammar_row takt_grammar_fmi1[];
extern const takt_grammar_row takt_grammar_fmi2[];
extern const takt_grammar_row takt_grammar_fmi3[];

/// The children of an element, while they are visited.
typedef struct takt_grammar_place {
    const takt_grammar_row *rows; ///< NULL: nothing is known about this element
    int n_rows;
    unsigned seen; ///< one bit per row
} takt_grammar_place;

/// Begins with the children of the present element; checks nothing where the reader has no grammar.
takt_grammar_place takt_grammar_enter(const takt_description_reader *reader);

/// Checks the present element, a child of that place: warns of a name or an attribute that is not known,
/// of an element that occurs twice or in the wrong order.
void takt_grammar_check(takt_description_reader *reader, takt_grammar_place *place);

/// Checks the attributes of the root element.
void takt_grammar_check_root(takt_description_reader *reader);

#endif
