/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/bench/truth-subject.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/base/pool.h"
#include "engine/graph/builder.h"
#include "engine/passes/fold.h"
#include "engine/train/step-prediction.h"

void
truth_fatal (const char *what, const GError *error)
{
  fprintf (stderr, "bench-truth: %s: %s\n", what, error != NULL ? error->message : "?");
  exit (EXIT_FAILURE);
}

double
truth_subject_step (TruthSubject *self)
{
  GError *error = NULL;
  const SluiceRunOptions options = { .step = ++self->n_steps };
  SluiceTensor *outputs[TRUTH_MOST] = { NULL }, *values[TRUTH_MOST];
  for (guint i = 0; self->feeds != NULL && i < self->feeds->len; i++)
    values[i] = g_array_index (self->feeds, SluiceFeed, i).tensor;
  guint64 before = sluice_clock_ticks ();
  if (self->step == NULL
          ? !sluice_replica_step (self->replica, self->scalars, NULL, &options, &error)
          : !sluice_callable_run (self->step, values, outputs, &options, &error))
    truth_fatal (self->name, error);
  guint64 after = sluice_clock_ticks ();
  for (guint i = 0; i < TRUTH_MOST; i++)
    g_clear_pointer (&outputs[i], sluice_tensor_unref);
  return (double) (after - before) * sluice_clock_ns_per_tick () / 1000;
}

/* Where a drawn graph's nodes may stand, by number of the graph. */
static const struct
{
  const char *name;
  const char *devices[2];
  const char *device; /* of the session */
} places[] = {
  { "CPU:0", { "/device:CPU:0", "/device:CPU:0" }, NULL },
  { "CPU:0 CPU:1", { "/device:CPU:0", "/device:CPU:1" }, NULL },
  { "CPU:0 SIM:0", { "/device:CPU:0", "/device:SIM:0" }, "SIM:0" },
  { "SIM:0 SIM:1", { "/device:SIM:0", "/device:SIM:1" }, "SIM:1" },
};

/* What every step is fed; feeds: (element-type SluiceFeed) of the graph */
static SluiceEdge
add_input (SluiceBuilder *b, GRand *lot, gint64 rows, gint64 columns, GArray *feeds)
{
  SluiceShape shape = SLUICE_SHAPE (rows, columns);
  SluiceTensor *values = sluice_tensor_new_zeros (SLUICE_FLOAT, &shape);
  float *at = values->data;
  for (gint64 i = 0; i < values->n_elements; i++)
    at[i] = (float) g_rand_double_range (lot, -0.1, 0.1);
  SluiceEdge input = sluice_builder_add (
      b, "Placeholder", NULL, NULL, 0,
      SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT), sluice_attr_shape ("shape", &shape)));
  const SluiceFeed feed = { g_strconcat (input.node->name, ":0", NULL), values };
  g_array_append_val (feeds, feed);
  return input;
}

void
truth_feed_clear (gpointer feed)
{
  SluiceFeed *self = feed;
  g_free ((char *) self->edge);
  sluice_tensor_unref (self->tensor);
}

/* A net of products, element-wise ops and reductions over some branches. */
static SluiceEdge
draw_net (SluiceBuilder *b, GRand *lot, const char *const devices[2], GArray *feeds)
{
  static const char *const ops[] = { "Relu", "Tanh", "Softmax", "Square", "Neg" };
  static const gint64 widths[] = { 32, 64, 128, 256 };
  gint64 width = widths[g_rand_int_range (lot, 0, G_N_ELEMENTS (widths))];
  SluiceEdge values[4];
  guint n_values = 1, n_layers = (guint) g_rand_int_range (lot, 4, 24);
  b->device = devices[0];
  values[0] = add_input (b, lot, TRUTH_BATCH, width, feeds);
  for (guint layer = 0; layer < n_layers; layer++)
    {
      b->device = devices[g_rand_int_range (lot, 0, 2)];
      SluiceEdge x = values[g_rand_int_range (lot, 0, (gint32) n_values)], y;
      int kind = g_rand_int_range (lot, 0, 5);
      if (kind < 2)
        y = sluice_op (b, "MatMul", x, add_input (b, lot, width, width, feeds));
      else if (kind == 2 && n_values > 1)
        y = sluice_op (b, "AddV2", x, values[g_rand_int_range (lot, 0, (gint32) n_values)]);
      else
        y = sluice_op (b, ops[g_rand_int_range (lot, 0, G_N_ELEMENTS (ops))], x);
      gboolean is_new = n_values < G_N_ELEMENTS (values) && g_rand_int_range (lot, 0, 3) == 0;
      values[is_new ? n_values++ : (guint) g_rand_int_range (lot, 0, (gint32) n_values)] = y;
    }
  b->device = devices[0];
  SluiceEdge sum = values[0];
  for (guint i = 1; i < n_values; i++)
    sum = sluice_op (b, "AddV2", sum, values[i]);
  return sluice_op (b, "Sum", sum,
                    sluice_builder_const_ints (b, SLUICE_INT32, (gint64[]){ 0, 1 }, 2));
}

