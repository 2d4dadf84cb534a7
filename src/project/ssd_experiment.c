// SPDX-License-Identifier: MIT
// Settings that SSP has no place for, in an annotation of ours:
//     <ssc:Annotation type="org.takt.experiment">
//       <takt:Experiment xmlns:takt="https://takt.org/experiment" step-size="0.1" record="a.* b.x">
//         <takt:Loop member="Tank" algorithm="fixed-point"/>
//       </takt:Experiment>
//     </ssc:Annotation>
// Attributes are the settings of the table in settings.c. Of those that may be given several times,
// the values are separated by blanks.
#include <string.h>

#include "project/ssd_reader.h"

static void set(takt_ssd_reader *reader, const takt_xml_element *element, const char *name,
                const char *value)
{
    takt_error err = {0};
    takt_project *project = reader->project;
    takt_status st =
        takt_project_set_at(project, name, value, takt_ssd_place(reader, element), &err);
    if (st == TAKT_ERR_MEMORY)
        reader->is_out_of_memory = true;
    else if (st)
        takt_ssd_error(reader, element, "%s", err.message);
}

static void set_each(takt_ssd_reader *reader, const takt_xml_element *element, const char *name,
                     const char *values)
{
    static const char blanks[] = " \t\r\n";
    values += strspn(values, blanks);
    while (*values && !reader->is_out_of_memory) {
        size_t length = strcspn(values, blanks);
        const char *value = takt_arena_copy_n(&reader->project->arena, values, length);
        if (value)
            set(reader, element, name, value);
        else
            reader->is_out_of_memory = true;
        values += length;
        values += strspn(values, blanks);
    }
}

static void read_loop(takt_ssd_reader *reader, const takt_xml_element *loop)
{
    if (strcmp(takt_xml_element_name(loop), "Loop") != 0) {
        takt_ssd_error(reader, loop, "<%s> is not known here; possible is <Loop>",
                       takt_xml_element_name(loop));
        return;
    }
    const char *member = takt_ssd_required(reader, loop, "member");
    const char *algorithm = takt_ssd_required(reader, loop, "algorithm");
    if (!member || !algorithm) return;
    const char *value = takt_arena_print(&reader->project->arena, "%s=%s", member, algorithm);
    if (value)
        set(reader, loop, "algorithm", value);
    else
        reader->is_out_of_memory = true;
}

static void read_experiment(takt_ssd_reader *reader, const takt_xml_element *experiment)
{
    if (strcmp(takt_xml_element_name(experiment), "Experiment") != 0 ||
        strcmp(takt_xml_element_namespace(experiment), TAKT_EXPERIMENT_NAMESPACE) != 0) {
        takt_ssd_error(reader, experiment,
                       "<%s> is not known in the annotation " TAKT_EXPERIMENT_TYPE
                       "; it holds <Experiment> of the namespace " TAKT_EXPERIMENT_NAMESPACE,
                       takt_xml_element_name(experiment));
        return;
    }
    const char *name, *value;
    for (int i = 0; takt_xml_element_attribute_at(experiment, i, &name, &value); i++) {
        if (takt_settings_is_repeatable(name))
            set_each(reader, experiment, name, value);
        else
            set(reader, experiment, name, value);
    }
    const takt_xml_element *child = takt_xml_first_child(experiment, NULL, NULL);
    for (; child; child = takt_xml_next_sibling(child, NULL, NULL)) read_loop(reader, child);
}

void takt_ssd_read_annotations(takt_ssd_reader *reader, const takt_xml_element *owner)
{
    const takt_xml_element *list = takt_xml_first_child(owner, TAKT_SSD_NAMESPACE, "Annotations");
    if (!list) return;
    const takt_xml_element *annotation =
        takt_xml_first_child(list, TAKT_SSC_NAMESPACE, "Annotation");
    for (; annotation;
         annotation = takt_xml_next_sibling(annotation, TAKT_SSC_NAMESPACE, "Annotation")) {
        const char *type = takt_xml_element_attribute(annotation, "type");
        if (!type || strcmp(type, TAKT_EXPERIMENT_TYPE) != 0) continue; // that of another tool
        const takt_xml_element *child = takt_xml_first_child(annotation, NULL, NULL);
        for (; child; child = takt_xml_next_sibling(child, NULL, NULL))
            read_experiment(reader, child);
    }
}
