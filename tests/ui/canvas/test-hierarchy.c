/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <string.h>

#include "tests/ui/canvas/fixture.h"
#include "ui/canvas/first-sight.h"

static const SluiceGroup *
group (SluiceHierarchy *h, const char *path)
{
  return sluice_hierarchy_get_group (h, fixture_group (h, path));
}

static const SluiceEdgeBundle *
bundle (SluiceHierarchy *h, const char *from, const char *to)
{
  guint a = fixture_group (h, from), b = fixture_group (h, to), first;
  guint n = sluice_hierarchy_get_bundles (h, sluice_hierarchy_get_group (h, a)->parent, &first);
  for (guint i = first; i < first + n; i++)
    {
      const SluiceEdgeBundle *found = sluice_hierarchy_get_bundle (h, i);
      if (found->from == a && found->to == b)
        return found;
    }
  return NULL;
}

static void
test_scopes (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  const SluiceGroup *hidden = group (h, "hidden"), *weights = group (h, "hidden/weights");
  g_assert_cmpint (hidden->kind, ==, SLUICE_GROUP_SCOPE);
  g_assert_cmpuint (hidden->n_ops, ==, 12);
  g_assert_cmpuint (hidden->params, ==, 784 * 128 + 128);
  g_assert_cmpstr (hidden->label, ==, "hidden");
  /* A variable's scope is the variable; the op itself stands in it. */
  g_assert_cmpint (weights->kind, ==, SLUICE_GROUP_SCOPE);
  g_assert_cmpint (weights->node_class, ==, SLUICE_NODE_CLASS_VARIABLE);
  g_assert_cmpint (group (h, "hidden/weights/(weights)")->kind, ==, SLUICE_GROUP_OP);
  guint op = sluice_hierarchy_get_op_group (h, sluice_graph_model_lookup (model, "hidden/weights"));
  g_assert_cmpstr (sluice_hierarchy_get_group (h, op)->path, ==, "hidden/weights/(weights)");
  g_assert_true (sluice_hierarchy_is_below (h, op, fixture_group (h, "hidden")));
  g_assert_false (sluice_hierarchy_is_below (h, op, fixture_group (h, "logits")));
}

/* Children are consecutive and know their parent; every op is somewhere, once. */
static void
assert_tree (SluiceHierarchy *h, SluiceGraphModel *model)
{
  guint n = sluice_hierarchy_get_n_groups (h), next = 1, ops = 0;
  for (guint i = 0; i < n; i++)
    {
      const SluiceGroup *g = sluice_hierarchy_get_group (h, i);
      guint below = g->kind == SLUICE_GROUP_OP;
      g_assert_cmpuint (g->first_child, ==, g->kind == SLUICE_GROUP_OP ? 0 : next);
      for (guint c = g->first_child; c < g->first_child + g->n_children; c++)
        {
          g_assert_cmpuint (sluice_hierarchy_get_group (h, c)->parent, ==, i);
          g_assert_cmpuint (sluice_hierarchy_get_group (h, c)->depth, ==, g->depth + 1);
          below += sluice_hierarchy_get_group (h, c)->n_ops;
        }
      g_assert_cmpuint (g->n_ops, ==, below);
      g_assert_cmpuint (sluice_hierarchy_lookup (h, g->path), ==, i);
      next += g->n_children;
      ops += g->kind == SLUICE_GROUP_OP;
    }
  g_assert_cmpuint (ops, ==, sluice_graph_model_get_n_nodes (model));
}

/* Every edge that is no self edge is in exactly one bundle, between the right children. */
static void
assert_bundles (SluiceHierarchy *h, SluiceGraphModel *model)
{
  guint n_edges = sluice_graph_model_get_n_edges (model), expected = 0, seen = 0;
  for (guint e = 0; e < n_edges; e++)
    expected +=
        sluice_graph_model_get_edge (model, e)->from != sluice_graph_model_get_edge (model, e)->to;
  for (guint g = 0; g < sluice_hierarchy_get_n_groups (h); g++)
    {
      guint first, n = sluice_hierarchy_get_bundles (h, g, &first);
      for (guint i = first; i < first + n; i++)
        {
          const SluiceEdgeBundle *b = sluice_hierarchy_get_bundle (h, i);
          g_assert_cmpuint (b->group, ==, g);
          g_assert_cmpuint (sluice_hierarchy_get_group (h, b->from)->parent, ==, g);
          g_assert_cmpuint (sluice_hierarchy_get_group (h, b->to)->parent, ==, g);
          for (guint k = b->first_edge; k < b->first_edge + b->n_edges; k++)
            {
              const SluiceModelEdge *e =
                  sluice_graph_model_get_edge (model, sluice_hierarchy_get_bundled_edge (h, k));
              g_assert_true (sluice_hierarchy_is_below (
                  h, sluice_hierarchy_get_op_group (h, e->from), b->from));
              g_assert_true (
                  sluice_hierarchy_is_below (h, sluice_hierarchy_get_op_group (h, e->to), b->to));
              seen++;
            }
        }
    }
  g_assert_cmpuint (seen, ==, expected);
}

