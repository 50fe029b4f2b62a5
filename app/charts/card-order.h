/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/charts/card-memory.h"
#include "app/search/hit.h"
#include "app/search/query.h"

/*
 * Which cards there are, by tag: those of the series, settings and texts of the runs that are
 * shown; in which order, in which groups. All of it is done a step at a time: a log may have a
 * million tags. What was found before stands until all is found.
 */
typedef struct _SluiceCardOrder SluiceCardOrder;

typedef struct
{
  SluiceWorkspace *workspace;
  SluiceChartChoice *choice;
  SluiceCardMemory *memory;
  /* (transfer full): the groups of the cards that match, for sluice_card_grid_set_groups(). Cards
   * that are not among them may go when it returns. */
  void (*arranged) (GPtrArray *groups, gpointer data);
  gpointer data;
} SluiceCardOrderOptions;

SluiceCardOrder *sluice_card_order_new (const SluiceCardOrderOptions *options);
void sluice_card_order_free (SluiceCardOrder *self);

/* From where on something changed: other series or runs, another filter, what is pinned or folded
 * away. */
typedef enum
{
  SLUICE_CARDS_COUNT,
  SLUICE_CARDS_FILTER,
  SLUICE_CARDS_GROUP,
} SluiceCardsChange;

/* So many that one step finds all there is to find of a few thousand cards. */
#define SLUICE_CARDS_STEP 65536

/* With the next steps. What counts runs when they change again finishes first. */
void sluice_card_order_begin (SluiceCardOrder *self, SluiceCardsChange change);
/* What is found from here on. Borrowed until there is another one; NULL: all cards match. */
void sluice_card_order_set_filter (SluiceCardOrder *self, const SluiceQuery *filter);
/* Does something about @units of work, about a tenth of a microsecond each. Returns: nothing is
 * left to do */
gboolean sluice_card_order_step (SluiceCardOrder *self, guint units);
gboolean sluice_card_order_is_done (const SluiceCardOrder *self);

/* Those that a run has something for, in order; and of these, those that match and stand alone.
 * (element-type SluiceTagCard) (transfer none): until the next step */
GPtrArray *sluice_card_order_get_all (SluiceCardOrder *self);
GPtrArray *sluice_card_order_get_matching (SluiceCardOrder *self);
/* How many are known, whether they match or not. */
guint sluice_card_order_get_n_known (const SluiceCardOrder *self);
/* "12 345 charts", or how many are being sorted. (transfer full) */
char *sluice_card_order_dup_count (const SluiceCardOrder *self);
/* As sluice_page_search(). */
gboolean sluice_card_order_search (const SluiceCardOrder *self,
                                   const SluiceQuery *query,
                                   GObject *owner,
                                   SluiceHits *hits);
SluiceTagCard *sluice_card_order_find (const SluiceCardOrder *self, const char *tag);
