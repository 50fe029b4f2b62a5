/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"
#include "ui/canvas/canvas-edit.h"

/*
 * The commands that gestures stand for. Each is one line, whatever it says in several words, so
 * that it is undone as one. All (transfer full).
 */

/* off: (nullable): the input that the wire was taken off */
char *sluice_edit_line_connect (const SluiceCanvasLink *link, const SluiceCanvasEnd *off);
char *sluice_edit_line_disconnect (const SluiceCanvasEnd *inputs, guint n);
/* names: of nodes and scopes, one at least; so everywhere */
char *sluice_edit_line_remove (const char *const *names);
char *sluice_edit_line_splice (const SluiceCanvasLink *wire,
                               const SluiceCanvasEnd *input,
                               const SluiceCanvasEnd *output,
                               const GPtrArray *lines);
/* What read them reads what they read. keeps_input: they go on reading it. (nullable):
 * FAILED_PRECONDITION, where it cannot be told what that is. */
char *sluice_edit_line_detach (SluiceGraph *graph,
                               const char *const *names,
                               gboolean keeps_input,
                               GError **error);
/* Gone around; of what all is, not any more. */
char *sluice_edit_line_mute (SluiceGraph *graph, const char *const *names);
/* new_name: with its scope. lines: of sluice_view_state_diff(), of what was arranged of it. Its
 * gradients are called after it, and follow. */
char *sluice_edit_line_rename (SluiceGraph *graph,
                               const char *name,
                               const char *new_name,
                               const GPtrArray *lines);
/* Into a scope beside them. lines: as of rename, and so of ungroup */
char *sluice_edit_line_group (const char *group, const char *const *names, const GPtrArray *lines);
/* The name of the scope that it would be, and what they are called in it. (transfer full) */
char *sluice_edit_dup_group (SluiceGraph *graph, const char *const *names);
GStrv sluice_edit_list_in_group (const char *group, const char *const *names);
/* What stands in a scope, and what it is called where that is taken apart. (transfer full) */
GStrv sluice_edit_list_below (SluiceGraph *graph, const char *scope);
GStrv sluice_edit_list_above (const char *scope, const char *const *names);
/* kind: "scalar". edge: what it shows */
char *sluice_edit_line_summary (const char *kind, const char *edge);
char *sluice_edit_line_ungroup (const char *scope, const GPtrArray *lines);
/* A block that is called as the scope is, or nearly. */
char *sluice_edit_line_block (SluiceGraph *graph, const char *scope);
/* One more of the block of an instance, beside it. */
char *sluice_edit_line_instance (SluiceGraph *graph, const char *block, const char *scope);
/* command: one that takes a name and nothing else */
char *sluice_edit_line_of (const char *command, const char *name);
/* lines: of sluice_view_state_diff() */
char *sluice_edit_line_layout (const GPtrArray *lines, const char *words);
char *sluice_edit_line_duplicate (SluiceGraph *graph, const char *const *names);

/* What numbers on an edge are brought down to: each to [least, most], or all by one factor, so that
 * the root of the sum of their squares is at most `most`. */
typedef struct
{
  gboolean by_norm;
  double least, most;
} SluiceClip;
/* name: (out) (transfer full): of the node that is inserted */
char *
sluice_edit_line_clip (SluiceGraph *graph, const char *edge, const SluiceClip *clip, char **name);
