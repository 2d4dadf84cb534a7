// SPDX-License-Identifier: MIT
// Saved states: exact restoring, memory, bytes and hostile bytes.
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/raw_fmu.h"

#include "fmus/misbehave.h"

#define UNPACKED TEST_FMUS ".unpacked"

// Steps with inputs that depend on the number of the step, and records outputs.
static void run(raw_fmu *f, const char *in, const char *out, double h, int from, int to, double *y)
{
    for (int i = from; i < to; i++) {
        raw_set(f, in, 1 + (i * 7) % 5);
        assert_int_equal(raw_step(f, i * h, h), fmi2OK);
        y[i] = raw_get(f, out);
    }
}

static void restored_fmu_repeats_its_steps_bit_by_bit(void **unused)
{
    (void)unused;
    static const char *const fmus[][3] = {
        {"LotkaVolterraPrey", "y", "x"},
        {"LotkaVolterraPredator", "x", "y"},
        {"Math003Part3", "x3", "x4"},
        {"Memory", "u", "y"},
        {"Wide", "u[3]", "y[4]"},
        {"Thermostat", "outside", "T"},
        {"LotkaVolterraPrey_fmi3", "y", "x"},
        {"Memory_fmi3", "u", "y"},
        {"Thermostat_fmi3", "outside", "T"},
    };
    for (size_t k = 0; k < sizeof fmus / sizeof *fmus; k++) {
        raw_fmu f;
        raw_open(&f, UNPACKED, fmus[k][0]);
        raw_start(&f);
        double first[20], second[20];
        run(&f, fmus[k][1], fmus[k][2], 0.1, 0, 2, first);
        void *state = NULL;
        assert_int_equal(raw_save(&f, &state), fmi2OK);
        run(&f, fmus[k][1], fmus[k][2], 0.1, 2, 20, first);
        assert_int_equal(raw_restore(&f, state), fmi2OK);
        assert_true(raw_get(&f, fmus[k][2]) == first[1]);
        run(&f, fmus[k][1], fmus[k][2], 0.1, 2, 20, second);
        assert_memory_equal(first + 2, second + 2, 18 * sizeof *first);
        assert_int_equal(raw_free_state(&f, &state), fmi2OK);
        assert_null(state);
        raw_close(&f);
    }
    assert_int_equal(raw_allocations(), 0);
}

// Three steps from where it is; all its variables lie in the bytes of its state.
static char *go_on(raw_fmu *f, double t, size_t *size)
{
    for (int i = 0; i < 3; i++) assert_int_equal(raw_step(f, t + i * 0.1, 0.1), fmi2OK);
    return raw_serialize(f, size);
}

// Whoever says that it can be rewound must save all of its state, the fields outside of its table, too.
static void check_rewind(const char *name)
{
    raw_fmu f;
    void *state = NULL;
    size_t sizes[2];
    raw_open(&f, UNPACKED, name);
    if (!strstr(f.xml, "<CoSimulation") || !strstr(f.xml, "canSerializeFMUstate=\"true\"")) {
        raw_close(&f);
        return;
    }
    raw_start(&f);
    assert_int_equal(raw_step(&f, 0, 0.1), fmi2OK);
    assert_int_equal(raw_save(&f, &state), fmi2OK);
    char *first = go_on(&f, 0.1, &sizes[0]);
    assert_int_equal(raw_restore(&f, state), fmi2OK);
    char *second = go_on(&f, 0.1, &sizes[1]);
    if (sizes[0] != sizes[1] || memcmp(first, second, sizes[0]) != 0)
        fail_msg("%s does not save all of its state", name);
    free(first);
    free(second);
    raw_free_state(&f, &state);
    raw_close(&f);
}

