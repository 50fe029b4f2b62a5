/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/charts/tag-card.h"
#include "app/search/query.h"

/* (transfer container) (element-type SluiceTagCard): those that a run has something for, in the
 * order of a page. @cards: tag -> SluiceTagCard */
GPtrArray *sluice_cards_sort (GHashTable *cards);

/* Tags that can be an axis, also of what is drawn in the card of another tag. */
GStrv sluice_cards_dup_scalar_tags (GHashTable *cards);
/* Tags of the charts that stand alone, but for one. (element-type SluiceTagCard) */
GStrv sluice_cards_dup_joinable (GPtrArray *cards, GtkWidget *but);

/* Its tag, or that of another one which is drawn in it. @query: (nullable): all match. */
gboolean sluice_card_matches (const SluiceTagCard *card, const SluiceQuery *query);

/**
 * sluice_card_groups_new:
 * @cards: (element-type SluiceTagCard): in their order
 * @pinned: set of tags
 * @collapsed: set of titles of groups
 *
 * (transfer full) (element-type SluiceCardGroup): pinned cards, then groups of what tags have
 * before their first stroke in common, in the order of their first cards; those without one before
 * them. Few cards need no groups.
 */
GPtrArray *sluice_card_groups_new (GPtrArray *cards, GHashTable *pinned, GHashTable *collapsed);
