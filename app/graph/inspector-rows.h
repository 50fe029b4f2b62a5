/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/* Names and values, one pair a row, in groups with a heading or a line above; what they say is kept
 * as text, too. */
typedef struct
{
  GtkBox *box;
  GString *text; /* "name: value\n" for each row */
  const char
      *heading;       /* (nullable): of the rows to come, not yet shown: without rows it never is */
  gboolean separates; /* a line comes before the next row */
} SluiceInspectorRows;

void sluice_inspector_rows_init (SluiceInspectorRows *self, GtkBox *box);
void sluice_inspector_rows_free (SluiceInspectorRows *self);
void sluice_inspector_rows_clear (SluiceInspectorRows *self);

/* heading: (nullable): of gettext or the program's own, as it is kept. */
void
sluice_inspector_rows_begin (SluiceInspectorRows *self, const char *heading, gboolean separates);
/* The label of the value. */
GtkLabel *
sluice_inspector_rows_add (SluiceInspectorRows *self, const char *name, const char *value);
void sluice_inspector_rows_add_printf (SluiceInspectorRows *self,
                                       const char *name,
                                       const char *format,
                                       ...) G_GNUC_PRINTF (3, 4);
/* The row is a button: it does an action with a text. said: what a screen reader reads */
void sluice_inspector_rows_add_link (SluiceInspectorRows *self,
                                     const char *name,
                                     const char *value,
                                     const char *action,
                                     const char *target,
                                     const char *said);
/* A sentence over the whole width, wrapped. */
GtkLabel *sluice_inspector_rows_add_words (SluiceInspectorRows *self, const char *words);
void sluice_inspector_rows_add_widget (SluiceInspectorRows *self, GtkWidget *widget);
/* Only what changed is said again; nothing moves. */
void sluice_inspector_rows_renew (SluiceInspectorRows *self,
                                  GtkLabel *label,
                                  const char *name,
                                  const char *value);
