/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Values that a stopped step goes on with. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/runtime/debug/debugger-private.h"

/* What may be changed at the stop. (transfer full) */
static GArray *
dup_changeable (const SluiceDebugRun *run)
{
  const SluicePlanNode *node = run->act != NULL ? &run->act->nodes[run->i] : NULL;
  if (node == NULL)
    return sluice_debug_new_values ();
  return run->kind == SLUICE_STOP_BEHIND
             ? sluice_debug_dup_outputs (run->step->plan, node, run->outputs)
             : sluice_debug_dup_inputs (run, node);
}

/* Is the value called so: "a:0", "a", or the number of it? */
static gboolean
is_called (const SluiceDebugValue *value, guint number, const char *name)
{
  gsize length = strlen (name);
  guint64 as_number;
  if (g_ascii_string_to_unsigned (name, 10, 0, G_MAXUINT16, &as_number, NULL))
    return as_number == number;
  return strncmp (value->edge, name, length) == 0
         && (value->edge[length] == '\0' || strcmp (value->edge + length, ":0") == 0);
}

static void
fail_no_value (const SluiceDebugRun *run, const GArray *values, const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < values->len; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "",
                            g_array_index (values, SluiceDebugValue, i).edge);
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
               "'%s' is no %s of the node at which the run has stopped; it has %s", name,
               run->kind == SLUICE_STOP_BEHIND ? "output" : "input",
               names->len > 0 ? names->str : "none");
}

SluiceDebugValue *
sluice_debugger_find_value (SluiceDebugger *self, const char *name, GError **error)
{
  SluiceDebugValue *found = NULL;
  const SluiceDebugRun *run = sluice_debugger_lock_stopped (self);
  if (run == NULL)
    sluice_debug_fail_not_stopped (error);
  else
    {
      g_autoptr (GArray) values = dup_changeable (run);
      for (guint i = 0; i < values->len && found == NULL; i++)
        if (is_called (&g_array_index (values, SluiceDebugValue, i), i, name))
          {
            SluiceDebugValue *value = &g_array_index (values, SluiceDebugValue, i);
            found = g_memdup2 (value, sizeof *value);
            *value = (SluiceDebugValue){ NULL };
          }
      if (found == NULL)
        fail_no_value (run, values, name, error);
    }
  pthread_mutex_unlock (&self->lock);
  return found;
}

/* Could the value stand there? */
static gboolean
check_value (const SluiceDebugRun *run,
             const SluiceDebugValue *now,
             guint number,
             const SluiceTensor *value,
             GError **error)
{
  const SluicePlanNode *node = &run->act->nodes[run->i];
  const gboolean is_behind = run->kind == SLUICE_STOP_BEHIND;
  const gboolean is_together = (node->flags & SLUICE_PLAN_TOGETHER) != 0;
  const guint8 flags = is_behind ? 0 : run->step->plan->slot_flags[node->first_input + number];
  const guint32 moves = SLUICE_PLAN_ENTER | SLUICE_PLAN_EXIT | SLUICE_PLAN_NEXT;
  char shape[SLUICE_SHAPE_STR], given[SLUICE_SHAPE_STR];
  if (now->variable != NULL && !(flags & SLUICE_SLOT_READ))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is the variable '%s' itself, not its value; change what is read of "
                        "it, before the node that reads it",
                        now->edge, now->variable);
  if (is_behind && node->flags & moves)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' goes on to another iteration as it is; break on '%s' and change its "
                        "input",
                        now->edge, node->origin->name);
  if (now->tensor == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' has no value: it comes from a branch that was not taken", now->edge);
  if (now->tensor->dtype != value->dtype)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is of %s, and %s is given",
                        now->edge, sluice_dtype_name (now->tensor->dtype),
                        sluice_dtype_name (value->dtype));
  const SluiceShape *wanted = is_together ? &now->tensor->shape
                              : is_behind ? &node->origin->outputs[number].shape
                                          : sluice_edge_shape (node->origin->inputs[number]);
  if (wanted->rank == SLUICE_UNKNOWN_RANK || sluice_shape_compatible (wanted, &value->shape))
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "'%s' is of shape %s, and a value of shape %s is given", now->edge,
                      sluice_shape_str (wanted, shape), sluice_shape_str (&value->shape, given));
}

