/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "engine/cost/fit-private.h"

#define NONE        G_MAXUINT
#define MOST_COPIES 64 /* nodes that run again for one decision */
#define SMALL       16 /* what is so many times smaller than the value is kept, not made again */

/* ---- a program ---- */

static guint
add_step (SluiceFitter *self, guint node, guint back, gboolean is_again, guint branch)
{
  const SluiceFitStep step = { node, back, NONE, is_again, branch, self->makers->len };
  g_array_append_val (self->steps, step);
  return self->steps->len - 1;
}

static void
add_maker (SluiceFitter *self, guint step)
{
  g_array_append_val (self->makers, step);
}

static guint
get_branch (const SluiceFitter *self, guint node)
{
  return self->task.branches != NULL ? self->task.branches[node] : 0;
}

/* Whose copies are made at a position. */
static guint
get_branch_at (const SluiceFitter *self, const SluiceFitDecision *decision)
{
  return get_branch (self, self->order[decision->position]);
}

static void
set_version (SluiceFitter *self, guint output, guint step, guint branch)
{
  self->version[output] = step;
  self->version_branch[output] = branch;
}

/* What a reader of a branch gets. */
static guint
find_version (const SluiceFitter *self, guint output, guint branch)
{
  return self->version_branch[output] == branch
             ? self->version[output]
             : self->original[self->task.workload->outputs[output].node];
}

static gboolean
may_run_again (const SluiceFitter *self, guint node, guint at)
{
  guint until = self->task.again[node];
  return (until == NONE || self->position[until] >= at) && self->n_copied < MOST_COPIES;
}

/* Is it worth making a value again that a copy reads? Not where it lies there anyway. */
static gboolean
goes_deeper (const SluiceFitter *self, guint output, const SluiceFitDecision *decision)
{
  const SluiceWorkloadOutput *outputs = self->task.workload->outputs;
  guint root = self->roots[output];
  return decision->is_deep && self->last_use[root] < decision->position
         && outputs[root].bytes * SMALL > outputs[decision->output].bytes;
}

/* Behind what it reads. FALSE: it may not. */
static gboolean
copy_node (SluiceFitter *self, guint node, const SluiceFitDecision *decision)
{
  const SluiceWorkload *w = self->task.workload;
  const SluiceWorkloadNode *at = &w->nodes[node];
  if (self->copied_at[node] == decision->position + 1)
    return TRUE;
  if (!may_run_again (self, node, decision->position))
    return FALSE;
  self->copied_at[node] = decision->position + 1;
  self->n_copied++;
  for (guint i = 0; i < at->n_reads; i++)
    {
      guint output = w->reads[at->first_read + i], maker = w->outputs[output].node;
      if (goes_deeper (self, output, decision) && may_run_again (self, maker, decision->position))
        copy_node (self, maker, decision);
    }
  guint step = add_step (self, node, NONE, TRUE, get_branch_at (self, decision));
  for (guint i = 0; i < at->n_reads; i++)
    add_maker (self,
               find_version (self, w->reads[at->first_read + i], get_branch_at (self, decision)));
  for (guint i = 0; i < at->n_outputs; i++)
    set_version (self, at->first_output + i, step, get_branch_at (self, decision));
  self->again_us += sluice_workload_get_us (w, node, self->task.devices[node]);
  return TRUE;
}

/* Other names of what has come, of those that there are already. */
static gboolean
renew_aliases (SluiceFitter *self, const SluiceFitDecision *decision)
{
  guint root = decision->output;
  for (guint i = self->first_alias[root]; i < self->first_alias[root + 1]; i++)
    {
      guint output = self->aliases[i], last = self->last_own_use[output];
      guint maker = self->task.workload->outputs[output].node;
      if (last != NONE && last >= decision->position && self->position[maker] < decision->position
          && !copy_node (self, maker, decision))
        return FALSE;
    }
  return TRUE;
}

/* It sets off so early that it is there in time, but behind the last reader before the gap. */
static guint
find_start (const SluiceFitter *self, const SluiceFitDecision *decision, double us)
{
  const SluiceWorkload *w = self->task.workload;
  guint device = self->task.devices[w->outputs[decision->output].node];
  guint i = self->first_use[decision->output], s = self->steps->len - 1;
  while (i + 1 < self->first_use[decision->output + 1] && self->uses[i + 1] < decision->position)
    i++;
  guint last = self->original[self->order[self->uses[i]]];
  for (double lead = 0; s > last; s--)
    {
      const SluiceFitStep *step = sluice_fitter_get_step (self, s);
      if (step->back != NONE || self->task.devices[step->node] != device)
        continue;
      if (lead >= us)
        break;
      lead += sluice_workload_get_us (w, step->node, device);
    }
  return s;
}

