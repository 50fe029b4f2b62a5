/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

SLUICE_PUBLIC_BEGIN

typedef enum
{
  SLUICE_SHAPE_ANY,
  SLUICE_SHAPE_IS,
  SLUICE_SHAPE_IS_NOT,
} SluiceShapeTest;

/*
 * Where a run stops, and under which condition: all that is asked for must hold. Without a question
 * about values it stops before the node runs, else behind it, when the value is there and nobody
 * has read it; an edge is always looked at behind its node.
 */
typedef struct
{
  const char *name;  /* interned: of a node, or of a scope; "" is the scope of all nodes */
  gboolean is_scope; /* every node below it */
  int port;          /* of an edge; -1: the node, of which any output will do */

  gboolean non_finite; /* some element is a NaN or an infinity */
  gboolean has_above;  /* some |x| is larger than `above`; what is not finite is */
  double above;
  SluiceShapeTest shape_test;
  SluiceShape shape;  /* -1 stands for any size */
  guint64 first_step; /* of the run's number: not in an earlier one */
  guint64 first_hit;  /* not before all the rest has held so often; 0 and 1: the first time */
} SluiceBreakpoint;

/**
 * sluice_breakpoint_parse:
 * @text: "NODE", "NODE:1", "SCOPE/", "*"; behind it maybe " if " and conditions with " and "
 * between: "nonfinite", "|x| > 10", "shape is [2,?]", "shape is not [2,?]", "step >= 100",
 * "hits >= 3"
 *
 * Returns: %FALSE with INVALID_ARGUMENT that says which word is wrong and what would be right
 */
gboolean sluice_breakpoint_parse (SluiceBreakpoint *self, const char *text, GError **error);

/* The same without its conditions: "NODE:1". (transfer full) */
char *sluice_breakpoint_dup_place (const SluiceBreakpoint *self);

/* What sluice_breakpoint_parse() takes. (transfer full) */
char *sluice_breakpoint_to_text (const SluiceBreakpoint *self);

/* Does it ask about values? Then it stops behind the node. */
gboolean sluice_breakpoint_is_behind (const SluiceBreakpoint *self);

/* Is the value as it asks for? */
gboolean sluice_breakpoint_fits (const SluiceBreakpoint *self, const SluiceTensor *value);

SLUICE_PUBLIC_END
