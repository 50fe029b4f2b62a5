/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/session.h"

#include <string.h>
#include <sys/random.h>

#include "engine/graph/lower.h"
#include "engine/passes/passes.h"
#include "engine/runtime/copy.h"
#include "engine/runtime/events.h"
#include "engine/runtime/lanes.h"
#include "engine/runtime/step.h"

#define TRACE_RECORDS 65536 /* of a lane: the last step of the largest graphs */

/* A plan and the steps that were made for it. Held by the session's cache and by callables. */
typedef struct
{
  _Atomic int ref_count;
  SluicePlan *plan;
  pthread_mutex_t lock;
  SluiceStep *free_steps; /* under lock */
} Program;

/* A signature as text: what the cache is looked up with. Borrowed for the look-up, owned inside. */
typedef struct
{
  const char *const *feeds, *const *fetches, *const *targets;
  guint n_feeds, n_fetches, n_targets;
  gboolean node_by_node; /* nothing fused: the NaN guard looks at every value */
} Names;

struct _SluiceSession
{
  GObject parent_instance;

  /* Set once. */
  SluiceSessionOptions options;
  GPtrArray *devices;
  SluiceResources *resources;
  SluiceActivity *activity;
  SluiceLanes *lanes;
  guint64 first_tick;

  pthread_mutex_t graph_lock; /* held by extend and while a plan is made; guards the next three */
  SluiceGraph *graph;
  GArray *placements;
  SluiceEventReaders *readers;

  pthread_mutex_t cache_lock;
  GHashTable *programs; /* Names → Program, under cache_lock */

  _Atomic guint64 n_runs, n_plans, n_nodes_run;
};

G_DEFINE_FINAL_TYPE (SluiceSession, sluice_session, G_TYPE_OBJECT)

struct _SluiceCallable
{
  _Atomic int ref_count;
  SluiceSession *session;
  Program *program;
};

/* ---- programs ---- */

static Program *
program_new (SluicePlan *take)
{
  Program *self = g_new0 (Program, 1);
  self->ref_count = 1;
  self->plan = take;
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

static Program *
program_ref (Program *self)
{
  atomic_fetch_add (&self->ref_count, 1);
  return self;
}

static void
program_unref (Program *self)
{
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  for (SluiceStep *step = self->free_steps, *next; step; step = next)
    {
      next = step->next_free;
      sluice_step_unref (step);
    }
  sluice_plan_free (self->plan);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

static SluiceStep *
program_take_step (Program *self)
{
  pthread_mutex_lock (&self->lock);
  SluiceStep *step = self->free_steps;
  if (step)
    self->free_steps = step->next_free;
  pthread_mutex_unlock (&self->lock);
  return step ? step : sluice_step_new (self->plan);
}

static void
program_give_back (Program *self, SluiceStep *step)
{
  pthread_mutex_lock (&self->lock);
  step->next_free = self->free_steps;
  self->free_steps = step;
  pthread_mutex_unlock (&self->lock);
}

/* ---- signatures ---- */

static guint64
hash_strings (guint64 hash, const char *const *strings, guint n)
{
  hash = (hash ^ n) * G_GUINT64_CONSTANT (0x100000001b3);
  for (guint i = 0; i < n; i++)
    for (const char *c = strings[i];; c++)
      {
        hash = (hash ^ (guint8) *c) * G_GUINT64_CONSTANT (0x100000001b3);
        if (!*c)
          break;
      }
  return hash;
}

static guint
hash_names (gconstpointer key)
{
  const Names *names = key;
  guint64 hash =
      hash_strings (G_GUINT64_CONSTANT (0xcbf29ce484222325), names->feeds, names->n_feeds);
  hash = hash_strings (hash, names->fetches, names->n_fetches);
  hash = hash_strings (hash, names->targets, names->n_targets);
  return (guint) (hash ^ hash >> 32);
}

static gboolean
equal_strings (const char *const *a, const char *const *b, guint n)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (a[i], b[i]) != 0)
      return FALSE;
  return TRUE;
}

static gboolean
equal_names (gconstpointer a, gconstpointer b)
{
  const Names *x = a, *y = b;
  return x->node_by_node == y->node_by_node && x->n_feeds == y->n_feeds
         && x->n_fetches == y->n_fetches && x->n_targets == y->n_targets
         && equal_strings (x->feeds, y->feeds, x->n_feeds)
         && equal_strings (x->fetches, y->fetches, x->n_fetches)
         && equal_strings (x->targets, y->targets, x->n_targets);
}

