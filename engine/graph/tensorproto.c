/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* TensorProto: raw bytes, or a list whose last value fills what it leaves out. */
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/tensorproto-private.h"
#include "engine/graph/tensorproto.h"
#include "engine/graph/wire.h"

/* ---- reading ---- */

gboolean
sluice_shape_unpack (const Tensorflow__TensorShapeProto *proto, SluiceShape *shape, GError **error)
{
  *shape = SLUICE_SHAPE_UNKNOWN;
  if (proto == NULL)
    *shape = SLUICE_SHAPE_SCALAR;
  if (proto == NULL || proto->unknown_rank)
    return TRUE;
  if (proto->n_dim > SLUICE_MAX_RANK)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a shape of %zu dimensions; %d are the most", proto->n_dim,
                        SLUICE_MAX_RANK);
  gint64 dims[SLUICE_MAX_RANK];
  for (gsize i = 0; i < proto->n_dim; i++)
    dims[i] = proto->dim[i]->size;
  return sluice_shape_make (shape, dims, proto->n_dim, error);
}

/* How many elements the typed list of the dtype holds; -1: the dtype has none. */
static gint64
n_typed (const Tensorflow__TensorProto *proto, SluiceDType dtype)
{
  switch (dtype)
    {
    case SLUICE_FLOAT:
      return proto->n_float_val;
    case SLUICE_DOUBLE:
      return proto->n_double_val;
    case SLUICE_STRING:
      return proto->n_string_val;
    case SLUICE_COMPLEX64:
      return proto->n_scomplex_val / 2;
    case SLUICE_COMPLEX128:
      return proto->n_dcomplex_val / 2;
    case SLUICE_INT64:
      return proto->n_int64_val;
    case SLUICE_UINT32:
      return proto->n_uint32_val;
    case SLUICE_UINT64:
      return proto->n_uint64_val;
    case SLUICE_BOOL:
      return proto->n_bool_val;
    case SLUICE_HALF:
    case SLUICE_BFLOAT16:
      return proto->n_half_val;
    case SLUICE_RESOURCE:
    case SLUICE_VARIANT:
      return -1;
    default:
      return proto->n_int_val;
    }
}

#define COPY(type, from)                                                                           \
  for (gint64 i = 0; i < n; i++)                                                                   \
    ((type *) to)[i] = (type) (from)[i];                                                           \
  break

static void
copy_typed (const Tensorflow__TensorProto *proto, SluiceDType dtype, void *to, gint64 n)
{
  switch (dtype)
    {
    case SLUICE_FLOAT:
      memcpy (to, proto->float_val, n * sizeof (float));
      break;
    case SLUICE_DOUBLE:
      memcpy (to, proto->double_val, n * sizeof (double));
      break;
    case SLUICE_COMPLEX64:
      memcpy (to, proto->scomplex_val, 2 * n * sizeof (float));
      break;
    case SLUICE_COMPLEX128:
      memcpy (to, proto->dcomplex_val, 2 * n * sizeof (double));
      break;
    case SLUICE_INT64:
      COPY (gint64, proto->int64_val);
    case SLUICE_UINT64:
      COPY (guint64, proto->uint64_val);
    case SLUICE_UINT32:
      COPY (guint32, proto->uint32_val);
    case SLUICE_HALF:
    case SLUICE_BFLOAT16:
      COPY (guint16, proto->half_val);
    case SLUICE_INT16:
    case SLUICE_QINT16:
      COPY (gint16, proto->int_val);
    case SLUICE_UINT16:
    case SLUICE_QUINT16:
      COPY (guint16, proto->int_val);
    case SLUICE_INT8:
    case SLUICE_QINT8:
      COPY (gint8, proto->int_val);
    case SLUICE_UINT8:
    case SLUICE_QUINT8:
      COPY (guint8, proto->int_val);
    case SLUICE_BOOL:
      for (gint64 i = 0; i < n; i++)
        ((guint8 *) to)[i] = proto->bool_val[i] != 0;
      break;
    case SLUICE_STRING:
      for (gint64 i = 0; i < n; i++)
        sluice_string_set ((SluiceString *) to + i, (const char *) proto->string_val[i].data,
                           proto->string_val[i].len);
      break;
    default: /* int32, qint32 */
      COPY (gint32, proto->int_val);
    }
}

