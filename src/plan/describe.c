// SPDX-License-Identifier: MIT
// Calling sequence, loops, feedthrough and order of initialization, for people (text), for drawing
// (Graphviz) and for programs (JSON).
#include <stdlib.h>

#include "base/text.h"
#include "base/json.h"
#include "plan/picture.h"
#include "system/describe.h"
#include "system/open_inputs.h"

static const takt_model *model_of(const takt_plan *plan, int component)
{
    return plan->system->components[component].model;
}

static const char *component_name(const takt_plan *plan, int component)
{
    return plan->system->components[component].name;
}

// The names of its variables begin with those of its members.
static bool is_group(const takt_plan *plan, int component)
{
    return plan->system->components[component].is_group;
}

static const char *variable_name(const takt_plan *plan, int component, int variable)
{
    return model_of(plan, component)->variables[variable].name;
}

static bool is_input(const takt_plan *plan, int component, int variable)
{
    return model_of(plan, component)->variables[variable].causality == TAKT_INPUT;
}

const char *takt_plan_algorithm(const takt_plan *plan, const takt_block *block)
{
    return takt_algorithm_name(takt_plan_predicts(plan) ? TAKT_ALGORITHM_AUTO : block->algorithm);
}

// ---- text --------------------------------------------------------------------------------------

static void add_blocks(takt_text *out, const takt_plan *plan)
{
    takt_text_print(out, "Calling sequence of %s (components %d, blocks %d, levels %d)\n",
                    plan->system->project->name, plan->system->n_components, plan->n_blocks,
                    plan->n_levels);
    for (int i = 0; i < plan->n_blocks; i++) {
        const takt_block *block = &plan->blocks[i];
        takt_text_print(out, "  %d. level %d, %s: ", i + 1, block->level,
                        takt_plan_algorithm(plan, block));
        for (int k = 0; k < block->n_members; k++)
            takt_text_print(out, "%s%s%s", k ? ", " : "", component_name(plan, block->members[k]),
                            is_group(plan, block->members[k]) ? " (integrated together)" : "");
        if (block->is_loop)
            takt_text_add(out, block->is_algebraic ? "  (loop, algebraic)" : "  (loop)");
        takt_text_add(out, "\n");
    }
}

const char *takt_plan_torn(const takt_plan *plan, const takt_block *block, int value,
                           takt_arena *arena)
{
    for (int i = 0; i < block->n_members; i++) {
        const takt_plan_instance *instance = &plan->instances[block->members[i]];
        int k = value - instance->first_output[TAKT_KIND_REAL];
        if (k < 0 || k >= instance->outputs.n_values[TAKT_KIND_REAL]) continue;
        return takt_system_name(plan->system, block->members[i],
                                takt_access_index(&instance->outputs, TAKT_KIND_REAL, k), arena);
    }
    return NULL;
}

static void add_torn(takt_text *out, const takt_plan *plan, takt_arena *scratch)
{
    bool has_any = false;
    for (int i = 0; i < plan->n_blocks; i++) {
        const takt_block *block = &plan->blocks[i];
        for (int k = 0; k < block->n_torn; k++) {
            const char *name = takt_plan_torn(plan, block, block->torn[k], scratch);
            if (k == 0)
                takt_text_print(out, "%s  %d. ",
                                has_any ? "" : "\nTorn: read in a step before it is delivered\n",
                                i + 1);
            if (!name) out->failed = true;
            takt_text_print(out, "%s%s", k ? ", " : "", name ? name : "");
            has_any = true;
        }
        if (block->n_torn) takt_text_add(out, "\n");
    }
}

static void add_feedthrough(takt_text *out, const takt_plan *plan)
{
    bool has_any = false;
    for (int c = 0; c < plan->system->n_components; c++) {
        for (int i = 0; i < plan->dependencies[c].n_outputs; i++) {
            const takt_dependency *d = &plan->dependencies[c].outputs[i];
            int n = 0;
            for (int k = 0; k < d->n_known; k++) n += is_input(plan, c, d->known[k]);
            if (d->is_known && n == 0) continue;
            takt_text_print(out, "%s  %s%s%s <- ", has_any ? "" : "\nFeedthrough\n",
                            is_group(plan, c) ? "" : component_name(plan, c),
                            is_group(plan, c) ? "" : ".", variable_name(plan, c, d->variable));
            has_any = true;
            if (!d->is_known) takt_text_add(out, "all inputs, as the FMU does not say");
            for (int k = 0, n_written = 0; k < d->n_known; k++)
                if (is_input(plan, c, d->known[k]))
                    takt_text_print(out, "%s%s", n_written++ ? ", " : "",
                                    variable_name(plan, c, d->known[k]));
            takt_text_add(out, "\n");
        }
    }
}

