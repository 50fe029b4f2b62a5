/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/session/executable.h"

#include <math.h>
#include <string.h>

#include "engine/graph/lower.h"
#include "engine/passes/graph-workload.h"
#include "engine/runtime/session/copy.h"
#include "engine/runtime/session/session-partial-run.h"

/* A signature as text: what the cache is looked up with. Borrowed for the look-up, owned inside. */
typedef SluiceProgramNames Names;

/* ---- one executable ---- */

SluiceExecutable *
sluice_executable_new (SluicePlan *take, SluiceSnapshot *snapshot)
{
  SluiceExecutable *self = g_new0 (SluiceExecutable, 1);
  self->ref_count = 1;
  self->plan = take;
  self->snapshot = snapshot != NULL ? sluice_snapshot_ref (snapshot) : NULL;
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

SluiceExecutable *
sluice_executable_ref (SluiceExecutable *self)
{
  atomic_fetch_add (&self->ref_count, 1);
  return self;
}

void
sluice_executable_unref (SluiceExecutable *self)
{
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  for (SluiceStep *step = self->free_steps, *next; step; step = next)
    {
      next = step->next_free;
      sluice_step_unref (step);
    }
  sluice_plan_free (self->plan);
  g_clear_pointer (&self->snapshot, sluice_snapshot_unref);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

SluiceStep *
sluice_executable_take_step (SluiceExecutable *self)
{
  pthread_mutex_lock (&self->lock);
  SluiceStep *step = self->free_steps;
  if (step)
    self->free_steps = step->next_free;
  pthread_mutex_unlock (&self->lock);
  return step ? step : sluice_step_new (self->plan);
}

void
sluice_executable_give_back (SluiceExecutable *self, SluiceStep *step)
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

/* Of one step, whatever of it is kept? */
static gboolean
equal_steps (const Names *x, const Names *y)
{
  return x->node_by_node == y->node_by_node && x->is_partial == y->is_partial
         && x->n_feeds == y->n_feeds && x->n_fetches == y->n_fetches && x->n_targets == y->n_targets
         && equal_strings (x->feeds, y->feeds, x->n_feeds)
         && equal_strings (x->fetches, y->fetches, x->n_fetches)
         && equal_strings (x->targets, y->targets, x->n_targets);
}

static gboolean
equal_names (gconstpointer a, gconstpointer b)
{
  const Names *x = a, *y = b;
  return equal_steps (x, y) && sluice_kept_equal (x->kept, y->kept);
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

Names *
sluice_program_names_dup (const Names *names)
{
  Names *copy = g_memdup2 (names, sizeof *names);
  copy->feeds = dup_strings (names->feeds, names->n_feeds);
  copy->fetches = dup_strings (names->fetches, names->n_fetches);
  copy->targets = dup_strings (names->targets, names->n_targets);
  copy->kept = names->kept != NULL ? sluice_kept_ref (names->kept) : NULL;
  return copy;
}

void
sluice_program_names_free (Names *names)
{
  g_strfreev ((char **) names->feeds);
  g_strfreev ((char **) names->fetches);
  g_strfreev ((char **) names->targets);
  g_clear_pointer (&names->kept, sluice_kept_unref);
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

/* What stands already can stand nowhere else. */
static void
keep_places (SluiceExecutableCache *self, const SluiceGraphWorkload *workload)
{
  const SluicePlacements *placements = self->snapshot->placements;
  SluiceWorkload *w = workload->workload;
  guint n = self->devices->len;
  for (guint v = 0; v < w->n_nodes; v++)
    {
      const SluiceNode *node = workload->nodes[v];
      int stands = node->id <= placements->nodes->len
                       ? sluice_placements_get (placements, node)->device
                       : -1;
      for (guint d = 0; stands >= 0 && d < n; d++)
        if (d != (guint) stands)
          w->us[(gsize) v * n + d] = INFINITY;
    }
}

/* By the cost of the whole graph. (transfer full) (nullable) */
static SluiceGraphPlaceChoice *
choose_devices (SluiceExecutableCache *self, GError **error)
{
  const SluicePolicyOptions options = { .explains = TRUE };
  SluiceGraph *graph = self->snapshot->graph;
  g_autoptr (SluiceMachine) machine =
      sluice_machine_new_here ((SluiceDevice *const *) self->devices->pdata, self->devices->len);
  g_autoptr (SluiceCostModel) costs = sluice_cost_model_new ();
  if (self->costs != NULL)
    self->costs->tell (self->costs, graph, machine, costs);
  g_autoptr (SluiceGraphWorkload) workload = sluice_graph_workload_new (
      graph, &(SluiceWorkloadScope){ 0 }, machine, costs, !self->strict_devices, error);
  if (workload != NULL)
    keep_places (self, workload);
  g_autoptr (SluiceChoice) choice =
      workload != NULL ? sluice_policy_run (self->policy, workload->workload, &options, error)
                       : NULL;
  return choice != NULL ? sluice_graph_place_choice_new (workload, graph, choice) : NULL;
}

/* choice: (nullable) */
static void
place (SluiceExecutableCache *self, const SluiceGraphPlaceChoice *choice)
{
  sluice_place (self->snapshot->graph, (SluiceDevice *const *) self->devices->pdata,
                self->devices->len, self->default_device, !self->strict_devices,
                choice != NULL ? &choice->told : NULL, self->snapshot->placements);
  sluice_titles_add (&self->titles, self->snapshot, (SluiceDevice *const *) self->devices->pdata);
}

gboolean
sluice_executable_cache_place (SluiceExecutableCache *self, GError **error)
{
  g_autoptr (SluiceGraphPlaceChoice) choice =
      self->policy != NULL ? choose_devices (self, error) : NULL;
  place (self, choice);
  return choice != NULL || self->policy == NULL;
}

static void list_member (const SluiceWorkNode *node, const SluiceNode *origin, GPtrArray *names);

/* What the node runs besides its origin, in the order in which it runs. */
static void
list_others (const SluiceWorkNode *node, const SluiceNode *origin, GPtrArray *names)
{
  if (node->kind == SLUICE_WORK_FUSED_CONSUMER)
    {
      list_member (node->fused_consumer.producer, origin, names);
      list_member (node->fused_consumer.consumer, origin, names);
    }
  for (guint i = 0; node->kind == SLUICE_WORK_FUSED && i < node->region.n_members; i++)
    list_member (node->region.members[i], origin, names);
}

static void
list_member (const SluiceWorkNode *node, const SluiceNode *origin, GPtrArray *names)
{
  if (node->kind == SLUICE_WORK_FUSED)
    list_others (node, origin, names);
  else if (node->origin != origin)
    g_ptr_array_add (names, (gpointer) node->origin->name);
}

/* The trace names what ran in a node's kernel besides. Under graph_lock. */
static void
name_members (SluiceExecutableCache *self, const SluiceWork *work)
{
  for (guint i = 0; i < work->nodes->len; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      if (node->kind != SLUICE_WORK_FUSED && node->kind != SLUICE_WORK_FUSED_CONSUMER)
        continue;
      g_autoptr (GPtrArray) names = g_ptr_array_new ();
      list_others (node, node->origin, names);
      g_ptr_array_add (names, NULL);
      sluice_titles_set_together (&self->titles,
                                  sluice_snapshot_get_number (self->snapshot, node->origin),
                                  (const char **) g_ptr_array_steal (names, NULL));
    }
}

static gint64
get_dim (const SluiceExecutableCache *self)
{
  return self->batch > 0 ? self->batch : SLUICE_WORKLOAD_DIM;
}

/* Calls that the signature needs are written out, and what the passes are to do is filled in. */
static void
get_ready (SluiceExecutableCache *self,
           const SluiceSignature *signature,
           gboolean node_by_node,
           const SluiceKeptNodes *kept,
           SluicePassOptions *options)
{
  if (sluice_graph_lower_closure (self->snapshot->graph, signature->fetches, signature->n_fetches,
                                  signature->targets, signature->n_targets))
    sluice_executable_cache_place (self, NULL);
  *options = (SluicePassOptions){ .signature = signature,
                                  .placements = self->snapshot->placements,
                                  .devices = (SluiceDevice *const *) self->devices->pdata,
                                  .max_rank = self->max_rank,
                                  .order_seed = self->order_seed,
                                  .kept = kept };
  const gboolean changes_nothing = self->no_optimize || (kept != NULL && kept->all);
  options->wishes =
      (changes_nothing ? 0 : SLUICE_PASS_OPTIMIZE) | (node_by_node ? 0 : SLUICE_PASS_LEAVE_OUT)
      | (self->no_fusion ? 0 : SLUICE_PASS_FUSE) | (self->recompute ? SLUICE_PASS_RECOMPUTE : 0)
      | (self->ordered ? SLUICE_PASS_ORDER_EFFECTS : 0)
      | (self->order_seed ? SLUICE_PASS_SHUFFLE : 0) | (self->fit > 0 ? SLUICE_PASS_FIT : 0);
  options->fit = (double) self->fit - (double) self->fit_slack;
  options->sized = self->sized;
  options->seen = self->fit_seen;
  options->dim = get_dim (self);
}

/* Signature → passes → plan. Under graph_lock. */
SluicePlan *
sluice_executable_cache_compile (SluiceExecutableCache *self,
                                 const SluiceSignature *signature,
                                 gboolean node_by_node,
                                 const SluiceKeptNodes *kept,
                                 GError **error)
{
  SluicePassOptions options;
  get_ready (self, signature, node_by_node, kept, &options);
  g_autoptr (SluiceWork) work = sluice_passes_run (&options, error);
  SluicePlan *plan = work ? sluice_plan_new (work, self->truncate_transfers, error) : NULL;
  if (!plan)
    return NULL;
  for (guint i = 0; i < plan->n_fetches; i++)
    plan->fetches[i].edge = signature->fetches[i];
  if (signature->is_partial)
    sluice_plan_set_partial_run (plan, signature, work->needs);
  plan->unfed = g_steal_pointer (&work->unfed);
  for (guint32 i = 0; i < plan->n_nodes; i++)
    plan->nodes[i].origin_id = sluice_snapshot_get_number (self->snapshot, plan->nodes[i].origin);
  for (guint32 i = 1; i < plan->n_frames; i++)
    plan->frames[i].label = sluice_titles_number_frame (&self->titles, plan->frames[i].name);
  sluice_titles_number_transfers (&self->titles, plan);
  name_members (self, work);
  atomic_fetch_add (&self->n_plans, 1);
  return plan;
}

/* A signature by its names: the arrays are as long as the lists of these. */
typedef struct
{
  SluiceEdge *feeds, *fetches;
  SluiceNode **targets;
} Parsed;

static gboolean
parse (SluiceExecutableCache *self,
       const Names *names,
       Parsed *parsed,
       SluiceSignature *signature,
       GError **error)
{
  parsed->feeds = g_new (SluiceEdge, names->n_feeds + 1);
  parsed->fetches = g_new (SluiceEdge, names->n_fetches + 1);
  parsed->targets = g_new (SluiceNode *, names->n_targets + 1);
  *signature =
      (SluiceSignature){ parsed->feeds,   names->n_feeds,   parsed->fetches,  names->n_fetches,
                         parsed->targets, names->n_targets, names->is_partial };
  return parse_edges (self->snapshot->graph, "feed", names->feeds, names->n_feeds, parsed->feeds,
                      error)
         && parse_edges (self->snapshot->graph, "fetch", names->fetches, names->n_fetches,
                         parsed->fetches, error)
         && parse_targets (self->snapshot->graph, names, parsed->targets, error);
}

static void
parsed_clear (Parsed *parsed)
{
  g_free (parsed->feeds);
  g_free (parsed->fetches);
  g_free (parsed->targets);
}

static SluicePlan *
compile (SluiceExecutableCache *self, const Names *names, GError **error)
{
  Parsed parsed;
  SluiceSignature signature;
  SluicePlan *plan = NULL;
  if (parse (self, names, &parsed, &signature, error))
    {
      signature.may_lack_feeds = !names->is_partial;
      plan = sluice_executable_cache_compile (self, &signature, names->node_by_node, names->kept,
                                              error);
    }
  parsed_clear (&parsed);
  return plan;
}

SluiceWork *
sluice_executable_cache_prune (SluiceExecutableCache *self, const Names *names, GError **error)
{
  Parsed parsed;
  SluiceSignature signature;
  SluicePassOptions options;
  g_autoptr (SluiceWork) work = NULL;
  if (parse (self, names, &parsed, &signature, error))
    {
      get_ready (self, &signature, FALSE, NULL, &options);
      work = sluice_work_new (options.devices, options.max_rank);
      if (!sluice_pass_run (sluice_passes_find ("prune"), work, &options, error))
        g_clear_pointer (&work, sluice_work_free);
    }
  parsed_clear (&parsed);
  return g_steal_pointer (&work);
}

/* without: of SluicePassWish. (transfer full) (nullable) */
static SluiceWork *
run_passes (SluiceExecutableCache *self,
            const Names *names,
            gboolean node_by_node,
            guint without,
            GError **error)
{
  Parsed parsed;
  SluiceSignature signature;
  SluicePassOptions options;
  SluiceWork *work = NULL;
  if (parse (self, names, &parsed, &signature, error))
    {
      get_ready (self, &signature, node_by_node, names->kept, &options);
      options.wishes &= ~without;
      work = sluice_passes_run (&options, error);
    }
  parsed_clear (&parsed);
  return work;
}

SluiceWork *
sluice_executable_cache_pass (SluiceExecutableCache *self, const Names *names, GError **error)
{
  return run_passes (self, names, names->node_by_node, 0, error);
}

SluiceFitStudy *
sluice_executable_cache_study (SluiceExecutableCache *self,
                               const Names *names,
                               const SluiceFitSizes *sizes,
                               GError **error)
{
  SluiceWork *work = run_passes (self, names, self->nan_guard, SLUICE_PASS_FIT, error);
  SluiceFitSizes all = sizes != NULL ? *sizes : (SluiceFitSizes){ NULL };
  all.dim = all.sized != NULL ? all.dim : get_dim (self);
  all.sized = all.sized != NULL ? all.sized : self->sized;
  all.seen = all.seen != NULL ? all.seen : self->fit_seen;
  return work != NULL ? sluice_fit_study_new (work, TRUE, &all) : NULL;
}

SluiceExplanation *
sluice_executable_cache_explain (SluiceExecutableCache *self,
                                 const Names *names,
                                 const char *pass,
                                 GError **error)
{
  Parsed parsed;
  SluiceSignature signature;
  SluicePassOptions options;
  SluiceExplanation *explanation = NULL;
  if (parse (self, names, &parsed, &signature, error))
    {
      signature.may_lack_feeds = names->may_lack_feeds;
      get_ready (self, &signature, names->node_by_node, names->kept, &options);
      explanation = sluice_passes_explain (&options, pass, error);
    }
  parsed_clear (&parsed);
  return explanation;
}

static SluiceExecutable *
look_up (SluiceExecutableCache *self, const Names *names)
{
  pthread_mutex_lock (&self->cache_lock);
  SluiceExecutable *executable = g_hash_table_lookup (self->by_names, names);
  if (executable)
    sluice_executable_ref (executable);
  pthread_mutex_unlock (&self->cache_lock);
  return executable;
}

/* A step is debugged with one set of breakpoints at a time: what was compiled for another is not
 * needed again. Under cache_lock. */
static void
drop_debugged (SluiceExecutableCache *self, const Names *names)
{
  GHashTableIter iter;
  gpointer other;
  g_hash_table_iter_init (&iter, self->by_names);
  while (g_hash_table_iter_next (&iter, &other, NULL))
    if (((Names *) other)->kept != NULL && equal_steps (other, names))
      g_hash_table_iter_remove (&iter);
}

static SluiceExecutable *
look_up_or_compile (SluiceExecutableCache *self, const Names *names, GError **error)
{
  SluiceExecutable *executable = look_up (self, names);
  if (executable)
    return executable;
  pthread_mutex_lock (&self->graph_lock);
  executable = look_up (self, names);
  SluicePlan *plan = executable ? NULL : compile (self, names, error);
  if (plan)
    {
      executable = sluice_executable_new (plan, self->snapshot);
      pthread_mutex_lock (&self->cache_lock);
      if (names->kept != NULL)
        drop_debugged (self, names);
      g_hash_table_insert (self->by_names, sluice_program_names_dup (names),
                           sluice_executable_ref (executable));
      pthread_mutex_unlock (&self->cache_lock);
    }
  pthread_mutex_unlock (&self->graph_lock);
  return executable;
}

SluiceExecutable *
sluice_executable_cache_get (SluiceExecutableCache *self, const Names *names, GError **error)
{
  SluiceExecutable *executable = look_up_or_compile (self, names, error);
  if (!executable || !executable->plan->unfed || names->may_lack_feeds)
    return executable;
  g_propagate_error (error, g_error_copy (executable->plan->unfed));
  sluice_executable_unref (executable);
  return NULL;
}

void
sluice_executable_cache_forget (SluiceExecutableCache *self, const Names *names)
{
  gpointer key = NULL, executable = NULL;
  pthread_mutex_lock (&self->cache_lock);
  g_hash_table_steal_extended (self->by_names, names, &key, &executable);
  pthread_mutex_unlock (&self->cache_lock);
  if (key != NULL)
    sluice_program_names_free (key);
  if (executable != NULL)
    sluice_executable_unref (executable);
}

/* ---- an edited graph ---- */

SluiceSnapshot *
sluice_executable_cache_find_snapshot (SluiceExecutableCache *self, const SluiceNode *node)
{
  for (guint i = 0; i < self->older->len; i++)
    if (((SluiceSnapshot *) self->older->pdata[i])->graph == node->graph)
      return self->older->pdata[i];
  return self->snapshot;
}

static void
push_needed (guint8 *seen, GPtrArray *todo, SluiceNode *node)
{
  if (node == NULL || seen[node->id - 1])
    return;
  seen[node->id - 1] = TRUE;
  g_ptr_array_add (todo, node);
}

static gboolean
is_fed (const Parsed *parsed, guint n_feeds, SluiceEdge edge)
{
  for (guint i = 0; i < n_feeds; i++)
    if (parsed->feeds[i].node == edge.node && parsed->feeds[i].port == edge.port)
      return TRUE;
  return FALSE;
}

/* Does the signature need a node that changed? What is fed is not needed, but its dtype and shape
 * are asked for. */
static gboolean
needs_changed (const Parsed *parsed,
               const SluiceSignature *signature,
               const guint8 *changed,
               guint n)
{
  g_autofree guint8 *seen = g_new0 (guint8, n + 1);
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  for (guint i = 0; i < signature->n_feeds; i++)
    if (changed[parsed->feeds[i].node->id - 1])
      return TRUE;
  for (guint i = 0; i < signature->n_fetches; i++)
    push_needed (seen, todo, parsed->fetches[i].node);
  for (guint i = 0; i < signature->n_targets; i++)
    push_needed (seen, todo, parsed->targets[i]);
  while (todo->len > 0)
    {
      const SluiceNode *node = g_ptr_array_steal_index_fast (todo, todo->len - 1);
      if (changed[node->id - 1])
        return TRUE;
      for (guint i = 0; i < node->n_inputs; i++)
        if (!is_fed (parsed, signature->n_feeds, node->inputs[i]))
          push_needed (seen, todo, node->inputs[i].node);
      for (guint i = 0; i < node->n_control_inputs; i++)
        push_needed (seen, todo, node->control_inputs[i]);
    }
  return FALSE;
}

/* self->snapshot is the old one still. */
static void
drop_programs (SluiceExecutableCache *self, const SluiceSnapshot *now)
{
  g_autofree guint8 *changed = sluice_snapshot_dup_changed (self->snapshot, now);
  g_autoptr (GPtrArray) dropped =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_executable_unref);
  GHashTableIter iter;
  gpointer names, executable;
  pthread_mutex_lock (&self->cache_lock);
  g_hash_table_iter_init (&iter, self->by_names);
  while (g_hash_table_iter_next (&iter, &names, &executable))
    {
      Parsed parsed;
      SluiceSignature signature;
      if (!parse (self, names, &parsed, &signature, NULL)
          || needs_changed (&parsed, &signature, changed,
                            sluice_graph_get_n_nodes (self->snapshot->graph)))
        {
          g_ptr_array_add (dropped, sluice_executable_ref (executable));
          g_hash_table_iter_remove (&iter);
        }
      parsed_clear (&parsed);
    }
  pthread_mutex_unlock (&self->cache_lock);
}

/* Those that nothing was compiled from that is there still. */
static void
drop_older (SluiceExecutableCache *self)
{
  for (guint i = self->older->len; i-- > 0;)
    if (atomic_load (&((SluiceSnapshot *) self->older->pdata[i])->ref_count) == 1)
      g_ptr_array_remove_index_fast (self->older, i);
}

/* is_bound: the policy has to find something. */
static gboolean
replace (SluiceExecutableCache *self, SluiceGraph *graph, gboolean is_bound, GError **error)
{
  SluiceSnapshot *old = self->snapshot;
  SluiceSnapshot *now = sluice_snapshot_new (sluice_function_bodies_new ());
  gboolean is_copied = sluice_copy_new_nodes (now->graph, graph, error);
  g_autoptr (SluiceGraphPlaceChoice) choice = NULL;
  if (is_copied)
    {
      sluice_snapshot_keep_places (now, old);
      self->snapshot = now;
      choice = self->policy != NULL ? choose_devices (self, is_bound ? error : NULL) : NULL;
      self->snapshot = old;
    }
  if (!is_copied || (is_bound && choice == NULL))
    {
      sluice_snapshot_unref (now);
      return FALSE;
    }
  sluice_titles_begin_several (&self->titles, old);
  self->snapshot = now;
  place (self, choice);
  self->snapshot = old;
  drop_programs (self, now);
  self->snapshot = now;
  g_ptr_array_add (self->older, old);
  drop_older (self);
  return TRUE;
}

gboolean
sluice_executable_cache_update (SluiceExecutableCache *self, SluiceGraph *graph, GError **error)
{
  return replace (self, graph, FALSE, error);
}

static guint
count_moved (const SluiceSnapshot *old, const SluiceSnapshot *now)
{
  guint n = 0;
  for (guint i = 0; i < sluice_graph_get_n_nodes (old->graph); i++)
    {
      const SluiceNode *before = sluice_graph_get_node (old->graph, i);
      const SluiceNode *after = sluice_graph_find (now->graph, before->name);
      n += after != NULL
           && sluice_placements_get (old->placements, before)->device
                  != sluice_placements_get (now->placements, after)->device;
    }
  return n;
}

gboolean
sluice_executable_cache_place_again (SluiceExecutableCache *self,
                                     SluiceCostTeller *costs,
                                     guint *n_moved,
                                     GError **error)
{
  SluiceSnapshot *old = self->snapshot;
  SluiceCostTeller *before = self->costs;
  if (self->policy == NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "the session has no policy that could choose devices again");
  self->costs = costs;
  g_ptr_array_add (self->replaced, sluice_snapshot_ref (old));
  if (!replace (self, old->graph, TRUE, error))
    {
      self->costs = before;
      g_ptr_array_set_size (self->replaced, (int) self->replaced->len - 1);
      return FALSE;
    }
  self->costs = sluice_cost_teller_ref (costs);
  g_clear_pointer (&before, sluice_cost_teller_unref);
  *n_moved = count_moved (old, self->snapshot);
  return TRUE;
}

/* ---- all of them ---- */

SluiceExecutableCache *
sluice_executable_cache_new (GPtrArray *devices)
{
  SluiceExecutableCache *self = g_new0 (SluiceExecutableCache, 1);
  self->ref_count = 1;
  pthread_mutex_init (&self->graph_lock, NULL);
  pthread_mutex_init (&self->cache_lock, NULL);
  self->devices = g_ptr_array_ref (devices);
  self->snapshot = sluice_snapshot_new (sluice_function_bodies_new ());
  self->older = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_snapshot_unref);
  self->replaced = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_snapshot_unref);
  sluice_titles_init (&self->titles);
  self->by_names =
      g_hash_table_new_full (hash_names, equal_names, (GDestroyNotify) sluice_program_names_free,
                             (GDestroyNotify) sluice_executable_unref);
  return self;
}

SluiceExecutableCache *
sluice_executable_cache_ref (SluiceExecutableCache *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_executable_cache_unref (SluiceExecutableCache *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  g_hash_table_unref (self->by_names);
  g_ptr_array_unref (self->older);
  g_ptr_array_unref (self->replaced);
  g_clear_pointer (&self->costs, sluice_cost_teller_unref);
  sluice_snapshot_unref (self->snapshot);
  sluice_titles_clear (&self->titles);
  g_ptr_array_unref (self->devices);
  g_clear_pointer (&self->sized, sluice_graph_unref);
  g_clear_pointer (&self->fit_seen, g_hash_table_unref);
  pthread_mutex_destroy (&self->graph_lock);
  pthread_mutex_destroy (&self->cache_lock);
  g_free (self);
}
