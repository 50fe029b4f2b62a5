/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/replica.h"
#include "engine/trace/trace-view.h"

/* A sample after some steps, and what ran in them. */
typedef struct
{
  SluiceProject *project;
  SluiceExamples *examples, *test;
  SluiceReplica *replica;
  SluiceTraceView *view;
} Traced;

/* over: (nullable) (array zero-terminated=1): devices that nodes are spread over by lot */
void traced_init (Traced *self,
                  const char *sample,
                  const char *device,
                  const char *const *over,
                  guint n_cpus,
                  guint n_steps);
void traced_clear (Traced *self);
