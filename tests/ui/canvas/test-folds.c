/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "tests/ui/canvas/fixture.h"
#include "ui/canvas/measure.h"
#include "ui/canvas/scene.h"

static const SluiceGroup *
group (SluiceHierarchy *h, const char *path)
{
  return sluice_hierarchy_get_group (h, fixture_group (h, path));
}

static const SluiceGroup *
get_parent (SluiceHierarchy *h, const SluiceGroup *g)
{
  return sluice_hierarchy_get_group (h, g->parent);
}

/* Of all groups around it that are no root the outermost one. */
static const SluiceGroup *
get_top (SluiceHierarchy *h, const char *path)
{
  const SluiceGroup *g = group (h, path);
  while (g->parent != 0)
    g = get_parent (h, g);
  return g;
}

/* Numbers that make no series of the names that have them. */
static guint
shuffle (guint i)
{
  return i * 37 % 509;
}

/* What a penalty reads as well stands with the layer that it is the weights of. */
static void
test_shared_variables (void)
{
  const guint n = 60;
  g_autoptr (GString) text = g_string_new ("x Placeholder 8\n");
  g_autofree char *last = g_strdup ("x");
  for (guint i = 1; i <= n; i++)
    {
      g_string_append_printf (text, "w%ux VariableV2 8\nh%ux Op%u 8 %s w%ux\n", shuffle (i),
                              shuffle (i), i, last, shuffle (i));
      g_free (last);
      last = g_strdup_printf ("h%ux", shuffle (i));
    }
  for (guint i = 1; i <= n; i++)
    {
      g_string_append_printf (text, "norm%ux L2Loss 8 w%ux\nsum%ux Add%u 8 %s norm%ux\n",
                              shuffle (i), shuffle (i), shuffle (i), i, last, shuffle (i));
      g_free (last);
      last = g_strdup_printf ("sum%ux", shuffle (i));
    }
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_assert_cmpuint (sluice_hierarchy_get_group (h, 0)->n_children, <=, 40);
  for (guint i = 1; i <= n; i++)
    {
      g_autofree char *layer = g_strdup_printf ("h%ux", shuffle (i));
      g_autofree char *weights = g_strdup_printf ("w%ux", shuffle (i));
      g_assert_true (get_top (h, weights) == get_top (h, layer));
    }
}

/* A layer and the gradient of it, which is computed from that of the layer behind it. */
static void
add_layer (GString *forward, GString *backward, const char *name, const char *op, const char *from)
{
  g_autofree char *before = g_strdup (backward->str);
  g_string_append_printf (forward, "%s %s 8 %s\n", name, op, from);
  g_string_printf (backward, "gradients/%s_grad/%sGrad %sGrad 8 @\n%s", name, op, op, before);
}

/* The gradients of a series that stands in a section stand in that of the section's gradients. */
static void
test_gradients_in_sections (void)
{
  g_autoptr (GString) forward = g_string_new ("h0 Placeholder 8\n");
  g_autoptr (GString) backward = g_string_new (NULL);
  g_autofree char *last = g_strdup ("h0");
  for (guint i = 0; i < 216; i++)
    {
      gboolean is_cell = i >= 24 && i < 36;
      g_autofree char *op = g_strdup_printf ("Op%u", is_cell ? i % 3 : i);
      g_autofree char *name = g_strdup_printf ("n%ux", shuffle (i));
      add_layer (forward, backward, name, op, last);
      g_free (last);
      last = g_steal_pointer (&name);
    }
  g_string_append_printf (forward, "loss Mean 8 %s\n", last);
  g_auto (GStrv) lines = g_strsplit (backward->str, "\n", -1);
  const char *above = "loss";
  for (guint i = 0; lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      *strchr (lines[i], '@') = '\0';
      g_string_append_printf (forward, "%s%s\n", lines[i], above);
      *strchr (lines[i], ' ') = '\0';
      above = lines[i];
    }
  g_autoptr (SluiceGraphModel) model = fixture_model (forward->str);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_autofree char *name = g_strdup_printf ("n%ux", shuffle (30));
  const SluiceGroup *cell = get_parent (h, group (h, name)), *series = get_parent (h, cell);
  g_assert_true (g_str_has_suffix (series->label, " × 4"));
  const SluiceGroup *section = get_parent (h, series);
  g_assert_true (section->section);
  const SluiceGroup *gradients = sluice_hierarchy_get_group (h, series->pair);
  g_assert_true (gradients->gradient);
  g_assert_cmpuint (gradients->n_children, ==, 4);
  g_assert_cmpuint (gradients->parent, ==, section->pair);
}

/* A hundred ops in a row, each of which reads the one before, and one that far before. */
static guint
count_boxes_in_row (guint reach)
{
  g_autoptr (GString) text = g_string_new ("n0x Placeholder 8\n");
  for (guint i = 1; i < 100; i++)
    g_string_append_printf (text, "n%ux Op%u 8 n%ux n%ux\n", shuffle (i), i, shuffle (i - 1),
                            shuffle (i - MIN (reach, i)));
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  return sluice_hierarchy_get_group (h, 0)->n_children;
}

