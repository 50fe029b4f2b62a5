/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/tensor.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocator-record.h"
#include "engine/base/error.h"
#include "engine/base/residency.h"

/* Elements start on a cache line of their own, behind the header or behind the buffer's record. */
#define LINE          64
#define HEADER_BYTES  ((sizeof (SluiceTensor) + LINE - 1) / LINE * LINE)
#define BUFFER_OFFSET LINE
/* Elements of so many bytes lie in one block with header and record: allocating a block takes as
 * long as computing some hundred of them. */
#define TOGETHER_BYTES 16384
G_STATIC_ASSERT (sizeof (SluiceBuffer) <= BUFFER_OFFSET);

SluiceResource *
sluice_resource_ref (SluiceResource *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_resource_unref (SluiceResource *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) == 1)
    self->type->finalize (self);
}

void
sluice_string_take (SluiceString *self, char *data, gsize length)
{
  char *old = self->data;
  self->data = data;
  self->length = length;
  g_free (old);
}

void
sluice_string_set (SluiceString *self, const char *data, gsize length)
{
  sluice_string_take (self, length ? g_memdup2 (data, length) : NULL, length);
}

static void
release_elements (SluiceDType dtype, void *data, gsize n)
{
  if (dtype == SLUICE_STRING)
    {
      SluiceString *strings = data;
      for (gsize i = 0; i < n; i++)
        g_free (strings[i].data);
      return;
    }
  SluiceResource **resources = data;
  for (gsize i = 0; i < n; i++)
    if (resources[i])
      sluice_resource_unref (resources[i]);
}

gint64
sluice_tensor_get_rare_int (const SluiceTensor *self, gint64 i)
{
  switch ((SluiceDType) self->dtype)
    {
    case SLUICE_BOOL:
    case SLUICE_UINT8:
    case SLUICE_QUINT8:
      return ((const guint8 *) self->data)[i];
    case SLUICE_INT8:
    case SLUICE_QINT8:
      return ((const gint8 *) self->data)[i];
    case SLUICE_UINT16:
    case SLUICE_QUINT16:
      return ((const guint16 *) self->data)[i];
    case SLUICE_INT16:
    case SLUICE_QINT16:
      return ((const gint16 *) self->data)[i];
    case SLUICE_UINT32:
      return ((const guint32 *) self->data)[i];
    case SLUICE_INT32:
    case SLUICE_QINT32:
      return ((const gint32 *) self->data)[i];
    case SLUICE_INT64:
    case SLUICE_UINT64:
      return ((const gint64 *) self->data)[i];
    default:
      g_return_val_if_reached (0);
    }
}

void
sluice_elements_copy (SluiceDType dtype, void *to, const void *from, gint64 n)
{
  if (G_LIKELY (!sluice_dtype_is_managed (dtype)))
    {
      if (n > 0)
        memmove (to, from, n * sluice_dtype_size (dtype));
      return;
    }
  if (dtype == SLUICE_STRING)
    {
      SluiceString *target = to;
      const SluiceString *source = from;
      for (gint64 i = 0; i < n; i++)
        sluice_string_set (&target[i], source[i].data, source[i].length);
      return;
    }
  SluiceResource **target = to, *const *source = from;
  for (gint64 i = 0; i < n; i++)
    {
      SluiceResource *old = target[i];
      target[i] = source[i] ? sluice_resource_ref (source[i]) : NULL;
      if (old)
        sluice_resource_unref (old);
    }
}

