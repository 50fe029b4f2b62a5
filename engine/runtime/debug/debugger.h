/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/debug/breakpoint.h"

SLUICE_PUBLIC_BEGIN

/*
 * Stops runs at breakpoints (SluiceRunOptions.debugger): the thread that runs the step waits there,
 * holding all that it holds, until somebody lets it go on; to its caller it is a run that takes
 * long. Meanwhile any other thread may ask what the step looks like, change a value that is about
 * to be read, and say how it goes on. No value, order or bit of a run depends on it.
 *
 * A breakpoint's node stands by itself in the plan of a run that begins when it is set, neither
 * folded nor merged nor fused nor left out; where every node is looked at (a run that begins by
 * stepping, the breakpoint "*"), the plan is the graph as it is, on one thread. What no plan has is
 * told by sluice_debugger_dup_reports(). While a run is stepped through, one thread runs it. One
 * run at a time is stopped; others of the debugger wait for that where they would stop.
 *
 * Not stopped are runs in parts, and functions that kernels call (of datasets, say). Counted; all
 * calls from any thread.
 */
typedef struct _SluiceDebugger SluiceDebugger;

#define SLUICE_MAX_BREAKPOINTS 64 /* of a debugger */

SluiceDebugger *sluice_debugger_new (void);
SluiceDebugger *sluice_debugger_ref (SluiceDebugger *self);
void sluice_debugger_unref (SluiceDebugger *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceDebugger, sluice_debugger_unref)

/* ---- breakpoints ---- */

/**
 * sluice_debugger_add:
 *
 * From the next node on, of a run under way too; a node that runs within another's kernel there
 * stands by itself from the next run on.
 *
 * Returns: its number, from 1; 0 with RESOURCE_EXHAUSTED
 */
guint
sluice_debugger_add (SluiceDebugger *self, const SluiceBreakpoint *breakpoint, GError **error);
/* FALSE: there is no such number. */
gboolean sluice_debugger_remove (SluiceDebugger *self, guint number);

/* Where a breakpoint is, in the plan of the run that began last. */
typedef enum
{
  SLUICE_BREAKPOINT_NEW,       /* no run has begun */
  SLUICE_BREAKPOINT_STANDS,    /* it stops */
  SLUICE_BREAKPOINT_FUSED,     /* runs within another's kernel: by itself from the next run on */
  SLUICE_BREAKPOINT_CONSTANT,  /* a value that is there before the run; it never stops */
  SLUICE_BREAKPOINT_FED,       /* so is this one */
  SLUICE_BREAKPOINT_NO_OUTPUT, /* asks about values, and the node has none */
  SLUICE_BREAKPOINT_CALL,      /* the call of a function: what runs is below NAME/_call/ */
  SLUICE_BREAKPOINT_PRUNED,    /* nothing that is fetched or run needs it */
  SLUICE_BREAKPOINT_UNKNOWN,   /* the graph has no such node or scope */
} SluiceBreakpointStatus;

typedef struct
{
  guint number;
  SluiceBreakpoint what;
  SluiceBreakpointStatus status;
  guint n_nodes;          /* STANDS: that it stops at */
  SluiceTensor *value;    /* (nullable): CONSTANT */
  const char *fused_into; /* (nullable): FUSED: interned */
  /* In the run that began last: how often a node of it ran, was dead, and met the condition. */
  guint64 n_ran, n_dead, n_hits;
} SluiceBreakpointReport;

/* (transfer full) (element-type SluiceBreakpointReport): by number */
GArray *sluice_debugger_dup_reports (SluiceDebugger *self);
/* Why it did not stop, or where it will, in a sentence. (transfer full) */
char *sluice_breakpoint_report_describe (const SluiceBreakpointReport *self);

/* ---- how runs go on ---- */

/* All of these let a stopped run go on. */
void sluice_debugger_step (SluiceDebugger *self); /* to the next node that runs */
void sluice_debugger_next (SluiceDebugger *self); /* to the next breakpoint */
void sluice_debugger_go (SluiceDebugger *self);   /* to the end of that run, without a stop */
/* For good: no run stops any more. */
void sluice_debugger_release (SluiceDebugger *self);

/* A run under way stops at its next node, where it has breakpoints or is stepped through. */
void sluice_debugger_pause (SluiceDebugger *self);

/* Called when a run has stopped, and when it goes on, on its thread: a UI posts a source from it.
 */
void sluice_debugger_set_notify (SluiceDebugger *self, void (*func) (gpointer data), gpointer data);

/* For who waits: between the two there is a run, or several, of whatever thread. */
void sluice_debugger_begin (SluiceDebugger *self);
void sluice_debugger_end (SluiceDebugger *self);
/* Until a run is stopped (TRUE), or none is begun any more. */
gboolean sluice_debugger_wait (SluiceDebugger *self);
gboolean sluice_debugger_is_stopped (SluiceDebugger *self);
/* Microseconds for which runs have been stopped, all together. */
gint64 sluice_debugger_get_stopped_us (SluiceDebugger *self);

