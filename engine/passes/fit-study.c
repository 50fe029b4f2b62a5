/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "engine/passes/again.h"
#include "engine/passes/analysis.h"
#include "engine/passes/fit-private.h"
#include "engine/passes/values.h"

#define NONE G_MAXUINT

typedef struct
{
  SluiceFitStudy *study;
  const guint32 *conditions;
  const guint8 *may_alias;
  const SluiceEffects *effects;
  GArray *reads, *befores, *outputs;
} Builder;

/* ---- who keeps to the order ---- */

gboolean
sluice_fit_study_waits (const SluiceFitStudy *self, SluiceWorkNode *node)
{
  const SluiceRoleTraits *traits = sluice_work_get_traits (node);
  const SluiceKernel *kernel = sluice_work_find_kernel (self->work, node);
  if (node->frame != 0 || node->output_frame != 0 || traits->is_state || traits->is_control_flow
      || traits->is_view || sluice_work_role (node) == SLUICE_ROLE_READ_VARIABLE)
    return FALSE;
  if (node->kind == SLUICE_WORK_OP)
    return kernel != NULL && !(kernel->flags & (SLUICE_KERNEL_ASYNC | SLUICE_KERNEL_RUNS_DEAD));
  return node->kind == SLUICE_WORK_FUSED || node->kind == SLUICE_WORK_FUSED_CONSUMER
         || node->kind == SLUICE_WORK_SEND || node->kind == SLUICE_WORK_RECV;
}

gboolean
sluice_fit_study_is_awaited (const SluiceFitStudy *self, const SluiceWorkNode *node)
{
  return node->output_frame == 0 && node->kind != SLUICE_WORK_CONST
         && !sluice_work_get_traits (node)->is_state && !sluice_work_is_back_edge (node)
         && (node->frame == 0 || sluice_work_get_traits (node)->crosses_frames);
}

/* ---- sizes and times ---- */

/* (nullable) */
static const SluiceFitSeen *
find_seen (const SluiceFitStudy *self, const SluiceWorkNode *node)
{
  return self->sizes->seen != NULL
                 && (node->kind == SLUICE_WORK_OP || node->kind == SLUICE_WORK_FUSED
                     || node->kind == SLUICE_WORK_FUSED_CONSUMER)
             ? g_hash_table_lookup (self->sizes->seen, node->origin->name)
             : NULL;
}

static double
get_static_bytes (const SluiceFitStudy *self, const SluiceWorkNode *node, guint i)
{
  int port;
  const SluiceNode *origin = sluice_work_get_output_origin (node, i, &port);
  return sluice_work_makes_memory (node, i)
             ? sluice_cost_model_get_bytes (self->costs, origin, (guint) port, self->sizes->dim)
             : 0;
}

/* Of several outputs each has its share, as far as shapes tell. */
static double
get_bytes (const SluiceFitStudy *self, const SluiceWorkNode *node, guint i)
{
  const SluiceFitSeen *seen = find_seen (self, node);
  double own = get_static_bytes (self, node, i), all = 0;
  if (seen == NULL || !sluice_work_makes_memory (node, i))
    return own;
  for (guint k = 0; k < sluice_work_count_outputs (node); k++)
    all += get_static_bytes (self, node, k);
  return all > 0 ? seen->bytes * own / all : seen->bytes / sluice_work_count_outputs (node);
}

static double
get_op_us (const SluiceFitStudy *self, const SluiceWorkNode *node)
{
  double us = sluice_cost_model_get (self->costs, node->origin,
                                     &self->machine->devices[node->device], self->sizes->dim)
                  .us;
  return isfinite (us) ? us : 0;
}

static double
get_us (const SluiceFitStudy *self, const SluiceWorkNode *node)
{
  const SluiceFitSeen *seen = find_seen (self, node);
  double us = 0;
  if (seen != NULL)
    return seen->us;
  if (node->kind == SLUICE_WORK_OP)
    return get_op_us (self, node);
  if (node->kind == SLUICE_WORK_FUSED_CONSUMER)
    return get_us (self, node->fused_consumer.producer)
           + get_us (self, node->fused_consumer.consumer);
  if (node->kind == SLUICE_WORK_RECV && node->n_inputs > 0)
    return sluice_machine_link_get_us (
        sluice_machine_get_link (self->machine, node->inputs[0].node->device, node->device),
        get_bytes (self, node, 0));
  for (guint i = 0; node->kind == SLUICE_WORK_FUSED && i < node->region.n_members; i++)
    us += get_op_us (self, node->region.members[i]);
  return us;
}

/* ---- the workload ---- */

guint
sluice_fit_study_find_output (const SluiceFitStudy *self, SluiceWorkEdge edge)
{
  guint number = edge.node != NULL ? self->number[edge.node->index] : NONE;
  if (number == NONE || (guint) edge.port >= self->w->nodes[number].n_outputs)
    return NONE;
  return self->w->nodes[number].first_output + (guint) edge.port;
}

