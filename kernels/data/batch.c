/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Datasets of batches: several elements of another put together, as they are or filled up. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/data/dataset-pass.h"
#include "kernels/queue/items.h"

/* A batch as large is laid out before its rows come; of a larger one who knows whether they will.
 */
#define WHOLE_BYTES (64 << 20)
/* What is copied, or set to nothing, between two looks at whether the call is cancelled. */
#define PIECE_BYTES (1 << 20)

typedef struct
{
  SluiceDataset parent;
  gint64 size;
  gboolean drops_rest;
  gboolean is_open;    /* elements are filled up to the longest: the last one settles the shape */
  SluiceShape *shapes; /* (nullable): what elements are filled up to, a component each */
  SluiceTensor **padding; /* with shapes: and with what, scalars */
} Batched;

/* A component of the batch that is being put together. */
typedef struct
{
  SluiceShape shape;   /* of a row */
  gint64 row;          /* bytes of it */
  gint64 n_piece;      /* rows of a piece */
  GPtrArray *pieces;   /* (element-type SluiceTensor): one may be the batch itself */
  SluiceTensor *batch; /* (nullable): put together */
} Column;

typedef struct
{
  SluiceCursor parent;
  SluiceCursor *input;
  gint64 n;               /* elements of the batch so far */
  SluiceTensor **element; /* the one that has just come */
  Column *columns;
  SluiceElementCache kept; /* of an open batch: its elements */
  /* Why the elements are no batch, and the first component to say so: an error when all of them
   * have been taken, as it is TensorFlow's. */
  GError *misfit;
  guint misfit_at;
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

static void
batching_begin (Batching *self)
{
  const SluiceDataset *dataset = self->parent.dataset;
  if (self->input != NULL)
    return;
  self->input = sluice_cursor_new (dataset->inputs[0], self->parent.pass);
  self->element = g_new0 (SluiceTensor *, dataset->n);
  self->columns = g_new0 (Column, dataset->n);
  self->kept.n = dataset->n;
  for (guint i = 0; i < dataset->n; i++)
    self->columns[i].pieces = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tensor_unref);
}

/* Nothing is left of the batch so far. */
static void
batching_clear (Batching *self)
{
  const Batched *dataset = (const Batched *) self->parent.dataset;
  for (guint i = 0; i < dataset->parent.n; i++)
    {
      g_ptr_array_set_size (self->columns[i].pieces, 0);
      g_clear_pointer (&self->columns[i].batch, sluice_tensor_unref);
    }
  if (dataset->is_open)
    sluice_dataset_pass_leave (self->parent.pass, &self->kept, 0, self->n);
  g_clear_error (&self->misfit);
  self->n = 0;
}

/* ---- what fits ---- */

/* Of element k, component i. */
static gboolean
check_alike (const Column *column, const SluiceShape *shape, guint i, gint64 k, GError **error)
{
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (sluice_shape_equal (&column->shape, shape))
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "elements of one batch must be alike: component %u of the first has "
                      "shape %s, and of element %" G_GINT64_FORMAT " of it %s",
                      i, sluice_shape_str (&column->shape, a), k, sluice_shape_str (shape, b));
}

/* FALSE: an element that cannot be filled up to what is wanted. */
static gboolean
check_fits (const Batched *self, const SluiceShape *shape, guint i, gint64 k, GError **error)
{
  const SluiceShape *want = &self->shapes[i];
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (shape->rank != want->rank)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s': component %u of element %" G_GINT64_FORMAT
                        " of the batch has shape %s; padded_shapes says %s, of another rank",
                        self->parent.name, i, k, sluice_shape_str (shape, a),
                        sluice_shape_str (want, b));
  for (int d = 0; d < shape->rank; d++)
    if (want->dim[d] >= 0 && shape->dim[d] > want->dim[d])
      return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                          "'%s': component %u of element %" G_GINT64_FORMAT
                          " of the batch has shape %s, which does not fit into %s; give "
                          "padded_shapes that are as large, or -1",
                          self->parent.name, i, k, sluice_shape_str (shape, a),
                          sluice_shape_str (want, b));
  return TRUE;
}

