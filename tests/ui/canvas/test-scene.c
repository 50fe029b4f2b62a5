/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <math.h>
#include <string.h>

#include "tests/ui/canvas/fixture.h"
#include "ui/canvas/measure.h"
#include "ui/canvas/scene.h"
#include "ui/canvas/text-metrics.h"

#define LABEL_SIZE 10.5 /* pixels */

static SluiceScene *
make_scene (SluiceGraphModel *model, const SluiceViewState *state)
{
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  return sluice_scene_new (h, state, SLUICE_FLOW_UP, NULL);
}

static guint
find (SluiceScene *scene, const char *path)
{
  guint group = fixture_group (sluice_scene_get_hierarchy (scene), path);
  guint item = sluice_scene_find_item (scene, group);
  return item != SLUICE_NONE && sluice_scene_get_item (scene, item)->node == group ? item
                                                                                   : SLUICE_NONE;
}

static const SluiceSceneItem *
item_of (SluiceScene *scene, const char *path)
{
  guint item = find (scene, path);
  if (item == SLUICE_NONE)
    g_error ("\"%s\" is not drawn", path);
  return sluice_scene_get_item (scene, item);
}

static const SluiceSceneEdge *
edge_between (SluiceScene *scene, const char *from, const char *to)
{
  guint a = find (scene, from), b = find (scene, to);
  for (guint i = 0; i < sluice_scene_get_n_edges (scene); i++)
    {
      const SluiceSceneEdge *e = sluice_scene_get_edge (scene, i);
      if (e->from == a && e->to == b)
        return e;
    }
  return NULL;
}

static gboolean
is_inside (SluiceScene *scene, guint item, guint frame)
{
  while (item != SLUICE_NONE && item != frame)
    item = sluice_scene_get_item (scene, item)->parent;
  return item == frame;
}

/* Boxes touch each other only when one is a frame round the other, and then it holds the other
 * whole. */
static void
assert_no_overlaps (SluiceScene *scene)
{
  guint n = sluice_scene_get_n_items (scene);
  for (guint a = 0; a < n; a++)
    for (guint b = a + 1; b < n; b++)
      {
        SluiceRect ra = sluice_scene_get_item (scene, a)->rect,
                   rb = sluice_scene_get_item (scene, b)->rect;
        if (is_inside (scene, b, a))
          {
            g_assert_true (sluice_rect_contains (&ra, rb.x, rb.y));
            g_assert_true (sluice_rect_contains (&ra, rb.x + rb.width, rb.y + rb.height));
            continue;
          }
        ra = sluice_rect_grown (&ra, -0.01);
        if (sluice_rect_touches (&ra, &rb))
          g_error ("\"%s\" and \"%s\" overlap", sluice_scene_get_item (scene, a)->title,
                   sluice_scene_get_item (scene, b)->title);
      }
}

static SluicePoint
on_cubic (const SluicePoint *p, double t)
{
  double a = (1 - t) * (1 - t) * (1 - t), b = 3 * (1 - t) * (1 - t) * t, c = 3 * (1 - t) * t * t,
         d = t * t * t;
  return (SluicePoint){ a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                        a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y };
}

/* Drawn lines keep out of boxes that are not their ends, nor hold their ends, nor stand at them.
 * Returns samples inside. */
static guint
count_hits (SluiceScene *scene, const SluiceSceneEdge *e)
{
  const SluicePoint *p = sluice_scene_get_points (scene) + e->first_point;
  guint hits = 0;
  for (guint k = 0; k + 3 < e->n_points; k += 3)
    for (double t = 0.05; t < 1; t += 0.1)
      {
        SluicePoint at = on_cubic (p + k, t);
        guint found = sluice_scene_pick (scene, at.x, at.y);
        if (found == SLUICE_NONE || found == e->from || found == e->to
            || is_inside (scene, e->from, found) || is_inside (scene, e->to, found))
          continue;
        const SluiceSceneItem *item = sluice_scene_get_item (scene, found);
        SluiceRect inner = sluice_rect_grown (&item->rect, -1);
        hits += item->kind != SLUICE_ITEM_OPEN_SCOPE && sluice_rect_contains (&inner, at.x, at.y);
      }
  return hits;
}

static void
assert_lines_are_clear (SluiceScene *scene)
{
  for (guint i = 0; i < sluice_scene_get_n_edges (scene); i++)
    {
      const SluiceSceneEdge *e = sluice_scene_get_edge (scene, i);
      g_assert_cmpuint (e->n_points % 3, ==, 1);
      if (!e->quiet && count_hits (scene, e) > 0)
        g_error ("the line from \"%s\" to \"%s\" runs through a box",
                 sluice_scene_get_item (scene, e->from)->title,
                 sluice_scene_get_item (scene, e->to)->title);
    }
}

