/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Constant folding, with the kernels that would run anyway, so that it never changes a bit. A
 * folded node keeps its control inputs and takes over those of the constants it was made of: they
 * say in which branch it lives.
 */
#include "engine/passes/fold.h"

#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "engine/passes/analysis.h"
#include "engine/passes/pass.h"

#define MAX_BYTES  (10 * 1024 * 1024)
#define MAX_GROWTH (64 * 1024) /* a plan must not hold what a Fill makes out of nothing */

/* Folding belongs to no session: its results are held by plans of any. */
static SluiceDevice *
fold_device (void)
{
  static gsize device;
  if (g_once_init_enter (&device))
    {
      SluiceDevice *own = sluice_device_new_cpu (NULL, 0, 0, NULL);
      if (own == NULL)
        g_error ("no memory for the device that folds"); /* once, as the program begins */
      g_once_init_leave (&device, (gsize) own);
    }
  return (SluiceDevice *) device;
}

/* Bytes that the outputs may have, all together. */
static gsize
output_limit (const SluiceNode *node, SluiceTensor *const *inputs)
{
  gsize bytes = 0;
  for (guint i = 0; i < node->n_inputs; i++)
    bytes += sluice_tensor_bytes (inputs[i]);
  return MIN (MAX (bytes, MAX_GROWTH), MAX_BYTES);
}

/* As far as the static shapes tell, before any work is done. */
static gboolean
outputs_fit (const SluiceNode *node, gsize limit)
{
  for (guint i = 0; i < node->n_outputs; i++)
    {
      const SluiceOutput *output = &node->outputs[i];
      gint64 n = sluice_shape_n_elements (&output->shape);
      if (n > 0 && (guint64) n > limit / sluice_dtype_size (output->dtype))
        return FALSE;
    }
  return TRUE;
}

static void
clear_outputs (SluiceTensor **outputs, guint n)
{
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&outputs[i], sluice_tensor_unref);
}

/* Runs one kernel. FALSE: it failed, or left an output unset. */
static gboolean
evaluate (const SluiceNode *node,
          const SluiceKernel *kernel,
          SluiceTensor *const *inputs,
          SluiceTensor **outputs)
{
  static const _Atomic int never;
  g_autoptr (GError) error = NULL;
  gpointer state = kernel->prepare ? kernel->prepare (node, &error) : NULL;
  if (error)
    return FALSE;
  g_autofree SluiceValue *in = g_new0 (SluiceValue, node->n_inputs + 1);
  g_autofree SluiceValue *out = g_new0 (SluiceValue, node->n_outputs + 1);
  for (guint i = 0; i < node->n_inputs; i++)
    in[i].tensor = sluice_tensor_ref (inputs[i]); /* so that no kernel writes into it */
  g_autoptr (SluiceResources) resources = sluice_resources_new ();
  SluiceKernelCall call = { .node = node,
                            .kernel = kernel,
                            .state = state,
                            .inputs = in,
                            .outputs = out,
                            .n_inputs = (guint16) node->n_inputs,
                            .n_outputs = (guint16) node->n_outputs,
                            .device = fold_device (),
                            .resources = resources,
                            .cancelled = &never };
  guint mode = sluice_denormals_flush_begin ();
  gboolean ok = kernel->compute (&call);
  sluice_denormals_flush_end (mode);
  g_clear_error (&call.error);
  for (guint i = 0; i < node->n_inputs; i++)
    sluice_tensor_unref (in[i].tensor);
  for (guint i = 0; i < node->n_outputs; i++)
    {
      outputs[i] = out[i].tensor;
      ok = ok && outputs[i];
    }
  if (state && kernel->free_state)
    kernel->free_state (state);
  if (!ok)
    clear_outputs (outputs, node->n_outputs);
  return ok;
}

static gboolean
fold_node (const SluiceNode *node,
           SluiceTensor *const *inputs,
           SluiceTensor **outputs,
           int max_rank)
{
  gsize limit = output_limit (node, inputs);
  if (!sluice_node_only_computes (node) || !outputs_fit (node, limit))
    return FALSE;
  const SluiceKernel *kernel = sluice_kernel_find (node, "CPU", max_rank, NULL);
  if (!kernel || !kernel->compute
      || (kernel->flags & (SLUICE_KERNEL_ASYNC | SLUICE_KERNEL_MAY_LEAVE_DEAD)))
    return FALSE;
  if (!evaluate (node, kernel, inputs, outputs))
    return FALSE;
  gsize bytes = 0;
  for (guint i = 0; i < node->n_outputs; i++)
    bytes += sluice_tensor_bytes (outputs[i]);
  if (bytes <= limit)
    return TRUE;
  clear_outputs (outputs, node->n_outputs);
  return FALSE;
}

static gboolean
fold_for_shapes (const SluiceNode *node,
                 SluiceTensor *const *inputs,
                 SluiceTensor **outputs,
                 gpointer user_data)
{
  return fold_node (node, inputs, outputs, G_MAXINT);
}

void
sluice_passes_init (void)
{
  static gsize done;
  if (g_once_init_enter (&done))
    {
      sluice_graph_set_constant_folder (fold_for_shapes, NULL);
      g_once_init_leave (&done, 1);
    }
}

static void
make_const (SluiceWork *work, SluiceWorkNode *node, SluiceTensor **values)
{
  gsize bytes = node->origin->n_outputs * sizeof (SluiceTensor *);
  for (guint i = 0; i < node->n_inputs; i++)
    for (guint k = 0; k < node->inputs[i].node->n_controls; k++)
      sluice_work_add_control (work, node, node->inputs[i].node->controls[k]);
  node->kind = SLUICE_WORK_CONST;
  node->values = sluice_work_alloc (work, bytes);
  memcpy (node->values, values, bytes);
  node->n_inputs = 0;
  sluice_work_touch (work);
}

static void
fold_work_node (SluiceWork *work, SluiceWorkNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (!node->inputs[i].node || node->inputs[i].node->kind != SLUICE_WORK_CONST)
      return;
  if (node->n_inputs == 0)
    return;
  g_autofree SluiceTensor **inputs = g_new (SluiceTensor *, node->n_inputs);
  g_autofree SluiceTensor **outputs = g_new0 (SluiceTensor *, node->origin->n_outputs + 1);
  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = node->inputs[i].node->values[node->inputs[i].port];
  if (fold_node (node->origin, inputs, outputs, work->max_rank))
    make_const (work, node, outputs);
}

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  const GPtrArray *order = sluice_analysis_get_order (work, NULL);
  if (!order)
    return TRUE; /* the schedule pass names the cycle */
  for (guint i = 0; i < order->len; i++)
    {
      SluiceWorkNode *node = order->pdata[i];
      if (node->kind == SLUICE_WORK_OP && !node->is_kept)
        fold_work_node (work, node);
    }
  sluice_work_sweep (work);
  return TRUE;
}

/* Values of at most 10 MiB and, beyond 64 KiB, no larger than the inputs. A kernel that fails
 * leaves its node as it is. */
const SluicePass sluice_pass_fold = {
  .name = "fold",
  .summary = N_ ("Nodes with known inputs become their values"),
  .enabled = SLUICE_PASS_OPTIMIZE,
  .requires = SLUICE_FACT_PRUNED,
  .excludes = SLUICE_FACT_PARTITIONED,
  .run = run,
};
