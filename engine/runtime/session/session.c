/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/session/session.h"

#include <sys/random.h>

#include "engine/passes/passes.h"
#include "engine/runtime/debug/debugger-run.h"
#include "engine/runtime/session/copy.h"
#include "engine/runtime/session/options.h"
#include "engine/runtime/session/session-partial-run.h"
#include "engine/runtime/session/session-private.h"
#include "engine/runtime/step/send-feeds.h"

G_DEFINE_FINAL_TYPE (SluiceSession, sluice_session, G_TYPE_OBJECT)

struct _SluiceCallable
{
  _Atomic int ref_count;
  SluiceSession *session;
  SluiceExecutable *executable;
  SluiceProgramNames *names; /* what a guarded run finds its own executable with */
};

/* ---- runs ---- */

static gboolean
guards (const SluiceSession *self, const SluiceRunOptions *options)
{
  return self->options.nan_guard || (options && options->nan_guard);
}

/* What the plan of such a run keeps. (transfer full) (nullable) */
static SluiceKeptNodes *
dup_kept (const SluiceRunOptions *options)
{
  return options && options->debugger ? sluice_debugger_dup_kept (options->debugger) : NULL;
}

static void
on_cancelled (GCancellable *cancellable, gpointer step)
{
  sluice_step_cancel (step);
}

static const SluiceRunOptions no_run_options;

static SluiceStepEnv
make_env (SluiceSession *self, const SluiceRunOptions *options)
{
  return (SluiceStepEnv){ .devices = (SluiceDevice *const *) self->host->devices->pdata,
                          .resources = self->resources,
                          .functions = &self->host->functions,
                          .seed = self->host->seed,
                          .number = options->step,
                          .nan_guard = guards (self, options),
                          .max_iterations = options->max_iterations ? options->max_iterations
                                                                    : self->options.max_iterations,
                          .lanes = self->options.no_trace ? NULL : self->host->lanes,
                          .activity = self->activity,
                          .graph_lock = &self->cache->graph_lock,
                          .keep_waiting = self->options.keep_waiting,
                          .may_wait = options->may_wait,
                          .fetches_dead = options->fetches_dead,
                          .rendezvous = options->rendezvous,
                          .epoch = options->epoch };
}

static void
count_run (SluiceSession *self, const SluiceStep *step)
{
  atomic_fetch_add_explicit (&self->n_runs, 1, memory_order_relaxed);
  atomic_fetch_add_explicit (&self->n_nodes_run, step->n_run, memory_order_relaxed);
}

static gboolean
run_executable (SluiceSession *self,
                SluiceExecutable *executable,
                SluiceTensor *const *feeds,
                SluiceTensor **outputs,
                const SluiceRunOptions *options,
                GError **error)
{
  options = options ? options : &no_run_options;
  if (!sluice_plan_check_feeds (executable->plan, feeds, error))
    return FALSE;
  SluiceStepEnv env = make_env (self, options);
  env.cancel_flag = options->cancel_flag;
  SluiceStep *step = sluice_executable_take_step (executable);
  gulong handler = 0;
  sluice_step_prepare (step, &env);
  sluice_watches_begin (self->host->watches, step, feeds);
  sluice_debug_begin (options->debugger, step);
  if (options->cancellable)
    handler = g_cancellable_connect (options->cancellable, G_CALLBACK (on_cancelled), step, NULL);
  gboolean ok = sluice_step_run (step, feeds, outputs, error);
  if (handler)
    g_cancellable_disconnect (options->cancellable, handler);
  sluice_debug_end (step);
  sluice_watches_end (step);
  count_run (self, step);
  sluice_executable_give_back (executable, step);
  return ok;
}

SluiceFeed *
sluice_feeds_new (const char *const *edges, guint n)
{
  SluiceFeed *feeds = g_new0 (SluiceFeed, n + 1);
  for (guint i = 0; i < n; i++)
    feeds[i].edge = edges[i];
  return feeds;
}

/* What programs are found by, and beside it the values: in place where they are few. */
typedef struct
{
  const char *few_edges[16];
  SluiceTensor *few_tensors[16];
  const char **edges;
  SluiceTensor **tensors;
} Feeds;

static void
feeds_clear (Feeds *feeds)
{
  if (feeds->edges == feeds->few_edges)
    return;
  g_free (feeds->edges);
  g_free (feeds->tensors);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Feeds, feeds_clear)