/* ---- rows ---- */

static gint64
count_row_bytes (SluiceDType dtype, const SluiceShape *shape)
{
  gint64 bytes = (gint64) sluice_dtype_size (dtype);
  for (int d = 0; d < shape->rank; d++)
    bytes *= shape->dim[d];
  return bytes;
}

static gint64
count_piece_rows (gint64 row)
{
  return MAX (PIECE_BYTES / MAX (row, 1), 1);
}

/* n rows of component i, not filled in. (transfer full) (nullable) */
static SluiceTensor *
rows_new (const Batching *self, guint i, gint64 n, SluiceKernelCall *call, GError **error)
{
  const SluiceShape *row = &self->columns[i].shape;
  gint64 dims[SLUICE_MAX_RANK + 1] = { n };
  SluiceShape shape;
  memcpy (dims + 1, row->dim, (gsize) row->rank * sizeof (gint64));
  if (!sluice_shape_make (&shape, dims, (gsize) row->rank + 1, error))
    return NULL;
  return sluice_tensor_new_checked (call->device->allocator, self->parent.dataset->types[i], &shape,
                                    call->owner, error);
}

/* Decides how component i is laid out, and makes the first piece. */
static gboolean
add_first_piece (Batching *self, guint i, SluiceKernelCall *call, GError **error)
{
  gint64 size = ((const Batched *) self->parent.dataset)->size;
  Column *column = &self->columns[i];
  gboolean is_managed = sluice_dtype_is_managed (self->parent.dataset->types[i]);
  gint64 bytes, most = is_managed ? PIECE_BYTES : WHOLE_BYTES; /* managed: cleared at once */
  SluiceTensor *piece = NULL;
  column->n_piece = size;
  if (!__builtin_mul_overflow (column->row, size, &bytes) && bytes <= most)
    piece = rows_new (self, i, size, call, NULL);
  if (piece == NULL)
    {
      column->n_piece = MIN (count_piece_rows (column->row), size);
      piece = rows_new (self, i, column->n_piece, call, error);
    }
  if (piece != NULL)
    g_ptr_array_add (column->pieces, piece);
  return piece != NULL;
}

/* The next row of component i. */
static gboolean
put_row (
    Batching *self, guint i, const SluiceTensor *element, SluiceKernelCall *call, GError **error)
{
  const Batched *dataset = (const Batched *) self->parent.dataset;
  Column *column = &self->columns[i];
  GPtrArray *pieces = column->pieces;
  if (pieces->len == 0 && !add_first_piece (self, i, call, error))
    return FALSE;
  if (self->n == (gint64) pieces->len * column->n_piece)
    {
      SluiceTensor *piece = rows_new (self, i, column->n_piece, call, error);
      if (piece == NULL)
        return FALSE;
      g_ptr_array_add (pieces, piece);
    }
  const SluiceTensor *piece = pieces->pdata[pieces->len - 1];
  gint64 at = self->n % column->n_piece * column->row;
  sluice_item_put ((SluiceDType) element->dtype, (char *) piece->data + at, &column->shape,
                   element->data, &element->shape,
                   dataset->padding != NULL ? dataset->padding[i]->data : NULL);
  return TRUE;
}

/* What has come becomes the next row. FALSE: the batch cannot be put together at all. */
static gboolean
take_element (Batching *self, SluiceKernelCall *call, GError **error)
{
  const Batched *dataset = (const Batched *) self->parent.dataset;
  guint n = self->misfit != NULL ? self->misfit_at : dataset->parent.n;
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < n; i++)
    {
      Column *column = &self->columns[i];
      const SluiceShape *shape = &self->element[i]->shape;
      GError *misfit = NULL;
      if (self->n == 0)
        {
          column->shape = dataset->shapes != NULL ? dataset->shapes[i] : *shape;
          column->row = count_row_bytes (dataset->parent.types[i], &column->shape);
        }
      if (dataset->shapes != NULL ? check_fits (dataset, shape, i, self->n, &misfit)
                                  : check_alike (column, shape, i, self->n, &misfit))
        ok = self->misfit != NULL || put_row (self, i, self->element[i], call, error);
      else
        {
          g_clear_error (&self->misfit);
          self->misfit = misfit;
          self->misfit_at = n = i;
        }
    }
  sluice_element_drop (self->element, dataset->parent.n);
  self->n++;
  return ok;
}

