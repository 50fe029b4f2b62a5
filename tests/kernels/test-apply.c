/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Every optimizer changes what a handle refers to exactly as what a reference does: the reference
   forms are TensorFlow's to judge (tests/conformance), the resource forms ours. */
#include <string.h>

#include "engine/passes/passes.h"
#include "engine/runtime/session/session.h"
#include "engine/graph/builder.h"
#include "kernels/registry.h"

enum
{
  N = 37, /* elements: whole vectors and a rest */
  N_STEPS = 3,
};

static const char *const pairs[][2] = {
  { "ApplyGradientDescent", "ResourceApplyGradientDescent" },
  { "ApplyMomentum", "ResourceApplyMomentum" },
  { "ApplyAdam", "ResourceApplyAdam" },
  { "ApplyRMSProp", "ResourceApplyRMSProp" },
  { "ApplyCenteredRMSProp", "ResourceApplyCenteredRMSProp" },
  { "ApplyAdagrad", "ResourceApplyAdagrad" },
  { "ApplyAdagradV2", "ResourceApplyAdagradV2" },
  { "ApplyAdadelta", "ResourceApplyAdadelta" },
  { "ApplyFtrl", "ResourceApplyFtrl" },
  { "ApplyFtrlV2", "ResourceApplyFtrlV2" },
  { "ApplyAdaMax", "ResourceApplyAdaMax" },
  { "ApplyAdagradDA", "ResourceApplyAdagradDA" },
  { "ApplyAddSign", "ResourceApplyAddSign" },
  { "ApplyPowerSign", "ResourceApplyPowerSign" },
  { "ApplyProximalGradientDescent", "ResourceApplyProximalGradientDescent" },
  { "ApplyProximalAdagrad", "ResourceApplyProximalAdagrad" },
};

/* A rule on rows, and the rule on all that it is. */
static const char *const sparse_pairs[][2] = {
  { "ApplyMomentum", "SparseApplyMomentum" },
  { "ApplyMomentum", "ResourceSparseApplyMomentum" },
  { "ResourceApplyKerasMomentum", "ResourceSparseApplyKerasMomentum" },
  { "ApplyRMSProp", "SparseApplyRMSProp" },
  { "ApplyRMSProp", "ResourceSparseApplyRMSProp" },
  { "ApplyCenteredRMSProp", "SparseApplyCenteredRMSProp" },
  { "ApplyCenteredRMSProp", "ResourceSparseApplyCenteredRMSProp" },
  { "ApplyAdagrad", "SparseApplyAdagrad" },
  { "ApplyAdagrad", "ResourceSparseApplyAdagrad" },
  { "ApplyAdagradV2", "SparseApplyAdagradV2" },
  { "ApplyAdagradV2", "ResourceSparseApplyAdagradV2" },
  { "ApplyAdagradDA", "SparseApplyAdagradDA" },
  { "ApplyAdagradDA", "ResourceSparseApplyAdagradDA" },
  { "ApplyAdadelta", "SparseApplyAdadelta" },
  { "ApplyAdadelta", "ResourceSparseApplyAdadelta" },
  { "ApplyFtrl", "SparseApplyFtrl" },
  { "ApplyFtrl", "ResourceSparseApplyFtrl" },
  { "ApplyFtrlV2", "SparseApplyFtrlV2" },
  { "ApplyFtrlV2", "ResourceSparseApplyFtrlV2" },
  { "ApplyProximalGradientDescent", "SparseApplyProximalGradientDescent" },
  { "ApplyProximalGradientDescent", "ResourceSparseApplyProximalGradientDescent" },
  { "ApplyProximalAdagrad", "SparseApplyProximalAdagrad" },
  { "ApplyProximalAdagrad", "ResourceSparseApplyProximalAdagrad" },
};

static SluiceEdge
values (SluiceBuilder *b, float start, float step)
{
  float elements[N];
  for (guint i = 0; i < N; i++)
    elements[i] = start + step * i;
  return sluice_builder_const (b,
                               sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (N), elements));
}

/* Every second element from the back, each with its gradient. */
static SluiceEdge
rows (SluiceBuilder *b, gboolean indices)
{
  gint32 numbers[N / 2];
  float gradient[N / 2];
  for (gint32 i = 0; i < N / 2; i++)
    {
      numbers[i] = N - 1 - 2 * i;
      gradient[i] = -0.4f + 0.05f * numbers[i];
    }
  return sluice_builder_const (
      b, sluice_tensor_new_from (indices ? SLUICE_INT32 : SLUICE_FLOAT, &SLUICE_SHAPE (N / 2),
                                 indices ? (const void *) numbers : gradient));
}

/* What an op is applied to: its variables, initialised, and an edge that reads the first one. */
typedef struct
{
  GPtrArray *init; /* names of the assignments */
  char *step;      /* name of the node that applies it */
  char *value;     /* edge */
} Use;

