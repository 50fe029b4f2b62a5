/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/command/offers.h"

/* A row of the palette: an offer, or the heading above some. */
#define SLUICE_TYPE_PALETTE_ITEM (sluice_palette_item_get_type ())
G_DECLARE_FINAL_TYPE (SluicePaletteItem, sluice_palette_item, SLUICE, PALETTE_ITEM, GObject)

/* heading: (nullable); offer: (nullable), borrowed. */
SluicePaletteItem *sluice_palette_item_new (const char *heading, const SluiceOffer *offer);
const SluiceOffer *sluice_palette_item_get_offer (SluicePaletteItem *self); /* (nullable) */
/* why: (nullable), borrowed: it does not fit. */
void sluice_palette_item_set_why (SluicePaletteItem *self, const char *why);

/* Signal: pin-toggled. */
#define SLUICE_TYPE_PALETTE_ROW (sluice_palette_row_get_type ())
G_DECLARE_FINAL_TYPE (SluicePaletteRow, sluice_palette_row, SLUICE, PALETTE_ROW, GtkWidget)

GtkWidget *sluice_palette_row_new (void);
void sluice_palette_row_show (SluicePaletteRow *self, SluicePaletteItem *item, gboolean is_pinned);
SluicePaletteItem *sluice_palette_row_get_item (SluicePaletteRow *self); /* (nullable) */

/* "Reshape to ?×3136, gives ?×128 float32"; "Conv2D, does not fit: reads 4 axes, this has 2". why:
 * (nullable): as of sluice_offers_get_why(). (transfer full) */
char *sluice_palette_dup_words (const SluiceOffer *offer, const char *why);
