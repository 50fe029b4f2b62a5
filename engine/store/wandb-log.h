/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * The log of W&B, run-ID.wandb: seven bytes (":W&B", a number, a version), then records in blocks
 * of 32 KiB, framed as LevelDB frames its log, but with the CRC-32 of zlib. What a record holds is
 * a message of protocol buffers.
 */

typedef enum
{
  SLUICE_WANDB_ONE,
  SLUICE_WANDB_END,
  SLUICE_WANDB_TORN,    /* it ends within a record, so far */
  SLUICE_WANDB_DAMAGED, /* what says why; the rest of the block was passed over */
} SluiceWandbResult;

#define SLUICE_WANDB_HEADER 7

gboolean sluice_wandb_log_is_one (const guint8 *bytes, gsize length);

/**
 * sluice_wandb_log_next:
 * @offset: (inout): SLUICE_WANDB_HEADER, or what this gave; behind the record, or the damage. Stays
 *   where it is of END and TORN
 * @record: what it holds
 * @what: (out): of damage; static, translatable with _()
 */
SluiceWandbResult sluice_wandb_log_next (
    const guint8 *bytes, gsize length, gsize *offset, GByteArray *record, const char **what);
