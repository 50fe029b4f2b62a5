/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* view-state.c (what a person did), view-state-text.c (how it is written), view-state-diff.c (what
 * a command makes of it). */
#pragma once

#include "ui/canvas/view-state.h"
#include "ui/common/geometry.h"

G_BEGIN_DECLS

/* Thousands where all of a large graph is open; each picture under construction has its own view
 * state, and most change none of them. */
typedef struct
{
  gatomicrefcount ref_count;
  GHashTable *paths; /* set of char*; changed by who has the only reference */
} SluiceOpenScopes;

struct _SluiceViewState
{
  SluiceOpenScopes *open;
  GHashTable *moves;  /* char* -> SluicePoint* */
  GHashTable *places; /* char* -> SluicePlace, never DEFAULT */
  GHashTable *bends;  /* "from\nto" -> SluiceViewBends* */
  GHashTable *notes;  /* char* -> SluiceViewNote* */
  GPtrArray *unknown; /* char*: lines of newer versions and other tools */
  gboolean use_dot;
  gboolean has_view;
  SluicePoint centre;
  double zoom;
  double width, height; /* 0: not set */
};

/* How a line of the text, but for the first one, was taken. */
typedef enum
{
  SLUICE_VIEW_LINE_OK,
  SLUICE_VIEW_LINE_BAD,
  SLUICE_VIEW_LINE_UNKNOWN,
} SluiceViewLine;

SluiceViewLine sluice_view_state_parse_line (SluiceViewState *self, const char *line);
/* Of what a person arranged; the text has a few more. (transfer full) (element-type utf8): sorted
 */
GPtrArray *sluice_view_state_list_lines (const SluiceViewState *self);
/* Words of a line, unescaped; NULL where one is no escaped word. (transfer full) (nullable) */
char **sluice_view_line_split (const char *line);

G_END_DECLS
