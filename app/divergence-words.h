/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/divergence.h"

/* Which node is the first that differs, by what, and what it reads: (transfer full). */
char *sluice_divergence_words (const SluiceDivergence *self);
