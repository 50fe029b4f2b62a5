/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/role.h"
#include "engine/store/checkpoint.h"
#include "engine/train/comparison.h"
#include "engine/train/reproduce-private.h"
#include "engine/train/retrace.h"

/* A project at work. */
typedef struct
{
  SluiceProject *project;
  SluiceExamples *examples, *test;
  SluiceReplica *replica;
  double *scalars;
} Side;

typedef struct
{
  SluiceReproducer *of;
  Side was, is;
} Pair;

/* ---- both sides ---- */

static void
side_clear (Side *self)
{
  g_clear_pointer (&self->replica, sluice_replica_free);
  g_clear_pointer (&self->examples, sluice_examples_free);
  g_clear_pointer (&self->test, sluice_examples_free);
  g_clear_pointer (&self->scalars, g_free);
}

static void
pair_clear (Pair *self)
{
  side_clear (&self->was);
  side_clear (&self->is);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pair, pair_clear)

static gboolean
side_begin (Side *self, SluiceReproducer *of, SluiceProject *project, GError **error)
{
  self->project = project;
  if (!sluice_examples_load_all (project, &self->examples, &self->test, error))
    return FALSE;
  self->replica = sluice_reproducer_new_replica (of, project, self->examples, self->test, error);
  if (self->replica != NULL)
    self->scalars = g_new0 (double, self->replica->n_scalars);
  return self->replica != NULL;
}

/* Nothing has run yet. */
static gboolean
pair_begin (Pair *self, GError **error)
{
  GArray *segments = self->of->segments;
  SluiceProject *now = g_array_index (segments, SluiceSegment, segments->len - 1).project;
  return side_begin (&self->was, self->of, self->of->recorded, error)
         && side_begin (&self->is, self->of, now, error);
}

static gboolean
side_start (Side *self, const char *start, GError **error)
{
  return (start != NULL ? sluice_replica_restore (self->replica, start, error)
                        : sluice_replica_initialize (self->replica, error))
         && sluice_replica_begin_input (self->replica, error);
}

static gboolean
pair_start (Pair *self, const char *start, GError **error)
{
  return pair_begin (self, error) && side_start (&self->was, start, error)
         && side_start (&self->is, start, error);
}

/* ---- variables ---- */

/* The first that differs by name; NULL: none, or an error. */
static SluiceParting *
compare_variables (const Pair *self, GError **error)
{
  g_autoptr (GArray) was = sluice_replica_dup_variables (self->was.replica, error);
  g_autoptr (GArray) is =
      was != NULL ? sluice_replica_dup_variables (self->is.replica, error) : NULL;
  for (guint i = 0; is != NULL && i < MIN (was->len, is->len); i++)
    {
      const SluiceNamedTensor *a = &g_array_index (was, SluiceNamedTensor, i);
      const SluiceNamedTensor *b = &g_array_index (is, SluiceNamedTensor, i);
      const char *node = sluice_graph_find_variable_node (self->is.replica->graph, b->name);
      SluiceParting *parting = strcmp (a->name, b->name) == 0
                                   ? sluice_parting_new_of (node, b->name, a->tensor, b->tensor)
                                   : NULL;
      if (parting != NULL)
        return parting;
    }
  return NULL;
}

/* ---- the first op ---- */

/* Of a step: what it is fed, computes and changes. */
typedef struct
{
  SluiceFeed *feeds; /* by name; tensors are those of either side */
  guint n_feeds;
  GPtrArray *edges, *writers; /* of char */
} Parts;

