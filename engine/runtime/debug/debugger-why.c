/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is ready in a stopped step, and why the other nodes wait. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/runtime/debug/debugger-private.h"
#include "engine/runtime/step/frame.h"

#define NOWHERE SLUICE_PLAN_NOWHERE

/* ---- where a node is ---- */

static gboolean
is_dead_node (const SluiceActivation *act, guint32 i)
{
  const SluicePlanNode *node = &act->nodes[i];
  return act->dead != NULL && act->dead[i] > 0 && !(node->flags & SLUICE_PLAN_NEVER_DEAD)
         && (!(node->flags & SLUICE_PLAN_MERGE) || act->dead[i] == node->n_inputs);
}

static SluiceTurn
turn_of (const SluiceDebugRun *run, const SluiceActivation *act, guint32 i)
{
  if (act == run->act && i == run->i)
    return SLUICE_TURN_HERE;
  for (const SluiceInFlightCall *call = run->step->in_flight; call != NULL;
       call = call->next_in_flight)
    if (call->act == act && call->node == i)
      return SLUICE_TURN_RUNS;
  if (sluice_ready_has (&act->ready, i))
    return is_dead_node (act, i) ? SLUICE_TURN_DEAD : SLUICE_TURN_READY;
  if (act->pending[i] > 0)
    return SLUICE_TURN_WAITS;
  return is_dead_node (act, i) ? SLUICE_TURN_DEAD : SLUICE_TURN_ENDED;
}

/* ---- who gives what ---- */

/* An edge into a node. */
typedef struct
{
  guint32 source; /* node of the plan */
  guint32 port;   /* NOWHERE: a control edge */
  guint32 slot;   /* in the frame where it ends */
} Giver;

/* The plan's edges by the node where they end; a plan has them by the node where they begin. */
typedef struct
{
  const SluicePlan *plan;
  guint32 *frames; /* by node */
  guint32 *first;  /* by node, and one more */
  Giver *givers;
} Givers;

/* The frame in which the node's edges end. */
static guint32
frame_behind (const Givers *self, guint32 node)
{
  const SluicePlanNode *of = &self->plan->nodes[node];
  if (of->flags & SLUICE_PLAN_ENTER)
    return of->first_constant;
  if (of->flags & SLUICE_PLAN_EXIT)
    return self->plan->frames[self->frames[node]].parent;
  return self->frames[node];
}

static void
givers_init (Givers *self, const SluicePlan *plan)
{
  *self = (Givers){ .plan = plan,
                    .frames = g_new0 (guint32, plan->n_nodes + 1),
                    .first = g_new0 (guint32, plan->n_nodes + 2),
                    .givers = g_new (Giver, plan->n_edges + 1) };
  for (guint32 f = 0; f < plan->n_frames; f++)
    for (guint32 i = 0; i < plan->frames[f].n_nodes; i++)
      self->frames[plan->frames[f].first_node + i] = f;
  /* Twice the same walk: counts, then places. */
  for (int pass = 0; pass < 2; pass++)
    {
      for (guint32 i = 0; i < plan->n_nodes; i++)
        for (guint32 k = 0; k < plan->nodes[i].n_edges; k++)
          {
            const SluicePlanEdge *edge = &plan->edges[plan->nodes[i].first_edge + k];
            if (edge->node == NOWHERE)
              continue;
            guint32 to = plan->frames[frame_behind (self, i)].first_node + edge->node;
            gboolean is_control = edge->slot == NOWHERE;
            if (pass == 0)
              self->first[to + 1]++;
            else
              self->givers[self->first[to]++] =
                  (Giver){ i, is_control ? NOWHERE : edge->port, edge->slot };
          }
      for (guint32 i = 0; i < plan->n_nodes && pass == 0; i++)
        self->first[i + 1] += self->first[i];
    }
  memmove (self->first + 1, self->first, plan->n_nodes * sizeof (guint32));
  self->first[0] = 0;
}

static void
givers_clear (Givers *self)
{
  g_free (self->frames);
  g_free (self->first);
  g_free (self->givers);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Givers, givers_clear)

