/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/inject-popover.h"

#include <glib/gi18n.h>

struct _SluiceInjectPopover
{
  SluiceEdgePopover parent;
  GtkEntry *value;
};

G_DEFINE_FINAL_TYPE (SluiceInjectPopover, sluice_inject_popover, SLUICE_TYPE_EDGE_POPOVER)

static void
inject (SluiceInjectPopover *self, const char *value)
{
  SluiceEdgePopover *edge = SLUICE_EDGE_POPOVER (self);
  sluice_edge_popover_apply (edge, "win.inject-value", "(ss)", sluice_edge_popover_get_place (edge),
                             value);
}

static void
put_cb (SluiceInjectPopover *self)
{
  const char *value = gtk_editable_get_text (GTK_EDITABLE (self->value));
  if (*value != '\0')
    inject (self, value);
}

static void
hold_cb (SluiceInjectPopover *self)
{
  inject (self, "now");
}

static void
own_cb (SluiceInjectPopover *self)
{
  inject (self, "");
}

static void
chosen_cb (GtkNativeDialog *dialog, int response, SluiceInjectPopover *self)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path =
      response == GTK_RESPONSE_ACCEPT && file != NULL ? g_file_get_path (file) : NULL;
  if (path != NULL)
    inject (self, path);
  g_object_unref (self);
  g_object_unref (dialog);
}

static void
file_cb (SluiceInjectPopover *self)
{
  GtkWidget *window = gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_WINDOW);
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new (_ ("Value of a file"), GTK_WINDOW (window),
                                   GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Put in"), NULL);
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();
  gtk_file_filter_add_suffix (filter, "npy");
  gtk_file_filter_set_name (filter, _ ("NumPy arrays"));
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  g_signal_connect (dialog, "response", G_CALLBACK (chosen_cb), g_object_ref (self));
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
sluice_inject_popover_class_init (SluiceInjectPopoverClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/sluice/Workbench/inject-popover.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceInjectPopover, value);
  gtk_widget_class_bind_template_callback (widget_class, put_cb);
  gtk_widget_class_bind_template_callback (widget_class, hold_cb);
  gtk_widget_class_bind_template_callback (widget_class, own_cb);
  gtk_widget_class_bind_template_callback (widget_class, file_cb);
}

static void
sluice_inject_popover_init (SluiceInjectPopover *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
sluice_inject_popover_new (const char *edge)
{
  SluiceInjectPopover *self = g_object_new (SLUICE_TYPE_INJECT_POPOVER, NULL);
  g_autofree char *title = g_strdup_printf (_ ("Put another value into %s"), edge);
  sluice_edge_popover_set_place (SLUICE_EDGE_POPOVER (self), edge, title);
  return GTK_WIDGET (self);
}