/* feeds: filled in, and cleared by the caller when the names are not needed any more */
static SluiceProgramNames
names_of (const SluiceStepNames *names, Feeds *feeds)
{
  gboolean is_few = names->n_feeds <= G_N_ELEMENTS (feeds->few_edges);
  feeds->edges = is_few ? feeds->few_edges : g_new (const char *, names->n_feeds);
  feeds->tensors = is_few ? feeds->few_tensors : g_new (SluiceTensor *, names->n_feeds);
  for (guint i = 0; i < names->n_feeds; i++)
    {
      feeds->edges[i] = names->feeds[i].edge;
      feeds->tensors[i] = names->feeds[i].tensor;
    }
  return (SluiceProgramNames){ .feeds = feeds->edges,
                               .fetches = names->fetches,
                               .targets = names->targets,
                               .n_feeds = names->n_feeds,
                               .n_fetches = names->n_fetches,
                               .n_targets = names->n_targets };
}

gboolean
sluice_session_run (SluiceSession *self,
                    const SluiceStepNames *names,
                    SluiceTensor **outputs,
                    const SluiceRunOptions *options,
                    GError **error)
{
  g_return_val_if_fail (SLUICE_IS_SESSION (self), FALSE);
  g_auto (Feeds) feeds;
  SluiceProgramNames signature = names_of (names, &feeds);
  g_autoptr (SluiceKeptNodes) kept = dup_kept (options);
  signature.node_by_node = guards (self, options);
  signature.kept = kept;
  signature.may_lack_feeds = TRUE;
  SluiceExecutable *executable = sluice_executable_cache_get (self->cache, &signature, error);
  if (!executable)
    return FALSE;
  gboolean ok = run_executable (self, executable, feeds.tensors, outputs, options, error);
  sluice_executable_unref (executable);
  return ok;
}

void
sluice_session_forget (SluiceSession *self, const SluiceStepNames *names)
{
  g_return_if_fail (SLUICE_IS_SESSION (self));
  g_auto (Feeds) feeds;
  SluiceProgramNames signature = names_of (names, &feeds);
  for (guint guarded = 0; guarded < 2; guarded++)
    {
      signature.node_by_node = guarded != 0;
      sluice_executable_cache_forget (self->cache, &signature);
    }
}

SluiceCallable *
sluice_session_prepare (SluiceSession *self, const SluiceStepNames *names, GError **error)
{
  g_return_val_if_fail (SLUICE_IS_SESSION (self), NULL);
  g_auto (Feeds) feeds;
  SluiceProgramNames signature = names_of (names, &feeds);
  signature.node_by_node = self->options.nan_guard;
  SluiceExecutable *executable = sluice_executable_cache_get (self->cache, &signature, error);
  if (!executable)
    return NULL;
  SluiceCallable *callable = g_new0 (SluiceCallable, 1);
  callable->ref_count = 1;
  callable->session = g_object_ref (self);
  callable->executable = executable;
  callable->names = sluice_program_names_dup (&signature);
  return callable;
}

SluiceCallable *
sluice_callable_ref (SluiceCallable *self)
{
  atomic_fetch_add (&self->ref_count, 1);
  return self;
}

void
sluice_callable_unref (SluiceCallable *self)
{
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  sluice_executable_unref (self->executable);
  sluice_program_names_free (self->names);
  g_object_unref (self->session);
  g_free (self);
}

gboolean
sluice_callable_run (SluiceCallable *self,
                     SluiceTensor *const *feeds,
                     SluiceTensor **outputs,
                     const SluiceRunOptions *options,
                     GError **error)
{
  g_autoptr (SluiceKeptNodes) kept = dup_kept (options);
  const gboolean is_guarded = guards (self->session, options);
  if (!kept && (!is_guarded || self->names->node_by_node))
    return run_executable (self->session, self->executable, feeds, outputs, options, error);
  SluiceProgramNames names = *self->names;
  names.node_by_node |= is_guarded;
  names.kept = kept;
  SluiceExecutable *executable = sluice_executable_cache_get (self->session->cache, &names, error);
  if (!executable)
    return FALSE;
  gboolean ok = run_executable (self->session, executable, feeds, outputs, options, error);
  sluice_executable_unref (executable);
  return ok;
}

gboolean
sluice_callable_sends (const SluiceCallable *self)
{
  return self->executable->plan->n_far_devices > 0;
}

