/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/print.h"

#include <glib/gi18n.h>

/* Pixels of a screen on paper, where text has its usual size then: 72 points are 96. */
#define POINTS_A_PIXEL 0.75

/* Returns: FALSE as long as it is to be called again. */
static gboolean
paginate_cb (GtkPrintOperation *operation, GtkPrintContext *context, SluicePage *page)
{
  if (!sluice_page_prepare_print (page))
    return FALSE;
  guint n =
      sluice_page_print (page, NULL, 0, gtk_print_context_get_width (context) / POINTS_A_PIXEL,
                         gtk_print_context_get_height (context) / POINTS_A_PIXEL);
  gtk_print_operation_set_n_pages (operation, (int) MAX (n, 1));
  return TRUE;
}

static void
draw_cb (GtkPrintOperation *operation, GtkPrintContext *context, int sheet, SluicePage *page)
{
  cairo_t *cr = gtk_print_context_get_cairo_context (context);
  cairo_scale (cr, POINTS_A_PIXEL, POINTS_A_PIXEL);
  sluice_page_print (page, cr, (guint) sheet,
                     gtk_print_context_get_width (context) / POINTS_A_PIXEL,
                     gtk_print_context_get_height (context) / POINTS_A_PIXEL);
}

char *
sluice_print (GtkWindow *parent, SluicePage *page, const char *name, const char *path)
{
  g_autoptr (GtkPrintOperation) operation = gtk_print_operation_new ();
  g_autoptr (GError) error = NULL;
  gtk_print_operation_set_job_name (operation, name);
  gtk_print_operation_set_unit (operation, GTK_UNIT_POINTS);
  gtk_print_operation_set_embed_page_setup (operation, TRUE);
  g_signal_connect_object (operation, "paginate", G_CALLBACK (paginate_cb), page, 0);
  g_signal_connect_object (operation, "draw-page", G_CALLBACK (draw_cb), page, 0);
  if (path != NULL)
    gtk_print_operation_set_export_filename (operation, path);
  gtk_print_operation_run (operation,
                           path != NULL ? GTK_PRINT_OPERATION_ACTION_EXPORT
                                        : GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG,
                           parent, &error);
  sluice_page_end_print (page);
  return error != NULL ? g_strdup_printf (_ ("“%s” was not printed: %s"), name, error->message)
                       : NULL;
}
