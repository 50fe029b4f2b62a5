/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/graphdef.h"
#include "engine/graph/tensorproto.h"
#include "kernels/array/sparse.h"
#include "kernels/io/tensor-proto.h"

/* ---- writing ---- */

/* A variant that holds a tensor. */
typedef struct
{
  SluiceResource parent;
  SluiceTensor *tensor;
} TensorVariant;

static void
variant_finalize (SluiceResource *resource)
{
  TensorVariant *self = (TensorVariant *) resource;
  sluice_tensor_unref (self->tensor);
  g_free (self);
}
static const SluiceResourceType variant_type = { "Tensor", variant_finalize };

static SluiceResource *
variant_new (SluiceTensor *tensor)
{
  TensorVariant *self = g_new0 (TensorVariant, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &variant_type;
  self->tensor = sluice_tensor_ref (tensor);
  return &self->parent;
}

/* Part by part into elements `at` to at + 2 of the output. */
static gboolean
put_parts (SluiceKernelCall *call, SluiceTensor *const parts[3], SluiceTensor *out, gint64 at)
{
  for (guint i = 0; i < 3; i++)
    {
      if (parts[i] == NULL)
        return FALSE;
      if (out->dtype == SLUICE_VARIANT)
        ((SluiceResource **) out->data)[at + i] = variant_new (parts[i]);
      else if (!sluice_call_serialize (call, parts[i], TRUE, (SluiceString *) out->data + at + i))
        return FALSE;
    }
  return TRUE;
}

static gboolean
serialize_compute (SluiceKernelCall *call)
{
  SluiceTensor *parts[3];
  for (guint i = 0; i < 3; i++)
    {
      if (!sluice_call_want_rank (call, i, i == 0 ? 2 : 1))
        return FALSE;
      parts[i] = sluice_call_input (call, i);
    }
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (3));
  return out != NULL && put_parts (call, parts, out, 0);
}

/* The values [from, to), all in one row, as a sparse tensor without its first dimension. */
static gboolean
serialize_row (SluiceKernelCall *call,
               const SluiceSparse *in,
               gint64 from,
               gint64 to,
               SluiceTensor *out,
               gint64 row)
{
  gint64 n = to - from, rank = in->rank - 1;
  g_autoptr (SluiceTensor) indices =
      sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (n, rank));
  g_autoptr (SluiceTensor) values =
      sluice_call_scratch (call, in->values->dtype, &SLUICE_SHAPE (n));
  g_autoptr (SluiceTensor) shape = sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (rank));
  if (indices == NULL || values == NULL || shape == NULL)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    {
      sluice_elements_copy (SLUICE_INT64, (gint64 *) indices->data + i * rank,
                            sluice_sparse_index (in, from + i) + 1, rank);
      sluice_value_copy (values, i, in->values, from + i);
    }
  sluice_elements_copy (SLUICE_INT64, shape->data, in->shape + 1, rank);
  return put_parts (call, (SluiceTensor *[]){ indices, values, shape }, out, 3 * row);
}

static gboolean
serialize_many_compute (SluiceKernelCall *call)
{
  SluiceSparse in;
  if (!sluice_call_sparse (call, 0, 1, 2, &in))
    return FALSE;
  if (in.rank < 2 || in.shape[0] < 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "a sparse tensor must have two dimensions or more to have rows");
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (in.shape[0], 3));
  if (out == NULL)
    return FALSE;
  gint64 at = 0;
  for (gint64 row = 0; row < in.shape[0]; row++)
    {
      gint64 from = at;
      while (at < in.n && sluice_sparse_index (&in, at)[0] == row)
        at++;
      if (!serialize_row (call, &in, from, at, out, row))
        return FALSE;
    }
  if (at < in.n)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "index %" G_GINT64_FORMAT " is out of order or in no row", at);
  return TRUE;
}

/* ---- reading ---- */

typedef struct
{
  SluiceTensor *part[3];
  SluiceSparse sparse;
} Element;

static void
elements_clear (gpointer data)
{
  Element *self = data;
  for (guint i = 0; i < 3; i++)
    g_clear_pointer (&self->part[i], sluice_tensor_unref);
}

/* (transfer full) */
static SluiceTensor *
read_part (SluiceKernelCall *call, const SluiceTensor *in, gint64 i)
{
  g_autoptr (GError) error = NULL;
  if (in->dtype == SLUICE_VARIANT)
    {
      SluiceResource *variant = ((SluiceResource *const *) in->data)[i];
      if (variant != NULL && variant->type == &variant_type)
        return sluice_tensor_ref (((TensorVariant *) variant)->tensor);
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "element %" G_GINT64_FORMAT " is %s, not a part of a serialized sparse "
                        "tensor",
                        i, variant != NULL ? variant->type->name : "empty");
      return NULL;
    }
  const SluiceString *text = (const SluiceString *) in->data + i;
  SluiceTensor *tensor = sluice_tensor_from_proto (
      (const guint8 *) (text->length > 0 ? text->data : ""), text->length, &error);
  if (tensor == NULL)
    sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                      "string %" G_GINT64_FORMAT " is no serialized tensor: %s", i, error->message);
  return tensor;
}

