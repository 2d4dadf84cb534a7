// SPDX-License-Identifier: MIT
// What the files that read SSP share. Functions that read report problems and go on, so that all of
// them are found in one pass. A project may consist of several documents (packages within packages,
// files with values and mappings); `document` is the one that is being read.
#ifndef TAKT_PROJECT_SSD_READER_H
#define TAKT_PROJECT_SSD_READER_H

#include "base/xml_tree.h"
#include "project/ssd_wires.h"

#define TAKT_SSD_NAMESPACE "http://ssp-standard.org/SSP1/SystemStructureDescription"
#define TAKT_SSC_NAMESPACE "http://ssp-standard.org/SSP1/SystemStructureCommon"
#define TAKT_SSV_NAMESPACE "http://ssp-standard.org/SSP1/SystemStructureParameterValues"
#define TAKT_SSM_NAMESPACE "http://ssp-standard.org/SSP1/SystemStructureParameterMapping"
#define TAKT_SSB_NAMESPACE "http://ssp-standard.org/SSP1/SystemStructureSignalDictionary"

/// The type of our annotation and the namespace of its content.
#define TAKT_EXPERIMENT_TYPE "org.takt.experiment"
#define TAKT_EXPERIMENT_NAMESPACE "https://takt.org/experiment"

/// An XML file of the project.
typedef struct takt_ssd_document {
    struct takt_ssd_document *next;
    takt_xml_tree *tree;
    const char *path; ///< usable from the current folder
    const char *real; ///< the same without links and ".."; NULL: not a file
    const char *shown; ///< as users shall see it: "plant.ssp/SystemStructure.ssd"
    const char *root; ///< name of its root element
    bool is_wrong; ///< it has another one
    const char *package; ///< folder that paths in the document may not leave; NULL: they may
    const char *package_shown; ///< "plant.ssp"
    struct takt_ssd_units *units; ///< those that the document defines
    takt_project_enumeration *enumerations; ///< those that the document defines
    takt_map enumeration_names;
    const takt_xml_element **identified; ///< systems with an id
    int n_identified;
    takt_map ids; ///< id -> index in `identified`
} takt_ssd_document;

/// Units that one element defines.
typedef struct takt_ssd_units {
    const takt_xml_element *owner;
    takt_unit *items;
    takt_map names;
} takt_ssd_units;

typedef struct takt_ssd_reader {
    takt_project *project;
    bool is_out_of_memory; ///< nothing that follows counts
    bool is_full; ///< a limit was reached; nothing more is read
    int n_elements;
    takt_ssd_document *documents; ///< all that were opened
    takt_ssd_document *document; ///< being read
    takt_ssd_units set_units; ///< of the parameter set that was read last
    takt_wires wires;
} takt_ssd_reader;

// ---- documents (ssd_document.c) --------------------------------------------------------------------

/// Where the files are that a document or component refers to.
typedef struct takt_ssd_base {
    const char *path; ///< a file; paths are seen from its folder
    const char *package, *package_shown; ///< as in takt_ssd_document
} takt_ssd_base;

takt_ssd_base takt_ssd_document_base(const takt_ssd_document *document);

/// The file that a URI names, and as users shall see it. Reports problems at `element`, with `what` in
/// front, and returns false.
bool takt_ssd_locate(takt_ssd_reader *reader, const takt_xml_element *element, const char *what,
                     const takt_ssd_base *base, const char *uri, const char **path,
                     const char **shown);

/// Opens a document, or finds it open; its root must have this namespace and name. Reports problems at
/// `element` (NULL: at the file as a whole), and returns NULL.
takt_ssd_document *takt_ssd_open(takt_ssd_reader *reader, const takt_xml_element *element,
                                 const takt_ssd_document *place, const char *space,
                                 const char *name);

/// Makes a document of a tree, which it takes over, the one that is being read.
bool takt_ssd_enter(takt_ssd_reader *reader, takt_xml_tree *tree, const takt_ssd_document *place);

/// Has the document that is read the root of this name? Reports another one, and unknown versions.
bool takt_ssd_check_root(takt_ssd_reader *reader, const char *space, const char *name);

/// Unpacks an archive: the place of a file in it. Reports problems at `element`; then false.
bool takt_ssd_unpack(takt_ssd_reader *reader, const takt_xml_element *element, const char *what,
                     const char *path, const char *shown, const char *file,
                     takt_ssd_document *place);

/// The unit of that name in the document that is read; defined in `set` (may be NULL), or at the root.
const takt_unit *takt_ssd_unit(takt_ssd_reader *reader, const takt_xml_element *set,
                               const char *name);

/// The enumeration of that name at the root of the document that is read, or NULL.
const takt_project_enumeration *takt_ssd_enumeration(const takt_ssd_reader *reader,
                                                     const char *name);

/// The system with this id, or NULL.
const takt_xml_element *takt_ssd_identified(const takt_ssd_document *document, const char *id);

void takt_ssd_reader_clear(takt_ssd_reader *reader);

/// Does the project take more memory than is reasonable, as files and systems are read again
/// for each reference to them? Reports it at `element`. Asked before anything is added.
bool takt_ssd_is_full(takt_ssd_reader *reader, const takt_xml_element *element);

