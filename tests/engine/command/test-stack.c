/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Commands on a graph: what each does, what it is called, that it is taken back whole, and that the
 * journal does it again. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/command/layer.h"
#include "engine/command/command.h"
#include "engine/graph/graphdef.h"
#include "tests/engine/command/fixture.h"

static GBytes *
dup_bytes (SluiceGraph *graph)
{
  GBytes *bytes = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, NULL);
  g_assert_nonnull (bytes);
  return bytes;
}

/* A variable, a loss of it, a scope. */
static const char model[] = "add Placeholder x dtype=DT_FLOAT shape=[?,2]\n"
                            "add Const s/w/initial value=[[1.0],[2.0]]\n"
                            "add VarHandleOp s/w dtype=DT_FLOAT shape=[2,1] shared_name=\"s/w\"\n"
                            "add AssignVariableOp s/w/Assign s/w s/w/initial\n"
                            "add ReadVariableOp s/w/read s/w dtype=DT_FLOAT\n"
                            "add MatMul y x s/w/read\n"
                            "add Const axes value=[0,1]\n"
                            "add Mean loss y axes\n";

/* Each command, and what it is called. */
static const char *const commands[][2] = {
  { "add Neg n loss", "add n" },
  { "connect x loss:0", "connect x → loss:0" },
  { "connect x loss:input", "connect x → loss:input" },
  { "disconnect y:1", "disconnect y:1" },
  { "control axes y", "let y wait for axes" },
  { "set y transpose_a=true transpose_b=true", "set an attribute of y" },
  { "set y _note=\"a b\"", "set an attribute of y" },
  { "set x shape=", "set an attribute of x" },
  { "device y /device:CPU:0", "set the device of y" },
  { "colocate y s/w", "put y beside s/w" },
  { "rename s t/u", "rename s to t/u" },
  { "delete s", "delete s" },
  { "delete y", "delete y" },
  { "duplicate s t", "duplicate s as t" },
  { "group g y s", "group into g" },
  { "ungroup s", "ungroup s" },
  { "insert Tanh t y", "insert t" },
  { "mute y", "mute y" },
  { "insert Add t2 y y", "insert t2" },
  { "together \"two at once\" \"add Neg n loss\" \"rename n m\"", "two at once" },
  { "train loss optimizer=sgd learning-rate=0.1", "train by loss" },
  { "train loss optimizer=momentum learning-rate=0.1 momentum=0.5", "train by loss" },
  { "train loss optimizer=adam learning-rate=0.1 clip=1 variables=s", "train by loss" },
  { "train loss optimizer=rmsprop learning-rate=0.1", "train by loss" },
  { "train loss optimizer=adagrad learning-rate=0.1", "train by loss" },
  { "train loss optimizer=sgd learning-rate=loss", "train by loss" },
  { "train loss optimizer=sgd learning-rate=0.1 clip-norm=1", "train by loss" },
  { "train loss optimizer=sgd learning-rate=0.1 clip-value=1", "train by loss" },
  { "train loss optimizer=rmsprop learning-rate=0.1 schedule=cosine steps=9 warm-up=3",
    "train by loss" },
  { "train loss optimizer=adam learning-rate=0.1 schedule=piecewise after=[2] rates=[0.01]",
    "train by loss" },
  { "layer mean m input=y", "layer m" },
  { "summary scalar loss", "summary of loss" },
  { "summary histogram y \"the outputs\"", "summary of y" },
};

static void
test_each (Fixture *f, gconstpointer data)
{
  fixture_run (f, model);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_test_message ("%s", commands[i][0]);
      fixture_run (f, commands[i][0]);
      g_autofree char *words = sluice_command_stack_dup_undo_words (f->stack);
      g_assert_cmpstr (words, ==, commands[i][1]);
      g_autoptr (GBytes) after = dup_bytes (f->graph);
      g_assert_false (g_bytes_equal (before, after));
      fixture_run (f, "undo");
      g_autoptr (GBytes) undone = dup_bytes (f->graph);
      g_assert_true (g_bytes_equal (before, undone));
      g_autofree char *again = sluice_command_stack_dup_redo_words (f->stack);
      g_assert_cmpstr (again, ==, words);
      fixture_run (f, "redo");
      g_autoptr (GBytes) redone = dup_bytes (f->graph);
      g_assert_true (g_bytes_equal (after, redone));
      fixture_run (f, "undo");
    }
}

