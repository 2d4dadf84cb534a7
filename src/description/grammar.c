// SPDX-License-Identifier: MIT
// Elements and attributes of model descriptions; see grammar.h. Written from the schemas of
// FMI 1.0 and FMI 2.0.5.
#include "description/grammar.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "description/words.h"

enum { MAX_WORDS = 32 };

// ---- tables --------------------------------------------------------------------------------------

#define FMI1_REAL "quantity unit displayUnit relativeQuantity min max nominal"
#define FMI1_ROOT                                                                                  \
    "fmiVersion modelName modelIdentifier guid description author version generationTool "         \
    "generationDateAndTime variableNamingConvention numberOfContinuousStates "                     \
    "numberOfEventIndicators"
#define FMI1_CAPABILITIES                                                                          \
    "canHandleVariableCommunicationStepSize canHandleEvents canRejectSteps canInterpolateInputs "  \
    "maxOutputDerivativeOrder canRunAsynchronuously canSignalEvents "                              \
    "canBeInstantiatedOnlyOncePerProcess canNotUseMemoryManagementFunctions"

const takt_grammar_row takt_grammar_fmi1[] = {
    {"", "fmiModelDescription", FMI1_ROOT, 0},
    {"fmiModelDescription", "UnitDefinitions", "", 1},
    {"fmiModelDescription", "TypeDefinitions", "", 2},
    {"fmiModelDescription", "DefaultExperiment", "startTime stopTime tolerance", 3},
    {"fmiModelDescription", "VendorAnnotations", "", 4},
    {"fmiModelDescription", "ModelVariables", "", 5},
    {"fmiModelDescription", "Implementation", "", 6},
    {"UnitDefinitions", "BaseUnit", "unit", 0},
    {"BaseUnit", "DisplayUnitDefinition", "displayUnit gain offset", 0},
    {"TypeDefinitions", "Type", "name description", 0},
    {"Type", "RealType", FMI1_REAL, 1},
    {"Type", "IntegerType", "quantity min max", 1},
    {"Type", "BooleanType", "", 1},
    {"Type", "StringType", "", 1},
    {"Type", "EnumerationType", "quantity min max", 1},
    {"EnumerationType", "Item", "name description", 0},
    {"ModelVariables", "ScalarVariable",
     "name valueReference description variability causality alias", 0},
    {"ScalarVariable", "Real", "declaredType " FMI1_REAL " start fixed", 1},
    {"ScalarVariable", "Integer", "declaredType quantity min max start fixed", 1},
    {"ScalarVariable", "Boolean", "declaredType start fixed", 1},
    {"ScalarVariable", "String", "declaredType start fixed", 1},
    {"ScalarVariable", "Enumeration", "declaredType quantity min max start fixed", 1},
    {"ScalarVariable", "DirectDependency", "", 2},
    {"DirectDependency", "Name", "", 0},
    {"Implementation", "CoSimulation_StandAlone", "", 1},
    {"Implementation", "CoSimulation_Tool", "", 1},
    {"CoSimulation_StandAlone", "Capabilities", FMI1_CAPABILITIES, 1},
    {"CoSimulation_Tool", "Capabilities", FMI1_CAPABILITIES, 1},
    {"CoSimulation_Tool", "Model", "entryPoint manualStart type", 2},
    {0},
};

#define FMI2_REAL "quantity unit displayUnit relativeQuantity min max nominal unbounded"
#define FMI2_ROOT                                                                                  \
    "fmiVersion modelName guid description author version copyright license generationTool "       \
    "generationDateAndTime variableNamingConvention numberOfEventIndicators"
#define FMI2_INTERFACE                                                                             \
    "modelIdentifier needsExecutionTool canBeInstantiatedOnlyOncePerProcess "                      \
    "canNotUseMemoryManagementFunctions canGetAndSetFMUstate canSerializeFMUstate "                \
    "providesDirectionalDerivative"