static void add_action(takt_text *out, const takt_plan *plan, const takt_init_action *action)
{
    takt_text_print(out, "%s %s:", action->is_set ? "set" : "get",
                    component_name(plan, action->instance));
    for (int g = 0, n = 0; g < action->access.n_batches; g++)
        for (int i = 0; i < action->access.batches[g].n_values; i++)
            takt_text_print(
                out, "%s %s", n++ ? "," : "",
                variable_name(plan, action->instance, action->access.batches[g].variables[i]));
    takt_text_add(out, "\n");
}

static void add_initialization(takt_text *out, const takt_plan *plan)
{
    if (plan->n_init_stages) takt_text_add(out, "\nInitialization\n");
    for (int i = 0; i < plan->n_init_stages; i++) {
        const takt_init_stage *stage = &plan->init_stages[i];
        if (stage->is_loop) takt_text_add(out, "  repeat until nothing changes\n");
        for (int k = 0; k < stage->n_actions; k++) {
            takt_text_add(out, stage->is_loop ? "    " : "  ");
            add_action(out, plan, &stage->actions[k]);
        }
    }
}

static char *describe_text(const takt_plan *plan)
{
    takt_text out = {0};
    takt_arena scratch = {0};
    add_blocks(&out, plan);
    add_torn(&out, plan, &scratch);
    takt_arena_clear(&scratch);
    add_feedthrough(&out, plan);
    add_initialization(&out, plan);
    takt_system_add_open_inputs(plan->system, &out);
    return takt_text_take(&out);
}

// ---- Graphviz ----------------------------------------------------------------------------------

static void add_quoted(takt_text *out, const char *text)
{
    takt_text_add(out, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') takt_text_add(out, "\\");
        takt_text_add_n(out, text, 1);
    }
    takt_text_add(out, "\"");
}

static char *describe_dot(const takt_plan *plan)
{
    takt_text out = {0};
    takt_text_add(&out, "digraph ");
    add_quoted(&out, plan->system->project->name);
    takt_text_add(&out, " {\n  rankdir=LR;\n  node [shape=box];\n");
    for (int i = 0; i < plan->n_blocks; i++) {
        const takt_block *block = &plan->blocks[i];
        if (block->is_loop)
            takt_text_print(&out, "  subgraph cluster_%d {\n  label=\"%d: %s%s\";\n", i + 1, i + 1,
                            takt_plan_algorithm(plan, block),
                            block->is_algebraic ? ", algebraic" : "");
        for (int k = 0; k < block->n_members; k++) {
            takt_text_print(&out, "  c%d [label=", block->members[k]);
            add_quoted(&out, component_name(plan, block->members[k]));
            takt_text_add(&out, "];\n");
        }
        if (block->is_loop) takt_text_add(&out, "  }\n");
    }
    for (int i = 0; i < plan->system->n_connections; i++) {
        const takt_connection *c = &plan->system->connections[i];
        takt_text_print(&out, "  c%d -> c%d [taillabel=", c->from, c->to);
        add_quoted(&out, variable_name(plan, c->from, c->from_variable));
        takt_text_add(&out, ", headlabel=");
        add_quoted(&out, variable_name(plan, c->to, c->to_variable));
        takt_text_add(&out, "];\n");
    }
    takt_text_add(&out, "}\n");
    return takt_text_take(&out);
}

// ---- JSON --------------------------------------------------------------------------------------

// jansson passes a missing value on as a failure; `ok` collects them.
static void append(json_t *array, json_t *value, bool *ok)
{
    if (json_array_append_new(array, value)) *ok = false;
}

static json_t *torn_json(const takt_plan *plan, const takt_block *block, takt_arena *scratch,
                         bool *ok)
{
    json_t *all = json_array();
    for (int k = 0; k < block->n_torn; k++) {
        const char *name = takt_plan_torn(plan, block, block->torn[k], scratch);
        append(all, name ? json_string_nocheck(name) : NULL, ok);
    }
    return all;
}

