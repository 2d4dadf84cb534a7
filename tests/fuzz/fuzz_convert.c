// SPDX-License-Identifier: MIT
// Fuzzes the writing of projects: what is read (first byte: 'm' MasterSim, 'o' OSP, 'e' EAS, 's' SSD; then
// the text), gets another stop time and another value, and makes a system, is written as SSD. Unless
// something was told, what is read back must be the same system. The projects may use a.fmu, b.fmu and c.fmu.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/zip_write.h"
#include "project/project.h"
#include "system/system.h"
#include "takt/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char model[] =
    "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"Small\" instantiationToken=\"t\">"
    "<CoSimulation modelIdentifier=\"Small\" canGetAndSetFMUState=\"true\" "
    "canHandleVariableCommunicationStepSize=\"true\"/>"
    "<UnitDefinitions><Unit name=\"m\"><BaseUnit m=\"1\"/></Unit></UnitDefinitions>"
    "<TypeDefinitions><EnumerationType name=\"Mode\"><Item name=\"off\" value=\"1\"/>"
    "<Item name=\"on\" value=\"2\"/></EnumerationType></TypeDefinitions><ModelVariables>"
    "<Float64 name=\"k\" valueReference=\"1\" causality=\"parameter\" variability=\"fixed\" "
    "start=\"1\"/>"
    "<Float64 name=\"u\" valueReference=\"2\" causality=\"input\" start=\"0\"/>"
    "<Float64 name=\"y\" valueReference=\"3\" causality=\"output\" unit=\"m\"/>"
    "<Int32 name=\"n\" valueReference=\"4\" causality=\"input\" start=\"0\"/>"
    "<Int32 name=\"m\" valueReference=\"5\" causality=\"output\"/>"
    "<String name=\"s\" valueReference=\"6\" causality=\"input\"><Start value=\"\"/></String>"
    "<Boolean name=\"b\" valueReference=\"7\" causality=\"input\" start=\"false\"/>"
    "<Enumeration name=\"e\" valueReference=\"8\" causality=\"parameter\" variability=\"fixed\" "
    "declaredType=\"Mode\" start=\"1\"/>"
    "</ModelVariables><ModelStructure><Output valueReference=\"3\"/><Output valueReference=\"5\"/>"
    "</ModelStructure></fmiModelDescription>";

// Where the files lie, for the whole process; it is removed at its end.
static char folder[1000];

static void remove_folder(void)
{
    takt_tree_remove(folder);
}

static void make_files(void)
{
    takt_arena arena = {0};
    char *made = NULL;
    if (takt_folder_create_temporary(&arena, NULL, "fuzz-", &made, NULL)) abort();
    snprintf(folder, sizeof folder, "%s", made);
    atexit(remove_folder);
    setenv("TAKT_CACHE_DIR", takt_path_join(&arena, folder, "cache"), 1);
    for (const char *const *name = (const char *const[]){"a.fmu", "b.fmu", "c.fmu", NULL}; *name;
         name++) {
        takt_zip_writer *writer = NULL;
        if (takt_zip_create(takt_path_join(&arena, folder, *name), &writer, NULL) ||
            takt_zip_add_data(writer, "modelDescription.xml", model, strlen(model), NULL) ||
            takt_zip_add_data(writer, "binaries/x86_64-linux/Small.so", "", 0, NULL) ||
            takt_zip_finish(writer, NULL))
            abort();
    }
    takt_arena_clear(&arena);
}

static void require(bool is_same, const char *what, const char *name)
{
    if (is_same) return;
    fprintf(stderr, "%s differ: %s\n", what, name);
    abort();
}

static void compare_starts(const takt_system *a, const takt_system *b, int component)
{
    const char *name = a->components[component].name;
    require(a->n_starts[component] == b->n_starts[component], "numbers of values", name);
    for (int i = 0; i < a->n_starts[component]; i++) {
        const takt_start *x = &a->starts[component][i], *y = &b->starts[component][i];
        require(x->variable == y->variable && x->value.integer == y->value.integer &&
                    memcmp(&x->value.real, &y->value.real, sizeof x->value.real) == 0 &&
                    x->value.size == y->value.size &&
                    (!x->value.size || memcmp(x->value.text, y->value.text, x->value.size) == 0),
                "values", name);
    }
}

