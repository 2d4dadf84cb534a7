// SPDX-License-Identifier: MIT
// Advice as text for people and as JSON for programs.
#include <stdlib.h>
#include <string.h>

#include "advise/advise.h"
#include "base/json.h"
#include "base/text.h"

static const char *const weights[TAKT_N_WEIGHTS] = {[TAKT_WEIGHT_PROBLEM] = "problem",
                                                    [TAKT_WEIGHT_WARNING] = "warning",
                                                    [TAKT_WEIGHT_NOTE] = "note"};

static const takt_model *model_of(const takt_advice *advice, int i)
{
    return advice->plan->system->components[i].model;
}

// How its connected real inputs may change within a step.
static const char *describe_inputs(const takt_advice *advice, int i)
{
    const takt_access *inputs = &advice->plan->instances[i].inputs;
    int n = inputs->n_values[TAKT_KIND_REAL], n_followed = 0;
    for (int k = 0; k < n; k++)
        n_followed += takt_model_interpolates(model_of(advice, i),
                                              takt_access_index(inputs, TAKT_KIND_REAL, k));
    return n == 0 ? "none" : n_followed == n ? "follows" : n_followed ? "some" : "holds";
}

static const char *describe_rewind(const takt_advice *advice, int i)
{
    const takt_instance_facts *facts = &advice->probe.instances[i];
    if (!takt_model_can_rewind(model_of(advice, i))) return "no";
    return facts->inexact > 0 ? "inexact" : facts->is_rewound ? "exact" : "yes";
}

static double time_per_step(const takt_advice *advice, int i)
{
    const takt_call_statistics *calls = &advice->trial.instances[i].do_step;
    return calls->count ? calls->time / (double)calls->count : 0;
}

// A word of a command line, in quotes where a shell would take it apart.
static void add_word(takt_text *out, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./+,:=@%";
    bool is_plain = *word && word[strspn(word, plain)] == 0;
    takt_text_add(out, is_plain ? "" : "'");
    for (; *word; word++)
        if (*word == '\'' && !is_plain)
            takt_text_add(out, "'\\''");
        else
            takt_text_add_n(out, word, 1);
    takt_text_add(out, is_plain ? "" : "'");
}

static bool is_recommended(const takt_advice *advice, const char *word)
{
    for (int i = 0; i < advice->n_recommendations; i++) {
        const char *option = advice->recommendations[i].option;
        size_t n = strlen(option);
        if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, option, n) == 0 && word[2 + n] == '=')
            return true;
    }
    return false;
}

// The user's own options stay, but for those that are replaced.
static void add_command(takt_text *out, const takt_advice *advice)
{
    takt_text_add(out, "takt run");
    for (int i = 0; i < advice->n_words; i++) {
        if (is_recommended(advice, advice->words[i])) continue;
        takt_text_add(out, " ");
        add_word(out, advice->words[i]);
    }
    for (int i = 0; i < advice->n_recommendations; i++)
        takt_text_print(out, " --%s %s", advice->recommendations[i].option,
                        advice->recommendations[i].value);
}

// ---- text ----------------------------------------------------------------------------------------------

// Words in lines of at most `WIDTH` characters.
static void add_paragraph(takt_text *out, const char *text, size_t indent)
{
    enum { WIDTH = 96 };
    size_t column = 0;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column && indent + column + 1 + length > WIDTH) {
            takt_text_print(out, "\n%*s", (int)indent, "");
            column = 0;
        }
        if (column) takt_text_add(out, " ");
        takt_text_add_n(out, text, length);
        column += length + (column ? 1 : 0);
        text += length;
        text += strspn(text, " ");
    }
    takt_text_add(out, "\n");
}

static void add_trials(takt_text *out, const takt_advice *advice)
{
    const takt_trial *trial = &advice->trial;
    const takt_trust *trust = &advice->trust;
    takt_text_print(out, "Advice for %s", advice->system->project->name);
    if (trial->n_steps == 0) {
        takt_text_add(out, "; the trial did not get to its first step\n");
        return;
    }
    takt_text_print(out,
                    ", from trials over t = %.6g s to %.6g s of %.6g s (%lld steps of "
                    "at most %.3g s)\n",
                    trial->t_begin, trial->t_end, trial->stop, (long long)trial->n_steps,
                    trial->h_largest);
    if (trust->is_known)
        takt_text_print(out, "Trust: %s changes results by %.2g of their size at most (%s)\n",
                        trust->is_controlled ? "error control with a tenth of the tolerance"
                                             : "half the step size",
                        trust->difference, trust->variable);
    else if (advice->reference.failure.status)
        takt_text_print(out, "Trust: not known; the more exact trial failed: %s\n",
                        advice->reference.failure.message);
}

