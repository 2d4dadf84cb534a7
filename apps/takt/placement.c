// SPDX-License-Identifier: MIT
// Which rank has which component; see ranks.h. Units that belong together (the members of an algebraic loop, which wait for each other, unless they are more than a
// rank's share) become nodes of a graph, which is divided (partition.h).
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "costs.h"
#include "partition.h"
#include "ranks.h"
#include "session.h"
#include "support.h"

/// Components that go together.
typedef struct unit {
    int node; // its number
    int rank; // that the user wants; -1: any
} unit;

typedef struct places {
    const takt_system *system;
    int n, n_ranks, n_links;
    int *unit_of; // per component
    unit *units;
    double *cost; // per component
    takt_link_info *links;
} places;

// ---- what there is -----------------------------------------------------------------------------

static takt_status find_links(places *p, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < p->n_links && !st; i++) {
        p->links[i].size = sizeof p->links[i];
        st = takt_system_get_link(p->system, i, &p->links[i], err);
    }
    return st;
}

static takt_status join_loops(places *p, takt_error *err)
{
    takt_sequence *sequence = NULL;
    double total = 0;
    for (int i = 0; i < p->n; i++) total += p->cost[i];
    takt_status st = takt_sequence_create(p->system, 1, &sequence, err);
    for (int b = 0; !st && b < takt_sequence_count_blocks(sequence); b++) {
        takt_block_info block = {.size = sizeof block};
        st = takt_sequence_get_block(sequence, b, &block, err);
        if (st || !block.is_algebraic) continue;
        double cost = 0;
        int first = INT_MAX;
        for (int i = 0; i < block.n_members; i++) {
            int c = takt_system_find_component(p->system, block.members[i]);
            if (c < 0) continue;
            cost += p->cost[c];
            if (c < first) first = c;
        }
        if (cost > total / p->n_ranks) continue;
        for (int i = 0; i < block.n_members; i++) {
            int c = takt_system_find_component(p->system, block.members[i]);
            if (c >= 0) p->unit_of[c] = first;
        }
    }
    takt_sequence_destroy(sequence);
    return st;
}

// "GLOB=RANK"; later ones win.
static takt_status fix(places *p, const cli_arguments *arguments, takt_error *err)
{
    for (int k = 0; k < arguments->n_settings; k++) {
        const cli_setting *s = &arguments->settings[k];
        if (strcmp(s->name, "place") != 0) continue;
        const char *equals = strrchr(s->value, '=');
        double rank;
        bool is_read = equals && takt_number_read(equals + 1, equals + strlen(equals), &rank) &&
                       rank >= 0 && rank == (double)(int)rank;
        if (!is_read)
            return cli_fail(err, TAKT_ERR_USAGE, "--place: '%s' is not GLOB=RANK", s->value);
        if (rank >= p->n_ranks)
            return cli_fail(err, TAKT_ERR_USAGE,
                            "--place %s: there are %d ranks, the last one is %d", s->value,
                            p->n_ranks, p->n_ranks - 1);
        char *glob = strndup(s->value, (size_t)(equals - s->value));
        if (!glob) return cli_fail_memory(err);
        int n_met = 0;
        for (int i = 0; i < p->n; i++) {
            takt_model_info info = {.size = sizeof info};
            if (takt_system_get_model(p->system, i, &info, NULL) ||
                !cli_glob_matches(glob, info.component))
                continue;
            p->unit_of[i] = i; // alone
            p->units[i].rank = (int)rank;
            n_met++;
        }
        free(glob);
        if (!n_met)
            return cli_fail(err, TAKT_ERR_USAGE, "--place %s: no component matches", s->value);
    }
    return TAKT_OK;
}

// ---- placing -----------------------------------------------------------------------------------

// Units become nodes with numbers of their own.
static int number_units(places *p)
{
    int n_units = 0;
    for (int i = 0; i < p->n; i++)
        if (p->unit_of[i] == i) p->units[i].node = n_units++;
    return n_units;
}

static int node_of(const places *p, int component)
{
    return p->units[p->unit_of[component]].node;
}

static takt_status divide(places *p, int *out, takt_error *err)
{
    int n_units = number_units(p), n_edges = 0;
    double *costs = calloc((size_t)n_units + 1, sizeof *costs);
    int *ranks = calloc((size_t)n_units + 1, sizeof *ranks);
    cli_edge *edges = calloc((size_t)p->n_links + 1, sizeof *edges);
    bool ok = costs && ranks && edges;
    for (int i = 0; i < p->n && ok; i++) {
        costs[node_of(p, i)] += p->cost[i];
        ranks[node_of(p, i)] = p->units[p->unit_of[i]].rank;
    }
    for (int i = 0; i < p->n_links && ok; i++) {
        cli_edge edge = {node_of(p, p->links[i].from), node_of(p, p->links[i].to)};
        if (edge.a != edge.b) edges[n_edges++] = edge;
    }
    ok = ok && cli_partition(n_units, costs, n_edges, edges, p->n_ranks, ranks);
    for (int i = 0; i < p->n && ok; i++) out[i] = ranks[node_of(p, i)];
    free(costs);
    free(ranks);
    free(edges);
    return ok ? TAKT_OK : cli_fail_memory(err);
}