static void compare_connections(const takt_system *a, const takt_system *b)
{
    require(a->n_connections == b->n_connections, "numbers of connections", "all");
    for (int i = 0; i < a->n_connections; i++) {
        const takt_connection *x = &a->connections[i], *y = &b->connections[i];
        require(x->from == y->from && x->from_variable == y->from_variable && x->to == y->to &&
                    x->to_variable == y->to_variable && x->factor == y->factor &&
                    x->offset == y->offset && x->is_initial == y->is_initial,
                "connections", a->components[x->to].name);
    }
}

static void compare_settings(const takt_settings *a, const takt_settings *b)
{
    takt_arena arena = {0};
    for (int i = 0; a->given >> i; i++)
        if (a->given >> i & 1)
            require(strcmp(takt_settings_text(a, i, &arena), takt_settings_text(b, i, &arena)) == 0,
                    "settings", takt_settings_text(a, i, &arena));
    takt_arena_clear(&arena);
}

static void compare_systems(const takt_system *a, const takt_system *b)
{
    require(a->n_components == b->n_components, "numbers of components", "all");
    for (int i = 0; i < a->n_components; i++) {
        require(strcmp(a->components[i].name, b->components[i].name) == 0, "components",
                a->components[i].name);
        require(strcmp(a->components[i].model->path, b->components[i].model->path) == 0, "models",
                a->components[i].name);
        compare_starts(a, b, i);
    }
    compare_connections(a, b);
    compare_settings(&a->settings, &b->settings);
}

// Writes the project and reads it back. Making its system, which is done for writing as well, gave
// `n_usual` warnings.
static void convert(takt_project *project, const takt_system *system, int n_usual, takt_log *log,
                    const char *path)
{
    takt_error err = {0};
    takt_project *again = NULL;
    takt_system *other = NULL;
    int n_told = takt_log_count(log, TAKT_LEVEL_WARN);
    if (takt_project_write(project, path, &err)) {
        if (!err.message[0]) abort();
        return;
    }
    bool was_told = takt_log_count(log, TAKT_LEVEL_WARN) > n_told + n_usual;
    takt_status st = takt_project_open(path, log, &again, &err);
    if (!st) st = takt_system_create(again, &other, &err);
    require(!st, "what was written cannot be read; systems", err.message);
    if (!was_told) compare_systems(system, other);
    takt_system_destroy(other);
    takt_project_close(again);
}

static void ignore(void *context, const takt_message *message)
{
    (void)context, (void)message;
}

static void try_project(const char *file, const uint8_t *data, size_t size)
{
    takt_arena arena = {0};
    takt_error err = {0};
    takt_project *project = NULL;
    takt_system *system = NULL;
    takt_log *log = takt_log_create(TAKT_LEVEL_WARN, ignore, NULL);
    const char *path = takt_path_join(&arena, folder, file);
    if (!log || !path || takt_file_write(path, data, size, NULL)) abort();
    takt_status st = takt_project_open(path, log, &project, &err);
    if (!st) st = takt_project_set(project, "stop-time", "1234.5", &err);
    if (!st) st = takt_project_set_value(project, "A.k=-0.1", &err);
    int n_read = takt_log_count(log, TAKT_LEVEL_WARN);
    if (!st) st = takt_system_create(project, &system, &err);
    int n_usual = takt_log_count(log, TAKT_LEVEL_WARN) - n_read;
    if (!st) convert(project, system, n_usual, log, takt_path_join(&arena, folder, "written.ssd"));
    takt_system_destroy(system);
    takt_project_close(project);
    takt_log_destroy(log);
    takt_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        char key;
        const char *file;
    } formats[] = {
        {'m', "fuzz.msim"}, {'o', "OspSystemStructure.xml"}, {'e', "fuzz.cfg"}, {'s', "fuzz.ssd"}};
    if (!folder[0]) make_files();
    for (size_t i = 0; size > 0 && i < sizeof formats / sizeof *formats; i++)
        if (data[0] == formats[i].key) try_project(formats[i].file, data + 1, size - 1);
    return 0;
}
