/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/mode-bar.h"

#include <glib/gi18n-lib.h>

struct _SluiceModeBar
{
  GtkWidget parent_instance;
  GtkWidget *row; /* the buttons */
  GtkWidget *one; /* in their stead */
};

G_DEFINE_FINAL_TYPE (SluiceModeBar, sluice_mode_bar, GTK_TYPE_WIDGET)

static void
sluice_mode_bar_measure (GtkWidget *widget,
                         GtkOrientation orientation,
                         int for_size,
                         int *minimum,
                         int *natural,
                         int *minimum_baseline,
                         int *natural_baseline)
{
  SluiceModeBar *self = SLUICE_MODE_BAR (widget);
  int row, one;

  gtk_widget_measure (self->row, orientation, -1, NULL, &row, NULL, NULL);
  gtk_widget_measure (self->one, orientation, -1, NULL, &one, NULL, NULL);
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? row : MAX (row, one);
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? MIN (row, one) : *natural;
}

static void
sluice_mode_bar_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceModeBar *self = SLUICE_MODE_BAR (widget);
  GtkAllocation area = { 0, 0, width, height };
  int row;

  gtk_widget_measure (self->row, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &row, NULL, NULL);
  gtk_widget_set_child_visible (self->row, row <= width);
  gtk_widget_set_child_visible (self->one, row > width);
  gtk_widget_size_allocate (row <= width ? self->row : self->one, &area, -1);
}

static void
sluice_mode_bar_dispose (GObject *object)
{
  SluiceModeBar *self = SLUICE_MODE_BAR (object);

  g_clear_pointer (&self->row, gtk_widget_unparent);
  g_clear_pointer (&self->one, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_mode_bar_parent_class)->dispose (object);
}

static void
sluice_mode_bar_class_init (SluiceModeBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sluice_mode_bar_dispose;
  widget_class->measure = sluice_mode_bar_measure;
  widget_class->size_allocate = sluice_mode_bar_size_allocate;
}

static void
sluice_mode_bar_init (SluiceModeBar *self)
{
  self->one = gtk_menu_button_new ();
  gtk_widget_set_parent (self->one, GTK_WIDGET (self));
  gtk_widget_add_css_class (self->one, "flat");
  gtk_menu_button_set_always_show_arrow (GTK_MENU_BUTTON (self->one), TRUE);
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->one), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Ways to show it"), -1);
}

GtkWidget *
sluice_mode_bar_new_over (GtkWidget *row, GMenuModel *menu)
{
  SluiceModeBar *self = g_object_new (SLUICE_TYPE_MODE_BAR, NULL);

  self->row = row;
  gtk_widget_insert_before (row, GTK_WIDGET (self), self->one);
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (self->one), menu);
  return GTK_WIDGET (self);
}

void
sluice_mode_bar_set_word (SluiceModeBar *self, const char *word)
{
  gtk_menu_button_set_label (GTK_MENU_BUTTON (self->one), word);
}

/* The action says which one is on by its state, and so by the button that is pressed. */
static void
active_cb (GtkToggleButton *button, GParamSpec *pspec, SluiceModeBar *self)
{
  if (gtk_toggle_button_get_active (button))
    sluice_mode_bar_set_word (self, gtk_button_get_label (GTK_BUTTON (button)));
}

GtkWidget *
sluice_mode_bar_new (const char *action, const SluiceMode *modes, guint n_modes)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  g_autoptr (GMenu) menu = g_menu_new ();
  GtkWidget *self = sluice_mode_bar_new_over (row, G_MENU_MODEL (menu));

  for (guint i = 0; i < n_modes; i++)
    {
      GtkWidget *button = gtk_toggle_button_new_with_label (_ (modes[i].word));
      g_autoptr (GMenuItem) item = g_menu_item_new (_ (modes[i].word), NULL);

      g_signal_connect (button, "notify::active", G_CALLBACK (active_cb), self);
      gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", modes[i].name);
      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
      gtk_widget_set_focus_on_click (button, FALSE);
      gtk_widget_add_css_class (button, "flat");
      gtk_box_append (GTK_BOX (row), button);
      g_menu_item_set_action_and_target (item, action, "s", modes[i].name);
      g_menu_append_item (menu, item);
    }
  gtk_widget_add_css_class (self, "card-modes");
  return self;
}
