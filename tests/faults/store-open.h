/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"
#include "tests/faults/inject.h"

/* Injects into the ways into a store. stock: a workspace that is there; fresh: the name of one that
 * comes and goes */
void store_open_inject (const char *stock, const char *fresh, Count *total);

/* On a healthy machine. */
SluiceStore *store_open_well (const char *workspace);
/* Runs and what they have. (transfer full) (nullable) */
char *store_list_all (SluiceStore *store, GError **error);
