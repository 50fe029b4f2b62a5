/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * Large blocks between memory and a file, with their CRC-32C: in pieces that are summed while the
 * cache holds them, on several threads. 0, or an errno; ENODATA where the file ends before.
 */
int sluice_summed_read (int fd, gint64 offset, void *to, gsize length, guint32 *crc);
int sluice_summed_write (int fd, gint64 offset, const void *from, gsize length, guint32 *crc);
