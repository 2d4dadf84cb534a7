// SPDX-License-Identifier: MIT
// FMUs that come as source code, compiled on request, of all three versions; hostile build descriptions.
// Of FMI 2.0 see also test_quirks.c.
#include "support/archive.h"
#include "support/results.h"

// ---- FMUs ------------------------------------------------------------------------------------------

static void write_fmu(test_sandbox *box, const test_entry *entries, int n)
{
    char path[2 * TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/s.fmu", box->work);
    test_archive(path, entries, n);
}

static void run_compiled(test_sandbox *box)
{
    test_run(box, "run", "s.fmu", "--stop-time", "1", "--compile-sources", NULL);
}

static double last_y(test_sandbox *box)
{
    test_results r;
    test_results_read(&r, box, "s.csv");
    double y = test_result(&r, r.n_rows - 1, "s.y");
    test_results_clear(&r);
    return y;
}

static const char fmi1_description[] =
    "<fmiModelDescription fmiVersion='1.0' modelName='S' modelIdentifier='src' guid='g' "
    "numberOfContinuousStates='0' numberOfEventIndicators='0'><ModelVariables>"
    "<ScalarVariable name='y' valueReference='0' causality='output'><Real/></ScalarVariable>"
    "</ModelVariables><Implementation><CoSimulation_StandAlone><Capabilities/>"
    "</CoSimulation_StandAlone></Implementation></fmiModelDescription>";

static const char fmi1_source[] =
    "#include <stdlib.h>\n"
    "#define MODEL_IDENTIFIER src\n"
    "#ifdef FMI_COSIMULATION\n"
    "#include \"fmiFunctions.h\"\n"
    "#endif\n"
    "  #  include \"template.c\"\n"
    "double rest(void);\n"
    "fmiComponent fmiInstantiateSlave(fmiString n, fmiString g, fmiString l, fmiString m,\n"
    "    fmiReal t, fmiBoolean v, fmiBoolean i, fmiCallbackFunctions f, fmiBoolean o)\n"
    "{ return f.allocateMemory(1, 8); }\n"
    "fmiStatus fmiInitializeSlave(fmiComponent c, fmiReal t, fmiBoolean d, fmiReal s)\n"
    "{ return fmiOK; }\n"
    "void fmiFreeSlaveInstance(fmiComponent c) { free(c); }\n"
    "fmiStatus fmiTerminateSlave(fmiComponent c) { return fmiOK; }\n"
    "const char *fmiGetVersion(void) { return fmiVersion; }\n"
    "const char *fmiGetTypesPlatform(void) { return fmiPlatform; }\n"
    "fmiStatus fmiGetReal(fmiComponent c, const fmiValueReference vr[], size_t n,\n"
    "    fmiReal value[]) { value[0] = rest() + included; return fmiOK; }\n"
    "fmiStatus fmiDoStep(fmiComponent c, fmiReal t, fmiReal h, fmiBoolean n)\n"
    "{ return fmiOK; }\n";

// All files of the folder are compiled, but those that another one includes.
static void sources_of_fmi_1_are_compiled(void **state)
{
    test_sandbox *box = *state;
    const test_entry entries[] = {
        {.name = "modelDescription.xml", .data = fmi1_description},
        {.name = "sources/src.c", .data = fmi1_source},
        {.name = "sources/template.c", .data = "static int only_here;\ndouble included = 2;\n"},
        {.name = "sources/rest.c", .data = "double rest(void) { return 40; }\n"},
        {.name = "sources/deeper/never.c", .data = "this is no C"},
        {.name = "sources/readme.txt", .data = "hello"},
    };
    write_fmu(box, entries, 6);
    test_run(box, "run", "s.fmu", "--stop-time", "1", "--binary", "native", NULL);
    assert_one_error(box, 3, "it has sources: give --compile-sources");
    run_compiled(box);
    assert_exit(box, 0);
    assert_near(last_y(box), 42, 0);
}

// What is compiled belongs to the cache: it counts, and what was damaged is not run.
// A file that includes all others is compiled alone: the others count on it.
static void file_that_includes_all_others_is_compiled_alone(void **state)
{
    test_sandbox *box = *state;
    const test_entry entries[] = {
        {.name = "modelDescription.xml", .data = fmi1_description},
        {.name = "sources/all.c",
         .data =
             "#define SINGLE 40\n#include \"src.c\"\n#ifdef SINGLE\n#include \"rest.c\"\n#endif\n"},
        {.name = "sources/src.c", .data = fmi1_source},
        {.name = "sources/template.c", .data = "static double included = 2;\n"},
        {.name = "sources/rest.c", .data = "double rest(void) { return SINGLE; }\n"},
        {.name = "sources/other.c", .data = "double other(void) { return SINGLE; }\n"},
    };
    write_fmu(box, entries, 6);
    run_compiled(box);
    assert_exit(box, 0);
    assert_near(last_y(box), 42, 0);
}

static void damaged_compiled_library_is_compiled_again(void **state)
{
    test_sandbox *box = *state;
    test_sandbox_empty_cache(box);
    const test_entry entries[] = {
        {.name = "modelDescription.xml", .data = fmi1_description},
        {.name = "sources/src.c", .data = fmi1_source},
        {.name = "sources/template.c", .data = "double included = 2;\n"},
        {.name = "sources/rest.c", .data = "double rest(void) { return 40; }\n"},
    };
    write_fmu(box, entries, 4);
    run_compiled(box);
    assert_exit(box, 0);
    char shell[2 * TEST_PATH_SIZE];
    snprintf(shell, sizeof shell,
             "cd '%s' && n=$(cat */compiled/* | wc -c) && m=$(cat */content/modelDescription.xml "
             "*/content/sources/* | wc -c) && echo size: $((n + m))",
             box->cache);
    test_run_program(box, "sh", "-c", shell, NULL);
    assert_exit(box, 0);
    int size = 0;
    assert_int_equal(sscanf(box->out, "size: %d", &size), 1);
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"size\": %d", size);
    test_run(box, "cache", "--json", NULL);
    assert_contains(box->out, wanted);
    // One that lacks a function: it is not the one that was compiled.
    snprintf(shell, sizeof shell,
             "cd '%s'/*/compiled && sed 's/fmiGetReal/fmiGetRaal/' src.so >other.so && mv other.so "
             "src.so",
             box->cache);
    for (int i = 0; i < 2; i++) {
        test_run_program(box, "sh", "-c", shell, NULL);
        assert_exit(box, 0);
        run_compiled(box);
        assert_exit(box, 0);
        assert_near(last_y(box), 42, 0);
    }
}

