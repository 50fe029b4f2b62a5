/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The library as a program in C meets it, linked with nothing but the shared object. */
#include "api/sluice.h"

#include <string.h>

static SluiceTensor *
floats (const float *values, gint64 n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (values, (gsize) n * sizeof *values);
  SluiceTensor *tensor = sluice_tensor_new_from_bytes (SLUICE_FLOAT, &n, 1, bytes, &error);
  g_assert_no_error (error);
  return tensor;
}

static SluiceNode *
add (SluiceScope *scope, const char *op, const char *attrs, const char *const *inputs)
{
  g_autoptr (GError) error = NULL;
  GVariant *values = attrs != NULL ? g_variant_new_parsed (attrs) : NULL;
  SluiceNode *node = sluice_scope_add (scope, op, NULL, inputs, values, &error);
  g_assert_no_error (error);
  return node;
}

#define EDGES(...)                                                                                 \
  (const char *const[])                                                                            \
  {                                                                                                \
    __VA_ARGS__, NULL                                                                              \
  }

/* d/dx of x·x at 3, under a scope. */
static void
test_step (void)
{
  g_autoptr (GError) error = NULL;
  SluiceGraph *graph = sluice_graph_new_empty ();
  g_autoptr (SluiceScope) top = sluice_scope_new (graph);
  g_autoptr (SluiceScope) scope = sluice_scope_with_name (top, "a");
  sluice_node_release (add (scope, "Placeholder", "{'dtype': <'float'>, 'shape': <[-1]>}", NULL));
  SluiceNode *square = add (scope, "Mul", NULL, EDGES ("a/Placeholder", "a/Placeholder:0"));
  g_assert_cmpstr (sluice_node_get_name (square), ==, "a/Mul");
  g_auto (GStrv) indices = NULL, shapes = NULL;
  g_auto (GStrv) slopes = sluice_scope_add_gradients (
      scope, EDGES ("a/Mul:0"), NULL, EDGES ("a/Placeholder:0"), &indices, &shapes, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (indices[0], ==, "");

  g_autoptr (GObject) session =
      G_OBJECT (sluice_session_open (g_variant_new_parsed ("{'seed': <1>}"), &error));
  g_assert_no_error (error);
  sluice_session_add_graph ((SluiceSession *) session, graph, &error);
  g_assert_no_error (error);
  SluiceTensor *x = floats ((float[]){ 3 }, 1);
  gsize n;
  g_autofree SluiceTensor **values =
      sluice_session_run_step ((SluiceSession *) session, EDGES ("a/Placeholder:0"), &x, 1,
                               EDGES ("a/Mul:0", slopes[0]), NULL, NULL, &n, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpfloat (*(const float *) sluice_tensor_get_memory (values[0]), ==, 9);
  g_assert_cmpfloat (*(const float *) sluice_tensor_get_memory (values[1]), ==, 6);
  for (gsize i = 0; i < n; i++)
    sluice_tensor_release (values[i]);
  sluice_tensor_release (x);
  sluice_node_release (square);
  sluice_graph_unref (graph);
}

/* Every kind of attribute goes in and comes back as it was. */
static void
test_attributes (void)
{
  static const char *const texts[] = {
    "{'_b': <true>, '_d': <0.5>, '_i': <int64 -3>, '_s': <'text'>}",
    "{'_bytes': <[byte 0xff, 0xfe]>}",
    "{'_list': <[<int64 1>, <int64 2>]>, '_none': <@av []>, '_words': <[<'a'>, <'b'>]>}",
    "{'_f': <('function', {'T': <'text'>, 'n': <int64 1>})>}",
  };
  SluiceGraph *graph = sluice_graph_new_empty ();
  g_autoptr (SluiceScope) scope = sluice_scope_new (graph);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GVariant) want = g_variant_ref_sink (g_variant_new_parsed (texts[i]));
      SluiceNode *node = add (scope, "NoOp", texts[i], NULL);
      g_autoptr (GVariant) got = sluice_node_dup_attrs (node);
      g_autofree char *a = g_variant_print (got, TRUE), *b = g_variant_print (want, TRUE);
      g_assert_cmpstr (a, ==, b);
      sluice_node_release (node);
    }
  sluice_graph_unref (graph);
}

