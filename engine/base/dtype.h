/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/* Numbers as in TensorFlow's DataType. A reference to a variable of dtype T is T + SLUICE_REF. */
typedef enum
{
  SLUICE_INVALID = 0,
  SLUICE_FLOAT = 1,
  SLUICE_DOUBLE = 2,
  SLUICE_INT32 = 3,
  SLUICE_UINT8 = 4,
  SLUICE_INT16 = 5,
  SLUICE_INT8 = 6,
  SLUICE_STRING = 7,
  SLUICE_COMPLEX64 = 8,
  SLUICE_INT64 = 9,
  SLUICE_BOOL = 10,
  SLUICE_QINT8 = 11,
  SLUICE_QUINT8 = 12,
  SLUICE_QINT32 = 13,
  SLUICE_BFLOAT16 = 14,
  SLUICE_QINT16 = 15,
  SLUICE_QUINT16 = 16,
  SLUICE_UINT16 = 17,
  SLUICE_COMPLEX128 = 18,
  SLUICE_HALF = 19,
  SLUICE_RESOURCE = 20,
  SLUICE_VARIANT = 21,
  SLUICE_UINT32 = 22,
  SLUICE_UINT64 = 23,
  SLUICE_N_DTYPES
} SluiceDType;

#define SLUICE_REF                 100
#define sluice_dtype_is_ref(dtype) ((dtype) > SLUICE_REF)
#define sluice_dtype_base(dtype)                                                                   \
  ((SluiceDType) ((dtype) > SLUICE_REF ? (dtype) -SLUICE_REF : (dtype)))

/* A set of dtypes: bit n stands for dtype n. */
typedef guint32 SluiceDTypeSet;
#define SLUICE_SET(dtype)           ((SluiceDTypeSet) 1 << (dtype))
#define sluice_dtype_in(dtype, set) (((set) >> sluice_dtype_base (dtype)) & 1)

#define SLUICE_SET_HALVES (SLUICE_SET (SLUICE_HALF) | SLUICE_SET (SLUICE_BFLOAT16))
#define SLUICE_SET_FLOATS                                                                          \
  (SLUICE_SET_HALVES | SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE))
#define SLUICE_SET_COMPLEX (SLUICE_SET (SLUICE_COMPLEX64) | SLUICE_SET (SLUICE_COMPLEX128))
#define SLUICE_SET_SIGNED                                                                          \
  (SLUICE_SET (SLUICE_INT8) | SLUICE_SET (SLUICE_INT16) | SLUICE_SET (SLUICE_INT32)                \
   | SLUICE_SET (SLUICE_INT64))
#define SLUICE_SET_UNSIGNED                                                                        \
  (SLUICE_SET (SLUICE_UINT8) | SLUICE_SET (SLUICE_UINT16) | SLUICE_SET (SLUICE_UINT32)             \
   | SLUICE_SET (SLUICE_UINT64))
#define SLUICE_SET_INTS  (SLUICE_SET_SIGNED | SLUICE_SET_UNSIGNED)
#define SLUICE_SET_INDEX (SLUICE_SET (SLUICE_INT32) | SLUICE_SET (SLUICE_INT64))
/* TensorFlow's "realnumbertype" and "numbertype" without the quantised types. */
#define SLUICE_SET_REAL   (SLUICE_SET_FLOATS | SLUICE_SET_INTS)
#define SLUICE_SET_NUMBER (SLUICE_SET_REAL | SLUICE_SET_COMPLEX)
#define SLUICE_SET_QUANTIZED                                                                       \
  (SLUICE_SET (SLUICE_QINT8) | SLUICE_SET (SLUICE_QUINT8) | SLUICE_SET (SLUICE_QINT16)             \
   | SLUICE_SET (SLUICE_QUINT16) | SLUICE_SET (SLUICE_QINT32))
/* Every type whose elements are plain bytes. */
#define SLUICE_SET_POD (SLUICE_SET_NUMBER | SLUICE_SET_QUANTIZED | SLUICE_SET (SLUICE_BOOL))
#define SLUICE_SET_ANY (((SluiceDTypeSet) 1 << SLUICE_N_DTYPES) - 2)

/* By dtype, references too. */
extern const guint8 sluice_dtype_sizes[G_MAXUINT8 + 1];

/**
 * sluice_dtype_size:
 *
 * Returns: bytes of one element; of the slot of one element for string, resource and variant; 0 for
 *   an invalid dtype. A reference has the size of its base.
 */
static inline gsize
sluice_dtype_size (SluiceDType dtype)
{
  return (guint) dtype <= G_MAXUINT8 ? sluice_dtype_sizes[dtype] : 0;
}

/* TRUE where an element is more than its bytes: string, resource, variant. */
static inline gboolean
sluice_dtype_is_managed (SluiceDType dtype)
{
  const SluiceDTypeSet managed =
      SLUICE_SET (SLUICE_STRING) | SLUICE_SET (SLUICE_RESOURCE) | SLUICE_SET (SLUICE_VARIANT);
  return sluice_dtype_in (dtype, managed);
}

gboolean sluice_dtype_is_floating (SluiceDType dtype);
gboolean sluice_dtype_is_complex (SluiceDType dtype);
gboolean sluice_dtype_is_integer (SluiceDType dtype);
gboolean sluice_dtype_is_unsigned (SluiceDType dtype); /* quantised ones, too */

/* "float", "int32", "bfloat16" … ; "float_ref" for a reference; "invalid". */
const char *sluice_dtype_name (SluiceDType dtype);

/* "DT_FLOAT", "DT_INT32_REF" …, the spelling of GraphDef text. */
const char *sluice_dtype_enum_name (SluiceDType dtype);

/**
 * sluice_dtype_from_name:
 * @name: "float", "float32", "DT_FLOAT", "int32", "half" …
 *
 * Returns: the dtype, or %SLUICE_INVALID
 */
SluiceDType sluice_dtype_from_name (const char *name);

/* Half and bfloat16 hold 16 bits; arithmetic widens to float and rounds to nearest even. */
float sluice_half_to_float (guint16 bits);
guint16 sluice_float_to_half (float value);
float sluice_bfloat16_to_float (guint16 bits);
guint16 sluice_float_to_bfloat16 (float value);

SLUICE_PUBLIC_END
