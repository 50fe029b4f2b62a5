/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* After any edits a hierarchy that is made from the one before is what is made anew. */
#include <string.h>

#include "tests/ui/canvas/fixture.h"

/* ---- names by lot ---- */

/* Names in which every rule about scopes and gradients is met. */
static char *
random_name (void)
{
  static const char *const parts[] = { "fc",        "fc_grad", "fc_1",   "fc_2",   "tower0",
                                       "gradients", "AddN",    "conv_1", "conv_2", "gradients_1" };
  GString *name = g_string_new (NULL);
  for (int depth = g_test_rand_int_range (0, 4); depth > 0; depth--)
    g_string_append_printf (name, "%s/", parts[g_test_rand_int_range (0, G_N_ELEMENTS (parts))]);
  g_string_append (name, parts[g_test_rand_int_range (0, G_N_ELEMENTS (parts))]);
  if (g_test_rand_bit ())
    g_string_append_printf (name, "_%d", g_test_rand_int_range (0, 20));
  return g_string_free (name, FALSE);
}

static void
add_random (SluiceGraphModel *model)
{
  static const char *const ops[] = { "MatMul", "Add", "Const", "Relu" };
  static const char *const devices[] = { NULL, NULL, "/cpu:0", "/gpu:0" };
  g_autofree char *name = random_name ();
  int op = g_test_rand_int_range (0, G_N_ELEMENTS (ops));
  SluiceModelNode node = { .name = name,
                           .op = ops[op],
                           .device = devices[g_test_rand_int_range (0, G_N_ELEMENTS (devices))],
                           .node_class =
                               op == 2 ? SLUICE_NODE_CLASS_CONSTANT : SLUICE_NODE_CLASS_OP,
                           .service = MAX (0, g_test_rand_int_range (-20, 3)),
                           .cost = g_test_rand_int_range (0, 100) / 8.0,
                           .bytes = 4,
                           .params = g_test_rand_bit () };
  if (sluice_graph_model_lookup (model, name) == G_MAXUINT)
    sluice_graph_model_add_node (model, &node);
}

static void
add_random_edges (SluiceGraphModel *model, guint n)
{
  guint n_nodes = sluice_graph_model_get_n_nodes (model);
  for (guint i = 0; i < n && n_nodes > 0; i++)
    sluice_graph_model_add_edge (
        model, &(SluiceModelEdge){ .from = g_test_rand_int_range (0, (int) n_nodes),
                                   .to = g_test_rand_int_range (0, (int) n_nodes),
                                   .kind = g_test_rand_int_range (0, 8) / 5,
                                   .bytes = g_test_rand_int_range (0, 1000) });
}

/* Some nodes gone, some new, anywhere; one in eight times not in their order. */
static SluiceGraphModel *
edit_random (SluiceGraphModel *base)
{
  SluiceGraphModel *model = sluice_graph_model_new_after (base);
  guint n = sluice_graph_model_get_n_nodes (base);
  g_autofree guint *now = g_new (guint, n + 1);
  guint first = g_test_rand_int_range (0, 8) == 0 ? n / 2 : 0;
  for (guint k = 0; k < n; k++)
    {
      guint i = (k + first) % n;
      const char *name = sluice_graph_model_get_node (base, i)->name;
      gboolean stays =
          g_test_rand_int_range (0, 40) > 0 && sluice_graph_model_lookup (model, name) == G_MAXUINT;
      now[i] = stays ? sluice_graph_model_take_node (model, base, i) : G_MAXUINT;
      if (g_test_rand_int_range (0, 40) == 0)
        add_random (model);
    }
  add_random (model);
  for (guint e = 0; e < sluice_graph_model_get_n_edges (base); e++)
    {
      const SluiceModelEdge *edge = sluice_graph_model_get_edge (base, e);
      if (now[edge->from] != G_MAXUINT && now[edge->to] != G_MAXUINT)
        sluice_graph_model_take_edge (model, base, e, now[edge->from], now[edge->to]);
    }
  add_random_edges (model, 3);
  return model;
}

