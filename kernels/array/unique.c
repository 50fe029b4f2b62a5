/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Unique and its like: the elements of a vector, or the slices along an axis, each once and in the
 * order in which they first come; for every one its number among them; and how often it comes.
 * Zeros of either sign are one, and a NaN is only itself.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"
#include "kernels/array/rows.h"

/* ---- shapes ---- */

static void
set_counts (SluiceShapeContext *c, gint64 n)
{
  SluiceShape vector = SLUICE_SHAPE (n), unknown = sluice_shape_of_rank (1);
  sluice_shape_context_set (c, 1, &vector);
  if (c->n_outputs > 2)
    sluice_shape_context_set (c, 2, &unknown);
}

static gboolean
unique_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape vector = sluice_shape_of_rank (1);
  if (!sluice_shape_context_want_rank (c, 0, 1, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &vector);
  set_counts (c, c->inputs[0].rank == 1 ? c->inputs[0].dim[0] : SLUICE_UNKNOWN_DIM);
  return TRUE;
}

static gboolean
unique_v2_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceTensor *axes = sluice_shape_context_constant (c, 1);
  SluiceShape shape = c->inputs[0];
  gint64 n = SLUICE_UNKNOWN_DIM;
  if (!sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  if (shape.rank >= 0 && axes != NULL && axes->n_elements <= 1)
    {
      int axis = 0;
      if (axes->n_elements == 0 && shape.rank != 1)
        return sluice_shape_context_fail (c, error, "without an axis, x must be a vector");
      if (axes->n_elements == 1
          && !sluice_shape_axis (c, sluice_tensor_get_int (axes, 0), shape.rank, &axis, error))
        return FALSE;
      n = shape.dim[axis];
      shape.dim[axis] = SLUICE_UNKNOWN_DIM;
    }
  else
    shape = sluice_shape_of_rank (shape.rank);
  sluice_shape_context_set (c, 0, &shape);
  set_counts (c, n);
  return TRUE;
}

/* ---- kernels ---- */

/* Slices of a tensor along an axis, and a table that finds them by what they hold. */
typedef struct
{
  const SluiceTensor *x;
  SluiceAxisSplit split;
  gsize size, run_bytes; /* of an element, of the inner elements */
  gint64 mask;           /* of places in the table */
  gint64 *table;         /* numbers of unique slices; -1: free */
  gint64 *first;         /* [n] where each unique slice comes first */
  gint64 *number;        /* [n] which unique slice each one is */
  gint64 n_unique;
} Slices;

static const char *
run_at (const Slices *s, gint64 outer, gint64 i)
{
  return (const char *) s->x->data + (outer * s->split.size + i) * s->run_bytes;
}

static guint64
hash_bytes (guint64 hash, const void *data, gsize n)
{
  const guint8 *bytes = data;
  for (gsize i = 0; i < n; i++)
    hash = (hash ^ bytes[i]) * G_GUINT64_CONSTANT (0x100000001b3); /* FNV-1a */
  return hash;
}

/* An element as a number where equal bits are not the same as equal: both zeros, and NaN. */
static double
get_float (SluiceDType dtype, const char *element)
{
  switch (dtype)
    {
    case SLUICE_FLOAT:
      return *(const float *) element;
    case SLUICE_DOUBLE:
      return *(const double *) element;
    case SLUICE_HALF:
      return sluice_half_to_float (*(const guint16 *) element);
    default:
      return sluice_bfloat16_to_float (*(const guint16 *) element);
    }
}

static guint64
hash_slice (const Slices *s, gint64 i)
{
  guint64 hash = G_GUINT64_CONSTANT (0xcbf29ce484222325);
  SluiceDType dtype = s->x->dtype;
  for (gint64 o = 0; o < s->split.outer; o++)
    {
      const char *run = run_at (s, o, i);
      if (dtype == SLUICE_STRING)
        for (gint64 k = 0; k < s->split.inner; k++)
          {
            const SluiceString *text = (const SluiceString *) run + k;
            hash = hash_bytes (hash, &text->length, sizeof text->length);
            hash = hash_bytes (hash, text->data, text->length);
          }
      else if (sluice_dtype_is_floating (dtype))
        for (gint64 k = 0; k < s->split.inner; k++)
          {
            const double value = get_float (dtype, run + k * s->size) + 0.0; /* -0 becomes 0 */
            hash = hash_bytes (hash, &value, sizeof value);
          }
      else
        hash = hash_bytes (hash, run, s->run_bytes);
    }
  return hash ^ hash >> 32;
}