/* In the place of a variable that will be read: one that nobody else has. */
static SluiceVariable *
new_variable (const SluiceVariable *like, SluiceTensor *value)
{
  SluiceVariable *variable = sluice_variable_new (like->name, like->dtype, &like->shape);
  sluice_variable_take_tensor (variable, sluice_tensor_ref (value));
  return variable;
}

static void
put_input (SluiceDebugRun *run, guint number, SluiceTensor *value)
{
  const SluicePlanNode *node = &run->act->nodes[run->i];
  const guint8 flags = run->step->plan->slot_flags[node->first_input + number];
  SluiceValue *slot = inputs_of (run->act, node) + number;
  if (flags & SLUICE_SLOT_KEPT)
    sluice_debug_lend (run, slot, value);
  else if (flags & SLUICE_SLOT_READ)
    {
      SluiceVariable *before = slot->ref;
      slot->ref = new_variable (before, value);
      sluice_resource_unref (&before->parent);
    }
  else
    {
      sluice_tensor_unref (slot->tensor);
      slot->tensor = sluice_tensor_ref (value);
    }
}

static void
put_output (SluiceDebugRun *run, guint number, SluiceTensor *value)
{
  sluice_tensor_unref (run->outputs[number].tensor);
  run->outputs[number].tensor = sluice_tensor_ref (value);
}

/* All that are called so. under the lock. FALSE: none is, or the value cannot stand there. */
static gboolean
put (SluiceDebugRun *run, const char *name, SluiceTensor *value, GError **error)
{
  gboolean ok = TRUE;
  guint n = 0;
  g_autoptr (GArray) values = dup_changeable (run);
  for (guint i = 0; i < values->len && ok; i++)
    {
      const SluiceDebugValue *now = &g_array_index (values, SluiceDebugValue, i);
      if (!is_called (now, i, name))
        continue;
      ok = check_value (run, now, i, value, error);
      if (!ok)
        break;
      if (n++ == 0)
        {
          SluiceDebugValue before = { g_strdup (name), sluice_tensor_ref (now->tensor), NULL };
          g_array_append_val (run->debugger->replaced, before);
        }
      (run->kind == SLUICE_STOP_BEHIND ? put_output : put_input) (run, i, value);
    }
  if (n == 0 && ok)
    fail_no_value (run, values, name, error);
  return ok && n > 0;
}

gboolean
sluice_debugger_put (SluiceDebugger *self, const char *name, SluiceTensor *value, GError **error)
{
  SluiceDebugRun *run = sluice_debugger_lock_stopped (self);
  gboolean ok = FALSE;
  if (run == NULL)
    sluice_debug_fail_not_stopped (error);
  else
    ok = put (run, name, value, error);
  pthread_mutex_unlock (&self->lock);
  return ok;
}

gboolean
sluice_debugger_unput (SluiceDebugger *self, char **name, GError **error)
{
  SluiceDebugRun *run = sluice_debugger_lock_stopped (self);
  gboolean ok = FALSE;
  if (run == NULL)
    sluice_debug_fail_not_stopped (error);
  else if (self->replaced->len == 0)
    sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION, "no value was changed in this stop");
  else
    {
      const guint last = self->replaced->len - 1;
      const SluiceDebugValue *before = &g_array_index (self->replaced, SluiceDebugValue, last);
      *name = g_strdup (before->edge);
      ok = put (run, before->edge, before->tensor, error);
      g_array_set_size (self->replaced, last);
    }
  pthread_mutex_unlock (&self->lock);
  return ok;
}
