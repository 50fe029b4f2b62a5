/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Functions of a graph: calls, branches and loops by them, what they do besides computing, and
 * their gradients. */
#include "engine/grad/grad.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/lower.h"
#include "tests/kernels/harness.h"

#define ATTR(key, value) " attr { key: '" key "' value { " value " } }"
#define TYPE(key)        ATTR (key, "type: DT_FLOAT")
#define LIST(key, types) ATTR (key, "list { " types " }")
#define F                "type: DT_FLOAT "
#define FUNC(key, name)  ATTR (key, "func { name: '" name "' }")
#define SCALAR(name, number)                                                                       \
  "name: '" name "' op: 'Const'" TYPE ("dtype")                                                    \
      ATTR ("value", "tensor { dtype: DT_FLOAT tensor_shape {} float_val: " #number " }")
#define NODE(text)                 "node { " text " }\n"
#define BODY(text)                 "node_def { " text " }\n"
#define ARG(name)                  "input_arg { name: '" name "' type: DT_FLOAT } "
#define OUT(name)                  "output_arg { name: '" name "' type: DT_FLOAT } "
#define RET(key, text)             "ret { key: '" key "' value: '" text "' }\n"
#define FUNCTION(name, args, rest) "function { signature { name: '" name "' " args "} " rest "}\n"

static const char functions[] = "library { "
    /* the derivative of square_up: 2 x */
    FUNCTION ("slope",
              ARG ("x") OUT ("y"),
              BODY (SCALAR ("one", 1))
                  BODY ("name: 'd' op: 'SymbolicGradient' input: 'x' input: 'one:output:0'" LIST (
                      "Tin", F F) LIST ("Tout", F) FUNC ("f", "square_up")) RET ("y", "d:output:0"))
    /* x² + 1, with a constant that waits for nothing but the call */
    FUNCTION (
        "square_up",
        ARG ("x") OUT ("y"),
        BODY (SCALAR ("one", 1)) BODY ("name: 'square' op: 'Mul' input: 'x' input: 'x'" TYPE ("T"))
            BODY ("name: 'sum' op: 'AddV2' input: 'square:z:0' input: 'one:output:0'" TYPE ("T"))
                RET ("y", "sum:z:0"))
    /* the other one twice, by its name as an op */
    FUNCTION ("twice",
              ARG ("x") OUT ("y"),
              BODY ("name: 'first' op: 'square_up' input: 'x'")
                  BODY ("name: 'second' op: 'square_up' input: 'first:y:0'")
                      RET ("y", "second:y:0"))
        FUNCTION ("minus",
                  ARG ("x") OUT ("y"),
                  BODY ("name: 'n' op: 'Neg' input: 'x'" TYPE ("T")) RET ("y", "n:y:0"))
            FUNCTION ("small",
                      ARG ("x") "output_arg { name: 'y' type: DT_BOOL } ",
                      BODY (SCALAR ("limit", 100)) BODY (
                          "name: 'less' op: 'Less' input: 'x' input: 'limit:output:0'" TYPE ("T"))
                          RET ("y", "less:z:0"))
    /* gives its input back, and counts */
    FUNCTION ("count",
              "input_arg { name: 'v' type: DT_RESOURCE } " ARG ("x") OUT ("y"),
              BODY (SCALAR ("one", 1)) BODY (
                  "name: 'add' op: 'AssignAddVariableOp' input: 'v' input: 'one:output:0'" TYPE (
                      "dtype")) RET ("y", "x"))
        FUNCTION ("itself",
                  ARG ("x") OUT ("y"),
                  BODY ("name: 'again' op: 'other' input: 'x'") RET ("y", "again:y:0"))
            FUNCTION ("other",
                      ARG ("x") OUT ("y"),
                      BODY ("name: 'again' op: 'itself' input: 'x'") RET ("y", "again:y:0"))
                FUNCTION ("damaged", ARG ("x") OUT ("y"), RET ("y", "nothing:y:0")) "}\n";

#define CALL_TYPES LIST ("Tin", F) LIST ("Tout", F)
#define SLOPES     LIST ("T", F) FUNC ("cond", "small") FUNC ("body", "slope")
static const char graph[] = NODE ("name: 'slopes' op: 'While' input: 'x'" SLOPES) NODE (
    "name: 'x' op: 'Placeholder'" TYPE (
        "dtype")) NODE ("name: 'p' op: 'Placeholder'" ATTR ("dtype", "type: DT_BOOL"))
    NODE ("name: 'i' op: 'Placeholder'" ATTR ("dtype", "type: DT_INT32")) NODE (
        "name: 'call' op: 'PartitionedCall' input: 'x'" CALL_TYPES FUNC (
            "f", "square_up")) NODE ("name: 'stateful' op: 'StatefulPartitionedCall' input: "
                                     "'x'" CALL_TYPES FUNC ("f", "twice"))
        NODE ("name: 'named' op: 'twice' input: 'call'") NODE (SCALAR ("ones", 1)) NODE (
            "name: 'derivative' op: 'SymbolicGradient' input: 'x' input: 'ones'" LIST ("Tin", F F)
                LIST ("Tout", F)
                    FUNC ("f", "twice")) NODE ("name: 'device' op: 'Const'" ATTR ("dtype",
                                                                                  "type: DT_STRING")
                                                   ATTR ("value",
                                                         "tensor { dtype: DT_STRING tensor_shape "
                                                         "{} string_val: '/cpu:0' }"))
            NODE ("name: 'remote' op: 'RemoteCall' input: 'device' input: 'x'" CALL_TYPES FUNC (
                "f", "minus"))
#define BRANCHES                                                                                   \
  ATTR ("Tcond", "type: DT_BOOL")                                                                  \
  CALL_TYPES FUNC ("then_branch", "twice") FUNC ("else_branch", "minus")
                NODE ("name: 'if' op: 'If' input: 'p' input: 'x'" BRANCHES) NODE (
                    "name: 'stateless_if' op: 'StatelessIf' input: 'p' input: 'x'" BRANCHES)
#define CASES                                                                                      \
  CALL_TYPES LIST ("branches", "func { name: 'minus' } func { name: 'square_up' } "                \
                               "func { name: 'twice' }")
                    NODE ("name: 'case' op: 'Case' input: 'i' input: 'x'" CASES) NODE (
                        "name: 'stateless_case' op: 'StatelessCase' input: 'i' input: 'x'" CASES)
#define LOOP LIST ("T", F) FUNC ("cond", "small") FUNC ("body", "square_up")
                        NODE ("name: 'while' op: 'While' input: 'x'" LOOP) NODE (
                            "name: 'stateless_while' op: 'StatelessWhile' input: 'x'" LOOP)
                            NODE ("name: 'variable' op: 'VarHandleOp'" TYPE ("dtype")
                                      ATTR ("shape", "shape {}")) NODE (SCALAR ("zero", 0))
                                NODE ("name: 'init' op: 'AssignVariableOp' input: 'variable' "
                                      "input: 'zero'" TYPE ("dtype"))
                                    NODE (
                                        "name: 'counts' op: 'StatefulPartitionedCall' input: "
                                        "'variable' input: 'x'" LIST ("Tin", "type: DT_RESOURCE " F)
                                            LIST ("Tout", F) FUNC ("f", "count"))
                                        NODE ("name: 'read' op: 'ReadVariableOp' input: 'variable' "
                                              "input: '^counts'" TYPE ("dtype"))
                                            NODE ("name: 'only_read' op: 'ReadVariableOp' input: "
                                                  "'variable'" TYPE ("dtype"))
                                                NODE ("name: 'recursive' op: 'itself' input: 'x'")
                                                    NODE ("name: 'broken' op: 'damaged' input: 'x'")
                                                        NODE ("name: 'missing' op: "
                                                              "'PartitionedCall' input: "
                                                              "'x'" CALL_TYPES FUNC ("f", "nobody"))
                                                            NODE ("name: 'too_few' op: "
                                                                  "'PartitionedCall'" LIST (
                                                                      "Tin", "") LIST ("Tout", F)
                                                                      FUNC ("f", "minus"));

static void
calls_init (Harness *h)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strconcat (graph, functions, NULL);
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  harness_init (h, 1, FALSE);
  sluice_graph_import (h->graph, bytes, &error);
  g_assert_no_error (error);
}

