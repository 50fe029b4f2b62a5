/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/*
 * Sums, differences and products in a row, on a block of elements that stays in registers: no
 * element goes to memory between one and the next. The bits are those of the plain loops.
 */
typedef enum
{
  SLUICE_CHAIN_NONE,
  SLUICE_CHAIN_ADD,
  SLUICE_CHAIN_SUB,
  SLUICE_CHAIN_MUL,
} SluiceChainOp;

/* Of that type; NULL: there is none. */
SluiceStripChain sluice_chain_get (SluiceDType dtype);
