/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a window asks a session for is answered while another thread makes a plan. */
#include "tests/engine/runtime/fixture.h"

/* A run whose plan folds a constant that takes until fixture_go is set. */
static gpointer
plan_slowly (gpointer data)
{
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
  SluiceFeed feeds[] = { { "x", two } };
  g_assert_cmpfloat (fixture_fetch (data, "slow", feeds, 1), ==, 6);
  return NULL;
}

static SluiceEdge
unary (Fixture *f, const char *op, const char *name, SluiceEdge x)
{
  return (SluiceEdge){ fixture_node (f, op, name, NULL, &x, 1, NULL, 0, NULL, 0), 0 };
}

static void
make_graph (Fixture *f)
{
  SluiceEdge x = fixture_placeholder (f, "x", SLUICE_FLOAT);
  SluiceEdge both[] = { unary (f, "TestFold", "held", fixture_scalar (f, 3)), x };
  unary (f, "Neg", "quick", x);
  fixture_node (f, "Mul", "slow", NULL, both, 2, NULL, 0, NULL, 0);
  fixture_extend (f);
}

static GThread *
begin_to_plan (Fixture *f)
{
  atomic_store (&fixture_go, 0);
  GThread *thread = g_thread_new ("plan", plan_slowly, f);
  while (atomic_load (&fixture_waiting) == 0)
    g_thread_yield ();
  return thread;
}

/* It was inside all the time. */
static void
end_to_plan (GThread *thread)
{
  g_assert_cmpint (atomic_load (&fixture_waiting), ==, 1);
  atomic_store (&fixture_go, 1);
  g_thread_join (thread);
}

static void
test_trace (void)
{
  g_auto (Fixture) f = { NULL };
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
  SluiceFeed feeds[] = { { "x", two } };
  guint64 cursor = 0, other = 0;
  fixture_init (&f, NULL);
  make_graph (&f);
  fixture_fetch (&f, "quick", feeds, 1);
  GThread *thread = begin_to_plan (&f);
  g_autoptr (GArray) events = sluice_session_dup_trace (f.session, &cursor, NULL);
  g_autoptr (GArray) again = sluice_session_dup_trace (f.session, &other, NULL);
  sluice_session_drop_trace (f.session, &other);
  end_to_plan (thread);
  g_assert_cmpuint (events->len, ==, 1);
  g_assert_cmpuint (again->len, ==, 1);
  g_assert_cmpstr (g_array_index (events, SluiceTraceEvent, 0).node, ==, "quick");
  g_autoptr (GArray) more = sluice_session_dup_trace (f.session, &cursor, NULL);
  g_assert_cmpuint (more->len, ==, 1);
  g_assert_cmpstr (g_array_index (more, SluiceTraceEvent, 0).node, ==, "slow");
}

static void
test_placement (void)
{
  g_auto (Fixture) f = { NULL };
  const char *why = NULL, *nothing = NULL;
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2 });
  make_graph (&f);
  SluiceEdge one = fixture_scalar (&f, 1);
  fixture_node (&f, "Neg", "asked", "/cpu:1", &one, 1, NULL, 0, NULL, 0);
  fixture_extend (&f);
  GThread *thread = begin_to_plan (&f);
  const char *device = sluice_session_get_placement (f.session, "asked", &why);
  const char *nowhere = sluice_session_get_placement (f.session, "nobody", &nothing);
  end_to_plan (thread);
  g_assert_cmpstr (device, ==, "CPU:1");
  g_assert_nonnull (why);
  g_assert_null (nowhere);
  g_assert_null (nothing);
}

/* Places follow the graph that was taken over last, and texts that were told before live on. */
static void
test_updates (void)
{
  g_auto (Fixture) f = { NULL };
  const char *why = NULL;
  g_autoptr (GError) error = NULL;
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2 });
  SluiceEdge one = fixture_scalar (&f, 1);
  fixture_node (&f, "Neg", "stays", "/cpu:1", &one, 1, NULL, 0, NULL, 0);
  fixture_node (&f, "Neg", "goes", NULL, &one, 1, NULL, 0, NULL, 0);
  fixture_extend (&f);
  const char *device = sluice_session_get_placement (f.session, "stays", &why);
  g_autofree char *said = g_strconcat (device, why, NULL);
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (SluiceGraph) graph = sluice_graph_new ();
      SluiceBuilder b;
      sluice_builder_init (&b, graph, NULL);
      SluiceEdge value = sluice_builder_const_number (&b, SLUICE_FLOAT, i);
      sluice_builder_add (&b, "Neg", "stays", &value, 1, NULL, 0);
      g_assert_true (sluice_session_update (f.session, graph, &error));
      g_assert_no_error (error);
      g_assert_null (sluice_session_get_placement (f.session, "goes", NULL));
      g_assert_cmpstr (sluice_session_get_placement (f.session, "stays", NULL), ==, "CPU:0");
    }
  g_autofree char *still = g_strconcat (device, why, NULL);
  g_assert_cmpstr (still, ==, said);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/planning/trace", test_trace);
  g_test_add_func ("/runtime/planning/placement", test_placement);
  g_test_add_func ("/runtime/planning/updates", test_updates);
  return g_test_run ();
}