static SluiceTensor *
run (Harness *h, const char *fetch, float x, gboolean p, gint32 i, GError **error)
{
  g_autoptr (SluiceTensor) of_x = sluice_tensor_new_float (x);
  g_autoptr (SluiceTensor) of_p = sluice_tensor_new_bool (p);
  g_autoptr (SluiceTensor) of_i = sluice_tensor_new_int32 (i);
  SluiceFeed feeds[] = { { "x:0", of_x }, { "p:0", of_p }, { "i:0", of_i } };
  return harness_run (h, fetch, NULL, feeds, G_N_ELEMENTS (feeds), error);
}

static void
assert_value (Harness *h, const char *fetch, float x, gboolean p, gint32 i, float want)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) got = run (h, fetch, x, p, i, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (*(float *) got->data, ==, want);
}

static void
test_calls (void)
{
  g_auto (Harness) h = { 0 };
  calls_init (&h);
  assert_value (&h, "call", 2, FALSE, 0, 5);
  assert_value (&h, "stateful", 2, FALSE, 0, 26);
  assert_value (&h, "named", 1, FALSE, 0, 26);
  assert_value (&h, "remote", 2, FALSE, 0, -2);
  assert_value (&h, "derivative", 2, FALSE, 0, 40); /* 2 (x² + 1) 2x */
}