static gboolean
lies_on_other (SluiceScene *scene, guint item)
{
  SluiceRect r = sluice_rect_grown (&sluice_scene_get_item (scene, item)->rect, 14);
  for (guint i = 0; i < sluice_scene_get_n_items (scene); i++)
    if (i != item && !is_inside (scene, i, item) && !is_inside (scene, item, i)
        && sluice_scene_get_item (scene, i)->host != item
        && sluice_rect_touches (&r, &sluice_scene_get_item (scene, i)->rect))
      return TRUE;
  return FALSE;
}

static void
test_halves (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceScene) scene = make_scene (model, NULL);
  SluicePoint hidden = sluice_rect_centre (&item_of (scene, "hidden")->rect);
  SluicePoint back = sluice_rect_centre (&item_of (scene, "gradients/hidden")->rect);
  SluicePoint logits = sluice_rect_centre (&item_of (scene, "logits")->rect);
  SluicePoint input = sluice_rect_centre (&item_of (scene, "input")->rect);
  SluicePoint train = sluice_rect_centre (&item_of (scene, "train")->rect);
  /* Data flows upward, the gradient stands beside its forward half, what uses it below. */
  g_assert_cmpfloat (input.y, >, hidden.y);
  g_assert_cmpfloat (hidden.y, >, logits.y);
  g_assert_cmpfloat (back.x, >, hidden.x);
  g_assert_cmpfloat_with_epsilon (back.y, hidden.y, 0.01);
  g_assert_cmpfloat (train.y, >, back.y);
  assert_no_overlaps (scene);
  assert_lines_are_clear (scene);
  /* The update of a variable points at the variable. */
  const SluiceSceneEdge *update = edge_between (scene, "train", "hidden");
  g_assert_nonnull (update);
  g_assert_cmpint (update->kind, ==, SLUICE_EDGE_REFERENCE);
  g_assert_true (update->arrow && !update->quiet);
  /* That a gradient reads its forward half goes without saying. */
  g_assert_true (edge_between (scene, "hidden", "gradients/hidden")->quiet);
  g_assert_cmpstr (edge_between (scene, "hidden", "logits")->label, ==, "?×128");
  g_assert_cmpfloat (edge_between (scene, "input", "hidden")->width, >,
                     edge_between (scene, "logits", "loss")->width);
}

static void
test_flow_down (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_autoptr (SluiceScene) scene = sluice_scene_new (h, NULL, SLUICE_FLOW_DOWN, NULL);
  g_assert_cmpfloat (item_of (scene, "input")->rect.y, <, item_of (scene, "hidden")->rect.y);
  assert_no_overlaps (scene);
  assert_lines_are_clear (scene);
}

static void
test_aside (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  g_autoptr (SluiceScene) scene = make_scene (model, NULL);
  g_assert_true (item_of (scene, "init")->aside);
  g_assert_true (item_of (scene, "global_step")->aside);
  g_assert_false (item_of (scene, "hidden")->aside);
  sluice_view_state_set_place (state, "init", SLUICE_PLACE_INCLUDE);
  sluice_view_state_set_place (state, "hidden", SLUICE_PLACE_EXCLUDE);
  g_autoptr (SluiceScene) changed = make_scene (model, state);
  g_assert_false (item_of (changed, "init")->aside);
  g_assert_true (item_of (changed, "hidden")->aside);
  assert_no_overlaps (changed);
}

/* What is set aside, and boxes without lines, stand beneath a wide drawing and beside a tall one;
 * nothing of it is too small to be read. */
static void
test_shelf (void)
{
  for (int tall = 0; tall < 2; tall++)
    {
      const char *rest = tall ? "" : "_with_a_long_name";
      g_autoptr (GString) text = g_string_new ("a0 Relu 8\n");
      for (guint i = 1; i < 8; i++)
        g_string_append_printf (text, "a%u%s Op%u 8 a%u%s\n", i, i > 0 ? rest : "", i,
                                tall ? i - 1 : 0, tall && i > 1 ? rest : "");
      for (guint i = 0; i < 3; i++)
        g_string_append_printf (text, "finish_%c NoOp -\nlone_%c Op 8\n", 'a' + i, 'a' + i);
      g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
      g_autoptr (SluiceScene) scene = make_scene (model, NULL);
      const SluiceRect last = item_of (scene, tall ? "a7" : "a7_with_a_long_name")->rect;
      const SluiceRect aside = item_of (scene, "finish_a")->rect;
      const SluiceRect lone = item_of (scene, "lone_a")->rect;
      SluiceSceneFigures figures;
      assert_no_overlaps (scene);
      assert_lines_are_clear (scene);
      g_assert_cmpint (aside.x > last.x + last.width && lone.x > last.x + last.width, ==, tall);
      g_assert_cmpint (aside.y > last.y + last.height && lone.y > last.y + last.height, ==, !tall);
      sluice_scene_measure (scene, SLUICE_SCENE_VIEW_WIDTH, SLUICE_SCENE_VIEW_HEIGHT, &figures);
      g_assert_cmpfloat (figures.fit, >, 0.6);
      g_assert_cmpfloat (figures.smallest_text, >=, 9);
      g_assert_cmpuint (figures.n_aside, ==, 3);
    }
}