static gboolean
read_element (SluiceKernelCall *call, const SluiceTensor *in, gint64 k, Element *to)
{
  for (guint i = 0; i < 3; i++)
    {
      to->part[i] = read_part (call, in, 3 * k + i);
      if (to->part[i] == NULL)
        return FALSE;
    }
  const SluiceTensor *indices = to->part[0], *values = to->part[1], *shape = to->part[2];
  SluiceDType want = GPOINTER_TO_INT (call->state);
  if ((SluiceDType) values->dtype != want)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "sparse tensor %" G_GINT64_FORMAT " holds %s, not %s", k,
                             sluice_dtype_name (values->dtype), sluice_dtype_name (want));
  if (indices->dtype != SLUICE_INT64 || shape->dtype != SLUICE_INT64 || indices->shape.rank != 2
      || values->shape.rank != 1 || shape->shape.rank != 1
      || indices->shape.dim[0] != values->n_elements || indices->shape.dim[1] != shape->n_elements)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the parts of sparse tensor %" G_GINT64_FORMAT
                             " must be int64 indices [n,rank], values [n], an int64 shape [rank]",
                             k);
  to->sparse =
      (SluiceSparse){ values->n_elements, shape->n_elements, indices->data, values, shape->data };
  return TRUE;
}

/* All of them as one: their place among each other in front of their own indices. */
static gboolean
join_elements (SluiceKernelCall *call, const SluiceShape *in, const GArray *elements)
{
  static const guint outputs[] = { 0, 1, 2 };
  const Element *element = (const Element *) elements->data;
  gint64 rank = element[0].sparse.rank, outer = in->rank - 1, n = 0, to = 0;
  SluiceSparseOutput out;
  for (guint k = 0; k < elements->len; k++)
    {
      n += element[k].sparse.n;
      if (element[k].sparse.rank != rank)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "sparse tensor %u has %" G_GINT64_FORMAT
                                 " dimensions, the first %" G_GINT64_FORMAT,
                                 k, element[k].sparse.rank, rank);
    }
  if (!sluice_call_sparse_output (call, outputs, n, outer + rank, &out))
    return FALSE;
  for (gint64 d = 0; d < outer + rank; d++)
    out.shape[d] = d < outer ? in->dim[d] : 0;
  for (guint k = 0; k < elements->len; k++)
    {
      const SluiceSparse *sparse = &element[k].sparse;
      for (gint64 d = 0; d < rank; d++)
        out.shape[outer + d] = MAX (out.shape[outer + d], sparse->shape[d]);
      for (gint64 i = 0; i < sparse->n; i++, to++)
        {
          gint64 *index = out.indices + to * (outer + rank), place = k;
          for (gint64 d = outer - 1; d >= 0; d--)
            {
              index[d] = place % in->dim[d];
              place /= in->dim[d];
            }
          sluice_elements_copy (SLUICE_INT64, index + outer, sluice_sparse_index (sparse, i), rank);
          sluice_value_copy (out.values, to, sparse->values, i);
        }
    }
  return TRUE;
}

static gpointer
deserialize_prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (sluice_node_get_type (node, "dtype"));
}

static gboolean
deserialize_compute (SluiceKernelCall *call)
{
  const SluiceTensor *in = sluice_call_input (call, 0);
  char text[SLUICE_SHAPE_STR];
  if (in->shape.rank < 1 || in->shape.dim[in->shape.rank - 1] != 3 || in->n_elements == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "serialized sparse tensors must have a last dimension of 3, and there "
                             "must be one at least; got %s",
                             sluice_shape_str (&in->shape, text));
  g_autoptr (GArray) elements = g_array_new (FALSE, TRUE, sizeof (Element));
  g_array_set_clear_func (elements, elements_clear);
  for (gint64 k = 0; k < in->n_elements / 3; k++)
    {
      g_array_set_size (elements, k + 1);
      if (!read_element (call, in, k, &g_array_index (elements, Element, k)))
        return FALSE;
    }
  return join_elements (call, &in->shape, elements);
}

static gboolean
deserialize_many_compute (SluiceKernelCall *call)
{
  return sluice_call_want_rank (call, 0, 2) && deserialize_compute (call);
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("SerializeSparse", .compute = serialize_compute),
  SLUICE_ARRAY_KERNEL ("SerializeManySparse", .compute = serialize_many_compute),
  SLUICE_ARRAY_KERNEL (
      "DeserializeSparse", .prepare = deserialize_prepare, .compute = deserialize_compute),
  SLUICE_ARRAY_KERNEL (
      "DeserializeManySparse", .prepare = deserialize_prepare, .compute = deserialize_many_compute),
};

const SluiceKernelModule sluice_module_array_sparse_serialize_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
