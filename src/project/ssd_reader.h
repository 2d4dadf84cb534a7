// SPDX-License-Identifier: MIT
// What the files that read a SystemStructureDescription share. Functions that read report problems
// and go on, so that all of them are found in one pass.
#ifndef TAKT_PROJECT_SSD_READER_H
#define TAKT_PROJECT_SSD_READER_H

#include "base/map.h"
#include "base/xml.h"
#include "project/project.h"

#define TAKT_SSD_NAMESPACE "http://ssp-standard.org/SSP1/SystemStructureDescription"
#define TAKT_SSC_NAMESPACE "http://ssp-standard.org/SSP1/SystemStructureCommon"
#define TAKT_SSV_NAMESPACE "http://ssp-standard.org/SSP1/SystemStructureParameterValues"

typedef struct takt_ssd_reader {
    takt_project *project;
    bool is_out_of_memory; ///< nothing that follows counts
    takt_map connectors; ///< of the system itself: name -> 1 for inputs and outputs, else 0
} takt_ssd_reader;

takt_place takt_ssd_place(const takt_ssd_reader *reader, const takt_xml_element *element);

/// An error at the place of an element.
void takt_ssd_error(takt_ssd_reader *reader, const takt_xml_element *element, const char *format,
                    ...) __attribute__((format(printf, 3, 4)));

/// The value of an attribute that must be there and not be empty; otherwise reports and returns
/// NULL.
const char *takt_ssd_required(takt_ssd_reader *reader, const takt_xml_element *element,
                              const char *attribute);

/// The name of a takt_type for an element such as ssc:Real or ssv:Integer; NULL when it is none.
const char *takt_ssd_type(const takt_xml_element *element);

/// Reads the ssd:ParameterBindings of a component, or of the system (`component` NULL).
void takt_ssd_read_bindings(takt_ssd_reader *reader, const takt_xml_element *owner,
                            const char *component);

/// Reads our annotation out of the ssd:Annotations of an element, if it has one.
void takt_ssd_read_annotations(takt_ssd_reader *reader, const takt_xml_element *owner);

#endif