/* @n parts of a scope, of @size scopes each, that something outside reads and feeds. */
static SluiceScene *
open_parts (guint n, guint size, const char *rest)
{
  g_autoptr (GString) text = g_string_new ("x Placeholder 8\n");
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < size; k++)
      {
        g_string_append_printf (text, "net/part_%u_%u/a Op%u 8 ", i, k, i);
        if (k > 0)
          g_string_append_printf (text, "net/part_%u_%u/b\n", i, k - 1);
        else
          g_string_append (text, "x\n");
        g_string_append_printf (text, "net/part_%u_%u/b Op%u_%u 8 net/part_%u_%u/a\n", i, k, i, k,
                                i, k);
      }
  g_string_append (text, "sum Op 8");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, " net/part_%u_%u/b", i, size - 1);
  g_string_append_printf (text, "\n%s", rest);
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  sluice_view_state_set_open (state, "net", TRUE);
  return make_scene (model, state);
}

/* Parts of an open scope that nothing in it ties to each other are packed like the top level,
 * without lines that would say of each that it is one; what is a way through the scope has its
 * lines. */
static void
test_parts (void)
{
  for (guint size = 1; size <= 2; size++)
    {
      g_autoptr (SluiceScene) few = open_parts (3, size, "");
      g_autoptr (SluiceScene) many = open_parts (18, size, "");
      SluiceRect frame = item_of (many, "net")->rect;
      g_assert_nonnull (edge_between (few, "net", "net/part_1_0"));
      g_assert_null (edge_between (many, "net", "net/part_1_0"));
      g_assert_true (edge_between (many, "x", "net")->arrow);
      g_assert_cmpfloat (frame.width, <, 2.2 * frame.height);
      g_assert_cmpfloat (frame.height, <, frame.width);
      assert_no_overlaps (many);
      assert_lines_are_clear (many);
    }
  g_autoptr (SluiceScene) mixed =
      open_parts (18, 1,
                  "net/way/a Relu 8 x\nnet/end/a Tanh 8 net/way/a\nnet/end/b Mean 8 net/end/a\ny "
                  "Op 8 net/end/b\n");
  g_assert_null (edge_between (mixed, "net", "net/part_1_0"));
  g_assert_nonnull (edge_between (mixed, "net", "net/way"));
  g_assert_nonnull (edge_between (mixed, "net/end", "net"));
  assert_no_overlaps (mixed);
  assert_lines_are_clear (mixed);
}

/* Lines into and out of an open scope whose rows are folded lead round what leads back. */
static void
test_folded_scope (void)
{
  g_autoptr (GString) text = g_string_new ("x Placeholder 8\nnet/a/o Op 8 x\n");
  for (char c = 'b'; c <= 'p'; c++)
    g_string_append_printf (text, "net/%c/m M%c 8 net/%c/o\nnet/%c/o O%c 8 net/%c/m\n", c, c, c - 1,
                            c, c, c);
  g_string_append (text, "net/long_name_of_an_end/m M 8 net/p/o\nnet/long_name_of_an_end/o O 8 "
                         "net/long_name_of_an_end/m\n");
  g_string_append (text, "y Op 8 net/long_name_of_an_end/o\n");
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  sluice_view_state_set_open (state, "net", TRUE);
  g_autoptr (SluiceScene) scene = make_scene (model, state);
  SluiceSceneFigures figures;
  sluice_scene_measure (scene, SLUICE_SCENE_VIEW_WIDTH, SLUICE_SCENE_VIEW_HEIGHT, &figures);
  g_assert_cmpfloat (item_of (scene, "net/p")->rect.x, >, item_of (scene, "net/b")->rect.x + 96);
  g_assert_cmpuint (figures.n_crossings, ==, 0);
  assert_no_overlaps (scene);
  assert_lines_are_clear (scene);
}

