/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* A message with a capital and a full stop. (transfer full) */
char *sluice_failure_sentence (const char *message);
/* What happened, to what, and what to do: such a sentence and, where it does not say it itself,
 * advice. (transfer full) */
char *sluice_failure_words (const GError *error);
