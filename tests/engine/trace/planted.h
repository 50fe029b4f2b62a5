/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/bottleneck.h"
#include "tests/engine/runtime/fixture.h"

/*
 * Programs whose steps are slow or large for a reason that was planted: real graphs that a session
 * runs, recorded as any run is. A few ops exist only here: they work for a time, hold a variable's
 * lock, end on another thread, or keep a value for too long (planted.c).
 */
typedef struct
{
  Fixture f;
  gboolean is_mended; /* the same program without the cause */
  SluiceTraceView *view;
  GPtrArray *memories; /* of SluiceMemoryView, of the device below, by step */
} Planted;

typedef struct
{
  const char *name;
  SluiceBottleneckKind kind;
  SluiceSessionOptions options;
  /* Adds nodes to the graph; all that nobody reads is run by the node "step". */
  void (*build) (Planted *self);
  void (*before_step) (Planted *self, guint64 step); /* (nullable): on the thread that runs them */
  const char *first;  /* (nullable): a node that runs once before all */
  const char *device; /* (nullable): whose memory is recorded */
  gint64
      feeder_us; /* somebody else runs the node "feed" again and again, so long apart; 0: nobody */
  guint n_steps; /* 0: PLANTED_STEPS */
} PlantedProgram;

#define PLANTED_STEPS 9

void planted_init_registry (void);
void planted_run (Planted *self, const PlantedProgram *program, gboolean is_mended);
void planted_clear (Planted *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Planted, planted_clear)

/* From the start of a step to that of the next, in nanoseconds: the mean. */
gint64 planted_get_period (const Planted *self);
/* What the allocator had from the system at the highest of its peaks. */
gsize planted_get_reserved (const Planted *self);

/* ---- for those that build ---- */

/* Op "TestBusy" with one input, of which it makes its output, after so long. device: (nullable) */
SluiceEdge
planted_busy (Planted *self, const char *name, const char *device, SluiceEdge x, gint64 us);
/* Op "TestHold": as long with the lock of a variable. */
SluiceEdge
planted_hold (Planted *self, const char *name, SluiceEdge variable, SluiceEdge x, gint64 us);
/* Op "TestElsewhere" (asynchronous): the time goes by on another thread. */
SluiceEdge planted_elsewhere (Planted *self, const char *name, SluiceEdge x, gint64 us);
/* Op "TestKeep": has a value of so many bytes made by op "TestMake" until "TestDrop" has run. */
SluiceEdge planted_make (Planted *self, const char *name, SluiceEdge after, gint64 bytes);
/* Reads a value and makes a scalar of it. */
SluiceEdge planted_read (Planted *self, const char *name, SluiceEdge x, gboolean keeps);
SluiceEdge planted_drop (Planted *self, const char *name, SluiceEdge after);
/* A resource variable with room for so many floats, and the node "init" that fills it with zeros.
 */
SluiceEdge planted_variable (Planted *self, const char *name, gint64 n);

/* From then on "TestBusy" nodes whose name begins with "late" take so long in this step. */
void planted_delay (gint64 us);
/* Until a "TestHold" node has its lock. */
void planted_wait_for_holder (void);
