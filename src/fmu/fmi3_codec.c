// SPDX-License-Identifier: MIT
// From our values to those of FMI 3.0 and back, by type; see fmi3_codec.h.
#include "fmu/fmi3_codec.h"

#include <float.h>
#include <math.h>
#include <string.h>

_Static_assert(sizeof(fmi3Boolean) == 1, "Booleans are converted as bytes");

// ---- conversion ----------------------------------------------------------------------------------

#define INTEGER_CONVERSION(name, type, least, greatest)                                            \
    static int pack_##name(const takt_values *from, int first, int n, void *to, size_t *sizes)     \
    {                                                                                              \
        (void)sizes;                                                                               \
        for (int i = 0; i < n; i++) {                                                              \
            int64_t value = from->integer[first + i];                                              \
            if (value < (least) || value > (greatest)) return i;                                   \
            ((type *)to)[i] = (type)value;                                                         \
        }                                                                                          \
        return -1;                                                                                 \
    }                                                                                              \
    static bool unpack_##name(const void *from, const size_t *sizes, int i_from, takt_values *to,  \
                              int i_to)                                                            \
    {                                                                                              \
        (void)sizes;                                                                               \
        to->integer[i_to] = (int64_t)((const type *)from)[i_from];                                 \
        return true;                                                                               \
    }
INTEGER_CONVERSION(Int8, int8_t, INT8_MIN, INT8_MAX)
INTEGER_CONVERSION(UInt8, uint8_t, 0, UINT8_MAX)
INTEGER_CONVERSION(Int16, int16_t, INT16_MIN, INT16_MAX)
INTEGER_CONVERSION(UInt16, uint16_t, 0, UINT16_MAX)
INTEGER_CONVERSION(Int32, int32_t, INT32_MIN, INT32_MAX)
INTEGER_CONVERSION(UInt32, uint32_t, 0, UINT32_MAX)
INTEGER_CONVERSION(Int64, int64_t, INT64_MIN, INT64_MAX)

static int pack_Boolean(const takt_values *from, int first, int n, void *to, size_t *sizes)
{
    (void)sizes;
    for (int i = 0; i < n; i++) ((unsigned char *)to)[i] = from->integer[first + i] != 0;
    return -1;
}

// Read as bytes, because an FMU may leave any there.
static bool unpack_Boolean(const void *from, const size_t *sizes, int i_from, takt_values *to,
                           int i_to)
{
    (void)sizes;
    to->integer[i_to] = ((const unsigned char *)from)[i_from] != 0;
    return true;
}

static int pack_Float32(const takt_values *from, int first, int n, void *to, size_t *sizes)
{
    (void)sizes;
    for (int i = 0; i < n; i++) {
        double value = from->real[first + i];
        if (isfinite(value) && fabs(value) > FLT_MAX) return i;
        ((float *)to)[i] = (float)value;
    }
    return -1;
}

static bool unpack_Float32(const void *from, const size_t *sizes, int i_from, takt_values *to,
                           int i_to)
{
    (void)sizes;
    to->real[i_to] = ((const float *)from)[i_from];
    return true;
}

static int pack_Float64(const takt_values *from, int first, int n, void *to, size_t *sizes)
{
    (void)sizes;
    memcpy(to, from->real + first, (size_t)n * sizeof(double));
    return -1;
}

static bool unpack_Float64(const void *from, const size_t *sizes, int i_from, takt_values *to,
                           int i_to)
{
    (void)sizes;
    to->real[i_to] = ((const double *)from)[i_from];
    return true;
}

static int pack_bytes(const takt_values *from, int first, int n, void *to, size_t *sizes)
{
    for (int i = 0; i < n; i++) {
        const takt_bytes *bytes = &from->bytes[first + i];
        ((const char **)to)[i] = bytes->data ? bytes->data : "";
        sizes[i] = bytes->size;
    }
    return -1;
}

static bool unpack_String(const void *from, const size_t *sizes, int i_from, takt_values *to,
                          int i_to)
{
    (void)sizes;
    const char *text = ((const char *const *)from)[i_from];
    return takt_bytes_assign(&to->bytes[i_to], text ? text : "", text ? strlen(text) : 0);
}

