/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is wrong with a graph, or odd about it, and what mends it. */
#include <string.h>

#include "engine/command/problems.h"
#include "engine/command/stack.h"
#include "engine/graph/builder.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"

static SluiceEdge
add (SluiceBuilder *b, const char *op, const char *name, const SluiceShape *shape)
{
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", shape) };
  return sluice_builder_add (b, op, name, NULL, 0, attrs, G_N_ELEMENTS (attrs));
}

static SluiceEdge
join (SluiceBuilder *b, const char *op, const char *name, SluiceEdge first, SluiceEdge second)
{
  SluiceEdge inputs[] = { first, second };
  return sluice_builder_add (b, op, name, inputs, second.node != NULL ? 2 : 1, NULL, 0);
}

/* Of what is to be looked at nothing else is said of @graph than of the nodes in @wanted; values
 * that are fed for nobody are not counted. */
static void
assert_warned (SluiceGraph *graph, const char *const *wanted)
{
  g_autoptr (GPtrArray) problems = sluice_problems_find (graph, NULL);
  guint n = 0;
  for (guint i = 0; i < problems->len; i++)
    {
      const SluiceProblem *problem = problems->pdata[i];
      if (problem->kind == SLUICE_PROBLEM_UNREAD || problem->kind == SLUICE_PROBLEM_NO_LOSS)
        continue;
      g_assert_nonnull (wanted[n]);
      g_assert_cmpstr (problem->node->name, ==, wanted[n++]);
    }
  g_assert_null (wanted[n]);
}

static void
test_broadcast (void)
{
  static const struct
  {
    const char *op;
    SluiceShape first, second;
    gboolean is_odd;
  } cases[] = {
    { "Sub", SLUICE_SHAPE (-1, 1), SLUICE_SHAPE (-1), TRUE },
    { "Sub", SLUICE_SHAPE (8), SLUICE_SHAPE (8, 1), TRUE },
    { "SquaredDifference", SLUICE_SHAPE (8, 1), SLUICE_SHAPE (8), TRUE },
    { "Sub", SLUICE_SHAPE (8, 1), SLUICE_SHAPE (5), FALSE }, /* a table, on purpose */
    { "Sub", SLUICE_SHAPE (8, 5), SLUICE_SHAPE (5), FALSE },
    { "Sub", SLUICE_SHAPE (1, 1), SLUICE_SHAPE (1), FALSE },
    { "Sub", SLUICE_SHAPE (8, 1), SLUICE_SHAPE (8, 1), FALSE },
    { "Mul", SLUICE_SHAPE (8, 1), SLUICE_SHAPE (8), FALSE },
    { "Sub", SLUICE_SHAPE_SCALAR, SLUICE_SHAPE (8), FALSE },
    { "Sub", SLUICE_SHAPE_UNKNOWN, SLUICE_SHAPE (8), FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceGraph) graph = sluice_graph_new ();
      SluiceBuilder b;
      sluice_builder_init (&b, graph, NULL);
      join (&b, cases[i].op, "odd", add (&b, "Placeholder", "a", &cases[i].first),
            add (&b, "Placeholder", "b", &cases[i].second));
      sluice_builder_finish (&b, &error);
      g_assert_no_error (error);
      assert_warned (graph, (const char *const[]){ cases[i].is_odd ? "odd" : NULL, NULL });
    }
}

/* Read and never written but by its initial value; not so what is trained, an average, a number, a
 * copy of another variable, or what is not read. */
