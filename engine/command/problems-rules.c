/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What runs, but probably not as it was meant. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/command/command.h"
#include "engine/command/offers-private.h"
#include "engine/command/problems-private.h"
#include "engine/graph/role.h"
#include "engine/graph/shape-words.h"
#include "engine/graph/trial.h"
#include "engine/graph/variable-kind.h"

/* Nodes before a value that is assigned: an initial value or a restored one is made by few. */
#define MOST_SOURCES 64
/* Variables that a sentence names. */
#define MOST_NAMED 3

static gboolean
is_variable (const SluiceNode *node)
{
  SluiceRole role = sluice_node_get_role (node);
  return role == SLUICE_ROLE_VARIABLE || role == SLUICE_ROLE_RESOURCE_HANDLE;
}

static gboolean
is_read (SluiceGraph *graph, const SluiceNode *node)
{
  guint n;
  sluice_graph_get_uses (graph, node, &n);
  return n > 0 || sluice_node_get_attr (node, SLUICE_MUTED_ATTR) != NULL; /* or was */
}

/* By the graph, or by the project that it is of. */
static gboolean
is_wanted (const SluiceProblemSearch *self, const SluiceNode *node)
{
  return is_read (self->graph, node)
         || (self->run != NULL && g_hash_table_contains (self->run, node));
}

/* ---- variables that nobody trains ---- */

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
  gboolean read = FALSE;
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (graph, variable, &n);
  for (guint i = 0; i < n; i++)
    {
      const SluiceNode *user = uses[i].node;
      SluiceRole role = sluice_node_get_role (user);
      guint flags = user->op != NULL ? user->op->def->flags : 0;
      if (uses[i].input < 0)
        continue;
      if (role == SLUICE_ROLE_ASSIGN)
        {
          if (user->n_inputs < 2 || user->inputs[1].node == NULL
              || comes_of_variables (user->inputs[1].node))
            return FALSE;
        }
      else if (role == SLUICE_ROLE_READ_VARIABLE || role == SLUICE_ROLE_IDENTITY)
        read = TRUE;
      else if (!(flags & (SLUICE_OP_WRITES_FILES | SLUICE_OP_ONLY_READS))
               || sluice_node_get_traits (user)->is_control_flow)
        return FALSE;
    }
  return read;
}

static gboolean
holds_floats (const SluiceNode *variable)
{
  const SluiceOutput *output = &variable->outputs[0];
  return sluice_dtype_is_floating (sluice_node_get_role (variable) == SLUICE_ROLE_VARIABLE
                                       ? sluice_dtype_base (output->dtype)
                                       : output->handle_dtype);
}

/* A single number is a rate or a factor that somebody sets. */
static gboolean
could_be_trained (SluiceGraph *graph, const SluiceNode *node, gboolean has_optimizer)
{
  if (!is_variable (node) || node->n_outputs == 0 || !holds_floats (node)
      || sluice_variable_get_elements (node) <= 1)
    return FALSE;
  return !has_optimizer || sluice_variable_get_kind (graph, node, TRUE) == SLUICE_VARIABLE_OTHER;
}