// Two forget on purpose, one needs very many steps; the others need values or folders that are not given here.
static bool is_left_out(const char *name)
{
    static const char *const names[] = {"Rough",     "Forgetful",     "VoltageDrivenCapacitor",
                                        "Resources", "ResultsFolder", "Misbehave",
                                        "Rectifier"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static void every_fmu_of_the_project_can_be_rewound(void **unused)
{
    (void)unused;
    DIR *folder = opendir(UNPACKED);
    int n = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (*entry->d_name == '.' || strstr(entry->d_name, "_fmi") || is_left_out(entry->d_name))
            continue;
        check_rewind(entry->d_name);
        n++;
    }
    closedir(folder);
    assert_true(n > 30);
}

static void time_and_state_of_the_calls_are_restored(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Misbehave");
    raw_start_with(&f, "what", MISBEHAVE_ERROR);
    fmi2FMUstate state = NULL;
    assert_int_equal(f.fmi2GetFMUstate(f.c, &state), fmi2OK);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0.1, fmi2False), fmi2Error);
    assert_int_equal(f.fmi2DoStep(f.c, 0, 0.1, fmi2False), fmi2Error);
    assert_contains(f.log, "fmi2DoStep: not allowed in the state 'error'");
    assert_int_equal(f.fmi2SetFMUstate(f.c, state), fmi2OK);
    assert_int_equal(f.fmi2DoStep(f.c, 0.1, 0.1, fmi2False), fmi2Error);
    assert_contains(f.log, "the communication point is 0.10000000000000001, but the FMU is at time "
                           "0");
    assert_int_equal(f.fmi2Terminate(f.c), fmi2OK);
    raw_close(&f);
}

static void strings_and_discrete_values_are_restored(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Counter");
    raw_start(&f);
    fmi2FMUstate state = NULL;
    assert_int_equal(f.fmi2DoStep(f.c, 0, 1, fmi2False), fmi2OK);
    assert_int_equal(f.fmi2GetFMUstate(f.c, &state), fmi2OK);
    for (int i = 1; i < 10; i++) assert_int_equal(f.fmi2DoStep(f.c, i, 1, fmi2False), fmi2OK);
    fmi2ValueReference text = raw_reference(&f, "text"), count = raw_reference(&f, "count");
    const char *string;
    int number;
    f.fmi2GetString(f.c, &text, 1, &string);
    assert_string_equal(string, "many");
    assert_int_equal(f.fmi2SetFMUstate(f.c, state), fmi2OK);
    f.fmi2GetString(f.c, &text, 1, &string);
    f.fmi2GetInteger(f.c, &count, 1, &number);
    assert_string_equal(string, "few");
    assert_int_equal(number, 1);
    raw_close(&f); // frees the state, too
    assert_int_equal(raw_allocations(), 0);
}

static void memory_of_a_state_is_used_again(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain");
    raw_start(&f);
    fmi2FMUstate state = NULL;
    assert_int_equal(f.fmi2GetFMUstate(f.c, &state), fmi2OK);
    fmi2FMUstate same = state;
    int n = raw_allocations();
    raw_limit_allocations(0); // from here on nothing can be allocated
    for (int i = 0; i < 5; i++) {
        assert_int_equal(f.fmi2DoStep(f.c, i, 1, fmi2False), fmi2OK);
        assert_int_equal(f.fmi2GetFMUstate(f.c, &state), fmi2OK);
        assert_int_equal(f.fmi2SetFMUstate(f.c, state), fmi2OK);
    }
    raw_limit_allocations(-1);
    assert_ptr_equal(state, same);
    assert_int_equal(raw_allocations(), n);
    raw_close(&f);

    // A state that has grown gets more memory, and the old piece is freed.
    raw_open(&f, UNPACKED, "Memory");
    raw_start(&f);
    state = NULL;
    assert_int_equal(f.fmi2GetFMUstate(f.c, &state), fmi2OK);
    double y[6];
    run(&f, "u", "y", 1, 0, 2, y);
    assert_int_equal(f.fmi2GetFMUstate(f.c, &state), fmi2OK);
    run(&f, "u", "y", 1, 2, 6, y);
    assert_int_equal(f.fmi2SetFMUstate(f.c, state), fmi2OK);
    raw_close(&f);
    assert_int_equal(raw_allocations(), 0);
}

