/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/lower.h"

/* What only a lowered node has. */
void sluice_lowered_free (SluiceLowered *self);
SluiceLowered *sluice_lowered_copy (const SluiceLowered *self);

/* Which functions a node was written out from, innermost first. Counted. */
typedef struct _SluiceCallPath SluiceCallPath;
struct _SluiceCallPath
{
  _Atomic int ref_count;
  SluiceCallPath *parent; /* (nullable) */
  const char *function;   /* interned */
};
SluiceCallPath *sluice_call_path_ref (SluiceCallPath *self); /* NULL stays NULL */
void sluice_call_path_unref (SluiceCallPath *self);
