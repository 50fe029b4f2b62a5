/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Templates: the files that the program carries, and what a file may say. */
#include "engine/base/error.h"
#include "engine/command/template.h"

static void
test_families (void)
{
  static const char *const known[][2] = { { "optimizer", "adam" }, { "summary", "scalar" },
                                          { "layer", "dense" },    { "layer", "l2" },
                                          { "loss", "l2" },        { "schedule", "cosine" },
                                          { "part", "variable" } };
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_nonnull (sluice_template_find (known[i][0], known[i][1], &error));
      g_assert_no_error (error);
    }
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_template_find ("optimizer", "adm", &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_nonnull (g_strstr_len (error->message, -1, "adam"));
}

static void
test_parse (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTemplate) template = sluice_template_parse (
      "t",
      "# what it is\nlayer \"A test\"\nparameter n int \"How many\" least=1 default=3\n"
      "parameter how a|b \"Which\"\ndo\nadd NoOp $name\nlast\ndelete $name\n",
      &error);
  g_assert_no_error (error);
  const SluiceTemplateParameter *n =
      &g_array_index (template->parameters, SluiceTemplateParameter, 0);
  g_assert_cmpint (n->kind, ==, SLUICE_TEMPLATE_INT);
  g_assert_cmpfloat (n->least, ==, 1);
  g_assert_cmpstr (n->value, ==, "3");
  g_assert_cmpuint (g_hash_table_size (template->sections), ==, 2);
}

static void
test_edges (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTemplate) template =
      sluice_template_parse ("t",
                             "loss \"A test\"\nparameter all edges \"Which\"\nparameter one edge "
                             "\"Another\" default=\"\"\ndo\n",
                             &error);
  g_assert_no_error (error);
  const SluiceTemplateParameter *all =
      &g_array_index (template->parameters, SluiceTemplateParameter, 0);
  const SluiceTemplateParameter *one =
      &g_array_index (template->parameters, SluiceTemplateParameter, 1);
  g_assert_cmpint (all->kind, ==, SLUICE_TEMPLATE_EDGES);
  g_assert_null (all->value);
  g_assert_cmpint (one->kind, ==, SLUICE_TEMPLATE_EDGE);
  g_assert_cmpstr (one->value, ==, "");
  static const char *const lists[][2] = {
    { "[a:1, b/c]", "a:1|b/c" }, { "[]", "" }, { "a", "a" }, { "[a", "[a" }
  };
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      g_auto (GStrv) edges = sluice_template_split_edges (lists[i][0]);
      g_autofree char *joined = g_strjoinv ("|", edges);
      g_assert_cmpstr (joined, ==, lists[i][1]);
    }
}

static void
test_refused (void)
{
  static const char *const texts[] = { "",
                                       "layer \"x\"\n",
                                       "do\nadd NoOp a\n",
                                       "leyer \"x\"\ndo\n",
                                       "layer \"x\"\nparameter n\ndo\n",
                                       "layer \"x\"\nparameter n itn \"N\"\ndo\nadd NoOp a\n",
                                       "layer \"x\ndo\n" };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (sluice_template_parse ("t", texts[i], &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/command/template/families", test_families);
  g_test_add_func ("/command/template/parse", test_parse);
  g_test_add_func ("/command/template/edges", test_edges);
  g_test_add_func ("/command/template/refused", test_refused);
  return g_test_run ();
}
