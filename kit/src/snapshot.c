// SPDX-License-Identifier: MIT
// Saved states. What belongs to a state is written down once, in stream_instance(): the progress of
// the instance, all variables of the table, and the author's own pieces. Saving, loading and
// measuring run it. As bytes, a state carries the identity of the FMU and a check sum.
#include "stream.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct fmukit_snapshot {
    fmukit_snapshot *next; ///< in fmukit_instance::snapshots
    size_t size, capacity;
    unsigned char *bytes; ///< behind this struct, in the same piece of memory
};

// ---- content of a state ----------------------------------------------------------------------------------

// Where the instance is, as one piece.
typedef struct progress {
    double times[9];
    int phase, status;
    unsigned char flags[5];
} progress;

static void stream_progress(fmukit_stream *s, fmukit_instance *fmu)
{
    // Without the stop time: a simulation may go on to a later one than that it was saved in.
    double *const times[] = {&fmu->start,      &fmu->tolerance,  &fmu->time,
                             &fmu->t_end,      &fmu->goal,       &fmu->last_time,
                             &fmu->first_step, &fmu->next_event, &fmu->inner_step};
    bool *const flags[] = {&fmu->is_set_up, &fmu->is_stale, &fmu->wants_end, &fmu->has_next_event,
                           &fmu->is_jumping};
    enum { N_TIMES = sizeof times / sizeof *times, N_FLAGS = sizeof flags / sizeof *flags };
    progress at;
    memset(&at, 0, sizeof at); // also what lies between its members
    at.phase = (int)fmu->phase;
    at.status = (int)fmu->step_status;
    for (size_t i = 0; i < N_TIMES; i++) at.times[i] = *times[i];
    for (size_t i = 0; i < N_FLAGS; i++) at.flags[i] = *flags[i];
    fmukit_bytes(s, &at, sizeof at);
    if (!s->is_loading || s->failed) return;
    for (size_t i = 0; i < N_TIMES; i++) *times[i] = at.times[i];
    for (size_t i = 0; i < N_FLAGS; i++) *flags[i] = at.flags[i] != 0;
    int phase = at.phase, status = at.status;
    // In the phases "step in progress" and "fatal" nothing can be saved.
    bool is_one_phase = phase > 0 && phase <= FMUKIT_CONTINUOUS_TIME &&
                        (phase & (phase - 1)) == 0 && phase != FMUKIT_STEP_IN_PROGRESS &&
                        phase != FMUKIT_IN_FATAL;
    if (!is_one_phase || status < FMUKIT_OK || status > FMUKIT_EVENT) {
        fmukit_refuse(s, "it is in no known phase");
        return;
    }
    if (phase == FMUKIT_EVENT_MODE && !fmu->uses_events) {
        fmukit_refuse(s, "it is in an event, and this instance has been made without event mode");
        return;
    }
    bool is_exchange = phase == FMUKIT_CONTINUOUS_TIME;
    bool is_stepping = phase == FMUKIT_STEP_COMPLETE || phase == FMUKIT_STEP_FAILED;
    if (fmu->is_model_exchange ? is_stepping : is_exchange) {
        fmukit_refuse(s, fmu->is_model_exchange ? "it is of an instance for co-simulation"
                                                : "it is of an instance for model exchange");
        return;
    }
    fmu->phase = (fmukit_phase)phase;
    fmu->step_status = (fmukit_status)status;
}

// The author may use it as an index. An output not computed yet may be 0.
static void stream_enumeration(fmukit_stream *s, const fmukit_variable *variable, int *field)
{
    int value = *field;
    fmukit_integer(s, &value);
    if (value != 0 && !fmukit_is_item(variable->enumeration, value))
        fmukit_refuse(s, "an enumeration has an unknown value");
    if (!s->failed) *field = value;
}

// It decides how much of an array is used, so it must stay in its range.
static void stream_structural(fmukit_stream *s, const fmukit_variable *variable, void *field)
{
    uint64_t value = 0; // the largest of the types
    size_t size = fmukit_facts(variable->type)->size;
    memcpy(&value, field, size);
    fmukit_bytes(s, &value, size);
    if (!fmukit_is_in_range(&variable->range, fmukit_number(variable->type, &value)))
        fmukit_refuse(s, "a structural parameter is outside of its range");
    if (!s->failed) memcpy(field, &value, size);
}