static void
buffer_unref (SluiceBuffer *self)
{
  if (atomic_load_explicit (&self->ref_count, memory_order_acquire) != 1
      && atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  if (self->release)
    self->release (self->release_data);
  else if (sluice_dtype_is_managed (self->dtype))
    release_elements (self->dtype, self->data, self->bytes / sluice_dtype_size (self->dtype));
  SluiceBlock *block = self->block; /* the record lies there too, unless it is far */
  if (self->may_leave && !sluice_residency_remove (self))
    return;
  if (self->is_far)
    sluice_allocator_free (self);
  sluice_block_free (block);
}

/* All but where the elements lie. */
static void
init_header (SluiceTensor *self, SluiceDType dtype, const SluiceShape *shape, gint64 n)
{
  atomic_init (&self->ref_count, 1);
  self->dtype = dtype;
  self->n_elements = n;
  self->shape = *shape;
}

/* FALSE where the shape is not known or its bytes cannot be counted. */
static gboolean
count_bytes (SluiceDType dtype, const SluiceShape *shape, gint64 *n, gsize *bytes)
{
  gint64 count = 1;
  gboolean overflow = FALSE, empty = FALSE;
  if (shape->rank < 0)
    return FALSE;
  for (int i = 0; i < shape->rank; i++)
    {
      if (shape->dim[i] < 0)
        return FALSE;
      empty |= shape->dim[i] == 0;
      overflow |= __builtin_mul_overflow (count, shape->dim[i], &count);
    }
  *n = empty ? 0 : count;
  if (overflow && !empty)
    return FALSE;
  return !__builtin_mul_overflow ((gsize) *n, sluice_dtype_size (dtype), bytes)
         && *bytes < G_MAXSIZE / 2;
}

static inline SluiceBlockLabel
make_label (SluiceDType dtype, const SluiceShape *shape)
{
  SluiceBlockLabel label = { .dtype = (gint8) dtype, .rank = (gint8) shape->rank };
  int first = MAX (shape->rank - (int) G_N_ELEMENTS (label.dims), 0);
  for (int i = first; i < shape->rank; i++)
    label.dims[i - first] = (guint32) MIN (shape->dim[i], G_MAXUINT32);
  return label;
}

static SluiceBuffer *
buffer_init (void *at, SluiceBlock *block, SluiceDType dtype, gsize bytes, void *data)
{
  SluiceBuffer *buffer = at;
  *buffer = (SluiceBuffer){ .dtype = dtype, .bytes = bytes, .data = data, .block = block };
  atomic_init (&buffer->ref_count, 1);
  return buffer;
}

/* The record, and its elements behind it. (nullable) */
static SluiceBuffer *
near_buffer_new (SluiceAllocator *allocator,
                 SluiceDType dtype,
                 gsize bytes,
                 SluiceOwner owner,
                 const SluiceBlockLabel *label)
{
  SluiceBlock *block = sluice_allocator_take (allocator, BUFFER_OFFSET + bytes, owner, label);
  if (block == NULL)
    return NULL;
  char *at = sluice_block_get_near_data (block);
  return buffer_init (at, block, dtype, bytes, at + BUFFER_OFFSET);
}

/* The record in host memory, the elements in the device's. (nullable) */
static SluiceBuffer *
far_buffer_new (SluiceAllocator *allocator,
                SluiceDType dtype,
                gsize bytes,
                SluiceOwner owner,
                const SluiceBlockLabel *label)
{
  SluiceResidency *residency = sluice_allocator_get_residency (allocator);
  gsize record = residency != NULL ? SLUICE_RESIDENT_BYTES : sizeof (SluiceBuffer);
  void *at = sluice_allocator_alloc (sluice_allocator_get_host (), record, owner);
  if (residency != NULL)
    sluice_residency_begin_take (residency);
  SluiceBlock *block = at != NULL ? sluice_allocator_take (allocator, bytes, owner, label) : NULL;
  SluiceBuffer *buffer = NULL;
  if (block != NULL)
    {
      buffer = buffer_init (at, block, dtype, bytes, sluice_block_get_data (block));
      buffer->is_far = TRUE;
      if (residency != NULL)
        sluice_residency_add (residency, buffer);
    }
  else
    sluice_allocator_free (at);
  if (residency != NULL)
    sluice_residency_end_take (residency);
  return buffer;
}

/* Header, record and elements in one block. (nullable) */
static SluiceTensor *
together_new (SluiceAllocator *allocator,
              SluiceDType dtype,
              const SluiceShape *shape,
              gsize bytes,
              SluiceOwner owner)
{
  SluiceBlockLabel label = make_label (dtype, shape);
  SluiceBlock *block =
      sluice_allocator_take (allocator, HEADER_BYTES + BUFFER_OFFSET + bytes, owner, &label);
  if (block == NULL)
    return NULL;
  SluiceTensor *self = sluice_block_get_near_data (block);
  char *at = (char *) self + HEADER_BYTES;
  self->buffer = buffer_init (at, block, dtype, bytes, at + BUFFER_OFFSET);
  return self;
}

/* Header and record in blocks of the host's, or with the elements in a block of their own.
 * (nullable) */
static SluiceTensor *
apart_new (SluiceAllocator *allocator,
           gboolean is_far,
           SluiceDType dtype,
           const SluiceShape *shape,
           gsize bytes,
           SluiceOwner owner)
{
  SluiceBlockLabel label = make_label (dtype, shape);
  SluiceTensor *self = sluice_allocator_alloc (is_far ? sluice_allocator_get_host () : allocator,
                                               HEADER_BYTES, owner);
  if (self == NULL)
    return NULL;
  self->buffer = is_far ? far_buffer_new (allocator, dtype, bytes, owner, &label)
                        : near_buffer_new (allocator, dtype, bytes, owner, &label);
  if (self->buffer != NULL)
    return self;
  sluice_allocator_free (self);
  return NULL;
}

/* (nullable) */
static SluiceTensor *
inline_new (SluiceAllocator *allocator, gsize bytes, SluiceOwner owner)
{
  SluiceTensor *self = sluice_allocator_alloc (allocator, HEADER_BYTES + bytes, owner);
  if (self != NULL)
    self->buffer = NULL;
  return self;
}

static SluiceTensor *
tensor_new (SluiceAllocator *allocator,
            SluiceDType dtype,
            const SluiceShape *shape,
            SluiceOwner owner,
            gboolean shared)
{
  gint64 n;
  gsize bytes;
  g_assert (dtype > SLUICE_INVALID && dtype < SLUICE_N_DTYPES);
  if (!count_bytes (dtype, shape, &n, &bytes))
    return NULL;
  gboolean is_far = allocator != NULL && sluice_allocator_is_far (allocator);
  if (allocator == NULL || (is_far && sluice_dtype_is_managed (dtype)))
    {
      allocator = sluice_allocator_get_host ();
      is_far = FALSE;
    }
  SluiceTensor *self;
  if (!shared && !is_far && bytes <= SLUICE_INLINE_BYTES)
    self = inline_new (allocator, bytes, owner);
  else if (!is_far && bytes <= TOGETHER_BYTES)
    self = together_new (allocator, dtype, shape, bytes, owner);
  else
    self = apart_new (allocator, is_far, dtype, shape, bytes, owner);
  if (self == NULL)
    return NULL;
  init_header (self, dtype, shape, n);
  self->data = self->buffer != NULL ? self->buffer->data : (char *) self + HEADER_BYTES;
  if (G_UNLIKELY (sluice_dtype_is_managed (dtype)))
    memset (self->data, 0, bytes);
  return self;
}

SluiceTensor *
sluice_tensor_new (SluiceAllocator *allocator,
                   SluiceDType dtype,
                   const SluiceShape *shape,
                   SluiceOwner owner)
{
  return tensor_new (allocator, dtype, shape, owner, FALSE);
}

SluiceTensor *
sluice_tensor_new_shared (SluiceAllocator *allocator,
                          SluiceDType dtype,
                          const SluiceShape *shape,
                          SluiceOwner owner)
{
  return tensor_new (allocator, dtype, shape, owner, TRUE);
}

SluiceTensor *
sluice_tensor_new_checked (SluiceAllocator *allocator,
                           SluiceDType dtype,
                           const SluiceShape *shape,
                           SluiceOwner owner,
                           GError **error)
{
  SluiceTensor *self = sluice_tensor_new (allocator, dtype, shape, owner);
  if (self != NULL)
    return self;

  sluice_tensor_explain_shortage (allocator, dtype, shape, owner, error);
  return NULL;
}

void
sluice_tensor_explain_shortage (SluiceAllocator *allocator,
                                SluiceDType dtype,
                                const SluiceShape *shape,
                                SluiceOwner owner,
                                GError **error)
{
  gint64 n;
  gsize bytes;
  char text[SLUICE_SHAPE_STR];
  g_autoptr (GString) message = g_string_new (NULL);
  g_string_printf (message, "out of memory for a tensor of %s %s", sluice_dtype_name (dtype),
                   sluice_shape_str (shape, text));
  if (count_bytes (dtype, shape, &n, &bytes))
    {
      g_string_append_printf (message, " (%" G_GSIZE_FORMAT " bytes)", bytes);
      const SluiceBlockLabel label = make_label (dtype, shape);
      allocator = allocator ? allocator : sluice_allocator_get_host ();
      sluice_allocator_note_shortage (allocator, bytes, owner, &label);
      sluice_allocator_explain_shortage (allocator, message, bytes, owner.memory_class);
    }
  else
    g_string_append (message, ": so many elements cannot be counted in bytes");
  sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "%s", message->str);
}