static void
note_line (const char *line, gpointer data)
{
  g_string_append_printf (data, "%s;", line);
}

/* What is arranged is in the one history, told as it comes and goes, and no change of the graph. */
static void
test_layout (Fixture *f, gconstpointer data)
{
  g_autoptr (GString) told = g_string_new (NULL);
  fixture_run (f, model);
  sluice_command_stack_set_saved (f->stack, TRUE);
  sluice_command_stack_set_arrange (f->stack, note_line, told);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  fixture_run (f, "layout \"move y\" \"+moved y 1 2\"\n"
                  "layout \"move y\" \"-moved y 1 2\" \"+moved y 3 4\"");
  g_assert_cmpstr (told->str, ==, "+moved y 1 2;-moved y 1 2;+moved y 3 4;");
  g_assert_true (sluice_command_stack_is_saved (f->stack));
  g_autofree char *words = sluice_command_stack_dup_undo_words (f->stack);
  g_assert_cmpstr (words, ==, "move y");
  g_string_truncate (told, 0);
  fixture_run (f, "undo 2\nredo");
  g_assert_cmpstr (told->str, ==, "-moved y 3 4;+moved y 1 2;-moved y 1 2;+moved y 1 2;");
  fixture_run (f, "add Neg n loss");
  g_assert_false (sluice_command_stack_is_saved (f->stack));
  fixture_run (f, "undo");
  g_assert_true (sluice_command_stack_is_saved (f->stack));
  g_autoptr (GBytes) after = dup_bytes (f->graph);
  g_assert_true (g_bytes_equal (before, after));
  /* With a change of the graph it is one command. */
  g_string_truncate (told, 0);
  fixture_run (f, "together both \"add Neg n loss\" \"layout w \\\"+moved n 1 2\\\"\"\nundo");
  g_assert_cmpstr (told->str, ==, "+moved n 1 2;-moved n 1 2;");
  g_assert_null (sluice_graph_find (f->graph, "n"));
  g_assert_false (sluice_command_stack_do (f->stack, "layout w \"moved y 1 2\"", NULL, NULL));
}

/* The journal makes the same graph, with the same to undo and to redo. */
static void
test_journal (Fixture *f, gconstpointer data)
{
  fixture_run (f, model);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autoptr (GError) error = NULL;
      if (sluice_command_stack_do (f->stack, commands[i][0], NULL, &error) && i % 3 == 0)
        fixture_run (f, "undo 2\nredo");
    }
  Fixture copy;
  fixture_set_up (&copy, NULL);
  fixture_run (&copy, sluice_command_stack_get_journal (f->stack));
  g_autoptr (GBytes) wanted = dup_bytes (f->graph), found = dup_bytes (copy.graph);
  g_assert_true (g_bytes_equal (wanted, found));
  g_assert_cmpuint (sluice_command_stack_get_n_undo (copy.stack), ==,
                    sluice_command_stack_get_n_undo (f->stack));
  g_assert_cmpuint (sluice_command_stack_get_n_redo (copy.stack), ==,
                    sluice_command_stack_get_n_redo (f->stack));
  g_assert_true (
      sluice_command_stack_undo (copy.stack, sluice_command_stack_get_n_undo (copy.stack), NULL));
  g_assert_cmpuint (sluice_graph_get_n_nodes (copy.graph), ==, 0);
  fixture_tear_down (&copy, NULL);
}

/* What the copy of a variable and what stands beside it are. */
static void
test_duplicate (Fixture *f, gconstpointer data)
{
  fixture_run (f, model);
  fixture_run (f, "colocate s/w/read s/w\nduplicate s t\n");
  const SluiceNode *w = sluice_graph_find (f->graph, "t/w");
  const SluiceNode *read = sluice_graph_find (f->graph, "t/w/read");
  g_assert_true (sluice_node_string_is (w, "shared_name", "t/w"));
  g_assert_true (read->inputs[0].node == w);
  g_autofree char *beside = sluice_attr_value_to_string (sluice_node_get_attr (read, "_class"));
  g_assert_cmpstr (beside, ==, "[\"loc:@t/w\"]");
}

