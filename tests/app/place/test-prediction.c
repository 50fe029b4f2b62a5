/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a step of a sample would take on a machine, and what a change of it would do. */
#include "app/place/predictor.h"

#include <glib/gstdio.h>
#include <math.h>

#include "engine/base/error.h"
#include "engine/graph/edit.h"
#include "engine/graph/graphdef.h"
#include "engine/train/project.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"

#define LAB                                                                                        \
  "{\"devices\": [{\"name\": \"CPU:0\"}, {\"name\": \"GPU:0\", \"gflops\": 9000, \"gbps\": 700}, " \
  "{\"name\": \"GPU:1\", \"gflops\": 9000, \"gbps\": 700}], \"links\": [{\"from\": \"CPU:0\", "    \
  "\"to\": \"GPU:0\", \"latency_us\": 8, \"gbps\": 12}, {\"from\": \"CPU:0\", \"to\": \"GPU:1\", " \
  "\"latency_us\": 8, \"gbps\": 12}, {\"from\": \"GPU:0\", \"to\": \"GPU:1\", \"gbps\": 25}]}"

static char *towers;

static SluiceGraph *
load (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (towers, "model.pbtxt", NULL);
  SluiceGraph *graph = sluice_graph_load_file (path, &error);
  g_assert_no_error (error);
  return graph;
}

static SluicePlacePrediction *
predict (const SluicePredictionOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = load ();
  SluicePlacePrediction *self = sluice_prediction_new (graph, options, NULL, &error);
  g_assert_no_error (error);
  return self;
}

/* Every node of the step stands where it asks to, and could not stand elsewhere: its request says
 * so; what asks for none could. */
static void
test_here (void)
{
  g_autoptr (SluicePlacePrediction) p = predict (&(SluicePredictionOptions){ .project = towers });
  const SluiceWorkload *w = p->workload->workload;
  guint n_free = 0, n_on[4] = { 0 };
  g_assert_cmpuint (p->machine->n_devices, ==, 4);
  g_assert_false (p->machine->is_elsewhere);
  g_assert_null (p->policy);
  for (guint v = 0; v < w->n_nodes; v++)
    {
      const SluiceNode *node = p->workload->nodes[v];
      guint device = p->choice->devices[v], found, n_can = 0;
      const GArray *candidates = p->choice->decisions[v].candidates;
      n_on[device]++;
      g_assert_true (sluice_prediction_find (p, node->name, &found) && found == v);
      g_assert_cmpuint (candidates->len, ==, 4);
      for (guint d = 0; d < 4; d++)
        n_can += g_array_index (candidates, SluiceCandidate, d).why_not == NULL;
      if (g_str_has_suffix (node->device, ":2"))
        g_assert_cmpuint (device, ==, 2);
      n_free += n_can > 1;
    }
  for (guint d = 0; d < 4; d++)
    {
      double busy;
      g_assert_cmpuint (sluice_prediction_get_load (p, d, &busy), ==, n_on[d]);
      g_assert_cmpuint (n_on[d], >, 0);
      g_assert_cmpfloat (busy, <=, p->choice->schedule->us * (1 + 1e-9));
    }
  g_assert_cmpuint (n_free, >, 0);
  g_assert_cmpfloat (p->link_bytes, >, 0);
  g_assert_false (sluice_prediction_find (p, "no such node", &(guint){ 0 }));
}

/* All of it on one device: no byte crosses a link. */
static void
test_moved (void)
{
  const char *const all[] = { "tower0/", "tower1/", "tower2/", "tower3/", NULL };
  g_autoptr (SluicePlacePrediction) before =
      predict (&(SluicePredictionOptions){ .project = towers });
  g_autoptr (SluicePlacePrediction) after = predict (
      &(SluicePredictionOptions){ .project = towers, .moved = all, .device = "/device:CPU:0" });
  double busy;
  g_assert_cmpuint (after->n_moved, >, 50);
  g_assert_cmpuint (before->n_moved, ==, 0);
  g_assert_cmpfloat (after->link_bytes, <, before->link_bytes);
  g_assert_cmpfloat (after->choice->schedule->us, >, before->choice->schedule->us);
  g_assert_cmpuint (sluice_prediction_get_load (after, 3, &busy), <,
                    sluice_prediction_get_load (before, 3, &busy));
}