// ---- elements (ssd_elements.c) -----------------------------------------------------------------------

takt_place takt_ssd_place(const takt_ssd_reader *reader, const takt_xml_element *element);

/// Problems at the place of an element.
void takt_ssd_error(takt_ssd_reader *reader, const takt_xml_element *element, const char *format,
                    ...) __attribute__((format(printf, 3, 4)));
void takt_ssd_warn(takt_ssd_reader *reader, const takt_xml_element *element, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

/// The value of an attribute that must be there and not be empty; otherwise reports and returns
/// NULL.
const char *takt_ssd_required(takt_ssd_reader *reader, const takt_xml_element *element,
                              const char *attribute);

/// The file that values, a mapping or a dictionary come from; NULL: they stand in the element, whose
/// attribute is empty then or missing. (A component without a source is something else.)
const char *takt_ssd_source(const takt_xml_element *element);

/// The value of an attribute that is not a text, without the blanks around it, which XML Schema allows;
/// NULL: it is not there.
const char *takt_ssd_token(takt_ssd_reader *reader, const takt_xml_element *element,
                           const char *attribute);

/// An attribute that is a number; `fallback` when it is not there or, with a report,
/// wrong.
double takt_ssd_number(takt_ssd_reader *reader, const takt_xml_element *element,
                       const char *attribute, double fallback);

/// The name of a takt_type for an element such as ssc:Real or ssv:Integer; NULL when it is none.
const char *takt_ssd_type(const takt_xml_element *element);

/// The sizes of the array that the ssc:Dimension elements of an element give, as "[2,?]"; NULL: there are
/// none, or (reported) wrong ones.
const char *takt_ssd_shape(takt_ssd_reader *reader, const takt_xml_element *element);

/// Reports children in the namespace of their parent that are not among `known`, a list of names ended
/// by NULL.
void takt_ssd_check_children(takt_ssd_reader *reader, const takt_xml_element *parent,
                             const char *const *known);

/// Warns of attributes that are neither among `known`, a list of names ended by NULL, nor possible
/// everywhere.
void takt_ssd_check_attributes(takt_ssd_reader *reader, const takt_xml_element *element,
                               const char *const *known);

/// Reads the transformation and the attribute suppressUnitConversion of a connection or mapping.
takt_project_hop takt_ssd_read_hop(takt_ssd_reader *reader, const takt_xml_element *element);

// ---- whole documents (read_ssd.c) -----------------------------------------------------------------

/// Reads a project from the SystemStructureDescription at `place`.
takt_status takt_ssd_read_project(takt_project *project, const takt_ssd_document *place,
                                  takt_error *err);

/// The *.ssd files at the top of a package, "A.ssd, B.ssd" (read_ssp.c).
const char *takt_ssd_variants(takt_arena *arena, const char *folder);

// ---- elements of a document -------------------------------------------------------------------------------

/// A system that is being read, inside of `parent`.
typedef struct takt_ssd_scope {
    const struct takt_ssd_scope *parent; ///< NULL: the root system
    const takt_ssd_document *document;
    const takt_xml_element *system;
    const char *path; ///< "Sub.Inner"; that of the root system is empty
    int owner; ///< of its connectors
    takt_map elements; ///< name -> owner
    takt_map dictionaries; ///< name -> owner
    int depth;
    bool is_elsewhere; ///< in another file, or used several times
} takt_ssd_scope;

/// Reads the connections of a system whose elements are known.
void takt_ssd_read_connections(takt_ssd_reader *reader, const takt_ssd_scope *scope);

/// Reads the connectors of an element or system, as those of `owner`. Connectors of components belong
/// to the component with index `component` of the project; -1: to something else.
void takt_ssd_read_connectors(takt_ssd_reader *reader, const takt_xml_element *element, int owner,
                              int component);

/// Is that a kind of connector? If not, reports it with a suggestion.
bool takt_ssd_check_kind(takt_ssd_reader *reader, const takt_xml_element *element, const char *name,
                         const char *kind);

/// "; did you mean 'x'?" with the connector of `owner` that is nearest to a name; "": there is none.
const char *takt_ssd_nearest_connector(takt_ssd_reader *reader, const char *name, int owner);

/// Reads the entries of a signal dictionary as connectors of `owner`.
void takt_ssd_read_dictionary(takt_ssd_reader *reader, const takt_xml_element *element, int owner);

/// What parameters are bound to.
typedef struct takt_ssd_target {
    const char *component; ///< NULL: a system
    const char *path; ///< of the system
    const char *source, *shown; ///< file of the component; NULL: none
} takt_ssd_target;

/// Reads the ssd:ParameterBindings of an element. Those of a component must be read before those of
/// the system around it, because later assignments win.
void takt_ssd_read_bindings(takt_ssd_reader *reader, const takt_xml_element *owner,
                            const takt_ssd_target *target);

/// Reads the values of a parameter set in the present document as if bound to the root system, with the
/// mapping of another document (may be NULL).
void takt_ssd_read_values(takt_ssd_reader *reader, takt_ssd_document *mapping);

/// Reads our annotation out of the ssd:Annotations of an element, if it has one.
void takt_ssd_read_annotations(takt_ssd_reader *reader, const takt_xml_element *owner);

#endif