static void
bring_back (SluiceFitter *self, const SluiceFitDecision *decision)
{
  const SluiceWorkload *w = self->task.workload;
  guint maker = w->outputs[decision->output].node, device = self->task.devices[maker];
  const SluiceMachineLink *out = sluice_machine_get_link (w->machine, device, self->task.host);
  const SluiceMachineLink *in = sluice_machine_get_link (w->machine, self->task.host, device);
  double bytes = w->outputs[decision->output].bytes, us = sluice_machine_link_get_us (in, bytes);
  guint after = find_start (self, decision, us + out->latency_us);
  guint step = add_step (self, maker, decision->output, FALSE, get_branch_at (self, decision));
  g_array_index (self->steps, SluiceFitStep, step).after = after;
  add_maker (self, find_version (self, decision->output, get_branch_at (self, decision)));
  set_version (self, decision->output, step, get_branch_at (self, decision));
  self->again_us += sluice_machine_link_get_us (out, bytes) + us;
}

static gboolean
apply (SluiceFitter *self, const SluiceFitDecision *decision)
{
  guint maker = self->task.workload->outputs[decision->output].node;
  self->n_copied = 0;
  if (self->task.fixed != NULL && self->task.fixed[self->order[decision->position]])
    return FALSE;
  if (decision->kind == SLUICE_FIT_SWAP)
    bring_back (self, decision);
  else if (!copy_node (self, maker, decision))
    return FALSE;
  return renew_aliases (self, decision);
}

static void
run_node (SluiceFitter *self, guint node)
{
  const SluiceWorkload *w = self->task.workload;
  const SluiceWorkloadNode *at = &w->nodes[node];
  gboolean is_fixed = self->task.fixed != NULL && self->task.fixed[node];
  guint step = add_step (self, node, NONE, FALSE, get_branch (self, node));
  self->original[node] = step;
  for (guint i = 0; i < at->n_reads; i++)
    {
      guint output = w->reads[at->first_read + i];
      add_maker (self, is_fixed ? self->original[w->outputs[output].node]
                                : find_version (self, output, get_branch (self, node)));
    }
  for (guint i = 0; i < at->n_outputs; i++)
    set_version (self, at->first_output + i, step, get_branch (self, node));
}

int
sluice_fitter_compare (const SluiceFitter *self,
                       const SluiceFitDecision *a,
                       const SluiceFitDecision *b)
{
  const SluiceWorkloadOutput *outputs = self->task.workload->outputs;
  guint x = self->position[outputs[a->output].node], y = self->position[outputs[b->output].node];
  if (a->position != b->position)
    return a->position < b->position ? -1 : 1;
  if (x != y)
    return x < y ? -1 : 1;
  return a->output < b->output ? -1 : a->output > b->output;
}

gboolean
sluice_fitter_build (SluiceFitter *self, const SluiceFitDecision *const *decisions, guint n)
{
  guint next = 0;
  self->n_tried++;
  self->again_us = 0;
  g_array_set_size (self->steps, 0);
  g_array_set_size (self->makers, 0);
  memset (self->copied_at, 0, self->n * sizeof (guint));
  for (guint at = 0; at < self->n; at++)
    {
      for (; next < n && decisions[next]->position == at; next++)
        if ((next > 0 && sluice_fitter_compare (self, decisions[next - 1], decisions[next]) == 0)
            || !apply (self, decisions[next]))
          return FALSE;
      run_node (self, self->order[at]);
    }
  return TRUE;
}

/* ---- what lies in memory ---- */

static guint
count_cells (const SluiceFitter *self, const SluiceFitStep *step)
{
  return step->back != NONE ? 1 : self->task.workload->nodes[step->node].n_outputs;
}

static guint
get_maker (const SluiceFitter *self, const SluiceFitStep *step, guint read)
{
  return g_array_index (self->makers, guint, step->first_maker + read);
}

