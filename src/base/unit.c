// SPDX-License-Identifier: MIT
// Units of measurement; see unit.h.
#include "base/unit.h"

#include <string.h>

#include "base/number.h"

bool takt_unit_same_dimension(const takt_unit *a, const takt_unit *b)
{
    return a->kg == b->kg && a->m == b->m && a->s == b->s && a->A == b->A && a->K == b->K &&
           a->mol == b->mol && a->cd == b->cd && a->rad == b->rad;
}

// A unit, or the common one of that name where only the name is known.
static const takt_unit *or_common(const takt_unit *unit)
{
    const takt_unit *common = unit->has_base ? NULL : takt_unit_common(unit->name);
    return common ? common : unit;
}

bool takt_unit_is_assumed(const takt_unit *from, const takt_unit *to)
{
    return from->has_base != to->has_base && strcmp(from->name, to->name) != 0;
}

takt_unit_relation takt_unit_convert(const takt_unit *from, const takt_unit *to, bool is_relative,
                                     double *factor, double *offset)
{
    bool is_same_name = strcmp(from->name, to->name) == 0;
    if (takt_unit_is_assumed(from, to)) {
        const takt_unit *one = or_common(from), *other = or_common(to);
        bool is_likely = one->has_base && other->has_base && takt_unit_same_dimension(one, other);
        if (is_likely) from = one, to = other;
    }
    bool is_known = from->has_base && to->has_base && to->factor != 0;
    if (!is_known && !is_same_name) return TAKT_UNITS_UNKNOWN;
    if (!is_known) {
        *factor = 1;
        *offset = 0;
        return TAKT_UNITS_CONVERT;
    }
    // Some programs leave out the exponent of rad; their 'rad' is the same unit nevertheless.
    takt_unit alike = *to;
    if (is_same_name) alike.rad = from->rad;
    if (!takt_unit_same_dimension(from, &alike)) return TAKT_UNITS_DIFFER;
    *factor = from->factor / to->factor;
    *offset = is_relative ? 0 : (from->offset - to->offset) / to->factor;
    return TAKT_UNITS_CONVERT;
}

// ---- common units --------------------------------------------------------------------------------

#define PI 3.14159265358979323846
#define LENGTH .m = 1
#define MASS .kg = 1
#define TIME .s = 1
#define SPEED .m = 1, .s = -1
#define FORCE .kg = 1, .m = 1, .s = -2
#define PRESSURE .kg = 1, .m = -1, .s = -2
#define ENERGY .kg = 1, .m = 2, .s = -2
#define POWER .kg = 1, .m = 2, .s = -3
#define VOLTAGE .kg = 1, .m = 2, .s = -3, .A = -1
#define ANGULAR .rad = 1, .s = -1
#define UNIT(text, value, ...)                                                                     \
    {                                                                                              \
        .name = text, .has_base = true, .factor = value, __VA_ARGS__                               \
    }

