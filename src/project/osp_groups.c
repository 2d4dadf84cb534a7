// SPDX-License-Identifier: MIT
// Variable groups, which an OspModelDescription.xml defines. The file is named after the model,
// NAME_OspModelDescription.xml, and lies beside the FMU or beside the project; it may also lie inside
// the FMU, in the folder resources. A file with the name of the FMU instead of
// the model is taken as well.
#include <string.h>

#include "base/file.h"
#include "project/fmu_glance.h"
#include "project/osp_reader.h"

#define FILE_NAME "OspModelDescription.xml"

// ---- groups ------------------------------------------------------------------------------------

static int count_children(const takt_xml_element *element, bool of_variables)
{
    int n = 0;
    const takt_xml_element *child = takt_xml_first_child(element, NULL, NULL);
    for (; child; child = takt_xml_next_sibling(child, NULL, NULL))
        n += (strcmp(takt_xml_element_name(child), "Variable") == 0) == of_variables;
    return n;
}

// Reads a group with all that is inside; depth is limited by that of the XML.
static bool read_group(takt_osp_reader *reader, const takt_xml_element *element, const char *file,
                       takt_osp_group *out)
{
    takt_arena *arena = &reader->project->arena;
    size_t n_variables = (size_t)count_children(element, true);
    size_t n_groups = (size_t)count_children(element, false);
    const char *name = takt_xml_element_attribute(element, "name");
    out->name = takt_arena_copy(arena, name ? name : "");
    out->variables = takt_arena_array(arena, n_variables, sizeof *out->variables);
    out->groups = takt_arena_array(arena, n_groups, sizeof *out->groups);
    if (!out->name || !out->variables || !out->groups) return false;
    const takt_xml_element *child = takt_xml_first_child(element, NULL, NULL);
    for (; child; child = takt_xml_next_sibling(child, NULL, NULL)) {
        if (strcmp(takt_xml_element_name(child), "Variable") != 0) {
            if (!read_group(reader, child, file, &out->groups[out->n_groups++])) return false;
            continue;
        }
        const char *variable = takt_xml_element_attribute(child, "ref");
        if (!variable || !*variable) {
            takt_problem(&reader->project->problems, TAKT_LEVEL_ERROR,
                         (takt_place){file, takt_xml_element_line(child)},
                         "<Variable> has no attribute 'ref'");
            continue;
        }
        variable = takt_arena_copy(arena, variable);
        if (!variable) return false;
        out->variables[out->n_variables++] = variable;
    }
    return true;
}

const takt_osp_group *takt_osp_find_group(const takt_osp_group *groups, const char *name)
{
    for (int i = 0; i < groups->n_groups; i++)
        if (strcmp(groups->groups[i].name, name) == 0) return &groups->groups[i];
    for (int i = 0; i < groups->n_groups; i++) {
        const takt_osp_group *found = takt_osp_find_group(&groups->groups[i], name);
        if (found) return found;
    }
    return NULL;
}

// ---- files -------------------------------------------------------------------------------------

// Reads a file. What is wrong with it is reported.
static bool read_file(takt_osp_reader *reader, const char *path, takt_osp_description *out)
{
    takt_project *project = reader->project;
    takt_xml_tree *tree = NULL;
    takt_error err = {0};
    out->file = takt_arena_copy(&project->arena, path);
    if (!out->file) return false;
    takt_status st = takt_xml_tree_open(path, path, &tree, &err);
    if (st == TAKT_ERR_MEMORY) return false;
    if (st) {
        takt_problem(&project->problems, TAKT_LEVEL_ERROR, (takt_place){project->path, 0}, "%s",
                     err.message);
        return true;
    }
    const takt_xml_element *root = takt_xml_tree_root(tree);
    const takt_xml_element *groups = takt_xml_first_child(root, NULL, "VariableGroups");
    bool ok = true;
    if (strcmp(takt_xml_element_name(root), "OspModelDescription") != 0)
        takt_problem(&project->problems, TAKT_LEVEL_ERROR,
                     (takt_place){out->file, takt_xml_element_line(root)},
                     "<%s> is not the root of an OspModelDescription", takt_xml_element_name(root));
    else if (groups)
        ok = read_group(reader, groups, out->file, &out->all);
    takt_xml_tree_close(tree);
    return ok;
}

// FOLDER/NAME_OspModelDescription.xml, if there is such a file. False: out of memory.
static bool try_name(takt_arena *arena, const char *folder, const char *name, const char **found)
{
    if (*found || !folder || !*name || strchr(name, '/')) return true;
    const char *path = takt_arena_print(arena, "%s/%s_" FILE_NAME, folder, name);
    if (path && takt_path_is_file(path)) *found = path;
    return path != NULL;
}

static bool find_file(takt_osp_reader *reader, const char *source, const takt_fmu_glance *fmu,
                      const char **found)
{
    takt_arena *arena = &reader->project->arena;
    const char *beside = takt_path_folder(arena, source);
    const char *project = takt_path_folder(arena, reader->project->path);
    const char *file = takt_path_name(source), *dot = strrchr(file, '.');
    const char *stem = takt_arena_copy_n(arena, file, dot ? (size_t)(dot - file) : strlen(file));
    if (!beside || !project || !stem) return false;
    bool ok = try_name(arena, beside, fmu->model_name, found) &&
              try_name(arena, project, fmu->model_name, found) &&
              try_name(arena, beside, stem, found) && try_name(arena, project, stem, found);
    if (!ok || *found || !fmu->folder) return ok;
    const char *inside = takt_arena_print(arena, "%s/resources/" FILE_NAME, fmu->folder);
    if (inside && takt_path_is_file(inside)) *found = inside;
    return inside != NULL;
}

static bool describe(takt_osp_reader *reader, const char *source, takt_osp_description *out)
{
    if (!source) return true;
    takt_fmu_glance fmu = {0};
    const char *file = NULL;
    bool ok = takt_fmu_glance_open(source, &fmu, NULL) == TAKT_OK &&
              find_file(reader, source, &fmu, &file);
    if (ok && file) ok = read_file(reader, file, out);
    takt_fmu_glance_close(&fmu);
    return ok;
}

const takt_osp_description *takt_osp_describe(takt_osp_reader *reader, int i)
{
    if (reader->descriptions[i]) return reader->descriptions[i];
    takt_osp_description *new = takt_arena_alloc(&reader->project->arena, sizeof *new);
    if (!new || !describe(reader, reader->project->components[i].source, new)) {
        reader->is_out_of_memory = true;
        return NULL;
    }
    reader->descriptions[i] = new;
    return new;
}
