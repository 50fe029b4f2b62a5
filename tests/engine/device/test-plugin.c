/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/plugin.h"

#include <math.h>

#include "engine/base/error.h"
#include "engine/grad/grad.h"
#include "engine/runtime/session/session.h"
#include "kernels/registry.h"

/* argv: the sample, then the wrong ones in the order of `mistakes`. */
static char **paths;

static const struct
{
  SluiceError code;
  const char *pattern;
} mistakes[] = {
  { SLUICE_ERROR_NOT_FOUND, "exports no sluice_plugin" },
  { SLUICE_ERROR_FAILED_PRECONDITION, "build it again" },
  { SLUICE_ERROR_INVALID_ARGUMENT, "neither an attribute nor a dtype" },
  { SLUICE_ERROR_ALREADY_EXISTS, "op 'Add' is defined twice" },
  { SLUICE_ERROR_INVALID_ARGUMENT, "has no device or no function" },
  { SLUICE_ERROR_INVALID_ARGUMENT, "has no modules" },
};

static double
run_one (SluiceSession *session, SluiceEdge fetch, double x)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) value = sluice_tensor_new_from (SLUICE_DOUBLE, &SLUICE_SHAPE (1), &x);
  SluiceFeed feed = { "x:0", value };
  const char *name = fetch.node->name;
  SluiceTensor *output = NULL;
  sluice_session_run (
      session, &(SluiceStepNames){ .feeds = &feed, .fetches = &name, .n_feeds = 1, .n_fetches = 1 },
      &output, NULL, &error);
  g_assert_no_error (error);
  double result = *(const double *) output->data;
  sluice_tensor_unref (output);
  return result;
}

/* The op runs, and its gradient is its slope. */
static void
test_sample (void)
{
  g_autoptr (GError) error = NULL;
  sluice_plugin_load (paths[0], &error);
  g_assert_no_error (error);
  g_assert_true (sluice_plugin_load (paths[0], &error)); /* does nothing */
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  SluiceAttr dtype = sluice_attr_type ("dtype", SLUICE_DOUBLE);
  SluiceEdge x = sluice_builder_add (&b, "Placeholder", "x", NULL, 0, &dtype, 1);
  SluiceEdge y = sluice_op (&b, "Mish", x);
  sluice_builder_finish (&b, &error);
  g_assert_no_error (error);
  SluiceGrad dx;
  sluice_gradients (graph, "gradients", &y, 1, NULL, &x, 1, &dx, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceSession) session = sluice_session_new (NULL, &error);
  sluice_session_extend (session, graph, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat_with_epsilon (run_one (session, y, 1.5), 1.5 * tanh (log1p (exp (1.5))), 1e-15);
  for (double at = -3; at < 3; at += 0.7)
    {
      double slope = (run_one (session, y, at + 1e-5) - run_one (session, y, at - 1e-5)) / 2e-5;
      g_assert_cmpfloat_with_epsilon (run_one (session, dx.values, at), slope, 1e-9);
    }
}

static void
test_wrong (void)
{
  guint before, after;
  sluice_registry_list (&before);
  for (guint i = 0; i < G_N_ELEMENTS (mistakes); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_false (sluice_plugin_load (paths[1 + i], &error));
      g_assert_cmpint (error->code, ==, mistakes[i].code);
      g_assert_nonnull (strstr (error->message, mistakes[i].pattern));
      g_assert_nonnull (strstr (error->message, paths[1 + i]));
    }
  g_autoptr (GError) error = NULL;
  g_assert_false (sluice_plugin_load ("/no/such.so", &error));
  g_assert_cmpint (error->code, ==, SLUICE_ERROR_NOT_FOUND);
  sluice_registry_list (&after);
  g_assert_cmpuint (after, ==, before);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2 + (int) G_N_ELEMENTS (mistakes));
  paths = argv + 1;
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/plugin/wrong", test_wrong);
  g_test_add_func ("/plugin/sample", test_sample);
  return g_test_run ();
}