SluiceTensor *
sluice_tensor_new_foreign (SluiceDType dtype,
                           const SluiceShape *shape,
                           void *data,
                           GDestroyNotify release,
                           gpointer release_data)
{
  gint64 n;
  gsize bytes;
  if (!count_bytes (dtype, shape, &n, &bytes))
    g_return_val_if_reached (NULL);
  SluiceAllocator *host = sluice_allocator_get_host ();
  SluiceTensor *self = sluice_allocator_alloc (host, HEADER_BYTES, SLUICE_OWNER_NONE);
  SluiceBuffer *buffer =
      near_buffer_new (host, dtype, 0, SLUICE_OWNER_NONE, &(SluiceBlockLabel){ 0 });
  if (self == NULL || buffer == NULL)
    g_error ("no memory for the header of a tensor"); /* as g_malloc(), of a small block */
  buffer->bytes = bytes;
  buffer->data = data;
  buffer->release = release;
  buffer->release_data = release_data;
  init_header (self, dtype, shape, n);
  self->buffer = buffer;
  self->data = data;
  return self;
}

SluiceTensor *
sluice_tensor_new_zeros (SluiceDType dtype, const SluiceShape *shape)
{
  SluiceTensor *self =
      sluice_tensor_new (NULL, dtype, shape ? shape : &SLUICE_SHAPE_SCALAR, SLUICE_OWNER_NONE);
  if (self != NULL && !sluice_dtype_is_managed (dtype))
    memset (self->data, 0, sluice_tensor_bytes (self));
  return self;
}

