/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Badges, traced ways and classes of colours of small graphs. */
#include "tests/ui/canvas/fixture.h"
#include "ui/canvas/color-classes.h"
#include "ui/canvas/marks.h"

/* The worst is what scopes show, with the name of its node; others in them lose nothing. */
static void
test_marks (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_model ("in Placeholder 4\n"
                                                      "a/b/one Neg 4 in\n"
                                                      "a/b/two Neg 4 a/b/one\n"
                                                      "a/three Neg 4 a/b/two\n"
                                                      "c/four Neg 4 a/three\n");
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  const SluiceCanvasMark marks[] = { { "a/b/one", SLUICE_MARK_NAN, "It is NaN." },
                                     { "a/b/two", SLUICE_MARK_FAILURE, "It failed." },
                                     { "nobody", SLUICE_MARK_FAILURE, "Is not drawn." } };
  g_autoptr (SluiceMarks) found = sluice_marks_new (h, marks, G_N_ELEMENTS (marks));
  const char *text;
  g_assert_cmpint (sluice_marks_get (found, fixture_group (h, "a/b/one"), &text), ==,
                   SLUICE_MARK_NAN);
  g_assert_cmpstr (text, ==, "It is NaN.");
  g_assert_cmpint (sluice_marks_get (found, fixture_group (h, "a/b"), &text), ==,
                   SLUICE_MARK_FAILURE);
  g_assert_cmpstr (text, ==, "a/b/two: It failed.");
  g_assert_cmpint (sluice_marks_get (found, fixture_group (h, "a"), NULL), ==, SLUICE_MARK_FAILURE);
  g_assert_cmpint (sluice_marks_get (found, fixture_group (h, "c"), &text), ==, SLUICE_MARK_NONE);
  g_assert_null (text);
  g_assert_cmpint (sluice_marks_get (NULL, 1, NULL), ==, SLUICE_MARK_NONE);
  /* A breakpoint may be of a scope; where the run stands is seen before others. */
  const SluiceCanvasMark breaks[] = { { "a/b", SLUICE_MARK_BREAK, "Runs stop there." },
                                      { "c/four", SLUICE_MARK_BREAK_IDLE, "It is pruned." },
                                      { "a/three", SLUICE_MARK_STOP, "Here." } };
  g_autoptr (SluiceMarks) set = sluice_marks_new (h, breaks, G_N_ELEMENTS (breaks));
  g_assert_cmpint (sluice_marks_get (set, fixture_group (h, "a/b"), &text), ==, SLUICE_MARK_BREAK);
  g_assert_cmpstr (text, ==, "Runs stop there.");
  g_assert_cmpint (sluice_marks_get (set, fixture_group (h, "a"), NULL), ==, SLUICE_MARK_STOP);
  g_assert_cmpint (sluice_marks_get (set, fixture_group (h, "c"), &text), ==,
                   SLUICE_MARK_BREAK_IDLE);
  g_assert_cmpstr (text, ==, "c/four: It is pruned.");
}

static void
assert_reached (SluiceHierarchy *h, const guint8 *reached, const char *const *names, guint n)
{
  guint n_reached = 0;
  SluiceGraphModel *model = sluice_hierarchy_get_model (h);
  for (guint i = 0; i < sluice_graph_model_get_n_nodes (model); i++)
    n_reached += reached[sluice_hierarchy_get_op_group (h, i)];
  for (guint i = 0; i < n; i++)
    g_assert_cmpuint (reached[fixture_group (h, names[i])], ==, 1);
  g_assert_cmpuint (n_reached, ==, n);
}

/* As deep as is asked; control edges are no way; a scope is where its ops are; loops end. */
static void
test_trace (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_model ("in Placeholder 4\n"
                                                      "m Merge 4 in ~next\n"
                                                      "s/x Neg 4 m\n"
                                                      "next NextIteration 4 s/x\n"
                                                      "out Neg 4 s/x\n"
                                                      "aside NoOp - ^s/x\n"
                                                      "end Neg 4 out\n");
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_autofree guint8 *inputs = sluice_trace_groups (h, fixture_group (h, "s"), FALSE, 0);
  const char *const back[] = { "s/x", "m", "in", "next" };
  assert_reached (h, inputs, back, 4);
  g_assert_cmpuint (inputs[fixture_group (h, "s")], ==, 1);
  g_autofree guint8 *one = sluice_trace_groups (h, fixture_group (h, "s/x"), TRUE, 1);
  const char *const near[] = { "s/x", "next", "out" };
  assert_reached (h, one, near, 3);
  g_autofree guint8 *two = sluice_trace_groups (h, fixture_group (h, "s/x"), TRUE, 2);
  const char *const far[] = { "s/x", "next", "out", "m", "end" };
  assert_reached (h, two, far, 5);
}

static void
add (SluiceGraphModel *model, const char *name, const char *asked)
{
  sluice_graph_model_add_node (
      model, &(SluiceModelNode){ .name = name, .op = "Neg", .device = "CPU:0", .asked = asked });
}