/* A loop's copy is a loop of its own. */
static void
test_duplicate_loop (Fixture *f, gconstpointer data)
{
  fixture_run (f, "add Const zero value=0\n"
                  "add Enter l/enter zero frame_name=\"l/frame\"\n"
                  "add Merge l/merge l/enter \"\" N=2\n"
                  "add Const l/limit ^l/merge value=9\n"
                  "add Less l/less l/merge l/limit\n"
                  "add LoopCond l/cond l/less\n"
                  "add Switch l/switch l/merge l/cond\n"
                  "add Exit l/exit l/switch\n"
                  "add Const l/one ^l/switch value=1\n"
                  "add Add l/add l/switch:1 l/one\n"
                  "add NextIteration l/next l/add\n"
                  "connect l/next l/merge:1\n"
                  "duplicate l m\n"
                  "check\n");
  const SluiceNode *merge = sluice_graph_find (f->graph, "m/merge");
  g_assert_cmpstr (merge->inputs[1].node->name, ==, "m/next");
  g_assert_true (
      sluice_node_string_is (sluice_graph_find (f->graph, "m/enter"), "frame_name", "m/frame"));
}

/* A second training of the same graph has gradients of its own. */
static void
test_train (Fixture *f, gconstpointer data)
{
  fixture_run (f, model);
  fixture_run (f, "train loss optimizer=adam learning-rate=0.1\n"
                  "rename train first\n"
                  "train loss optimizer=sgd learning-rate=0.1\n"
                  "check\n");
  const SluiceNode *train = sluice_graph_find (f->graph, "train");
  g_assert_cmpstr (train->inputs[0].node->name, ==, "global_step");
  g_assert_nonnull (sluice_graph_find (f->graph, "gradients_1/Shape"));
  const SluiceNode *init = sluice_graph_find (f->graph, "init");
  g_assert_cmpuint (init->n_control_inputs, ==, 6); /* w, its two slots, both powers, the step */
}

static const char layers[] = "add Placeholder x dtype=DT_FLOAT shape=[?,6,6,2]\n"
                             "add Placeholder y dtype=DT_INT64 shape=[?]\n"
                             "add Placeholder ids dtype=DT_INT32 shape=[?,3]\n"
                             "layer conv2d conv input=x filters=3 activation=relu\n"
                             "layer batch-norm bn input=conv/output\n"
                             "layer pool pool input=bn/output\n"
                             "layer flatten flat input=pool/output\n"
                             "layer dropout drop input=flat/output rate=0.25\n"
                             "layer dense hidden input=drop/output units=8\n"
                             "layer layer-norm ln input=hidden/output\n"
                             "layer dense logits input=ln/output units=4 bias=false\n"
                             "layer embedding words input=ids rows=9 units=2\n"
                             "layer softmax-cross-entropy loss input=logits/output labels=y\n"
                             "layer accuracy accuracy input=logits/output labels=y\n"
                             "check\n";

/* A layer that is made again keeps its readers, and those that go by its shape follow. */
static void
test_layer (Fixture *f, gconstpointer data)
{
  fixture_run (f, layers);
  fixture_run (f, "add Neg n hidden/output\nadd Neg m hidden/BiasAdd\ncontrol hidden/MatMul m\n");
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  fixture_run (f, "layer dense hidden units=5\ncheck\n");
  const SluiceNode *n = sluice_graph_find (f->graph, "n");
  const SluiceNode *m = sluice_graph_find (f->graph, "m");
  g_assert_true (n->inputs[0].node == sluice_graph_find (f->graph, "hidden/output"));
  g_assert_true (m->control_inputs[0] == sluice_graph_find (f->graph, "hidden/MatMul"));
  g_assert_cmpint (sluice_edge_shape (n->inputs[0])->dim[1], ==, 5);
  const SluiceNode *kernel = sluice_graph_find (f->graph, "logits/kernel");
  g_assert_cmpint (kernel->outputs[0].handle_shape.dim[0], ==, 5);
  g_assert_true (sluice_node_string_is (sluice_graph_find (f->graph, "hidden/output"), "_layer",
                                        "dense input=./MatMul:0 units=5 activation=none "
                                        "bias=true"));
  fixture_run (f, "undo");
  g_autoptr (GBytes) after = dup_bytes (f->graph);
  g_assert_true (g_bytes_equal (before, after));
  /* Without a bias there is no node for it: who read it has an open input. */
  fixture_run (f, "layer dense hidden bias=false\n");
  g_assert_null (m->inputs[0].node);
  fixture_run (f,
               "undo\ntrain loss/output optimizer=momentum learning-rate=0.1\ndelete m\ncheck\n");
}

