/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Datasets of batches: several elements of another put together, as they are or filled up. */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/data/dataset.h"
#include "kernels/queue/items.h"

typedef struct
{
  SluiceDataset parent;
  gint64 size;
  gboolean drops_rest;
  SluiceShape *shapes;    /* (nullable): what elements are filled up to, a component each */
  SluiceTensor **padding; /* with shapes: and with what, scalars */
} Batched;

typedef struct
{
  SluiceCursor parent;
  SluiceCursor *input;
  SluiceItems items; /* of the batch so far */
} Batching;

static void
batched_clear (SluiceDataset *dataset)
{
  Batched *self = (Batched *) dataset;
  for (guint i = 0; self->padding != NULL && i < dataset->n; i++)
    g_clear_pointer (&self->padding[i], sluice_tensor_unref);
  g_free (self->padding);
  g_free (self->shapes);
}

/* ---- putting together ---- */

/* FALSE: elements of several shapes. */
static gboolean
check_alike (const SluiceItems *items, guint i, GError **error)
{
  SluiceShape first = sluice_item_shape (sluice_items_at (items, 0), i);
  for (gsize k = 1; k < items->n; k++)
    {
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      SluiceShape shape = sluice_item_shape (sluice_items_at (items, k), i);
      if (!sluice_shape_equal (&first, &shape))
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "elements of one batch must be alike: component %u of the first has "
                            "shape %s, and of element %" G_GSIZE_FORMAT " of it %s",
                            i, sluice_shape_str (&first, a), k, sluice_shape_str (&shape, b));
    }
  return TRUE;
}

/* FALSE: an element that cannot be filled up to what is wanted. */
static gboolean
check_fits (const Batched *self, const SluiceItems *items, guint i, GError **error)
{
  const SluiceShape *want = &self->shapes[i];
  for (gsize k = 0; k < items->n; k++)
    {
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      SluiceShape shape = sluice_item_shape (sluice_items_at (items, k), i);
      if (shape.rank != want->rank)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "'%s': component %u of element %" G_GSIZE_FORMAT
                            " of the batch has shape %s; padded_shapes says %s, of another rank",
                            self->parent.name, i, k, sluice_shape_str (&shape, a),
                            sluice_shape_str (want, b));
      for (int d = 0; d < shape.rank; d++)
        if (want->dim[d] >= 0 && shape.dim[d] > want->dim[d])
          return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                              "'%s': component %u of element %" G_GSIZE_FORMAT
                              " of the batch has shape %s, which does not fit into %s; give "
                              "padded_shapes that are as large, or -1",
                              self->parent.name, i, k, sluice_shape_str (&shape, a),
                              sluice_shape_str (want, b));
    }
  return TRUE;
}

/* (transfer full) (nullable) */
static SluiceTensor *
stack_component (
    const Batched *self, const SluiceItems *items, guint i, SluiceKernelCall *call, GError **error)
{
  SluiceShape shape =
      self->shapes != NULL ? self->shapes[i] : sluice_item_shape (sluice_items_at (items, 0), i);
  if (self->shapes != NULL ? !check_fits (self, items, i, error) : !check_alike (items, i, error))
    return NULL;
  return sluice_items_stack (items, i, self->parent.types[i], &shape,
                             self->padding != NULL ? self->padding[i]->data : NULL,
                             call->device->allocator, call->owner, error);
}

static gboolean
stack (const Batched *self,
       const SluiceItems *items,
       SluiceKernelCall *call,
       SluiceTensor **out,
       GError **error)
{
  for (guint i = 0; i < self->parent.n; i++)
    {
      out[i] = stack_component (self, items, i, call, error);
      if (out[i] != NULL)
        continue;
      sluice_element_drop (out, i);
      return FALSE;
    }
  return TRUE;
}

/* ---- going through ---- */

static SluiceNext
batch_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  const Batched *dataset = (const Batched *) cursor->dataset;
  Batching *self = (Batching *) cursor;
  SluiceNext result = SLUICE_NEXT_ONE;
  if (self->input == NULL)
    self->input = sluice_cursor_new (cursor->dataset->inputs[0], cursor->pass);
  while ((gint64) self->items.n < dataset->size && result == SLUICE_NEXT_ONE)
    {
      SluiceElements *element = sluice_elements_new (cursor->dataset->n);
      result = sluice_cursor_next (self->input, call, element->tensors, error);
      if (result == SLUICE_NEXT_ONE)
        sluice_items_push_element (&self->items, element);
      else
        sluice_elements_unref (element);
    }
  if (sluice_next_has_failed (result, error))
    sluice_items_clear (&self->items);
  if (result == SLUICE_NEXT_FAILED || result == SLUICE_NEXT_LATER)
    return result;
  if (self->items.n == 0 || (dataset->drops_rest && (gint64) self->items.n < dataset->size))
    return SLUICE_NEXT_END;
  gboolean ok = stack (dataset, &self->items, call, out, error);
  sluice_items_clear (&self->items);
  return ok ? SLUICE_NEXT_ONE : SLUICE_NEXT_FAILED;
}

static void
batching_end (SluiceCursor *cursor)
{
  Batching *self = (Batching *) cursor;
  g_clear_pointer (&self->input, sluice_cursor_free);
  sluice_items_clear (&self->items);
}

static const SluiceDatasetClass batch_class = { .size = sizeof (Batched),
                                                .cursor_size = sizeof (Batching),
                                                .next = batch_next,
                                                .end = batching_end,
                                                .clear = batched_clear };

/* ---- kernels ---- */

/* Of input 0, with the size in input 1. rest: the input that says whether an incomplete last batch
 * is dropped; 0: it is not. (transfer full) (nullable): call->error is set */
