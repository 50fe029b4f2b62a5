/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/list/tensor-array.h"

#include <string.h>

#include "engine/base/lock.h"
#include "kernels/list/pieces.h"
#include "kernels/math/add.h"

/* Elements come in pages, so that an array of two thousand million of them costs what is used. */
#define PAGE 256

/* One write. The key orders those of one element. */
typedef struct
{
  guint32 node;
  guint64 frame, iteration;
  SluiceTensor *value;
} Write;

typedef struct
{
  SluiceShape shape;
  Write first;  /* value NULL: not written, zeros of that shape, or read and cleared */
  GArray *more; /* (nullable): of Write, where several are added up */
  gboolean has_shape, is_written, is_read, is_cleared;
} Element;

struct _SluiceTensorArray
{
  SluiceResource parent;
  char *name;
  SluiceDType dtype;
  gboolean identical_element_shapes, clear_after_read;
  gboolean is_gradient; /* adds writes up; what was never written reads as zeros */

  pthread_mutex_t lock; /* guards the rest */
  SluiceShape element_shape;
  gboolean dynamic_size, is_closed;
  gboolean has_sums; /* elements were added up: no gradient can be told apart then */
  gint64 size, marked_size;
  Element **pages;
  gint64 n_pages;
  GHashTable *gradients; /* (nullable): source → SluiceTensorArray */
};

/* ---- elements ---- */

static void
element_drop (Element *self)
{
  g_clear_pointer (&self->first.value, sluice_tensor_unref);
  for (guint i = 0; self->more != NULL && i < self->more->len; i++)
    sluice_tensor_unref (g_array_index (self->more, Write, i).value);
  g_clear_pointer (&self->more, g_array_unref);
}

static void
drop_pages (SluiceTensorArray *self)
{
  for (gint64 page = 0; page < self->n_pages; page++)
    {
      for (guint i = 0; self->pages[page] != NULL && i < PAGE; i++)
        element_drop (&self->pages[page][i]);
      g_free (self->pages[page]);
    }
  g_clear_pointer (&self->pages, g_free);
  self->n_pages = 0;
}

/* (nullable): never touched */
static Element *
peek (SluiceTensorArray *self, gint64 index)
{
  gint64 page = index / PAGE;
  if (page >= self->n_pages || self->pages[page] == NULL)
    return NULL;
  return &self->pages[page][index % PAGE];
}

static Element *
touch (SluiceTensorArray *self, SluiceKernelCall *call, gint64 index)
{
  gint64 page = index / PAGE;
  if (page >= self->n_pages)
    {
      gint64 n = MAX (page + 1, 2 * self->n_pages);
      Element **pages = g_try_new0 (Element *, n);
      if (pages == NULL)
        {
          sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                            "no memory for a TensorArray of %" G_GINT64_FORMAT " elements",
                            index + 1);
          return NULL;
        }
      if (self->n_pages > 0)
        memcpy (pages, self->pages, self->n_pages * sizeof *pages);
      g_free (self->pages);
      self->pages = pages;
      self->n_pages = n;
    }
  if (self->pages[page] == NULL)
    self->pages[page] = g_new0 (Element, PAGE);
  return &self->pages[page][index % PAGE];
}

/* ---- the array ---- */

static void
tensor_array_finalize (SluiceResource *resource)
{
  SluiceTensorArray *self = (SluiceTensorArray *) resource;
  drop_pages (self);
  g_clear_pointer (&self->gradients, g_hash_table_unref);
  pthread_mutex_destroy (&self->lock);
  g_free (self->name);
  g_free (self);
}

const SluiceResourceType sluice_tensor_array_type = { "TensorArray", tensor_array_finalize };

static SluiceTensorArray *
array_new (const SluiceTensorArraySpec *spec, gint64 size)
{
  SluiceTensorArray *self = g_new0 (SluiceTensorArray, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &sluice_tensor_array_type;
  pthread_mutex_init (&self->lock, NULL);
  self->name = g_strdup (spec->name);
  self->dtype = spec->dtype;
  self->element_shape = spec->element_shape;
  self->identical_element_shapes = spec->identical_element_shapes;
  self->dynamic_size = spec->dynamic_size;
  self->clear_after_read = spec->clear_after_read;
  self->size = size;
  return self;
}

SluiceTensorArray *
sluice_tensor_array_new (SluiceKernelCall *call, const SluiceTensorArraySpec *spec, gint64 size)
{
  if (size >= 0)
    return array_new (spec, size);
  sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                    "the size of a TensorArray must not be negative, it is %" G_GINT64_FORMAT,
                    size);
  return NULL;
}

