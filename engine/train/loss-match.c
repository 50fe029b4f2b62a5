/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/loss-match.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/train/comparison.h"
#include "engine/train/replica.h"

typedef struct
{
  SluiceProject *project;
  SluiceExamples *examples, *test;
  SluiceReplica *replica;
  SluiceDataBatches *batches; /* (nullable) */
  SluiceFeed feeds[2];        /* of a batch; their tensors are owned */
  guint n_feeds;
} Side;

typedef struct
{
  const SluiceLossMatchOptions *options;
  Side sides[2];
  GPtrArray *edges; /* of char: outputs of a step that both have, by name */
  SluiceLossMatch *found;
} Match;

static void
drop_batch (Side *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->feeds); i++)
    g_clear_pointer (&self->feeds[i].tensor, sluice_tensor_unref);
}

static void
side_clear (Side *self)
{
  drop_batch (self);
  g_clear_pointer (&self->batches, sluice_data_batches_free);
  g_clear_pointer (&self->replica, sluice_replica_free);
  g_clear_pointer (&self->examples, sluice_examples_free);
  g_clear_pointer (&self->test, sluice_examples_free);
}

static void
match_clear (Match *self)
{
  side_clear (&self->sides[0]);
  side_clear (&self->sides[1]);
  g_clear_pointer (&self->edges, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Match, match_clear)

/* ---- both sides ---- */

static gboolean
side_begin (Side *self, const SluiceLossMatchOptions *options, GError **error)
{
  if (!sluice_examples_load_all (self->project, &self->examples, &self->test, error))
    return FALSE;
  self->replica =
      sluice_replica_new (self->project, self->examples, self->test, 0, options->host, error);
  return self->replica != NULL && sluice_replica_initialize (self->replica, error)
         && (options->init_from == NULL
             || sluice_replica_take_values (self->replica, options->init_from, SLUICE_TAKE_THERE,
                                            error))
         && sluice_replica_begin_input (self->replica, error);
}

/* In the order of the first one. */
static gboolean
begin_batches (Side *self, const SluiceProject *first, GError **error)
{
  const SluiceReplica *replica = self->replica;
  char *const edges[] = { self->project->feed_x, self->project->feed_y };
  const SluiceDataCursor start = { 0, 0 };
  self->n_feeds = replica->n_batch;
  for (guint i = 0; i < self->n_feeds; i++)
    self->feeds[i].edge = edges[i];
  if (self->n_feeds > 0)
    self->batches = sluice_data_batches_new (self->examples, first->batch, first->shuffle,
                                             first->seed, replica->x_dtype, replica->y_dtype,
                                             self->project->scale, start, error);
  return self->n_feeds == 0 || self->batches != NULL;
}

static gboolean
take_batch (Side *self, GError **error)
{
  drop_batch (self);
  if (self->batches == NULL)
    return TRUE;
  SluiceDataBatch *batch = sluice_data_batches_next (self->batches);
  SluiceTensor **parts[] = { &batch->x, &batch->y };
  gboolean ok = batch->x != NULL && batch->y != NULL;
  for (guint i = 0; i < self->n_feeds; i++)
    self->feeds[i].tensor = g_steal_pointer (parts[i]);
  sluice_data_batch_free (batch);
  return ok || sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "no memory for a batch");
}

/* ---- what is compared ---- */

/* (transfer full) (nullable) (element-type utf8): outputs of a step, gradients among them, without
 * what writes a variable */
static GPtrArray *
list_edges (const Side *self, GError **error)
{
  const SluiceProject *p = self->project;
  g_autoptr (SluiceGraph) graph = sluice_project_load_graph (p, error);
  g_autoptr (GPtrArray) edges = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) writers = g_ptr_array_new_with_free_func (g_free);
  const SluiceStepNames names = { .feeds = self->feeds,
                                  .n_feeds = self->n_feeds,
                                  .targets = (const char *const *) p->train,
                                  .n_targets = 1,
                                  .fetches = (const char *const *) p->loss,
                                  .n_fetches = 1 };
  return graph != NULL && sluice_comparison_list_parts (graph, &names, edges, writers, error)
             ? g_steal_pointer (&edges)
             : NULL;
}

static gboolean
has_edge (const Side *self, const char *name)
{
  SluiceEdge edge;
  return sluice_graph_parse_edge (self->replica->graph, name, &edge, NULL);
}

/* In the order of the first. */
static gboolean
list_common (Match *self, GError **error)
{
  g_autoptr (GPtrArray) first = list_edges (&self->sides[0], error);
  g_autoptr (GPtrArray) second = first != NULL ? list_edges (&self->sides[1], error) : NULL;
  if (second == NULL)
    return FALSE;
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < second->len; i++)
    if (has_edge (&self->sides[1], second->pdata[i]))
      g_hash_table_add (names, second->pdata[i]);
  self->edges = g_ptr_array_new_with_free_func (g_free);
  self->found->n_only[1] = g_hash_table_size (names);
  for (guint i = 0; i < first->len; i++)
    {
      if (!has_edge (&self->sides[0], first->pdata[i]))
        continue; /* it stands in a call that was written out only to list it */
      if (!g_hash_table_contains (names, first->pdata[i]))
        self->found->n_only[0]++;
      else
        {
          self->found->n_only[1]--;
          g_ptr_array_add (self->edges, g_strdup (first->pdata[i]));
        }
    }
  self->found->n_compared = self->edges->len;
  return TRUE;
}