static void
test_bundles (void)
{
  /* x feeds y twice and z once: three edges, but only one tensor crosses to each. */
  g_autoptr (SluiceGraphModel) model =
      fixture_model ("a/x Op 10\nb/y Mul 10 a/x a/x ^a/x\nb/z Neg 10 a/x\n");
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  const SluiceEdgeBundle *b = bundle (h, "a", "b");
  g_assert_nonnull (b);
  g_assert_cmpuint (b->n_edges, ==, 4);
  g_assert_cmpuint (b->n_control, ==, 1);
  g_assert_cmpuint (b->bytes, ==, 40);
  g_assert_cmpint (b->kind, ==, SLUICE_EDGE_DATA);
  assert_bundles (h, model);
}

/* Two outputs of one op, one of them twice. */
static void
test_bundle_ports (void)
{
  g_autoptr (SluiceGraphModel) model = sluice_graph_model_new ();
  static const guint ports[] = { 0, 1, 1 };
  guint a = sluice_graph_model_add_node (model, &(SluiceModelNode){ .name = "a/x", .op = "Op" });
  guint b = sluice_graph_model_add_node (model, &(SluiceModelNode){ .name = "b/y", .op = "Op" });
  for (guint i = 0; i < G_N_ELEMENTS (ports); i++)
    sluice_graph_model_add_edge (
        model, &(SluiceModelEdge){ .from = a, .to = b, .port = ports[i], .slot = i, .bytes = 10 });
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_assert_cmpuint (bundle (h, "a", "b")->bytes, ==, 20);
}

static void
test_gradients (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  const SluiceGroup *g = group (h, "gradients/hidden");
  g_assert_cmpuint (g->parent, ==, 0);
  g_assert_true (g->gradient);
  g_assert_cmpstr (g->label, ==, "hidden ∇");
  g_assert_cmpuint (g->pair, ==, fixture_group (h, "hidden"));
  g_assert_cmpuint (group (h, "hidden")->pair, ==, fixture_group (h, "gradients/hidden"));
  g_assert_cmpuint (g->hue, ==, group (h, "hidden")->hue);
  /* Below it, each op's gradient is paired with the op. */
  g_assert_cmpuint (group (h, "gradients/hidden/MatMul_grad")->pair, ==,
                    fixture_group (h, "hidden/MatMul"));
  g_assert_cmpstr (group (h, "gradients/hidden/MatMul_grad")->label, ==, "MatMul ∇");
  /* The seed has no forward half: it joins what reads it. */
  guint fill =
      sluice_hierarchy_get_op_group (h, sluice_graph_model_lookup (model, "gradients/Fill"));
  g_assert_cmpuint (sluice_hierarchy_get_group (h, fill)->parent, ==,
                    fixture_group (h, "gradients/loss"));
  g_assert_cmpuint (sluice_hierarchy_lookup (h, "gradients"), ==, SLUICE_NONE);
}

static void
test_structures (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  /* hidden is watched by a histogram and logits is not: the same layer all the same. */
  g_assert_cmpuint (group (h, "hidden")->structure, ==, group (h, "logits")->structure);
  g_assert_cmpuint (group (h, "hidden")->hue, ==, group (h, "logits")->hue);
  g_assert_cmpuint (group (h, "hidden")->structure, !=, group (h, "loss")->structure);

  /* The same ops wired otherwise are another structure. */
  g_autoptr (SluiceGraphModel) other = fixture_model ("a/x Neg -\na/y Exp - a/x\na/z Log - a/y\n"
                                                      "b/x Neg -\nb/y Exp - b/x\nb/z Log - b/x\n"
                                                      "c/p Neg -\nc/q Exp - c/p\nc/r Log - c/q\n");
  g_autoptr (SluiceHierarchy) oh = sluice_hierarchy_new (other);
  g_assert_cmpuint (group (oh, "a")->structure, ==, group (oh, "c")->structure);
  g_assert_cmpuint (group (oh, "a")->structure, !=, group (oh, "b")->structure);
}

