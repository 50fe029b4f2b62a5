/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A staging area: a short queue that steps hand tensors through, found by its name alone, so that
 * one step can prepare what the next one uses.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/queue/stage.h"

/* ---- the area ---- */

typedef struct
{
  SluiceStage parent;
  GQueue elements; /* of SluiceElements, under the monitor's lock */
} Area;

static void
clear (Area *self)
{
  SluiceElements *elements;
  while ((elements = g_queue_pop_head (&self->elements)) != NULL)
    sluice_elements_unref (elements);
  self->parent.bytes = 0;
}

static void
area_finalize (SluiceResource *resource)
{
  clear ((Area *) resource);
  sluice_monitor_clear ((SluiceMonitor *) resource);
  g_free (resource);
}

static const SluiceResourceType area_type = { "staging area", area_finalize };

static SluiceResource *
make_area (gpointer data, GError **error)
{
  Area *self = g_new0 (Area, 1);
  sluice_stage_init (&self->parent, &area_type, data);
  g_queue_init (&self->elements);
  return (SluiceResource *) self;
}

/* (transfer full) (nullable): call->error is set */
static Area *
dup_area (SluiceKernelCall *call)
{
  return (Area *) sluice_call_resource (call, &area_type, make_area, call);
}

/* ---- waiting for it ---- */

static gboolean
try_stage (SluiceMonitor *monitor, SluiceKernelCall *call, gint64 number)
{
  Area *self = (Area *) monitor;
  gsize bytes = sluice_stage_input_bytes (call, 0);
  if (!sluice_stage_check_limit (&self->parent, call, bytes))
    return TRUE;
  if (!sluice_stage_fits (&self->parent, self->elements.length, bytes))
    return FALSE;
  SluiceElements *elements = sluice_elements_new (call->n_inputs);
  for (guint i = 0; i < call->n_inputs; i++)
    elements->tensors[i] = sluice_tensor_ref (sluice_call_input (call, i));
  self->parent.bytes += bytes;
  g_queue_push_tail (&self->elements, elements);
  return TRUE;
}

static gboolean
put_out (SluiceKernelCall *call, SluiceElements *elements)
{
  if (elements->n != call->n_outputs)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the staging area has elements of %u components, and dtypes has %u",
                             elements->n, call->n_outputs);
  for (guint i = 0; i < elements->n; i++)
    if (!sluice_stage_check_type (call, i, elements->tensors[i]))
      return FALSE;
  for (guint i = 0; i < elements->n; i++)
    sluice_call_take_output (call, i, sluice_tensor_ref (elements->tensors[i]));
  return TRUE;
}

static gboolean
try_unstage (SluiceMonitor *monitor, SluiceKernelCall *call, gint64 number)
{
  Area *self = (Area *) monitor;
  SluiceElements *elements = g_queue_peek_head (&self->elements);
  if (elements == NULL)
    return FALSE;
  if (!put_out (call, elements))
    return TRUE;
  self->parent.bytes -= sluice_stage_bytes (elements);
  g_queue_pop_head (&self->elements);
  sluice_elements_unref (elements);
  return TRUE;
}

static gboolean
try_peek (SluiceMonitor *monitor, SluiceKernelCall *call, gint64 number)
{
  Area *self = (Area *) monitor;
  if (number >= self->elements.length)
    return FALSE;
  put_out (call, g_queue_peek_nth (&self->elements, (guint) number));
  return TRUE;
}

/* ---- kernels ---- */

static void
begin (SluiceKernelCall *call, SluiceAttempt attempt, gint64 number)
{
  Area *self = dup_area (call);
  if (self == NULL)
    {
      call->done (call);
      return;
    }
  sluice_monitor_wait (&self->parent.parent, call, attempt, number);
  sluice_resource_unref (&self->parent.parent.parent);
}

static void
stage_start (SluiceKernelCall *call)
{
  begin (call, try_stage, 0);
}

static void
unstage_start (SluiceKernelCall *call)
{
  begin (call, try_unstage, 0);
}

static void
peek_start (SluiceKernelCall *call)
{
  gboolean ok = sluice_call_want_scalar (call, 0);
  gint64 i = ok ? sluice_tensor_get_int (sluice_call_input (call, 0), 0) : 0;
  if (ok && i < 0)
    ok = sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "input 0 (index) is %" G_GINT64_FORMAT "; it must not be negative", i);
  if (ok)
    begin (call, try_peek, i);
  else
    call->done (call);
}

