/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Functions that the graph's library gives a gradient of their own: it counts, wherever they are
 * called, and what is wrong with it is said. */
#include "engine/grad/grad.h"
#include "engine/graph/graphdef.h"
#include "tests/kernels/harness.h"

#define ATTR(key, value)         " attr { key: '" key "' value { " value " } }"
#define TYPE(key)                ATTR (key, "type: DT_FLOAT")
#define F                        "type: DT_FLOAT "
#define LIST(key, types)         ATTR (key, "list { " types " }")
#define SIGNATURE(name, in, out) "function { signature { name: '" name "' " in out "} "
#define IN(name)                 "input_arg { name: '" name "' type: DT_FLOAT } "
#define OUT(name)                "output_arg { name: '" name "' type: DT_FLOAT } "
#define BODY(text)               "node_def { " text " } "
#define RET(key, is)             "ret { key: '" key "' value: '" is "' } }\n"
#define CALL(name, f)            "node { name: '" name "' op: '" f "' input: 'x' }\n"
#define IS_GRADIENT(of, function)                                                                  \
  "gradient { function_name: '" of "' gradient_func: '" function "' }\n"
#define SQUARE(name)                                                                               \
  SIGNATURE (name, IN ("x"), OUT ("y"))                                                            \
  BODY ("name: 'm' op: 'Mul' input: 'x' input: 'x'" TYPE ("T")) RET ("y", "m:z:0")

/* clang-format off */
/* The square has the gradient dy · x³, so that nothing else is taken for it. */
static const char text[] =
    "library { "
    SQUARE ("square") SQUARE ("orphan") SQUARE ("odd") SQUARE ("endless")
    SIGNATURE ("cubes", IN ("x") IN ("dy"), OUT ("dx"))
      BODY ("name: 's' op: 'square' input: 'x'")
      BODY ("name: 'c' op: 'Mul' input: 's:y:0' input: 'x'" TYPE ("T"))
      BODY ("name: 'm' op: 'Mul' input: 'c:z:0' input: 'dy'" TYPE ("T"))
      RET ("dx", "m:z:0")
    SIGNATURE ("inner", IN ("x"), OUT ("y"))
      BODY ("name: 's' op: 'square' input: 'x'")
      BODY ("name: 'n' op: 'Neg' input: 's:y:0'" TYPE ("T"))
      RET ("y", "n:y:0")
    SIGNATURE ("of_itself", IN ("x") IN ("dy"), OUT ("dx"))
      BODY ("name: 'g' op: 'SymbolicGradient' input: 'x' input: 'dy'" LIST ("Tin", F F)
            LIST ("Tout", F) ATTR ("f", "func { name: 'endless' }"))
      RET ("dx", "g:output:0")
    SIGNATURE ("two", IN ("x") IN ("dy"), OUT ("a") OUT ("b"))
      "ret { key: 'a' value: 'x' } "
      RET ("b", "dy")
    IS_GRADIENT ("square", "cubes")
    IS_GRADIENT ("orphan", "nobody")
    IS_GRADIENT ("odd", "two")
    IS_GRADIENT ("endless", "of_itself")
    "}\n"
    "node { name: 'x' op: 'Placeholder'" TYPE ("dtype") " }\n"
    CALL ("named", "square")
    CALL ("inner", "inner")
    CALL ("orphan", "orphan")
    CALL ("odd", "odd")
    CALL ("endless", "endless")
    "node { name: 'called' op: 'PartitionedCall' input: 'x'" LIST ("Tin", F) LIST ("Tout", F)
      ATTR ("f", "func { name: 'square' }") " }\n";
/* clang-format on */

static void
calls_init (Harness *h)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, sizeof text - 1);
  harness_init (h, 1, FALSE);
  sluice_graph_import (h->graph, bytes, &error);
  g_assert_no_error (error);
}

/* d y / d x at x = 2. (transfer full) (nullable) */
static SluiceTensor *
differentiate (Harness *h, const char *y, GError **error)
{
  SluiceEdge edges[2];
  SluiceGrad dx;
  g_assert_true (sluice_graph_parse_edge (h->graph, y, &edges[0], NULL));
  g_assert_true (sluice_graph_parse_edge (h->graph, "x", &edges[1], NULL));
  g_autofree char *scope = g_strconcat ("gradients_", y, NULL);
  if (!sluice_gradients (h->graph, scope, edges, 1, NULL, &edges[1], 1, &dx, error))
    return NULL;
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
  g_autofree char *name = g_strdup_printf ("%s:%d", dx.values.node->name, dx.values.port);
  return harness_run (h, name, NULL, &(SluiceFeed){ "x:0", two }, 1, error);
}

static void
test_values (void)
{
  static const struct
  {
    const char *y;
    float want;
  } calls[] = { { "named", 8 }, { "called", 8 }, { "inner", -8 } };
  g_auto (Harness) h = { 0 };
  calls_init (&h);
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceTensor) dx = differentiate (&h, calls[i].y, &error);
      g_assert_no_error (error);
      g_assert_cmpfloat (*(const float *) dx->data, ==, calls[i].want);
    }
}

static void
test_refusals (void)
{
  static const struct
  {
    const char *y, *says;
  } calls[] = { { "orphan", "nobody" }, { "odd", "two" }, { "endless", "calls itself" } };
  g_auto (Harness) h = { 0 };
  calls_init (&h);
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (differentiate (&h, calls[i].y, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, calls[i].says));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/kernels/call-gradients/values", test_values);
  g_test_add_func ("/kernels/call-gradients/refusals", test_refusals);
  return g_test_run ();
}
