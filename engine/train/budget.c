/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/train/budget.h"

#include <math.h>

#include "engine/base/allocator.h"
#include "engine/base/error.h"
#include "engine/graph/variable-kind.h"
#include "engine/passes/forecast.h"
#include "engine/runtime/session/session.h"
#include "engine/train/calibration.h"

static void
device_clear (gpointer data)
{
  g_free (((SluiceBudgetDevice *) data)->name);
}

void
sluice_budget_free (SluiceBudget *self)
{
  g_clear_pointer (&self->devices, g_array_unref);
  g_free (self);
}

/* ---- what a step is ---- */

typedef struct
{
  GPtrArray *fed, *fetched, *run; /* names */
  gboolean is_training;
} Step;

static void
step_clear (Step *self)
{
  g_ptr_array_unref (self->fed);
  g_ptr_array_unref (self->fetched);
  g_ptr_array_unref (self->run);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Step, step_clear)

/* What is wrong, and all behind it. (transfer full): a set */
static GHashTable *
find_stuck (SluiceGraph *graph)
{
  GHashTable *stuck = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (graph, i);
      if (node->error != NULL && g_hash_table_add (stuck, node))
        g_ptr_array_add (todo, node);
    }
  while (todo->len > 0)
    {
      guint n;
      const SluiceUse *uses =
          sluice_graph_get_uses (graph, g_ptr_array_steal_index_fast (todo, todo->len - 1), &n);
      for (guint i = 0; i < n; i++)
        if (g_hash_table_add (stuck, uses[i].node))
          g_ptr_array_add (todo, uses[i].node);
    }
  return stuck;
}

/* Is it computed for somebody, and by itself? */
static gboolean
is_end (SluiceGraph *graph, const SluiceNode *node)
{
  guint n_uses;
  sluice_graph_get_uses (graph, node, &n_uses);
  return n_uses == 0 && node->n_outputs > 0 && node->n_inputs > 0 && !sluice_node_is_stateful (node)
         && sluice_dtype_is_floating (node->outputs[0].dtype);
}

/* The half that computes gradients ends in some that nobody asked for. */
static void
keep_losses (SluiceGraph *graph, GPtrArray *fetched)
{
  for (guint i = fetched->len; i-- > 0;)
    if (sluice_graph_find (graph, fetched->pdata[i])->outputs[0].shape.rank != 0)
      g_ptr_array_remove_index (fetched, i);
}

static void
find_step (Step *self, SluiceGraph *graph)
{
  self->fed = g_ptr_array_new ();
  self->fetched = g_ptr_array_new ();
  self->run = g_ptr_array_new ();
  g_autoptr (GHashTable) stuck = find_stuck (graph);
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      gboolean updates = node->op != NULL && (node->op->def->flags & SLUICE_OP_OPTIMIZER);
      self->is_training |= updates;
      if (g_hash_table_contains (stuck, node))
        continue;
      if (updates)
        g_ptr_array_add (self->run, (gpointer) node->name);
      else if (sluice_node_get_role (node) == SLUICE_ROLE_PLACEHOLDER && node->n_inputs == 0)
        g_ptr_array_add (self->fed, (gpointer) node->name);
      else if (is_end (graph, node))
        g_ptr_array_add (self->fetched, (gpointer) node->name);
    }
  if (self->is_training)
    keep_losses (graph, self->fetched);
}

static double
count_parameters (SluiceGraph *graph)
{
  gboolean has_optimizer = sluice_graph_has_optimizer (graph);
  double n = 0;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (sluice_variable_get_kind (graph, node, has_optimizer) == SLUICE_VARIABLE_TRAINED)
        n += sluice_variable_get_elements (node);
    }
  return n;
}

static SluiceForecast *
look_ahead (SluiceSession *session, const Step *step, gint64 batch, GError **error)
{
  g_autofree SluiceFeed *feeds =
      sluice_feeds_new ((const char *const *) step->fed->pdata, step->fed->len);
  const SluiceStepNames names = { .feeds = feeds,
                                  .n_feeds = step->fed->len,
                                  .fetches = (const char *const *) step->fetched->pdata,
                                  .n_fetches = step->fetched->len,
                                  .targets = (const char *const *) step->run->pdata,
                                  .n_targets = step->run->len };
  return sluice_session_forecast (session, &names, batch, error);
}

static void
take_forecast (SluiceBudget *self, SluiceSession *session, const SluiceForecast *forecast)
{
  double of_host = (double) sluice_allocator_get_limit (sluice_allocator_get_host ());
  for (guint i = 0; i < forecast->n_devices; i++)
    {
      const SluiceDevice *at = sluice_session_get_device (session, i);
      double bytes = forecast->value_bytes[i] + forecast->held_bytes[i];
      double limit = (double) sluice_allocator_get_limit (at->allocator);
      if (limit <= 0 && g_str_has_prefix (at->short_name, "CPU:"))
        limit = of_host;
      if (i > 0 && bytes <= 0)
        continue;
      SluiceBudgetDevice device = { g_strdup (at->short_name), bytes,
                                    limit > 0 && limit < 1e18 ? limit : NAN };
      g_array_append_val (self->devices, device);
    }
  for (guint i = 0; i < forecast->calls->len; i++)
    self->flops += g_array_index (forecast->calls, SluiceForecastCall, i).cost.flops;
  self->flops /= (double) MAX (self->batch, 1);
}

SluiceBudget *
sluice_budget_new (SluiceGraph *graph,
                   const SluiceSessionOptions *where,
                   gint64 batch,
                   const char *folder,
                   GCancellable *cancellable,
                   GError **error)
{
  SluiceSessionOptions options = { .n_cpus = 1, .no_trace = TRUE, .seed = 1 };
  if (where != NULL)
    {
      options.n_cpus = MAX (where->n_cpus, 1);
      options.device = where->device;
      options.device_options = where->device_options;
      options.memory_limit = where->memory_limit;
    }
  g_autoptr (SluiceBudget) self = g_new0 (SluiceBudget, 1);
  g_auto (Step) step = { NULL };
  SluiceCalibration speed;
  self->devices = g_array_new (FALSE, FALSE, sizeof (SluiceBudgetDevice));
  g_array_set_clear_func (self->devices, device_clear);
  self->batch = batch;
  self->step_us = self->plus_minus = NAN;
  self->parameters = count_parameters (graph);
  find_step (&step, graph);
  self->is_training = step.is_training;
  if (step.fetched->len + step.run->len == 0)
    return g_steal_pointer (&self);
  g_autoptr (SluiceSession) session = sluice_session_new (&options, error);
  if (session == NULL || !sluice_session_extend (session, graph, error))
    return NULL;
  g_autoptr (SluiceForecast) forecast = look_ahead (session, &step, batch, error);
  if (forecast == NULL || g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  take_forecast (self, session, forecast);
  if (sluice_calibration_get (folder, &speed, cancellable, NULL))
    self->step_us = sluice_calibration_get_step_us (&speed, forecast->calls, &self->plus_minus);
  if (forecast->n_looped > 0 || forecast->n_not_known > 0)
    self->plus_minus = NAN;
  return g_steal_pointer (&self);
}
