/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A driver's library with two GPUs, of which the second tells no load and no energy. */
typedef struct
{
  unsigned int gpu, memory;
} Utilization;
typedef struct
{
  unsigned long long total, free, used;
} Memory;

#define PUBLIC __attribute__ ((visibility ("default")))
PUBLIC int nvmlInit_v2 (void);
PUBLIC int nvmlShutdown (void);
PUBLIC int nvmlDeviceGetCount_v2 (unsigned int *count);
PUBLIC int nvmlDeviceGetHandleByIndex_v2 (unsigned int index, void **device);
PUBLIC int nvmlDeviceGetUtilizationRates (void *device, Utilization *utilization);
PUBLIC int nvmlDeviceGetMemoryInfo (void *device, Memory *memory);
PUBLIC int nvmlDeviceGetTemperature (void *device, int sensor, unsigned int *degrees);
PUBLIC int nvmlDeviceGetTotalEnergyConsumption (void *device, unsigned long long *millijoules);

#define NOT_SUPPORTED 3

static int gpus[2];
static unsigned long long energy = 5000000;

int
nvmlInit_v2 (void)
{
  return 0;
}

int
nvmlShutdown (void)
{
  return 0;
}

int
nvmlDeviceGetCount_v2 (unsigned int *count)
{
  *count = 2;
  return 0;
}

int
nvmlDeviceGetHandleByIndex_v2 (unsigned int index, void **device)
{
  *device = &gpus[index];
  return 0;
}

int
nvmlDeviceGetUtilizationRates (void *device, Utilization *utilization)
{
  *utilization = (Utilization){ 50, 20 };
  return device == &gpus[0] ? 0 : NOT_SUPPORTED;
}

int
nvmlDeviceGetMemoryInfo (void *device, Memory *memory)
{
  *memory = (Memory){ 100 << 20, 90 << 20, device == &gpus[0] ? 2 << 20 : 3 << 20 };
  return 0;
}

int
nvmlDeviceGetTemperature (void *device, int sensor, unsigned int *degrees)
{
  *degrees = device == &gpus[0] ? 55 : 61;
  return sensor == 0 ? 0 : NOT_SUPPORTED;
}

int
nvmlDeviceGetTotalEnergyConsumption (void *device, unsigned long long *millijoules)
{
  *millijoules = energy += 1000;
  return device == &gpus[0] ? 0 : NOT_SUPPORTED;
}
