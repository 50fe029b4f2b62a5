/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "tests/ui/canvas/fixture.h"

#include <stdlib.h>
#include <string.h>

SluiceNodeClass
fixture_class_of (const char *op)
{
  if (strcmp (op, "Const") == 0)
    return SLUICE_NODE_CLASS_CONSTANT;
  if (strcmp (op, "VariableV2") == 0 || strcmp (op, "Table") == 0)
    return SLUICE_NODE_CLASS_VARIABLE;
  if (strcmp (op, "Placeholder") == 0)
    return SLUICE_NODE_CLASS_PLACEHOLDER;
  if (g_str_has_suffix (op, "Summary"))
    return SLUICE_NODE_CLASS_SUMMARY;
  return strcmp (op, "NoOp") == 0 ? SLUICE_NODE_CLASS_CONTROL : SLUICE_NODE_CLASS_OP;
}

static guint64
bytes_of (const char *shape)
{
  guint64 bytes = 4;
  g_auto (GStrv) dims = g_strsplit (shape, "×", -1);
  if (strcmp (shape, "-") == 0)
    return 0;
  for (guint i = 0; dims[i] != NULL; i++)
    bytes *= strcmp (dims[i], "?") == 0 ? 64 : MAX (strtoull (dims[i], NULL, 10), 1);
  return bytes;
}

static void
add_input (SluiceGraphModel *model, const char *input, guint to, guint slot, GPtrArray *shapes)
{
  gboolean control = *input == '^', reference = *input == '&', back = *input == '~';
  guint from = sluice_graph_model_lookup (model, input + (control || reference || back));
  g_assert_cmpuint (from, !=, G_MAXUINT);
  const char *shape = shapes->pdata[from];
  SluiceModelEdge edge = { .from = from, .to = to, .slot = slot };
  edge.kind = control     ? SLUICE_EDGE_CONTROL
              : reference ? SLUICE_EDGE_REFERENCE
              : back      ? SLUICE_EDGE_BACK
                          : SLUICE_EDGE_DATA;
  if (edge.kind == SLUICE_EDGE_DATA && strcmp (shape, "-") != 0)
    {
      edge.dtype = "float32";
      edge.shape = shape;
      edge.bytes = bytes_of (shape);
    }
  g_assert_true (sluice_graph_model_add_edge (model, &edge));
}

SluiceGraphModel *
fixture_model (const char *text)
{
  SluiceGraphModel *model = sluice_graph_model_new ();
  g_autoptr (GPtrArray) shapes = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      g_auto (GStrv) words = g_strsplit (lines[i], " ", -1);
      g_auto (GStrv) parts = g_strsplit (words[1], "@", 2);
      SluiceModelNode node = { .name = words[0],
                               .op = parts[0],
                               .loop = parts[1],
                               .node_class = fixture_class_of (parts[0]),
                               .service = strcmp (parts[0], "Assign") == 0 ? SLUICE_SERVICE_KEEP
                                          : strcmp (parts[0], "IsVariableInitialized") == 0
                                              ? SLUICE_SERVICE_ASK
                                              : SLUICE_SERVICE_NONE,
                               .bytes = bytes_of (words[2]),
                               .cost = 100 };
      if (node.node_class == SLUICE_NODE_CLASS_VARIABLE && strcmp (words[2], "1") != 0)
        node.held = node.bytes / 4;
      if (strcmp (parts[0], "Table") != 0) /* one that is not trained */
        node.params = node.held;
      sluice_graph_model_add_node (model, &node);
      g_ptr_array_add (shapes, g_strdup (words[2]));
    }
  for (guint i = 0; lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      g_auto (GStrv) words = g_strsplit (lines[i], " ", -1);
      for (guint k = 3; words[k] != NULL; k++)
        add_input (model, words[k], i, k - 3, shapes);
    }
  return model;
}

static void
add_variable (GString *text, const char *name, const char *shape)
{
  g_string_append_printf (text,
                          "%s VariableV2 %s\n%s/init Const %s\n"
                          "%s/Assign Assign %s &%s %s/init\n%s/read Identity %s %s\n",
                          name, shape, name, shape, name, shape, name, name, name, shape, name);
}

