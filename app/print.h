/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/page.h"

/* Lets the user print a page of the window: the graph on a sheet, the charts that are laid out
 * eight to one. @path: (nullable): without asking, into that PDF. Returns: (transfer full)
 * (nullable): what went wrong */
char *sluice_print (GtkWindow *parent, SluicePage *page, const char *name, const char *path);
