// SPDX-License-Identifier: MIT
// An FMU opened without the importer; see raw_fmu.h.
#include "support/raw_fmu.h"

#include <ctype.h>
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

static void keep(raw_fmu *fmu, const char *category, const char *note, const char *text)
{
    fmu->n_messages++;
    if (!text) return; // one of the test FMUs does this on purpose
    size_t room = sizeof fmu->log - fmu->log_length;
    int n = snprintf(fmu->log + fmu->log_length, room, "%s: %s%s\n", category, note, text);
    fmu->log_length += (size_t)n < room ? (size_t)n : room - 1;
}

// A text must come as an argument of the format "%s"; anything else is noted.
static void keep_format(raw_fmu *fmu, const char *category, const char *format, va_list arguments)
{
    bool is_safe = format && strcmp(format, "%s") == 0;
    const char *text = is_safe ? va_arg(arguments, const char *) : format;
    keep(fmu, category, is_safe ? "" : "UNSAFE FORMAT: ", text);
}

static void remember(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                     fmi2String category, fmi2String message, ...)
{
    (void)name, (void)status;
    va_list arguments;
    va_start(arguments, message);
    keep_format(environment, category, message, arguments);
    va_end(arguments);
}

// FMI 1.0 has no environment pointer.
static raw_fmu *last_opened;

static void remember1(fmiComponent c, fmiString name, fmiStatus status, fmiString category,
                      fmiString message, ...)
{
    (void)c, (void)name, (void)status;
    va_list arguments;
    va_start(arguments, message);
    keep_format(last_opened, category, message, arguments);
    va_end(arguments);
}

static void remember3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                      fmi3String message)
{
    (void)status;
    keep(environment, category, "", message);
}

static void finished1(fmiComponent c, fmiStatus status)
{
    (void)c, (void)status;
    last_opened->n_finished++;
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

// The function with this name; in FMI 1.0 it has a prefix.
static void *find_function(raw_fmu *fmu, const char *model, const char *name)
{
    char symbol[256];
    snprintf(symbol, sizeof symbol, "%s%s%s", fmu->version == 1 ? model : "",
             fmu->version == 1 ? "_" : "", name);
    void *function = dlsym(fmu->library, symbol);
    if (!function) print_error("%s\n", dlerror());
    assert_non_null(function);
    return function;
}

static void bind_functions(raw_fmu *fmu, const char *model)
{
#define BIND(result, function, parameters)                                                         \
    *(void **)&fmu->function = find_function(fmu, model, #function);
    if (fmu->version == 1) {
        FMI1_COMMON_FUNCTIONS(BIND)
        FMI1_CS_FUNCTIONS(BIND)
        FMI1_ME_FUNCTIONS(BIND)
    } else if (fmu->version == 2) {
        FMI2_COMMON_FUNCTIONS(BIND)
        FMI2_CS_FUNCTIONS(BIND)
        FMI2_ME_FUNCTIONS(BIND)
    } else {
        FMI3_COMMON_FUNCTIONS(BIND)
        FMI3_CS_FUNCTIONS(BIND)
        FMI3_ME_FUNCTIONS(BIND)
        FMI3_SE_FUNCTIONS(BIND)
    }
#undef BIND
}

// Copies the value of the first attribute with this name.
static void read_attribute(const raw_fmu *fmu, const char *name, char *value, size_t size)
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, " %s=\"", name);
    const char *place = strstr(fmu->xml, pattern);
    assert_non_null(place);
    place += strlen(pattern);
    size_t n = strcspn(place, "\"");
    assert_true(n < size);
    memcpy(value, place, n);
    value[n] = 0;
}

void raw_open(raw_fmu *fmu, const char *folder, const char *name)
{
    memset(fmu, 0, sizeof *fmu);
    last_opened = fmu;
    char path[4096], version[8], model[128];
    snprintf(path, sizeof path, "%s/%s/modelDescription.xml", folder, name);
    fmu->xml = read_text(path);
    read_attribute(fmu, "fmiVersion", version, sizeof version);
    fmu->version = version[0] - '0';
    read_attribute(fmu, "modelIdentifier", model, sizeof model);
    read_attribute(fmu, fmu->version == 3 ? "instantiationToken" : "guid", fmu->guid,
                   sizeof fmu->guid);

    snprintf(path, sizeof path, "%s/%s/binaries/%s/%s.so", folder, name,
             fmu->version == 3 ? "x86_64-linux" : "linux64", model);
    fmu->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!fmu->library) print_error("%s\n", dlerror());
    assert_non_null(fmu->library);
    bind_functions(fmu, model);
    fmu->log_message3 = remember3;
    fmu->callbacks1 = (fmiCallbackFunctions){.logger = remember1,
                                             .allocateMemory = allocate,
                                             .freeMemory = release,
                                             .stepFinished = finished1};
    fmu->callbacks = (fmi2CallbackFunctions){.logger = remember,
                                             .allocateMemory = allocate,
                                             .freeMemory = release,
                                             .stepFinished = finished,
                                             .componentEnvironment = fmu};
}

