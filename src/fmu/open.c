// SPDX-License-Identifier: MIT
// Opening FMUs; see open.h.
#include "fmu/open.h"

#include <string.h>

#include "base/file.h"
#include "compile/sources.h"
#include "description/read.h"
#include "description/terminals.h"
#include "fmu/kinds.h"
#include "fmu/model.h"

static takt_status unpack(takt_fmu *fmu, takt_log *log, takt_error *err)
{
    FILE *file = NULL;
    if (fmu->options.folder) {
        fmu->unpacked.folder = takt_arena_copy(&fmu->model.arena, fmu->options.folder);
        fmu->options.folder = NULL; // borrowed until now only
        return fmu->unpacked.folder ? TAKT_OK : takt_fail_memory(err);
    }
    takt_status st = takt_file_open_as(fmu->file, fmu->model.path, &file, err);
    if (st) return st;
    st = takt_cache_open(file, fmu->model.path, &fmu->model.arena, &fmu->unpacked, err);
    fclose(file);
    if (!st && fmu->unpacked.warning)
        takt_log_write(log, TAKT_LEVEL_WARN, "FMU %s: %s", fmu->model.path, fmu->unpacked.warning);
    fmu->model.private_folder = fmu->unpacked.private_folder;
    return st ? takt_within(err, st, "FMU %s", fmu->model.path) : TAKT_OK;
}

static takt_status read_description(takt_fmu *fmu, takt_log *log, takt_error *err)
{
    takt_arena *arena = &fmu->model.arena;
    char *path = takt_path_join(arena, fmu->unpacked.folder, "modelDescription.xml");
    if (!path) return takt_fail_memory(err);
    if (!takt_path_is_file(path))
        return takt_fail(
            err, TAKT_ERR_INPUT,
            "FMU %s: the archive has no modelDescription.xml at its top; is it an FMU?",
            fmu->model.path);
    return takt_description_read(path, fmu->sizes.n_items ? &fmu->sizes : NULL, log, &fmu->model,
                                 &fmu->description, err);
}

static takt_status read_terminals(takt_fmu *fmu, takt_log *log, takt_error *err)
{
    static const char file[] = "terminalsAndIcons/terminalsAndIcons.xml";
    takt_arena *arena = &fmu->model.arena;
    if (fmu->description.fmi_major < 2) return TAKT_OK; // FMI 2.0.4 has taken them over
    char *path = takt_path_join(arena, fmu->unpacked.folder, file);
    if (!path) return takt_fail_memory(err);
    if (!takt_path_is_file(path)) return TAKT_OK;
    const char *shown = takt_arena_print(arena, "%s/%s", fmu->model.path, file);
    if (!shown) return takt_fail_memory(err);
    return takt_terminals_read(path, shown, log, &fmu->model, err);
}

// Which kind of instances the FMU makes, by the number of its FMI version.
static const takt_instance_type *const cs_types[] = {NULL, &takt_fmi1_cs, &takt_fmi2_cs,
                                                     &takt_fmi3_cs};
static const takt_instance_type *const me_types[] = {NULL, &takt_fmi1_me, &takt_fmi2_me,
                                                     &takt_fmi3_me};

// Makes the FMU one for model exchange.
static void choose_me(takt_fmu *fmu, const takt_fmu_options *options, takt_log *log)
{
    takt_description *description = &fmu->description;
    const takt_me_description *me = &description->me;
    fmu->is_me = true;
    fmu->model.type = me_types[description->fmi_major];
    fmu->model.can = me->can;
    // The integrator sets inputs whenever it needs them, whatever co-simulation allows.
    fmu->model.can.interpolate_inputs = true;
    fmu->model.can.save_restarts = true;
    for (int i = 0; i < fmu->model.n_variables; i++) fmu->model.variables[i].is_held = false;
    description->identifier = me->identifier;
    description->sources = me->sources;
    description->n_sources = me->n_sources;
    fmu->me_options = options->me;
    fmu->choose_solver = options->choose_solver;
    fmu->solver_context = options->context;
    if (description->fmi3.n_clocks)
        takt_log_doubt(log, NULL, 0,
                       "FMU %s: clocks do not tick in model exchange, and what they should compute "
                       "stays as it is; choose co-simulation (--interface cs) if the FMU offers it",
                       fmu->model.path);
    if (me->can.rewind || !takt_me_states_suffice(&fmu->model, me->n_indicators)) return;
    fmu->model.can.rewind = fmu->model.can.serialize = fmu->me_options.saves_inputs = true;
    takt_log_write(
        log, TAKT_LEVEL_INFO,
        "FMU %s cannot save its state; it is rewound by its continuous states and inputs",
        fmu->model.path);
}