static gboolean
runs_equal (const Slices *s, const char *a, const char *b)
{
  SluiceDType dtype = s->x->dtype;
  if (dtype == SLUICE_STRING)
    {
      const SluiceString *x = (const SluiceString *) a, *y = (const SluiceString *) b;
      for (gint64 k = 0; k < s->split.inner; k++)
        if (x[k].length != y[k].length
            || (x[k].length > 0 && memcmp (x[k].data, y[k].data, x[k].length) != 0))
          return FALSE;
      return TRUE;
    }
  if (!sluice_dtype_is_floating (dtype))
    return memcmp (a, b, s->run_bytes) == 0;
  for (gint64 k = 0; k < s->split.inner; k++)
    if (get_float (dtype, a + k * s->size) != get_float (dtype, b + k * s->size))
      return FALSE;
  return TRUE;
}

static gboolean
slices_equal (const Slices *s, gint64 a, gint64 b)
{
  for (gint64 o = 0; o < s->split.outer; o++)
    if (!runs_equal (s, run_at (s, o, a), run_at (s, o, b)))
      return FALSE;
  return TRUE;
}

static gboolean
find_unique (SluiceKernelCall *call, Slices *s)
{
  for (gint64 i = 0; i < s->split.size; i++)
    {
      if ((i & 0xffff) == 0 && call->cancelled && *call->cancelled)
        return sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "the run was cancelled");
      gint64 at = hash_slice (s, i) & s->mask;
      while (s->table[at] >= 0 && !slices_equal (s, i, s->first[s->table[at]]))
        at = (at + 1) & s->mask;
      if (s->table[at] < 0)
        {
          s->first[s->n_unique] = i;
          s->table[at] = s->n_unique++;
        }
      s->number[i] = s->table[at];
    }
  return TRUE;
}

static void
put_number (const SluiceTensor *tensor, gint64 i, gint64 value)
{
  if (tensor->dtype == SLUICE_INT64)
    ((gint64 *) tensor->data)[i] = value;
  else
    ((gint32 *) tensor->data)[i] = (gint32) value;
}

static gboolean
write_outputs (SluiceKernelCall *call, const Slices *s, int axis)
{
  SluiceShape shape = s->x->shape;
  shape.dim[axis] = s->n_unique;
  SluiceTensor *y = sluice_call_output (call, 0, &shape);
  SluiceTensor *numbers = y ? sluice_call_output (call, 1, &SLUICE_SHAPE (s->split.size)) : NULL;
  if (numbers == NULL)
    return FALSE;
  for (gint64 o = 0; o < s->split.outer && s->run_bytes > 0; o++)
    for (gint64 k = 0; k < s->n_unique; k++)
      sluice_row_copy (y->dtype, (char *) y->data + (o * s->n_unique + k) * s->run_bytes,
                       run_at (s, o, s->first[k]), s->split.inner, s->run_bytes);
  for (gint64 i = 0; i < s->split.size; i++)
    put_number (numbers, i, s->number[i]);
  if (call->n_outputs < 3)
    return TRUE;
  SluiceTensor *counts = sluice_call_output (call, 2, &SLUICE_SHAPE (s->n_unique));
  if (counts == NULL)
    return FALSE;
  /* The places of first occurrences are done with: their memory counts. */
  for (gint64 k = 0; k < s->n_unique; k++)
    s->first[k] = 0;
  for (gint64 i = 0; i < s->split.size; i++)
    s->first[s->number[i]]++;
  for (gint64 k = 0; k < s->n_unique; k++)
    put_number (counts, k, s->first[k]);
  return TRUE;
}

static gboolean
unique_along (SluiceKernelCall *call, int axis)
{
  const SluiceTensor *x = sluice_call_input (call, 0);
  Slices s = { .x = x, .split = sluice_axis_split (&x->shape, axis) };
  gint64 n = s.split.size;
  if (n > G_MAXINT32 && call->node->outputs[1].dtype == SLUICE_INT32)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "%" G_GINT64_FORMAT " elements cannot be numbered by int32; make "
                             "out_idx int64",
                             n);
  s.size = sluice_dtype_size (x->dtype);
  s.run_bytes = s.split.inner * s.size;
  s.mask = ((gint64) 1 << g_bit_storage ((gulong) n + 1)) * 2 - 1; /* half full at most */
  g_autoptr (SluiceTensor) memory =
      sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (s.mask + 1 + 2 * n));
  if (memory == NULL)
    return FALSE;
  s.table = memory->data;
  s.first = s.table + s.mask + 1;
  s.number = s.first + n;
  memset (s.table, 0xff, (s.mask + 1) * sizeof *s.table);
  return find_unique (call, &s) && write_outputs (call, &s, axis);
}

