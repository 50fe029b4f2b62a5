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

/* The inputs behind the captured ones, which begin with cycle and block. Of the others: which of
 * them it is, 0: none. What is -1 is left to us. */
typedef struct
{
  guint n;
  guint buffer, prefetch, calls;
  gboolean is_legacy; /* nothing is left to us */
} Turns;

/* FALSE: call->error is set */
static gboolean
check_number (SluiceKernelCall *call, guint i, const char *name, gint64 least, gboolean may_leave)
{
  gint64 value;
  if (!sluice_call_get_scalar (call, i, &value))
    return FALSE;
  return value >= least || (may_leave && value == -1)
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "input %u (%s) is %" G_GINT64_FORMAT "; it must be %" G_GINT64_FORMAT
                              " or more%s",
                              i, name, value, least, may_leave ? ", or -1" : "");
}

/* kernel->data: Turns. */
static gboolean
interleave_compute (SluiceKernelCall *call)
{
  const Turns *turns = call->kernel->data;
  guint first = call->n_inputs - turns->n;
  gboolean may_leave = !turns->is_legacy;
  gint64 cycle, block;
  if (!check_number (call, first, "cycle_length", 1, may_leave)
      || !check_number (call, first + 1, "block_length", 1, FALSE)
      || !sluice_call_get_scalar (call, first, &cycle)
      || !sluice_call_get_scalar (call, first + 1, &block))
    return FALSE;
  if ((turns->buffer > 0
       && !check_number (call, first + turns->buffer, "buffer_output_elements", 1, may_leave))
      || (turns->prefetch > 0
          && !check_number (call, first + turns->prefetch, "prefetch_input_elements", 0, may_leave))
      || (turns->calls > 0
          && !check_number (call, first + turns->calls, "num_parallel_calls", 1, may_leave)))
    return FALSE;
  return make (call, turns->n, cycle == -1 ? AUTOMATIC_CYCLE : cycle, block);
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

OP (legacy_op,
    "LegacyParallelInterleaveDatasetV2",
    TURNS ", buffer_output_elements: int64, prefetch_input_elements: int64",
    DETERMINISTIC,
    N_ ("The elements of the datasets that a function makes, some of each in turn"));

static const SluiceOpDef *const ops[] = { &flat_map_op,      &interleave_op,    &legacy_op,
                                          &interleave_v2_op, &interleave_v3_op, &interleave_v4_op };

#define KERNEL(op_name, function, ...)                                                             \
  {                                                                                                \
    .op = op_name, .device = "CPU", .prepare = sluice_element_spec_prepare,                        \
    .free_state = sluice_element_spec_free, .compute = function, __VA_ARGS__                       \
  }

static const Turns plain = { .n = 2 }, parallel = { .n = 3, .calls = 2 };
static const Turns buffered = { .n = 5, .buffer = 2, .prefetch = 3, .calls = 4 };
static const Turns legacy = { .n = 4, .buffer = 2, .prefetch = 3, .is_legacy = TRUE };

static const SluiceKernel kernels[] = {
  KERNEL ("FlatMapDataset", flat_map_compute),
  KERNEL ("InterleaveDataset", interleave_compute, .data = (gpointer) &plain),
  KERNEL ("LegacyParallelInterleaveDatasetV2", interleave_compute, .data = (gpointer) &legacy),
  KERNEL ("ParallelInterleaveDatasetV2", interleave_compute, .data = (gpointer) &parallel),
  KERNEL ("ParallelInterleaveDatasetV3", interleave_compute, .data = (gpointer) &parallel),
  KERNEL ("ParallelInterleaveDatasetV4", interleave_compute, .data = (gpointer) &buffered),
};

const SluiceKernelModule sluice_module_data_interleave = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
