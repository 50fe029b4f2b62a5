/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* What happened, to what, and what to do: the message with a capital, a full stop and, where it
 * does not say it itself, advice. (transfer full) */
char *sluice_failure_words (const GError *error);
