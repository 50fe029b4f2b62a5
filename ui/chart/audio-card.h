/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/card.h"

G_BEGIN_DECLS

/**
 * SluiceAudioCard:
 *
 * A clip of sound with a player: GTK's, which needs its GStreamer module. Without it the card says
 * so, and still what the clip is.
 */
#define SLUICE_TYPE_AUDIO_CARD (sluice_audio_card_get_type ())
G_DECLARE_FINAL_TYPE (SluiceAudioCard, sluice_audio_card, SLUICE, AUDIO_CARD, SluiceCard)

GtkWidget *sluice_audio_card_new (const char *title);

/**
 * sluice_audio_card_set:
 * @rate: samples a second; @channels, @frames: as many of them
 * @clip: encoded; a reference is taken
 */
void sluice_audio_card_set (
    SluiceAudioCard *self, gint64 step, double rate, gint64 channels, gint64 frames, GBytes *clip);

/** sluice_audio_card_get_text: (transfer none): what the clip is, in words. */
const char *sluice_audio_card_get_text (SluiceAudioCard *self);

G_END_DECLS
