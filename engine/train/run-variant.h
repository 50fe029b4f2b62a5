/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/runs.h"
#include "engine/store/run-control.h"
#include "engine/train/reproduce.h"
#include "engine/train/run-diff.h"

/*
 * Runs as other programs get them: dictionaries a{sv} with the keys of `sluice runs --json`, which
 * prints them, in their order. What is null there is a maybe without a value; texts are UTF-8
 * whatever the store has.
 */

/* Numbers of runs and their names, to tell parents by. (transfer full): it points into entries.
 * entries: (element-type SluiceRunEntry) */
GHashTable *sluice_run_entries_map_names (GPtrArray *entries);
/* names: as above. (transfer floating) */
GVariant *
sluice_run_entry_to_variant (SluiceStore *store, const SluiceRunEntry *self, GHashTable *names);
/* names: (array zero-terminated=1): of the runs. (transfer floating) */
GVariant *sluice_run_diff_to_variant (const SluiceRunDiff *self, const char *const *names);
/* (transfer floating): as `sluice control --json` and `sluice reproduce --json` print them. */
GVariant *sluice_command_to_variant (const SluiceCommand *self, const SluiceRunInfo *run);
GVariant *sluice_reproduction_to_variant (const SluiceReproduction *self);
