/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/memory/memory-page.h"
#include "app/memory/memory-plan.h"
#include "app/memory/memory-pane.h"
#include "app/memory/memory-table.h"
#include "ui/timeline/memory-bands.h"
#include "ui/timeline/memory-strip.h"

/* For app/memory only. memory-page.c has what is shown, memory-head.c what it stands in,
 * memory-actions.c what can be done. */

/* A tape as it is looked at, and who grows in those before it. */
typedef struct
{
  SluiceMemoryView *view;
  GArray *growth;         /* of SluiceMemoryGrowth */
  guint n_steps;          /* over which */
  char *rescue;           /* (nullable): what would have made it fit */
  SluiceMemoryPlan *plan; /* (nullable): made with it, where there was none */
} SluiceMemoryShown;

struct _SluiceMemoryPage
{
  GtkWidget parent;
  GtkStack *states;
  GtkDropDown *device;
  GtkLabel *step_label, *sum, *map_words, *map_time, *refusal;
  GtkWidget *legend, *head, *empty_step;
  SluiceMemoryBands *bands;
  SluiceMemoryStrip *strip;
  SluiceMemoryTable *table;
  SluiceMemoryPane *pane;

  SluiceRunController *controller; /* (nullable) */
  GPtrArray *tapes;                /* of SluiceMemoryTape: as the run has them */
  SluiceMemoryShown *shown;        /* (nullable) */
  SluiceMemoryPlan *plan;          /* (nullable): of this device */
  char *planned;                   /* (nullable): which that is */
  GtkLabel *fit_words;
  GtkWidget *fit_bar;
  gboolean is_applied; /* and what was predicted then: */
  double fit_bytes, fit_us;
  guint64 fit_step; /* the newest that was recorded before */
  guint source;
  gboolean is_live;     /* the newest step is shown, and more are recorded */
  gboolean wants_focus; /* for the bands, once there are any */
  gboolean making;      /* a view, in a worker */
  gboolean fills;       /* a chooser is being filled, by nobody */
  char *chosen;         /* (nullable): device */
  guint64 step;         /* 0: the newest */
  char *node;           /* (nullable): selected here or elsewhere */
};

/* memory-page.c */
void sluice_memory_page_set_live (SluiceMemoryPage *self, gboolean is_live);
/* The step by that many further on among those that there are. */
void sluice_memory_page_go (SluiceMemoryPage *self, int by);
void sluice_memory_page_choose_device (SluiceMemoryPage *self, const char *device);
/* Somebody looks at something: the step that is shown stays. */
void sluice_memory_page_stand (SluiceMemoryPage *self);
/* By a person; SLUICE_BAND_NONE: nothing. */
void sluice_memory_page_select (SluiceMemoryPage *self, guint band);
void sluice_memory_page_move_cursor (SluiceMemoryPage *self, guint moment);

/* memory-head.c: (transfer floating) */
GtkWidget *sluice_memory_page_make (SluiceMemoryPage *self);
GtkWidget *sluice_memory_page_make_empty (SluiceMemoryPage *self);
void sluice_memory_page_fill_head (SluiceMemoryPage *self);

/* memory-fit.c: what stands above the table: (transfer floating) */
GtkWidget *sluice_memory_page_make_fit (SluiceMemoryPage *self);
/* What is ticked is predicted, what was applied stands beside what was measured. */
void sluice_memory_page_tell_fit (SluiceMemoryPage *self);
void sluice_memory_page_apply (SluiceMemoryPage *self);
void sluice_memory_page_take_back (SluiceMemoryPage *self);

/* memory-actions.c */
void sluice_memory_page_install_actions (GtkWidgetClass *widget_class);
void sluice_memory_page_update_actions (SluiceMemoryPage *self);