/* What nodes ask for, wherever they stand; scopes are what most in them is. */
static void
test_classes (void)
{
  g_autoptr (SluiceGraphModel) model = sluice_graph_model_new ();
  add (model, "a/one", "/device:GPU:1");
  add (model, "a/two", "/device:GPU:0");
  add (model, "a/three", "/device:GPU:0");
  add (model, "b/four", "");
  sluice_graph_model_add_edge (model, &(SluiceModelEdge){ .from = 0, .to = 1, .dtype = "float" });
  sluice_graph_model_add_edge (model,
                               &(SluiceModelEdge){ .from = 1, .to = 2, .dtype = "float_ref" });
  sluice_graph_model_add_edge (model, &(SluiceModelEdge){ .from = 2, .to = 3, .dtype = "int32" });
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_autoptr (SluiceColorClasses) asked = sluice_color_classes_new (h, SLUICE_COLOR_BY_ASKED);
  g_assert_cmpuint (sluice_color_classes_get_n (asked), ==, 2);
  g_assert_cmpstr (sluice_color_classes_get_name (asked, 0), ==, "/device:GPU:0");
  g_assert_cmpuint (sluice_color_classes_get_n_ops (asked, 0), ==, 2);
  g_assert_cmpuint (sluice_color_classes_get_n_ops (asked, SLUICE_NONE), ==, 1);
  g_assert_cmpuint (sluice_color_classes_get (asked, fixture_group (h, "a")), ==, 0);
  g_assert_cmpuint (sluice_color_classes_get (asked, fixture_group (h, "a/one")), ==, 1);
  g_assert_cmpuint (sluice_color_classes_get (asked, fixture_group (h, "b")), ==, SLUICE_NONE);
  /* References are of the type that they refer to. */
  g_autoptr (SluiceColorClasses) types = sluice_color_classes_new (h, SLUICE_COLOR_BY_DTYPE);
  g_assert_cmpuint (sluice_color_classes_get_n (types), ==, 2);
  g_assert_cmpstr (sluice_color_classes_get_name (types, 0), ==, "float");
  g_assert_cmpuint (sluice_color_classes_get_n_ops (types, 0), ==, 2);
  /* An edit takes the request over. */
  g_autoptr (SluiceGraphModel) after = sluice_graph_model_new_after (model);
  sluice_graph_model_take_node (after, model, 0);
  g_assert_cmpstr (sluice_graph_model_get_node (after, 0)->asked, ==, "/device:GPU:1");
}

/* What was added is green however much was changed, and has its sign. */
static void
test_changes (void)
{
  static const char *const changes[] = { "~ changed", "~ changed", "+ added", "+ 3 added" };
  g_autoptr (SluiceGraphModel) model = sluice_graph_model_new ();
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autofree char *name = g_strdup_printf ("n%u", i);
      sluice_graph_model_add_node (
          model, &(SluiceModelNode){ .name = name, .op = "Neg", .change = changes[i] });
    }
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_autoptr (SluiceColorClasses) all = sluice_color_classes_new (h, SLUICE_COLOR_BY_CHANGE);
  g_assert_cmpuint (sluice_color_classes_get_n (all), ==, 3);
  g_assert_cmpstr (sluice_color_classes_get_sign (all, 0), ==, "~");
  g_assert_cmpstr (sluice_color_classes_get_sign (all, 1), ==, "+");
  g_assert_cmpuint (sluice_color_classes_get_hue (all, 1), ==,
                    sluice_color_classes_get_hue (all, 2));
  g_assert_cmpuint (sluice_color_classes_get_hue (all, 0), !=,
                    sluice_color_classes_get_hue (all, 1));
  g_autoptr (SluiceColorClasses) asked = sluice_color_classes_new (h, SLUICE_COLOR_BY_ASKED);
  g_assert_cmpuint (sluice_color_classes_get_n (asked), ==, 0);
}

/* What is told has the order that it was told in, however much there is of each. */
static void
test_told (void)
{
  static const char *const order[] = { "little", "some", "much", NULL };
  const SluiceTheme *theme = sluice_theme_get (SLUICE_THEME_LIGHT);
  g_autoptr (GHashTable) texts = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (SluiceGraphModel) model = sluice_graph_model_new ();
  add (model, "a/one", "");
  add (model, "a/two", "");
  add (model, "a/three", "");
  add (model, "b/four", "");
  add (model, "b/five", "");
  g_hash_table_insert (texts, (gpointer) "a/one", (gpointer) "much");
  g_hash_table_insert (texts, (gpointer) "a/two", (gpointer) "much");
  g_hash_table_insert (texts, (gpointer) "a/three", (gpointer) "little");
  g_hash_table_insert (texts, (gpointer) "b/four", (gpointer) "little");
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  const SluiceColorTold scale = { texts, order, TRUE }, hues = { texts, order, FALSE };
  g_autoptr (SluiceColorClasses) of_scale = sluice_color_classes_new_told (h, &scale);
  g_autoptr (SluiceColorClasses) of_hues = sluice_color_classes_new_told (h, &hues);
  g_assert_cmpuint (sluice_color_classes_get_n (of_scale), ==, 2);
  g_assert_cmpstr (sluice_color_classes_get_name (of_scale, 0), ==, "little");
  g_assert_cmpstr (sluice_color_classes_get_name (of_scale, 1), ==, "much");
  g_assert_cmpuint (sluice_color_classes_get_n_ops (of_scale, SLUICE_NONE), ==, 1);
  g_assert_cmpuint (sluice_color_classes_get (of_scale, fixture_group (h, "a")), ==, 1);
  SluiceColor most = sluice_color_classes_get_color (of_scale, 1, theme);
  SluiceColor third = sluice_color_classes_get_color (of_hues, 1, theme);
  SluiceColor hue = sluice_theme_get_hue (theme, 2);
  g_assert_cmpmem (&most, sizeof most, &theme->heat, sizeof most);
  g_assert_cmpmem (&third, sizeof third, &hue, sizeof hue);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/canvas/marks/marks", test_marks);
  g_test_add_func ("/canvas/marks/trace", test_trace);
  g_test_add_func ("/canvas/marks/classes", test_classes);
  g_test_add_func ("/canvas/marks/changes", test_changes);
  g_test_add_func ("/canvas/marks/told", test_told);
  return g_test_run ();
}
