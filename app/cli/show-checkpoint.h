/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Is it a checkpoint: TensorFlow's, by prefix or index, or safetensors? */
gboolean cli_is_checkpoint (const char *path);
/* `sluice info CHECKPOINT`: what tensors are in it. The exit status. */
int cli_show_checkpoint (const char *path, GError **error);