void raw_close(raw_fmu *fmu)
{
    if (fmu->version == 1)
        fmu->fmiFreeSlaveInstance(fmu->c);
    else if (fmu->version == 2)
        fmu->fmi2FreeInstance(fmu->c);
    else
        fmu->fmi3FreeInstance(fmu->c);
    dlclose(fmu->library);
    free(fmu->xml);
}

void raw_instantiate(raw_fmu *fmu)
{
    if (fmu->version == 1)
        fmu->c = fmu->fmiInstantiateSlave("test", fmu->guid, fmu->location,
                                          "application/x-fmu-sharedlibrary", 0, fmiFalse, fmiFalse,
                                          fmu->callbacks1, fmiFalse);
    else if (fmu->version == 2)
        fmu->c = fmu->fmi2Instantiate("test", fmi2CoSimulation, fmu->guid, fmu->location,
                                      &fmu->callbacks, fmi2False, fmi2False);
    else
        fmu->c = fmu->fmi3InstantiateCoSimulation("test", fmu->guid, fmu->location, false, false,
                                                  fmu->event_mode, fmu->early_return, NULL, 0, fmu,
                                                  remember3, NULL);
    if (!fmu->c) print_error("%s", fmu->log);
    assert_non_null(fmu->c);
    const char *const problems[] = {"logStatusWarning", "logStatusDiscard", "logStatusError",
                                    "logStatusFatal"};
    if (fmu->version == 3)
        assert_int_equal(fmu->fmi3SetDebugLogging(fmu->c, true, 4, problems), fmi3OK);
}

static void initialize(raw_fmu *fmu)
{
    if (fmu->version == 1) {
        assert_int_equal(fmu->fmiInitializeSlave(fmu->c, 0, fmiFalse, 0), fmiOK);
        return;
    }
    if (fmu->version == 3) {
        assert_int_equal(fmu->fmi3EnterInitializationMode(fmu->c, false, 0, 0, false, 0), fmi3OK);
        assert_int_equal(fmu->fmi3ExitInitializationMode(fmu->c), fmi3OK);
        return;
    }
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
    int64_t wide = value; // parameters of test FMUs of FMI 3.0 are enumerations
    int status = fmu->version == 1   ? (int)fmu->fmiSetInteger(fmu->c, &vr, 1, &value)
                 : fmu->version == 2 ? (int)fmu->fmi2SetInteger(fmu->c, &vr, 1, &value)
                                     : (int)fmu->fmi3SetInt64(fmu->c, &vr, 1, &wide, 1);
    assert_int_equal(status, 0);
    initialize(fmu);
}

fmi2ValueReference raw_reference(const raw_fmu *fmu, const char *variable)
{
    char pattern[128];
    snprintf(pattern, sizeof pattern, " name=\"%s\" valueReference=\"", variable);
    const char *place = strstr(fmu->xml, pattern);
    if (!place) print_error("no variable '%s'\n", variable);
    assert_non_null(place);
    return (fmi2ValueReference)strtoul(place + strlen(pattern), NULL, 10);
}

void raw_set(raw_fmu *fmu, const char *variable, double value)
{
    fmi2ValueReference vr = raw_reference(fmu, variable);
    int status = fmu->version == 1   ? (int)fmu->fmiSetReal(fmu->c, &vr, 1, &value)
                 : fmu->version == 2 ? (int)fmu->fmi2SetReal(fmu->c, &vr, 1, &value)
                                     : (int)fmu->fmi3SetFloat64(fmu->c, &vr, 1, &value, 1);
    if (status) print_error("%s", fmu->log);
    assert_int_equal(status, 0);
}