static void stream_element(fmukit_stream *s, const fmukit_variable *variable, void *field)
{
    switch (variable->type) {
    case FMUKIT_STRING: fmukit_stream_text(s, field); break;
    case FMUKIT_BINARY: fmukit_stream_binary(s, field); break;
    default: stream_enumeration(s, variable, field); break;
    }
}

// ---- blocks ----------------------------------------------------------------------------------------

// What every value is fine for goes block by block: numbers, and bytes that are made 0 or 1.
typedef enum content { NUMBERS, BOOLEANS, OTHERS } content;

struct fmukit_block {
    size_t offset, size; // in the author's struct, bytes
    content content;
};

static content content_of(const fmukit_variable *variable)
{
    bool is_number = fmukit_facts(variable->type)->is_number;
    if (variable->type == FMUKIT_BOOLEAN || variable->type == FMUKIT_CLOCK) return BOOLEANS;
    if (!is_number || variable->type == FMUKIT_ENUMERATION) return OTHERS;
    return variable->causality == FMUKIT_STRUCTURAL_PARAMETER ? OTHERS : NUMBERS;
}

static int compare_blocks(const void *a, const void *b)
{
    const fmukit_block *first = a, *second = b;
    if (first->content != second->content) return first->content < second->content ? -1 : 1;
    return first->offset < second->offset ? -1 : first->offset > second->offset;
}

// Neighbours become one block, whatever their order in the table.
bool fmukit_prepare_blocks(fmukit_instance *fmu)
{
    const fmukit_model *model = fmu->model;
    size_t n = 0, n_joined = 0;
    fmukit_block *blocks = fmukit_alloc(fmu, model->n_variables + 1, sizeof *blocks);
    fmu->blocks = blocks;
    fmu->others = fmukit_alloc(fmu, model->n_variables + 1, sizeof *fmu->others);
    if (!blocks || !fmu->others) return false;
    for (size_t i = 0; i < model->n_variables; i++) {
        const fmukit_variable *variable = &model->variables[i];
        size_t size = fmukit_capacity(variable) * fmukit_facts(variable->type)->size;
        content what = content_of(variable);
        if (what == OTHERS)
            fmu->others[fmu->n_others++] = variable;
        else
            blocks[n++] = (fmukit_block){variable->field.offset, size, what};
    }
    qsort(blocks, n, sizeof *blocks, compare_blocks);
    for (size_t i = 0; i < n; i++) {
        fmukit_block *last = n_joined ? &blocks[n_joined - 1] : NULL;
        bool joins = last && last->content == blocks[i].content &&
                     blocks[i].offset <= last->offset + last->size;
        size_t end = blocks[i].offset + blocks[i].size;
        if (!joins)
            blocks[n_joined++] = blocks[i];
        else if (end > last->offset + last->size)
            last->size = end - last->offset;
    }
    fmu->n_blocks = n_joined;
    return true;
}

static void stream_blocks(fmukit_stream *s, fmukit_instance *fmu)
{
    for (size_t i = 0; i < fmu->n_blocks; i++) {
        const fmukit_block *block = &fmu->blocks[i];
        unsigned char *bytes = (unsigned char *)fmu->data + block->offset;
        fmukit_bytes(s, bytes, block->size);
        if (!s->is_loading || block->content != BOOLEANS) continue;
        for (size_t k = 0; k < block->size; k++) bytes[k] = bytes[k] != 0;
    }
}

// The whole field, also what an array does not use now.
static void stream_other(fmukit_stream *s, fmukit_instance *fmu, const fmukit_variable *variable)
{
    char *field = fmukit_field_of(fmu, variable);
    if (variable->causality == FMUKIT_STRUCTURAL_PARAMETER &&
        fmukit_facts(variable->type)->is_number) {
        stream_structural(s, variable, field);
        return;
    }
    for (size_t k = 0; k < fmukit_capacity(variable) && !s->failed; k++)
        stream_element(s, variable, field + k * fmukit_facts(variable->type)->size);
}

