/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <adwaita.h>

#include "app/runs/run-edit.h"
#include "app/runs/run-view.h"
#include "app/runs/runs-page.h"

/* runs-page.c (the page), runs-page-actions.c (what can be done with the selected runs),
 * runs-page-popovers.c (what asks for words). */

struct _SluiceRunsPage
{
  GtkWidget parent;
  GtkBox *box;
  GtkStack *states;
  GtkSearchEntry *entry;
  GtkLabel *count, *problem, *selected;
  GtkWidget *selected_box, *restore_box;
  GtkMenuButton *columns_button, *tag_button, *rename_button, *notes_button;
  GtkToggleButton *trash_button;
  AdwStatusPage *failure;
  SluiceRunView *view;
  GMenuModel *row_menu;
  GtkWidget *menu; /* over the row that was asked for it */

  SluiceWorkspace *workspace;
  SluiceRunSet *shown;
  SluiceRunTable *table;
  SluiceRunCells cells;
  gint64 front;  /* as it was seen last */
  guint64 known; /* hash of the runs when they were read */
  gint64 read_at;
  guint read_source;

  GPtrArray *history; /* of SluiceRunEdit */
  guint n_done;       /* of them: those behind were taken back */
  GQueue waiting;     /* of Work */
  gboolean working;

  /* In the popovers. */
  GtkBox *columns_list, *tags_list;
  GtkEditable *tag_entry, *name_entry;
  GtkLabel *tag_problem, *name_problem, *notes_problem;
  GtkTextBuffer *notes;
  GtkWidget *notes_view;
  gint64 noted;     /* run whose notes are being written; 0: none */
  char *noted_text; /* (nullable): its notes as they were put there, or saved */
  guint notes_source;
  gboolean filling;
};

/* runs-page.c */
/* Reads the table now. */
void sluice_runs_page_read (SluiceRunsPage *self);
void sluice_runs_page_tell (SluiceRunsPage *self, const char *message);
/* (transfer full) (element-type SluiceRunItem): those that are selected, in their order. */
GPtrArray *sluice_runs_page_dup_selected (SluiceRunsPage *self);

/* runs-page-actions.c */
void sluice_runs_page_install_actions (GtkWidgetClass *widget_class);
void sluice_runs_page_update_actions (SluiceRunsPage *self);
/* take: (transfer full): done on a worker, and to be taken back by Undo. */
void sluice_runs_page_edit (SluiceRunsPage *self, SluiceRunEdit *take);
void sluice_runs_page_star (SluiceRunItem *item, gpointer data);
void sluice_runs_page_clear_history (SluiceRunsPage *self);

/* runs-page-popovers.c */
void sluice_runs_page_init_popovers (SluiceRunsPage *self);
/* Writes the notes that are not written yet. */
void sluice_runs_page_save_notes (SluiceRunsPage *self);
/* Shows what others have written meanwhile, as long as nothing was typed. */
void sluice_runs_page_renew_notes (SluiceRunsPage *self);