/* Nodes and edges as they were, of other devices, costs and sizes. */
static SluiceGraphModel *
edit_fields (SluiceGraphModel *base)
{
  SluiceGraphModel *model = sluice_graph_model_new_after (base);
  for (guint i = 0; i < sluice_graph_model_get_n_nodes (base); i++)
    {
      SluiceModelNode node = *sluice_graph_model_get_node (base, i);
      if (g_test_rand_int_range (0, 8) == 0)
        {
          node.device = g_test_rand_bit () ? "/cpu:0" : "/gpu:1";
          node.error = g_test_rand_bit () ? "“T” is missing" : NULL;
          node.params = g_test_rand_bit ();
          node.service = MAX (0, g_test_rand_int_range (-8, 3));
          node.bytes = g_test_rand_bit ();
          node.cost += g_test_rand_bit ();
        }
      sluice_graph_model_add_node (model, &node);
    }
  for (guint e = 0; e < sluice_graph_model_get_n_edges (base); e++)
    {
      SluiceModelEdge edge = *sluice_graph_model_get_edge (base, e);
      edge.bytes += g_test_rand_bit ();
      sluice_graph_model_add_edge (model, &edge);
    }
  return model;
}

/* After any edits, one made from the other, and over several at once, it is what is made anew. */
static void
test_after_names (void)
{
  for (guint round = 0; round < 40; round++)
    {
      SluiceGraphModel *model = sluice_graph_model_new ();
      for (guint i = 0; i < 5 + 3 * round; i++)
        add_random (model);
      add_random_edges (model, 8 * round);
      SluiceHierarchy *h = sluice_hierarchy_new (model);
      for (guint edit = 0; edit < 40; edit++)
        {
          SluiceGraphModel *next =
              g_test_rand_int_range (0, 3) == 0 ? edit_fields (model) : edit_random (model);
          sluice_graph_model_unref (model);
          model = next;
          if (g_test_rand_int_range (0, 4) == 0)
            continue;
          SluiceHierarchy *after = sluice_hierarchy_new_after (h, model);
          g_autoptr (SluiceHierarchy) anew = sluice_hierarchy_new (model);
          fixture_assert_same (after, anew);
          sluice_hierarchy_unref (h);
          h = after;
        }
      sluice_hierarchy_unref (h);
      sluice_graph_model_unref (model);
    }
}

/* ---- models as they are: layers, gradients, towers, loops ---- */

typedef struct
{
  char *name;
  const char *op, *device, *loop, *error;
  SluiceNodeClass node_class;
  double cost;
  GPtrArray *inputs; /* names; '^': control, '&': reference, '~': back */
} Node;

static Node *add (GPtrArray *nodes, const char *op, const char *inputs, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

static void
node_free (gpointer data)
{
  Node *node = data;
  g_free (node->name);
  g_ptr_array_unref (node->inputs);
  g_free (node);
}

static Node *
get (GPtrArray *nodes, guint index)
{
  return nodes->pdata[index];
}

static Node *
find (GPtrArray *nodes, const char *name)
{
  for (guint i = 0; i < nodes->len; i++)
    if (strcmp (get (nodes, i)->name, name) == 0)
      return get (nodes, i);
  return NULL;
}

static Node *
any (GPtrArray *nodes)
{
  return get (nodes, (guint) g_test_rand_int_range (0, (int) nodes->len));
}

/* inputs: names with blanks between. */
static Node *
add (GPtrArray *nodes, const char *op, const char *inputs, const char *format, ...)
{
  Node *node = g_new0 (Node, 1);
  g_auto (GStrv) words = g_strsplit (inputs, " ", -1);
  va_list args;
  va_start (args, format);
  node->name = g_strdup_vprintf (format, args);
  va_end (args);
  node->op = op;
  node->node_class = fixture_class_of (op);
  node->cost = 1;
  node->inputs = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; words[i] != NULL; i++)
    g_ptr_array_add (node->inputs, g_strdup (words[i]));
  if (find (nodes, node->name) == NULL)
    g_ptr_array_add (nodes, node);
  else
    {
      node_free (node);
      node = NULL;
    }
  return node;
}