SluiceTensor *
sluice_tensor_new_from (SluiceDType dtype, const SluiceShape *shape, const void *elements)
{
  SluiceTensor *self =
      sluice_tensor_new (NULL, dtype, shape ? shape : &SLUICE_SHAPE_SCALAR, SLUICE_OWNER_NONE);
  if (self != NULL)
    sluice_elements_copy (dtype, self->data, elements, self->n_elements);
  return self;
}

SluiceTensor *
sluice_tensor_new_float (float value)
{
  return sluice_tensor_new_from (SLUICE_FLOAT, NULL, &value);
}

SluiceTensor *
sluice_tensor_new_int32 (gint32 value)
{
  return sluice_tensor_new_from (SLUICE_INT32, NULL, &value);
}

SluiceTensor *
sluice_tensor_new_int64 (gint64 value)
{
  return sluice_tensor_new_from (SLUICE_INT64, NULL, &value);
}

SluiceTensor *
sluice_tensor_new_bool (gboolean value)
{
  return sluice_tensor_new_from (SLUICE_BOOL, NULL, &(guint8){ value != FALSE });
}

SluiceTensor *
sluice_tensor_new_string (const char *data, gssize length)
{
  SluiceTensor *self = sluice_tensor_new_zeros (SLUICE_STRING, NULL);
  if (self != NULL)
    sluice_string_set (self->data, data, length < 0 ? strlen (data) : (gsize) length);
  return self;
}