static void strangers_are_not_taken_for_states(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Gain");
    raw_start(&f);
    double something = 1;
    fmi2FMUstate state = &something;
    assert_int_equal(f.fmi2SetFMUstate(f.c, NULL), fmi2Error);
    assert_int_equal(f.fmi2SetFMUstate(f.c, state), fmi2Error);
    assert_int_equal(f.fmi2GetFMUstate(f.c, &state), fmi2Error);
    assert_int_equal(f.fmi2FreeFMUstate(f.c, &state), fmi2Error);
    assert_contains(f.log, "fmi2FreeFMUstate: this is not a saved state of this instance");
    assert_int_equal(f.fmi2GetFMUstate(f.c, NULL), fmi2Error);
    assert_int_equal(f.fmi2FreeFMUstate(f.c, NULL), fmi2OK); // ignored, as the standard says
    raw_close(&f);
}

static void fmu_without_rewind_says_so(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "NoRewind");
    raw_start(&f);
    fmi2FMUstate state = NULL;
    assert_int_equal(f.fmi2GetFMUstate(f.c, &state), fmi2Error);
    assert_contains(f.log, "fmi2GetFMUstate: the model cannot save and restore its state");
    assert_null(strstr(f.xml, "canGetAndSetFMUstate"));
    assert_int_equal(f.fmi2DoStep(f.c, 0, 1, fmi2True), fmi2OK);
    raw_close(&f);
}

// ---- bytes -----------------------------------------------------------------------------------------

static void state_travels_as_bytes_to_another_instance(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Memory");
    raw_start(&f);
    double first[12], second[12];
    run(&f, "u", "y", 0.5, 0, 6, first);
    size_t size;
    char *bytes = raw_serialize(&f, &size);
    run(&f, "u", "y", 0.5, 6, 12, first);
    f.fmi2FreeInstance(f.c);

    raw_instantiate(&f); // has not even been initialized
    fmi2FMUstate state = NULL;
    assert_int_equal(f.fmi2DeSerializeFMUstate(f.c, bytes, size, &state), fmi2OK);
    assert_int_equal(f.fmi2SetFMUstate(f.c, state), fmi2OK);
    run(&f, "u", "y", 0.5, 6, 12, second);
    assert_memory_equal(first + 6, second + 6, 6 * sizeof *first);
    free(bytes);
    raw_close(&f);
    assert_int_equal(raw_allocations(), 0);
}

// ---- a large state -----------------------------------------------------------------------------------

enum { HOURS = 3 };

static char *simulate_hours(raw_fmu *f, int first, size_t *size)
{
    for (int i = 4 * first; i < 4 * (first + HOURS); i++)
        assert_int_equal(raw_step(f, 900.0 * i, 900), fmi2OK);
    return raw_serialize(f, size);
}

static char *load_and_simulate(raw_fmu *f, const char *bytes, size_t size, size_t *size_later)
{
    fmi2FMUstate state = NULL;
    assert_int_equal(f->fmi2DeSerializeFMUstate(f->c, bytes, size, &state), fmi2OK);
    assert_int_equal(f->fmi2SetFMUstate(f->c, state), fmi2OK);
    raw_free_state(f, &state);
    return simulate_hours(f, HOURS, size_later);
}

static bool is_same(const char *a, size_t n_a, const char *b, size_t n_b)
{
    return n_a == n_b && memcmp(a, b, n_a) == 0;
}

