/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Datasets that call a function of each element of another: what it makes of them, those that it
 * lets pass, those up to the first that it does not. A parallel one gives the same elements in the
 * same order; where the function or what comes before it touches state it is no other than a
 * serial one, for then calls ahead of time could be told from calls in time.
 */
#include <glib/gi18n-lib.h>

#include "engine/base/pool.h"
#include "engine/graph/shape-context.h"
#include "kernels/data/closure.h"
#include "kernels/data/spec.h"

typedef struct
{
  SluiceDataset parent;
  SluiceClosure closure;
  gboolean keeps_cardinality;
  guint n_ahead; /* calls that may be under way at once */
} Applied;

static void
applied_clear (SluiceDataset *self)
{
  sluice_closure_clear (&((Applied *) self)->closure);
}

typedef struct
{
  SluiceCursor parent;
  SluiceApplying applying;
} Applier;

static void
applier_end (SluiceCursor *self)
{
  sluice_applying_clear (&((Applier *) self)->applying);
}

/* ---- mapping ---- */

/* A function may say that its element is the last one. */
static SluiceNext
judge (const Applied *dataset, SluiceNext result, GError **error)
{
  if (result != SLUICE_NEXT_FAILED
      || !g_error_matches (*error, SLUICE_ERROR, SLUICE_ERROR_OUT_OF_RANGE))
    return result;
  if (!dataset->keeps_cardinality)
    {
      g_clear_error (error);
      return SLUICE_NEXT_END;
    }
  (*error)->code = SLUICE_ERROR_INVALID_ARGUMENT;
  g_prefix_error (error, "the dataset must have as many elements as its input: ");
  return result;
}

static SluiceNext
map_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  const Applied *dataset = (const Applied *) cursor->dataset;
  SluiceNext result = sluice_applying_next (&((Applier *) cursor)->applying, cursor,
                                            &dataset->closure, call, NULL, out, error);
  return judge (dataset, result, error);
}

/* ---- mapping ahead of time ---- */

typedef struct
{
  SluiceCursor parent;
  SluiceCursor *input;
  GQueue ahead;              /* of SluiceInvocation, in the order of their elements */
  SluiceInvocation *filling; /* (nullable): waits for its element */
  gboolean has_ended;        /* the input */
} Parallel;

/* Begins as many calls as may be under way. An error of the input takes the place of its element.
 */
static SluiceNext
run_ahead (Parallel *self, SluiceKernelCall *call, GError **error)
{
  SluiceCursor *cursor = &self->parent;
  const Applied *dataset = (const Applied *) cursor->dataset;
  SluiceNext result = SLUICE_NEXT_ONE;
  if (self->input == NULL)
    self->input = sluice_cursor_new (cursor->dataset->inputs[0], cursor->pass);
  while (!self->has_ended && self->ahead.length < dataset->n_ahead)
    {
      if (self->filling == NULL)
        self->filling = sluice_invocation_new (&dataset->closure, cursor->pass);
      result = sluice_cursor_next (self->input, call, sluice_invocation_get_inputs (self->filling),
                                   error);
      if (result == SLUICE_NEXT_END)
        {
          self->has_ended = TRUE;
          g_clear_pointer (&self->filling, sluice_invocation_drop);
          break;
        }
      if (sluice_next_has_failed (result, error))
        sluice_invocation_start_failed (self->filling, g_steal_pointer (error));
      else if (result != SLUICE_NEXT_ONE)
        return result;
      else
        sluice_invocation_start (self->filling, call, TRUE);
      g_queue_push_tail (&self->ahead, g_steal_pointer (&self->filling));
    }
  return SLUICE_NEXT_ONE;
}

static SluiceNext
parallel_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  Parallel *self = (Parallel *) cursor;
  SluiceNext result = run_ahead (self, call, error);
  SluiceInvocation *first = g_queue_peek_head (&self->ahead);
  if (result == SLUICE_NEXT_FAILED || (result == SLUICE_NEXT_LATER && first == NULL))
    return result;
  if (first == NULL)
    return SLUICE_NEXT_END;
  result = sluice_invocation_take (first, call, out, error);
  if (result == SLUICE_NEXT_LATER)
    return result;
  sluice_invocation_unref (g_queue_pop_head (&self->ahead));
  return judge ((const Applied *) cursor->dataset, result, error);
}