static void
add_layer (GPtrArray *nodes, int i)
{
  g_autofree char *in = i == 1 ? g_strdup ("input/x") : g_strdup_printf ("layer_%d/Relu", i - 1);
  g_autofree char *product = g_strdup_printf ("%s layer_%d/w/read", in, i);
  g_autofree char *variable = g_strdup_printf ("layer_%d/w", i);
  g_autofree char *assign = g_strdup_printf ("&layer_%d/w layer_%d/w/init", i, i);
  g_autofree char *matmul = g_strdup_printf ("layer_%d/MatMul", i);
  add (nodes, "VariableV2", "", "layer_%d/w", i);
  add (nodes, "Const", "", "layer_%d/w/init", i);
  add (nodes, "Assign", assign, "layer_%d/w/Assign", i);
  add (nodes, "Identity", variable, "layer_%d/w/read", i);
  add (nodes, "MatMul", product, "layer_%d/MatMul", i);
  add (nodes, "Relu", matmul, "layer_%d/Relu", i);
}

static void
add_gradient (GPtrArray *nodes, int i)
{
  g_autofree char *sum = g_strdup_printf ("layer_%d/Relu gradients/AddN_%d", i, i + 1);
  g_autofree char *product = g_strdup_printf ("gradients/layer_%d/Relu_grad/ReluGrad", i);
  g_autofree char *both = g_strdup_printf ("gradients/layer_%d/MatMul_grad/MatMul "
                                           "gradients/layer_%d/Relu_grad/ReluGrad",
                                           i, i);
  g_autofree char *update =
      g_strdup_printf ("&layer_%d/w gradients/layer_%d/MatMul_grad/MatMul_1", i, i);
  add (nodes, "ReluGrad", sum, "gradients/layer_%d/Relu_grad/ReluGrad", i);
  add (nodes, "MatMul", product, "gradients/layer_%d/MatMul_grad/MatMul", i);
  add (nodes, "MatMul", product, "gradients/layer_%d/MatMul_grad/MatMul_1", i);
  if (i % 3 == 0)
    add (nodes, "AddN", both, "gradients/AddN_%d", i);
  add (nodes, "ApplyAdam", update, "train/update_layer_%d/w/ApplyAdam", i);
  add (nodes, "Assign", update, "save/Assign_%d", i);
}

static void
add_tower (GPtrArray *nodes, int i)
{
  g_autofree char *forward = g_strdup_printf ("tower_%d/fc/MatMul", i);
  g_autofree char *backward =
      g_strdup_printf ("tower_%d/gradients/tower_%d/fc/MatMul_grad/MatMul", i, i);
  add (nodes, "MatMul", "input/x", "tower_%d/fc/MatMul", i);
  add (nodes, "MatMul", forward, "tower_%d/gradients/tower_%d/fc/MatMul_grad/MatMul", i, i);
  add (nodes, "MatMul", backward, "tower_%d/gradients/input/x_grad/Reshape", i);
  add (nodes, "AddN", backward, "tower_%d/gradients/AddN", i);
}

static void
add_loop (GPtrArray *nodes, const char *loop)
{
  guint first = nodes->len;
  g_autofree char *begin = g_strdup_printf ("%s/Enter ~%s/Next", loop, loop);
  g_autofree char *merge = g_strdup_printf ("%s/Merge", loop);
  g_autofree char *body = g_strdup_printf ("%s/cell/Tanh", loop);
  add (nodes, "Enter", "input/x", "%s/Enter", loop);
  add (nodes, "Merge", begin, "%s/Merge", loop);
  add (nodes, "Tanh", merge, "%s/cell/Tanh", loop);
  add (nodes, "NextIteration", body, "%s/Next", loop);
  for (; first < nodes->len; first++)
    get (nodes, first)->loop = loop;
}

/* Many read one scope: it is set aside, unless it has a gradient. */
static void
add_net (GPtrArray *nodes)
{
  add (nodes, "Identity", "input/x", "net/hub/x");
  for (int i = 0; i < 20; i++)
    add (nodes, "Neg", "net/hub/x", "net/op%c", 'a' + i);
  if (g_test_rand_bit ())
    add (nodes, "Sum", "net/opa net/opb", "gradients/net/hub_grad/Sum");
}

