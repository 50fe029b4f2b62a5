/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A dataset of what a function makes of each element of another and of a state, which it hands on
 * from element to element. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/data/closure.h"
#include "kernels/data/spec.h"

typedef struct
{
  SluiceDataset parent;
  SluiceClosure closure; /* of state, element; gives state, element */
  gboolean keeps_cardinality;
  guint n_state;
  SluiceTensor **initial;
} Scan;

typedef struct
{
  SluiceCursor parent;
  SluiceCursor *input;
  SluiceInvocation *current;
  SluiceTensor **state;
} Scanning;

static void
scan_clear (SluiceDataset *dataset)
{
  Scan *self = (Scan *) dataset;
  sluice_closure_clear (&self->closure);
  sluice_element_drop (self->initial, self->n_state);
  g_free (self->initial);
}

static void
scanning_end (SluiceCursor *cursor)
{
  Scanning *self = (Scanning *) cursor;
  g_clear_pointer (&self->current, sluice_invocation_drop);
  g_clear_pointer (&self->input, sluice_cursor_free);
  if (self->state != NULL)
    sluice_element_drop (self->state, ((const Scan *) cursor->dataset)->n_state);
  g_free (self->state);
}

static void
scanning_begin (Scanning *self)
{
  const Scan *scan = (const Scan *) self->parent.dataset;
  if (self->input != NULL)
    return;
  self->input = sluice_cursor_new (scan->parent.inputs[0], self->parent.pass);
  self->state = g_new0 (SluiceTensor *, scan->n_state);
  for (guint i = 0; i < scan->n_state; i++)
    self->state[i] = sluice_tensor_ref (scan->initial[i]);
}

/* A function may say that its element is the last one. */
static SluiceNext
judge (const Scan *scan, SluiceNext result, GError **error)
{
  if (result != SLUICE_NEXT_FAILED
      || !g_error_matches (*error, SLUICE_ERROR, SLUICE_ERROR_OUT_OF_RANGE))
    return result;
  if (!scan->keeps_cardinality)
    {
      g_clear_error (error);
      return SLUICE_NEXT_END;
    }
  (*error)->code = SLUICE_ERROR_INVALID_ARGUMENT;
  g_prefix_error (error, "the dataset must have as many elements as its input: ");
  return result;
}

/* A state and an element. An error, where the state is another, is TensorFlow's of each element. */
static SluiceNext
take_results (Scanning *self, SluiceTensor **results, SluiceTensor **out, GError **error)
{
  const Scan *scan = (const Scan *) self->parent.dataset;
  for (guint i = 0; i < scan->n_state; i++)
    if (results[i]->dtype != scan->initial[i]->dtype)
      {
        sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                     "'%s': the function gives component %u of the state as %s; it began as %s",
                     scan->parent.name, i, sluice_dtype_name ((SluiceDType) results[i]->dtype),
                     sluice_dtype_name ((SluiceDType) scan->initial[i]->dtype));
        sluice_element_drop (results, scan->n_state + scan->parent.n);
        return SLUICE_NEXT_FAILED;
      }
  sluice_element_drop (self->state, scan->n_state);
  memcpy (self->state, results, scan->n_state * sizeof *results);
  memcpy (out, results + scan->n_state, scan->parent.n * sizeof *out);
  return SLUICE_NEXT_ONE;
}

static SluiceNext
scan_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  Scanning *self = (Scanning *) cursor;
  const Scan *scan = (const Scan *) cursor->dataset;
  scanning_begin (self);
  if (self->current == NULL)
    self->current = sluice_invocation_new (&scan->closure, cursor->pass);
  if (!sluice_invocation_is_started (self->current))
    {
      SluiceTensor **inputs = sluice_invocation_get_inputs (self->current);
      SluiceNext result = sluice_cursor_next (self->input, call, inputs + scan->n_state, error);
      if (result != SLUICE_NEXT_ONE)
        return result;
      for (guint i = 0; i < scan->n_state; i++)
        inputs[i] = sluice_tensor_ref (self->state[i]);
      sluice_invocation_start (self->current, call, FALSE);
    }
  g_autofree SluiceTensor **results = g_new0 (SluiceTensor *, scan->n_state + scan->parent.n);
  SluiceNext result = sluice_invocation_take (self->current, call, results, error);
  if (result == SLUICE_NEXT_LATER)
    return result;
  g_clear_pointer (&self->current, sluice_invocation_unref);
  if (result != SLUICE_NEXT_ONE)
    return judge (scan, result, error);
  return take_results (self, results, out, error);
}