SluiceTensor *
sluice_tensor_new_resource (SluiceResource *take)
{
  SluiceTensor *self = sluice_tensor_new_zeros (SLUICE_RESOURCE, NULL);
  if (self != NULL)
    *(SluiceResource **) self->data = take;
  else
    sluice_resource_unref (take);
  return self;
}

SluiceTensor *
sluice_tensor_new_view (SluiceTensor *self, const SluiceShape *shape, gint64 offset)
{
  gint64 n = sluice_shape_n_elements (shape);
  g_assert (offset >= 0 && n >= 0 && n <= self->n_elements - offset);
  void *data = (char *) self->data + offset * sluice_dtype_size (self->dtype);
  if (self->buffer == NULL)
    return sluice_tensor_new_from (self->dtype, shape, data);

  SluiceTensor *view =
      sluice_allocator_alloc (sluice_allocator_get_host (), HEADER_BYTES, SLUICE_OWNER_NONE);
  if (view == NULL)
    return NULL;
  init_header (view, self->dtype, shape, n);
  atomic_fetch_add_explicit (&self->buffer->ref_count, 1, memory_order_relaxed);
  view->buffer = self->buffer;
  view->data = data;
  return view;
}

SluiceTensor *
sluice_tensor_dup (SluiceTensor *self, SluiceAllocator *allocator, SluiceOwner owner)
{
  SluiceTensor *copy = sluice_tensor_new (allocator, self->dtype, &self->shape, owner);
  if (copy != NULL)
    sluice_elements_copy (self->dtype, copy->data, self->data, self->n_elements);
  return copy;
}

void
sluice_tensor_set_memory_class (SluiceTensor *self, SluiceMemoryClass memory_class)
{
  if (self->buffer != NULL && self->buffer->release == NULL)
    sluice_block_set_class (self->buffer->block, memory_class);
}

void
sluice_tensor_free_ (SluiceTensor *self)
{
  if (self->buffer != NULL)
    {
      /* Then it goes with the last view. */
      gboolean together = self->buffer->block == sluice_block_of (self);
      buffer_unref (self->buffer);
      if (together)
        return;
    }
  else if (G_UNLIKELY (sluice_dtype_is_managed (self->dtype)))
    release_elements (self->dtype, self->data, self->n_elements);
  sluice_allocator_free (self);
}

gboolean
sluice_tensor_identical (const SluiceTensor *a, const SluiceTensor *b)
{
  if (a->dtype != b->dtype || !sluice_shape_equal (&a->shape, &b->shape))
    return FALSE;
  if (a->dtype != SLUICE_STRING)
    return a->n_elements == 0 || memcmp (a->data, b->data, sluice_tensor_bytes (a)) == 0;

  const SluiceString *x = a->data, *y = b->data;
  for (gint64 i = 0; i < a->n_elements; i++)
    if (x[i].length != y[i].length
        || (x[i].length != 0 && memcmp (x[i].data, y[i].data, x[i].length) != 0))
      return FALSE;
  return TRUE;
}

static void
append_complex (GString *text, double re, double im)
{
  g_string_append_printf (text, "%.9g%+.9gj", re, im);
}

static void
append_string (GString *text, const SluiceString *string)
{
  g_string_append_c (text, '"');
  for (gsize i = 0; i < string->length; i++)
    {
      guchar c = string->data[i];
      if (c == '"' || c == '\\')
        g_string_append_printf (text, "\\%c", c);
      else if (g_ascii_isprint (c))
        g_string_append_c (text, c);
      else
        g_string_append_printf (text, "\\%03o", c);
    }
  g_string_append_c (text, '"');
}

#define ELEMENT(type) (((const type *) self->data)[i])

