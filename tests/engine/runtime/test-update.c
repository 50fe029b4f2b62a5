/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A session that takes edited graphs over: what was compiled stays or goes, state stays, and what
 * runs meanwhile ends with the values that it began with. */
#include <pthread.h>
#include <string.h>

#include "engine/graph/edit.h"
#include "engine/graph/graphdef.h"
#include "engine/runtime/session/copy.h"
#include "tests/engine/runtime/fixture.h"

/* y = c * x, and z = Neg (x) beside it; a counter that each run of `count` adds one to. */
static void
make_graph (Fixture *f)
{
  SluiceEdge x = fixture_placeholder (f, "x", SLUICE_FLOAT);
  g_autoptr (SluiceTensor) one = sluice_tensor_new_float (1);
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_tensor ("value", one) };
  SluiceEdge c = sluice_builder_add (&f->b, "Const", "c", NULL, 0, attrs, 2);
  sluice_builder_add (&f->b, "Mul", "y", (SluiceEdge[]){ c, x }, 2, NULL, 0);
  sluice_builder_add (&f->b, "Neg", "z", &x, 1, NULL, 0);
  SluiceAttr shape = sluice_attr_shape ("shape", &SLUICE_SHAPE_SCALAR);
  SluiceEdge v =
      sluice_builder_add (&f->b, "VariableV2", "v", NULL, 0, (SluiceAttr[]){ attrs[0], shape }, 2);
  sluice_builder_add (&f->b, "Assign", "init", (SluiceEdge[]){ v, c }, 2, NULL, 0);
  SluiceEdge step = sluice_builder_add (&f->b, "Const", "step", NULL, 0, attrs, 2);
  sluice_builder_add (&f->b, "AssignAdd", "count", (SluiceEdge[]){ v, step }, 2, NULL, 0);
  fixture_extend (f);
}

static void
set_constant (Fixture *f, float value)
{
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_float (value);
  SluiceAttr attr = sluice_attr_tensor ("value", tensor);
  g_autoptr (GError) error = NULL;
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_attr (f->graph, sluice_graph_find (f->graph, "c"), &attr, NULL));
  g_autoptr (SluiceEdit) edit = sluice_edit_commit (f->graph, &error);
  g_assert_no_error (error);
}

static void
update (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_session_update (f->session, f->graph, &error));
  g_assert_no_error (error);
}

static guint64
count_plans (Fixture *f)
{
  SluiceSessionStats stats;
  sluice_session_get_stats (f->session, &stats);
  return stats.n_plans;
}

static void
test_plans (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  make_graph (&f);
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
  SluiceFeed feeds[] = { { "x", two } };
  g_assert_cmpfloat (fixture_fetch (&f, "y", feeds, 1), ==, 2);
  g_assert_cmpfloat (fixture_fetch (&f, "z", feeds, 1), ==, -2);
  g_assert_cmpfloat (fixture_fetch (&f, "init", NULL, 0), ==, 1);
  g_assert_cmpfloat (fixture_fetch (&f, "count", NULL, 0), ==, 2);
  guint64 n = count_plans (&f);
  set_constant (&f, 10);
  update (&f);
  g_assert_cmpfloat (fixture_fetch (&f, "z", feeds, 1), ==, -2);
  g_assert_cmpfloat (fixture_fetch (&f, "count", NULL, 0), ==, 3);
  g_assert_cmpuint (count_plans (&f), ==, n); /* they need nothing that changed */
  g_assert_cmpfloat (fixture_fetch (&f, "y", feeds, 1), ==, 20);
  g_assert_cmpuint (count_plans (&f), ==, n + 1);
  /* Twice over: what was compiled from the first state is there still. */
  set_constant (&f, 11);
  update (&f);
  g_assert_cmpfloat (fixture_fetch (&f, "z", feeds, 1), ==, -2);
  g_assert_cmpfloat (fixture_fetch (&f, "count", NULL, 0), ==, 4);
  g_assert_cmpuint (count_plans (&f), ==, n + 1);
  g_assert_cmpfloat (fixture_fetch (&f, "y", feeds, 1), ==, 22);
}

