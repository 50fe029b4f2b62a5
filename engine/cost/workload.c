/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/cost/workload.h"

#include "engine/cost/csr.h"

SluiceWorkload *
sluice_workload_new (const SluiceMachine *machine)
{
  SluiceWorkload *self = g_new0 (SluiceWorkload, 1);
  self->machine = machine;
  self->texts = g_string_chunk_new (1024);
  return self;
}

void
sluice_workload_free (SluiceWorkload *self)
{
  g_free (self->nodes);
  g_free (self->outputs);
  g_free (self->reads);
  g_free (self->befores);
  g_free (self->us);
  g_string_chunk_free (self->texts);
  g_free (self);
}

guint
sluice_workload_add_once (GArray *list, guint first, guint value)
{
  for (guint i = first; i < list->len; i++)
    if (g_array_index (list, guint, i) == value)
      return 0;
  g_array_append_val (list, value);
  return 1;
}

void
sluice_workload_index_readers (const SluiceWorkload *self, guint **first, guint **readers)
{
  guint n = 0, maker;
  g_autofree guint *values = g_new (guint, self->n_reads + self->n_befores + 1);
  g_autofree guint *nodes = g_new (guint, self->n_reads + self->n_befores + 1);
  for (guint v = 0; v < self->n_nodes; v++)
    for (guint i = 0; i < sluice_workload_get_n_needs (self, v); i++)
      {
        values[n] = sluice_workload_get_need (self, v, i, &maker);
        nodes[n++] = v;
      }
  sluice_csr_build (values, n, sluice_workload_get_n_values (self), first, readers);
  for (guint i = 0; i < n; i++)
    (*readers)[i] = nodes[(*readers)[i]];
}