/* What everything reads stays in the flow: its first reader holds it there, the others name it. */
static void
test_tags (void)
{
  g_autoptr (GString) text = g_string_new ("rate Placeholder 8\na0 Op0 8 rate\n");
  for (guint i = 1; i < 10; i++)
    g_string_append_printf (text, "a%u Op%u 8 a%u rate\n", i, i, i - 1);
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceScene) scene = make_scene (model, NULL);
  SluiceSceneFigures figures;
  const SluiceSceneEdge *whole = edge_between (scene, "rate", "a0");
  const SluiceSceneEdge *tag = edge_between (scene, "rate", "a5");
  g_assert_false (item_of (scene, "rate")->aside);
  g_assert_false (whole->stub || whole->quiet);
  g_assert_true (tag->stub && tag->arrow);
  g_assert_cmpstr (tag->label, ==, "← rate");
  assert_no_overlaps (scene);
  assert_lines_are_clear (scene);
  sluice_scene_measure (scene, SLUICE_SCENE_VIEW_WIDTH, SLUICE_SCENE_VIEW_HEIGHT, &figures);
  g_assert_cmpuint (figures.n_crossings, ==, 0);
}

/* All of each word at a line belongs to the picture. */
static void
assert_labels_are_inside (SluiceScene *scene)
{
  SluiceRect bounds = sluice_scene_get_bounds (scene);
  for (guint i = 0; i < sluice_scene_get_n_edges (scene); i++)
    {
      const SluiceSceneEdge *e = sluice_scene_get_edge (scene, i);
      if (e->label == NULL)
        continue;
      double half = sluice_text_width (e->label, LABEL_SIZE, FALSE) / 2;
      g_assert_cmpfloat (e->label_at.x - half, >=, bounds.x);
      g_assert_cmpfloat (e->label_at.x + half, <=, bounds.x + bounds.width);
    }
}

/* Whether a visible line other than @own leads through the point. */
static gboolean
is_on_another (SluiceScene *scene, const SluiceSceneEdge *own, SluicePoint at)
{
  for (guint i = 0; i < sluice_scene_get_n_edges (scene); i++)
    {
      const SluiceSceneEdge *e = sluice_scene_get_edge (scene, i);
      const SluicePoint *p = sluice_scene_get_points (scene) + e->first_point;
      for (guint k = 0; e != own && !e->quiet && k + 3 < e->n_points; k += 3)
        for (double t = 0; t <= 1; t += 0.02)
          {
            SluicePoint on = on_cubic (p + k, t);
            if (hypot (on.x - at.x, on.y - at.y) < 2)
              return TRUE;
          }
    }
  return FALSE;
}

/* Lines to one box share a trunk: what they carry is said where each has its own line still. */
static void
test_labels_of_trunks (void)
{
  g_autoptr (SluiceGraphModel) model =
      fixture_model ("x Placeholder 8\na_wide_activation Exp ?×9 x\n"
                     "b_wide_activation Log ?×10 ^a_wide_activation\n"
                     "c_wide_activation Neg ?×11 ^b_wide_activation\n"
                     "d_wide_activation Sin ?×12 ^c_wide_activation\n"
                     "e_wide_activation Cos ?×13 ^d_wide_activation\n"
                     "sum AddN 1 e_wide_activation a_wide_activation b_wide_activation "
                     "c_wide_activation\n");
  g_autoptr (SluiceScene) scene = make_scene (model, NULL);
  guint n_said = 0;
  for (const char *from = "abc"; *from != '\0'; from++)
    {
      g_autofree char *name = g_strdup_printf ("%c_wide_activation", *from);
      const SluiceSceneEdge *e = edge_between (scene, name, "sum");
      g_assert_false (e->quiet || e->stub);
      if (e->label == NULL)
        continue;
      n_said++;
      g_assert_false (is_on_another (scene, e, e->label_at));
    }
  g_assert_cmpuint (n_said, >, 0);
  assert_lines_are_clear (scene);
}

/* What many read is drawn to one of them: of a variable five are many. */
static void
test_shared_variable (void)
{
  for (guint n = 4; n <= 5; n++)
    {
      g_autoptr (GString) text = g_string_new ("w VariableV2 8\nx Placeholder 8\n");
      for (guint i = 0; i < n; i++)
        {
          g_autofree char *before = i > 0 ? g_strdup_printf ("a%u", i - 1) : g_strdup ("x");
          g_string_append_printf (text, "a%u Op%u 8 %s w\n", i, i, before);
        }
      g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
      g_autoptr (SluiceScene) scene = make_scene (model, NULL);
      guint n_tags = 0;
      for (guint i = 0; i < n; i++)
        {
          g_autofree char *reader = g_strdup_printf ("a%u", i);
          const SluiceSceneEdge *e = edge_between (scene, "w", reader);
          n_tags += e->stub;
          if (e->stub)
            g_assert_cmpstr (e->label, ==, "← w");
        }
      g_assert_cmpuint (n_tags, ==, n > 4 ? n - 1 : 0);
      assert_labels_are_inside (scene);
    }
}