/* Of an output as a step makes it. */
static guint
get_cell (const SluiceFitter *self, guint maker, guint output)
{
  const SluiceFitStep *step = sluice_fitter_get_step (self, maker);
  guint first = g_array_index (self->first_cell, guint, maker);
  return step->back != NONE ? first
                            : first + output - self->task.workload->nodes[step->node].first_output;
}

static guint
get_n_reads (const SluiceFitter *self, const SluiceFitStep *step)
{
  return step->back != NONE ? 1 : self->task.workload->nodes[step->node].n_reads;
}

static guint
get_read (const SluiceFitter *self, const SluiceFitStep *step, guint i)
{
  const SluiceWorkload *w = self->task.workload;
  return step->back != NONE ? step->back : w->reads[w->nodes[step->node].first_read + i];
}

/* Where what a step reads lies. */
static guint
get_read_root (const SluiceFitter *self, const SluiceFitStep *step, guint i)
{
  guint cell = get_cell (self, get_maker (self, step, i), get_read (self, step, i));
  return g_array_index (self->cell_root, guint, cell);
}

/* Of an alias: the cell that one of its inputs lies in. */
static guint
find_root (const SluiceFitter *self, const SluiceFitStep *step, guint output, guint cell)
{
  if (step->back != NONE || self->roots[output] == output)
    return cell;
  for (guint i = 0; i < get_n_reads (self, step); i++)
    if (self->roots[get_read (self, step, i)] == self->roots[output])
      return get_read_root (self, step, i);
  return cell;
}

static void
add_cells (SluiceFitter *self, guint number)
{
  const SluiceWorkload *w = self->task.workload;
  const SluiceFitStep *step = sluice_fitter_get_step (self, number);
  guint device = self->task.devices[step->node];
  g_array_append_val (self->first_cell, self->cell_root->len);
  for (guint i = 0; i < count_cells (self, step); i++)
    {
      guint cell = self->cell_root->len;
      guint output = step->back != NONE ? step->back : w->nodes[step->node].first_output + i;
      guint root = find_root (self, step, output, cell);
      double bytes = root == cell ? w->outputs[output].bytes : 0;
      g_array_append_val (self->cell_root, root);
      g_array_append_val (self->cell_bytes, bytes);
      g_array_append_val (self->cell_device, device);
      g_array_append_val (self->cell_last, number);
    }
}

static void
end_cells (SluiceFitter *self)
{
  guint n = self->steps->len;
  for (guint s = 0; s < n; s++)
    {
      const SluiceFitStep *step = sluice_fitter_get_step (self, s);
      /* A value that comes back has left right behind its last reader before. */
      for (guint i = 0; i < get_n_reads (self, step) && step->back == NONE; i++)
        g_array_index (self->cell_last, guint, get_read_root (self, step, i)) = s;
    }
  for (guint o = 0; self->task.stays != NULL && o < self->n_outputs; o++)
    if (self->task.stays[o])
      {
        guint cell = get_cell (self, self->original[self->task.workload->outputs[o].node], o);
        g_array_index (self->cell_last, guint, g_array_index (self->cell_root, guint, cell)) = n;
      }
}

/* An output lies where an input of that size lay which nobody reads any more. */
static void
take_over (SluiceFitter *self, guint number)
{
  const SluiceFitStep *step = sluice_fitter_get_step (self, number);
  guint cell = g_array_index (self->first_cell, guint, number);
  if (step->back != NONE || !self->task.in_place[step->node] || count_cells (self, step) == 0
      || g_array_index (self->cell_root, guint, cell) != cell)
    return;
  double bytes = g_array_index (self->cell_bytes, double, cell);
  for (guint i = 0; i < get_n_reads (self, step) && bytes > 0; i++)
    {
      guint root = get_read_root (self, step, i);
      root = g_array_index (self->cell_root, guint, root);
      if (g_array_index (self->cell_last, guint, root) != number
          || g_array_index (self->cell_bytes, double, root) != bytes
          || g_array_index (self->cell_device, guint, root)
                 != g_array_index (self->cell_device, guint, cell))
        continue;
      g_array_index (self->cell_root, guint, cell) = root;
      g_array_index (self->cell_bytes, double, cell) = 0;
      g_array_index (self->cell_last, guint, root) = g_array_index (self->cell_last, guint, cell);
      return;
    }
}

