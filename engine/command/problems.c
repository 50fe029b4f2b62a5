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

/* The outputs that are fed: node -> bits, one a port. (transfer full) (nullable): one of them is
 * not in the graph, so that it cannot be said what is fed. */
static GHashTable *
find_fed (SluiceGraph *graph, const char *const *edges)
{
  g_autoptr (GHashTable) fed = g_hash_table_new (NULL, NULL);
  for (guint i = 0; edges != NULL && edges[i] != NULL; i++)
    {
      const char *colon = strrchr (edges[i], ':');
      guint port = colon != NULL ? (guint) g_ascii_strtoull (colon + 1, NULL, 10) : 0;
      SluiceNode *node = find_node (graph, edges[i]);
      if (node == NULL)
        return NULL;
      guint ports = GPOINTER_TO_UINT (g_hash_table_lookup (fed, node)) | 1u << MIN (port, 31);
      g_hash_table_insert (fed, node, GUINT_TO_POINTER (ports));
    }
  return g_steal_pointer (&fed);
}

static gboolean
is_fed (GHashTable *fed, SluiceEdge edge)
{
  guint ports = GPOINTER_TO_UINT (g_hash_table_lookup (fed, edge.node));
  return (ports >> MIN (edge.port, 31) & 1) != 0;
}

static void
come_to (GPtrArray *todo, GHashTable *seen, SluiceNode *node)
{
  if (node != NULL && g_hash_table_add (seen, node))
    g_ptr_array_add (todo, node);
}

/* All that runs for a node, as far as nothing is fed instead. */
static void
look_behind (SluiceProblemSearch *self, SluiceNode *end, GHashTable *fed, GHashTable *seen)
{
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  come_to (todo, seen, end);
  while (todo->len > 0)
    {
      SluiceNode *node = g_ptr_array_steal_index_fast (todo, todo->len - 1);
      if (sluice_node_get_role (node) == SLUICE_ROLE_PLACEHOLDER && node->n_inputs == 0
          && !g_hash_table_contains (fed, node))
        sluice_problem_add (self, SLUICE_PROBLEM_UNFED, node, -1,
                            g_strdup_printf (_ ("Nothing feeds it, and %s reads it."), end->name));
      for (guint i = 0; i < node->n_inputs; i++)
        if (node->inputs[i].node != NULL && !is_fed (fed, node->inputs[i]))
          come_to (todo, seen, node->inputs[i].node);
      for (guint i = 0; i < node->n_control_inputs; i++)
        come_to (todo, seen, node->control_inputs[i]);
    }
}

static void
look_at_feeds (SluiceProblemSearch *self, const SluiceProblemContext *context)
{
  GHashTable *fed = self->fed = find_fed (self->graph, context->fed);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  for (guint i = 0; fed != NULL && context->run != NULL && context->run[i] != NULL; i++)
    {
      SluiceNode *end = find_node (self->graph, context->run[i]);
      if (end != NULL)
        look_behind (self, end, fed, seen);
    }
}

/* (transfer full) */
static GHashTable *
find_run (SluiceGraph *graph, const SluiceProblemContext *context)
{
  GHashTable *run = g_hash_table_new (NULL, NULL);
  for (guint i = 0; context->run != NULL && context->run[i] != NULL; i++)
    g_hash_table_add (run, find_node (graph, context->run[i]));
  return run;
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
sluice_problem_search_new (SluiceGraph *graph, const SluiceProblemContext *context)
{
  SluiceProblemSearch *self = g_new (SluiceProblemSearch, 1);
  *self = (SluiceProblemSearch){ .graph = sluice_graph_ref (graph),
                                 .problems = g_ptr_array_new_with_free_func (problem_free),
                                 .has_optimizer = sluice_graph_has_optimizer (graph),
                                 .run = context != NULL ? find_run (graph, context) : NULL };
  if (context != NULL)
    look_at_feeds (self, context);
  return self;
}

void
sluice_problem_search_free (SluiceProblemSearch *self)
{
  g_clear_pointer (&self->problems, g_ptr_array_unref);
  g_clear_pointer (&self->run, g_hash_table_unref);
  g_clear_pointer (&self->fed, g_hash_table_unref);
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
  g_autoptr (SluiceProblemSearch) search = sluice_problem_search_new (graph, context);
  return sluice_problem_search_go_on (search, G_MAXINT64);
}
