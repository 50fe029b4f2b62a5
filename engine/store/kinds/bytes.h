/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kind.h"

/* The struct of kinds that are a message of which only the bytes are known. */
typedef struct
{
  SluiceRecord base;
  GBytes *bytes;
} SluiceBytesRecord;
