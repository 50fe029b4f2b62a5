/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/*
 * Cards in groups under headings, as many columns as there is room for. Of thousands only those
 * near the view exist: the others are made when they are scrolled to. Stands in a scrolled window.
 */
#define SLUICE_TYPE_CARD_GRID (sluice_card_grid_get_type ())
G_DECLARE_FINAL_TYPE (SluiceCardGrid, sluice_card_grid, SLUICE, CARD_GRID, GtkWidget)

typedef struct
{
  char *title;      /* (nullable): no heading, never collapsed */
  GPtrArray *items; /* what cards are made of, in order; none is in two groups */
  gboolean collapsed;
} SluiceCardGroup;

SluiceCardGroup *sluice_card_group_new (const char *title);
void sluice_card_group_free (gpointer group);

typedef struct
{
  GtkWidget *(*create) (gpointer item, gpointer data); /* (transfer floating) */
  void (*drop) (gpointer item, gpointer data);         /* its card goes now */
  gboolean (*is_large) (gpointer item, gpointer data); /* takes a row of its own */
} SluiceCardGridFuncs;

/* Once, before there are groups. */
void
sluice_card_grid_set_funcs (SluiceCardGrid *self, const SluiceCardGridFuncs *funcs, gpointer data);

/**
 * sluice_card_grid_set_groups:
 * @groups: (transfer full) (element-type SluiceCardGroup)
 *
 * Cards of items that are still there stay.
 *
 * Signal: toggled (string title), when the heading of a group is pressed.
 */
void sluice_card_grid_set_groups (SluiceCardGrid *self, GPtrArray *groups);

/* Whether all cards have widgets, also those far from the view: for paper. */
void sluice_card_grid_set_keeps_all (SluiceCardGrid *self, gboolean keeps_all);
/* What is_large() says has changed. */
void sluice_card_grid_relayout (SluiceCardGrid *self);

/* Is any part of the item's card seen? */
gboolean sluice_card_grid_shows (SluiceCardGrid *self, gpointer item);

/* Scrolls to an item, which gets its card, and the focus. */
void sluice_card_grid_reveal (SluiceCardGrid *self, gpointer item);
