/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Where a training step parts from another one of the same program: in a kernel, an attribute, a
 * variable, a record of its data. */
#include <glib/gstdio.h>
#include <string.h>

#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "engine/train/comparison.h"
#include "engine/train/npz-write.h"
#include "kernels/registry.h"
#include "tests/engine/train/folder.h"
#include "tests/lib/sample-project.h"

#define N_RECORDS 16

/* ---- a kernel that computes something else in one node ---- */

static const char *planted; /* (nullable): the node */
static const SluiceKernel *original;

static gboolean
planted_accepts (const SluiceNode *node)
{
  return planted != NULL && strcmp (node->name, planted) == 0;
}

static gpointer
planted_prepare (const SluiceNode *node, GError **error)
{
  const char *name = g_steal_pointer (&planted);
  original = sluice_kernel_find (node, "CPU", 0, error);
  planted = name;
  g_assert_nonnull (original);
  return original->prepare != NULL ? original->prepare (node, error) : NULL;
}

static void
planted_free (gpointer state)
{
  if (original->free_state != NULL)
    original->free_state (state);
}

/* The last element is a tenth of its size, and a tenth, away. */
static gboolean
planted_compute (SluiceKernelCall *call)
{
  const SluiceKernel *own_kernel = call->kernel;
  call->kernel = original;
  gboolean ok = original->compute (call);
  call->kernel = own_kernel;
  if (!ok)
    return FALSE;
  SluiceTensor *own = sluice_tensor_dup (call->outputs[0].tensor, NULL, call->owner);
  float *last = (float *) own->data + own->n_elements - 1;
  *last = *last * 1.1f + 0.1f;
  sluice_tensor_unref (call->outputs[0].tensor);
  call->outputs[0].tensor = own;
  return TRUE;
}

#define PLANT(name)                                                                                \
  {                                                                                                \
    .op = name, .device = "CPU", .rank = 1000, .accepts = planted_accepts,                         \
    .prepare = planted_prepare, .free_state = planted_free, .compute = planted_compute             \
  }
static const SluiceKernel kernels[] = {
  PLANT ("MatMul"), PLANT ("BiasAdd"),  PLANT ("Relu"),        PLANT ("AddN"),   PLANT ("Mean"),
  PLANT ("Pow"),    PLANT ("ReluGrad"), PLANT ("BiasAddGrad"), PLANT ("L2Loss"), PLANT ("Mul"),
};
static const SluiceKernelModule module = { .kernels = kernels,
                                           .n_kernels = G_N_ELEMENTS (kernels) };

/* ---- the program, and what it gives ---- */

typedef struct
{
  Folder folder;
  char *text; /* of the graph */
  SluiceTensor *x, *y;
  char *reference;
} Fixture;

static SluiceTensor *
make_x (void)
{
  SluiceTensor *x = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (N_RECORDS, 8, 8, 1));
  for (gint64 i = 0; i < x->n_elements; i++)
    ((float *) x->data)[i] = (float) (i * 7 % 17) / 16;
  return x;
}

static SluiceTensor *
make_y (void)
{
  SluiceTensor *y = sluice_tensor_new_zeros (SLUICE_INT64, &SLUICE_SHAPE (N_RECORDS));
  for (gint64 i = 0; i < y->n_elements; i++)
    ((gint64 *) y->data)[i] = i * 3 % 10;
  return y;
}

static SluiceGraph *
load (const Fixture *f, const char *text)
{
  g_autoptr (GError) error = NULL;
  folder_write (&f->folder, "model.pbtxt", text, -1);
  g_autofree char *path = folder_dup_path (&f->folder, "model.pbtxt");
  SluiceGraph *graph = sluice_graph_load_file (path, &error);
  g_assert_no_error (error);
  return graph;
}

static const char *const train[] = { "train/step", NULL };

