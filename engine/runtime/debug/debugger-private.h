/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <pthread.h>

#include "engine/runtime/debug/debugger-run.h"

/* How runs go on that are not told otherwise. */
typedef enum
{
  DEBUG_TO_BREAKPOINT,
  DEBUG_BY_STEP,
  DEBUG_FREE, /* no run stops */
} DebugMode;

/* Marks of a plan's node. */
typedef enum
{
  DEBUG_MARK_BEFORE = 1 << 0, /* a breakpoint stops before it */
  DEBUG_MARK_BEHIND = 1 << 1, /* one looks at its outputs */
} DebugMark;

/* The breakpoints in one plan. Counted: held by the debugger and by runs. Immutable. */
struct _SluiceDebugPlan
{
  _Atomic int ref_count;
  guint64 serial;  /* of the plan */
  guint64 version; /* of the breakpoints */
  guint8 *marks;   /* by node: DebugMark */
  GArray *places;  /* of SluiceBreakpointReport without counts, one a breakpoint */
};

struct _SluiceDebugger
{
  _Atomic int ref_count;
  _Atomic int attends; /* stepping, or asked to pause: to see without the lock */

  pthread_mutex_t lock; /* guards the rest and, while a run is stopped, that run */
  pthread_cond_t changed;
  GArray *breakpoints; /* of SluiceBreakpointReport, by number; its place as of the newest run */
  guint n_numbers;
  guint64 version;       /* of the breakpoints */
  SluiceKeptNodes *kept; /* what they need of a plan */
  GPtrArray *plans;      /* of SluiceDebugPlan, of this version */
  DebugMode mode;
  gboolean pauses;
  SluiceDebugRun *stopped; /* (nullable) */
  gboolean goes_on;        /* it was told to */
  GArray *replaced;        /* of SluiceDebugValue: what was put over in this stop, in order */
  guint64 n_stops;
  gint64 stopped_us; /* of all stops that are over */
  guint n_begun;     /* for sluice_debugger_wait() */
  void (*notify) (gpointer data);
  gpointer notify_data;
};

static inline SluiceBreakpointReport *
breakpoint_at (const GArray *breakpoints, guint i)
{
  return &g_array_index (breakpoints, SluiceBreakpointReport, i);
}

/* ---- debugger-plan.c ---- */

SluiceDebugPlan *sluice_debug_plan_new (const SluicePlan *plan,
                                        const GArray *breakpoints,
                                        guint64 version,
                                        pthread_mutex_t *graph_lock);
SluiceDebugPlan *sluice_debug_plan_ref (SluiceDebugPlan *self);
void sluice_debug_plan_unref (SluiceDebugPlan *self);
void sluice_breakpoint_report_clear (SluiceBreakpointReport *self);

/* Is it a node of the graph, and not one that moves a value or waits for others? */
gboolean sluice_debug_is_node (const SluicePlanNode *node);
/* Does the breakpoint name the node, or one that its kernel runs besides? */
gboolean sluice_debug_names (const SluiceBreakpoint *what,
                             const SluicePlan *plan,
                             const SluicePlanNode *node);

/* ---- debugger-step.c: what a stopped step looks like ---- */

/* The run that is stopped, with the debugger's lock. (nullable) */
SluiceDebugRun *sluice_debugger_lock_stopped (SluiceDebugger *self);
void sluice_debug_fail_not_stopped (GError **error);

/* (transfer full) (element-type SluiceDebugNode); of SluiceDebugValue */
GArray *sluice_debug_new_nodes (void);
GArray *sluice_debug_new_values (void);
/* act: (nullable): of no iteration. (transfer full) */
SluiceDebugNode
sluice_debug_node (const SluiceStep *step, const SluiceActivation *act, const SluicePlanNode *node);
void sluice_debug_node_clear (SluiceDebugNode *self);
/* (transfer full) (element-type SluiceDebugValue): of the node at which the run has stopped */
GArray *sluice_debug_dup_inputs (const SluiceDebugRun *run, const SluicePlanNode *node);
GArray *sluice_debug_dup_outputs (const SluicePlan *plan,
                                  const SluicePlanNode *node,
                                  const SluiceValue *outputs);

/* ---- debugger-why.c ---- */

/* "a:0"; "^a" where port is NOWHERE. (transfer full) */
char *sluice_debug_name_edge (const SluicePlan *plan, guint32 source, guint32 port);
/* What the node reads there, as the graph has it, or who gives it. (transfer full) */
char *sluice_debug_name_input (const SluicePlan *plan, const SluicePlanNode *node, guint32 input);

/* ---- debugger-run.c ---- */

/* Inputs that are held for a node which has run. (nullable) */
const SluiceValue *
sluice_debug_find_held (const SluiceDebugRun *run, const SluiceActivation *act, guint32 i);
/* The slot, which others read too, has this value until the node has run. */
void sluice_debug_lend (SluiceDebugRun *run, SluiceValue *slot, SluiceTensor *value);
