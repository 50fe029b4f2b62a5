/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/engine/graph/random-edit.h"

#include <string.h>

#define MAX_DELETED 8

static SluiceNode *
any_node (SluiceGraph *graph)
{
  return sluice_graph_get_node (
      graph, (guint) g_test_rand_int_range (0, (int) sluice_graph_get_n_nodes (graph)));
}

/* Of that dtype, near a node: what is far seldom makes sense. INVALID: of any. */
static SluiceEdge
any_edge (SluiceGraph *graph, guint near, SluiceDType dtype)
{
  guint n = sluice_graph_get_n_nodes (graph);
  for (guint i = 0; i < 200; i++)
    {
      guint at = g_test_rand_int_range (0, 4) == 0
                     ? (guint) g_test_rand_int_range (0, (int) n)
                     : (near + n - (guint) g_test_rand_int_range (0, 60)) % n;
      SluiceNode *node = sluice_graph_get_node (graph, at);
      if (node->n_outputs == 0)
        continue;
      int port = g_test_rand_int_range (0, (int) node->n_outputs);
      if (dtype == SLUICE_INVALID || node->outputs[port].dtype == dtype)
        return (SluiceEdge){ node, port };
    }
  return SLUICE_NO_EDGE;
}

static void
add_some (SluiceGraph *graph)
{
  SluiceEdge edge = any_edge (graph, any_node (graph)->id - 1, SLUICE_FLOAT);
  SluiceNode *before = any_node (graph);
  gboolean waits = g_test_rand_int_range (0, 3) == 0;
  SluiceNodeSpec spec = { .op = edge.node == NULL ? "NoOp"
                                : waits           ? "Identity"
                                                  : "Neg",
                          .inputs = &edge,
                          .n_inputs = edge.node != NULL,
                          .control_inputs = &before,
                          .n_control_inputs = waits };
  sluice_edit_add (graph, &spec, NULL);
}

static void
rewire_some (SluiceGraph *graph)
{
  SluiceNode *node = any_node (graph);
  if (node->n_inputs == 0)
    return;
  guint input = (guint) g_test_rand_int_range (0, (int) node->n_inputs);
  SluiceEdge old = node->inputs[input];
  SluiceEdge edge = g_test_rand_int_range (0, 20) == 0
                        ? SLUICE_NO_EDGE
                        : any_edge (graph, node->id - 1,
                                    old.node != NULL ? sluice_edge_dtype (old) : SLUICE_INVALID);
  if (edge.node != NULL || g_test_rand_int_range (0, 4) == 0)
    sluice_edit_set_input (graph, node, input, edge, NULL);
}

static void
delete_some (SluiceGraph *graph, gboolean plainly)
{
  SluiceNode *nodes[MAX_DELETED];
  guint n = (guint) g_test_rand_int_range (1, MAX_DELETED),
        total = sluice_graph_get_n_nodes (graph);
  guint first = (guint) g_test_rand_int_range (0, (int) total);
  if (total < 2 * MAX_DELETED)
    return;
  for (guint i = 0; i < n; i++)
    nodes[i] = sluice_graph_get_node (graph, (first + i) % total);
  if (plainly)
    sluice_edit_remove (graph, nodes, n, NULL);
  else
    sluice_edit_delete (graph, nodes, n, NULL);
}

static void
rename_some (SluiceGraph *graph)
{
  SluiceNode *node = any_node (graph);
  const char *slash = g_test_rand_bit () ? strchr (node->name, '/') : strrchr (node->name, '/');
  g_autofree char *scope = slash != NULL ? g_strndup (node->name, slash - node->name) : NULL;
  gboolean whole = scope != NULL && g_test_rand_int_range (0, 4) == 0;
  g_autofree char *wanted =
      g_strdup_printf ("%s_r%d", whole ? scope : node->name, g_test_rand_int_range (0, 1000));
  g_autofree char *name = sluice_graph_unique_name (graph, wanted);
  if (whole)
    sluice_edit_rename_scope (graph, scope, name, NULL);
  else
    sluice_edit_rename (graph, node, name, NULL);
}

static void
set_some (SluiceGraph *graph)
{
  SluiceNode *node = any_node (graph);
  SluiceShape shape = SLUICE_SHAPE (g_test_rand_int_range (1, 9), -1);
  SluiceAttr note = sluice_attr_int ("_note", g_test_rand_int_range (0, 9));
  const SluiceAttrValue *value = sluice_node_get_attr (node, "shape");
  SluiceAttr attr = sluice_attr_shape ("shape", &shape);
  if (sluice_node_get_attr (node, "_note") != NULL && g_test_rand_bit ())
    sluice_edit_remove_attr (graph, node, "_note", NULL);
  else
    sluice_edit_set_attr (graph, node,
                          value != NULL && value->kind == SLUICE_ATTR_SHAPE ? &attr : &note, NULL);
}

static void
control_some (SluiceGraph *graph)
{
  SluiceNode *node = any_node (graph);
  if (node->n_control_inputs > 0 && g_test_rand_bit ())
    sluice_edit_remove_control (graph, node, node->control_inputs[0], NULL);
  else
    sluice_edit_add_control (graph, node, any_node (graph), NULL);
}

static void
change_some (SluiceGraph *graph)
{
  switch (g_test_rand_int_range (0, 9))
    {
    case 0:
      add_some (graph);
      break;
    case 1:
    case 2:
      rewire_some (graph);
      break;
    case 3:
      delete_some (graph, FALSE);
      break;
    case 4:
      delete_some (graph, TRUE);
      break;
    case 5:
      rename_some (graph);
      break;
    case 6:
      set_some (graph);
      break;
    case 7:
      control_some (graph);
      break;
    default:
      sluice_edit_set_device (graph, any_node (graph), g_test_rand_bit () ? "/cpu:0" : "");
      break;
    }
}

SluiceEdit *
random_edit (SluiceGraph *graph)
{
  sluice_edit_begin (graph);
  for (int k = g_test_rand_int_range (1, 4); k > 0; k--)
    change_some (graph);
  return sluice_edit_commit (graph, NULL);
}
