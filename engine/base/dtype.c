/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/dtype.h"

#include <string.h>

#include "engine/base/tensor.h"

typedef struct
{
  guint8 size;
  const char *name, *ref_name, *enum_name, *ref_enum_name;
} DTypeInfo;

#define DTYPE(size, name, NAME)                                                                    \
  {                                                                                                \
    size, name, name "_ref", "DT_" NAME, "DT_" NAME "_REF"                                         \
  }

static const DTypeInfo dtypes[SLUICE_N_DTYPES] = {
  [SLUICE_INVALID] = { 0, "invalid", "invalid", "DT_INVALID", "DT_INVALID" },
  [SLUICE_FLOAT] = DTYPE (4, "float", "FLOAT"),
  [SLUICE_DOUBLE] = DTYPE (8, "double", "DOUBLE"),
  [SLUICE_INT32] = DTYPE (4, "int32", "INT32"),
  [SLUICE_UINT8] = DTYPE (1, "uint8", "UINT8"),
  [SLUICE_INT16] = DTYPE (2, "int16", "INT16"),
  [SLUICE_INT8] = DTYPE (1, "int8", "INT8"),
  [SLUICE_STRING] = DTYPE (sizeof (SluiceString), "string", "STRING"),
  [SLUICE_COMPLEX64] = DTYPE (8, "complex64", "COMPLEX64"),
  [SLUICE_INT64] = DTYPE (8, "int64", "INT64"),
  [SLUICE_BOOL] = DTYPE (1, "bool", "BOOL"),
  [SLUICE_QINT8] = DTYPE (1, "qint8", "QINT8"),
  [SLUICE_QUINT8] = DTYPE (1, "quint8", "QUINT8"),
  [SLUICE_QINT32] = DTYPE (4, "qint32", "QINT32"),
  [SLUICE_BFLOAT16] = DTYPE (2, "bfloat16", "BFLOAT16"),
  [SLUICE_QINT16] = DTYPE (2, "qint16", "QINT16"),
  [SLUICE_QUINT16] = DTYPE (2, "quint16", "QUINT16"),
  [SLUICE_UINT16] = DTYPE (2, "uint16", "UINT16"),
  [SLUICE_COMPLEX128] = DTYPE (16, "complex128", "COMPLEX128"),
  [SLUICE_HALF] = DTYPE (2, "half", "HALF"),
  [SLUICE_RESOURCE] = DTYPE (sizeof (SluiceResource *), "resource", "RESOURCE"),
  [SLUICE_VARIANT] = DTYPE (sizeof (SluiceResource *), "variant", "VARIANT"),
  [SLUICE_UINT32] = DTYPE (4, "uint32", "UINT32"),
  [SLUICE_UINT64] = DTYPE (8, "uint64", "UINT64"),
};

static const DTypeInfo *
get_info (SluiceDType dtype)
{
  guint base = sluice_dtype_base (dtype);
  return &dtypes[base < SLUICE_N_DTYPES ? base : SLUICE_INVALID];
}

gsize
sluice_dtype_size (SluiceDType dtype)
{
  return get_info (dtype)->size;
}

gboolean
sluice_dtype_is_managed (SluiceDType dtype)
{
  const SluiceDTypeSet managed =
      SLUICE_SET (SLUICE_STRING) | SLUICE_SET (SLUICE_RESOURCE) | SLUICE_SET (SLUICE_VARIANT);
  return sluice_dtype_in (dtype, managed);
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
