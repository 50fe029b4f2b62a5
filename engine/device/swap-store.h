/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/device.h"

/*
 * Where values go that leave a device's memory. One thread writes and reads; places are given back
 * by any.
 */
struct _SluiceSwapStore
{
  char *name;      /* "a file in '/tmp'" */
  gboolean is_far; /* what it takes lies where the host does not reach it */
  /* Both return 0 or errno. place: (out): where it lies, until it is given back */
  int (*write) (SluiceSwapStore *self, const SluiceTensor *value, guint64 *place);
  int (*read) (SluiceSwapStore *self, SluiceTensor *room, guint64 place);
  void (*give_back) (SluiceSwapStore *self, guint64 place, gsize bytes);
  void (*close) (SluiceSwapStore *self); /* nothing is written or read any more */
  void (*free) (SluiceSwapStore *self);
};

/* A file without a name. folder (nullable): that of temporary files. */
SluiceSwapStore *sluice_swap_store_new_file (const char *folder);
/* The host's memory, over the device's queues for copies. */
SluiceSwapStore *sluice_swap_store_new_host (SluiceDevice *device);
