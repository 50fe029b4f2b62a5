/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <math.h>
#include <time.h>

#include "engine/base/residency.h"
#include "engine/train/trainer-private.h"

/* How often what the machine tells becomes points, and the run's row is brought up to date. */
#define SYSTEM_SECONDS 0.5

static const char *const own_tags[] = { "system/cpu", "system/memory", SLUICE_RATE_TAG };

void
sluice_trainer_add_system_tags (SluiceTrainer *self, GStrvBuilder *tags)
{
  for (guint i = 0; i < G_N_ELEMENTS (own_tags); i++)
    g_strv_builder_add (tags, own_tags[i]);
  for (guint i = 0; i < SLUICE_N_SYSTEM_VALUES; i++)
    if (sluice_system_probe_has (self->probe, i))
      g_strv_builder_add (tags, sluice_system_tags[i]);
}

/* Counters go on where the run's last process left them. */
static gboolean
read_before (SluiceTrainer *self, guint what, GError **error)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  if (self->replica->n_done == 0 || !sluice_system_value_is_counter (what))
    return TRUE;
  if (!sluice_store_read_points (self->store, self->probe_series[what], 0, G_MAXSIZE, points,
                                 error))
    return FALSE;
  for (guint i = 0; i < points->len; i++)
    if (g_array_index (points, SluiceScalar, i).step <= self->replica->n_done)
      self->probe_before[what] = g_array_index (points, SluiceScalar, i).value;
  return TRUE;
}

gboolean
sluice_trainer_begin_system (SluiceTrainer *self, const gint64 *ids, GError **error)
{
  self->cpu_series = ids[0];
  self->memory_series = ids[1];
  self->rate_series = ids[2];
  const gint64 *next = ids + G_N_ELEMENTS (own_tags);
  for (guint i = 0; i < SLUICE_N_SYSTEM_VALUES; i++)
    {
      if (!sluice_system_probe_has (self->probe, i))
        continue;
      self->probe_series[i] = *next++;
      if (!read_before (self, i, error))
        return FALSE;
    }
  return TRUE;
}

static double
cpu_seconds (void)
{
  struct timespec t;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

/* (transfer full) (element-type SluiceDeviceMemory): a device that computes nothing and holds
 * nothing is none to tell of. bytes: (out): of all together */
static GArray *
look_at_devices (SluiceTrainer *self, gsize *bytes)
{
  GArray *devices = g_array_new (FALSE, FALSE, sizeof (SluiceDeviceMemory));
  *bytes = 0;
  for (guint i = 0; i < sluice_session_get_n_devices (self->replica->session); i++)
    {
      const SluiceDevice *device = sluice_session_get_device (self->replica->session, i);
      gboolean is_limited = sluice_allocator_is_limited (device->allocator);
      SluiceMemoryStats stats;
      SluiceResidencyStats moved = { 0 };
      sluice_allocator_get_stats (device->allocator, &stats);
      if (device->residency != NULL)
        sluice_residency_get_stats (device->residency, &moved);
      const SluiceDeviceMemory memory = { device->short_name,
                                          stats.live_bytes,
                                          stats.peak_bytes,
                                          stats.reserved_bytes,
                                          is_limited
                                              ? sluice_allocator_get_limit (device->allocator)
                                              : 0,
                                          device->residency != NULL,
                                          moved.bytes_away };
      *bytes += memory.live_bytes;
      if (device->klass->computes)
        g_array_append_val (devices, memory);
    }
  return devices;
}

GArray *
sluice_trainer_dup_devices (SluiceTrainer *self)
{
  pthread_mutex_lock (&self->lock);
  GArray *devices = self->devices != NULL ? g_array_copy (self->devices)
                                          : g_array_new (FALSE, FALSE, sizeof (SluiceDeviceMemory));
  pthread_mutex_unlock (&self->lock);
  return devices;
}

static void
log_probe (SluiceTrainer *self, gint64 step, double wall)
{
  for (guint i = 0; i < SLUICE_N_SYSTEM_VALUES; i++)
    {
      double value = self->probe_series[i] != 0 ? sluice_system_probe_read (self->probe, i) : NAN;
      if (!isnan (value))
        sluice_trainer_log_point (self, self->probe_series[i], step, wall,
                                  self->probe_before[i] + value);
    }
}

gboolean
sluice_trainer_log_system (SluiceTrainer *self)
{
  double wall = sluice_trainer_wall_now (), since = wall - self->system_wall;
  sluice_trainer_measure (self, wall);
  if (since >= 0 && since < SYSTEM_SECONDS)
    return FALSE;
  double cpu = cpu_seconds (), load = (cpu - self->system_cpu) / since / g_get_num_processors ();
  gsize bytes;
  g_autoptr (GArray) devices = look_at_devices (self, &bytes);
  gboolean first = self->system_wall == 0 || since < 0;
  self->system_wall = wall;
  self->system_cpu = cpu;
  pthread_mutex_lock (&self->lock);
  g_clear_pointer (&self->devices, g_array_unref);
  self->devices = g_steal_pointer (&devices);
  pthread_mutex_unlock (&self->lock);
  if (first)
    return FALSE;
  gint64 step = self->replica->n_done;
  sluice_trainer_log_point (self, self->cpu_series, step, wall, load);
  sluice_trainer_log_point (self, self->memory_series, step, wall, (double) bytes);
  sluice_trainer_log_point (self, self->rate_series, step, wall, self->rate.recent);
  log_probe (self, step, wall);
  pthread_mutex_lock (&self->lock);
  self->progress.cpu_load = load;
  self->progress.memory_bytes = bytes;
  pthread_mutex_unlock (&self->lock);
  return TRUE;
}
