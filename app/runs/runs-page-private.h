/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <adwaita.h>

#include "app/runs/diff-panel.h"
#include "app/runs/lineage-view.h"
#include "app/runs/run-edit.h"
#include "app/runs/run-view.h"
#include "app/runs/runs-page.h"
#include "app/runs/sweep-view.h"
#include "app/runs/views-pane.h"
#include "engine/store/trash.h"

/* runs-page.c (the page), runs-page-actions.c (what can be done with the selected runs),
 * runs-page-groups.c (which are told as one), runs-page-export.c (files), runs-page-popovers.c
 * (what asks for words), runs-page-color.c (and for a colour), runs-page-lineage.c (what came of
 * what), runs-page-side.c (what stands at its sides: views, what differs), runs-page-sweep.c (which
 * settings decide). */

struct _SluiceRunsPage
{
  GtkWidget parent;
  GtkBox *box;
  GtkStack *states;
  GtkSearchEntry *entry;
  GtkLabel *count, *problem, *selected;
  GtkWidget *bar, *chips, *selected_box, *restore_box;
  GtkMenuButton *group_button, *columns_button, *tag_button, *more_button;
  GtkLabel *group_label;
  AdwStatusPage *failure;
  SluiceRunView *view;
  GMenuModel *row_menu;
  GtkWidget *menu; /* over the row that was asked for it */

  /* At its sides: the window's, and kept here. */
  SluiceViewsPane *views;
  SluiceDiffPanel *differs;
  GPtrArray *saved;    /* of SluiceSavedView */
  char *saved_current; /* (nullable): name of the one that is shown as it was saved */
  gboolean measuring;  /* the trash */
  gboolean trash_measured;
  guint n_measured; /* runs outside of it then */
  SluiceTrashLimits trash_limits;
  gboolean told_full; /* that there is more than they let be */

  GtkWidget *lineage_box;
  SluiceLineageView *lineage; /* (nullable): as long as the page is there */
  gboolean tracing, traces_again;
  GtkWidget *sweep_box;
  SluiceSweepView *sweep;
  guint64 swept; /* hash of what it was made of */

  SluiceWorkspace *workspace;
  SluiceRunSet *shown;
  SluiceRunController *controller;
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
  GtkWidget *rename_popover, *notes_popover, *color_popover;
  GtkDropDown *curves;
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
/* As if it was typed, and at once. */
void sluice_runs_page_set_filter (SluiceRunsPage *self, const char *text);
void sluice_runs_page_tell (SluiceRunsPage *self, const char *message);
/* (transfer full) (element-type SluiceRunItem): the runs that are selected, in their order; of a
 * group all of its runs. */
GPtrArray *sluice_runs_page_dup_selected (SluiceRunsPage *self);
/* (transfer full) (element-type SluiceRunInfo, not owned) */
GPtrArray *sluice_runs_page_list_infos (GPtrArray *items);

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
/* Under the button that has what else can be done. */
void sluice_runs_page_popup (SluiceRunsPage *self, GtkWidget *popover);

/* runs-page-color.c */
void sluice_runs_page_fill_color (SluiceRunsPage *self, GtkBox *box);

/* runs-page-groups.c */
void sluice_runs_page_init_groups (SluiceRunsPage *self);
/* The menu of what runs can be grouped by. */
void sluice_runs_page_renew_groups (SluiceRunsPage *self);
void sluice_runs_page_group_by (SluiceRunsPage *self, const char *by);
void sluice_runs_page_toggle_group (SluiceRunItem *item, gpointer data);
/* The group of the row that has the focus. */
void sluice_runs_page_open_group (SluiceRunsPage *self, gboolean open);

/* runs-page-export.c */
/* Asks for a place. format: "csv", "jsonl", "tfevents" */
void sluice_runs_page_export (SluiceRunsPage *self, const char *format);
void sluice_runs_page_export_to (SluiceRunsPage *self, const char *format, const char *path);

/* runs-page-side.c */
void sluice_runs_page_init_side (SluiceRunsPage *self);
/* Once there is a workspace. */
void sluice_runs_page_attach_side (SluiceRunsPage *self);
void sluice_runs_page_clear_side (SluiceRunsPage *self);
/* Other runs are selected. */
void sluice_runs_page_update_differs (SluiceRunsPage *self);
/* Others are listed, or the table shows others. */
void sluice_runs_page_update_views (SluiceRunsPage *self);
void sluice_runs_page_purge (SluiceRunsPage *self);
/* Takes away what leaves runs out: of the view, the tags that are wanted. */
void sluice_runs_page_drop_view (SluiceRunsPage *self);
void sluice_runs_page_drop_tags (SluiceRunsPage *self);

/* runs-page-lineage.c */
void sluice_runs_page_init_lineage (SluiceRunsPage *self);
/* Other runs are selected, or listed. */
void sluice_runs_page_update_lineage (SluiceRunsPage *self);
/* What stands below the table, which is to be shown yet: (transfer none): its box. */
GtkWidget *sluice_runs_page_add_below (SluiceRunsPage *self,
                                       const char *title,
                                       const char *hint,
                                       GtkWidget *content);

/* runs-page-sweep.c */
void sluice_runs_page_init_sweep (SluiceRunsPage *self);
/* Other runs are selected, or what they are is something else. */
void sluice_runs_page_update_sweep (SluiceRunsPage *self);
