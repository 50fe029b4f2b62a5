/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "kernels/array/array.h"

#define BLOCK 1024

/* X (name, type in memory, element as a number) */
#define NUMBERS(X, ...)                                                                            \
  X (FLOAT, float, from[i], __VA_ARGS__)                                                           \
  X (DOUBLE, double, from[i], __VA_ARGS__)                                                         \
  X (INT32, gint32, from[i], __VA_ARGS__)                                                          \
  X (UINT8, guint8, from[i], __VA_ARGS__)                                                          \
  X (INT16, gint16, from[i], __VA_ARGS__)                                                          \
  X (INT8, gint8, from[i], __VA_ARGS__)                                                            \
  X (INT64, gint64, from[i], __VA_ARGS__)                                                          \
  X (BOOL, guint8, from[i], __VA_ARGS__)                                                           \
  X (UINT16, guint16, from[i], __VA_ARGS__)                                                        \
  X (UINT32, guint32, from[i], __VA_ARGS__)                                                        \
  X (UINT64, guint64, from[i], __VA_ARGS__)                                                        \
  X (HALF, guint16, sluice_half_to_float (from[i]), __VA_ARGS__)                                   \
  X (BFLOAT16, guint16, sluice_bfloat16_to_float (from[i]), __VA_ARGS__)

/* A float that does not fit is converted as the processor converts it to the next wider integer,
 * then wraps. */
#define INT_BY(type, wide, v)                                                                      \
  _Generic((v), float : (type) (wide) (v), double : (type) (wide) (v), default : (type) (v))
#define TO_FLOAT(v)    (float) (v)
#define TO_DOUBLE(v)   (double) (v)
#define TO_INT8(v)     INT_BY (gint8, gint32, v)
#define TO_UINT8(v)    INT_BY (guint8, gint32, v)
#define TO_INT16(v)    INT_BY (gint16, gint32, v)
#define TO_UINT16(v)   INT_BY (guint16, gint32, v)
#define TO_INT32(v)    (gint32) (v)
#define TO_UINT32(v)   INT_BY (guint32, gint64, v)
#define TO_INT64(v)    (gint64) (v)
#define TO_UINT64(v)   (guint64) (v)
#define TO_BOOL(v)     ((v) != 0)
#define TO_HALF(v)     sluice_float_to_half ((float) (v))
#define TO_BFLOAT16(v) sluice_float_to_bfloat16 ((float) (v))

typedef void (*CastFunc) (const void *from, void *to, gint64 n);

#define DEFINE_CAST(to_name, from_name, from_type, value, to_type)                                 \
  __attribute__ ((no_sanitize ("float-cast-overflow"))) static void cast_##from_name##_##to_name ( \
      const void *from_memory, void *to_memory, gint64 n)                                          \
  {                                                                                                \
    const from_type *restrict from = from_memory;                                                  \
    to_type *restrict to = to_memory;                                                              \
    for (gint64 i = 0; i < n; i++)                                                                 \
      to[i] = TO_##to_name (value);                                                                \
  }
#define DEFINE_CAST_FROM(from_name, from_type, value, to_name, to_type)                            \
  DEFINE_CAST (to_name, from_name, from_type, value, to_type)

NUMBERS (DEFINE_CAST_FROM, FLOAT, float)
NUMBERS (DEFINE_CAST_FROM, DOUBLE, double)
NUMBERS (DEFINE_CAST_FROM, INT32, gint32)
NUMBERS (DEFINE_CAST_FROM, UINT8, guint8)
NUMBERS (DEFINE_CAST_FROM, INT16, gint16)
NUMBERS (DEFINE_CAST_FROM, INT8, gint8)
NUMBERS (DEFINE_CAST_FROM, INT64, gint64)
NUMBERS (DEFINE_CAST_FROM, BOOL, guint8)
NUMBERS (DEFINE_CAST_FROM, UINT16, guint16)
NUMBERS (DEFINE_CAST_FROM, UINT32, guint32)
NUMBERS (DEFINE_CAST_FROM, UINT64, guint64)
NUMBERS (DEFINE_CAST_FROM, HALF, guint16)
NUMBERS (DEFINE_CAST_FROM, BFLOAT16, guint16)

