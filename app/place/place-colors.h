/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/place/prediction.h"
#include "ui/canvas/canvas.h"

/* Is it a way to colour that a prediction tells? */
gboolean sluice_place_colors_has (SluiceColorBy by);
/* prediction: (nullable): there is none. n_decided: the first so many of the policy's decisions;
 * G_MAXUINT: all */
void sluice_place_colors_show (SluiceCanvas *canvas,
                               SluiceColorBy by,
                               const SluicePlacePrediction *prediction,
                               guint n_decided);