GArray *
sluice_callable_send (SluiceCallable *self, SluiceTensor *const *feeds)
{
  GArray *sent = sluice_sent_new ();
  sluice_plan_send_feeds (self->executable->plan,
                          (SluiceDevice *const *) self->session->host->devices->pdata, feeds, sent,
                          FALSE);
  return sent;
}

/* Of a partial run, after its end. */
static void
end_partial_run (GObject *session, SluiceStep *step, gpointer data)
{
  SluiceExecutable *executable = data;
  count_run (SLUICE_SESSION (session), step);
  sluice_executable_give_back (executable, step);
  sluice_executable_unref (executable);
}

SluicePartialRun *
sluice_session_set_up_partial (SluiceSession *self,
                               const SluiceStepNames *names,
                               const SluiceRunOptions *options,
                               GError **error)
{
  g_return_val_if_fail (SLUICE_IS_SESSION (self), NULL);
  g_auto (Feeds) feeds;
  SluiceProgramNames signature = names_of (names, &feeds);
  signature.node_by_node = guards (self, options);
  signature.is_partial = TRUE;
  SluiceExecutable *executable = sluice_executable_cache_get (self->cache, &signature, error);
  if (!executable)
    return NULL;
  options = options ? options : &no_run_options;
  SluiceStepEnv env = make_env (self, options);
  return sluice_partial_run_begin (G_OBJECT (self), sluice_executable_take_step (executable), &env,
                                   options->cancellable, end_partial_run, executable, error);
}

/* ---- the session ---- */

/* cache: (nullable): another session's. */
static void
set_host (SluiceSession *self, SluiceExecutableCache *cache)
{
  SluiceHost *host = sluice_host_new (cache);
  g_clear_pointer (&self->host, sluice_host_unref);
  self->host = host;
  self->cache = host->cache;
}

static void
sluice_session_init (SluiceSession *self)
{
  set_host (self, NULL);
  self->readers = sluice_event_readers_new ();
  self->first_tick = sluice_clock_ticks ();
  self->start_us = g_get_real_time ();
}

/* Resources before devices: their memory is the devices'. */
static void
sluice_session_finalize (GObject *object)
{
  SluiceSession *self = SLUICE_SESSION (object);
  for (guint i = 0; i < self->host->devices->len; i++)
    sluice_allocator_set_namer (sluice_session_get_device (self, i)->allocator, NULL, NULL);
  if (self->activity)
    sluice_resource_unref (&self->activity->parent);
  g_clear_pointer (&self->resources, sluice_resources_unref);
  sluice_event_readers_free (self->readers);
  g_clear_pointer (&self->host, sluice_host_unref);
  g_clear_pointer (&self->options.cluster, sluice_cluster_unref);
  G_OBJECT_CLASS (sluice_session_parent_class)->finalize (object);
}

static void
sluice_session_class_init (SluiceSessionClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_session_finalize;
}

/* For messages about memory: on a thread that runs a kernel. */
static char *
name_node (gpointer data, guint32 node)
{
  SluiceSession *self = data;
  SluiceNodeTitle title;
  return sluice_titles_get (&self->cache->titles, node, &title) ? g_strdup (title.name) : NULL;
}

/* (nullable) take */
static gboolean
add_device (SluiceSession *self, SluiceDevice *take, GError **error)
{
  if (take == NULL)
    return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                        "no memory for device %u of the session; ask for fewer",
                        self->host->devices->len);
  g_ptr_array_add (self->host->devices, take);
  sluice_allocator_set_namer (take->allocator, name_node, self);
  return TRUE;
}

/* Of the type of the default device, up to its number; that becomes the plans' default. */
static gboolean
add_default_device (SluiceSession *self, GError **error)
{
  const SluiceSessionOptions *options = &self->options;
  SluiceDeviceSpec spec;
  if (options->device == NULL)
    return TRUE;
  if (!sluice_device_spec_parse (&spec, options->device, error))
    return FALSE;
  g_autofree char *type = g_steal_pointer (&spec.type);
  guint index = (guint) MAX (spec.index, 0);
  sluice_device_spec_clear (&spec);
  if (g_strcmp0 (type, "CPU") == 0 && index < MAX (options->n_cpus, 1))
    {
      self->cache->default_device = index;
      return TRUE;
    }
  const SluiceDeviceKind *kind = sluice_device_find_kind (type != NULL ? type : "*", error);
  /* One that is not there is told by its own number, not by the first that is missing before it. */
  guint first = kind != NULL && index >= kind->count () ? index : 0;
  for (guint i = first; kind != NULL && i <= index; i++)
    {
      SluiceDevice *device =
          sluice_device_new_of_kind (options->cluster, kind, i, sluice_options_get_limit (options),
                                     options->device_options, error);
      if (device == NULL || !add_device (self, device, error))
        return FALSE;
    }
  self->cache->default_device = self->host->devices->len - 1;
  return kind != NULL;
}

