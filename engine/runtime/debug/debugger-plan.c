/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Where the breakpoints are in a plan: found once for a plan and a set of them. */
#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "engine/runtime/debug/debugger-private.h"
#include "engine/base/count.h"

/* ---- names ---- */

gboolean
sluice_debug_is_node (const SluicePlanNode *node)
{
  const guint32 waits = SLUICE_PLAN_NO_OP | SLUICE_PLAN_NEVER_DEAD;
  if (node->flags & (SLUICE_PLAN_SEND | SLUICE_PLAN_RECV))
    return FALSE;
  return (node->flags & waits) != waits
         || sluice_node_get_role (node->origin) == SLUICE_ROLE_CONTROL_TRIGGER;
}

static gboolean
has_name (const SluiceBreakpoint *what, const char *name)
{
  gsize length = strlen (what->name);
  return what->is_scope
             ? length == 0 || (strncmp (what->name, name, length) == 0 && name[length] == '/')
             : what->name == name;
}

/* The member of that name that the node's kernel runs besides. (nullable) */
static const SluicePlanMember *
find_member (const SluiceBreakpoint *what, const SluicePlan *plan, const SluicePlanNode *node)
{
  for (guint32 i = 0; i < plan->n_members; i++)
    if (&plan->nodes[plan->members[i].node] == node
        && has_name (what, plan->members[i].origin->name))
      return &plan->members[i];
  return NULL;
}

gboolean
sluice_debug_names (const SluiceBreakpoint *what,
                    const SluicePlan *plan,
                    const SluicePlanNode *node)
{
  if (!sluice_debug_is_node (node))
    return FALSE;
  return has_name (what, node->origin->name)
         || (node->flags & SLUICE_PLAN_TOGETHER && find_member (what, plan, node) != NULL);
}

/* ---- places ---- */

/* What the graph says of a node that the plan has not. */
static void
look_in_graph (SluiceBreakpointReport *place, const SluicePlan *plan, pthread_mutex_t *graph_lock)
{
  const SluiceBreakpoint *what = &place->what;
  SluiceGraph *graph = plan->n_nodes > 0 ? plan->nodes[0].origin->graph : NULL;
  if (graph == NULL || what->is_scope)
    return;
  pthread_mutex_lock (graph_lock);
  const SluiceNode *node = sluice_graph_find (graph, what->name);
  pthread_mutex_unlock (graph_lock);
  if (node == NULL)
    place->status = SLUICE_BREAKPOINT_UNKNOWN;
  else if (sluice_node_get_role (node) == SLUICE_ROLE_CONST)
    {
      place->status = SLUICE_BREAKPOINT_CONSTANT;
      place->value = sluice_tensor_ref (sluice_node_get_attr (node, "value")->tensor);
    }
}

/* Why a node that the plan has not is not there. */
static void
explain_absence (SluiceBreakpointReport *place, const SluicePlan *plan, pthread_mutex_t *graph_lock)
{
  const SluiceBreakpoint *what = &place->what;
  place->status = SLUICE_BREAKPOINT_PRUNED;
  look_in_graph (place, plan, graph_lock);
  for (guint i = 0; i < plan->calls->len; i++)
    if (has_name (what, g_array_index (plan->calls, SluiceWorkCall, i).origin->name))
      place->status = SLUICE_BREAKPOINT_CALL;
  for (guint32 i = 0; i < plan->n_feeds; i++)
    if (has_name (what, plan->feeds[i].node->name)
        && (what->port < 0 || plan->feeds[i].port == what->port))
      place->status = SLUICE_BREAKPOINT_FED;
}

static guint8
mark_of (SluiceBreakpointReport *place, const SluicePlan *plan, const SluicePlanNode *node)
{
  const SluiceBreakpoint *what = &place->what;
  gboolean is_behind = sluice_breakpoint_is_behind (what);
  if (!sluice_debug_names (what, plan, node))
    return 0;
  if (is_behind && node->flags & SLUICE_PLAN_TOGETHER)
    {
      if (place->status != SLUICE_BREAKPOINT_STANDS)
        place->status = SLUICE_BREAKPOINT_FUSED;
      place->fused_into = node->origin->name;
      return 0;
    }
  if (is_behind && (node->n_outputs == 0 || what->port >= node->n_outputs))
    {
      if (place->status == SLUICE_BREAKPOINT_NEW)
        place->status = SLUICE_BREAKPOINT_NO_OUTPUT;
      return 0;
    }
  place->status = SLUICE_BREAKPOINT_STANDS;
  place->n_nodes++;
  return is_behind ? DEBUG_MARK_BEHIND : DEBUG_MARK_BEFORE;
}

