/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/math/broadcast.h"

static gboolean
walks_as_one (const SluiceBroadcast *self, guint n, int inner, const gint64 *outer_step)
{
  for (guint k = 0; k < n; k++)
    if (outer_step[k] != self->step[k][inner] * self->dim[inner])
      return FALSE;
  return TRUE;
}

static void
reverse (gint64 *values, int n)
{
  for (int i = 0; i < n / 2; i++)
    {
      gint64 swap = values[i];
      values[i] = values[n - 1 - i];
      values[n - 1 - i] = swap;
    }
}

gboolean
sluice_broadcast_make (SluiceBroadcast *self,
                       const SluiceShape *const *shapes,
                       guint n,
                       SluiceShape *out)
{
  *out = *shapes[0];
  for (guint k = 1; k < n; k++)
    if (!sluice_shape_broadcast (out, shapes[k], out))
      return FALSE;
  gint64 stride[SLUICE_MAX_OPERANDS];
  for (guint k = 0; k < n; k++)
    stride[k] = 1;
  self->rank = 0;
  for (int d = 0; d < out->rank; d++) /* from the innermost dimension outwards */
    {
      gint64 size = out->dim[out->rank - 1 - d];
      gint64 step[SLUICE_MAX_OPERANDS];
      for (guint k = 0; k < n; k++)
        {
          gint64 own = d < shapes[k]->rank ? shapes[k]->dim[shapes[k]->rank - 1 - d] : 1;
          step[k] = own == 1 ? 0 : stride[k];
          stride[k] *= own;
        }
      if (size == 1)
        continue;
      if (self->rank > 0 && walks_as_one (self, n, self->rank - 1, step))
        {
          self->dim[self->rank - 1] *= size;
          continue;
        }
      for (guint k = 0; k < n; k++)
        self->step[k][self->rank] = step[k];
      self->dim[self->rank++] = size;
    }
  if (self->rank == 0)
    {
      self->dim[0] = 1;
      for (guint k = 0; k < n; k++)
        self->step[k][0] = 1;
      self->rank = 1;
    }
  reverse (self->dim, self->rank);
  for (guint k = 0; k < n; k++)
    reverse (self->step[k], self->rank);
  return TRUE;
}

gint64
sluice_broadcast_row (const SluiceBroadcast *self, guint k, gint64 row)
{
  gint64 offset = 0;
  for (int d = self->rank - 2; d >= 0; d--)
    {
      offset += row % self->dim[d] * self->step[k][d];
      row /= self->dim[d];
    }
  return offset;
}

gint64
sluice_broadcast_n_rows (const SluiceBroadcast *self)
{
  gint64 n = 1;
  for (int d = 0; d < self->rank - 1; d++)
    n *= self->dim[d];
  return n;
}
