/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/range-popover.h"

#include "ui/chart/range-text.h"

#include <glib/gi18n-lib.h>
#include <math.h>

enum
{
  X0,
  X1,
  Y0,
  Y1,
  N_ENTRIES
};

struct _SluiceRangePopover
{
  GtkPopover parent_instance;
  GtkWidget *entries[N_ENTRIES];
  GtkWidget *problem;
  SluiceUnit units[N_ENTRIES];
};

G_DEFINE_FINAL_TYPE (SluiceRangePopover, sluice_range_popover, GTK_TYPE_POPOVER)

static guint apply_signal;

static void
mark (GtkWidget *entry, gboolean wrong)
{
  if (wrong)
    gtk_widget_add_css_class (entry, "error");
  else
    gtk_widget_remove_css_class (entry, "error");
  gtk_accessible_update_state (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_STATE_INVALID,
                               wrong ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE,
                               -1);
}

/* FALSE, and why is said, where what was typed is no range. */
static gboolean
read_entries (SluiceRangePopover *self, double values[N_ENTRIES])
{
  gboolean good = TRUE;

  gtk_label_set_label (GTK_LABEL (self->problem), "");
  for (guint i = 0; i < N_ENTRIES; i++)
    {
      gboolean right = sluice_range_parse (gtk_editable_get_text (GTK_EDITABLE (self->entries[i])),
                                           self->units[i], &values[i]);

      mark (self->entries[i], !right);
      good = good && right;
    }
  if (!good)
    gtk_label_set_label (GTK_LABEL (self->problem),
                         self->units[X0] == SLUICE_UNIT_TIME
                             ? _ ("Write a number, or a time as 2026-11-24 18:30")
                             : _ ("Write a number, or nothing for where the data end"));
  for (guint i = 0; i < N_ENTRIES && good; i += 2)
    if (values[i] >= values[i + 1])
      {
        mark (self->entries[i + 1], TRUE);
        gtk_label_set_label (GTK_LABEL (self->problem), _ ("The end must lie behind the start"));
        good = FALSE;
      }
  gtk_widget_set_visible (self->problem, !good);
  return good;
}

static void
apply_cb (SluiceRangePopover *self)
{
  double v[N_ENTRIES];

  if (!read_entries (self, v))
    return;
  g_signal_emit (self, apply_signal, 0, v[X0], v[X1], v[Y0], v[Y1]);
  gtk_popover_popdown (GTK_POPOVER (self));
}

static void
all_cb (SluiceRangePopover *self)
{
  g_signal_emit (self, apply_signal, 0, NAN, NAN, NAN, NAN);
  gtk_popover_popdown (GTK_POPOVER (self));
}

static void
sluice_range_popover_class_init (SluiceRangePopoverClass *klass)
{
  apply_signal =
      g_signal_new ("apply", SLUICE_TYPE_RANGE_POPOVER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 4, G_TYPE_DOUBLE, G_TYPE_DOUBLE, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
}

static void
add_entry (SluiceRangePopover *self, GtkWidget *grid, int i, const char *name)
{
  GtkWidget *entry = gtk_entry_new ();

  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), _ ("all"));
  gtk_editable_set_width_chars (GTK_EDITABLE (entry), 12);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (apply_cb), self);
  gtk_grid_attach (GTK_GRID (grid), entry, 1 + 2 * (i % 2), i / 2, 1, 1);
  self->entries[i] = entry;
}

static void
add_label (GtkWidget *grid, const char *text, int column, int row)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_grid_attach (GTK_GRID (grid), label, column, row, 1, 1);
}

static void
sluice_range_popover_init (SluiceRangePopover *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 10);
  GtkWidget *grid = gtk_grid_new ();
  GtkWidget *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *all = gtk_button_new_with_mnemonic (_ ("Show _everything"));
  GtkWidget *apply = gtk_button_new_with_mnemonic (_ ("_Apply"));

  gtk_grid_set_row_spacing (GTK_GRID (grid), 8);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 8);
  add_label (grid, _ ("Across from"), 0, 0);
  add_label (grid, _ ("to"), 2, 0);
  add_label (grid, _ ("Values from"), 0, 1);
  add_label (grid, _ ("to"), 2, 1);
  add_entry (self, grid, X0, _ ("Start of the horizontal axis"));
  add_entry (self, grid, X1, _ ("End of the horizontal axis"));
  add_entry (self, grid, Y0, _ ("Least value shown"));
  add_entry (self, grid, Y1, _ ("Greatest value shown"));
  self->problem = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->problem), 0);
  gtk_widget_add_css_class (self->problem, "error");
  gtk_widget_set_visible (self->problem, FALSE);
  gtk_widget_add_css_class (apply, "suggested-action");
  gtk_widget_set_hexpand (all, TRUE);
  gtk_widget_set_halign (all, GTK_ALIGN_START);
  g_signal_connect_swapped (all, "clicked", G_CALLBACK (all_cb), self);
  g_signal_connect_swapped (apply, "clicked", G_CALLBACK (apply_cb), self);
  gtk_box_append (GTK_BOX (buttons), all);
  gtk_box_append (GTK_BOX (buttons), apply);
  gtk_box_append (GTK_BOX (box), grid);
  gtk_box_append (GTK_BOX (box), self->problem);
  gtk_box_append (GTK_BOX (box), buttons);
  gtk_widget_set_margin_start (box, 8);
  gtk_widget_set_margin_end (box, 8);
  gtk_widget_set_margin_top (box, 8);
  gtk_widget_set_margin_bottom (box, 8);
  gtk_popover_set_child (GTK_POPOVER (self), box);
}

GtkWidget *
sluice_range_popover_new (void)
{
  return g_object_new (SLUICE_TYPE_RANGE_POPOVER, NULL);
}

void
sluice_range_popover_show (SluiceRangePopover *self, SluiceChart *chart)
{
  double v[N_ENTRIES];
  gboolean set[2] = { sluice_chart_get_view (chart, &v[X0], &v[X1]),
                      sluice_chart_get_y_view (chart, &v[Y0], &v[Y1]) };

  for (guint i = 0; i < N_ENTRIES; i++)
    {
      g_autofree char *text = NULL;

      self->units[i] = i < Y0 ? sluice_chart_get_x_unit (chart) : sluice_chart_get_unit (chart);
      text = sluice_range_format (v[i], self->units[i]);
      /* What is automatic stands there as a suggestion. */
      gtk_editable_set_text (GTK_EDITABLE (self->entries[i]), set[i / 2] ? text : "");
      gtk_entry_set_placeholder_text (GTK_ENTRY (self->entries[i]), text);
      mark (self->entries[i], FALSE);
    }
  gtk_widget_set_visible (self->problem, FALSE);
  gtk_popover_popup (GTK_POPOVER (self));
  gtk_widget_grab_focus (self->entries[X0]);
}