void
sluice_breakpoint_report_clear (SluiceBreakpointReport *self)
{
  g_clear_pointer (&self->value, sluice_tensor_unref);
}

SluiceDebugPlan *
sluice_debug_plan_new (const SluicePlan *plan,
                       const GArray *breakpoints,
                       guint64 version,
                       pthread_mutex_t *graph_lock)
{
  SluiceDebugPlan *self = g_new0 (SluiceDebugPlan, 1);
  self->ref_count = 1;
  self->serial = plan->serial;
  self->version = version;
  self->marks = g_new0 (guint8, plan->n_nodes + 1);
  self->places = g_array_new (FALSE, FALSE, sizeof (SluiceBreakpointReport));
  g_array_set_clear_func (self->places, (GDestroyNotify) sluice_breakpoint_report_clear);
  for (guint b = 0; b < breakpoints->len; b++)
    {
      SluiceBreakpointReport place = { .number = breakpoint_at (breakpoints, b)->number,
                                       .what = breakpoint_at (breakpoints, b)->what };
      for (guint32 i = 0; i < plan->n_nodes; i++)
        self->marks[i] |= mark_of (&place, plan, &plan->nodes[i]);
      if (place.status == SLUICE_BREAKPOINT_NEW)
        explain_absence (&place, plan, graph_lock);
      g_array_append_val (self->places, place);
    }
  return self;
}

SluiceDebugPlan *
sluice_debug_plan_ref (SluiceDebugPlan *self)
{
  atomic_fetch_add (&self->ref_count, 1);
  return self;
}

void
sluice_debug_plan_unref (SluiceDebugPlan *self)
{
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  g_free (self->marks);
  g_array_unref (self->places);
  g_free (self);
}

/* ---- in words ---- */

static char *
describe_constant (const SluiceBreakpointReport *self, const char *place)
{
  g_autofree char *text = sluice_tensor_to_string (self->value, 16);
  return g_strdup_printf (_ ("%s does not run: its value is known before, %s"), place, text);
}

static char *
describe_stands (const SluiceBreakpointReport *self, const char *place)
{
  g_autofree char *n_ran = sluice_count_dup ((gint64) self->n_ran);
  g_autofree char *n_hits = sluice_count_dup ((gint64) self->n_hits);
  g_autofree char *n_nodes = sluice_count_dup (self->n_nodes);
  if (self->n_ran == 0 && self->n_dead > 0)
    return g_strdup_printf (_ ("%s does not run: it is in a branch that is not taken"), place);
  if (self->n_ran > 0 && self->n_hits == 0)
    return g_strdup_printf (ngettext ("%s ran %s time, and its condition did not hold",
                                      "%s ran %s times, and its condition did not hold",
                                      (gulong) self->n_ran),
                            place, n_ran);
  if (self->n_hits > 0)
    return g_strdup_printf (
        ngettext ("%s was met %s time", "%s was met %s times", (gulong) self->n_hits), place,
        n_hits);
  return g_strdup_printf (ngettext ("%s: %s node", "%s: %s nodes", self->n_nodes), place, n_nodes);
}

char *
sluice_breakpoint_report_describe (const SluiceBreakpointReport *self)
{
  g_autofree char *place = sluice_breakpoint_to_text (&self->what);
  switch (self->status)
    {
    case SLUICE_BREAKPOINT_NEW:
      return g_strdup_printf (_ ("%s: no run has begun since it was set"), place);
    case SLUICE_BREAKPOINT_STANDS:
      return describe_stands (self, place);
    case SLUICE_BREAKPOINT_FUSED:
      return g_strdup_printf (
          _ ("%s runs within the kernel of '%s'; from the next run on it stands "
             "by itself"),
          place, self->fused_into);
    case SLUICE_BREAKPOINT_CONSTANT:
      return describe_constant (self, place);
    case SLUICE_BREAKPOINT_FED:
      return g_strdup_printf (_ ("%s does not run: it is fed"), place);
    case SLUICE_BREAKPOINT_NO_OUTPUT:
      return g_strdup_printf (_ ("%s asks about a value that the node has not; break on the node"),
                              place);
    case SLUICE_BREAKPOINT_CALL:
      return g_strdup_printf (_ ("%s is the call of a function; break on what it runs, %s/_call/"),
                              place, self->what.name);
    case SLUICE_BREAKPOINT_UNKNOWN:
      return g_strdup_printf (_ ("%s: the graph has no such node"), place);
    case SLUICE_BREAKPOINT_PRUNED:
      break;
    }
  return g_strdup_printf (_ ("%s does not run: nothing that is fetched or run needs it"), place);
}
