/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/replica-private.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/graph/savedmodel.h"
#include "engine/graph/variable-kind.h"
#include "engine/train/async-workers.h"
#include "engine/train/measured-teller.h"
#include "engine/train/saved-state.h"
#include "engine/train/sized-graph.h"
#include "engine/runtime/session/options.h"

/* ---- making one ---- */

static double
scalar_value (const SluiceTensor *t)
{
  switch ((SluiceDType) t->dtype)
    {
    case SLUICE_FLOAT:
      return ((const float *) t->data)[0];
    case SLUICE_DOUBLE:
      return ((const double *) t->data)[0];
    case SLUICE_HALF:
      return sluice_half_to_float (((const guint16 *) t->data)[0]);
    case SLUICE_BFLOAT16:
      return sluice_bfloat16_to_float (((const guint16 *) t->data)[0]);
    case SLUICE_BOOL:
      return ((const guint8 *) t->data)[0];
    case SLUICE_INT32:
    case SLUICE_INT64:
      return sluice_tensor_get_int (t, 0);
    default:
      return NAN;
    }
}

gboolean
sluice_replica_feed_dtype (
    SluiceReplica *self, const char *key, const char *text, SluiceDType *dtype, GError **error)
{
  static const SluiceDTypeSet makeable =
      SLUICE_SET_FLOATS | SLUICE_SET_INDEX | SLUICE_SET (SLUICE_UINT8) | SLUICE_SET (SLUICE_BOOL);
  SluiceEdge edge;
  if (!sluice_graph_parse_edge (self->graph, text, &edge, error))
    {
      g_prefix_error (error, "%s: ", key);
      return FALSE;
    }
  *dtype = sluice_dtype_base (sluice_edge_dtype (edge));
  if (!sluice_dtype_in (*dtype, makeable))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s=%s is %s; numbers can be fed to float, integer and bool edges", key,
                        text, sluice_dtype_name (*dtype));
  return TRUE;
}

/* Fails early, naming both shapes, where the data cannot fit the edge that it is fed to. */
static gboolean
check_feed_shape (
    SluiceReplica *self, const char *text, const SluiceTensor *values, gint64 batch, GError **error)
{
  SluiceEdge edge;
  SluiceShape fed = values->shape;
  fed.dim[0] = batch;
  if (!sluice_graph_parse_edge (self->graph, text, &edge, error))
    return FALSE;
  if (sluice_shape_compatible (&fed, sluice_edge_shape (edge)))
    return TRUE;
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "batches of %s do not fit '%s', which has shape %s; set [data] shape, or "
                      "change the placeholder",
                      sluice_shape_str (&fed, a), text,
                      sluice_shape_str (sluice_edge_shape (edge), b));
}

static gboolean
check_feed_shapes (SluiceReplica *self,
                   const SluiceExamples *examples,
                   gint64 batch,
                   GError **error)
{
  return check_feed_shape (self, self->project->feed_x, examples->x, batch, error)
         && (self->project->feed_y == NULL
             || check_feed_shape (self, self->project->feed_y, examples->y, batch, error));
}

/* Of an evaluation: whole batches and the rest. */
static gboolean
check_test_shapes (SluiceReplica *self, GError **error)
{
  if (self->test == NULL)
    return TRUE;
  gint64 size = self->project->evaluate_batch, rest = self->test->n % size;
  if ((self->test->n < size || check_feed_shapes (self, self->test, size, error))
      && (rest == 0 || check_feed_shapes (self, self->test, rest, error)))
    return TRUE;
  g_prefix_error (error, "evaluation: ");
  return FALSE;
}

gboolean
sluice_replica_check_whole (const char *key,
                            const char *edge,
                            SluiceDType dtype,
                            const SluiceTensor *values,
                            double scale,
                            GError **error)
{
  static const SluiceDTypeSet fractional = SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE);
  if (!sluice_dtype_in (dtype, SLUICE_SET_INDEX | SLUICE_SET (SLUICE_UINT8))
      || (scale == rint (scale) && !sluice_dtype_in (values->dtype, fractional)))
    return TRUE;
  for (gint64 i = 0; i < values->n_elements; i++)
    {
      double value = sluice_examples_get_value (values, i) * scale;
      if (value != rint (value))
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "%s=%s is %s, but element %" G_GINT64_FORMAT " of the data is %g; feed "
                            "a float edge, or make the data whole numbers",
                            key, edge, sluice_dtype_name (dtype), i, value);
    }
  return TRUE;
}

