/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/live-graph.h"

#include <stdlib.h>
#include <string.h>

#include "engine/graph/intern.h"

/* Steps of which a loop's rounds are kept: lanes tell of them one after the other, and of the step
 * under way only half. */
#define N_STEPS 16

typedef struct
{
  guint64 newest; /* step */
  struct
  {
    guint64 step, rounds; /* rounds: the highest number of an iteration, of which the last one only
                             finds that there is no more to do */
    gboolean used;
  } steps[N_STEPS]; /* by the step's number */
} Rounds;

/* A name's times, step by step. */
typedef struct
{
  const char *name; /* (nullable): interned */
  guint group;
  gboolean is_node;
  struct
  {
    guint64 step;
    double us;
    gboolean used;
  } steps[SLUICE_LIVE_STEPS]; /* by the step's number */
  SluiceLiveTimes times;      /* as far as they do not follow from the steps */
  GArray *until_us;           /* of double, by lane: read when the focus came */
} Focus;

struct _SluiceLiveGraph
{
  gatomicrefcount ref_count;
  SluiceSession *session;
  SluiceHierarchy *hierarchy;
  /* The reader's. */
  guint64 cursor, n_events;
  double *seconds;   /* per group, all that is below it included */
  GHashTable *loops; /* name, owned by the session -> Rounds */
  Focus focus;
  guint64 newest; /* step */
  /* What of it is shown. */
  double *shown_seconds;
  GHashTable *shown_loops; /* name -> gint64: iterations */
  const char *shown_name;  /* (nullable): whose times these are */
  SluiceLiveTimes shown_times;
};