static gint64
get_signed (const SluiceTensor *self, gint64 i)
{
  switch (sluice_dtype_size (self->dtype))
    {
    case 1:
      return ELEMENT (gint8);
    case 2:
      return ELEMENT (gint16);
    case 4:
      return ELEMENT (gint32);
    default:
      return ELEMENT (gint64);
    }
}

static guint64
get_unsigned (const SluiceTensor *self, gint64 i)
{
  gsize bits = 8 * sluice_dtype_size (self->dtype);
  return (guint64) get_signed (self, i) & (~(guint64) 0 >> (64 - bits));
}

static void
append_element (GString *text, const SluiceTensor *self, gint64 i)
{
  const SluiceDTypeSet unsigned_types =
      SLUICE_SET_UNSIGNED | SLUICE_SET (SLUICE_QUINT8) | SLUICE_SET (SLUICE_QUINT16);
  switch ((SluiceDType) self->dtype)
    {
    case SLUICE_FLOAT:
      g_string_append_printf (text, "%.9g", ELEMENT (float));
      break;
    case SLUICE_DOUBLE:
      g_string_append_printf (text, "%.17g", ELEMENT (double));
      break;
    case SLUICE_HALF:
      g_string_append_printf (text, "%.5g", sluice_half_to_float (ELEMENT (guint16)));
      break;
    case SLUICE_BFLOAT16:
      g_string_append_printf (text, "%.4g", sluice_bfloat16_to_float (ELEMENT (guint16)));
      break;
    case SLUICE_BOOL:
      g_string_append (text, ELEMENT (guint8) ? "true" : "false");
      break;
    case SLUICE_COMPLEX64:
      append_complex (text, ((const float *) self->data)[2 * i],
                      ((const float *) self->data)[2 * i + 1]);
      break;
    case SLUICE_COMPLEX128:
      append_complex (text, ((const double *) self->data)[2 * i],
                      ((const double *) self->data)[2 * i + 1]);
      break;
    case SLUICE_STRING:
      append_string (text, &ELEMENT (SluiceString));
      break;
    case SLUICE_RESOURCE:
    case SLUICE_VARIANT:
      g_string_append_printf (text, "<%s>",
                              ELEMENT (SluiceResource *) ? ELEMENT (SluiceResource *)->type->name
                                                         : "empty");
      break;
    default:
      if (sluice_dtype_in (self->dtype, unsigned_types))
        g_string_append_printf (text, "%" G_GUINT64_FORMAT, get_unsigned (self, i));
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, get_signed (self, i));
    }
}

typedef struct
{
  const SluiceTensor *tensor;
  GString *text;
  gint64 next, max; /* elements written, and to write */
} Printer;

/* Writes one bracket of dimension `dim`; FALSE once the limit is reached. */
static gboolean
print_dim (Printer *p, int dim)
{
  if (dim == p->tensor->shape.rank)
    {
      if (p->next >= p->max)
        {
          g_string_append (p->text, "…");
          return FALSE;
        }
      append_element (p->text, p->tensor, p->next++);
      return TRUE;
    }
  gboolean more = TRUE;
  g_string_append_c (p->text, '[');
  for (gint64 i = 0; more && i < p->tensor->shape.dim[dim]; i++)
    {
      if (i > 0)
        g_string_append_c (p->text, ' ');
      more = print_dim (p, dim + 1);
    }
  g_string_append_c (p->text, ']');
  return more;
}

char *
sluice_tensor_to_string (const SluiceTensor *self, guint max_elements)
{
  char shape[SLUICE_SHAPE_STR];
  GString *text = g_string_new (sluice_dtype_name (self->dtype));
  g_string_append_printf (text, " %s = ", sluice_shape_str (&self->shape, shape));
  if (self->n_elements == 0)
    g_string_append (text, "[]"); /* never one bracket for each of 2^40 empty rows */
  else
    print_dim (&(Printer){ self, text, 0, max_elements }, 0);
  return g_string_free (text, FALSE);
}
