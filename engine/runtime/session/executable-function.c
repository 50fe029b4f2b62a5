/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Functions that kernels call. The body is written out once, below the node that calls it, and
 * becomes an executable like that of any run; a call is a step of it that no thread waits for. What
 * a call needs it holds itself, so that it may outlive the run and the session.
 */
#include "engine/graph/lower.h"
#include "engine/runtime/session/host.h"

/* What is known of a function of a node. */
typedef struct
{
  SluiceExecutable *executable; /* (nullable): error says why */
  GError *error;
  guint n_outputs;
  SluiceDType *output_types;
  gboolean is_pure;
} Body;

typedef struct
{
  SluiceFunction parent;
  SluiceHost *host;
  SluiceExecutable *executable;
  SluiceSnapshot *snapshot; /* that it was compiled from */
  char *name;               /* of the node that calls it, for messages */
  SluiceDType *types;
  pthread_mutex_t lock; /* guards running and is_cancelled of its calls */
} Function;

/* A call under way. Counted: the step goes back when nobody looks at it any more. */
typedef struct
{
  _Atomic int ref_count;
  Function *function;
  SluiceFunctionCall *call;
  SluiceStep *step;
  SluiceResources *resources;
  SluiceActivity *activity;
} Running;

/* ---- calls ---- */

static void
running_unref (Running *self)
{
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  Function *function = self->function;
  sluice_executable_give_back (function->executable, self->step);
  sluice_resource_unref (&self->activity->parent);
  sluice_resources_unref (self->resources); /* before what owns the devices */
  sluice_function_unref (&function->parent);
  g_free (self);
}

static void
ended (gpointer data)
{
  Running *self = data;
  Function *function = self->function;
  SluiceFunctionCall *call = self->call;
  sluice_step_collect (self->step, call->inputs, call->outputs, &call->error);
  pthread_mutex_lock (&function->lock);
  call->running = NULL;
  pthread_mutex_unlock (&function->lock);
  running_unref (self);
  call->done (call);
}

static gboolean
check_inputs (const Function *self, const SluiceFunctionCall *call, guint n, GError **error)
{
  const SluicePlan *plan = self->executable->plan;
  if (n != plan->n_feeds)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the function of '%s' takes %u inputs, and it is given %u: the components "
                        "of an element and what the node captures",
                        self->name, plan->n_feeds, n);
  return sluice_plan_check_feeds (plan, call->inputs, error);
}

static void
function_start (SluiceFunction *function,
                SluiceFunctionCall *call,
                guint n_inputs,
                SluiceKernelCall *caller,
                gboolean elsewhere)
{
  Function *self = (Function *) function;
  const SluiceStepEnv *from = &caller->step->env;
  SluiceHost *host = self->host;
  if (!check_inputs (self, call, n_inputs, &call->error))
    {
      call->done (call);
      return;
    }
  Running *running = g_new (Running, 1);
  *running =
      (Running){ .ref_count = 1,
                 .function = (Function *) sluice_function_ref (function),
                 .call = call,
                 .step = sluice_executable_take_step (self->executable),
                 .resources = sluice_resources_ref (from->resources),
                 .activity = (SluiceActivity *) sluice_resource_ref (&from->activity->parent) };
  SluiceStepEnv env = { .devices = (SluiceDevice *const *) host->devices->pdata,
                        .resources = running->resources,
                        .functions = &host->functions,
                        .seed = host->seed,
                        .number = from->number,
                        .nan_guard = from->nan_guard,
                        .max_iterations = from->max_iterations,
                        .lanes = from->lanes ? host->lanes : NULL,
                        .activity = running->activity,
                        .graph_lock = &host->cache->graph_lock };
  sluice_step_prepare_driven (running->step, &env, ended, running);
  pthread_mutex_lock (&self->lock);
  call->running = running;
  if (call->is_cancelled)
    sluice_step_cancel (running->step);
  pthread_mutex_unlock (&self->lock);
  sluice_step_begin (running->step, call->inputs, elsewhere);
}

static void
function_cancel (SluiceFunction *function, SluiceFunctionCall *call)
{
  Function *self = (Function *) function;
  pthread_mutex_lock (&self->lock);
  Running *running = call->running;
  call->is_cancelled = TRUE;
  if (running != NULL)
    sluice_step_cancel (running->step);
  pthread_mutex_unlock (&self->lock);
}

/* The graph's lock is the caller's: where that is another session's, nothing is said. */
static char *
function_describe_wait (SluiceFunction *function,
                        SluiceFunctionCall *call,
                        SluiceKernelCall *caller)
{
  Function *self = (Function *) function;
  if (caller->step->env.graph_lock != &self->host->cache->graph_lock)
    return NULL;
  pthread_mutex_lock (&self->lock);
  Running *running = call->running;
  if (running != NULL)
    atomic_fetch_add (&running->ref_count, 1);
  pthread_mutex_unlock (&self->lock);
  if (running == NULL)
    return NULL;
  char *text = sluice_deadlock_describe_driven (running->step);
  running_unref (running);
  return text;
}

