/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/workload.h"

/*
 * Training steps of the kinds of networks that papers on placement measure themselves by, as
 * workloads: forward, backward and the updates of the variables, each of which stands with its
 * variable. Work and bytes are those of the real layers; a device takes its overhead and the longer
 * of both.
 */
typedef struct
{
  const char *name;
  /* size: 1 is as large as in the papers; layers or steps are left out where it is less */
  SluiceWorkload *(*make) (const SluiceMachine *machine, double size);
} Network;

extern const Network networks[];
extern const guint n_networks;

/* So many like GPUs of 2017: 4 TFLOP/s, 200 GB/s and 12 GB each, links of 20 us and 10 GB/s.
 * (transfer full) */
SluiceMachine *make_gpus (guint n);
