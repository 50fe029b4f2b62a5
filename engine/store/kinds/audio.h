/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kind.h"

typedef struct
{
  SluiceRecord base;
  double sample_rate; /* Hz */
  gint64 channels, frames;
  char *content_type; /* "audio/wav" */
  GBytes *clip;       /* encoded */
} SluiceAudio;

/* (transfer full): takes a reference of clip. */
SluiceAudio *sluice_audio_new (gint64 step,
                               double wall,
                               double sample_rate,
                               gint64 channels,
                               gint64 frames,
                               const char *content_type,
                               GBytes *clip);