SluiceDType
sluice_tensor_array_get_dtype (const SluiceTensorArray *self)
{
  return self->dtype;
}

static gboolean
check_open (SluiceTensorArray *self, SluiceKernelCall *call)
{
  return !self->is_closed
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "TensorArray '%s' has been closed", self->name);
}

gboolean
sluice_tensor_array_get_size (SluiceTensorArray *self, SluiceKernelCall *call, gint64 *n)
{
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  gboolean ok = check_open (self, call);
  *n = self->size;
  pthread_mutex_unlock (&self->lock);
  return ok;
}

gint64
sluice_tensor_array_get_packed_size (SluiceTensorArray *self)
{
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  gint64 n = self->is_gradient ? self->marked_size : self->size;
  pthread_mutex_unlock (&self->lock);
  return n;
}

gboolean
sluice_tensor_array_merge_shape (SluiceTensorArray *self,
                                 SluiceKernelCall *call,
                                 const SluiceShape *shape,
                                 SluiceShape *merged)
{
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  gboolean ok = sluice_shape_merge (&self->element_shape, shape, merged);
  if (ok)
    self->element_shape = *merged;
  else
    sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                      "elements of shape %s are asked for, but those of TensorArray '%s' have "
                      "shape %s",
                      sluice_shape_str (shape, a), self->name,
                      sluice_shape_str (&self->element_shape, b));
  pthread_mutex_unlock (&self->lock);
  return ok;
}

/* ---- writing ---- */

static gboolean
check_write (SluiceTensorArray *self, SluiceKernelCall *call, gint64 index, SluiceTensor *value)
{
  char got[SLUICE_SHAPE_STR], want[SLUICE_SHAPE_STR];
  if (!check_open (self, call))
    return FALSE;
  if (index < 0 || (!self->dynamic_size && index >= self->size))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "element %" G_GINT64_FORMAT " of TensorArray '%s' is to be written, "
                             "which has %" G_GINT64_FORMAT " of them%s",
                             index, self->name, self->size,
                             self->dynamic_size ? "" : " and does not grow (dynamic_size=false)");
  if ((SluiceDType) value->dtype != self->dtype)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "element %" G_GINT64_FORMAT " is to be %s, but TensorArray '%s' "
                             "holds %s",
                             index, sluice_dtype_name (value->dtype), self->name,
                             sluice_dtype_name (self->dtype));
  if (!sluice_shape_compatible (&self->element_shape, &value->shape))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "element %" G_GINT64_FORMAT " is to have shape %s, but the elements "
                             "of TensorArray '%s' have shape %s",
                             index, sluice_shape_str (&value->shape, got), self->name,
                             sluice_shape_str (&self->element_shape, want));
  return TRUE;
}

/* One more part of a sum. */
static gboolean
add_write (SluiceTensorArray *self,
           SluiceKernelCall *call,
           Element *element,
           gint64 index,
           const Write *write)
{
  char got[SLUICE_SHAPE_STR], want[SLUICE_SHAPE_STR];
  if (element->has_shape && !sluice_shape_equal (&element->shape, &write->value->shape))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "element %" G_GINT64_FORMAT " of TensorArray '%s' has shape %s; what "
                             "is added to it has %s",
                             index, self->name, sluice_shape_str (&element->shape, want),
                             sluice_shape_str (&write->value->shape, got));
  if (element->first.value == NULL)
    {
      element->first = *write;
      return TRUE;
    }
  if (element->more == NULL)
    element->more = g_array_new (FALSE, FALSE, sizeof (Write));
  g_array_append_val (element->more, *write);
  self->has_sums = TRUE;
  return TRUE;
}

static gboolean
write_locked (SluiceTensorArray *self, SluiceKernelCall *call, gint64 index, SluiceTensor *value)
{
  if (!check_write (self, call, index, value))
    return FALSE;
  Element *element = touch (self, call, index);
  if (element == NULL)
    return FALSE;
  if (self->identical_element_shapes && !sluice_shape_is_known (&self->element_shape))
    self->element_shape = value->shape;
  if (element->is_read)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "element %" G_GINT64_FORMAT " of TensorArray '%s' cannot be written, "
                             "it has been read",
                             index, self->name);
  if (element->is_written && !self->is_gradient)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "element %" G_GINT64_FORMAT " of TensorArray '%s' has been written "
                             "before, and an element can be written once",
                             index, self->name);
  Write write = { call->node->id, call->frame, call->iteration, value };
  if (element->is_written)
    {
      if (!add_write (self, call, element, index, &write))
        return FALSE;
    }
  else
    {
      element->first = write;
      element->shape = value->shape;
      element->has_shape = element->is_written = TRUE;
    }
  sluice_tensor_ref (value);
  sluice_tensor_set_memory_class (value, SLUICE_MEMORY_ARRAY);
  self->size = MAX (self->size, index + 1);
  return TRUE;
}

