/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Views of the table of runs that somebody has given a name: the workspace keeps them in views.ini.
 * No GTK. */
typedef struct
{
  char *name;
  char *filter; /* as it is typed; "" */
  char *view;   /* of sluice_run_table_set_view() */
  char **tags;  /* that are wanted */
  char *sort;   /* (nullable): id of a column */
  gboolean descending;
  char *group_by; /* (nullable) */
  char **columns; /* ids of those shown, in their order */
} SluiceSavedView;
void sluice_saved_view_free (SluiceSavedView *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceSavedView, sluice_saved_view_free)

/* (transfer full) (element-type SluiceSavedView): none where there are none, or the file cannot be
 * read. */
GPtrArray *sluice_saved_views_load (const char *workspace);
gboolean sluice_saved_views_save (GPtrArray *views, const char *workspace, GError **error);

/* (nullable) (transfer none) */
SluiceSavedView *sluice_saved_views_find (GPtrArray *views, const char *name);
