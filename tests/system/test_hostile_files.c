// SPDX-License-Identifier: MIT
// Files that are not what they seem: devices, pipes and folders in their place, files of enormous size, and
// projects that grow without end by references. Each is refused at once, with its name and exit code 3.
#include <sys/stat.h>
#include <unistd.h>

#include "support/ssd.h"

static const char *const names[] = {"x.ssd", "x.ssp", "x.msim", "x.cfg", "OspSystemStructure.xml",
                                    "x.fmu", "x.csv", "x.tsv",  "x.mat"};
enum { N_NAMES = sizeof names / sizeof *names };

// Reads a file as what its name says.
static void read_it(test_sandbox *box, const char *name)
{
    const char *ending = strrchr(name, '.');
    bool is_table = strcmp(ending, ".csv") == 0 || strcmp(ending, ".mat") == 0;
    if (strcmp(ending, ".tsv") == 0)
        test_run(box, "run", TEST_FMUS "/Gain.fmu", "--input-file", name, "-q", NULL);
    else if (is_table)
        test_run(box, "compare", name, name, NULL);
    else
        test_run(box, "check", name, NULL);
}

static char *path_of(test_sandbox *box, const char *name, char out[2 * TEST_PATH_SIZE])
{
    snprintf(out, 2 * TEST_PATH_SIZE, "%s/%s", box->work, name);
    return out;
}

static void devices_are_refused(void **state)
{
    test_sandbox *box = *state;
    for (int i = 0; i < N_NAMES; i++) {
        test_link(box, names[i], "/dev/zero");
        read_it(box, names[i]);
        assert_one_error(box, 3, "is not a file");
        assert_contains(box->err, names[i]);
    }
}

static void pipes_are_refused_and_not_waited_for(void **state)
{
    test_sandbox *box = *state;
    char path[2 * TEST_PATH_SIZE];
    for (int i = 0; i < N_NAMES; i++) {
        assert_int_equal(mkfifo(path_of(box, names[i], path), 0600), 0);
        read_it(box, names[i]);
        assert_one_error(box, 3, "is not a file");
        assert_contains(box->err, names[i]);
    }
}

static void folders_are_refused(void **state)
{
    test_sandbox *box = *state;
    char path[2 * TEST_PATH_SIZE];
    for (int i = 0; i < N_NAMES; i++) {
        assert_int_equal(mkdir(path_of(box, names[i], path), 0700), 0);
        read_it(box, names[i]);
        assert_one_error(box, 3, names[i]);
    }
}

// To read them would take minutes, and more memory than there is.
static void huge_files_are_refused_before_they_are_read(void **state)
{
    test_sandbox *box = *state;
    char path[2 * TEST_PATH_SIZE];
    for (int i = 0; i < N_NAMES; i++) {
        test_write_text(box, names[i], "");
        assert_int_equal(truncate(path_of(box, names[i], path), (off_t)1 << 36), 0);
        read_it(box, names[i]);
        assert_one_error(box, 3, names[i]);
    }
}

#define SSD_HEAD                                                                                   \
    "<s:SystemStructureDescription version='1.0' name='x' "                                        \
    "xmlns:s='http://ssp-standard.org/SSP1/SystemStructureDescription'><s:System name='s'>\n"
#define SSD_TAIL "</s:System></s:SystemStructureDescription>\n"

static void file_that_contains_itself_by_another_name_is_told(void **state)
{
    test_sandbox *box = *state;
    char path[2 * TEST_PATH_SIZE];
    assert_int_equal(mkdir(path_of(box, "sub", path), 0700), 0);
    test_write_text(box, "a.ssd",
                    SSD_HEAD "<s:Elements><s:Component name='A' source='sub/../a.ssd'/>"
                             "<s:Component name='B' source='link.ssd'/></s:Elements>" SSD_TAIL);
    test_link(box, "link.ssd", "a.ssd");
    test_run(box, "check", "a.ssd", NULL);
    assert_exit(box, 3);
    assert_string_equal(
        box->err, "a.ssd:2: error: the source 'sub/../a.ssd' refers to a system that contains it\n"
                  "a.ssd:2: error: the source 'link.ssd' refers to a system that contains it\n");
}

