/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Gradients are gated: what reads one reads an Identity of it that waits for all the others. A
 * Identity like that goes: its readers take the value, and wait for what it would have waited for.
 * Only where that makes no more edges than it saves.
 */
#include "engine/passes/passes.h"

typedef struct
{
  SluiceWork *work;
  guint32 *n_readers; /* by index */
  guint8 *stays; /* by index: is asked for, is waited for, or read by what may not take it over */
} Gates;

/* What decides by itself which of its inputs are alive, or lies in two frames. */
static gboolean
is_control_flow (const SluiceWorkNode *node)
{
  SluiceRole role = sluice_work_role (node);
  return role >= SLUICE_ROLE_SWITCH && role <= SLUICE_ROLE_RECV;
}

static void
look_at_readers (Gates *gates)
{
  const SluiceWork *work = gates->work;
  for (guint i = 0; i < work->n_fetches; i++)
    if (work->fetches[i].node)
      gates->stays[work->fetches[i].node->index] = 1;
  for (guint i = 0; i < work->n_targets; i++)
    gates->stays[work->targets[i]->index] = 1;
  for (guint i = 0; i < work->nodes->len; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      for (guint k = 0; k < node->n_inputs; k++)
        if (node->inputs[k].node)
          {
            const SluiceWorkNode *from = node->inputs[k].node;
            gates->n_readers[from->index]++;
            gates->stays[from->index] |= is_control_flow (node) || node->device != from->device;
          }
      for (guint k = 0; k < node->n_controls; k++)
        gates->stays[node->controls[k]->index] = 1;
    }
}

static gboolean
goes (const Gates *gates, const SluiceWorkNode *node)
{
  if (node->kind != SLUICE_WORK_OP || gates->stays[node->index])
    return FALSE;
  SluiceRole role = sluice_work_role (node);
  const SluiceWorkNode *from = node->inputs[0].node;
  guint n = gates->n_readers[node->index];
  return (role == SLUICE_ROLE_IDENTITY || role == SLUICE_ROLE_STOP_GRADIENT) && from
         && from->device == node->device && n * node->n_controls <= n + node->n_controls
         && sluice_work_may_go (gates->work, node);
}

void
sluice_drop_gates (SluiceWork *work)
{
  SluiceWorkNode *stuck;
  g_autoptr (GPtrArray) order = sluice_work_sort (work, &stuck);
  if (!order)
    return; /* the plan compiler names the cycle */
  g_autofree guint32 *n_readers = g_new0 (guint32, work->nodes->len + 1);
  g_autofree guint8 *stays = g_new0 (guint8, work->nodes->len + 1);
  Gates gates = { work, n_readers, stays };
  gboolean changed = FALSE;
  look_at_readers (&gates);
  /* In order: what a gate reads has been seen to. */
  for (guint i = 0; i < order->len; i++)
    {
      SluiceWorkNode *node = order->pdata[i];
      for (guint k = 0; k < node->n_inputs; k++)
        {
          SluiceWorkNode *gate = node->inputs[k].node;
          if (!gate || !goes (&gates, gate))
            continue;
          node->inputs[k] = gate->inputs[0];
          for (guint c = 0; c < gate->n_controls; c++)
            sluice_work_add_control (work, node, gate->controls[c]);
          changed = TRUE;
        }
    }
  if (changed)
    sluice_work_sweep (work);
}
