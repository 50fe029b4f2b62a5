/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-view-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/common/number.h"
#include "ui/common/widget.h"

#define MOST_TITLE 180 /* of a column for the sake of its title */
#define LEAST_NAME 128
#define STATE_AIR  42 /* beside the words of a state: padding, gaps, and its shape */
#define TITLE_AIR  22 /* of it beside the title */
#define ARROW      18 /* beside the title of what is sorted by */

/* Pixels, where text is not enlarged. */
static const int widths[SLUICE_N_RUN_COLUMNS] = {
  [SLUICE_RUN_COLUMN_STAR] = 34,      [SLUICE_RUN_COLUMN_NAME] = 176,
  [SLUICE_RUN_COLUMN_STATE] = 128,    [SLUICE_RUN_COLUMN_CURVE] = 84,
  [SLUICE_RUN_COLUMN_BEST_STEP] = 72, [SLUICE_RUN_COLUMN_FIRST] = 80,
  [SLUICE_RUN_COLUMN_BEST] = 96,      [SLUICE_RUN_COLUMN_LAST] = 80,
  [SLUICE_RUN_COLUMN_SETTING] = 72,   [SLUICE_RUN_COLUMN_DURATION] = 72,
  [SLUICE_RUN_COLUMN_TAGS] = 190,     [SLUICE_RUN_COLUMN_STARTED] = 122,
  [SLUICE_RUN_COLUMN_STEP] = 72,      [SLUICE_RUN_COLUMN_SEED] = 72,
  [SLUICE_RUN_COLUMN_GROUP] = 110,    [SLUICE_RUN_COLUMN_PROJECT] = 120,
  [SLUICE_RUN_COLUMN_NOTES] = 200,
};

/* Down to these, in the same pixels, where the window is narrow, in this order; titles are
 * shortened then, and their tooltips have them whole. */
static const struct
{
  SluiceRunColumnKind kind;
  int width;
} least_widths[] = {
  { SLUICE_RUN_COLUMN_TAGS, 120 },        { SLUICE_RUN_COLUMN_BEST, 84 },
  { SLUICE_RUN_COLUMN_NAME, LEAST_NAME }, { SLUICE_RUN_COLUMN_LAST, 72 },
  { SLUICE_RUN_COLUMN_SETTING, 68 },      { SLUICE_RUN_COLUMN_CURVE, 76 },
};

/* What is left out first where the columns that nobody chose are too wide for the window. */
static const SluiceRunColumnKind least_telling[] = { SLUICE_RUN_COLUMN_STARTED,
                                                     SLUICE_RUN_COLUMN_DURATION };

static int
measure (SluiceRunView *self, const char *words)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self->view), words);
  int width;
  pango_layout_get_pixel_size (layout, &width, NULL);
  return width;
}

/* The longest word for a state, and if wanted a step behind it: both are another in each language.
 */
static int
measure_states (SluiceRunView *self, gboolean with_detail)
{
  g_autofree char *step = sluice_format_step (1000);
  g_autofree char *failed = g_strdup_printf (_ ("NaN, %s"), step);
  double widest = 0;
  for (guint i = 0; i <= SLUICE_RUN_WAITING; i++)
    {
      double detail =
          SLUICE_RUN_DETAIL_SIZE * measure (self, i == SLUICE_RUN_FAILED ? failed : step);
      widest =
          MAX (widest, measure (self, _ (sluice_run_state_name (i))) + (with_detail ? detail : 0));
    }
  return (int) ceil (widest) + STATE_AIR;
}

int
sluice_run_view_choose_width (SluiceRunView *self, const SluiceRunColumn *column)
{
  gboolean descending;
  const char *sort = sluice_run_table_get_sort (self->table, &descending);
  int air = TITLE_AIR + (g_strcmp0 (sort, column->id) == 0 ? ARROW : 0);
  double scale = sluice_widget_get_text_scale (GTK_WIDGET (self->view));
  int least = (int) (widths[column->kind] * scale);
  if (column->kind == SLUICE_RUN_COLUMN_STAR) /* whose title is a sign */
    return least;
  if (column->kind == SLUICE_RUN_COLUMN_TAGS
      && sluice_run_table_get_counts (self->table)->tags->len == 0)
    least = 0; /* the room is others' as long as no run has one */
  if (column->kind == SLUICE_RUN_COLUMN_STATE)
    least = MAX (least, measure_states (self, TRUE));
  return MAX (least, MIN (measure (self, column->title) + air, (int) (MOST_TITLE * scale)));
}