static gboolean
add_devices (SluiceSession *self, const char *swap_folder, GError **error)
{
  const SluiceSessionOptions *options = &self->options;
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < MAX (options->n_cpus, 1); i++)
    ok = add_device (self,
                     sluice_device_new_cpu (options->cluster, i, sluice_options_get_limit (options),
                                            swap_folder),
                     error);
  for (guint i = 0; ok && i < options->n_nulls; i++)
    ok = add_device (self, sluice_device_new_null (options->cluster, i), error);
  return ok && add_default_device (self, error);
}

static guint64
make_seed (guint64 seed)
{
  while (seed == 0)
    if (getrandom (&seed, sizeof seed, 0) != sizeof seed)
      seed = sluice_clock_ticks ();
  return seed;
}

/* The options of a session that has another's plans: what these depend on is the other's. */
static SluiceSessionOptions
options_like (const SluiceSession *other, const SluiceSessionOptions *own)
{
  SluiceSessionOptions options = other->options;
  sluice_options_copy (&options, own, SLUICE_OPTION_OWN);
  options.resources = own->resources;
  options.no_trace = own->no_trace;
  return options;
}

static void
set_options (SluiceSession *self, const SluiceSessionOptions *options)
{
  if (options->like)
    {
      self->options = options_like (options->like, options);
      set_host (self, options->like->cache);
    }
  else
    {
      self->options = *options;
      sluice_executable_cache_set_options (self->cache, options);
    }
  self->host->seed = make_seed (options->seed);
  self->options.like = NULL; /* the caller's, as these */
  self->options.resources = NULL, self->options.sized = NULL, self->options.fit_seen = NULL;
  self->options.swap_folder = NULL;
  self->options.device = g_intern_string (self->options.device);
  self->options.device_options = g_intern_string (self->options.device_options);
  self->options.policy = g_intern_string (self->options.policy);
  self->options.files = NULL;
  self->options.costs = NULL;
  if (self->options.cluster) /* sessions like this one have its devices' names */
    sluice_cluster_ref (self->options.cluster);
}

static gboolean
check_devices (const SluiceSessionOptions *options, GError **error)
{
  if (options->n_cpus <= SLUICE_MAX_DEVICES && options->n_nulls <= SLUICE_MAX_DEVICES)
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "%u devices of one kind are more than the %u that a session can have; lower "
                      "the number of %s",
                      MAX (options->n_cpus, options->n_nulls), SLUICE_MAX_DEVICES,
                      options->n_cpus > SLUICE_MAX_DEVICES ? "cpus" : "nulls");
}

SluiceSession *
sluice_session_new (const SluiceSessionOptions *options, GError **error)
{
  static const SluiceSessionOptions no_options;
  options = options ? options : &no_options;
  if (!check_devices (options, error)
      || (options->policy != NULL && sluice_policies_find (options->policy, error) == NULL)
      || !sluice_pool_start (error))
    return NULL;
  sluice_passes_init ();
  g_autoptr (SluiceSession) self = g_object_new (SLUICE_TYPE_SESSION, NULL);
  set_options (self, options);
  self->resources =
      options->resources ? sluice_resources_ref (options->resources) : sluice_resources_new ();
  if (options->files != NULL)
    sluice_resources_set_files (self->resources, options->files);
  self->activity = sluice_activity_get (self->resources);
  return add_devices (self, options->swap_folder, error) ? g_steal_pointer (&self) : NULL;
}

gboolean
sluice_session_extend (SluiceSession *self, SluiceGraph *graph, GError **error)
{
  g_return_val_if_fail (SLUICE_IS_SESSION (self), FALSE);
  pthread_mutex_lock (&self->cache->graph_lock);
  gboolean ok = sluice_copy_new_nodes (self->cache->snapshot->graph, graph, error);
  ok = sluice_executable_cache_place (self->cache, ok ? error : NULL) && ok;
  pthread_mutex_unlock (&self->cache->graph_lock);
  return ok;
}