static json_t *blocks_json(const takt_plan *plan, takt_arena *scratch, bool *ok)
{
    json_t *all = json_array();
    for (int i = 0; i < plan->n_blocks; i++) {
        const takt_block *block = &plan->blocks[i];
        json_t *members = json_array();
        for (int k = 0; k < block->n_members; k++)
            append(members, json_string_nocheck(component_name(plan, block->members[k])), ok);
        append(all,
               json_pack("{s:o, s:i, s:b, s:b, s:s, s:o}", "members", members, "level",
                         block->level, "loop", block->is_loop, "algebraic", block->is_algebraic,
                         "algorithm", takt_plan_algorithm(plan, block), "torn",
                         torn_json(plan, block, scratch, ok)),
               ok);
    }
    return all;
}

static json_t *connections_json(const takt_plan *plan, takt_arena *scratch, bool *ok)
{
    json_t *all = json_array();
    for (int i = 0; i < plan->system->n_connections; i++) {
        const takt_connection *c = &plan->system->connections[i];
        const char *from = takt_system_name(plan->system, c->from, c->from_variable, scratch);
        const char *to = takt_system_name(plan->system, c->to, c->to_variable, scratch);
        append(all, from && to ? json_pack("{s:s, s:s}", "from", from, "to", to) : NULL, ok);
    }
    return all;
}

static json_t *feedthrough_json(const takt_plan *plan, bool *ok)
{
    json_t *all = json_array();
    for (int c = 0; c < plan->system->n_components; c++) {
        for (int i = 0; i < plan->dependencies[c].n_outputs; i++) {
            const takt_dependency *d = &plan->dependencies[c].outputs[i];
            json_t *inputs = d->is_known ? json_array() : json_null(); // null: not known
            for (int k = 0; k < d->n_known; k++)
                if (is_input(plan, c, d->known[k]))
                    append(inputs, json_string_nocheck(variable_name(plan, c, d->known[k])), ok);
            append(all,
                   json_pack("{s:s, s:s, s:o}", "component", component_name(plan, c), "output",
                             variable_name(plan, c, d->variable), "inputs", inputs),
                   ok);
        }
    }
    return all;
}

static json_t *action_json(const takt_plan *plan, const takt_init_action *action, bool *ok)
{
    json_t *variables = json_array();
    for (int g = 0; g < action->access.n_batches; g++)
        for (int i = 0; i < action->access.batches[g].n_values; i++)
            append(variables,
                   json_string_nocheck(variable_name(plan, action->instance,
                                                     action->access.batches[g].variables[i])),
                   ok);
    return json_pack("{s:s, s:s, s:o}", "call", action->is_set ? "set" : "get", "component",
                     component_name(plan, action->instance), "variables", variables);
}

static json_t *initialization_json(const takt_plan *plan, bool *ok)
{
    json_t *all = json_array();
    for (int i = 0; i < plan->n_init_stages; i++) {
        const takt_init_stage *stage = &plan->init_stages[i];
        json_t *actions = json_array();
        for (int k = 0; k < stage->n_actions; k++)
            append(actions, action_json(plan, &stage->actions[k], ok), ok);
        append(all, json_pack("{s:b, s:o}", "loop", stage->is_loop, "actions", actions), ok);
    }
    return all;
}

static json_t *inputs_json(const takt_plan *plan)
{
    char *text = takt_describe_inputs_as_json(plan->system);
    json_t *all = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return all;
}

static char *describe_json(const takt_plan *plan)
{
    bool ok = true;
    takt_arena scratch = {0};
    takt_json_begin();
    json_t *blocks = blocks_json(plan, &scratch, &ok);
    json_t *connections = connections_json(plan, &scratch, &ok);
    json_t *feedthrough = feedthrough_json(plan, &ok);
    json_t *initialization = initialization_json(plan, &ok);
    json_t *all = json_pack(
        "{s:s, s:i, s:o, s:o, s:o, s:o, s:o}", "name", plan->system->project->name, "levels",
        plan->n_levels, "blocks", blocks, "connections", connections, "feedthrough", feedthrough,
        "initialization", initialization, "unconnected_inputs", inputs_json(plan));
    char *text = takt_json_end(all);
    if (!ok) {
        free(text);
        text = NULL;
    }
    takt_arena_clear(&scratch);
    return text;
}

takt_status takt_plan_describe(const takt_plan *plan, takt_format format, char **out,
                               takt_error *err)
{
    char *text = format == TAKT_FORMAT_TEXT  ? describe_text(plan)
                 : format == TAKT_FORMAT_DOT ? describe_dot(plan)
                 : format == TAKT_FORMAT_SVG ? takt_plan_picture(plan)
                                             : describe_json(plan);
    if (!text) return takt_fail_memory(err);
    *out = text;
    return TAKT_OK;
}
