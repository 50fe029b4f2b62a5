/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is different between two graphs: a sample, and what was done to its text. */
#include <string.h>

#include "engine/graph/diff.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"

static char *sample; /* a model.pbtxt */

static SluiceGraph *
load (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  SluiceGraph *graph = sluice_graph_new ();
  sluice_graph_import (graph, bytes, &error);
  g_assert_no_error (error);
  return graph;
}

/* What a diff says, counted, and by name. */
typedef struct
{
  SluiceGraph *from, *to;
  GPtrArray *diffs;
  guint n[4]; /* by kind */
} Result;

static Result
compare (const char *from, const char *to)
{
  Result r = { .from = load (from), .to = load (to) };
  r.diffs = sluice_graph_diff (r.from, r.to);
  for (guint i = 0; i < r.diffs->len; i++)
    r.n[((const SluiceNodeDiff *) r.diffs->pdata[i])->kind]++;
  return r;
}

static void
result_clear (Result *r)
{
  g_ptr_array_unref (r->diffs);
  sluice_graph_unref (r->from);
  sluice_graph_unref (r->to);
}

static const SluiceNodeDiff *
find (const Result *r, const char *name)
{
  for (guint i = 0; i < r->diffs->len; i++)
    {
      const SluiceNodeDiff *diff = r->diffs->pdata[i];
      const char *own = diff->is != NULL    ? diff->is->name
                        : diff->was != NULL ? diff->was->name
                                            : diff->function;
      if (strcmp (own, name) == 0)
        return diff;
    }
  g_error ("nothing is said of %s", name);
}

/* fields: "name: from -> to; ...", NULL values as "-" */
static void
assert_fields (const SluiceNodeDiff *diff, const char *want)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < diff->fields->len; i++)
    {
      const SluiceFieldDiff *field = &g_array_index (diff->fields, SluiceFieldDiff, i);
      g_string_append_printf (text, "%s%s: %s -> %s", i > 0 ? "; " : "", field->field,
                              field->from != NULL ? field->from : "-",
                              field->to != NULL ? field->to : "-");
    }
  g_assert_cmpstr (text->str, ==, want);
}

static char *
dup_replaced (const char *text, const char *from, const char *to)
{
  g_autoptr (GString) changed = g_string_new (text);
  g_assert_cmpuint (g_string_replace (changed, from, to, 0), >, 0);
  return g_strdup (changed->str);
}

static void
assert_counts (const Result *r, guint added, guint removed, guint changed, guint renamed)
{
  g_assert_cmpuint (r->n[SLUICE_DIFF_ADDED], ==, added);
  g_assert_cmpuint (r->n[SLUICE_DIFF_REMOVED], ==, removed);
  g_assert_cmpuint (r->n[SLUICE_DIFF_CHANGED], ==, changed);
  g_assert_cmpuint (r->n[SLUICE_DIFF_RENAMED], ==, renamed);
}

/* ---- nothing ---- */

/* The nodes in the reverse order, which a text of them allows. */
static char *
dup_reversed (const char *text)
{
  g_auto (GStrv) nodes = g_strsplit (text, "\nnode {", -1);
  g_autoptr (GString) out = g_string_new (NULL);
  const char *versions = strstr (nodes[g_strv_length (nodes) - 1], "\nversions");
  for (guint i = g_strv_length (nodes); i-- > 1;)
    {
      const char *end = strstr (nodes[i], "\nversions");
      g_string_append (out, "node {");
      g_string_append_len (out, nodes[i],
                           end != NULL ? end - nodes[i] : (gssize) strlen (nodes[i]));
      g_string_append_c (out, '\n');
    }
  if (versions != NULL)
    g_string_append (out, versions);
  return g_strdup (out->str);
}

static void
test_same (void)
{
  g_autofree char *reversed = dup_reversed (sample);
  Result same = compare (sample, sample), order = compare (sample, reversed);
  g_assert_cmpuint (sluice_graph_get_n_nodes (order.from), >, 200);
  g_assert_cmpuint (sluice_graph_get_n_nodes (order.to) + 1, >=,
                    sluice_graph_get_n_nodes (order.from));
  assert_counts (&same, 0, 0, 0, 0);
  g_assert_cmpuint (order.n[SLUICE_DIFF_CHANGED] + order.n[SLUICE_DIFF_ADDED]
                        + order.n[SLUICE_DIFF_RENAMED],
                    ==, 0);
  g_assert_cmpuint (order.n[SLUICE_DIFF_REMOVED], <=, 1); /* the one before the first "node {" */
  result_clear (&same);
  result_clear (&order);
}

