/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/lower.h"
#include "engine/base/count.h"
#include "engine/graph/role.h"
#include "engine/train/attr-parameter.h"
#include "engine/train/comparison.h"
#include "engine/train/parameters.h"
#include "engine/train/preflight-private.h"
#include "engine/train/project-ends.h"

#define N_NAMED 3 /* of what is counted, in words */

/* ---- what is reached ---- */

typedef struct
{
  SluiceGraph *graph;
  guint8 *reached; /* by id */
  GPtrArray *stack;
} Reach;

static void
push (Reach *self, SluiceNode *node)
{
  if (node == NULL || self->reached[node->id])
    return;
  self->reached[node->id] = TRUE;
  g_ptr_array_add (self->stack, node);
}

static void
follow (Reach *self)
{
  while (self->stack->len > 0)
    {
      SluiceNode *node = g_ptr_array_steal_index_fast (self->stack, self->stack->len - 1);
      const SluiceLowered *call = sluice_node_get_lowered (node);
      for (guint i = 0; i < node->n_inputs; i++)
        push (self, node->inputs[i].node);
      for (guint i = 0; i < node->n_control_inputs; i++)
        push (self, node->control_inputs[i]);
      for (guint i = 0; call != NULL && i < call->n_outputs; i++)
        push (self, call->outputs[i].node);
      for (guint i = 0; call != NULL && i < call->n_effects; i++)
        push (self, call->effects[i]);
    }
}

/* name: (nullable): a node or an edge. */
static void
reach (Reach *self, const char *name)
{
  SluiceEdge edge = { NULL, 0 };
  if (name == NULL)
    return;
  edge.node = sluice_graph_find (self->graph, name);
  if (edge.node != NULL || sluice_graph_parse_edge (self->graph, name, &edge, NULL))
    push (self, edge.node);
  follow (self);
}

static void
reach_all (Reach *self, char **names)
{
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    reach (self, names[i]);
}

static void
reach_edges (Reach *self, const GArray *edges)
{
  for (guint i = 0; i < edges->len; i++)
    reach (self, g_array_index (edges, SluiceNamedEdge, i).target);
}

static Reach
reach_make (SluiceGraph *graph)
{
  return (Reach){ graph, g_new0 (guint8, sluice_graph_get_n_nodes (graph) + 1),
                  g_ptr_array_new () };
}

static void
reach_clear (Reach *self)
{
  g_free (self->reached);
  g_ptr_array_unref (self->stack);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reach, reach_clear)

static void
reach_steps (Reach *self, const SluiceProject *project)
{
  g_auto (GStrv) names = sluice_project_dup_step_ends (project);
  reach_all (self, names);
}

/* Queue runners fill queues for whoever takes out of them. */
static void
reach_runners (Reach *self)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (self->graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (self->graph, i);
      if (sluice_node_get_role (node) == SLUICE_ROLE_ENQUEUE)
        push (self, node);
    }
  follow (self);
}

/* "a, b, c and 4 more" (transfer full) */
static char *
dup_names (const GPtrArray *names)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < MIN (names->len, N_NAMED); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", (const char *) names->pdata[i]);
  if (names->len > N_NAMED)
    g_string_append_printf (text, _ (" and %u more"), names->len - N_NAMED);
  return g_string_free (text, FALSE);
}

/* ---- nodes ---- */

/* What libraries leave behind reads a variable, asks for a shape or hands a value on; what somebody
 * has forgotten computes numbers. */
static gboolean
computes (const SluiceNode *node)
{
  const SluiceRoleTraits *traits = sluice_node_get_traits (node);
  SluiceRole role = sluice_node_get_role (node);
  return node->n_inputs > 0 && node->n_outputs > 0
         && sluice_dtype_in (node->outputs[0].dtype, SLUICE_SET_FLOATS) && !traits->moves_value
         && !traits->asks_shape && !traits->is_control_flow && role != SLUICE_ROLE_READ_VARIABLE
         && role != SLUICE_ROLE_ZEROS_LIKE && role != SLUICE_ROLE_FILL;
}

