/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/dtype.h"

#include <string.h>

#include "engine/base/tensor.h"

typedef struct
{
  const char *name, *ref_name, *enum_name, *ref_enum_name;
} DTypeInfo;

#define DTYPE(name, NAME)                                                                          \
  {                                                                                                \
    name, name "_ref", "DT_" NAME, "DT_" NAME "_REF"                                               \
  }

static const DTypeInfo dtypes[SLUICE_N_DTYPES] = {
  [SLUICE_INVALID] = { "invalid", "invalid", "DT_INVALID", "DT_INVALID" },
  [SLUICE_FLOAT] = DTYPE ("float", "FLOAT"),
  [SLUICE_DOUBLE] = DTYPE ("double", "DOUBLE"),
  [SLUICE_INT32] = DTYPE ("int32", "INT32"),
  [SLUICE_UINT8] = DTYPE ("uint8", "UINT8"),
  [SLUICE_INT16] = DTYPE ("int16", "INT16"),
  [SLUICE_INT8] = DTYPE ("int8", "INT8"),
  [SLUICE_STRING] = DTYPE ("string", "STRING"),
  [SLUICE_COMPLEX64] = DTYPE ("complex64", "COMPLEX64"),
  [SLUICE_INT64] = DTYPE ("int64", "INT64"),
  [SLUICE_BOOL] = DTYPE ("bool", "BOOL"),
  [SLUICE_QINT8] = DTYPE ("qint8", "QINT8"),
  [SLUICE_QUINT8] = DTYPE ("quint8", "QUINT8"),
  [SLUICE_QINT32] = DTYPE ("qint32", "QINT32"),
  [SLUICE_BFLOAT16] = DTYPE ("bfloat16", "BFLOAT16"),
  [SLUICE_QINT16] = DTYPE ("qint16", "QINT16"),
  [SLUICE_QUINT16] = DTYPE ("quint16", "QUINT16"),
  [SLUICE_UINT16] = DTYPE ("uint16", "UINT16"),
  [SLUICE_COMPLEX128] = DTYPE ("complex128", "COMPLEX128"),
  [SLUICE_HALF] = DTYPE ("half", "HALF"),
  [SLUICE_RESOURCE] = DTYPE ("resource", "RESOURCE"),
  [SLUICE_VARIANT] = DTYPE ("variant", "VARIANT"),
  [SLUICE_UINT32] = DTYPE ("uint32", "UINT32"),
  [SLUICE_UINT64] = DTYPE ("uint64", "UINT64"),
};

#define SIZE(NAME, size) [SLUICE_##NAME] = size, [SLUICE_REF + SLUICE_##NAME] = size

const guint8 sluice_dtype_sizes[G_MAXUINT8 + 1] = {
  SIZE (FLOAT, 4),
  SIZE (DOUBLE, 8),
  SIZE (INT32, 4),
  SIZE (UINT8, 1),
  SIZE (INT16, 2),
  SIZE (INT8, 1),
  SIZE (STRING, sizeof (SluiceString)),
  SIZE (COMPLEX64, 8),
  SIZE (INT64, 8),
  SIZE (BOOL, 1),
  SIZE (QINT8, 1),
  SIZE (QUINT8, 1),
  SIZE (QINT32, 4),
  SIZE (BFLOAT16, 2),
  SIZE (QINT16, 2),
  SIZE (QUINT16, 2),
  SIZE (UINT16, 2),
  SIZE (COMPLEX128, 16),
  SIZE (HALF, 2),
  SIZE (RESOURCE, sizeof (SluiceResource *)),
  SIZE (VARIANT, sizeof (SluiceResource *)),
  SIZE (UINT32, 4),
  SIZE (UINT64, 8),
};

static const DTypeInfo *
get_info (SluiceDType dtype)
{
  guint base = sluice_dtype_base (dtype);
  return &dtypes[base < SLUICE_N_DTYPES ? base : SLUICE_INVALID];
}

gboolean
sluice_dtype_is_floating (SluiceDType dtype)
{
  return sluice_dtype_in (dtype, SLUICE_SET_FLOATS);
}

gboolean
sluice_dtype_is_complex (SluiceDType dtype)
{
  return sluice_dtype_in (dtype, SLUICE_SET_COMPLEX);
}