static takt_status place(places *p, const cli_arguments *arguments, int *out, takt_error *err)
{
    for (int i = 0; i < p->n; i++) {
        p->unit_of[i] = i;
        p->units[i] = (unit){.rank = -1};
    }
    takt_status st = cli_costs_find(p->system, arguments, p->cost, err);
    if (!st) st = find_links(p, err);
    if (!st) st = join_loops(p, err);
    if (!st) st = fix(p, arguments, err);
    return st ? st : divide(p, out, err);
}

takt_status cli_place(const takt_system *system, const cli_arguments *arguments, int n_ranks,
                      int *out, takt_error *err)
{
    places p = {.system = system,
                .n = takt_system_count_components(system),
                .n_ranks = n_ranks,
                .n_links = takt_system_count_links(system)};
    size_t n = (size_t)p.n + 1;
    p.unit_of = calloc(n, sizeof *p.unit_of);
    p.units = calloc(n, sizeof *p.units);
    p.cost = calloc(n, sizeof *p.cost);
    p.links = calloc((size_t)p.n_links + 1, sizeof *p.links);
    takt_status st = p.unit_of && p.units && p.cost && p.links ? place(&p, arguments, out, err)
                                                               : cli_fail_memory(err);
    free(p.unit_of);
    free(p.units);
    free(p.cost);
    free(p.links);
    return st;
}

// ---- what comes of it --------------------------------------------------------------------------

// The components of a rank; adds what they cost.
static takt_status describe_rank(const takt_system *system, const int *ranks, int rank,
                                 const double *costs, double *load, takt_error *err)
{
    int n_fmus = 0;
    printf("Rank %d:", rank);
    for (int i = 0; i < takt_system_count_components(system); i++) {
        takt_model_info info = {.size = sizeof info};
        takt_status st = takt_system_get_model(system, i, &info, err);
        if (st) return st;
        if (ranks[i] != rank) continue;
        printf(" %s", info.component);
        n_fmus += info.version && strncmp(info.version, "FMI", 3) == 0;
        *load += costs[i];
    }
    printf("%s\n", n_fmus ? "" : " (no FMU)");
    return TAKT_OK;
}

static void describe_balance(double most, double total, bool are_given)
{
    if (!(most > 0)) return;
    printf("Balance: the busiest rank has ");
    if (are_given)
        printf("%.0f %% of the work, %.3g s per step; if FMUs", 100 * most / total, most);
    else
        printf("%g of %g FMUs; if all take equally long and", most, total);
    printf(" wait for nobody, that is %.2f times as fast as one rank\n", total / most);
}

takt_status cli_describe_places(const takt_system *system, const cli_arguments *arguments,
                                const int *ranks, int n_ranks, takt_error *err)
{
    double most = 0, total = 0;
    int n_cut = 0;
    double *costs = calloc((size_t)takt_system_count_components(system) + 1, sizeof *costs);
    takt_status st = costs ? cli_costs_find(system, arguments, costs, err) : cli_fail_memory(err);
    for (int r = 0; r < n_ranks && !st; r++) {
        double load = 0;
        st = describe_rank(system, ranks, r, costs, &load, err);
        total += load;
        if (load > most) most = load;
    }
    for (int i = 0; i < takt_system_count_links(system) && !st; i++) {
        takt_link_info link = {.size = sizeof link};
        st = takt_system_get_link(system, i, &link, err);
        n_cut += !st && ranks[link.from] != ranks[link.to];
    }
    free(costs);
    if (st) return st;
    printf("Connections between ranks: %d of %d\n", n_cut, takt_system_count_links(system));
    describe_balance(most, total, cli_costs_are_given(arguments));
    return TAKT_OK;
}

takt_status cli_create_on_ranks(cli_session *session, const cli_arguments *arguments,
                                takt_error *err)
{
    takt_system *plain = NULL;
    takt_status st = takt_system_create(session->project, &plain, err);
    if (st) return st;
    int n = takt_system_count_components(plain), n_placed = 0;
    int *ranks = calloc((size_t)n + 1, sizeof *ranks);
    session->places = calloc((size_t)n + 1, sizeof *session->places);
    st = ranks && session->places ? cli_place(plain, arguments, session->n_ranks, ranks, err)
                                  : cli_fail_memory(err);
    for (int i = 0; i < n && !st; i++) {
        takt_model_info info = {.size = sizeof info};
        st = takt_system_get_model(plain, i, &info, err);
        int c = takt_project_find_component(session->project, info.component);
        takt_component_info component = {.size = sizeof component};
        if (st || c < 0 || ranks[i] == 0) continue; // a table of --input-file is no component
        st = takt_project_get_component(session->project, c, &component, err);
        session->places[n_placed++] = (takt_component_rank){component.name, ranks[i]};
    }
    free(ranks);
    takt_system_destroy(plain);
    return st ? st
              : takt_system_create_on(session->project, session->ranks, session->places, n_placed,
                                      &session->system, err);
}