static char *
layers (guint n, gboolean interleaved)
{
  GString *text = g_string_new ("x Placeholder -\n");
  for (guint i = 1; i <= n; i++)
    {
      const char *last = interleaved ? "act_%u" : "layer_%u/Relu";
      g_autofree char *before = i == 1 ? g_strdup ("x") : g_strdup_printf (last, i - 1);
      if (interleaved)
        g_string_append_printf (text, "conv_%u Conv2D - %s\nact_%u Relu - conv_%u\n", i, before, i,
                                i);
      else
        g_string_append_printf (text,
                                "layer_%u/Conv Conv2D - %s\nlayer_%u/Relu Relu - layer_%u/Conv\n",
                                i, before, i, i);
    }
  return g_string_free (text, FALSE);
}

static void
test_series (void)
{
  g_autofree char *text = layers (14, FALSE);
  g_autoptr (SluiceGraphModel) model = fixture_model (text);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  const SluiceGroup *series = group (h, "layer[1-14]");
  g_assert_cmpint (series->kind, ==, SLUICE_GROUP_SERIES);
  g_assert_cmpuint (series->n_children, ==, 14);
  g_assert_cmpstr (series->label, ==, "layer × 14");
  g_assert_cmpuint (group (h, "layer_3")->parent, ==, fixture_group (h, "layer[1-14]"));
  assert_tree (h, model);
  assert_bundles (h, model);

  /* Few layers are shown one by one. */
  g_autofree char *few = layers (5, FALSE);
  g_autoptr (SluiceGraphModel) small = fixture_model (few);
  g_autoptr (SluiceHierarchy) sh = sluice_hierarchy_new (small);
  g_assert_cmpuint (group (sh, "layer_3")->parent, ==, 0);
}

static void
test_series_close_no_cycles (void)
{
  g_autofree char *text = layers (11, TRUE);
  g_autoptr (SluiceGraphModel) model = fixture_model (text);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_assert_cmpuint (group (h, "conv_3")->parent, ==, 0);
  g_assert_cmpuint (sluice_hierarchy_lookup (h, "conv[1-11]"), ==, SLUICE_NONE);
}

static const SluiceGroup *
get_parent (SluiceHierarchy *h, const SluiceGroup *g)
{
  return sluice_hierarchy_get_group (h, g->parent);
}

/* What repeats itself without a scope is a series of cells, and its gradients are one like it; the
 * variables that only cells read stand in them. */
static void
test_cells (void)
{
  g_autoptr (GString) text = g_string_new ("x Placeholder 8\nh0 Zeros 8\n");
  for (guint i = 1; i <= 20; i++)
    g_string_append_printf (text,
                            "in%u Slice 8 x\nw%u VariableV2 8\nmul%u MatMul 8 h%u w%u\n"
                            "sum%u Add 8 mul%u in%u\nh%u Tanh 8 sum%u\n",
                            i, i, i, i - 1, i, i, i, i, i, i);
  g_string_append (text, "loss Mean 8 h20\ngradients/loss_grad/Div Div 8 loss\n");
  for (guint i = 20; i > 0; i--)
    {
      g_autofree char *above = i == 20 ? g_strdup ("gradients/loss_grad/Div")
                                       : g_strdup_printf ("gradients/mul%u_grad/MatMul", i + 1);
      g_string_append_printf (
          text,
          "gradients/h%u_grad/TanhGrad TanhGrad 8 %s\n"
          "gradients/mul%u_grad/MatMul MatMul 8 gradients/h%u_grad/TanhGrad w%u\n",
          i, above, i, i, i);
    }
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  const SluiceGroup *cell = get_parent (h, group (h, "mul7")), *series = get_parent (h, cell);
  g_assert_true (cell->section);
  g_assert_cmpuint (cell->n_ops, ==, 5);
  g_assert_true (get_parent (h, group (h, "w7")) == cell);
  g_assert_true (get_parent (h, group (h, "mul8")) != cell);
  g_assert_cmpint (series->kind, ==, SLUICE_GROUP_SERIES);
  g_assert_false (series->section);
  g_assert_cmpuint (series->n_children, ==, 20);
  g_assert_true (series->carries);
  g_assert_true (g_str_has_suffix (cell->label, " · 7"));
  g_assert_cmpuint (series->parent, ==, 0);
  g_assert_true (g_str_has_suffix (series->label, " × 20"));
  const SluiceGroup *gradients = sluice_hierarchy_get_group (h, series->pair);
  g_assert_true (gradients->gradient);
  g_assert_cmpuint (gradients->n_children, ==, 20);
  g_assert_true (g_str_has_suffix (gradients->label, " ∇ × 20"));
  g_assert_cmpuint (group (h, "loss")->parent, ==, 0);
  assert_tree (h, model);
  assert_bundles (h, model);
}