// Does the FMU offer the interface that it must have?
static takt_status check_interface(const takt_fmu *fmu, const takt_fmu_options *options,
                                   takt_error *err)
{
    const takt_description *has = &fmu->description;
    if (!options->is_interface_fixed ||
        (options->prefers_me ? has->me.identifier : has->identifier))
        return TAKT_OK;
    return takt_fail(err, TAKT_ERR_INPUT,
                     "FMU %s: does not offer %s, which the project asks for; choose the "
                     "implementation any",
                     fmu->model.path, options->prefers_me ? "model exchange" : "co-simulation");
}

static takt_status refuse_scheduled(const takt_model *model, const char *name, takt_log *log,
                                    takt_instance **out, takt_error *err)
{
    (void)name, (void)log, (void)out;
    return takt_fail(
        err, TAKT_ERR_INPUT,
        "FMU %s: offers only scheduled execution, which is not supported; export it for "
        "co-simulation or model exchange",
        model->path);
}

// FMUs for scheduled execution can be looked at, but not run.
static const takt_instance_type scheduled = {.name = "FMI 3.0 scheduled execution",
                                             .instantiate = refuse_scheduled,
                                             .close_model = takt_fmu_close};

static takt_status choose_interface(takt_fmu *fmu, const takt_fmu_options *options, takt_log *log,
                                    takt_error *err)
{
    takt_status st = check_interface(fmu, options, err);
    if (st) return st;
    fmu->model.type = cs_types[fmu->description.fmi_major];
    if (fmu->description.me.identifier && (options->prefers_me || !fmu->description.identifier))
        choose_me(fmu, options, log);
    if (!fmu->description.identifier) {
        fmu->model.type = &scheduled;
        fmu->description.identifier = fmu->description.fmi3.scheduled_identifier;
        takt_log_write(log, TAKT_LEVEL_WARN,
                       "FMU %s cannot run: it offers only scheduled execution", fmu->model.path);
    }
    fmu->separates = fmu->model.can.once_per_process || options->separate_libraries;
    if (fmu->model.can.needs_tool)
        takt_log_write(log, TAKT_LEVEL_WARN, "FMU %s says that it needs %s to run (%s)",
                       fmu->model.path, fmu->model.tool ? fmu->model.tool : "the tool that made it",
                       fmu->description.fmi_major == 1 ? "CoSimulation_Tool"
                                                       : "needsExecutionTool");
    return TAKT_OK;
}

// A library that is compiled from sources lies beside what was unpacked.
static takt_status prepare_compiling(takt_fmu *fmu, takt_error *err)
{
    takt_arena *arena = &fmu->model.arena;
    char *folder = takt_path_folder(arena, fmu->unpacked.folder);
    fmu->compiles = true;
    fmu->library_path =
        folder ? takt_arena_print(arena, "%s/compiled/%s.so", folder, fmu->description.identifier)
               : NULL;
    return fmu->library_path ? TAKT_OK : takt_fail_memory(err);
}

static takt_status find_library_for(const takt_fmu *fmu, takt_fmu_way way, bool *out,
                                    takt_error *err)
{
    takt_arena arena = {0};
    const takt_description *description = &fmu->description;
    const char *identifier = description->identifier ? description->identifier : "";
    char *path = takt_library_path_for(way, fmu->unpacked.folder, description->fmi_major,
                                       identifier, &arena);
    takt_status st = path ? takt_path_find_file(path, out, err) : takt_fail_memory(err);
    takt_arena_clear(&arena);
    return st;
}

