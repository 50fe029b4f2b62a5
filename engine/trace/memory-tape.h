/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/allocation-log.h"
#include "engine/runtime/session/session.h"

/* What one device's memory was during one step: what its allocator wrote down, what ran there
 * meanwhile and what reads what. Counted, and no longer changed once it is made. Times are
 * nanoseconds since the recording began. */
typedef struct
{
  guint32 node; /* as owners of memory have it */
  gint64 start, end;
  guint lane;
  gboolean is_wait;     /* it held no thread */
  gboolean is_together; /* its kernel ran other nodes as well */
} SluiceMemoryRun;

typedef struct
{
  const char *name, *op; /* interned */
} SluiceMemoryNode;

typedef struct
{
  _Atomic int ref_count;
  char *device; /* "CPU:0" */
  guint64 step;
  gsize limit;
  gboolean is_limited; /* by less than what the machine has */
  gboolean is_failure; /* what was live when a request was refused: nothing before it is known */
  SluiceAllocationLog *log;
  double ns_per_tick;
  gint64 begin;      /* of the recording, on the clock of the session's trace */
  gint64 length;     /* of the recording */
  GArray *runs;      /* of SluiceMemoryRun, by start */
  GArray *reads;     /* of SluiceRead, by from and to */
  GHashTable *nodes; /* number -> SluiceMemoryNode; of all that the above name */
} SluiceMemoryTape;

/* Takes the log. Nothing ran, and nothing reads. */
SluiceMemoryTape *sluice_memory_tape_new (const char *device,
                                          guint64 step,
                                          SluiceAllocationLog *take_log,
                                          double ns_per_tick);
SluiceMemoryTape *sluice_memory_tape_ref (SluiceMemoryTape *self);
void sluice_memory_tape_unref (SluiceMemoryTape *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceMemoryTape, sluice_memory_tape_unref)

/* name, op: interned */
void
sluice_memory_tape_name (SluiceMemoryTape *self, guint32 node, const char *name, const char *op);
/* (nullable): memory of no node, or of one whose name is not known */
const SluiceMemoryNode *sluice_memory_tape_get_node (const SluiceMemoryTape *self, guint32 node);
gint64 sluice_memory_tape_get_time (const SluiceMemoryTape *self, gsize record);

/* "made", "freed" … */
const char *sluice_allocation_kind_name (SluiceAllocationKind kind);

/* A JSON object a line: first what was recorded, then each record, then what ran. */
void sluice_memory_tape_print (const SluiceMemoryTape *self, GString *lines);
