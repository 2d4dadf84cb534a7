// SPDX-License-Identifier: MIT
// See project_files.h.
#include "author/project_files.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "author/c_text.h"
#include "base/file.h"
#include "base/number.h"

// Start values, so that nothing is divided by a parameter that is 0; inputs without one are 1.
static void add_values(const takt_draft *d, takt_text *out)
{
    for (int i = 0; i < d->n_variables; i++) {
        const takt_draft_variable *v = &d->variables[i];
        bool is_number = v->type == TAKT_FLOAT64 && !v->n_dimensions;
        bool has_start = v->n_starts && isfinite(v->starts[0].real);
        if (!is_number || !(has_start || v->causality == TAKT_INPUT)) continue;
        char number[TAKT_NUMBER_SIZE] = "1";
        if (has_start) takt_number_write(number, v->starts[0].real);
        takt_text_print(out, "    m.%s = %s;\n", v->field, number);
    }
}

void takt_author_test(const takt_draft *d, takt_text *out)
{
    takt_text_print(out,
                    "// A test of the equations, without an FMU around them: set inputs, states "
                    "and parameters, evaluate, look\n"
                    "// at the results. `ctest` runs it, and a debugger can.\n"
                    "#include \"../%s.c\"\n\n#include <stdio.h>\n\n"
                    "static int n_failures;\n\n"
                    "#define CHECK(condition) \\\n"
                    "    ((condition) ? (void)0 : (void)(n_failures++, printf(\"line %%d: "
                    "%%s\\n\", __LINE__, #condition)))\n\n"
                    "int main(void)\n{\n    static model m;\n",
                    d->name);
    add_values(d, out);
    takt_text_add(out, "    CHECK(evaluate(NULL, &m, 0) == FMUKIT_OK);\n");
    for (int i = 0; i < d->n_variables; i++) {
        const takt_draft_variable *v = &d->variables[i];
        if (v->causality == TAKT_OUTPUT && v->type == TAKT_FLOAT64 && !v->n_dimensions)
            takt_text_print(out, "    CHECK(isfinite(m.%s));\n", v->field);
    }
    takt_text_add(out, "    return n_failures ? 1 : 0;\n}\n");
}

// The names of the FMUs that the build makes.
static void add_fmus(const takt_draft *d, takt_text *out)
{
    for (const char *at = d->versions; *at; at += strspn(at, " ")) {
        int n = (int)strcspn(at, " ");
        if (n == 1 && *at == '2')
            takt_text_print(out, " %s", d->name);
        else
            takt_text_print(out, " %s_fmi%.*s", d->name, n, at);
        at += n;
    }
}

void takt_author_build(const takt_draft *d, const char *kit, takt_text *out)
{
    takt_text_print(out,
                    "cmake_minimum_required(VERSION 3.20)\nproject(%s C)\nenable_testing()\n\n"
                    "# Where the FMU kit is: by -DFMUKIT=..., the environment, or as it was found "
                    "when this file was made.\n"
                    "if(DEFINED ENV{TAKT_KIT} AND NOT DEFINED FMUKIT)\n"
                    "    set(FMUKIT \"$ENV{TAKT_KIT}\")\n"
                    "endif()\nset(FMUKIT ",
                    d->name);
    takt_cmake_add_argument(out, kit);
    takt_text_print(
        out,
        " CACHE PATH \"Folder of the FMU kit\")\n"
        "include(\"${FMUKIT}/cmake/FmuKit.cmake\")\n\n"
        "takt_add_fmu(NAME %s SOURCES %s.c VERSIONS %s)\n\n"
        "# The equations alone, with the libraries of the FMU.\n"
        "add_executable(%s_test tests/test_%s.c $<TARGET_OBJECTS:fmukit_runtime>)\n"
        "target_link_libraries(%s_test PRIVATE "
        "$<TARGET_PROPERTY:%s_fmu_objects,LINK_LIBRARIES>)\n"
        "add_test(NAME equations COMMAND %s_test)\n\n"
        "# The FMUs, where there is a program that imports them.\n"
        "find_program(TAKT takt HINTS \"${FMUKIT}/../build\" \"${FMUKIT}/../../../bin\")\n"
        "if(TAKT)\n    foreach(fmu",
        d->name, d->name, d->versions, d->name, d->name, d->name, d->name, d->name);
    add_fmus(d, out);
    takt_text_add(out, ")\n"
                       "        add_test(NAME check_${fmu} COMMAND ${TAKT} check fmus/${fmu}.fmu)\n"
                       "        add_test(NAME run_${fmu} COMMAND ${TAKT} run fmus/${fmu}.fmu "
                       "--strict --stop-time 1\n"
                       "                 --output-file ${fmu}.csv --progress none)\n"
                       "    endforeach()\nendif()\n");
}