// The first of the ways that are wanted which the FMU offers. One that offers none is taken for a native one.
static takt_status choose_way(takt_fmu *fmu, const takt_fmu_options *options, takt_error *err)
{
    static const takt_fmu_way order[] = {TAKT_FMU_NATIVE, TAKT_FMU_SOURCES, TAKT_FMU_WINE,
                                         TAKT_FMU_32_BITS};
    takt_status st = TAKT_OK;
    bool is_found = false;
    fmu->way = TAKT_FMU_NATIVE;
    for (size_t i = 0; !st && !is_found && i < sizeof order / sizeof *order; i++) {
        takt_fmu_way way = order[i];
        bool may_compile = options->compile_sources || options->way == TAKT_FMU_SOURCES;
        if (options->way != TAKT_FMU_ANY && options->way != way) continue;
        if (way == TAKT_FMU_SOURCES)
            is_found = fmu->has_sources && may_compile;
        else
            st = find_library_for(fmu, way, &is_found, err);
        if (is_found) fmu->way = way;
    }
    return st;
}

// Where the FMU finds its files. Windows FMUs see the root folder as drive Z:.
static takt_status name_places(takt_fmu *fmu, takt_error *err)
{
    takt_arena *arena = &fmu->model.arena;
    const char *folder = fmu->unpacked.folder;
    char *resources = takt_path_join(arena, folder, "resources");
    char *uri = resources ? takt_path_uri(arena, resources) : NULL;
    char *place = takt_path_uri(arena, folder);
    if (!uri || !place) return takt_fail_memory(err);
    const size_t scheme = strlen("file://");
    bool is_windows = fmu->way == TAKT_FMU_WINE;
    fmu->resource_uri = is_windows ? takt_arena_print(arena, "file:///Z:%s", uri + scheme) : uri;
    fmu->location_uri =
        is_windows ? takt_arena_print(arena, "file:///Z:%s", place + scheme) : place;
    char *path = takt_arena_print(arena, "%s%s/", is_windows ? "Z:" : "", resources);
    for (char *c = path; is_windows && c && *c; c++)
        if (*c == '/') *c = '\\';
    fmu->resource_path = path;
    return fmu->resource_uri && fmu->location_uri && path ? TAKT_OK : takt_fail_memory(err);
}

// A missing library is no failure here: also an FMU for another platform can be looked at.
static takt_status find_library(takt_fmu *fmu, const takt_fmu_options *options, takt_log *log,
                                takt_error *err)
{
    takt_arena *arena = &fmu->model.arena;
    const takt_description *description = &fmu->description;
    const char *folder = fmu->unpacked.folder;
    takt_status st = takt_library_platforms(folder, arena, &fmu->model.platforms, err);
    if (!st) fmu->has_sources = description->n_sources > 0;
    if (!st && !fmu->has_sources)
        st = takt_sources_exist(folder, description->fmi_major, &fmu->has_sources, err);
    if (!st) st = choose_way(fmu, options, err);
    if (!st) st = name_places(fmu, err);
    if (st || fmu->way == TAKT_FMU_SOURCES) return st ? st : prepare_compiling(fmu, err);
    fmu->library_path = takt_library_path_for(fmu->way, folder, description->fmi_major,
                                              description->identifier, arena);
    if (!fmu->library_path) return takt_fail_memory(err);
    if (takt_path_is_file(fmu->library_path)) return TAKT_OK;
    takt_log_write(log, TAKT_LEVEL_WARN, "FMU %s cannot run here: it has no library for %s%s",
                   fmu->model.path, takt_library_platform(description->fmi_major),
                   fmu->has_sources ? " (but sources, see --compile-sources)" : "");
    return TAKT_OK;
}