/* What is declared may be said in several ways. */
static void
test_lenient (void)
{
  static const char *const texts[] = {
    "{'dtype': <'float32'>, 'shape': <[int16 -1, 3]>}",
    "{'dtype': <'DT_FLOAT'>, 'shape': <(-1, <3>)>}",
    "{'dtype': <byte 1>, 'shape': <[<@mx nothing>, <int64 3>]>}",
    "{'dtype': <<uint64 1>>, 'shape': <just [-1, 3]>}",
  };
  SluiceGraph *graph = sluice_graph_new_empty ();
  g_autoptr (SluiceScope) scope = sluice_scope_new (graph);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      SluiceNode *node = add (scope, "Placeholder", texts[i], NULL);
      const gint64 *dims;
      gsize n;
      g_assert_true (sluice_node_get_output_shape (node, 0, &dims, &n));
      g_assert_cmpint (sluice_node_get_output_dtype (node, 0), ==, SLUICE_FLOAT);
      g_assert_cmpmem (dims, n * sizeof *dims, ((gint64[]){ -1, 3 }), 2 * sizeof *dims);
      sluice_node_release (node);
    }
  sluice_graph_unref (graph);
}

static void
test_refusals (void)
{
  static const struct
  {
    const char *op, *attrs, *word;
    SluiceError code; /* 0: INVALID_ARGUMENT */
  } cases[] = {
    { "Placeholder", "{'dtype': <0>}", "attribute dtype: a dtype is wanted, 0" },
    { "Placeholder", "{'dtype': <250>}", "attribute dtype" },
    { "Placeholder", "{'dtype': <[1]>}", "attribute dtype" },
    { "Placeholder", "{'dtype': <1>, 'shape': <'2'>}", "a shape" },
    { "Placeholder", "{'dtype': <1>, 'shape': <[0.5]>}", "a shape" },
    { "Placeholder", "{'dtype': <1>, 'shape': <[-2]>}", "-2" },
    { "Const", "{'dtype': <1>, 'value': <1.0>}", "attribute value: a tensor" },
    { "Const", "{'dtype': <1>, 'value': <[byte 0xff]>}", "attribute value",
      SLUICE_ERROR_DATA_LOSS },
    { "NoOp", "{'_a': <[[1]]>}", "a list of single values" },
    { "NoOp", "{'_a': <@mx nothing>}", "attribute _a: a value is wanted" },
    { "NoOp", "[1]", "a{sv}" },
    { "RandomUniform", "{'seed': <uint64 18446744073709551615>}", "attribute seed: an integer" },
  };
  SluiceGraph *graph = sluice_graph_new_empty ();
  g_autoptr (SluiceScope) scope = sluice_scope_new (graph);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      SluiceNode *node = sluice_scope_add (scope, cases[i].op, NULL, NULL,
                                           g_variant_new_parsed (cases[i].attrs), &error);
      g_assert_null (node);
      int code = cases[i].code != 0 ? (int) cases[i].code : SLUICE_ERROR_INVALID_ARGUMENT;
      g_assert_error (error, SLUICE_ERROR, code);
      if (strstr (error->message, cases[i].word) == NULL)
        g_error ("case %u: '%s' is not in: %s", i, cases[i].word, error->message);
    }
  gsize n;
  g_autofree SluiceNode **nodes = sluice_graph_dup_nodes (graph, &n);
  g_assert_cmpuint (n, ==, 0);
  sluice_graph_unref (graph);
}

/* Functions in functions: deep enough to be no accident, shallow enough for any stack. */
static void
test_nested_functions (void)
{
  g_autoptr (GError) error = NULL;
  GVariant *value = g_variant_new_string ("innermost");
  for (guint i = 0; i < 20; i++)
    {
      GVariantBuilder attrs;
      g_variant_builder_init (&attrs, G_VARIANT_TYPE_VARDICT);
      g_variant_builder_add (&attrs, "{sv}", "f", value);
      value = g_variant_new ("(s@a{sv})", "outer", g_variant_builder_end (&attrs));
    }
  GVariantBuilder attrs;
  g_variant_builder_init (&attrs, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&attrs, "{sv}", "_f", value);
  SluiceGraph *graph = sluice_graph_new_empty ();
  g_autoptr (SluiceScope) scope = sluice_scope_new (graph);
  SluiceNode *node =
      sluice_scope_add (scope, "NoOp", NULL, NULL, g_variant_builder_end (&attrs), &error);
  g_assert_null (node);
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  sluice_graph_unref (graph);
}

