/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Datasets of some elements of another, or of parts of them: a shard, rows of batches, what did not
 * fail, and all of them where they are as many as was said. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/data/dataset.h"
#include "kernels/queue/items.h"

typedef struct
{
  SluiceDataset parent;
  gint64 count;       /* shards there are, or elements expected */
  gint64 index;       /* of the shard */
  gboolean wants_all; /* every shard must get an element */
} Numbered;

typedef struct
{
  SluiceCursor parent;
  SluiceCursor *input;
  gint64 i;               /* elements of the input so far */
  SluiceTensor **element; /* the shard's first, while others are counted */
} Counting;

static SluiceCursor *
get_input (Counting *self)
{
  if (self->input == NULL)
    self->input = sluice_cursor_new (self->parent.dataset->inputs[0], self->parent.pass);
  return self->input;
}

static void
counting_end (SluiceCursor *cursor)
{
  Counting *self = (Counting *) cursor;
  g_clear_pointer (&self->input, sluice_cursor_free);
  if (self->element != NULL)
    sluice_element_drop (self->element, cursor->dataset->n);
  g_clear_pointer (&self->element, g_free);
}

/* ---- a shard ---- */

/* Moves the input on to element number `end`, and drops those before. */
static SluiceNext
pass_over (Counting *self, gint64 end, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  for (; self->i < end; self->i++)
    {
      SluiceNext result = sluice_cursor_next (get_input (self), call, out, error);
      if (result != SLUICE_NEXT_ONE)
        return result;
      sluice_element_drop (out, self->parent.dataset->n);
    }
  return SLUICE_NEXT_ONE;
}

/* Are there as many elements as shards? The shard's first is kept meanwhile. */
static SluiceNext
count_shards (Counting *self, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  const Numbered *dataset = (const Numbered *) self->parent.dataset;
  guint n = dataset->parent.n;
  SluiceNext result = pass_over (self, dataset->count, call, out, error);
  if (result == SLUICE_NEXT_END)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "'%s': there are %" G_GINT64_FORMAT " elements for %" G_GINT64_FORMAT
                   " shards; each must get one",
                   dataset->parent.name, self->i, dataset->count);
      return SLUICE_NEXT_FAILED;
    }
  if (result != SLUICE_NEXT_ONE)
    return result;
  memcpy (out, self->element, n * sizeof *out);
  g_clear_pointer (&self->element, g_free);
  return SLUICE_NEXT_ONE;
}

static SluiceNext
shard_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  Counting *self = (Counting *) cursor;
  const Numbered *dataset = (const Numbered *) cursor->dataset;
  if (self->element != NULL)
    return count_shards (self, call, out, error);
  gint64 ahead = (dataset->index - self->i % dataset->count + dataset->count) % dataset->count;
  SluiceNext result = pass_over (self, self->i + ahead, call, out, error);
  if (result == SLUICE_NEXT_ONE)
    result = sluice_cursor_next (get_input (self), call, out, error);
  if (result != SLUICE_NEXT_ONE)
    return result;
  self->i++;
  if (!dataset->wants_all || self->i >= dataset->count)
    return SLUICE_NEXT_ONE;
  self->element = g_new (SluiceTensor *, dataset->parent.n);
  memcpy (self->element, out, dataset->parent.n * sizeof *out);
  memset (out, 0, dataset->parent.n * sizeof *out);
  return count_shards (self, call, out, error);
}

/* ---- as many as was said ---- */

static SluiceNext
counted_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  Counting *self = (Counting *) cursor;
  gint64 count = ((const Numbered *) cursor->dataset)->count;
  SluiceNext result = sluice_cursor_next (get_input (self), call, out, error);
  if (result == SLUICE_NEXT_ONE)
    self->i++;
  gboolean too_few = result == SLUICE_NEXT_END && self->i != count;
  /* -1: infinitely many. */
  gboolean too_many = result == SLUICE_NEXT_ONE && count != -1 && self->i > count;
  if (!too_few && !too_many)
    return result;
  if (too_many)
    sluice_element_drop (out, cursor->dataset->n);
  sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
               "'%s': there should be %" G_GINT64_FORMAT
               " elements, and there are %s%" G_GINT64_FORMAT,
               cursor->dataset->name, count, too_many ? "at least " : "", self->i);
  return SLUICE_NEXT_FAILED;
}

/* ---- what did not fail ---- */

static SluiceNext
sound_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  for (;;)
    {
      SluiceNext result = sluice_cursor_next (get_input ((Counting *) cursor), call, out, error);
      if (!sluice_next_has_failed (result, error))
        return result;
      g_clear_error (error);
      if (!sluice_check_cancelled (call, error))
        return SLUICE_NEXT_FAILED;
    }
}

/* ---- rows ---- */

typedef struct
{
  SluiceCursor parent;
  SluiceCursor *input;
  SluiceElements *batch; /* (nullable): whose rows are given */
  gint64 i, n;
} Rows;

static void
rows_end (SluiceCursor *cursor)
{
  Rows *self = (Rows *) cursor;
  g_clear_pointer (&self->batch, sluice_elements_unref);
  g_clear_pointer (&self->input, sluice_cursor_free);
}

/* How many rows the components of a batch have. */
static gboolean
count_rows (const SluiceDataset *dataset, SluiceTensor *const *batch, gint64 *n, GError **error)
{
  for (guint i = 0; i < dataset->n; i++)
    {
      const SluiceShape *shape = &batch[i]->shape;
      if (shape->rank == 0)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "'%s': component %u is a scalar: it has no rows", dataset->name, i);
      if (i > 0 && shape->dim[0] != *n)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "'%s': component 0 has %" G_GINT64_FORMAT
                            " rows, and component %u has %" G_GINT64_FORMAT,
                            dataset->name, *n, i, shape->dim[0]);
      *n = shape->dim[0];
    }
  return TRUE;
}