gboolean
sluice_dtype_is_integer (SluiceDType dtype)
{
  return sluice_dtype_in (dtype, SLUICE_SET_INTS);
}

gboolean
sluice_dtype_is_unsigned (SluiceDType dtype)
{
  return sluice_dtype_in (dtype, SLUICE_SET_UNSIGNED | SLUICE_SET (SLUICE_QUINT8)
                                     | SLUICE_SET (SLUICE_QUINT16));
}

const char *
sluice_dtype_name (SluiceDType dtype)
{
  return sluice_dtype_is_ref (dtype) ? get_info (dtype)->ref_name : get_info (dtype)->name;
}

const char *
sluice_dtype_enum_name (SluiceDType dtype)
{
  return sluice_dtype_is_ref (dtype) ? get_info (dtype)->ref_enum_name
                                     : get_info (dtype)->enum_name;
}

SluiceDType
sluice_dtype_from_name (const char *name)
{
  static const struct
  {
    const char *name;
    SluiceDType dtype;
  } synonyms[] = {
    { "float32", SLUICE_FLOAT },
    { "float64", SLUICE_DOUBLE },
    { "float16", SLUICE_HALF },
  };
  for (guint i = 0; i < G_N_ELEMENTS (synonyms); i++)
    if (g_str_equal (name, synonyms[i].name))
      return synonyms[i].dtype;
  for (guint i = 1; i < SLUICE_N_DTYPES; i++)
    {
      if (g_str_equal (name, dtypes[i].name) || g_str_equal (name, dtypes[i].enum_name))
        return i;
      if (g_str_equal (name, dtypes[i].ref_name) || g_str_equal (name, dtypes[i].ref_enum_name))
        return i + SLUICE_REF;
    }
  return SLUICE_INVALID;
}

static inline guint32
bits_of (float value)
{
  guint32 bits;
  memcpy (&bits, &value, sizeof bits);
  return bits;
}

static inline float
float_of (guint32 bits)
{
  float value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

/* Conversions are integer arithmetic throughout: flush-to-zero must not change them. */

float
sluice_half_to_float (guint16 bits)
{
  guint32 sign = (guint32) (bits & 0x8000) << 16;
  guint32 exponent = (bits >> 10) & 0x1f, mantissa = bits & 0x3ff;

  if (exponent == 0x1f)
    return float_of (sign | 0x7f800000 | mantissa << 13);
  if (exponent != 0)
    return float_of (sign | (exponent + 112) << 23 | mantissa << 13);
  if (mantissa == 0)
    return float_of (sign);
  /* A denormal half is a normal float: shift the leading one up to the hidden bit. */
  guint shift = __builtin_clz (mantissa) - 21;
  return float_of (sign | (113 - shift) << 23 | ((mantissa << shift) & 0x3ff) << 13);
}

guint16
sluice_float_to_half (float value)
{
  guint32 bits = bits_of (value);
  guint16 sign = bits >> 16 & 0x8000;
  guint32 magnitude = bits & 0x7fffffff;

  if (magnitude > 0x7f800000)
    return sign | 0x7e00 | (magnitude >> 13 & 0x3ff);
  if (magnitude >= 0x477ff000) /* 65520 and above round to infinity */
    return sign | 0x7c00;
  if (magnitude >= 0x38800000) /* 2^-14: the smallest normal half */
    return sign | (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  if (magnitude < 0x33000000) /* below half of the smallest denormal */
    return sign;
  guint shift = 126 - (magnitude >> 23);
  guint32 mantissa = (magnitude & 0x7fffff) | 0x800000;
  guint32 rest = mantissa & ((1u << shift) - 1), half = 1u << (shift - 1);
  mantissa >>= shift;
  if (rest > half || (rest == half && (mantissa & 1)))
    mantissa++;
  return sign | mantissa;
}

float
sluice_bfloat16_to_float (guint16 bits)
{
  return float_of ((guint32) bits << 16);
}

guint16
sluice_float_to_bfloat16 (float value)
{
  guint32 bits = bits_of (value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return bits >> 16 | 0x40; /* stays a NaN whatever the low bits were */
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
