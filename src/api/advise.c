// SPDX-License-Identifier: MIT
// The public function for advice, which adds what only the layer of FMUs knows.
#include "takt/advise.h"

#include "advise/advise.h"
#include "base/sized.h"
#include "fmu/open.h"

void takt_advise_options_init(takt_advise_options *options)
{
    const takt_advise_options defaults = {
        .size = sizeof(takt_advise_options), .max_steps = 500, .max_time = 30};
    takt_sized_fill(options, &defaults, sizeof defaults, NULL);
}

takt_status takt_advise(const takt_system *system, const takt_advise_options *given,
                        takt_format format, char **out, takt_error *err)
{
    if (format == TAKT_FORMAT_DOT || format == TAKT_FORMAT_SVG)
        return takt_fail(err, TAKT_ERR_USAGE, "advice is given as text or as JSON");
    if (!system || !out) return takt_fail_missing(err, __func__, "system and out");
    takt_advise_options complete = takt_advise_options_default();
    takt_status st = takt_sized_take(&complete, given, sizeof complete, err);
    if (st) return st;
    const takt_advise_options *options = &complete;
    if (options->max_steps < 1)
        return takt_fail(err, TAKT_ERR_USAGE, "advice needs trials of at least one step");
    const char *const name[] = {system->project->name};
    takt_advice advice = {.system = system,
                          .words = options->words ? options->words : name,
                          .n_words = options->words ? options->n_words : 1,
                          .offers_me = takt_fmu_offers_me};
    st = takt_advice_make(&advice, options, err);
    char *text = st                           ? NULL
                 : format == TAKT_FORMAT_JSON ? takt_advice_json(&advice)
                                              : takt_advice_text(&advice);
    takt_advice_clear(&advice);
    if (st) return st;
    if (!text) return takt_fail_memory(err);
    *out = text;
    return TAKT_OK;
}