/* What batches take, with those that are made ahead, must fit in memory at all. */
static gboolean
check_batch_size (SluiceReplica *self, GError **error)
{
  const SluiceExamples *e = self->examples;
  gint64 batch = self->project->batch, row, bytes;
  gsize limit = sluice_allocator_get_limit (sluice_allocator_get_host ());
  if (self->host.memory_limit > 0)
    limit = MIN (limit, self->host.memory_limit);
  row = e->x->n_elements / e->n * (gint64) sluice_dtype_size (self->x_dtype)
        + e->y->n_elements / e->n * (gint64) sluice_dtype_size (self->y_dtype)
        + (gint64) sizeof (gint64);
  if (!__builtin_mul_overflow (batch, row, &bytes) && (guint64) bytes <= limit)
    return TRUE;
  g_autofree char *one = g_format_size_full ((guint64) row, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *all = g_format_size_full (limit, G_FORMAT_SIZE_IEC_UNITS);
  return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                      "[train] batch=%" G_GINT64_FORMAT ": examples of %s each make a batch that "
                      "does not fit in memory (%s); at most %" G_GINT64_FORMAT " would",
                      batch, one, all, (gint64) (limit / (guint64) row));
}

gboolean
sluice_replica_name_batch (SluiceReplica *self, GPtrArray *names, GError **error)
{
  SluiceProject *p = self->project;
  if (self->examples == NULL)
    return TRUE;
  if (p->feed_x == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "key 'x' in group [data] is missing");
  g_ptr_array_add (names, p->feed_x);
  if (!sluice_replica_feed_dtype (self, "[data] x", p->feed_x, &self->x_dtype, error))
    return FALSE;
  self->y_dtype = self->x_dtype;
  if (!sluice_replica_check_whole ("[data] x", p->feed_x, self->x_dtype, self->examples->x,
                                   p->scale, error))
    return FALSE;
  if (p->feed_y != NULL)
    {
      g_ptr_array_add (names, p->feed_y);
      if (!sluice_replica_feed_dtype (self, "[data] y", p->feed_y, &self->y_dtype, error)
          || !sluice_replica_check_whole ("[data] y", p->feed_y, self->y_dtype, self->examples->y,
                                          1, error))
        return FALSE;
    }
  return check_batch_size (self, error) && check_feed_shapes (self, self->examples, p->batch, error)
         && check_test_shapes (self, error);
}

static void
add_targets (GPtrArray *names, GArray *edges)
{
  for (guint i = 0; i < edges->len; i++)
    g_ptr_array_add (names, g_array_index (edges, SluiceNamedEdge, i).target);
}

/* target (nullable) */
static SluiceCallable *
prepare (
    SluiceReplica *self, GPtrArray *feeds, GPtrArray *fetches, const char *target, GError **error)
{
  g_autofree SluiceFeed *fed = sluice_feeds_new ((const char *const *) feeds->pdata, feeds->len);
  const SluiceStepNames names = { .feeds = fed,
                                  .fetches = (const char *const *) fetches->pdata,
                                  .targets = &target,
                                  .n_feeds = feeds->len,
                                  .n_fetches = fetches->len,
                                  .n_targets = target != NULL };
  return sluice_session_prepare (self->session, &names, error);
}

/* Of a worker: its loss and the fetches, with its train target. */
static SluiceCallable *
prepare_step (
    SluiceReplica *self, GPtrArray *feeds, guint worker, gboolean summaries, GError **error)
{
  SluiceProject *p = self->project;
  g_autoptr (GPtrArray) fetches = g_ptr_array_new ();
  g_ptr_array_add (fetches, p->loss[worker]);
  add_targets (fetches, p->fetches);
  if (summaries)
    g_ptr_array_add (fetches, p->summaries);
  return prepare (self, feeds, fetches, p->train[worker], error);
}

