// SPDX-License-Identifier: MIT
// Units of measurement; see unit.h.
#include "base/unit.h"

#include <stddef.h>
#include <string.h>

static bool same_dimension(const takt_unit *a, const takt_unit *b)
{
    return a->kg == b->kg && a->m == b->m && a->s == b->s && a->A == b->A && a->K == b->K &&
           a->mol == b->mol && a->cd == b->cd && a->rad == b->rad;
}

takt_unit_relation takt_unit_convert(const takt_unit *from, const takt_unit *to, bool is_relative,
                                     double *factor, double *offset)
{
    bool is_known = from->has_base && to->has_base && to->factor != 0;
    bool is_same_name = strcmp(from->name, to->name) == 0;
    if (!is_known && !is_same_name) return TAKT_UNITS_UNKNOWN;
    if (!is_known) {
        *factor = 1;
        *offset = 0;
        return TAKT_UNITS_CONVERT;
    }
    // Some programs leave out the exponent of rad: their 'rad' is nevertheless that of others.
    takt_unit alike = *to;
    if (is_same_name) alike.rad = from->rad;
    if (!same_dimension(from, &alike)) return TAKT_UNITS_DIFFER;
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
    UNIT("m2", 1, .m = 2),
    UNIT("cm2", 1e-4, .m = 2),
    UNIT("mm2", 1e-6, .m = 2),
    UNIT("m3", 1, .m = 3),
    UNIT("l", 1e-3, .m = 3),
    UNIT("kg", 1, MASS),
    UNIT("g", 1e-3, MASS),
    UNIT("t", 1e3, MASS),
    UNIT("s", 1, TIME),
    UNIT("ms", 1e-3, TIME),
    UNIT("us", 1e-6, TIME),
    UNIT("min", 60, TIME),
    UNIT("h", 3600, TIME),
    UNIT("d", 86400, TIME),
    UNIT("K", 1, .K = 1),
    UNIT("degC", 1, .K = 1, .offset = 273.15),
    UNIT("degF", 5.0 / 9.0, .K = 1, .offset = 273.15 - 32 * 5.0 / 9.0),
    UNIT("rad", 1, .rad = 1),
    UNIT("deg", PI / 180, .rad = 1),
    UNIT("rad/s", 1, ANGULAR),
    UNIT("deg/s", PI / 180, ANGULAR),
    UNIT("rpm", PI / 30, ANGULAR),
    UNIT("1/min", PI / 30, ANGULAR),
    UNIT("Hz", 1, .s = -1),
    UNIT("kHz", 1e3, .s = -1),
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
    UNIT("N.m", 1, ENERGY),
    UNIT("kN.m", 1e3, ENERGY),
    UNIT("Pa", 1, PRESSURE),
    UNIT("hPa", 1e2, PRESSURE),
    UNIT("kPa", 1e3, PRESSURE),
    UNIT("MPa", 1e6, PRESSURE),
    UNIT("mbar", 1e2, PRESSURE),
    UNIT("bar", 1e5, PRESSURE),
    UNIT("J", 1, ENERGY),
    UNIT("kJ", 1e3, ENERGY),
    UNIT("MJ", 1e6, ENERGY),
    UNIT("W.h", 3.6e3, ENERGY),
    UNIT("kW.h", 3.6e6, ENERGY),
    UNIT("kWh", 3.6e6, ENERGY),
    UNIT("W", 1, POWER),
    UNIT("kW", 1e3, POWER),
    UNIT("MW", 1e6, POWER),
    UNIT("W/m2", 1, .kg = 1, .s = -3),
    UNIT("A", 1, .A = 1),
    UNIT("mA", 1e-3, .A = 1),
    UNIT("A.h", 3.6e3, .A = 1, .s = 1),
    UNIT("V", 1, VOLTAGE),
    UNIT("mV", 1e-3, VOLTAGE),
    UNIT("kV", 1e3, VOLTAGE),
    UNIT("Ohm", 1, .kg = 1, .m = 2, .s = -3, .A = -2),
    UNIT("kOhm", 1e3, .kg = 1, .m = 2, .s = -3, .A = -2),
    UNIT("F", 1, .kg = -1, .m = -2, .s = 4, .A = 2),
    UNIT("H", 1, .kg = 1, .m = 2, .s = -2, .A = -2),
    UNIT("mol", 1, .mol = 1),
    UNIT("cd", 1, .cd = 1),
};

const takt_unit *takt_unit_common(const char *name)
{
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (strcmp(common[i].name, name) == 0) return &common[i];
    return NULL;
}
