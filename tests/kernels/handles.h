/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graphdef.h"
#include "tests/kernels/harness.h"

/* A node of a graph that is built twice: of ops that hand on names, and of those with handles. */
typedef struct
{
  const char *name;
  const char *op[2]; /* before V2, and V2; the second may be NULL: the same */
  const char *rest;  /* inputs and attributes, in GraphDef's text */
} HandleNode;

static inline void
handles_init (Harness *h, const HandleNode *nodes, guint n, gboolean v2)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  harness_init (h, 1, FALSE);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "node { name: '%s' op: '%s' %s }", nodes[i].name,
                            nodes[i].op[v2 && nodes[i].op[1] != NULL], nodes[i].rest);
  g_autoptr (GBytes) bytes = g_bytes_new (text->str, text->len);
  sluice_graph_import (h->graph, bytes, &error);
  g_assert_no_error (error);
}
