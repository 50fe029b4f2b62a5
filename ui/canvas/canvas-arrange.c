/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* What is selected is moved, brought into line, spread evenly, or laid out again. */

typedef struct
{
  guint item;
  SluiceRect rect;
  SluicePoint by; /* how far it goes */
} Box;

static const SluiceRect *
rect_of (const GArray *boxes, guint i)
{
  return &g_array_index (boxes, Box, i).rect;
}

/* What stands in something else that is selected goes with that. */
static gboolean
is_within (SluiceCanvas *self, guint item)
{
  for (guint at = sluice_scene_get_item (self->scene, item)->parent; at != SLUICE_NONE;
       at = sluice_scene_get_item (self->scene, at)->parent)
    if (self->flags[at])
      return TRUE;
  return FALSE;
}

/* Those of the selection that can be moved: (transfer full) (element-type Box) */
static GArray *
collect_boxes (SluiceCanvas *self)
{
  GArray *boxes = g_array_new (FALSE, FALSE, sizeof (Box));
  for (guint i = 0; self->flags != NULL && i < sluice_scene_get_n_items (self->scene); i++)
    if (self->flags[i] && sluice_canvas_can_move (self, i) && !is_within (self, i))
      {
        Box box = { i, sluice_scene_get_item (self->scene, i)->rect, { 0, 0 } };
        g_array_append_val (boxes, box);
      }
  return boxes;
}

static void
move_boxes (SluiceCanvas *self, const GArray *boxes, const char *words)
{
  SluiceViewState *before = sluice_canvas_begin_arranging (self);
  for (guint i = 0; i < boxes->len; i++)
    {
      const Box *box = &g_array_index (boxes, Box, i);
      const char *path = sluice_canvas_item_path (self, box->item);
      double x = 0, y = 0;
      sluice_view_state_get_move (self->state, path, &x, &y);
      if (box->by.x != 0 || box->by.y != 0)
        sluice_view_state_set_move (self->state, path, x + box->by.x, y + box->by.y);
    }
  sluice_canvas_end_arranging (self, before, words);
}

void
sluice_canvas_move_selection (SluiceCanvas *self, double dx, double dy)
{
  g_autoptr (GArray) boxes = collect_boxes (self);
  g_autofree char *list = sluice_canvas_dup_selection_words (self);
  g_autofree char *words = g_strdup_printf (_ ("move %s"), list);
  for (guint i = 0; i < boxes->len; i++)
    g_array_index (boxes, Box, i).by = (SluicePoint){ dx, dy };
  move_boxes (self, boxes, words);
}

/* ---- in line ---- */

static SluiceRect
bounds_of (const GArray *boxes)
{
  SluiceRect all = *rect_of (boxes, 0);
  for (guint i = 1; i < boxes->len; i++)
    all = sluice_rect_union (&all, rect_of (boxes, i));
  return all;
}

/* Where of a box, and of all of them, is brought together: 0 left or top, 1 right or bottom. */
static void
align (GArray *boxes, gboolean across, double at)
{
  SluiceRect all = bounds_of (boxes);
  for (guint i = 0; i < boxes->len; i++)
    {
      Box *box = &g_array_index (boxes, Box, i);
      const SluiceRect *r = &box->rect;
      if (across)
        box->by.x = all.x + at * all.width - r->x - at * r->width;
      else
        box->by.y = all.y + at * all.height - r->y - at * r->height;
    }
}

static int
compare_x (gconstpointer a, gconstpointer b)
{
  double x = sluice_rect_centre (&((const Box *) a)->rect).x,
         y = sluice_rect_centre (&((const Box *) b)->rect).x;
  return (x > y) - (x < y);
}

static int
compare_y (gconstpointer a, gconstpointer b)
{
  double x = sluice_rect_centre (&((const Box *) a)->rect).y,
         y = sluice_rect_centre (&((const Box *) b)->rect).y;
  return (x > y) - (x < y);
}

/* Equal gaps between the first and the last, which stay. */
static void
distribute (GArray *boxes, gboolean across)
{
  SluiceRect all = bounds_of (boxes);
  double sum = 0, at = across ? all.x : all.y;
  g_array_sort (boxes, across ? compare_x : compare_y);
  for (guint i = 0; i < boxes->len; i++)
    sum += across ? rect_of (boxes, i)->width : rect_of (boxes, i)->height;
  double gap = ((across ? all.width : all.height) - sum) / (boxes->len - 1);
  for (guint i = 0; i < boxes->len; i++)
    {
      Box *box = &g_array_index (boxes, Box, i);
      if (across)
        box->by.x = at - box->rect.x;
      else
        box->by.y = at - box->rect.y;
      at += gap + (across ? box->rect.width : box->rect.height);
    }
}

/* ---- the table ---- */

static void line_up_action (GtkWidget *widget, const char *name, GVariant *parameter);
static void arrange_action (GtkWidget *widget, const char *name, GVariant *parameter);