static void add_findings(takt_text *out, const takt_advice *advice)
{
    takt_text_add(out, advice->n_findings ? "\nFindings, the most important first\n" : "");
    for (int i = 0; i < advice->n_findings; i++) {
        const takt_finding *finding = &advice->findings[i];
        takt_text_print(out, "  %d. %s: %s\n     ", i + 1, weights[finding->weight], finding->kind);
        add_paragraph(out, finding->text, 5);
    }
}

static void add_recommendations(takt_text *out, const takt_advice *advice)
{
    takt_text_add(out, "\nRecommended\n  ");
    add_command(out, advice);
    takt_text_add(out, "\n");
    for (int i = 0; i < advice->n_recommendations; i++)
        takt_text_print(out, "    --%s: %s\n", advice->recommendations[i].option,
                        advice->recommendations[i].reason);
    if (advice->n_recommendations) return;
    bool is_good = true;
    for (int i = 0; i < advice->n_findings; i++)
        is_good &= advice->findings[i].weight != TAKT_WEIGHT_PROBLEM;
    takt_text_add(out, is_good ? "    nothing to change: the settings fit\n"
                               : "    no setting helps against the problems above\n");
}

static void add_components(takt_text *out, const takt_advice *advice)
{
    takt_text_add(out, "\nComponents\n  rewind   steps  inputs   calls     s per call  name\n");
    for (int i = 0; i < advice->plan->system->n_components; i++)
        takt_text_print(out, "  %-8s %-6s %-8s %-9lld %-11.2g %s\n", describe_rewind(advice, i),
                        model_of(advice, i)->can.variable_step ? "any" : "equal",
                        describe_inputs(advice, i),
                        (long long)advice->trial.instances[i].do_step.count,
                        time_per_step(advice, i), advice->plan->system->components[i].name);
}

static void add_loops(takt_text *out, const takt_advice *advice)
{
    bool has_any = false;
    for (int b = 0; b < advice->plan->n_blocks; b++) {
        const takt_block *block = &advice->plan->blocks[b];
        const takt_loop_facts *facts = &advice->probe.loops[b];
        if (!block->is_loop) continue;
        takt_text_print(out, "%s  ",
                        has_any ? "" : "\nLoops: how much one sweep multiplies an error\n");
        has_any = true;
        for (int m = 0; m < block->n_members; m++)
            takt_text_print(out, "%s%s", m ? ", " : "",
                            advice->plan->system->components[block->members[m]].name);
        takt_text_add(out, block->is_algebraic ? " (algebraic):" : ":");
        if (!facts->is_measured) takt_text_add(out, " not measured");
        for (int k = 0; k < TAKT_PROBE_SIZES && facts->is_measured; k += 2) // enough to see
            takt_text_print(out, "%s %.2g with steps of %.2g s", k ? "," : "", facts->rho[k],
                            facts->h[k]);
        takt_text_add(out, "\n");
    }
}

char *takt_advice_text(const takt_advice *advice)
{
    takt_text out = {0};
    add_trials(&out, advice);
    add_findings(&out, advice);
    add_recommendations(&out, advice);
    add_components(&out, advice);
    add_loops(&out, advice);
    return takt_text_take(&out);
}

// ---- JSON ----------------------------------------------------------------------------------------------

// jansson passes a missing value on as a failure; `ok` collects them.
static void append(json_t *array, json_t *value, bool *ok)
{
    if (json_array_append_new(array, value)) *ok = false;
}

// JSON has no infinities.
static json_t *number(double value)
{
    json_t *json = json_real(value);
    return json ? json : json_null();
}

static json_t *findings_json(const takt_advice *advice, bool *ok)
{
    json_t *all = json_array();
    for (int i = 0; i < advice->n_findings; i++)
        append(all,
               json_pack("{s:s, s:s, s:s}", "weight", weights[advice->findings[i].weight], "kind",
                         advice->findings[i].kind, "text", advice->findings[i].text),
               ok);
    return all;
}

