/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Numbers in the engine's sentences: "12345", or as the program writes its own. */

/* (transfer full): how many there are. */
char *sluice_count_dup (gint64 n);
/* Once, at the start of a program that writes numbers in its own way; dup: on any thread. */
void sluice_count_set_format (char *(*dup) (gint64 n));