/* ---- putting together ---- */

/* Where only all elements of the batch say how long a row is. */
static gboolean
settle_shape (Batching *self, guint i, SluiceKernelCall *call, GError **error)
{
  const Batched *dataset = (const Batched *) self->parent.dataset;
  Column *column = &self->columns[i];
  column->shape = dataset->shapes[i];
  for (int d = 0; d < column->shape.rank; d++)
    column->shape.dim[d] = MAX (column->shape.dim[d], 0);
  for (gint64 k = 0; k < self->n; k++)
    {
      const SluiceShape *shape = &sluice_element_cache_at (&self->kept, k)[i]->shape;
      if (!sluice_check_cancelled (call, error) || !check_fits (dataset, shape, i, k, error))
        return FALSE;
      for (int d = 0; d < shape->rank; d++)
        column->shape.dim[d] = MAX (column->shape.dim[d], shape->dim[d]);
    }
  column->row = count_row_bytes (dataset->parent.types[i], &column->shape);
  return TRUE;
}

static gboolean
copy_kept (
    const Batching *self, guint i, SluiceTensor *to, const SluiceKernelCall *call, GError **error)
{
  const Column *column = &self->columns[i];
  const void *padding = ((const Batched *) self->parent.dataset)->padding[i]->data;
  for (gint64 k = 0; k < self->n; k++)
    {
      const SluiceTensor *element = sluice_element_cache_at (&self->kept, k)[i];
      if (!sluice_check_cancelled (call, error))
        return FALSE;
      sluice_item_put ((SluiceDType) to->dtype, (char *) to->data + k * column->row, &column->shape,
                       element->data, &element->shape, padding);
    }
  return TRUE;
}

static gboolean
copy_pieces (
    const Batching *self, guint i, SluiceTensor *to, const SluiceKernelCall *call, GError **error)
{
  const Column *column = &self->columns[i];
  gint64 width = to->n_elements / self->n, step = count_piece_rows (column->row), n;
  for (gint64 k = 0; k < self->n; k += n)
    {
      const SluiceTensor *piece = column->pieces->pdata[k / column->n_piece];
      gint64 first = k % column->n_piece;
      n = MIN (MIN (step, self->n - k), column->n_piece - first);
      if (!sluice_check_cancelled (call, error))
        return FALSE;
      sluice_elements_copy ((SluiceDType) to->dtype, (char *) to->data + k * column->row,
                            (const char *) piece->data + first * column->row, n * width);
    }
  return TRUE;
}

/* Makes the batch of component i, where that has not been done before: a call that is cancelled
 * leaves the rest to the next one. */
static gboolean
put_together (Batching *self, guint i, SluiceKernelCall *call, GError **error)
{
  gboolean is_open = ((const Batched *) self->parent.dataset)->is_open;
  Column *column = &self->columns[i];
  if (column->batch != NULL)
    return TRUE;
  if (!is_open && column->n_piece == self->n)
    {
      column->batch = g_ptr_array_steal_index_fast (column->pieces, 0);
      return TRUE;
    }
  if (is_open && !settle_shape (self, i, call, error))
    return FALSE;
  g_autoptr (SluiceTensor) batch = rows_new (self, i, self->n, call, error);
  if (batch == NULL
      || !(is_open ? copy_kept (self, i, batch, call, error)
                   : copy_pieces (self, i, batch, call, error)))
    return FALSE;
  column->batch = g_steal_pointer (&batch);
  g_ptr_array_set_size (column->pieces, 0);
  return TRUE;
}

static gboolean
finish (Batching *self, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  guint n = self->parent.dataset->n;
  if (self->misfit != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->misfit));
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    if (!put_together (self, i, call, error))
      return FALSE;
  for (guint i = 0; i < n; i++)
    {
      out[i] = g_steal_pointer (&self->columns[i].batch);
      sluice_tensor_set_memory_class (out[i], call->owner.memory_class);
    }
  return TRUE;
}

