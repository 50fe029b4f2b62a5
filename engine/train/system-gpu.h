/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * What NVIDIA's driver tells of its GPUs, by its library NVML where that is there: it is loaded at
 * run time, and this program was not built against it.
 */
typedef struct _SluiceGpuProbe SluiceGpuProbe;

/* library: as dlopen() takes it. (transfer full) (nullable): no library, no driver or no GPU */
SluiceGpuProbe *sluice_gpu_probe_new (const char *library);
void sluice_gpu_probe_free (SluiceGpuProbe *self);

/* Of all GPUs together; NAN: none of them tells. */
double sluice_gpu_probe_read_load (SluiceGpuProbe *self);        /* 0 to 1, in the mean */
double sluice_gpu_probe_read_memory (SluiceGpuProbe *self);      /* bytes in use, of all programs */
double sluice_gpu_probe_read_temperature (SluiceGpuProbe *self); /* degrees Celsius, the hottest */
double sluice_gpu_probe_read_energy (SluiceGpuProbe *self);      /* joules since the driver began */