static bool unpack_Binary(const void *from, const size_t *sizes, int i_from, takt_values *to,
                          int i_to)
{
    const char *data = ((const char *const *)from)[i_from];
    return takt_bytes_assign(&to->bytes[i_to], data ? data : "", data ? sizes[i_from] : 0);
}

// ---- types ---------------------------------------------------------------------------------------

#define ACCESS_FUNCTIONS(X, type)                                                                  \
    static takt_status set_##type(takt_fmi3_instance *self, const takt_access_batch *batch,        \
                                  const void *values, takt_error *err)                             \
    {                                                                                              \
        return TAKT_FMU_ACCESS(self, fmi3Set##type, batch, err, batch->refs,                       \
                               (size_t)batch->n_refs, values, (size_t)batch->n_values);            \
    }                                                                                              \
    static takt_status get_##type(takt_fmi3_instance *self, const takt_access_batch *batch,        \
                                  void *values, takt_error *err)                                   \
    {                                                                                              \
        return TAKT_FMU_ACCESS(self, fmi3Get##type, batch, err, batch->refs,                       \
                               (size_t)batch->n_refs, values, (size_t)batch->n_values);            \
    }
FMI3_PLAIN_TYPES(ACCESS_FUNCTIONS, )

static takt_status set_Binary(takt_fmi3_instance *self, const takt_access_batch *batch,
                              const void *values, takt_error *err)
{
    return TAKT_FMU_ACCESS(self, fmi3SetBinary, batch, err, batch->refs, (size_t)batch->n_refs,
                           self->sizes, values, (size_t)batch->n_values);
}

static takt_status get_Binary(takt_fmi3_instance *self, const takt_access_batch *batch,
                              void *values, takt_error *err)
{
    return TAKT_FMU_ACCESS(self, fmi3GetBinary, batch, err, batch->refs, (size_t)batch->n_refs,
                           self->sizes, values, (size_t)batch->n_values);
}

#define CODEC(type, c_type, is_direct, pack, unpack)                                               \
    {                                                                                              \
        set_##type, get_##type, sizeof(c_type), is_direct, (pack) == pack_bytes, pack, unpack      \
    }
const takt_fmi3_codec takt_fmi3_codecs[TAKT_N_TYPES] = {
    [TAKT_FLOAT64] = CODEC(Float64, double, true, pack_Float64, unpack_Float64),
    [TAKT_FLOAT32] = CODEC(Float32, float, false, pack_Float32, unpack_Float32),
    [TAKT_INT8] = CODEC(Int8, int8_t, false, pack_Int8, unpack_Int8),
    [TAKT_UINT8] = CODEC(UInt8, uint8_t, false, pack_UInt8, unpack_UInt8),
    [TAKT_INT16] = CODEC(Int16, int16_t, false, pack_Int16, unpack_Int16),
    [TAKT_UINT16] = CODEC(UInt16, uint16_t, false, pack_UInt16, unpack_UInt16),
    [TAKT_INT32] = CODEC(Int32, int32_t, false, pack_Int32, unpack_Int32),
    [TAKT_UINT32] = CODEC(UInt32, uint32_t, false, pack_UInt32, unpack_UInt32),
    [TAKT_INT64] = CODEC(Int64, int64_t, true, pack_Int64, unpack_Int64),
    [TAKT_UINT64] = CODEC(UInt64, uint64_t, true, pack_Int64, unpack_Int64),
    [TAKT_BOOLEAN] = CODEC(Boolean, fmi3Boolean, false, pack_Boolean, unpack_Boolean),
    [TAKT_ENUMERATION] = CODEC(Int64, int64_t, true, pack_Int64, unpack_Int64),
    [TAKT_STRING] = CODEC(String, const char *, false, pack_bytes, unpack_String),
    [TAKT_BINARY] = CODEC(Binary, const char *, false, pack_bytes, unpack_Binary),
};
