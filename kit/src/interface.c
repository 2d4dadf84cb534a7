// SPDX-License-Identifier: MIT
// What the interfaces of all versions share; see interface.h.
#include "interface.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

fmukit_instance *fmukit_enter_closely(void *c, const fmukit_call *call, const char *format, ...)
{
    if (!c) return NULL; // there is no log
    fmukit_instance *fmu = c;
    fmu->call = call->name;
    va_list arguments;
    va_start(arguments, format);
    fmukit_log_call(fmu, format, arguments);
    va_end(arguments);
    if (call->phases & fmu->phase) return fmu;
    if (call->tolerated & fmu->phase) {
        fmukit_tolerate(fmu, "the standard does not allow it in the state '%s'",
                        fmukit_phase_name(fmu));
        return fmu;
    }
    fmukit_fail(fmu, FMUKIT_ERROR, "not allowed in the state '%s'", fmukit_phase_name(fmu));
    return NULL;
}

bool fmukit_tell_missing(fmukit_instance *fmu, const char *name)
{
    fmukit_fail(fmu, FMUKIT_ERROR, "the argument '%s' is NULL", name);
    return false;
}

const char *fmukit_refusal(unsigned interface)
{
    if (fmukit_interfaces(&fmukit_this_model) & interface) return NULL;
    return interface == FMUKIT_CO_SIMULATION ? "the FMU is made for model exchange only"
                                             : "the FMU is made for co-simulation only";
}

// ---- creation and end ------------------------------------------------------------------------------------

static bool is_blank(const char *text)
{
    if (!text) return true;
    while (*text && isspace((unsigned char)*text)) text++;
    return *text == 0;
}

static bool is_request_good(fmukit_instance *fmu, const fmukit_request *request)
{
    const char *token = request->token;
    char own_token[FMUKIT_GUID_SIZE];
    fmukit_guid(fmu->model, own_token);
    if (request->refusal) {
        fmukit_fail(fmu, FMUKIT_ERROR, "%s", request->refusal);
        return false;
    }
    if (token && strcmp(token, own_token) == 0) return true;
    fmukit_fail(fmu, FMUKIT_ERROR,
                "the %s is '%s', but the FMU's library has '%s': modelDescription.xml and "
                "library were not made together",
                fmu->interface->version == 3 ? "instantiation token" : "GUID", token ? token : "",
                own_token);
    return false;
}

// ---- resources -------------------------------------------------------------------------------------------

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Is it something like "http:"? A letter alone is a drive, in a path.
static bool has_scheme(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '+' || text[n] == '-' || text[n] == '.')
        n++;
    return n > 1 && text[n] == ':';
}

// The path in a URI like file:///a%20b, or a path that stands where a URI should; NULL: it names no
// file of this machine.
static const char *find_path(const char *uri, bool *is_encoded)
{
    *is_encoded = strncmp(uri, "file:", 5) == 0;
    if (!*is_encoded) return *uri && !has_scheme(uri) ? uri : NULL;
    const char *path = uri + 5;
    if (path[0] == '/' && path[1] == '/') path = strchr(path + 2, '/'); // behind the machine's name
    if (!path || path[0] != '/') return NULL;
    bool has_drive = isalpha((unsigned char)path[1]) && path[2] == ':'; // "/C:/folder"
    return has_drive ? path + 1 : path;
}

static bool is_separator(char c)
{
#ifdef _WIN32
    if (c == '\\') return true;
#endif
    return c == '/';
}

// Writes the path, decoded and with a slash at its end, to `out`, which has room for it.
static void write_path(char *out, const char *path, bool is_encoded)
{
    char *end = out;
    for (; *path; path++) {
        int high = is_encoded && *path == '%' ? hex_digit(path[1]) : -1;
        int low = high >= 0 ? hex_digit(path[2]) : -1;
        *end++ = low >= 0 ? (char)(16 * high + low) : *path;
        if (low >= 0) path += 2;
    }
    if (end > out && !is_separator(end[-1])) *end++ = '/';
    *end = 0;
}

// The path of the folder, ending with a slash, or "" where it is not known; NULL: no memory.
static char *copy_resource_path(fmukit_instance *fmu, const fmukit_request *request)
{
    const char *given = request->resources ? request->resources : "";
    const char *inside = request->inside;
    bool is_encoded = strncmp(given, "file:/", 6) == 0;
    const char *path = inside || is_encoded ? find_path(given, &is_encoded) : given;
    if (!path) path = inside = "";
    char *copy = fmukit_alloc(fmu, strlen(path) + (inside ? strlen(inside) : 0) + 3, 1);
    if (!copy) return NULL;
    write_path(copy, path, is_encoded);
    if (inside) write_path(copy + strlen(copy), inside, false);
    return copy;
}

