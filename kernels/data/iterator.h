/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/data/dataset-pass.h"
#include "kernels/data/spec.h"

/* How far a session has come in a dataset. */
typedef struct
{
  SluiceResource parent;
  char *name;
  SluiceElementSpec *spec;
  pthread_mutex_t lock;
  SluiceDatasetPass *pass;        /* (nullable), under lock */
  struct _SluiceFactory *factory; /* (nullable), under lock: makes the dataset (one-shot.c) */
} SluiceIterator;

/* The session's iterator of the call's node, whose state is a SluiceElementSpec. (transfer full)
 * (nullable): call->error is set */
SluiceIterator *sluice_call_dup_iterator (SluiceKernelCall *call);