static void
test_variables (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceShape shape = SLUICE_SHAPE (3, 4), scalar = SLUICE_SHAPE_SCALAR;
  SluiceEdge none = { NULL, 0 };
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  SluiceEdge trained = add (&b, "VariableV2", "trained", &shape);
  SluiceEdge frozen = add (&b, "VariableV2", "frozen", &shape);
  SluiceEdge average = add (&b, "VariableV2", "average", &shape);
  SluiceEdge copy = add (&b, "VariableV2", "copy", &shape);
  SluiceEdge rate = add (&b, "VariableV2", "rate", &scalar);
  SluiceEdge value = add (&b, "Placeholder", "value", &shape);
  add (&b, "VariableV2", "unread", &shape);
  SluiceEdge read = join (&b, "Identity", "trained/read", trained, none);
  join (&b, "Identity", "frozen/read", frozen, none);
  join (&b, "Identity", "average/read", average, none);
  join (&b, "Identity", "copy/read", copy, none);
  join (&b, "Identity", "rate/read", rate, none);
  join (&b, "Assign", "frozen/init", frozen, value);
  join (&b, "AssignSub", "average/update", average, value);
  join (&b, "Assign", "copy/update", copy, read);
  SluiceEdge inputs[] = { trained, sluice_builder_const_number (&b, SLUICE_FLOAT, 0.1), value };
  assert_warned (graph, (const char *const[]){ NULL }); /* nothing is trained at all */
  sluice_builder_add (&b, "ApplyGradientDescent", "update", inputs, 3, NULL, 0);
  sluice_builder_finish (&b, &error);
  g_assert_no_error (error);
  assert_warned (graph, (const char *const[]){ "frozen", NULL });
}

/* ---- what commands made ---- */

/* The start of a model that many cases go on from. */
#define START                                                                                      \
  "add Placeholder x dtype=DT_FLOAT shape=[?,7,7,64]\n"                                            \
  "add Placeholder labels dtype=DT_INT64 shape=[?]\n"                                              \
  "layer conv2d conv input=x filters=8\n"

/* Scripts, what is said then, and the title of what mends it; "" where nothing does. After it the
 * problem is gone. */
static const struct
{
  const char *script;
  const char *node;
  SluiceProblemLevel level;
  const char *text, *title;
} cases[] = {
  { START "layer flatten flat input=conv/output\nlayer dense head input=flat/output units=10\n"
          "add SparseSoftmaxCrossEntropyWithLogits loss head/output \"\"\n",
    "loss", SLUICE_PROBLEM_STOPS, "Input labels is open. It reads int64.", "Connect labels" },
  { START "add MatMul product \"\" \"\" T=DT_FLOAT\n", "product", SLUICE_PROBLEM_STOPS,
    "Input a is open. It reads float32.", "Insert Reshape" },
  { "add MatMul product \"\" \"\" T=DT_FLOAT\n", "product", SLUICE_PROBLEM_STOPS,
    "Input a is open. It reads float32.", "" },
  { START "add Placeholder m dtype=DT_FLOAT shape=[392,3]\nlayer flatten f input=conv/output\n"
          "add Identity id f/output\nadd MatMul product id m\nconnect conv/output id:0\n",
    "product", SLUICE_PROBLEM_STOPS,
    "Input 0 (a) from 'id' must have rank 2, but its shape is [?,7,7,8].", "Insert Reshape" },
  { START "add Const all value=[0,1,2,3]\nadd Mean loss x all\n", "conv/output",
    SLUICE_PROBLEM_LOOK, "Nothing reads it: conv gets no gradient.", "" },
  { START "add Const all value=[0,1,2,3]\nadd Mean loss x all\nadd Relu r \"\" T=DT_FLOAT\n",
    "conv/output", SLUICE_PROBLEM_LOOK, "Nothing reads it: conv gets no gradient.",
    "Connect to r" },
  { "add Placeholder z dtype=DT_FLOAT shape=[?,10]\nadd Placeholder y dtype=DT_INT64 shape=[?]\n"
    "add SparseSoftmaxCrossEntropyWithLogits loss z y\nadd Identity g loss:1\ndelete g\n",
    "loss", SLUICE_PROBLEM_LOOK,
    "It gives [?], a loss for each example. Training needs one number: their mean.",
    "Take the mean" },
  { "add Placeholder z dtype=DT_FLOAT shape=[?,1]\nadd Placeholder y dtype=DT_FLOAT shape=[?]\n"
    "add Sub d z y\n",
    "d", SLUICE_PROBLEM_LOOK,
    "Its inputs are ?×1 and [?]: each element meets all others, not its own. Give both the same "
    "rank: squeeze the one, or reshape the other.",
    "Insert Squeeze" },
  { "add Placeholder n dtype=DT_INT32 shape=[?]\nadd Const axes value=[0]\nadd Mean m n axes\n"
    "add Cast c m DstT=DT_FLOAT\n",
    "m", SLUICE_PROBLEM_LOOK,
    "It computes with int32 and rounds, and then its outcome is cast. Cast what it reads instead.",
    "" },
  { "add Placeholder alone dtype=DT_FLOAT shape=[?]\n", "alone", SLUICE_PROBLEM_LOOK,
    "Nothing reads it.", "Delete alone" },
  { "add Placeholder alone dtype=DT_INT32 shape=[?]\nadd Neg n \"\" T=DT_FLOAT\n", "alone",
    SLUICE_PROBLEM_LOOK, "Nothing reads it.", "" },
};