// A compiler with another name and version, which counts what it compiles.
static void write_compiler(test_sandbox *box, const char *version)
{
    char shell[1000];
    snprintf(shell, sizeof shell,
             "mkdir -p bin && cat >bin/cc <<END && chmod +x bin/cc\n#!/bin/sh\n"
             "[ \"\\$1\" = --version ] && { echo %s; exit; }\n"
             "echo compiled >>\"\\${0%%/bin/cc}/log\"\n"
             "exec $(command -v cc) \"\\$@\"\nEND\n",
             version);
    test_run_program(box, "sh", "-c", shell, NULL);
    assert_exit(box, 0);
}

static int count_compilations(test_sandbox *box)
{
    test_run_program(box, "sh", "-c", "cat log 2>/dev/null; true", NULL);
    return test_count(box->out, "compiled");
}

static void another_compiler_compiles_again(void **state)
{
    test_sandbox *box = *state;
    test_sandbox_empty_cache(box);
    const test_entry entries[] = {
        {.name = "modelDescription.xml", .data = fmi1_description},
        {.name = "sources/src.c", .data = fmi1_source},
        {.name = "sources/template.c", .data = "double included = 2;\n"},
        {.name = "sources/rest.c", .data = "double rest(void) { return 40; }\n"},
    };
    char *before = strdup(getenv("PATH")), path[4 * TEST_PATH_SIZE];
    write_fmu(box, entries, 4);
    run_compiled(box);
    assert_exit(box, 0);
    write_compiler(box, "odd 1.0");
    snprintf(path, sizeof path, "%s/bin:%s", box->work, before);
    static const struct {
        const char *version;
        int n; // compilations so far: two files and the library each time
    } cases[] = {{NULL, 3}, {NULL, 3}, {"odd 1.1", 6}, {"odd 1.1", 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].version) write_compiler(box, cases[i].version);
        setenv("PATH", path, 1);
        test_run(box, "run", "s.fmu", "--stop-time", "1", "--compile-sources",
                 i % 2 ? "--isolate" : "--quiet", NULL);
        setenv("PATH", before, 1);
        assert_exit(box, 0);
        assert_near(last_y(box), 42, 0);
        assert_int_equal(count_compilations(box), cases[i].n);
    }
    // Where there is none, what there is serves.
    setenv("PATH", box->work, 1);
    run_compiled(box);
    setenv("PATH", before, 1);
    free(before);
    assert_exit(box, 0);
    assert_int_equal(count_compilations(box), 6);
}