static void
unref_value (gpointer tensor)
{
  if (tensor != NULL)
    sluice_tensor_unref (tensor);
}

/* The loss, then these. edges: (nullable). (transfer full) (nullable) (element-type SluiceTensor)
 */
static GPtrArray *
fetch (const Match *self, guint side, const GPtrArray *edges, GError **error)
{
  const Side *of = &self->sides[side];
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func (unref_value);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_ptr_array_add (names, of->project->loss[0]);
  for (guint i = 0; edges != NULL && i < edges->len; i++)
    g_ptr_array_add (names, edges->pdata[i]);
  g_ptr_array_set_size (values, (int) names->len);
  const SluiceStepNames step = { .feeds = of->feeds,
                                 .n_feeds = of->n_feeds,
                                 .fetches = (const char *const *) names->pdata,
                                 .n_fetches = names->len };
  const SluiceRunOptions options = { .fetches_dead = TRUE,
                                     .cancellable = self->options->cancellable };
  return sluice_session_run (of->replica->session, &step, (SluiceTensor **) values->pdata, &options,
                             error)
             ? g_steal_pointer (&values)
             : NULL;
}

/* ---- differences ---- */

static void
find_first_op (Match *self, gint64 batch, const GPtrArray *first, const GPtrArray *second)
{
  SluiceGraph *graph = self->sides[0].replica->graph;
  g_autoptr (GArray) rows = sluice_compared_new_array ();
  for (guint i = 0; i < self->edges->len; i++)
    {
      const SluiceTensor *a = first->pdata[i + 1], *b = second->pdata[i + 1];
      const char *name = self->edges->pdata[i];
      SluiceEdge edge;
      if (a != NULL && b != NULL && sluice_graph_parse_edge (graph, name, &edge, NULL))
        sluice_compared_set (sluice_compared_add (rows, edge, name), b, a,
                             &self->options->tolerance);
    }
  self->found->first = sluice_divergence_find (graph, rows);
  self->found->batch = batch;
}

static gboolean
get_loss (const Side *side, const SluiceTensor *tensor, double *loss, GError **error)
{
  if (tensor == NULL || tensor->n_elements != 1)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is no scalar; name its mean as the loss", side->project->loss[0]);
  *loss = (double) sluice_tensor_get_number (tensor, 0).re;
  return TRUE;
}

/* One batch; ops: also what stands on the way to the loss. */
static gboolean
match_batch (Match *self, gint64 batch, gboolean ops, GError **error)
{
  const GPtrArray *edges = ops ? self->edges : NULL;
  SluiceLossPair pair;
  g_autoptr (GPtrArray) first = fetch (self, 0, edges, error);
  g_autoptr (GPtrArray) second = first != NULL ? fetch (self, 1, edges, error) : NULL;
  if (second == NULL || !get_loss (&self->sides[0], first->pdata[0], &pair.first, error)
      || !get_loss (&self->sides[1], second->pdata[0], &pair.second, error))
    return FALSE;
  g_autoptr (GArray) losses = sluice_compared_new_array ();
  SluiceCompared *loss = sluice_compared_add (losses, (SluiceEdge){ 0 }, NULL);
  sluice_compared_set (loss, second->pdata[0], first->pdata[0], &self->options->tolerance);
  self->found->equal &= !loss->diverges;
  g_array_append_val (self->found->losses, pair);
  if (ops)
    find_first_op (self, batch, first, second);
  return TRUE;
}

static gboolean
match_batches (Match *self, GError **error)
{
  for (guint i = 0; i < self->options->n_batches && self->found->equal; i++)
    {
      if (!take_batch (&self->sides[0], error) || !take_batch (&self->sides[1], error)
          || !match_batch (self, i + 1, i == 0, error))
        return FALSE;
      /* Where no op differed yet the batch tells which does. */
      if (!self->found->equal && self->found->first == NULL && i > 0)
        {
          g_array_set_size (self->found->losses, i);
          if (!match_batch (self, i + 1, TRUE, error))
            return FALSE;
        }
    }
  return TRUE;
}

/* ---- the whole ---- */

SluiceLossMatch *
sluice_loss_match (SluiceProject *first,
                   SluiceProject *second,
                   const SluiceLossMatchOptions *options,
                   GError **error)
{
  g_autoptr (SluiceLossMatch) found = g_new0 (SluiceLossMatch, 1);
  g_auto (Match) self = { .options = options,
                          .sides = { { .project = first }, { .project = second } },
                          .found = found };
  found->equal = TRUE;
  found->losses = g_array_new (FALSE, FALSE, sizeof (SluiceLossPair));
  if (sluice_project_has_own_input (first) != sluice_project_has_own_input (second))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "one takes its batches out of its graph and the other does not: there are no "
                   "batches that both can be given");
      return NULL;
    }
  for (guint i = 0; i < G_N_ELEMENTS (self.sides); i++)
    if (!side_begin (&self.sides[i], options, error)
        || !begin_batches (&self.sides[i], first, error))
      {
        g_prefix_error (error, "%s: ", self.sides[i].project->folder);
        return NULL;
      }
  return list_common (&self, error) && match_batches (&self, error) ? g_steal_pointer (&found)
                                                                    : NULL;
}

void
sluice_loss_match_free (SluiceLossMatch *self)
{
  g_clear_pointer (&self->first, sluice_divergence_free);
  g_array_unref (self->losses);
  g_free (self);
}