char *
sluice_debug_name_edge (const SluicePlan *plan, guint32 source, guint32 port)
{
  const SluicePlanNode *node = &plan->nodes[source];
  if (port == NOWHERE)
    return g_strconcat ("^", node->origin->name, NULL);
  for (guint32 i = 0; node->flags & SLUICE_PLAN_TOGETHER && i < plan->n_members; i++)
    if (plan->members[i].node == source && plan->members[i].output == port)
      return g_strconcat (plan->members[i].origin->name, ":0", NULL);
  return g_strdup_printf ("%s:%u", node->origin->name, port);
}

char *
sluice_debug_name_input (const SluicePlan *plan, const SluicePlanNode *node, guint32 input)
{
  const SluiceNode *origin = node->origin;
  if (!(node->flags & SLUICE_PLAN_TOGETHER) && node->n_inputs == origin->n_inputs)
    return g_strdup_printf ("%s:%d", origin->inputs[input].node->name, origin->inputs[input].port);
  g_auto (Givers) givers;
  guint32 number = (guint32) (node - plan->nodes);
  givers_init (&givers, plan);
  const guint32 slot = node->first_input + input - plan->frames[givers.frames[number]].first_slot;
  for (guint32 k = givers.first[number]; k < givers.first[number + 1]; k++)
    if (givers.givers[k].port != NOWHERE && givers.givers[k].slot == slot)
      return sluice_debug_name_edge (plan, givers.givers[k].source, givers.givers[k].port);
  return g_strdup_printf ("%u", input);
}

/* ---- the ready set ---- */

static void
add_ready (GArray *nodes, const SluiceDebugRun *run, const SluiceActivation *act)
{
  const guint32 n = run->step->plan->frames[act->number].n_nodes;
  for (guint32 i = 0; i < n; i++)
    if (sluice_ready_has (&act->ready, i) && sluice_debug_is_node (&act->nodes[i]))
      {
        SluiceDebugNode node = sluice_debug_node (run->step, act, &act->nodes[i]);
        node.turn = is_dead_node (act, i) ? SLUICE_TURN_DEAD : SLUICE_TURN_READY;
        g_array_append_val (nodes, node);
      }
}

/* Of the iteration that runs first, then those that are listed; the root goes last where it is not
 * listed. */
GArray *
sluice_debugger_dup_ready (SluiceDebugger *self)
{
  GArray *nodes = NULL;
  const SluiceDebugRun *run = sluice_debugger_lock_stopped (self);
  if (run != NULL)
    {
      const SluiceStep *step = run->step;
      const SluiceActivation *now = run->act != NULL ? run->act : &step->root;
      nodes = sluice_debug_new_nodes ();
      add_ready (nodes, run, now);
      for (const SluiceActivation *act = step->first_listed; act != NULL; act = act->next)
        if (act != now)
          add_ready (nodes, run, act);
      if (now != &step->root && !step->root.is_listed)
        add_ready (nodes, run, &step->root);
    }
  pthread_mutex_unlock (&self->lock);
  return nodes;
}

/* ---- why a node waits ---- */

typedef struct
{
  const SluiceDebugRun *run;
  Givers givers;
  GArray *whys; /* of SluiceDebugWhy */
} Search;

static void
missing_clear (gpointer data)
{
  SluiceDebugMissing *missing = data;
  g_free (missing->edge);
  sluice_debug_node_clear (&missing->source);
}

static void
why_clear (gpointer data)
{
  SluiceDebugWhy *why = data;
  sluice_debug_node_clear (&why->node);
  g_free (why->waits_for);
  g_array_unref (why->missing);
}

/* The iteration of a loop that runs. (nullable): it has ended, or not begun */
static const SluiceActivation *
find_iteration (const SluiceFrame *frame, guint64 iteration)
{
  if (frame == NULL || iteration < frame->oldest || iteration > frame->newest)
    return NULL;
  return frame->ring[iteration & (frame->n_ring - 1)];
}