/* Elements from `from` on take the value before them, or zero where there is none. */
static void
fill_rest (SluiceTensor *tensor, gint64 from)
{
  gint64 n = tensor->n_elements;
  gsize size = sluice_dtype_size (tensor->dtype);
  if (from == n)
    return;
  guint8 *last = (guint8 *) tensor->data + MAX (from - 1, 0) * (gint64) size;
  if (tensor->dtype == SLUICE_STRING)
    {
      SluiceString *strings = tensor->data;
      for (gint64 i = MAX (from, 1); from > 0 && i < n; i++)
        sluice_string_set (&strings[i], strings[from - 1].data, strings[from - 1].length);
    }
  else if (from == 0)
    memset (tensor->data, 0, n * size);
  else /* what stands there is doubled, again and again */
    for (gsize done = size, all = (gsize) (n - from + 1) * size; done < all; done *= 2)
      memcpy (last + done, last, MIN (done, all - done));
}

/* To make a string and to free it takes as long as so many bytes of numbers: a file of 44 bytes
 * that stands for 70 million of them would keep its reader for seconds. */
#define STRING_COST 1024

/* A short list may stand for a tensor that no machine holds: what is added to the file's own bytes
 * counts against the budget. */
static gboolean
spend (const Tensorflow__TensorProto *proto,
       SluiceDType dtype,
       gint64 n,
       gint64 have,
       gint64 *budget,
       GError **error)
{
  gsize size = sluice_dtype_size (dtype);
  if (dtype == SLUICE_STRING)
    size = STRING_COST + (have > 0 ? proto->string_val[have - 1].len : 0);
  gint64 missing = MAX (n - have, 0);
  if (missing <= *budget / (gint64) size)
    {
      *budget -= missing * size;
      return TRUE;
    }
  return sluice_fail (
      error, SLUICE_ERROR_INVALID_ARGUMENT,
      "%" G_GINT64_FORMAT " elements of %s would be made of %" G_GINT64_FORMAT
      " in the file; constants may unfold to 2 GiB in all, a string counts 1 KiB. Use Fill",
      n, sluice_dtype_name (dtype), have);
}

static gboolean
check_content (const Tensorflow__TensorProto *proto,
               SluiceDType dtype,
               const SluiceShape *shape,
               gint64 n,
               GError **error)
{
  gsize size = sluice_dtype_size (dtype), length = proto->tensor_content.len;
  if (dtype == SLUICE_STRING) /* a byte for each length at least; unpack_strings() does the rest */
    return n <= (gint64) length
           || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                           "tensor_content of %zu bytes cannot hold %" G_GINT64_FORMAT " strings",
                           length, n);
  if (sluice_dtype_is_managed (dtype))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a tensor of %s cannot be given as raw bytes", sluice_dtype_name (dtype));
  if (length % size == 0 && (gint64) (length / size) == n)
    return TRUE;
  char text[SLUICE_SHAPE_STR];
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "tensor_content has %zu bytes; %s of shape %s needs %" G_GINT64_FORMAT
                      " of %zu bytes each",
                      length, sluice_dtype_name (dtype), sluice_shape_str (shape, text), n, size);
}

/* Strings as one block: n lengths as varints, then all bytes. */
static gboolean
unpack_strings (const ProtobufCBinaryData *content, SluiceString *to, gint64 n, GError **error)
{
  const guint8 *at = content->data, *end = at + content->len;
  g_autofree guint64 *lengths = g_try_new (guint64, MAX (n, 1));
  if (lengths == NULL)
    return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                        "no memory for the lengths of %" G_GINT64_FORMAT " strings", n);
  gboolean fits = TRUE;
  for (gint64 i = 0; fits && i < n; i++)
    fits = sluice_wire_read_varint (&at, end, &lengths[i]);
  for (gint64 i = 0; fits && i < n; i++)
    {
      fits = lengths[i] <= (guint64) (end - at);
      if (!fits)
        break;
      sluice_string_set (&to[i], (const char *) at, lengths[i]);
      at += lengths[i];
    }
  return (fits && at == end)
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                         "tensor_content of %zu bytes does not hold %" G_GINT64_FORMAT " strings",
                         content->len, n);
}