/* ---- branches and loops ---- */

/* Of edges by their names. (transfer full) */
static char **
one_of (SluiceScope *scope, const char *op, const char *const *inputs, GError **error)
{
  SluiceNode *node = sluice_scope_add (scope, op, NULL, inputs, NULL, error);
  if (node == NULL)
    return NULL;
  char **names = g_strdupv ((char *[]){ (char *) sluice_node_get_name (node), NULL });
  sluice_node_release (node);
  return names;
}

static char **
square (SluiceScope *scope, const char *const *inputs, gpointer data, GError **error)
{
  return one_of (scope, "Square", inputs != NULL ? inputs : EDGES ("x"), error);
}

static char **
negate (SluiceScope *scope, const char *const *inputs, gpointer data, GError **error)
{
  return one_of (scope, "Neg", EDGES (data), error);
}

static char **
under_100 (SluiceScope *scope, const char *const *inputs, gpointer data, GError **error)
{
  return one_of (scope, "Less", EDGES (inputs[0], "hundred"), error);
}

static char **
fails (SluiceScope *scope, const char *const *inputs, gpointer data, GError **error)
{
  return one_of (scope, "NoSuchOp", NULL, error);
}

static char **
says_nothing (SluiceScope *scope, const char *const *inputs, gpointer data, GError **error)
{
  return NULL;
}

static SluiceScope *
number_scope (SluiceGraph *graph)
{
  g_autoptr (GError) error = NULL;
  SluiceScope *scope = sluice_scope_new (graph);
  static const struct
  {
    const char *name;
    float value;
  } numbers[] = { { "x", 3 }, { "hundred", 100 }, { "five", 5 } };
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (&numbers[i].value, sizeof (float));
      SluiceTensor *tensor = sluice_tensor_new_from_bytes (SLUICE_FLOAT, NULL, 0, bytes, &error);
      g_assert_no_error (error);
      sluice_node_release (sluice_scope_add_constant (scope, numbers[i].name, tensor, &error));
      g_assert_no_error (error);
      sluice_tensor_release (tensor);
    }
  return scope;
}

static float
fetch (SluiceGraph *graph, const char *edge)
{
  g_autoptr (GError) error = NULL;
  SluiceSession *session = sluice_session_open (g_variant_new_parsed ("@a{sv} {}"), &error);
  g_assert_no_error (error);
  g_assert_true (sluice_session_add_graph (session, graph, &error));
  gsize n;
  g_autofree SluiceTensor **values =
      sluice_session_run_step (session, NULL, NULL, 0, EDGES (edge), NULL, NULL, &n, &error);
  g_assert_no_error (error);
  float value = *(const float *) sluice_tensor_get_memory (values[0]);
  sluice_tensor_release (values[0]);
  g_object_unref (session);
  return value;
}