// Takes over `fmu`.
static takt_status open_created(takt_fmu *fmu, takt_log *log, takt_model **out, takt_error *err)
{
    takt_status st = unpack(fmu, log, err);
    if (!st) st = read_description(fmu, log, err);
    if (!st) st = read_terminals(fmu, log, err);
    if (!st) st = choose_interface(fmu, &fmu->options, log, err);
    if (!st) st = find_library(fmu, &fmu->options, log, err);
    if (st)
        takt_model_close(&fmu->model);
    else
        *out = &fmu->model; // from here on the caller owns it
    return st;
}

static takt_fmu_resize_fn resize;

// What is to be said about the description has been said when it was opened first.
takt_status takt_fmu_open_sized(const char *path, const takt_fmu_options *options,
                                const takt_fmi3_sizes *sizes, takt_model **out, takt_error *err)
{
    takt_fmu *fmu = NULL;
    takt_status st = takt_fmu_create(path, options, &fmu, err);
    if (st) return st;
    fmu->resize = resize;
    size_t n = (size_t)sizes->n_items;
    takt_fmi3_size *items = takt_arena_array(&fmu->model.arena, n ? n : 1, sizeof *items);
    if (!items) {
        takt_model_close(&fmu->model);
        return takt_fail_memory(err);
    }
    for (size_t i = 0; i < n; i++) items[i] = sizes->items[i];
    fmu->sizes = (takt_fmi3_sizes){items, (int)n};
    return open_created(fmu, NULL, out, err);
}

static takt_status resize(const takt_model *model, const takt_structural_value *values,
                          int n_values, takt_model **out, takt_error *err)
{
    const takt_fmu *old = (const takt_fmu *)model;
    takt_arena arena = {0};
    takt_fmi3_size *sizes = takt_arena_array(&arena, (size_t)n_values, sizeof *sizes);
    takt_status st = sizes ? TAKT_OK : takt_fail_memory(err);
    for (int i = 0; i < n_values && !st; i++)
        sizes[i] = (takt_fmi3_size){model->variables[values[i].variable].reference,
                                    (uint64_t)values[i].value};
    const takt_fmi3_sizes all = {sizes, n_values};
    if (!st) st = takt_fmu_open_sized(old->file, &old->options, &all, out, err);
    // Instances of the other model may already use the library.
    if (!st) ((takt_fmu *)*out)->n_loaded = old->model.can.once_per_process;
    takt_arena_clear(&arena);
    return st;
}

takt_status takt_fmu_open_with(const char *path, const takt_fmu_options *options, takt_log *log,
                               takt_model **out, takt_error *err)
{
    takt_fmu *fmu = NULL;
    takt_status st = takt_fmu_create(path, options, &fmu, err);
    if (st) return st;
    fmu->resize = resize;
    return open_created(fmu, log, out, err);
}

takt_status takt_fmu_open(const char *path, takt_log *log, takt_model **out, takt_error *err)
{
    return takt_fmu_open_with(path, &(takt_fmu_options){0}, log, out, err);
}

const takt_description *takt_fmu_description(const takt_model *model)
{
    return &((const takt_fmu *)(const void *)model)->description;
}

takt_fmu_way takt_fmu_way_of(const takt_model *model)
{
    return takt_fmu_is(model) ? ((const takt_fmu *)model)->way : TAKT_FMU_NATIVE;
}

const char *takt_fmu_library_path(const takt_model *model)
{
    return ((const takt_fmu *)model)->library_path;
}

takt_status takt_fmu_offers_way(const takt_model *model, takt_fmu_way way, bool *out,
                                takt_error *err)
{
    const takt_fmu *fmu = (const takt_fmu *)model;
    *out = takt_fmu_is(model) && way == TAKT_FMU_SOURCES && fmu->has_sources;
    return !takt_fmu_is(model) || way == TAKT_FMU_SOURCES ? TAKT_OK
                                                          : find_library_for(fmu, way, out, err);
}

bool takt_fmu_offers_me(const takt_model *model)
{
    return takt_fmu_is(model) && ((const takt_fmu *)(const void *)model)->description.me.identifier;
}