static const SluiceNode *
kernel_of (Fixture *f)
{
  return sluice_graph_find (f->graph, "hidden/kernel");
}

/* Parameters by `set`: in one transaction, variables keep their names, others their edges. */
static void
test_layer_set (Fixture *f, gconstpointer data)
{
  fixture_run (f, layers);
  fixture_run (f, "add Neg n hidden/output\n");
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  guint n_done = sluice_command_stack_get_n_undo (f->stack);
  fixture_run (f, "set hidden units=5 activation=relu\ncheck\n");
  g_assert_cmpuint (sluice_command_stack_get_n_undo (f->stack), ==, n_done + 1);
  g_autofree char *words = sluice_command_stack_dup_undo_words (f->stack);
  g_assert_cmpstr (words, ==, "change the layer hidden");
  g_assert_cmpint (kernel_of (f)->outputs[0].handle_shape.dim[1], ==, 5);
  const SluiceNode *n = sluice_graph_find (f->graph, "n");
  g_assert_cmpstr (n->inputs[0].node->op_name, ==, "Relu");
  fixture_run (f, "set hidden activation=\n");
  g_assert_cmpstr (n->inputs[0].node->op_name, ==, "Identity");
  fixture_run (f, "set hidden units=+1e1\n");
  g_assert_cmpint (kernel_of (f)->outputs[0].handle_shape.dim[1], ==, 10);
  fixture_run (f, "undo 3");
  g_autoptr (GBytes) after = dup_bytes (f->graph);
  g_assert_true (g_bytes_equal (before, after));
}

/* What follows does so in the order of edges, through ops that are no layers, and by dtypes; what
 * cannot is named. */
static void
test_layer_followed (Fixture *f, gconstpointer data)
{
  fixture_run (f, layers);
  fixture_run (f, "set bn momentum=0.9\nset conv filters=5\ncheck\n");
  const SluiceNode *gamma = sluice_graph_find (f->graph, "bn/gamma");
  g_assert_cmpint (gamma->outputs[0].handle_shape.dim[0], ==, 5);
  fixture_run (f, "insert Relu r hidden/output\nset hidden units=7\ncheck\n");
  gamma = sluice_graph_find (f->graph, "ln/gamma");
  g_assert_cmpint (gamma->outputs[0].handle_shape.dim[0], ==, 7);
  fixture_run (f,
               "layer input in dtype=DT_UINT8 shape=[?,3] cast=DT_INT32\n"
               "layer embedding e input=in/output rows=9 units=2\nset in cast=DT_INT64\ncheck\n");
  fixture_run (f, "unlayer bn\n");
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  g_autoptr (GError) error = NULL;
  g_assert_false (sluice_command_stack_do (f->stack, "set conv filters=6", NULL, &error));
  g_assert_nonnull (g_strstr_len (error->message, -1, "bn/"));
  g_autoptr (GBytes) after = dup_bytes (f->graph);
  g_assert_true (g_bytes_equal (before, after));
}

/* A layer that is trained: the training is made again, under the same names, and all of it is one
 * command to undo. */
