/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/error.h"

static void
expect_place (const GError *error, const char *node, const char *op, const char *device)
{
  SluiceErrorPlace place = sluice_error_get_place (error);
  g_assert_cmpstr (place.node, ==, node);
  g_assert_cmpstr (place.op, ==, op);
  g_assert_cmpstr (place.device, ==, device);
}

static void
test_place (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (sluice_fail (&error, SLUICE_ERROR_NOT_FOUND, "there is no %s", "x"));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_cmpstr (error->message, ==, "there is no x");
  expect_place (error, NULL, NULL, NULL);
  sluice_error_set_place (error, &(SluiceErrorPlace){ .node = "fc1/MatMul", .op = "MatMul" });
  /* Whoever knows more later adds to it, and does not overwrite. */
  sluice_error_set_place (error,
                          &(SluiceErrorPlace){ .node = "caller", .op = "If", .device = "CPU:1" });
  sluice_error_set_place (error, &(SluiceErrorPlace){ .device = "CPU:2" });
  expect_place (error, "fc1/MatMul", "MatMul", "CPU:1");
}

static void
test_copy (void)
{
  GError *error = NULL;
  sluice_fail (&error, SLUICE_ERROR_INTERNAL, "x");
  sluice_error_set_place (error, &(SluiceErrorPlace){ "n", "Op", "CPU:0" });
  g_autoptr (GError) copy = g_error_copy (error);
  g_prefix_error (&copy, "while testing: ");
  g_error_free (error);
  expect_place (copy, "n", "Op", "CPU:0");
  g_assert_cmpstr (copy->message, ==, "while testing: x");
}

/* An error of another domain has no room for a place. */
static void
test_foreign (void)
{
  g_autoptr (GError) error = g_error_new_literal (G_MARKUP_ERROR, G_MARKUP_ERROR_EMPTY, "x");
  sluice_error_set_place (error, &(SluiceErrorPlace){ "n", "Op", "CPU:0" });
  expect_place (error, NULL, NULL, NULL);
}

static void
test_code_names (void)
{
  g_assert_cmpstr (sluice_error_code_name (SLUICE_ERROR_CANCELLED), ==, "CANCELLED");
  g_assert_cmpstr (sluice_error_code_name (SLUICE_ERROR_DATA_LOSS), ==, "DATA_LOSS");
  g_assert_cmpstr (sluice_error_code_name (0), ==, "UNKNOWN");
  g_assert_cmpstr (sluice_error_code_name (1000), ==, "UNKNOWN");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/error/place", test_place);
  g_test_add_func ("/error/copy", test_copy);
  g_test_add_func ("/error/foreign", test_foreign);
  g_test_add_func ("/error/code-names", test_code_names);
  return g_test_run ();
}
