/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/page.h"

/* The page of the memory of one step on one device: who holds what and when, where it lies, and
 * what the peak consists of. While it is seen it has a step of the run recorded now and then. */
#define SLUICE_TYPE_MEMORY_PAGE (sluice_memory_page_get_type ())
G_DECLARE_FINAL_TYPE (SluiceMemoryPage, sluice_memory_page, SLUICE, MEMORY_PAGE, GtkWidget)

/* Another page has it selected: its largest band is, too, without being told of it. Signal, the
 * other way: node-selected (string name). */
void sluice_memory_page_select_node (SluiceMemoryPage *self, const char *name);