/* Aliases of what has moved move with it. */
static void
follow_roots (SluiceFitter *self)
{
  for (guint c = 0; c < self->cell_root->len; c++)
    {
      guint *root = &g_array_index (self->cell_root, guint, c);
      *root = g_array_index (self->cell_root, guint, *root);
    }
}

static void
find_cells (SluiceFitter *self)
{
  g_array_set_size (self->first_cell, 0);
  g_array_set_size (self->cell_root, 0);
  g_array_set_size (self->cell_bytes, 0);
  g_array_set_size (self->cell_last, 0);
  g_array_set_size (self->cell_device, 0);
  for (guint s = 0; s < self->steps->len; s++)
    add_cells (self, s);
  end_cells (self);
  for (guint s = 0; self->task.in_place != NULL && s < self->steps->len; s++)
    take_over (self, s);
  follow_roots (self);
}

static guint
find_step_of_cell (const SluiceFitter *self, guint cell, guint *step)
{
  while (*step + 1 < self->steps->len && g_array_index (self->first_cell, guint, *step + 1) <= cell)
    ++*step;
  return *step;
}

double
sluice_fitter_measure (SluiceFitter *self, const double *limits, double *bytes)
{
  guint n = self->steps->len, n_devices = self->n_devices, step = 0;
  double above = 0;
  find_cells (self);
  g_array_set_size (self->levels, 0);
  g_array_set_size (self->levels, (n + 2) * n_devices);
  double *levels = (double *) self->levels->data;
  memset (levels, 0, (n + 2) * n_devices * sizeof (double));
  for (guint c = 0; c < self->cell_bytes->len; c++)
    {
      double size = g_array_index (self->cell_bytes, double, c);
      guint device = g_array_index (self->cell_device, guint, c);
      guint born = find_step_of_cell (self, c, &step);
      const SluiceFitStep *maker = sluice_fitter_get_step (self, born);
      if (size <= 0)
        continue;
      born = maker->back != NONE ? maker->after + 1 : born;
      levels[born * n_devices + device] += size;
      levels[(g_array_index (self->cell_last, guint, c) + 1) * n_devices + device] -= size;
    }
  for (guint d = 0; d < n_devices; d++)
    {
      double now = sluice_fitter_get_held (self, d);
      bytes[d] = now;
      for (guint s = 0; s < n; s++)
        {
          now += levels[s * n_devices + d];
          levels[s * n_devices + d] = now;
          bytes[d] = MAX (bytes[d], now);
          above += now > limits[d] ? now - limits[d] : 0;
        }
    }
  return above;
}

/* ---- as a workload ---- */

typedef struct
{
  SluiceFitter *fitter;
  SluiceWorkload *w;
  guint *devices;
  guint *last; /* by device: step + 1 */
  GArray *reads, *befores, *outputs;
} Rewriter;

/* What a step reads, and the memory that this lies in. */
static void
rewrite_reads (Rewriter *self, guint s)
{
  SluiceFitter *fitter = self->fitter;
  const SluiceFitStep *step = sluice_fitter_get_step (fitter, s);
  SluiceWorkloadNode *told = &self->w->nodes[s];
  told->first_read = self->reads->len;
  for (guint i = 0; i < get_n_reads (fitter, step); i++)
    {
      guint cell = get_cell (fitter, get_maker (fitter, step, i), get_read (fitter, step, i));
      told->n_reads += sluice_workload_add_once (self->reads, told->first_read, cell);
      told->n_reads += sluice_workload_add_once (self->reads, told->first_read,
                                                 g_array_index (fitter->cell_root, guint, cell));
    }
}

static void
rewrite_befores (Rewriter *self, guint s)
{
  const SluiceFitter *fitter = self->fitter;
  const SluiceFitStep *step = sluice_fitter_get_step (fitter, s);
  const SluiceWorkload *w = fitter->task.workload;
  const SluiceWorkloadNode *at = &w->nodes[step->node];
  guint home = fitter->task.devices[step->node];
  SluiceWorkloadNode *told = &self->w->nodes[s];
  told->first_before = self->befores->len;
  if (step->back != NONE)
    told->n_befores = sluice_workload_add_once (self->befores, told->first_before, step->after);
  else if (self->last[home] > 0)
    told->n_befores =
        sluice_workload_add_once (self->befores, told->first_before, self->last[home] - 1);
  for (guint i = 0; i < at->n_befores && step->back == NONE && !step->is_again; i++)
    told->n_befores += sluice_workload_add_once (
        self->befores, told->first_before, fitter->original[w->befores[at->first_before + i]]);
  if (step->back == NONE)
    self->last[home] = s + 1;
}

