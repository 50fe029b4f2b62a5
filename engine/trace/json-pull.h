/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* JSON read from its beginning to its end, one token after the other: of gigabytes nothing is kept,
 * and nothing is trusted. After a failure all fails. */
typedef struct
{
  const guint8 *start, *at, *end;
  gboolean failed;
} SluiceJsonPull;

void sluice_json_pull_init (SluiceJsonPull *self, const void *bytes, gsize length);

/* What comes: '{', '[', '"', '0' for a number, 't' for a word (true, false, null), '}', ']', ',',
 * ':', 0 at the end. */
char sluice_json_pull_peek (SluiceJsonPull *self);
/* Takes such a bracket, comma or colon where it comes. */
gboolean sluice_json_pull_take (SluiceJsonPull *self, char which);
/* A text, a number or a word as text, which is valid UTF-8; replaces out. */
gboolean sluice_json_pull_scalar (SluiceJsonPull *self, GString *out);
/* Any value, with all that is in it. */
gboolean sluice_json_pull_skip (SluiceJsonPull *self);

/* Of an object or array that was begun, '}' or ']' being its end: TRUE where there is one more
 * member, in front of which it stands then. is_first: at the first call. */
gboolean sluice_json_pull_more (SluiceJsonPull *self, char end, gboolean is_first);
/* The name of a member and its colon. */
gboolean sluice_json_pull_name (SluiceJsonPull *self, GString *out);