static SluiceEdge
add_variable (SluiceBuilder *b, Use *use, gboolean resource, guint slot)
{
  SluiceShape shape = SLUICE_SHAPE (N);
  SluiceEdge start = values (b, 0.5f + slot, 0.03f);
  SluiceEdge variable = sluice_builder_add (
      b, resource ? "VarHandleOp" : "VariableV2", NULL, NULL, 0,
      SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT), sluice_attr_shape ("shape", &shape)));
  if (!resource)
    g_ptr_array_add (use->init, (gpointer) sluice_op (b, "Assign", variable, start).node->name);
  else
    {
      /* AssignVariableOp has no output for an edge: the node is the one that uses the handle. */
      sluice_op (b, "AssignVariableOp", variable, start);
      guint n;
      const SluiceUse *uses = sluice_graph_get_uses (b->graph, variable.node, &n);
      g_ptr_array_add (use->init, (gpointer) uses[0].node->name);
    }
  if (slot == 0)
    {
      SluiceEdge read =
          resource
              ? sluice_op_with (b, "ReadVariableOp",
                                SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT)), variable)
              : variable;
      use->value = g_strdup_printf ("%s:0", read.node->name);
    }
  return variable;
}

/* Inputs by the definition: variables, the gradient, and for each scalar a value that makes its
 * rule do something. */
static void
add_use (SluiceBuilder *b, Use *use, const char *name, gboolean resource)
{
  const SluiceOp *op = sluice_registry_find (name);
  SluiceEdge inputs[16];
  gboolean sparse = strstr (name, "Sparse") != NULL;
  use->init = g_ptr_array_new ();
  for (guint i = 0, slot = 0, n = 0; i < op->n_inputs; i++)
    {
      const SluiceArg *arg = &op->inputs[i];
      if (arg->is_ref || arg->type == SLUICE_RESOURCE)
        inputs[i] = add_variable (b, use, resource, slot++);
      else if (sparse && (strcmp (arg->name, "grad") == 0 || strcmp (arg->name, "indices") == 0))
        inputs[i] = rows (b, arg->name[0] == 'i');
      else if (strcmp (arg->name, "grad") == 0 || strcmp (arg->name, "delta") == 0)
        inputs[i] = values (b, -0.4f, 0.05f);
      else if (arg->type == SLUICE_INT64)
        inputs[i] = sluice_builder_const (b, sluice_tensor_new_int64 (2));
      else
        inputs[i] = sluice_builder_const (
            b, sluice_tensor_new_float (strcmp (arg->name, "lr_power") == 0 ? -0.5f
                                                                            : 0.02f + 0.01f * n++));
    }
  guint before = sluice_graph_get_n_nodes (b->graph);
  sluice_builder_add (b, name, NULL, inputs, op->n_inputs, NULL, 0);
  use->step = g_strdup (sluice_graph_get_node (b->graph, before)->name);
}

static void
sluice_use_clear (Use *use)
{
  g_ptr_array_unref (use->init);
  g_free (use->step);
  g_free (use->value);
}

static SluiceTensor *
run_use (SluiceSession *session, const Use *use)
{
  g_autoptr (GError) error = NULL;
  SluiceTensor *value = NULL;
  sluice_session_run (session,
                      &(SluiceStepNames){ .targets = (const char *const *) use->init->pdata,
                                          .n_targets = use->init->len },
                      NULL, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < N_STEPS; i++)
    sluice_session_run (
        session,
        &(SluiceStepNames){ .targets = (const char *const[]){ use->step }, .n_targets = 1 }, NULL,
        NULL, &error);
  g_assert_no_error (error);
  sluice_session_run (
      session, &(SluiceStepNames){ .fetches = (const char *const[]){ use->value }, .n_fetches = 1 },
      &value, NULL, &error);
  g_assert_no_error (error);
  return value;
}

/* Runs both ops of a pair in one session. (transfer full) each */
static void
run_pair (const char *const *pair, SluiceTensor *values[2])
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceBuilder b;
  Use uses[2] = { 0 };
  sluice_builder_init (&b, graph, NULL);
  for (guint i = 0; i < 2; i++)
    add_use (&b, &uses[i], pair[i], g_str_has_prefix (pair[i], "Resource"));
  sluice_builder_finish (&b, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceSession) session = sluice_session_new (NULL, &error);
  g_assert_true (sluice_session_extend (session, graph, &error));
  for (guint i = 0; i < 2; i++)
    {
      values[i] = run_use (session, &uses[i]);
      sluice_use_clear (&uses[i]);
    }
}

static void
test_pair (gconstpointer data)
{
  SluiceTensor *values[2];
  run_pair (data, values);
  g_assert_true (sluice_tensor_identical (values[0], values[1]));
  g_assert_cmpfloat (((float *) values[0]->data)[0], !=, 0.5f);
  sluice_tensor_unref (values[0]);
  sluice_tensor_unref (values[1]);
}

/* Rows that are named change as in the dense op, to the bit; the others stay as they were. */
static void
test_sparse (gconstpointer data)
{
  SluiceTensor *values[2];
  run_pair (data, values);
  const float *all = values[0]->data, *some = values[1]->data;
  for (guint i = 0; i < N; i++)
    {
      gboolean named = i > 0 && i % 2 == 0;
      float want = named ? all[i] : 0.5f + 0.03f * i; /* a NaN of the rule stays one */
      g_assert_cmpmem (&some[i], sizeof want, &want, sizeof want);
    }
  sluice_tensor_unref (values[0]);
  sluice_tensor_unref (values[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *path = g_strconcat ("/kernels/apply/", pairs[i][0], NULL);
      g_test_add_data_func (path, pairs[i], test_pair);
    }
  for (guint i = 0; i < G_N_ELEMENTS (sparse_pairs); i++)
    {
      g_autofree char *path = g_strconcat ("/kernels/apply/", sparse_pairs[i][1], NULL);
      g_test_add_data_func (path, sparse_pairs[i], test_sparse);
    }
  return g_test_run ();
}
