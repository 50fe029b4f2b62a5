/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The shape of what a loop that runs backwards leaves (kernels/flow/flow-exit-shape.c): a row is
 * put on in each iteration of one loop and taken off in the other, as TensorFlow's gradient of such
 * a loop has it. Where anything of what proves it is missing, the rows must stay unknown.
 */
#include <string.h>

#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"

#define T(type)          "attr { key: 'T' value { type: DT_" type " } } "
#define N2               "attr { key: 'N' value { i: 2 } } "
#define INT(name, value) "node { name: '" name "' op: 'Const' " INT_VALUE (value) "} "
#define INT_VALUE(value)                                                                           \
  "attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'value' value { tensor { "           \
  "dtype: DT_INT32 tensor_shape {} int_val: " value " } } } "
#define INT_IN(name, value, pivot)                                                                 \
  "node { name: '" name "' op: 'Const' input: '^" pivot "' " INT_VALUE (value) "} "
#define ENTER(name, type, input, frame)                                                            \
  "node { name: '" name "' op: 'Enter' input: '" input                                             \
  "' " T (type) "attr { key: 'frame_name' value { s: '" frame "' } } } "
#define TAKE(name, type, input, frame)                                                             \
  "node { name: '" name "' op: 'Enter' input: '" input                                             \
  "' " T (type) "attr { key: 'frame_name' value { s: '" frame "' } } "                             \
                "attr { key: 'is_constant' value { b: true } } } "
#define NODE(name, op, type, inputs) "node { name: '" name "' op: '" op "' " inputs T (type) "} "
#define IN(name)                     "input: '" name "' "
/* A variable of a loop: NAME/in comes in, NAME goes round, NAME/next comes from an iteration. */
#define VARIABLE(name, type, next, cond)                                                           \
  NODE (name "/merge", "Merge", type, IN (name "/in") IN (name "/back") N2)                        \
  NODE (name "/turn", "Switch", type, IN (name "/merge") IN (cond))                                \
  NODE (name, "Identity", type, IN (name "/turn:1"))                                               \
  NODE (name "/back", "NextIteration", type, IN (next))                                            \
  NODE (name "/left", "Exit", type, IN (name "/turn"))

/* clang-format off */
static const char text[] =
  "node { name: 'w0' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } "
  "attr { key: 'value' value { tensor { dtype: DT_FLOAT float_val: 1 "
  "tensor_shape { dim { size: 1 } dim { size: 3 } } } } } } "
  INT ("zero", "0") INT ("one", "1") INT ("three", "3") INT ("no_limit", "-1")
  "node { name: 'stack' op: 'StackV2' input: 'no_limit' "
  "attr { key: 'elem_type' value { type: DT_FLOAT } } } "
  /* forwards */
  ENTER ("up/in", "INT32", "zero", "f") ENTER ("w/in", "FLOAT", "w0", "f")
  TAKE ("f/three", "INT32", "three", "f") TAKE ("f/stack", "RESOURCE", "stack", "f")
  TAKE ("f/w0", "FLOAT", "w0", "f")
  NODE ("f/less", "Less", "INT32", IN ("up/merge") IN ("f/three"))
  "node { name: 'f/cond' op: 'LoopCond' input: 'f/less' } "
  VARIABLE ("up", "INT32", "up/next", "f/cond") VARIABLE ("w", "FLOAT", "w/next", "f/cond")
  INT_IN ("f/one", "1", "up")
  NODE ("up/next", "Add", "INT32", IN ("up") IN ("f/one") IN ("^push"))
  INT_IN ("f/axis", "0", "up")
  NODE ("w/next", "ConcatV2", "FLOAT", IN ("w") IN ("f/w0") IN ("f/axis") N2)
  NODE ("push", "StackPushV2", "FLOAT", IN ("f/stack") IN ("w") IN ("^up"))
  /* backwards */
  NODE ("start", "ZerosLike", "FLOAT", IN ("w/left"))
  ENTER ("down/in", "INT32", "up/left", "b") ENTER ("v/in", "FLOAT", "start", "b")
  TAKE ("b/one", "INT32", "one", "b") TAKE ("b/stack", "RESOURCE", "stack", "b")
  TAKE ("b/w0", "FLOAT", "w0", "b")
  NODE ("b/left", "GreaterEqual", "INT32", IN ("down/merge") IN ("b/one"))
  "node { name: 'b/cond' op: 'LoopCond' input: 'b/left' } "
  VARIABLE ("down", "INT32", "down/next", "b/cond") VARIABLE ("v", "FLOAT", "v/next", "b/cond")
  NODE ("down/next", "Sub", "INT32", IN ("down") IN ("b/one") IN ("^pop"))
  "node { name: 'pop' op: 'StackPopV2' input: 'b/stack' input: '^down' "
  "attr { key: 'elem_type' value { type: DT_FLOAT } } } "
  NODE ("shape", "Shape", "FLOAT", IN ("pop"))
  NODE ("begin", "ZerosLike", "INT32", IN ("shape"))
  "node { name: 'v/next' op: 'Slice' input: 'v' input: 'begin' input: 'shape' " T ("FLOAT")
  "attr { key: 'Index' value { type: DT_INT32 } } } ";