/* Cells without scopes, their gradients, and many ops that are alike in nothing. */
static void
add_flat (GPtrArray *nodes)
{
  int n = g_test_rand_int_range (3, 20);
  for (int i = 1; i <= n; i++)
    {
      g_autofree char *inputs = g_strdup_printf ("cell_h%d w%d", i - 1, i);
      add (nodes, "VariableV2", "", "w%d", i);
      add (nodes, "MatMul", inputs, "cell_m%d", i);
      g_autofree char *sum = g_strdup_printf ("cell_m%d input/x", i);
      add (nodes, "Add", sum, "cell_a%d", i);
      g_autofree char *last = g_strdup_printf ("cell_a%d", i);
      add (nodes, "Tanh", last, "cell_h%d", i);
    }
  for (int i = n; i > 0; i--)
    {
      g_autofree char *above = g_strdup_printf ("gradients/cell_m%d_grad/MatMul w%d", i + 1, i);
      add (nodes, "MatMul", above, "gradients/cell_m%d_grad/MatMul", i);
    }
  for (int i = g_test_rand_int_range (0, 80); i > 0; i--)
    {
      static const char *const ops[] = { "Exp", "Neg", "Log", "Abs", "Mul" };
      add (nodes, ops[g_test_rand_int_range (0, G_N_ELEMENTS (ops))], any (nodes)->name, "flat%dx",
           i);
    }
}

static GPtrArray *
make_nodes (void)
{
  GPtrArray *nodes = g_ptr_array_new_with_free_func (node_free);
  int n = g_test_rand_int_range (3, 17);
  add (nodes, "Placeholder", "", "input/x");
  for (int i = 1; i <= n; i++)
    add_layer (nodes, i);
  for (int i = n; i > 0; i--)
    add_gradient (nodes, i);
  for (int i = g_test_rand_int_range (0, 5); i > 0; i--)
    add_tower (nodes, i);
  if (g_test_rand_bit ())
    add_loop (nodes, "rnn/while");
  if (g_test_rand_bit ())
    add_loop (nodes, "rnn/while/inner");
  add_net (nodes);
  if (g_test_rand_bit ())
    add_flat (nodes);
  add (nodes, "AddN", "layer_1/Relu", "AddN");
  add (nodes, "Sum", "AddN", "gradients/AddN_grad/Sum");
  add (nodes, "ScalarSummary", "layer_1/Relu", "loss_summary");
  add (nodes, "NoOp", "^layer_1/w/Assign ^layer_2/w/Assign", "init");
  return nodes;
}

static void
add_edges (SluiceGraphModel *model, const Node *node, guint to)
{
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const char *input = node->inputs->pdata[i];
      SluiceEdgeKind kind = *input == '^'   ? SLUICE_EDGE_CONTROL
                            : *input == '&' ? SLUICE_EDGE_REFERENCE
                            : *input == '~' ? SLUICE_EDGE_BACK
                                            : SLUICE_EDGE_DATA;
      guint from = sluice_graph_model_lookup (model, input + (kind != SLUICE_EDGE_DATA));
      if (from != G_MAXUINT)
        sluice_graph_model_add_edge (model, &(SluiceModelEdge){ .from = from,
                                                                .to = to,
                                                                .port = i % 2,
                                                                .slot = i,
                                                                .kind = kind,
                                                                .bytes = 8 * node->cost });
    }
}

static SluiceGraphModel *
make_model (GPtrArray *nodes, SluiceGraphModel *base)
{
  SluiceGraphModel *model =
      base != NULL ? sluice_graph_model_new_after (base) : sluice_graph_model_new ();
  for (guint i = 0; i < nodes->len; i++)
    {
      const Node *node = get (nodes, i);
      SluiceModelNode item = { .name = node->name,
                               .op = node->op,
                               .device = node->device,
                               .loop = node->loop,
                               .error = node->error,
                               .cost = node->cost,
                               .bytes = 4,
                               .node_class = node->node_class };
      item.params = item.node_class == SLUICE_NODE_CLASS_VARIABLE ? 10 : 0;
      sluice_graph_model_add_node (model, &item);
    }
  for (guint i = 0; i < nodes->len; i++)
    add_edges (model, get (nodes, i), i);
  return model;
}

/* ---- edits ---- */

static void
rename_to (GPtrArray *nodes, Node *node, char *take_name)
{
  g_autofree char *name = take_name;
  if (find (nodes, name) != NULL)
    return;
  for (guint i = 0; i < nodes->len; i++)
    for (guint k = 0; k < get (nodes, i)->inputs->len; k++)
      {
        char **input = (char **) &get (nodes, i)->inputs->pdata[k];
        gsize mark = **input == '^' || **input == '&' || **input == '~';
        if (strcmp (*input + mark, node->name) == 0)
          {
            char *other = g_strdup_printf ("%.*s%s", (int) mark, *input, name);
            g_free (*input);
            *input = other;
          }
      }
  g_free (node->name);
  node->name = g_steal_pointer (&name);
}