/* All that a step computes, and what it was fed. */
static void
write_reference (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = load (f, f->text);
  g_autoptr (GPtrArray) edges = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) writers = g_ptr_array_new_with_free_func (g_free);
  const SluiceFeed feeds[] = { { "input/x:0", f->x }, { "input/y:0", f->y } };
  SluiceStepNames names = { .feeds = feeds, .n_feeds = 2, .targets = train, .n_targets = 1 };
  sluice_comparison_list_parts (graph, &names, edges, writers, &error);
  g_assert_no_error (error);
  g_ptr_array_add (edges, g_strdup ("input/x:0"));
  g_ptr_array_add (edges, g_strdup ("input/y:0"));
  g_autofree SluiceTensor **values = g_new0 (SluiceTensor *, edges->len);
  const SluiceSessionOptions options = { .seed = 1, .n_cpus = 1 };
  g_autoptr (SluiceSession) session = sluice_session_new (&options, &error);
  sluice_session_extend (session, graph, &error);
  const char *init = "init";
  sluice_session_run (session, &(SluiceStepNames){ .targets = &init, .n_targets = 1 }, NULL, NULL,
                      &error);
  g_assert_no_error (error);
  names.fetches = (const char *const *) edges->pdata;
  names.n_fetches = edges->len;
  sluice_session_run (session, &names, values, NULL, &error);
  g_assert_no_error (error);
  f->reference = folder_dup_path (&f->folder, "reference.npz");
  sluice_npz_write (f->reference, (const char *const *) edges->pdata, values, edges->len, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < edges->len; i++)
    sluice_tensor_unref (values[i]);
}

static void
set_up (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = sample_dup_folder ("digits-mlp");
  g_autofree char *path = g_build_filename (folder, "model.pbtxt", NULL);
  folder_init (&f->folder);
  g_file_get_contents (path, &f->text, NULL, &error);
  g_assert_no_error (error);
  f->x = make_x ();
  f->y = make_y ();
  write_reference (f);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  sluice_tensor_unref (f->x);
  sluice_tensor_unref (f->y);
  g_free (f->text);
  g_free (f->reference);
  folder_clear (&f->folder);
}

/* ---- what is found ---- */

static guint n_planted;

/* text: (nullable): of another graph; target: (nullable): what is run before, too. (transfer full)
 */
static SluiceComparison *
compare (const Fixture *f, const char *text, const char *target)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = load (f, text != NULL ? text : f->text);
  const SluiceFeed feeds[] = { { "input/x:0", f->x }, { "input/y:0", f->y } };
  const char *const targets[] = { "init", target, NULL };
  const SluiceComparisonOptions options = { .feeds = feeds,
                                            .n_feeds = 2,
                                            .targets = targets,
                                            .fetches = train,
                                            .reference = f->reference,
                                            .way = { .n_cpus = 1, .n_threads = 1 },
                                            .seed = 1,
                                            .tolerance = { .by_dtype = TRUE } };
  SluiceComparison *found = sluice_compare (graph, &options, &error);
  g_assert_no_error (error);
  return found;
}

/* variable: it is that one, and nothing else is to blame; else node. */
static void
check_found (const SluiceComparison *found, const char *node, const char *variable)
{
  g_assert_nonnull (found->first);
  if (variable != NULL)
    g_assert_cmpstr (found->first->variable, ==, variable);
  else
    g_assert_cmpstr (found->first->node, ==, node);
  g_assert_cmpuint (found->first->n_others, ==, 0);
  g_assert_cmpuint (found->first->unknown->len, ==, 0);
  g_assert_cmpstr (found->first->was, !=, found->first->is);
  n_planted++;
}

static void
test_none (Fixture *f, gconstpointer unused)
{
  g_autoptr (SluiceComparison) found = compare (f, NULL, NULL);
  g_assert_null (found->first);
  g_assert_cmpuint (found->n_divergent, ==, 0);
  g_assert_cmpuint (found->edges->len, >, 80);
}

static void
test_kernels (Fixture *f, gconstpointer unused)
{
  static const char *const nodes[] = {
    "hidden/matmul",
    "hidden/bias_add",
    "hidden/relu",
    "hidden/norm",
    "logits/matmul",
    "loss/norms",
    "loss/mean",
    "train/decay/Pow",
    "gradients/logits/matmul_grad/MatMul",
    "gradients/hidden/relu_grad/ReluGrad",
    "gradients/hidden/bias_add_grad/BiasAddGrad",
    "gradients/AddN",
  };
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      planted = nodes[i];
      g_autoptr (SluiceComparison) found = compare (f, NULL, NULL);
      planted = NULL;
      check_found (found, nodes[i], NULL);
      g_assert_cmpint (found->first->difference.n_beyond, ==, 1);
    }
}

/* The first such key behind the node's name gets another value. (transfer full) */
static char *
plant_attribute (const Fixture *f, const char *node, const char *key, const char *value)
{
  g_autofree char *name = g_strdup_printf ("name: \"%s\"\n", node);
  const char *at = strstr (strstr (f->text, name), key) + strlen (key);
  g_autofree char *before = g_strndup (f->text, (gsize) (at - f->text));
  return g_strconcat (before, value, strchr (at, '\n'), NULL);
}

