/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/queue/accumulator.h"

#include <string.h>

#include "kernels/typed.h"

static void
drop_sum (SluiceAccumulator *self)
{
  g_clear_pointer (&self->sum, sluice_tensor_unref);
  g_array_set_size (self->indices, 0);
  g_array_set_size (self->counts, 0);
  self->n = 0;
}

static void
accumulator_finalize (SluiceResource *resource)
{
  SluiceAccumulator *self = (SluiceAccumulator *) resource;
  drop_sum (self);
  g_array_unref (self->indices);
  g_array_unref (self->counts);
  sluice_monitor_clear (&self->parent);
  g_free (self);
}

const SluiceResourceType sluice_accumulator_type = { "accumulator", accumulator_finalize };

SluiceAccumulator *
sluice_accumulator_new (const char *name,
                        gboolean is_sparse,
                        SluiceDType dtype,
                        const SluiceShape *shape,
                        gboolean takes_mean)
{
  SluiceAccumulator *self = g_new0 (SluiceAccumulator, 1);
  sluice_monitor_init (&self->parent, &sluice_accumulator_type, name, TRUE);
  self->is_sparse = is_sparse;
  self->dtype = dtype;
  self->shape = *shape;
  self->takes_mean = takes_mean;
  self->indices = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->counts = g_array_new (FALSE, FALSE, sizeof (gint64));
  return self;
}

/* ---- arithmetic ---- */

static void
add_to (SluiceDType dtype, void *to, const void *from, gint64 n)
{
  if (dtype == SLUICE_FLOAT)
    for (gint64 i = 0; i < n; i++)
      ((float *) to)[i] += ((const float *) from)[i];
  else if (dtype == SLUICE_DOUBLE)
    for (gint64 i = 0; i < n; i++)
      ((double *) to)[i] += ((const double *) from)[i];
  else
    for (gint64 i = 0; i < n; i++)
      {
        float a, b;
        sluice_widen (dtype, (guint16 *) to + i, &a, 1);
        sluice_widen (dtype, (const guint16 *) from + i, &b, 1);
        a += b;
        sluice_narrow (dtype, &a, (guint16 *) to + i, 1);
      }
}

static void
divide (SluiceDType dtype, void *values, gint64 n, gint64 divisor)
{
  if (dtype == SLUICE_FLOAT)
    for (gint64 i = 0; i < n; i++)
      ((float *) values)[i] /= (float) divisor;
  else if (dtype == SLUICE_DOUBLE)
    for (gint64 i = 0; i < n; i++)
      ((double *) values)[i] /= (double) divisor;
  else
    for (gint64 i = 0; i < n; i++)
      {
        float a;
        sluice_widen (dtype, (guint16 *) values + i, &a, 1);
        a /= (float) divisor;
        sluice_narrow (dtype, &a, (guint16 *) values + i, 1);
      }
}

/* ---- dense gradients ---- */

static gboolean
fail_shape (SluiceKernelCall *call,
            const char *what,
            const SluiceShape *want,
            const SluiceShape *got)
{
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s must have shape %s, not %s",
                           what, sluice_shape_str (want, a), sluice_shape_str (got, b));
}

gboolean
sluice_accumulator_add (SluiceAccumulator *self, SluiceKernelCall *call, guint i)
{
  SluiceTensor *gradient = sluice_call_input (call, i);
  const SluiceShape *want = self->sum != NULL ? &self->sum->shape : &self->shape;
  if (!sluice_shape_compatible (want, &gradient->shape))
    return fail_shape (call, "the gradient", want, &gradient->shape);
  if (self->sum != NULL)
    add_to (self->dtype, self->sum->data, gradient->data, gradient->n_elements);
  else
    {
      self->sum = sluice_call_scratch (call, self->dtype, &gradient->shape);
      if (self->sum == NULL)
        return FALSE;
      if (gradient->n_elements > 0)
        memcpy (self->sum->data, gradient->data, sluice_tensor_bytes (gradient));
    }
  self->n++;
  return TRUE;
}

/* ---- sparse gradients ---- */

static gboolean
check_rows (SluiceAccumulator *self, SluiceKernelCall *call, guint i, gboolean has_shape)
{
  const SluiceTensor *indices = sluice_call_input (call, i),
                     *rows = sluice_call_input (call, i + 1);
  const SluiceTensor *shape = sluice_call_input (call, i + 2);
  SluiceShape want = self->sum != NULL ? self->sum->shape : self->shape;
  if (!sluice_call_want_rank (call, i, 1))
    return FALSE;
  if (want.rank > 0)
    want.dim[0] = indices->n_elements;
  if (rows->shape.rank == 0 || rows->shape.dim[0] != indices->n_elements)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "there are %" G_GINT64_FORMAT
                             " indices, and not as many rows of values",
                             indices->n_elements);
  if (want.rank != 0 && !sluice_shape_compatible (&want, &rows->shape))
    return fail_shape (call, "gradient_values", &want, &rows->shape);
  /* What the accumulator does not know of a shape, it does not hold against a gradient's. */
  if (!has_shape || self->shape.rank < 0)
    return TRUE;
  SluiceShape said = sluice_shape_of_rank ((int) MIN (shape->n_elements, SLUICE_MAX_RANK));
  for (int d = 0; d < said.rank; d++)
    said.dim[d] = MAX (((const gint64 *) shape->data)[d], SLUICE_UNKNOWN_DIM);
  if (shape->n_elements != said.rank || !sluice_shape_compatible (&self->shape, &said))
    return fail_shape (call, "gradient_shape: the gradient", &self->shape, &said);
  return TRUE;
}

