// SPDX-License-Identifier: MIT
// Tools for reading model descriptions, shared by the FMI versions: attributes with checks, collecting
// problems, lists that grow.
#ifndef TAKT_DESCRIPTION_READER_H
#define TAKT_DESCRIPTION_READER_H

#include "base/log.h"
#include "base/xml.h"
#include "description/description.h"
#include "description/remarks.h"

/// A list that grows while elements are read; `items` points to the first item.
typedef struct takt_list {
    void *items;
    int n, capacity;
} takt_list;

/// A variable with the attribute reinit, which is only for states.
typedef struct takt_reinit {
    int variable; ///< index in the file
    uint32_t reference;
    const char *name;
    int line;
} takt_reinit;

typedef struct takt_description_reader {
    takt_xml_reader *xml;
    const struct takt_grammar_row *grammar; ///< of the version; NULL: not checked
    takt_log *log;
    takt_model *model;
    takt_description *out;
    takt_error first; ///< the first error
    int n_errors;
    takt_remarks remarks; ///< notes
    bool out_of_memory; ///< noticed at the next element, so that helpers need not report it
    takt_list variables, units, shown_units, types, items, outputs, initial_unknowns, indices,
        categories;
    takt_list reinits; ///< of takt_reinit
    takt_map display_units; ///< "unit\ndisplay unit"
    bool is_structured; ///< names of variables follow that convention
    takt_map type_names; ///< name -> index in types
    takt_variable *variable; ///< being read
    takt_type_definition *type; ///< being read
    void *version_data; ///< what only the reader of FMI 1.0 or 2.0 needs
    const takt_fmi3_sizes *sizes; ///< NULL: those of the description
    struct takt_fmi3_reader *fmi3; ///< what only the reader of FMI 3.0 needs
} takt_description_reader;

/// Reads an element; called at its start, returns at its end.
typedef takt_status (*takt_element_fn)(takt_description_reader *reader, takt_error *err);

/// Records a problem; reading goes on. An error makes the whole reading fail at the end. A doubt is a
/// warning that results may be wrong; a note names a broken rule with a clear meaning, or one that does
/// not matter for a run.
void takt_description_error(takt_description_reader *reader, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void takt_description_doubt(takt_description_reader *reader, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void takt_description_note(takt_description_reader *reader, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Attributes of the present element, with a fallback for missing ones. A value that is not of the
/// asked type is an error. Texts are copied to the model's arena; a missing text is NULL, and an
/// error where it is required.
const char *takt_description_text(takt_description_reader *reader, const char *name);
const char *takt_description_required(takt_description_reader *reader, const char *name);
bool takt_description_boolean(takt_description_reader *reader, const char *name, bool fallback);
double takt_description_number(takt_description_reader *reader, const char *name, double fallback);
int64_t takt_description_integer(takt_description_reader *reader, const char *name, int64_t least,
                                 int64_t greatest, int64_t fallback);

/// A word out of a list and the number it stands for; the list ends with a NULL word.
typedef struct takt_word {
    const char *text;
    int value;
} takt_word;
int takt_description_choice(takt_description_reader *reader, const char *name,
                            const takt_word *words, int fallback);

/// Without blanks around it, which XML allows in numbers and words; perhaps a copy in the arena.
const char *takt_description_trim(takt_description_reader *reader, const char *text);

/// The line of the present element.
int takt_description_line(const takt_description_reader *reader);

/// The name of a type as the FMI version of the description spells it: Real or Float64.
const char *takt_description_type_name(const takt_description_reader *reader, takt_type type);

/// Hands over one token after the other of a list between blanks; false after the last one.
bool takt_description_token(const char **text, const char **begin, const char **end);

/// Appends a zeroed item; NULL when memory is exhausted.
void *takt_list_add(takt_description_reader *reader, takt_list *list, size_t item_size);

/// Moves the items into the model's arena and empties the list; NULL when memory is exhausted.
void *takt_list_take(takt_description_reader *reader, takt_list *list, size_t item_size);

#endif
