/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/charts/tag-card.h"
#include "app/search/query.h"

/* Tags that can be an axis, also of what is drawn in the card of another tag. */
GStrv sluice_cards_dup_scalar_tags (GPtrArray *cards);
/* Tags of the charts that stand alone, but for one. (element-type SluiceTagCard) */
GStrv sluice_cards_dup_joinable (GPtrArray *cards, GtkWidget *but);

/* Its tag, or that of another one which is drawn in it. @query: (nullable): all match. */
gboolean sluice_card_matches (const SluiceTagCard *card, const SluiceQuery *query);

/**
 * sluice_card_grouping_new:
 * @cards: (element-type SluiceTagCard): in their order
 * @pinned: set of tags
 * @collapsed: set of titles of groups
 *
 * Pinned cards, then groups of what tags have before their first stroke in common, in the order of
 * their first cards; those without one before them. Few cards need no groups.
 */
typedef struct _SluiceCardGrouping SluiceCardGrouping;
SluiceCardGrouping *
sluice_card_grouping_new (GPtrArray *cards, GHashTable *pinned, GHashTable *collapsed);
void sluice_card_grouping_free (SluiceCardGrouping *self);
/* Does some of it, at most of the size of *budget, which is taken off it. Returns: it is done */
gboolean sluice_card_grouping_step (SluiceCardGrouping *self, guint *budget);
/* (transfer full) (element-type SluiceCardGroup): once, when it is done. */
GPtrArray *sluice_card_grouping_take (SluiceCardGrouping *self);
