// SPDX-License-Identifier: MIT
// Parameter values written into the SSD (SSP 1.0 and 2.0, ssd:ParameterBindings and the ssv:
// elements). What is bound to a component must be read before what is bound to the system: the
// higher level wins, and on the same level the later one.
#include <string.h>

#include "project/ssd_reader.h"

typedef struct binding {
    const char *component; // NULL: bound to the system, names are "component.variable"
    const char *prefix; // before every name
} binding;

static void read_value(takt_ssd_reader *reader, const binding *to, const char *name,
                       const takt_xml_element *element)
{
    const char *type = takt_ssd_type(element);
    const char *value = takt_xml_element_attribute(element, "value");
    if (!type) {
        takt_ssd_error(reader, element, "parameter '%s': <%s> is not a type", name,
                       takt_xml_element_name(element));
        return;
    }
    if (strcmp(type, "Binary") == 0 || takt_xml_first_child(element, TAKT_SSV_NAMESPACE, "Value")) {
        takt_ssd_error(reader, element,
                       "parameter '%s': binary values and arrays are not supported yet", name);
        return;
    }
    if (!value) {
        takt_ssd_error(reader, element, "parameter '%s' has no value", name);
        return;
    }
    char *full = takt_arena_print(&reader->project->arena, "%s%s", to->prefix, name);
    takt_project_assignment assignment = {.component = to->component,
                                          .variable = full,
                                          .value = value,
                                          .type = type,
                                          .unit = takt_xml_element_attribute(element, "unit"),
                                          .place = takt_ssd_place(reader, element)};
    if (!full || !takt_project_add_assignment(reader->project, &assignment))
        reader->is_out_of_memory = true;
}

static void read_parameter(takt_ssd_reader *reader, const binding *to,
                           const takt_xml_element *parameter)
{
    const char *name = takt_ssd_required(reader, parameter, "name");
    if (!name) return;
    const takt_xml_element *value = NULL;
    const takt_xml_element *child = takt_xml_first_child(parameter, TAKT_SSV_NAMESPACE, NULL);
    for (; child; child = takt_xml_next_sibling(child, TAKT_SSV_NAMESPACE, NULL)) {
        if (strcmp(takt_xml_element_name(child), "Annotations") == 0) continue;
        if (strcmp(takt_xml_element_name(child), "Dimension") == 0)
            takt_ssd_error(reader, child, "parameter '%s': arrays are not supported yet", name);
        else if (value)
            takt_ssd_error(reader, child, "parameter '%s' has more than one value", name);
        else
            value = child;
    }
    if (value)
        read_value(reader, to, name, value);
    else
        takt_ssd_error(reader, parameter, "parameter '%s' has no value", name);
}

static void read_set(takt_ssd_reader *reader, const binding *to, const takt_xml_element *values)
{
    const takt_xml_element *set = takt_xml_first_child(values, TAKT_SSV_NAMESPACE, "ParameterSet");
    const takt_xml_element *list =
        set ? takt_xml_first_child(set, TAKT_SSV_NAMESPACE, "Parameters") : NULL;
    if (!list) {
        takt_ssd_error(reader, values, "<ParameterValues> holds no ssv:ParameterSet/Parameters");
        return;
    }
    const takt_xml_element *parameter = takt_xml_first_child(list, TAKT_SSV_NAMESPACE, "Parameter");
    for (; parameter; parameter = takt_xml_next_sibling(parameter, TAKT_SSV_NAMESPACE, "Parameter"))
        read_parameter(reader, to, parameter);
}

static void read_binding(takt_ssd_reader *reader, const takt_xml_element *element,
                         const char *component)
{
    const char *source = takt_xml_element_attribute(element, "source");
    const char *prefix = takt_xml_element_attribute(element, "prefix");
    if (source) {
        takt_ssd_error(reader, element,
                       "parameter values in another file ('%s') are not supported yet; write them "
                       "into this file as <ParameterValues>",
                       source);
        return;
    }
    if (takt_xml_first_child(element, TAKT_SSD_NAMESPACE, "ParameterMapping")) {
        takt_ssd_error(reader, element, "<ParameterMapping> is not supported yet");
        return;
    }
    const takt_xml_element *values =
        takt_xml_first_child(element, TAKT_SSD_NAMESPACE, "ParameterValues");
    if (values)
        read_set(reader, &(binding){component, prefix ? prefix : ""}, values);
    else
        takt_ssd_error(reader, element, "<ParameterBinding> has neither source nor values");
}

void takt_ssd_read_bindings(takt_ssd_reader *reader, const takt_xml_element *owner,
                            const char *component)
{
    const takt_xml_element *list =
        takt_xml_first_child(owner, TAKT_SSD_NAMESPACE, "ParameterBindings");
    if (!list) return;
    const takt_xml_element *element =
        takt_xml_first_child(list, TAKT_SSD_NAMESPACE, "ParameterBinding");
    for (; element;
         element = takt_xml_next_sibling(element, TAKT_SSD_NAMESPACE, "ParameterBinding"))
        read_binding(reader, element, component);
}