static void stream_instance(fmukit_stream *s)
{
    fmukit_instance *fmu = s->fmu;
    stream_progress(s, fmu);
    stream_blocks(s, fmu);
    for (size_t i = 0; i < fmu->n_others && !s->failed; i++) stream_other(s, fmu, fmu->others[i]);
    size_t n_signs = fmu->signs ? fmukit_max_indicators(fmu->model) : 0;
    for (size_t i = 0; i < n_signs && !s->failed; i++) fmukit_boolean(s, &fmu->signs[i]);
    if (fmu->model->functions.state && !s->failed) fmu->model->functions.state(s, fmu->data);
    if (!s->is_loading) return;
    fmukit_hold_inputs(fmu); // their derivatives belonged to the step that would have followed
    if (!s->failed && s->position != s->capacity) fmukit_refuse(s, "it is too long");
    // Strings and binaries point into the stream's bytes now.
    if (!fmukit_adopt(fmu)) fmukit_refuse(s, "out of memory for strings and binaries");
    fmukit_take_shapes(fmu, false);
}

// Returns the size of the state; the bytes are complete if that is not above the capacity.
static size_t save_bytes(fmukit_instance *fmu, unsigned char *bytes, size_t capacity)
{
    fmukit_stream s = {.fmu = fmu, .bytes = bytes, .capacity = capacity};
    stream_instance(&s);
    return s.position;
}

static bool load_bytes(fmukit_instance *fmu, unsigned char *bytes, size_t size)
{
    fmukit_stream s = {.fmu = fmu, .is_loading = true, .bytes = bytes, .capacity = size};
    stream_instance(&s);
    return !s.failed;
}

// ---- list of states ----------------------------------------------------------------------------------------

static fmukit_snapshot *create_snapshot(fmukit_instance *fmu, size_t capacity)
{
    fmukit_snapshot *snapshot = fmukit_alloc(fmu, 1, sizeof *snapshot + capacity);
    if (!snapshot) {
        fmukit_fail(fmu, FMUKIT_ERROR, "out of memory for a state of %lu bytes",
                    (unsigned long)capacity);
        return NULL;
    }
    snapshot->bytes = (unsigned char *)(snapshot + 1);
    snapshot->capacity = capacity;
    snapshot->next = fmu->snapshots;
    fmu->snapshots = snapshot;
    return snapshot;
}

// The place in the list that points to the state; NULL: it is not one of this instance.
static fmukit_snapshot **find_snapshot(fmukit_instance *fmu, const fmukit_snapshot *snapshot)
{
    fmukit_snapshot **place = &fmu->snapshots;
    while (*place && *place != snapshot) place = &(*place)->next;
    return *place ? place : NULL;
}

static bool is_known(fmukit_instance *fmu, const fmukit_snapshot *snapshot)
{
    if (snapshot && find_snapshot(fmu, snapshot)) return true;
    fmukit_fail(fmu, FMUKIT_ERROR, "this is not a saved state of this instance");
    return false;
}

static void remove_snapshot(fmukit_instance *fmu, fmukit_snapshot *snapshot)
{
    fmukit_snapshot **place = find_snapshot(fmu, snapshot);
    *place = snapshot->next;
    fmukit_free(fmu, snapshot);
}

// ---- save and restore ----------------------------------------------------------------------------------------

fmukit_status fmukit_save(fmukit_instance *fmu, fmukit_snapshot **snapshot)
{
    fmukit_snapshot *old = *snapshot;
    if (old && !is_known(fmu, old)) return FMUKIT_ERROR;
    if (old) {
        size_t size = save_bytes(fmu, old->bytes, old->capacity);
        if (size <= old->capacity) {
            old->size = size;
            return FMUKIT_OK;
        }
    }
    fmukit_snapshot *fresh = create_snapshot(fmu, save_bytes(fmu, NULL, 0));
    if (!fresh) return FMUKIT_ERROR;
    fresh->size = save_bytes(fmu, fresh->bytes, fresh->capacity);
    if (old) remove_snapshot(fmu, old);
    *snapshot = fresh;
    return FMUKIT_OK;
}

fmukit_status fmukit_restore(fmukit_instance *fmu, fmukit_snapshot *snapshot)
{
    if (!is_known(fmu, snapshot)) return FMUKIT_ERROR;
    if (load_bytes(fmu, snapshot->bytes, snapshot->size)) return FMUKIT_OK;
    fmu->phase = FMUKIT_IN_ERROR;
    return FMUKIT_ERROR;
}

fmukit_status fmukit_free_snapshot(fmukit_instance *fmu, fmukit_snapshot **snapshot)
{
    if (!*snapshot) return FMUKIT_OK;
    if (!is_known(fmu, *snapshot)) return FMUKIT_ERROR;
    remove_snapshot(fmu, *snapshot);
    *snapshot = NULL;
    return FMUKIT_OK;
}

