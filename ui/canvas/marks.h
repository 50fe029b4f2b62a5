/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What stands out in a graph: badges on nodes and on the scopes that hold them, and the nodes that
 * lead to a node or that it leads to. By group of a hierarchy. */
#pragma once

#include "ui/canvas/hierarchy.h"

G_BEGIN_DECLS

/* The worse one is the greater one: it is what a scope shows. */
typedef enum
{
  SLUICE_MARK_NONE,
  SLUICE_MARK_WARNING,
  SLUICE_MARK_REFUSAL, /* the node cannot run; of itself, as the model says */
  SLUICE_MARK_NAN,
  SLUICE_MARK_FAILURE,
  /* Of breakpoints, which are marks of their own beside these. */
  SLUICE_MARK_BREAK_IDLE, /* it does not stop: the text says why */
  SLUICE_MARK_BREAK,
  SLUICE_MARK_STOP, /* the run has stopped there */
} SluiceMarkKind;

typedef struct
{
  const char *name; /* of a node; of a breakpoint also of a scope, or of an output, "fc1:0" */
  SluiceMarkKind kind;
  const char *text; /* what happened and what to do */
} SluiceCanvasMark;

typedef struct _SluiceMarks SluiceMarks;

/* The refusals of the model and the marks, which are copied. */
SluiceMarks *
sluice_marks_new (SluiceHierarchy *hierarchy, const SluiceCanvasMark *marks, guint n_marks);
void sluice_marks_free (SluiceMarks *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceMarks, sluice_marks_free)

/* The worst at @group and below. @text: (out) (nullable): what is said of it; of a scope with the
 * node's name. */
SluiceMarkKind sluice_marks_get (const SluiceMarks *self, guint group, const char **text);
/* "failure", "nan", "refusal", "warning", "", "break-idle", "break", "stop". */
const char *sluice_mark_kind_nick (SluiceMarkKind kind);

/**
 * sluice_trace_groups:
 * @group: from where
 * @outputs: %TRUE to its readers and theirs, %FALSE to its inputs and theirs
 * @depth: edges at most; 0: all the way
 *
 * Along data edges; around loops once.
 *
 * Returns: (transfer full): by group, 1 for each op that is reached and each scope that holds one;
 *   for @group, too
 */
guint8 *
sluice_trace_groups (SluiceHierarchy *hierarchy, guint group, gboolean outputs, guint depth);

G_END_DECLS