#define CAST_ENTRY(from_name, from_type, value, to_name)                                           \
  [SLUICE_##from_name] = cast_##from_name##_##to_name,
#define CAST_ROW(to_name) [SLUICE_##to_name] = { NUMBERS (CAST_ENTRY, to_name) }

/* By target, then source. Complex numbers go through their parts. */
static const CastFunc casts[SLUICE_N_DTYPES][SLUICE_N_DTYPES] = {
  CAST_ROW (FLOAT),  CAST_ROW (DOUBLE), CAST_ROW (INT32),    CAST_ROW (UINT8),  CAST_ROW (INT16),
  CAST_ROW (INT8),   CAST_ROW (INT64),  CAST_ROW (BOOL),     CAST_ROW (UINT16), CAST_ROW (UINT32),
  CAST_ROW (UINT64), CAST_ROW (HALF),   CAST_ROW (BFLOAT16),
};

typedef struct
{
  SluiceDType from, to;
  guint drop_bits; /* of the mantissa before it is converted: Truncate */
} Cast;

typedef struct
{
  const Cast *cast;
  const char *from;
  char *to;
} Range;

static SluiceDType
part_dtype (SluiceDType dtype)
{
  if (dtype == SLUICE_COMPLEX64)
    return SLUICE_FLOAT;
  return dtype == SLUICE_COMPLEX128 ? SLUICE_DOUBLE : dtype;
}

/* n <= BLOCK elements of the source with the low bits of the mantissa gone. */
static const void *
drop_low_bits (const Cast *cast, const void *from, gint64 n, void *scratch)
{
  if (cast->from == SLUICE_DOUBLE)
    {
      guint64 *bits = memcpy (scratch, from, n * sizeof *bits);
      for (gint64 i = 0; i < n; i++)
        if (!isnan (((double *) scratch)[i]))
          bits[i] &= ~(guint64) 0 << cast->drop_bits;
    }
  else if (cast->from == SLUICE_FLOAT)
    {
      guint32 *bits = memcpy (scratch, from, n * sizeof *bits);
      for (gint64 i = 0; i < n; i++)
        if (!isnan (((float *) scratch)[i]))
          bits[i] &= ~(guint32) 0 << cast->drop_bits;
    }
  else
    {
      guint16 *bits = memcpy (scratch, from, n * sizeof *bits);
      for (gint64 i = 0; i < n; i++)
        bits[i] &= ~0u << cast->drop_bits;
    }
  return scratch;
}

/* Real parts only, n <= BLOCK. */
static void
take_real (SluiceDType part, const void *from, void *to, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    if (part == SLUICE_FLOAT)
      ((float *) to)[i] = ((const float *) from)[2 * i];
    else
      ((double *) to)[i] = ((const double *) from)[2 * i];
}

static void
put_real (SluiceDType part, const void *from, void *to, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    for (int imaginary = 0; imaginary < 2; imaginary++)
      if (part == SLUICE_FLOAT)
        ((float *) to)[2 * i + imaginary] = imaginary ? 0 : ((const float *) from)[i];
      else
        ((double *) to)[2 * i + imaginary] = imaginary ? 0 : ((const double *) from)[i];
}

/* A block through scratch memory: a part of complex numbers, or bits to drop. */
static void
cast_block (const Cast *cast, const void *from, void *to, gint64 n)
{
  _Alignas(64) guint64 taken[BLOCK], made[BLOCK];
  SluiceDType from_part = part_dtype (cast->from), to_part = part_dtype (cast->to);
  if (cast->drop_bits > 0)
    from = drop_low_bits (cast, from, n, taken);
  if (from_part != cast->from)
    {
      take_real (from_part, from, taken, n);
      from = taken;
    }
  casts[to_part][from_part](from, to_part == cast->to ? to : made, n);
  if (to_part != cast->to)
    put_real (to_part, made, to, n);
}

static void
cast_range (gpointer data, gint64 begin, gint64 end)
{
  const Range *range = data;
  const Cast *cast = range->cast;
  const char *from = range->from + begin * sluice_dtype_size (cast->from);
  char *to = range->to + begin * sluice_dtype_size (cast->to);
  gboolean from_complex = sluice_dtype_is_complex (cast->from);
  gboolean to_complex = sluice_dtype_is_complex (cast->to);
  if (from_complex == to_complex && cast->drop_bits == 0)
    {
      gint64 parts = from_complex ? 2 : 1;
      casts[part_dtype (cast->to)][part_dtype (cast->from)](from, to, parts * (end - begin));
      return;
    }
  for (gint64 i = 0; i < end - begin; i += BLOCK)
    cast_block (cast, from + i * sluice_dtype_size (cast->from),
                to + i * sluice_dtype_size (cast->to), MIN (BLOCK, end - begin - i));
}

static guint
mantissa_bits (SluiceDType dtype)
{
  switch (dtype)
    {
    case SLUICE_DOUBLE:
      return 52;
    case SLUICE_FLOAT:
      return 23;
    case SLUICE_HALF:
      return 10;
    case SLUICE_BFLOAT16:
      return 7;
    default:
      return 0;
    }
}

static gpointer
cast_prepare (const SluiceNode *node, GError **error)
{
  Cast *state = g_new0 (Cast, 1);
  state->from = sluice_node_get_type (node, "SrcT");
  state->to = sluice_node_get_type (node, "DstT");
  guint from = mantissa_bits (state->from), to = mantissa_bits (state->to);
  if (sluice_node_get_bool (node, "Truncate") && to > 0 && from > to)
    state->drop_bits = from - to;
  return state;
}

static gboolean
cast_compute (SluiceKernelCall *call)
{
  const Cast *cast = call->state;
  const SluiceTensor *x = sluice_call_input (call, 0);
  if (cast->from == cast->to)
    {
      sluice_call_forward (call, 0, 0);
      return TRUE;
    }
  SluiceTensor *y = sluice_call_output (call, 0, &x->shape);
  if (y == NULL)
    return FALSE;
  Range range = { cast, x->data, y->data };
  return sluice_call_parallel_for (call, x->n_elements, 1 << 15, 0.5, cast_range, &range);
}

#define CASTABLE (SLUICE_SET_NUMBER | SLUICE_SET (SLUICE_BOOL))

static gboolean
cast_accepts (const SluiceNode *node)
{
  SluiceDType from = sluice_node_get_type (node, "SrcT"), to = sluice_node_get_type (node, "DstT");
  return from == to || (sluice_dtype_in (from, CASTABLE) && sluice_dtype_in (to, CASTABLE));
}

#define CAST(name)                                                                                 \
  {                                                                                                \
    .op = name, .device = "CPU", .prepare = cast_prepare, .free_state = g_free,                    \
    .accepts = cast_accepts, .compute = cast_compute                                               \
  }

static const SluiceKernel kernels[] = { CAST ("Cast"), CAST ("_HostCast") };

const SluiceKernelModule sluice_module_array_cast_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