static void
add_layer (
    GString *text, const char *scope, const char *in, const char *w, const char *b, const char *out)
{
  g_autofree char *weights = g_strdup_printf ("%s/weights", scope);
  g_autofree char *biases = g_strdup_printf ("%s/biases", scope);
  add_variable (text, weights, w);
  add_variable (text, biases, b);
  g_string_append_printf (
      text,
      "%s/MatMul MatMul %s %s %s/read\n%s/BiasAdd BiasAdd %s %s/MatMul %s/read\n"
      "%s/Relu Relu %s %s/BiasAdd\n",
      scope, out, in, weights, scope, out, scope, biases, scope, out, scope);
}

static void
add_gradient (GString *text, const char *scope, const char *above, const char *out, const char *w)
{
  g_string_append_printf (
      text,
      "gradients/%s/Relu_grad/ReluGrad ReluGrad %s %s %s/Relu\n"
      "gradients/%s/BiasAdd_grad/BiasAddGrad BiasAddGrad %s gradients/%s/Relu_grad/ReluGrad\n"
      "gradients/%s/MatMul_grad/MatMul MatMul %s gradients/%s/Relu_grad/ReluGrad %s/weights/read\n"
      "gradients/%s/MatMul_grad/MatMul_1 MatMul %s gradients/%s/Relu_grad/ReluGrad\n"
      "train/update_%s/weights/ApplyMomentum ApplyMomentum - &%s/weights "
      "gradients/%s/MatMul_grad/MatMul_1\n"
      "train/update_%s/biases/ApplyMomentum ApplyMomentum - &%s/biases "
      "gradients/%s/BiasAdd_grad/BiasAddGrad\n",
      scope, out, above, scope, scope, out, scope, scope, out, scope, scope, scope, w, scope, scope,
      scope, scope, scope, scope, scope);
}

SluiceGraphModel *
fixture_mlp (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_append (text, "input/x Placeholder ?×784\ninput/labels Placeholder ?\n"
                         "input/scale Const 1\ninput/scaled Mul ?×784 input/x input/scale\n");
  add_layer (text, "hidden", "input/scaled", "784×128", "128", "?×128");
  add_layer (text, "logits", "hidden/Relu", "128×10", "10", "?×10");
  g_string_append (
      text, "loss/xent SparseSoftmaxCrossEntropyWithLogits ? logits/Relu input/labels\n"
            "loss/axis Const 1\nloss/mean Mean 1 loss/xent loss/axis\n"
            "loss_tag Const 1\nloss_summary ScalarSummary 1 loss_tag loss/mean\n"
            "hidden/activations HistogramSummary 1 hidden/Relu\n"
            "Merge/MergeSummary MergeSummary 1 loss_summary hidden/activations\n"
            "gradients/Fill Fill 1\n"
            "gradients/loss/mean_grad/div RealDiv ? gradients/Fill\n"
            "gradients/loss/xent_grad/mul Mul ?×10 gradients/loss/mean_grad/div loss/xent\n");
  add_gradient (text, "logits", "gradients/loss/xent_grad/mul", "?×10", "128×10");
  add_gradient (text, "hidden", "gradients/logits/MatMul_grad/MatMul", "?×128", "784×128");
  add_variable (text, "global_step", "1");
  g_string_append (
      text, "train/step AssignAdd 1 &global_step ^train/update_hidden/weights/ApplyMomentum\n"
            "init NoOp - ^hidden/weights/Assign ^hidden/biases/Assign ^logits/weights/Assign "
            "^logits/biases/Assign ^global_step/Assign\n"
            "save/SaveV2 SaveV2 - hidden/weights hidden/biases logits/weights logits/biases\n");
  return fixture_model (text->str);
}

