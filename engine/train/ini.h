/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Files of keys and values, as people write them. */

/* (transfer full) (nullable) */
GKeyFile *sluice_ini_read (const char *path, GError **error);
/* The key is there. (transfer full) (nullable) */
char *sluice_ini_get_text (GKeyFile *file, const char *group, const char *key, GError **error);
void sluice_ini_set_text (GKeyFile *file, const char *group, const char *key, const char *text);