TruthSubject *
truth_subject_draw (guint number)
{
  GError *error = NULL;
  TruthSubject *self = g_new0 (TruthSubject, 1);
  guint place = number % G_N_ELEMENTS (places);
  g_autoptr (GRand) lot = g_rand_new_with_seed (number + 1);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  self->feeds = g_array_new (FALSE, FALSE, sizeof (SluiceFeed));
  g_array_set_clear_func (self->feeds, truth_feed_clear);
  SluiceEdge end = draw_net (&b, lot, places[place].devices, self->feeds);
  if (!sluice_builder_finish (&b, &error))
    truth_fatal ("a graph", error);
  const SluiceSessionOptions options = { .n_cpus = 2,
                                         .device = places[place].device,
                                         .device_options = places[place].device != NULL
                                                               ? TRUTH_SIM_OPTIONS
                                                               : NULL };
  g_autofree char *fetch = g_strconcat (end.node->name, ":0", NULL);
  const SluiceStepNames names = { .feeds = (const SluiceFeed *) self->feeds->data,
                                  .n_feeds = self->feeds->len,
                                  .fetches = (const char *const *) &fetch,
                                  .n_fetches = 1 };
  self->name = g_strdup_printf ("drawn %u on %s", number, places[place].name);
  self->batch = TRUTH_BATCH;
  self->session = sluice_session_new (&options, &error);
  if (self->session == NULL || !sluice_session_extend (self->session, graph, &error)
      || (self->step = sluice_session_prepare (self->session, &names, &error)) == NULL)
    truth_fatal (self->name, error);
  self->fetches = g_ptr_array_new_with_free_func (g_free);
  self->targets = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->fetches, g_strdup (fetch));
  return self;
}

TruthSubject *
truth_subject_load (const char *folder, guint n_cpus)
{
  GError *error = NULL;
  TruthSubject *self = g_new0 (TruthSubject, 1);
  const SluiceSessionOptions options = { .n_cpus = n_cpus };
  g_autofree char *base = g_path_get_basename (folder);
  self->name = g_strdup_printf ("%s on %u CPU", base, n_cpus);
  self->project = sluice_project_load (folder, &error);
  if (self->project != NULL)
    sluice_examples_load_all (self->project, &self->examples, &self->test, &error);
  if (error == NULL)
    self->replica =
        sluice_replica_new (self->project, self->examples, self->test, n_cpus, &options, &error);
  if (error != NULL || !sluice_replica_initialize (self->replica, &error))
    truth_fatal (self->name, error);
  self->session = g_object_ref (self->replica->session);
  self->scalars = g_new0 (double, self->replica->n_scalars + 1);
  self->batch = MAX (self->project->batch, 1);
  return self;
}

void
truth_subject_free (gpointer subject)
{
  TruthSubject *self = subject;
  g_clear_pointer (&self->step, sluice_callable_unref);
  g_clear_object (&self->session);
  g_clear_pointer (&self->feeds, g_array_unref);
  g_clear_pointer (&self->fetches, g_ptr_array_unref);
  g_clear_pointer (&self->targets, g_ptr_array_unref);
  g_clear_pointer (&self->replica, sluice_replica_free);
  g_clear_pointer (&self->examples, sluice_examples_free);
  g_clear_pointer (&self->test, sluice_examples_free);
  g_clear_pointer (&self->project, sluice_project_free);
  g_free (self->scalars);
  g_free (self->name);
  g_free (self);
}

static void
add_edge (SluiceGraph *graph, const char *text, GArray *fetches)
{
  SluiceEdge edge;
  if (sluice_graph_parse_edge (graph, text, &edge, NULL))
    g_array_append_val (fetches, edge);
}

void
truth_subject_add_targets (const TruthSubject *self, GPtrArray *targets, GArray *fetches)
{
  SluiceGraph *graph = sluice_session_get_graph (self->session);
  if (self->fetches != NULL)
    {
      for (guint i = 0; i < self->fetches->len; i++)
        add_edge (graph, self->fetches->pdata[i], fetches);
      for (guint i = 0; i < self->targets->len; i++)
        g_ptr_array_add (targets, sluice_graph_find (graph, self->targets->pdata[i]));
      return;
    }
  sluice_project_add_scope (self->project, graph, targets, fetches);
}
