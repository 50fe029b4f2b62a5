/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "fixture.h"

static SluiceFeed
feed (const char *edge, SluiceTensor *tensor)
{
  return (SluiceFeed){ edge, tensor };
}

static void
test_add (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge y = fixture_placeholder (&f, "y", SLUICE_FLOAT);
  SluiceEdge inputs[] = { x, y };
  sluice_builder_add (&f.b, "Add", "sum", inputs, 2, NULL, 0);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2), three = sluice_tensor_new_float (3);
  SluiceFeed feeds[] = { feed ("x:0", two), feed ("y", three) };
  for (int i = 0; i < 3; i++)
    g_assert_cmpfloat (fixture_fetch (&f, "sum:0", feeds, 2), ==, 5);
  SluiceSessionStats stats;
  sluice_session_get_stats (f.session, &stats);
  g_assert_cmpuint (stats.n_plans, ==, 1);
  g_assert_cmpuint (stats.n_runs, ==, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/session/add", test_add);
  return g_test_run ();
}
