/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/memory/memory-legend.h"

#include "ui/common/widget.h"
#include "ui/common/wrap.h"
#include "ui/timeline/memory-draw.h"

#define AIR 16 /* between two */

GtkWidget *
sluice_memory_legend_new (void)
{
  return sluice_wrap_new (AIR, FALSE);
}

static void
add_class (GtkWidget *legend, SluiceMemoryClass memory_class, gsize bytes)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *dot = sluice_dot_new ();
  g_autofree char *size = sluice_memory_format_bytes ((double) bytes);
  g_autofree char *markup =
      g_markup_printf_escaped ("%s <b>%s</b>", sluice_memory_class_words (memory_class), size);
  GtkWidget *label = gtk_label_new (NULL);
  SluiceTheme theme;
  sluice_theme_from_widget (&theme, legend);
  sluice_dot_set_color (dot, sluice_memory_get_color (memory_class, &theme));
  sluice_dot_set_square (dot, TRUE);
  gtk_label_set_markup (GTK_LABEL (label), markup);
  gtk_box_append (GTK_BOX (box), dot);
  gtk_box_append (GTK_BOX (box), label);
  sluice_wrap_append (SLUICE_WRAP (legend), box);
}

void
sluice_memory_legend_fill (GtkWidget *legend, const SluiceMemoryView *view)
{
  gsize bytes[SLUICE_N_MEMORY_CLASSES];
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (legend)) != NULL)
    gtk_widget_unparent (child);
  sluice_memory_view_sum_classes (view, sluice_memory_view_get_peak (view), bytes);
  for (;;)
    {
      guint most = 0;
      for (guint i = 1; i < SLUICE_N_MEMORY_CLASSES; i++)
        most = bytes[i] > bytes[most] ? i : most;
      if (bytes[most] == 0)
        break;
      add_class (legend, most, bytes[most]);
      bytes[most] = 0;
    }
}
