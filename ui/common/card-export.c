/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Where a card's picture or values are to be written. */
#include "ui/common/card.h"

#include <glib/gi18n-lib.h>

static void
unref_card (gpointer card, GClosure *closure)
{
  g_object_unref (card);
}

static void
export_response_cb (GtkNativeDialog *dialog, int response, gpointer data)
{
  SluiceCard *self = data;
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  if (file != NULL)
    path = g_file_get_path (file);
  if (file != NULL && path == NULL)
    g_signal_emit_by_name (self, "export-failed",
                           _ ("Only a folder of this machine can be written to"));
  else if (path != NULL)
    SLUICE_CARD_GET_CLASS (self)->export(self, path);
  g_object_unref (dialog);
}

void
sluice_card_ask_export (SluiceCard *self, const char *ending)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  const char *title = sluice_card_get_title (self);
  g_autofree char *name = g_strdup_printf ("%s.%s", *title != '\0' ? title : "chart", ending);
  GtkFileChooserNative *dialog;

  g_strdelimit (name, "/\\:", '-');
  dialog = gtk_file_chooser_native_new (_ ("Export chart"),
                                        GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL,
                                        GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), _ ("_Cancel"));
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  g_signal_connect_data (dialog, "response", G_CALLBACK (export_response_cb), g_object_ref (self),
                         unref_card, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}