// Save, step, restore, step: the same bits, also in another instance and in another process.
static void a_building_of_5000_unknowns_goes_on_with_the_same_bits(void **unused)
{
    (void)unused;
    raw_fmu f;
    size_t size, n_first, n_second;
    raw_open(&f, UNPACKED, "Building");
    raw_instantiate(&f);
    raw_set(&f, "cell", 0.0026);
    assert_int_equal(f.fmi2SetupExperiment(f.c, fmi2True, 1e-6, 0, fmi2False, 0), fmi2OK);
    assert_int_equal(f.fmi2EnterInitializationMode(f.c), fmi2OK);
    assert_int_equal(f.fmi2ExitInitializationMode(f.c), fmi2OK);
    fmi2ValueReference unknowns = raw_reference(&f, "unknowns");
    int n = 0;
    assert_int_equal(f.fmi2GetInteger(f.c, &unknowns, 1, &n), fmi2OK);
    assert_true(n > 5000);
    char *bytes = simulate_hours(&f, 0, &size);
    char *first = simulate_hours(&f, HOURS, &n_first);
    char *second = load_and_simulate(&f, bytes, size, &n_second);
    assert_true(is_same(first, n_first, second, n_second));
    free(second);
    f.fmi2FreeInstance(f.c);
    raw_instantiate(&f); // has not even been initialized
    second = load_and_simulate(&f, bytes, size, &n_second);
    assert_true(is_same(first, n_first, second, n_second));
    free(second);
    f.fmi2FreeInstance(f.c);
    raw_instantiate(&f);
    pid_t child = fork();
    if (child == 0) {
        second = load_and_simulate(&f, bytes, size, &n_second);
        _exit(is_same(first, n_first, second, n_second) ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    free(bytes);
    free(first);
    raw_close(&f);
}

static void damaged_bytes_are_refused_and_the_instance_goes_on(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Memory");
    raw_start(&f);
    double y[8];
    run(&f, "u", "y", 1, 0, 4, y);
    size_t size;
    char *bytes = raw_serialize(&f, &size);
    fmi2FMUstate state = NULL;
    for (size_t n = 0; n < size; n++)
        assert_int_equal(f.fmi2DeSerializeFMUstate(f.c, bytes, n, &state), fmi2Error);
    assert_contains(f.log, "the bytes cannot be used: they are too few for a state");
    assert_contains(f.log, "the bytes cannot be used: their end is missing");
    for (size_t n = 0; n < size; n++) {
        bytes[n] ^= 0x41;
        assert_int_equal(f.fmi2DeSerializeFMUstate(f.c, bytes, size, &state), fmi2Error);
        bytes[n] ^= 0x41;
    }
    assert_null(state);
    assert_contains(f.log, "they are damaged");
    assert_contains(f.log, "they are a state of another FMU or of another version of it");
    assert_contains(f.log, "they are no state of an FMU of this kit");
    assert_int_equal(f.fmi2DeSerializeFMUstate(f.c, NULL, size, &state), fmi2Error);
    free(bytes);
    run(&f, "u", "y", 1, 4, 8, y);
    raw_close(&f);
    assert_int_equal(raw_allocations(), 0);
}

// The layout of the head: magic number, identity, size, check sum. A forger knows it, too.
enum { HEAD_SIZE = 40, SIZE_AT = 24, SUM_AT = 32 };

static void forge(char *bytes, size_t size)
{
    uint64_t n = size - HEAD_SIZE, sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = HEAD_SIZE; i < size; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    memcpy(bytes + SIZE_AT, &n, sizeof n);
    memcpy(bytes + SUM_AT, &sum, sizeof sum);
}

static void forged_bytes_never_break_the_fmu(void **unused)
{
    (void)unused;
    static const char *const fmus[] = {"Memory",      "Passthrough", "Counter",
                                       "Arrays_fmi3", "Types3_fmi3", "Thermostat_fmi3"};
    for (size_t k = 0; k < sizeof fmus / sizeof *fmus; k++) {
        raw_fmu f;
        raw_open(&f, UNPACKED, fmus[k]);
        raw_start(&f);
        for (int i = 0; i < 4; i++) assert_int_equal(raw_step(&f, i, 1), fmi2OK);
        size_t size;
        char *bytes = raw_serialize(&f, &size);
        void *state = NULL;
        int n_refused = 0;
        for (size_t i = HEAD_SIZE; i < size; i++) {
            for (int flip = 1; flip < 256; flip = 2 * flip + 1) { // 1, 3, 7, ..., 255
                bytes[i] ^= (char)flip;
                forge(bytes, size);
                n_refused += raw_deserialize(&f, bytes, size, &state) != fmi2OK;
                bytes[i] ^= (char)flip;
            }
        }
        assert_true(n_refused > 0);
        for (size_t n = HEAD_SIZE; n < size; n++) { // cut, with a head that agrees
            char *cut = malloc(n);
            assert_non_null(cut);
            memcpy(cut, bytes, n);
            forge(cut, n);
            assert_int_equal(raw_deserialize(&f, cut, n, &state), fmi2Error);
            free(cut);
        }
        assert_contains(f.log, "the saved state cannot be used");
        assert_int_equal(raw_step(&f, 4, 1), fmi2OK);
        free(bytes);
        raw_close(&f);
        assert_int_equal(raw_allocations(), 0);
    }
}

// What is loaded must not lead outside of arrays.
static void forged_size_of_an_array_is_refused(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Arrays_fmi3");
    raw_start(&f);
    size_t size;
    char *bytes = raw_serialize(&f, &size);
    const uint64_t sizes[] = {3, 2}, forged[] = {9, 2};
    char *place = NULL; // of the two structural parameters, which are neighbours in the table
    for (size_t i = HEAD_SIZE; !place && i + sizeof sizes <= size; i++) {
        if (memcmp(bytes + i, sizes, sizeof sizes) == 0) place = bytes + i;
    }
    assert_non_null(place);
    memcpy(place, forged, sizeof forged);
    forge(bytes, size);
    void *state = NULL;
    assert_int_equal(raw_deserialize(&f, bytes, size, &state), fmi3Error);
    assert_contains(f.log, "the saved state cannot be used: a structural parameter is outside of "
                           "its range");
    free(bytes);
    raw_close(&f);
}

static void shapes_and_contents_of_arrays_are_restored(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Arrays_fmi3");
    raw_start(&f);
    fmi3ValueReference rows = raw_reference(&f, "rows"), z = raw_reference(&f, "z");
    fmi3ValueReference s_in = raw_reference(&f, "s_in");
    const char *texts[] = {"a text", "another one"}, *back[2];
    assert_int_equal(f.fmi3SetString(f.c, &s_in, 1, texts, 2), fmi3OK);
    void *state = NULL;
    assert_int_equal(raw_save(&f, &state), fmi3OK);
    const uint64_t three = 3;
    f.fmi3EnterConfigurationMode(f.c);
    assert_int_equal(f.fmi3SetUInt64(f.c, &rows, 1, &three, 1), fmi3OK);
    f.fmi3ExitConfigurationMode(f.c);
    texts[0] = texts[1];
    assert_int_equal(f.fmi3SetString(f.c, &s_in, 1, texts, 2), fmi3OK);
    assert_int_equal(raw_restore(&f, state), fmi3OK);
    double values[2];
    assert_int_equal(f.fmi3GetFloat64(f.c, &z, 1, values, 2), fmi3OK);
    assert_true(values[0] == 6 && values[1] == 15);
    assert_int_equal(f.fmi3GetString(f.c, &s_in, 1, back, 2), fmi3OK);
    assert_string_equal(back[0], "a text");
    raw_close(&f);
}

static void state_in_an_event_fits_instances_with_event_mode_only(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Thermostat_fmi3");
    f.event_mode = true;
    raw_start(&f);
    size_t size;
    char *bytes = raw_serialize(&f, &size);
    f.fmi3FreeInstance(f.c);
    f.event_mode = false;
    raw_start(&f);
    void *state = NULL;
    assert_int_equal(raw_deserialize(&f, bytes, size, &state), fmi3Error);
    assert_contains(f.log, "this instance has been made without event mode");
    free(bytes);
    raw_close(&f);
}

// Library and interface differ, the model does not.
static void state_travels_between_versions(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "LotkaVolterraPrey");
    raw_start(&f);
    double first[8], second[8];
    run(&f, "y", "x", 0.1, 0, 4, first);
    size_t size;
    char *bytes = raw_serialize(&f, &size);
    run(&f, "y", "x", 0.1, 4, 8, first);
    raw_close(&f);
    raw_open(&f, UNPACKED, "LotkaVolterraPrey_fmi3");
    raw_start(&f);
    void *state = NULL;
    assert_int_equal(raw_deserialize(&f, bytes, size, &state), fmi3OK);
    assert_int_equal(raw_restore(&f, state), fmi3OK);
    run(&f, "y", "x", 0.1, 4, 8, second);
    assert_memory_equal(first + 4, second + 4, 4 * sizeof *first);
    free(bytes);
    raw_close(&f);
}

static void state_of_another_fmu_is_refused(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "LotkaVolterraPrey");
    raw_start(&f);
    size_t size;
    char *bytes = raw_serialize(&f, &size);
    raw_close(&f);
    raw_open(&f, UNPACKED, "LotkaVolterraPredator");
    raw_start(&f);
    fmi2FMUstate state = NULL;
    assert_int_equal(f.fmi2DeSerializeFMUstate(f.c, bytes, size, &state), fmi2Error);
    assert_contains(f.log, "they are a state of another FMU");
    free(bytes);
    raw_close(&f);
}