static void
take_over (SluiceAccumulator *self, gint64 index, gint64 count)
{
  g_array_append_val (self->indices, index);
  g_array_append_val (self->counts, count);
}

/*
 * Two lists of rows become one, as lists in order of their indices do: TensorFlow's gradients come
 * that way, and where they do not, its result is this one.
 */
static gint64
merge_indices (SluiceAccumulator *self,
               const GArray *old,
               const GArray *old_counts,
               const SluiceTensor *indices,
               gint64 *from_old,
               gint64 *from_new)
{
  const gint64 *a = (const gint64 *) old->data, *b = indices->data;
  gint64 i = 0, k = 0, n = 0, n_a = old->len, n_b = indices->n_elements;
  for (; i < n_a || k < n_b; n++)
    {
      gboolean has_a = i < n_a && (k == n_b || a[i] <= b[k]);
      gboolean has_b = k < n_b && (i == n_a || b[k] <= a[i]);
      gint64 count = has_a ? g_array_index (old_counts, gint64, i) : 0;
      take_over (self, has_a ? a[i] : b[k], count + (has_b ? 1 : 0));
      from_old[n] = has_a ? i++ : -1;
      from_new[n] = has_b ? k++ : -1;
    }
  return n;
}

static gboolean
merge_rows (SluiceAccumulator *self,
            SluiceKernelCall *call,
            const SluiceTensor *indices,
            const SluiceTensor *rows)
{
  gint64 n_most = (gint64) self->indices->len + indices->n_elements;
  g_autofree gint64 *from_old = g_new (gint64, n_most);
  g_autofree gint64 *from_new = g_new (gint64, n_most);
  g_autoptr (GArray) old = g_steal_pointer (&self->indices);
  g_autoptr (GArray) old_counts = g_steal_pointer (&self->counts);
  self->indices = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->counts = g_array_new (FALSE, FALSE, sizeof (gint64));
  SluiceShape shape = rows->shape;
  shape.dim[0] = merge_indices (self, old, old_counts, indices, from_old, from_new);
  g_autoptr (SluiceTensor) before = g_steal_pointer (&self->sum);
  self->sum = sluice_call_scratch (call, self->dtype, &shape);
  if (self->sum == NULL)
    {
      drop_sum (self);
      return FALSE;
    }
  gint64 n = shape.dim[0] > 0 ? self->sum->n_elements / shape.dim[0] : 0;
  gsize bytes = (gsize) n * sluice_dtype_size (self->dtype);
  for (gint64 r = 0; r < shape.dim[0] && n > 0; r++)
    {
      char *to = (char *) self->sum->data + (gsize) r * bytes;
      const char *a = from_old[r] < 0 ? NULL : (char *) before->data + (gsize) from_old[r] * bytes;
      const char *b = from_new[r] < 0 ? NULL : (char *) rows->data + (gsize) from_new[r] * bytes;
      memcpy (to, a != NULL ? a : b, bytes);
      if (a != NULL && b != NULL)
        add_to (self->dtype, to, b, n);
    }
  return TRUE;
}

gboolean
sluice_accumulator_add_rows (SluiceAccumulator *self,
                             SluiceKernelCall *call,
                             guint i,
                             gboolean has_shape)
{
  if (!check_rows (self, call, i, has_shape)
      || !merge_rows (self, call, sluice_call_input (call, i), sluice_call_input (call, i + 1)))
    return FALSE;
  self->n++;
  return TRUE;
}

/* ---- taking ---- */

static void
take_dense (SluiceAccumulator *self, SluiceKernelCall *call)
{
  if (self->takes_mean)
    divide (self->dtype, self->sum->data, self->sum->n_elements, self->n);
  sluice_call_take_output (call, 0, g_steal_pointer (&self->sum));
}

static SluiceTensor *
new_int64 (const gint64 *values, gint64 n)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (SLUICE_INT64, &SLUICE_SHAPE (n));
  if (n > 0)
    memcpy (tensor->data, values, (gsize) n * sizeof *values);
  return tensor;
}

static void
take_sparse (SluiceAccumulator *self, SluiceKernelCall *call)
{
  gint64 n = self->indices->len, width = n > 0 ? self->sum->n_elements / n : 0;
  gsize bytes = (gsize) width * sluice_dtype_size (self->dtype);
  for (gint64 r = 0; self->takes_mean && width > 0 && r < n; r++)
    divide (self->dtype, (char *) self->sum->data + (gsize) r * bytes, width,
            g_array_index (self->counts, gint64, r));
  /* How many rows there could be is known of the declared shape only. */
  SluiceShape shape = self->sum->shape;
  shape.dim[0] = self->shape.rank > 0 ? self->shape.dim[0] : SLUICE_UNKNOWN_DIM;
  sluice_call_take_output (call, 0, new_int64 ((const gint64 *) self->indices->data, n));
  sluice_call_take_output (call, 1, g_steal_pointer (&self->sum));
  sluice_call_take_output (call, 2, new_int64 (shape.dim, shape.rank));
}

gboolean
sluice_accumulator_take (SluiceMonitor *monitor, SluiceKernelCall *call, gint64 number)
{
  SluiceAccumulator *self = (SluiceAccumulator *) monitor;
  if (self->n < number)
    return FALSE;
  if (self->is_sparse)
    take_sparse (self, call);
  else
    take_dense (self, call);
  drop_sum (self);
  self->step++;
  return TRUE;
}
