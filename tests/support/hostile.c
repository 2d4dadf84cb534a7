// SPDX-License-Identifier: MIT
// FMUs that misbehave; see hostile.h.
#include "support/hostile.h"

#include <stdio.h>
#include <string.h>

#include "support/archive.h"
#include "support/results.h"
#include "support/statistics.h"

void test_hostile_fmu(test_sandbox *box, const char *library, const char *name, const char *guid)
{
    char path[2 * TEST_PATH_SIZE], text[2000];
    snprintf(path, sizeof path, "%s/%s", box->work, name);
    snprintf(text, sizeof text,
             "<?xml version='1.0' encoding='UTF-8'?>\n"
             "<fmiModelDescription fmiVersion='2.0' modelName='Hostile' guid='%s'>\n"
             "<CoSimulation modelIdentifier='hostile' "
             "canHandleVariableCommunicationStepSize='true'/>\n<ModelVariables>\n"
             "<ScalarVariable name='u' valueReference='0' causality='input'><Real start='0'/>"
             "</ScalarVariable>\n"
             "<ScalarVariable name='y' valueReference='1' causality='output'><Real/>"
             "</ScalarVariable>\n</ModelVariables>\n"
             "<ModelStructure><Outputs><Unknown index='2' dependencies='1'/></Outputs>"
             "</ModelStructure></fmiModelDescription>\n",
             guid);
    bool is_dll = strcmp(library + strlen(library) - 4, ".dll") == 0;
    bool is_32 = strstr(library, "hostile_32.so");
    const test_entry entries[] = {{.name = is_dll  ? "binaries/win64/hostile.dll"
                                           : is_32 ? "binaries/linux32/hostile.so"
                                                   : "binaries/linux64/hostile.so",
                                   .file = library},
                                  {.name = "modelDescription.xml", .data = text}};
    test_archive(path, entries, 2);
}

void test_hostile_rows(test_sandbox *box, int n_rows, const char *status)
{
    test_results r;
    test_results_read(&r, box, "r.csv");
    assert_int_equal(r.n_rows, n_rows);
    for (int i = 0; i < n_rows && i < r.n_rows; i++)
        assert_near(test_result_time(&r, i), 0.1 * i, 1e-12);
    test_results_clear(&r);
    json_t *s = test_statistics_read(box, "stats.json");
    assert_string_equal(test_word(s, "status"), status);
    json_decref(s);
}