/* A graph that is still being made says so, before names are looked for. */
static gboolean
check_is_trained (SluiceReplica *self, GError **error)
{
  const SluiceProject *p = self->project;
  for (guint i = 0; p->train[i] != NULL; i++)
    if (sluice_graph_find (self->graph, p->train[i]) == NULL
        && !sluice_graph_has_optimizer (self->graph))
      return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                          "the graph has no '%s' and no optimizer: there is nothing to train yet; "
                          "give it a loss, then 'Train this…' on the page Build, or the command "
                          "train of sluice edit",
                          p->train[i]);
  return TRUE;
}

static gboolean
make_steps (SluiceReplica *self, GPtrArray *feeds, GError **error)
{
  SluiceProject *p = self->project;
  if (!check_is_trained (self, error))
    return FALSE;
  self->n_workers = g_strv_length (p->train);
  if (self->n_workers != g_strv_length (p->loss))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "[project] train names %u targets and loss %u edges; each train target "
                        "needs a loss",
                        self->n_workers, g_strv_length (p->loss));
  self->n_scalars = 1 + p->fetches->len;
  if (self->outputs == NULL)
    self->outputs = g_new0 (SluiceTensor *, self->n_scalars + 1);
  self->worker_steps = g_new0 (SluiceCallable *, self->n_workers);
  for (guint i = 0; i < self->n_workers; i++)
    if ((self->worker_steps[i] = prepare_step (self, feeds, i, FALSE, error)) == NULL)
      return FALSE;
  self->step = sluice_callable_ref (self->worker_steps[0]);
  if (p->summaries == NULL)
    return TRUE;
  if (self->n_workers == 1)
    return (self->step_with_summaries = prepare_step (self, feeds, 0, TRUE, error)) != NULL;
  g_autoptr (GPtrArray) fetches = g_ptr_array_new ();
  g_ptr_array_add (fetches, p->summaries);
  return (self->summaries = prepare (self, feeds, fetches, NULL, error)) != NULL;
}

/* A text is a file of its name. */
static gboolean
check_texts (SluiceReplica *self, GError **error)
{
  for (guint i = 0; i < self->project->texts->len; i++)
    {
      SluiceNamedEdge *text = &g_array_index (self->project->texts, SluiceNamedEdge, i);
      SluiceEdge edge;
      if (!sluice_graph_parse_edge (self->graph, text->target, &edge, error))
        {
          g_prefix_error (error, "[evaluate] texts: ");
          return FALSE;
        }
      if (sluice_edge_dtype (edge) != SLUICE_STRING || strchr (text->name, '/') != NULL)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "[evaluate] texts: '%s:%s' is %s; wanted are strings, and a name "
                            "without a slash",
                            text->name, text->target, sluice_dtype_name (sluice_edge_dtype (edge)));
    }
  return TRUE;
}

/* A number a step: what is known of the edge before it runs must allow that. */
static gboolean
check_number (
    SluiceReplica *self, const char *key, const char *text, SluiceDTypeSet types, GError **error)
{
  SluiceEdge edge;
  SluiceShape scalar = SLUICE_SHAPE_SCALAR;
  char shape[SLUICE_SHAPE_STR];
  if (!sluice_graph_parse_edge (self->graph, text, &edge, error))
    {
      g_prefix_error (error, "%s: ", key);
      return FALSE;
    }
  SluiceDType dtype = sluice_dtype_base (sluice_edge_dtype (edge));
  const SluiceShape *known = sluice_edge_shape (edge);
  if (dtype != SLUICE_INVALID && !sluice_dtype_in (dtype, types))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s=%s is %s; %s is wanted", key,
                        text, sluice_dtype_name (dtype),
                        types == SLUICE_SET_FLOATS ? "a float" : "a number or a bool");
  if (sluice_shape_compatible (known, &scalar)
      || (sluice_shape_is_known (known) && sluice_shape_n_elements (known) == 1))
    return TRUE;
  for (int i = 0; i < known->rank; i++)
    if (known->dim[i] < 0 && sluice_shape_n_elements (known) != 0)
      return TRUE; /* may turn out to be one element */
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "%s=%s is no scalar but of shape %s; take its mean, by a node of the graph",
                      key, text, sluice_shape_str (known, shape));
}