static void
parts_clear (Parts *self)
{
  g_free (self->feeds);
  g_clear_pointer (&self->edges, g_ptr_array_unref);
  g_clear_pointer (&self->writers, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Parts, parts_clear)

static SluiceFeed *
dup_feeds (const Side *side, gboolean fed)
{
  const SluiceReplica *replica = side->replica;
  SluiceFeed *feeds = g_new0 (SluiceFeed, replica->n_feeds + 1);
  const char *const batch[] = { side->project->feed_x, side->project->feed_y };
  for (guint i = 0; i < replica->n_feeds; i++)
    feeds[i] = (SluiceFeed){
      i < replica->n_batch
          ? batch[i]
          : g_array_index (replica->fed, SluiceOverride, i - replica->n_batch).edge,
      fed ? replica->feeds[i] : NULL,
    };
  return feeds;
}

/* names: of targets and fetches; feeds are added. */
static gboolean
list_parts (const Pair *self, SluiceStepNames names, Parts *parts, GError **error)
{
  g_autoptr (SluiceGraph) graph = sluice_project_load_graph (self->was.project, error);
  if (graph == NULL)
    return FALSE;
  parts->edges = g_ptr_array_new_with_free_func (g_free);
  parts->writers = g_ptr_array_new_with_free_func (g_free);
  parts->feeds = dup_feeds (&self->was, FALSE);
  names.feeds = parts->feeds;
  names.n_feeds = self->was.replica->n_feeds;
  if (!sluice_comparison_list_parts (graph, &names, parts->edges, parts->writers, error))
    return FALSE;
  /* What stands in a call that was written out is there only here. */
  for (guint i = parts->edges->len; i-- > 0;)
    {
      SluiceEdge edge;
      if (!sluice_graph_parse_edge (self->is.replica->graph, parts->edges->pdata[i], &edge, NULL)
          || !sluice_graph_parse_edge (self->was.replica->graph, parts->edges->pdata[i], &edge,
                                       NULL))
        g_ptr_array_remove_index (parts->edges, i);
    }
  return TRUE;
}

static void
unref_value (gpointer tensor)
{
  if (tensor != NULL)
    sluice_tensor_unref (tensor);
}

/* (transfer full) (nullable) (element-type SluiceTensor) */
static GPtrArray *
fetch_edges (const Side *side, const GPtrArray *edges, gboolean fed, GError **error)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func (unref_value);
  g_autofree SluiceFeed *feeds = dup_feeds (side, TRUE);
  g_ptr_array_set_size (values, (int) edges->len);
  const SluiceStepNames names = { .feeds = feeds,
                                  .n_feeds = fed ? side->replica->n_feeds : 0,
                                  .fetches = (const char *const *) edges->pdata,
                                  .n_fetches = edges->len };
  return sluice_session_run (side->replica->session, &names, (SluiceTensor **) values->pdata,
                             &(SluiceRunOptions){ .fetches_dead = TRUE }, error)
             ? g_steal_pointer (&values)
             : NULL;
}

/* fed: the step has a batch. */
static SluiceParting *
compare_edges (const Pair *self, const Parts *parts, gboolean fed, GError **error)
{
  g_autoptr (GPtrArray) was = fetch_edges (&self->was, parts->edges, fed, error);
  g_autoptr (GPtrArray) is = was != NULL ? fetch_edges (&self->is, parts->edges, fed, error) : NULL;
  for (guint i = 0; is != NULL && i < parts->edges->len; i++)
    {
      const char *name = parts->edges->pdata[i];
      g_autofree char *node = g_strndup (name, strcspn (name, ":"));
      SluiceParting *parting = was->pdata[i] != NULL && is->pdata[i] != NULL
                                   ? sluice_parting_new_of (node, name, was->pdata[i], is->pdata[i])
                                   : NULL;
      if (parting != NULL)
        return parting;
    }
  return NULL;
}

