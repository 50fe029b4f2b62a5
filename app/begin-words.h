/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/trainer.h"

/* What a run that goes on has to do again, and why; (transfer full) (nullable): NULL where nothing
 * is lost. */
char *sluice_begin_words (SluiceTrainer *trainer);