/* What comes from behind belongs to the next iteration. */
static void
add_needs (Builder *self, guint v)
{
  SluiceFitStudy *study = self->study;
  const SluiceWorkNode *node = study->nodes->pdata[v];
  SluiceWorkloadNode *told = &study->w->nodes[v];
  told->first_read = self->reads->len;
  told->first_before = self->befores->len;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      guint output = sluice_fit_study_find_output (study, node->inputs[i]);
      if (output != NONE && study->number[node->inputs[i].node->index] < v)
        told->n_reads += sluice_workload_add_once (self->reads, told->first_read, output);
    }
  for (guint i = 0; i < node->n_controls; i++)
    {
      guint before = study->number[node->controls[i]->index];
      if (before != NONE && before < v)
        told->n_befores += sluice_workload_add_once (self->befores, told->first_before, before);
    }
}

static void
add_outputs (Builder *self, guint v)
{
  SluiceFitStudy *study = self->study;
  const SluiceWorkNode *node = study->nodes->pdata[v];
  SluiceWorkloadNode *told = &study->w->nodes[v];
  told->first_output = self->outputs->len;
  told->n_outputs = sluice_work_count_outputs (node);
  for (guint i = 0; i < told->n_outputs; i++)
    {
      const SluiceWorkloadOutput output = { v, get_bytes (study, node, i) };
      g_array_append_val (self->outputs, output);
    }
}

static void
fill_workload (Builder *self)
{
  SluiceFitStudy *study = self->study;
  SluiceWorkload *w = study->w;
  guint n_devices = study->machine->n_devices;
  for (guint v = 0; v < w->n_nodes; v++)
    {
      const SluiceWorkNode *node = study->nodes->pdata[v];
      w->nodes[v].name = node->origin->name;
      w->nodes[v].group = v;
      study->devices[v] = node->device;
      study->order[v] = v;
      for (guint d = 0; d < n_devices; d++)
        w->us[v * n_devices + d] = d == node->device ? get_us (study, node) : INFINITY;
      add_outputs (self, v);
      add_needs (self, v);
    }
  w->n_groups = w->n_nodes;
  w->n_reads = self->reads->len;
  w->n_befores = self->befores->len;
  w->n_outputs = self->outputs->len;
  w->reads = (guint *) g_array_free (self->reads, FALSE);
  w->befores = (guint *) g_array_free (self->befores, FALSE);
  w->outputs = (SluiceWorkloadOutput *) g_array_free (self->outputs, FALSE);
}

/* ---- what may be done with it ---- */

#define ANY G_MAXUINT /* of the variables */

/* Where somebody writes what the node reads of a variable, that is the end. itself: nobody knows
 * when that will be. */
static guint
find_end (const Builder *self, const SluiceWorkNode *node, guint v, guint object)
{
  const SluiceFitStudy *study = self->study;
  const GArray *accesses = self->effects->accesses;
  guint end = NONE;
  for (guint i = 0; i < accesses->len; i++)
    {
      const SluiceAccess *access = &g_array_index (accesses, SluiceAccess, i);
      if ((object != ANY && access->object != object) || access->node == node
          || !sluice_effects_conflict (access->effect, SLUICE_EFFECT_READ))
        continue;
      guint number = study->number[access->node->index];
      if (number == NONE || (number > v && !sluice_fit_study_waits (study, access->node)))
        return v;
      if (number > v)
        end = MIN (end, number);
    }
  return end;
}

/* Does a node, or what it reads, share a variable's memory by this access? */
static gboolean
reads_by (const SluiceWorkNode *node, const SluiceAccess *access)
{
  if (access->effect != SLUICE_EFFECT_READ)
    return FALSE;
  for (guint k = 0; k < node->n_inputs; k++)
    if (node->inputs[k].node == access->node
        && sluice_work_role (access->node) == SLUICE_ROLE_READ_VARIABLE)
      return TRUE;
  return node == access->node;
}

static guint
find_again (const Builder *self, guint v)
{
  SluiceFitStudy *study = self->study;
  SluiceWorkNode *node = study->nodes->pdata[v];
  const GArray *accesses = self->effects->accesses;
  guint end = NONE;
  if (node->output_frame != 0
      || sluice_work_may_run_again (study->work, node) == SLUICE_AGAIN_NEVER)
    return v;
  if (sluice_work_is_murky (node, self->may_alias))
    return find_end (self, node, v, ANY);
  for (guint i = 0; i < accesses->len; i++)
    {
      const SluiceAccess *access = &g_array_index (accesses, SluiceAccess, i);
      if (!reads_by (node, access))
        continue;
      guint one = find_end (self, node, v, access->object);
      if (one == v)
        return v;
      end = MIN (end, one);
    }
  return end;
}

