/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/views.h"

#include "engine/passes/analysis.h"
#include "engine/passes/races.h"

typedef struct
{
  SluiceViews *views;
  SluiceWork *work;
  const GPtrArray *order;
  const guint32 *memory; /* by work index: SluiceEffects.memory_of */
  const SluiceUses *uses;
  guint *home;      /* by work index, of what has memory: the device on which that lies */
  guint8 *strays;   /* by work index: it, or what it has the memory from, stands elsewhere */
  guint8 *is_wrong; /* by work index: what strays here is read late */
  GArray *reads;    /* of SluiceAccess */
} Gather;

static guint32
get_memory (const Gather *self, const SluiceWorkNode *node, guint input)
{
  const SluiceWorkNode *from = node->inputs[input].node;
  return from != NULL ? self->memory[from->index] : 0;
}

/* A value that it may only hand on; references stand with what they refer to already. */
static gboolean
hands_on (const Gather *self, const SluiceWorkNode *node)
{
  return self->memory[node->index] != 0 && sluice_work_may_share (node)
         && !sluice_dtype_is_ref (node->origin->outputs[0].dtype);
}

static void
add_read (Gather *self, SluiceWorkNode *node, guint32 memory)
{
  const SluiceAccess read = { node, memory - 1, SLUICE_EFFECT_READ };
  g_array_append_val (self->reads, read);
}

/* Where the memory lies, and who reads it across a border. Producers come first. */
static void
look_at (Gather *self, SluiceWorkNode *node)
{
  const gboolean is_view = hands_on (self, node);
  self->home[node->index] = node->device;
  for (guint i = node->n_inputs; i-- > 0;)
    {
      const guint32 memory = get_memory (self, node, i);
      if (memory == 0)
        continue;
      const SluiceWorkNode *from = node->inputs[i].node;
      const gboolean strays = self->strays[from->index] || node->device != self->home[from->index];
      if (is_view)
        self->home[node->index] = self->home[from->index];
      if (is_view)
        self->strays[node->index] |= strays;
      else if (strays)
        add_read (self, node, memory);
    }
  if (is_view && self->strays[node->index] && self->uses->is_wanted[node->index])
    add_read (self, node, self->memory[node->index]);
}

/* It has no kernel for the op: then it reads the value there. */
static gboolean
move (Gather *self, SluiceWorkNode *node)
{
  const guint before = node->device;
  node->device = self->home[node->index];
  node->has_kernel = FALSE;
  if (sluice_work_get_traits (node)->crosses_frames || sluice_work_find_kernel (self->work, node))
    return TRUE;
  node->device = before;
  node->has_kernel = FALSE;
  return FALSE;
}

/* What is read late, and all that it has the memory from. */
static void
move_all (Gather *self)
{
  for (guint i = self->order->len; i-- > 0;)
    {
      SluiceWorkNode *node = self->order->pdata[i];
      gboolean is_wrong = self->views->late[node->index] || self->is_wrong[node->index];
      for (guint k = 0; is_wrong && k < node->n_inputs; k++)
        if (get_memory (self, node, k) != 0)
          self->is_wrong[node->inputs[k].node->index] = TRUE;
      if (is_wrong && hands_on (self, node) && self->memory[node->index] != SLUICE_ANY_OBJECT + 1
          && node->device != self->home[node->index] && !move (self, node))
        self->views->late[node->index] = TRUE;
    }
}

/* What is fetched is looked at when the step has ended. */
static gboolean
is_fetched_later (Gather *self, const SluiceAccess *read)
{
  const GArray *accesses = sluice_analysis_get_effects (self->work)->accesses;
  for (guint i = 0; hands_on (self, read->node) && i < accesses->len; i++)
    {
      const SluiceAccess *access = &g_array_index (accesses, SluiceAccess, i);
      if (access->effect == SLUICE_EFFECT_WRITE
          && (access->object == read->object || read->object == SLUICE_ANY_OBJECT))
        return TRUE;
    }
  return FALSE;
}

static gboolean
gather (Gather *self, GError **error)
{
  for (guint i = 0; i < self->order->len; i++)
    look_at (self, self->order->pdata[i]);
  if (self->reads->len == 0)
    return TRUE;
  const SluiceAccess *reads = (const SluiceAccess *) self->reads->data;
  g_autofree guint8 *late = sluice_find_late_reads (self->work, reads, self->reads->len, error);
  if (late == NULL)
    return FALSE;
  gboolean any = FALSE;
  for (guint i = 0; i < self->reads->len; i++)
    {
      late[i] |= is_fetched_later (self, &reads[i]);
      self->views->late[reads[i].node->index] |= late[i];
      any |= late[i];
    }
  if (any)
    move_all (self);
  return TRUE;
}

/* Does a device take part whose memory is not the host's? Where all share it nothing is copied. */
static gboolean
has_own_memory (const SluiceWork *work)
{
  for (guint i = 0; i < work->nodes->len; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      if (work->devices[node->device]->klass->queues != NULL)
        return TRUE;
    }
  return FALSE;
}

gboolean
sluice_views_gather (SluiceViews *self, SluiceWork *work, GError **error)
{
  *self = (SluiceViews){ 0 };
  if (!has_own_memory (work))
    return TRUE;
  sluice_work_sweep (work);
  const GPtrArray *order = sluice_analysis_get_order (work, NULL);
  if (order == NULL)
    return TRUE; /* the schedule pass names the cycle */
  const guint n = work->nodes->len;
  self->n = n;
  self->holds = g_new0 (guint8, n + 1);
  self->late = g_new0 (guint8, n + 1);
  g_autofree guint *home = g_new0 (guint, n + 1);
  g_autofree guint8 *strays = g_new0 (guint8, n + 1), *is_wrong = g_new0 (guint8, n + 1);
  g_autoptr (GArray) reads = g_array_new (FALSE, FALSE, sizeof (SluiceAccess));
  Gather run = { .views = self,
                 .work = work,
                 .order = order,
                 .memory = sluice_analysis_get_effects (work)->memory_of,
                 .uses = sluice_analysis_get_uses (work),
                 .home = home,
                 .strays = strays,
                 .is_wrong = is_wrong,
                 .reads = reads };
  for (guint i = 0; i < n; i++)
    self->holds[i] = run.memory[i] != 0;
  if (gather (&run, error))
    return TRUE;
  sluice_views_clear (self);
  return FALSE;
}

void
sluice_views_clear (SluiceViews *self)
{
  g_clear_pointer (&self->holds, g_free);
  g_clear_pointer (&self->late, g_free);
}