/* A page that is not drawn yet has no width; what it stands in has. */
static int
get_room (SluiceRunView *self)
{
  int room = gtk_widget_get_width (GTK_WIDGET (self));
  for (GtkWidget *around = gtk_widget_get_parent (GTK_WIDGET (self)); around != NULL && room == 0;
       around = gtk_widget_get_parent (around))
    room = gtk_widget_get_width (around);
  return room;
}

/* A column while all are fitted to the room. */
typedef struct
{
  GtkColumnViewColumn *place;
  const SluiceRunColumn *column;
  gboolean is_resized, is_left_out;
  int width;
} Fitted;

/* (transfer full) (element-type Fitted): as wide as they would be with room enough. */
static GArray *
list_fitted (SluiceRunView *self)
{
  GListModel *columns = gtk_column_view_get_columns (self->view);
  GArray *all = g_array_new (FALSE, TRUE, sizeof (Fitted));
  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) place = g_list_model_get_item (columns, i);
      Fitted one = { .place = place,
                     .column =
                         sluice_run_table_find_column (self->table, sluice_run_view_get_id (place)),
                     .width = gtk_column_view_column_get_fixed_width (place) };
      if (one.column == NULL)
        continue;
      one.is_resized =
          g_hash_table_contains (self->widths, one.column->id)
          || one.width != GPOINTER_TO_INT (g_object_get_data (G_OBJECT (place), "width"));
      if (!one.is_resized)
        one.width = sluice_run_view_choose_width (self, one.column);
      g_array_append_val (all, one);
    }
  return all;
}

/* What somebody has chosen or sorts by stays. */
static int
leave_out (SluiceRunView *self, GArray *all, SluiceRunColumnKind kind)
{
  gboolean descending;
  const char *sort = sluice_run_table_get_sort (self->table, &descending);
  for (guint i = 0; i < all->len; i++)
    {
      Fitted *one = &g_array_index (all, Fitted, i);
      if (one->column->kind != kind || one->is_resized
          || g_hash_table_contains (self->chosen, one->column->id)
          || g_strcmp0 (sort, one->column->id) == 0)
        continue;
      one->is_left_out = TRUE;
      return one->width;
    }
  return 0;
}

/* Down to @least where so much is missing. Returns by how much. */
static int
narrow (GArray *all, SluiceRunColumnKind kind, int least, int missing)
{
  int won = 0;
  for (guint i = 0; i < all->len && missing > won; i++)
    {
      Fitted *one = &g_array_index (all, Fitted, i);
      if (one->column->kind != kind || one->is_resized || one->width <= least)
        continue;
      int by = MIN (one->width - least, missing - won);
      one->width -= by;
      won += by;
    }
  return won;
}

/* How far a run that has come to no end went is left out of its state where that makes everything
 * fit, and only there. */
static void
narrow_states (SluiceRunView *self, GArray *all, int missing)
{
  int least = measure_states (self, FALSE), to_win = 0;
  for (guint i = 0; i < all->len; i++)
    {
      const Fitted *one = &g_array_index (all, Fitted, i);
      if (one->column->kind == SLUICE_RUN_COLUMN_STATE && !one->is_resized)
        to_win += MAX (0, one->width - least);
    }
  if (to_win >= missing)
    narrow (all, SLUICE_RUN_COLUMN_STATE, least, missing);
}

void
sluice_run_view_fit (SluiceRunView *self)
{
  int missing = -get_room (self);
  if (missing == 0)
    return;
  double scale = sluice_widget_get_text_scale (GTK_WIDGET (self->view));
  g_autoptr (GArray) all = list_fitted (self);
  for (guint i = 0; i < all->len; i++)
    if (g_array_index (all, Fitted, i).column->is_by_itself)
      missing += g_array_index (all, Fitted, i).width;
  int slack = (int) ((widths[SLUICE_RUN_COLUMN_NAME] - LEAST_NAME) * scale);
  for (guint i = 0; i < G_N_ELEMENTS (least_telling) && missing > slack; i++)
    missing -= leave_out (self, all, least_telling[i]);
  for (guint i = 0; i < G_N_ELEMENTS (least_widths); i++)
    missing -= narrow (all, least_widths[i].kind, (int) (least_widths[i].width * scale), missing);
  narrow_states (self, all, missing);
  for (guint i = 0; i < all->len; i++)
    {
      const Fitted *one = &g_array_index (all, Fitted, i);
      gtk_column_view_column_set_visible (one->place, !one->is_left_out);
      if (one->is_resized)
        continue;
      /* GTK 4.8 makes the titles as wide as all columns, those that are hidden, too. */
      int width = one->is_left_out ? 0 : one->width;
      g_object_set_data (G_OBJECT (one->place), "width", GINT_TO_POINTER (width));
      gtk_column_view_column_set_fixed_width (one->place, width);
    }
}