/* clang-format on */

/* The first dimension of what the loop leaves, where the text says something else. */
static gint64
rows_of_left (const char *what, const char *instead)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) changed = g_string_new (text);
  if (what)
    g_assert_cmpuint (g_string_replace (changed, what, instead, 1), ==, 1);
  g_autoptr (GBytes) bytes = g_bytes_new (changed->str, changed->len);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  sluice_graph_import (graph, bytes, &error);
  g_assert_no_error (error);
  const SluiceNode *left = sluice_graph_find (graph, "v/left");
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    g_assert_no_error (sluice_graph_get_node (graph, i)->error);
  g_assert_cmpint (left->outputs[0].shape.rank, ==, 2);
  g_assert_cmpint (left->outputs[0].shape.dim[1], ==, 3);
  return left->outputs[0].shape.dim[0];
}

static void
test_proved (void)
{
  g_assert_cmpint (rows_of_left (NULL, NULL), ==, 1);
  g_assert_cmpint (rows_of_left ("op: 'Add'", "op: 'AddV2'"), ==, 1);
  g_assert_cmpint (rows_of_left ("op: 'ZerosLike'", "op: 'OnesLike'"), ==, 1);
}

typedef struct
{
  const char *name, *what, *instead;
} Change;

static const Change changes[] = {
  { "an iteration less", "op: 'GreaterEqual'", "op: 'Greater'" },
  { "an iteration more", TAKE ("b/one", "INT32", "one", "b"),
    TAKE ("b/one", "INT32", "zero", "b") },
  { "counted from elsewhere", "input: 'zero'", "input: 'one'" },
  { "counted in twos", INT_IN ("f/one", "1", "up"), INT_IN ("f/one", "2", "up") },
  { "down from elsewhere", ENTER ("down/in", "INT32", "up/left", "b"),
    ENTER ("down/in", "INT32", "three", "b") },
  { "another start", "input: 'w/left'", "input: 'w0'" },
  { "what comes after is pushed", "input: 'f/stack' input: 'w'",
    "input: 'f/stack' input: 'w/next'" },
  { "pushed in the last iteration, too", "input: 'f/stack' input: 'w' input: '^up'",
    "input: 'f/stack' input: 'w/merge'" },
  { "popped twice", "input: 'b/stack' input: '^down'",
    "input: 'b/stack' input: '^down' attr { key: 'elem_type' value { type: DT_FLOAT } } } "
    "node { name: 'again' op: 'StackPopV2' input: 'b/stack' input: '^down' " },
  { "another shape", "op: 'Shape' input: 'pop'", "op: 'Shape' input: 'v'" },
};

static void
test_not_proved (gconstpointer data)
{
  const Change *change = data;
  g_assert_cmpint (rows_of_left (change->what, change->instead), ==, SLUICE_UNKNOWN_DIM);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_test_add_func ("/kernels/flow-exit-shape/proved", test_proved);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autofree char *path = g_strconcat ("/kernels/flow-exit-shape/", changes[i].name, NULL);
      g_test_add_data_func (path, &changes[i], test_not_proved);
    }
  return g_test_run ();
}