static const SluiceProblem *
find (GPtrArray *problems, const char *node, const char *text)
{
  for (guint i = 0; i < problems->len; i++)
    {
      const SluiceProblem *problem = problems->pdata[i];
      if (g_str_equal (problem->node->name, node) && g_str_equal (problem->text, text))
        return problem;
    }
  return NULL;
}

static void
test_cases (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceGraph) graph = sluice_graph_new ();
      g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
      sluice_command_stack_run (stack, cases[i].script, FALSE, NULL, NULL, &error);
      g_assert_no_error (error);
      g_autoptr (GPtrArray) problems = sluice_problems_find (graph, NULL);
      const SluiceProblem *problem = find (problems, cases[i].node, cases[i].text);
      for (guint k = 0; problem == NULL && k < problems->len; k++)
        g_test_message ("%s", ((SluiceProblem *) problems->pdata[k])->text);
      g_assert_nonnull (problem);
      g_assert_cmpint (problem->level, ==, cases[i].level);
      g_autoptr (SluiceProblemFix) fix = sluice_problem_find_fix (problem, graph);
      g_assert_cmpstr (fix != NULL ? fix->title : "", ==, cases[i].title);
      if (fix == NULL)
        continue;
      sluice_command_stack_do (stack, fix->line, NULL, &error);
      g_assert_no_error (error);
      g_autoptr (GPtrArray) left = sluice_problems_find (graph, NULL);
      g_assert_null (find (left, cases[i].node, cases[i].text));
    }
}

static void
test_project (void)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
  g_assert_true (sluice_command_stack_run (
      stack,
      "add Placeholder x dtype=DT_FLOAT shape=[]\nadd Placeholder y dtype=DT_FLOAT shape=[]\n"
      "add Placeholder z dtype=DT_FLOAT shape=[]\nadd Add sum x y\nadd Neg other z\n",
      FALSE, NULL, NULL, NULL));
  const SluiceProblemContext context = { .fed = (const char *const[]){ "x:0", NULL },
                                         .run = (const char *const[]){ "sum", NULL } };
  g_autoptr (GPtrArray) problems = sluice_problems_find (graph, &context);
  g_assert_cmpuint (problems->len, ==, 1);
  const SluiceProblem *problem = problems->pdata[0];
  g_assert_cmpstr (problem->node->name, ==, "y");
  g_assert_cmpint (problem->level, ==, SLUICE_PROBLEM_STOPS);
  g_assert_cmpstr (problem->text, ==, "Nothing feeds it, and sum reads it.");
}