static void
test_nodes_come_and_go (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  make_graph (&f);
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
  SluiceFeed feeds[] = { { "x", two } };
  g_assert_cmpfloat (fixture_fetch (&f, "z", feeds, 1), ==, -2);
  sluice_edit_begin (f.graph);
  SluiceNode *z = sluice_graph_find (f.graph, "z");
  g_assert_true (sluice_edit_remove (f.graph, &z, 1, NULL));
  g_assert_true (sluice_edit_rename (f.graph, sluice_graph_find (f.graph, "y"), "product", NULL));
  g_autoptr (SluiceEdit) edit = sluice_edit_commit (f.graph, NULL);
  update (&f);
  g_autoptr (GError) error = NULL;
  SluiceTensor *output = NULL;
  const char *gone = "z";
  g_assert_false (sluice_session_run (
      f.session,
      &(SluiceStepNames){ .feeds = feeds, .fetches = &gone, .n_feeds = 1, .n_fetches = 1 }, &output,
      NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_cmpfloat (fixture_fetch (&f, "product", feeds, 1), ==, 2);
  g_assert_true (sluice_edit_apply (edit, NULL));
  update (&f);
  g_assert_cmpfloat (fixture_fetch (&f, "z", feeds, 1), ==, -2);
  g_assert_cmpfloat (fixture_fetch (&f, "y", feeds, 1), ==, 2);
}

/* The trace names nodes of whatever state ran. */
static void
test_trace (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  make_graph (&f);
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
  SluiceFeed feeds[] = { { "x", two } };
  fixture_fetch (&f, "y", feeds, 1);
  sluice_edit_begin (f.graph);
  SluiceNode *gone[] = { sluice_graph_find (f.graph, "z"), sluice_graph_find (f.graph, "y") };
  g_assert_true (sluice_edit_remove (f.graph, gone, 2, NULL));
  g_autoptr (SluiceEdit) edit = sluice_edit_commit (f.graph, NULL);
  update (&f);
  fixture_fetch (&f, "init", NULL, 0);
  guint64 cursor = 0, lost;
  g_autoptr (GArray) events = sluice_session_dup_trace (f.session, &cursor, &lost);
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < events->len; i++)
    g_hash_table_add (names, (gpointer) g_array_index (events, SluiceTraceEvent, i).node);
  g_assert_true (g_hash_table_contains (names, "y"));
  g_assert_true (g_hash_table_contains (names, "init"));
}

/* A run that has begun: its first half was computed before the edit, its second half is after it.
 */
static void
test_run_under_way (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  make_graph (&f);
  const char *fetch = "y";
  const SluiceStepNames names = {
    .feeds = &(SluiceFeed){ "x" }, .fetches = &fetch, .n_feeds = 1, .n_fetches = 1
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (SluicePartialRun) run =
      sluice_session_set_up_partial (f.session, &names, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    {
      set_constant (&f, 10 + i);
      update (&f);
    }
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
  SluiceFeed feeds[] = { { "x", two } };
  SluiceTensor *output = NULL;
  g_assert_true (sluice_partial_run_part (
      run, &(SluiceStepNames){ .feeds = feeds, .fetches = &fetch, .n_feeds = 1, .n_fetches = 1 },
      &output, &error));
  g_assert_cmpfloat (*(float *) output->data, ==, 2);
  sluice_tensor_unref (output);
  g_assert_cmpfloat (fixture_fetch (&f, "y", feeds, 1), ==, 24);
}

/* ---- many at once ---- */

#define N_THREADS 3
#define N_EDITS   60

typedef struct
{
  Fixture *f;
  _Atomic int begun, done; /* edits */
  _Atomic gboolean stop;
} Crowd;

static gpointer
run_all_the_time (gpointer data)
{
  Crowd *crowd = data;
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
  SluiceFeed feeds[] = { { "x", two } };
  const char *fetches[] = { "y", "z" };
  guint n = 0;
  while (!atomic_load (&crowd->stop) || n == 0)
    {
      SluiceTensor *outputs[2] = { NULL, NULL };
      g_autoptr (GError) error = NULL;
      int low = atomic_load (&crowd->done);
      sluice_session_run (
          crowd->f->session,
          &(SluiceStepNames){ .feeds = feeds, .fetches = fetches, .n_feeds = 1, .n_fetches = 2 },
          outputs, NULL, &error);
      g_assert_no_error (error);
      int high = atomic_load (&crowd->begun);
      float y = *(float *) outputs[0]->data;
      g_assert_cmpfloat (y, >=, 2.0f * (float) (1 + low));
      g_assert_cmpfloat (y, <=, 2.0f * (float) (1 + high));
      g_assert_cmpfloat (*(float *) outputs[1]->data, ==, -2);
      sluice_tensor_unref (outputs[0]);
      sluice_tensor_unref (outputs[1]);
      n++;
    }
  return GUINT_TO_POINTER (n);
}

static void *
run_thread (void *data)
{
  return run_all_the_time (data);
}

/* Each run sees one state of the graph: none older than when it began, none newer than its end. */
static void
test_runs_during_edits (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  make_graph (&f);
  Crowd crowd = { &f, 0, 0, FALSE };
  pthread_t threads[N_THREADS];
  for (guint i = 0; i < N_THREADS; i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, run_thread, &crowd), ==, 0);
  for (int i = 1; i <= N_EDITS; i++)
    {
      atomic_store (&crowd.begun, i);
      set_constant (&f, (float) (1 + i));
      update (&f);
      atomic_store (&crowd.done, i);
      if (i % 7 == 0)
        fixture_fetch (&f, "c", NULL, 0);
    }
  atomic_store (&crowd.stop, TRUE);
  for (guint i = 0; i < N_THREADS; i++)
    {
      void *n;
      g_assert_cmpint (pthread_join (threads[i], &n), ==, 0);
      g_assert_cmpuint (GPOINTER_TO_UINT (n), >, 0);
    }
}

/* A graph is copied, and written, in pieces: to the same bytes as at once. */
static void
test_pieces (void)
{
  Fixture f;
  fixture_init (&f, NULL);
  SluiceEdge last = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  for (guint i = 0; i < 500; i++)
    {
      g_autofree char *name = g_strdup_printf ("n%u", i);
      last = sluice_builder_add (&f.b, "Neg", name, &last, 1, NULL, 0);
    }
  g_autoptr (SluiceGraphCopy) copy = sluice_graph_copy_begin (f.graph);
  g_autoptr (SluiceGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  guint n_pieces = 0;
  for (; graph == NULL; n_pieces++)
    graph = sluice_graph_copy_go_on (copy, -1, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (n_pieces, >, 5);
  g_autoptr (SluiceGraphExport) export = sluice_graph_export_begin (graph);
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  for (n_pieces = 1; !sluice_graph_export_go_on (export, -1, checksum); n_pieces++)
    ;
  g_assert_cmpuint (n_pieces, >, 5);
  g_autoptr (GBytes) bytes = sluice_graph_export_end (export, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) wanted = sluice_graph_export (f.graph, SLUICE_EXPORT_BINARY, NULL);
  g_assert_true (g_bytes_equal (bytes, wanted));
  g_autofree char *hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, wanted);
  g_assert_cmpstr (g_checksum_get_string (checksum), ==, hash);
  fixture_clear (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/update/plans", test_plans);
  g_test_add_func ("/runtime/update/nodes-come-and-go", test_nodes_come_and_go);
  g_test_add_func ("/runtime/update/pieces", test_pieces);
  g_test_add_func ("/runtime/update/trace", test_trace);
  g_test_add_func ("/runtime/update/run-under-way", test_run_under_way);
  g_test_add_func ("/runtime/update/runs-during-edits", test_runs_during_edits);
  return g_test_run ();
}
