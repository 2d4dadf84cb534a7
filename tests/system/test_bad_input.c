// SPDX-License-Identifier: MIT
// Bad input: each gives one clear message that names the file, the documented exit code, no crash,
// and leaves nothing in the folder for temporary files (the sandbox checks that).
#include <sys/stat.h>
#include <zip.h>

#include "support/ssd.h"

// ---- making bad FMUs -------------------------------------------------------------------------------

typedef struct entry {
    const char *name, *data;
    size_t size; ///< 0: that of the text
    bool is_link;
} entry;

static void write_zip(test_sandbox *box, const char *name, const entry *entries, int n_entries)
{
    char path[2 * TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", box->work, name);
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
    assert_non_null(zip);
    for (int i = 0; i < n_entries; i++) {
        size_t size = entries[i].size ? entries[i].size : strlen(entries[i].data);
        zip_source_t *source = zip_source_buffer(zip, entries[i].data, size, 0);
        assert_non_null(source);
        zip_int64_t index = zip_file_add(zip, entries[i].name, source, ZIP_FL_ENC_UTF_8);
        assert_true(index >= 0);
        if (entries[i].is_link)
            zip_file_set_external_attributes(zip, (zip_uint64_t)index, 0, ZIP_OPSYS_UNIX,
                                             (S_IFLNK | 0777u) << 16);
    }
    assert_int_equal(zip_close(zip), 0);
}

#define DESCRIPTION(more)                                                                          \
    "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"M\" "            \
    "guid=\"{1}\">\n<CoSimulation modelIdentifier=\"M\"/>\n<ModelVariables>\n" more                \
    "</ModelVariables>\n<ModelStructure/>\n</fmiModelDescription>\n"

static void write_fmu(test_sandbox *box, const char *description)
{
    const entry entries[] = {{"modelDescription.xml", description, 0, false},
                             {"binaries/linux64/M.so", "no library", 0, false}};
    write_zip(box, "M.fmu", entries, 2);
}

// A real FMU of ours, cut off or otherwise changed.
static char *read_good_fmu(size_t *size)
{
    char *data = test_read_path(TEST_FMUS "/Gain.fmu", size);
    assert_non_null(data);
    return data;
}

// ---- FMUs ------------------------------------------------------------------------------------------

static void descriptions_in_a_folder_are_named(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "math003.ssd", "");
    test_run(box, "run", ".", NULL);
    assert_one_error(box, 3,
                     "takt: error: .: has no SystemStructure.ssd at its top, but "
                     "math003.ssd; --variant NAME chooses one of these");
}

static void missing_file_is_named(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", "nothing.fmu", NULL);
    assert_one_error(box, 3, "nothing.fmu");
    test_run(box, "run", "nothing.ssd", NULL);
    assert_one_error(box, 3, "nothing.ssd");
    test_run(box, "run", ".", NULL);
    assert_exit(box, 3);
}

static void unknown_kind_of_file_is_refused(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "readme.txt", "hello\n");
    test_run(box, "run", "readme.txt", NULL);
    assert_one_error(box, 3, "readme.txt");
}

static void problem_of_a_description_is_told_once(void **state)
{
    test_sandbox *box = *state;
    write_fmu(box, DESCRIPTION("<ScalarVariable name=\"x\" valueReference=\"-1\"><Real/>"
                               "</ScalarVariable>\n"));
    test_run(box, "run", "M.fmu", NULL);
    assert_one_error(box, 3, "M.fmu/modelDescription.xml:5: error: ");
    assert_contains(box->err, "takt: M.fmu: 1 problem\n");
    test_run(box, "check", "M.fmu", NULL);
    assert_one_error(box, 3, "M.fmu/modelDescription.xml:5: error: ");
    assert_string_equal(box->out, "M.fmu: 1 error\n");
}

static void malformed_project_is_told_with_its_line(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "a:1: b.ssd", "<a>\n<b>\n</a>\n");
    test_run(box, "run", "a:1: b.ssd", NULL);
    assert_exit(box, 3);
    test_write_text(box, "broken.ssd", "<a>\n<b>\n</a>\n");
    test_run(box, "run", "broken.ssd", NULL);
    assert_one_error(box, 3, "broken.ssd:3: error: ");
    assert_int_equal(strncmp(box->err, "broken.ssd:3: error: ", 21), 0);
}

static void fmu_that_cannot_be_unpacked_for_lack_of_space_is_no_wrong_input(void **state)
{
    test_sandbox *box = *state;
    test_sandbox_empty_cache(box);
    test_run_program(box, "sh", "-c", "ulimit -f 4; exec \"$0\" run \"" TEST_FMUS "/Gain.fmu\" -q",
                     TAKT_PROGRAM, NULL);
    assert_one_error(box, 1, "it cannot be unpacked to ");
    assert_contains(box->err, "takt: error: component 'Gain': ");
    assert_contains(box->err, "TAKT_CACHE_DIR");
}