/* Has the loop run inside this iteration of the frame around it? */
static gboolean
has_begun (const Search *self, const SluiceActivation *act, guint32 frame)
{
  const SluicePlan *plan = self->run->step->plan;
  for (guint32 i = 0; i < plan->frames[act->number].n_nodes; i++)
    if (act->nodes[i].flags & SLUICE_PLAN_ENTER && act->nodes[i].first_constant == frame
        && turn_of (self->run, act, i) == SLUICE_TURN_ENDED)
      return TRUE;
  return FALSE;
}

/* Where the giver of an edge into the iteration is. FALSE: it has ended, or gives nothing here. */
static gboolean
find_giver (const Search *self,
            const SluiceActivation *act,
            guint32 source,
            const SluiceActivation **of,
            SluiceTurn *turn)
{
  const SluicePlan *plan = self->run->step->plan;
  const guint32 frame = self->givers.frames[source];
  const SluicePlanNode *node = &plan->nodes[source];
  *of = act;
  *turn = SLUICE_TURN_NO_FRAME;
  if (node->flags & SLUICE_PLAN_EXIT)
    {
      const SluiceFrame *child = act->children[plan->frames[frame].child];
      *of = child != NULL ? find_iteration (child, child->newest) : NULL;
      if (child == NULL)
        return !has_begun (self, act, frame);
    }
  else if (node->flags & SLUICE_PLAN_ENTER)
    {
      if (act->iteration > 0 && !(node->flags & SLUICE_PLAN_FRAME_CONSTANT))
        return FALSE;
      *of = act->frame->parent;
    }
  else if (node->flags & SLUICE_PLAN_NEXT)
    *of = act->iteration > 0 ? find_iteration (act->frame, act->iteration - 1) : NULL;
  if (*of == NULL)
    return FALSE;
  *turn = turn_of (self->run, *of, source - plan->frames[(*of)->number].first_node);
  if (node->flags & SLUICE_PLAN_EXIT && *turn == SLUICE_TURN_DEAD)
    *turn = SLUICE_TURN_WAITS; /* a later iteration may give it */
  return *turn != SLUICE_TURN_ENDED && *turn != SLUICE_TURN_DEAD;
}

/* Behind what only moves values or waits for several stands what they wait for. */
static void
add_missing (const Search *self, const SluiceActivation *act, guint32 node, GArray *missing)
{
  const SluicePlan *plan = self->run->step->plan;
  for (guint32 k = self->givers.first[node]; k < self->givers.first[node + 1]; k++)
    {
      const Giver *giver = &self->givers.givers[k];
      const SluiceActivation *of;
      SluiceDebugMissing item;
      SluiceTurn turn;
      if (!find_giver (self, act, giver->source, &of, &turn))
        continue;
      if (!sluice_debug_is_node (&plan->nodes[giver->source]) && turn == SLUICE_TURN_WAITS)
        {
          add_missing (self, of, giver->source, missing);
          continue;
        }
      item.edge = sluice_debug_name_edge (plan, giver->source, giver->port);
      item.source = sluice_debug_node (self->run->step, of, &plan->nodes[giver->source]);
      item.source.turn = turn;
      g_array_append_val (missing, item);
    }
}

/* In the words of the kernel that waits. (transfer full) (nullable) */
static char *
describe_wait (const SluiceDebugRun *run, const SluiceActivation *act, guint32 i)
{
  char *text = NULL;
  for (SluiceInFlightCall *call = run->step->in_flight; call != NULL; call = call->next_in_flight)
    if (call->act == act && call->node == i && call->call.kernel != NULL
        && call->call.kernel->describe_wait != NULL)
      {
        pthread_mutex_lock (run->step->env.graph_lock);
        text = call->call.kernel->describe_wait (&call->call);
        pthread_mutex_unlock (run->step->env.graph_lock);
      }
  return text;
}

static void
add_why (Search *self, const SluiceActivation *act, guint32 i)
{
  const SluiceDebugRun *run = self->run;
  SluiceDebugWhy why = { .node = sluice_debug_node (run->step, act, &act->nodes[i]),
                         .missing = g_array_new (FALSE, TRUE, sizeof (SluiceDebugMissing)) };
  g_array_set_clear_func (why.missing, missing_clear);
  why.node.turn = turn_of (run, act, i);
  if (why.node.turn == SLUICE_TURN_RUNS)
    why.waits_for = describe_wait (run, act, i);
  else if (why.node.turn == SLUICE_TURN_WAITS)
    add_missing (self, act, (guint32) (&act->nodes[i] - run->step->plan->nodes), why.missing);
  g_array_append_val (self->whys, why);
}