/* (transfer full): ends with NULL */
static const char *const *
dup_strings (const char *const *strings, guint n)
{
  char **copy = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    copy[i] = g_strdup (strings[i]);
  return (const char *const *) copy;
}

static Names *
names_dup (const Names *names)
{
  Names *copy = g_memdup2 (names, sizeof *names);
  copy->feeds = dup_strings (names->feeds, names->n_feeds);
  copy->fetches = dup_strings (names->fetches, names->n_fetches);
  copy->targets = dup_strings (names->targets, names->n_targets);
  return copy;
}

static void
names_free (gpointer data)
{
  Names *names = data;
  g_strfreev ((char **) names->feeds);
  g_strfreev ((char **) names->fetches);
  g_strfreev ((char **) names->targets);
  g_free (names);
}

static gboolean
parse_edges (SluiceGraph *graph,
             const char *what,
             const char *const *names,
             guint n,
             SluiceEdge *edges,
             GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!sluice_graph_parse_edge (graph, names[i], &edges[i], error))
      {
        g_prefix_error (error, "%s: ", what);
        return FALSE;
      }
  return TRUE;
}

static gboolean
parse_targets (SluiceGraph *graph, const Names *names, SluiceNode **targets, GError **error)
{
  for (guint i = 0; i < names->n_targets; i++)
    {
      const char *name = names->targets[i];
      targets[i] = sluice_graph_find (graph, *name == '^' ? name + 1 : name);
      if (!targets[i])
        return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "target: there is no node '%s'", name);
    }
  return TRUE;
}

static void
place_new_nodes (SluiceSession *self)
{
  sluice_place (self->graph, (SluiceDevice *const *) self->devices->pdata, self->devices->len,
                self->options.soft_placement, self->placements);
}

/* Signature → passes → partition → plan. Under graph_lock. */
static SluicePlan *
compile (SluiceSession *self, const Names *names, GError **error)
{
  g_autofree SluiceEdge *feeds = g_new (SluiceEdge, names->n_feeds + 1);
  g_autofree SluiceEdge *fetches = g_new (SluiceEdge, names->n_fetches + 1);
  g_autofree SluiceNode **targets = g_new (SluiceNode *, names->n_targets + 1);
  if (!parse_edges (self->graph, "feed", names->feeds, names->n_feeds, feeds, error)
      || !parse_edges (self->graph, "fetch", names->fetches, names->n_fetches, fetches, error)
      || !parse_targets (self->graph, names, targets, error))
    return NULL;
  SluiceSignature signature = { feeds,   names->n_feeds,  fetches, names->n_fetches,
                                targets, names->n_targets };
  if (sluice_graph_lower_closure (self->graph, fetches, names->n_fetches, targets,
                                  names->n_targets))
    place_new_nodes (self);
  g_autoptr (SluiceWork) work = sluice_prune (&signature, self->placements, error);
  if (!work)
    return NULL;
  int max_rank = self->options.reference_kernels ? 0 : G_MAXINT;
  if (!self->options.no_optimize)
    {
      sluice_fold (work, max_rank);
      sluice_merge_common (work);
    }
  sluice_partition (work);
  SluicePlanOptions options = { (SluiceDevice *const *) self->devices->pdata, max_rank,
                                self->options.no_optimize, self->options.order_seed,
                                !self->options.no_optimize && !self->options.no_fusion
                                    && !names->node_by_node };
  SluicePlan *plan = sluice_plan_new (work, &options, error);
  if (!plan)
    return NULL;
  for (guint i = 0; i < names->n_fetches; i++)
    plan->fetches[i].edge = fetches[i];
  atomic_fetch_add (&self->n_plans, 1);
  return plan;
}

static Program *
look_up (SluiceSession *self, const Names *names)
{
  pthread_mutex_lock (&self->cache_lock);
  Program *program = g_hash_table_lookup (self->programs, names);
  if (program)
    program_ref (program);
  pthread_mutex_unlock (&self->cache_lock);
  return program;
}

/* (transfer full) (nullable). Two threads that ask for a new signature at once make one plan. */
static Program *
get_program (SluiceSession *self, const Names *names, GError **error)
{
  Program *program = look_up (self, names);
  if (program)
    return program;
  pthread_mutex_lock (&self->graph_lock);
  program = look_up (self, names);
  SluicePlan *plan = program ? NULL : compile (self, names, error);
  if (plan)
    {
      program = program_new (plan);
      pthread_mutex_lock (&self->cache_lock);
      g_hash_table_insert (self->programs, names_dup (names), program_ref (program));
      pthread_mutex_unlock (&self->cache_lock);
    }
  pthread_mutex_unlock (&self->graph_lock);
  return program;
}

