/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Sorts pointers a step at a time: a million of them take longer than a turn of the main loop may.
 * Equal ones keep their order. */
typedef struct _SluiceStepSort SluiceStepSort;

/* @items: nobody else changes it meanwhile. */
SluiceStepSort *sluice_step_sort_new (GPtrArray *items, GCompareFunc compare);
void sluice_step_sort_free (SluiceStepSort *self);
/* Makes some of at most *budget comparisons, which are taken off it. Returns: it is sorted */
gboolean sluice_step_sort_step (SluiceStepSort *self, guint *budget);
