/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Datasets of datasets: a function makes a dataset of each element, and their elements come one
 * dataset after the other, or some of each in turn. The parallel ones give TensorFlow's
 * deterministic order, which is that of the serial one; elements are made when they are asked for.
 */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/data/closure.h"
#include "kernels/data/spec.h"

/* How many datasets take turns where that is left to the program: fixed, for it changes the order.
 */
#define AUTOMATIC_CYCLE 16

typedef struct
{
  SluiceDataset parent;
  SluiceClosure closure;
  gint64 cycle, block; /* datasets that take turns; elements in a turn */
} Interleave;

typedef struct
{
  SluiceCursor parent;
  SluiceApplying applying;
  GPtrArray *open; /* (element-type SluiceCursor): NULL where a place is free; grows to the cycle */
  gint64 at;       /* whose turn it is */
  gint64 taken;    /* in this turn */
  gint64 n_open;
  gboolean has_ended; /* there are no more datasets */
} Interleaving;

static void
interleave_clear (SluiceDataset *self)
{
  sluice_closure_clear (&((Interleave *) self)->closure);
}

static void
free_open (gpointer cursor)
{
  if (cursor != NULL)
    sluice_cursor_free (cursor);
}

static void
interleaving_end (SluiceCursor *cursor)
{
  Interleaving *self = (Interleaving *) cursor;
  sluice_applying_clear (&self->applying);
  g_clear_pointer (&self->open, g_ptr_array_unref);
}

/* Places that were never used are free, and free for good when there is nothing to put there. */
static void
next_turn (Interleaving *self)
{
  const Interleave *dataset = (const Interleave *) self->parent.dataset;
  gint64 n = self->has_ended ? (gint64) self->open->len : dataset->cycle;
  self->taken = 0;
  self->at = self->at + 1 < n ? self->at + 1 : 0;
}

/* The next dataset takes the free place. END: there is none. */
static SluiceNext
open_next (Interleaving *self, SluiceKernelCall *call, GError **error)
{
  SluiceCursor *cursor = &self->parent;
  const Interleave *dataset = (const Interleave *) cursor->dataset;
  g_autoptr (SluiceTensor) result = NULL;
  SluiceNext next =
      sluice_applying_next (&self->applying, cursor, &dataset->closure, call, NULL, &result, error);
  if (next != SLUICE_NEXT_ONE)
    return next;
  SluiceDataset *inner = sluice_closure_dup_dataset (
      cursor->dataset->name, result, cursor->dataset->n, cursor->dataset->types, error);
  if (inner == NULL)
    return SLUICE_NEXT_FAILED;
  if (self->at >= self->open->len)
    g_ptr_array_set_size (self->open, (int) self->at + 1);
  self->open->pdata[self->at] = sluice_cursor_new (inner, cursor->pass);
  sluice_resource_unref (&inner->parent);
  self->n_open++;
  return SLUICE_NEXT_ONE;
}

/* One of whose turn it is. END: it has no more, and its place is free. */
static SluiceNext
take_one (Interleaving *self, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  const Interleave *dataset = (const Interleave *) self->parent.dataset;
  SluiceCursor **place = (SluiceCursor **) &self->open->pdata[self->at];
  SluiceNext result = sluice_cursor_next (*place, call, out, error);
  if (result == SLUICE_NEXT_ONE && ++self->taken == dataset->block)
    next_turn (self);
  if (result != SLUICE_NEXT_END)
    return result;
  g_clear_pointer (place, sluice_cursor_free);
  self->n_open--;
  next_turn (self);
  return result;
}

static SluiceNext
interleave_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  Interleaving *self = (Interleaving *) cursor;
  if (self->open == NULL)
    self->open = g_ptr_array_new_with_free_func (free_open);
  while (!self->has_ended || self->n_open > 0)
    {
      SluiceNext result;
      if (self->at < self->open->len && self->open->pdata[self->at] != NULL)
        {
          result = take_one (self, call, out, error);
          if (result != SLUICE_NEXT_END)
            return result;
        }
      else if (self->has_ended)
        next_turn (self);
      else
        {
          result = open_next (self, call, error);
          self->has_ended = result == SLUICE_NEXT_END;
          if (result == SLUICE_NEXT_FAILED || result == SLUICE_NEXT_LATER)
            return result;
        }
    }
  return SLUICE_NEXT_END;
}

static const SluiceDatasetClass interleave_class = { .size = sizeof (Interleave),
                                                     .cursor_size = sizeof (Interleaving),
                                                     .next = interleave_next,
                                                     .end = interleaving_end,
                                                     .clear = interleave_clear };

/* ---- kernels ---- */

