/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "engine/cost/cost-teller.h"
#include "engine/device/kernel.h"
#include "engine/device/trace.h"
#include "engine/graph/graph.h"
#include "engine/runtime/debug/debugger.h"
#include "engine/runtime/session/watch.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/*
 * A session: devices, resources, one graph that only grows, and the plans of what was run. Any
 * number of threads may run at once; extend excludes itself and waits for nobody. White paper 2,
 * "Sessions".
 */
#define SLUICE_TYPE_SESSION (sluice_session_get_type ())
G_DECLARE_FINAL_TYPE (SluiceSession, sluice_session, SLUICE, SESSION, GObject)

/* options.h has what a person may choose of these. */
typedef struct
{
  guint n_threads; /* of the process: for who begins it to hand to pool.h; 0: one a core */
  /* (nullable): which process of which cluster this is: what the names of its devices begin with.
   * NULL: it is alone. */
  SluiceCluster *cluster;
  guint n_cpus;  /* CPU:0 …; 0: one */
  guint n_nulls; /* NULL:0 … */
  /* (nullable): "CUDA:0": what asks for no device stands there, where it has a kernel, else on the
   * first CPU. Devices up to that number are made, of a kind that a plugin brought. Borrowed for
   * the call. */
  const char *device;
  const char *device_options; /* (nullable): of devices of that type: of SIM, sim.h has them */
  gsize memory_limit;         /* of each CPU device; 0: none */
  const char *swap_folder; /* (nullable): where values of loops with swap_memory go before a device
                              reaches its limit; NULL: that of temporary files. The file has no
                              name there, and is gone with the session */
  /* (nullable): by which what may choose its device does so when the graph grows, of the devices of
   * this machine: engine/cost/policy.h. No value depends on it. Borrowed for the call. NULL: where
   * device says */
  const char *policy;
  /* (nullable): tells the policy what nodes and links cost; NULL: the formulas of ops do. The
   * session holds it. */
  SluiceCostTeller *costs;
  guint64 place_again; /* for who trains: after so many steps what they took chooses devices again,
                          by the policy; 0: never. No value depends on it */
  gboolean strict_devices; /* a node that asks for a device that is not here can stand nowhere;
                              else that device is replaced, and the reason recorded */
  guint64 seed; /* of random nodes that have no seed of their own; 0: from the system's entropy */
  gboolean reference_kernels; /* force the kernels of rank 0 */
  gboolean
      no_optimize; /* neither folding nor common sub-expressions: plans hold the graph as it is */
  guint64 order_seed; /* 0: of what is ready, the node goes first that keeps the peak low; else by
                         lot. No value depends on it */
  gboolean no_fusion; /* element-wise nodes run one by one; the bits are the same */
  gboolean nan_guard; /* fail a step at the first node that makes a NaN or infinity of finite
                         inputs, naming it */
  SluiceResources *resources; /* (nullable): shared with other sessions */
  /* (nullable): the files that ops may touch; NULL: all that the process may, for programs that
   * made their graph themselves. Shared with the resources. */
  SluiceFileAccess *files;
  /* (nullable): a session whose graph and plans this one has too: what either is extended with,
   * both have, and what one has planned, the other runs at once. Devices, and what else plans
   * depend on, are as that session's; variables, random numbers, memory and trace are its own. */
  SluiceSession *like;
  /* A run that waits, say for a queue, while no run does anything fails with DEADLINE_EXCEEDED
   * within two seconds, saying who waits for what and who should have brought it. With this it
   * logs so, less and less often, and goes on waiting: for programs that may begin another run any
   * time. */
  gboolean keep_waiting;
  guint64 max_iterations; /* as of SluiceRunOptions, for runs that have no limit of their own */
  gboolean no_trace;      /* to measure what the trace costs */
  /* Floats that cross from one device to another lose the lower half of their bits, which are zero
   * on arrival: x & 0xffff0000. White paper 5.5. */
  gboolean truncate_transfers;
  /* Orders what a graph leaves without an order: reads and writes of one variable, several
   * producers or several consumers of one queue, in order of creation. */
  gboolean ordered;
  /* Cheap values of a forward pass that would lie in memory until the backward pass reads them are
   * computed again then: the peak is lower, a step takes longer, the bits are the same. */
  gboolean recompute;
  /* Bytes that each device may hold, 0: no such limit. What a step would hold beyond them is
   * computed again behind its peak, or is in the host's memory meanwhile, as costs least by what
   * is known of its ops; each device keeps to one order of its nodes. The bits are the same. What
   * takes more fails, saying what would do. */
  gsize fit;
  gint64 fit_slack;     /* what steps have been seen to hold beyond what is known of them */
  GHashTable *fit_seen; /* (nullable): as of SluiceFitSizes; borrowed for the call, as the next */
  SluiceGraph *sized;   /* (nullable): the graph with the shapes of a step: train/sized-graph.h */
  gint64 batch;         /* stands for the dimensions that it leaves open; 0: some number does */
} SluiceSessionOptions;

