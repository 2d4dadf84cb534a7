// SPDX-License-Identifier: MIT
// A quick look at an FMU; see fmu_glance.h.
#include "project/fmu_glance.h"

#include <string.h>

#include "base/file.h"
#include "base/xml.h"

static bool add_variable(takt_fmu_glance *glance, const char *name)
{
    if (!name || takt_map_find(&glance->variables, name) >= 0) return true;
    const char *copy = takt_arena_copy(&glance->arena, name);
    return copy && takt_map_add(&glance->variables, copy, glance->variables.n_entries);
}

// Variables are the children of ModelVariables, whatever they are called: ScalarVariable in FMI 1.0 and
// 2.0, the type in FMI 3.0.
static takt_status read_description(takt_fmu_glance *glance, takt_xml_reader *xml, takt_error *err)
{
    bool is_inside = false;
    takt_xml_event event;
    for (;;) {
        takt_status st = takt_xml_next(xml, &event, err);
        if (st || event == TAKT_XML_DONE) return st;
        int depth = takt_xml_depth(xml);
        if (depth == 2) is_inside = strcmp(takt_xml_name(xml), "ModelVariables") == 0;
        if (event != TAKT_XML_START) continue;
        const char *name = takt_xml_attribute(xml, depth == 1 ? "modelName" : "name");
        if (depth == 1 && name) {
            glance->model_name = takt_arena_copy(&glance->arena, name);
            if (!glance->model_name) return takt_fail_memory(err);
        }
        if (depth == 3 && is_inside && !add_variable(glance, name)) return takt_fail_memory(err);
    }
}

static takt_status read_folder(takt_fmu_glance *glance, takt_error *err)
{
    takt_xml_reader *xml = NULL;
    const char *path = takt_path_join(&glance->arena, glance->folder, "modelDescription.xml");
    if (!path) return takt_fail_memory(err);
    takt_status st = takt_xml_open(path, path, &xml, err);
    if (!st) st = read_description(glance, xml, err);
    takt_xml_close(xml);
    return st;
}

takt_status takt_fmu_glance_open(const char *path, takt_fmu_glance *out, takt_error *err)
{
    takt_error why = {0};
    FILE *file = NULL;
    *out = (takt_fmu_glance){.model_name = ""};
    takt_status st = takt_file_open(path, &file, &why);
    if (!st) st = takt_cache_open(file, path, &out->arena, &out->unpacked, &why);
    if (file) fclose(file);
    if (!st) out->folder = out->unpacked.folder;
    if (!st) st = read_folder(out, &why);
    return st == TAKT_ERR_MEMORY ? takt_fail_memory(err) : TAKT_OK;
}

void takt_fmu_glance_close(takt_fmu_glance *glance)
{
    takt_cache_close(&glance->unpacked);
    takt_map_clear(&glance->variables);
    takt_arena_clear(&glance->arena);
    *glance = (takt_fmu_glance){0};
}