static void missing_fmu_of_a_project_is_named_with_the_line(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "Tank", "./nothing.fmu", "");
    test_ssd_write(&ssd, box, "plant.ssd", 0, 1, "step-size=\"0.1\"");
    test_run(box, "run", "plant.ssd", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "plant.ssd:8: error: ");
    assert_contains(box->err, "nothing.fmu");
    assert_false(test_has_file(box, "plant.csv"));
}

static void truncated_fmu_is_refused(void **state)
{
    test_sandbox *box = *state;
    size_t size;
    char *data = read_good_fmu(&size);
    const size_t lengths[] = {0, 1, 100, size / 2, size - 1};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        test_write_file(box, "cut.fmu", data, lengths[i]);
        test_run(box, "run", "cut.fmu", NULL);
        assert_one_error(box, 3, "cut.fmu");
    }
    free(data);
}

static void file_that_is_no_archive_is_refused(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "text.fmu", "This is not an archive, although its name says so.\n");
    test_run(box, "run", "text.fmu", NULL);
    assert_one_error(box, 3, "text.fmu");
}

static void archive_without_description_is_refused(void **state)
{
    test_sandbox *box = *state;
    const entry entries[] = {{"readme.txt", "hello", 0, false}};
    write_zip(box, "M.fmu", entries, 1);
    test_run(box, "run", "M.fmu", NULL);
    assert_one_error(box, 3, "modelDescription.xml");
    assert_contains(box->err, "M.fmu");
}

static void fmu_for_another_platform_is_refused(void **state)
{
    test_sandbox *box = *state;
    const entry entries[] = {{"modelDescription.xml", DESCRIPTION(""), 0, false},
                             {"binaries/darwin64/M.dylib", "MZ", 0, false}};
    write_zip(box, "M.fmu", entries, 2);
    test_run(box, "run", "M.fmu", "--stop-time", "1", "--step-size", "0.1", NULL);
    assert_one_error(box, 3, "linux64");
    assert_contains(box->err, "M.fmu");
    assert_contains(box->err, "darwin64");
}

static void library_that_cannot_be_loaded_is_named(void **state)
{
    test_sandbox *box = *state;
    write_fmu(box, DESCRIPTION(""));
    test_run(box, "run", "M.fmu", "--stop-time", "1", "--step-size", "0.1", NULL);
    assert_one_error(box, 3, "M.so");
}

static void archive_that_escapes_its_folder_is_refused(void **state)
{
    test_sandbox *box = *state;
    const char *const names[] = {"../escaped.txt", "resources/../../escaped.txt", "/escaped.txt",
                                 "..\\escaped.txt", "C:\\escaped.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const entry entries[] = {{"modelDescription.xml", DESCRIPTION(""), 0, false},
                                 {names[i], "free", 0, false}};
        write_zip(box, "M.fmu", entries, 2);
        test_run(box, "run", "M.fmu", "--stop-time", "1", NULL);
        assert_one_error(box, 3, "M.fmu");
        assert_contains(box->err, "escaped.txt");
    }
    assert_false(test_has_file(box, "escaped.txt"));
    assert_false(test_has_file(box, "../escaped.txt"));
}

static void archive_with_a_link_is_refused(void **state)
{
    test_sandbox *box = *state;
    const entry entries[] = {{"modelDescription.xml", DESCRIPTION(""), 0, false},
                             {"resources/link", "/etc/passwd", 0, true}};
    write_zip(box, "M.fmu", entries, 2);
    test_run(box, "run", "M.fmu", "--stop-time", "1", NULL);
    assert_one_error(box, 3, "resources/link");
}

static void bomb_is_refused_before_it_fills_the_disk(void **state)
{
    test_sandbox *box = *state;
    enum { SIZE = 512 << 20 };
    char *zeros = calloc(1, SIZE);
    assert_non_null(zeros);
    const entry entries[] = {{"modelDescription.xml", DESCRIPTION(""), 0, false},
                             {"resources/bomb", zeros, SIZE, false}};
    write_zip(box, "M.fmu", entries, 2);
    free(zeros);
    test_run(box, "run", "M.fmu", "--stop-time", "1", NULL);
    assert_one_error(box, 3, "resources/bomb");
}

// ---- XML -------------------------------------------------------------------------------------------

static void malformed_description_is_named_with_the_line(void **state)
{
    test_sandbox *box = *state;
    write_fmu(box, DESCRIPTION("<ScalarVariable name=\"x\" <\n"));
    test_run(box, "run", "M.fmu", NULL);
    assert_one_error(box, 3, "modelDescription.xml:5");
    assert_contains(box->err, "M.fmu");
}

