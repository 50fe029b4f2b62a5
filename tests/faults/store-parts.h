/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "tests/faults/inject.h"

/* The parts of the store, each from a state of its own that is made beforehand, in a folder. */
void store_parts_init (const char *folder);
/* Injects into all of them. */
void store_parts_inject (void);
