/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/command/stack.h"

/* What tests of commands begin with: a graph, and the commands on it. */
typedef struct
{
  SluiceGraph *graph;
  SluiceCommandStack *stack;
} Fixture;

/* GLib's test framework, all ops and passes. */
void fixture_init (int *argc, char ***argv);
/* script: (nullable): what is done in the beginning */
void fixture_set_up (Fixture *self, gconstpointer script);
void fixture_tear_down (Fixture *self, gconstpointer unused);
/* All of it can be done. */
void fixture_run (Fixture *self, const char *script);