static void
look_at_nodes (SluiceChecker *self)
{
  g_auto (Reach) all = reach_make (self->replica->graph);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  reach_steps (&all, self->project);
  reach_all (&all, self->project->init);
  reach_runners (&all);
  reach_edges (&all, self->project->parameters);
  guint n_rest = 0;
  for (guint i = 0; i < sluice_graph_get_n_nodes (all.graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (all.graph, i);
      if (all.reached[node->id])
        continue;
      if (computes (node))
        g_ptr_array_add (names, (gpointer) node->name);
      else
        n_rest++;
    }
  g_autofree char *some = dup_names (names);
  g_autofree char *count = sluice_count_dup (names->len > 0 ? names->len : n_rest);
  SluicePreflightItem *item = sluice_preflight_add (
      self->card, "nodes", NULL, names->len > 0 ? SLUICE_PREFLIGHT_LOOK : SLUICE_PREFLIGHT_WELL,
      names->len > 0
          ? g_strdup_printf (ngettext ("%s node computes what nobody needs: %s",
                                       "%s nodes compute what nobody needs: %s", names->len),
                             count, some)
          : g_strdup_printf (ngettext ("all that is computed is needed, %s other node "
                                       "is not",
                                       "all that is computed is needed, %s other nodes "
                                       "are not",
                                       n_rest),
                             count));
  item->value = names->len;
  if (names->len == 0)
    return;
  item->action = g_strdup (_ ("fetch what they make, or delete them"));
  item->node = g_strdup (names->pdata[0]);
}

/* ---- settings ---- */

/* set: (nullable) */
static SluicePreflightItem *
add_setting (
    SluiceChecker *self, const char *name, char *take_text, const char *action, const char *set)
{
  SluicePreflightItem *item =
      sluice_preflight_add (self->card, "setting", name, SLUICE_PREFLIGHT_LOOK, take_text);
  item->action = g_strdup (action);
  item->set = g_strdup (set);
  return item;
}

/* Of one that no step reads, or that the graph has lost. */
static void
add_idle (SluiceChecker *self, const char *name, char *take_text)
{
  SluicePreflightItem *item =
      add_setting (self, name, take_text, _ ("take it out of [parameters]"), NULL);
  item->take_out = g_strdup (name);
}

/* An edge that is fed, or an attribute of a node. (nullable): the graph has it no more */
static const SluiceNode *
find_target (SluiceGraph *graph, const char *target)
{
  SluiceEdge edge = { NULL, 0 };
  if (!sluice_parameter_is_attr (target))
    return sluice_graph_parse_edge (graph, target, &edge, NULL) ? edge.node : NULL;
  g_autofree char *value = sluice_graph_dup_attr_parameter (graph, target);
  g_autofree char *node = g_strndup (target, strcspn (target, ":"));
  return value != NULL ? sluice_graph_find (graph, node) : NULL;
}

static void
look_at_settings (SluiceChecker *self)
{
  const SluiceProject *p = self->project;
  g_auto (Reach) steps = reach_make (self->replica->graph);
  reach_steps (&steps, p);
  for (guint i = 0; i < p->parameters->len; i++)
    {
      const SluiceNamedEdge *parameter = &g_array_index (p->parameters, SluiceNamedEdge, i);
      const SluiceNode *node = find_target (steps.graph, parameter->target);
      if (node == NULL)
        add_idle (
            self, parameter->name,
            g_strdup_printf (_ ("%s: the graph has no '%s'"), parameter->name, parameter->target));
      else if (!steps.reached[node->id])
        add_idle (self, parameter->name,
                  g_strdup_printf (_ ("%s changes nothing: no step reads '%s'"), parameter->name,
                                   parameter->target));
    }
  if (p->summaries != NULL && self->schedule.summary_every == 0)
    add_setting (self, "summary-every", g_strdup (_ ("summaries are never taken")),
                 _ ("set summary-every"), "train.summary-every=100");
  if (p->evaluate->len > 0 && !sluice_project_evaluates (p))
    add_setting (self, "evaluate", g_strdup (_ ("there is nothing to evaluate on")),
                 _ ("set [data] test-x"), NULL);
  if (p->evaluate->len == 0 && p->texts->len == 0 && self->schedule.evaluate_every > 0)
    add_setting (self, "evaluate-every", g_strdup (_ ("nothing is evaluated")),
                 _ ("name what in [evaluate] fetches"), "train.evaluate-every=0");
}

/* ---- variables ---- */

/* Nodes of the variables that a training step writes. (transfer full) */
static GHashTable *
find_written (SluiceChecker *self)
{
  GHashTable *written = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (SluiceGraph) graph = sluice_project_load_graph (self->project, NULL);
  g_autoptr (GPtrArray) edges = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) writers = g_ptr_array_new_with_free_func (g_free);
  const SluiceStepNames names = { .targets = (const char *const *) self->project->train,
                                  .n_targets = g_strv_length (self->project->train) };
  if (graph == NULL || !sluice_comparison_list_parts (graph, &names, edges, writers, NULL))
    return written;
  for (guint i = 0; i < writers->len; i++)
    {
      const SluiceNode *writer = sluice_graph_find (graph, writers->pdata[i]);
      const SluiceNode *variable = sluice_comparison_find_written (writer);
      if (variable != NULL)
        g_hash_table_add (written, g_strdup (variable->name));
    }
  return written;
}