static const takt_unit common[] = {
    UNIT("1", 1, .m = 0),
    UNIT("%", 0.01, .m = 0),
    UNIT("m", 1, LENGTH),
    UNIT("km", 1e3, LENGTH),
    UNIT("dm", 1e-1, LENGTH),
    UNIT("cm", 1e-2, LENGTH),
    UNIT("mm", 1e-3, LENGTH),
    UNIT("um", 1e-6, LENGTH),
    UNIT("nm", 1e-9, LENGTH),
    UNIT("in", 0.0254, LENGTH),
    UNIT("ft", 0.3048, LENGTH),
    UNIT("m2", 1, .m = 2),
    UNIT("cm2", 1e-4, .m = 2),
    UNIT("mm2", 1e-6, .m = 2),
    UNIT("m3", 1, .m = 3),
    UNIT("cm3", 1e-6, .m = 3),
    UNIT("mm3", 1e-9, .m = 3),
    UNIT("l", 1e-3, .m = 3),
    UNIT("ml", 1e-6, .m = 3),
    UNIT("kg", 1, MASS),
    UNIT("g", 1e-3, MASS),
    UNIT("mg", 1e-6, MASS),
    UNIT("t", 1e3, MASS),
    UNIT("lb", 0.45359237, MASS),
    UNIT("kg/m3", 1, .kg = 1, .m = -3),
    UNIT("g/cm3", 1e3, .kg = 1, .m = -3),
    UNIT("s", 1, TIME),
    UNIT("ms", 1e-3, TIME),
    UNIT("us", 1e-6, TIME),
    UNIT("ns", 1e-9, TIME),
    UNIT("min", 60, TIME),
    UNIT("h", 3600, TIME),
    UNIT("d", 86400, TIME),
    UNIT("a", 31536000, TIME),
    UNIT("K", 1, .K = 1),
    UNIT("degC", 1, .K = 1, .offset = 273.15),
    UNIT("°C", 1, .K = 1, .offset = 273.15),
    UNIT("degF", 5.0 / 9.0, .K = 1, .offset = 273.15 - 32 * 5.0 / 9.0),
    UNIT("rad", 1, .rad = 1),
    UNIT("deg", PI / 180, .rad = 1),
    UNIT("rad/s", 1, ANGULAR),
    UNIT("deg/s", PI / 180, ANGULAR),
    UNIT("rpm", PI / 30, ANGULAR),
    UNIT("1/min", PI / 30, ANGULAR),
    UNIT("Hz", 1, .s = -1),
    UNIT("kHz", 1e3, .s = -1),
    UNIT("1/s", 1, .s = -1),
    UNIT("m/s", 1, SPEED),
    UNIT("km/h", 1 / 3.6, SPEED),
    UNIT("m/s2", 1, .m = 1, .s = -2),
    UNIT("m3/s", 1, .m = 3, .s = -1),
    UNIT("m3/h", 1 / 3600.0, .m = 3, .s = -1),
    UNIT("l/s", 1e-3, .m = 3, .s = -1),
    UNIT("l/min", 1e-3 / 60, .m = 3, .s = -1),
    UNIT("kg/s", 1, .kg = 1, .s = -1),
    UNIT("kg/h", 1 / 3600.0, .kg = 1, .s = -1),
    UNIT("N", 1, FORCE),
    UNIT("kN", 1e3, FORCE),
    UNIT("N/m", 1, .kg = 1, .s = -2),
    UNIT("N.s/m", 1, .kg = 1, .s = -1),
    UNIT("N.m", 1, ENERGY),
    UNIT("Nm", 1, ENERGY),
    UNIT("kN.m", 1e3, ENERGY),
    UNIT("Pa", 1, PRESSURE),
    UNIT("hPa", 1e2, PRESSURE),
    UNIT("kPa", 1e3, PRESSURE),
    UNIT("MPa", 1e6, PRESSURE),
    UNIT("GPa", 1e9, PRESSURE),
    UNIT("mbar", 1e2, PRESSURE),
    UNIT("bar", 1e5, PRESSURE),
    UNIT("atm", 101325, PRESSURE),
    UNIT("psi", 6894.757293168361, PRESSURE),
    UNIT("J", 1, ENERGY),
    UNIT("kJ", 1e3, ENERGY),
    UNIT("MJ", 1e6, ENERGY),
    UNIT("W.h", 3.6e3, ENERGY),
    UNIT("Wh", 3.6e3, ENERGY),
    UNIT("kW.h", 3.6e6, ENERGY),
    UNIT("kWh", 3.6e6, ENERGY),
    UNIT("MWh", 3.6e9, ENERGY),
    UNIT("W", 1, POWER),
    UNIT("mW", 1e-3, POWER),
    UNIT("kW", 1e3, POWER),
    UNIT("MW", 1e6, POWER),
    UNIT("W/m2", 1, .kg = 1, .s = -3),
    UNIT("W/K", 1, .kg = 1, .m = 2, .s = -3, .K = -1),
    UNIT("W/(m.K)", 1, .kg = 1, .m = 1, .s = -3, .K = -1),
    UNIT("W/(m2.K)", 1, .kg = 1, .s = -3, .K = -1),
    UNIT("J/K", 1, .kg = 1, .m = 2, .s = -2, .K = -1),
    UNIT("J/kg", 1, .m = 2, .s = -2),
    UNIT("kJ/kg", 1e3, .m = 2, .s = -2),
    UNIT("J/(kg.K)", 1, .m = 2, .s = -2, .K = -1),
    UNIT("kJ/(kg.K)", 1e3, .m = 2, .s = -2, .K = -1),
    UNIT("A", 1, .A = 1),
    UNIT("mA", 1e-3, .A = 1),
    UNIT("kA", 1e3, .A = 1),
    UNIT("C", 1, .A = 1, .s = 1),
    UNIT("A.h", 3.6e3, .A = 1, .s = 1),
    UNIT("Ah", 3.6e3, .A = 1, .s = 1),
    UNIT("V", 1, VOLTAGE),
    UNIT("mV", 1e-3, VOLTAGE),
    UNIT("kV", 1e3, VOLTAGE),
    UNIT("Ohm", 1, .kg = 1, .m = 2, .s = -3, .A = -2),
    UNIT("kOhm", 1e3, .kg = 1, .m = 2, .s = -3, .A = -2),
    UNIT("MOhm", 1e6, .kg = 1, .m = 2, .s = -3, .A = -2),
    UNIT("F", 1, .kg = -1, .m = -2, .s = 4, .A = 2),
    UNIT("uF", 1e-6, .kg = -1, .m = -2, .s = 4, .A = 2),
    UNIT("nF", 1e-9, .kg = -1, .m = -2, .s = 4, .A = 2),
    UNIT("H", 1, .kg = 1, .m = 2, .s = -2, .A = -2),
    UNIT("mH", 1e-3, .kg = 1, .m = 2, .s = -2, .A = -2),
    UNIT("mol", 1, .mol = 1),
    UNIT("cd", 1, .cd = 1),
};

