/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Words of the inspector, the sentence of a failure, and what variables are for. */
#include <math.h>

#include "app/failure-words.h"
#include "app/graph/node-words.h"
#include "engine/graph/variable-kind.h"
#include "engine/base/error.h"
#include "engine/graph/builder.h"
#include "kernels/registry.h"

#define THIN "\u202f"

/* take: (transfer full) */
static void
says (char *take, const char *wanted)
{
  g_autofree char *text = take;
  g_assert_cmpstr (text, ==, wanted);
}

static void
test_outputs (void)
{
  SluiceOutput output = { .dtype = SLUICE_FLOAT, .shape = SLUICE_SHAPE (64, -1, 10) };
  says (sluice_words_output (&output), "64×?×10 f32");
  output = (SluiceOutput){ .dtype = SLUICE_FLOAT, .shape = SLUICE_SHAPE (128) };
  says (sluice_words_output (&output), "[128] f32");
  output = (SluiceOutput){ .dtype = SLUICE_FLOAT, .shape = SLUICE_SHAPE (-1) };
  says (sluice_words_output (&output), "[?] f32");
  output = (SluiceOutput){ .dtype = SLUICE_INT64 | SLUICE_REF, .shape = SLUICE_SHAPE_SCALAR };
  says (sluice_words_output (&output), "scalar i64");
  output = (SluiceOutput){ .dtype = SLUICE_INVALID, .shape = SLUICE_SHAPE_UNKNOWN };
  says (sluice_words_output (&output), "any shape, of any type");
  says (sluice_words_type (SLUICE_BFLOAT16), "bf16");
  says (sluice_words_type (SLUICE_UINT8), "u8");
  says (sluice_words_type (SLUICE_QINT8), "qint8");
  says (sluice_words_type (SLUICE_COMPLEX128), "c128");
}

static void
test_quantities (void)
{
  says (sluice_words_count (832), "832");
  says (sluice_words_count (803456), "803" THIN "k");
  says (sluice_words_count (25.6e6), "25.6" THIN "M");
  says (sluice_words_work (800000), "800" THIN "kFLOP");
  says (sluice_words_work (1.25e9), "1.25" THIN "GFLOP");
  says (sluice_words_duration (3.14), "3.14" THIN "µs");
  says (sluice_words_duration (420), "0.42" THIN "ms");
  says (sluice_words_duration (2.5e6), "2.50" THIN "s");
  says (sluice_words_duration (-1), "–");
  says (sluice_words_spread (150, 92.5), "0.15 ± 0.09" THIN "ms");
  says (sluice_words_spread (42, 0.5), "42.0 ± 0.5" THIN "µs");
  says (sluice_words_spread (2.5e6, 4e4), "2.50 ± 0.04" THIN "s");
  says (sluice_words_spread (42, NAN), "42.0" THIN "µs");
  says (sluice_words_spread (NAN, 1), "–");
  says (sluice_words_number (-0.42664), "−0.427");
  says (sluice_words_number (0.00031234), "0.000312");
  says (sluice_words_number (12345.4), "12\u202f345");
  says (sluice_words_number (1.5e9), "1.5e+09");
  says (sluice_words_number (0), "0");
  /* What is there is never 0 %, what is not all never 100 %. */
  says (sluice_words_share (39, 100), "39" THIN "%");
  says (sluice_words_share (1, 1000000), "0.01" THIN "%");
  says (sluice_words_share (999999, 1000000), "99.99" THIN "%");
  says (sluice_words_share (0, 100), "0" THIN "%");
  says (sluice_words_share (0, 0), "0" THIN "%");
}