static gboolean
check_numbers (SluiceReplica *self, GError **error)
{
  static const SluiceDTypeSet numbers =
      SLUICE_SET_FLOATS | SLUICE_SET_INDEX | SLUICE_SET (SLUICE_BOOL);
  SluiceProject *p = self->project;
  GArray *lists[] = { p->fetches, p->evaluate };
  static const char *const list_keys[] = { "[project] fetches", "[evaluate] fetches" };
  for (guint i = 0; p->loss[i] != NULL; i++)
    if (!check_number (self, "[project] loss", p->loss[i], SLUICE_SET_FLOATS, error))
      return FALSE;
  for (guint l = 0; l < G_N_ELEMENTS (lists); l++)
    for (guint i = 0; i < lists[l]->len; i++)
      if (!check_number (self, list_keys[l], g_array_index (lists[l], SluiceNamedEdge, i).target,
                         numbers, error))
        return FALSE;
  return TRUE;
}

gboolean
sluice_replica_make_callables (SluiceReplica *self, GPtrArray *feeds, GError **error)
{
  SluiceProject *p = self->project;
  if (!make_steps (self, feeds, error) || !check_texts (self, error)
      || !check_numbers (self, error))
    return FALSE;
  if (p->evaluate->len == 0 || (self->test == NULL && self->examples != NULL))
    return TRUE;
  g_autoptr (GPtrArray) fetches = g_ptr_array_new ();
  add_targets (fetches, p->evaluate);
  g_ptr_array_set_size (feeds, (int) (feeds->len - sluice_replica_get_n_own_feeds (self)));
  self->evaluate = prepare (self, feeds, fetches, NULL, error);
  return self->evaluate != NULL;
}

SluiceReplica *
sluice_replica_new (SluiceProject *project,
                    const SluiceExamples *examples,
                    const SluiceExamples *test,
                    guint n_cpus,
                    const SluiceSessionOptions *host,
                    GError **error)
{
  SluiceGraph *graph = sluice_project_load_graph (project, error);
  return graph != NULL ? sluice_replica_new_of (project, graph, examples, test, n_cpus, host, error)
                       : NULL;
}

SluiceReplica *
sluice_replica_new_of (SluiceProject *project,
                       SluiceGraph *take_graph,
                       const SluiceExamples *examples,
                       const SluiceExamples *test,
                       guint n_cpus,
                       const SluiceSessionOptions *host,
                       GError **error)
{
  SluiceReplica *self = g_new0 (SluiceReplica, 1);
  self->project = project;
  self->examples = examples;
  self->test = test;
  self->limit = G_MAXINT64;
  SluiceSessionOptions options = project->session;
  options.n_cpus = MAX (n_cpus > 0 ? n_cpus : options.n_cpus, 1);
  if (host != NULL)
    sluice_options_copy (&options, host, SLUICE_OPTION_MACHINE);
  sluice_options_copy (&self->host, &options, SLUICE_OPTION_MACHINE);
  self->host.swap_folder = g_strdup (self->host.swap_folder);
  self->host.device = g_intern_string (self->host.device);
  self->host.device_options = g_intern_string (self->host.device_options);
  options.seed = MAX (project->seed, 1);
  options.files = project->files;
  g_autoptr (GPtrArray) feeds = g_ptr_array_new ();
  g_autoptr (SluiceCostTeller) costs =
      sluice_measured_teller_load (&options, MAX (project->batch, 1));
  if (costs != NULL)
    options.costs = costs;
  self->graph = take_graph;
  options.batch = MAX (project->batch, 1);
  g_autoptr (SluiceGraph) sized =
      options.fit > 0 ? sluice_graph_dup_sized (take_graph, options.batch) : NULL;
  options.sized = sized;
  self->session = sluice_session_new (&options, error);
  if (self->session == NULL || !sluice_session_extend (self->session, self->graph, error)
      || !sluice_replica_make_feeds (self, feeds, error)
      || !sluice_replica_make_callables (self, feeds, error))
    {
      sluice_replica_free (self);
      return NULL;
    }
  return self;
}

