/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Attributes as people write them: each kind, in short and in TensorFlow's text form, and what is
 * refused. */
#include "engine/base/error.h"
#include "engine/graph/attr-text.h"

typedef struct
{
  SluiceAttrKind kind, list_kind;
  const char *text;
  const char *wanted; /* as messages show it, or words of the refusal */
} Case;

static const Case taken[] = {
  { SLUICE_ATTR_STRING, 0, "\"a b\\n\"", "\"a b\\n\"" },
  { SLUICE_ATTR_STRING, 0, "SAME", "\"SAME\"" },
  { SLUICE_ATTR_STRING, 0, "{ s: \"x\" }", "\"x\"" },
  { SLUICE_ATTR_INT, 0, "-3", "-3" },
  { SLUICE_ATTR_FLOAT, 0, "1e-3", "0.001" },
  { SLUICE_ATTR_FLOAT, 0, "inf", "inf" },
  { SLUICE_ATTR_BOOL, 0, "true", "true" },
  { SLUICE_ATTR_TYPE, 0, "DT_INT64", "DT_INT64" },
  { SLUICE_ATTR_TYPE, 0, "float", "DT_FLOAT" },
  { SLUICE_ATTR_SHAPE, 0, "[?, 3]", "[?,3]" },
  { SLUICE_ATTR_SHAPE, 0, "[-1,3]", "[?,3]" },
  { SLUICE_ATTR_SHAPE, 0, "[]", "[]" },
  { SLUICE_ATTR_SHAPE, 0, "{ dim { size: 2 } }", "[2]" },
  { SLUICE_ATTR_SHAPE, 0, "{ shape { dim { size: 2 } } }", "[2]" },
  { SLUICE_ATTR_SHAPE, 0, "shape { dim { size: 2 } }", "[2]" },
  { SLUICE_ATTR_LIST, SLUICE_ATTR_INT, "[1,2,2,1]", "[1, 2, 2, 1]" },
  { SLUICE_ATTR_LIST, SLUICE_ATTR_INT, "[]", "[]" },
  { SLUICE_ATTR_LIST, SLUICE_ATTR_SHAPE, "[[1,2],[?]]", "[[1,2], [?]]" },
  { SLUICE_ATTR_LIST, SLUICE_ATTR_STRING, "[\"a, b\", c]", "[\"a, b\", \"c\"]" },
  { SLUICE_ATTR_LIST, SLUICE_ATTR_TYPE, "{ type: DT_INT32 type: DT_FLOAT }",
    "[DT_INT32, DT_FLOAT]" },
  { SLUICE_ATTR_FUNC, 0, "body", "body" },
  /* The text tells. */
  { SLUICE_ATTR_NONE, 0, "3", "3" },
  { SLUICE_ATTR_NONE, 0, "1.5", "1.5" },
  { SLUICE_ATTR_NONE, 0, "DT_BOOL", "DT_BOOL" },
  { SLUICE_ATTR_NONE, 0, "[1, 2]", "[1, 2]" },
  { SLUICE_ATTR_NONE, 0, "\"3\"", "\"3\"" },
};

static const Case refused[] = {
  { SLUICE_ATTR_STRING, 0, "a b", "double quotes" },
  { SLUICE_ATTR_INT, 0, "1.5", "whole number" },
  { SLUICE_ATTR_INT, 0, "99999999999999999999", "64 bits" },
  { SLUICE_ATTR_FLOAT, 0, "1e39", "more than a float" },
  { SLUICE_ATTR_BOOL, 0, "yes", "neither true nor false" },
  { SLUICE_ATTR_TYPE, 0, "DT_FLAOT", "did you mean DT_FLOAT?" },
  { SLUICE_ATTR_SHAPE, 0, "[1,-2]", "no shape" },
  { SLUICE_ATTR_SHAPE, 0, "[1,]", "no shape" },
  { SLUICE_ATTR_SHAPE, 0, "3", "no shape" },
  { SLUICE_ATTR_LIST, SLUICE_ATTR_INT, "1,2", "no list" },
  { SLUICE_ATTR_LIST, SLUICE_ATTR_INT, "[1,x]", "whole number" },
  { SLUICE_ATTR_NONE, 0, "[[1]]", "holds no lists" },
  { SLUICE_ATTR_NONE, 0, "[1,{ s: \"a\" }]", "another kind" },
  { SLUICE_ATTR_SHAPE, 0, "{ dims { size: 2 } }", "1:" },
  { SLUICE_ATTR_STRING, 0, "{ }", "no value" },
};