double raw_get(raw_fmu *fmu, const char *variable)
{
    fmi2ValueReference vr = raw_reference(fmu, variable);
    double value = NAN;
    int status = fmu->version == 1   ? (int)fmu->fmiGetReal(fmu->c, &vr, 1, &value)
                 : fmu->version == 2 ? (int)fmu->fmi2GetReal(fmu->c, &vr, 1, &value)
                                     : (int)fmu->fmi3GetFloat64(fmu->c, &vr, 1, &value, 1);
    if (status) print_error("%s", fmu->log);
    assert_int_equal(status, 0);
    return value;
}

const char *raw_get_string(raw_fmu *fmu, const char *variable)
{
    fmi2ValueReference vr = raw_reference(fmu, variable);
    const char *value = NULL;
    int status = fmu->version == 1   ? (int)fmu->fmiGetString(fmu->c, &vr, 1, &value)
                 : fmu->version == 2 ? (int)fmu->fmi2GetString(fmu->c, &vr, 1, &value)
                                     : (int)fmu->fmi3GetString(fmu->c, &vr, 1, &value, 1);
    assert_int_equal(status, 0);
    return value;
}

int raw_step(raw_fmu *fmu, double t, double h)
{
    bool needs_event, terminates, is_early;
    double last;
    if (fmu->version == 1) return (int)fmu->fmiDoStep(fmu->c, t, h, fmiTrue);
    if (fmu->version == 2) return (int)fmu->fmi2DoStep(fmu->c, t, h, fmi2False);
    return (int)fmu->fmi3DoStep(fmu->c, t, h, false, &needs_event, &terminates, &is_early, &last);
}

void raw_clear_log(raw_fmu *fmu)
{
    fmu->log_length = 0;
    fmu->log[0] = 0;
    fmu->n_messages = 0;
}

void raw_assert_allowed(const raw_fmu *fmu, const char *call, const char *state,
                        const char *allowed, char letter)
{
    char refusal[200], warning[200];
    snprintf(refusal, sizeof refusal, "logStatusError: %s: not allowed in the state '%s'", call,
             state);
    snprintf(warning, sizeof warning,
             "logStatusWarning: %s: the standard does not allow it in the state '%s'", call, state);
    bool is_allowed = strchr(allowed, letter), is_tolerated = strchr(allowed, tolower(letter));
    bool is_refused = strstr(fmu->log, refusal), is_warned = strstr(fmu->log, warning);
    if (is_refused != !(is_allowed || is_tolerated) || is_warned != (is_tolerated && !is_allowed))
        fail_msg("%s in state %s: log is '%s'\n", call, state, fmu->log);
}

int raw_save(raw_fmu *fmu, void **state)
{
    return fmu->version == 2 ? (int)fmu->fmi2GetFMUstate(fmu->c, state)
                             : (int)fmu->fmi3GetFMUState(fmu->c, state);
}

int raw_restore(raw_fmu *fmu, void *state)
{
    return fmu->version == 2 ? (int)fmu->fmi2SetFMUstate(fmu->c, state)
                             : (int)fmu->fmi3SetFMUState(fmu->c, state);
}

int raw_free_state(raw_fmu *fmu, void **state)
{
    return fmu->version == 2 ? (int)fmu->fmi2FreeFMUstate(fmu->c, state)
                             : (int)fmu->fmi3FreeFMUState(fmu->c, state);
}

int raw_deserialize(raw_fmu *fmu, const char *bytes, size_t size, void **state)
{
    return fmu->version == 2
               ? (int)fmu->fmi2DeSerializeFMUstate(fmu->c, bytes, size, state)
               : (int)fmu->fmi3DeserializeFMUState(fmu->c, (const fmi3Byte *)bytes, size, state);
}

static int write_state(raw_fmu *fmu, void *state, char *bytes, size_t size)
{
    return fmu->version == 2
               ? (int)fmu->fmi2SerializeFMUstate(fmu->c, state, bytes, size)
               : (int)fmu->fmi3SerializeFMUState(fmu->c, state, (fmi3Byte *)bytes, size);
}

char *raw_serialize(raw_fmu *fmu, size_t *size)
{
    void *state = NULL;
    assert_int_equal(raw_save(fmu, &state), 0);
    int status = fmu->version == 2 ? (int)fmu->fmi2SerializedFMUstateSize(fmu->c, state, size)
                                   : (int)fmu->fmi3SerializedFMUStateSize(fmu->c, state, size);
    assert_int_equal(status, 0);
    char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(write_state(fmu, state, bytes, *size - 1), fmi2Error);
    assert_int_equal(write_state(fmu, state, bytes, *size), fmi2OK);
    assert_int_equal(raw_free_state(fmu, &state), 0);
    return bytes;
}
