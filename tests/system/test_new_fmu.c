// SPDX-License-Identifier: MIT
// `takt new-fmu`: the projects that it writes build and pass their tests; bad input writes nothing.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/command.h"
#include "support/results.h"

// Builds the project in the folder without warnings and runs its tests, with the kit that it names.
static void build_and_test(test_sandbox *box, const char *folder)
{
    char build[TEST_PATH_SIZE];
    snprintf(build, sizeof build, "%s/build", folder);
    test_run_program(box, "cmake", "-S", folder, "-B", build,
                     "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror", NULL);
    assert_exit(box, 0);
    test_run_program(box, "cmake", "--build", build, NULL);
    assert_exit(box, 0);
    test_run_program(box, "ctest", "--test-dir", build, "--output-on-failure", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "check_"); // the program was found
}

static void project_of_words_builds_for_all_versions(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "new-fmu", "Tank", "--input", "inflow:unit=m3/s", "--state",
             "volume:unit=m3:start=1", "--output", "level:unit=m", "--parameter", "A:start=2",
             "--output", "full:Boolean", "--local", "mode:items=off|on", "--input", "int:Integer",
             "--local", "*/ \"x\\y\" ?\?/", "--fmi", "1,1me,2,3", NULL);
    assert_exit(box, 0);
    build_and_test(box, "Tank");
    test_run(box, "run", "Tank/build/fmus/Tank.fmu", "--record", "*", "--stop-time", "1", "-o",
             "t.csv", NULL);
    assert_exit(box, 0);
    char *rows = test_read_file(box, "t.csv", NULL);
    assert_contains(rows, "Tank.volume");
    free(rows);
}

// The lines of docs/kit.md, with the equations of examples/fmus/Tank.c.
static void the_tutorial_leads_to_its_result(void **state)
{
    test_sandbox *box = *state;
    char *manual = test_read_path(TAKT_EXAMPLES "/../docs/kit.md", NULL);
    assert_non_null(manual);
    char *line = strstr(manual, "\n    takt new-fmu Tank "), shell[1024];
    assert_non_null(line);
    line += strlen("\n    takt ");
    snprintf(shell, sizeof shell, "exec \"$0\" %.*s", (int)strcspn(line, "\n"), line);
    test_run_program(box, "sh", "-c", shell, TAKT_PROGRAM, NULL);
    assert_exit(box, 0);
    test_run_program(box, "cp", TAKT_EXAMPLES "/fmus/Tank.c", "Tank/Tank.c", NULL);
    build_and_test(box, "Tank");
    test_run(box, "run", "Tank/build/fmus/Tank.fmu", "-q", "--set", "inflow=0.01", "--stop-time",
             "1h", "-o", "tank.csv", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "tank.csv");
    assert_near(test_result(&r, r.n_rows - 1, "Tank.level"), 25 / (2 * 9.81), 1e-5);
    test_results_clear(&r);
    free(manual);
}

static void project_of_a_table_has_all_types_of_fmi3(void **state)
{
    test_sandbox *box = *state;
    test_write_text(
        box, "types.csv",
        "name,causality,type,start,size\n"
        "f,input,Float32,1.5,\na,input,Int8,-128,\nb,input,UInt8,255,\n"
        "c,input,Int16,1,\nd,input,UInt16,1,\ne,input,UInt32,4294967295,\n"
        "g,input,Int64,-9223372036854775808,\nh,input,UInt64,18446744073709551615,\n"
        "s,output,String,,\nt,parameter,String,\"say \"\"hi\"\"\",\nk,input,Binary,00ff,\n"
        "A,parameter,Real,3,\"2,3\"\ny,output,Real,,4\nx,state,Real,1,2\n");
    test_run(box, "new-fmu", "Types", "--variables", "types.csv", NULL);
    assert_exit(box, 0);
    build_and_test(box, "Types");
}

static void project_like_an_fmu_builds(void **state)
{
    test_sandbox *box = *state;
    const char *const fmus[] = {"Arrays_fmi3", "ClockTimer_fmi3", "Ball_fmi1me", "Building"};
    for (size_t i = 0; i < sizeof fmus / sizeof *fmus; i++) {
        char path[TEST_PATH_SIZE], name[64];
        snprintf(path, sizeof path, "%s/%s.fmu", TEST_FMUS, fmus[i]);
        snprintf(name, sizeof name, "Like%s", fmus[i]);
        test_run(box, "new-fmu", name, "--like", path, NULL);
        assert_exit(box, 0);
        build_and_test(box, name);
        if (i == 2) assert_contains(box->out, "LikeBall_fmi1me_fmi1me");
    }
}

static void all_problems_are_told_and_nothing_is_written(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "new-fmu", "Bad", "--input", "u:Reel", "--output", "y:Integer:start=x",
             "--output", "y", "--output", "y", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "'Reel' is no type");
    assert_contains(box->err, "start 'x'");
    assert_contains(box->err, "two variables 'y'");
    assert_false(test_has_file(box, "Bad"));
    test_run(box, "new-fmu", "not a name", "--input", "u", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "try 'not_a_name'");
}

static void existing_file_is_never_replaced(void **state)
{
    test_sandbox *box = *state;
    char folder[TEST_PATH_SIZE + 8];
    snprintf(folder, sizeof folder, "%s/Mine", box->work);
    assert_int_equal(mkdir(folder, 0700), 0);
    test_write_text(box, "Mine/Mine.c", "precious");
    test_run(box, "new-fmu", "Mine", "--input", "u", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "exists and is not replaced");
    char *text = test_read_file(box, "Mine/Mine.c", NULL);
    assert_string_equal(text, "precious");
    free(text);
    assert_false(test_has_file(box, "Mine/CMakeLists.txt"));
}

static void folder_that_cannot_be_made_is_named(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "new-fmu", "Lost", "--input", "u", "-o", "/proc/nowhere/Lost", NULL);
    assert_int_not_equal(box->exit_code, 0);
    assert_contains(box->err, "/proc/nowhere");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(project_of_words_builds_for_all_versions),
        test_in_sandbox(the_tutorial_leads_to_its_result),
        test_in_sandbox(project_of_a_table_has_all_types_of_fmi3),
        test_in_sandbox(project_like_an_fmu_builds),
        test_in_sandbox(all_problems_are_told_and_nothing_is_written),
        test_in_sandbox(existing_file_is_never_replaced),
        test_in_sandbox(folder_that_cannot_be_made_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
