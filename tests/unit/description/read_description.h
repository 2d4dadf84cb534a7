// SPDX-License-Identifier: MIT
// Reading descriptions from texts, for several tests.
#ifndef TAKT_TESTS_UNIT_FMI_READ_DESCRIPTION_H
#define TAKT_TESTS_UNIT_FMI_READ_DESCRIPTION_H

#include "support/test.h"

#include "description/read.h"

typedef struct description_fixture {
    test_log log;
    takt_model model;
    takt_description description;
    takt_error err;
} description_fixture;

static inline void description_clear(description_fixture *f)
{
    takt_map_clear(&f->model.names);
    takt_map_clear(&f->model.array_names);
    takt_arena_clear(&f->model.arena);
    f->model = (takt_model){0};
}

static inline int description_setup(void **state)
{
    description_fixture *f = calloc(1, sizeof *f);
    test_log_init_level(&f->log, TAKT_LEVEL_WARN);
    takt_log_set_strict(f->log.log, 1);
    *state = f;
    return 0;
}

static inline int description_teardown(void **state)
{
    description_fixture *f = *state;
    description_clear(f);
    test_log_clear(&f->log);
    free(f);
    return 0;
}

/// Reads a description called m.xml; the log holds only what this reading says.
static inline takt_status description_read(description_fixture *f, const char *text)
{
    description_clear(f);
    f->model.description_file = "m.xml";
    f->err = (takt_error){0};
    f->log.length = 0;
    f->log.text[0] = 0;
    return takt_description_read_memory(text, strlen(text), f->log.log, &f->model, &f->description,
                                        &f->err);
}

static inline const takt_variable *description_variable(description_fixture *f, const char *name)
{
    int i = takt_map_find(&f->model.names, name);
    assert_true(i >= 0);
    return &f->model.variables[i];
}

#endif