SluiceSession *sluice_session_new (const SluiceSessionOptions *options, GError **error);

/**
 * sluice_session_extend:
 * @graph: (transfer none): nodes of it that the session has not seen are added and the whole graph
 * is placed. The graph is borrowed and must not change while the call lasts; nodes that have run
 * keep their device and state. A node that can stand nowhere keeps the error (the node, what it
 * asked for, what there is), with which a run fails when it reaches the node
 *
 * Returns: %FALSE where the back edge of a loop does not fit its Merge
 */
gboolean sluice_session_extend (SluiceSession *self, SluiceGraph *graph, GError **error);

/**
 * sluice_session_update:
 * @graph: (transfer none): what the session's graph is from now on: an edited form of what it was
 *
 * Takes over a graph that was edited (engine/graph/edit.h). A run under way, and what was prepared
 * before, goes on with the graph that it began with. Compiled signatures stay where nothing that
 * they need is another now. State stays with the names of its nodes, and nodes with state stay on
 * their devices. Sessions that share plans (SluiceSessionOptions.like) all get it.
 *
 * Returns: %FALSE with INVALID_ARGUMENT where a loop of it cannot be closed, and nothing has
 * happened
 */
gboolean sluice_session_update (SluiceSession *self, SluiceGraph *graph, GError **error);

typedef struct
{
  const char *edge; /* "name:port" */
  SluiceTensor *tensor;
} SluiceFeed;

typedef struct
{
  GCancellable *cancellable;      /* (nullable) */
  guint64 step;                   /* number recorded in the trace */
  const _Atomic int *cancel_flag; /* (nullable): another way to cancel, one load to look at */
  gboolean nan_guard;             /* for this run only */
  guint64 max_iterations;         /* a loop that wants more fails the run; 0: no limit */
  gboolean may_wait;     /* for ever, without a word: a run that fills a queue for others */
  gboolean fetches_dead; /* a fetch in a branch that was not taken comes as NULL, and is no error */
  SluiceDebugger *debugger; /* (nullable): stops this run where it has breakpoints */
  /* (nullable): where _Send and _Recv of the run meet those of others, and its epoch there, which
   * it aborts where it fails. What waits for another run is no deadlock: whoever shares one within
   * the process says may_wait. NULL: they meet within the run. */
  SluiceRendezvous *rendezvous;
  guint64 epoch;
} SluiceRunOptions;

/* A step by names. Where it is only planned (prepare, a run in parts begun), tensors of feeds are
 * not looked at. */
typedef struct
{
  const SluiceFeed *feeds;
  const char *const *fetches; /* "name:port" */
  const char *const *targets; /* names of nodes to run beside them */
  guint n_feeds, n_fetches, n_targets;
} SluiceStepNames;

/* Feeds without tensors, for what is only planned; the texts stay the caller's. (transfer
 * container) */
SluiceFeed *sluice_feeds_new (const char *const *edges, guint n);

/**
 * sluice_session_run:
 * @outputs: (out caller-allocates) (array length=n_fetches): transfer full each
 *
 * Where a placeholder has no feed, what does not wait for it still has its effects, as in
 * TensorFlow; sluice_session_prepare() fails at once.
 *
 * Returns: %FALSE with the first error of the step; no output is set then
 */
gboolean sluice_session_run (SluiceSession *self,
                             const SluiceStepNames *names,
                             SluiceTensor **outputs,
                             const SluiceRunOptions *options,
                             GError **error);

/* What such a run was compiled to goes, and with it the constants that its devices keep for the
 * next: of what runs once. One that is under way ends first. */
void sluice_session_forget (SluiceSession *self, const SluiceStepNames *names);

