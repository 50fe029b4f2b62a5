/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/machine.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/graphdef.h"

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

/* The dtype of a feed, which must be one that batches are made in. key: what names it in
 * project.ini. */
static gboolean
feed_dtype (Machine *self, const char *key, const char *text, SluiceDType *dtype, GError **error)
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
    Machine *self, const char *text, const SluiceTensor *values, gint64 batch, GError **error)
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
check_feed_shapes (Machine *self, const SluiceExamples *examples, gint64 batch, GError **error)
{
  return check_feed_shape (self, self->project->feed_x, examples->x, batch, error)
         && check_feed_shape (self, self->project->feed_y, examples->y, batch, error);
}

/* Of an evaluation: whole batches and the rest. */
static gboolean
check_test_shapes (Machine *self, GError **error)
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

static gboolean
make_batch_feeds (Machine *self, GPtrArray *names, GError **error)
{
  SluiceProject *p = self->project;
  if (self->examples == NULL)
    return TRUE;
  if (!feed_dtype (self, "[data] x", p->feed_x, &self->x_dtype, error)
      || !feed_dtype (self, "[data] y", p->feed_y, &self->y_dtype, error)
      || !check_feed_shapes (self, self->examples, p->batch, error)
      || !check_test_shapes (self, error))
    return FALSE;
  g_ptr_array_add (names, p->feed_x);
  g_ptr_array_add (names, p->feed_y);
  return TRUE;
}

static gboolean
make_feeds (Machine *self, GPtrArray *names, GError **error)
{
  SluiceProject *p = self->project;
  if (!make_batch_feeds (self, names, error))
    return FALSE;
  guint first = names->len;
  self->n_feeds = first + p->overrides->len;
  self->feeds = g_new0 (SluiceTensor *, self->n_feeds + 1);
  for (guint i = 0; i < p->overrides->len; i++)
    {
      SluiceOverride *override = &g_array_index (p->overrides, SluiceOverride, i);
      g_autofree char *key = g_strdup_printf ("[parameters] %s", override->name);
      SluiceDType dtype;
      if (!feed_dtype (self, key, override->edge, &dtype, error))
        return FALSE;
      g_autoptr (SluiceTensor) value =
          sluice_tensor_new_from (SLUICE_DOUBLE, &SLUICE_SHAPE (1), &override->value);
      g_autoptr (SluiceTensor) cast = sluice_examples_gather (value, (gint64[]){ 0 }, 1, dtype, 1);
      self->feeds[first + i] = sluice_tensor_new_view (cast, &SLUICE_SHAPE_SCALAR, 0);
      g_ptr_array_add (names, override->edge);
    }
  return TRUE;
}

static void
add_targets (GPtrArray *names, GArray *edges)
{
  for (guint i = 0; i < edges->len; i++)
    g_ptr_array_add (names, g_array_index (edges, SluiceNamedEdge, i).target);
}

static gboolean
make_callables (Machine *self, GPtrArray *feeds, GError **error)
{
  SluiceProject *p = self->project;
  const char *const *feed_names = (const char *const *) feeds->pdata;
  g_autoptr (GPtrArray) fetches = g_ptr_array_new ();
  g_ptr_array_add (fetches, p->loss);
  add_targets (fetches, p->fetches);
  self->n_scalars = fetches->len;
  self->outputs = g_new0 (SluiceTensor *, self->n_scalars + 1);
  self->step = sluice_session_prepare (self->session, feed_names, feeds->len,
                                       (const char *const *) fetches->pdata, fetches->len,
                                       (const char *const[]){ p->train }, 1, error);
  if (self->step == NULL)
    return FALSE;
  if (p->summaries != NULL)
    {
      g_ptr_array_add (fetches, p->summaries);
      self->step_with_summaries = sluice_session_prepare (
          self->session, feed_names, feeds->len, (const char *const *) fetches->pdata, fetches->len,
          (const char *const[]){ p->train }, 1, error);
      if (self->step_with_summaries == NULL)
        return FALSE;
    }
  if (self->test == NULL || p->evaluate->len == 0)
    return TRUE;
  g_ptr_array_set_size (fetches, 0);
  add_targets (fetches, p->evaluate);
  self->evaluate =
      sluice_session_prepare (self->session, feed_names, feeds->len,
                              (const char *const *) fetches->pdata, fetches->len, NULL, 0, error);
  return self->evaluate != NULL;
}

Machine *
machine_new (SluiceProject *project,
             const SluiceExamples *examples,
             const SluiceExamples *test,
             guint n_cpus,
             GError **error)
{
  Machine *self = g_new0 (Machine, 1);
  self->project = project;
  self->examples = examples;
  self->test = test;
  SluiceSessionOptions options = { .n_cpus = n_cpus,
                                   .seed = MAX (project->seed, 1),
                                   .soft_placement = TRUE };
  g_autoptr (GPtrArray) feeds = g_ptr_array_new ();
  self->graph = sluice_graph_load_file (project->graph_path, error);
  self->session = self->graph != NULL ? sluice_session_new (&options, error) : NULL;
  if (self->session == NULL || !sluice_session_extend (self->session, self->graph, error)
      || !make_feeds (self, feeds, error) || !make_callables (self, feeds, error))
    {
      machine_free (self);
      return NULL;
    }
  return self;
}

