/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/queue/items.h"

#include <string.h>

#define FIRST_SIZE 8

SluiceElements *
sluice_elements_new (guint n)
{
  SluiceElements *self = g_malloc0 (sizeof (SluiceElements) + n * sizeof (SluiceTensor *));
  self->ref_count = 1;
  self->n = n;
  return self;
}

void
sluice_elements_unref (SluiceElements *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  for (guint i = 0; i < self->n; i++)
    if (self->tensors[i] != NULL)
      sluice_tensor_unref (self->tensors[i]);
  g_free (self);
}

/* ---- the ring ---- */

static void
reserve (SluiceItems *self, gsize n)
{
  gsize size = self->ring != NULL ? self->mask + 1 : 0, wanted = MAX (size, FIRST_SIZE);
  if (self->n + n <= size)
    return;
  while (wanted < self->n + n)
    wanted *= 2;
  SluiceItem *ring = g_new (SluiceItem, wanted);
  for (gsize i = 0; i < self->n; i++)
    ring[i] = *sluice_items_at (self, i);
  g_free (self->ring);
  self->ring = ring;
  self->first = 0;
  self->mask = wanted - 1;
}

void
sluice_items_push (SluiceItems *self, SluiceItem item)
{
  reserve (self, 1);
  *sluice_items_at (self, self->n++) = item;
}

void
sluice_items_push_front (SluiceItems *self, SluiceItem item)
{
  reserve (self, 1);
  self->first = (self->first - 1) & self->mask;
  self->n++;
  *sluice_items_at (self, 0) = item;
}

SluiceItem
sluice_items_pop (SluiceItems *self)
{
  return *sluice_items_at (self, --self->n);
}

SluiceItem
sluice_items_pop_front (SluiceItems *self)
{
  SluiceItem item = *sluice_items_at (self, 0);
  self->first = (self->first + 1) & self->mask;
  self->n--;
  return item;
}

void
sluice_items_push_element (SluiceItems *self, SluiceElements *take)
{
  sluice_items_push (self, (SluiceItem){ take, SLUICE_WHOLE });
}

void
sluice_items_push_rows (SluiceItems *self, SluiceElements *take, gint64 n)
{
  if (n == 0)
    {
      sluice_elements_unref (take);
      return;
    }
  take->ref_count += n - 1;
  reserve (self, (gsize) n);
  for (gint64 i = 0; i < n; i++)
    *sluice_items_at (self, self->n++) = (SluiceItem){ take, i };
}

void
sluice_items_clear (SluiceItems *self)
{
  for (gsize i = 0; i < self->n; i++)
    sluice_elements_unref (sluice_items_at (self, i)->elements);
  g_free (self->ring);
  *self = (SluiceItems){ NULL };
}

/* ---- what items hold ---- */

SluiceShape
sluice_item_shape (const SluiceItem *self, guint component)
{
  SluiceShape shape = self->elements->tensors[component]->shape;
  if (self->row == SLUICE_WHOLE)
    return shape;
  shape.rank--;
  memmove (shape.dim, shape.dim + 1, (gsize) shape.rank * sizeof (gint64));
  return shape;
}

const void *
sluice_item_data (const SluiceItem *self, guint component)
{
  const SluiceTensor *tensor = self->elements->tensors[component];
  if (self->row <= 0)
    return tensor->data;
  gint64 n = tensor->n_elements / tensor->shape.dim[0];
  if (n == 0)
    return tensor->data;
  return (const char *) tensor->data + self->row * n * (gint64) sluice_dtype_size (tensor->dtype);
}

SluiceTensor *
sluice_item_dup (const SluiceItem *self,
                 guint component,
                 SluiceAllocator *allocator,
                 SluiceOwner owner,
                 GError **error)
{
  SluiceTensor *tensor = self->elements->tensors[component];
  if (self->row == SLUICE_WHOLE)
    {
      sluice_tensor_set_memory_class (tensor, owner.memory_class);
      return sluice_tensor_ref (tensor);
    }
  SluiceShape shape = sluice_item_shape (self, component);
  SluiceTensor *copy = sluice_tensor_new_checked (allocator, tensor->dtype, &shape, owner, error);
  if (copy != NULL && copy->n_elements > 0)
    sluice_elements_copy (tensor->dtype, copy->data, sluice_item_data (self, component),
                          copy->n_elements);
  return copy;
}

/* ---- putting together ---- */

