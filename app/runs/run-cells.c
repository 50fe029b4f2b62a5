/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-cells.h"

/* ---- what all rows share ---- */

static void
clear_place (gpointer data)
{
  sluice_run_column_free (((SluiceRunPlace *) data)->column);
}

void
sluice_run_cells_init (SluiceRunCells *cells, GtkWidget *view)
{
  cells->paint = sluice_run_paint_new (view);
  cells->lines = g_hash_table_new (NULL, NULL);
  cells->places = g_array_new (FALSE, FALSE, sizeof (SluiceRunPlace));
  g_array_set_clear_func (cells->places, clear_place);
}

void
sluice_run_cells_clear (SluiceRunCells *cells)
{
  g_clear_pointer (&cells->paint, sluice_run_paint_free);
  g_clear_pointer (&cells->lines, g_hash_table_unref);
  g_clear_pointer (&cells->places, g_array_unref);
}

GArray *
sluice_run_cells_empty_places (SluiceRunCells *cells)
{
  g_array_set_size (cells->places, 0);
  return cells->places;
}

/* ---- states ---- */

static const struct
{
  const char *icon, *css;
  SluiceRunInk ink;
} states[] = {
  [SLUICE_RUN_DRAFT] = { "document-edit-symbolic", "state-quiet", SLUICE_RUN_INK_FAINT },
  [SLUICE_RUN_RUNNING] = { "sluice-start-symbolic", "state-running", SLUICE_RUN_INK_RUNNING },
  [SLUICE_RUN_PAUSED] = { "sluice-pause-symbolic", "state-quiet", SLUICE_RUN_INK_FAINT },
  [SLUICE_RUN_STOPPED] = { "sluice-stop-symbolic", "state-quiet", SLUICE_RUN_INK_FAINT },
  [SLUICE_RUN_FINISHED] = { "object-select-symbolic", "state-finished", SLUICE_RUN_INK_FINISHED },
  [SLUICE_RUN_FAILED] = { "window-close-symbolic", "state-failed", SLUICE_RUN_INK_FAILED },
  [SLUICE_RUN_CRASHED] = { "sluice-crash-symbolic", "state-failed", SLUICE_RUN_INK_FAILED },
  [SLUICE_RUN_WAITING] = { "document-open-recent-symbolic", "state-quiet", SLUICE_RUN_INK_FAINT },
};

const char *
sluice_run_cells_get_icon (SluiceRunState state)
{
  return states[state].icon;
}

const char *
sluice_run_cells_get_style (SluiceRunState state)
{
  return states[state].css;
}

SluiceRunInk
sluice_run_cells_get_ink (SluiceRunState state)
{
  return states[state].ink;
}

/* ---- tags ---- */

guint
sluice_run_cells_get_hue (const char *tag)
{
  return g_str_hash (tag) % SLUICE_RUN_N_HUES;
}

GtkWidget *
sluice_run_cells_new_pill (const char *tag, const char *words)
{
  GtkWidget *pill = gtk_label_new (NULL);
  g_autofree char *hue = g_strdup_printf ("tag-%u", sluice_run_cells_get_hue (tag));
  sluice_run_cells_set_pill (pill, words);
  gtk_widget_set_valign (pill, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (pill, "run-tag");
  gtk_widget_add_css_class (pill, hue);
  return pill;
}

void
sluice_run_cells_set_pill (GtkWidget *pill, const char *words)
{
  gboolean is_long = g_utf8_strlen (words, -1) > SLUICE_RUN_PILL_LETTERS;
  gtk_label_set_label (GTK_LABEL (pill), words);
  gtk_label_set_ellipsize (GTK_LABEL (pill),
                           is_long ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_NONE);
  gtk_label_set_width_chars (GTK_LABEL (pill), is_long ? SLUICE_RUN_PILL_LETTERS : -1);
  gtk_label_set_max_width_chars (GTK_LABEL (pill), is_long ? SLUICE_RUN_PILL_LETTERS : -1);
}