const takt_unit *takt_unit_common(const char *name)
{
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (strcmp(common[i].name, name) == 0) return &common[i];
    return NULL;
}

const takt_unit *takt_unit_common_at(int i)
{
    return i >= 0 && i < (int)(sizeof common / sizeof *common) ? &common[i] : NULL;
}

// ---- values with units ---------------------------------------------------------------------------

static const char BLANKS[] = " \t\r\n";

// The length of the longest number that a word begins with.
static size_t number_length(const char *word, size_t length)
{
    enum { LONGEST = 400 }; // no number with a unit behind it is longer
    double number;
    if (length > LONGEST) return takt_number_read(word, word + length, &number) ? length : 0;
    while (length && !takt_number_read(word, word + length, &number)) length--;
    return length;
}

const char *takt_unit_behind(const char *text, size_t *length)
{
    const char *word = text + strspn(text, BLANKS), *end = NULL;
    size_t n = 0, whole = 1;
    while (*word) {
        whole = strcspn(word, BLANKS);
        n = number_length(word, whole);
        if (n < whole) break;
        end = word + n;
        word = end + strspn(end, BLANKS);
    }
    if (n && n < whole && word[n] != '/')
        end = word += n; // "10cm", but "3 1/min" has the unit 1/min
    bool is_unit = (*word >= 'A' && *word <= 'Z') || (*word >= 'a' && *word <= 'z') ||
                   *word == '%' || *word == '(' || (unsigned char)*word >= 0x80 ||
                   strncmp(word, "1/", 2) == 0;
    if (!end || !is_unit) return NULL;
    *length = (size_t)(end - text);
    return word;
}