/* Two models with the same weights: that each reads all of them cannot be drawn without crossings.
 * A weight keeps a line, and the box that it does not lead to names it. */
static void
test_shared_weights (void)
{
  g_autoptr (GString) text = g_string_new ("x Placeholder 8\n");
  SluiceSceneFigures figures;
  guint n_whole = 0;
  for (guint i = 0; i < 4; i++)
    g_string_append_printf (text, "%c VariableV2 8\n", 'p' + i);
  g_string_append (text, "train/a Op 8 x p q r s\ntrain/b Relu 8 train/a\n"
                         "test/a Op 8 x p q r s\ntest/b Relu 8 test/a\n");
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceScene) scene = make_scene (model, NULL);
  sluice_scene_measure (scene, SLUICE_SCENE_VIEW_WIDTH, SLUICE_SCENE_VIEW_HEIGHT, &figures);
  g_assert_cmpuint (figures.n_crossings, ==, 0);
  for (guint i = 0; i < sluice_scene_get_n_edges (scene); i++)
    {
      const SluiceSceneEdge *e = sluice_scene_get_edge (scene, i);
      const char *from = sluice_scene_get_item (scene, e->from)->title;
      n_whole += !e->stub && !e->quiet && strchr ("pqrs", *from) != NULL;
    }
  g_assert_cmpuint (n_whole, >=, 4);
  assert_labels_are_inside (scene);
}

/* An update that would cross a line is named at the variable. */
static void
test_update_tags (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceScene) scene = make_scene (model, NULL);
  SluiceSceneFigures figures;
  const SluiceSceneEdge *update = edge_between (scene, "train", "hidden");
  sluice_scene_measure (scene, SLUICE_SCENE_VIEW_WIDTH, SLUICE_SCENE_VIEW_HEIGHT, &figures);
  g_assert_cmpuint (figures.n_crossings, ==, 0);
  g_assert_true (update->stub && update->arrow);
  g_assert_cmpstr (update->label, ==, "← train");
}

/* A line past three boxes is the outermost of all. */
static void
test_labels_at_the_side (void)
{
  g_autoptr (SluiceGraphModel) model =
      fixture_model ("e Op4 8 d a\na Op0 1024x1024x1024x1024\nb Op1 8 a\nc Op2 8 b\nd Op3 8 c\n");
  g_autoptr (SluiceScene) scene = make_scene (model, NULL);
  g_assert_nonnull (edge_between (scene, "a", "e")->label);
  assert_labels_are_inside (scene);
}

static void
test_open (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  sluice_view_state_set_open (state, "hidden", TRUE);
  g_autoptr (SluiceScene) scene = make_scene (model, state);
  const SluiceSceneItem *frame = item_of (scene, "hidden"),
                        *matmul = item_of (scene, "hidden/MatMul");
  g_assert_cmpint (frame->kind, ==, SLUICE_ITEM_OPEN_SCOPE);
  g_assert_cmpuint (matmul->parent, ==, find (scene, "hidden"));
  /* The variable stands left of its reader, on its line, with a stalk. */
  const SluiceSceneItem *weights = item_of (scene, "hidden/weights");
  g_assert_cmpint (weights->kind, ==, SLUICE_ITEM_VARIABLE);
  g_assert_cmpuint (weights->host, ==, find (scene, "hidden/MatMul"));
  g_assert_cmpfloat (weights->rect.x + weights->rect.width, <, matmul->rect.x);
  g_assert_cmpfloat_with_epsilon (sluice_rect_centre (&weights->rect).y,
                                  sluice_rect_centre (&matmul->rect).y, 0.01);
  g_assert_nonnull (edge_between (scene, "hidden/weights", "hidden/MatMul"));
  /* A summary stands right of what it watches. */
  const SluiceSceneItem *watch = item_of (scene, "hidden/activations");
  g_assert_cmpint (watch->kind, ==, SLUICE_ITEM_SUMMARY);
  g_assert_cmpfloat (watch->rect.x, >, item_of (scene, "hidden/Relu")->rect.x);
  /* Lines go on through the border: into the first op, out of the last. */
  g_assert_nonnull (edge_between (scene, "hidden", "hidden/MatMul"));
  g_assert_nonnull (edge_between (scene, "hidden/Relu", "hidden"));
  g_assert_false (edge_between (scene, "input", "hidden")->arrow);
  assert_no_overlaps (scene);
  assert_lines_are_clear (scene);
  /* What is closed is found at the box that holds it. */
  guint deep = fixture_group (sluice_scene_get_hierarchy (scene), "logits/MatMul");
  g_assert_cmpuint (sluice_scene_find_item (scene, deep), ==, find (scene, "logits"));
}