gboolean
sluice_session_update (SluiceSession *self, SluiceGraph *graph, GError **error)
{
  g_return_val_if_fail (SLUICE_IS_SESSION (self), FALSE);
  pthread_mutex_lock (&self->cache->graph_lock);
  gboolean ok = sluice_executable_cache_update (self->cache, graph, error);
  pthread_mutex_unlock (&self->cache->graph_lock);
  return ok;
}

gboolean
sluice_session_place_again (SluiceSession *self,
                            SluiceCostTeller *costs,
                            guint *n_moved,
                            GError **error)
{
  g_return_val_if_fail (SLUICE_IS_SESSION (self), FALSE);
  pthread_mutex_lock (&self->cache->graph_lock);
  gboolean ok = sluice_executable_cache_place_again (self->cache, costs, n_moved, error);
  pthread_mutex_unlock (&self->cache->graph_lock);
  return ok;
}

void
sluice_session_reset (SluiceSession *self, const char *const *containers)
{
  g_return_if_fail (SLUICE_IS_SESSION (self));
  if (containers == NULL || *containers == NULL)
    sluice_resources_reset (self->resources, "");
  for (; containers != NULL && *containers != NULL; containers++)
    sluice_resources_reset (self->resources, *containers);
}

SluiceGraph *
sluice_session_get_graph (SluiceSession *self)
{
  pthread_mutex_lock (&self->cache->graph_lock);
  SluiceGraph *graph = self->cache->snapshot->graph;
  pthread_mutex_unlock (&self->cache->graph_lock);
  return graph;
}

guint32
sluice_session_get_node_number (SluiceSession *self, const SluiceNode *node)
{
  pthread_mutex_lock (&self->cache->graph_lock);
  const SluiceSnapshot *snapshot = sluice_executable_cache_find_snapshot (self->cache, node);
  guint32 number = sluice_snapshot_get_number (snapshot, node);
  pthread_mutex_unlock (&self->cache->graph_lock);
  return number;
}

SluiceResources *
sluice_session_get_resources (SluiceSession *self)
{
  return self->resources;
}

guint
sluice_session_get_n_devices (SluiceSession *self)
{
  return self->host->devices->len;
}

SluiceDevice *
sluice_session_get_device (SluiceSession *self, guint i)
{
  g_return_val_if_fail (i < self->host->devices->len, NULL);
  return self->host->devices->pdata[i];
}

const char *
sluice_session_get_placement (SluiceSession *self, const char *node, const char **reason)
{
  SluiceNodeTitle title;
  if (!sluice_titles_find (&self->cache->titles, sluice_intern (node), &title))
    return NULL;
  if (reason)
    *reason = title.reason;
  return title.device;
}

const char *
sluice_session_get_device_of (SluiceSession *self, const SluiceNode *node)
{
  SluiceNodeTitle title;
  return sluice_titles_find (&self->cache->titles, node->name, &title) ? title.device : NULL;
}

SluiceDevice *
sluice_session_find_device (SluiceSession *self, guint32 number)
{
  SluiceNodeTitle title;
  if (!sluice_titles_get (&self->cache->titles, number, &title) || title.device == NULL)
    return NULL;
  for (guint i = 0; i < self->host->devices->len; i++)
    {
      SluiceDevice *device = self->host->devices->pdata[i];
      if (strcmp (device->short_name, title.device) == 0)
        return device;
    }
  return NULL;
}

const char *
sluice_session_get_node_name (SluiceSession *self, guint32 number, const char **op)
{
  SluiceNodeTitle title;
  if (!sluice_titles_get (&self->cache->titles, number, &title))
    return NULL;
  *op = title.op;
  return title.name;
}

GArray *
sluice_session_dup_reads (SluiceSession *self)
{
  return sluice_executable_cache_dup_reads (self->cache);
}

char *
sluice_session_dup_moved (SluiceSession *self)
{
  pthread_mutex_lock (&self->cache->graph_lock);
  char *text =
      sluice_placements_dup_moved (self->cache->snapshot->placements, self->cache->snapshot->graph,
                                   (SluiceDevice *const *) self->host->devices->pdata);
  pthread_mutex_unlock (&self->cache->graph_lock);
  return text;
}