static void running_out_of_memory_while_loading_is_reported(void **unused)
{
    (void)unused;
    raw_fmu f;
    raw_open(&f, UNPACKED, "Memory");
    raw_start(&f);
    double y[8];
    run(&f, "u", "y", 1, 0, 5, y);
    size_t size;
    char *bytes = raw_serialize(&f, &size);
    int n = 0;
    for (fmi2Status status = fmi2Error; status != fmi2OK; n++) {
        assert_true(n < 20);
        f.fmi2FreeInstance(f.c);
        raw_start(&f);
        raw_clear_log(&f);
        fmi2FMUstate state = NULL;
        raw_limit_allocations(n);
        status = f.fmi2DeSerializeFMUstate(f.c, bytes, size, &state);
        if (status == fmi2OK) status = f.fmi2SetFMUstate(f.c, state);
        raw_limit_allocations(-1);
        if (status != fmi2OK) assert_contains(f.log, "out of memory");
    }
    assert_true(n > 2);
    free(bytes);
    raw_close(&f);
    assert_int_equal(raw_allocations(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restored_fmu_repeats_its_steps_bit_by_bit),
        cmocka_unit_test(every_fmu_of_the_project_can_be_rewound),
        cmocka_unit_test(time_and_state_of_the_calls_are_restored),
        cmocka_unit_test(strings_and_discrete_values_are_restored),
        cmocka_unit_test(memory_of_a_state_is_used_again),
        cmocka_unit_test(strangers_are_not_taken_for_states),
        cmocka_unit_test(fmu_without_rewind_says_so),
        cmocka_unit_test(state_travels_as_bytes_to_another_instance),
        cmocka_unit_test(a_building_of_5000_unknowns_goes_on_with_the_same_bits),
        cmocka_unit_test(damaged_bytes_are_refused_and_the_instance_goes_on),
        cmocka_unit_test(forged_bytes_never_break_the_fmu),
        cmocka_unit_test(forged_size_of_an_array_is_refused),
        cmocka_unit_test(shapes_and_contents_of_arrays_are_restored),
        cmocka_unit_test(state_in_an_event_fits_instances_with_event_mode_only),
        cmocka_unit_test(state_travels_between_versions),
        cmocka_unit_test(state_of_another_fmu_is_refused),
        cmocka_unit_test(running_out_of_memory_while_loading_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