static void
look_at_variable (SluiceProblemSearch *self, SluiceNode *node)
{
  if (self->has_optimizer && could_be_trained (self->graph, node, TRUE)
      && stays_as_it_is (self->graph, node))
    sluice_problem_add (
        self, SLUICE_PROBLEM_UNTRAINED, node, -1,
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
int
sluice_problems_lost_axis (const SluiceNode *node, guint *column)
{
  if (!sluice_op_words_is ("compares", node->op_name) || node->n_inputs != 2
      || node->inputs[0].node == NULL || node->inputs[1].node == NULL)
    return -1;
  const SluiceShape *a = sluice_edge_shape (node->inputs[0]),
                    *b = sluice_edge_shape (node->inputs[1]);
  *column = lost_a_dimension (a, b) ? 0 : 1;
  if (*column == 1 && !lost_a_dimension (b, a))
    return -1;
  return (*column == 0 ? a : b)->rank - 1;
}

static void
look_at_broadcast (SluiceProblemSearch *self, SluiceNode *node)
{
  guint column;
  if (sluice_problems_lost_axis (node, &column) < 0)
    return;
  g_autofree char *first = sluice_shape_dup_words (sluice_edge_shape (node->inputs[0]));
  g_autofree char *second = sluice_shape_dup_words (sluice_edge_shape (node->inputs[1]));
  sluice_problem_add (
      self, SLUICE_PROBLEM_BROADCAST, node, (int) column,
      g_strdup_printf (_ ("Its inputs are %s and %s: each element meets all others, not "
                          "its own. Give both the same rank: squeeze the one, or reshape "
                          "the other."),
                       first, second));
}

/* ---- numbers ---- */

static gboolean
becomes_float (SluiceGraph *graph, const SluiceNode *node)
{
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (graph, node, &n);
  for (guint i = 0; i < n; i++)
    if (uses[i].input >= 0 && sluice_node_get_role (uses[i].node) == SLUICE_ROLE_CAST
        && sluice_dtype_is_floating (uses[i].node->outputs[0].dtype))
      return TRUE;
  return FALSE;
}

static void
look_at_numbers (SluiceProblemSearch *self, SluiceNode *node)
{
  if (node->n_outputs == 0 || !sluice_dtype_is_integer (sluice_dtype_base (node->outputs[0].dtype))
      || !sluice_op_words_is ("rounds", node->op_name) || !becomes_float (self->graph, node))
    return;
  sluice_problem_add (self, SLUICE_PROBLEM_ROUNDS, node, -1,
                      g_strdup_printf (_ ("It computes with %s and rounds, and then its outcome is "
                                          "cast. Cast what it reads instead."),
                                       sluice_dtype_get_word (node->outputs[0].dtype)));
}

static void
look_at_loss (SluiceProblemSearch *self, SluiceNode *node)
{
  if (node->n_outputs == 0 || node->outputs[0].shape.rank < 1
      || !sluice_op_words_is ("losses", node->op_name) || is_wanted (self, node))
    return;
  g_autofree char *shape = sluice_shape_dup_words (&node->outputs[0].shape);
  sluice_problem_add (self, SLUICE_PROBLEM_MANY, node, -1,
                      g_strdup_printf (_ ("It gives %s, a loss for each example. Training needs "
                                          "one number: their mean."),
                                       shape));
}

void
sluice_problems_look_at (SluiceProblemSearch *self, SluiceNode *node)
{
  look_at_variable (self, node);
  look_at_broadcast (self, node);
  look_at_numbers (self, node);
  look_at_loss (self, node);
  if (sluice_node_get_role (node) != SLUICE_ROLE_PLACEHOLDER || node->n_inputs > 0
      || is_wanted (self, node))
    return;
  if (self->fed != NULL && g_hash_table_contains (self->fed, node))
    sluice_problem_add (self, SLUICE_PROBLEM_UNREAD_DATA, node, -1,
                        g_strdup (_ ("Nothing reads it yet: a layer or a loss will.")));
  else
    sluice_problem_add (self, SLUICE_PROBLEM_UNREAD, node, -1, g_strdup (_ ("Nothing reads it.")));
}

/* ---- ends ---- */

/* One number of floats that nobody reads: what could be trained. */
static gboolean
is_loss (SluiceGraph *graph, const SluiceNode *node)
{
  return node->n_outputs == 1 && node->outputs[0].shape.rank == 0
         && sluice_dtype_is_floating (node->outputs[0].dtype) && node->n_inputs > 0
         && !is_read (graph, node);
}

/* Does a value end there, of those that a gradient could come to? */
static gboolean
is_end (const SluiceProblemSearch *self, const SluiceNode *node)
{
  return node->n_outputs > 0 && node->n_inputs > 0 && !is_wanted (self, node)
         && sluice_dtype_is_floating (node->outputs[0].dtype) && !sluice_node_is_stateful (node);
}

/* Goes back from a node to all that nobody came to yet. variables: (nullable): those that could be
 * trained are added. */
static void
walk_back (SluiceProblemSearch *self, SluiceNode *end, GHashTable *seen, GPtrArray *variables)
{
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  g_hash_table_add (seen, end);
  g_ptr_array_add (todo, end);
  while (todo->len > 0)
    {
      SluiceNode *node = g_ptr_array_steal_index_fast (todo, todo->len - 1);
      if (variables != NULL && could_be_trained (self->graph, node, FALSE))
        g_ptr_array_add (variables, node);
      for (guint i = 0; i < node->n_inputs; i++)
        if (node->inputs[i].node != NULL && g_hash_table_add (seen, node->inputs[i].node))
          g_ptr_array_add (todo, node->inputs[i].node);
    }
}

static int
compare_ids (gconstpointer a, gconstpointer b)
{
  guint32 x = (*(SluiceNode *const *) a)->id, y = (*(SluiceNode *const *) b)->id;
  return x < y ? -1 : x > y;
}

/* "conv1, conv2 …": layers, or variables that are in none. n: how many are named. (transfer full)
 */
static char *
name_variables (SluiceGraph *graph, GPtrArray *variables, guint *n)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_sort (variables, compare_ids);
  for (guint i = 0; i < variables->len && names->len <= MOST_NAMED; i++)
    {
      const char *name = ((const SluiceNode *) variables->pdata[i])->name;
      gsize span = sluice_offers_layer_span (graph, name);
      g_autofree char *shown = g_strndup (name, span > 0 ? span : strlen (name));
      if (!g_ptr_array_find_with_equal_func (names, shown, g_str_equal, NULL))
        g_ptr_array_add (names, g_steal_pointer (&shown));
    }
  *n = names->len;
  if (names->len > MOST_NAMED)
    {
      g_free (names->pdata[MOST_NAMED]);
      names->pdata[MOST_NAMED] = g_strdup ("…");
    }
  g_ptr_array_add (names, NULL);
  return g_strjoinv (", ", (char **) names->pdata);
}

static void
look_at_end (SluiceProblemSearch *self, SluiceNode *end, GHashTable *seen)
{
  g_autoptr (GPtrArray) variables = g_ptr_array_new ();
  guint n;
  walk_back (self, end, seen, variables);
  if (variables->len == 0)
    return;
  g_autofree char *names = name_variables (self->graph, variables, &n);
  sluice_problem_add (
      self, SLUICE_PROBLEM_NO_LOSS, end, -1,
      g_strdup_printf (ngettext ("Nothing reads it: %s gets no gradient.",
                                 "Nothing reads it: %s get no gradient.", (gulong) n),
                       names));
}

void
sluice_problems_look_at_ends (SluiceProblemSearch *self)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) ends = g_ptr_array_new ();
  gboolean has_loss = FALSE;
  if (self->has_optimizer)
    return; /* its gradients are there: look_at_variable() goes by them */
  for (guint i = 0; i < sluice_graph_get_n_nodes (self->graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (self->graph, i);
      if (is_loss (self->graph, node))
        {
          walk_back (self, node, seen, NULL);
          has_loss = TRUE;
        }
      else if (is_end (self, node))
        g_ptr_array_add (ends, node);
    }
  for (guint i = 0; has_loss && i < ends->len; i++)
    look_at_end (self, ends->pdata[i], seen);
}