/* What the layout can break into columns may be long; what lines lead past all over may not. */
static void
test_rows (void)
{
  g_assert_cmpuint (count_boxes_in_row (1), >, 20);
  g_assert_cmpuint (count_boxes_in_row (30), <=, 18);
}

/* Several losses of one network: their gradients of it are one box. Two would be read at a glance.
 */
static void
test_gradients_of_one (void)
{
  g_autoptr (GString) text = g_string_new ("x Placeholder 8\nnet/MatMul MatMul 8 x\n"
                                           "other/MatMul MatMul 8 net/MatMul\n");
  for (guint i = 1; i <= 5; i++)
    g_string_append_printf (text, "gradients_%u/net/MatMul_grad/Mul Mul%u 8 net/MatMul\n", i, i);
  for (guint i = 6; i <= 7; i++)
    g_string_append_printf (text, "gradients_%u/other/MatMul_grad/Mul Mul%u 8 other/MatMul\n", i,
                            i);
  for (guint i = 0; i < 8; i++)
    g_string_append_printf (text, "%c/op Op%u 8 other/MatMul\n", 'a' + i, i);
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  const SluiceGroup *series = get_parent (h, group (h, "gradients_3/net"));
  g_assert_cmpint (series->kind, ==, SLUICE_GROUP_SERIES);
  g_assert_cmpstr (series->label, ==, "net ∇ × 5");
  g_assert_cmpstr (series->path, ==, "gradients_1/net[1-5]");
  g_assert_cmpuint (series->n_children, ==, 5);
  g_assert_cmpuint (series->parent, ==, 0);
  g_assert_cmpuint (group (h, "gradients_6/other")->parent, ==, 0);
}

/* A table that many read is part of the model whoever makes it; a counter is not. */
static void
test_tables (void)
{
  g_autoptr (SluiceGraphModel) model =
      fixture_model ("x Placeholder 8\ntable Table 64\nrate Table 1\n"
                     "a/op Op 8 x table rate\nb/op Op 8 x table rate\nc/op Op 8 a/op b/op\n");
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_assert_false (group (h, "table")->hub);
  g_assert_true (group (h, "rate")->hub);
}

/* As many savers as a training was begun anew are aside as one is. */
static void
test_savers (void)
{
  g_autoptr (GString) text = g_string_new ("x Placeholder 8\nw VariableV2 8\n");
  for (guint i = 0; i < 12; i++)
    g_string_append_printf (text, "%c/op Op%u 8 x w\n", 'a' + i, i);
  g_string_append (text, "save/SaveV2 SaveV2 8 w x\n");
  for (guint i = 1; i <= 5; i++)
    g_string_append_printf (text, "save_%u/SaveV2 SaveV2 8 w x\n", i);
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  const SluiceGroup *savers = get_top (h, "save_3/SaveV2");
  g_assert_cmpstr (savers->label, ==, "save × 6");
  g_assert_true (savers->hub);
}

/* Several ops that each write all of several networks' weights, with no gradients about: such lines
 * give way to others and to each other. */
static void
test_update_tags_in_one_half (void)
{
  g_autoptr (GString) text = g_string_new ("x Placeholder 8\n");
  SluiceSceneFigures figures;
  guint n_tags = 0;
  for (char c = 'a'; c < 'd'; c++)
    g_string_append_printf (text, "%c/w VariableV2 8\n%c/op Op 8 x %c/w\n", c, c, c);
  for (char c = 'p'; c < 's'; c++)
    g_string_append_printf (text, "%c/op Op 8 x &a/w &b/w &c/w\n", c);
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_autoptr (SluiceScene) scene = sluice_scene_new (h, NULL, SLUICE_FLOW_UP, NULL);
  sluice_scene_measure (scene, SLUICE_SCENE_VIEW_WIDTH, SLUICE_SCENE_VIEW_HEIGHT, &figures);
  for (guint i = 0; i < sluice_scene_get_n_edges (scene); i++)
    {
      const SluiceSceneEdge *e = sluice_scene_get_edge (scene, i);
      n_tags += e->stub && e->kind == SLUICE_EDGE_REFERENCE;
    }
  g_assert_cmpuint (figures.n_crossings, ==, 0);
  g_assert_cmpuint (n_tags, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/canvas/folds/shared-variables", test_shared_variables);
  g_test_add_func ("/canvas/folds/gradients-in-sections", test_gradients_in_sections);
  g_test_add_func ("/canvas/folds/rows", test_rows);
  g_test_add_func ("/canvas/folds/gradients-of-one", test_gradients_of_one);
  g_test_add_func ("/canvas/folds/tables", test_tables);
  g_test_add_func ("/canvas/folds/savers", test_savers);
  g_test_add_func ("/canvas/folds/update-tags", test_update_tags_in_one_half);
  return g_test_run ();
}