gboolean
sluice_tensor_array_write (SluiceTensorArray *self,
                           SluiceKernelCall *call,
                           gint64 index,
                           SluiceTensor *value)
{
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  gboolean ok = write_locked (self, call, index, value);
  pthread_mutex_unlock (&self->lock);
  return ok;
}

static gboolean
prepare_locked (SluiceTensorArray *self, SluiceKernelCall *call, gint64 n, gboolean exact)
{
  gint64 size = self->dynamic_size ? MAX (self->size, n) : self->size;
  if (!check_open (self, call))
    return FALSE;
  if (exact && n != size)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "%" G_GINT64_FORMAT " values are to fill TensorArray '%s', which has "
                             "%" G_GINT64_FORMAT " elements%s",
                             n, self->name, size,
                             self->dynamic_size ? "" : " and does not grow (dynamic_size=false)");
  if (n > size)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "element %" G_GINT64_FORMAT " of TensorArray '%s' is to be written, "
                             "which has %" G_GINT64_FORMAT " of them",
                             n - 1, self->name, size);
  if (!self->is_gradient)
    self->marked_size = size;
  return TRUE;
}

gboolean
sluice_tensor_array_prepare_many (SluiceTensorArray *self,
                                  SluiceKernelCall *call,
                                  gint64 n,
                                  gboolean exact)
{
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  gboolean ok = prepare_locked (self, call, n, exact);
  pthread_mutex_unlock (&self->lock);
  return ok;
}

/* ---- reading ---- */

static gint
compare_writes (gconstpointer a, gconstpointer b)
{
  const Write *x = a, *y = b;
  if (x->node != y->node)
    return x->node < y->node ? -1 : 1;
  if (x->frame != y->frame)
    return x->frame < y->frame ? -1 : 1;
  return x->iteration < y->iteration ? -1 : x->iteration > y->iteration;
}

/* An element that nobody wrote is zeros where its shape is known. */
static gboolean
settle_unwritten (SluiceTensorArray *self, SluiceKernelCall *call, gint64 index, Element *element)
{
  char text[SLUICE_SHAPE_STR];
  if (self->is_gradient && element->has_shape && element->shape.rank > 0)
    ;
  else if (sluice_shape_is_known (&self->element_shape))
    element->shape = self->element_shape;
  else
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "element %" G_GINT64_FORMAT " of TensorArray '%s' was never written, "
                             "and it cannot be read as zeros because the shape of the elements, "
                             "%s, is not fully known; write it first or set element_shape",
                             index, self->name, sluice_shape_str (&self->element_shape, text));
  element->has_shape = element->is_written = TRUE;
  return TRUE;
}

/* Takes the writes of an element out, or references to them. (nullable): call->error is set */
static GArray *
take_writes (SluiceTensorArray *self, SluiceKernelCall *call, gint64 index, SluiceShape *shape)
{
  if (!check_open (self, call))
    return NULL;
  if (index < 0 || (!self->is_gradient && index >= self->size))
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "element %" G_GINT64_FORMAT " of TensorArray '%s' is to be read, which "
                        "has %" G_GINT64_FORMAT " of them",
                        index, self->name, self->size);
      return NULL;
    }
  Element *element = touch (self, call, index);
  if (element == NULL || (!element->is_written && !settle_unwritten (self, call, index, element)))
    return NULL;
  self->size = MAX (self->size, index + 1);
  if (element->is_cleared)
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "element %" G_GINT64_FORMAT " of TensorArray '%s' was read before and "
                        "cleared then; set clear_after_read=false to read it twice",
                        index, self->name);
      return NULL;
    }
  GArray *writes = g_array_new (FALSE, FALSE, sizeof (Write));
  if (element->first.value != NULL)
    g_array_append_val (writes, element->first);
  if (element->more != NULL)
    g_array_append_vals (writes, element->more->data, element->more->len);
  for (guint i = 0; i < writes->len; i++)
    sluice_tensor_ref (g_array_index (writes, Write, i).value);
  *shape = element->shape;
  element->is_read = TRUE;
  if (self->clear_after_read)
    {
      element_drop (element);
      element->is_cleared = TRUE;
    }
  return writes;
}

