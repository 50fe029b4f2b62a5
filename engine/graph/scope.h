/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <string.h>

#include "engine/graph/graph.h"

/* Scopes are in names alone: "fc1/w" is in the scope "fc1". */

/* "fc1/w" of "fc1": not "fc1" itself, nor "fc10". */
static inline gboolean
sluice_name_is_below (const char *name, const char *scope)
{
  gsize length = strlen (scope);
  return strncmp (name, scope, length) == 0 && name[length] == '/';
}

/* That, or the same name: a node, or one of a scope. */
static inline gboolean
sluice_name_is_of (const char *name, const char *scope)
{
  return sluice_name_is_below (name, scope) || strcmp (name, scope) == 0;
}

/* Is some node in it? */
static inline gboolean
sluice_graph_has_scope (SluiceGraph *graph, const char *scope)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    if (sluice_name_is_below (sluice_graph_get_node (graph, i)->name, scope))
      return TRUE;
  return FALSE;
}
