/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/sweep.h"

/* How a form varies one setting: as it was typed. No GTK. */
typedef enum
{
  SLUICE_VARY_VALUES, /* each of a list */
  SLUICE_VARY_GRID,   /* so many points of a range */
  SLUICE_VARY_RANDOM, /* so many values of a range by lot */
} SluiceVaryKind;

typedef struct
{
  SluiceVaryKind kind;
  const char *const *values; /* (nullable): of VALUES */
  const char *low, *high;    /* of a range, as typed */
  const char *n;             /* points, or draws, as typed */
  gboolean is_log;
  guint64 seed; /* of the lot */
} SluiceVary;

/**
 * sluice_vary_dup_text:
 * @key: as sluice_project_set() calls the setting
 * @scratch: a project that has it, which is changed
 * @count: (out): how many values that are
 *
 * Of a lot the values that were drawn, each once: another setting's draws do not change them.
 *
 * Returns: (transfer full) (nullable): "KEY=VALUES" for a sweep; %NULL with INVALID_ARGUMENT or
 * NOT_FOUND
 */
char *sluice_vary_dup_text (const SluiceVary *self,
                            const char *key,
                            SluiceProject *scratch,
                            guint64 *count,
                            GError **error);