/* A scope that some node stands in. */
static char *
dup_any_scope (GPtrArray *nodes)
{
  const char *name = any (nodes)->name, *slash = name;
  for (int depth = g_test_rand_int_range (1, 4);
       depth > 0 && slash != NULL && (slash = strchr (slash, '/')) != NULL; depth--)
    if (g_test_rand_int_range (0, 3) == 0 || depth == 1)
      return g_strndup (name, slash - name);
    else
      slash++;
  return g_strndup (name, strcspn (name, "/"));
}

static void
rename_scope (GPtrArray *nodes)
{
  static const char *const others[] = { "layer_4", "layer_17",  "other",     "fc",      "tower_2",
                                        "input",   "layer_2/w", "gradients", "net/hub", "save" };
  g_autofree char *scope = dup_any_scope (nodes);
  const char *other = others[g_test_rand_int_range (0, G_N_ELEMENTS (others))];
  gsize length = strlen (scope);
  for (guint i = 0; i < nodes->len; i++)
    {
      Node *node = get (nodes, i);
      if (strncmp (node->name, scope, length) == 0
          && (node->name[length] == '/' || node->name[length] == '\0'))
        rename_to (nodes, node, g_strconcat (other, node->name + length, NULL));
    }
}

static void
delete_scope (GPtrArray *nodes)
{
  g_autofree char *any_scope = dup_any_scope (nodes);
  const char *scope = g_test_rand_int_range (0, 4) == 0 ? "net/hub_grad" : any_scope;
  gsize length = strlen (scope);
  for (guint i = nodes->len; i-- > 0 && nodes->len > 8;)
    if (strncmp (get (nodes, i)->name, scope, length) == 0)
      g_ptr_array_remove_index (nodes, i);
}

static void
add_somewhere (GPtrArray *nodes)
{
  static const char *const ops[] = { "MatMul", "Const", "Relu", "NoOp", "ScalarSummary" };
  const char *op = ops[g_test_rand_int_range (0, G_N_ELEMENTS (ops))];
  g_autofree char *scope = dup_any_scope (nodes), *input = g_strdup (any (nodes)->name);
  int i = g_test_rand_int_range (1, 20);
  switch (g_test_rand_int_range (0, 10))
    {
    case 0:
      add (nodes, op, input, "%s", scope); /* what names a scope */
      break;
    case 1:
      add (nodes, op, input, "gradients/net/hub%s/Sum", g_test_rand_bit () ? "_grad" : "");
      break;
    case 2:
      add (nodes, op, input, "net/hub_grad"); /* its gradient might be that one's */
      break;
    case 3:
      add (nodes, op, input, "gradients/AddN_grad/Sum_%d", i);
      break;
    case 4:
      add (nodes, op, input, "gradients/AddN"); /* the path of a scope, if AddN has a gradient */
      break;
    case 5:
      add_layer (nodes, i);
      break;
    case 6:
      add_gradient (nodes, i);
      break;
    case 7:
      add (nodes, op, input, "gradients/AddN_%d", i);
      break;
    case 8:
      add (nodes, op, input, "%s_%d", any (nodes)->name, i);
      break;
    default:
      add (nodes, op, input, "%s/new_%d", scope, i);
    }
  /* Seldom at the end, as an edit puts back what an edit took away. */
  Node *last = g_ptr_array_steal_index (nodes, nodes->len - 1);
  g_ptr_array_insert (nodes, g_test_rand_int_range (0, (int) nodes->len + 1), last);
}

static void
rewire (GPtrArray *nodes)
{
  static const char *const marks[] = { "", "", "^", "&", "~" };
  GPtrArray *inputs = any (nodes)->inputs;
  g_autofree char *input =
      g_strconcat (marks[g_test_rand_int_range (0, G_N_ELEMENTS (marks))], any (nodes)->name, NULL);
  if (inputs->len > 0 && g_test_rand_bit ())
    g_ptr_array_remove_index (inputs, (guint) g_test_rand_int_range (0, (int) inputs->len));
  if (g_test_rand_bit ())
    g_ptr_array_insert (inputs, g_test_rand_int_range (0, (int) inputs->len + 1),
                        g_steal_pointer (&input));
}