/* ---- runs ---- */

static gboolean
guards (const SluiceSession *self, const SluiceRunOptions *options)
{
  return self->options.nan_guard || (options && options->nan_guard);
}

static void
on_cancelled (GCancellable *cancellable, gpointer step)
{
  sluice_step_cancel (step);
}

static gboolean
run_program (SluiceSession *self,
             Program *program,
             SluiceTensor *const *feeds,
             SluiceTensor **outputs,
             const SluiceRunOptions *options,
             GError **error)
{
  static const SluiceRunOptions no_options;
  options = options ? options : &no_options;
  if (!sluice_plan_check_feeds (program->plan, feeds, error))
    return FALSE;
  SluiceStepEnv env = { .devices = (SluiceDevice *const *) self->devices->pdata,
                        .resources = self->resources,
                        .seed = self->options.seed,
                        .number = options->step,
                        .cancel_flag = options->cancel_flag,
                        .nan_guard = guards (self, options),
                        .max_iterations = options->max_iterations,
                        .lanes = self->lanes,
                        .activity = self->activity,
                        .graph_lock = &self->graph_lock,
                        .keep_waiting = self->options.keep_waiting,
                        .may_wait = options->may_wait };
  SluiceStep *step = program_take_step (program);
  gulong handler = 0;
  sluice_step_prepare (step, &env);
  if (options->cancellable)
    handler = g_cancellable_connect (options->cancellable, G_CALLBACK (on_cancelled), step, NULL);
  gboolean ok = sluice_step_run (step, feeds, outputs, error);
  if (handler)
    g_cancellable_disconnect (options->cancellable, handler);
  atomic_fetch_add_explicit (&self->n_runs, 1, memory_order_relaxed);
  atomic_fetch_add_explicit (&self->n_nodes_run, step->n_run, memory_order_relaxed);
  program_give_back (program, step);
  return ok;
}

gboolean
sluice_session_run (SluiceSession *self,
                    const SluiceFeed *feeds,
                    guint n_feeds,
                    const char *const *fetches,
                    guint n_fetches,
                    const char *const *targets,
                    guint n_targets,
                    SluiceTensor **outputs,
                    const SluiceRunOptions *options,
                    GError **error)
{
  g_return_val_if_fail (SLUICE_IS_SESSION (self), FALSE);
  const char *few_names[16];
  SluiceTensor *few_tensors[16];
  gboolean many = n_feeds > G_N_ELEMENTS (few_names);
  g_autofree const char **more_names = many ? g_new (const char *, n_feeds) : NULL;
  g_autofree SluiceTensor **more_tensors = many ? g_new (SluiceTensor *, n_feeds) : NULL;
  const char **names = many ? more_names : few_names;
  SluiceTensor **tensors = many ? more_tensors : few_tensors;
  for (guint i = 0; i < n_feeds; i++)
    {
      names[i] = feeds[i].edge;
      tensors[i] = feeds[i].tensor;
    }
  Names signature = {
    names, fetches, targets, n_feeds, n_fetches, n_targets, guards (self, options)
  };
  Program *program = get_program (self, &signature, error);
  if (!program)
    return FALSE;
  gboolean ok = run_program (self, program, tensors, outputs, options, error);
  program_unref (program);
  return ok;
}

SluiceCallable *
sluice_session_prepare (SluiceSession *self,
                        const char *const *feeds,
                        guint n_feeds,
                        const char *const *fetches,
                        guint n_fetches,
                        const char *const *targets,
                        guint n_targets,
                        GError **error)
{
  g_return_val_if_fail (SLUICE_IS_SESSION (self), NULL);
  Names signature = {
    feeds, fetches, targets, n_feeds, n_fetches, n_targets, self->options.nan_guard
  };
  Program *program = get_program (self, &signature, error);
  if (!program)
    return NULL;
  SluiceCallable *callable = g_new0 (SluiceCallable, 1);
  callable->ref_count = 1;
  callable->session = g_object_ref (self);
  callable->program = program;
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
  program_unref (self->program);
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
  return run_program (self->session, self->program, feeds, outputs, options, error);
}

/* ---- the session ---- */

static void
sluice_session_init (SluiceSession *self)
{
  pthread_mutex_init (&self->graph_lock, NULL);
  pthread_mutex_init (&self->cache_lock, NULL);
  self->devices = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_device_free);
  self->graph = sluice_graph_new ();
  self->placements = sluice_placements_new ();
  self->readers = sluice_event_readers_new ();
  self->lanes = sluice_lanes_new (TRACE_RECORDS);
  self->programs =
      g_hash_table_new_full (hash_names, equal_names, names_free, (GDestroyNotify) program_unref);
  self->first_tick = sluice_clock_ticks ();
}

