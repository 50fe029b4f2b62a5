/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a stopped step looks like. All of it is read under the debugger's lock, while the holder of
 * the scheduler lock waits; slots of a node under way are its kernel's and are not looked at. */
#include "engine/base/error.h"
#include "engine/runtime/debug/debugger-private.h"
#include "engine/runtime/step/frame.h"
#include "engine/runtime/step/guard.h"

/* ---- nodes ---- */

static void
append_loops (GString *text, const SluiceActivation *act)
{
  if (act->frame == NULL)
    return;
  append_loops (text, act->frame->parent);
  g_string_append_printf (text, "%s%s[%" G_GUINT64_FORMAT "]", text->len > 0 ? " " : "",
                          act->frame->plan->name, act->iteration);
}

SluiceDebugNode
sluice_debug_node (const SluiceStep *step, const SluiceActivation *act, const SluicePlanNode *node)
{
  SluiceDebugNode self = { .name = node->origin->name,
                           .op = node->origin->op_name,
                           .device = g_intern_string (step->env.devices[node->device]->short_name),
                           .iteration = -1,
                           .turn = SLUICE_TURN_HERE };
  if (act == NULL || act->frame == NULL)
    return self;
  GString *loops = g_string_new (NULL);
  append_loops (loops, act);
  self.loops = g_string_free (loops, FALSE);
  self.frame = g_intern_string (act->frame->plan->name);
  self.iteration = (gint64) act->iteration;
  return self;
}

void
sluice_debug_node_clear (SluiceDebugNode *self)
{
  g_clear_pointer (&self->loops, g_free);
}

GArray *
sluice_debug_new_nodes (void)
{
  GArray *nodes = g_array_new (FALSE, TRUE, sizeof (SluiceDebugNode));
  g_array_set_clear_func (nodes, (GDestroyNotify) sluice_debug_node_clear);
  return nodes;
}

/* ---- values ---- */

static void
value_clear (gpointer data)
{
  SluiceDebugValue *value = data;
  g_free (value->edge);
  g_free (value->variable);
  g_clear_pointer (&value->tensor, sluice_tensor_unref);
}

void
sluice_debug_value_free (SluiceDebugValue *self)
{
  value_clear (self);
  g_free (self);
}

GArray *
sluice_debug_new_values (void)
{
  GArray *values = g_array_new (FALSE, TRUE, sizeof (SluiceDebugValue));
  g_array_set_clear_func (values, value_clear);
  return values;
}

/* What it holds now, as a copy: the next update writes into it. */
static void
read_variable (SluiceDebugValue *value, SluiceVariable *variable)
{
  g_autoptr (SluiceTensor) tensor = sluice_variable_dup_tensor (variable);
  value->variable = g_strdup (variable->name);
  if (tensor != NULL && sluice_tensor_is_far (tensor))
    value->tensor = sluice_tensor_dup_near (tensor, NULL, NULL);
  else if (tensor != NULL)
    value->tensor = sluice_tensor_dup (tensor, NULL, SLUICE_OWNER_NONE);
}

static void
add_value (GArray *values, char *take_edge, SluiceValue from, gboolean is_variable)
{
  SluiceDebugValue value = { .edge = take_edge };
  SluiceVariable *behind =
      is_variable || from.tensor == NULL ? NULL : sluice_guard_get_variable (from.tensor);
  if (is_variable && from.ref != NULL)
    read_variable (&value, from.ref);
  else if (behind != NULL)
    read_variable (&value, behind);
  else if (from.tensor != NULL)
    value.tensor = sluice_tensor_dup_near (from.tensor, NULL, NULL); /* no memory: not shown */
  g_array_append_val (values, value);
}

GArray *
sluice_debug_dup_outputs (const SluicePlan *plan,
                          const SluicePlanNode *node,
                          const SluiceValue *outputs)
{
  GArray *values = sluice_debug_new_values ();
  for (guint k = 0; k < node->n_outputs; k++)
    {
      gboolean is_ref = node->flags & SLUICE_PLAN_REF_OUTPUTS
                        && sluice_dtype_is_ref (node->origin->outputs[k].dtype);
      add_value (values, sluice_debug_name_edge (plan, (guint32) (node - plan->nodes), k),
                 outputs[k], is_ref);
    }
  return values;
}