static void
rewrite_step (Rewriter *self, guint s)
{
  const SluiceFitter *fitter = self->fitter;
  const SluiceFitStep *step = sluice_fitter_get_step (fitter, s);
  const SluiceWorkload *w = fitter->task.workload;
  SluiceWorkloadNode *told = &self->w->nodes[s];
  guint n_devices = fitter->n_devices, host = fitter->task.host;
  told->name = w->nodes[step->node].name;
  told->group = s;
  told->first_output = self->outputs->len;
  told->n_outputs = count_cells (fitter, step);
  for (guint i = 0; i < told->n_outputs; i++)
    {
      const SluiceWorkloadOutput output = { s, g_array_index (fitter->cell_bytes, double,
                                                              told->first_output + i) };
      g_array_append_val (self->outputs, output);
    }
  self->devices[s] = step->back != NONE ? host : fitter->task.devices[step->node];
  for (guint d = 0; d < n_devices; d++)
    self->w->us[s * n_devices + d] =
        step->back == NONE ? sluice_workload_get_us (w, step->node, d) : (d == host ? 0 : INFINITY);
  rewrite_reads (self, s);
  rewrite_befores (self, s);
}

/* What is held to the end is read there. */
static void
add_ends (Rewriter *self)
{
  const SluiceFitter *fitter = self->fitter;
  const SluiceFitTask *task = &fitter->task;
  guint n_devices = fitter->n_devices;
  for (guint d = 0; d < n_devices && task->stays != NULL; d++)
    {
      guint s = self->w->n_nodes;
      SluiceWorkloadNode *told = &self->w->nodes[s];
      *told = (SluiceWorkloadNode){ "", self->reads->len,   0, self->befores->len,
                                    0,  self->outputs->len, 0, s };
      for (guint o = 0; o < fitter->n_outputs; o++)
        {
          guint maker = task->workload->outputs[o].node;
          if (!task->stays[o] || task->devices[maker] != d)
            continue;
          guint cell = get_cell (fitter, fitter->original[maker], o);
          told->n_reads += sluice_workload_add_once (
              self->reads, told->first_read, g_array_index (fitter->cell_root, guint, cell));
        }
      if (told->n_reads == 0)
        continue;
      if (self->last[d] > 0)
        told->n_befores =
            sluice_workload_add_once (self->befores, told->first_before, self->last[d] - 1);
      for (guint e = 0; e < n_devices; e++)
        self->w->us[s * n_devices + e] = e == d ? 0 : INFINITY;
      self->devices[s] = d;
      self->w->n_nodes++;
    }
}

SluiceWorkload *
sluice_fitter_dup_workload (SluiceFitter *self, guint **devices)
{
  guint n = self->steps->len, most = n + self->n_devices;
  SluiceWorkload *w = sluice_workload_new (&self->machine);
  g_autofree guint *last = g_new0 (guint, self->n_devices + 1);
  Rewriter rewriter = { .fitter = self,
                        .w = w,
                        .devices = g_new0 (guint, most + 1),
                        .last = last,
                        .reads = g_array_new (FALSE, FALSE, sizeof (guint)),
                        .befores = g_array_new (FALSE, FALSE, sizeof (guint)),
                        .outputs = g_array_new (FALSE, FALSE, sizeof (SluiceWorkloadOutput)) };
  w->nodes = g_new0 (SluiceWorkloadNode, most + 1);
  w->us = g_new0 (double, (gsize) (most + 1) * self->n_devices);
  w->n_nodes = n;
  find_cells (self);
  for (guint s = 0; s < n; s++)
    rewrite_step (&rewriter, s);
  add_ends (&rewriter);
  w->n_groups = w->n_nodes;
  w->n_reads = rewriter.reads->len;
  w->n_befores = rewriter.befores->len;
  w->n_outputs = rewriter.outputs->len;
  w->reads = (guint *) g_array_free (rewriter.reads, FALSE);
  w->befores = (guint *) g_array_free (rewriter.befores, FALSE);
  w->outputs = (SluiceWorkloadOutput *) g_array_free (rewriter.outputs, FALSE);
  *devices = rewriter.devices;
  return w;
}