SluiceTensor *
sluice_tensor_unpack (const Tensorflow__TensorProto *proto, gint64 *budget, GError **error)
{
  SluiceShape shape;
  SluiceDType dtype = (SluiceDType) proto->dtype;
  gboolean known_dtype = dtype > SLUICE_INVALID && dtype < SLUICE_N_DTYPES;
  if (!sluice_shape_unpack (proto->tensor_shape, &shape, error))
    return NULL;
  gint64 have = known_dtype ? n_typed (proto, dtype) : -1;
  gint64 n = sluice_shape_n_elements (&shape);
  char text[SLUICE_SHAPE_STR];
  if (have < 0)
    sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "a tensor of %s cannot stand in a file",
                 known_dtype ? sluice_dtype_name (dtype) : "an unknown dtype");
  else if (!sluice_shape_is_known (&shape))
    sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                 "a tensor has sizes of 0 or more, but its shape is %s",
                 sluice_shape_str (&shape, text));
  else if (proto->tensor_content.len > 0 ? check_content (proto, dtype, &shape, n, error)
                                         : spend (proto, dtype, n, have, budget, error))
    {
      SluiceTensor *tensor =
          sluice_tensor_new_checked (NULL, dtype, &shape, SLUICE_OWNER_NONE, error);
      if (tensor == NULL)
        return NULL;
      have = MIN (have, n);
      if (proto->tensor_content.len > 0 && dtype == SLUICE_STRING)
        {
          if (!unpack_strings (&proto->tensor_content, tensor->data, n, error))
            g_clear_pointer (&tensor, sluice_tensor_unref);
        }
      else if (proto->tensor_content.len > 0)
        memcpy (tensor->data, proto->tensor_content.data, proto->tensor_content.len);
      else
        {
          if (have > 0)
            copy_typed (proto, dtype, tensor->data, have);
          fill_rest (tensor, have);
        }
      return tensor;
    }
  return NULL;
}

/* ---- writing ---- */

Tensorflow__TensorShapeProto *
sluice_shape_pack (const SluiceShape *shape, SluiceArena *arena)
{
  Tensorflow__TensorShapeProto *proto =
      sluice_wire_new (arena, &tensorflow__tensor_shape_proto__descriptor);
  proto->unknown_rank = shape->rank < 0;
  proto->n_dim = MAX (shape->rank, 0);
  proto->dim = sluice_arena_new (arena, Tensorflow__TensorShapeProto__Dim *, proto->n_dim);
  for (gsize i = 0; i < proto->n_dim; i++)
    {
      proto->dim[i] = sluice_wire_new (arena, &tensorflow__tensor_shape_proto__dim__descriptor);
      proto->dim[i]->size = shape->dim[i];
    }
  return proto;
}

static gboolean
all_equal (const SluiceTensor *tensor)
{
  gsize size = sluice_dtype_size (tensor->dtype);
  if (tensor->dtype != SLUICE_STRING)
    return memcmp (tensor->data, (guint8 *) tensor->data + size, (tensor->n_elements - 1) * size)
           == 0;
  const SluiceString *s = tensor->data;
  for (gint64 i = 1; i < tensor->n_elements; i++)
    if (s[i].length != s[0].length
        || (s[0].length > 0 && memcmp (s[i].data, s[0].data, s[0].length) != 0))
      return FALSE;
  return TRUE;
}

/* Text has one NaN only: others need their bytes. */
static gboolean
has_nan (const SluiceTensor *tensor, gint64 n)
{
  gboolean pairs = sluice_dtype_is_complex (tensor->dtype);
  for (gint64 i = 0; i < (pairs ? 2 * n : n); i++)
    if (((tensor->dtype == SLUICE_FLOAT || tensor->dtype == SLUICE_COMPLEX64)
         && isnan (((const float *) tensor->data)[i]))
        || ((tensor->dtype == SLUICE_DOUBLE || tensor->dtype == SLUICE_COMPLEX128)
            && isnan (((const double *) tensor->data)[i])))
      return TRUE;
  return FALSE;
}

