/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/suggest.h"

static const char *const names[] = {
  "batch", "steps", "seed", NULL, "checkpoint-every", "shuffle"
};

static void
assert_suggests (const char *name, const char *want)
{
  g_assert_cmpstr (sluice_suggest_name (name, names, G_N_ELEMENTS (names)), ==, want);
}

static void
test_letters (void)
{
  assert_suggests ("bacth", "batch");
  assert_suggests ("Batch", "batch");
  assert_suggests ("step", "steps");
  assert_suggests ("sede", "seed");
  assert_suggests ("chekpoint-evry", "checkpoint-every");
  assert_suggests ("shufle", "shuffle");
}

static void
test_none (void)
{
  assert_suggests ("learning-rate", NULL);
  assert_suggests ("x", NULL);
  assert_suggests ("", NULL);
  g_assert_null (sluice_suggest_name ("batch", NULL, 0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/suggest/letters", test_letters);
  g_test_add_func ("/suggest/none", test_none);
  return g_test_run ();
}