void takt_author_readme(const takt_draft *d, takt_text *out)
{
    takt_text_print(out,
                    "# %s\n\nAn FMU, written with the FMU kit.\n\n"
                    "    cmake -B build && cmake --build build && ctest --test-dir build "
                    "--output-on-failure\n\n"
                    "makes these in `build/fmus`:",
                    d->name);
    add_fmus(d, out);
    takt_text_print(out,
                    ".\n\n| file | what it is |\n|---|---|\n"
                    "| `%s.c` | variables and equations: `evaluate` is to be written |\n"
                    "| `tests/test_%s.c` | a test of the equations |\n"
                    "| `CMakeLists.txt` | the build; `-DFMUKIT=FOLDER` says where the kit is, if "
                    "it has moved |\n",
                    d->name, d->name);
}

// ---- writing -------------------------------------------------------------------------------------

enum { N_FILES = 4 };

typedef struct new_file {
    const char *path;
    takt_text text;
    bool is_written;
} new_file;

static takt_status write_files(new_file *files, const char *folder, const char *tests,
                               takt_error *err)
{
    takt_status st = takt_folder_create(folder, err);
    if (!st) st = takt_folder_create(tests, err);
    for (int i = 0; !st && i < N_FILES; i++) {
        st = takt_file_write_new(files[i].path, files[i].text.data, files[i].text.length, err);
        files[i].is_written = !st;
    }
    return st;
}

takt_status takt_author_write(takt_draft *d, const char *folder, const char *kit, takt_error *err)
{
    takt_arena *arena = &d->arena;
    char *tests = takt_path_join(arena, folder, "tests");
    char *source = takt_arena_print(arena, "%s/%s.c", folder, d->name);
    char *test = takt_arena_print(arena, "%s/tests/test_%s.c", folder, d->name);
    new_file files[N_FILES] = {{.path = source},
                               {.path = test},
                               {.path = takt_path_join(arena, folder, "CMakeLists.txt")},
                               {.path = takt_path_join(arena, folder, "README.md")}};
    takt_author_source(d, &files[0].text);
    takt_author_test(d, &files[1].text);
    takt_author_build(d, kit, &files[2].text);
    takt_author_readme(d, &files[3].text);
    takt_status st = tests ? TAKT_OK : takt_fail_memory(err);
    struct stat status;
    for (int i = 0; !st && i < N_FILES; i++) {
        if (!files[i].path || files[i].text.failed)
            st = takt_fail_memory(err);
        else if (lstat(files[i].path, &status) == 0)
            takt_draft_problem(d, files[i].path, 0, "exists and is not replaced");
    }
    if (!st && d->n_problems)
        st = takt_fail(err, TAKT_ERR_USAGE,
                       "nothing was written: %d of the files exist; --folder chooses another place",
                       d->n_problems);
    else if (!st)
        st = write_files(files, folder, tests, err);
    for (int i = 0; i < N_FILES; i++) {
        if (st && files[i].is_written) unlink(files[i].path);
        takt_text_clear(&files[i].text);
    }
    return st;
}
