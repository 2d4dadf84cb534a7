// SPDX-License-Identifier: MIT
// An FMU opened without the importer; see raw_fmu.h.
#include "support/raw_fmu.h"

#include <dlfcn.h>

// FMI's memory callbacks carry no context.
static int allocations_left = -1;
static int n_allocations;

static void *allocate(size_t n_objects, size_t size)
{
    if (allocations_left == 0) return NULL;
    if (allocations_left > 0) allocations_left--;
    void *memory = calloc(n_objects, size);
    if (memory) n_allocations++;
    return memory;
}

static void release(void *memory)
{
    if (memory) n_allocations--;
    free(memory);
}

void raw_limit_allocations(int n)
{
    allocations_left = n;
}

int raw_allocations(void)
{
    return n_allocations;
}

static void remember(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                     fmi2String category, fmi2String message, ...)
{
    raw_fmu *fmu = environment;
    fmu->n_messages++;
    if (!message) return; // one of the test FMUs does this on purpose
    const char *text = message;
    if (strcmp(message, "%s") == 0) {
        va_list arguments;
        va_start(arguments, message);
        text = va_arg(arguments, const char *);
        va_end(arguments);
    }
    (void)name, (void)status;
    size_t room = sizeof fmu->log - fmu->log_length;
    int n = snprintf(fmu->log + fmu->log_length, room, "%s: %s%s\n", category,
                     text == message ? "UNSAFE FORMAT: " : "", text);
    fmu->log_length += (size_t)n < room ? (size_t)n : room - 1;
}

static void finished(fmi2ComponentEnvironment environment, fmi2Status status)
{
    (void)status;
    ((raw_fmu *)environment)->n_finished++;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    size_t n = fread(text, 1, (1 << 20) - 1, file);
    assert_true(n > 0);
    fclose(file);
    return text;
}

void raw_open(raw_fmu *fmu, const char *folder, const char *name)
{
    memset(fmu, 0, sizeof *fmu);
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/modelDescription.xml", folder, name);
    fmu->xml = read_text(path);
    const char *guid = strstr(fmu->xml, "guid=\"");
    assert_non_null(guid);
    sscanf(guid, "guid=\"%63[^\"]", fmu->guid);

    snprintf(path, sizeof path, "%s/%s/binaries/linux64/%s.so", folder, name, name);
    fmu->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!fmu->library) print_error("%s\n", dlerror());
    assert_non_null(fmu->library);
#define BIND(result, function, parameters)                                                         \
    *(void **)&fmu->function = dlsym(fmu->library, #function);                                     \
    assert_non_null(fmu->function);
    FMI2_COMMON_FUNCTIONS(BIND)
    FMI2_CS_FUNCTIONS(BIND)
#undef BIND
    fmu->callbacks = (fmi2CallbackFunctions){.logger = remember,
                                             .allocateMemory = allocate,
                                             .freeMemory = release,
                                             .stepFinished = finished,
                                             .componentEnvironment = fmu};
}

void raw_close(raw_fmu *fmu)
{
    fmu->fmi2FreeInstance(fmu->c);
    dlclose(fmu->library);
    free(fmu->xml);
}

void raw_instantiate(raw_fmu *fmu)
{
    fmu->c = fmu->fmi2Instantiate("test", fmi2CoSimulation, fmu->guid, "", &fmu->callbacks,
                                  fmi2False, fmi2False);
    assert_non_null(fmu->c);
}

static void initialize(raw_fmu *fmu)
{
    assert_int_equal(fmu->fmi2SetupExperiment(fmu->c, fmi2False, 0, 0, fmi2False, 0), fmi2OK);
    assert_int_equal(fmu->fmi2EnterInitializationMode(fmu->c), fmi2OK);
    assert_int_equal(fmu->fmi2ExitInitializationMode(fmu->c), fmi2OK);
}

void raw_start(raw_fmu *fmu)
{
    raw_instantiate(fmu);
    initialize(fmu);
}

void raw_start_with(raw_fmu *fmu, const char *parameter, int value)
{
    raw_instantiate(fmu);
    fmi2ValueReference vr = raw_reference(fmu, parameter);
    assert_int_equal(fmu->fmi2SetInteger(fmu->c, &vr, 1, &value), fmi2OK);
    initialize(fmu);
}

fmi2ValueReference raw_reference(const raw_fmu *fmu, const char *variable)
{
    char pattern[128];
    snprintf(pattern, sizeof pattern, "<ScalarVariable name=\"%s\" valueReference=\"", variable);
    const char *place = strstr(fmu->xml, pattern);
    if (!place) print_error("no variable '%s'\n", variable);
    assert_non_null(place);
    return (fmi2ValueReference)strtoul(place + strlen(pattern), NULL, 10);
}

void raw_set(raw_fmu *fmu, const char *variable, double value)
{
    fmi2ValueReference vr = raw_reference(fmu, variable);
    assert_int_equal(fmu->fmi2SetReal(fmu->c, &vr, 1, &value), fmi2OK);
}

double raw_get(raw_fmu *fmu, const char *variable)
{
    fmi2ValueReference vr = raw_reference(fmu, variable);
    double value = NAN;
    assert_int_equal(fmu->fmi2GetReal(fmu->c, &vr, 1, &value), fmi2OK);
    return value;
}

void raw_clear_log(raw_fmu *fmu)
{
    fmu->log_length = 0;
    fmu->log[0] = 0;
    fmu->n_messages = 0;
}
