// SPDX-License-Identifier: MIT
// What the files that read an OspSystemStructure share.
#ifndef TAKT_PROJECT_OSP_READER_H
#define TAKT_PROJECT_OSP_READER_H

#include "base/map.h"
#include "base/xml_tree.h"
#include "project/project.h"

/// A variable group: its variables in the order in which they are connected with those of another group.
typedef struct takt_osp_group {
    const char *name;
    const char **variables;
    int n_variables;
    struct takt_osp_group *groups; ///< inside of this one
    int n_groups;
} takt_osp_group;

/// The groups of the OspModelDescription that belongs to an FMU.
typedef struct takt_osp_description {
    const char *file; ///< NULL: there is none
    takt_osp_group all; ///< a group that holds the groups of the file
} takt_osp_description;

/// A function of the file.
typedef struct takt_osp_function {
    const char *name;
    int n_inputs, dimension; ///< dimension 0: inputs and output are no vectors
    int n_connected; ///< inputs, element by element
    int line;
} takt_osp_function;

typedef struct takt_osp_reader {
    takt_project *project;
    bool is_out_of_memory; ///< nothing that follows counts
    double base_step; ///< s
    takt_map simulators; ///< name -> index of the component
    takt_osp_description **descriptions; ///< per component; NULL: not looked for yet
    takt_map functions; ///< name -> index
    takt_osp_function *list; ///< malloc'ed
    int n_functions, function_capacity;
    bool has_bonds;
} takt_osp_reader;

void takt_osp_report(takt_osp_reader *reader, const takt_xml_element *element, takt_level level,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/// The value of an attribute that must be there and not be empty; otherwise reports and returns NULL.
const char *takt_osp_required(takt_osp_reader *reader, const takt_xml_element *element,
                              const char *attribute);

/// Reports children of an element that are not in `known`, which ends with NULL.
void takt_osp_check_children(takt_osp_reader *reader, const takt_xml_element *parent,
                             const char *const *known);

/// Reports attributes of an element that are not in `known`, which ends with NULL.
void takt_osp_check_attributes(takt_osp_reader *reader, const takt_xml_element *element,
                               const char *const *known);

/// Reads the OspModelDescription of component number `i`, beside its FMU, beside the project or inside
/// the FMU. NULL: out of memory, which is noted.
const takt_osp_description *takt_osp_describe(takt_osp_reader *reader, int i);

/// The group of that name, also inside of others; NULL: there is none.
const takt_osp_group *takt_osp_find_group(const takt_osp_group *groups, const char *name);

/// Reads the element Connections. Simulators and functions are known.
void takt_osp_read_connections(takt_osp_reader *reader, const takt_xml_element *connections);

#endif