static void
test_attributes (void)
{
  says (sluice_words_attr_name ("T"), "Type");
  says (sluice_words_attr_name ("Tidx"), "Type of idx");
  says (sluice_words_attr_name ("transpose_a"), "Transpose a");
  says (sluice_words_attr_name ("max_images"), "max_images");
  SluiceAttr type = sluice_attr_type ("T", SLUICE_FLOAT), yes = sluice_attr_bool ("b", TRUE),
             debug = sluice_attr_string ("debug_name", "x"), own = sluice_attr_int ("_i", 1);
  says (sluice_words_attr_value (&type.value), "f32");
  says (sluice_words_attr_value (&yes.value), "yes");
  SluiceAttrValue items[] = { { .kind = SLUICE_ATTR_INT, .i = 1 },
                              { .kind = SLUICE_ATTR_INT, .i = 20000 } };
  SluiceAttrValue list = { .kind = SLUICE_ATTR_LIST,
                           .list_kind = SLUICE_ATTR_INT,
                           .list = { items, 2 } };
  says (sluice_words_attr_value (&list), "1, 20\u202f"
                                         "000");
  /* The type of one number stands in another row. */
  const guint8 bytes[] = { 0, 200, 255 };
  g_autoptr (SluiceTensor) number = sluice_tensor_new_float (0.03f);
  g_autoptr (SluiceTensor) three = sluice_tensor_new_from (SLUICE_UINT8, &SLUICE_SHAPE (3), bytes);
  SluiceAttrValue of_number = { .kind = SLUICE_ATTR_TENSOR, .tensor = number };
  SluiceAttrValue of_three = { .kind = SLUICE_ATTR_TENSOR, .tensor = three };
  says (sluice_words_attr_value (&of_number), "0.03");
  says (sluice_words_attr_value (&of_three), "uint8 [3] = [0 200 255]");
  g_assert_true (sluice_words_attr_is_shown (&type));
  g_assert_false (sluice_words_attr_is_shown (&debug));
  g_assert_false (sluice_words_attr_is_shown (&own));
  says (sluice_words_loop ("lstm/steps/while_context"), "lstm/steps");
  says (sluice_words_loop ("loop"), "loop");
}