static gboolean
unique_compute (SluiceKernelCall *call)
{
  return sluice_call_want_rank (call, 0, 1) && unique_along (call, 0);
}

static gboolean
unique_v2_compute (SluiceKernelCall *call)
{
  const SluiceTensor *axes = sluice_call_input (call, 1);
  int axis;
  if (!sluice_call_want_rank (call, 1, 1))
    return FALSE;
  if (axes->n_elements == 0)
    return unique_compute (call);
  if (axes->n_elements > 1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "axis must have one element at most, not %" G_GINT64_FORMAT,
                             axes->n_elements);
  return sluice_call_axis (call, sluice_tensor_get_int (axes, 0),
                           sluice_call_input (call, 0)->shape.rank, &axis)
         && unique_along (call, axis);
}

static const SluiceSample unique_samples[] = {
  { NULL, "float[7]={3,1,3,2,-0.0,0,1}" },
  { "out_idx=int64", "float[4]={1,1,1,1}" },
  { NULL, "string[5]" },
  { NULL, "float[0]={}" },
};
static const SluiceRecipe unique_recipe = { unique_samples, G_N_ELEMENTS (unique_samples),
                                            SLUICE_SET_REAL };

static const SluiceSample unique_v2_samples[] = {
  { NULL, "float[7]={3,1,3,2,0,0,1}; int64[0]={}" },
  { "out_idx=int64", "float[3,2]={1,0,1,0,2,0}; int32[1]={0}" },
  { NULL, "float[2,3]={1,1,2,3,3,2}; int64[1]={-1}" },
  { NULL, "string[2,2]; int64[1]={1}" },
  { NULL, "float[3,0]; int64[1]={0}" },
};
static const SluiceRecipe unique_v2_recipe = { unique_v2_samples, G_N_ELEMENTS (unique_v2_samples),
                                               SLUICE_SET_REAL };

#define UNIQUE(name_end, axis, axis_type, counts, rule, samples, what)                             \
  {                                                                                                \
    .name = "Unique" name_end, .signature = "x: T" axis " -> y: T, idx: out_idx" counts,           \
    .attrs = "T: type; " axis_type "out_idx: {int32, int64} = int32", .summary = what,             \
    .shape = rule, .recipe = samples,                                                              \
  }
#define AXIS      ", axis: Taxis", "Taxis: {int32, int64} = int64; "
#define COUNT     ", count: out_idx"
#define EACH(...) UNIQUE (__VA_ARGS__)

/* clang-format off */
static const SluiceOpDef unique_op =
    EACH ("", "", "", "", unique_shape, &unique_recipe, N_ ("Each element of a vector once"));
static const SluiceOpDef unique_v2_op =
    EACH ("V2", AXIS, "", unique_v2_shape, &unique_v2_recipe, N_ ("Each slice along an axis once"));
static const SluiceOpDef with_counts_op =
    EACH ("WithCounts", "", "", COUNT, unique_shape, &unique_recipe,
          N_ ("Each element of a vector once, and how often it comes"));
static const SluiceOpDef with_counts_v2_op =
    EACH ("WithCountsV2", AXIS, COUNT, unique_v2_shape, &unique_v2_recipe,
          N_ ("Each slice along an axis once, and how often it comes"));
/* clang-format on */

static const SluiceOpDef *const ops[] = {
  &unique_op,
  &unique_v2_op,
  &with_counts_op,
  &with_counts_v2_op,
};

#define HASHED (SLUICE_SET_POD & ~SLUICE_SET_COMPLEX) | SLUICE_SET (SLUICE_STRING)
#define KERNEL(op_name, function)                                                                  \
  {                                                                                                \
    .op = op_name, .device = "CPU", .where = { { "T", HASHED } }, .compute = function,             \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("Unique", unique_compute),
  KERNEL ("UniqueV2", unique_v2_compute),
  KERNEL ("UniqueWithCounts", unique_compute),
  KERNEL ("UniqueWithCountsV2", unique_v2_compute),
};

const SluiceKernelModule sluice_module_array_unique = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
