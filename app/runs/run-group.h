/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/runs.h"

/*
 * Runs that belong together, told as one: what they have in common, and the mean of what came of
 * them. By what: "seed" (the same but for their seed), "group" (a sweep, or whatever they were
 * told to belong to), "setting:NAME" (the same value of it). No GTK.
 */

/* (transfer full) (nullable): what runs of one group have alike; NULL: the run stands alone. */
char *sluice_run_group_dup_key (const char *by, const SluiceRunEntry *entry);

/* (transfer full): what a group is called. @key: of sluice_run_group_dup_key(). */
char *sluice_run_group_dup_title (const char *by, const char *key, GPtrArray *entries);

/**
 * sluice_run_group_new_entry:
 * @entries: (element-type SluiceRunEntry): at least one
 * @title: (transfer full)
 *
 * (transfer full): as if the group was a run: means of results, settings and tags that all have,
 * durations added up, the state of the member that is furthest from its end. Its number is that of
 * the first one.
 */
SluiceRunEntry *sluice_run_group_new_entry (GPtrArray *entries, char *title);

/* How far the members' results of a tag are from their mean: the sample's standard deviation. NAN
 * where fewer than two of them have one. best: of their best values, else of their last. */
double sluice_run_group_get_deviation (GPtrArray *entries, const char *tag, gboolean best);
