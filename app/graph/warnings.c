/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/warnings.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/graph/node-words.h"
#include "app/graph/variable-kind.h"

/* Nodes before a value that is assigned: an initial value or a restored one is made by few. */
#define MOST_SOURCES 64

static void
warning_free (gpointer data)
{
  SluiceGraphWarning *warning = data;
  g_free (warning->node);
  g_free (warning->text);
  g_free (warning);
}

static void
add_warning (GPtrArray *warnings, const SluiceNode *node, char *text)
{
  SluiceGraphWarning *warning = g_new (SluiceGraphWarning, 1);
  *warning = (SluiceGraphWarning){ g_strdup (node->name), text };
  g_ptr_array_add (warnings, warning);
}

/* ---- variables that nobody trains ---- */

static gboolean
is_variable (const SluiceNode *node)
{
  SluiceRole role = sluice_node_get_role (node);
  return role == SLUICE_ROLE_VARIABLE || role == SLUICE_ROLE_RESOURCE_HANDLE;
}

/* Is the value made of other variables, as a copy or an average is? */
static gboolean
comes_of_variables (const SluiceNode *value)
{
  const SluiceNode *found[MOST_SOURCES] = { value };
  guint n = 1;
  for (guint at = 0; at < n; at++)
    {
      if (is_variable (found[at]))
        return TRUE;
      for (guint i = 0; i < found[at]->n_inputs && n < MOST_SOURCES; i++)
        if (found[at]->inputs[i].node != NULL)
          found[n++] = found[at]->inputs[i].node;
    }
  return n == MOST_SOURCES; /* larger than an initial value */
}

/* Is it read, and does nothing but its initial value and a saver write it? Who takes a handle or a
 * reference for more than to read it, or to say whether there is a value, may write it. */
static gboolean
stays_as_it_is (SluiceGraph *graph, const SluiceNode *variable)
{
  gboolean is_read = FALSE;
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (graph, variable, &n);
  for (guint i = 0; i < n; i++)
    {
      const SluiceNode *user = uses[i].node;
      SluiceRole role = sluice_node_get_role (user);
      if (uses[i].input < 0)
        continue;
      if (role == SLUICE_ROLE_ASSIGN)
        {
          if (user->n_inputs < 2 || user->inputs[1].node == NULL
              || comes_of_variables (user->inputs[1].node))
            return FALSE;
        }
      else if (role == SLUICE_ROLE_READ_VARIABLE || role == SLUICE_ROLE_IDENTITY)
        is_read = TRUE;
      else if (!g_str_has_prefix (user->op_name, "Save")
               && strstr (user->op_name, "IsInitialized") == NULL
               && !g_str_has_prefix (user->op_name, "IsVariableInitialized"))
        return FALSE;
    }
  return is_read;
}

static gboolean
holds_floats (const SluiceNode *variable)
{
  const SluiceOutput *output = &variable->outputs[0];
  return sluice_dtype_is_floating (sluice_node_get_role (variable) == SLUICE_ROLE_VARIABLE
                                       ? sluice_dtype_base (output->dtype)
                                       : output->handle_dtype);
}

static void
look_at_variable (GPtrArray *warnings, SluiceGraph *graph, const SluiceNode *node)
{
  /* A single number is a rate or a factor that somebody sets. */
  if (!is_variable (node) || node->n_outputs == 0 || !holds_floats (node)
      || sluice_variable_get_elements (node) <= 1
      || sluice_variable_get_kind (graph, node, TRUE) != SLUICE_VARIABLE_OTHER
      || !stays_as_it_is (graph, node))
    return;
  add_warning (warnings, node,
               g_strdup (_ ("Nothing trains it: it is read, but no optimizer updates it, and it "
                            "keeps its initial value. If that is not meant, put it among the "
                            "variables that the optimizer is given.")));
}

/* ---- rows that meet each other ---- */

/* [n, 1] with [n]: every element meets every other, and the result is n by n. */
static gboolean
lost_a_dimension (const SluiceShape *column, const SluiceShape *row)
{
  int rank = column->rank;
  return row->rank >= 1 && rank == row->rank + 1 && column->dim[rank - 1] == 1
         && row->dim[row->rank - 1] != 1 && column->dim[rank - 2] == row->dim[row->rank - 1];
}

/* Only of ops that compare what belongs together: others make tables of all pairs on purpose. */
static gboolean
compares_elements (const SluiceNode *node)
{
  static const char *const ops[] = { "Equal", "NotEqual", "SquaredDifference", "Sub" };
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    if (g_str_equal (node->op_name, ops[i]))
      return node->n_inputs == 2 && node->inputs[0].node != NULL && node->inputs[1].node != NULL;
  return FALSE;
}

static void
look_at_broadcast (GPtrArray *warnings, const SluiceNode *node)
{
  if (!compares_elements (node))
    return;
  const SluiceShape *a = sluice_edge_shape (node->inputs[0]),
                    *b = sluice_edge_shape (node->inputs[1]);
  if (!lost_a_dimension (a, b) && !lost_a_dimension (b, a))
    return;
  g_autofree char *first = sluice_words_shape (a), *second = sluice_words_shape (b);
  add_warning (warnings, node,
               g_strdup_printf (_ ("Its inputs are %s and %s: each element meets all others, not "
                                   "its own. Give both the same rank: squeeze the one, or reshape "
                                   "the other."),
                                first, second));
}

GPtrArray *
sluice_graph_find_warnings (SluiceGraph *graph)
{
  GPtrArray *warnings = g_ptr_array_new_with_free_func (warning_free);
  const gboolean has_optimizer = sluice_graph_has_optimizer (graph);
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (node->error != NULL)
        continue;
      if (has_optimizer)
        look_at_variable (warnings, graph, node);
      look_at_broadcast (warnings, node);
    }
  return warnings;
}
