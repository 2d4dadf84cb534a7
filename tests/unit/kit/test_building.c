// SPDX-License-Identifier: MIT
// The equations of examples/building: walls against the exact solution of layers, the linear solver against difference
// quotients, energy.
#include "support/test.h"

#include <complex.h>
#include <stdlib.h>

#include "house.h"

static const construction outer = {
    {{0.015, 0.7, 1.4e6}, {0.24, 0.5, 1.2e6}, {0.14, 0.035, 3.0e4}, {0.01, 0.9, 1.8e6}},
    4,
    {1 / 7.7, 1 / 25.0}};

typedef struct response {
    double complex inside,
        outside; // W/(m2 K): flow into the wall, and out of it, for a swing of 1 K inside
} response;

// Layers as transmission matrices (Carslaw and Jaeger, Conduction of Heat in Solids, section 3.7): temperature and flow
// on one side from those on the other.
static response exact_response(const construction *c, double omega)
{
    double complex m[2][2] = {{1, c->resistance[0]}, {0, 1}};
    for (int i = 0; i <= c->n_layers; i++) {
        double complex n[2][2] = {{1, c->resistance[1]}, {0, 1}}, product[2][2];
        if (i < c->n_layers) {
            const layer *l = &c->layers[i];
            double complex k = csqrt(I * omega * l->capacity / l->conductivity);
            double complex x = k * l->thickness;
            n[0][0] = n[1][1] = ccosh(x);
            n[0][1] = csinh(x) / (l->conductivity * k);
            n[1][0] = csinh(x) * l->conductivity * k;
        }
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) product[a][b] = m[a][0] * n[0][b] + m[a][1] * n[1][b];
        memcpy(m, product, sizeof m);
    }
    return (response){m[1][1] / m[0][1], 1 / m[0][1]}; // outside at 0
}

// The same of the finite volumes: (i omega C + G) T = flow from the sides.
static response discrete_response(const construction *c, double cell, double omega)
{
    int n = wall_count(c, cell);
    double *memory = calloc((size_t)(3 * n + 1), sizeof *memory);
    double complex *pivot = calloc((size_t)n, sizeof *pivot), *T = calloc((size_t)n, sizeof *T);
    wall w = {.n = n, .capacity = memory, .conductance = memory + n, .inverse = memory + 2 * n + 1};
    wall_fill(&w, c, cell, 1);
    const double *g = w.conductance;
    for (int i = 0; i < n; i++) {
        pivot[i] = I * omega * w.capacity[i] + g[i] + g[i + 1];
        T[i] = i == 0 ? g[0] : 0;
        if (i > 0) {
            pivot[i] -= g[i] * g[i] / pivot[i - 1];
            T[i] += g[i] * T[i - 1] / pivot[i - 1];
        }
    }
    for (int i = n - 1; i >= 0; i--)
        T[i] = (T[i] + (i + 1 < n ? g[i + 1] * T[i + 1] : 0)) / pivot[i];
    response r = {g[0] * (1 - T[0]), g[n] * T[n - 1]};
    free(memory);
    free(pivot);
    free(T);
    return r;
}

static void walls_follow_the_exact_solution_of_layers(void **unused)
{
    (void)unused;
    const double pi = acos(-1), periods[] = {3600, 86400, 86400 * 365.0};
    for (int p = 0; p < 3; p++) {
        response exact = exact_response(&outer, 2 * pi / periods[p]);
        double before = 0;
        for (double cell = 0.02; cell > 0.004; cell /= 2) {
            response r = discrete_response(&outer, cell, 2 * pi / periods[p]);
            double error = fmax(cabs(r.inside - exact.inside), cabs(r.outside - exact.outside)) /
                           cabs(exact.inside);
            assert_true(error < 0.02);
            if (p > 0) assert_true(error < 0.005);
            // Of second order: a quarter with half of the length, as far as cells really are half as long.
            if (before > 1e-6) assert_true(error < 0.5 * before);
            before = error;
        }
    }
    // Without any swing it is the thermal transmittance.
    double r = outer.resistance[0] + outer.resistance[1];
    for (int i = 0; i < outer.n_layers; i++)
        r += outer.layers[i].thickness / outer.layers[i].conductivity;
    assert_true(fabs(creal(discrete_response(&outer, 0.02, 1e-12).outside) - 1 / r) < 1e-6);
}

// ---- the house -------------------------------------------------------------------------------------

typedef struct fixture {
    house h;
    double *memory, *x, *a, *b;
    surroundings at;
} fixture;

static void make_house(fixture *f, int n_zones)
{
    f->memory = calloc(1, house_memory(n_zones, 0.03));
    house_fill(&f->h, n_zones, 0.03, f->memory);
    f->x = calloc(3 * f->h.n, sizeof *f->x);
    f->a = f->x + f->h.n;
    f->b = f->a + f->h.n;
    f->at = (surroundings){-5, 200, 38};
    house_start(&f->h, 20, f->x);
    unsigned seed = 5;
    for (size_t i = 0; i < f->h.first_energy; i++) {
        seed = seed * 1664525u + 1013904223u;
        double random = (seed >> 8) / 16777216.0;
        f->x[i] = i < f->h.first_valve ? 15 + 10 * random : i < f->h.loop ? random : 3000;
    }
}

static void clear_house(fixture *f)
{
    free(f->memory);
    free(f->x);
}

// z - gamma J z = r, with J z by difference quotients: the equations are linear in temperatures and openings but for
// products of both.
static void linear_equations_are_solved_exactly(void **unused)
{
    (void)unused;
    for (int n_zones = 1; n_zones <= 5; n_zones++) {
        fixture f;
        make_house(&f, n_zones);
        const double gamma = 137, step = 1e-4;
        double *r = calloc(3 * f.h.n, sizeof *r), *z = r + f.h.n, *moved = z + f.h.n;
        for (size_t i = 0; i < f.h.n; i++) r[i] = sin((double)(i * i));
        house_prepare(&f.h, f.x, &f.at, gamma);
        house_solve(&f.h, r, z);
        for (size_t i = 0; i < f.h.n; i++) moved[i] = f.x[i] + step * z[i];
        house_rates(&f.h, 3600, f.x, &f.at, f.a);
        house_rates(&f.h, 3600, moved, &f.at, f.b);
        for (size_t i = 0; i < f.h.n; i++) {
            double product = gamma * (f.b[i] - f.a[i]) / step;
            double size = fabs(z[i]) + fabs(product) + 1;
            assert_true(fabs(z[i] - product - r[i]) < 1e-4 * size);
        }
        free(r);
        clear_house(&f);
    }
}

// What flows in and out changes what is stored, and nothing else does.
static void energy_is_kept_by_the_equations(void **unused)
{
    (void)unused;
    fixture f;
    make_house(&f, 7);
    house_rates(&f.h, 50000, f.x, &f.at, f.a);
    double stored = house_stored(&f.h, f.a); // it is linear
    const double *energy = f.a + f.h.first_energy;
    double balance = energy[ENERGY_HEAT] + energy[ENERGY_GAINS] - energy[ENERGY_LOSSES];
    assert_true(fabs(stored - balance) < 1e-9 * fabs(energy[ENERGY_LOSSES]));
    clear_house(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_follow_the_exact_solution_of_layers),
        cmocka_unit_test(linear_equations_are_solved_exactly),
        cmocka_unit_test(energy_is_kept_by_the_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