// Writes a project, clears the text and looks at the project.
static void check_text(test_sandbox *box, takt_text *text)
{
    assert_false(text->failed);
    test_write_text(box, "x.ssd", text->data);
    takt_text_clear(text);
    test_run(box, "check", "x.ssd", NULL);
}

// A system with many connectors, components and values is small, and so is a list of references to it.
static void what_references_multiply_is_limited(void **state)
{
    test_sandbox *box = *state;
    takt_text text = {0};
    takt_text_add(&text, SSD_HEAD "<s:Elements><s:System name='S' id='s'><s:Elements>\n");
    for (int i = 0; i < 500; i++)
        takt_text_print(&text, "<s:Component name='C%d' source='a.fmu'/>\n", i);
    takt_text_add(&text, "</s:Elements></s:System>");
    takt_text_print(&text, "<s:Component name='%0*d' source='#s'/>", 1000 * 1000, 0);
    takt_text_add(&text, "</s:Elements>" SSD_TAIL);
    check_text(box, &text);
    assert_one_error(box, 3,
                     "error: the project takes more than 512 MB of memory, counting what is "
                     "referred to more than once");
}

static void functions_without_measure_are_refused(void **state)
{
    test_sandbox *box = *state;
    takt_text text = {0};
    takt_text_add(&text, SSD_HEAD "<s:Elements>\n");
    for (int i = 0; i < 30; i++)
        takt_text_print(&text, "<s:Component name='F%d' source='builtin:sum?inputs=%d'/>\n", i,
                        100000 - i);
    takt_text_add(&text, "</s:Elements>" SSD_TAIL);
    check_text(box, &text);
    assert_one_error(box, 3,
                     "x.ssd:13: error: the built-in functions up to component 'F10' have more than "
                     "1000000 inputs together");
}

// Thirty connectors in a row, each connected twice with the next one: a thousand million ways.
static void ways_that_multiply_are_limited(void **state)
{
    test_sandbox *box = *state;
    takt_text text = {0};
    enum { N = 30 };
    takt_text_add(&text, SSD_HEAD "<s:Elements><s:Component name='A' source='a.fmu'/>\n"
                                  "<s:Component name='B' source='a.fmu'/>\n");
    for (int i = 0; i < N; i++)
        takt_text_print(&text,
                        "<s:System name='S%d'><s:Connectors><s:Connector name='i' kind='input'/>"
                        "<s:Connector name='o' kind='output'/></s:Connectors><s:Connections>"
                        "<s:Connection startConnector='i' endConnector='o'/></s:Connections>"
                        "</s:System>\n",
                        i);
    takt_text_add(&text, "</s:Elements><s:Connections>\n"
                         "<s:Connection startElement='A' startConnector='y' endElement='S0' "
                         "endConnector='i'/>\n");
    for (int i = 0; i < 2 * N - 2; i++)
        takt_text_print(&text,
                        "<s:Connection startElement='S%d' startConnector='o' endElement='S%d' "
                        "endConnector='i'/>\n",
                        i / 2, i / 2 + 1);
    takt_text_print(&text,
                    "<s:Connection startElement='S%d' startConnector='o' endElement='B' "
                    "endConnector='u'/>\n</s:Connections>" SSD_TAIL,
                    N - 1);
    check_text(box, &text);
    assert_exit(box, 3);
    assert_int_equal(test_count(box->err, "error: there are too many routes through '"), 1);
    assert_int_equal(test_count(box->err, "is driven more than once"), N - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(devices_are_refused),
        test_in_sandbox(pipes_are_refused_and_not_waited_for),
        test_in_sandbox(folders_are_refused),
        test_in_sandbox(huge_files_are_refused_before_they_are_read),
        test_in_sandbox(file_that_contains_itself_by_another_name_is_told),
        test_in_sandbox(what_references_multiply_is_limited),
        test_in_sandbox(functions_without_measure_are_refused),
        test_in_sandbox(ways_that_multiply_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
