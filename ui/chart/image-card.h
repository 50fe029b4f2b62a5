/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/card.h"

G_BEGIN_DECLS

/**
 * SluiceImageCard:
 *
 * Images of one summary: a row of thumbnails with captions and a slider over the steps.
 * Signals: step-changed (gint64 step) when the user moves the slider,
 * so that a page can move every image card.
 */
#define SLUICE_TYPE_IMAGE_CARD (sluice_image_card_get_type ())
G_DECLARE_FINAL_TYPE (SluiceImageCard, sluice_image_card, SLUICE, IMAGE_CARD, SluiceCard)

GtkWidget *sluice_image_card_new (const char *title);

/**
 * sluice_image_card_append:
 * @step: at or past the last one; the same step replaces it
 * @n_images: how many
 * @images: (array length=n_images): encoded pictures (PNG, JPEG); a reference is taken, decoding
 *   waits until they are shown
 * @captions: (array length=n_images) (nullable): a word under each, or %NULL
 *
 * The slider follows the newest step until the user moves it away from the end.
 */
void sluice_image_card_append (SluiceImageCard *self,
                               gint64 step,
                               guint n_images,
                               GBytes *const *images,
                               const char *const *captions);
void sluice_image_card_clear (SluiceImageCard *self);

/** sluice_image_card_show_step: shows the last images at or before @step. */
void sluice_image_card_show_step (SluiceImageCard *self, gint64 step);
gint64 sluice_image_card_get_step (SluiceImageCard *self);

G_END_DECLS
