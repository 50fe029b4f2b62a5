/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/* Two charts become one: a card is dragged by its title onto another, or joined from the menu. */

/* Which card, and the tag that is to be drawn in it; NULL: it shows only its own again. */
typedef void (*SluiceJoinFunc) (GtkWidget *card, const char *tag, gpointer data);

/**
 * sluice_join_cards_add:
 * @card: a #SluiceChartCard
 * @dup_tags: (transfer full): what may be joined to it
 * @has_others: is there something to be split?
 *
 * Lets @card be dragged and dropped on, and adds to its menu. The title of a card that is dragged
 * is its tag.
 */
void sluice_join_cards_add (GtkWidget *card,
                            const char *tag,
                            GStrv (*dup_tags) (GtkWidget *card, gpointer data),
                            gboolean (*has_others) (GtkWidget *card, gpointer data),
                            SluiceJoinFunc join,
                            gpointer data);
