/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/near.h"

static const char *const names[] = {
  "batch", "steps", "seed", NULL, "checkpoint-every", "shuffle"
};

static void
assert_near (const char *name, const char *want)
{
  g_assert_cmpstr (sluice_near_name (name, names, G_N_ELEMENTS (names)), ==, want);
}

static void
test_near (void)
{
  assert_near ("bacth", "batch");
  assert_near ("Batch", "batch");
  assert_near ("step", "steps");
  assert_near ("sede", "seed");
  assert_near ("chekpoint-evry", "checkpoint-every");
  assert_near ("shufle", "shuffle");
}

static void
test_none (void)
{
  assert_near ("learning-rate", NULL);
  assert_near ("x", NULL);
  assert_near ("", NULL);
  g_assert_null (sluice_near_name ("batch", NULL, 0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/near/letters", test_near);
  g_test_add_func ("/near/none", test_none);
  return g_test_run ();
}
