/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* An editor of the canvas without an engine: a list of nodes that it changes as it is asked to, and
 * a log of what it was asked. */
#pragma once

#include "ui/canvas/canvas-edit.h"

typedef struct
{
  SluiceCanvas *canvas; /* not kept */
  GPtrArray *nodes;     /* FakeNode */
  GString *log;         /* "connect x:0 fc:0; " */
  SluiceGraphModel *model;
  gboolean is_late; /* models come when nothing else is to be done */
  guint source;
} FakeEditor;

/* One node a line: "name op shape input…", as x:0 or, of an open input, '-'. Ops: Placeholder,
 * Labels (int64), Image (uint8), MatMul (a and b: two axes), Relu, Loss (logits: two axes, labels:
 * int64), Split (two outputs). */
FakeEditor *fake_editor_new (SluiceCanvas *canvas, const char *text);
void fake_editor_free (FakeEditor *self);

/* It becomes the canvas' editor, and its model the canvas'. */
void fake_editor_attach (FakeEditor *self);

/* What the node reads, "x:0 -"; (transfer full) (nullable): there is no such node. */
char *fake_editor_dup_inputs (FakeEditor *self, const char *node);

void fake_editor_add (FakeEditor *self, const char *line);
void fake_editor_show (FakeEditor *self);
