/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/seed-heading.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/runs/run-facts.h"
#include "app/status-text.h"
#include "ui/common/paint.h"
#include "ui/common/widget.h"

#define SQUARE 9.0 /* pixels */

typedef struct
{
  char *group;             /* its name */
  GtkLabel *name, *result; /* result: and what they were begun with */
  GtkWidget *square;
  GtkToggleButton *shown;
  GtkButton *fold;
  SluiceRunSet *set;
  GPtrArray *runs;
} Heading;

static void
heading_free (gpointer data)
{
  Heading *self = data;
  g_free (self->group);
  g_object_unref (self->set);
  g_ptr_array_unref (self->runs);
  g_free (self);
}

static gboolean
is_shown (const Heading *self)
{
  for (guint i = 0; i < self->runs->len; i++)
    if (sluice_run_get_shown (self->runs->pdata[i]))
      return TRUE;
  return FALSE;
}

/* Full where any of its curves is shown, an outline where none is: as the dots of runs. */
static void
draw_square (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  const Heading *self = data;
  SluiceColor color = sluice_run_get_color (self->runs->pdata[0]);
  SluiceTheme theme;
  sluice_theme_from_widget (&theme, GTK_WIDGET (area));
  sluice_cairo_set_color (cr, sluice_color_readable (color, theme.card, 3));
  cairo_set_line_width (cr, 1.5);
  cairo_rectangle (cr, floor ((width - SQUARE) / 2) + 0.5, floor ((height - SQUARE) / 2) + 0.5,
                   SQUARE - 1, SQUARE - 1);
  if (is_shown (self))
    cairo_fill (cr);
  else
    cairo_stroke (cr);
}

static void
clicked_cb (Heading *self)
{
  gboolean active = gtk_toggle_button_get_active (self->shown);
  g_autoptr (GPtrArray) runs = g_ptr_array_ref (self->runs); /* the heading may go meanwhile */
  g_autoptr (SluiceRunSet) set = g_object_ref (self->set);
  for (guint i = 0; i < runs->len; i++)
    sluice_run_set_set_checked (set, sluice_run_get_info (runs->pdata[i])->id, active);
}

/* (nullable): the tag of what is found on the test split; by name accuracy stands before loss. */
static const char *
find_result (SluiceRun *run)
{
  GPtrArray *series = sluice_run_get_series (run);
  for (guint i = 0; i < series->len; i++)
    {
      const SluiceRunSeries *s = series->pdata[i];
      if (s->kind == SLUICE_SERIES_SCALAR && g_str_has_prefix (s->tag, "evaluate/"))
        return s->tag;
    }
  return NULL;
}

/* (nullable): mean and deviation of the members' results. */
static char *
dup_result (GPtrArray *runs)
{
  const char *tag = find_result (runs->pdata[0]);
  double sum = 0, squares = 0;
  guint n = 0;
  for (guint i = 0; i < runs->len && tag != NULL; i++)
    {
      double value = sluice_run_get_last_value (runs->pdata[i], tag);
      if (!isfinite (value))
        continue;
      n++;
      sum += value;
      squares += value * value;
    }
  if (n < 2)
    return NULL;
  SluiceUnit unit = sluice_tag_unit (tag);
  double deviation = sqrt (MAX (0, (squares - sum * sum / n) / (n - 1)));
  return sluice_format_spread (sum / n, deviation, unit);
}

const char *
sluice_seed_group_get_key (const SluiceSeedGroup *group)
{
  return sluice_run_get_info (group->runs->pdata[0])->name;
}

static GtkLabel *
add_label (GtkWidget *box, const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, css_class);
  gtk_box_append (GTK_BOX (box), label);
  return GTK_LABEL (label);
}

static GtkButton *
new_fold (const SluiceSeedGroup *group)
{
  GtkWidget *button = gtk_button_new ();
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s",
                                    sluice_seed_group_get_key (group));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "runs-pane.fold");
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "seed-fold");
  return GTK_BUTTON (button);
}