/* A signature looked up once: runs of it touch no names. Counted; keeps its session alive. */
typedef struct _SluiceCallable SluiceCallable;
SluiceCallable *
sluice_session_prepare (SluiceSession *self, const SluiceStepNames *names, GError **error);
SluiceCallable *sluice_callable_ref (SluiceCallable *self);
void sluice_callable_unref (SluiceCallable *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceCallable, sluice_callable_unref)
/* feeds in the order of prepare, borrowed; outputs as sluice_session_run(). After an extend that
   touches its closure the plan is made anew. */
gboolean sluice_callable_run (SluiceCallable *self,
                              SluiceTensor *const *feeds,
                              SluiceTensor **outputs,
                              const SluiceRunOptions *options,
                              GError **error);

/* Is there a device with memory of its own that computes some of it? */
gboolean sluice_callable_sends (const SluiceCallable *self);
/**
 * sluice_callable_send:
 * @feeds: (nullable elements): what a coming run will be fed, as far as it is known
 *
 * Sends it to the devices with memory of their own that will read it, beside what they compute now.
 *
 * Returns: (transfer full): holds the values there, until g_array_unref(), before the session goes
 */
GArray *sluice_callable_send (SluiceCallable *self, SluiceTensor *const *feeds);

/*
 * A step that is fed and fetched from in several calls, as TensorFlow's partial_run: set up once,
 * each feed is given and each fetch taken once, in any order that their dependencies allow. Nodes
 * run as soon as what they need has come. Counted; keeps its session alive. Any thread.
 */
typedef struct _SluicePartialRun SluicePartialRun;

/**
 * sluice_session_set_up_partial:
 * @options: (nullable): of the whole step. Its cancel flag is not looked at
 *
 * Begins a step of which sluice_partial_run_part() brings the feeds.
 *
 * Returns: (transfer full) (nullable): what cannot be planned fails here, as in
 * sluice_session_prepare()
 */
SluicePartialRun *sluice_session_set_up_partial (SluiceSession *self,
                                                 const SluiceStepNames *names,
                                                 const SluiceRunOptions *options,
                                                 GError **error);

/**
 * sluice_partial_run_part:
 * @names: without targets
 * @outputs: (out caller-allocates) (array length=n_fetches): transfer full each
 *
 * Gives some of the feeds and waits for some of the fetches; the call that completes both waits for
 * the end of the step, targets included.
 *
 * Returns: %FALSE with INVALID_ARGUMENT, and nothing has happened, where something was not named at
 * set-up, was fed or fetched before, does not fit, or where a fetch needs what has not been fed
 * yet; with the first error of the step, which ends it; with INVALID_ARGUMENT after the end. No
 * output is set then
 */
gboolean sluice_partial_run_part (SluicePartialRun *self,
                                  const SluiceStepNames *names,
                                  SluiceTensor **outputs,
                                  GError **error);
/* Ends it early, from any thread: who waits gets CANCELLED. */
void sluice_partial_run_cancel (SluicePartialRun *self);
SluicePartialRun *sluice_partial_run_ref (SluicePartialRun *self);
/* The last one cancels a run that has not ended, and waits for its end. */
void sluice_partial_run_unref (SluicePartialRun *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluicePartialRun, sluice_partial_run_unref)

/**
 * sluice_session_place_again:
 * @costs: what nodes and links cost, as is known by now; held as that of the options
 * @n_moved: (out): nodes that stand elsewhere now
 *
 * The policy of the options chooses devices once more. Nodes with state stay where they are, and so
 * do those that stand with them. A run under way and what was prepared before go on as they were.
 *
 * Returns: %FALSE with FAILED_PRECONDITION of a session without a policy, or with what keeps the
 * policy from choosing: nothing has happened
 */
gboolean sluice_session_place_again (SluiceSession *self,
                                     SluiceCostTeller *costs,
                                     guint *n_moved,
                                     GError **error);

/**
 * sluice_session_reset:
 * @containers: (array zero-terminated=1) (nullable): %NULL or none: the default container
 *
 * Drops what lies in the containers, for all sessions that share the resources. Runs under way keep
 * what they hold. TensorFlow's Session.reset().
 */
void sluice_session_reset (SluiceSession *self, const char *const *containers);

