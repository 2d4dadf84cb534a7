// SPDX-License-Identifier: MIT
// Is `auto` with fixed steps ever worse than one pass of Gauss-Seidel with the same steps? Random nets (support/nets.h) and
// problems (support/problems.h) with several step sizes, compared with their solutions:
//     measure_passes FIRST COUNT [KIND]     KIND: nets, lvr, hyst, rnd or rate; all, if it is left out
// One line for each case in which the error is larger by more than a twentieth and not negligible, and a summary by kind.
#include <stdio.h>
#include <stdlib.h>

#include "support/nets.h"
#include "support/problems.h"

static const double NEGLIGIBLE = 1e-5, WORSE = 1.05, MUCH_WORSE = 2;

/// What is compared: the errors of both.
typedef struct pair {
    double now, pass;
    bool is_silent;
} pair;

typedef struct kind {
    const char *name; // of the problem; NULL: a net
    double first_h; // s; the largest step of three, each a third of the one before
    bool cannot_rewind, is_discrete;
} kind;

static const kind kinds[] = {
    {NULL, 0.1, false, false},   {"lvr", 1, false, false},   {"lvr", 1, true, false},
    {"hyst", 0.1, false, false}, {"hyst", 0.1, true, false}, {"hyst", 0.1, false, true},
    {"rnd", 0.05, false, false}, {"rnd", 0.05, true, false}, {"rate", 0.05, false, false}};
static const char *const algorithms[] = {"auto", "seidel"};

static pair run_net(int number, char mode, double h)
{
    static test_net net;
    test_net_outcome out[2];
    test_net_make(&net, number);
    for (int k = 0; k < 2; k++) {
        char settings[100];
        snprintf(settings, sizeof settings, "step-control=fixed step-size=%g algorithm=%s", h,
                 algorithms[k]);
        out[k] = test_net_run(&net, mode, 1e-4, settings);
    }
    return (pair){1e-4 * out[0].error, 1e-4 * out[1].error, out[0].is_silent};
}

static pair run_problem(const kind *of, int number, char mode, double h)
{
    static test_problem problem;
    test_measured out[2];
    for (int k = 0; k < 2; k++) {
        char name[40], settings[100];
        snprintf(name, sizeof name, "%s%d", of->name, number);
        snprintf(settings, sizeof settings, "step-size=%g algorithm=%s", h, algorithms[k]);
        test_problem_make(&problem, name, mode);
        problem.cannot_rewind = of->cannot_rewind;
        for (int i = 0; i < problem.n_parts; i++)
            problem.parts[i].is_discrete = of->is_discrete && problem.parts[i].n == 0;
        out[k] = test_problem_run(&problem, settings);
        if (out[k].status) out[k].error = INFINITY;
    }
    return (pair){out[0].error, out[1].error, out[0].n_doubts == 0};
}

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    int first = atoi(argv[1]), n = atoi(argv[2]), n_worse = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const kind *of = &kinds[k];
        if (argc > 3 && strcmp(argv[3], of->name ? of->name : "nets") != 0) continue;
        int n_all = 0, n_small = 0, n_much = 0, n_better = 0;
        for (int i = first; i < first + n; i++)
            for (const char *mode = "abm"; *mode; mode++) {
                double h = of->first_h;
                for (int step = 0; step < 3; step++, h /= 3) {
                    pair both = of->name ? run_problem(of, i, *mode, h) : run_net(i, *mode, h);
                    bool is_worse = both.now > WORSE * both.pass && both.now > NEGLIGIBLE;
                    bool is_much = is_worse && both.now > MUCH_WORSE * both.pass;
                    n_all++;
                    n_small += is_worse && !is_much;
                    n_much += is_much;
                    n_better += both.now < 0.5 * both.pass;
                    if (!is_worse) continue;
                    printf("%s%d (%c) h=%g: %.3g, one pass %.3g%s\n", of->name ? of->name : "net",
                           i, *mode, h, both.now, both.pass, both.is_silent ? "" : ", warned");
                    fflush(stdout);
                }
            }
        printf("%s%s%s: of %d, %d less than half the error, %d worse, %d more than twice\n",
               of->name ? of->name : "nets", of->cannot_rewind ? ", no rewinding" : "",
               of->is_discrete ? ", discrete" : "", n_all, n_better, n_small + n_much, n_much);
        n_worse += n_small + n_much;
    }
    return n_worse > 0;
}
