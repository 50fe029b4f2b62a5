/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Appends what base64 for URLs (RFC 4648 section 5), padded or not, stands for. */
gboolean sluice_base64_decode (const char *text, gsize length, GString *to, GError **error);
