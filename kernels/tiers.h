/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* How much real graphs need an op: tier 1 most. */
#define SLUICE_N_TIERS 3

/* The ops of a tier, defined or not, sorted. NULL-terminated (transfer none) */
const char *const *sluice_tier_names (int tier);

/* 1 to SLUICE_N_TIERS; 0: in none. */
int sluice_op_tier (const char *op);
