// SPDX-License-Identifier: MIT
// The files that a project consists of: finding, opening and unpacking them, and what they define for
// themselves, units and systems with an id. Inside of a package no path may lead out of it (SSP
// standard, chapter 3, warns of just that).
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "project/ssd_reader.h"
#include "project/uri.h"

// ---- paths -----------------------------------------------------------------------------------------

takt_ssd_base takt_ssd_document_base(const takt_ssd_document *document)
{
    return (takt_ssd_base){document->path, document->package, document->package_shown};
}

// "plant.ssp/resources/a.ssv" for a file inside of a package, else its path.
static const char *shown_path(takt_arena *arena, const takt_ssd_base *base, const char *path)
{
    if (!base->package) return path;
    const char *below = path + strlen(base->package);
    return takt_arena_print(arena, "%s/%s", base->package_shown, below + strspn(below, "/"));
}

bool takt_ssd_locate(takt_ssd_reader *reader, const takt_xml_element *element, const char *what,
                     const takt_ssd_base *base, const char *uri, const char **path,
                     const char **shown)
{
    takt_arena *arena = &reader->project->arena;
    takt_error err = {0};
    const char *found = NULL;
    if (takt_uri_is_builtin(uri)) {
        *path = *shown = uri;
        return true;
    }
    takt_status st =
        base->package ? takt_uri_resolve_inside(arena, base->package, base->path, uri, &found, &err)
                      : takt_uri_resolve(arena, base->path, uri, &found, &err);
    const char *name = found ? shown_path(arena, base, found) : NULL;
    if (st == TAKT_ERR_MEMORY || (!st && !name))
        reader->is_out_of_memory = true;
    else if (st)
        takt_ssd_error(reader, element, "%s %s", what, err.message);
    if (st || !name) return false;
    *path = found;
    *shown = name;
    return true;
}

// ---- units, enumerations and ids -----------------------------------------------------------------------------------

static int integer_attribute(takt_ssd_reader *reader, const takt_xml_element *element,
                             const char *name)
{
    double value = takt_ssd_number(reader, element, name, 0);
    if (value >= -100 && value <= 100 && value == (double)(int)value) return (int)value;
    takt_ssd_error(reader, element, "the exponent %s=\"%s\" is not possible", name,
                   takt_xml_element_attribute(element, name));
    return 0;
}