static void
parallel_end (SluiceCursor *cursor)
{
  Parallel *self = (Parallel *) cursor;
  SluiceInvocation *invocation;
  while ((invocation = g_queue_pop_head (&self->ahead)) != NULL)
    sluice_invocation_drop (invocation);
  g_clear_pointer (&self->filling, sluice_invocation_drop);
  g_clear_pointer (&self->input, sluice_cursor_free);
}

/* ---- choosing ---- */

/* The next element, and what the predicate says of it. */
static SluiceNext
ask (SluiceCursor *cursor,
     SluiceKernelCall *call,
     SluiceTensor **out,
     gboolean *answer,
     GError **error)
{
  const Applied *dataset = (const Applied *) cursor->dataset;
  g_autoptr (SluiceTensor) truth = NULL;
  SluiceNext result = sluice_applying_next (&((Applier *) cursor)->applying, cursor,
                                            &dataset->closure, call, out, &truth, error);
  if (result != SLUICE_NEXT_ONE)
    return result;
  if (truth->n_elements == 1)
    {
      *answer = *(const guint8 *) truth->data != 0;
      return SLUICE_NEXT_ONE;
    }
  char text[SLUICE_SHAPE_STR];
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
               "the predicate of '%s' must give one bool, and it gives %s", cursor->dataset->name,
               sluice_shape_str (&truth->shape, text));
  sluice_element_drop (out, cursor->dataset->n);
  return SLUICE_NEXT_FAILED;
}

static SluiceNext
filter_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  for (;;)
    {
      gboolean passes = TRUE;
      SluiceNext result = ask (cursor, call, out, &passes, error);
      if (result != SLUICE_NEXT_ONE || passes)
        return result;
      sluice_element_drop (out, cursor->dataset->n);
    }
}

static SluiceNext
take_while_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  gboolean passes = TRUE;
  SluiceNext result = ask (cursor, call, out, &passes, error);
  if (result != SLUICE_NEXT_ONE || passes)
    return result;
  sluice_element_drop (out, cursor->dataset->n);
  return SLUICE_NEXT_END;
}

/* ---- kernels ---- */

#define APPLIED(id, cursor_type, function, end_function)                                           \
  static const SluiceDatasetClass id = { .size = sizeof (Applied),                                 \
                                         .cursor_size = sizeof (cursor_type),                      \
                                         .next = function,                                         \
                                         .end = end_function,                                      \
                                         .clear = applied_clear }
APPLIED (map_class, Applier, map_next, applier_end);
APPLIED (parallel_class, Parallel, parallel_next, parallel_end);
APPLIED (filter_class, Applier, filter_next, applier_end);
APPLIED (take_while_class, Applier, take_while_next, applier_end);

/* Over input 0, with a function that captures all inputs between it and the last n_more. (transfer
 * full) (nullable): call->error is set */
static Applied *
applied_new (SluiceKernelCall *call,
             const SluiceDatasetClass *klass,
             const char *attr,
             guint n_more)
{
  SluiceClosure closure;
  const SluiceDataset *input = sluice_call_get_dataset (call, 0);
  if (input == NULL
      || !sluice_closure_init (&closure, call, attr, input->n, 1, call->n_inputs - 1 - n_more))
    return NULL;
  Applied *self = (Applied *) sluice_dataset_new_over (klass, call, 0, 1);
  self->closure = closure;
  self->parent.is_pure = self->parent.is_pure && closure.function->is_pure;
  return self;
}

/* More calls at once than there are threads would end no sooner. FALSE: call->error is set */
static gboolean
read_parallelism (SluiceKernelCall *call, guint *n)
{
  gint64 wanted;
  guint i = call->n_inputs - 1u;
  if (!sluice_call_get_scalar (call, i, &wanted))
    return FALSE;
  if (wanted < -1 || wanted == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u (num_parallel_calls) is %" G_GINT64_FORMAT
                             "; it must be 1 or more, or -1",
                             i, wanted);
  guint n_threads = sluice_pool_get_threads ();
  *n = wanted < 0 ? n_threads : (guint) MIN (wanted, n_threads);
  return TRUE;
}

/* call->state: what output_types says. kernel->data: whether the last input is a number of calls.
 */
