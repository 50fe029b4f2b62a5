/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/cost-teller.h"
#include "engine/cost/policy.h"
#include "engine/device/function.h"
#include "engine/passes/fit.h"
#include "engine/runtime/session/session.h"
#include "engine/runtime/session/titles.h"
#include "engine/runtime/step/step.h"

/* A plan and the steps that were made for it. Counted: held by the cache, by callables and by
 * functions. */
typedef struct
{
  _Atomic int ref_count;
  SluicePlan *plan;
  SluiceSnapshot *snapshot; /* (nullable): what the plan was compiled from; a function's holds it
                               itself */
  pthread_mutex_t lock;
  SluiceStep *free_steps; /* under lock */
} SluiceExecutable;

/* (transfer full) take */
SluiceExecutable *sluice_executable_new (SluicePlan *take, SluiceSnapshot *snapshot);
SluiceExecutable *sluice_executable_ref (SluiceExecutable *self);
void sluice_executable_unref (SluiceExecutable *self);
SluiceStep *sluice_executable_take_step (SluiceExecutable *self);
void sluice_executable_give_back (SluiceExecutable *self, SluiceStep *step);

/*
 * What a session runs: its graph, where nodes stand, and the executables that were compiled of it.
 * Several sessions may share it: nothing in here belongs to a run. Counted, like the hosts (host.h)
 * that hold it.
 */
typedef struct
{
  _Atomic int ref_count;

  /* Set once. */
  GPtrArray *devices;         /* those of the first session: the others have the same kinds */
  guint default_device;       /* number of it: where what asks for none stands */
  const SluicePolicy *policy; /* (nullable) */
  SluiceCostTeller *costs;    /* (nullable): under graph_lock */
  gboolean strict_devices, no_optimize, no_fusion, nan_guard, truncate_transfers, ordered,
      recompute;
  gsize fit; /* bytes; 0: no limit */
  gint64 fit_slack, batch;
  SluiceGraph *sized;   /* (nullable) */
  GHashTable *fit_seen; /* (nullable) */
  int max_rank;         /* of kernels */
  guint64 order_seed;

  pthread_mutex_t graph_lock; /* held by extend and while a plan is made; guards the next two */
  SluiceSnapshot *snapshot;   /* the newest, but while something of an older one is compiled */
  GPtrArray *older;           /* (element-type SluiceSnapshot): that may be in use */
  GPtrArray *replaced;        /* … whose graphs others may look at: nobody edited them */

  SluiceTitles titles; /* of the nodes of all of them: what may be asked while a plan is made */

  pthread_mutex_t cache_lock;
  GHashTable *by_names; /* SluiceProgramNames -> SluiceExecutable, under cache_lock */
  _Atomic guint64 n_plans;
} SluiceExecutableCache;

/* devices: as of the first session. */
SluiceExecutableCache *sluice_executable_cache_new (GPtrArray *devices);
SluiceExecutableCache *sluice_executable_cache_ref (SluiceExecutableCache *self);
void sluice_executable_cache_unref (SluiceExecutableCache *self);

/* Takes an edited graph over: what needs a node that is another now is compiled anew when somebody
 * asks for it. Under graph_lock. FALSE: all is as it was. */
gboolean
sluice_executable_cache_update (SluiceExecutableCache *self, SluiceGraph *graph, GError **error);

/* The one that a node is of. Under graph_lock. */
SluiceSnapshot *
sluice_executable_cache_find_snapshot (SluiceExecutableCache *self, const SluiceNode *node);

/* As of sluice_session_place_again(). Under graph_lock. */
gboolean sluice_executable_cache_place_again (SluiceExecutableCache *self,
                                              SluiceCostTeller *costs,
                                              guint *n_moved,
                                              GError **error);
/* Places the nodes that stand nowhere yet, and numbers them. Under graph_lock. FALSE: the policy
 * has found no placement, they stand where they would without it */
gboolean sluice_executable_cache_place (SluiceExecutableCache *self, GError **error);

/* node_by_node: nothing fused or left out; kept: (nullable). (transfer full) (nullable). Under
 * graph_lock. */
SluicePlan *sluice_executable_cache_compile (SluiceExecutableCache *self,
                                             const SluiceSignature *signature,
                                             gboolean node_by_node,
                                             const SluiceKeptNodes *kept,
                                             GError **error);

typedef struct
{
  const char *const *feeds, *const *fetches, *const *targets;
  guint n_feeds, n_fetches, n_targets;
  gboolean node_by_node;   /* nothing fused or left out: the NaN guard looks at every value */
  gboolean is_partial;     /* session-partial-run.h */
  gboolean may_lack_feeds; /* else an executable that lacks one is an error; no part of the key */
  SluiceKeptNodes *kept;   /* (nullable): nodes that a debugger will look at */
} SluiceProgramNames;

/* (transfer full) */
SluiceProgramNames *sluice_program_names_dup (const SluiceProgramNames *names);
void sluice_program_names_free (SluiceProgramNames *names);

/* What such a signature needs, with calls written out. Under graph_lock. (transfer full) (nullable)
 */
SluiceWork *sluice_executable_cache_prune (SluiceExecutableCache *self,
                                           const SluiceProgramNames *names,
                                           GError **error);

/* What the plan compiler would read of such a signature. Under graph_lock. (transfer full)
 * (nullable) */
SluiceWork *sluice_executable_cache_pass (SluiceExecutableCache *self,
                                          const SluiceProgramNames *names,
                                          GError **error);

/* What plans depend on. Before anything is compiled. */
void sluice_executable_cache_set_options (SluiceExecutableCache *self,
                                          const SluiceSessionOptions *options);
/* As sluice_session_refit(). Under graph_lock. */
void sluice_executable_cache_refit (SluiceExecutableCache *self,
                                    gsize bytes,
                                    gint64 slack,
                                    GHashTable *seen);

/* As of sluice_session_study_fit(). Under graph_lock. (transfer full) (nullable) */
SluiceFitStudy *sluice_executable_cache_study (SluiceExecutableCache *self,
                                               const SluiceProgramNames *names,
                                               const SluiceFitSizes *sizes,
                                               GError **error);

/* What a pass does to the work graph of such a signature: engine/passes/explain.h. Under
 * graph_lock.
 */
SluiceExplanation *sluice_executable_cache_explain (SluiceExecutableCache *self,
                                                    const SluiceProgramNames *names,
                                                    const char *pass,
                                                    GError **error);

/* (transfer full) (nullable). Two threads that ask for a new signature at once make one plan. */
SluiceExecutable *sluice_executable_cache_get (SluiceExecutableCache *self,
                                               const SluiceProgramNames *names,
                                               GError **error);

/* Such a signature is compiled anew where somebody asks for it again. */
void sluice_executable_cache_forget (SluiceExecutableCache *self, const SluiceProgramNames *names);

/* As sluice_session_dup_reads() tells. */
GArray *sluice_executable_cache_dup_reads (SluiceExecutableCache *self);

/* executable-function.c: what is known of the functions of nodes, for `bodies`. */
GHashTable *sluice_function_bodies_new (void);
/* As SluiceFunctions.get of a host. */
SluiceFunction *sluice_function_get (SluiceFunctions *host,
                                     const SluiceNode *node,
                                     const char *attr,
                                     GError **error);
