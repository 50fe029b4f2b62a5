/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/memory/memory-plan.h"

/* What is known of memory, in sentences. All texts are (transfer full). */

/* "conv1/Relu, activation, 6.4 MB, float 64×28: alive 0.95 to 3.80 ms, read 2 times, freed by
 * pool1". */
char *sluice_memory_words_band (const SluiceMemoryView *view, guint band);
/* "37 859 264 bytes at the peak, every one has an owner"; is_whole: (out): it is so */
char *sluice_memory_words_sum (const SluiceMemoryView *view, gboolean *is_whole);
/* "pool 39.8 MB · live 37.9 · free 1.99 in 4 holes, largest 1.05 · fragmentation 47 %". */
char *sluice_memory_words_map (const SluiceMemoryMap *map);
/* Who freed it: "conv1/MaxPool ∇", "the session keeps it", "–". */
char *sluice_memory_words_freer (const SluiceMemoryView *view, guint band);
/* What could be spared of it. */
char *sluice_memory_words_help (const SluiceMemoryView *view, const SluiceMemoryHolding *holding);
/* "recompute −384 KB +0.12 ms". */
char *sluice_memory_words_choice (const SluiceMemoryChoice *choice);
/* (nullable): of a request that was refused: what, for whom, and what would have made it fit */
char *sluice_memory_words_refusal (const SluiceMemoryView *view);
/* "fc1/weights ∇: 1.06 ms after its last use, held until Momentum ended". */
char *sluice_memory_words_late (const SluiceMemoryView *view, guint band);
/* "queue: 64 B behind step 3, 448 B behind step 9". */
char *sluice_memory_words_growth (const SluiceMemoryView *view, const SluiceMemoryGrowth *growth);
