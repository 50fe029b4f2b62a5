/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/command/problems-private.h"
#include "engine/graph/shape-words.h"
#include "engine/graph/trial.h"
#include "engine/graph/variable-kind.h"

const char *
sluice_problem_level_name (SluiceProblemLevel level)
{
  return level == SLUICE_PROBLEM_STOPS ? "stops" : "look";
}

static void
problem_free (gpointer data)
{
  SluiceProblem *self = data;
  g_free (self->text);
  g_free (self);
}

void
sluice_problem_add (
    SluiceProblemSearch *self, SluiceProblemKind kind, SluiceNode *node, int input, char *text)
{
  SluiceProblem *problem = g_new (SluiceProblem, 1);
  SluiceProblemLevel level =
      kind <= SLUICE_PROBLEM_UNFED ? SLUICE_PROBLEM_STOPS : SLUICE_PROBLEM_LOOK;
  *problem = (SluiceProblem){ kind, level, node, node->name, input, text };
  g_ptr_array_add (self->problems, problem);
}

/* ---- what stops ---- */

static void
add_open (SluiceProblemSearch *self, SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    {
      if (node->inputs[i].node != NULL)
        continue;
      SluiceDType dtype = sluice_node_get_input_dtype (node, i);
      g_autofree char *name = sluice_node_dup_input_name (node, i);
      sluice_problem_add (self, SLUICE_PROBLEM_OPEN, node, (int) i,
                          dtype != SLUICE_INVALID
                              ? g_strdup_printf (_ ("Input %s is open. It reads %s."), name,
                                                 sluice_dtype_get_word (dtype))
                              : g_strdup_printf (_ ("Input %s is open."), name));
    }
}

static gboolean
has_open_input (const SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node == NULL)
      return TRUE;
  return FALSE;
}

/* "Inner dimensions differ: …": what a message says behind "OP 'NAME': ", as a sentence. */
static char *
dup_sentence (const SluiceNode *node)
{
  g_autofree char *begin = g_strdup_printf ("%s '%s': ", node->op_name, node->name);
  const char *message = node->error->message;
  if (g_str_has_prefix (message, begin))
    message += strlen (begin);
  char *text = g_strconcat (message, g_str_has_suffix (message, ".") ? "" : ".", NULL);
  *text = g_ascii_toupper (*text);
  return text;
}

static void
look_at (SluiceProblemSearch *self, SluiceNode *node)
{
  if (node->error == NULL)
    sluice_problems_look_at (self, node);
  else if (has_open_input (node))
    add_open (self, node);
  else
    sluice_problem_add (self, SLUICE_PROBLEM_ERROR, node, -1, dup_sentence (node));
}

/* ---- a project ---- */

static SluiceNode *
find_node (SluiceGraph *graph, const char *edge)
{
  g_autofree char *name = g_strndup (edge, strcspn (edge, ":"));
  return sluice_graph_find (graph, name);
}

static void
look_at_feeds (SluiceProblemSearch *self, const SluiceProblemContext *context)
{
  g_autoptr (GHashTable) fed = g_hash_table_new (NULL, NULL), seen = g_hash_table_new (NULL, NULL);
  for (guint i = 0; context->fed != NULL && context->fed[i] != NULL; i++)
    g_hash_table_add (fed, find_node (self->graph, context->fed[i]));
  for (guint i = 0; context->run != NULL && context->run[i] != NULL; i++)
    {
      SluiceNode *end = find_node (self->graph, context->run[i]), *node;
      g_autoptr (GHashTable) before = end != NULL ? sluice_node_collect_before (end) : NULL;
      GHashTableIter iter;
      if (before == NULL)
        continue;
      g_hash_table_iter_init (&iter, before);
      while (g_hash_table_iter_next (&iter, (gpointer *) &node, NULL))
        if (sluice_node_get_role (node) == SLUICE_ROLE_PLACEHOLDER && node->n_inputs == 0
            && !g_hash_table_contains (fed, node) && g_hash_table_add (seen, node))
          sluice_problem_add (
              self, SLUICE_PROBLEM_UNFED, node, -1,
              g_strdup_printf (_ ("Nothing feeds it, and %s reads it."), end->name));
    }
}

/* ---- all ---- */

static int
compare (gconstpointer a, gconstpointer b)
{
  const SluiceProblem *x = *(SluiceProblem *const *) a, *y = *(SluiceProblem *const *) b;
  if (x->level != y->level)
    return x->level < y->level ? -1 : 1;
  if (x->node->id != y->node->id)
    return x->node->id < y->node->id ? -1 : 1;
  return x->input < y->input ? -1 : x->input > y->input;
}

#define NODES_A_LOOK 64 /* at the clock */

SluiceProblemSearch *
sluice_problem_search_new (SluiceGraph *graph)
{
  SluiceProblemSearch *self = g_new (SluiceProblemSearch, 1);
  *self = (SluiceProblemSearch){ sluice_graph_ref (graph),
                                 g_ptr_array_new_with_free_func (problem_free),
                                 sluice_graph_has_optimizer (graph) };
  return self;
}

void
sluice_problem_search_free (SluiceProblemSearch *self)
{
  g_clear_pointer (&self->problems, g_ptr_array_unref);
  sluice_graph_unref (self->graph);
  g_free (self);
}

/* TRUE: that were all. */
static gboolean
look_at_nodes (SluiceProblemSearch *self, gint64 budget_us)
{
  const guint n = sluice_graph_get_n_nodes (self->graph);
  gint64 begun = g_get_monotonic_time ();
  while (self->n_looked_at < n)
    {
      look_at (self, sluice_graph_get_node (self->graph, self->n_looked_at++));
      if (self->n_looked_at % NODES_A_LOOK == 0 && g_get_monotonic_time () - begun > budget_us)
        return FALSE;
    }
  return TRUE;
}

GPtrArray *
sluice_problem_search_go_on (SluiceProblemSearch *self, gint64 budget_us)
{
  if (!look_at_nodes (self, budget_us))
    return NULL;
  sluice_problems_look_at_ends (self);
  g_ptr_array_sort (self->problems, compare);
  return g_steal_pointer (&self->problems);
}

GPtrArray *
sluice_problems_find (SluiceGraph *graph, const SluiceProblemContext *context)
{
  g_autoptr (SluiceProblemSearch) search = sluice_problem_search_new (graph);
  if (context != NULL)
    look_at_feeds (search, context);
  return sluice_problem_search_go_on (search, G_MAXINT64);
}
