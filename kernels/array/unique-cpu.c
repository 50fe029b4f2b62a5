/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/array/rows.h"

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

const SluiceKernelModule sluice_module_array_unique_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