static gboolean
map_compute (SluiceKernelCall *call)
{
  const SluiceElementSpec *spec = call->state;
  gboolean is_parallel = call->kernel->data != NULL;
  guint n_ahead = 1;
  if (is_parallel && !read_parallelism (call, &n_ahead))
    return FALSE;
  Applied *self = applied_new (call, &map_class, "f", is_parallel);
  if (self == NULL)
    return FALSE;
  if (!sluice_closure_check_results (&self->closure, call, "f", spec->n, spec->types))
    {
      sluice_resource_unref (&self->parent.parent);
      return FALSE;
    }
  sluice_dataset_set_types (&self->parent, spec->n, spec->types);
  self->keeps_cardinality = sluice_node_get_bool (call->node, "preserve_cardinality");
  self->n_ahead = n_ahead;
  if (n_ahead > 1 && self->parent.is_pure)
    self->parent.klass = &parallel_class;
  return sluice_call_put_dataset (call, &self->parent);
}

static gboolean
choose (SluiceKernelCall *call, const SluiceDatasetClass *klass, guint n_more)
{
  const SluiceDType want = SLUICE_BOOL;
  Applied *self = applied_new (call, klass, "predicate", n_more);
  if (self == NULL)
    return FALSE;
  if (sluice_closure_check_results (&self->closure, call, "predicate", 1, &want))
    return sluice_call_put_dataset (call, &self->parent);
  sluice_resource_unref (&self->parent.parent);
  return FALSE;
}

static gboolean
filter_compute (SluiceKernelCall *call)
{
  return choose (call, &filter_class, 0);
}

static gboolean
parallel_filter_compute (SluiceKernelCall *call)
{
  guint n_ahead;
  return read_parallelism (call, &n_ahead) && choose (call, &filter_class, 1);
}

static gboolean
take_while_compute (SluiceKernelCall *call)
{
  return choose (call, &take_while_class, 0);
}

/* ---- the ops ---- */

static const SluiceRecipe recipe = {
  .why_none = N_ ("calls a function of the graph: tests/kernels/test-dataset-functions does")
};

#define OP(id, op_name, more_inputs, attributes, text)                                             \
  SLUICE_DATASET_OP (id, op_name,                                                                  \
                     "input_dataset: variant, other_arguments: Targuments" more_inputs             \
                     " -> handle: variant",                                                        \
                     "Targuments: list(type) >= 0; " SLUICE_DATASET_TYPES attributes, 0, text)

OP (map_op,
    "MapDataset",
    "",
    "f: func; use_inter_op_parallelism: bool = true; preserve_cardinality: bool = false; "
    "force_synchronous: bool = false; ",
    N_ ("What a function makes of each element"));
OP (parallel_map_op,
    "ParallelMapDataset",
    ", num_parallel_calls: int32",
    "f: func; use_inter_op_parallelism: bool = true; sloppy: bool = false; "
    "preserve_cardinality: bool = false; ",
    N_ ("What a function makes of each element, several at a time"));
OP (parallel_map_v2_op,
    "ParallelMapDatasetV2",
    ", num_parallel_calls: int64",
    "f: func; use_inter_op_parallelism: bool = true; deterministic: string = 'default'; "
    "preserve_cardinality: bool = false; use_unbounded_threadpool: bool = false; ",
    N_ ("What a function makes of each element, several at a time"));
OP (filter_op,
    "FilterDataset",
    "",
    "predicate: func; ",
    N_ ("The elements that a function lets pass"));
OP (parallel_filter_op,
    "ParallelFilterDataset",
    ", num_parallel_calls: int64",
    "predicate: func; deterministic: string = 'default'; ",
    N_ ("The elements that a function lets pass"));
OP (take_while_op,
    "TakeWhileDataset",
    "",
    "predicate: func; ",
    N_ ("The elements before the first that a function does not let pass"));

static const SluiceOpDef *const ops[] = { &map_op,    &parallel_map_op,    &parallel_map_v2_op,
                                          &filter_op, &parallel_filter_op, &take_while_op };

#define MAP(op_name, is_parallel)                                                                  \
  {                                                                                                \
    .op = op_name, .device = "CPU", .prepare = sluice_element_spec_prepare,                        \
    .free_state = sluice_element_spec_free, .compute = map_compute,                                \
    .data = GINT_TO_POINTER (is_parallel)                                                          \
  }

static const SluiceKernel kernels[] = {
  MAP ("MapDataset", FALSE),
  MAP ("ParallelMapDataset", TRUE),
  MAP ("ParallelMapDatasetV2", TRUE),
  { .op = "FilterDataset", .device = "CPU", .compute = filter_compute },
  { .op = "ParallelFilterDataset", .device = "CPU", .compute = parallel_filter_compute },
  { .op = "TakeWhileDataset", .device = "CPU", .compute = take_while_compute },
};

const SluiceKernelModule sluice_module_data_map = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
