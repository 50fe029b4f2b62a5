/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/diff.h"
#include "engine/passes/pass.h"

/* What one pass did to the work graph of a signature. */
typedef struct _SluiceExplanation
{
  const SluicePass *pass;
  SluiceWorkText *before, *after;
  GArray *changes; /* of SluiceWorkChange */
} SluiceExplanation;

/**
 * sluice_passes_explain:
 * @pass: a name
 *
 * Runs the passes up to that one and compares the work graph before and behind it.
 *
 * Returns: (transfer full) (nullable): %NULL with NOT_FOUND where there is no such pass,
 * FAILED_PRECONDITION where it is not enabled, naming what it lacks, or with what a pass says of
 * the graph
 */
SluiceExplanation *
sluice_passes_explain (const SluicePassOptions *options, const char *pass, GError **error);
void sluice_explanation_free (SluiceExplanation *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceExplanation, sluice_explanation_free)
