/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/text.h"

typedef enum
{
  SLUICE_WORK_REMOVED,
  SLUICE_WORK_ADDED,
  SLUICE_WORK_CHANGED,
  SLUICE_WORK_MOVED, /* runs at another place among those that stayed where they were */
} SluiceWorkChangeKind;

/* Texts are borrowed from what was compared. */
typedef struct
{
  SluiceWorkChangeKind kind;
  const char *name;
  const char *before; /* NULL of ADDED */
  const char *after;  /* NULL of REMOVED; may differ from before where the line moved, too */
} SluiceWorkChange;

/**
 * sluice_work_diff:
 *
 * What became of each line, in the order of @after, lines that went standing where they were: as
 * few as possible count as moved (the longest increasing subsequence stays).
 *
 * Returns: (transfer full) (element-type SluiceWorkChange)
 */
GArray *sluice_work_diff (const SluiceWorkText *before, const SluiceWorkText *after);
