// SPDX-License-Identifier: MIT
// Measures steps by prediction on coupled problems whose solution is known, and prints tables in Markdown for
// docs/accuracy.md. Arguments, if any, are names of problems (support/problems.h); without them all are measured.
//
// The word "noise" measures the named problems with noisy outputs instead; behind it: the kind of noise (0 random each time,
// 1 random by state, 2 absolute, 3 rounded), "a" or "b" or "ab" (inputs followed, held), and the name of one problem.
//
// Each cell has the largest error, in units of the tolerance, and the steps of the busiest instance.
#include "support/problems.h"

static const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
enum { N_TOLERANCES = sizeof tolerances / sizeof *tolerances };

/// A row of the table: one problem, or the worst of several.
typedef struct row {
    const char *title, *name;
    int first, n; ///< numbers of several problems of a kind; n = 0: there is one
} row;

static const row rows[] = {{"Lotka-Volterra", "lv", 0, 0},
                           {"Lotka-Volterra, 6 random sets", "lvr", 1, 6},
                           {"two masses, force and displacement", "mass_fx", 0, 0},
                           {"two masses, displacements", "mass_xx", 0, 0},
                           {"stiff thermal pair", "thermal", 0, 0},
                           {"another one", "thermal2", 0, 0},
                           {"hysteresis and lag", "hysteresis", 0, 0},
                           {"hysteresis, 10 random ones", "hyst", 1, 10},
                           {"Roessler, c = 2.5", "roessler", 0, 0},
                           {"van der Pol, mu = 5", "vdp", 0, 0},
                           {"algebraic loop, gain -1.98", "loop", 0, 0},
                           {"random linear systems, 20", "rnd", 1, 20}};

static test_measured measure(const char *name, char mode, double tolerance)
{
    static test_problem problem;
    char settings[100];
    snprintf(settings, sizeof settings, "output-interval=0 tolerance=%g", tolerance);
    test_problem_make(&problem, name, mode);
    return test_problem_run(&problem, settings);
}

static void print_cell(const char *name, int first, int n, char mode, double tolerance)
{
    test_measured worst = {0};
    for (int i = 0; i < (n ? n : 1) && !worst.status; i++) {
        char numbered[50];
        snprintf(numbered, sizeof numbered, "%s%d", name, first + i);
        test_measured one = measure(n ? numbered : name, mode, tolerance);
        if (one.error > worst.error) worst.error = one.error;
        if (one.calls > worst.calls) worst.calls = one.calls;
        worst.status = one.status;
    }
    if (worst.status)
        printf(" fails |");
    else
        printf(" %.2g / %lld |", worst.error / tolerance, (long long)worst.calls);
}

// Stiff instances that hold their inputs are dear: they are measured at moderate tolerances only.
static bool is_too_dear(const char *name, char mode, double tolerance)
{
    bool is_thermal = strcmp(name, "thermal") == 0;
    bool is_dearer = strcmp(name, "rnd") == 0 || strcmp(name, "thermal2") == 0;
    return mode == 'b' && ((is_thermal && tolerance < 1e-6) || (is_dearer && tolerance < 1e-5));
}

static void print_row(const row *of, char mode)
{
    printf("| %s |", of->title);
    for (int i = 0; i < N_TOLERANCES; i++) {
        if (is_too_dear(of->name, mode, tolerances[i]))
            printf(" - |");
        else
            print_cell(of->name, of->first, of->n, mode, tolerances[i]);
        fflush(stdout);
    }
    printf("\n");
}

static void print_head(const char *title)
{
    printf("\n| %s |", title);
    for (int i = 0; i < N_TOLERANCES; i++) printf(" %g |", tolerances[i]);
    printf("\n|---|");
    for (int i = 0; i < N_TOLERANCES; i++) printf("---|");
    printf("\n");
}

// Outputs with noise, in units of the tolerance.
static const double noises[] = {0, 1e-3, 1e-2, 1e-1};
enum { N_NOISES = sizeof noises / sizeof *noises };

static void print_noisy_cell(const char *name, char mode, double tolerance, double noise,
                             test_noise kind)
{
    static test_problem problem;
    char settings[100];
    test_problem_make(&problem, name, mode);
    snprintf(settings, sizeof settings, "output-interval=%g tolerance=%g", problem.stop / 1000,
             tolerance);
    for (int i = 0; i < problem.n_parts; i++) {
        problem.parts[i].noise = noise * tolerance;
        problem.parts[i].noise_kind = kind;
    }
    test_measured out = test_problem_run(&problem, settings);
    if (out.status)
        printf(" fails |");
    else
        printf(" %.2g / %lld%s |", out.error / tolerance, (long long)out.calls,
               out.n_doubts ? " !" : "");
    fflush(stdout);
}

static void measure_noise(test_noise kind, const char *modes, const char *only)
{
    static const char *const names[] = {"lv",         "mass_fx",  "mass_xx", "thermal",
                                        "hysteresis", "roessler", "loop"};
    static const char *const titles[] = {"Lotka-Volterra",
                                         "two masses, force and displacement",
                                         "two masses, displacements",
                                         "stiff thermal pair",
                                         "hysteresis and lag",
                                         "Roessler, c = 2.5",
                                         "algebraic loop, gain -1.98"};
    static const char *const kinds[] = {"random", "of the state", "absolute", "rounded"};
    static const double coarse[] = {1e-3, 1e-4, 1e-6};
    for (; *modes; modes++)
        for (int t = 0; t < 3; t++) {
            printf("\n| inputs %s, %s, %g |", *modes == 'a' ? "followed" : "held", kinds[kind],
                   coarse[t]);
            for (int i = 0; i < N_NOISES; i++) printf(" %g |", noises[i]);
            printf("\n|---|---|---|---|---|\n");
            for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
                if (only && strcmp(only, names[k]) != 0) continue;
                printf("| %s |", titles[k]);
                for (int i = 0; i < N_NOISES; i++) {
                    if (is_too_dear(names[k], *modes, coarse[t]))
                        printf(" - |");
                    else
                        print_noisy_cell(names[k], *modes, coarse[t], noises[i], kind);
                }
                printf("\n");
            }
        }
}

int main(int n_words, char **words)
{
    if (n_words >= 2 && strcmp(words[1], "noise") == 0) {
        int kind = n_words > 2 ? atoi(words[2]) % TEST_N_NOISES : 0;
        measure_noise((test_noise)kind, n_words > 3 ? words[3] : "ab",
                      n_words > 4 ? words[4] : NULL);
        return 0;
    }
    static const struct {
        char mode;
        const char *title;
    } modes[] = {{'a', "inputs followed"}, {'b', "inputs held"}, {'m', "the last one holds"}};
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        print_head(modes[m].title);
        for (int i = 1; i < n_words; i++)
            print_row(&(row){words[i], words[i], 0, 0}, modes[m].mode);
        for (size_t i = 0; i < sizeof rows / sizeof *rows && n_words < 2; i++)
            if (modes[m].mode != 'm' || strcmp(rows[i].name, "rnd") != 0)
                print_row(&rows[i], modes[m].mode);
    }
    return 0;
}