static gboolean
reads_copies (const SluiceWorkNode *node)
{
  return (node->kind == SLUICE_WORK_OP || node->kind == SLUICE_WORK_FUSED
          || node->kind == SLUICE_WORK_FUSED_CONSUMER || node->kind == SLUICE_WORK_SEND)
         && node->frame == 0 && node->output_frame == 0
         && sluice_work_role (node) != SLUICE_ROLE_MERGE;
}

static guint
find_root (const SluiceFitStudy *self, guint v, guint output)
{
  const SluiceWorkNode *node = self->nodes->pdata[v];
  guint from =
      sluice_work_hands_on (node) ? sluice_fit_study_find_output (self, node->inputs[0]) : NONE;
  return from != NONE && self->w->outputs[from].node < v ? self->roots[from] : output;
}

/* May it run later than the order says, and does the order then hold it back? */
static gboolean
may_wait (const SluiceFitStudy *self, guint v, const guint8 *is_read_elsewhere)
{
  SluiceWorkNode *node = self->nodes->pdata[v];
  return !is_read_elsewhere[v] && sluice_fit_study_waits (self, node)
         && (self->again[v] == NONE || node->kind == SLUICE_WORK_RECV);
}

static void
find_branch_readers (const SluiceFitStudy *self, guint8 *is_read_elsewhere)
{
  guint maker;
  for (guint v = 0; v < self->w->n_nodes; v++)
    for (guint i = 0; i < sluice_workload_get_n_needs (self->w, v); i++)
      {
        sluice_workload_get_need (self->w, v, i, &maker);
        is_read_elsewhere[maker] |= self->fixed[v] || self->branches[v] != self->branches[maker];
      }
}

static void
fill_choices (Builder *self)
{
  SluiceFitStudy *study = self->study;
  SluiceWork *work = study->work;
  SluiceWorkload *w = study->w;
  g_autofree guint8 *is_read_elsewhere = g_new0 (guint8, w->n_nodes + 1);
  for (guint v = 0; v < w->n_nodes; v++)
    {
      SluiceWorkNode *node = study->nodes->pdata[v];
      for (guint i = 0; i < w->nodes[v].n_outputs; i++)
        study->roots[w->nodes[v].first_output + i] =
            find_root (study, v, w->nodes[v].first_output + i);
      study->branches[v] = self->conditions[node->index];
      study->fixed[v] = !reads_copies (node);
      study->in_place[v] = sluice_work_is_element_wise (work, node);
      study->again[v] = find_again (self, v);
    }
  find_branch_readers (study, is_read_elsewhere);
  for (guint v = 0; v < w->n_nodes; v++)
    study->waits[v] = may_wait (study, v, is_read_elsewhere);
  for (guint i = 0; i < work->n_fetches; i++)
    {
      guint output = sluice_fit_study_find_output (study, work->fetches[i]);
      if (output != NONE)
        study->stays[output] = 1;
    }
  for (guint i = 0; i < work->nodes->len; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      study->held[node->device] += sluice_work_get_held_bytes (node);
    }
}

/* Of a device that can vacate its memory: what lies there may leave for the host's. */
static guint
find_leaving (SluiceFitStudy *self)
{
  SluiceWork *work = self->work;
  guint host = NONE, n = 0;
  for (guint d = 0; d < self->machine->n_devices && host == NONE; d++)
    if (work->devices[d]->klass->queues == NULL && work->devices[d]->klass->computes)
      host = d;
  for (guint o = 0; o < self->w->n_outputs; o++)
    {
      guint d = self->devices[self->w->outputs[o].node];
      self->leaves[o] = work->devices[d]->klass->queues != NULL
                        && sluice_allocator_get_residency (work->devices[d]->allocator) != NULL;
      n += self->leaves[o];
    }
  return n > 0 ? host : NONE;
}

/* ---- the whole ---- */

static void
gather_nodes (SluiceFitStudy *self)
{
  SluiceWork *work = self->work;
  const GPtrArray *order = sluice_analysis_get_order (work, NULL);
  self->number = g_new (guint, work->nodes->len + 1);
  memset (self->number, 0xff, (work->nodes->len + 1) * sizeof (guint));
  self->nodes = g_ptr_array_new ();
  for (guint i = 0; i < order->len; i++)
    {
      SluiceWorkNode *node = order->pdata[i];
      if (!sluice_work_has (work, node)
          || (node->kind == SLUICE_WORK_CONST && node->n_controls == 0)) /* there from the start */
        continue;
      self->number[node->index] = self->nodes->len;
      g_ptr_array_add (self->nodes, node);
    }
}