static void doctype_in_a_description_is_refused(void **state)
{
    test_sandbox *box = *state;
    write_fmu(box, "<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY e SYSTEM \"/etc/passwd\">]>\n"
                   "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"&e;\" guid=\"1\"/>\n");
    test_run(box, "run", "M.fmu", NULL);
    assert_one_error(box, 3, "DOCTYPE");
    assert_contains(box->err, "modelDescription.xml:2");
}

static void malformed_project_is_named_with_the_line(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "plant.ssd", "<?xml version=\"1.0\"?>\n<a>\n  <b>\n</a>\n");
    test_run(box, "run", "plant.ssd", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "plant.ssd:4");
}

static void doctype_in_a_project_is_refused(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "plant.ssd",
                    "<?xml version=\"1.0\"?>\n<!DOCTYPE a [\n<!ENTITY a \"aaaaaaaaaa\">\n"
                    "<!ENTITY b \"&a;&a;&a;&a;\">\n]>\n<a>&b;</a>\n");
    test_run(box, "run", "plant.ssd", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "plant.ssd:2");
    assert_contains(box->err, "DOCTYPE");
}

// ---- settings ----------------------------------------------------------------------------------------

static void impossible_step_sizes_are_refused(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    const char *const sizes[] = {"0", "-0.1", "nan", "inf", "ten", "0.1 K", "1e-400"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        test_run(box, "run", "math003.ssd", "--step-size", sizes[i], NULL);
        assert_one_error(box, 2, "step-size");
        assert_contains(box->err, sizes[i]);
    }
    assert_false(test_has_file(box, "math003.csv"));
}

static void impossible_step_size_in_a_project_is_named_with_the_line(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "Gain", "Gain", "in:u out:y");
    test_ssd_write(&ssd, box, "plant.ssd", 0, 1, "step-size=\"-1\"");
    test_run(box, "run", "plant.ssd", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "plant.ssd:");
    assert_contains(box->err, "error: ");
    assert_contains(box->err, "step-size");
    assert_contains(box->err, "-1");
}

static void stop_before_start_is_refused(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "--start-time", "5", "--stop-time", "4", NULL);
    assert_one_error(box, 2, "stop-time 4 s is not after start-time 5 s");
    assert_false(test_has_file(box, "math003.csv"));
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "Gain", "Gain", "in:u out:y");
    test_ssd_write(&ssd, box, "plant.ssd", 3, 2, NULL);
    test_run(box, "run", "plant.ssd", NULL);
    assert_one_error(box, 3, "plant.ssd");
    assert_contains(box->err, "stop-time 2 s is not after start-time 3 s");
}

static void values_for_unknown_variables_are_refused(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "--set", "Part9.x=1", NULL);
    assert_one_error(box, 2, "there is no component 'Part9'; did you mean 'Part1'?");
    test_run(box, "run", "math003.ssd", "--set", "Part2.x5=1", NULL);
    assert_one_error(box, 2, "x5");
    test_run(box, "run", "math003.ssd", "--set", "Part2", NULL);
    assert_one_error(box, 2, "Part2");
    test_run(box, "run", "math003.ssd", "--set", "Part2.x4=green", NULL);
    assert_one_error(box, 2, "green");
}

// ---- projects ----------------------------------------------------------------------------------------

static void write_project_with_many_problems(test_sandbox *box, const char *name)
{
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "Part1", "Math003Part1", "out:x1 out:x2");
    test_ssd_component(&ssd, "Part2", "Math003Part2", "in:x1 in:x2 in:x4 out:x3");
    test_ssd_component(&ssd, "Part2", "Math003Part3", "in:x3 out:x4");
    test_ssd_connect(&ssd, "Part1.x1", "Part2.x1");
    test_ssd_connect(&ssd, "Part1.x2", "Part2.x1");
    test_ssd_connect(&ssd, "Prat1.x2", "Part2.x2");
    test_ssd_connect(&ssd, "Part1.x9", "Part2.x4");
    test_ssd_write(&ssd, box, name, 0, 1, "step-size=\"0.1\" algorithm=\"jakobi\"");
}

