/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Edges that have another value than the graph's while it is trained. */
#include <glib/gstdio.h>
#include <string.h>

#include "engine/graph/edit.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "engine/store/checkpoint.h"
#include "engine/train/replica.h"
#include "kernels/registry.h"
#include "tests/lib/sample-project.h"

typedef struct
{
  SluiceProject *project;
  SluiceExamples *examples;
  SluiceReplica *replica;
} Fixture;

static void
set_up (Fixture *f, gconstpointer sample)
{
  g_autoptr (GError) error = NULL;
  f->project = sample_load_project (sample);
  if (!sluice_project_has_own_input (f->project))
    f->examples = sluice_examples_load (f->project, FALSE, &error);
  g_assert_no_error (error);
  f->replica = sluice_replica_new (f->project, f->examples, NULL, 1, NULL, &error);
  g_assert_no_error (error);
  sluice_replica_initialize (f->replica, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  sluice_replica_free (f->replica);
  g_clear_pointer (&f->examples, sluice_examples_free);
  sluice_project_free (f->project);
}

static double
step (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_autofree double *scalars = g_new (double, f->replica->n_scalars);
  const SluiceRunOptions options = { .step = (guint64) f->replica->n_done + 1 };
  sluice_replica_step (f->replica, scalars, NULL, &options, &error);
  g_assert_no_error (error);
  return scalars[0];
}

static void
inject (Fixture *f, const char *edge, const char *value)
{
  g_autoptr (GError) error = NULL;
  sluice_replica_inject (f->replica, edge, value, &error);
  g_assert_no_error (error);
}

static void
assert_refused (Fixture *f, const char *edge, const char *value, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (sluice_replica_inject (f->replica, edge, value, &error));
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, part));
}

/* The same batch again and again is learnt by heart. */
static void
test_batch (Fixture *f, gconstpointer unused)
{
  step (f);
  inject (f, "input/x", "now");
  inject (f, "input/y:0", "now");
  g_autoptr (SluiceTensor) x = sluice_tensor_ref (f->replica->feeds[0]);
  double first = step (f), last = first;
  g_assert_true (f->replica->feeds[0] == x);
  for (guint i = 0; i < 60; i++)
    last = step (f);
  g_assert_cmpfloat (last, <, first / 4);
  inject (f, "input/x:0", NULL);
  inject (f, "input/y", NULL);
  step (f);
  g_assert_false (sluice_tensor_identical (f->replica->feeds[0], x));
}

/* In the middle: what is above it gets the value, and a watch sees it. */
static void
test_inside (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree SluiceWatchReport *report = g_new0 (SluiceWatchReport, 1);
  guint64 at;
  step (f);
  inject (f, "hidden/relu", "=0.5");
  SluiceWatch *watch = sluice_session_watch (f->replica->session, "hidden/relu:0", &error);
  g_assert_no_error (error);
  sluice_watch_keep (watch, 10 * 128 * sizeof (float));
  step (f);
  sluice_watch_read (watch, report);
  g_assert_cmpint (report->status, ==, SLUICE_WATCH_VALUES);
  g_assert_cmpfloat (report->looks[0].values.min, ==, 0.5);
  g_assert_cmpfloat (report->looks[0].values.max, ==, 0.5);
  /* Its first rows are kept. */
  g_autoptr (SluiceTensor) kept = sluice_watch_dup_kept (watch, &at);
  g_assert_cmpint ((gint64) at, ==, f->replica->n_done);
  g_assert_cmpint (kept->shape.dim[0], ==, 10);
  g_assert_cmpfloat (((const float *) kept->data)[10 * 128 - 1], ==, 0.5f);
  sluice_watch_stop (watch);
  inject (f, "hidden/relu", NULL);
  step (f);
}

static void
test_refused (Fixture *f, gconstpointer unused)
{
  assert_refused (f, "hidden/relu", "now", "no step has run yet");
  step (f);
  assert_refused (f, "nosuch", "now", "there is no node 'nosuch'");
  assert_refused (f, "hidden/relu:3", "now", "hidden/relu");
  assert_refused (f, "hidden/relu", "7", "has the shape [64,128]");
  assert_refused (f, "hidden/relu", "seven", "seven");
  assert_refused (f, "hidden/relu", NULL, "has its own value");
  assert_refused (f, "hidden/weights", "now", "numbers, bools and strings");
  assert_refused (f, "input/y", "[1,2]", "has the shape [64]");
  step (f);
}