static void
test_failures (void)
{
  static const struct
  {
    SluiceError code;
    const char *message, *words;
  } cases[] = {
    { SLUICE_ERROR_INVALID_ARGUMENT, "the loss is NaN at step 2",
      "The loss is NaN at step 2. Lower the learning rate, clip the gradient, or look at that "
      "node's inputs." },
    { SLUICE_ERROR_INVALID_ARGUMENT, "conv2/relu: no such thing.", "conv2/relu: no such thing." },
    { SLUICE_ERROR_INVALID_ARGUMENT, "'x:0' is fed nothing", "'x:0' is fed nothing." },
    { SLUICE_ERROR_INVALID_ARGUMENT, "", "" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error =
          g_error_new_literal (SLUICE_ERROR, cases[i].code, cases[i].message);
      says (sluice_failure_words (error), cases[i].words);
    }
}

static SluiceEdge
variable (SluiceBuilder *b, const char *name)
{
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", &SLUICE_SHAPE (3, 4)) };
  return sluice_builder_add (b, "VariableV2", name, NULL, 0, attrs, G_N_ELEMENTS (attrs));
}

/* By what is done with them, whatever they are called. */
static void
test_variables (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  SluiceEdge weights = variable (&b, "a"), slot = variable (&b, "b"), average = variable (&b, "c");
  g_assert_cmpint (sluice_variable_get_kind (graph, average.node, FALSE), ==,
                   SLUICE_VARIABLE_TRAINED);
  SluiceEdge rate = sluice_builder_const_number (&b, SLUICE_FLOAT, 0.1);
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", &SLUICE_SHAPE (3, 4)) };
  SluiceEdge gradient = sluice_builder_add (&b, "Placeholder", "g", NULL, 0, attrs, 2);
  SluiceEdge inputs[] = { weights, slot, rate, gradient, rate };
  SluiceEdge update = sluice_builder_add (&b, "ApplyMomentum", "update", inputs, 5, NULL, 0);
  sluice_builder_finish (&b, &error);
  g_assert_no_error (error);
  g_assert_true (sluice_graph_has_optimizer (graph));
  g_assert_cmpint (sluice_variable_get_kind (graph, weights.node, TRUE), ==,
                   SLUICE_VARIABLE_TRAINED);
  g_assert_cmpint (sluice_variable_get_kind (graph, slot.node, TRUE), ==, SLUICE_VARIABLE_SLOT);
  g_assert_cmpint (sluice_variable_get_kind (graph, average.node, TRUE), ==, SLUICE_VARIABLE_OTHER);
  g_assert_cmpint (sluice_variable_get_kind (graph, update.node, TRUE), ==, SLUICE_VARIABLE_NONE);
  g_assert_cmpfloat (sluice_variable_get_elements (weights.node), ==, 12);
}

static SluiceEdge
add_two (SluiceBuilder *b, const char *op, const char *name, SluiceEdge x, SluiceEdge y)
{
  SluiceEdge inputs[] = { x, y };
  return sluice_builder_add (b, op, name, inputs, 2, NULL, 0);
}

/* Adam has no op for rows that were looked up: it decays and scatters into its moments, and what it
 * subtracts from the table follows from them. An average follows from itself. */
static void
test_looked_up (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  SluiceEdge weights = variable (&b, "weights"), slot = variable (&b, "slot");
  SluiceEdge table = variable (&b, "table"), moment = variable (&b, "moment");
  SluiceEdge average = variable (&b, "average"), copy = variable (&b, "copy");
  SluiceEdge rate = sluice_builder_const_number (&b, SLUICE_FLOAT, 0.1);
  SluiceEdge rows = sluice_builder_const_number (&b, SLUICE_INT32, 0);
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", &SLUICE_SHAPE (3, 4)) };
  SluiceEdge gradient = sluice_builder_add (&b, "Placeholder", "g", NULL, 0, attrs, 2);
  SluiceEdge inputs[] = { weights, slot, rate, gradient, rate };
  sluice_builder_add (&b, "ApplyMomentum", "update", inputs, 5, NULL, 0);
  add_two (&b, "Assign", "decay", moment, add_two (&b, "Mul", "decayed", moment, rate));
  SluiceAttr row[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                       sluice_attr_shape ("shape", &SLUICE_SHAPE (4)) };
  SluiceEdge row_gradient = sluice_builder_add (&b, "Placeholder", "row", NULL, 0, row, 2);
  SluiceEdge scattered[] = { moment, rows, row_gradient };
  sluice_builder_add (&b, "ScatterAdd", "scatter", scattered, 3, NULL, 0);
  add_two (&b, "AssignSub", "teach", table, add_two (&b, "Mul", "scaled", moment, rate));
  SluiceEdge difference = add_two (&b, "Sub", "difference", average, weights);
  add_two (&b, "AssignSub", "follow", average, add_two (&b, "Mul", "some", difference, rate));
  add_two (&b, "Assign", "take", copy, gradient);
  sluice_builder_finish (&b, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sluice_variable_get_kind (graph, table.node, TRUE), ==, SLUICE_VARIABLE_TRAINED);
  g_assert_cmpint (sluice_variable_get_kind (graph, moment.node, TRUE), ==, SLUICE_VARIABLE_OTHER);
  g_assert_cmpint (sluice_variable_get_kind (graph, average.node, TRUE), ==, SLUICE_VARIABLE_OTHER);
  g_assert_cmpint (sluice_variable_get_kind (graph, copy.node, TRUE), ==, SLUICE_VARIABLE_OTHER);
}

/* What a training kept for itself is in a saved model too, which has no optimizer any more. */
static void
test_only_saved (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  SluiceEdge weights = variable (&b, "weights"), slot = variable (&b, "slot");
  SluiceEdge read = sluice_builder_add (&b, "Identity", "read", &slot, 1, NULL, 0);
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_STRING) };
  SluiceEdge file = sluice_builder_add (&b, "Placeholder", "file", NULL, 0, attrs, 1);
  SluiceEdge names = sluice_builder_add (&b, "Placeholder", "names", NULL, 0, attrs, 1);
  SluiceEdge saved[] = { file, names, weights, read };
  sluice_builder_add (&b, "Save", "save", saved, 4, NULL, 0);
  add_two (&b, "Sub", "used", weights, weights);
  sluice_builder_finish (&b, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sluice_variable_get_kind (graph, weights.node, FALSE), ==,
                   SLUICE_VARIABLE_TRAINED);
  g_assert_cmpint (sluice_variable_get_kind (graph, slot.node, FALSE), ==, SLUICE_VARIABLE_OTHER);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/app/words/outputs", test_outputs);
  g_test_add_func ("/app/words/quantities", test_quantities);
  g_test_add_func ("/app/words/attributes", test_attributes);
  g_test_add_func ("/app/words/failures", test_failures);
  g_test_add_func ("/app/words/variables", test_variables);
  g_test_add_func ("/app/words/variables/looked-up", test_looked_up);
  g_test_add_func ("/app/words/variables/only-saved", test_only_saved);
  return g_test_run ();
}
