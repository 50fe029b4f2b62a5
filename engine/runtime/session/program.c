/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/session/program.h"

#include <string.h>

#include "engine/graph/lower.h"
#include "engine/runtime/session/parts.h"

/* A signature as text: what the cache is looked up with. Borrowed for the look-up, owned inside. */
typedef SluiceProgramNames Names;

/* ---- one program ---- */

SluiceProgram *
sluice_program_new (SluicePlan *take)
{
  SluiceProgram *self = g_new0 (SluiceProgram, 1);
  self->ref_count = 1;
  self->plan = take;
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

SluiceProgram *
sluice_program_ref (SluiceProgram *self)
{
  atomic_fetch_add (&self->ref_count, 1);
  return self;
}

void
sluice_program_unref (SluiceProgram *self)
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

SluiceStep *
sluice_program_take_step (SluiceProgram *self)
{
  pthread_mutex_lock (&self->lock);
  SluiceStep *step = self->free_steps;
  if (step)
    self->free_steps = step->next_free;
  pthread_mutex_unlock (&self->lock);
  return step ? step : sluice_step_new (self->plan);
}

void
sluice_program_give_back (SluiceProgram *self, SluiceStep *step)
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
  return x->node_by_node == y->node_by_node && x->in_parts == y->in_parts
         && x->n_feeds == y->n_feeds && x->n_fetches == y->n_fetches && x->n_targets == y->n_targets
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

Names *
sluice_program_names_dup (const Names *names)
{
  Names *copy = g_memdup2 (names, sizeof *names);
  copy->feeds = dup_strings (names->feeds, names->n_feeds);
  copy->fetches = dup_strings (names->fetches, names->n_fetches);
  copy->targets = dup_strings (names->targets, names->n_targets);
  return copy;
}

void
sluice_program_names_free (Names *names)
{
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

void
sluice_programs_place (SluicePrograms *self)
{
  sluice_place (self->graph, (SluiceDevice *const *) self->devices->pdata, self->devices->len,
                !self->strict_devices, self->placements);
}

/* The trace speaks of loops by numbers that are the same for all plans. Under graph_lock. */
static void
number_frames (SluicePrograms *self, SluicePlan *plan)
{
  for (guint32 i = 1; i < plan->n_frames; i++)
    {
      SluicePlanFrame *frame = &plan->frames[i];
      frame->label = GPOINTER_TO_UINT (g_hash_table_lookup (self->frame_numbers, frame->name));
      if (frame->label)
        continue;
      char *name = g_strdup (frame->name);
      frame->label = self->frames->len;
      g_ptr_array_add (self->frames, name);
      g_hash_table_insert (self->frame_numbers, name, GUINT_TO_POINTER (frame->label));
    }
}

static void
list_others (const SluiceWorkNode *node, const SluiceNode *origin, GPtrArray *names)
{
  for (guint i = 0; i < node->n_members; i++)
    list_others (node->members[i], origin, names);
  if (node->n_members == 0 && node->origin != origin)
    g_ptr_array_add (names, (gpointer) node->origin->name);
}

/* The trace names what ran in a node's kernel besides. Under graph_lock. */
static void
name_members (SluicePrograms *self, const SluiceWork *work)
{
  for (guint i = 0; i < work->nodes->len; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      if (node->n_members == 0)
        continue;
      g_autoptr (GPtrArray) names = g_ptr_array_new ();
      list_others (node, node->origin, names);
      g_ptr_array_add (names, NULL);
      gpointer id = GUINT_TO_POINTER (node->origin->id);
      const char *const *known = g_hash_table_lookup (self->together, id);
      if (known && g_strv_equal (known, (const char *const *) names->pdata))
        continue;
      g_ptr_array_add (self->name_lists, g_ptr_array_steal (names, NULL));
      g_hash_table_insert (self->together, id, self->name_lists->pdata[self->name_lists->len - 1]);
    }
}

static SluiceWork *
prune (SluicePrograms *self, const SluiceSignature *signature, GError **error)
{
  if (sluice_graph_lower_closure (self->graph, signature->fetches, signature->n_fetches,
                                  signature->targets, signature->n_targets))
    sluice_programs_place (self);
  return sluice_prune (signature, self->placements, error);
}

/* Signature → passes → partition → plan. Under graph_lock. */
SluicePlan *
sluice_programs_compile (SluicePrograms *self,
                         const SluiceSignature *signature,
                         gboolean node_by_node,
                         GError **error)
{
  g_autoptr (SluiceWork) work = prune (self, signature, error);
  if (!work)
    return NULL;
  if (!self->no_optimize)
    {
      sluice_fold (work, self->max_rank);
      sluice_merge_common (work);
      if (!node_by_node)
        sluice_drop_unread (work);
    }
  if (self->ordered && !sluice_order_effects (work, error))
    return NULL;
  SluiceDevice *const *devices = (SluiceDevice *const *) self->devices->pdata;
  const gboolean fuses = !self->no_optimize && !self->no_fusion && !node_by_node;
  if (fuses)
    {
      sluice_drop_gates (work);
      sluice_pair (work, devices, self->max_rank);
    }
  sluice_partition (work);
  SluicePlanOptions options = { .devices = devices,
                                .max_rank = self->max_rank,
                                .no_loosen = self->no_optimize,
                                .order_seed = self->order_seed,
                                .fuses = fuses,
                                .recomputes = self->recompute && !self->no_optimize,
                                .truncate = self->truncate_transfers };
  SluicePlan *plan = sluice_plan_new (work, &options, error);
  if (!plan)
    return NULL;
  for (guint i = 0; i < plan->n_fetches; i++)
    plan->fetches[i].edge = signature->fetches[i];
  if (signature->in_parts)
    sluice_plan_set_parts (plan, signature, work->needs);
  plan->unfed = g_steal_pointer (&work->unfed);
  number_frames (self, plan);
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
parse (SluicePrograms *self,
       const Names *names,
       Parsed *parsed,
       SluiceSignature *signature,
       GError **error)
{
  parsed->feeds = g_new (SluiceEdge, names->n_feeds + 1);
  parsed->fetches = g_new (SluiceEdge, names->n_fetches + 1);
  parsed->targets = g_new (SluiceNode *, names->n_targets + 1);
  *signature =
      (SluiceSignature){ parsed->feeds,   names->n_feeds,   parsed->fetches, names->n_fetches,
                         parsed->targets, names->n_targets, names->in_parts };
  return parse_edges (self->graph, "feed", names->feeds, names->n_feeds, parsed->feeds, error)
         && parse_edges (self->graph, "fetch", names->fetches, names->n_fetches, parsed->fetches,
                         error)
         && parse_targets (self->graph, names, parsed->targets, error);
}

static void
parsed_clear (Parsed *parsed)
{
  g_free (parsed->feeds);
  g_free (parsed->fetches);
  g_free (parsed->targets);
}

static SluicePlan *
compile (SluicePrograms *self, const Names *names, GError **error)
{
  Parsed parsed;
  SluiceSignature signature;
  SluicePlan *plan = NULL;
  if (parse (self, names, &parsed, &signature, error))
    {
      signature.may_lack_feeds = !names->in_parts;
      plan = sluice_programs_compile (self, &signature, names->node_by_node, error);
    }
  parsed_clear (&parsed);
  return plan;
}

SluiceWork *
sluice_programs_prune (SluicePrograms *self, const Names *names, GError **error)
{
  Parsed parsed;
  SluiceSignature signature;
  SluiceWork *work = NULL;
  if (parse (self, names, &parsed, &signature, error))
    work = prune (self, &signature, error);
  parsed_clear (&parsed);
  return work;
}

static SluiceProgram *
look_up (SluicePrograms *self, const Names *names)
{
  pthread_mutex_lock (&self->cache_lock);
  SluiceProgram *program = g_hash_table_lookup (self->by_names, names);
  if (program)
    sluice_program_ref (program);
  pthread_mutex_unlock (&self->cache_lock);
  return program;
}

static SluiceProgram *
look_up_or_compile (SluicePrograms *self, const Names *names, GError **error)
{
  SluiceProgram *program = look_up (self, names);
  if (program)
    return program;
  pthread_mutex_lock (&self->graph_lock);
  program = look_up (self, names);
  SluicePlan *plan = program ? NULL : compile (self, names, error);
  if (plan)
    {
      program = sluice_program_new (plan);
      pthread_mutex_lock (&self->cache_lock);
      g_hash_table_insert (self->by_names, sluice_program_names_dup (names),
                           sluice_program_ref (program));
      pthread_mutex_unlock (&self->cache_lock);
    }
  pthread_mutex_unlock (&self->graph_lock);
  return program;
}

SluiceProgram *
sluice_programs_get (SluicePrograms *self, const Names *names, GError **error)
{
  SluiceProgram *program = look_up_or_compile (self, names, error);
  if (!program || !program->plan->unfed || names->may_lack_feeds)
    return program;
  g_propagate_error (error, g_error_copy (program->plan->unfed));
  sluice_program_unref (program);
  return NULL;
}

/* ---- all of them ---- */

SluicePrograms *
sluice_programs_new (GPtrArray *devices)
{
  SluicePrograms *self = g_new0 (SluicePrograms, 1);
  self->ref_count = 1;
  pthread_mutex_init (&self->graph_lock, NULL);
  pthread_mutex_init (&self->cache_lock, NULL);
  self->devices = g_ptr_array_ref (devices);
  self->graph = sluice_graph_new ();
  self->placements = sluice_placements_new ();
  self->frames = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->frames, NULL);
  self->frame_numbers = g_hash_table_new (g_str_hash, g_str_equal);
  self->name_lists = g_ptr_array_new_with_free_func (g_free);
  self->together = g_hash_table_new (NULL, NULL);
  self->bodies = sluice_function_bodies_new ();
  self->by_names =
      g_hash_table_new_full (hash_names, equal_names, (GDestroyNotify) sluice_program_names_free,
                             (GDestroyNotify) sluice_program_unref);
  return self;
}

SluicePrograms *
sluice_programs_ref (SluicePrograms *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_programs_unref (SluicePrograms *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  g_hash_table_unref (self->by_names);
  g_hash_table_unref (self->bodies);
  sluice_graph_unref (self->graph);
  sluice_placements_free (self->placements);
  g_hash_table_unref (self->frame_numbers);
  g_hash_table_unref (self->together);
  g_ptr_array_unref (self->name_lists);
  g_ptr_array_unref (self->frames);
  g_ptr_array_unref (self->devices);
  pthread_mutex_destroy (&self->graph_lock);
  pthread_mutex_destroy (&self->cache_lock);
  g_free (self);
}