void
sluice_session_get_stats (SluiceSession *self, SluiceSessionStats *stats)
{
  stats->n_runs = self->n_runs;
  stats->n_plans = self->cache->n_plans;
  stats->n_nodes_run = self->n_nodes_run;
  pthread_mutex_lock (&self->cache->cache_lock);
  stats->n_cached_plans = g_hash_table_size (self->cache->by_names);
  pthread_mutex_unlock (&self->cache->cache_lock);
}

SluiceWatch *
sluice_session_watch (SluiceSession *self, const char *edge, GError **error)
{
  g_return_val_if_fail (SLUICE_IS_SESSION (self), NULL);
  const char *colon = strrchr (edge, ':');
  g_autofree char *name = colon != NULL ? g_strndup (edge, (gsize) (colon - edge)) : NULL;
  guint64 port;
  SluiceNodeTitle title;
  if (colon == NULL || !g_ascii_string_to_unsigned (colon + 1, 10, 0, G_MAXUINT16, &port, NULL))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "'%s' is no output: write the node's name, a colon and a number", edge);
      return NULL;
    }
  if (!sluice_titles_find (&self->cache->titles, sluice_intern (name), &title))
    {
      sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "'%s': the session's graph has no node '%s'",
                   edge, name);
      return NULL;
    }
  return sluice_watches_add (self->host->watches, title.name, (guint) port, error);
}

gboolean
sluice_session_record_memory (SluiceSession *self)
{
  for (guint i = 0; i < self->host->devices->len; i++)
    if (!sluice_allocator_start_ledger (sluice_session_get_device (self, i)->allocator))
      return FALSE; /* recordings of all devices begin and end together */
  return TRUE;
}

SluiceLedger *
sluice_session_dup_ledger (SluiceSession *self, guint i)
{
  g_return_val_if_fail (i < self->host->devices->len, NULL);
  return sluice_allocator_end_ledger (sluice_session_get_device (self, i)->allocator);
}

GArray *
sluice_session_dup_races (SluiceSession *self, const SluiceStepNames *names, GError **error)
{
  g_auto (Feeds) feeds;
  const SluiceProgramNames program = names_of (names, &feeds);
  pthread_mutex_lock (&self->cache->graph_lock);
  g_autoptr (SluiceWork) work = sluice_executable_cache_prune (self->cache, &program, error);
  GArray *races = work ? sluice_find_races (work, error) : NULL;
  pthread_mutex_unlock (&self->cache->graph_lock);
  return races;
}

SluiceExplanation *
sluice_session_explain (SluiceSession *self,
                        const SluiceStepNames *names,
                        const char *pass,
                        GError **error)
{
  g_auto (Feeds) feeds;
  SluiceProgramNames program = names_of (names, &feeds);
  program.node_by_node = self->cache->nan_guard;
  pthread_mutex_lock (&self->cache->graph_lock);
  SluiceExplanation *explanation =
      sluice_executable_cache_explain (self->cache, &program, pass, error);
  pthread_mutex_unlock (&self->cache->graph_lock);
  return explanation;
}

SluiceFitStudy *
sluice_session_study_fit (SluiceSession *self,
                          const SluiceStepNames *names,
                          const SluiceFitSizes *sizes,
                          GError **error)
{
  g_auto (Feeds) feeds;
  SluiceProgramNames program = names_of (names, &feeds);
  pthread_mutex_lock (&self->cache->graph_lock);
  SluiceFitStudy *study = sluice_executable_cache_study (self->cache, &program, sizes, error);
  pthread_mutex_unlock (&self->cache->graph_lock);
  return study;
}

void
sluice_session_refit (SluiceSession *self, gsize bytes, gint64 slack, GHashTable *seen)
{
  pthread_mutex_lock (&self->cache->graph_lock);
  sluice_executable_cache_refit (self->cache, bytes, slack, seen);
  pthread_mutex_unlock (&self->cache->graph_lock);
}

SluiceForecast *
sluice_session_forecast (SluiceSession *self,
                         const SluiceStepNames *names,
                         gint64 unknown_dim,
                         GError **error)
{
  g_auto (Feeds) feeds;
  SluiceProgramNames program = names_of (names, &feeds);
  program.node_by_node = self->cache->nan_guard;
  pthread_mutex_lock (&self->cache->graph_lock);
  g_autoptr (SluiceWork) work = sluice_executable_cache_pass (self->cache, &program, error);
  SluiceForecast *forecast =
      work != NULL ? sluice_forecast_new (work, self->host->devices->len, unknown_dim) : NULL;
  pthread_mutex_unlock (&self->cache->graph_lock);
  return forecast;
}
