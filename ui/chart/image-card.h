/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/card.h"

G_BEGIN_DECLS

/**
 * SluiceImageCard:
 *
 * Images of one summary at one step, as large as the card has room for.
 */
#define SLUICE_TYPE_IMAGE_CARD (sluice_image_card_get_type ())
G_DECLARE_FINAL_TYPE (SluiceImageCard, sluice_image_card, SLUICE, IMAGE_CARD, SluiceCard)

GtkWidget *sluice_image_card_new (const char *title);

/**
 * sluice_image_card_append:
 * @slot: which of the images of the step, from 0
 * @step: the same slot and step replaces it
 * @image: encoded (PNG, JPEG); a reference is taken, decoding waits until it is shown
 * @caption: (nullable): a word under it
 *
 * The newest step is shown until another one is asked for.
 */
void sluice_image_card_append (
    SluiceImageCard *self, guint slot, gint64 step, GBytes *image, const char *caption);
void sluice_image_card_clear (SluiceImageCard *self);
/** sluice_image_card_keep_steps: forgets the images of all but these @steps (of gint64). */
void sluice_image_card_keep_steps (SluiceImageCard *self, GHashTable *steps);

/** sluice_image_card_show_step: shows the last images at or before @step. */
void sluice_image_card_show_step (SluiceImageCard *self, gint64 step);
gint64 sluice_image_card_get_step (SluiceImageCard *self);
/** sluice_image_card_set_slider: a slider at its foot, where there is more than one step: several
 * cards may share @adjustment, and show_step() follows whoever hears of it. */
void sluice_image_card_set_slider (SluiceImageCard *self, GtkAdjustment *adjustment);
/** sluice_image_card_add_steps: appends those that there are to @steps, of gint64. */
void sluice_image_card_add_steps (SluiceImageCard *self, GArray *steps);

G_END_DECLS
