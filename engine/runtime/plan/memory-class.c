/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/plan/memory-class.h"

#include <string.h>

#include "engine/graph/role.h"

static gboolean
is_optimizer_state (const SluiceNode *node)
{
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (node->graph, (SluiceNode *) node, &n);
  for (guint i = 0; i < n; i++)
    if (uses[i].input > 0 && uses[i].node->op && uses[i].node->op->def->flags & SLUICE_OP_OPTIMIZER)
      return TRUE;
  return FALSE;
}

/* "gradients", "gradients_12", "gradient_tape": a component of a name, up to the next slash. */
static gboolean
is_gradient_scope (const char *name, gsize length)
{
  static const char scope[] = "gradients", tape[] = "gradient_tape";
  if (length == strlen (tape) && strncmp (name, tape, length) == 0)
    return TRUE;
  gsize n = strlen (scope);
  if (length < n || strncmp (name, scope, n) != 0)
    return FALSE;
  if (length == n)
    return TRUE;
  for (gsize i = n + 1; i < length; i++)
    if (!g_ascii_isdigit (name[i]))
      return FALSE;
  return name[n] == '_' && length > n + 1;
}

static gboolean
is_below_gradients (const char *name)
{
  for (const char *end; (end = strchr (name, '/')) != NULL; name = end + 1)
    if (is_gradient_scope (name, (gsize) (end - name)))
      return TRUE;
  return FALSE;
}

SluiceMemoryClass
sluice_memory_class_of_node (const SluiceNode *node)
{
  if (sluice_node_get_traits (node)->is_state)
    return is_optimizer_state (node) ? SLUICE_MEMORY_OPTIMIZER : SLUICE_MEMORY_PARAMETER;
  return is_below_gradients (node->name) ? SLUICE_MEMORY_GRADIENT : SLUICE_MEMORY_ACTIVATION;
}
