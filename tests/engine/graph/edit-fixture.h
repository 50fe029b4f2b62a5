/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/builder.h"
#include "engine/graph/edit.h"

/* What the tests of transactions share: a graph that somebody follows, and what it must be before
 * and after them. */
typedef struct
{
  SluiceGraph *graph;
  SluiceBuilder b;
  guint follower;
  GString *heard; /* what followers were told, a line each */
} Fixture;

void edit_set_up (Fixture *f, gconstpointer data);
void edit_tear_down (Fixture *f, gconstpointer data);
void edit_follow (Fixture *f);
void edit_assert_heard (Fixture *f, const char *expected);
SluiceNode *edit_node (Fixture *f, const char *name);
SluiceEdge edit_edge (Fixture *f, const char *name);
SluiceEdge edit_placeholder (Fixture *f, const char *name, SluiceDType dtype, SluiceShape shape);
SluiceEdge edit_add (Fixture *f, const char *op, const char *name, SluiceEdge a, SluiceEdge b);
GBytes *edit_dup_bytes (SluiceGraph *graph);
char *edit_dup_text (SluiceGraph *graph);
void edit_assert_bytes (SluiceGraph *graph, GBytes *expected);
SluiceEdit *edit_commit (Fixture *f);
void edit_assert_inverse (Fixture *f, SluiceEdit *edit, GBytes *before);
void edit_assert_words (GError **error, int code, const char *const *words);
void edit_assert_refused (Fixture *f, GBytes *before, const char *const *words);
void edit_make_chain (Fixture *f);
void edit_assert_shape (SluiceEdge found, const char *expected);
void edit_load_meta (Fixture *f);
void edit_make_loop (Fixture *f);
#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })
