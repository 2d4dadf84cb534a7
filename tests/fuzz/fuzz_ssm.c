// SPDX-License-Identifier: MIT
// Fuzzes the reader of parameter mappings, which are applied to fixed values, and the checks of the system with what it
// accepts. Nothing may crash, leak or hang, and a failure has a message.
#include "small_model.h"

static const char values[] =
    "<ssv:ParameterSet version='1.0' name='v' "
    "xmlns:ssv='http://ssp-standard.org/SSP1/SystemStructureParameterValues'><ssv:Parameters>"
    "<ssv:Parameter name='k'><ssv:Real value='1' unit='m'/></ssv:Parameter>"
    "<ssv:Parameter name='n'><ssv:Integer value='3'/></ssv:Parameter>"
    "<ssv:Parameter name='e'><ssv:Enumeration value='on'/></ssv:Parameter>"
    "<ssv:Parameter name='t'><ssv:Boolean value='true'/></ssv:Parameter>"
    "</ssv:Parameters></ssv:ParameterSet>";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    takt_project *project = NULL;
    takt_error err = {0};
    if (takt_project_create("fuzz.ssd", NULL, &project, &err)) abort();
    static const char *const names[] = {"A", "Sub.A"};
    for (int i = 0; i < 2; i++)
        if (!takt_project_add_component(
                project, &(takt_project_component){.name = names[i], .source = "small.fmu"}))
            abort();
    takt_project_alias alias = {.name = "Sub.k", .component = "Sub.A", .variable = "k"};
    if (!takt_project_add_alias(project, &alias)) abort();
    takt_status st = takt_project_parse_ssv(project, values, sizeof values - 1, data, size, &err);
    fuzz_make_system(project, st, &err);
    return 0;
}