/* Cells whose two gates of one op are told apart by what they read, in an order that has nothing to
 * do with how data flows. */
static void
test_shuffled_cells (void)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_ptr_array_add (lines, g_strdup ("x Placeholder 8\nh0 Zeros 8\nw VariableV2 8\n"));
  for (guint i = 1; i <= 20; i++)
    {
      g_ptr_array_add (lines, g_strdup_printf ("n%u_0 MatMul 8 h%u w\n", i * 7919 % 97, i - 1));
      g_ptr_array_add (lines, g_strdup_printf ("in%u Slice 8 x\nup%u MatMul 8 in%u w\n", i, i, i));
      g_ptr_array_add (lines, g_strdup_printf ("sum%u Add 8 n%u_0 up%u\n", i, i * 7919 % 97, i));
      g_ptr_array_add (lines, g_strdup_printf ("h%u Tanh 8 sum%u\n", i, i));
    }
  g_autoptr (GString) text = g_string_new (NULL);
  while (lines->len > 0)
    {
      guint at = g_rand_int_range (rand, 0, (gint32) lines->len);
      g_string_append (text, lines->pdata[at]);
      g_ptr_array_remove_index (lines, at);
    }
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  const SluiceGroup *cell = get_parent (h, group (h, "sum9")), *series = get_parent (h, cell);
  g_assert_true (cell->section);
  g_assert_cmpuint (cell->n_ops, ==, 5);
  g_assert_cmpint (series->kind, ==, SLUICE_GROUP_SERIES);
  g_assert_cmpuint (series->n_children, >=, 17);
  g_assert_cmpuint (series->parent, ==, 0);
  assert_tree (h, model);
  assert_bundles (h, model);
}

/* Initial values without scopes are listed by what they do, not one by one. */
static void
test_many_aside (void)
{
  g_autoptr (GString) text = g_string_new ("x Placeholder 8\n");
  for (guint k = 0, i = 3; k < 12; k++, i = (i * 37 + 11) % 1009) /* no series by name */
    g_string_append_printf (text,
                            "v%u VariableV2 8\nc%u Const 8\nf%u Fill 8 c%u\n"
                            "a%u Assign 8 &v%u f%u\nm%u Mul 8 v%u x\nunread%u Const 8\n",
                            i, i, i, i, i, i, i, i, i, i);
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  const SluiceGroup *fills = get_parent (h, group (h, "f3"));
  g_assert_cmpstr (fills->label, ==, "Fill × 12");
  g_assert_true (fills->hub);
  g_assert_true (get_parent (h, group (h, "c3")) == fills);
  g_assert_cmpstr (get_parent (h, group (h, "a3"))->label, ==, "Assign × 12");
  g_assert_cmpstr (get_parent (h, group (h, "unread3"))->label, ==, "Const × 12");
  assert_tree (h, model);
  assert_bundles (h, model);
}

static void
assert_first_sight (const char *graph, const char *open, const char *closed)
{
  g_autoptr (SluiceGraphModel) model = fixture_model (graph);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  sluice_open_first_sight (h, state, SLUICE_FLOW_UP);
  g_assert_true (open == NULL || sluice_view_state_is_open (state, open));
  g_assert_true (closed == NULL || !sluice_view_state_is_open (state, closed));
}

#define LAYERS                                                                                     \
  "net/a/m MatMul 8 x\nnet/a/r Relu 8 net/a/m\nnet/b/m MatMul 8 net/a/r\nnet/b/r Relu 8 net/b/m\n" \
  "net/c/m MatMul 8 net/b/r\nnet/c/s Softmax 8 net/c/m\n"

static char *
get_layer (guint i)
{
  return g_strdup_printf ("net/a_layer_of_a_long_name_%c%c", 'a' + i / 6, 'a' + i % 6);
}