static Batched *
batched_new (SluiceKernelCall *call, guint rest)
{
  gint64 size;
  if (!sluice_call_get_scalar (call, 1, &size)
      || (rest > 0 && !sluice_call_want_scalar (call, rest)))
    return NULL;
  if (size <= 0)
    {
      sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                        "input 1 (batch_size) is %" G_GINT64_FORMAT "; it must be 1 or more", size);
      return NULL;
    }
  Batched *self = (Batched *) sluice_dataset_new_over (&batch_class, call, 0, 1);
  if (self == NULL)
    return NULL;
  self->size = size;
  self->drops_rest = rest > 0 && *(const guint8 *) sluice_call_input (call, rest)->data != 0;
  return self;
}

static gboolean
batch_compute (SluiceKernelCall *call)
{
  Batched *self = batched_new (call, call->n_inputs > 2 ? 2 : 0);
  return sluice_call_put_dataset (call, (SluiceDataset *) self);
}

/* As many of each as the elements have components? */
static gboolean
check_numbers (SluiceKernelCall *call, const SluiceDataset *dataset, guint n, guint n_values)
{
  if (n == dataset->n && n_values == dataset->n)
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "there are %u padded_shapes and %u padding_values; there must be as "
                           "many as the elements of '%s' have components, %u",
                           n, n_values, dataset->inputs[0]->name, dataset->n);
}

/* Component k is filled up to what input i says, with input i + n. */
static gboolean
read_padding (SluiceKernelCall *call, Batched *self, guint k)
{
  guint i = 2 + k, j = i + self->parent.n;
  const SluiceTensor *dims = sluice_call_input (call, i), *value = sluice_call_input (call, j);
  GError *error = NULL;
  if (!sluice_call_want_rank (call, i, 1) || !sluice_call_want_scalar (call, j))
    return FALSE;
  if (!sluice_shape_make (&self->shapes[k], dims->data, (gsize) dims->n_elements, &error))
    {
      g_prefix_error (&error, "input %u (padded_shapes): ", i);
      return sluice_call_fail_with (call, error);
    }
  if ((SluiceDType) value->dtype != self->parent.types[k])
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u (padding_values) is %s; component %u of the elements of "
                             "'%s' is %s",
                             j, sluice_dtype_name (value->dtype), k, self->parent.inputs[0]->name,
                             sluice_dtype_name (self->parent.types[k]));
  /* A copy: the value of a variable changes in place. */
  self->padding[k] =
      sluice_tensor_dup ((SluiceTensor *) value, call->device->allocator, call->owner);
  return self->padding[k] != NULL
         || sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                              "no memory for a padding value");
}

/* kernel->data: whether the last input says what happens to an incomplete batch. */
static gboolean
padded_compute (SluiceKernelCall *call)
{
  gboolean has_rest = call->kernel->data != NULL;
  guint n = (guint) sluice_node_get_int (call->node, "N");
  Batched *self = batched_new (call, has_rest ? call->n_inputs - 1 : 0);
  if (self == NULL)
    return FALSE;
  gboolean ok = check_numbers (call, &self->parent, n, call->n_inputs - 2 - n - has_rest);
  if (ok)
    {
      self->shapes = g_new (SluiceShape, self->parent.n);
      self->padding = g_new0 (SluiceTensor *, self->parent.n);
    }
  for (guint k = 0; ok && k < self->parent.n; k++)
    ok = read_padding (call, self, k);
  if (ok)
    return sluice_call_put_dataset (call, &self->parent);
  sluice_resource_unref (&self->parent.parent);
  return FALSE;
}

/* ---- the ops ---- */

static const SluiceRecipe recipe = {
  .why_none = N_ ("makes a dataset: tests/kernels/test-data goes through one")
};

#define BATCH(id, op_name, inputs, more)                                                           \
  SLUICE_DATASET_OP (id, op_name, inputs " -> handle: variant", more SLUICE_DATASET_TYPES, 0,      \
                     N_ ("Several elements of a dataset put together"))
#define PADDED(id, op_name, inputs, more)                                                          \
  SLUICE_DATASET_OP (id, op_name,                                                                  \
                     "input_dataset: variant, batch_size: int64, padded_shapes: N * int64, "       \
                     "padding_values: Toutput_types" inputs " -> handle: variant",                 \
                     more "Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; "      \
                          "N: int >= 1; ",                                                         \
                     0,                                                                            \
                     N_ ("Several elements of a dataset filled up to one shape and put together"))

BATCH (batch_op, "BatchDataset", "input_dataset: variant, batch_size: int64", "");
BATCH (batch_v2_op,
       "BatchDatasetV2",
       "input_dataset: variant, batch_size: int64, drop_remainder: bool",
       "parallel_copy: bool = false; ");
PADDED (padded_op, "PaddedBatchDataset", "", "");
PADDED (padded_v2_op,
        "PaddedBatchDatasetV2",
        ", drop_remainder: bool",
        "parallel_copy: bool = false; ");

static const SluiceOpDef *const ops[] = { &batch_op, &batch_v2_op, &padded_op, &padded_v2_op };

#define KERNEL(op_name, ...)                                                                       \
  {                                                                                                \
    .op = op_name, .device = "CPU", __VA_ARGS__                                                    \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("BatchDataset", .compute = batch_compute),
  KERNEL ("BatchDatasetV2", .compute = batch_compute),
  KERNEL ("PaddedBatchDataset", .compute = padded_compute),
  KERNEL ("PaddedBatchDatasetV2", .compute = padded_compute, .data = GINT_TO_POINTER (TRUE)),
};

const SluiceKernelModule sluice_module_data_batch = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
