/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/preflight.h"

/* What an item of the pre-flight is called, what of it is bold, and what stands dim behind that. */
typedef struct
{
  const char *what, *title;
  gboolean is_measured; /* another figure each time */
  /* (transfer full); dim: (out) (transfer full) (nullable) */
  char *(*dup_words) (const SluicePreflightItem *item, const SluicePreflight *card, char **dim);
} SluicePreflightKind;

/* In the order in which they are shown; the last one has no name. What stands in none of them is
 * told by another. */
extern const SluicePreflightKind sluice_preflight_kinds[];