static void
test_attributes (Fixture *f, gconstpointer unused)
{
  static const struct
  {
    const char *node, *key, *value, *variable;
  } changes[] = {
    { "loss/penalty/y", "float_val: ", "0.01", NULL },
    { "gradients/grad_ys_0/Const", "float_val: ", "1.001", NULL },
    { "train/learning_rate", "float_val: ", "0.00301", NULL },
    { "train/step/beta1", "float_val: ", "0.91", NULL },
    { "train/step/beta2", "float_val: ", "0.99", NULL },
    { "train/step/epsilon", "float_val: ", "1e-6", NULL },
    { "hidden/initial/TruncatedNormal", "i: ", "77", "hidden/weights" },
    { "logits/initial/TruncatedNormal", "i: ", "77", "logits/weights" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autofree char *text =
          plant_attribute (f, changes[i].node, changes[i].key, changes[i].value);
      g_autoptr (SluiceComparison) found = compare (f, text, NULL);
      check_found (found, changes[i].node, changes[i].variable);
    }
}

static void
test_variables (Fixture *f, gconstpointer unused)
{
  static const char *const names[] = { "hidden/weights", "hidden/biases", "logits/weights",
                                       "logits/biases", "train/beta1_power" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "%s\nnode { name: \"plant/read\" op: \"ReadVariableOp\" input: \"%s\"\n"
          "  attr { key: \"dtype\" value { type: DT_FLOAT } } }\n"
          "node { name: \"plant/delta\" op: \"Const\"\n"
          "  attr { key: \"dtype\" value { type: DT_FLOAT } }\n"
          "  attr { key: \"value\" value { tensor { dtype: DT_FLOAT float_val: 0.01\n"
          "  tensor_shape { } } } } }\n"
          "node { name: \"plant/sum\" op: \"AddV2\" input: \"plant/read\" input: \"plant/delta\"\n"
          "  attr { key: \"T\" value { type: DT_FLOAT } } }\n"
          "node { name: \"plant\" op: \"AssignVariableOp\" input: \"%s\" input: \"plant/sum\"\n"
          "  attr { key: \"dtype\" value { type: DT_FLOAT } } }\n",
          f->text, names[i], names[i]);
      g_autoptr (SluiceComparison) found = compare (f, text, "plant");
      check_found (found, NULL, names[i]);
    }
}

static void
test_records (Fixture *f, gconstpointer unused)
{
  for (gint64 record = 1; record < 12; record += 3)
    {
      float *pixel = (float *) f->x->data + record * 64 + 2 * 8 + 5, before = *pixel;
      g_autofree char *place = g_strdup_printf ("[%d,2,5,0]", (int) record);
      *pixel += 0.001f;
      g_autoptr (SluiceComparison) found = compare (f, NULL, NULL);
      *pixel = before;
      check_found (found, "input/x", NULL);
      g_assert_cmpstr (found->first->place, ==, place);
    }
  ((gint64 *) f->y->data)[3] = 8;
  g_autoptr (SluiceComparison) found = compare (f, NULL, NULL);
  check_found (found, "input/y", NULL);
  g_assert_cmpstr (found->first->place, ==, "[3]");
  g_assert_cmpstr (found->first->was, ==, "9");
  g_assert_cmpstr (found->first->is, ==, "8");
}

/* Two at once: the first in topological order, and that there is another. */
static void
test_two (Fixture *f, gconstpointer unused)
{
  g_autofree char *text = plant_attribute (f, "train/learning_rate", "float_val: ", "0.004");
  planted = "hidden/relu";
  g_autoptr (SluiceComparison) found = compare (f, text, NULL);
  planted = NULL;
  g_assert_nonnull (found->first);
  g_assert_cmpuint (found->first->n_others, ==, 1);
}

static void
test_count (void)
{
  g_assert_cmpuint (n_planted, ==, 30);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autoptr (GPtrArray) modules = g_ptr_array_new ();
  for (const SluiceKernelModule *const *m = sluice_kernel_modules (); *m; m++)
    g_ptr_array_add (modules, (gpointer) *m);
  g_ptr_array_add (modules, (gpointer) &module);
  g_ptr_array_add (modules, NULL);
  sluice_registry_init ((const SluiceKernelModule *const *) modules->pdata);
  sluice_passes_init ();
#define ADD(name, func)                                                                            \
  g_test_add ("/train/divergence/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("none", test_none);
  ADD ("kernels", test_kernels);
  ADD ("attributes", test_attributes);
  ADD ("variables", test_variables);
  ADD ("records", test_records);
  ADD ("two", test_two);
  g_test_add_func ("/train/divergence/count", test_count);
  return g_test_run ();
}
