// SPDX-License-Identifier: MIT
// What the reader of descriptions of FMI 3.0 keeps while it reads; only for the files that
// read them.
//
// The size of an array may be given by a structural parameter that comes later in the file. Therefore
// variables are first read one by one, arrays like scalars, and what is needed to resolve them goes
// into lists beside. When all variables are known, takt_fmi3_expand() makes the elements of arrays and
// the aliases, and enters everything into the model.
#ifndef TAKT_DESCRIPTION_FMI3_READER_H
#define TAKT_DESCRIPTION_FMI3_READER_H

#include "description/reader.h"

/// Elements of all arrays of a model; more are refused, because every element is a variable
/// (docs/decisions/0005-elements-of-arrays-are-variables.md).
enum { TAKT_FMI3_MAX_ELEMENTS = 2000000 };

/// Entries of all dependencies of a model. Where whole arrays depend on whole arrays there could be far
/// more; what exceeds this counts as depending on everything.
enum { TAKT_FMI3_MAX_DEPENDENCIES = 20000000 };

/// Child element Dimension: a size, or the value reference of a variable that has it.
typedef struct takt_dimension {
    bool is_reference;
    uint32_t reference;
    int64_t size;
    int line;
} takt_dimension;

/// A variable with dimensions.
typedef struct takt_pending_array {
    int variable; ///< index in the list of variables before expansion
    int first_dimension, n_dimensions;
    int first_start, n_starts; ///< child elements Start
    char *start; ///< the attribute; NULL: none
} takt_pending_array;

typedef struct takt_alias {
    int variable;
    const char *name, *description;
    int line;
} takt_alias;

typedef enum takt_link_kind {
    TAKT_LINK_PREVIOUS,
    TAKT_LINK_DERIVATIVE,
    TAKT_LINK_CLOCK,
} takt_link_kind;

/// An attribute that refers to another variable.
typedef struct takt_link {
    takt_link_kind kind;
    int variable;
    uint32_t reference;
    int line;
} takt_link;

typedef struct takt_reference {
    uint32_t reference;
    int variable; ///< the first element of an array
} takt_reference;

typedef struct takt_fmi3_reader {
    takt_list dimensions, starts, arrays, aliases, links;
    takt_list clocks; ///< of takt_fmi3_clock; sorted by variable
    takt_list max_sizes; ///< of takt_max_size
    takt_list type_clocks; ///< of takt_fmi3_clock; `variable` is the index of the type
    takt_list derivatives; ///< of takt_dependency; of continuous states
    takt_bytes start; ///< the attribute of the variable being read
    bool has_start_attribute;
    takt_reference *references; ///< sorted; NULL before expansion
    int n_references;
    bool *is_replaced; ///< per variable of the file: has another value; NULL: none has
    int64_t n_dependencies; ///< entries so far
} takt_fmi3_reader;

/// The variable with a value reference, or the first element of that array; -1: there is none.
int takt_fmi3_find(const takt_fmi3_reader *fmi3, uint32_t reference);

/// How many variables belong to a value reference: the elements of an array, else 1.
int takt_fmi3_count(const takt_variable *variable);

/// The index in a list of takt_fmi3_clock, sorted by variable, of the clock of this variable; -1: none.
int takt_fmi3_find_clock(const takt_list *clocks, int variable);

#endif