/* Does the node, or one that its kernel runs, have this name? NULL: does it wait? */
static gboolean
is_asked_for (const Search *self, const SluiceActivation *act, guint32 i, const char *name)
{
  const SluicePlanNode *node = &act->nodes[i];
  if (name != NULL)
    return sluice_debug_names (&(SluiceBreakpoint){ .name = name }, self->run->step->plan, node);
  SluiceTurn turn = turn_of (self->run, act, i);
  return sluice_debug_is_node (node) && (turn == SLUICE_TURN_WAITS || turn == SLUICE_TURN_RUNS);
}

static void
search_iteration (Search *self, const SluiceActivation *act, const char *name)
{
  const SluicePlan *plan = self->run->step->plan;
  const SluicePlanFrame *frame = &plan->frames[act->number];
  for (guint32 i = 0; i < frame->n_nodes; i++)
    if (is_asked_for (self, act, i, name))
      add_why (self, act, i);
  for (guint32 c = 0; c < frame->n_children; c++)
    for (guint64 k = act->children[c] != NULL ? act->children[c]->oldest : 1;
         act->children[c] != NULL && k <= act->children[c]->newest; k++)
      search_iteration (self, find_iteration (act->children[c], k), name);
}

/* Of a node that the plan has in a loop that does not run. */
static void
add_without_frame (Search *self, const char *name)
{
  const SluicePlan *plan = self->run->step->plan;
  const SluiceBreakpoint what = { .name = name };
  for (guint32 i = 0; name != NULL && self->whys->len == 0 && i < plan->n_nodes; i++)
    if (sluice_debug_names (&what, plan, &plan->nodes[i]))
      {
        SluiceDebugWhy why = { .node = sluice_debug_node (self->run->step, NULL, &plan->nodes[i]),
                               .missing = g_array_new (FALSE, TRUE, sizeof (SluiceDebugMissing)) };
        why.node.turn = SLUICE_TURN_NO_FRAME;
        why.node.frame = g_intern_string (plan->frames[self->givers.frames[i]].name);
        g_array_append_val (self->whys, why);
      }
}

/* Why the plan has no such node. */
static void
fail_no_node (const SluiceStep *step, const char *name, GError **error)
{
  g_autoptr (GArray) one = g_array_new (FALSE, TRUE, sizeof (SluiceBreakpointReport));
  SluiceBreakpointReport asked = { .what = { .name = name, .port = -1 } };
  g_array_append_val (one, asked);
  SluiceDebugPlan *found = sluice_debug_plan_new (step->plan, one, 0, step->env.graph_lock);
  g_autofree char *text = sluice_breakpoint_report_describe (breakpoint_at (found->places, 0));
  sluice_debug_plan_unref (found);
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "%s", text);
}

GArray *
sluice_debugger_dup_why (SluiceDebugger *self, const char *name, GError **error)
{
  GArray *whys = NULL;
  const char *interned = name != NULL ? sluice_intern (name) : NULL;
  const SluiceDebugRun *run = sluice_debugger_lock_stopped (self);
  if (run == NULL)
    sluice_debug_fail_not_stopped (error);
  else
    {
      whys = g_array_new (FALSE, TRUE, sizeof (SluiceDebugWhy));
      g_array_set_clear_func (whys, why_clear);
      Search search = { .run = run, .whys = whys };
      givers_init (&search.givers, run->step->plan);
      search_iteration (&search, &run->step->root, interned);
      add_without_frame (&search, interned);
      givers_clear (&search.givers);
      if (interned != NULL && whys->len == 0)
        {
          fail_no_node (run->step, interned, error);
          g_clear_pointer (&whys, g_array_unref);
        }
    }
  pthread_mutex_unlock (&self->lock);
  return whys;
}