static void
test_layer_trained (Fixture *f, gconstpointer data)
{
  fixture_run (f, layers);
  fixture_run (f,
               "train loss/output optimizer=adam learning-rate=0.1 clip=1 schedule=cosine steps=9\n"
               "summary scalar train/schedule rate\nsummary scalar global_norm/global_norm norm\n"
               "rename hidden model/first\nrename loss adam\nrename adam error\n");
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  guint n_nodes = sluice_graph_get_n_nodes (f->graph);
  guint n_done = sluice_command_stack_get_n_undo (f->stack);
  fixture_run (f, "set model/first units=5\ncheck\n");
  g_assert_cmpuint (sluice_command_stack_get_n_undo (f->stack), ==, n_done + 1);
  g_assert_cmpuint (sluice_graph_get_n_nodes (f->graph), ==, n_nodes);
  const SluiceNode *slot = sluice_graph_find (f->graph, "model/first/kernel/Adam");
  g_assert_cmpint (slot->outputs[0].handle_shape.dim[1], ==, 5);
  const SluiceNode *summary = sluice_graph_find (f->graph, "summaries/rate");
  g_assert_cmpstr (summary->inputs[1].node->name, ==, "train/schedule");
  g_autoptr (GBytes) changed = dup_bytes (f->graph);
  fixture_run (f, "undo");
  g_autoptr (GBytes) undone = dup_bytes (f->graph);
  g_assert_true (g_bytes_equal (before, undone));
  fixture_run (f, "redo");
  g_autoptr (GBytes) redone = dup_bytes (f->graph);
  g_assert_true (g_bytes_equal (changed, redone));
  fixture_run (f,
               "undo\ntogether both \"set conv filters=4\" \"set model/first units=6\"\ncheck\n");
  g_assert_cmpuint (sluice_command_stack_get_n_undo (f->stack), ==, n_done + 1);
  slot = sluice_graph_find (f->graph, "model/first/kernel/Adam");
  g_assert_cmpint (slot->outputs[0].handle_shape.dim[1], ==, 6);
  fixture_run (f, "undo");
  g_autoptr (GBytes) again = dup_bytes (f->graph);
  g_assert_true (g_bytes_equal (before, again));
}

/* One that cannot be trained any more stays as it was. */
static void
test_layer_trained_refused (Fixture *f, gconstpointer data)
{
  fixture_run (
      f,
      "add Placeholder x dtype=DT_FLOAT shape=[?,6]\nlayer dense d input=x units=3\n"
      "layer mean m input=d/output\ntrain m/output optimizer=sgd learning-rate=0.1\n"
      "add VariableV2 v dtype=DT_FLOAT shape=[6]\nadd Const c dtype=DT_FLOAT value=[1,2,3,4,5,6]\n"
      "add Assign v/Assign v c\nadd AddV2 sum x v\nconnect sum d/MatMul:0\n");
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  g_autoptr (GError) error = NULL;
  g_assert_false (sluice_command_stack_do (f->stack, "set d units=4", NULL, &error));
  g_assert_nonnull (g_strstr_len (error->message, -1, "training it again"));
  g_autoptr (GBytes) after = dup_bytes (f->graph);
  g_assert_true (g_bytes_equal (before, after));
}