static void
assert_same_state (Fixture *a, Fixture *b)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *state = sluice_replica_dup_state (a->replica, &error);
  g_autofree char *other = sluice_replica_dup_state (b->replica, &error);
  g_assert_cmpstr (state, ==, other);
  g_autoptr (GArray) values = sluice_replica_dup_variables (a->replica, NULL);
  g_autoptr (GArray) others = sluice_replica_dup_variables (b->replica, NULL);
  g_assert_cmpuint (values->len, ==, others->len);
  for (guint i = 0; i < values->len; i++)
    g_assert_true (sluice_tensor_identical (g_array_index (values, SluiceNamedTensor, i).tensor,
                                            g_array_index (others, SluiceNamedTensor, i).tensor));
}

/* A graph that draws, loops and assigns: to look at a value, and to put one in and take it out
 * again, is as if nobody had. */
static void
test_leaves_nothing (Fixture *f, gconstpointer sample)
{
  static const struct
  {
    const char *edge, *value, *refused; /* refused: (nullable) */
  } looks[] = {
    { "episode/start/RandomUniform", "now" },
    { "episode/start/RandomUniform", "=0.5" },
    { "loss/value", "now" }, /* behind the loop with its arrays */
    { "return/mean", "*2" },
    { "train/step/ReadVariableOp_3", "now", "train/step/AssignVariableOp" },
    { "train/step/ReadVariableOp_3", "*2", "changes what outlives a step" },
    { "train/step/ReadVariableOp_3", "=2" }, /* its shape is known: nothing has to run */
  };
  Fixture other = { 0 };
  set_up (&other, sample);
  for (guint n = 0; n < 3; n++)
    {
      for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
        if (looks[i].refused != NULL)
          assert_refused (f, looks[i].edge, looks[i].value, looks[i].refused);
        else
          {
            inject (f, looks[i].edge, looks[i].value);
            inject (f, looks[i].edge, NULL);
          }
      assert_same_state (f, &other);
      double mine = step (f), theirs = step (&other);
      g_assert_true (memcmp (&mine, &theirs, sizeof mine) == 0);
    }
  assert_same_state (f, &other);
  tear_down (&other, NULL);
}

/* A run that goes on with another graph keeps them, under the names that edges have there: here one
 * of a node that is renamed, beside one of the batch; what is gone is left out. */
static void
test_carried (Fixture *f, gconstpointer sample)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  int file = g_file_open_tmp ("sluice-inject-XXXXXX.pbtxt", &path, &error);
  g_assert_no_error (error);
  g_close (file, NULL);
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (f->project->graph_path, &error);
  g_assert_no_error (error);
  sluice_edit_begin (graph);
  g_assert_true (sluice_edit_rename (graph, sluice_graph_find (graph, "hidden/relu"), "act", NULL));
  g_autoptr (SluiceEdit) edit = sluice_edit_commit (graph, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) bytes = sluice_graph_export (graph, SLUICE_EXPORT_TEXT, &error);
  g_file_set_contents (path, g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes),
                       &error);
  g_assert_no_error (error);

  Fixture other = { .project = sample_load_project (sample) };
  g_free (other.project->graph_path);
  other.project->graph_path = g_strdup (path);
  other.examples = sluice_examples_load (other.project, FALSE, &error);
  other.replica = sluice_replica_new (other.project, other.examples, NULL, 1, NULL, &error);
  g_assert_no_error (error);
  sluice_replica_initialize (other.replica, &error);
  g_assert_no_error (error);
  step (f);
  step (&other);
  g_assert_cmpfloat (step (f), ==, step (&other));
  inject (f, "hidden/relu", "=0");
  inject (f, "input/x", "=0");
  g_auto (GStrv) carried = sluice_replica_carry_injected (other.replica, f->replica);
  g_assert_cmpuint (g_strv_length (carried), ==, 2);
  g_assert_cmpstr (carried[0], ==, "act =0");
  g_assert_cmpstr (carried[1], ==, "input/x =0");
  g_assert_cmpfloat (step (f), ==, step (&other));
  inject (&other, "act", NULL);
  inject (&other, "input/x", NULL);
  inject (f, "hidden/relu", NULL);
  inject (f, "input/x", NULL);
  g_auto (GStrv) none = sluice_replica_carry_injected (other.replica, f->replica);
  g_assert_cmpuint (g_strv_length (none), ==, 0);
  tear_down (&other, NULL);
  g_unlink (path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
#define ADD(name, sample, func)                                                                    \
  g_test_add ("/train/inject/" name, Fixture, sample, set_up, func, tear_down)
  ADD ("batch", "digits-mlp", test_batch);
  ADD ("inside", "digits-mlp", test_inside);
  ADD ("refused", "digits-mlp", test_refused);
  ADD ("leaves-nothing", "cart-pole", test_leaves_nothing);
  ADD ("carried", "digits-mlp", test_carried);
  return g_test_run ();
}