static takt_unit read_unit(takt_ssd_reader *reader, const takt_xml_element *element)
{
    static const char *const names[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    static const char *const attributes[] = {"kg", "m",   "s",      "A",      "K", "mol",
                                             "cd", "rad", "factor", "offset", NULL};
    const char *name = takt_ssd_required(reader, element, "name");
    const takt_xml_element *base = takt_xml_first_child(element, TAKT_SSC_NAMESPACE, "BaseUnit");
    takt_unit unit = {.name = name ? name : "", .has_base = base != NULL, .factor = 1};
    if (!base) return unit;
    takt_ssd_check_attributes(reader, base, attributes);
    int *exponents[] = {&unit.kg, &unit.m,   &unit.s,  &unit.A,
                        &unit.K,  &unit.mol, &unit.cd, &unit.rad};
    for (int i = 0; i < 8; i++) *exponents[i] = integer_attribute(reader, base, names[i]);
    unit.factor = takt_ssd_number(reader, base, "factor", 1);
    unit.offset = takt_ssd_number(reader, base, "offset", 0);
    if (unit.factor == 0) {
        takt_ssd_error(reader, base, "the unit '%s' has the factor 0", unit.name);
        unit.factor = 1;
    }
    return unit;
}

static const takt_xml_element *units_of(const takt_xml_element *owner)
{
    // The list has the namespace of its document; its items always that of common things.
    return takt_xml_first_child(owner, takt_xml_element_namespace(owner), "Units");
}

static bool is_same_unit(const takt_unit *a, const takt_unit *b)
{
    return a->kg == b->kg && a->m == b->m && a->s == b->s && a->A == b->A && a->K == b->K &&
           a->mol == b->mol && a->cd == b->cd && a->rad == b->rad && a->factor == b->factor &&
           a->offset == b->offset;
}

// Every file defines its own units. But one name with two meanings is hardly intended.
static void compare_with_others(takt_ssd_reader *reader, const takt_xml_element *element,
                                const takt_unit *unit)
{
    if (!unit->has_base) return;
    for (const takt_ssd_document *d = reader->documents; d; d = d->next) {
        int i = d->units ? takt_map_find(&d->units->names, unit->name) : -1;
        const takt_unit *other = i < 0 ? NULL : &d->units->items[i];
        if (!other || !other->has_base || is_same_unit(unit, other)) continue;
        takt_ssd_warn(
            reader, element,
            "the unit '%s' has other base units than in %s; give one of them another name",
            unit->name, d->shown);
        return;
    }
}

static void check_units(takt_ssd_reader *reader, const takt_xml_element *list)
{
    const takt_xml_element *e = takt_xml_first_child(list, NULL, NULL);
    for (; e; e = takt_xml_next_sibling(e, NULL, NULL))
        if (strcmp(takt_xml_element_name(e), "Unit") != 0 ||
            strcmp(takt_xml_element_namespace(e), TAKT_SSC_NAMESPACE) != 0)
            takt_ssd_error(reader, e,
                           "<%s> is not known inside <Units>; it holds <Unit> of the namespace %s",
                           takt_xml_element_name(e), TAKT_SSC_NAMESPACE);
}

static void read_units(takt_ssd_reader *reader, const takt_xml_element *owner, takt_ssd_units *out)
{
    const takt_xml_element *list = units_of(owner);
    if (list) check_units(reader, list);
    const takt_xml_element *first =
        list ? takt_xml_first_child(list, TAKT_SSC_NAMESPACE, "Unit") : NULL;
    size_t n = 0;
    for (const takt_xml_element *e = first; e;
         e = takt_xml_next_sibling(e, TAKT_SSC_NAMESPACE, "Unit"))
        n++;
    takt_map_clear(&out->names);
    out->owner = owner;
    out->items = takt_arena_array(&reader->project->arena, n, sizeof *out->items);
    if (!out->items) reader->is_out_of_memory = true;
    int i = 0;
    for (const takt_xml_element *e = out->items ? first : NULL; e;
         e = takt_xml_next_sibling(e, TAKT_SSC_NAMESPACE, "Unit"), i++) {
        out->items[i] = read_unit(reader, e);
        if (takt_map_find(&out->names, out->items[i].name) >= 0)
            takt_ssd_error(reader, e, "the unit '%s' is defined twice", out->items[i].name);
        else if (!takt_map_add(&out->names, out->items[i].name, i))
            reader->is_out_of_memory = true;
        else
            compare_with_others(reader, e, &out->items[i]);
    }
}

const takt_unit *takt_ssd_unit(takt_ssd_reader *reader, const takt_xml_element *set,
                               const char *name)
{
    takt_ssd_units *units = &reader->set_units;
    if (set == takt_xml_tree_root(reader->document->tree)) set = NULL; // read with the document
    if (set && units->owner != set) read_units(reader, set, units);
    int i = set ? takt_map_find(&units->names, name) : -1;
    if (i >= 0) return &units->items[i];
    units = reader->document->units;
    i = takt_map_find(&units->names, name);
    return i < 0 ? NULL : &units->items[i];
}

static int count_children(const takt_xml_element *list, const char *name)
{
    int n = 0;
    const takt_xml_element *e = takt_xml_first_child(list, TAKT_SSC_NAMESPACE, name);
    for (; e; e = takt_xml_next_sibling(e, TAKT_SSC_NAMESPACE, name)) n++;
    return n;
}

// Items without a name or a number are of no use for conversions, and left out.
static takt_project_enumeration read_items(takt_ssd_reader *reader, const takt_xml_element *element)
{
    takt_arena *arena = &reader->project->arena;
    takt_project_enumeration out = {0};
    out.items = takt_arena_array(arena, (size_t)count_children(element, "Item"), sizeof *out.items);
    if (!out.items) reader->is_out_of_memory = true;
    const takt_xml_element *e = takt_xml_first_child(element, TAKT_SSC_NAMESPACE, "Item");
    for (; e && out.items; e = takt_xml_next_sibling(e, TAKT_SSC_NAMESPACE, "Item")) {
        const char *name = takt_xml_element_attribute(e, "name");
        const char *value = takt_xml_element_attribute(e, "value");
        takt_project_item *item = &out.items[out.n_items];
        if (!name || !value ||
            !takt_number_read_integer(value, value + strlen(value), &item->value))
            continue;
        item->name = takt_arena_copy(arena, name);
        if (!item->name) reader->is_out_of_memory = true;
        if (item->name) out.n_items++;
    }
    return out;
}

static bool read_enumerations(takt_ssd_reader *reader, takt_ssd_document *document)
{
    const takt_xml_element *root = takt_xml_tree_root(document->tree);
    const takt_xml_element *list =
        takt_xml_first_child(root, takt_xml_element_namespace(root), "Enumerations");
    if (!list) return true;
    size_t n = (size_t)count_children(list, "Enumeration");
    document->enumerations =
        takt_arena_array(&reader->project->arena, n, sizeof *document->enumerations);
    if (!document->enumerations) return false;
    int i = 0;
    const takt_xml_element *e = takt_xml_first_child(list, TAKT_SSC_NAMESPACE, "Enumeration");
    for (; e; e = takt_xml_next_sibling(e, TAKT_SSC_NAMESPACE, "Enumeration"), i++) {
        const char *name = takt_xml_element_attribute(e, "name");
        document->enumerations[i] = read_items(reader, e);
        if (name && takt_map_find(&document->enumeration_names, name) < 0 &&
            !takt_map_add(&document->enumeration_names, name, i))
            return false;
    }
    return !reader->is_out_of_memory;
}

const takt_project_enumeration *takt_ssd_enumeration(const takt_ssd_reader *reader,
                                                     const char *name)
{
    int i = takt_map_find(&reader->document->enumeration_names, name);
    return i < 0 ? NULL : &reader->document->enumerations[i];
}

// Collects systems with an id, or with `out` NULL counts them.
static int find_identified(const takt_xml_element *element, const takt_xml_element **out, int n)
{
    const takt_xml_element *child = takt_xml_first_child(element, TAKT_SSD_NAMESPACE, NULL);
    for (; child; child = takt_xml_next_sibling(child, TAKT_SSD_NAMESPACE, NULL)) {
        const char *name = takt_xml_element_name(child);
        bool is_system = strcmp(name, "System") == 0;
        if (is_system && takt_xml_element_attribute(child, "id")) {
            if (out) out[n] = child;
            n++;
        }
        if (is_system || strcmp(name, "Elements") == 0) n = find_identified(child, out, n);
    }
    return n;
}

const takt_xml_element *takt_ssd_identified(const takt_ssd_document *document, const char *id)
{
    int i = takt_map_find(&document->ids, id);
    return i < 0 ? NULL : document->identified[i];
}

// What the document defines for itself.
static bool read_definitions(takt_ssd_reader *reader, takt_ssd_document *document)
{
    takt_arena *arena = &reader->project->arena;
    const takt_xml_element *root = takt_xml_tree_root(document->tree);
    int n = find_identified(root, NULL, 0);
    document->identified = takt_arena_array(arena, (size_t)n, sizeof *document->identified);
    document->units = takt_arena_alloc(arena, sizeof *document->units);
    if (!document->identified || !document->units) return false;
    document->n_identified = find_identified(root, document->identified, 0);
    for (int i = 0; i < n; i++) {
        const takt_xml_element *system = document->identified[i];
        const char *id = takt_xml_element_attribute(system, "id");
        if (takt_map_find(&document->ids, id) >= 0)
            takt_ssd_error(reader, system, "the id '%s' is used twice", id);
        else if (!takt_map_add(&document->ids, id, i))
            return false;
    }
    read_units(reader, root, document->units);
    return read_enumerations(reader, document);
}

// ---- documents -----------------------------------------------------------------------------------------

bool takt_ssd_enter(takt_ssd_reader *reader, takt_xml_tree *tree, const takt_ssd_document *place)
{
    takt_arena *arena = &reader->project->arena;
    takt_ssd_document *document = takt_arena_alloc(arena, sizeof *document);
    if (!document) {
        takt_xml_tree_close(tree);
        reader->is_out_of_memory = true;
        return false;
    }
    *document = *place;
    document->tree = tree;
    document->root = "";
    document->next = reader->documents;
    reader->documents = reader->document = document;
    takt_error err = {0};
    takt_status st = takt_path_real(arena, place->path, &document->real, &err);
    if (st && st != TAKT_ERR_MEMORY)
        takt_ssd_error(reader, takt_xml_tree_root(tree), "%s", err.message);
    if (st == TAKT_ERR_MEMORY || !read_definitions(reader, document))
        reader->is_out_of_memory = true;
    return !reader->is_out_of_memory;
}

bool takt_ssd_check_root(takt_ssd_reader *reader, const char *space, const char *name)
{
    const takt_xml_element *root = takt_xml_tree_root(reader->document->tree);
    const char *version = takt_xml_element_attribute(root, "version");
    reader->document->root = name;
    if (strcmp(takt_xml_element_name(root), name) != 0 ||
        strcmp(takt_xml_element_namespace(root), space) != 0) {
        takt_ssd_error(reader, root, "<%s> is not the root of a %s of the namespace %s",
                       takt_xml_element_name(root), name, space);
        return false;
    }
    if (!version || (strcmp(version, "1.0") != 0 && strcmp(version, "2.0") != 0))
        takt_ssd_warn(reader, root, "the version of SSP is '%s'; known are 1.0 and 2.0",
                      version ? version : "");
    return true;
}

takt_ssd_document *takt_ssd_open(takt_ssd_reader *reader, const takt_xml_element *element,
                                 const takt_ssd_document *place, const char *space,
                                 const char *name)
{
    for (takt_ssd_document *d = reader->documents; d; d = d->next)
        if (strcmp(d->path, place->path) == 0 && strcmp(d->root, name) == 0)
            return d->is_wrong ? NULL : d;
    takt_ssd_document *outer = reader->document, *opened = NULL;
    takt_xml_tree *tree = NULL;
    takt_error err = {0};
    takt_status st = takt_xml_tree_open(place->path, place->shown, &tree, &err);
    if (st == TAKT_ERR_MEMORY)
        reader->is_out_of_memory = true;
    else if (st)
        takt_ssd_error(reader, element, "%s", err.message);
    else if (takt_ssd_enter(reader, tree, place)) {
        opened = reader->document;
        opened->is_wrong = !takt_ssd_check_root(reader, space, name);
    }
    reader->document = outer;
    if (opened && opened->is_wrong) return NULL;
    return opened;
}

bool takt_ssd_unpack(takt_ssd_reader *reader, const takt_xml_element *element, const char *what,
                     const char *path, const char *shown, const char *file,
                     takt_ssd_document *place)
{
    takt_arena *arena = &reader->project->arena;
    const char *folder = NULL;
    takt_error err = {0};
    takt_status st = takt_project_unpack(reader->project, path, &folder, &err);
    if (st && st != TAKT_ERR_MEMORY) {
        takt_ssd_error(reader, element, "%s %s", what, err.message);
        return false;
    }
    *place = (takt_ssd_document){.package = folder, .package_shown = shown};
    if (!st) place->path = takt_path_join(arena, folder, file);
    if (!st) place->shown = takt_arena_print(arena, "%s/%s", shown, file);
    if (place->path && place->shown) return true;
    reader->is_out_of_memory = true;
    return false;
}

bool takt_ssd_is_full(takt_ssd_reader *reader, const takt_xml_element *element)
{
    if (reader->is_full || reader->is_out_of_memory) return true;
    if (takt_wires_memory(&reader->wires, reader->project) < TAKT_WIRES_MAX_MEMORY) return false;
    reader->is_full = true;
    takt_ssd_error(reader, element,
                   "the project takes more than %d MB of memory, counting what is referred to more "
                   "than once",
                   TAKT_WIRES_MAX_MEMORY >> 20);
    return true;
}

void takt_ssd_reader_clear(takt_ssd_reader *reader)
{
    for (takt_ssd_document *d = reader->documents; d; d = d->next) {
        if (d->units) takt_map_clear(&d->units->names);
        takt_map_clear(&d->enumeration_names);
        takt_map_clear(&d->ids);
        takt_xml_tree_close(d->tree);
    }
    takt_map_clear(&reader->set_units.names);
    takt_wires_clear(&reader->wires);
}
