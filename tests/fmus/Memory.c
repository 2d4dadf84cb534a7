// SPDX-License-Identifier: MIT
// A delay of `n` steps whose buffer grows while it runs: hidden state of every kind the kit can
// save, including memory that changes its size.
#include <fmukit/fmukit.h>

#include <string.h>

typedef struct delay {
    double u, y;
    int n;
    double *past;
    size_t n_past;
    int n_steps;
    bool is_full;
    double sum;
    unsigned char bits[3];
    size_t cursor;
} delay;

static const fmukit_variable variables[] = {
    {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(delay, u)},
    {.name = "y",
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(delay, y),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "n",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(delay, n),
     .start = {.integer = 3},
     .range = FMUKIT_RANGE(1, 1000)},
};

static void destroy(fmukit_instance *fmu, void *model)
{
    delay *m = model;
    fmukit_free(fmu, m->past);
}

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    delay *m = model;
    m->y = m->is_full ? m->past[m->cursor] : 0;
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)t, (void)t_end;
    delay *m = model;
    m->n_steps++;
    m->sum += m->u;
    m->bits[m->n_steps % 3] ^= (unsigned char)m->n_steps;
    if (m->n_past < (size_t)m->n) {
        double *grown = fmukit_alloc(fmu, m->n_past + 1, sizeof *grown);
        if (!grown) return FMUKIT_ERROR;
        if (m->past) memcpy(grown, m->past, m->n_past * sizeof *grown);
        fmukit_free(fmu, m->past);
        m->past = grown;
        m->past[m->n_past++] = m->u;
        m->is_full = m->n_past == (size_t)m->n;
        return FMUKIT_OK;
    }
    m->past[m->cursor] = m->u;
    m->cursor = (m->cursor + 1) % m->n_past;
    return FMUKIT_OK;
}

static void state(fmukit_stream *s, void *model)
{
    delay *m = model;
    fmukit_buffer(s, &m->past, &m->n_past, sizeof *m->past);
    fmukit_integer(s, &m->n_steps);
    fmukit_boolean(s, &m->is_full);
    fmukit_real(s, &m->sum);
    fmukit_bytes(s, m->bits, sizeof m->bits);
    fmukit_count(s, &m->cursor, m->n_past);
    if (m->is_full && m->cursor >= m->n_past) fmukit_refuse(s, "the cursor is outside of the past");
}

const fmukit_model fmukit_this_model = {
    .name = "Memory",
    .description = "Delays its input by n steps",
    .size = sizeof(delay),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .functions = {.destroy = destroy, .evaluate = evaluate, .step = step, .state = state},
};