static void
add_still (SluiceChecker *self, const GPtrArray *names, const char *format)
{
  if (names->len == 0)
    return;
  g_autofree char *some = dup_names (names);
  SluicePreflightItem *item =
      sluice_preflight_add (self->card, "gradient", names->pdata[0], SLUICE_PREFLIGHT_LOOK,
                            g_strdup_printf (format, names->len, some));
  item->value = names->len;
  item->action = g_strdup (_ ("look at the path from it to the loss"));
  item->node = g_strdup (names->pdata[0]);
}

/* Those that are there to be trained. */
static void
look_at_variables (SluiceChecker *self)
{
  SluiceGraph *graph = self->replica->graph;
  g_autoptr (GArray) parameters = sluice_graph_dup_parameters (graph, NULL);
  g_autoptr (GHashTable) written = find_written (self);
  g_autoptr (GPtrArray) still = g_ptr_array_new (), apart = g_ptr_array_new ();
  g_auto (Reach) loss = reach_make (graph);
  reach_all (&loss, self->project->loss);
  guint n_trained = 0;
  for (guint i = 0; parameters != NULL && i < parameters->len; i++)
    {
      const SluiceParameter *parameter = &g_array_index (parameters, SluiceParameter, i);
      gboolean is_written = g_hash_table_contains (written, parameter->node->name);
      gboolean is_read = loss.reached[parameter->node->id];
      gboolean learns = parameter->kind == SLUICE_PARAMETER_TRAINED
                        || (parameter->kind == SLUICE_PARAMETER_OTHER && is_read
                            && sluice_dtype_in (parameter->dtype, SLUICE_SET_FLOATS));
      if (!learns)
        continue;
      if (!is_read)
        g_ptr_array_add (apart, (gpointer) parameter->node->name);
      else if (!is_written)
        g_ptr_array_add (still, (gpointer) parameter->node->name);
      else
        n_trained++;
    }
  add_still (self, still,
             ngettext ("%u variable that the loss reads never changes: %s",
                       "%u variables that the loss reads never change: %s", still->len));
  add_still (self, apart,
             ngettext ("%u variable has no path to the loss: %s",
                       "%u variables have no path to the loss: %s", apart->len));
  if (still->len + apart->len > 0)
    return;
  SluicePreflightItem *item = sluice_preflight_add (
      self->card, "gradient", NULL, n_trained > 0 ? SLUICE_PREFLIGHT_WELL : SLUICE_PREFLIGHT_STOP,
      n_trained > 0 ? g_strdup_printf (
          ngettext ("%u variable is trained", "%u variables are trained", n_trained), n_trained)
                    : g_strdup (_ ("no variable is trained")));
  item->value = n_trained;
  if (n_trained == 0)
    item->action = g_strdup (_ ("name what updates the variables in [project] train"));
}

void
sluice_checker_look_at_graph (SluiceChecker *self)
{
  look_at_settings (self);
  look_at_nodes (self);
  look_at_variables (self);
}