static json_t *recommendations_json(const takt_advice *advice, bool *ok)
{
    json_t *all = json_array();
    for (int i = 0; i < advice->n_recommendations; i++)
        append(all,
               json_pack("{s:s, s:s, s:s}", "option", advice->recommendations[i].option, "value",
                         advice->recommendations[i].value, "reason",
                         advice->recommendations[i].reason),
               ok);
    return all;
}

static json_t *components_json(const takt_advice *advice, bool *ok)
{
    json_t *all = json_array();
    for (int i = 0; i < advice->plan->system->n_components; i++) {
        const takt_instance_facts *facts = &advice->probe.instances[i];
        append(all,
               json_pack("{s:s, s:s, s:b, s:s, s:I, s:o, s:o, s:o, s:o}", "name",
                         advice->plan->system->components[i].name, "rewind",
                         describe_rewind(advice, i), "any_step_size",
                         (int)model_of(advice, i)->can.variable_step, "inputs",
                         describe_inputs(advice, i), "calls",
                         (json_int_t)advice->trial.instances[i].do_step.count, "time_per_call",
                         number(time_per_step(advice, i)), "inexact",
                         facts->is_rewound ? number(facts->inexact) : json_null(), "noise",
                         facts->has_noise ? number(facts->noise) : json_null(), "settling_time",
                         facts->settles ? number(facts->settling) : json_null()),
               ok);
    }
    return all;
}

static json_t *loop_json(const takt_advice *advice, int b, bool *ok)
{
    const takt_block *block = &advice->plan->blocks[b];
    const takt_loop_facts *facts = &advice->probe.loops[b];
    json_t *members = json_array(), *sizes = json_array(), *factors = json_array();
    for (int m = 0; m < block->n_members; m++)
        append(members,
               json_string_nocheck(advice->plan->system->components[block->members[m]].name), ok);
    for (int k = 0; k < TAKT_PROBE_SIZES && facts->is_measured; k++) {
        append(sizes, number(facts->h[k]), ok);
        append(factors, number(facts->rho[k]), ok);
    }
    return json_pack("{s:o, s:b, s:i, s:o, s:o}", "members", members, "algebraic",
                     (int)block->is_algebraic, "torn", block->n_torn, "step_sizes", sizes,
                     "contraction", factors);
}

static json_t *loops_json(const takt_advice *advice, bool *ok)
{
    json_t *all = json_array();
    for (int b = 0; b < advice->plan->n_blocks; b++)
        if (advice->plan->blocks[b].is_loop) append(all, loop_json(advice, b, ok), ok);
    return all;
}

static json_t *trial_json(const takt_advice *advice)
{
    const takt_trial *trial = &advice->trial;
    return json_pack("{s:o, s:o, s:I, s:I, s:o, s:o}", "start", number(trial->t_begin), "end",
                     number(trial->t_end), "steps", (json_int_t)trial->n_steps, "rejected",
                     (json_int_t)trial->n_rejected, "longest_step", number(trial->h_largest),
                     "wall", number(trial->wall));
}

static json_t *trust_json(const takt_advice *advice)
{
    const takt_trust *trust = &advice->trust;
    if (!trust->is_known) return json_null();
    return json_pack("{s:s, s:o, s:s, s:o}", "compared_with",
                     trust->is_controlled ? "error control" : "half the step size", "difference",
                     number(trust->difference), "variable", trust->variable, "time",
                     number(trust->time));
}

char *takt_advice_json(const takt_advice *advice)
{
    bool ok = true;
    takt_text command = {0};
    add_command(&command, advice);
    char *line = takt_text_take(&command);
    if (!line) return NULL;
    takt_json_begin();
    json_t *findings = findings_json(advice, &ok);
    json_t *recommendations = recommendations_json(advice, &ok);
    json_t *components = components_json(advice, &ok), *loops = loops_json(advice, &ok);
    json_t *all = json_pack(
        "{s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o}", "name", advice->system->project->name, "trial",
        trial_json(advice), "trust", trust_json(advice), "findings", findings, "command", line,
        "recommendations", recommendations, "components", components, "loops", loops);
    free(line);
    char *text = takt_json_end(all);
    if (ok) return text;
    free(text);
    return NULL;
}
