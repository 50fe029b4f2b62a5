/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kind.h"

/* A point as a record: how readers of all kinds see it. Points are logged, stored and drawn in
 * chunks (chunks.c), never one by one. */
typedef struct
{
  SluiceRecord base;
  double value;
} SluiceScalarRecord;

SluiceScalarRecord *sluice_scalar_record_new (gint64 step, double wall, double value);
