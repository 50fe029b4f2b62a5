/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/io/tensor-proto.h"

#include "kernels/string/text.h"
#include "engine/base/wire.h"

/* Fields of TensorProto and of TensorShapeProto. */
enum
{
  FIELD_DTYPE = 1,
  FIELD_SHAPE = 2,
  FIELD_CONTENT = 4,
  FIELD_STRINGS = 8,
  FIELD_DIM = 2,
  FIELD_SIZE = 1
};

static void
put_shape (GByteArray *out, const SluiceShape *shape)
{
  g_autoptr (GByteArray) message = g_byte_array_new ();
  for (int d = 0; d < shape->rank; d++)
    {
      g_autoptr (GByteArray) dim = g_byte_array_new ();
      sluice_wire_put_int (dim, FIELD_SIZE, shape->dim[d]);
      sluice_wire_put_bytes (message, FIELD_DIM, dim->data, dim->len);
    }
  sluice_wire_put_bytes (out, FIELD_SHAPE, message->data, message->len);
}

/* All lengths, then all bytes. */
static void
put_packed_strings (GByteArray *out, const SluiceTensor *tensor)
{
  g_autoptr (GByteArray) content = g_byte_array_new ();
  for (gint64 i = 0; i < tensor->n_elements; i++)
    sluice_wire_put_varint (content, sluice_tensor_get_string (tensor, i)->length);
  for (gint64 i = 0; i < tensor->n_elements; i++)
    {
      const SluiceString *text = sluice_tensor_get_string (tensor, i);
      if (text->length > 0)
        g_byte_array_append (content, (const guint8 *) text->data, text->length);
    }
  if (content->len > 0)
    sluice_wire_put_bytes (out, FIELD_CONTENT, content->data, content->len);
}

/* Bytes of the elements as they will be written, or a little more. */
static gsize
count_bytes (const SluiceTensor *tensor)
{
  if (tensor->dtype != SLUICE_STRING)
    return sluice_tensor_bytes (tensor);
  gsize bytes = 0;
  for (gint64 i = 0; i < tensor->n_elements; i++)
    bytes += sluice_tensor_get_string (tensor, i)->length + 8;
  return bytes;
}

gboolean
sluice_call_serialize (SluiceKernelCall *call,
                       const SluiceTensor *tensor,
                       gboolean packed,
                       SluiceString *to)
{
  gsize bytes = count_bytes (tensor);
  if (sluice_dtype_is_managed (tensor->dtype) && tensor->dtype != SLUICE_STRING)
    return sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                             "a tensor of %s has no bytes to write",
                             sluice_dtype_name (tensor->dtype));
  /* protobuf's limit. */
  if (bytes > G_MAXINT32)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "a tensor of %" G_GSIZE_FORMAT " bytes is over the 2 GiB that a "
                             "serialized one can have",
                             bytes);
  GByteArray *proto = g_byte_array_new ();
  sluice_wire_put_int (proto, FIELD_DTYPE, tensor->dtype);
  put_shape (proto, &tensor->shape);
  if (tensor->dtype == SLUICE_STRING && packed)
    put_packed_strings (proto, tensor);
  else if (tensor->dtype == SLUICE_STRING)
    for (gint64 i = 0; i < tensor->n_elements; i++)
      {
        const SluiceString *text = sluice_tensor_get_string (tensor, i);
        sluice_wire_put_bytes (proto, FIELD_STRINGS, text->data, text->length);
      }
  else if (bytes > 0)
    sluice_wire_put_bytes (proto, FIELD_CONTENT, tensor->data, bytes);
  gsize length = proto->len;
  sluice_string_take (to, (char *) g_byte_array_free (proto, FALSE), length);
  return TRUE;
}