SluiceGraphModel *
fixture_random (guint32 seed, guint n)
{
  static const char *const ops[] = { "MatMul",        "Add",         "Const", "VariableV2",
                                     "ScalarSummary", "Placeholder", "NoOp",  "Relu" };
  static const char *const parts[] = { "a",       "b",         "layer_1", "layer_2",
                                       "layer_3", "gradients", "conv" };
  GRand *rand = g_rand_new_with_seed (seed);
  SluiceGraphModel *model = sluice_graph_model_new ();
  while (sluice_graph_model_get_n_nodes (model) < n)
    {
      g_autoptr (GString) name = g_string_new (NULL);
      for (int depth = g_rand_int_range (rand, 0, 4); depth > 0; depth--)
        g_string_append_printf (name, "%s/",
                                parts[g_rand_int_range (rand, 0, G_N_ELEMENTS (parts))]);
      g_string_append_printf (name, "%s_%d",
                              parts[g_rand_int_range (rand, 0, G_N_ELEMENTS (parts))],
                              g_rand_int_range (rand, 0, (int) n));
      const char *op = ops[g_rand_int_range (rand, 0, G_N_ELEMENTS (ops))];
      SluiceModelNode node = {
        .name = name->str, .op = op, .node_class = fixture_class_of (op), .cost = 1
      };
      if (g_rand_int_range (rand, 0, 20) == 0)
        node.error = "“T” is missing";
      if (sluice_graph_model_lookup (model, name->str) == G_MAXUINT)
        sluice_graph_model_add_node (model, &node);
    }
  for (guint i = 0; i < 2 * n; i++)
    {
      SluiceModelEdge edge = { .from = g_rand_int_range (rand, 0, (int) n),
                               .to = g_rand_int_range (rand, 0, (int) n),
                               .kind = g_rand_int_range (rand, 0, 8) / 6,
                               .shape = i % 3 == 0 ? "?×10" : NULL,
                               .bytes = g_rand_int_range (rand, 0, 100000) };
      sluice_graph_model_add_edge (model, &edge);
    }
  g_rand_free (rand);
  return model;
}

guint
fixture_group (SluiceHierarchy *hierarchy, const char *path)
{
  guint found = sluice_hierarchy_lookup (hierarchy, path);
  if (found == SLUICE_NONE)
    g_error ("no group \"%s\"", path);
  return found;
}

SluiceGraphModel *
fixture_loop (void)
{
  return fixture_model (
      "lstm/in Placeholder 8\n"
      "lstm/while/Enter Enter@L 8 lstm/in\n"
      "lstm/while/Merge Merge@L 8 lstm/while/Enter ~lstm/while/NextIteration\n"
      "lstm/while/Enter_1 Enter@L 1 lstm/in\n"
      "lstm/while/Merge_1 Merge@L 1 lstm/while/Enter_1 ~lstm/while/NextIteration_1\n"
      "lstm/while/LoopCond LoopCond@L 1 lstm/while/Merge_1\n"
      "lstm/while/Switch Switch@L 8 lstm/while/Merge lstm/while/LoopCond\n"
      "lstm/while/cell/MatMul MatMul@L 8 lstm/while/Switch\n"
      "lstm/while/cell/Tanh Tanh@L 8 lstm/while/cell/MatMul\n"
      "lstm/while/add Add@L 1 lstm/while/Merge_1\n"
      "lstm/while/NextIteration NextIteration@L 8 lstm/while/cell/Tanh\n"
      "lstm/while/NextIteration_1 NextIteration@L 1 lstm/while/add\n"
      "lstm/while/Exit Exit@L 8 lstm/while/Switch\n"
      "gradients/Merge Merge@L 1 ~gradients/NextIteration\n"
      "gradients/Add Add@L 1 gradients/Merge\n"
      "gradients/NextIteration NextIteration@L 1 gradients/Add\n"
      "loss Mean 1 lstm/while/Exit\n");
}