static void all_problems_of_a_project_are_told_with_lines_and_suggestions(void **state)
{
    test_sandbox *box = *state;
    write_project_with_many_problems(box, "plant.ssd");
    test_run(box, "run", "plant.ssd", NULL);
    assert_exit(box, 3);
    assert_false(test_has_file(box, "plant.csv"));
    test_run(box, "check", "plant.ssd", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "Part2"); // used twice
    assert_contains(box->err, "Prat1");
    assert_contains(box->err, "did you mean 'Part1'");
    assert_contains(box->err, "x9");
    assert_contains(box->err, "algorithm: 'jakobi' is not possible; choose auto, jacobi");
    int n_errors = test_count(box->err, "plant.ssd:");
    assert_true(n_errors >= 4);
    char wanted[64];
    snprintf(wanted, sizeof wanted, "plant.ssd: %d errors\n", test_count(box->err, ": error: "));
    assert_string_equal(box->out, wanted);
}

static void wrong_settings_of_a_project_are_told_with_lines(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "Gain", "Gain", "in:u out:y");
    test_ssd_write(&ssd, box, "plant.ssd", 0, 1, "stepsize=\"0.1\" algorithm=\"jakobi\"");
    test_run(box, "check", "plant.ssd", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "'stepsize'; did you mean 'step-size'?");
    assert_contains(box->err, "algorithm: 'jakobi' is not possible; choose auto, jacobi");
    assert_int_equal(test_count(box->err, "plant.ssd:21: error: "), 2);
    assert_string_equal(box->out, "plant.ssd: 2 errors\n");
}

static void check_goes_through_all_files(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    write_project_with_many_problems(box, "plant.ssd");
    test_run(box, "check", "plant.ssd", "nothing.ssd", "math003.ssd", NULL);
    assert_exit(box, 3);
    assert_contains(box->out, "plant.ssd: ");
    assert_contains(box->out, "\nnothing.ssd: 1 error\n");
    assert_contains(box->out, "\nmath003.ssd: ok\n");
}

static void input_driven_twice_is_refused(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "Source", "Math003Part1", "out:x1 out:x2");
    test_ssd_component(&ssd, "Gain", "Gain", "in:u out:y");
    test_ssd_connect(&ssd, "Source.x1", "Gain.u");
    test_ssd_connect(&ssd, "Source.x2", "Gain.u");
    test_ssd_write(&ssd, box, "plant.ssd", 0, 1, "step-size=\"0.1\"");
    test_run(box, "check", "plant.ssd", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "plant.ssd:");
    assert_contains(box->err, "Gain");
    assert_string_equal(box->out, "plant.ssd: 1 error\n");
}

static void wrong_direction_is_refused(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "A", "Gain", "in:u out:y");
    test_ssd_component(&ssd, "B", "Gain", "in:u out:y");
    test_ssd_connect(&ssd, "A.y", "B.y");
    test_ssd_connect(&ssd, "A.u", "B.u");
    test_ssd_write(&ssd, box, "plant.ssd", 0, 1, "step-size=\"0.1\"");
    test_run(box, "check", "plant.ssd", NULL);
    assert_exit(box, 3);
    assert_string_equal(box->out, "plant.ssd: 2 errors\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(missing_file_is_named),
        test_in_sandbox(descriptions_in_a_folder_are_named),
        test_in_sandbox(unknown_kind_of_file_is_refused),
        test_in_sandbox(problem_of_a_description_is_told_once),
        test_in_sandbox(malformed_project_is_told_with_its_line),
        test_in_sandbox(fmu_that_cannot_be_unpacked_for_lack_of_space_is_no_wrong_input),
        test_in_sandbox(missing_fmu_of_a_project_is_named_with_the_line),
        test_in_sandbox(truncated_fmu_is_refused),
        test_in_sandbox(file_that_is_no_archive_is_refused),
        test_in_sandbox(archive_without_description_is_refused),
        test_in_sandbox(fmu_for_another_platform_is_refused),
        test_in_sandbox(library_that_cannot_be_loaded_is_named),
        test_in_sandbox(archive_that_escapes_its_folder_is_refused),
        test_in_sandbox(archive_with_a_link_is_refused),
        test_in_sandbox(bomb_is_refused_before_it_fills_the_disk),
        test_in_sandbox(malformed_description_is_named_with_the_line),
        test_in_sandbox(doctype_in_a_description_is_refused),
        test_in_sandbox(malformed_project_is_named_with_the_line),
        test_in_sandbox(doctype_in_a_project_is_refused),
        test_in_sandbox(impossible_step_sizes_are_refused),
        test_in_sandbox(impossible_step_size_in_a_project_is_named_with_the_line),
        test_in_sandbox(stop_before_start_is_refused),
        test_in_sandbox(values_for_unknown_variables_are_refused),
        test_in_sandbox(all_problems_of_a_project_are_told_with_lines_and_suggestions),
        test_in_sandbox(wrong_settings_of_a_project_are_told_with_lines),
        test_in_sandbox(check_goes_through_all_files),
        test_in_sandbox(input_driven_twice_is_refused),
        test_in_sandbox(wrong_direction_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
