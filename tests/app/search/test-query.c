/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/search/query.h"
#include "engine/graph/graphdef.h"
#include "engine/device/kernel.h"
#include "kernels/registry.h"

#include <string.h>

static const char graph_text[] =
    "node { name: 'tower_0/conv1/weights' op: 'VariableV2' device: '/GPU:0' attr { key: 'dtype' "
    "value { type: DT_FLOAT } } attr { key: 'shape' value { shape { dim { size: 5 } dim { size: 3 "
    "} } } } }"
    "node { name: 'tower_0/conv1/read' op: 'Identity' input: 'tower_0/conv1/weights' attr { key: "
    "'T' value { type: DT_FLOAT } } }"
    "node { name: 'tower_1/x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INT32 } } "
    "attr { key: 'shape' value { shape { dim { size: -1 } dim { size: 10 } } } } }"
    "node { name: 'tower_1/half' op: 'Placeholder' attr { key: 'dtype' value { type: DT_HALF } } "
    "attr { key: 'shape' value { shape { } } } }"
    "node { name: 'conv1' op: 'NoOp' } versions { producer: 1000 }"; /* an old one's {} is any shape
                                                                      */

/* The names that match, in the graph's order. */
static char *
find (SluiceGraph *graph, const char *text)
{
  g_autoptr (SluiceQuery) query = sluice_query_new (text);
  GString *found = g_string_new (NULL);
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (sluice_query_matches_node (query, node))
        g_string_append_printf (found, "%s%s", found->len > 0 ? " " : "", node->name);
    }
  return g_string_free (found, FALSE);
}

typedef struct
{
  const char *query, *found;
} Case;

static void
test_nodes (void)
{
  static const Case cases[] = {
    { "", "" },
    { "weights", "tower_0/conv1/weights" },
    { "WEIGHTS", "tower_0/conv1/weights" },
    /* A scope's name finds the scope, not all that is in it. */
    { "conv1", "conv1" },
    { "conv1/", "" },
    { "conv1/.", "tower_0/conv1/weights tower_0/conv1/read" },
    { "^conv[0-9]$", "conv1" },
    { "w|x", "tower_0/conv1/weights tower_1/x" },
    { "placeholder", "tower_1/x tower_1/half" },
    { "op:placeholder", "tower_1/x tower_1/half" },
    { "op:^Ident", "tower_0/conv1/read" },
    { "device:gpu:0", "tower_0/conv1/weights" },
    { "device:cpu", "" },
    { "shape:5x3", "tower_0/conv1/weights tower_0/conv1/read" },
    { "shape:5×?", "tower_0/conv1/weights tower_0/conv1/read" },
    { "shape:?x10", "tower_1/x" },
    { "shape:5", "" },
    { "shape:scalar", "tower_1/half" },
    { "dtype:f32", "tower_0/conv1/weights tower_0/conv1/read" },
    { "dtype:DT_FLOAT", "tower_0/conv1/weights tower_0/conv1/read" },
    { "dtype:i32", "tower_1/x" },
    { "dtype:float16", "tower_1/half" },
    { "dtype:nonsense", "" },
    { "in:tower_1", "tower_1/x tower_1/half" },
    { "in:tower_1/", "tower_1/x tower_1/half" },
    { "in:tower", "" },
    { "in:tower_0 op:identity dtype:float", "tower_0/conv1/read" },
    { "in:tower_1 dtype:float", "" },
    { "no:field", "" },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static (graph_text, sizeof graph_text - 1);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  sluice_graph_import (graph, bytes, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *found = find (graph, cases[i].query);
      g_test_message ("%s", cases[i].query);
      g_assert_cmpstr (found, ==, cases[i].found);
    }
}

static void
test_names (void)
{
  g_autoptr (SluiceQuery) tag = sluice_query_new ("accur");
  g_autoptr (SluiceQuery) scope = sluice_query_new ("in:evaluate acc");
  g_autoptr (SluiceQuery) node = sluice_query_new ("op:MatMul");
  g_assert_true (sluice_query_matches_name (tag, "evaluate/accuracy"));
  g_assert_false (sluice_query_matches_name (tag, "evaluate/loss"));
  g_assert_true (sluice_query_matches_name (scope, "evaluate/accuracy"));
  g_assert_false (sluice_query_matches_name (scope, "accuracy"));
  g_assert_false (sluice_query_matches_name (node, "MatMul"));
  g_autoptr (SluiceQuery) group = sluice_query_new ("evalu");
  g_assert_false (sluice_query_matches_name (group, "evaluate/loss"));
  g_assert_true (sluice_query_matches_text (group, "evaluate/loss"));
  g_assert_false (sluice_query_matches_text (group, "loss"));
}

/* Anything may be typed. */
static void
test_problems (void)
{
  static const char *const texts[] = {
    "(", "a[", "*", "dtype:", "\xff\xfe", "op:(", "in:", "shape:"
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (SluiceQuery) query = sluice_query_new (texts[i]);
      g_assert_false (sluice_query_is_empty (query));
      g_assert_false (sluice_query_matches_name (query, "\xff"));
      if (strchr ("(a*", *texts[i]) != NULL)
        g_assert_nonnull (strstr (sluice_query_get_problem (query), texts[i]));
    }
  g_autoptr (SluiceQuery) literal = sluice_query_new ("b(1");
  g_assert_true (sluice_query_matches_name (literal, "a/ab(1)"));
  g_autoptr (SluiceQuery) blank = sluice_query_new ("  ");
  g_assert_true (sluice_query_is_empty (blank));
  g_assert_null (sluice_query_get_problem (blank));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/app/search/nodes", test_nodes);
  g_test_add_func ("/app/search/names", test_names);
  g_test_add_func ("/app/search/problems", test_problems);
  return g_test_run ();
}
