/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * What the machine tells of itself to anybody who asks, without root: the process' memory and what
 * it has written, the disk, the processor's temperature and energy. What it does not tell has no
 * series.
 */
typedef enum
{
  SLUICE_SYSTEM_RESIDENT,    /* bytes of memory that the process has */
  SLUICE_SYSTEM_DISK_FREE,   /* bytes, where the workspace is */
  SLUICE_SYSTEM_WRITTEN,     /* bytes that the process has had written to disks since it was made */
  SLUICE_SYSTEM_TEMPERATURE, /* degrees Celsius, the hottest sensor of the processor */
  SLUICE_SYSTEM_ENERGY,   /* joules of all processor packages since it was made: of all programs */
  SLUICE_SYSTEM_GPU_LOAD, /* 0 to 1, in the mean of all GPUs; these four by NVIDIA's driver */
  SLUICE_SYSTEM_GPU_MEMORY,      /* bytes in use on all of them, of all programs */
  SLUICE_SYSTEM_GPU_TEMPERATURE, /* degrees Celsius, the hottest */
  SLUICE_SYSTEM_GPU_ENERGY,      /* joules of all of them since it was made */
  SLUICE_N_SYSTEM_VALUES,
} SluiceSystemValue;

extern const char *const sluice_system_tags[SLUICE_N_SYSTEM_VALUES]; /* of their series */
/* Does it only grow, from 0 when the probe is made? */
gboolean sluice_system_value_is_counter (SluiceSystemValue what);

typedef struct _SluiceSystemProbe SluiceSystemProbe;
/* root: "" but in tests: what /sys, /proc and the driver's library, in /usr/lib, are below of. */
SluiceSystemProbe *sluice_system_probe_new (const char *root, const char *workspace);
void sluice_system_probe_free (SluiceSystemProbe *self);
gboolean sluice_system_probe_has (const SluiceSystemProbe *self, SluiceSystemValue what);
/* NAN: it was not told this time. */
double sluice_system_probe_read (SluiceSystemProbe *self, SluiceSystemValue what);

/* Bytes of memory that programs could get now without another one losing any; G_MAXSIZE: it is not
 * told. */
gsize sluice_system_get_available (void);