static void
test_first_sight (void)
{
  assert_first_sight ("x Placeholder 8\n" LAYERS, "net", "net/a");
  assert_first_sight ("x Placeholder 8\n" LAYERS "loss Mean 8 net/c/s\n", "net", NULL);
  /* Two halves are a picture, and so is what cannot be opened. */
  assert_first_sight ("x Placeholder 8\n" LAYERS "b/m Add 8 x\nb/n Tanh 8 b/m\nb/o Tanh 8 b/n\n",
                      NULL, "net");
  assert_first_sight ("x Placeholder 8\ny Relu 8 x\n", NULL, NULL);
  assert_first_sight ("", NULL, NULL);
  /* Many parts are packed; so many boxes on so many lines could not be read. */
  for (int tied = 0; tied < 2; tied++)
    {
      g_autoptr (GString) fan = g_string_new ("x Placeholder 8\n");
      for (guint i = 0; i < 36; i++)
        {
          g_autofree char *layer = get_layer (i);
          g_string_append_printf (fan, "%s/m Op%u 8 x", layer, i);
          for (guint k = 2; tied && k < 6 && i > 0; k++)
            {
              g_autofree char *before = get_layer (i / k);
              g_string_append_printf (fan, " %s/r", before);
            }
          g_string_append_printf (fan, "\n%s/r Relu 8 %s/m\n", layer, layer);
        }
      assert_first_sight (fan->str, tied ? NULL : "net", tied ? "net" : NULL);
    }
}

/* What a training left, that only a saver reads, is no part of the model; nor is the file's name.
 */
static void
test_left_over (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_model (
      "x Placeholder 8\nw VariableV2 8\nnet MatMul 8 x w\nslot VariableV2 8\n"
      "file Placeholder 8\nkeep Assign 8 file slot w\nkeeper/name Const 8\n"
      "keeper/keep Assign 8 keeper/name w\nkeeper/done Identity 8 keeper/name ^keeper/keep\n");
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_assert_true (group (h, "slot")->hub && group (h, "file")->hub && group (h, "keeper")->hub);
  g_assert_false (group (h, "w")->hub || group (h, "x")->hub || group (h, "net")->hub);
}

/* Where only variables are saved they are all that there is; what reads them again once they are
 * kept, for nobody, is not. */
static void
test_only_kept (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_model (
      "w VariableV2 8\nb VariableV2 4\nfile Placeholder 8\nsaving/keep Assign 8 file w b\n");
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_assert_false (group (h, "w")->hub || group (h, "b")->hub);
  g_assert_true (group (h, "saving")->hub && group (h, "file")->hub);
  g_autoptr (SluiceGraphModel) trained = fixture_model (
      "x Placeholder 8\nw VariableV2 8\nnet MatMul 8 x w\nloss Mean 8 net\nstep Mul 8 net x\n"
      "keep Assign 8 &w step\nagain ReadVariableOp 8 w ^keep\n");
  g_autoptr (SluiceHierarchy) after = sluice_hierarchy_new (trained);
  g_assert_true (group (after, "again")->hub);
  g_assert_false (group (after, "net")->hub || group (after, "w")->hub);
}

/* A thousand ops of which no two stretches are alike become sections, in as many levels as it
 * takes, and no cycle comes about. */
static void
test_sections (void)
{
  g_autoptr (GString) text = g_string_new ("n0x Placeholder 8\n");
  for (guint i = 1; i < 1000; i++)
    g_string_append_printf (text, "n%ux Op%u 8 n%ux n%ux\n", i, i * i % 97, i - 1,
                            i - MIN (i, 1 + i % 5));
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  for (guint i = 0; i < sluice_hierarchy_get_n_groups (h); i++)
    {
      const SluiceGroup *g = sluice_hierarchy_get_group (h, i);
      guint first, n = sluice_hierarchy_get_bundles (h, i, &first);
      g_assert_cmpuint (g->n_children, <=, 60);
      for (guint b = first; b < first + n; b++)
        g_assert_cmpuint (sluice_hierarchy_get_bundle (h, b)->from, <,
                          sluice_hierarchy_get_bundle (h, b)->to);
    }
  assert_tree (h, model);
  assert_bundles (h, model);
}

static void
test_hubs (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  static const char *const aside[] = { "init", "save", "global_step", "Merge" };
  static const char *const kept[] = { "hidden", "logits", "loss",
                                      "train",  "input",  "gradients/hidden" };
  for (guint i = 0; i < G_N_ELEMENTS (aside); i++)
    if (!group (h, aside[i])->hub)
      g_error ("%s is not set aside", aside[i]);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    if (group (h, kept[i])->hub)
      g_error ("%s is set aside", kept[i]);
}

