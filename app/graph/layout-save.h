/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

/* Writes the file of a layout whole or not at all, in a worker; then done is called with a boolean
 * to propagate, from a GTask whose source is the owner. text: (transfer full) */
void sluice_layout_save (const char *path, char *text, GObject *owner, GAsyncReadyCallback done);