GArray *
sluice_debug_dup_inputs (const SluiceDebugRun *run, const SluicePlanNode *node)
{
  const SluicePlan *plan = run->step->plan;
  const guint8 *flags = plan->slot_flags + node->first_input;
  const SluiceValue *held =
      run->kind == SLUICE_STOP_BEHIND ? sluice_debug_find_held (run, run->act, run->i) : NULL;
  const SluiceValue *inputs = held != NULL ? held : inputs_of (run->act, node);
  GArray *values = sluice_debug_new_values ();
  for (guint i = 0; i < node->n_inputs; i++)
    add_value (values, sluice_debug_name_input (plan, node, i), inputs[i],
               (flags[i] & (SLUICE_SLOT_REF | SLUICE_SLOT_READ)) != 0);
  return values;
}

/* ---- the stop ---- */

SluiceDebugRun *
sluice_debugger_lock_stopped (SluiceDebugger *self)
{
  pthread_mutex_lock (&self->lock);
  return self->goes_on ? NULL : self->stopped;
}

void
sluice_debug_fail_not_stopped (GError **error)
{
  sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
               "no run is stopped; set a breakpoint and begin one, or step");
}

static SluiceDebugNode
copy_node (const SluiceDebugNode *node)
{
  SluiceDebugNode copy = *node;
  copy.loops = g_strdup (node->loops);
  return copy;
}

static void
add_node (SluiceStop *stop, const SluiceDebugRun *run)
{
  const SluicePlan *plan = run->step->plan;
  const SluicePlanNode *node = &run->act->nodes[run->i];
  stop->node = sluice_debug_node (run->step, run->act, node);
  stop->inputs = sluice_debug_dup_inputs (run, node);
  if (run->kind == SLUICE_STOP_BEHIND)
    stop->outputs = sluice_debug_dup_outputs (plan, node, run->outputs);
  for (guint32 i = 0; node->flags & SLUICE_PLAN_TOGETHER && i < plan->n_members; i++)
    if (&plan->nodes[plan->members[i].node] == node && plan->members[i].origin != node->origin)
      g_array_append_val (stop->with, plan->members[i].origin->name);
}

static void
add_ran (SluiceStop *stop, const SluiceDebugRun *run)
{
  stop->has_ran = TRUE;
  stop->ran = copy_node (&run->ran);
  for (guint i = 0; i < run->ran_outputs->len; i++)
    {
      const SluiceDebugValue *from = &g_array_index (run->ran_outputs, SluiceDebugValue, i);
      SluiceDebugValue value = { g_strdup (from->edge),
                                 from->tensor != NULL ? sluice_tensor_ref (from->tensor) : NULL,
                                 g_strdup (from->variable) };
      g_array_append_val (stop->ran_outputs, value);
    }
}

SluiceStop *
sluice_debugger_dup_stop (SluiceDebugger *self)
{
  SluiceStop *stop = NULL;
  const SluiceDebugRun *run = sluice_debugger_lock_stopped (self);
  if (run != NULL)
    {
      stop = g_new0 (SluiceStop, 1);
      stop->kind = run->kind;
      stop->number = self->n_stops;
      stop->breakpoint = run->breakpoint;
      stop->step = run->step->env.number;
      stop->with = g_array_new (FALSE, FALSE, sizeof (const char *));
      stop->dead = sluice_debug_new_nodes ();
      stop->ran_outputs = sluice_debug_new_values ();
      if (run->act != NULL)
        add_node (stop, run);
      if (run->has_ran)
        add_ran (stop, run);
      for (guint i = 0; i < run->dead->len; i++)
        {
          SluiceDebugNode dead = copy_node (&g_array_index (run->dead, SluiceDebugNode, i));
          g_array_append_val (stop->dead, dead);
        }
    }
  pthread_mutex_unlock (&self->lock);
  if (stop != NULL && stop->inputs == NULL)
    stop->inputs = sluice_debug_new_values ();
  if (stop != NULL && stop->outputs == NULL)
    stop->outputs = sluice_debug_new_values ();
  return stop;
}

void
sluice_stop_free (SluiceStop *self)
{
  sluice_debug_node_clear (&self->node);
  sluice_debug_node_clear (&self->ran);
  g_array_unref (self->inputs);
  g_array_unref (self->outputs);
  g_array_unref (self->with);
  g_array_unref (self->ran_outputs);
  g_array_unref (self->dead);
  g_free (self);
}