static SluiceNext
take_batch (Rows *self, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  const SluiceDataset *dataset = self->parent.dataset;
  if (self->input == NULL)
    self->input = sluice_cursor_new (dataset->inputs[0], self->parent.pass);
  SluiceNext result = sluice_cursor_next (self->input, call, out, error);
  if (result != SLUICE_NEXT_ONE)
    return result;
  if (!count_rows (dataset, out, &self->n, error))
    {
      sluice_element_drop (out, dataset->n);
      return SLUICE_NEXT_FAILED;
    }
  self->batch = sluice_elements_new (dataset->n);
  memcpy (self->batch->tensors, out, dataset->n * sizeof *out);
  memset (out, 0, dataset->n * sizeof *out);
  self->i = 0;
  return SLUICE_NEXT_ONE;
}

static SluiceNext
rows_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  Rows *self = (Rows *) cursor;
  while (self->batch == NULL || self->i == self->n)
    {
      g_clear_pointer (&self->batch, sluice_elements_unref);
      SluiceNext result = take_batch (self, call, out, error);
      if (result != SLUICE_NEXT_ONE)
        return result;
    }
  const SluiceItem item = { self->batch, self->i++ };
  for (guint i = 0; i < cursor->dataset->n; i++)
    {
      out[i] = sluice_item_dup (&item, i, call->device->allocator, call->owner, error);
      if (out[i] != NULL)
        continue;
      sluice_element_drop (out, i);
      return SLUICE_NEXT_FAILED;
    }
  return SLUICE_NEXT_ONE;
}

/* ---- kernels ---- */

#define CLASS(id, type, function, end_function)                                                    \
  static const SluiceDatasetClass id = {                                                           \
    .size = sizeof (Numbered), .cursor_size = sizeof (type), .next = function, .end = end_function \
  }
CLASS (shard_class, Counting, shard_next, counting_end);
CLASS (counted_class, Counting, counted_next, counting_end);
CLASS (sound_class, Counting, sound_next, counting_end);
CLASS (rows_class, Rows, rows_next, rows_end);

static gboolean
shard_compute (SluiceKernelCall *call)
{
  gint64 count, index;
  if (!sluice_call_get_scalar (call, 1, &count) || !sluice_call_get_scalar (call, 2, &index))
    return FALSE;
  /* -1 is a hint to TensorFlow's rewriting of a dataset for many workers, which did not happen. */
  if (count == -1)
    return sluice_call_fail (call, SLUICE_ERROR_FAILED_PRECONDITION,
                             "input 1 (num_shards) is -1, to be filled in by a rewriting for "
                             "several workers; give a number");
  if (count < 1 || index < 0 || index >= count)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "there is no shard %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                             ": num_shards must be 1 or more, index below it",
                             index, count);
  Numbered *self = (Numbered *) sluice_dataset_new_over (&shard_class, call, 0, 1);
  if (self == NULL)
    return FALSE;
  self->count = count;
  self->index = index;
  self->wants_all = sluice_node_get_bool (call->node, "require_non_empty");
  return sluice_call_put_dataset (call, &self->parent);
}

static gboolean
counted_compute (SluiceKernelCall *call)
{
  gint64 count;
  if (!sluice_call_get_scalar (call, 1, &count))
    return FALSE;
  Numbered *self = (Numbered *) sluice_dataset_new_over (&counted_class, call, 0, 1);
  if (self != NULL)
    self->count = count;
  return sluice_call_put_dataset (call, (SluiceDataset *) self);
}

/* kernel->data: the class. */
static gboolean
plain_compute (SluiceKernelCall *call)
{
  return sluice_call_put_dataset (call, sluice_dataset_new_over (call->kernel->data, call, 0, 1));
}

/* ---- the ops ---- */

static const SluiceRecipe recipe = { .why_none = N_ (
                                         "makes a dataset: tests/conformance/ops/io has some") };

#define OP(id, op_name, inputs, attributes, text)                                                  \
  SLUICE_OP_DEF (id, op_name, "input_dataset: variant" inputs " -> handle: variant",               \
                 attributes "output_types: list(type) >= 1; output_shapes: list(shape) >= 1",      \
                 SLUICE_OP_NOT_DIFFERENTIABLE, sluice_shape_scalar, &recipe, text)

OP (shard_op,
    "ShardDataset",
    ", num_shards: int64, index: int64",
    "require_non_empty: bool = false; metadata: string = ''; ",
    N_ ("Each num_shards-th element of a dataset, from the one of that index on"));
OP (counted_op,
    "AssertCardinalityDataset",
    ", cardinality: int64",
    "",
    N_ ("The same dataset, which fails where it has not so many elements"));
OP (sound_op,
    "IgnoreErrorsDataset",
    "",
    "log_warning: bool = false; ",
    N_ ("The elements of a dataset that do not fail"));
OP (rows_op,
    "UnbatchDataset",
    "",
    "metadata: string = ''; ",
    N_ ("The rows of the elements of a dataset"));

static const SluiceOpDef *const ops[] = { &shard_op, &counted_op, &sound_op, &rows_op };

static const SluiceKernel kernels[] = {
  { .op = "ShardDataset", .device = "CPU", .compute = shard_compute },
  { .op = "AssertCardinalityDataset", .device = "CPU", .compute = counted_compute },
  { .op = "IgnoreErrorsDataset",
    .device = "CPU",
    .compute = plain_compute,
    .data = (gpointer) &sound_class },
  { .op = "UnbatchDataset",
    .device = "CPU",
    .compute = plain_compute,
    .data = (gpointer) &rows_class },
};

const SluiceKernelModule sluice_module_data_parts = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