/* What everything around reads is no less a part of the model. */
static void
test_no_hub (void)
{
  g_autoptr (GString) text = g_string_new ("net/hub/x Identity 8\n");
  for (int i = 0; i < 20; i++)
    g_string_append_printf (text, "net/op%c Neg 8 net/hub/x\n", 'a' + i);
  g_string_append (text, "gradients/net/hub_grad/Sum Sum 8 net/opa\n");
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_assert_false (group (h, "net/hub")->hub);
  g_assert_cmpuint (group (h, "net/hub")->pair, ==, fixture_group (h, "gradients/net/hub_grad"));
}

/* What is computed for values to be kept, and nothing else, is set aside. */
static void
test_services (void)
{
  g_autoptr (SluiceGraphModel) model =
      fixture_model ("net/w VariableV2 8\nnet/w/Assign Assign 8 &net/w start/b\n"
                     "start/a RandomUniform 8\nstart/b Mul 8 start/a\nshared RandomUniform 8\n"
                     "average VariableV2 8\naverage/Assign Assign 8 &average value\n"
                     "asked IsVariableInitialized 1 net/w\nvalue/x Switch 8 asked shared\n"
                     "value Merge 8 value/x\nnet/y MatMul 8 net/w shared\n");
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  static const char *const aside[] = { "start", "asked", "value" };
  for (guint i = 0; i < G_N_ELEMENTS (aside); i++)
    if (!group (h, aside[i])->hub)
      g_error ("%s is not set aside", aside[i]);
  g_assert_false (group (h, "shared")->hub);
  g_assert_false (group (h, "net")->hub);
  g_assert_cmpuint (group (h, "start")->n_model, ==, 0);
}

static void
test_odd_names (void)
{
  SluiceGraphModel *model = sluice_graph_model_new ();
  g_autoptr (GString) deep = g_string_new ("deep");
  static const char *const names[] = { "/",
                                       "a//b",
                                       "a/",
                                       "/x",
                                       "gradients",
                                       "gradients/",
                                       "gradients/gradients/a",
                                       "x_grad",
                                       "gradients/x_grad",
                                       "1",
                                       "a_99999999999999999999",
                                       "ünï/cödé" };
  for (guint i = 0; i < 100000; i++)
    g_string_append (deep, "/d");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    sluice_graph_model_add_node (model, &(SluiceModelNode){ .name = names[i], .op = "Op" });
  guint last =
      sluice_graph_model_add_node (model, &(SluiceModelNode){ .name = deep->str, .op = "Op" });
  for (guint i = 0; i < last; i++)
    sluice_graph_model_add_edge (model, &(SluiceModelEdge){ .from = i, .to = last });
  g_assert_false (
      sluice_graph_model_add_edge (model, &(SluiceModelEdge){ .from = 0, .to = last + 1 }));
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  assert_tree (h, model);
  assert_bundles (h, model);
  guint op = sluice_hierarchy_get_op_group (h, last);
  g_assert_cmpuint (sluice_hierarchy_get_group (h, op)->depth, <=, 66);
  sluice_graph_model_unref (model);
}

static void
test_empty (void)
{
  g_autoptr (SluiceGraphModel) model = sluice_graph_model_new ();
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_assert_cmpuint (sluice_hierarchy_get_n_groups (h), ==, 1);
}

static void
test_random (void)
{
  for (guint32 seed = 1; seed <= 60; seed++)
    {
      g_autoptr (SluiceGraphModel) model = fixture_random (seed, 10 + seed * 6);
      g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
      assert_tree (h, model);
      assert_bundles (h, model);
    }
}

/* The scope that holds most heads is the loop, whatever of it stands elsewhere. */
static void
test_loops (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_loop ();
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_assert_cmpstr (group (h, "lstm/while")->loop, ==, "L");
  g_assert_null (group (h, "lstm/while")->inner_loop);
  g_assert_null (group (h, "lstm")->loop);
  g_assert_cmpstr (group (h, "lstm")->inner_loop, ==, "L");
  g_assert_null (group (h, "lstm/while/cell")->loop);
  g_assert_null (group (h, "lstm/while/cell")->inner_loop);
  g_assert_null (group (h, "gradients")->loop);
  const SluiceEdgeBundle *back = bundle (h, "lstm/while/NextIteration", "lstm/while/Merge");
  g_assert_cmpint (back->kind, ==, SLUICE_EDGE_BACK);
  g_assert_cmpuint (back->n_back, ==, 1);
  g_assert_cmpint (bundle (h, "lstm/while/Enter", "lstm/while/Merge")->kind, ==, SLUICE_EDGE_DATA);

  /* A loop without a scope of its own has none. */
  g_autoptr (SluiceGraphModel) flat =
      fixture_model ("Merge Merge@L 1 ~NextIteration\nNextIteration NextIteration@L 1 Merge\n");
  g_autoptr (SluiceHierarchy) f = sluice_hierarchy_new (flat);
  for (guint i = 0; i < sluice_hierarchy_get_n_groups (f); i++)
    g_assert_null (sluice_hierarchy_get_group (f, i)->loop);
}