/* Of the variables that differ, the one that is written first. */
static SluiceParting *
compare_written (const Pair *self, const Parts *parts, GError **error)
{
  g_autoptr (GArray) was = sluice_replica_dup_variables (self->was.replica, error);
  g_autoptr (GArray) is =
      was != NULL ? sluice_replica_dup_variables (self->is.replica, error) : NULL;
  if (is == NULL)
    return NULL;
  SluiceGraph *graph = self->is.replica->graph;
  for (guint w = 0; w < parts->writers->len; w++)
    {
      const SluiceNode *writer = sluice_graph_find (graph, parts->writers->pdata[w]);
      const SluiceNode *variable = writer != NULL ? sluice_comparison_find_written (writer) : NULL;
      for (guint i = 0; variable != NULL && i < MIN (was->len, is->len); i++)
        {
          const SluiceNamedTensor *a = &g_array_index (was, SluiceNamedTensor, i);
          const SluiceNamedTensor *b = &g_array_index (is, SluiceNamedTensor, i);
          if (strcmp (a->name, b->name) != 0
              || strcmp (sluice_graph_find_variable_node (graph, b->name), variable->name) != 0)
            continue;
          SluiceParting *parting =
              sluice_parting_new_of (writer->name, b->name, a->tensor, b->tensor);
          if (parting != NULL)
            return parting;
        }
    }
  return compare_variables (self, error);
}

/* ---- feeds ---- */

/* What is fed, or stands in the graph where nothing is. (transfer full) (nullable) */
static SluiceTensor *
dup_fed (const Side *side, const char *edge)
{
  g_autofree SluiceFeed *feeds = dup_feeds (side, TRUE);
  SluiceTensor *value = NULL;
  for (guint i = 0; i < side->replica->n_feeds; i++)
    if (strcmp (feeds[i].edge, edge) == 0)
      return sluice_tensor_ref (feeds[i].tensor);
  return sluice_session_run (side->replica->session,
                             &(SluiceStepNames){ .fetches = &edge, .n_fetches = 1 }, &value, NULL,
                             NULL)
             ? value
             : NULL;
}

static SluiceParting *
compare_feeds (const Pair *self)
{
  const Side *sides[] = { &self->was, &self->is };
  for (guint s = 0; s < G_N_ELEMENTS (sides); s++)
    {
      g_autofree SluiceFeed *feeds = dup_feeds (sides[s], FALSE);
      for (guint i = 0; i < sides[s]->replica->n_feeds; i++)
        {
          g_autoptr (SluiceTensor) was = dup_fed (&self->was, feeds[i].edge);
          g_autoptr (SluiceTensor) is = dup_fed (&self->is, feeds[i].edge);
          g_autofree char *node = g_strndup (feeds[i].edge, strcspn (feeds[i].edge, ":"));
          SluiceParting *parting = was != NULL && is != NULL
                                       ? sluice_parting_new_of (node, feeds[i].edge, was, is)
                                       : NULL;
          if (parting != NULL)
            return parting;
        }
    }
  return NULL;
}

/* ---- steps ---- */

static gboolean
side_take_batch (Side *self, GError **error)
{
  return sluice_replica_obey_changes (self->replica, error)
         && sluice_replica_next_batch (self->replica, self->replica->feeds, error);
}

static gboolean
side_run (Side *self, GError **error)
{
  SluiceReplica *replica = self->replica;
  const SluiceRunOptions options = { .step = (guint64) replica->n_done + 1 };
  if (!sluice_replica_run_step (replica, replica->step, replica->feeds, replica->outputs,
                                self->scalars, &options, error))
    return FALSE;
  replica->n_done++;
  return TRUE;
}

/* By the initial values: which node of the initialiser made them first. */
static SluiceParting *
find_initial (SluiceReproducer *of, GError **error)
{
  g_auto (Pair) pair = { .of = of };
  g_auto (Parts) parts = { 0 };
  const char *const *init = (const char *const *) of->recorded->init;
  if (!pair_start (&pair, NULL, error))
    return NULL;
  SluiceParting *variable = compare_variables (&pair, error);
  if (variable == NULL || init == NULL)
    return variable;
  pair_clear (&pair);
  const SluiceStepNames names = { .targets = init, .n_targets = g_strv_length ((char **) init) };
  SluiceParting *op = pair_begin (&pair, NULL) && list_parts (&pair, names, &parts, NULL)
                          ? compare_edges (&pair, &parts, FALSE, NULL)
                          : NULL;
  if (op == NULL)
    return variable;
  sluice_parting_free (variable);
  return op;
}