/* from: (nullable) */
static void
take_speed (SluiceMachine *machine, const SluiceMachine *from)
{
  guint n = from != NULL ? MIN (machine->n_devices, from->n_devices) : 0;
  for (guint d = 0; d < n; d++)
    {
      machine->devices[d].flops_per_us = from->devices[d].flops_per_us;
      machine->devices[d].bytes_per_us = from->devices[d].bytes_per_us;
      machine->devices[d].overhead_us = from->devices[d].overhead_us;
      for (guint e = 0; e < n; e++)
        machine->links[d * machine->n_devices + e] = *sluice_machine_get_link (from, d, e);
    }
}

SluiceFitStudy *
sluice_fit_study_new (SluiceWork *work, gboolean take, const SluiceFitSizes *sizes)
{
  SluiceFitStudy *self = g_new0 (SluiceFitStudy, 1);
  guint n_devices = 0;
  self->work = work;
  self->owns_work = take;
  self->sizes = g_memdup2 (sizes, sizeof *sizes);
  for (guint i = 0; i < work->nodes->len; i++)
    n_devices = MAX (n_devices, ((SluiceWorkNode *) work->nodes->pdata[i])->device + 1);
  self->machine = sluice_machine_new_here (work->devices, MAX (n_devices, 1));
  self->costs = sluice_cost_model_new ();
  take_speed (self->machine, sizes->machine);
  if (sizes->measured != NULL)
    sluice_cost_model_set_measured (self->costs, sizes->measured);
  if (sizes->sized != NULL)
    sluice_cost_model_set_batch (self->costs, sizes->sized, sizes->dim);
  sluice_work_ask_shapes_early (work);
  gather_nodes (self);
  guint n = self->nodes->len;
  self->w = sluice_workload_new (self->machine);
  self->w->n_nodes = n;
  self->w->nodes = g_new0 (SluiceWorkloadNode, n + 1);
  self->w->us = g_new0 (double, (gsize) (n + 1) * self->machine->n_devices);
  self->devices = g_new0 (guint, n + 1);
  self->order = g_new0 (guint, n + 1);
  self->again = g_new0 (guint, n + 1);
  self->branches = g_new0 (guint, n + 1);
  self->in_place = g_new0 (guint8, n + 1);
  self->waits = g_new0 (guint8, n + 1);
  self->fixed = g_new0 (guint8, n + 1);
  self->held = g_new0 (double, self->machine->n_devices + 1);
  Builder builder = { .study = self,
                      .conditions = sluice_analysis_get_conditions (work),
                      .may_alias = sluice_analysis_get_aliases (work),
                      .effects = sluice_analysis_get_effects (work),
                      .reads = g_array_new (FALSE, FALSE, sizeof (guint)),
                      .befores = g_array_new (FALSE, FALSE, sizeof (guint)),
                      .outputs = g_array_new (FALSE, FALSE, sizeof (SluiceWorkloadOutput)) };
  fill_workload (&builder);
  self->roots = g_new0 (guint, self->w->n_outputs + 1);
  self->stays = g_new0 (guint8, self->w->n_outputs + 1);
  self->leaves = g_new0 (guint8, self->w->n_outputs + 1);
  fill_choices (&builder);
  const SluiceFitTask task = { .workload = self->w,
                               .devices = self->devices,
                               .order = self->order,
                               .held = self->held,
                               .roots = self->roots,
                               .again = self->again,
                               .leaves = self->leaves,
                               .in_place = self->in_place,
                               .stays = self->stays,
                               .waits = self->waits,
                               .fixed = self->fixed,
                               .branches = self->branches,
                               .host = find_leaving (self) };
  self->fitter = sluice_fitter_new (&task);
  return self;
}

void
sluice_fit_study_free (SluiceFitStudy *self)
{
  gpointer blocks[] = { self->number,          self->devices,  self->order,    self->roots,
                        self->again,           self->branches, self->in_place, self->stays,
                        self->waits,           self->fixed,    self->leaves,   self->held,
                        (gpointer) self->sizes };
  sluice_fitter_free (self->fitter);
  sluice_workload_free (self->w);
  sluice_cost_model_free (self->costs);
  sluice_machine_free (self->machine);
  g_ptr_array_unref (self->nodes);
  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    g_free (blocks[i]);
  if (self->owns_work)
    sluice_work_free (self->work);
  g_free (self);
}

SluiceFitter *
sluice_fit_study_get_fitter (SluiceFitStudy *self)
{
  return self->fitter;
}

guint
sluice_fit_study_get_n_devices (const SluiceFitStudy *self)
{
  return self->machine->n_devices;
}

double
sluice_fit_study_get_bytes (const SluiceFitStudy *self, guint output)
{
  return self->w->outputs[output].bytes;
}

SluiceFit *
sluice_fit_study_run (SluiceFitStudy *self, const double *limits)
{
  return sluice_fitter_run (self->fitter, limits);
}