void
sluice_replica_drop_callables (SluiceReplica *self)
{
  for (guint i = 0; self->worker_steps != NULL && i < self->n_workers; i++)
    g_clear_pointer (&self->worker_steps[i], sluice_callable_unref);
  g_clear_pointer (&self->worker_steps, g_free);
  g_clear_pointer (&self->step, sluice_callable_unref);
  g_clear_pointer (&self->summaries, sluice_callable_unref);
  g_clear_pointer (&self->step_with_summaries, sluice_callable_unref);
  g_clear_pointer (&self->evaluate, sluice_callable_unref);
}

void
sluice_replica_free (SluiceReplica *self)
{
  g_clear_pointer (&self->workers, sluice_async_workers_free);
  sluice_replica_end_input (self);
  g_clear_pointer (&self->batches, sluice_data_batches_free);
  g_clear_pointer (&self->sent, g_array_unref);
  g_clear_pointer (&self->sent_next, g_array_unref);
  for (guint i = 0; self->feeds != NULL && i < self->n_feeds; i++)
    g_clear_pointer (&self->feeds[i], sluice_tensor_unref);
  g_free (self->feeds);
  g_free (self->outputs);
  sluice_replica_drop_callables (self);
  g_clear_pointer (&self->fit_seen, g_hash_table_unref);
  g_clear_pointer (&self->fed, g_array_unref);
  g_clear_pointer (&self->injected, g_array_unref);
  g_clear_object (&self->session);
  g_clear_pointer (&self->graph, sluice_graph_unref);
  g_free ((char *) self->host.swap_folder);
  g_free (self);
}

char *
sluice_replica_dup_devices (const SluiceReplica *self)
{
  GString *devices = g_string_new (NULL);
  for (guint i = 0; i < sluice_session_get_n_devices (self->session); i++)
    g_string_append_printf (devices, "%s%s", i > 0 ? ", " : "",
                            sluice_session_get_device (self->session, i)->short_name);
  return g_string_free (devices, FALSE);
}

gboolean
sluice_replica_check_initialize (SluiceReplica *self, GError **error)
{
  const char *const *init = (const char *const *) self->project->init;
  if (init == NULL || init[0] == NULL)
    return TRUE;
  const SluiceStepNames names = { .targets = init, .n_targets = g_strv_length ((char **) init) };
  g_autoptr (SluiceCallable) plan = sluice_session_prepare (self->session, &names, error);
  if (plan == NULL)
    g_prefix_error (error, "[project] init: ");
  return plan != NULL;
}

gboolean
sluice_replica_initialize (SluiceReplica *self, GError **error)
{
  char **init = self->project->init;
  if (init != NULL && init[0] != NULL)
    {
      const SluiceStepNames names = { .targets = (const char *const *) init,
                                      .n_targets = g_strv_length (init) };
      gboolean ok = sluice_session_run (self->session, &names, NULL, NULL, error);
      /* A device with memory of its own would keep constants as large as the variables. */
      sluice_session_forget (self->session, &names);
      if (!ok)
        return FALSE;
    }
  return sluice_replica_restore_saved_model (self, error);
}

gboolean
sluice_replica_restore_saved_model (SluiceReplica *self, GError **error)
{
  const char *path = self->project->graph_path;
  if (!sluice_saved_model_exists (path))
    return TRUE;
  g_autofree char *folder = sluice_saved_model_dup_folder (path);
  return sluice_saved_model_restore (self->session, self->graph, folder, error);
}

/* ---- steps ---- */

