/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/place/prediction.h"

/*
 * Predicts the graph that is open, and what a change of it would do, on another thread: what was
 * predicted is kept as long as the graph, the machine and the policy are the same. Nothing is
 * computed until somebody asks. Main thread only.
 *
 * Signal: changed: there is another prediction, or error, or none.
 */
#define SLUICE_TYPE_PREDICTOR (sluice_predictor_get_type ())
G_DECLARE_FINAL_TYPE (SluicePredictor, sluice_predictor, SLUICE, PREDICTOR, GObject)

SluicePredictor *sluice_predictor_new (void);
/* graph: (nullable); project: (nullable): the folder whose it is */
void sluice_predictor_set_graph (SluicePredictor *self, SluiceGraph *graph, const char *project);
/* The graph may have changed. */
void sluice_predictor_update (SluicePredictor *self);
/* What is known of the machine is other than it was: figures were measured. */
void sluice_predictor_look_again (SluicePredictor *self);
/* path: (nullable): of a file; NULL: the machine that this is */
void sluice_predictor_set_machine (SluicePredictor *self, const char *path);
const char *sluice_predictor_get_machine (SluicePredictor *self); /* (nullable) */
/* policy: (nullable): as runs do it */
void sluice_predictor_set_policy (SluicePredictor *self, const char *policy);
const char *sluice_predictor_get_policy (SluicePredictor *self); /* (nullable) */

/**
 * sluice_predictor_get:
 * @error: (out) (nullable) (optional) (transfer none): why there is none
 *
 * Of the graph as it is now; asks for it.
 *
 * Returns: (nullable) (transfer none): not known yet, or not to be known
 */
SluicePlacePrediction *sluice_predictor_get (SluicePredictor *self, const GError **error);
/* Is there nothing that was asked for and is not known yet? */
gboolean sluice_predictor_is_settled (SluicePredictor *self);

/* after: (nullable): error says why not. Both are lent. */
typedef void (*SluicePredictorTold) (SluicePlacePrediction *after,
                                     const GError *error,
                                     gpointer user_data);
/* What would be if these nodes and scopes asked for that device. user_data is who asks, and has one
 * question at a time: the last one. told is called once, at once where the answer is known; with
 * CANCELLED where the graph, the machine or the policy became others. */
void sluice_predictor_try (SluicePredictor *self,
                           const char *const *moved,
                           const char *device,
                           SluicePredictorTold told,
                           gpointer user_data);
/* What that one has asked is not wanted any more. */
void sluice_predictor_forget (SluicePredictor *self, gpointer user_data);
