// SPDX-License-Identifier: MIT
// The campaign: random systems at all algorithms and step controls, compared with independent references.
//     campaign FIRST COUNT         systems FIRST to FIRST + COUNT - 1, with a table at the end
//     campaign FIRST COUNT all     the same, and does not end at the first silent error
//     campaign NUMBER              one system, told in detail
// Ends with 1 at a silent error, or if so many runs fail or warn that the rest proves little.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "campaign/draw.h"
#include "campaign/try.h"

typedef struct tally {
    int n[N_KINDS][N_VERDICTS];
    int n_newton[N_KINDS], n_newton_right[N_KINDS];
    int n_systems, n_runs, n_silently_wrong;
} tally;

// Of the runs with Newton's method, at least this share must be right without a word. The rest are systems
// without a solution, discrete values that contradict each other, jumps that end at the smallest step, limits of iterations
// that are drawn low, and runs that are cut off.
static const double least_share[N_KINDS] = {
    [KIND_LINEAR] = 0.9,     [KIND_STEEP] = 0.9,        [KIND_NEARLY_SINGULAR] = 0.85,
    [KIND_NONLINEAR] = 0.65, [KIND_BOOLEAN] = 0.3,      [KIND_MIXED] = 0.6,
    [KIND_LAGS] = 0.8,       [KIND_OSCILLATORS] = 0.75, [KIND_JUMPS] = 0.4,
    [KIND_TABLES] = 0.45,    [KIND_NOISE] = 0.55,       [KIND_CROWD] = 0.8,
    [KIND_NOMINAL] = 0.65,   [KIND_OPEN] = 0.85,
};

static const char *const verdict_names[N_VERDICTS] = {"right",  "right, warned", "wrong, warned",
                                                      "failed", "cut off",       "SILENTLY WRONG"};

static void tell(const random_system *system, takt_algorithm algorithm, const outcome *found)
{
    printf("%u: %s, %s, %s: %s after %lld steps", system->number, kind_names[system->kind],
           control_names[system->control], takt_algorithm_name(algorithm),
           verdict_names[found->verdict], (long long)found->n_steps);
    if (found->what)
        printf("; %s: node %d at t=%.15g s, %.3g of what is allowed", found->what, found->i_node,
               found->t, found->error);
    printf("%s%s\n", found->message[0] ? "; " : "", found->message);
}

static void count(tally *all, const random_system *system, takt_algorithm algorithm,
                  const outcome *found)
{
    all->n_runs++;
    all->n[system->kind][found->verdict]++;
    all->n_silently_wrong += found->verdict == VERDICT_SILENTLY_WRONG;
    if (algorithm != TAKT_ALGORITHM_NEWTON) return;
    all->n_newton[system->kind]++;
    all->n_newton_right[system->kind] += found->verdict == VERDICT_RIGHT;
}

static void try_all(uint32_t number, bool is_told, tally *all)
{
    static random_system system;
    static course expected;
    draw_system(number, &system);
    if (system.control == CONTROL_RICHARDSON) find_course(&system, &expected);
    for (int i = 0; i < TAKT_N_ALGORITHMS; i++) {
        outcome found;
        try_system(&system, (takt_algorithm)i, &expected, &found);
        count(all, &system, (takt_algorithm)i, &found);
        if (is_told || found.verdict == VERDICT_SILENTLY_WRONG)
            tell(&system, (takt_algorithm)i, &found);
    }
    all->n_systems++;
}

static double share_of_newton(const tally *all, int k)
{
    return all->n_newton[k] ? (double)all->n_newton_right[k] / all->n_newton[k] : 1;
}

static void print_table(const tally *all)
{
    printf("%-32s %8s %8s %8s %8s %8s %8s %8s\n", "", "right", "right,", "wrong,", "failed",
           "cut off", "silently", "newton");
    printf("%-32s %8s %8s %8s %8s %8s %8s %8s\n", "runs", "", "warned", "warned", "", "", "wrong",
           "right");
    for (int k = 0; k < N_KINDS; k++) {
        printf("%-32s", kind_names[k]);
        for (int i = 0; i < N_VERDICTS; i++) printf(" %8d", all->n[k][i]);
        printf(" %7.1f%%\n", 100 * share_of_newton(all, k));
    }
    printf("%d systems, %d runs, %d silently wrong\n", all->n_systems, all->n_runs,
           all->n_silently_wrong);
}

static bool is_proof(const tally *all)
{
    bool is_enough = true;
    for (int k = 0; k < N_KINDS; k++) {
        if (share_of_newton(all, k) >= least_share[k]) continue;
        printf("%s: fewer than %g %% are right without a word by newton\n", kind_names[k],
               100 * least_share[k]);
        is_enough = false;
    }
    return is_enough;
}

static void show_progress(uint32_t done, uint32_t count)
{
    static time_t last;
    if (time(NULL) == last) return;
    last = time(NULL);
    fprintf(stderr, "\r%u of %u systems", done, count);
}

int main(int n_arguments, char **arguments)
{
    if (n_arguments < 2) {
        fprintf(stderr, "usage: %s FIRST COUNT [all] | NUMBER\n", arguments[0]);
        return 2;
    }
    uint32_t first = (uint32_t)strtoul(arguments[1], NULL, 10);
    uint32_t count = n_arguments > 2 ? (uint32_t)strtoul(arguments[2], NULL, 10) : 1;
    bool goes_on = n_arguments > 3;
    static tally all;
    for (uint32_t i = 0; i < count && (goes_on || all.n_silently_wrong == 0); i++) {
        if (count > 1) show_progress(i, count);
        try_all(first + i, n_arguments == 2, &all);
    }
    if (n_arguments == 2) return all.n_silently_wrong > 0;
    fprintf(stderr, "\r");
    print_table(&all);
    if (all.n_silently_wrong > 0) printf("To repeat one: %s NUMBER\n", arguments[0]);
    return all.n_silently_wrong > 0 || !is_proof(&all);
}