static void
edit_node (GPtrArray *nodes, Node *node)
{
  static const char *const devices[] = { NULL, "/cpu:0", "/gpu:0", "" };
  switch (g_test_rand_int_range (0, 8))
    {
    case 0:
      node->error = node->error == NULL ? "“T” is missing" : NULL;
      break;
    case 1:
      node->node_class = fixture_class_of (g_test_rand_bit () ? "ScalarSummary" : node->op);
      break;
    case 2:
      node->op = g_test_rand_bit () ? "MatMul" : "Const";
      break;
    case 3:
      node->device = devices[g_test_rand_int_range (0, G_N_ELEMENTS (devices))];
      break;
    case 4:
      node->cost += 1 / 8.0;
      break;
    case 5:
      node->loop = g_test_rand_bit () ? "rnn/while" : NULL;
      break;
    case 6:
      rename_to (nodes, node, g_strdup_printf ("%s_%d", node->name, g_test_rand_int_range (0, 9)));
      break;
    default:
      rename_to (nodes, node, g_strdup (g_test_rand_bit () ? "net/hub" : "gradients/AddN_2"));
    }
}

static void
edit_nodes (GPtrArray *nodes)
{
  switch (g_test_rand_int_range (0, 10))
    {
    case 0:
      if (nodes->len > 8)
        g_ptr_array_remove (nodes, any (nodes));
      break;
    case 1:
      delete_scope (nodes);
      break;
    case 2:
      rename_scope (nodes);
      break;
    case 3:
    case 4:
      add_somewhere (nodes);
      break;
    case 5:
    case 6:
      rewire (nodes);
      break;
    case 7:
      /* Elsewhere in the order. */
      g_ptr_array_insert (
          nodes, g_test_rand_int_range (0, (int) nodes->len),
          g_ptr_array_steal_index (nodes, (guint) g_test_rand_int_range (0, (int) nodes->len)));
      break;
    default:
      edit_node (nodes, any (nodes));
    }
}

static void
test_after_models (void)
{
  for (guint round = 0; round < 60; round++)
    {
      g_autoptr (GPtrArray) nodes = make_nodes ();
      SluiceGraphModel *model = make_model (nodes, NULL);
      SluiceHierarchy *h = sluice_hierarchy_new (model);
      for (guint edit = 0; edit < 30; edit++)
        {
          for (int k = g_test_rand_int_range (0, 3); k >= 0; k--)
            edit_nodes (nodes);
          SluiceGraphModel *next = make_model (nodes, model);
          sluice_graph_model_unref (model);
          model = next;
          SluiceHierarchy *after = sluice_hierarchy_new_after (h, model);
          g_autoptr (SluiceHierarchy) anew = sluice_hierarchy_new (model);
          fixture_assert_same (after, anew);
          sluice_hierarchy_unref (h);
          h = after;
        }
      sluice_hierarchy_unref (h);
      sluice_graph_model_unref (model);
    }
}

/* A scope that makes gradients of itself, and is called as if it were one: where these stand
 * depends on whether anything else stands in it. */
static void
test_after_own_gradient (void)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new_with_free_func (node_free);
  add (nodes, "Neg", "", "fc_grad/gradients/fc_grad/x");
  add (nodes, "Neg", "", "fc_grad/gradients/AddN");
  g_autoptr (SluiceGraphModel) without = make_model (nodes, NULL);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (without);
  add (nodes, "Neg", "", "fc_grad/a");
  g_autoptr (SluiceGraphModel) with = make_model (nodes, without);
  g_autoptr (SluiceHierarchy) after = sluice_hierarchy_new_after (h, with);
  g_autoptr (SluiceHierarchy) anew = sluice_hierarchy_new (with);
  fixture_assert_same (after, anew);
  g_autoptr (SluiceHierarchy) back = sluice_hierarchy_new_after (after, without);
  fixture_assert_same (back, h);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/canvas/hierarchy-after/names", test_after_names);
  g_test_add_func ("/canvas/hierarchy-after/models", test_after_models);
  g_test_add_func ("/canvas/hierarchy-after/own-gradient", test_after_own_gradient);
  return g_test_run ();
}