static void
test_branches (void)
{
  static const char *const ifs[] = { "if", "stateless_if" };
  static const char *const cases[] = { "case", "stateless_case" };
  g_auto (Harness) h = { 0 };
  calls_init (&h);
  for (guint k = 0; k < 2; k++)
    {
      assert_value (&h, ifs[k], 2, TRUE, 0, 26);
      assert_value (&h, ifs[k], 2, FALSE, 0, -2);
      assert_value (&h, cases[k], 2, FALSE, 0, -2);
      assert_value (&h, cases[k], 2, FALSE, 1, 5);
      assert_value (&h, cases[k], 2, FALSE, 2, 26);
      assert_value (&h, cases[k], 2, FALSE, -7, 26);
    }
}

static void
test_loops (void)
{
  g_auto (Harness) h = { 0 };
  calls_init (&h);
  assert_value (&h, "while", 1, FALSE, 0, 677); /* 1, 2, 5, 26, 677 */
  assert_value (&h, "stateless_while", 300, FALSE, 0, 300);
  assert_value (&h, "slopes", 3, FALSE, 0, 192); /* a derivative in the body: 3, 6, 12 … */
}

/* A call runs as a whole, once, also where no value of what it does is needed. */
static void
test_effects (void)
{
  g_auto (Harness) h = { 0 };
  calls_init (&h);
  harness_target (&h, "init");
  assert_value (&h, "counts", 3, FALSE, 0, 3);
  assert_value (&h, "read", 3, FALSE, 0, 2);
  assert_value (&h, "only_read", 3, FALSE, 0, 2);
}

static void
assert_gradient (Harness *h, const char *y, float x, gboolean p, float want)
{
  g_autoptr (GError) error = NULL;
  SluiceEdge edges[2];
  SluiceGrad dx;
  g_assert_true (sluice_graph_parse_edge (h->graph, y, &edges[0], &error));
  g_assert_true (sluice_graph_parse_edge (h->graph, "x", &edges[1], &error));
  g_autofree char *scope = g_strdup_printf ("gradients_%s_%d", y, p);
  sluice_gradients (h->graph, scope, edges, 1, NULL, &edges[1], 1, &dx, &error);
  g_assert_no_error (error);
  g_assert_nonnull (dx.values.node);
  g_autofree char *name = g_strdup_printf ("%s:%d", dx.values.node->name, dx.values.port);
  assert_value (h, name, x, p, 0, want);
}

static void
test_gradients (void)
{
  g_auto (Harness) h = { 0 };
  calls_init (&h);
  assert_value (&h, "if", 2, TRUE, 0, 26); /* a session that has written it out already */
  assert_gradient (&h, "call", 3, FALSE, 6);
  assert_gradient (&h, "named", 1, FALSE, 80); /* 2 (u² + 1) 2u · 2x with u = x² + 1 */
  assert_gradient (&h, "if", 2, TRUE, 40);
  assert_gradient (&h, "if", 2, FALSE, -1);
}

static void
test_refusals (void)
{
  static const struct
  {
    const char *fetch;
    SluiceError code;
  } wrong[] = { { "recursive", SLUICE_ERROR_INVALID_ARGUMENT },
                { "broken", SLUICE_ERROR_INVALID_ARGUMENT },
                { "missing", SLUICE_ERROR_NOT_FOUND },
                { "too_few", SLUICE_ERROR_INVALID_ARGUMENT } };
  g_auto (Harness) h = { 0 };
  calls_init (&h);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (run (&h, wrong[i].fetch, 1, FALSE, 0, &error));
      g_assert_error (error, SLUICE_ERROR, (int) wrong[i].code);
    }
  assert_value (&h, "call", 2, FALSE, 0, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/kernels/call/calls", test_calls);
  g_test_add_func ("/kernels/call/branches", test_branches);
  g_test_add_func ("/kernels/call/loops", test_loops);
  g_test_add_func ("/kernels/call/effects", test_effects);
  g_test_add_func ("/kernels/call/gradients", test_gradients);
  g_test_add_func ("/kernels/call/refusals", test_refusals);
  return g_test_run ();
}