static const SluiceDatasetClass scan_class = { .size = sizeof (Scan),
                                               .cursor_size = sizeof (Scanning),
                                               .next = scan_next,
                                               .end = scanning_end,
                                               .clear = scan_clear };

/* ---- kernel ---- */

/* The node says it by its attribute Tstate. */
static guint
count_state (const SluiceNode *node)
{
  return sluice_node_get_attr (node, "Tstate")->list.n;
}

/* What the function must give: a state, which take_results() looks at, then what output_types says.
 */
static gboolean
check_results (SluiceKernelCall *call, const SluiceClosure *closure, guint n_state)
{
  const SluiceElementSpec *spec = call->state;
  g_autofree SluiceDType *types = g_new (SluiceDType, n_state + spec->n);
  for (guint i = 0; i < n_state; i++)
    types[i] =
        i < closure->function->n_outputs ? closure->function->output_types[i] : SLUICE_INVALID;
  memcpy (types + n_state, spec->types, spec->n * sizeof *types);
  return sluice_closure_check_results (closure, call, "f", n_state + spec->n, types);
}

static gboolean
scan_compute (SluiceKernelCall *call)
{
  const SluiceElementSpec *spec = call->state;
  const SluiceDataset *input = sluice_call_get_dataset (call, 0);
  guint n_state = count_state (call->node);
  SluiceClosure closure;
  if (input == NULL
      || !sluice_closure_init (&closure, call, "f", n_state + input->n, 1 + n_state,
                               call->n_inputs - 1 - n_state))
    return FALSE;
  if (!check_results (call, &closure, n_state))
    {
      sluice_closure_clear (&closure);
      return FALSE;
    }
  Scan *self = (Scan *) sluice_dataset_new_over (&scan_class, call, 0, 1);
  self->closure = closure;
  self->n_state = n_state;
  self->keeps_cardinality = sluice_node_get_bool (call->node, "preserve_cardinality");
  self->parent.is_pure = self->parent.is_pure && closure.function->is_pure;
  self->initial = g_new0 (SluiceTensor *, n_state);
  sluice_dataset_set_types (&self->parent, spec->n, spec->types);
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < n_state; i++)
    {
      /* A copy: the value of a variable changes in place. */
      self->initial[i] =
          sluice_tensor_dup (sluice_call_input (call, 1 + i), call->device->allocator, call->owner);
      ok = self->initial[i] != NULL;
    }
  if (ok)
    return sluice_call_put_dataset (call, &self->parent);
  sluice_resource_unref (&self->parent.parent);
  return sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED, "no memory for the state");
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("calls a function of the graph: tests/conformance/ops/io has some")
};

SLUICE_DATASET_OP (
    scan_op,
    "ScanDataset",
    "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments -> "
    "handle: variant",
    "f: func; Tstate: list(type) >= 1; Targuments: list(type) >= 0; " SLUICE_DATASET_TYPES
    "preserve_cardinality: bool = false; use_default_device: bool = true; ",
    0,
    N_ ("What a function makes of each element and of a state that it hands on"));

static const SluiceOpDef *const ops[] = { &scan_op };

static const SluiceKernel kernels[] = {
  { .op = "ScanDataset",
    .device = "CPU",
    .prepare = sluice_element_spec_prepare,
    .free_state = sluice_element_spec_free,
    .compute = scan_compute },
};

const SluiceKernelModule sluice_module_data_scan = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