static void
test_flows (void)
{
  g_autoptr (GError) error = NULL;
  SluiceGraph *graph = sluice_graph_new_empty ();
  g_autoptr (SluiceScope) scope = number_scope (graph);
  g_auto (GStrv) less = one_of (scope, "Less", EDGES ("x", "five"), &error);
  g_auto (GStrv) branch =
      sluice_scope_add_cond (scope, NULL, less[0], square, NULL, negate, "x", &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (fetch (graph, branch[0]), ==, 9);
  g_auto (GStrv) looped =
      sluice_scope_add_while (scope, "loop", EDGES ("x"), under_100, NULL, square, NULL, 4, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (fetch (graph, looped[0]), ==, 6561);
  g_auto (GStrv) again = sluice_scope_add_while (scope, "loop", EDGES ("x"), under_100, NULL,
                                                 negate, "hundred", 4, &error);
  g_assert_true (g_str_has_prefix (again[0], "loop_1/"));
  g_auto (GStrv) indices = NULL, shapes = NULL;
  g_auto (GStrv) slopes = sluice_scope_add_gradients (scope, EDGES (looped[0]), NULL, EDGES ("x"),
                                                      &indices, &shapes, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (fetch (graph, slopes[0]), ==, 8 * 2187);
  sluice_graph_unref (graph);
}

/* The error of a function is that of the builder, and one that gives none gets one. */
static void
test_flow_errors (void)
{
  SluiceGraph *graph = sluice_graph_new_empty ();
  g_autoptr (SluiceScope) scope = number_scope (graph);
  static const struct
  {
    SluiceFlowFunc func;
    SluiceError code;
    const char *word;
  } cases[] = { { fails, SLUICE_ERROR_NOT_FOUND, "NoSuchOp" },
                { says_nothing, SLUICE_ERROR_INVALID_ARGUMENT, "returns nothing" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (sluice_scope_add_while (scope, NULL, EDGES ("x"), under_100, NULL,
                                             cases[i].func, NULL, 1, &error));
      g_assert_error (error, SLUICE_ERROR, (int) cases[i].code);
      g_assert_nonnull (strstr (error->message, cases[i].word));
      g_clear_error (&error);
      g_assert_null (
          sluice_scope_add_map (scope, NULL, EDGES ("x"), cases[i].func, NULL, NULL, 0, &error));
      g_assert_nonnull (error);
    }
  sluice_graph_unref (graph);
}

static void
count_release (gpointer data)
{
  ++*(int *) data;
}

/* Memory that is lent comes back exactly once, whatever becomes of the tensor. */
static void
test_memory (void)
{
  g_autoptr (GError) error = NULL;
  static float values[64];
  int released = 0;
  const gint64 dims[] = { 8, 8 };
  SluiceTensor *tensor = sluice_tensor_new_for_memory (SLUICE_FLOAT, dims, 2, values, sizeof values,
                                                       count_release, &released, &error);
  g_assert_no_error (error);
  g_assert_true (sluice_tensor_get_memory (tensor) == values);
  GBytes *bytes = sluice_tensor_dup_bytes (tensor, &error);
  g_assert_true (g_bytes_get_data (bytes, NULL) == values);
  sluice_tensor_release (tensor);
  g_assert_cmpint (released, ==, 0);
  g_bytes_unref (bytes);
  g_assert_cmpint (released, ==, 1);

  /* Too short, and where elements of the dtype must not stand: copied. */
  g_assert_null (sluice_tensor_new_for_memory (SLUICE_FLOAT, dims, 2, values, 4, count_release,
                                               &released, NULL));
  g_assert_cmpint (released, ==, 2);
  const gint64 few[] = { 20 };
  char *odd = (char *) values + 1;
  memcpy (odd, (float[]){ 5 }, sizeof (float));
  tensor = sluice_tensor_new_for_memory (SLUICE_FLOAT, few, 1, odd, 80, count_release, &released,
                                         &error);
  g_assert_no_error (error);
  g_assert_cmpint (released, ==, 3);
  g_assert_cmpfloat (*(const float *) sluice_tensor_get_memory (tensor), ==, 5);
  sluice_tensor_release (tensor);
}

/* As bindings make objects: without what sluice_session_open() does. */
static void
test_bare_session (void)
{
  g_autoptr (GError) error = NULL;
  SluiceSession *session = g_object_new (SLUICE_TYPE_SESSION, NULL);
  SluiceGraph *graph = sluice_graph_new_empty ();
  gsize n;
  g_assert_false (sluice_session_add_graph (session, graph, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_assert_null (sluice_session_run_step (session, NULL, NULL, 0, NULL, NULL, NULL, &n, NULL));
  sluice_graph_unref (graph);
  g_object_unref (session);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/api/step", test_step);
  g_test_add_func ("/api/attributes", test_attributes);
  g_test_add_func ("/api/lenient", test_lenient);
  g_test_add_func ("/api/refusals", test_refusals);
  g_test_add_func ("/api/nested-functions", test_nested_functions);
  g_test_add_func ("/api/flows", test_flows);
  g_test_add_func ("/api/flow-errors", test_flow_errors);
  g_test_add_func ("/api/memory", test_memory);
  g_test_add_func ("/api/bare-session", test_bare_session);
  return g_test_run ();
}