#define FMI2_UNKNOWN "index dependencies dependenciesKind"

const takt_grammar_row takt_grammar_fmi2[] = {
    {"", "fmiModelDescription", FMI2_ROOT, 0},
    {"fmiModelDescription", "ModelExchange", FMI2_INTERFACE " completedIntegratorStepNotNeeded", 1},
    {"fmiModelDescription", "CoSimulation",
     FMI2_INTERFACE " canHandleVariableCommunicationStepSize canInterpolateInputs "
                    "maxOutputDerivativeOrder canRunAsynchronuously",
     1},
    {"fmiModelDescription", "UnitDefinitions", "", 2},
    {"fmiModelDescription", "TypeDefinitions", "", 3},
    {"fmiModelDescription", "LogCategories", "", 4},
    {"fmiModelDescription", "DefaultExperiment", "startTime stopTime tolerance stepSize", 5},
    {"fmiModelDescription", "VendorAnnotations", "", 6},
    {"fmiModelDescription", "ModelVariables", "", 7},
    {"fmiModelDescription", "ModelStructure", "", 8},
    {"ModelExchange", "SourceFiles", "", 1},
    {"CoSimulation", "SourceFiles", "", 1},
    {"SourceFiles", "File", "name", 0},
    {"UnitDefinitions", "Unit", "name", 0},
    {"Unit", "BaseUnit", "kg m s A K mol cd rad factor offset", 1},
    {"Unit", "DisplayUnit", "name factor offset", 0},
    {"TypeDefinitions", "SimpleType", "name description", 0},
    {"SimpleType", "Real", FMI2_REAL, 1},
    {"SimpleType", "Integer", "quantity min max", 1},
    {"SimpleType", "Boolean", "", 1},
    {"SimpleType", "String", "", 1},
    {"SimpleType", "Enumeration", "quantity", 1},
    {"Enumeration", "Item", "name value description", 0},
    {"LogCategories", "Category", "name description", 0},
    {"ModelVariables", "ScalarVariable",
     "name valueReference description causality variability initial "
     "canHandleMultipleSetPerTimeInstant",
     0},
    {"ScalarVariable", "Real", "declaredType " FMI2_REAL " start derivative reinit", 1},
    {"ScalarVariable", "Integer", "declaredType quantity min max start", 1},
    {"ScalarVariable", "Boolean", "declaredType start", 1},
    {"ScalarVariable", "String", "declaredType start", 1},
    {"ScalarVariable", "Enumeration", "declaredType quantity min max start", 1},
    {"ScalarVariable", "Annotations", "", 2},
    {"ModelStructure", "Outputs", "", 1},
    {"ModelStructure", "Derivatives", "", 2},
    {"ModelStructure", "InitialUnknowns", "", 3},
    {"Outputs", "Unknown", FMI2_UNKNOWN, 0},
    {"Derivatives", "Unknown", FMI2_UNKNOWN, 0},
    {"InitialUnknowns", "Unknown", FMI2_UNKNOWN, 0},
    {0},
};

// ---- checks --------------------------------------------------------------------------------------

// Finds a word in a list between blanks.
static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *c = words; c; c = strchr(c, ' '), c = c ? c + 1 : NULL)
        if (strncmp(c, word, length) == 0 && (c[length] == ' ' || c[length] == 0)) return true;
    return false;
}

// For takt_text_nearest(): the i-th word of a list, cut out.
typedef struct word_list {
    char words[MAX_WORDS][64];
    int n;
} word_list;

static const char *word_at(void *context, int i)
{
    return ((word_list *)context)->words[i];
}

static const char *nearest_word(const char *words, const char *word, word_list *list)
{
    list->n = 0;
    for (const char *c = words; c && *c && list->n < MAX_WORDS;) {
        const char *end = strchr(c, ' ');
        int length = end ? (int)(end - c) : (int)strlen(c);
        snprintf(list->words[list->n++], sizeof list->words[0], "%.*s", length, c);
        c = end ? end + 1 : NULL;
    }
    return takt_text_nearest(word, list->n, word_at, list);
}

