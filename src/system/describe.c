// SPDX-License-Identifier: MIT
// What a system contains, in the form asked for; see describe.h.
#include "system/describe.h"

#include "system/open_inputs.h"

takt_status takt_system_describe_content(const takt_system *system, takt_format format, char **out,
                                         takt_error *err)
{
    if (format != TAKT_FORMAT_TEXT && format != TAKT_FORMAT_JSON)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "the content of a system can be described as text or JSON only");
    char *text =
        format == TAKT_FORMAT_TEXT ? takt_describe_as_text(system) : takt_describe_as_json(system);
    if (!text) return takt_fail_memory(err);
    *out = text;
    return TAKT_OK;
}

static char *describe_inputs_as_text(const takt_system *system)
{
    takt_text text = {0};
    takt_text_add(&text, "");
    takt_system_add_open_inputs(system, &text);
    return takt_text_take(&text);
}

takt_status takt_system_describe_inputs(const takt_system *system, takt_format format, char **out,
                                        takt_error *err)
{
    if (format != TAKT_FORMAT_TEXT && format != TAKT_FORMAT_JSON)
        return takt_fail(err, TAKT_ERR_USAGE, "inputs can be described as text or JSON only");
    char *text = format == TAKT_FORMAT_TEXT ? describe_inputs_as_text(system)
                                            : takt_describe_inputs_as_json(system);
    if (!text) return takt_fail_memory(err);
    *out = text;
    return TAKT_OK;
}
