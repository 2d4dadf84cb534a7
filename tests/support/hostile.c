// SPDX-License-Identifier: MIT
// FMUs that misbehave; see hostile.h.
#include "support/hostile.h"

#include <stdio.h>

#include "support/archive.h"

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
    const test_entry entries[] = {{.name = "binaries/linux64/hostile.so", .file = library},
                                  {.name = "modelDescription.xml", .data = text}};
    test_archive(path, entries, 2);
}
