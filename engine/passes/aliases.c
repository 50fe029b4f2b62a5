/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/aliases.h"

#include <string.h>

static gboolean
makes_memory (const SluiceWork *work, SluiceWorkNode *node)
{
  const SluiceKernel *kernel = sluice_work_find_kernel (work, node);
  if (sluice_work_get_region (node) != NULL)
    return TRUE;
  return kernel
         && (kernel->produce || kernel->strip || node->origin->op->def->flags & SLUICE_OP_CHEAP);
}

guint8 *
sluice_find_aliases (const SluiceWork *work, const GPtrArray *order)
{
  guint8 *may_alias = g_malloc0 (work->nodes->len + 1);
  memset (may_alias, !order, work->nodes->len);
  for (guint i = 0; order && i < order->len; i++)
    {
      SluiceWorkNode *node = order->pdata[i];
      if (!sluice_work_has (work, node))
        continue;
      gboolean hands_on = FALSE;
      for (guint k = 0; k < node->n_inputs; k++)
        {
          const SluiceWorkNode *from = node->inputs[k].node;
          hands_on |= from && (sluice_work_is_back_edge (from) || may_alias[from->index]);
        }
      may_alias[node->index] =
          !sluice_work_takes_values (work, node) || (hands_on && !makes_memory (work, node));
    }
  return may_alias;
}
