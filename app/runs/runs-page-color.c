/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/runs-page-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/common/color.h"
#include "ui/common/widget.h"

/* The colour of the selected runs: one of the palette's, any other, or again that of their number.
 */

/* Of the named ones of sluice_palette_color(), in its order. */
static const char *const names[] = { N_ ("Blue"), N_ ("Orange"), N_ ("Green"), N_ ("Purple"),
                                     N_ ("Red"),  N_ ("Teal"),   N_ ("Brown") };

/* color: (nullable): that of its number */
static void
set_color (SluiceRunsPage *self, const char *color)
{
  g_autoptr (GPtrArray) items = sluice_runs_page_dup_selected (self);
  SluiceRunEdit *edit = sluice_run_edit_new (SLUICE_RUN_EDIT_COLOR, NULL);
  for (guint i = 0; i < items->len; i++)
    {
      const SluiceRunInfo *info = sluice_run_item_get_entry (items->pdata[i])->info;
      sluice_run_edit_add (edit, info, info->color, color);
    }
  sluice_runs_page_edit (self, edit);
}

/* (transfer full): "#3584e4" */
static char *
dup_text (double r, double g, double b)
{
  return g_strdup_printf ("#%02x%02x%02x", (guint) lround (r * 255), (guint) lround (g * 255),
                          (guint) lround (b * 255));
}

static void
named_cb (GtkButton *button, SluiceRunsPage *self)
{
  guint i = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "index"));
  SluiceColor color = sluice_palette_color (i);
  g_autofree char *text = dup_text (color.r, color.g, color.b);
  set_color (self, text);
  gtk_popover_popdown (GTK_POPOVER (self->color_popover));
}

static void
by_number_cb (SluiceRunsPage *self)
{
  set_color (self, NULL);
  gtk_popover_popdown (GTK_POPOVER (self->color_popover));
}

static void
chosen_cb (SluiceRunsPage *self, int response, GtkDialog *dialog)
{
  if (response == GTK_RESPONSE_OK)
    {
      GdkRGBA rgba;
      gtk_color_chooser_get_rgba (GTK_COLOR_CHOOSER (dialog), &rgba);
      g_autofree char *text = dup_text (rgba.red, rgba.green, rgba.blue);
      set_color (self, text);
    }
  gtk_window_destroy (GTK_WINDOW (dialog));
}

static void
other_cb (SluiceRunsPage *self)
{
  g_autoptr (GPtrArray) items = sluice_runs_page_dup_selected (self);
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  gtk_popover_popdown (GTK_POPOVER (self->color_popover));
  if (items->len == 0 || root == NULL)
    return;
  SluiceColor now = sluice_run_info_get_color (sluice_run_item_get_entry (items->pdata[0])->info);
  GtkWidget *dialog = gtk_color_chooser_dialog_new (_ ("Colour of the Run"), GTK_WINDOW (root));
  gtk_color_chooser_set_use_alpha (GTK_COLOR_CHOOSER (dialog), FALSE);
  gtk_color_chooser_set_rgba (GTK_COLOR_CHOOSER (dialog),
                              &(GdkRGBA){ (float) now.r, (float) now.g, (float) now.b, 1 });
  g_object_set (dialog, "show-editor", TRUE, NULL);
  gtk_window_set_modal (GTK_WINDOW (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (chosen_cb), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static GtkWidget *
new_named (SluiceRunsPage *self, guint i)
{
  GtkWidget *button = gtk_button_new (), *dot = sluice_dot_new ();
  sluice_dot_set_color (dot, sluice_palette_color (i));
  gtk_button_set_child (GTK_BUTTON (button), dot);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, _ (names[i]));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (names[i]), -1);
  g_object_set_data (G_OBJECT (button), "index", GUINT_TO_POINTER (i));
  g_signal_connect_object (button, "clicked", G_CALLBACK (named_cb), self, 0);
  return button;
}

static void
add_button (SluiceRunsPage *self, GtkBox *box, const char *label, GCallback clicked)
{
  GtkWidget *button = gtk_button_new_with_mnemonic (label);
  gtk_widget_add_css_class (button, "flat");
  g_signal_connect_object (button, "clicked", clicked, self, G_CONNECT_SWAPPED);
  gtk_box_append (box, button);
}

void
sluice_runs_page_fill_color (SluiceRunsPage *self, GtkBox *box)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    gtk_box_append (GTK_BOX (row), new_named (self, i));
  gtk_box_append (box, row);
  add_button (self, box, _ ("_Other Colour…"), G_CALLBACK (other_cb));
  add_button (self, box, _ ("As Its _Number Has It"), G_CALLBACK (by_number_cb));
}
