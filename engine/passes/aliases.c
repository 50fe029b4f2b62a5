/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/aliases.h"

#include <string.h>

static gboolean
makes_memory (const SluiceWorkNode *node, const SluiceKernel *kernel)
{
  return kernel
         && (kernel->give || kernel->strip || node->origin->op->def->flags & SLUICE_OP_CHEAP);
}

guint8 *
sluice_find_aliases (const SluiceWork *work,
                     const GPtrArray *order,
                     const SluiceKernel *const *kernels)
{
  guint8 *may_alias = g_malloc0 (work->nodes->len + 1);
  memset (may_alias, !order, work->nodes->len);
  for (guint i = 0; order && i < order->len; i++)
    {
      const SluiceWorkNode *node = order->pdata[i];
      if (!sluice_work_has (work, node))
        continue;
      gboolean aliases = !sluice_work_takes_values (work, node);
      for (guint k = 0; k < node->n_inputs && !makes_memory (node, kernels[node->index]); k++)
        {
          const SluiceWorkNode *from = node->inputs[k].node;
          aliases |= from && (sluice_work_is_back_edge (from) || may_alias[from->index]);
        }
      may_alias[node->index] = aliases;
    }
  return may_alias;
}