static bool init_instance(fmukit_instance *fmu, const fmukit_request *request)
{
    char *resources = copy_resource_path(fmu, request);
    if (!resources) fmukit_fail(fmu, FMUKIT_ERROR, "out of memory");
    const char *name = is_blank(request->name) ? fmukit_this_model.name : request->name;
    bool ok = resources && fmukit_instance_init(fmu, &fmukit_this_model, name, resources);
    if (ok && name != request->name)
        fmukit_tolerate(fmu, "the instance has no name; it is called '%s'", name);
    fmukit_free(fmu, resources);
    return ok;
}

// ---- instantiation -----------------------------------------------------------------------------------------

fmukit_instance *fmukit_instantiate(fmukit_instance *early, size_t size,
                                    const fmukit_request *request)
{
    // Until there is memory, messages come from this one.
    char early_name[128] = "";
    if (request->name) strncat(early_name, request->name, sizeof early_name - 1);
    early->name = early_name;
    early->model = &fmukit_this_model;
    bool is_good = is_request_good(early, request);
    fmukit_instance *fmu = is_good ? early->host.allocate(1, size) : NULL;
    if (is_good && !fmu) fmukit_fail(early, FMUKIT_ERROR, "out of memory");
    early->name = NULL;
    if (!fmu) return NULL;
    memcpy(fmu, early, size);
    if (!init_instance(fmu, request)) {
        early->host.release(fmu);
        return NULL;
    }
    int version = fmu->interface->version;
    fmukit_log(fmu, FMUKIT_OK, fmukit_own_category(FMUKIT_LOG_CALLS, version).name, "%s",
               fmu->call);
    return fmu;
}

void fmukit_free_instance(void *c, const fmukit_call *call)
{
    if (!c) return;
    fmukit_instance *fmu = c;
    bool is_allowed = fmukit_enter(c, call, "called") != NULL;
    if (!is_allowed && fmu->phase == FMUKIT_STEP_IN_PROGRESS) return;
    void (*release)(void *) = fmu->host.release;
    fmukit_instance_clear(fmu);
    release(c);
}

fmukit_status fmukit_call_set_logging(void *c, const fmukit_call *call, bool is_on, size_t n,
                                      const char *const *categories)
{
    fmukit_instance *fmu = fmukit_enter(c, call, "nCategories = %lu", (unsigned long)n);
    if (!fmu) return FMUKIT_ERROR;
    if (!categories) n = 0;
    unsigned chosen = n ? 0 : ~0u;
    for (size_t i = 0; i < n; i++) {
        bool is_all = categories[i] && strcmp(categories[i], "logAll") == 0;
        int category = categories[i] ? fmukit_find_category(fmu, categories[i]) : -1;
        if (category < 0 && !is_all)
            fmukit_tolerate(fmu, "unknown log category '%s'",
                            categories[i] ? categories[i] : "(NULL)");
        else
            chosen |= is_all ? ~0u : 1u << category;
    }
    if (is_on)
        fmu->enabled_categories |= chosen;
    else
        fmu->enabled_categories &= ~chosen;
    return FMUKIT_OK;
}

// ---- values and steps --------------------------------------------------------------------------------------

fmukit_status fmukit_call_simple(void *c, const fmukit_call *call, fmukit_simple_fn *function)
{
    fmukit_instance *fmu = fmukit_enter(c, call, "called");
    return fmu ? function(fmu) : FMUKIT_ERROR;
}

fmukit_status fmukit_call_get(void *c, const fmukit_call *call, const fmukit_access *access,
                              void *values)
{
    fmukit_instance *fmu = fmukit_enter(c, call, "nvr = %lu", (unsigned long)access->n);
    if (!fmu) return FMUKIT_ERROR;
    return fmukit_get_simply(fmu, access, values) ? FMUKIT_OK
                                                  : fmukit_get(fmu, access, values, NULL);
}

fmukit_status fmukit_call_set(void *c, const fmukit_call *call, const fmukit_access *access,
                              const void *values)
{
    fmukit_instance *fmu = fmukit_enter(c, call, "nvr = %lu", (unsigned long)access->n);
    if (!fmu) return FMUKIT_ERROR;
    return fmukit_set_simply(fmu, access, values) ? FMUKIT_OK
                                                  : fmukit_set(fmu, access, values, NULL);
}

fmukit_status fmukit_call_get_output_derivatives(void *c, const fmukit_call *call,
                                                 const unsigned *references, size_t n,
                                                 const int *orders, double *values, size_t n_values)
{
    fmukit_instance *fmu = fmukit_enter(c, call, "nvr = %lu", (unsigned long)n);
    if (!fmu) return FMUKIT_ERROR;
    return fmukit_get_output_derivatives(fmu, references, n, orders, values, n_values);
}

fmukit_status fmukit_call_step(void *c, const fmukit_call *call, double t, double h, bool is_final)
{
    fmukit_instance *fmu = fmukit_enter(
        c, call, "currentCommunicationPoint = %.15g, communicationStepSize = %.15g", t, h);
    if (!fmu) return FMUKIT_ERROR;
    fmu->is_final = is_final;
    return fmukit_step(fmu, t, h);
}