/* An element into the corner of a larger place of the same rank: the place is row-major too. */
static void
copy_into (SluiceDType dtype,
           char *to,
           const SluiceShape *place,
           const char *from,
           const SluiceShape *shape)
{
  gint64 n_lines = 1, length = shape->rank > 0 ? shape->dim[shape->rank - 1] : 1;
  gint64 size = (gint64) sluice_dtype_size (dtype), index[SLUICE_MAX_RANK] = { 0 };
  for (int d = 0; d + 1 < shape->rank; d++)
    n_lines *= shape->dim[d];
  if (length == 0)
    return;
  for (gint64 line = 0; line < n_lines; line++)
    {
      gint64 at = 0;
      for (int d = 0; d < shape->rank; d++)
        at = at * place->dim[d] + index[d];
      sluice_elements_copy (dtype, to + at * size, from + line * length * size, length);
      for (int d = shape->rank - 2; d >= 0 && ++index[d] == shape->dim[d]; d--)
        index[d] = 0;
    }
}

static SluiceShape
common_shape (const SluiceItems *self, guint component, const SluiceShape *shape)
{
  SluiceShape common = *shape;
  for (int d = 0; d < shape->rank; d++)
    if (shape->dim[d] < 0)
      common.dim[d] = 0;
  if (sluice_shape_is_known (shape))
    return common;
  for (gsize i = 0; i < self->n; i++)
    {
      SluiceShape one = sluice_item_shape (sluice_items_at (self, i), component);
      for (int d = 0; d < shape->rank; d++)
        common.dim[d] = MAX (common.dim[d], one.dim[d]);
    }
  return common;
}

/* Items i … whose rows follow each other in one batch. */
static gsize
count_run (const SluiceItems *self, gsize i)
{
  const SluiceItem *first = sluice_items_at (self, i);
  gsize n = 1;
  if (first->row == SLUICE_WHOLE)
    return n;
  for (; i + n < self->n; n++)
    {
      const SluiceItem *item = sluice_items_at (self, i + n);
      if (item->elements != first->elements || item->row != first->row + (gint64) n)
        break;
    }
  return n;
}

/* n elements, at least one; padding: nullable, as of sluice_items_stack. */
static void
pad (SluiceDType dtype, char *to, gint64 n, const void *padding)
{
  gint64 size = (gint64) sluice_dtype_size (dtype);
  if (padding == NULL && !sluice_dtype_is_managed (dtype)) /* what is managed is empty at first */
    memset (to, 0, (gsize) (n * size));
  if (padding == NULL)
    return;
  sluice_elements_copy (dtype, to, padding, 1);
  for (gint64 done = 1; done < n; done *= 2)
    sluice_elements_copy (dtype, to + done * size, to, MIN (done, n - done));
}

void
sluice_item_put (SluiceDType dtype,
                 void *to,
                 const SluiceShape *place,
                 const void *from,
                 const SluiceShape *shape,
                 const void *padding)
{
  gint64 n = 1;
  for (int d = 0; d < place->rank; d++)
    n *= place->dim[d];
  if (n == 0)
    return;
  if (sluice_shape_equal (shape, place))
    {
      sluice_elements_copy (dtype, to, from, n);
      return;
    }
  pad (dtype, to, n, padding);
  copy_into (dtype, to, place, from, shape);
}

static void
fill (const SluiceItems *self,
      guint component,
      const void *padding,
      SluiceTensor *out,
      const SluiceShape *place)
{
  gint64 n = out->n_elements / out->shape.dim[0];
  gint64 size = n * (gint64) sluice_dtype_size (out->dtype);
  char *to = out->data;
  for (gsize i = 0, n_run; i < self->n; i += n_run)
    {
      const SluiceItem *item = sluice_items_at (self, i);
      SluiceShape shape = sluice_item_shape (item, component);
      const char *from = sluice_item_data (item, component);
      n_run = sluice_shape_equal (&shape, place) ? count_run (self, i) : 1;
      if (n_run > 1)
        sluice_elements_copy (out->dtype, to + (gint64) i * size, from, n * (gint64) n_run);
      else
        sluice_item_put (out->dtype, to + (gint64) i * size, place, from, &shape, padding);
    }
}

SluiceTensor *
sluice_items_stack (const SluiceItems *self,
                    guint component,
                    SluiceDType dtype,
                    const SluiceShape *shape,
                    const void *padding,
                    SluiceAllocator *allocator,
                    SluiceOwner owner,
                    GError **error)
{
  gint64 dims[SLUICE_MAX_RANK + 1] = { (gint64) self->n };
  SluiceShape place = common_shape (self, component, shape), all;
  memcpy (dims + 1, place.dim, (gsize) place.rank * sizeof (gint64));
  if (!sluice_shape_make (&all, dims, (gsize) place.rank + 1, error))
    return NULL;
  SluiceTensor *out = sluice_tensor_new_checked (allocator, dtype, &all, owner, error);
  if (out != NULL && out->n_elements > 0)
    fill (self, component, padding, out, &place);
  return out;
}