static void
test_devices (void)
{
  static const char *const devices[] = { "CPU:0", "CPU:1", "CPU:1", NULL };
  g_autoptr (SluiceGraphModel) model = sluice_graph_model_new ();
  for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      g_autofree char *name = g_strdup_printf ("%s/op%u", i < 3 ? "a" : "b", i);
      sluice_graph_model_add_node (
          model, &(SluiceModelNode){ .name = name, .op = "Op", .device = devices[i] });
    }
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_autoptr (GArray) all = sluice_hierarchy_dup_device_ops (h, 0);
  g_autoptr (GArray) a = sluice_hierarchy_dup_device_ops (h, fixture_group (h, "a"));
  const SluiceDeviceOps *entry = (const SluiceDeviceOps *) all->data;
  g_assert_cmpuint (all->len, ==, 3);
  g_assert_cmpstr (sluice_hierarchy_get_device (h, entry[1].device), ==, "CPU:1");
  g_assert_cmpuint (entry[1].n_ops, ==, 2);
  g_assert_cmpuint (entry[2].device, ==, SLUICE_NONE);
  g_assert_cmpuint (entry[2].n_ops, ==, 1);
  g_assert_cmpuint (a->len, ==, 2);
  g_assert_cmpuint (group (h, "a")->device, ==, SLUICE_NONE);
}

/* What sums the gradients of all stands in one of them, and makes it unlike the others. */
static void
test_gradient_series (void)
{
  g_autoptr (GString) text = g_string_new ("split/op Op 8\n");
  for (guint i = 1; i <= 4; i++)
    g_string_append_printf (
        text,
        "tower%u/MatMul MatMul 8 split/op\n"
        "tower%u/gradients/tower%u/MatMul_grad/MatMul MatMul 8 tower%u/MatMul\n",
        i, i, i, i);
  g_string_append (text,
                   "tower1/gradients/AddN AddN 8 tower1/gradients/tower1/MatMul_grad/MatMul\n");
  for (guint i = 0; i < 8; i++)
    g_string_append_printf (text, "%c/op Op 8 split/op\n", 'a' + i);
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  const SluiceGroup *forward = group (h, "tower[1-4]");
  const SluiceGroup *backward = group (h, "tower1/gradients/tower[1-4]");
  g_assert_cmpstr (forward->label, ==, "tower × 4");
  g_assert_cmpstr (backward->label, ==, "tower ∇ × 4");
  g_assert_cmpuint (backward->n_children, ==, 4);
  g_assert_cmpuint (backward->pair, ==, fixture_group (h, "tower[1-4]"));
  g_assert_false (forward->hub);
}

/* Copies of a model that make their own gradients: each has one backward half. */
static void
test_own_gradients (void)
{
  g_autoptr (SluiceGraphModel) model =
      fixture_model ("tower0/fc/weights Op 8\ntower0/fc/MatMul MatMul 8 tower0/fc/weights\n"
                     "tower1/fc/MatMul MatMul 8 tower0/fc/weights\n"
                     "tower0/gradients/tower0/fc/MatMul_grad/MatMul MatMul 8 tower0/fc/MatMul\n"
                     "tower1/gradients/tower1/fc/MatMul_grad/MatMul MatMul 8 tower1/fc/MatMul\n"
                     "tower1/gradients/tower0/fc/weights_grad/Op Op 8 tower1/fc/MatMul\n"
                     "tower1/gradients/AddN AddN 8 tower1/gradients/tower1/fc/MatMul_grad/MatMul "
                     "tower1/gradients/tower0/fc/weights_grad/Op\n");
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  const SluiceGroup *backward = group (h, "tower1/gradients/tower1");
  g_assert_cmpstr (backward->label, ==, "tower1 ∇");
  g_assert_cmpuint (backward->parent, ==, 0);
  g_assert_cmpuint (backward->n_ops, ==, 3);
  g_assert_cmpuint (backward->pair, ==, fixture_group (h, "tower1"));
  g_assert_cmpuint (group (h, "tower0/gradients/tower0")->n_ops, ==, 1);
}