// ---- saved states ------------------------------------------------------------------------------------------

// Enters a function that needs a saved state, and checks that the model has such a thing.
static fmukit_instance *enter_state(void *c, const fmukit_call *call, bool needs_bytes)
{
    fmukit_instance *fmu = fmukit_enter(c, call, "called");
    if (!fmu) return NULL;
    const fmukit_model *model = fmu->model;
    if (!model->no_rewind && !(needs_bytes && model->no_serialize)) return fmu;
    fmukit_fail(fmu, FMUKIT_ERROR, "the model cannot %s its state",
                model->no_rewind ? "save and restore" : "serialize");
    return NULL;
}

fmukit_status fmukit_call_save(void *c, const fmukit_call *call, void **state)
{
    fmukit_instance *fmu = enter_state(c, call, false);
    if (!fmu || !fmukit_is_given(fmu, state, "FMUstate")) return FMUKIT_ERROR;
    fmukit_snapshot *snapshot = *state;
    fmukit_status status = fmukit_save(fmu, &snapshot);
    if (status == FMUKIT_OK) *state = snapshot;
    return status;
}

fmukit_status fmukit_call_restore(void *c, const fmukit_call *call, void *state)
{
    fmukit_instance *fmu = enter_state(c, call, false);
    return fmu ? fmukit_restore(fmu, state) : FMUKIT_ERROR;
}

fmukit_status fmukit_call_free_state(void *c, const fmukit_call *call, void **state)
{
    fmukit_instance *fmu = enter_state(c, call, false);
    if (!fmu) return FMUKIT_ERROR;
    if (!state) return FMUKIT_OK; // the standard: the call is ignored
    fmukit_snapshot *snapshot = *state;
    fmukit_status status = fmukit_free_snapshot(fmu, &snapshot);
    if (status == FMUKIT_OK) *state = NULL;
    return status;
}

fmukit_status fmukit_call_state_size(void *c, const fmukit_call *call, void *state, size_t *size)
{
    fmukit_instance *fmu = enter_state(c, call, true);
    if (!fmu || !fmukit_is_given(fmu, size, "size")) return FMUKIT_ERROR;
    return fmukit_serialized_size(fmu, state, size);
}

fmukit_status fmukit_call_serialize(void *c, const fmukit_call *call, void *state, void *bytes,
                                    size_t size)
{
    fmukit_instance *fmu = enter_state(c, call, true);
    if (!fmu || !fmukit_is_given(fmu, bytes, "serializedState")) return FMUKIT_ERROR;
    return fmukit_serialize(fmu, state, bytes, size);
}

fmukit_status fmukit_call_deserialize(void *c, const fmukit_call *call, const void *bytes,
                                      size_t size, void **state)
{
    fmukit_instance *fmu = enter_state(c, call, true);
    if (!fmu || !fmukit_is_given(fmu, bytes, "serializedState") ||
        !fmukit_is_given(fmu, state, "FMUstate"))
        return FMUKIT_ERROR;
    fmukit_snapshot *snapshot = *state;
    fmukit_status status = fmukit_deserialize(fmu, bytes, size, &snapshot);
    if (status == FMUKIT_OK) *state = snapshot;
    return status;
}

// ---- FMI 1.0 and 2.0 -----------------------------------------------------------------------------------------

fmukit_host fmukit_choose_host(void *(*allocate)(size_t, size_t), void (*release)(void *))
{
    bool is_complete = allocate && release;
    return (fmukit_host){.allocate = is_complete ? allocate : calloc,
                         .release = is_complete ? release : free};
}

fmukit_status fmukit_call_set_input_derivatives(void *c, const fmukit_call *call,
                                                const unsigned *references, size_t n,
                                                const int *orders, const double *values)
{
    fmukit_instance *fmu = fmukit_enter(c, call, "nvr = %lu", (unsigned long)n);
    if (!fmu) return FMUKIT_ERROR;
    return fmukit_set_input_derivatives(fmu, references, n, orders, values);
}

fmukit_status fmukit_call_ask(void *c, const fmukit_call *call, int kind, int expected,
                              const void *value)
{
    fmukit_instance *fmu = fmukit_enter(c, call, "kind = %d", kind);
    if (!fmu || (expected >= 0 && !fmukit_is_given(fmu, value, "value"))) return FMUKIT_ERROR;
    return kind == expected ? FMUKIT_OK : FMUKIT_DISCARD;
}

fmukit_status fmukit_ask_step(fmukit_instance *fmu, bool *is_just_finished)
{
    bool was_pending = fmu->phase == FMUKIT_STEP_IN_PROGRESS;
    fmukit_status status = fmukit_poll(fmu);
    *is_just_finished = was_pending && status != FMUKIT_PENDING;
    return status;
}
