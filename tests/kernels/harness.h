/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/builder.h"
#include "engine/runtime/session/session.h"
#include "kernels/registry.h"

/* A graph with a builder and a session; nodes are added, then run by name. */
typedef struct
{
  SluiceGraph *graph;
  SluiceBuilder b;
  SluiceSession *session;
} Harness;

void harness_init (Harness *self, guint64 seed, gboolean reference_kernels);
void harness_clear (Harness *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Harness, harness_clear)

SluiceEdge harness_floats (Harness *self, const SluiceShape *shape, const float *values);
/* Values between -1 and 1 that are the same in every run. */
SluiceEdge harness_noise (Harness *self, const SluiceShape *shape);
SluiceEdge harness_placeholder (Harness *self, const char *name, SluiceDType dtype);
/* Adds a node under a name of its own; aborts the test where it is refused. */
SluiceEdge harness_add (Harness *self,
                        const char *op,
                        const char *name,
                        const SluiceEdge *inputs,
                        guint n_inputs,
                        const SluiceAttr *attrs,
                        guint n_attrs);
/* The same without attributes. */
#define harness_op(self, op, name, ...)                                                            \
  harness_add ((self), (op), (name), (SluiceEdge[]){ __VA_ARGS__ },                                \
               SLUICE_COUNT_ (SluiceEdge, __VA_ARGS__), NULL, 0)

/* A variable NAME of floats, a reference or a handle, its initialiser NAME/init and its value
 * NAME/read. */
SluiceEdge
harness_variable (Harness *self, gboolean resource, const char *name, SluiceEdge initial);

/* One run of an edge or, where fetch is NULL, of a target. (transfer full) (nullable) */
SluiceTensor *harness_run (Harness *self,
                           const char *fetch,
                           const char *target,
                           const SluiceFeed *feeds,
                           guint n_feeds,
                           GError **error);
/* Runs that must succeed. */
SluiceTensor *harness_fetch (Harness *self, const char *fetch);
void harness_target (Harness *self, const char *target);
/* A run that must fail with that code. */
void harness_fails (Harness *self, const char *fetch, const char *target, SluiceError code);