static gboolean
size_compute (SluiceKernelCall *call)
{
  Area *self = dup_area (call);
  SluiceTensor *out = self != NULL ? sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR) : NULL;
  if (self == NULL)
    return FALSE;
  sluice_monitor_enter (&self->parent.parent);
  if (out != NULL)
    *(gint32 *) out->data = (gint32) self->elements.length;
  sluice_monitor_leave (&self->parent.parent);
  sluice_resource_unref (&self->parent.parent.parent);
  return out != NULL;
}

static gboolean
clear_compute (SluiceKernelCall *call)
{
  Area *self = dup_area (call);
  if (self == NULL)
    return FALSE;
  sluice_monitor_enter (&self->parent.parent);
  clear (self);
  sluice_monitor_leave (&self->parent.parent);
  sluice_resource_unref (&self->parent.parent.parent);
  return TRUE;
}

/* ---- the ops ---- */

static const SluiceOpDef stage_op;

static gboolean
is_same_text (const SluiceNode *a, const SluiceNode *b, const char *attr)
{
  const SluiceString *x = sluice_node_get_string (a, attr), *y = sluice_node_get_string (b, attr);
  return x->length == y->length && (x->length == 0 || memcmp (x->data, y->data, x->length) == 0);
}

/* What both have in common. */
static SluiceShape
relax (const SluiceShape *a, const SluiceShape *b)
{
  if (a->rank != b->rank)
    return SLUICE_SHAPE_UNKNOWN;
  SluiceShape shape = *a;
  for (int d = 0; d < a->rank; d++)
    if (a->dim[d] != b->dim[d])
      shape.dim[d] = SLUICE_UNKNOWN_DIM;
  return shape;
}

/* What the nodes of the graph put in that know the area by the same name. A node may come later
 * and put in something else: sluice_stage_check_type() looks at what is there. */
static void
set_staged_shapes (SluiceShapeContext *c)
{
  const SluiceGraph *graph = c->node->graph;
  guint n_found = 0;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (node->op == NULL || node->op->def != &stage_op || node->error != NULL
          || node->n_inputs != c->n_outputs || !is_same_text (node, c->node, "container")
          || !is_same_text (node, c->node, "shared_name"))
        continue;
      for (guint k = 0; k < c->n_outputs; k++)
        {
          const SluiceShape *shape = sluice_edge_shape (node->inputs[k]);
          c->outputs[k].shape = n_found == 0 ? *shape : relax (&c->outputs[k].shape, shape);
        }
      n_found++;
    }
}

static gboolean
unstage_shape (SluiceShapeContext *c, GError **error)
{
  if (sluice_node_get_string (c->node, "shared_name")->length > 0)
    set_staged_shapes (c);
  return TRUE;
}

static gboolean
peek_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 0, 0, error) && unstage_shape (c, error);
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("works on a staging area: tests/kernels/test-monitor makes one")
};

#define SOME "dtypes: list(type) >= 1"
#define ANY  "dtypes: list(type)"

SLUICE_STAGE_OP (stage_op,
                 "Stage",
                 "values: dtypes ->",
                 SOME,
                 sluice_shape_none,
                 N_ ("Puts tensors into a staging area; waits while it is full"));
SLUICE_STAGE_OP_AFAR (
    unstage_op,
    "Unstage",
    "-> values: dtypes",
    SOME,
    unstage_shape,
    N_ ("Takes the oldest tensors out of a staging area; waits while it is empty"));
SLUICE_STAGE_OP_AFAR (peek_op,
                      "StagePeek",
                      "index: int32 -> values: dtypes",
                      SOME,
                      peek_shape,
                      N_ ("Looks at tensors in a staging area; waits until there are as many"));
SLUICE_STAGE_OP (size_op,
                 "StageSize",
                 "-> size: int32",
                 ANY,
                 sluice_shape_scalar,
                 N_ ("How many elements a staging area holds"));
SLUICE_STAGE_OP (
    clear_op, "StageClear", "->", ANY, sluice_shape_none, N_ ("Empties a staging area"));

static const SluiceOpDef *const ops[] = { &stage_op, &unstage_op, &peek_op, &size_op, &clear_op };

static const SluiceKernel kernels[] = {
  SLUICE_STAGE_KERNEL ("Stage", SLUICE_STAGE_WAITS (stage_start)),
  SLUICE_STAGE_KERNEL ("Unstage", SLUICE_STAGE_WAITS (unstage_start)),
  SLUICE_STAGE_KERNEL ("StagePeek", SLUICE_STAGE_WAITS (peek_start)),
  SLUICE_STAGE_KERNEL ("StageSize", .compute = size_compute),
  SLUICE_STAGE_KERNEL ("StageClear", .compute = clear_compute),
};

const SluiceKernelModule sluice_module_queue_staging = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
