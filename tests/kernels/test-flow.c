/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Stacks, chosen references and Print, where TensorFlow has no cases. */
#include "tests/kernels/handles.h"

#define FLOAT(key) "attr { key: '" key "' value { type: DT_FLOAT } }"
#define NUMBER(node_name, dtype, text)                                                             \
  {                                                                                                \
    node_name, { "Const" },                                                                        \
        "attr { key: 'dtype' value { type: " dtype " } } attr { key: 'value' value { tensor { "    \
        "dtype: " dtype " " text " tensor_shape { } } } }"                                         \
  }

static const HandleNode stack_nodes[] = {
  NUMBER ("size", "DT_INT32", "int_val: 2"),
  NUMBER ("two", "DT_FLOAT", "float_val: 2"),
  NUMBER ("three", "DT_FLOAT", "float_val: 3"),
  { "stack", { "Stack" }, FLOAT ("elem_type") },
  { "push", { "StackPush" }, "input: 'stack' input: 'two'" FLOAT ("T") },
  { "push_more", { "StackPush" }, "input: 'stack' input: 'three' input: '^push'" FLOAT ("T") },
  { "pop", { "StackPop" }, "input: 'stack' input: '^push_more'" FLOAT ("elem_type") },
  { "close", { "StackClose" }, "input: 'stack' input: '^pop'" },
  { "late", { "StackPop" }, "input: 'stack' input: '^close'" FLOAT ("elem_type") },
};

static void
test_stack (void)
{
  g_auto (Harness) h;
  handles_init (&h, stack_nodes, G_N_ELEMENTS (stack_nodes), FALSE);
  g_autoptr (SluiceTensor) popped = harness_fetch (&h, "pop:0");
  g_assert_cmpfloat (*(float *) popped->data, ==, 3);
  harness_target (&h, "close");
  harness_fails (&h, "late:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
}

#define VARIABLE(name)                                                                             \
  {                                                                                                \
    name, { "VariableV2" }, FLOAT ("dtype") "attr { key: 'shape' value { shape { } } }"            \
  }

static const HandleNode select_nodes[] = {
  NUMBER ("two", "DT_FLOAT", "float_val: 2"),
  NUMBER ("three", "DT_FLOAT", "float_val: 3"),
  VARIABLE ("a"),
  VARIABLE ("b"),
  { "a_init", { "Assign" }, "input: 'a' input: 'two'" FLOAT ("T") },
  { "b_init", { "Assign" }, "input: 'b' input: 'three'" FLOAT ("T") },
  { "index", { "Placeholder" }, "attr { key: 'dtype' value { type: DT_INT32 } }" },
  { "chosen",
    { "RefSelect" },
    "input: 'index' input: 'a' input: 'b' attr { key: 'N' value { i: 2 } }" FLOAT ("T") },
  { "add", { "AssignAdd" }, "input: 'chosen' input: 'two'" FLOAT ("T") },
};

/* What is written through the chosen reference is in its variable. */
static void
test_ref_select (void)
{
  g_auto (Harness) h;
  g_autoptr (GError) error = NULL;
  handles_init (&h, select_nodes, G_N_ELEMENTS (select_nodes), FALSE);
  harness_target (&h, "a_init");
  harness_target (&h, "b_init");
  g_autoptr (SluiceTensor) index = sluice_tensor_new_int32 (1);
  SluiceFeed feed = { "index", index };
  g_autoptr (SluiceTensor) sum = harness_run (&h, "add:0", NULL, &feed, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (*(float *) sum->data, ==, 5);
  g_autoptr (SluiceTensor) a = harness_fetch (&h, "a:0");
  g_assert_cmpfloat (*(float *) a->data, ==, 2);
  *(gint32 *) index->data = 2;
  g_assert_null (harness_run (&h, "add:0", NULL, &feed, 1, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
}

static const HandleNode print_nodes[] = {
  NUMBER ("two", "DT_FLOAT", "float_val: 2"),
  { "print",
    { "Print" },
    "input: 'two' input: 'two' attr { key: 'T' value { type: DT_FLOAT } } "
    "attr { key: 'U' value { list { type: DT_FLOAT } } } "
    "attr { key: 'first_n' value { i: 2 } } "
    "attr { key: 'message' value { s: 'two is ' } }" },
  { "a", { "Neg" }, "input: 'print'" FLOAT ("T") },
  { "b", { "Exp" }, "input: 'print'" FLOAT ("T") },
};

/* first_n counts for the session, not for each of its plans. */
static void
test_print (void)
{
  if (g_test_subprocess ())
    {
      static const char *const fetches[] = { "a:0", "b:0", "a:0", "b:0" };
      g_auto (Harness) h;
      handles_init (&h, print_nodes, G_N_ELEMENTS (print_nodes), FALSE);
      for (guint i = 0; i < G_N_ELEMENTS (fetches); i++)
        sluice_tensor_unref (harness_fetch (&h, fetches[i]));
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("two is [2]\ntwo is [2]\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/flow/stack", test_stack);
  g_test_add_func ("/flow/ref-select", test_ref_select);
  g_test_add_func ("/flow/print", test_print);
  return g_test_run ();
}