GtkWidget *
sluice_seed_heading_new (const SluiceSeedGroup *group, SluiceRunSet *set)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *lines = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *button = gtk_toggle_button_new ();
  Heading *self = g_new0 (Heading, 1);
  self->group = g_strdup (group->name);
  self->set = g_object_ref (set);
  self->runs = g_ptr_array_ref (group->runs);
  self->shown = GTK_TOGGLE_BUTTON (button);
  self->square = gtk_drawing_area_new ();
  g_object_set_data_full (G_OBJECT (box), "sluice-heading", self, heading_free);
  gtk_widget_set_size_request (self->square, 12, 12);
  gtk_widget_set_valign (self->square, GTK_ALIGN_CENTER);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self->square), draw_square, self, NULL);
  gtk_button_set_child (GTK_BUTTON (button), self->square);
  gtk_widget_set_tooltip_text (button, _ ("Show the curves of all of them"));
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "run-dot");
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (clicked_cb), self);
  gtk_box_append (GTK_BOX (box), button);
  self->name = add_label (lines, "heading");
  self->result = add_label (lines, "dim-label");
  gtk_widget_set_valign (lines, GTK_ALIGN_CENTER);
  gtk_widget_set_hexpand (lines, TRUE);
  gtk_box_append (GTK_BOX (box), lines);
  self->fold = new_fold (group);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->fold));
  gtk_widget_add_css_class (GTK_WIDGET (self->result), "caption");
  gtk_widget_add_css_class (GTK_WIDGET (self->result), "numeric");
  gtk_widget_add_css_class (box, "seed-heading");
  return box;
}

const char *
sluice_seed_heading_get_name (GtkWidget *heading)
{
  const Heading *self = g_object_get_data (G_OBJECT (heading), "sluice-heading");
  return gtk_label_get_label (self->name);
}

gboolean
sluice_seed_heading_is_of (GtkWidget *heading, const SluiceSeedGroup *group)
{
  const Heading *self = g_object_get_data (G_OBJECT (heading), "sluice-heading");
  return g_str_equal (self->group, group->name) && self->runs->len == group->runs->len
         && memcmp (self->runs->pdata, group->runs->pdata, group->runs->len * sizeof (gpointer))
                == 0;
}

/* Results come all the time; a tooltip that is set asks the display. */
static void
show_fold (Heading *self, const char *name, gboolean folded)
{
  const char *icon = folded ? "pan-end-symbolic" : "pan-down-symbolic";
  if (g_strcmp0 (gtk_button_get_icon_name (self->fold), icon) == 0)
    return;
  g_autofree char *label =
      g_strdup_printf (folded ? _ ("Show the runs of %s") : _ ("Fold the runs of %s"), name);
  gtk_button_set_icon_name (self->fold, icon);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->fold),
                               folded ? _ ("Show its runs (Right)") : _ ("Fold its runs (Left)"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->fold), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->fold), GTK_ACCESSIBLE_STATE_EXPANDED, !folded,
                               -1);
}

void
sluice_seed_heading_update (GtkWidget *heading, const char *settings, gboolean folded)
{
  Heading *self = g_object_get_data (G_OBJECT (heading), "sluice-heading");
  guint n = self->runs->len;
  gboolean has_settings = settings != NULL && *settings != '\0';
  /* Translators: runs that differ by their seed alone: "digits × 3 seeds". */
  g_autofree char *name =
      g_strdup_printf (ngettext ("%s × %u seed", "%s × %u seeds", n), self->group, n);
  g_autofree char *label = g_strdup_printf (_ ("Show the curves of %s"), name);
  g_autofree char *result = dup_result (self->runs);
  gtk_label_set_label (self->name, name);
  g_autofree char *both = has_settings && result != NULL
                              ? g_strdup_printf ("%s · %s", result, settings)
                              : g_strdup (has_settings ? settings : result);
  gtk_label_set_label (self->result, both != NULL ? both : "");
  gtk_widget_set_visible (GTK_WIDGET (self->result), both != NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->shown), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
  gtk_toggle_button_set_active (self->shown, is_shown (self));
  show_fold (self, name, folded);
  gtk_widget_queue_draw (self->square);
}