#define ALT   GDK_ALT_MASK
#define SHIFT GDK_SHIFT_MASK
#define GAPS  -1.0 /* of a row: not in line, but evenly spread */

static const struct
{
  const char *name;
  const char *word;    /* in the menu */
  const char *command; /* behind Undo; %s: the boxes */
  gboolean across;
  double at;
  guint key;
  GdkModifierType modifiers;
} rows[] = {
  /* clang-format off */
  { "canvas.align-left", N_ ("Left edges in line"), N_ ("align %s at the left"), TRUE, 0, GDK_KEY_Left, ALT },
  { "canvas.align-right", N_ ("Right edges in line"), N_ ("align %s at the right"), TRUE, 1, GDK_KEY_Right, ALT },
  { "canvas.align-top", N_ ("Tops in line"), N_ ("align %s at the top"), FALSE, 0, GDK_KEY_Up, ALT },
  { "canvas.align-bottom", N_ ("Feet in line"), N_ ("align %s at the foot"), FALSE, 1, GDK_KEY_Down, ALT },
  { "canvas.align-column", N_ ("In one column"), N_ ("put %s into a column"), TRUE, 0.5, GDK_KEY_Up, ALT | SHIFT },
  { "canvas.align-row", N_ ("In one row"), N_ ("put %s into a row"), FALSE, 0.5, GDK_KEY_Left, ALT | SHIFT },
  { "canvas.distribute-across", N_ ("Equal gaps across"), N_ ("spread %s across"), TRUE, GAPS, GDK_KEY_Right, ALT | SHIFT },
  { "canvas.distribute-down", N_ ("Equal gaps down"), N_ ("spread %s down"), FALSE, GAPS, GDK_KEY_Down, ALT | SHIFT },
  /* clang-format on */
};

static void
line_up_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  g_autoptr (GArray) boxes = self->scene != NULL ? collect_boxes (self) : NULL;
  g_autofree char *list = sluice_canvas_dup_selection_words (self);
  guint i = 0;
  while (!g_str_equal (rows[i].name, name))
    i++;
  if (boxes == NULL || boxes->len < (rows[i].at == GAPS ? 3 : 2))
    return;
  if (rows[i].at == GAPS)
    distribute (boxes, rows[i].across);
  else
    align (boxes, rows[i].across, rows[i].at);
  g_autofree char *words = g_strdup_printf (_ (rows[i].command), list);
  move_boxes (self, boxes, words);
}

/* All that stands in no other box. */
static void
select_all_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  for (guint i = 0; self->scene != NULL && i < sluice_scene_get_n_items (self->scene); i++)
    if (sluice_scene_get_item (self->scene, i)->parent == SLUICE_NONE
        && sluice_canvas_can_move (self, i))
      g_ptr_array_add (paths, (gpointer) sluice_canvas_item_path (self, i));
  sluice_canvas_select_paths (self, paths);
}

/* What was placed by hand stands where the layout puts it, and what stands in it, too; the rest
 * stays. */
static void
arrange_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  g_autofree char *list = sluice_canvas_dup_selection_words (self);
  g_autofree char *words =
      *list != '\0' ? g_strdup_printf (_ ("arrange %s"), list) : g_strdup (_ ("arrange all"));
  SluiceViewState *before = sluice_canvas_begin_arranging (self);
  GHashTableIter iter;
  gpointer path;
  g_hash_table_iter_init (&iter, self->selected);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    sluice_view_state_unset_moves_below (self->state, path);
  if (*list == '\0')
    sluice_view_state_unset_moves (self->state);
  sluice_canvas_end_arranging (self, before, words);
}

void
sluice_canvas_append_arrange_menu (SluiceCanvas *self, GMenu *menu)
{
  g_autoptr (GMenu) arrange = g_menu_new (), lines = g_menu_new ();
  g_menu_append (arrange, _ ("Lay it out again"), "canvas.arrange");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_menu_append (lines, _ (rows[i].word), rows[i].name);
  if (g_hash_table_size (self->selected) > 1)
    g_menu_append_section (arrange, NULL, G_MENU_MODEL (lines));
  g_menu_append_submenu (menu, _ ("Arran_ge"), G_MENU_MODEL (arrange));
}

void
sluice_canvas_install_arrange_actions (GtkWidgetClass *klass)
{
  gtk_widget_class_install_action (klass, "canvas.select-all", NULL, select_all_action);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_a, GDK_CONTROL_MASK, "canvas.select-all",
                                       NULL);
  gtk_widget_class_install_action (klass, "canvas.arrange", NULL, arrange_action);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_a, ALT, "canvas.arrange", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      gtk_widget_class_install_action (klass, rows[i].name, NULL, line_up_action);
      gtk_widget_class_add_binding_action (klass, rows[i].key, rows[i].modifiers, rows[i].name,
                                           NULL);
    }
}