static void check_attributes(takt_description_reader *reader, const char *attributes)
{
    const char *name;
    for (int i = 0; (name = takt_xml_attribute_name(reader->xml, i)); i++) {
        if (has_word(attributes, name)) continue;
        word_list list;
        const char *nearest = nearest_word(attributes, name, &list);
        // A word that only looks wrong may be one that was meant for us.
        if (nearest)
            takt_description_note(reader, takt_xml_line(reader->xml),
                                  "%s has an attribute '%.100s' that %s does not know; did you "
                                  "mean '%s'?",
                                  takt_xml_name(reader->xml), name, reader->model->version,
                                  nearest);
        else
            takt_description_note(reader, takt_xml_line(reader->xml),
                                  "%s has an attribute '%.100s' that %s does not know",
                                  takt_xml_name(reader->xml), name, reader->model->version);
    }
}

takt_grammar_place takt_grammar_enter(const takt_description_reader *reader)
{
    takt_grammar_place place = {0};
    const takt_grammar_row *row = reader->grammar;
    if (!row) return place;
    const char *parent = takt_xml_name(reader->xml);
    while (row->parent && strcmp(row->parent, parent) != 0) row++;
    if (!row->parent) return place;
    place.rows = row;
    while (row[place.n_rows].parent && strcmp(row[place.n_rows].parent, parent) == 0)
        place.n_rows++;
    return place;
}

// Elements of the same order above 0 exclude each other, but for the two interfaces.
static bool excludes(const takt_grammar_row *a, const takt_grammar_row *b)
{
    return a == b || (a->order == b->order && strcmp(a->parent, "fmiModelDescription") != 0);
}

// Checks number and order of elements that occur at most once.
static void check_order(takt_description_reader *reader, takt_grammar_place *place, int i_row)
{
    const takt_grammar_row *row = &place->rows[i_row];
    int line = takt_xml_line(reader->xml);
    for (int i = 0; i < place->n_rows; i++) {
        const takt_grammar_row *other = &place->rows[i];
        if (!(place->seen & 1u << i)) continue;
        if (excludes(row, other) && row == other)
            takt_description_note(reader, line, "%s occurs twice in %s", row->name, row->parent);
        else if (excludes(row, other))
            takt_description_note(reader, line, "%s and %s exclude each other in %s", other->name,
                                  row->name, row->parent);
        else if (other->order > row->order)
            takt_description_note(reader, line, "%s must stand before %s", row->name, other->name);
        else
            continue;
        break;
    }
    place->seen |= 1u << i_row;
}

void takt_grammar_check(takt_description_reader *reader, takt_grammar_place *place)
{
    if (!place->rows) return;
    const char *name = takt_xml_name(reader->xml);
    int i = 0;
    while (i < place->n_rows && strcmp(place->rows[i].name, name) != 0) i++;
    if (i == place->n_rows) {
        takt_description_note(reader, takt_xml_line(reader->xml),
                              "%s has an element %.100s that %s does not know", place->rows->parent,
                              name, reader->model->version);
        return;
    }
    if (place->rows[i].order) check_order(reader, place, i);
    check_attributes(reader, place->rows[i].attributes);
    takt_words_check(reader);
}

void takt_grammar_check_root(takt_description_reader *reader)
{
    const char *convention = takt_xml_attribute(reader->xml, "variableNamingConvention");
    check_attributes(reader, reader->grammar->attributes);
    takt_words_check(reader);
    if (!convention) return;
    reader->is_structured = strcmp(convention, "structured") == 0;
    if (!reader->is_structured && strcmp(convention, "flat") != 0)
        takt_description_note(reader, takt_xml_line(reader->xml),
                              "variableNamingConvention: '%.100s' is neither flat nor structured",
                              convention);
}