static void file_that_is_missing_is_named(void **state)
{
    test_sandbox *box = *state;
    const test_entry entries[] = {
        {.name = "modelDescription.xml", .data = fmi1_description},
        {.name = "sources/src.c", .data = fmi1_source},
        {.name = "sources/template.c", .data = "double rest(void);\nextern double included;\n"},
        {.name = "sources/deeper/other.c", .data = "double rest(void);\n"},
        {.name = "sources/deeper/rest.c", .data = "double rest(void) { return 40; }\n"},
    };
    write_fmu(box, entries, 5);
    run_compiled(box);
    assert_one_error(box, 3, "the sources are not complete: '");
    assert_contains(box->err, "'rest' is defined in sources/deeper/rest.c, which is not among");
    assert_contains(box->err, "'included' is not defined in any of them");
}

#define FMI3_DESCRIPTION                                                                           \
    "<fmiModelDescription fmiVersion='3.0' modelName='S' instantiationToken='t'>"                  \
    "<CoSimulation modelIdentifier='src'/><ModelVariables>"                                        \
    "<Float64 name='time' valueReference='0' causality='independent' variability='continuous'/>"   \
    "<Float64 name='y' valueReference='1' causality='output'/></ModelVariables><ModelStructure>"   \
    "<Output valueReference='1'/></ModelStructure></fmiModelDescription>"

static const char fmi3_source[] =
    "#include \"fmi3Functions.h\"\n"
    "#include \"part.h\"\n"
    "#include <stdlib.h>\n"
    "fmi3Instance fmi3InstantiateCoSimulation(fmi3String n, fmi3String t, fmi3String r,\n"
    "    fmi3Boolean v, fmi3Boolean l, fmi3Boolean e, fmi3Boolean a,\n"
    "    const fmi3ValueReference i[], size_t ni, fmi3InstanceEnvironment env,\n"
    "    fmi3LogMessageCallback lm, fmi3IntermediateUpdateCallback iu) { return malloc(8); }\n"
    "void fmi3FreeInstance(fmi3Instance c) { free(c); }\n"
    "fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean a, fmi3Float64 b,\n"
    "    fmi3Float64 d, fmi3Boolean e, fmi3Float64 f) { return fmi3OK; }\n"
    "fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return fmi3OK; }\n"
    "fmi3Status fmi3Terminate(fmi3Instance c) { return fmi3OK; }\n"
    "fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n,\n"
    "    fmi3Float64 value[], size_t nv) { value[0] = PART + other(); return fmi3OK; }\n"
    "fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean s,\n"
    "    fmi3Boolean *e, fmi3Boolean *q, fmi3Boolean *r, fmi3Float64 *l)\n"
    "{ *e = *q = *r = 0; *l = t + h; return fmi3OK; }\n";

#define SET(...)                                                                                   \
    "<?xml version='1.0' encoding='UTF-8'?>\n<fmiBuildDescription fmiVersion='3.0'>\n"             \
    "<BuildConfiguration modelIdentifier='src'>\n" __VA_ARGS__                                     \
    "</BuildConfiguration></fmiBuildDescription>\n"

static void write_fmi3(test_sandbox *box, const char *build)
{
    const test_entry entries[] = {
        {.name = "modelDescription.xml", .data = FMI3_DESCRIPTION},
        {.name = "sources/buildDescription.xml", .data = build},
        {.name = "sources/model.c", .data = fmi3_source},
        {.name = "sources/include/part.h",
         .data = "#ifdef __cplusplus\nextern \"C\"\n#endif\n"
                 "double other(void);\n"},
        {.name = "sources/more/other.cpp",
         .data = "#include <string>\n#include \"../include/part.h\"\n"
                 "double other(void) { return std::string(TEXT).size(); }\n"},
        {.name = "binaries/x86_64-windows/src.dll", .data = "MZ"},
    };
    write_fmu(box, entries, 6);
}

// Two sets with definitions and folders of their own, in C and C++.
static void sources_of_fmi_3_are_compiled_as_described(void **state)
{
    test_sandbox *box = *state;
    write_fmi3(box, SET("<SourceFileSet language='C99'><SourceFile name='model.c'/>"
                        "<PreprocessorDefinition name='PART' value='39'/>"
                        "<PreprocessorDefinition name='other' value='oops' optional='true'/>"
                        "<IncludeDirectory name='include'/></SourceFileSet>\n"
                        "<SourceFileSet language='C++11'><SourceFile name='more\\other.cpp'/>"
                        "<PreprocessorDefinition name='TEXT' value='&quot;a;$(b)&quot;'/>"
                        "</SourceFileSet><Library name='m' external='true'/>\n"));
    test_run(box, "run", "s.fmu", "--stop-time", "1", "--binary", "native", NULL);
    assert_one_error(box, 3, "it has sources: give --compile-sources");
    run_compiled(box);
    assert_exit(box, 0);
    assert_near(last_y(box), 39 + 6, 0);
}