SluiceTensor *
sluice_tensor_array_read (SluiceTensorArray *self, SluiceKernelCall *call, gint64 index)
{
  SluiceShape shape;
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  g_autoptr (GArray) writes = take_writes (self, call, index, &shape);
  pthread_mutex_unlock (&self->lock);
  if (writes == NULL)
    return NULL;
  if (writes->len == 0)
    return sluice_call_zeros (call, self->dtype, &shape);

  g_array_sort (writes, compare_writes);
  g_autofree SluiceTensor **parts = g_new (SluiceTensor *, writes->len);
  for (guint i = 0; i < writes->len; i++)
    parts[i] = g_array_index (writes, Write, i).value;
  if (self->clear_after_read)
    sluice_tensor_set_memory_class (parts[0], call->owner.memory_class);
  if (writes->len == 1)
    return parts[0];
  SluiceTensor *sum = sluice_call_need (call, parts, writes->len)
                          ? sluice_call_add_up (call, parts, writes->len)
                          : NULL;
  for (guint i = 0; i < writes->len; i++)
    sluice_tensor_unref (parts[i]);
  return sum;
}

/* ---- gradients ---- */

/* What is known of the shapes of the elements; they count as written, with zeros. */
static gboolean
copy_shapes (SluiceTensorArray *self,
             SluiceKernelCall *call,
             SluiceTensorArray *forward,
             const SluiceShape *prepend)
{
  for (gint64 i = 0; i < forward->size; i++)
    {
      const Element *from = peek (forward, i);
      if (from == NULL)
        {
          i |= PAGE - 1; /* the whole page */
          continue;
        }
      if (!from->is_written)
        continue;
      Element *to = touch (self, call, i);
      if (to == NULL)
        return FALSE;
      to->shape = from->shape;
      for (int d = prepend != NULL ? prepend->rank - 1 : -1; d >= 0; d--)
        if (!sluice_call_prepend (call, prepend->dim[d], &to->shape, &to->shape))
          return FALSE;
      to->has_shape = to->is_written = TRUE;
    }
  return TRUE;
}

static SluiceTensorArray *
make_gradient (SluiceTensorArray *self,
               SluiceKernelCall *call,
               const char *source,
               const SluiceShape *prepend)
{
  if (!check_open (self, call))
    return NULL;
  if (self->has_sums)
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "TensorArray '%s' has no gradient: several writes of one element were "
                        "added up, and they cannot be told apart",
                        self->name);
      return NULL;
    }
  g_autofree char *name = g_strdup_printf ("%s@%s", self->name, source);
  SluiceTensorArraySpec spec = { .name = name,
                                 .dtype = self->dtype,
                                 .element_shape = self->element_shape,
                                 .identical_element_shapes = self->identical_element_shapes,
                                 .clear_after_read = TRUE };
  for (int d = prepend != NULL && spec.element_shape.rank >= 0 ? prepend->rank - 1 : -1; d >= 0;
       d--)
    if (!sluice_call_prepend (call, prepend->dim[d], &spec.element_shape, &spec.element_shape))
      return NULL;
  SluiceTensorArray *gradient = array_new (&spec, self->size);
  gradient->is_gradient = TRUE;
  gradient->marked_size = self->marked_size;
  if (copy_shapes (gradient, call, self, prepend))
    return gradient;
  sluice_resource_unref (&gradient->parent);
  return NULL;
}

SluiceTensorArray *
sluice_tensor_array_get_gradient (SluiceTensorArray *self,
                                  SluiceKernelCall *call,
                                  const char *source,
                                  const SluiceShape *prepend)
{
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  self->dynamic_size = FALSE; /* elements that come later would have no gradient */
  if (self->gradients == NULL)
    self->gradients = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                             (GDestroyNotify) sluice_resource_unref);
  SluiceTensorArray *gradient = g_hash_table_lookup (self->gradients, source);
  if (gradient == NULL)
    {
      gradient = make_gradient (self, call, source, prepend);
      if (gradient != NULL)
        g_hash_table_insert (self->gradients, g_strdup (source), gradient);
    }
  if (gradient != NULL)
    sluice_resource_ref (&gradient->parent);
  pthread_mutex_unlock (&self->lock);
  return gradient;
}

void
sluice_tensor_array_close (SluiceTensorArray *self)
{
  sluice_lock (&self->lock, SLUICE_LOCK_DATA);
  drop_pages (self);
  self->size = 0;
  self->is_closed = TRUE;
  pthread_mutex_unlock (&self->lock);
}