/* ---- the stopped step ---- */

/* Where a node is in a step. */
typedef enum
{
  SLUICE_TURN_HERE, /* the step has stopped at it */
  SLUICE_TURN_READY,
  SLUICE_TURN_RUNS, /* under way: its kernel runs elsewhere, or waits */
  SLUICE_TURN_WAITS,
  SLUICE_TURN_ENDED,
  SLUICE_TURN_DEAD,     /* it does not run: its branch is not taken */
  SLUICE_TURN_NO_FRAME, /* its loop does not run: it has not begun, or has ended */
} SluiceTurn;

/* A node of a step; a node in a loop is one in each iteration. */
typedef struct
{
  const char *name, *op; /* interned */
  const char *device;    /* interned short name */
  char *loops;           /* (nullable): "outer[3] inner[0]": the iterations that it is in */
  const char *frame;     /* (nullable): interned name of the innermost loop */
  gint64 iteration;      /* of it; -1: outside all loops */
  SluiceTurn turn;
} SluiceDebugNode;

/* What a node that waits waits for: an input, or a node that must have run. */
typedef struct
{
  char *edge; /* "a:0"; "^a" */
  SluiceDebugNode source;
} SluiceDebugMissing;

typedef struct
{
  SluiceDebugNode node;
  char *waits_for; /* (nullable): RUNS: in the kernel's words, "room in the queue …" */
  GArray *missing; /* of SluiceDebugMissing: WAITS */
} SluiceDebugWhy;

typedef struct
{
  char *edge;           /* "a:0" as the graph has it */
  SluiceTensor *tensor; /* (nullable): dead, not made, or a variable without a value */
  char *variable;       /* (nullable): whose value it is */
} SluiceDebugValue;

typedef enum
{
  SLUICE_STOP_BEFORE, /* the node is about to run */
  SLUICE_STOP_BEHIND, /* it has run, and nobody has read its outputs */
  SLUICE_STOP_WAITS,  /* nothing is ready, and all that is under way waits; there is no node */
  SLUICE_STOP_END,    /* stepping: all nodes have run, and the run is about to end; nor is there */
} SluiceStopKind;

typedef struct
{
  SluiceStopKind kind;
  guint64 number;   /* of the stop, from 1 */
  guint breakpoint; /* its number; 0: stepping, or asked to pause */
  guint64 step;     /* number of the run */
  SluiceDebugNode node;
  GArray *inputs, *outputs; /* of SluiceDebugValue; outputs: BEHIND */
  GArray *with;             /* of char *: interned: nodes that its kernel runs besides */
  gboolean has_ran;
  SluiceDebugNode ran; /* stepping: the node that has run since the last stop */
  GArray *ran_outputs; /* of SluiceDebugValue */
  GArray *dead;        /* of SluiceDebugNode: passed by since the last stop */
} SluiceStop;

/* (transfer full) (nullable): %NULL: no run is stopped */
SluiceStop *sluice_debugger_dup_stop (SluiceDebugger *self);
void sluice_stop_free (SluiceStop *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceStop, sluice_stop_free)

/* (transfer full) (nullable) (element-type SluiceDebugNode): what is ready, in the order in which
 * it would run; %NULL: no run is stopped */
GArray *sluice_debugger_dup_ready (SluiceDebugger *self);

/**
 * sluice_debugger_dup_why:
 * @name: (nullable): of a node; %NULL: all that wait or are under way
 *
 * Returns: (transfer full) (nullable) (element-type SluiceDebugWhy): one an iteration under way;
 * %NULL with NOT_FOUND where the plan has no such node, saying why, or FAILED_PRECONDITION where no
 * run is stopped
 */
GArray *sluice_debugger_dup_why (SluiceDebugger *self, const char *name, GError **error);

/**
 * sluice_debugger_find_edge:
 * @name: "a:0" or "a", as the stop's inputs or outputs are called, or the number of one
 *
 * Returns: (transfer full) (nullable): the value that sluice_debugger_put() would change; %NULL
 * with NOT_FOUND and what there is
 */
SluiceDebugValue *
sluice_debugger_find_value (SluiceDebugger *self, const char *name, GError **error);
void sluice_debug_value_free (SluiceDebugValue *self);

/**
 * sluice_debugger_put:
 * @value: (transfer none)
 *
 * Before a node: what it reads as that input, and nobody else does. Behind it: that output, which
 * all read.
 *
 * Returns: %FALSE with INVALID_ARGUMENT where dtype or shape do not fit, or a variable's reference
 * goes there; NOT_FOUND; FAILED_PRECONDITION where no run is stopped
 */
gboolean
sluice_debugger_put (SluiceDebugger *self, const char *name, SluiceTensor *value, GError **error);
/**
 * sluice_debugger_unput:
 * @name: (out) (transfer full): of what has its value again
 *
 * Takes the last one back that was put in this stop.
 */
gboolean sluice_debugger_unput (SluiceDebugger *self, char **name, GError **error);

SLUICE_PUBLIC_END
