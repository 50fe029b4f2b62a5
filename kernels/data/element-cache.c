/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/data/element-cache.h"

#include "engine/base/pool.h"

#define FIRST_PLACES 64
/* Tensors that are freed between two looks: microseconds; and by a task of the pool, which others
 * wait for: milliseconds. */
#define SLICE      256
#define TASK_SLICE 65536

struct _SluiceRemains
{
  SluiceRemains *next;
  SluiceTensor **tensors;
  gsize size, at, n; /* of the array; of them n are left, from at on */
};

gboolean
sluice_element_cache_reserve (SluiceElementCache *self,
                              gint64 n_places,
                              gint64 most,
                              GError **error)
{
  if (n_places <= self->n_places)
    return TRUE;
  gint64 n = MIN (MAX (MAX (n_places, 2 * self->n_places), FIRST_PLACES), most);
  gsize size;
  SluiceTensor **tensors = NULL;
  if (!__builtin_mul_overflow ((gsize) n, (gsize) self->n, &size))
    tensors = g_try_renew (SluiceTensor *, self->tensors, size);
  if (tensors == NULL)
    return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                        "no memory for a buffer of %" G_GINT64_FORMAT " elements", n);
  self->tensors = tensors;
  self->n_places = n;
  return TRUE;
}

void
sluice_remains_add (SluiceRemains **list, SluiceElementCache *take, gint64 first, gint64 n)
{
  SluiceRemains *self = g_new (SluiceRemains, 1);
  gsize size = (gsize) take->n_places * take->n;
  *self = (SluiceRemains){
    .next = *list,
    .tensors = take->tensors,
    .size = size,
    .at = size > 0 ? (gsize) first * take->n % size : 0,
    .n = (gsize) n * take->n,
  };
  *list = self;
  take->tensors = NULL;
  take->n_places = 0;
}

/* Up to n tensors of the first. */
static void
free_some (SluiceRemains **list, gsize n)
{
  SluiceRemains *self = *list;
  n = MIN (n, self->n);
  for (gsize i = 0; i < n; i++)
    {
      sluice_tensor_unref (self->tensors[self->at]);
      self->at = self->at + 1 < self->size ? self->at + 1 : 0;
    }
  self->n -= n;
  if (self->n > 0)
    return;
  *list = self->next;
  g_free (self->tensors);
  g_free (self);
}

static void
free_later (gpointer data)
{
  SluiceRemains *list = data;
  free_some (&list, TASK_SLICE);
  while (list != NULL && !sluice_pool_submit (free_later, list, NULL))
    free_some (&list, TASK_SLICE);
}

void
sluice_remains_free (SluiceRemains **list, const _Atomic int *cancelled)
{
  while (*list != NULL)
    {
      if (cancelled != NULL && atomic_load_explicit (cancelled, memory_order_relaxed)
          && sluice_pool_submit (free_later, *list, NULL))
        *list = NULL;
      else
        free_some (list, SLICE);
    }
}