static gboolean
parse (const Case *c, SluiceAttrValue *value, GError **error)
{
  const SluiceAttrDef def = { .kind = c->kind, .list_kind = c->list_kind };
  return sluice_attr_parse (c->kind != SLUICE_ATTR_NONE ? &def : NULL, SLUICE_INVALID, c->text,
                            value, error);
}

static void
test_taken (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (taken); i++)
    {
      g_autoptr (GError) error = NULL;
      SluiceAttrValue value;
      g_test_message ("%s", taken[i].text);
      parse (&taken[i], &value, &error);
      g_assert_no_error (error);
      g_autofree char *text = sluice_attr_value_to_string (&value);
      g_assert_cmpstr (text, ==, taken[i].wanted);
      sluice_attr_value_clear (&value);
    }
}

static void
test_refused (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GError) error = NULL;
      SluiceAttrValue value;
      g_test_message ("%s", refused[i].text);
      g_assert_false (parse (&refused[i], &value, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_test_message ("%s", error->message);
      g_assert_nonnull (g_strstr_len (error->message, -1, refused[i].wanted));
    }
}

/* A tensor has the dtype that is asked for, or the one that its text tells. */
static void
test_tensor (void)
{
  static const struct
  {
    SluiceDType asked;
    const char *text;
    SluiceDType dtype;
    int rank;
  } cases[] = {
    { SLUICE_INVALID, "3", SLUICE_INT32, 0 },
    { SLUICE_INVALID, "[[1.5],[2]]", SLUICE_FLOAT, 2 },
    { SLUICE_INVALID, "[true]", SLUICE_BOOL, 1 },
    { SLUICE_INVALID, "\"a\"", SLUICE_STRING, 0 },
    { SLUICE_DOUBLE, "[1,2]", SLUICE_DOUBLE, 1 },
    { SLUICE_INVALID, "{ dtype: DT_INT8 tensor_shape { dim { size: 2 } } int_val: 1 }", SLUICE_INT8,
      1 },
  };
  const SluiceAttrDef def = { .kind = SLUICE_ATTR_TENSOR };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      SluiceAttrValue value;
      sluice_attr_parse (&def, cases[i].asked, cases[i].text, &value, &error);
      g_assert_no_error (error);
      g_assert_cmpint (value.tensor->dtype, ==, cases[i].dtype);
      g_assert_cmpint (value.tensor->shape.rank, ==, cases[i].rank);
      sluice_attr_value_clear (&value);
    }
}

static void
test_span (void)
{
  g_assert_cmpuint (sluice_attr_text_span ("ab c", " "), ==, 2);
  g_assert_cmpuint (sluice_attr_text_span ("[a b] c", " "), ==, 5);
  g_assert_cmpuint (sluice_attr_text_span ("\"a \\\" b\" c", " "), ==, 8);
  g_assert_cmpuint (sluice_attr_text_span ("a", " "), ==, 1);
  g_assert_cmpuint (sluice_attr_text_span ("[a", " "), ==, G_MAXSIZE);
  g_assert_cmpuint (sluice_attr_text_span ("\"a", " "), ==, G_MAXSIZE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph/attr-text/taken", test_taken);
  g_test_add_func ("/graph/attr-text/refused", test_refused);
  g_test_add_func ("/graph/attr-text/tensor", test_tensor);
  g_test_add_func ("/graph/attr-text/span", test_span);
  return g_test_run ();
}
