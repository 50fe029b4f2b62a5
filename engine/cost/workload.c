/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/cost/workload.h"

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