SluiceLiveGraph *
sluice_live_graph_new (SluiceSession *session, SluiceHierarchy *hierarchy)
{
  SluiceLiveGraph *self = g_new0 (SluiceLiveGraph, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->session = g_object_ref (session);
  self->hierarchy = sluice_hierarchy_ref (hierarchy);
  self->seconds = g_new0 (double, sluice_hierarchy_get_n_groups (hierarchy));
  self->shown_seconds = g_new0 (double, sluice_hierarchy_get_n_groups (hierarchy));
  self->focus.until_us = g_array_new (FALSE, TRUE, sizeof (double));
  self->loops = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  self->shown_loops = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  return self;
}

SluiceLiveGraph *
sluice_live_graph_ref (SluiceLiveGraph *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
sluice_live_graph_unref (SluiceLiveGraph *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_hash_table_unref (self->loops);
  g_hash_table_unref (self->shown_loops);
  g_free (self->seconds);
  g_free (self->shown_seconds);
  g_array_unref (self->focus.until_us);
  sluice_hierarchy_unref (self->hierarchy);
  sluice_session_drop_trace (self->session, &self->cursor);
  g_object_unref (self->session);
  g_free (self);
}

gboolean
sluice_live_graph_is_of (SluiceLiveGraph *self, SluiceSession *session, SluiceHierarchy *hierarchy)
{
  return self->session == session && self->hierarchy == hierarchy;
}

/* The group of a node; what a call was written out to counts for the call. */
static guint
find_group (SluiceLiveGraph *self, const char *node)
{
  SluiceGraphModel *model = sluice_hierarchy_get_model (self->hierarchy);
  guint index = sluice_graph_model_lookup (model, node);
  if (index != G_MAXUINT)
    return sluice_hierarchy_get_op_group (self->hierarchy, index);
  g_autofree char *path = g_strdup (node);
  for (char *slash = strrchr (path, '/'); slash != NULL; slash = strrchr (path, '/'))
    {
      *slash = '\0';
      guint found = sluice_hierarchy_lookup (self->hierarchy, path);
      if (found != SLUICE_NONE)
        return found;
    }
  return 0;
}

static void
add_time (SluiceLiveGraph *self, const SluiceTraceEvent *event)
{
  double time = event->end_us - event->start_us;
  if (sluice_trace_kind_is_wait (event->kind) || time <= 0)
    return; /* waiting is no work */
  guint group = find_group (self, event->node);
  for (; group != 0; group = sluice_hierarchy_get_group (self->hierarchy, group)->parent)
    self->seconds[group] += time;
  self->seconds[0] += time;
}

static void
add_round (SluiceLiveGraph *self, const SluiceTraceEvent *event)
{
  guint at = event->step % N_STEPS;
  Rounds *rounds = g_hash_table_lookup (self->loops, event->frame);
  if (rounds == NULL)
    {
      rounds = g_new0 (Rounds, 1);
      g_hash_table_insert (self->loops, (char *) event->frame, rounds);
    }
  rounds->newest = MAX (rounds->newest, event->step);
  if (!rounds->steps[at].used || rounds->steps[at].step < event->step)
    {
      rounds->steps[at].used = TRUE;
      rounds->steps[at].step = event->step;
      rounds->steps[at].rounds = 0;
    }
  if (rounds->steps[at].step == event->step)
    rounds->steps[at].rounds = MAX (rounds->steps[at].rounds, event->iteration);
}

/* Of the newest step, or of the one before it where that went further. */
static gint64
count_rounds (const Rounds *rounds)
{
  guint64 before = 0, newest = 0;
  gint64 n = 0;
  for (guint i = 0; i < N_STEPS; i++)
    if (rounds->steps[i].used && rounds->steps[i].step == rounds->newest)
      newest = rounds->steps[i].rounds;
    else if (rounds->steps[i].used && rounds->steps[i].step >= before)
      {
        before = rounds->steps[i].step;
        n = (gint64) rounds->steps[i].rounds;
      }
  return MAX (n, (gint64) newest);
}

/* ---- the focus ---- */

/* Of a call that was written out, its nodes run. */
static gboolean
is_of_call (const char *node, const char *call)
{
  const gsize length = strlen (call);
  return strncmp (node, call, length) == 0 && g_str_has_prefix (node + length, "/_call");
}

/* Is it of the focus? Of a node that runs within another's kernel, the other's event is. */
static gboolean
is_of_focus (SluiceLiveGraph *self, const SluiceTraceEvent *event)
{
  const Focus *focus = &self->focus;
  if (event->node == focus->name || (focus->is_node && is_of_call (event->node, focus->name)))
    return TRUE;
  for (guint i = 0; focus->is_node && event->with != NULL && event->with[i] != NULL; i++)
    if (event->with[i] == focus->name)
      return TRUE;
  return !focus->is_node && focus->group != SLUICE_NONE /* the graph was edited without it */
         && sluice_hierarchy_is_below (self->hierarchy, find_group (self, event->node),
                                       focus->group);
}

static void
note_focus (SluiceLiveGraph *self, const SluiceTraceEvent *event)
{
  Focus *focus = &self->focus;
  double us = event->end_us - event->start_us;
  guint at = event->step % SLUICE_LIVE_STEPS;
  if (event->kind != SLUICE_TRACE_NODE || us < 0 || !is_of_focus (self, event))
    return;
  if (!focus->steps[at].used || focus->steps[at].step < event->step)
    {
      focus->steps[at].used = TRUE;
      focus->steps[at].step = event->step;
      focus->steps[at].us = 0;
    }
  if (focus->steps[at].step == event->step)
    focus->steps[at].us += us;
  if (!focus->is_node || is_of_call (event->node, focus->name))
    return;
  focus->times.runs_in = event->with != NULL ? event->node : NULL;
  focus->times.n_others = event->with != NULL ? g_strv_length ((char **) event->with) : 0;
  if (event->with == NULL)
    focus->times.bytes = event->bytes_out;
}

/* What the trace still has. */
static void
take_old (const SluiceTraceEvent *event, gpointer data)
{
  SluiceLiveGraph *self = data;
  GArray *until_us = self->focus.until_us;
  if (event->node == NULL)
    return;
  note_focus (self, event);
  if (event->lane >= until_us->len)
    g_array_set_size (until_us, event->lane + 1);
  double *until = &g_array_index (until_us, double, event->lane);
  *until = MAX (*until, event->end_us);
}

/* All that the trace still has, once. */
static void
set_focus (SluiceLiveGraph *self, const char *name)
{
  Focus *focus = &self->focus;
  SluiceGraphModel *model = sluice_hierarchy_get_model (self->hierarchy);
  guint64 cursor = 0;
  g_array_set_size (focus->until_us, 0);
  *focus = (Focus){ .name = name, .until_us = focus->until_us };
  if (name == NULL)
    return;
  focus->is_node = sluice_graph_model_lookup (model, name) != G_MAXUINT;
  focus->group = focus->is_node ? 0 : sluice_hierarchy_lookup (self->hierarchy, name);
  if (focus->group == SLUICE_NONE)
    return;
  sluice_session_each_trace (self->session, &cursor, take_old, self);
  sluice_session_drop_trace (self->session, &cursor);
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

/* Of the steps before the newest, which may be under way; of that where it is the only one. */
static SluiceLiveTimes
sum_up_focus (const SluiceLiveGraph *self)
{
  const Focus *focus = &self->focus;
  SluiceLiveTimes times = focus->times;
  double us[SLUICE_LIVE_STEPS];
  guint64 newest = 0;
  guint n_used = 0;
  for (guint i = 0; i < SLUICE_LIVE_STEPS; i++)
    n_used += focus->steps[i].used;
  for (guint i = 0; i < SLUICE_LIVE_STEPS; i++)
    {
      if (!focus->steps[i].used || (n_used > 1 && focus->steps[i].step == self->newest))
        continue;
      us[times.n_steps++] = focus->steps[i].us;
      if (focus->steps[i].step >= newest)
        {
          newest = times.step = focus->steps[i].step;
          times.last_us = focus->steps[i].us;
        }
    }
  if (times.n_steps == 0)
    return times;
  qsort (us, times.n_steps, sizeof *us, compare_doubles);
  times.median_us = us[(times.n_steps - 1) / 2];
  times.p95_us = us[(times.n_steps - 1) * 95 / 100];
  return times;
}

static void
take_new (const SluiceTraceEvent *event, gpointer data)
{
  SluiceLiveGraph *self = data;
  self->n_events++;
  if (event->node == NULL)
    return;
  add_time (self, event);
  self->newest = MAX (self->newest, event->step);
  if (self->focus.name != NULL
      && (event->lane >= self->focus.until_us->len
          || event->end_us > g_array_index (self->focus.until_us, double, event->lane)))
    note_focus (self, event);
  if (event->frame != NULL)
    add_round (self, event);
}

gboolean
sluice_live_graph_read (SluiceLiveGraph *self, const char *focus)
{
  guint64 n_before = self->n_events;
  focus = focus != NULL ? sluice_intern (focus) : NULL;
  gboolean is_other = focus != self->focus.name;
  if (is_other)
    set_focus (self, focus);
  sluice_session_each_trace (self->session, &self->cursor, take_new, self);
  return self->n_events > n_before || is_other;
}

void
sluice_live_graph_show (SluiceLiveGraph *self)
{
  GHashTableIter iter;
  gpointer name, value;
  memcpy (self->shown_seconds, self->seconds,
          sluice_hierarchy_get_n_groups (self->hierarchy) * sizeof (double));
  self->shown_name = self->focus.name;
  self->shown_times = sum_up_focus (self);
  g_hash_table_iter_init (&iter, self->loops);
  while (g_hash_table_iter_next (&iter, &name, &value))
    {
      gint64 n = count_rounds (value);
      g_hash_table_insert (self->shown_loops, name, g_memdup2 (&n, sizeof n));
    }
}

static double
share_of (SluiceLiveGraph *self, guint group)
{
  const double *seconds = self->shown_seconds;
  return seconds[0] > 0 && seconds[group] > 0 ? seconds[group] / seconds[0] : -1;
}

double
sluice_live_graph_get_share (SluiceLiveGraph *self, const char *name)
{
  if (self == NULL)
    return -1;
  SluiceGraphModel *model = sluice_hierarchy_get_model (self->hierarchy);
  guint group = sluice_hierarchy_lookup (self->hierarchy, name);
  guint index = sluice_graph_model_lookup (model, name);
  if (group == SLUICE_NONE && index != G_MAXUINT)
    group = sluice_hierarchy_get_op_group (self->hierarchy, index);
  if (group == SLUICE_NONE)
    return -1;
  return share_of (self, group);
}

gboolean
sluice_live_graph_get_times (SluiceLiveGraph *self, const char *name, SluiceLiveTimes *times)
{
  if (self == NULL || self->shown_name == NULL || !g_str_equal (self->shown_name, name)
      || self->shown_times.n_steps == 0)
    return FALSE;
  *times = self->shown_times;
  return TRUE;
}

gint64
sluice_live_graph_get_iterations (SluiceLiveGraph *self, const char *loop)
{
  const gint64 *n = self != NULL ? g_hash_table_lookup (self->shown_loops, loop) : NULL;
  return n != NULL ? *n : -1;
}

GArray *
sluice_live_graph_dup_values (SluiceLiveGraph *self, GPtrArray *texts)
{
  GArray *values = g_array_new (FALSE, TRUE, sizeof (SluiceCanvasValue));
  for (guint i = 1; i < sluice_hierarchy_get_n_groups (self->hierarchy); i++)
    {
      const SluiceGroup *g = sluice_hierarchy_get_group (self->hierarchy, i);
      SluiceCanvasValue value = { .name = g->path, .share = share_of (self, i), .bytes = -1 };
      const char *loop = g->loop != NULL ? g->loop : g->inner_loop;
      gint64 rounds = loop != NULL ? sluice_live_graph_get_iterations (self, loop) : -1;
      if (rounds >= 0)
        {
          g_ptr_array_add (texts, sluice_loop_note ((guint64) rounds));
          value.text = texts->pdata[texts->len - 1];
        }
      if (value.share >= 0 || value.text != NULL)
        g_array_append_val (values, value);
    }
  return values;
}
