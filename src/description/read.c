// SPDX-License-Identifier: MIT
// Opens a model description, finds out its FMI version and calls the reader of that version.
#include "description/read.h"

#include <stdlib.h>
#include <string.h>

#include "description/versions.h"

// By the start of the attribute fmiVersion: also 2.0.4 and 3.0-beta.2 are in use.
static const struct version {
    const char *prefix;
    int major;
    takt_element_fn read;
} versions[] = {{"1.", 1, takt_description_read_fmi1},
                {"2.", 2, takt_description_read_fmi2},
                {"3.", 3, takt_description_read_fmi3}};

static takt_status read_root(takt_description_reader *reader, takt_error *err)
{
    takt_xml_event event;
    takt_status st = takt_xml_next(reader->xml, &event, err);
    if (st) return st;
    const char *file = reader->model->description_file, *name = takt_xml_name(reader->xml);
    int line = takt_xml_line(reader->xml);
    if (strcmp(name, "fmiModelDescription") != 0)
        return takt_fail(err, TAKT_ERR_INPUT,
                         "%s:%d: the root element is '%.100s', not 'fmiModelDescription'", file,
                         line, name);
    const char *version = takt_xml_attribute(reader->xml, "fmiVersion");
    if (!version)
        return takt_fail(err, TAKT_ERR_INPUT,
                         "%s:%d: fmiModelDescription has no attribute fmiVersion", file, line);
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        if (strncmp(version, versions[i].prefix, strlen(versions[i].prefix)) != 0) continue;
        reader->out->fmi_major = versions[i].major;
        return versions[i].read(reader, err);
    }
    return takt_fail(err, TAKT_ERR_INPUT,
                     "%s:%d: unknown FMI version '%.100s'; FMI 1.0, 2.0 and 3.0 are supported",
                     file, line, version);
}

// Nothing may follow the root element, and all errors found on the way count now.
static takt_status read_end(takt_description_reader *reader, takt_error *err)
{
    takt_xml_event event;
    takt_status st = takt_xml_next(reader->xml, &event, err);
    if (st || reader->n_errors == 0) return st;
    if (reader->n_errors == 1) return takt_fail(err, TAKT_ERR_INPUT, "%s", reader->first.message);
    return takt_fail(err, TAKT_ERR_INPUT, "%s (and %d more errors)", reader->first.message,
                     reader->n_errors - 1);
}

// Takes over `xml`.
static takt_status read_description(takt_xml_reader *xml, const takt_fmi3_sizes *sizes,
                                    takt_log *log, takt_model *model, takt_description *out,
                                    takt_error *err)
{
    takt_description description = {0};
    takt_description_reader reader = {.xml = xml,
                                      .log = log,
                                      .remarks = {.log = log, .file = model->description_file},
                                      .model = model,
                                      .out = &description,
                                      .sizes = sizes};
    takt_status st = read_root(&reader, err);
    if (!st) st = read_end(&reader, err);
    if (!st) takt_remarks_end(&reader.remarks);
    takt_list *lists[] = {
        &reader.variables, &reader.units,   &reader.shown_units,      &reader.types,
        &reader.items,     &reader.outputs, &reader.initial_unknowns, &reader.indices,
        &reader.categories};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]->items);
    takt_map_clear(&reader.type_names);
    takt_map_clear(&reader.display_units);
    free(reader.reinits.items);
    takt_xml_close(xml);
    if (!st) *out = description;
    return st;
}

takt_status takt_description_read(const char *path, const takt_fmi3_sizes *sizes, takt_log *log,
                                  takt_model *model, takt_description *out, takt_error *err)
{
    takt_xml_reader *xml = NULL;
    takt_status st = takt_xml_open(path, model->description_file, &xml, err);
    return st ? st : read_description(xml, sizes, log, model, out, err);
}

takt_status takt_description_read_memory(const void *data, size_t size, takt_log *log,
                                         takt_model *model, takt_description *out, takt_error *err)
{
    takt_xml_reader *xml = NULL;
    takt_status st = takt_xml_open_memory(data, size, model->description_file, &xml, err);
    return st ? st : read_description(xml, NULL, log, model, out, err);
}