/* What inspectors ask. Strings are transfer full. */
/* As it was taken over last; until sluice_session_update() replaces it. */
SluiceGraph *sluice_session_get_graph (SluiceSession *self);
/* What owners of memory call a node of that graph. */
guint32 sluice_session_get_node_number (SluiceSession *self, const SluiceNode *node);
SluiceResources *sluice_session_get_resources (SluiceSession *self);
guint sluice_session_get_n_devices (SluiceSession *self);
SluiceDevice *sluice_session_get_device (SluiceSession *self, guint i);
/* Where a node stands and why: "CPU:0", "explicit". NULL where it stands nowhere, the reason says
 * then why not. Both texts live as long as the session. */
const char *
sluice_session_get_placement (SluiceSession *self, const char *node, const char **reason);
/* The same of the session's node of the name of @node, which may be another graph's. */
const char *sluice_session_get_device_of (SluiceSession *self, const SluiceNode *node);
/* The same by the node's number, as owners of memory have it. (transfer none) (nullable) */
SluiceDevice *sluice_session_find_device (SluiceSession *self, guint32 number);
/* The name of that node, interned, and its op. (nullable): there is no such number */
const char *sluice_session_get_node_name (SluiceSession *self, guint32 number, const char **op);

/* Of two nodes, by their numbers: the second reads what the first makes; 0: it is fetched. */
typedef struct
{
  guint32 from, to;
} SluiceRead;
/* What reads what in the plans that there are, functions' not among them; by from and to. (transfer
 * full) (element-type SluiceRead) */
GArray *sluice_session_dup_reads (SluiceSession *self);

/**
 * sluice_session_watch:
 * @edge: "name:port" of the session's graph
 *
 * From now to sluice_watch_stop() the runs of this session look at that output (watch.h). Any
 * thread; nobody waits for a plan that is being made.
 *
 * Returns: (transfer full) (nullable): %NULL with INVALID_ARGUMENT, NOT_FOUND, or
 * RESOURCE_EXHAUSTED where SLUICE_MAX_WATCHES others are under way
 */
SluiceWatch *sluice_session_watch (SluiceSession *self, const char *edge, GError **error);

/**
 * sluice_session_dup_moved:
 *
 * Returns: (transfer full) (nullable): one line that counts the nodes that ask for devices that are
 * not here, with these and the devices where the nodes stand instead; %NULL: there are none
 */
char *sluice_session_dup_moved (SluiceSession *self);

/**
 * sluice_session_record_memory:
 *
 * From now to sluice_session_dup_ledger() all memory of the devices is written down.
 *
 * Returns: FALSE where that is so already
 */
gboolean sluice_session_record_memory (SluiceSession *self);
/* Of device i: who held what when most was live, since the recording began, which ends. The names
 * of nodes: sluice_allocator_dup_node_name(). (transfer full) (nullable): nothing was recorded */
SluiceLedger *sluice_session_dup_ledger (SluiceSession *self, guint i);

/**
 * sluice_session_dup_races:
 *
 * Which reads and writes of one variable such a step would make without an order between them,
 * found without running anything (engine/passes/passes.h).
 *
 * Returns: (transfer full) (nullable) (element-type SluiceRace): %NULL where the step cannot be
 * made, with what a run would fail with
 */
GArray *
sluice_session_dup_races (SluiceSession *self, const SluiceStepNames *names, GError **error);

typedef struct _SluiceExplanation SluiceExplanation; /* engine/passes/explain.h */

/**
 * sluice_session_explain:
 * @pass: name of a pass (engine/passes/pipeline.h)
 *
 * What that pass does to the graph of such a step, with this session's options. Nothing runs.
 *
 * Returns: (transfer full) (nullable): engine/passes/explain.h; %NULL with NOT_FOUND,
 * FAILED_PRECONDITION where the pass is not enabled here, or with what a run would fail with
 */
SluiceExplanation *sluice_session_explain (SluiceSession *self,
                                           const SluiceStepNames *names,
                                           const char *pass,
                                           GError **error);

typedef struct _SluiceFitStudy SluiceFitStudy; /* engine/passes/fit.h */
typedef struct _SluiceFitSizes SluiceFitSizes;

/**
 * sluice_session_study_fit:
 * @sizes: (nullable): what the session does not know itself
 *
 * Such a step, as it would be planned without a limit, to be fitted into one. Nothing runs.
 *
 * Returns: (transfer full) (nullable): valid while the session is; %NULL with what a run would fail
 * with
 */