/* In as many pieces as may be, and all at once. */
static void
test_pieces (void)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
  g_autoptr (GString) script = g_string_new (NULL);
  const guint n = 1000;
  for (guint i = 0; i < n; i++)
    g_string_append_printf (script, "add Neg n%u \"\" T=DT_FLOAT\n", i);
  g_assert_true (sluice_command_stack_run (stack, script->str, FALSE, NULL, NULL, NULL));
  g_autoptr (SluiceProblemSearch) search = sluice_problem_search_new (graph, NULL);
  g_autoptr (GPtrArray) found = NULL, whole = sluice_problems_find (graph, NULL);
  guint n_pieces = 0;
  for (; found == NULL; n_pieces++)
    found = sluice_problem_search_go_on (search, -1);
  g_assert_cmpuint (n_pieces, >, 10);
  g_assert_cmpuint (found->len, ==, n);
  g_assert_cmpuint (whole->len, ==, n);
  for (guint i = 0; i < n; i++)
    {
      const SluiceProblem *one = found->pdata[i], *other = whole->pdata[i];
      g_assert_true (one->node == other->node && one->name == other->node->name);
      g_assert_cmpstr (one->text, ==, other->text);
    }
}

/* What a project feeds within the graph, fetches, or no longer finds there, is nothing wrong. */
static void
test_project_knows (void)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
  g_assert_true (sluice_command_stack_run (
      stack,
      "add Placeholder raw dtype=DT_FLOAT shape=[?,3]\nadd Placeholder seen dtype=DT_FLOAT\n"
      "add Neg x raw\nlayer dense fc input=x units=2\nlayer dense logits input=fc/output units=2\n"
      "add Placeholder y dtype=DT_INT64 shape=[?]\n"
      "layer softmax-cross-entropy loss input=fc/output labels=y\n",
      FALSE, NULL, NULL, NULL));
  SluiceProblemContext context = { .fed = (const char *const[]){ "x:0", "y", NULL },
                                   .run = (const char *const[]){ "loss/output:0", "seen:0",
                                                                 "logits/output:0", NULL } };
  g_autoptr (GPtrArray) without = sluice_problems_find (graph, NULL);
  g_assert_cmpuint (without->len, ==, 2); /* `seen` and `logits` are read by nobody */
  g_autoptr (GPtrArray) problems = sluice_problems_find (graph, &context);
  g_assert_cmpuint (problems->len, ==, 1); /* of `seen`, which nothing feeds */
  g_assert_cmpstr (((const SluiceProblem *) problems->pdata[0])->node->name, ==, "seen");
  context.fed = (const char *const[]){ "x:0", "labels:0", NULL };
  g_autoptr (GPtrArray) renamed = sluice_problems_find (graph, &context);
  g_assert_cmpuint (renamed->len, ==, 0);
}

/* Data of a project that nothing reads yet are not to be deleted. */
static void
test_data (void)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
  const SluiceProblemContext context = { .fed = (const char *const[]){ "x:0", NULL } };
  g_assert_true (
      sluice_command_stack_do (stack, "add Placeholder x dtype=DT_FLOAT shape=[?,3]", NULL, NULL));
  g_autoptr (GPtrArray) problems = sluice_problems_find (graph, &context);
  g_assert_cmpuint (problems->len, ==, 1);
  const SluiceProblem *problem = problems->pdata[0];
  g_assert_cmpint (problem->kind, ==, SLUICE_PROBLEM_UNREAD_DATA);
  g_assert_null (sluice_problem_find_fix (problem, graph));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_test_add_func ("/command/problems/broadcast", test_broadcast);
  g_test_add_func ("/command/problems/variables", test_variables);
  g_test_add_func ("/command/problems/cases", test_cases);
  g_test_add_func ("/command/problems/project", test_project);
  g_test_add_func ("/command/problems/data", test_data);
  g_test_add_func ("/command/problems/pieces", test_pieces);
  g_test_add_func ("/command/problems/project-knows", test_project_knows);
  return g_test_run ();
}