static void
function_finalize (SluiceFunction *function)
{
  Function *self = (Function *) function;
  sluice_executable_unref (self->executable);
  sluice_snapshot_unref (self->snapshot);
  sluice_host_unref (self->host);
  pthread_mutex_destroy (&self->lock);
  g_free (self->types);
  g_free (self->name);
  g_free (self);
}

static const SluiceFunctionClass function_class = { .start = function_start,
                                                    .cancel = function_cancel,
                                                    .describe_wait = function_describe_wait,
                                                    .finalize = function_finalize };

/* ---- making ready ---- */

static void
body_free (gpointer data)
{
  Body *self = data;
  g_clear_pointer (&self->executable, sluice_executable_unref);
  g_clear_error (&self->error);
  g_free (self->output_types);
  g_free (self);
}

static gboolean
touches_state (const SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceDType dtype = sluice_edge_dtype (node->inputs[i]);
      if (sluice_dtype_is_ref (dtype) || dtype == SLUICE_RESOURCE)
        return TRUE;
    }
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i].dtype != SLUICE_VARIANT)
      return TRUE;
  return node->n_outputs == 0;
}

static gboolean
calls_function (const SluiceNode *node)
{
  for (guint i = 0; i < node->n_attrs; i++)
    if (node->attrs[i].value.kind == SLUICE_ATTR_FUNC)
      return TRUE;
  return FALSE;
}

/* A stateful op that takes no state and gives variants only makes a value: datasets are flagged so
 * that no two of them become one. What functions do that are called in there is not looked at. */
static gboolean
is_pure (const SluicePlan *plan)
{
  for (guint32 i = 0; i < plan->n_nodes; i++)
    {
      const SluiceNode *node = plan->nodes[i].origin;
      if (calls_function (node) || (sluice_node_is_stateful (node) && touches_state (node)))
        return FALSE;
    }
  return TRUE;
}

/* Under graph_lock. */
static gboolean
make_executable (SluiceExecutableCache *cache, const SluiceBody *from, Body *body)
{
  sluice_executable_cache_place (cache, NULL);
  SluiceSignature signature = { from->inputs,
                                from->n_inputs,
                                from->outputs,
                                from->n_outputs,
                                (SluiceNode *const *) from->effects->pdata,
                                from->effects->len };
  SluicePlan *plan =
      sluice_executable_cache_compile (cache, &signature, cache->nan_guard, NULL, &body->error);
  if (!plan)
    return FALSE;
  body->n_outputs = from->n_outputs;
  body->output_types = g_new (SluiceDType, from->n_outputs + 1);
  for (guint i = 0; i < from->n_outputs; i++)
    body->output_types[i] = sluice_dtype_base (sluice_edge_dtype (from->outputs[i]));
  body->is_pure = is_pure (plan);
  body->executable = sluice_executable_new (plan, NULL); /* the snapshot has the body */
  return TRUE;
}

/* Under graph_lock. An error stays: the graph would be wrong in the same way the next time. */
static const Body *
get_body (SluiceExecutableCache *cache,
          SluiceSnapshot *snapshot,
          const SluiceNode *node,
          const char *attr)
{
  g_autofree char *key = g_strconcat (node->name, ":", attr, NULL);
  Body *body = g_hash_table_lookup (snapshot->bodies, key);
  if (body)
    return body;
  SluiceBody written;
  SluiceSnapshot *newest = cache->snapshot;
  body = g_new0 (Body, 1);
  cache->snapshot = snapshot; /* a run of before an edit calls what was there then */
  if (sluice_graph_add_body (snapshot->graph, (SluiceNode *) node, attr, &written, &body->error))
    make_executable (cache, &written, body);
  cache->snapshot = newest;
  sluice_body_clear (&written);
  g_hash_table_insert (snapshot->bodies, g_steal_pointer (&key), body);
  return body;
}

SluiceFunction *
sluice_function_get (SluiceFunctions *functions,
                     const SluiceNode *node,
                     const char *attr,
                     GError **error)
{
  SluiceHost *host = (SluiceHost *) functions;
  SluiceExecutableCache *cache = host->cache;
  Function *self = NULL;
  pthread_mutex_lock (&cache->graph_lock);
  SluiceSnapshot *snapshot = sluice_executable_cache_find_snapshot (cache, node);
  const Body *body = get_body (cache, snapshot, node, attr);
  if (body->executable)
    {
      self = g_new0 (Function, 1);
      self->parent = (SluiceFunction){ .klass = &function_class,
                                       .ref_count = 1,
                                       .n_outputs = body->n_outputs,
                                       .is_pure = body->is_pure };
      self->types = g_memdup2 (body->output_types, body->n_outputs * sizeof *body->output_types);
      self->parent.output_types = self->types;
      self->host = sluice_host_ref (host);
      self->executable = sluice_executable_ref (body->executable);
      self->snapshot = sluice_snapshot_ref (snapshot);
      self->name = g_strdup (node->name);
      pthread_mutex_init (&self->lock, NULL);
    }
  else
    g_propagate_error (error, g_error_copy (body->error));
  pthread_mutex_unlock (&cache->graph_lock);
  return self ? &self->parent : NULL;
}

GHashTable *
sluice_function_bodies_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, body_free);
}
