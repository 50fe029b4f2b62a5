/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kind.h"

typedef struct
{
  SluiceRecord base;
  guint width, height;
  guint colorspace; /* as TensorFlow counts: 1 grey, 2 with alpha, 3 RGB, 4 RGBA …; 0: not noted */
  GBytes *png;      /* encoded */
} SluiceStoredImage;

/* (transfer full): of an encoded image, of which a reference is taken. */
SluiceStoredImage *sluice_stored_image_new (
    gint64 step, double wall, guint width, guint height, guint colorspace, GBytes *png);