/* Devices of a file: they are marked, and a policy chooses though nobody asked for one. */
static void
test_elsewhere (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sluice-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "lab.json", NULL);
  g_autoptr (GError) error = NULL;
  g_assert_true (g_file_set_contents (path, LAB, -1, NULL));
  g_autoptr (SluicePlacePrediction) p =
      predict (&(SluicePredictionOptions){ .project = towers, .machine = path });
  g_autofree char *spec = sluice_prediction_dup_spec (p, 1);
  g_assert_true (p->machine->is_elsewhere);
  g_assert_cmpstr (p->policy, ==, "greedy");
  g_assert_cmpstr (spec, ==, "/device:GPU:0");
  for (guint v = 0; v < p->choice->n_nodes; v++)
    g_assert_true (isnan (p->measured_us[v]));
  g_assert_true (g_file_set_contents (path, "{\"devices\": []}", -1, NULL));
  g_autoptr (SluiceGraph) graph = load ();
  const SluicePredictionOptions options = { .project = towers, .machine = path };
  g_assert_null (sluice_prediction_new (graph, &options, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_unlink (path);
  g_rmdir (folder);
}

/* ---- the one that is asked ---- */

typedef struct
{
  guint n_changed, n_told;
  double us;
} Heard;

static void
changed_cb (SluicePredictor *predictor, Heard *heard)
{
  heard->n_changed++;
}

static void
told_cb (SluicePlacePrediction *after, const GError *error, gpointer data)
{
  Heard *heard = data;
  g_assert_no_error (error);
  heard->n_told++;
  heard->us = after->choice->schedule->us;
}

static void
settle (SluicePredictor *self)
{
  while (!sluice_predictor_is_settled (self))
    g_main_context_iteration (NULL, TRUE);
}

static void
test_predictor (void)
{
  const char *const one[] = { "tower1/", NULL };
  const char *const other[] = { "tower2/", NULL };
  g_autoptr (SluicePredictor) self = sluice_predictor_new ();
  g_autoptr (SluiceGraph) graph = load ();
  Heard heard = { 0 }, second = { 0 };
  g_signal_connect (self, "changed", G_CALLBACK (changed_cb), &heard);
  g_assert_null (sluice_predictor_get (self, NULL));
  sluice_predictor_set_graph (self, graph, towers);
  g_assert_null (sluice_predictor_get (self, NULL));
  settle (self);
  SluicePlacePrediction *first = sluice_predictor_get (self, NULL);
  g_assert_nonnull (first);
  g_assert_true (first == sluice_predictor_get (self, NULL));
  g_assert_cmpuint (heard.n_changed, ==, 2);
  /* Of one who asks the last question is answered; of two both are. */
  sluice_predictor_try (self, one, "/device:CPU:0", told_cb, &heard);
  sluice_predictor_try (self, other, "/device:CPU:0", told_cb, &heard);
  settle (self);
  g_assert_cmpuint (heard.n_told, ==, 1);
  double us = heard.us;
  sluice_predictor_try (self, one, "/device:CPU:0", told_cb, &heard);
  sluice_predictor_try (self, one, "/device:CPU:0", told_cb, &second);
  settle (self);
  g_assert_cmpuint (heard.n_told, ==, 2);
  g_assert_cmpuint (second.n_told, ==, 1);
  g_assert_cmpfloat (heard.us, ==, second.us);
  sluice_predictor_try (self, other, "/device:CPU:0", told_cb, &heard);
  g_assert_cmpuint (heard.n_told, ==, 3); /* it is known */
  g_assert_cmpfloat (heard.us, ==, us);
  /* What is predicted of a change is what is predicted of the graph once it is made. */
  sluice_edit_begin (graph);
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (graph, i);
      if (sluice_place_holds (other[0], node->name))
        sluice_edit_set_device (graph, node, "/device:CPU:0");
    }
  g_autoptr (SluiceEdit) edit = sluice_edit_commit (graph, NULL);
  g_assert_null (sluice_predictor_get (self, NULL));
  settle (self);
  first = sluice_predictor_get (self, NULL);
  g_assert_cmpfloat (first->choice->schedule->us, ==, us);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  towers = g_build_filename (argv[1], "towers", NULL);
  g_test_add_func ("/prediction/here", test_here);
  g_test_add_func ("/prediction/moved", test_moved);
  g_test_add_func ("/prediction/elsewhere", test_elsewhere);
  g_test_add_func ("/prediction/predictor", test_predictor);
  int status = g_test_run ();
  g_free (towers);
  return status;
}