/* Over input 0; the last n_more inputs are not captured. */
static gboolean
make (SluiceKernelCall *call, guint n_more, gint64 cycle, gint64 block)
{
  const SluiceElementSpec *spec = call->state;
  const SluiceDType want = SLUICE_VARIANT;
  SluiceClosure closure;
  const SluiceDataset *input = sluice_call_get_dataset (call, 0);
  if (input == NULL
      || !sluice_closure_init (&closure, call, "f", input->n, 1, call->n_inputs - 1 - n_more))
    return FALSE;
  if (!sluice_closure_check_results (&closure, call, "f", 1, &want))
    {
      sluice_closure_clear (&closure);
      return FALSE;
    }
  Interleave *self = (Interleave *) sluice_dataset_new_over (&interleave_class, call, 0, 1);
  self->closure = closure;
  self->cycle = cycle;
  self->block = block;
  self->parent.is_pure = self->parent.is_pure && closure.function->is_pure;
  sluice_dataset_set_types (&self->parent, spec->n, spec->types);
  return sluice_call_put_dataset (call, &self->parent);
}

static gboolean
flat_map_compute (SluiceKernelCall *call)
{
  return make (call, 0, 1, 1);
}

/* kernel->data: how many inputs stand behind the captured ones, the first two of them being the
 * cycle and the block. */
static gboolean
interleave_compute (SluiceKernelCall *call)
{
  guint n_more = GPOINTER_TO_UINT (call->kernel->data);
  guint first = call->n_inputs - n_more;
  gint64 cycle, block;
  if (!sluice_call_get_scalar (call, first, &cycle)
      || !sluice_call_get_scalar (call, first + 1, &block))
    return FALSE;
  if (cycle == -1 && n_more > 2)
    cycle = AUTOMATIC_CYCLE;
  if (cycle <= 0 || block <= 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "cycle_length is %" G_GINT64_FORMAT
                             " and block_length %" G_GINT64_FORMAT "; both must be 1 or more",
                             cycle, block);
  for (guint i = first + 2; i < call->n_inputs; i++)
    if (!sluice_call_want_scalar (call, i))
      return FALSE;
  return make (call, n_more, cycle, block);
}

/* ---- the ops ---- */

static const SluiceRecipe recipe = {
  .why_none = N_ ("calls a function of the graph: tests/kernels/test-dataset-functions does")
};

#define OP(id, op_name, more_inputs, attributes, text)                                             \
  SLUICE_DATASET_OP (                                                                              \
      id, op_name,                                                                                 \
      "input_dataset: variant, other_arguments: Targuments" more_inputs " -> handle: variant",     \
      "f: func; Targuments: list(type) >= 0; " SLUICE_DATASET_TYPES attributes, 0, text)
#define TURNS         ", cycle_length: int64, block_length: int64"
#define DETERMINISTIC "deterministic: string = 'default'; "

OP (flat_map_op,
    "FlatMapDataset",
    "",
    "",
    N_ ("The elements of the datasets that a function makes, one dataset after the other"));
OP (interleave_op,
    "InterleaveDataset",
    TURNS,
    "",
    N_ ("The elements of the datasets that a function makes, some of each in turn"));
OP (interleave_v2_op,
    "ParallelInterleaveDatasetV2",
    TURNS ", num_parallel_calls: int64",
    "sloppy: bool = false; ",
    N_ ("The elements of the datasets that a function makes, some of each in turn"));
OP (interleave_v3_op,
    "ParallelInterleaveDatasetV3",
    TURNS ", num_parallel_calls: int64",
    DETERMINISTIC,
    N_ ("The elements of the datasets that a function makes, some of each in turn"));
OP (interleave_v4_op,
    "ParallelInterleaveDatasetV4",
    TURNS ", buffer_output_elements: int64, prefetch_input_elements: int64, "
          "num_parallel_calls: int64",
    DETERMINISTIC,
    N_ ("The elements of the datasets that a function makes, some of each in turn"));

static const SluiceOpDef *const ops[] = { &flat_map_op, &interleave_op, &interleave_v2_op,
                                          &interleave_v3_op, &interleave_v4_op };

#define KERNEL(op_name, function, n_more)                                                          \
  {                                                                                                \
    .op = op_name, .device = "CPU", .prepare = sluice_element_spec_prepare,                        \
    .free_state = sluice_element_spec_free, .compute = function, .data = GUINT_TO_POINTER (n_more) \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("FlatMapDataset", flat_map_compute, 0),
  KERNEL ("InterleaveDataset", interleave_compute, 2),
  KERNEL ("ParallelInterleaveDatasetV2", interleave_compute, 3),
  KERNEL ("ParallelInterleaveDatasetV3", interleave_compute, 3),
  KERNEL ("ParallelInterleaveDatasetV4", interleave_compute, 5),
};

const SluiceKernelModule sluice_module_data_interleave = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