/* Resources before devices: their memory is the devices'. */
static void
sluice_session_finalize (GObject *object)
{
  SluiceSession *self = SLUICE_SESSION (object);
  g_hash_table_unref (self->programs);
  if (self->activity)
    sluice_resource_unref (&self->activity->parent);
  g_clear_pointer (&self->resources, sluice_resources_unref);
  sluice_graph_unref (self->graph);
  g_array_unref (self->placements);
  sluice_event_readers_free (self->readers);
  sluice_lanes_unref (self->lanes);
  g_ptr_array_unref (self->devices);
  pthread_mutex_destroy (&self->graph_lock);
  pthread_mutex_destroy (&self->cache_lock);
  G_OBJECT_CLASS (sluice_session_parent_class)->finalize (object);
}

static void
sluice_session_class_init (SluiceSessionClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_session_finalize;
}

SluiceSession *
sluice_session_new (const SluiceSessionOptions *options, GError **error)
{
  static const SluiceSessionOptions no_options;
  options = options ? options : &no_options;
  sluice_passes_init ();
  SluiceSession *self = g_object_new (SLUICE_TYPE_SESSION, NULL);
  self->options = *options;
  self->resources =
      options->resources ? sluice_resources_ref (options->resources) : sluice_resources_new ();
  self->activity = sluice_activity_get (self->resources);
  for (guint i = 0; i < MAX (options->n_cpus, 1); i++)
    g_ptr_array_add (self->devices, sluice_device_new_cpu (i, options->memory_limit));
  for (guint i = 0; i < options->n_nulls; i++)
    g_ptr_array_add (self->devices, sluice_device_new_null (i));
  while (self->options.seed == 0)
    if (getrandom (&self->options.seed, sizeof self->options.seed, 0) != sizeof self->options.seed)
      self->options.seed = sluice_clock_ticks ();
  return self;
}

gboolean
sluice_session_extend (SluiceSession *self, SluiceGraph *graph, GError **error)
{
  g_return_val_if_fail (SLUICE_IS_SESSION (self), FALSE);
  pthread_mutex_lock (&self->graph_lock);
  gboolean ok = sluice_copy_new_nodes (self->graph, graph, error);
  place_new_nodes (self);
  pthread_mutex_unlock (&self->graph_lock);
  return ok;
}

SluiceGraph *
sluice_session_get_graph (SluiceSession *self)
{
  return self->graph;
}

SluiceResources *
sluice_session_get_resources (SluiceSession *self)
{
  return self->resources;
}

guint
sluice_session_get_n_devices (SluiceSession *self)
{
  return self->devices->len;
}

SluiceDevice *
sluice_session_get_device (SluiceSession *self, guint i)
{
  g_return_val_if_fail (i < self->devices->len, NULL);
  return self->devices->pdata[i];
}

static const char *
short_device_name (SluiceSession *self, guint i)
{
  const SluiceDevice *device = self->devices->pdata[i];
  g_autofree char *name = g_strdup_printf ("%s:%u", device->klass->type, device->index);
  return g_intern_string (name);
}

const char *
sluice_session_get_placement (SluiceSession *self, const char *node, const char **reason)
{
  const char *device = NULL;
  pthread_mutex_lock (&self->graph_lock);
  const SluiceNode *found = sluice_graph_find (self->graph, node);
  if (found)
    {
      const SluicePlacement *placement =
          &g_array_index (self->placements, SluicePlacement, found->id - 1);
      if (placement->device >= 0)
        device = short_device_name (self, (guint) placement->device);
      if (reason)
        *reason =
            placement->error ? g_intern_string (placement->error->message) : placement->reason;
    }
  pthread_mutex_unlock (&self->graph_lock);
  return device;
}

void
sluice_session_get_stats (SluiceSession *self, SluiceSessionStats *stats)
{
  stats->n_runs = self->n_runs;
  stats->n_plans = self->n_plans;
  stats->n_nodes_run = self->n_nodes_run;
  pthread_mutex_lock (&self->cache_lock);
  stats->n_cached_plans = g_hash_table_size (self->programs);
  pthread_mutex_unlock (&self->cache_lock);
}

GArray *
sluice_session_dup_trace (SluiceSession *self, guint64 *cursor)
{
  pthread_mutex_lock (&self->graph_lock);
  GArray *events = sluice_event_readers_read (self->readers, cursor, self->lanes, self->graph,
                                              self->devices, self->first_tick);
  pthread_mutex_unlock (&self->graph_lock);
  return events;
}
