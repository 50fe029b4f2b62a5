/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Control identities: TensorFlow's optimizers read each gradient through an Identity that waits for
 * all the others (gate_gradients). Such an Identity computes nothing and costs a node and an edge
 * from every gradient, so it goes: its readers take the value, and wait for what it would have
 * waited for. Only where that makes no more edges than it saves.
 */
#include <glib/gi18n-lib.h>

#include "engine/passes/analysis.h"
#include "engine/passes/pass.h"

typedef struct
{
  SluiceWork *work;
  guint32 *n_readers; /* by index */
  guint8 *stays; /* by index: is asked for, is waited for, or read by what may not take it over */
} Identities;

/* Readers that decide by themselves which of their inputs are alive, lie in two frames or stand on
 * another device cannot take over what the node waits for. */
static void
look_at_readers (Identities *self)
{
  const SluiceUses *uses = sluice_analysis_get_uses (self->work);
  for (guint i = 0; i < uses->n; i++)
    {
      const SluiceWorkNode *node = self->work->nodes->pdata[i];
      self->stays[i] = uses->is_wanted[i];
      for (guint32 k = uses->first[i]; k < uses->first[i + 1]; k++)
        {
          const SluiceWorkNode *user = self->work->nodes->pdata[uses->users[k] & ~SLUICE_USE_WAITS];
          const SluiceRoleTraits *traits = sluice_work_get_traits (user);
          self->stays[i] |= uses->users[k] & SLUICE_USE_WAITS || traits->is_control_flow
                            || traits->is_transfer || user->device != node->device;
          self->n_readers[i]++;
        }
    }
}

static gboolean
goes (const Identities *self, const SluiceWorkNode *node)
{
  if (self->stays[node->index] || !sluice_work_get_traits (node)->is_identity)
    return FALSE;
  const SluiceWorkNode *from = node->inputs[0].node;
  guint n = self->n_readers[node->index];
  return from && from->device == node->device && n * node->n_controls <= n + node->n_controls
         && sluice_work_may_go (self->work, node);
}

/* Whether a reader of control identities reads their inputs instead now. */
static gboolean
bypass (const Identities *self, SluiceWorkNode *node)
{
  gboolean changed = FALSE;
  for (guint k = 0; k < node->n_inputs; k++)
    {
      SluiceWorkNode *identity = node->inputs[k].node;
      if (!identity || !goes (self, identity))
        continue;
      node->inputs[k] = identity->inputs[0];
      for (guint c = 0; c < identity->n_controls; c++)
        sluice_work_add_control (self->work, node, identity->controls[c]);
      changed = TRUE;
    }
  return changed;
}

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  const GPtrArray *order = sluice_analysis_get_order (work, NULL);
  if (!order)
    return TRUE; /* the schedule pass names the cycle */
  g_autofree guint32 *n_readers = g_new0 (guint32, work->nodes->len + 1);
  g_autofree guint8 *stays = g_new0 (guint8, work->nodes->len + 1);
  Identities self = { work, n_readers, stays };
  gboolean changed = FALSE;
  look_at_readers (&self);
  /* In order: what such an Identity reads has been seen to. */
  for (guint i = 0; i < order->len; i++)
    changed |= bypass (&self, order->pdata[i]);
  if (changed)
    sluice_work_sweep (work);
  return TRUE;
}

const SluicePass sluice_pass_control_identities = {
  .name = "control-identities",
  .summary = N_ ("An Identity that only makes its readers wait goes, and they wait themselves"),
  .enabled = SLUICE_PASS_OPTIMIZE | SLUICE_PASS_LEAVE_OUT | SLUICE_PASS_FUSE,
  .requires = SLUICE_FACT_PRUNED,
  .excludes = SLUICE_FACT_PARTITIONED,
  .run = run,
};
