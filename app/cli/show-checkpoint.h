/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* `sluice info CHECKPOINT`: what tensors are in it. The exit status. */
int sluice_cli_show_checkpoint (const char *path, GError **error);