static void
open_everything (SluiceHierarchy *h, SluiceViewState *state)
{
  for (guint i = 1; i < sluice_hierarchy_get_n_groups (h); i++)
    sluice_view_state_set_open (state, sluice_hierarchy_get_group (h, i)->path, TRUE);
}

static void
test_open_everything (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  open_everything (h, state);
  g_autoptr (SluiceScene) scene = sluice_scene_new (h, state, SLUICE_FLOW_UP, NULL);
  assert_no_overlaps (scene);
  assert_lines_are_clear (scene);
  /* Nothing is hidden any more but what is a part of a glyph: first values, tags. */
  for (guint i = 0; i < sluice_graph_model_get_n_nodes (model); i++)
    {
      guint op = sluice_hierarchy_get_op_group (h, i);
      guint item = sluice_scene_find_item (scene, op);
      if (sluice_graph_model_get_node (model, i)->node_class != SLUICE_NODE_CLASS_CONSTANT)
        g_assert_cmpuint (sluice_scene_get_item (scene, item)->node, ==, op);
    }
}

static void
test_moved (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  g_autoptr (SluiceScene) laid = make_scene (model, state);
  sluice_view_state_set_move (state, "hidden", 2000, -300);
  g_autoptr (SluiceScene) scene = make_scene (model, state);
  SluicePoint was = sluice_rect_centre (&item_of (laid, "hidden")->rect);
  SluicePoint centre = sluice_rect_centre (&item_of (scene, "hidden")->rect);
  g_assert_cmpfloat_with_epsilon (centre.x - was.x, 2000, 0.01);
  g_assert_cmpfloat_with_epsilon (centre.y - was.y, -300, 0.01);
  SluiceRect bounds = sluice_scene_get_bounds (scene);
  g_assert_true (sluice_rect_contains (&bounds, centre.x, centre.y));
  /* Its lines went with it. */
  const SluiceSceneEdge *e = edge_between (scene, "hidden", "logits");
  g_assert_cmpfloat_with_epsilon (sluice_scene_get_points (scene)[e->first_point].x, centre.x, 80);
}

/* Wherever a box is put, no line leads through another, and none through it. */
static void
test_moved_lines (void)
{
  static const double moves[][2] = { { -260, 0 }, { 0, -260 },   { 240, 330 },
                                     { 600, 0 },  { -400, 500 }, { 310, -420 } };
  static const char *const names[] = { "hidden", "logits", "gradients/hidden", "train", "input" };
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    for (guint k = 0; k < 2 * G_N_ELEMENTS (moves); k++)
      {
        const double *move = moves[k / 2];
        g_autoptr (SluiceViewState) state = sluice_view_state_new ();
        sluice_view_state_set_open (state, "logits", k % 2 == 1);
        sluice_view_state_set_move (state, names[i], move[0], move[1]);
        g_autoptr (SluiceScene) scene = make_scene (model, state);
        if (!lies_on_other (scene, find (scene, names[i])))
          assert_lines_are_clear (scene);
      }
}

/* Lines that end at one box and share a trunk do so too when a box is put on it. */
static void
test_moved_trunk (void)
{
  g_autoptr (GString) text = g_string_new ("x Placeholder 8\na0 Relu 8 x\n");
  for (guint i = 1; i < 6; i++)
    g_string_append_printf (text, "a%u Op%u 8 a%u\n", i, i, i - 1);
  g_string_append (text, "z Op 8 a0 a1 a2 a5\n");
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  sluice_view_state_set_move (state, "a2", 60, 0);
  g_autoptr (SluiceScene) scene = make_scene (model, state);
  const SluicePoint *points = sluice_scene_get_points (scene);
  double trunk[2] = { 0, 0 };
  for (guint i = 0; i < 2; i++)
    {
      const SluiceSceneEdge *e = edge_between (scene, i == 0 ? "a0" : "a1", "z");
      for (guint k = 0; k < e->n_points; k++)
        trunk[i] = MAX (trunk[i], points[e->first_point + k].x);
    }
  SluiceRect moved = item_of (scene, "a2")->rect;
  g_assert_cmpfloat (trunk[0], >, moved.x + moved.width);
  g_assert_cmpfloat_with_epsilon (trunk[0], trunk[1], 0.01);
  assert_lines_are_clear (scene);
}