/* Both stand before the step, with its batch. */
static SluiceParting *
find_op (Pair *pair, GError **error)
{
  const SluiceProject *project = pair->was.project;
  g_auto (Parts) parts = { 0 };
  g_autoptr (GPtrArray) fetches = g_ptr_array_new ();
  for (guint i = 0; i < project->fetches->len; i++)
    g_ptr_array_add (fetches, g_array_index (project->fetches, SluiceNamedEdge, i).target);
  g_ptr_array_add (fetches, project->loss[0]);
  const SluiceStepNames names = { .targets = (const char *const *) project->train,
                                  .n_targets = 1,
                                  .fetches = (const char *const *) fetches->pdata,
                                  .n_fetches = fetches->len };
  if (!list_parts (pair, names, &parts, error))
    return NULL;
  SluiceParting *parting = compare_edges (pair, &parts, TRUE, NULL);
  if (parting != NULL || !side_run (&pair->was, error) || !side_run (&pair->is, error))
    return parting;
  return compare_written (pair, &parts, error);
}

/* Replays up to the step before, and looks into it. */
static SluiceParting *
look_into_step (SluiceReproducer *of, const char *start, gint64 step, GError **error)
{
  g_auto (Pair) pair = { .of = of };
  if (!pair_start (&pair, start, error))
    return NULL;
  Side *sides[] = { &pair.was, &pair.is };
  for (guint s = 0; s < G_N_ELEMENTS (sides); s++)
    {
      if (!sluice_replica_retrace (sides[s]->replica, step - 1, NULL, error)
          || !side_take_batch (sides[s], error))
        return NULL;
    }
  return find_op (&pair, error);
}

/* TRUE: they part in the step; *parting: (nullable): where, if that is known already. */
static gboolean
parts_in_step (Pair *pair, SluiceParting **parting, gboolean *ok, GError **error)
{
  *ok = side_take_batch (&pair->was, error) && side_take_batch (&pair->is, error);
  if (!*ok || (*parting = compare_feeds (pair)) != NULL)
    return *ok;
  *ok = side_run (&pair->was, error) && side_run (&pair->is, error);
  if (!*ok)
    return FALSE;
  GError *failed = NULL;
  g_autoptr (SluiceParting) variable = compare_variables (pair, &failed);
  *ok = failed == NULL;
  if (failed != NULL)
    g_propagate_error (error, failed);
  return variable != NULL
         || memcmp (pair->was.scalars, pair->is.scalars,
                    MIN (pair->was.replica->n_scalars, pair->is.replica->n_scalars)
                        * sizeof (double))
                != 0;
}

SluiceParting *
sluice_reproducer_find_option (SluiceReproducer *self,
                               const char *start,
                               gint64 last,
                               GError **error)
{
  g_auto (Pair) pair = { .of = self };
  g_autoptr (GError) local = NULL;
  SluiceParting *parting = start == NULL ? find_initial (self, &local) : NULL;
  if (parting != NULL || local != NULL || !pair_start (&pair, start, error))
    {
      if (local != NULL)
        g_propagate_error (error, g_steal_pointer (&local));
      return parting;
    }
  while (pair.is.replica->n_done < last)
    {
      gint64 step = pair.is.replica->n_done + 1;
      gboolean ok;
      if (g_cancellable_set_error_if_cancelled (self->options->cancellable, error))
        return NULL;
      gboolean parts = parts_in_step (&pair, &parting, &ok, error);
      if (!ok)
        return NULL;
      if (!parts)
        continue;
      if (parting == NULL)
        parting = look_into_step (self, start, step, error);
      if (parting != NULL)
        parting->step = step;
      return parting;
    }
  return NULL;
}