void
machine_free (Machine *self)
{
  machine_end_input (self);
  g_clear_pointer (&self->batches, sluice_batches_free);
  for (guint i = 0; self->feeds != NULL && i < self->n_feeds; i++)
    g_clear_pointer (&self->feeds[i], sluice_tensor_unref);
  g_free (self->feeds);
  g_free (self->outputs);
  g_clear_pointer (&self->step, sluice_callable_unref);
  g_clear_pointer (&self->step_with_summaries, sluice_callable_unref);
  g_clear_pointer (&self->evaluate, sluice_callable_unref);
  g_clear_object (&self->session);
  g_clear_pointer (&self->graph, sluice_graph_unref);
  g_free (self);
}

gboolean
machine_initialize (Machine *self, GError **error)
{
  char **init = self->project->init;
  if (init == NULL || init[0] == NULL)
    return TRUE;
  return sluice_session_run (self->session, NULL, 0, NULL, 0, (const char *const *) init,
                             g_strv_length (init), NULL, NULL, error);
}

/* ---- steps ---- */

gboolean
machine_begin_input (Machine *self, GError **error)
{
  g_autoptr (GError) local = NULL;
  self->runners = sluice_queue_runners_start (self->session, self->graph, &local);
  if (local == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

void
machine_end_input (Machine *self)
{
  g_clear_pointer (&self->runners, sluice_queue_runners_free);
}

static gboolean
next_batch (Machine *self, GError **error)
{
  SluiceProject *p = self->project;
  if (self->examples == NULL)
    return TRUE;
  if (self->batches == NULL)
    self->batches = sluice_batches_new (self->examples, p->batch, p->shuffle, p->seed,
                                        self->x_dtype, self->y_dtype, p->scale, self->cursor);
  SluiceBatch *batch = sluice_batches_next (self->batches);
  g_clear_pointer (&self->feeds[0], sluice_tensor_unref);
  g_clear_pointer (&self->feeds[1], sluice_tensor_unref);
  self->feeds[0] = g_steal_pointer (&batch->x);
  self->feeds[1] = g_steal_pointer (&batch->y);
  self->cursor = batch->next;
  sluice_batch_free (batch);
  return (self->feeds[0] != NULL && self->feeds[1] != NULL)
         || sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                         "no memory for a batch of %" G_GINT64_FORMAT " examples", p->batch);
}

gboolean
machine_step (Machine *self,
              double *scalars,
              SluiceTensor **summary,
              const SluiceRunOptions *options,
              GError **error)
{
  gboolean with_summary = summary != NULL && self->step_with_summaries != NULL;
  SluiceTensor **outputs = self->outputs;
  g_autoptr (GError) local = NULL;
  if (!next_batch (self, error))
    return FALSE;
  if (!sluice_callable_run (with_summary ? self->step_with_summaries : self->step, self->feeds,
                            outputs, options, &local))
    {
      if (self->runners == NULL || sluice_queue_runners_check (self->runners, error))
        g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  self->n_done++;
  gboolean ok = TRUE;
  for (guint i = 0; i < self->n_scalars; i++)
    {
      if (ok && outputs[i]->n_elements != 1)
        ok = sluice_fail (
            error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is no scalar; fetch its mean instead",
            i == 0 ? self->project->loss
                   : g_array_index (self->project->fetches, SluiceNamedEdge, i - 1).target);
      scalars[i] = ok ? scalar_value (outputs[i]) : NAN;
      sluice_tensor_unref (outputs[i]);
    }
  if (with_summary)
    *summary = outputs[self->n_scalars];
  return ok;
}

gboolean
machine_replay (Machine *self, gint64 n, const SluiceRunOptions *options, GError **error)
{
  g_autofree double *scalars = g_new (double, self->n_scalars);
  for (gint64 i = 0; i < n; i++)
    if (!machine_step (self, scalars, NULL, options, error))
      return FALSE;
  return TRUE;
}

static gboolean
evaluate_rows (Machine *self,
               const gint64 *rows,
               gint64 n,
               double *sums,
               const SluiceRunOptions *options,
               GError **error)
{
  SluiceProject *p = self->project;
  g_autofree SluiceTensor **feeds =
      g_memdup2 (self->feeds, self->n_feeds * sizeof (SluiceTensor *));
  g_autofree SluiceTensor **outputs = g_new0 (SluiceTensor *, p->evaluate->len);
  g_autoptr (SluiceTensor) x =
      sluice_examples_gather (self->test->x, rows, n, self->x_dtype, p->scale);
  g_autoptr (SluiceTensor) y = sluice_examples_gather (self->test->y, rows, n, self->y_dtype, 1);
  if (x == NULL || y == NULL)
    return sluice_fail (
        error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
        "no memory to evaluate %" G_GINT64_FORMAT " examples at once; lower [evaluate] batch", n);
  feeds[0] = x;
  feeds[1] = y;
  if (!sluice_callable_run (self->evaluate, feeds, outputs, options, error))
    return FALSE;
  for (guint i = 0; i < p->evaluate->len; i++)
    {
      sums[i] += outputs[i]->n_elements == 1 ? scalar_value (outputs[i]) * n : NAN;
      sluice_tensor_unref (outputs[i]);
    }
  return TRUE;
}

gboolean
machine_evaluate (Machine *self, double *values, const SluiceRunOptions *options, GError **error)
{
  gint64 size = self->project->evaluate_batch, n = self->test->n;
  g_autofree gint64 *rows = g_new (gint64, size);
  memset (values, 0, self->project->evaluate->len * sizeof *values);
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
