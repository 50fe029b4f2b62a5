/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <glib/gi18n-lib.h>

#include "engine/passes/pass.h"

typedef struct
{
  SluiceWork *work;
  SluiceWorkNode **hoisted; /* by index of a constant: the same without control inputs */
  SluiceWorkNode **keepers; /* by frame: an Enter that stays, so that the frame has one */
  gboolean changed;
} Hoist;

static gboolean
is_there (const SluiceWorkNode *node)
{
  return node && node->kind == SLUICE_WORK_CONST && node->n_controls == 0;
}

static gboolean
passes_constant (const SluiceWorkNode *node)
{
  return sluice_work_role (node) == SLUICE_ROLE_ENTER && node->n_controls == 0 && !node->is_kept
         && sluice_node_get_bool (node->origin, "is_constant") && is_there (node->inputs[0].node);
}

static SluiceWorkNode *
without_controls (Hoist *l, SluiceWorkNode *node)
{
  SluiceWorkNode **hoisted = &l->hoisted[node->index];
  if (*hoisted)
    return *hoisted;
  *hoisted = sluice_work_add (l->work, SLUICE_WORK_CONST, node->origin, node->device);
  guint n = node->origin->n_outputs;
  (*hoisted)->values = sluice_work_alloc (l->work, n * sizeof (SluiceTensor *));
  for (guint i = 0; i < n; i++)
    (*hoisted)->values[i] = sluice_tensor_ref (node->values[i]);
  return *hoisted;
}

static gboolean
reads (const SluiceWorkNode *node, const SluiceWorkNode *source)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node == source)
      return TRUE;
  return FALSE;
}

static void
hoist_input (Hoist *l, SluiceWorkNode *node, guint input)
{
  SluiceWorkNode *source = node->inputs[input].node;
  if (!source)
    return;
  if (passes_constant (source) && l->keepers[source->output_frame] != source)
    {
      node->inputs[input] = source->inputs[0];
      l->changed = TRUE;
    }
  if (source->kind != SLUICE_WORK_CONST || source->n_controls == 0)
    return;
  node->inputs[input].node = without_controls (l, source);
  l->changed = TRUE;
  /* Where a node is read, there is nothing left to wait for. */
  for (guint i = 0; i < source->n_controls; i++)
    if (!reads (node, source->controls[i]))
      sluice_work_add_control (l->work, node, source->controls[i]);
}

static void
find_keepers (Hoist *l)
{
  for (guint i = 0; i < l->work->nodes->len; i++)
    {
      SluiceWorkNode *node = l->work->nodes->pdata[i];
      if (sluice_work_role (node) != SLUICE_ROLE_ENTER)
        continue;
      SluiceWorkNode **keeper = &l->keepers[node->output_frame];
      if (!*keeper || (passes_constant (*keeper) && !passes_constant (node)))
        *keeper = node;
    }
}

static void
count_enters (SluiceWork *work)
{
  for (guint i = 0; i < work->frames->len; i++)
    g_array_index (work->frames, SluiceWorkFrame, i).n_enters = 0;
  for (guint i = 0; i < work->nodes->len; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      if (sluice_work_role (node) == SLUICE_ROLE_ENTER)
        g_array_index (work->frames, SluiceWorkFrame, node->output_frame).n_enters++;
    }
}

/* Does the node run after `before`, and is it dead where that is? Its inputs tell. */
static gboolean
follows (const SluiceWorkNode *node, const SluiceWorkNode *before)
{
  const SluiceRoleTraits *traits = sluice_work_get_traits (node);
  if (traits->outlives_inputs || traits->crosses_frames)
    return FALSE;
  for (guint i = 0; i < node->n_controls; i++)
    if (node->controls[i] == before)
      return TRUE;
  return reads (node, before);
}

/* Control inputs that an input implies. */
static void
drop_implied_controls (SluiceWorkNode *node)
{
  guint n = 0;
  for (guint i = 0; i < node->n_controls; i++)
    {
      gboolean implied = reads (node, node->controls[i]);
      for (guint k = 0; k < node->n_inputs && !implied; k++)
        implied = node->inputs[k].node && follows (node->inputs[k].node, node->controls[i]);
      if (!implied)
        node->controls[n++] = node->controls[i];
    }
  node->n_controls = n;
}

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  guint n = work->nodes->len;
  g_autofree SluiceWorkNode **hoisted = g_new0 (SluiceWorkNode *, n + 1);
  g_autofree SluiceWorkNode **keepers = g_new0 (SluiceWorkNode *, work->frames->len);
  Hoist l = { work, hoisted, keepers, FALSE };
  find_keepers (&l);
  for (guint i = 0; i < n; i++)
    {
      SluiceWorkNode *node = work->nodes->pdata[i];
      /* A Merge asks which of its inputs is alive: there the constant must come as a node. */
      if (sluice_work_role (node) == SLUICE_ROLE_MERGE)
        continue;
      for (guint k = 0; k < node->n_inputs; k++)
        hoist_input (&l, node, k);
    }
  /* Readers first: what implies their control inputs must have its own still. */
  for (guint i = work->schedule->len; i-- > 0;)
    if (sluice_work_role (work->schedule->pdata[i]) != SLUICE_ROLE_MERGE)
      drop_implied_controls (work->schedule->pdata[i]);
  sluice_work_touch (work);
  if (l.changed)
    {
      sluice_work_sweep (work);
      count_enters (work);
    }
  return TRUE;
}

/* Saves a node a constant and iteration, and changes no value: a reader is dead where the constant
 * would have been. */
const SluicePass sluice_pass_hoist = {
  .name = "hoist",
  .summary = N_ ("A constant that waits is there from the start, and its readers wait themselves"),
  .enabled = SLUICE_PASS_OPTIMIZE,
  .requires = SLUICE_FACT_SCHEDULED | SLUICE_FACT_FRAMED,
  .run = run,
};
