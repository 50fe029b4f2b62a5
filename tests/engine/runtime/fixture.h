/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/builder.h"
#include "engine/graph/shape-context.h"
#include "engine/runtime/session/session.h"
#include "kernels/registry.h"

/*
 * What the tests of the runtime share: a graph with a builder, a session, runs by name, and a few
 * ops that exist only here (fixture.c): they count, wait, fail, or end on another thread.
 */
typedef struct
{
  SluiceGraph *graph;
  SluiceBuilder b;
  SluiceSession *session;
} Fixture;

void fixture_init_registry (void);
void fixture_init (Fixture *self, const SluiceSessionOptions *options);
void fixture_clear (Fixture *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

/* Hands the graph to the session. */
void fixture_extend (Fixture *self);

SluiceEdge fixture_placeholder (Fixture *self, const char *name, SluiceDType dtype);
SluiceEdge fixture_scalar (Fixture *self, float value);
SluiceEdge fixture_variable (Fixture *self, const char *name, float initial);
/* A node with control inputs and a device; name may be NULL. */
SluiceNode *fixture_node (Fixture *self,
                          const char *op,
                          const char *name,
                          const char *device,
                          const SluiceEdge *inputs,
                          guint n_inputs,
                          SluiceNode *const *controls,
                          guint n_controls,
                          const SluiceAttr *attrs,
                          guint n_attrs);

/* One of one or two inputs; b.node may be NULL. */
SluiceEdge fixture_on (Fixture *self,
                       const char *device,
                       const char *op,
                       const char *name,
                       SluiceEdge a,
                       SluiceEdge b);

/* One scalar float fetched; aborts the test where the run fails. */
float fixture_fetch (Fixture *self, const char *fetch, const SluiceFeed *feeds, guint n_feeds);
gboolean fixture_run_target (Fixture *self,
                             const char *target,
                             const SluiceRunOptions *options,
                             GError **error);

/* Op "TestCount": hands its input on and counts how often it ran. */
extern _Atomic int fixture_count;
/* Op "TestWait": waits until fixture_go is set or the call is cancelled; counts those inside. */
extern _Atomic int fixture_go, fixture_waiting;
/* Op "TestFold": the same without state, so that planning computes it where its input is constant.
 */
/* Op "TestLater" (asynchronous): hands its input on from another thread, once fixture_go is set. */
/* Op "TestMute": fails and does not say why. */
/* Op "TestHalf": hands its input on as output 0 and leaves output 1 unset. */
/* Op "TestStamp": writes down its order in fixture_order[attribute "slot"]. */
extern _Atomic int fixture_clock;
extern _Atomic int fixture_order[];
#define FIXTURE_MAX_ORDER 4096