static void
test_untrain (Fixture *f, gconstpointer data)
{
  fixture_run (f, layers);
  guint n = sluice_graph_get_n_nodes (f->graph);
  fixture_run (f, "train loss/output optimizer=rmsprop learning-rate=0.1 clip-norm=1\n");
  g_autoptr (GBytes) trained = dup_bytes (f->graph);
  fixture_run (f, "untrain\ncheck\n");
  g_assert_cmpuint (sluice_graph_get_n_nodes (f->graph), ==, n);
  fixture_run (f, "undo");
  g_autoptr (GBytes) undone = dup_bytes (f->graph);
  g_assert_true (g_bytes_equal (trained, undone));
  g_autoptr (GError) error = NULL;
  fixture_run (f, "untrain");
  g_assert_false (sluice_command_stack_do (f->stack, "untrain", NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
}

/* A layer reads what it reads, whatever was done around it. */
static void
test_layer_moved (Fixture *f, gconstpointer data)
{
  fixture_run (f, layers);
  fixture_run (f, "rename drop/output dropped\nset hidden units=5\n");
  const SluiceNode *product = sluice_graph_find (f->graph, "hidden/MatMul");
  g_assert_cmpstr (product->inputs[0].node->name, ==, "dropped");
  fixture_run (
      f, "rename hidden inner/first\ngroup model inner flat\nset model/inner/first units=6\n");
  product = sluice_graph_find (f->graph, "model/inner/first/MatMul");
  g_assert_cmpstr (product->inputs[0].node->name, ==, "dropped");
  fixture_run (
      f, "connect model/flat/output model/inner/first/MatMul:0\nset model/inner/first units=7\n");
  product = sluice_graph_find (f->graph, "model/inner/first/MatMul");
  g_assert_cmpstr (product->inputs[0].node->name, ==, "model/flat/output");
  fixture_run (f, "duplicate model/inner/first twin\nset twin units=2\ncheck\n");
  product = sluice_graph_find (f->graph, "twin/MatMul");
  g_assert_cmpstr (product->inputs[0].node->name, ==, "model/flat/output");
  g_assert_cmpint (sluice_edge_shape ((SluiceEdge){ (SluiceNode *) product, 0 })->dim[1], ==, 2);
}

static void
test_layer_apart (Fixture *f, gconstpointer data)
{
  fixture_run (f, layers);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  guint n = sluice_graph_get_n_nodes (f->graph);
  fixture_run (f, "unlayer hidden\n");
  g_assert_cmpuint (sluice_graph_get_n_nodes (f->graph), ==, n);
  g_autoptr (GError) error = NULL;
  g_assert_false (sluice_command_stack_do (f->stack, "set hidden units=5", NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  fixture_run (f, "undo\n");
  g_autoptr (GBytes) after = dup_bytes (f->graph);
  g_assert_true (g_bytes_equal (before, after));
}

/* What an inspector shows of it: values as they are now, edges under their names of now. */
static void
test_layer_read (Fixture *f, gconstpointer data)
{
  fixture_run (f, layers);
  fixture_run (f, "rename drop even\nset hidden units=7\n");
  g_autoptr (SluiceLayer) layer = sluice_layer_read (f->graph, "hidden");
  g_assert_cmpstr (layer->template->name, ==, "dense");
  for (guint i = 0; i < layer->template->parameters->len; i++)
    {
      const SluiceTemplateParameter *parameter =
          &g_array_index (layer->template->parameters, SluiceTemplateParameter, i);
      if (g_str_equal (parameter->name, "units"))
        g_assert_cmpstr (layer->values[i], ==, "7");
      if (g_str_equal (parameter->name, "input"))
        g_assert_cmpstr (layer->values[i], ==, "even/output");
    }
  g_assert_cmpuint (g_strv_length (layer->values), ==, layer->template->parameters->len);
  g_assert_null (sluice_layer_read (f->graph, "hidden/MatMul"));
  fixture_run (f, "set hidden/output _layer=\"dence units\"\n");
  g_assert_null (sluice_layer_read (f->graph, "hidden"));
}

/* What would come of a command is told, and neither graph nor history has changed. */
static void
test_preview (Fixture *f, gconstpointer data)
{
  fixture_run (f, layers);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  guint n = sluice_command_stack_get_n_undo (f->stack);
  guint64 version = sluice_graph_get_version (f->graph);
  g_auto (SluicePreviewInput) reader = { 0 };
  g_autofree char *one = sluice_command_stack_dup_preview (
      f->stack,
      "together \"insert Relu\" \"add Relu bend ln/output\" \"connect bend "
      "logits/MatMul:0\"",
      &reader);
  g_assert_cmpstr (reader.node, ==, "logits/MatMul");
  g_assert_cmpuint (reader.input, ==, 0);
  g_assert_cmpstr (reader.edge, ==, "bend");
  g_assert_true (g_str_has_prefix (one, "node {\n  name: \"bend\"\n  op: \"Relu\"\n"));
  g_assert_null (strstr (one, "logits"));
  /* Made anew are all of a layer's nodes; new is what was not there before. */
  g_autofree char *again =
      sluice_command_stack_dup_preview (f->stack, "set logits units=5 bias=true", NULL);
  g_assert_null (strstr (again, "name: \"logits/MatMul\""));
  g_assert_nonnull (strstr (again, "\"BiasAdd\""));
  g_assert_null (sluice_command_stack_dup_preview (f->stack, "add Relu bend nowhere", NULL));
  g_assert_null (sluice_command_stack_dup_preview (f->stack, "undo", NULL));
  g_assert_cmpuint (sluice_command_stack_get_n_undo (f->stack), ==, n);
  g_assert_cmpuint (sluice_graph_get_version (f->graph), ==, version);
  g_autoptr (GBytes) after = dup_bytes (f->graph);
  g_assert_true (g_bytes_equal (before, after));
}

/* What a layer remembers survives a file. */
static void
test_layer_file (Fixture *f, gconstpointer data)
{
  fixture_run (f, layers);
  g_autoptr (GBytes) bytes = dup_bytes (f->graph);
  Fixture copy;
  fixture_set_up (&copy, NULL);
  g_assert_true (sluice_graph_import (copy.graph, bytes, NULL));
  fixture_run (&copy, "layer conv2d conv filters=5\ncheck\n");
  const SluiceNode *gamma = sluice_graph_find (copy.graph, "bn/gamma");
  g_assert_cmpint (gamma->outputs[0].handle_shape.dim[0], ==, 5);
  fixture_tear_down (&copy, NULL);
}

static void
test_layer_refused (Fixture *f, gconstpointer data)
{
  static const char *const cases[][2] = {
    { "layer dence d input=flat/output", "did you mean dense?" },
    { "layer dense d input=flat/output", "units= is missing" },
    { "layer dense d input=flat/output units=0", "at least 1" },
    { "layer dense d input=flat/output units=2.5", "whole number" },
    { "layer dense d input=flat/output units=inf", "whole number" },
    { "layer dense d input=flat/output unit=2", "did you mean units?" },
    { "layer dense d input=x units=2", "flatten" },
    { "layer lstm d input=x units=2", "[batch, steps, features]" },
    { "layer dense d units=2", "input= is missing" },
    { "layer l2 d input=loss/output weights=[hidden/kernel,hidden/kernl] rate=1", "hidden/kernl" },
    { "layer residual-block d input=x filters=2 stride=0", "at least 1" },
    { "layer sigmoid-cross-entropy d input=logits/output labels=x", "the same shape" },
    { "layer adam d", "no layer" },
    { "layer softmax-cross-entropy d input=x labels=y", "flatten" },
    { "layer accuracy d input=x labels=y", "flatten" },
    { "layer top-k d input=logits/output labels=x", "one dimension less" },
    { "set hidden units=0", "at least 1" },
    { "set hidden unit=3", "did you mean units?" },
    { "set hiden units=3", "'hiden'" },
    { "set hidden", "nothing is set" },
    { "unlayer x", "no layer" },
    { "unlayer hidden/MatMul", "no layer" },
    { "unlayer hiden", "hidden" },
    { "layer dense d input=flaat units=2", "'flaat'" },
    { "layer dense d input=flat/output units=2 activation=rely", "one of none, relu" },
    { "layer conv2d d input=flat/output filters=2", "[batch, height, width, channels]" },
    { "layer dense x input=flat/output units=2", "no layer" },
    { "layer dropout d input=x rate=1", "at most" },
  };
  fixture_run (f, layers);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_false (sluice_command_stack_do (f->stack, cases[i][0], NULL, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (g_strstr_len (error->message, -1, cases[i][1]));
    }
}

static void
test_refused (Fixture *f, gconstpointer data)
{
  static const char *const cases[][2] = {
    { "rename s \"\"", "is empty" },
    { "train y optimizer=sgd learning-rate=0.1", "Mean" },
    { "train axes optimizer=sgd learning-rate=0.1", "int32" },
    { "train loss optimizer=sgd learning-rate=fast", "neither a number nor an edge" },
    { "train loss optimizer=sgd learning-rate=0.1 schedule=cosin steps=9", "cosine" },
    { "train loss optimizer=sgd learning-rate=0.1 schedule=cosine", "steps= is missing" },
    { "train loss optimizer=sgd learning-rate=0.1 steps=9", "no parameter steps" },
    { "train loss optimizer=sgd learning-rate=0.1 clip=1 clip-norm=1", "choose one" },
    { "train loss optimizer=sgd learning-rate=x", "rank 0" },
    { "train loss optimizer=sgd learning-rate=0.1 clip=0", "over 0" },
    { "train loss optimizer=sgd learning-rate=0.1 momentum=1", "no parameter momentum" },
    { "train loss optimizer=adam learning-rate=0.1 beta1=2", "at most 1" },
    { "train loss optimizer=sgd learning-rate=0.1 variables=t", "'t'" },
    { "train loss optimizer=sgd learning-rate=0.1 variables=axes", "no variable" },
    { "group y y", "itself" },
    { "group s/w s", "itself" },
    { "ungroup y", "no scope" },
    { "duplicate s s/t", "cannot stand in it" },
    { "insert Add t y", "has its others named behind" },
    { "undo 0", "1 or more" },
    { "redo", "only 0" },
    { "add Neg n loss loss", "Neg 'n'" },
    { "connect loss x:0", "has no input" },
    { "set y", "nothing is set" },
    { "set y T=DT_FLOAT T=DT_FLOAT", "twice" },
    { "add Const c value={ tensor { dtype: DT_FLOAT flaot_val: 1 } }", "float_val" },
    { "add Const c dtype=DT_INT8 value=300", "int8" },
    { "add Neg n x:0x", "NAME:OUTPUT" },
    { "control loss:0 y", "edge where a node" },
  };
  fixture_run (f, model);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_test_message ("%s", cases[i][0]);
      g_assert_false (sluice_command_stack_do (f->stack, cases[i][0], NULL, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (g_strstr_len (error->message, -1, cases[i][1]));
      g_autoptr (GBytes) after = dup_bytes (f->graph);
      g_assert_true (g_bytes_equal (before, after));
    }
}

static void
count_reports (guint line, const char *text, const char *said, const GError *error, gpointer data)
{
  guint *counts = data;
  counts[error != NULL]++;
  if (error != NULL)
    g_assert_true (g_str_has_prefix (error->message, "line 3: "));
}

static void
test_script (Fixture *f, gconstpointer data)
{
  static const char script[] = "# one\nadd NoOp a\nadd NoOp a\n\nadd NoOp b";
  g_autoptr (GError) error = NULL;
  guint counts[2] = { 0, 0 };
  g_assert_false (
      sluice_command_stack_run (f->stack, script, FALSE, count_reports, counts, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_ALREADY_EXISTS);
  g_assert_cmpuint (counts[0], ==, 1);
  g_clear_error (&error);
  fixture_run (f, "undo");
  counts[0] = counts[1] = 0;
  g_assert_false (sluice_command_stack_run (f->stack, script, TRUE, count_reports, counts, &error));
  g_assert_cmpuint (counts[0], ==, 2);
  g_assert_cmpuint (counts[1], ==, 1);
}

/* A person who did not write the commands reads what is behind their names. */
static void
test_names (void)
{
  g_assert_cmpstr (sluice_command_skip_names ("together: layer: units is 'x'"), ==, "units is 'x'");
  g_assert_cmpstr (sluice_command_skip_names ("node: add is none"), ==, "node: add is none");
  g_assert_cmpstr (sluice_command_skip_names ("add Relu"), ==, "add Relu");
}

int
main (int argc, char **argv)
{
  fixture_init (&argc, &argv);
#define ADD(name, function)                                                                        \
  g_test_add (name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("/command/stack/each", test_each);
  ADD ("/command/stack/journal", test_journal);
  ADD ("/command/stack/layout", test_layout);
  ADD ("/command/stack/duplicate", test_duplicate);
  ADD ("/command/stack/duplicate-loop", test_duplicate_loop);
  ADD ("/command/stack/train", test_train);
  ADD ("/command/stack/refused", test_refused);
  ADD ("/command/stack/script", test_script);
  ADD ("/command/stack/layer", test_layer);
  ADD ("/command/stack/layer-set", test_layer_set);
  ADD ("/command/stack/layer-followed", test_layer_followed);
  ADD ("/command/stack/layer-trained", test_layer_trained);
  ADD ("/command/stack/layer-trained-refused", test_layer_trained_refused);
  ADD ("/command/stack/untrain", test_untrain);
  ADD ("/command/stack/layer-moved", test_layer_moved);
  ADD ("/command/stack/layer-apart", test_layer_apart);
  ADD ("/command/stack/layer-read", test_layer_read);
  ADD ("/command/stack/preview", test_preview);
  ADD ("/command/stack/layer-file", test_layer_file);
  ADD ("/command/stack/layer-refused", test_layer_refused);
  g_test_add_func ("/command/stack/names", test_names);
  return g_test_run ();
}