/* ---- small graphs ---- */

#define CONST(name, value)                                                                         \
  "node { name: '" name                                                                            \
  "' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: "                      \
  "'value' value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: " value " } } } }\n"
#define FLOAT                  "attr { key: 'T' value { type: DT_FLOAT } } "
#define NODE(name, op, inputs) "node { name: '" name "' op: '" op "' " inputs FLOAT "}\n"

static void
test_changed (void)
{
  static const char from[] =
      CONST ("a", "1") CONST ("b", "2") NODE ("sum", "Add", "input: 'a' input: 'b' input: '^a' ")
          NODE ("out", "Neg", "input: 'sum' ");
  static const char to[] = CONST ("b", "3") CONST ("a", "1")
      NODE ("sum", "Mul", "input: 'b' input: 'b' device: '/CPU:1' ")
          NODE ("out", "Neg", "input: 'sum' ") NODE ("new", "Neg", "input: 'out' ");
  Result r = compare (from, to);
  assert_counts (&r, 1, 0, 2, 0);
  assert_fields (find (&r, "b"), "value: float [] = 2 -> float [] = 3");
  assert_fields (find (&r, "sum"), "op: Add -> Mul; device:  -> /CPU:1; input 0: a -> b; "
                                   "control inputs: a -> ");
  g_assert_cmpint (find (&r, "new")->kind, ==, SLUICE_DIFF_ADDED);
  result_clear (&r);
  Result back = compare (to, from);
  assert_counts (&back, 0, 1, 2, 0);
  g_assert_cmpint (find (&back, "new")->kind, ==, SLUICE_DIFF_REMOVED);
  result_clear (&back);
}

/* Two long constants whose shortened texts are the same. */
static void
test_long_value (void)
{
  static const char form[] =
      "node { name: 'w' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } attr { key: "
      "'value' value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 40 } } %s } } } }";
  GString *a = g_string_new (NULL), *b = g_string_new (NULL);
  for (guint i = 0; i < 40; i++)
    {
      g_string_append_printf (a, "int_val: %u ", i);
      g_string_append_printf (b, "int_val: %u ", i == 30 || i == 39 ? 99 : i);
    }
  g_autofree char *from = g_strdup_printf (form, a->str);
  g_autofree char *to = g_strdup_printf (form, b->str);
  Result r = compare (from, to);
  assert_counts (&r, 0, 0, 1, 0);
  const SluiceFieldDiff *field = &g_array_index (find (&r, "w")->fields, SluiceFieldDiff, 0);
  g_assert_nonnull (strstr (field->to, "(2 of 40 elements are others)"));
  g_string_free (a, TRUE);
  g_string_free (b, TRUE);
  result_clear (&r);
}

/* Constants are alike everywhere: that one goes and another comes is no renaming. */
static void
test_small_is_no_sign (void)
{
  Result r = compare (CONST ("a/one", "1") NODE ("x", "Neg", "input: 'a/one' "),
                      CONST ("b/two", "1") NODE ("y", "Tanh", "input: 'b/two' "));
  assert_counts (&r, 2, 2, 0, 0);
  result_clear (&r);
}

static void
test_functions (void)
{
  static const char form[] =
      "library { function { signature { name: '%s' input_arg { name: 'x' type: DT_FLOAT } "
      "output_arg { name: 'y' type: DT_FLOAT } } node_def { name: 'n' op: '%s' input: 'x' attr { "
      "key: 'T' value { type: DT_FLOAT } } } ret { key: 'y' value: 'n:y:0' } } }";
  g_autofree char *from = g_strdup_printf (form, "f", "Neg");
  g_autofree char *changed = g_strdup_printf (form, "f", "Tanh");
  g_autofree char *other = g_strdup_printf (form, "g", "Neg");
  Result same = compare (from, from), a = compare (from, changed), b = compare (from, other);
  assert_counts (&same, 0, 0, 0, 0);
  assert_counts (&a, 0, 0, 1, 0);
  g_assert_cmpstr (find (&a, "f")->function, ==, "f");
  assert_counts (&b, 1, 1, 0, 0);
  g_assert_cmpint (find (&b, "g")->kind, ==, SLUICE_DIFF_ADDED);
  result_clear (&same);
  result_clear (&a);
  result_clear (&b);
}

/* ---- renamed ---- */

