// SPDX-License-Identifier: MIT
// The ways in which FMUs run here; see ways.h.
#include "remote/ways.h"

#include "base/path.h"
#include "base/pe.h"
#include "remote/programs.h"
#include "remote/wine.h"

#define WORKER_32 "takt-worker-linux32", "TAKT_WORKER_LINUX32"

bool takt_ways_needs_process(const takt_model *model)
{
    takt_fmu_way way = takt_fmu_way_of(model);
    return way == TAKT_FMU_WINE || way == TAKT_FMU_32_BITS;
}

static const char *lack_for(takt_fmu_way way, takt_arena *arena)
{
    takt_wine wine;
    if (way == TAKT_FMU_WINE) return takt_wine_find(arena, &wine);
    if (way == TAKT_FMU_32_BITS && !takt_program_find(arena, WORKER_32))
        return "the program takt-worker-linux32, in which FMUs with 32 bits run, is not there; it "
               "is "
               "built where the compiler can make programs with 32 bits (Debian, Ubuntu: apt-get "
               "install gcc-multilib), and looked for beside the program and the library, or where "
               "TAKT_WORKER_LINUX32 says";
    return NULL;
}

const char *takt_ways_lack(const takt_model *model, takt_arena *arena)
{
    return lack_for(takt_fmu_way_of(model), arena);
}

takt_status takt_ways_describe(takt_model *model, takt_error *err)
{
    static const struct {
        takt_fmu_way way;
        const char *name;
    } ways[] = {{TAKT_FMU_NATIVE, "native"},
                {TAKT_FMU_SOURCES, "sources (--binary sources)"},
                {TAKT_FMU_WINE, "wine"},
                {TAKT_FMU_32_BITS, "linux32"}};
    takt_arena *arena = &model->arena;
    char *text = NULL;
    if (!model->platforms) return TAKT_OK;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        bool is_offered = false;
        takt_status st = takt_fmu_offers_way(model, ways[i].way, &is_offered, err);
        if (st) return st;
        if (!is_offered) continue;
        const char *lack = lack_for(ways[i].way, arena);
        text = takt_arena_print(arena, "%s%s%s%s%s", text ? text : "", text ? ", " : "",
                                ways[i].name, lack ? " (not here: " : "", lack ? lack : "");
        if (text && lack) text = takt_arena_print(arena, "%s)", text);
        if (arena->has_failed) return takt_fail_memory(err);
    }
    model->ways = text ? text : "not at all here";
    return TAKT_OK;
}

takt_status takt_ways_check(const takt_model *model, takt_error *err)
{
    takt_arena arena = {0};
    char obstacle[TAKT_PE_TEXT_SIZE] = "";
    const char *dlls = takt_wine_dlls(&arena);
    takt_status st = TAKT_OK;
    if (takt_fmu_way_of(model) == TAKT_FMU_WINE)
        st = takt_pe_find_obstacle(takt_fmu_library_path(model), dlls, obstacle, err);
    if (!st && obstacle[0])
        st = takt_fail(err, TAKT_ERR_INPUT, "cannot be loaded on this machine: %s", obstacle);
    if (arena.has_failed) st = takt_fail_memory(err);
    takt_arena_clear(&arena);
    return st ? takt_within(err, st, "FMU %s", model->path) : TAKT_OK;
}

static takt_status prepare_32_bits(const takt_model *model, takt_arena *arena, takt_foreign *out,
                                   takt_error *err)
{
    const char *worker = takt_program_find(arena, WORKER_32);
    if (!worker) return takt_fail(err, TAKT_ERR_INPUT, "%s", takt_ways_lack(model, arena));
    takt_status st =
        takt_path_real(arena, worker, &worker, err); // workers change their folder before
    if (st) return st;
    *out = (takt_foreign){.arguments = {worker}, .folders = {worker}};
    return TAKT_OK;
}

takt_status takt_ways_provide(const takt_model *model, takt_log *log, takt_error *err)
{
    takt_arena arena = {0};
    takt_foreign unused;
    if (takt_fmu_way_of(model) != TAKT_FMU_WINE) return TAKT_OK;
    takt_status st = takt_wine_prepare(&arena, log, false, &unused, err);
    takt_arena_clear(&arena);
    return st ? takt_within(err, st, "FMU %s", model->path) : TAKT_OK;
}

takt_status takt_ways_prepare(const takt_model *model, const takt_isolation *isolation,
                              takt_arena *arena, takt_log *log, takt_foreign *out, takt_error *err)
{
    takt_status st = TAKT_OK;
    if (!takt_ways_needs_process(model)) return TAKT_OK;
    if (takt_fmu_way_of(model) == TAKT_FMU_WINE)
        st = takt_wine_prepare(arena, log, isolation->sandbox.is_on, out, err);
    else
        st = prepare_32_bits(model, arena, out, err);
    if (arena->has_failed) st = takt_fail_memory(err); // nothing was found for that reason
    return st ? takt_within(err, st, "FMU %s", model->path) : TAKT_OK;
}