#define LIST(field, from_type, count)                                                              \
  proto->n_##field = (count);                                                                      \
  proto->field = sluice_arena_alloc0 (arena, sizeof (*proto->field) * (count));                    \
  for (gint64 i = 0; i < (count); i++)                                                             \
    proto->field[i] = ((const from_type *) tensor->data)[i];                                       \
  break

static void
write_typed (Tensorflow__TensorProto *proto,
             const SluiceTensor *tensor,
             SluiceArena *arena,
             gint64 n)
{
  switch ((SluiceDType) tensor->dtype)
    {
    case SLUICE_FLOAT:
      LIST (float_val, float, n);
    case SLUICE_DOUBLE:
      LIST (double_val, double, n);
    case SLUICE_COMPLEX64:
      LIST (scomplex_val, float, 2 * n);
    case SLUICE_COMPLEX128:
      LIST (dcomplex_val, double, 2 * n);
    case SLUICE_INT64:
      LIST (int64_val, gint64, n);
    case SLUICE_UINT64:
      LIST (uint64_val, guint64, n);
    case SLUICE_UINT32:
      LIST (uint32_val, guint32, n);
    case SLUICE_BOOL:
      LIST (bool_val, guint8, n);
    case SLUICE_HALF:
    case SLUICE_BFLOAT16:
      LIST (half_val, guint16, n);
    case SLUICE_INT16:
    case SLUICE_QINT16:
      LIST (int_val, gint16, n);
    case SLUICE_UINT16:
    case SLUICE_QUINT16:
      LIST (int_val, guint16, n);
    case SLUICE_INT8:
    case SLUICE_QINT8:
      LIST (int_val, gint8, n);
    case SLUICE_UINT8:
    case SLUICE_QUINT8:
      LIST (int_val, guint8, n);
    case SLUICE_STRING:
      proto->n_string_val = n;
      proto->string_val = sluice_arena_new (arena, ProtobufCBinaryData, n);
      for (gint64 i = 0; i < n; i++)
        {
          const SluiceString *s = (const SluiceString *) tensor->data + i;
          proto->string_val[i] = (ProtobufCBinaryData){ s->length, (uint8_t *) s->data };
        }
      break;
    default:
      LIST (int_val, gint32, n);
    }
}

Tensorflow__TensorProto *
sluice_tensor_pack (const SluiceTensor *tensor, SluiceArena *arena, gboolean readable)
{
  const gint64 longest = 64; /* numbers that a reader may want to see */
  Tensorflow__TensorProto *proto = sluice_wire_new (arena, &tensorflow__tensor_proto__descriptor);
  gint64 n = tensor->n_elements;
  proto->dtype = (Tensorflow__DataType) tensor->dtype;
  proto->tensor_shape = sluice_shape_pack (&tensor->shape, arena);
  if (n == 0)
    return proto;
  gint64 n_written = n > 1 && all_equal (tensor) ? 1 : n;
  gboolean typed = tensor->dtype == SLUICE_STRING || n_written == 1 || (readable && n <= longest);
  if (typed && readable && has_nan (tensor, n_written))
    {
      typed = FALSE;
      n_written = n;
    }
  if (typed)
    write_typed (proto, tensor, arena, n_written);
  else
    proto->tensor_content =
        (ProtobufCBinaryData){ sluice_tensor_bytes (tensor), (uint8_t *) tensor->data };
  return proto;
}

SluiceTensor *
sluice_tensor_from_proto (const guint8 *bytes, gsize length, GError **error)
{
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  gint64 budget = G_MAXINT32;
  Tensorflow__TensorProto *proto =
      sluice_wire_unpack (&arena, &tensorflow__tensor_proto__descriptor, bytes, length, error);
  return proto != NULL ? sluice_tensor_unpack (proto, &budget, error) : NULL;
}

GBytes *
sluice_tensor_to_proto (const SluiceTensor *self, GError **error)
{
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  return sluice_wire_pack (sluice_tensor_pack (self, &arena, FALSE), error);
}
