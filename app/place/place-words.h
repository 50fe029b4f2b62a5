/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/place/prediction.h"

/* What a prediction says, in sentences. All (transfer full). */

/* "4.1 ± 0.3 ms a step predicted · 1.2 MB over links". machine: (nullable): the file whose devices
 * they are, which is said first */
char *sluice_place_words_step (const SluicePlacePrediction *self, const char *machine);
/* "at most 3.2 MB", "… of 8.0 GB" */
char *sluice_place_words_memory (const SluicePlacePrediction *self, guint device);
/* "−0.42 ms (−9 %) · peak +1.2 MB · links +0.3 MB" */
char *
sluice_place_words_change (const SluicePlacePrediction *before, const SluicePlacePrediction *after);
/* The k-th decision, from 1: which node went where, why, and by how much. 0: none yet */
char *sluice_place_words_decision (const SluicePlacePrediction *self, guint k);
/* The node that was decided on as the k-th, from 0. */
guint sluice_place_find_decision (const SluicePlacePrediction *self, guint k);
/* "Predicted 4.1 ms a step, measured 4.6 ± 0.2 ms: 12 % late". plus_minus: INFINITY: not known */
char *sluice_place_words_measured (double predicted_us, double measured_us, double plus_minus);
