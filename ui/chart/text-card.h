/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/card.h"

G_BEGIN_DECLS

/**
 * SluiceTextCard:
 *
 * What an evaluation wrote in words, of one step.
 */
#define SLUICE_TYPE_TEXT_CARD (sluice_text_card_get_type ())
G_DECLARE_FINAL_TYPE (SluiceTextCard, sluice_text_card, SLUICE, TEXT_CARD, SluiceCard)

GtkWidget *sluice_text_card_new (const char *title);

/** sluice_text_card_set: shows @text (UTF-8), which was written at @step, instead of the last. */
void sluice_text_card_set (SluiceTextCard *self, gint64 step, const char *text);

/** sluice_text_card_set_markup: the same with Pango markup, which must be valid. */
void sluice_text_card_set_markup (SluiceTextCard *self, gint64 step, const char *markup);

/** sluice_text_card_get_text: (transfer none): what is shown, "" at first. */
const char *sluice_text_card_get_text (SluiceTextCard *self);

G_END_DECLS
