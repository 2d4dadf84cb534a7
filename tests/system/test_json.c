// SPDX-License-Identifier: MIT
// What commands print for programs: valid JSON for every FMU and example of this build and for hostile names, and
// nothing is missing that the text shows.
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "support/ssd.h"

static json_t *read_output(const test_sandbox *box, const char *what)
{
    json_error_t error;
    json_t *all = json_loads(box->out, JSON_REJECT_DUPLICATES, &error);
    if (!all) fail_msg("%s: line %d: %s\n%s", what, error.line, error.text, box->out);
    return all;
}

// Words of the text that belong to its form.
static bool is_label(const char *word)
{
    static const char *const labels[] = {
        "System",  "Component", "components", "connections", "recorded",  "variables",
        "model",   "about",     "tool",       "platforms",   "can",       "default",
        "units",   "types",     "depend",     "outputs",     "of",        "on",
        "Inputs",  "that",      "are",        "not",         "connected", "and",
        "keep",    "their",     "values",     "Settings",    "given",     "what",
        "the",     "FMU",       "begins",     "with",        "only",      "terminals",
        "nothing", "more",      "every",      "Connections"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (strcmp(labels[i], word) == 0) return true;
    return false;
}

// Every word of the text that is no number must be in the JSON somewhere.
static void assert_has_words(const char *json, const char *text, const char *what)
{
    char word[256];
    while (*text) {
        size_t n = 0;
        while (isalnum((unsigned char)text[n]) || text[n] == '_') n++;
        if (n > 1 && n < sizeof word && isalpha((unsigned char)*text)) {
            memcpy(word, text, n);
            word[n] = 0;
            if (!is_label(word) && !strstr(json, word))
                fail_msg("%s: '%s' is missing in the JSON", what, word);
        }
        text += n ? n : 1;
    }
}

static void assert_info_is_complete(test_sandbox *box, const char *path)
{
    test_run(box, "info", path, NULL);
    assert_exit(box, 0);
    char *text = strdup(box->out);
    assert_non_null(text);
    test_run(box, "info", path, "--json", NULL);
    assert_exit(box, 0);
    json_t *all = read_output(box, path);
    assert_has_words(box->out, text, path);
    json_decref(all);
    free(text);
}

static void assert_lists_are_valid(test_sandbox *box, const char *path)
{
    static const char *const keys[] = {"severity", "file",       "line", "component",
                                       "message",  "suggestion", "doubt"};
    test_run(box, "check", path, "--json", NULL);
    assert_string_equal(box->err, "");
    json_t *all = read_output(box, path), *one;
    size_t i;
    json_array_foreach(all, i, one) for (size_t k = 0; k < sizeof keys / sizeof *keys;
                                         k++) if (!json_object_get(one, keys[k]))
        fail_msg("%s: no %s", path, keys[k]);
    json_decref(all);
    test_run(box, "graph", path, "--format", "json", NULL);
    if (box->exit_code == 0) json_decref(read_output(box, path));
}

static void output_for_programs_is_valid_for_every_fmu(void **state)
{
    test_sandbox *box = *state;
    DIR *folder = opendir(TEST_FMUS);
    assert_non_null(folder);
    int n = 0;
    for (struct dirent *at; (at = readdir(folder));) {
        size_t length = strlen(at->d_name);
        if (length < 4 || strcmp(at->d_name + length - 4, ".fmu") != 0) continue;
        char path[2 * TEST_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", TEST_FMUS, at->d_name);
        assert_info_is_complete(box, path);
        assert_lists_are_valid(box, path);
        n++;
    }
    closedir(folder);
    assert_true(n > 20);
}

static void output_for_programs_is_valid_for_projects(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_ssd_example(box, "lotka_volterra");
    assert_info_is_complete(box, "math003.ssd");
    assert_lists_are_valid(box, "math003.ssd");
    assert_info_is_complete(box, "lotka_volterra.ssd");
    assert_lists_are_valid(box, "lotka_volterra.ssd");
}

// Quotes, line ends, the signs that separate parts of messages: in names of components, columns and values.
#define ODD "it's; a \"b\" \\\n\xC3\xA9"
static const char odd_project[] =
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    "<ssd:SystemStructureDescription version='1.0' name='&quot;\\&#10;'"
    " xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription'>\n"
    "<ssd:System name='S'><ssd:Elements>\n"
    "<ssd:Component name=\"it's; a &quot;b&quot; \\&#10;&#233;\" source='fmus/Gain.fmu'/>\n"
    "<ssd:Component name='t' type='text/csv' source='t.csv'/>\n"
    "</ssd:Elements></ssd:System></ssd:SystemStructureDescription>\n";

static void write_odd_project(test_sandbox *box)
{
    test_link(box, "fmus", TEST_FMUS);
    test_write_text(box, "odd.ssd", odd_project);
    test_write_text(box, "t.csv", "time,\"c; 'd' \"\"e\"\"\\\"\n0,1\n1,2\n");
}

static void hostile_names_come_back_as_they_are(void **state)
{
    test_sandbox *box = *state;
    write_odd_project(box);
    assert_info_is_complete(box, "odd.ssd");
    json_t *all = read_output(box, "info");
    const json_t *component = json_array_get(json_object_get(all, "components"), 0);
    assert_string_equal(json_string_value(json_object_get(component, "name")), ODD);
    json_decref(all);
    assert_lists_are_valid(box, "odd.ssd");

    test_run(box, "run", "odd.ssd", "--quiet", "--record", "*", "--stop-time", "1", "--step-size",
             "0.5", "-o", "r.csv", "--stats", "s.json", "--trace", "trace.json", NULL);
    assert_exit(box, 0);
    const char *const files[] = {"r.csv.json", "s.json", "trace.json"};
    for (int i = 0; i < 3; i++) {
        char *text = test_read_file(box, files[i], NULL);
        json_t *one = json_loads(text, 0, NULL);
        if (!one) fail_msg("%s: %s", files[i], text);
        json_decref(one);
        free(text);
    }
}

static void parts_of_messages_survive_hostile_names(void **state)
{
    test_sandbox *box = *state;
    write_odd_project(box);
    test_run(box, "check", "odd.ssd", "--json", "--set", ODD ".kk=1", NULL);
    assert_exit(box, 2);
    json_t *all = read_output(box, "check");
    assert_int_equal(json_array_size(all), 1);
    const json_t *one = json_array_get(all, 0);
    assert_string_equal(json_string_value(json_object_get(one, "component")), ODD);
    assert_contains(json_string_value(json_object_get(one, "message")), "'kk'");
    json_decref(all);
}

// Only these make `check` say "results may be wrong".
static void doubts_are_told_from_other_warnings(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "A", "Gain", "in:u out:y");
    test_ssd_component(&ssd, "B", "Gain_fmi1", "in:u out:y parameter:k");
    test_ssd_connect(&ssd, "A.y", "B.u");
    test_ssd_connect(&ssd, "B.y", "A.u");
    test_ssd_write(&ssd, box, "loop.ssd", 0, 1, "step-size=\"0.1\"");
    test_run(box, "check", "loop.ssd", "--json", "--set", "B.k=-2", "--record", "A.*", NULL);
    assert_exit(box, 0);
    json_t *all = read_output(box, "check"), *one;
    size_t i;
    int n_doubts = 0;
    json_array_foreach(all, i, one) n_doubts += json_is_true(json_object_get(one, "doubt"));
    assert_int_equal(n_doubts, 1);
    json_decref(all);
    test_run(box, "check", "loop.ssd", "--set", "B.k=-2", NULL);
    assert_contains(box->out, "results may be wrong");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(output_for_programs_is_valid_for_every_fmu),
        test_in_sandbox(output_for_programs_is_valid_for_projects),
        test_in_sandbox(hostile_names_come_back_as_they_are),
        test_in_sandbox(parts_of_messages_survive_hostile_names),
        test_in_sandbox(doubts_are_told_from_other_warnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