static void
test_renamed_scope (void)
{
  g_autofree char *inputs = dup_replaced (sample, "\"hidden/", "\"first/");
  g_autofree char *text = dup_replaced (inputs, "\"^hidden/", "\"^first/");
  Result r = compare (sample, text);
  g_assert_cmpuint (r.n[SLUICE_DIFF_RENAMED], >, 30);
  g_assert_cmpuint (r.n[SLUICE_DIFF_ADDED] + r.n[SLUICE_DIFF_REMOVED], ==, 0);
  for (guint i = 0; i < r.diffs->len; i++)
    {
      const SluiceNodeDiff *diff = r.diffs->pdata[i];
      if (diff->kind == SLUICE_DIFF_RENAMED)
        g_assert_cmpstr (diff->was->name + strlen ("hidden"), ==,
                         diff->is->name + strlen ("first"));
      else /* what holds the name as a text */
        g_assert_true (g_str_has_suffix (diff->is->name, "/tag"));
      if (diff->kind == SLUICE_DIFF_RENAMED)
        g_assert_cmpuint (diff->fields->len, ==, 0);
    }
  result_clear (&r);
}

/* Renamed and changed inside, and what lies in other scopes called after it. */
static void
test_renamed_and_changed (void)
{
  g_autofree char *names = dup_replaced (sample, "hidden/", "first/");
  g_autofree char *text = dup_replaced (names, "op: \"Relu\"", "op: \"Elu\"");
  Result r = compare (sample, text);
  g_assert_cmpuint (r.n[SLUICE_DIFF_ADDED] + r.n[SLUICE_DIFF_REMOVED], ==, 0);
  assert_fields (find (&r, "first/relu"), "op: Relu -> Elu");
  g_assert_cmpstr (find (&r, "first/relu")->was->name, ==, "hidden/relu");
  g_assert_cmpstr (find (&r, "gradients/first/relu_grad/ReluGrad")->was->name, ==,
                   "gradients/hidden/relu_grad/ReluGrad");
  assert_fields (find (&r, "gradients/first/relu_grad/ReluGrad"), "");
  result_clear (&r);
}

/* Of what has no inputs the one that reads it tells; another one is not taken for it. */
static void
test_renamed_source (void)
{
  static const char from[] = CONST ("a", "1") CONST ("b", "1") CONST ("c", "2")
      NODE ("sum", "Add", "input: 'a' input: 'b' ") NODE ("out", "Neg", "input: 'c' ");
  static const char to[] = CONST ("y", "1") CONST ("x", "1") CONST ("z", "3")
      NODE ("sum", "Add", "input: 'x' input: 'y' ") NODE ("out", "Neg", "input: 'z' ");
  Result r = compare (from, to);
  assert_counts (&r, 1, 1, 1, 2);
  g_assert_cmpstr (find (&r, "x")->was->name, ==, "a");
  g_assert_cmpstr (find (&r, "y")->was->name, ==, "b");
  assert_fields (find (&r, "out"), "input 0: c -> z");
  result_clear (&r);
}

/* Every name another one: nothing is there by name. */
static void
test_all_renamed (void)
{
  g_autofree char *names = dup_replaced (sample, "name: \"", "name: \"all/");
  g_autofree char *inputs = dup_replaced (names, "input: \"", "input: \"all/");
  g_autofree char *text = dup_replaced (inputs, "all/^", "^all/");
  g_autofree char *classes = dup_replaced (text, "loc:@", "loc:@all/");
  Result r = compare (sample, classes);
  g_assert_cmpuint (r.n[SLUICE_DIFF_ADDED] + r.n[SLUICE_DIFF_REMOVED], ==, 0);
  g_assert_cmpuint (r.n[SLUICE_DIFF_RENAMED], ==, sluice_graph_get_n_nodes (r.from));
  result_clear (&r);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_autofree char *path = g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "data", "samples",
                                            "digits-mlp", "model.pbtxt", NULL);
  g_file_get_contents (path, &sample, NULL, &error);
  g_assert_no_error (error);
  g_test_add_func ("/graph/diff/same", test_same);
  g_test_add_func ("/graph/diff/changed", test_changed);
  g_test_add_func ("/graph/diff/long-value", test_long_value);
  g_test_add_func ("/graph/diff/renamed-source", test_renamed_source);
  g_test_add_func ("/graph/diff/small-is-no-sign", test_small_is_no_sign);
  g_test_add_func ("/graph/diff/functions", test_functions);
  g_test_add_func ("/graph/diff/renamed-scope", test_renamed_scope);
  g_test_add_func ("/graph/diff/renamed-and-changed", test_renamed_and_changed);
  g_test_add_func ("/graph/diff/all-renamed", test_all_renamed);
  int status = g_test_run ();
  g_free (sample);
  return status;
}
