/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/build/attribute-rows.h"
#include "app/graph/inspector-rows.h"
#include "app/graph/inspector.h"
#include "app/graph/watched-output.h"
#include "app/place/predictor.h"
#include "app/run.h"
#include "ui/chart/sparkline.h"

/* inspector.c (the widget, a node), inspector-scope.c (a scope, or the whole graph),
 * inspector-run.c (a run). */

/* The values that move while a run is under way. */
typedef enum
{
  LIVE_TIME,
  LIVE_SPREAD,
  LIVE_SHARE,
  LIVE_TOGETHER,
  LIVE_OUTPUT,
  LIVE_TRIPS,
  LIVE_RANGE,
  LIVE_ZEROS,
  LIVE_NON_FINITE,
  N_LIVE,
} SluiceInspectorLive;

struct _SluiceInspector
{
  GtkWidget parent;
  GtkWidget *scroller;
  GtkLabel *title, *subtitle, *error;
  GtkBox *rows_box;
  SluiceInspectorRows rows;
  SluiceInspectorRows why;    /* box NULL: no node is shown */
  SluicePredictor *predictor; /* (nullable) */
  SluiceWatchedOutput *watched;
  /* What is shown; the borrowed ones live as long as the window's. */
  SluiceGraphPage *page;  /* (nullable) */
  SluiceSession *session; /* (nullable): of the run */
  char *name;             /* (nullable) */
  char *loop;             /* (nullable): its loop's name */
  char *mark;             /* (nullable): what the node's badge says */
  SluiceMarkKind mark_kind;
  GPtrArray *others;     /* (nullable): of SluiceRun: a run of them is shown, not the graph */
  SluiceRun *run;        /* (nullable): that one */
  char *tag;             /* (nullable): of which it tells more */
  GPtrArray *run_labels; /* (nullable): the values of its rows */
  char *run_notes;       /* (nullable): as they are shown */
  SluiceWorkspace *workspace;
  GtkWidget *live_settings; /* (nullable): of a run at work */
  GtkWidget *proof_box;     /* (nullable): of one that has ended */
  gint64 live_step;         /* at which one of them was changed */
  gulong run_changed, points_added;
  guint renew_source;
  guint port;                      /* that is looked at */
  guint n_readers;                 /* shown at most */
  guint64 bytes;                   /* of the outputs by their static shapes; 0: not known */
  GtkLabel *live[N_LIVE];          /* (nullable): the values */
  GtkLabel *note, *caption;        /* (nullable): of the history */
  SluiceSparkline *history;        /* (nullable) */
  GtkDropDown *depth;              /* (nullable) */
  guint trace_depth;               /* of the choices */
  char *project;                   /* (nullable): the folder whose graph it is */
  SluiceDocument *document;        /* (nullable) */
  SluiceAttributeRows *attributes; /* (nullable): of a node that can be changed */
  char *scope_kind;                /* (nullable): of a scope that is shown */
  GPtrArray *promotions;           /* what may be a setting of new runs */
};

/* inspector.c */
void sluice_inspector_set_heading (SluiceInspector *self,
                                   const char *title,
                                   const char *subtitle,
                                   const char *error);
/* Times and loops of what is shown. */
void sluice_inspector_add_times (SluiceInspector *self, gboolean is_node);

/* inspector-attributes.c */
/* Then its attributes stand first. */
gboolean sluice_inspector_can_change (SluiceInspector *self, const SluiceNode *node);
void sluice_inspector_add_attributes (SluiceInspector *self, const SluiceNode *node);
/* What the scope was made by. FALSE: it is no layer. */
gboolean sluice_inspector_add_layer (SluiceInspector *self, SluiceGraph *graph, const char *scope);

/* A button that does a command: (transfer full). */
void sluice_inspector_add_command (SluiceInspector *self,
                                   const char *title,
                                   const char *hint,
                                   char *take_line);

/* inspector-block.c */
/* Of a scope that is no layer. */
void sluice_inspector_add_block (SluiceInspector *self, SluiceGraph *graph, const char *scope);

/* By which it is seen that other rows are due: "layer dense", "block body 2". (transfer full) */
char *sluice_inspector_dup_scope_kind (SluiceGraph *graph, const char *scope);

/* inspector-op.c */
/* What is known of the node's op: its signature, gradient, and an example. */
void sluice_inspector_add_op (SluiceInspector *self, const SluiceNode *node);

/* inspector-place.c */
/* Where the node stands and why, in a box of the rows. */
void sluice_inspector_add_place (SluiceInspector *self);
/* The box goes. */
void sluice_inspector_forget_place (SluiceInspector *self);

/* inspector-promote.c */
void sluice_inspector_init_promotion (SluiceInspector *self);
/* Of what may be a setting of new runs; in the rows of attributes, where there are such. */
void sluice_inspector_add_promotion (SluiceInspector *self, const SluiceNode *node);

/* inspector-run.c */
void sluice_inspector_add_run (SluiceInspector *self);
/* FALSE: there are other rows. */
gboolean sluice_inspector_renew_run (SluiceInspector *self);

/* inspector-parameters.c */
/* trained: (element-type SluiceNode): variables of the scope; scope: (nullable) */
void sluice_inspector_add_parameters (SluiceInspector *self,
                                      const GPtrArray *trained,
                                      const char *scope);

/* inspector-scope.c */
/* scope (nullable): NULL: the whole graph */
void sluice_inspector_add_scope (SluiceInspector *self, SluiceGraph *graph, const char *scope);