static void configuration_is_chosen_by_model_and_platform(void **state)
{
    test_sandbox *box = *state;
#define GOOD(attributes, value)                                                                    \
    "<BuildConfiguration " attributes "><SourceFileSet><SourceFile name='model.c'/>"               \
    "<SourceFile name='more/other.cpp'/><PreprocessorDefinition name='PART' value='" value "'/>"   \
    "<PreprocessorDefinition name='TEXT' value='&quot;&quot;'/>"                                   \
    "<IncludeDirectory name='include'/></SourceFileSet></BuildConfiguration>\n"
    write_fmi3(box, "<fmiBuildDescription fmiVersion='3.0'>" GOOD("modelIdentifier='src'", "1")
                        GOOD("modelIdentifier='src' platform='x86_64-linux'", "2")
                            GOOD("modelIdentifier='src' platform='aarch64-linux'", "2")
                                GOOD("modelIdentifier='src' platform='x86_64-windows'", "3")
                                    GOOD("modelIdentifier='other'", "4") "</fmiBuildDescription>");
    run_compiled(box);
    assert_exit(box, 0);
    assert_near(last_y(box), 2, 0);
    write_fmi3(box, "<fmiBuildDescription fmiVersion='3.0'>" GOOD(
                        "modelIdentifier='src' platform='x86_64-windows'", "3")
                        GOOD("modelIdentifier='other'", "4") "</fmiBuildDescription>");
    run_compiled(box);
    assert_one_error(box, 3,
                     "sources/buildDescription.xml has no BuildConfiguration for 'src' on ");
}

static void hostile_build_descriptions_are_refused(void **state)
{
    test_sandbox *box = *state;
    static const struct {
        const char *build, *message;
    } cases[] = {
        {SET("<SourceFileSet><SourceFile name='../../../model.c'/></SourceFileSet>"),
         "sources/buildDescription.xml:4: the source file '../../../model.c' leads out of its "
         "folder"},
        {SET("<SourceFileSet><SourceFile name='/etc/passwd'/></SourceFileSet>"),
         "the source file '/etc/passwd' leads out of its folder"},
        {SET("<SourceFileSet><SourceFile name='more\\..\\..\\model.c'/></SourceFileSet>"),
         "the source file 'more\\..\\..\\model.c' leads out of its folder"},
        {SET("<SourceFileSet><SourceFile name='C:\\model.c'/></SourceFileSet>"),
         "the source file 'C:\\model.c' leads out of its folder"},
        {SET("<SourceFileSet><SourceFile name='model.c'/>\n<IncludeDirectory name='/usr/include'/>"
             "</SourceFileSet>"),
         "sources/buildDescription.xml:5: the include directory '/usr/include' leads out"},
        {SET("<SourceFileSet><SourceFile name='model.c'/><IncludeDirectory name='a/..'/>"
             "</SourceFileSet>"),
         "the include directory 'a/..' leads out of its folder"},
        {SET("<SourceFileSet><SourceFile name='model.c'/>"
             "<PreprocessorDefinition name='A -fplugin=x'/></SourceFileSet>"),
         "PreprocessorDefinition has a name that is no name in C"},
        {SET("<SourceFileSet><SourceFile name='model.c'/></SourceFileSet>"
             "<Library name='../../../x.a'/>"),
         "the library '../../../x.a' leads out of its folder"},
        {SET("<SourceFileSet><SourceFile name='model.c'/></SourceFileSet><Library name='x.a'/>"),
         "Library names a library that is not in the FMU"},
        {SET("<SourceFileSet><SourceFile name='absent.c'/></SourceFileSet>"),
         "the source file sources/absent.c is missing"},
        {SET("<SourceFileSet><SourceFile/></SourceFileSet>"), "SourceFile has no attribute name"},
        {SET("<SourceFileSet language='Fortran'><SourceFile name='model.c'/></SourceFileSet>"),
         "SourceFileSet is written in a language other than C and C++"},
        {SET(""), "there are no source files"},
        {"<fmiBuildDescription><oops>", "sources/buildDescription.xml:1: "},
        {"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
         "sources/buildDescription.xml:1: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_fmi3(box, cases[i].build);
        run_compiled(box);
        assert_one_error(box, 3, cases[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(sources_of_fmi_1_are_compiled),
        test_in_sandbox(file_that_includes_all_others_is_compiled_alone),
        test_in_sandbox(damaged_compiled_library_is_compiled_again),
        test_in_sandbox(another_compiler_compiles_again),
        test_in_sandbox(file_that_is_missing_is_named),
        test_in_sandbox(sources_of_fmi_3_are_compiled_as_described),
        test_in_sandbox(configuration_is_chosen_by_model_and_platform),
        test_in_sandbox(hostile_build_descriptions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