static void
assert_same_group (const SluiceGroup *a, const SluiceGroup *b)
{
  g_assert_cmpstr (a->path, ==, b->path);
  g_assert_cmpstr (a->label, ==, b->label);
  g_assert_cmpuint (a->path_hash, ==, b->path_hash);
  g_assert_cmpint (a->kind, ==, b->kind);
  g_assert_cmpint (a->node_class, ==, b->node_class);
  g_assert_cmpuint (a->parent, ==, b->parent);
  g_assert_cmpuint (a->first_child, ==, b->first_child);
  g_assert_cmpuint (a->n_children, ==, b->n_children);
  g_assert_cmpuint (a->depth, ==, b->depth);
  g_assert_cmpuint (a->model_node, ==, b->model_node);
  g_assert_cmpuint (a->n_ops, ==, b->n_ops);
  g_assert_cmpuint (a->n_model, ==, b->n_model);
  g_assert_cmpint (a->section, ==, b->section);
  g_assert_cmpint (a->carries, ==, b->carries);
  g_assert_cmpuint (a->n_errors, ==, b->n_errors);
  g_assert_cmpuint (a->pair, ==, b->pair);
  g_assert_cmpint (a->gradient, ==, b->gradient);
  g_assert_cmpint (a->hub, ==, b->hub);
  g_assert_cmpuint (a->structure, ==, b->structure);
  g_assert_cmpuint (a->hue, ==, b->hue);
  g_assert_cmpuint (a->device, ==, b->device);
  g_assert_cmpstr (a->loop, ==, b->loop);
  g_assert_cmpstr (a->inner_loop, ==, b->inner_loop);
  g_assert_cmpfloat (a->cost, ==, b->cost);
  g_assert_cmpuint (a->bytes, ==, b->bytes);
  g_assert_cmpuint (a->params, ==, b->params);
  g_assert_cmpuint (a->held, ==, b->held);
}

static void
assert_same_bundles (SluiceHierarchy *a, SluiceHierarchy *b, guint group)
{
  guint first, first_b, n = sluice_hierarchy_get_bundles (a, group, &first);
  g_assert_cmpuint (n, ==, sluice_hierarchy_get_bundles (b, group, &first_b));
  g_assert_cmpuint (first, ==, first_b);
  for (guint i = first; i < first + n; i++)
    {
      const SluiceEdgeBundle *x = sluice_hierarchy_get_bundle (a, i);
      const SluiceEdgeBundle *y = sluice_hierarchy_get_bundle (b, i);
      g_assert_cmpuint (x->group, ==, y->group);
      g_assert_cmpuint (x->from, ==, y->from);
      g_assert_cmpuint (x->to, ==, y->to);
      g_assert_cmpuint (x->first_edge, ==, y->first_edge);
      g_assert_cmpuint (x->n_edges, ==, y->n_edges);
      g_assert_cmpuint (x->n_control, ==, y->n_control);
      g_assert_cmpuint (x->n_reference, ==, y->n_reference);
      g_assert_cmpuint (x->n_back, ==, y->n_back);
      g_assert_cmpuint (x->bytes, ==, y->bytes);
      g_assert_cmpint (x->kind, ==, y->kind);
      for (guint k = x->first_edge; k < x->first_edge + x->n_edges; k++)
        g_assert_cmpuint (sluice_hierarchy_get_bundled_edge (a, k), ==,
                          sluice_hierarchy_get_bundled_edge (b, k));
    }
}

void
fixture_assert_same (SluiceHierarchy *a, SluiceHierarchy *b)
{
  guint n = sluice_hierarchy_get_n_groups (a), n_devices = sluice_hierarchy_get_n_devices (a);
  guint n_nodes = sluice_graph_model_get_n_nodes (sluice_hierarchy_get_model (a));
  g_assert_cmpuint (n, ==, sluice_hierarchy_get_n_groups (b));
  for (guint i = 0; i < n; i++)
    {
      const char *path = sluice_hierarchy_get_group (a, i)->path;
      assert_same_group (sluice_hierarchy_get_group (a, i), sluice_hierarchy_get_group (b, i));
      assert_same_bundles (a, b, i);
      g_assert_cmpuint (sluice_hierarchy_lookup (a, path), ==, sluice_hierarchy_lookup (b, path));
    }
  for (guint i = 0; i < n_nodes; i++)
    g_assert_cmpuint (sluice_hierarchy_get_op_group (a, i), ==,
                      sluice_hierarchy_get_op_group (b, i));
  g_assert_cmpuint (n_devices, ==, sluice_hierarchy_get_n_devices (b));
  for (guint i = 0; i < n_devices; i++)
    g_assert_cmpstr (sluice_hierarchy_get_device (a, i), ==, sluice_hierarchy_get_device (b, i));
}