static void
test_pick (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  sluice_view_state_set_open (state, "hidden", TRUE);
  g_autoptr (SluiceScene) scene = make_scene (model, state);
  for (guint i = 0; i < sluice_scene_get_n_items (scene); i++)
    {
      const SluiceSceneItem *item = sluice_scene_get_item (scene, i);
      SluicePoint c = sluice_rect_centre (&item->rect);
      if (item->kind == SLUICE_ITEM_OPEN_SCOPE)
        g_assert_cmpuint (sluice_scene_pick (scene, item->rect.x + 2, item->rect.y + 2), ==, i);
      else if (item->kind != SLUICE_ITEM_HEADING)
        g_assert_cmpuint (sluice_scene_pick (scene, c.x, c.y), ==, i);
    }
  SluiceRect b = sluice_scene_get_bounds (scene);
  g_assert_cmpuint (sluice_scene_pick (scene, b.x - 5, b.y - 5), ==, SLUICE_NONE);
}

static void
test_text (void)
{
  g_autoptr (SluiceGraphModel) model =
      fixture_model ("x Placeholder ?×784\nW VariableV2 784×10\n"
                     "fc1 MatMul ?×10 x W\nsum Add ?×10 fc1 fc1\n");
  g_autoptr (SluiceScene) scene = make_scene (model, NULL);
  g_autofree char *text = sluice_scene_dup_item_text (scene, find (scene, "fc1"), NULL);
  g_assert_cmpstr (text, ==,
                   "MatMul fc1, inputs x float32 ?×784, W float32 784×10, gives float32 ?×10, "
                   "feeds sum");
  SluiceGraphModel *bad = sluice_graph_model_new ();
  sluice_graph_model_add_node (
      bad, &(SluiceModelNode){ .name = "a/b", .op = "Wat", .error = "There is no op “Wat”." });
  g_autoptr (SluiceScene) closed = make_scene (bad, NULL);
  g_autofree char *scope = sluice_scene_dup_item_text (closed, find (closed, "a"), NULL);
  g_assert_cmpstr (scope, ==, "scope a, 1 op. 1 node in it has an error");
  sluice_graph_model_unref (bad);
}

/* What goes round is led beside all that it goes round, from the end of an iteration to its
 * beginning. */
static void
test_loop (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_loop ();
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  sluice_view_state_set_open (state, "lstm", TRUE);
  sluice_view_state_set_open (state, "lstm/while", TRUE);
  g_autoptr (SluiceScene) scene = make_scene (model, state);
  const SluiceSceneEdge *back =
      edge_between (scene, "lstm/while/NextIteration", "lstm/while/Merge");
  g_assert_nonnull (back);
  g_assert_cmpint (back->kind, ==, SLUICE_EDGE_BACK);
  g_assert_true (back->arrow);
  g_assert_cmpuint (count_hits (scene, back), ==, 0);
  const SluiceSceneItem *frame = item_of (scene, "lstm/while");
  double right = back->bounds.x + back->bounds.width;
  for (guint i = 0; i < sluice_scene_get_n_items (scene); i++)
    {
      const SluiceSceneItem *item = sluice_scene_get_item (scene, i);
      if (item->parent == find (scene, "lstm/while"))
        g_assert_cmpfloat (item->rect.x + item->rect.width, <, right);
    }
  g_assert_cmpfloat (right, <, frame->rect.x + frame->rect.width);
  /* Data flows upwards: an iteration begins at the bottom. */
  g_assert_cmpfloat (item_of (scene, "lstm/while/Merge")->rect.y, >,
                     item_of (scene, "lstm/while/NextIteration")->rect.y);
  g_autofree char *text = sluice_scene_dup_item_text (scene, find (scene, "lstm/while"), NULL);
  g_autofree char *live = sluice_loop_note (64);
  g_autofree char *now = sluice_scene_dup_item_text (scene, find (scene, "lstm/while"), live);
  g_assert_true (g_str_has_prefix (text, "open scope while, loop,"));
  g_assert_true (g_str_has_prefix (now, "open scope while, loop · 64 iterations,"));
  assert_no_overlaps (scene);

  /* Closed, it keeps room for the line back that is drawn at its side. */
  sluice_view_state_set_open (state, "lstm/while", FALSE);
  g_autoptr (SluiceScene) closed = make_scene (model, state);
  g_assert_cmpstr (item_of (closed, "lstm/while")->note, ==, "loop");
  assert_no_overlaps (closed);
}

