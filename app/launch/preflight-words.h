/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/preflight.h"

/* What an item of the pre-flight is called, what of it is bold, and what stands dim behind that. */
typedef struct
{
  const char *what, *title;
  gboolean is_measured; /* another figure each time */
  gboolean is_of_batch; /* a row only where it is not well: the first batch's cards show it */
  /* (transfer full); dim: (out) (transfer full) (nullable) */
  char *(*dup_words) (const SluicePreflightItem *item, const SluicePreflight *card, char **dim);
} SluicePreflightKind;

/* In the order in which they are shown; the last one has no name. What stands in none of them is
 * told by another. */
extern const SluicePreflightKind sluice_preflight_kinds[];
/* (transfer none) (nullable) */
const SluicePreflightKind *sluice_preflight_find_kind (const char *what);
/* hides: a dash stands for the figure. (transfer full) */
char *sluice_preflight_dup_markup (const SluicePreflightKind *kind,
                                   const SluicePreflightItem *item,
                                   const SluicePreflight *card,
                                   gboolean hides);
/* What so many of it take, one after the other and beside each other; part: of the steps that they
 * would have together, where some are stopped early. (transfer full) (nullable) too_much: (out):
 * the disk has no room for them */
char *sluice_preflight_dup_sweep_markup (
    const SluicePreflight *card, guint64 n_runs, double part, gboolean hides, gboolean *too_much);
/* "9 % to 10 % each": the rarest class and the most frequent one. (transfer full) */
char *sluice_preflight_dup_balance (const GArray *counts);
