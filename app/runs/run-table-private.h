/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/runs/run-table.h"

/* run-table.c (what is read), run-table-rows.c (which of it are rows, and in which order). */

struct _SluiceRunItem
{
  GObject parent;
  SluiceRunEntry *entry; /* of a group NULL until somebody asks */
  guint index;           /* its place among all, newest first; of a group that of its newest */
  gboolean is_stale;     /* its group does not know its entry yet */
  gboolean is_member;    /* of an open group */
  gboolean has_key;      /* key is that of what the table groups by now */
  char *key;             /* (nullable) */
  /* Of a group. */
  char *by;
  GPtrArray *members; /* (nullable): of SluiceRunItem */
  gboolean is_open;
};

struct _SluiceRunTable
{
  GObject parent;
  GListStore *rows;        /* of SluiceRunItem: found, in their order */
  GPtrArray *items;        /* of SluiceRunItem: all, newest first */
  GHashTable *by_id;       /* gint64 -> SluiceRunItem of items */
  GPtrArray *columns;      /* of SluiceRunColumn */
  SluiceRunFilter *filter; /* (nullable) */
  char *view;
  GHashTable *tags_wanted; /* a set */
  SluiceRunCounts counts;
  guint n_found;
  char *curve;        /* whose curves are drawn: a tag */
  char *group_by;     /* (nullable) */
  GHashTable *groups; /* key, the item's own -> SluiceRunItem */
  char *sort;         /* (nullable): id of a column */
  gboolean descending;
  SluiceRunTableState state;
  char *failure; /* (nullable) */
  gboolean trash;
  /* What is being read, and taken over. */
  SluiceStore *store;
  gboolean reading, again;
  GCancellable *cancellable;
  GPtrArray *news;  /* (nullable): of SluiceRunEntry (nullable: taken) */
  GPtrArray *taken; /* (nullable): of SluiceRunItem: those of news before `at` */
  guint at, apply_source;
  gboolean differs; /* in what is found, or in which order */
};

/* run-table.c */
void sluice_run_item_emit_changed (SluiceRunItem *self);
/* Others are shown. */
void sluice_run_table_emit_changed (SluiceRunTable *self);

/* run-table-rows.c */
void sluice_run_table_arrange (SluiceRunTable *self);
/* Of the runs that were read, unless they are the trash's. */
void sluice_run_table_count (SluiceRunTable *self);
void sluice_run_tag_count_free (gpointer data);
