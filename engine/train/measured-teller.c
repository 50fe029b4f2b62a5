/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/train/measured-teller.h"

#include "engine/train/calibration.h"
#include "engine/train/measured-file.h"
#include "engine/train/sized-graph.h"

typedef struct
{
  SluiceCostTeller base;
  SluiceMeasured *measured;
  char *device_options; /* (nullable) */
  gint64 batch;
  SluiceGraph *sized; /* (nullable): of the graph that was asked for last */
} Teller;

static void
tell (SluiceCostTeller *teller, SluiceGraph *graph, SluiceMachine *machine, SluiceCostModel *costs)
{
  Teller *self = (Teller *) teller;
  SluiceCalibration speed;
  if (sluice_measured_get_n (self->measured) == 0)
    return;
  g_clear_pointer (&self->sized, sluice_graph_unref);
  self->sized = sluice_graph_dup_sized (graph, self->batch);
  sluice_cost_model_set_batch (costs, self->sized, self->batch);
  sluice_measured_set_options (self->measured, self->device_options);
  sluice_cost_model_set_measured (costs, self->measured);
  sluice_machine_take_measured (machine, self->measured);
  if (sluice_calibration_get (NULL, &speed, NULL, NULL)) /* else as a machine of any speed */
    sluice_calibration_set_speed (&speed, machine);
}

static void
finalize (SluiceCostTeller *teller)
{
  Teller *self = (Teller *) teller;
  g_clear_pointer (&self->sized, sluice_graph_unref);
  sluice_measured_free (self->measured);
  g_free (self->device_options);
  g_free (self);
}

SluiceCostTeller *
sluice_measured_teller_new (SluiceMeasured *take_measured, const char *device_options, gint64 batch)
{
  Teller *self = g_new0 (Teller, 1);
  self->base = (SluiceCostTeller){ 1, tell, finalize };
  self->measured = take_measured;
  self->device_options = g_strdup (device_options);
  self->batch = batch;
  return &self->base;
}

SluiceCostTeller *
sluice_measured_teller_load (const SluiceSessionOptions *options, gint64 batch)
{
  g_autoptr (GError) damaged = NULL;
  if (options->policy == NULL || options->costs != NULL)
    return NULL;
  SluiceMeasured *measured = sluice_measured_file_load (NULL, &damaged);
  if (damaged != NULL)
    g_message ("devices are chosen without what was measured: %s", damaged->message);
  return sluice_measured_teller_new (measured, options->device_options, batch);
}