static void
test_surplus (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < 9; i++)
    g_string_append_printf (text, "c%u Const 1\n", i);
  g_string_append (text, "sum AddN 1 c0 c1 c2 c3 c4 c5 c6 c7 c8\n");
  g_autoptr (SluiceGraphModel) model = fixture_model (text->str);
  g_autoptr (SluiceScene) scene = make_scene (model, NULL);
  guint more = SLUICE_NONE, constants = 0;
  for (guint i = 0; i < sluice_scene_get_n_items (scene); i++)
    {
      constants += sluice_scene_get_item (scene, i)->kind == SLUICE_ITEM_CONSTANT;
      if (sluice_scene_get_item (scene, i)->kind == SLUICE_ITEM_MORE)
        more = i;
    }
  g_assert_cmpuint (constants, ==, 3);
  g_assert_cmpstr (sluice_scene_get_item (scene, more)->title, ==, "+6");
  g_autofree char *said = sluice_scene_dup_item_text (scene, more, NULL);
  g_assert_cmpstr (said, ==, "+6: c3, c4, c5, c6, c7, c8");
  assert_no_overlaps (scene);
}

static void
test_dot_engine (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_model ("a Op 8\nb Op 8 a\nc Op 8 a\nd Op 8 b c\n");
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  sluice_view_state_set_use_dot (state, TRUE);
  g_autoptr (SluiceScene) scene = make_scene (model, state);
  assert_no_overlaps (scene);
  assert_lines_are_clear (scene);
  g_assert_cmpfloat (item_of (scene, "d")->rect.y, <, item_of (scene, "a")->rect.y);
}

/* The same graph in the same state is the same picture. */
static void
assert_equal (SluiceScene *a, SluiceScene *b)
{
  g_assert_cmpuint (sluice_scene_get_n_items (a), ==, sluice_scene_get_n_items (b));
  g_assert_cmpuint (sluice_scene_get_n_edges (a), ==, sluice_scene_get_n_edges (b));
  for (guint i = 0; i < sluice_scene_get_n_items (a); i++)
    g_assert_cmpmem (&sluice_scene_get_item (a, i)->rect, sizeof (SluiceRect),
                     &sluice_scene_get_item (b, i)->rect, sizeof (SluiceRect));
}

static void
test_random (void)
{
  for (guint32 seed = 1; seed <= 40; seed++)
    {
      g_autoptr (SluiceGraphModel) model = fixture_random (seed, 5 + 4 * seed);
      g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
      g_autoptr (SluiceViewState) state = sluice_view_state_new ();
      GRand *rand = g_rand_new_with_seed (seed);
      for (guint i = 1; i < sluice_hierarchy_get_n_groups (h); i++)
        if (g_rand_boolean (rand))
          sluice_view_state_set_open (state, sluice_hierarchy_get_group (h, i)->path, TRUE);
      g_rand_free (rand);
      g_autoptr (SluiceScene) scene = sluice_scene_new (h, state, seed % 2, NULL);
      g_autoptr (SluiceScene) again = sluice_scene_new (h, state, seed % 2, NULL);
      assert_no_overlaps (scene);
      assert_lines_are_clear (scene);
      assert_equal (scene, again);
    }
}

static void
test_cancelled (void)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  g_autoptr (SluiceHierarchy) h = sluice_hierarchy_new (model);
  gint cancelled = 1;
  g_assert_null (sluice_scene_new (h, NULL, SLUICE_FLOW_UP, &cancelled));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/canvas/scene/halves", test_halves);
  g_test_add_func ("/canvas/scene/flow-down", test_flow_down);
  g_test_add_func ("/canvas/scene/aside", test_aside);
  g_test_add_func ("/canvas/scene/shelf", test_shelf);
  g_test_add_func ("/canvas/scene/parts", test_parts);
  g_test_add_func ("/canvas/scene/folded", test_folded_scope);
  g_test_add_func ("/canvas/scene/tags", test_tags);
  g_test_add_func ("/canvas/scene/shared-variable", test_shared_variable);
  g_test_add_func ("/canvas/scene/update-tags", test_update_tags);
  g_test_add_func ("/canvas/scene/shared-weights", test_shared_weights);
  g_test_add_func ("/canvas/scene/trunks", test_labels_of_trunks);
  g_test_add_func ("/canvas/scene/labels-at-the-side", test_labels_at_the_side);
  g_test_add_func ("/canvas/scene/open", test_open);
  g_test_add_func ("/canvas/scene/open-everything", test_open_everything);
  g_test_add_func ("/canvas/scene/moved", test_moved);
  g_test_add_func ("/canvas/scene/moved-lines", test_moved_lines);
  g_test_add_func ("/canvas/scene/moved-trunk", test_moved_trunk);
  g_test_add_func ("/canvas/scene/pick", test_pick);
  g_test_add_func ("/canvas/scene/text", test_text);
  g_test_add_func ("/canvas/scene/loop", test_loop);
  g_test_add_func ("/canvas/scene/surplus", test_surplus);
  g_test_add_func ("/canvas/scene/dot", test_dot_engine);
  g_test_add_func ("/canvas/scene/random", test_random);
  g_test_add_func ("/canvas/scene/cancelled", test_cancelled);
  return g_test_run ();
}