gboolean
sluice_replica_begin_input (SluiceReplica *self, GError **error)
{
  g_autoptr (GError) local = NULL;
  self->runners = sluice_queue_runners_start (self->session, self->graph, &local);
  if (local == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

void
sluice_replica_end_input (SluiceReplica *self)
{
  g_clear_pointer (&self->runners, sluice_queue_runners_free);
}

gboolean
sluice_replica_next_batch (SluiceReplica *self, SluiceTensor **feeds, GError **error)
{
  SluiceProject *p = self->project;
  if (self->n_batch == 0)
    return TRUE;
  if (self->batches == NULL)
    self->batches =
        sluice_data_batches_new (self->examples, p->batch, p->shuffle, p->seed, self->x_dtype,
                                 self->y_dtype, p->scale, self->cursor, error);
  if (self->batches == NULL)
    return FALSE;
  SluiceDataBatch *batch = sluice_data_batches_next (self->batches);
  gboolean ok = batch->x != NULL && batch->y != NULL;
  SluiceTensor **parts[] = { &batch->x, &batch->y };
  for (guint i = 0; i < self->n_batch; i++)
    {
      g_clear_pointer (&feeds[i], sluice_tensor_unref);
      feeds[i] = g_steal_pointer (parts[i]);
    }
  self->cursor = batch->next;
  sluice_data_batch_free (batch);
  g_clear_pointer (&self->sent, g_array_unref);
  self->sent = g_steal_pointer (&self->sent_next);
  return ok
         || sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                         "no memory for a batch of %" G_GINT64_FORMAT " examples", p->batch);
}

gboolean
sluice_replica_run_step (SluiceReplica *self,
                         SluiceCallable *step,
                         SluiceTensor *const *feeds,
                         SluiceTensor **outputs,
                         double *scalars,
                         const SluiceRunOptions *options,
                         GError **error)
{
  if (!sluice_callable_run (step, feeds, outputs, options, error))
    return FALSE;
  gboolean ok = TRUE;
  for (guint i = 0; i < self->n_scalars; i++)
    {
      if (ok && outputs[i]->n_elements != 1)
        ok = sluice_fail (
            error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is no scalar; fetch its mean instead",
            i == 0 ? self->project->loss[0]
                   : g_array_index (self->project->fetches, SluiceNamedEdge, i - 1).target);
      scalars[i] = ok ? scalar_value (outputs[i]) : NAN;
      sluice_tensor_unref (outputs[i]);
    }
  return ok;
}

guint
sluice_replica_get_n_under_way (SluiceReplica *self)
{
  return self->workers != NULL ? sluice_async_workers_get_n_under_way (self->workers) : 0;
}

/* The next of the workers' steps to end; summaries on the batch that it had. */
static gboolean
step_of_workers (SluiceReplica *self,
                 double *scalars,
                 SluiceTensor **summary,
                 const SluiceRunOptions *options,
                 GError **error)
{
  if (self->workers == NULL)
    {
      self->workers = sluice_async_workers_new (self, self->worker_steps, self->n_workers, error);
      g_clear_pointer (&self->worker_steps, g_free);
      if (self->workers == NULL)
        return FALSE;
    }
  if (!sluice_async_workers_next (self->workers, self->limit, scalars, self->feeds, options, error))
    return FALSE;
  self->n_done++;
  return summary == NULL || self->summaries == NULL
         || sluice_callable_run (self->summaries, self->feeds, summary, options, error);
}

/* The copy of the next batch runs while this one's step computes. */
static void
send_next_batch (SluiceReplica *self, SluiceCallable *step)
{
  if (self->n_batch == 0 || self->sent_next != NULL || !sluice_callable_sends (step))
    return;
  const SluiceDataBatch *next = sluice_data_batches_peek (self->batches);
  if (next == NULL)
    return;
  g_autofree SluiceTensor **feeds = g_new0 (SluiceTensor *, self->n_feeds);
  SluiceTensor *const parts[] = { next->x, next->y };
  for (guint i = 0; i < self->n_batch; i++)
    feeds[i] = parts[i];
  self->sent_next = sluice_callable_send (step, feeds);
}

static gboolean
step_alone (SluiceReplica *self,
            double *scalars,
            SluiceTensor **summary,
            const SluiceRunOptions *options,
            GError **error)
{
  gboolean with_summary = summary != NULL && self->step_with_summaries != NULL;
  guint64 since = sluice_clock_ticks ();
  if (!sluice_replica_next_batch (self, self->feeds, error))
    return FALSE;
  sluice_replica_replace_batch (self, self->feeds);
  sluice_session_note_host (self->session, SLUICE_HOST_FEED, options->step, since);
  SluiceCallable *step = with_summary ? self->step_with_summaries : self->step;
  if (self->has_run) /* its memory is known */
    send_next_batch (self, step);
  if (!sluice_replica_run_step (self, step, self->feeds, self->outputs, scalars, options, error))
    return FALSE;
  self->has_run = TRUE;
  self->n_done++;
  if (with_summary)
    *summary = self->outputs[self->n_scalars];
  return TRUE;
}

gboolean
sluice_replica_step (SluiceReplica *self,
                     double *scalars,
                     SluiceTensor **summary,
                     const SluiceRunOptions *options,
                     GError **error)
{
  g_autoptr (GError) local = NULL;
  if (!sluice_replica_obey_changes (self, error))
    return FALSE;
  if ((self->n_workers > 1 ? step_of_workers : step_alone) (self, scalars, summary, options,
                                                            &local))
    return TRUE;
  if (self->runners == NULL || sluice_queue_runners_check (self->runners, error))
    g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

gboolean
sluice_replica_replay (SluiceReplica *self,
                       gint64 n,
                       const SluiceRunOptions *options,
                       GError **error)
{
  g_autofree double *scalars = g_new (double, self->n_scalars);
  self->limit = self->n_done + n;
  for (gint64 i = 0; i < n; i++)
    if (!sluice_replica_step (self, scalars, NULL, options, error))
      return FALSE;
  return TRUE;
}

/* Adds what is fetched, weight times. */
static gboolean
evaluate_feeds (SluiceReplica *self,
                SluiceTensor *const *feeds,
                gint64 weight,
                double *sums,
                const SluiceRunOptions *options,
                GError **error)
{
  guint n = self->project->evaluate->len;
  g_autofree SluiceTensor **outputs = g_new0 (SluiceTensor *, n);
  if (!sluice_callable_run (self->evaluate, feeds, outputs, options, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      sums[i] += outputs[i]->n_elements == 1 ? scalar_value (outputs[i]) * weight : NAN;
      sluice_tensor_unref (outputs[i]);
    }
  return TRUE;
}

static gboolean
evaluate_rows (SluiceReplica *self,
               const gint64 *rows,
               gint64 n,
               double *sums,
               const SluiceRunOptions *options,
               GError **error)
{
  g_autofree SluiceTensor **feeds =
      g_memdup2 (self->feeds, self->n_feeds * sizeof (SluiceTensor *));
  g_autoptr (SluiceTensor) x =
      sluice_examples_gather (self->test->x, rows, n, self->x_dtype, self->project->scale);
  g_autoptr (SluiceTensor) y = sluice_examples_gather (self->test->y, rows, n, self->y_dtype, 1);
  if (x == NULL || y == NULL)
    return sluice_fail (
        error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
        "no memory to evaluate %" G_GINT64_FORMAT " examples at once; lower [evaluate] batch", n);
  SluiceTensor *const parts[] = { x, y };
  memcpy (feeds, parts, self->n_batch * sizeof *feeds);
  return evaluate_feeds (self, feeds, n, sums, options, error);
}

gboolean
sluice_replica_evaluate (SluiceReplica *self,
                         gint64 most,
                         double *values,
                         const SluiceRunOptions *options,
                         GError **error)
{
  memset (values, 0, self->project->evaluate->len * sizeof *values);
  if (self->test == NULL)
    return evaluate_feeds (self, self->feeds, 1, values, options, error);
  gint64 n = most > 0 ? MIN (most, self->test->n) : self->test->n;
  gint64 size = MIN (self->project->evaluate_batch, n);
  g_autofree gint64 *rows = g_try_new (gint64, size);
  if (rows == NULL)
    return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                        "no memory for the numbers of %" G_GINT64_FORMAT " examples", size);
  for (gint64 begin = 0; begin < n; begin += size)
    {
      gint64 count = MIN (size, n - begin);
      for (gint64 i = 0; i < count; i++)
        rows[i] = begin + i;
      if (!evaluate_rows (self, rows, count, values, options, error))
        return FALSE;
    }
  for (guint i = 0; i < self->project->evaluate->len; i++)
    values[i] /= n;
  return TRUE;
}

char *
sluice_replica_read_text (SluiceReplica *self,
                          const char *edge,
                          const SluiceRunOptions *options,
                          GError **error)
{
  g_autoptr (SluiceTensor) strings = NULL;
  if (!sluice_session_run (self->session, &(SluiceStepNames){ .fetches = &edge, .n_fetches = 1 },
                           &strings, options, error))
    return NULL;
  GString *text = g_string_new (NULL);
  for (gint64 i = 0; i < strings->n_elements; i++)
    {
      const SluiceString *line = (const SluiceString *) strings->data + i;
      g_string_append_len (text, line->data, line->length);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}