/* What tells of a model stands aside or at what it tells of; what is only told of is part of it. */
static void
test_summaries (void)
{
  g_autoptr (SluiceGraphModel) model =
      fixture_model ("x Placeholder 4\n"
                     "net/a Relu 4 x\n"
                     "net/b Relu 4 net/a\n"
                     "accuracy/a Equal 4 net/b x\n"
                     "accuracy/b Mean - accuracy/a\n"
                     "told/tags Const -\n"
                     "told/one ScalarSummary - told/tags accuracy/b\n"
                     "told/two ScalarSummary - told/tags net/b\n"
                     "Merge/all MergeSummary - told/one told/two\n"
                     "Merge/again MergeSummary - Merge/all\n");
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_assert_true (sluice_hierarchy_get_group (h, fixture_group (h, "told"))->hub);
  g_assert_true (sluice_hierarchy_get_group (h, fixture_group (h, "Merge"))->hub);
  g_assert_false (sluice_hierarchy_get_group (h, fixture_group (h, "accuracy"))->hub);
  g_assert_false (sluice_hierarchy_get_group (h, fixture_group (h, "net"))->hub);
}

/* An initial value that one scope makes for a variable of another is no way of the data. */
static void
test_initial_values (void)
{
  g_autoptr (SluiceGraphModel) model =
      fixture_model ("w/kernel VariableV2 4\n"
                     "tower/start/shape Const 1\n"
                     "tower/start/draw Op 4 tower/start/shape\n"
                     "w/kernel/assign Assign 4 &w/kernel tower/start/draw\n"
                     "w/kernel/read Identity 4 w/kernel\n"
                     "x Placeholder 4\n"
                     "tower/mul Mul 4 x w/kernel/read\n"
                     "tower/out Relu 4 tower/mul\n");
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  guint first, n = sluice_hierarchy_get_bundles (h, 0, &first), n_serving = 0;
  for (guint i = first; i < first + n; i++)
    {
      const SluiceEdgeBundle *b = sluice_hierarchy_get_bundle (h, i);
      gboolean is_initial = b->from == fixture_group (h, "tower");
      g_assert_cmpint (b->serves, ==, is_initial);
      n_serving += b->serves;
    }
  g_assert_cmpuint (n_serving, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/canvas/hierarchy/scopes", test_scopes);
  g_test_add_func ("/canvas/hierarchy/bundles", test_bundles);
  g_test_add_func ("/canvas/hierarchy/bundle-ports", test_bundle_ports);
  g_test_add_func ("/canvas/hierarchy/gradients", test_gradients);
  g_test_add_func ("/canvas/hierarchy/structures", test_structures);
  g_test_add_func ("/canvas/hierarchy/series", test_series);
  g_test_add_func ("/canvas/hierarchy/series-cycles", test_series_close_no_cycles);
  g_test_add_func ("/canvas/hierarchy/hubs", test_hubs);
  g_test_add_func ("/canvas/hierarchy/no-hub", test_no_hub);
  g_test_add_func ("/canvas/hierarchy/services", test_services);
  g_test_add_func ("/canvas/hierarchy/cells", test_cells);
  g_test_add_func ("/canvas/hierarchy/shuffled-cells", test_shuffled_cells);
  g_test_add_func ("/canvas/hierarchy/many-aside", test_many_aside);
  g_test_add_func ("/canvas/hierarchy/first-sight", test_first_sight);
  g_test_add_func ("/canvas/hierarchy/left-over", test_left_over);
  g_test_add_func ("/canvas/hierarchy/only-kept", test_only_kept);
  g_test_add_func ("/canvas/hierarchy/sections", test_sections);
  g_test_add_func ("/canvas/hierarchy/odd-names", test_odd_names);
  g_test_add_func ("/canvas/hierarchy/loops", test_loops);
  g_test_add_func ("/canvas/hierarchy/devices", test_devices);
  g_test_add_func ("/canvas/hierarchy/own-gradients", test_own_gradients);
  g_test_add_func ("/canvas/hierarchy/gradient-series", test_gradient_series);
  g_test_add_func ("/canvas/hierarchy/empty", test_empty);
  g_test_add_func ("/canvas/hierarchy/random", test_random);
  g_test_add_func ("/canvas/hierarchy/summaries", test_summaries);
  g_test_add_func ("/canvas/hierarchy/initial-values", test_initial_values);
  return g_test_run ();
}
