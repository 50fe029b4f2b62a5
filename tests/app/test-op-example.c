/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Every op has an example that runs, or its recipe says why there can be none. */
#include <string.h>

#include "app/op-example.h"
#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"

/* So many have one; what is taken from them is to be noticed. */
#define LEAST 690

static void
test_all (void)
{
  guint n, n_run = 0;
  const SluiceOp *const *ops = sluice_registry_list (&n);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceOpExample) example = sluice_op_example_new (ops[i], &error);
      const SluiceRecipe *recipe = ops[i]->def->recipe;
      n_run += example != NULL;
      if (example != NULL)
        {
          g_assert_true (example->node->op == ops[i]);
          continue;
        }
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
      if (recipe == NULL || recipe->why_none == NULL)
        g_error ("%s: neither an example nor a reason: %s", ops[i]->name, error->message);
    }
  g_test_message ("%u of %u ops have an example", n_run, n);
  g_assert_cmpuint (n_run, >=, LEAST);
}

static void
assert_tells (const char *op, const char *result)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceOpExample) example = sluice_op_example_new (sluice_registry_find (op), &error);
  g_assert_no_error (error);
  g_autofree char *text = sluice_op_example_dup_text (example);
  g_test_message ("%s: %s", op, text);
  g_assert_nonnull (strstr (text, result));
  /* Its text is a graph that others can read. */
  g_autofree char *graph_text = sluice_op_example_dup_graph (example);
  g_autoptr (GBytes) bytes = g_bytes_new (graph_text, strlen (graph_text));
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_assert_true (sluice_graph_import (graph, bytes, &error));
  g_assert_cmpuint (sluice_graph_get_n_nodes (graph), ==,
                    sluice_graph_get_n_nodes (example->graph));
}

/* By rule, by variables that the definition asks for, and with others of the family. */
static void
test_results (void)
{
  assert_tells ("ResourceApplyGradientDescent", "var = float [4] = [0.8");
  assert_tells ("QueueDequeueManyV2", "→ components = float [2] = [1 2]");
  assert_tells ("Exit", "→ outcome = int32 [] = 3");
  assert_tells ("TensorArrayReadV3", "→ value = float [2] = [5 6]");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_test_add_func ("/app/op-example/results", test_results);
  g_test_add_func ("/app/op-example/all", test_all);
  return g_test_run ();
}