SluiceFitStudy *sluice_session_study_fit (SluiceSession *self,
                                          const SluiceStepNames *names,
                                          const SluiceFitSizes *sizes,
                                          GError **error);

/* What is planned from now on is fitted into so many bytes, 0: is not; what was planned before is
 * planned anew where somebody asks for it again. Limits of devices stay as they are. seen
 * (nullable): as of SluiceSessionOptions */
void sluice_session_refit (SluiceSession *self, gsize bytes, gint64 slack, GHashTable *seen);

typedef struct _SluiceForecast SluiceForecast; /* engine/passes/forecast.h */

/**
 * sluice_session_forecast:
 * @unknown_dim: stands for each dimension that is not known
 *
 * What such a step would take by what is known of its ops, with this session's options. Nothing
 * runs.
 *
 * Returns: (transfer full) (nullable): %NULL with what a run would fail with
 */
SluiceForecast *sluice_session_forecast (SluiceSession *self,
                                         const SluiceStepNames *names,
                                         gint64 unknown_dim,
                                         GError **error);

typedef struct
{
  guint64 n_runs;
  guint64 n_plans; /* compiled so far: constant in a steady run */
  guint64 n_nodes_run;
  guint n_cached_plans;
} SluiceSessionStats;
void sluice_session_get_stats (SluiceSession *self, SluiceSessionStats *stats);

/* One line of the trace with names filled in, for `sluice trace`, timelines and heat bars. Texts
 * live as long as the session. */
typedef struct
{
  guint32 number;   /* of the origin, as owners of memory have it */
  const char *node; /* its name */
  const char *op;
  const char *const
      *with;            /* (nullable) (array zero-terminated=1): nodes that its kernel ran, too */
  const char *transfer; /* (nullable): of a Send or Recv between devices: its key,
                           but for frame and iteration */
  const char *device;   /* full name; of a copy out of a queue that of the queue */
  SluiceTraceKind kind;
  guint queue; /* of the device: 1 + SluiceQueueKind; 0: it has none, or none did it */
  guint lane;  /* that ran it, or gave it to the queue */
  guint64 step;
  const char *frame; /* (nullable): name of the innermost loop; NULL outside all loops */
  guint64 iteration;
  double scheduled_us, start_us, end_us; /* since the session was made */
  gsize bytes_in, bytes_out;             /* in steps of SLUICE_TRACE_UNIT */
  gsize live;                            /* on the device at the end; 0: not asked */
} SluiceTraceEvent;

/**
 * sluice_session_dup_trace:
 * @cursor: (inout): 0 at first; an opaque number afterwards, until sluice_session_drop_trace()
 * @lost: (out) (nullable): what was overwritten before it could be read
 *
 * Returns: (transfer full) (element-type SluiceTraceEvent): events since @cursor, by lane and in
 * the order of their ends. Any thread may ask, one at a time for a cursor, and nobody waits for a
 * plan that is being made.
 */
GArray *sluice_session_dup_trace (SluiceSession *self, guint64 *cursor, guint64 *lost);
typedef void (*SluiceTraceEventFunc) (const SluiceTraceEvent *event, gpointer data);
/* The same, one event after the other: a trace may be tens of megabytes. Returns: what was lost */
guint64 sluice_session_each_trace (SluiceSession *self,
                                   guint64 *cursor,
                                   SluiceTraceEventFunc func,
                                   gpointer data);
/* Nobody reads on from a cursor, which is 0 afterwards: the session keeps no place for it. */
void sluice_session_drop_trace (SluiceSession *self, guint64 *cursor);

/* What whoever runs steps did since a moment of sluice_clock_ticks() goes into the trace, unless it
 * took a few microseconds: then a record would cost more than it says. From any thread.
 * step: the one that it was for, or came after */
void
sluice_session_note_host (SluiceSession *self, SluiceHostWork work, guint64 step, guint64 since);
/* A moment of sluice_clock_ticks() as times in the trace are. */
double sluice_session_get_us (SluiceSession *self, guint64 ticks);
/* When the session was made, in microseconds since 1970: what times in the trace count from. */
gint64 sluice_session_get_start (SluiceSession *self);

SLUICE_PUBLIC_END
