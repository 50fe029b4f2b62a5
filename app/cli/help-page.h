/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/cli/cli.h"

/* `sluice help PAGE`: a page of the manual as it is written. Returns: the exit status */
int sluice_cli_help_page (const char *page, GError **error);

/* Writes the pages that follow from the program's own tables into a folder: "keys", "verbs".
 * common: the options that every verb has */
gboolean sluice_cli_help_pages_write (const char *folder,
                                      const Verb *const *verbs,
                                      guint n_verbs,
                                      const GOptionEntry *common,
                                      GError **error);