void fmukit_free_all_snapshots(fmukit_instance *fmu)
{
    while (fmu->snapshots) remove_snapshot(fmu, fmu->snapshots);
}

// ---- states as bytes -------------------------------------------------------------------------------------------

// The number also reveals machines of other byte order.
static const uint64_t magic = UINT64_C(0x3154494b554d4602);

typedef struct header {
    uint64_t magic;
    unsigned char identity[FMUKIT_IDENTITY_SIZE];
    uint64_t size, check_sum; ///< of what follows
} header;

// FNV-1a: against accidents, not against forgery.
static uint64_t check_sum(const unsigned char *bytes, size_t n)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++) sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

fmukit_status fmukit_serialized_size(fmukit_instance *fmu, fmukit_snapshot *snapshot, size_t *size)
{
    if (!is_known(fmu, snapshot)) return FMUKIT_ERROR;
    *size = sizeof(header) + snapshot->size;
    return FMUKIT_OK;
}

fmukit_status fmukit_serialize(fmukit_instance *fmu, fmukit_snapshot *snapshot, void *bytes,
                               size_t size)
{
    if (!is_known(fmu, snapshot)) return FMUKIT_ERROR;
    if (size < sizeof(header) + snapshot->size)
        return fmukit_fail(fmu, FMUKIT_ERROR, "the state needs %lu bytes, but there are only %lu",
                           (unsigned long)(sizeof(header) + snapshot->size), (unsigned long)size);
    header head = {.magic = magic,
                   .size = snapshot->size,
                   .check_sum = check_sum(snapshot->bytes, snapshot->size)};
    fmukit_identity(fmu->model, head.identity);
    memcpy(bytes, &head, sizeof head);
    memcpy((unsigned char *)bytes + sizeof head, snapshot->bytes, snapshot->size);
    return FMUKIT_OK;
}

// Why the bytes cannot be a state of this FMU; NULL: they may be one.
static const char *find_flaw(const fmukit_instance *fmu, const unsigned char *bytes, size_t size,
                             header *head)
{
    if (size < sizeof *head) return "they are too few for a state";
    memcpy(head, bytes, sizeof *head);
    if (head->magic != magic) return "they are no state of an FMU of this kit";
    unsigned char identity[FMUKIT_IDENTITY_SIZE];
    fmukit_identity(fmu->model, identity);
    if (memcmp(identity, head->identity, sizeof identity) != 0)
        return "they are a state of another FMU or of another version of it";
    if (head->size > size - sizeof *head) return "their end is missing";
    if (check_sum(bytes + sizeof *head, (size_t)head->size) != head->check_sum)
        return "they are damaged";
    return NULL;
}

// Only the author's own function can judge whether the bytes make sense, so they are loaded once on
// trial, and the current state is put back.
static bool can_be_loaded(fmukit_instance *fmu, const fmukit_snapshot *candidate)
{
    fmukit_snapshot *current = NULL;
    if (fmukit_save(fmu, &current) != FMUKIT_OK) return false;
    bool ok = load_bytes(fmu, candidate->bytes, candidate->size);
    if (!load_bytes(fmu, current->bytes, current->size)) {
        fmu->phase = FMUKIT_IN_ERROR;
        ok = false;
    }
    remove_snapshot(fmu, current);
    return ok;
}

fmukit_status fmukit_deserialize(fmukit_instance *fmu, const void *bytes, size_t size,
                                 fmukit_snapshot **snapshot)
{
    header head;
    const char *flaw = find_flaw(fmu, bytes, size, &head);
    if (flaw) return fmukit_fail(fmu, FMUKIT_ERROR, "the bytes cannot be used: %s", flaw);
    fmukit_snapshot *fresh = create_snapshot(fmu, (size_t)head.size);
    if (!fresh) return FMUKIT_ERROR;
    memcpy(fresh->bytes, (const unsigned char *)bytes + sizeof head, fresh->capacity);
    fresh->size = fresh->capacity;
    if (!can_be_loaded(fmu, fresh)) {
        remove_snapshot(fmu, fresh);
        return FMUKIT_ERROR;
    }
    // A state given by the caller is replaced. Anything else is an unset variable.
    if (*snapshot && find_snapshot(fmu, *snapshot)) remove_snapshot(fmu, *snapshot);
    *snapshot = fresh;
    return FMUKIT_OK;
}