/* ---- going through ---- */

/* The next element of the batch. */
static SluiceNext
take_next (Batching *self, SluiceKernelCall *call, GError **error)
{
  const Batched *dataset = (const Batched *) self->parent.dataset;
  if (dataset->is_open)
    {
      if (!sluice_element_cache_reserve (&self->kept, self->n + 1, dataset->size, error))
        return SLUICE_NEXT_FAILED;
      SluiceNext result = sluice_cursor_next (
          self->input, call, sluice_element_cache_at (&self->kept, self->n), error);
      self->n += result == SLUICE_NEXT_ONE;
      return result;
    }
  SluiceNext result = sluice_cursor_next (self->input, call, self->element, error);
  if (result == SLUICE_NEXT_ONE && !take_element (self, call, error))
    return SLUICE_NEXT_FAILED;
  return result;
}

static SluiceNext
batch_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  const Batched *dataset = (const Batched *) cursor->dataset;
  Batching *self = (Batching *) cursor;
  SluiceNext result = SLUICE_NEXT_ONE;
  batching_begin (self);
  while (self->n < dataset->size && result == SLUICE_NEXT_ONE)
    result = take_next (self, call, error);
  if (result == SLUICE_NEXT_LATER)
    return result;
  if (result == SLUICE_NEXT_END
      && (self->n == 0 || (dataset->drops_rest && self->n < dataset->size)))
    return SLUICE_NEXT_END;
  if (result != SLUICE_NEXT_FAILED)
    result = finish (self, call, out, error) ? SLUICE_NEXT_ONE : SLUICE_NEXT_FAILED;
  if (result == SLUICE_NEXT_ONE || sluice_next_has_failed (result, error))
    batching_clear (self);
  return result;
}

static void
batching_end (SluiceCursor *cursor)
{
  Batching *self = (Batching *) cursor;
  if (self->input == NULL)
    return;
  g_clear_pointer (&self->input, sluice_cursor_free);
  batching_clear (self);
  for (guint i = 0; i < cursor->dataset->n; i++)
    g_ptr_array_unref (self->columns[i].pieces);
  g_free (self->columns);
  g_free (self->element);
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

/* The same elements: how many are put together at once is the machine's business. With 0 calls
 * TensorFlow would wait for ever. */
static gboolean
parallel_batch_compute (SluiceKernelCall *call)
{
  gint64 n_calls;
  if (!sluice_call_get_scalar (call, 2, &n_calls))
    return FALSE;
  if (n_calls < 1 && n_calls != -1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input 2 (num_parallel_calls) is %" G_GINT64_FORMAT
                             "; it must be 1 or more, or -1",
                             n_calls);
  return sluice_call_put_dataset (call, (SluiceDataset *) batched_new (call, 3));
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
  self->is_open = self->is_open || !sluice_shape_is_known (&self->shapes[k]);
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
BATCH (parallel_batch_op,
       "ParallelBatchDataset",
       "input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool",
       "parallel_copy: bool = false; deterministic: string = 'default'; ");
PADDED (padded_op, "PaddedBatchDataset", "", "");
PADDED (padded_v2_op,
        "PaddedBatchDatasetV2",
        ", drop_remainder: bool",
        "parallel_copy: bool = false; ");

static const SluiceOpDef *const ops[] = { &batch_op, &batch_v2_op, &parallel_batch_op, &padded_op,
                                          &padded_v2_op };

#define KERNEL(op_name, ...)                                                                       \
  {                                                                                                \
    .op = op_name, .device = "CPU", __VA_ARGS__                                                    \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("BatchDataset", .compute = batch_compute),
  KERNEL ("BatchDatasetV2", .compute = batch_compute),
  KERNEL ("ParallelBatchDataset", .compute = parallel_batch_compute),
  KERNEL ("PaddedBatchDataset", .compute = padded_compute),
  KERNEL ("PaddedBatchDatasetV2", .compute = padded_compute, .data = GINT_TO_POINTER (TRUE)),
};

const SluiceKernelModule sluice_module_data_batch = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
