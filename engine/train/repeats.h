/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"
#include "engine/train/project.h"

/**
 * sluice_project_dup_repeated:
 * @self: with its overrides applied
 *
 * The same graph, data, settings and seed give the same bits. Steps, checkpoints and words of
 * description change no value: a longer run repeats a shorter one as far as that goes.
 *
 * Returns: (transfer full) (nullable): the name of the newest run in @store that one of this
 * project would repeat; %NULL where there is none, where that cannot be told, or where asynchronous
 * workers make each run another one
 */
char *sluice_project_dup_repeated (const SluiceProject *self, SluiceStore *store);
