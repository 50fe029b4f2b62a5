/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/system-probe.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engine/train/system-gpu.h"

const char *const sluice_system_tags[SLUICE_N_SYSTEM_VALUES] = {
  "system/resident",    "system/disk-free",       "system/disk-written",
  "system/temperature", "system/energy",          "system/gpu-load",
  "system/gpu-memory",  "system/gpu-temperature", "system/gpu-energy",
};

/* A counter of microjoules that begins again at 0 behind its greatest value. */
typedef struct
{
  char *path;
  double range, last, sum;
} Counter;

struct _SluiceSystemProbe
{
  char *statm, *io, *workspace;
  GPtrArray *sensors;         /* of char: files of thousandths of a degree */
  GArray *counters;           /* of Counter */
  SluiceGpuProbe *gpu;        /* (nullable) */
  double written, gpu_energy; /* when it was made */
  gboolean has[SLUICE_N_SYSTEM_VALUES];
};

static void
counter_clear (gpointer data)
{
  g_free (((Counter *) data)->path);
}

/* These files have one page at most. FALSE: it cannot be read. */
static gboolean
read_text (const char *path, char *text, gsize size)
{
  int fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return FALSE;
  gssize n = read (fd, text, size - 1);
  close (fd);
  text[MAX (n, 0)] = '\0';
  return n > 0;
}

/* NAN: it cannot be read. */
static double
read_number (const char *path)
{
  char text[64], *end;
  if (!read_text (path, text, sizeof text))
    return NAN;
  double value = g_ascii_strtod (text, &end);
  return end != text ? value : NAN;
}

/* ---- what there is ---- */

/* Names of files in a folder that begin and end so, in order. (transfer full) */
static GPtrArray *
list_files (const char *folder, const char *prefix, const char *suffix)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, prefix) && g_str_has_suffix (name, suffix))
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  return paths;
}

/* Drivers of the kernel whose sensors are a processor's. */
static gboolean
is_of_processor (const char *folder)
{
  static const char *const drivers[] = { "coretemp", "k10temp", "zenpower", "cpu_thermal", NULL };
  g_autofree char *path = g_build_filename (folder, "name", NULL);
  char name[64];
  return read_text (path, name, sizeof name) && g_strv_contains (drivers, g_strstrip (name));
}

static void
find_sensors (SluiceSystemProbe *self, const char *root)
{
  g_autofree char *base = g_strconcat (root, "/sys/class/hwmon", NULL);
  g_autoptr (GPtrArray) folders = list_files (base, "hwmon", "");
  for (guint i = 0; i < folders->len; i++)
    {
      g_autoptr (GPtrArray) files = list_files (folders->pdata[i], "temp", "_input");
      for (guint k = 0; is_of_processor (folders->pdata[i]) && k < files->len; k++)
        if (!isnan (read_number (files->pdata[k])))
          g_ptr_array_add (self->sensors, g_strdup (files->pdata[k]));
    }
}

/* RAPL: of packages, "intel-rapl:0", not of their parts, "intel-rapl:0:1". AMD's have that name,
 * too. Most systems let only root read them. */
static void
find_counters (SluiceSystemProbe *self, const char *root)
{
  g_autofree char *base = g_strconcat (root, "/sys/class/powercap", NULL);
  g_autoptr (GPtrArray) folders = list_files (base, "intel-rapl:", "");
  for (guint i = 0; i < folders->len; i++)
    {
      g_autofree char *name = g_path_get_basename (folders->pdata[i]);
      g_autofree char *path = g_build_filename (folders->pdata[i], "energy_uj", NULL);
      g_autofree char *range = g_build_filename (folders->pdata[i], "max_energy_range_uj", NULL);
      Counter counter = { .range = read_number (range), .last = read_number (path) };
      if (strchr (name, ':') != strrchr (name, ':') || isnan (counter.last))
        continue;
      counter.path = g_steal_pointer (&path);
      g_array_append_val (self->counters, counter);
    }
}

#define NVML "libnvidia-ml.so.1"

static void
find_gpus (SluiceSystemProbe *self, const char *root)
{
  g_autofree char *path =
      *root != '\0' ? g_build_filename (root, "usr", "lib", NVML, NULL) : g_strdup (NVML);
  self->gpu = sluice_gpu_probe_new (path);
  self->gpu_energy = self->gpu != NULL ? sluice_gpu_probe_read_energy (self->gpu) : NAN;
}

/* ---- values ---- */

static double
read_resident (SluiceSystemProbe *self)
{
  char text[128];
  long pages;
  return read_text (self->statm, text, sizeof text) && sscanf (text, "%*s %ld", &pages) == 1
             ? (double) pages * (double) sysconf (_SC_PAGESIZE)
             : NAN;
}

static double
read_written (SluiceSystemProbe *self)
{
  char text[512];
  if (!read_text (self->io, text, sizeof text))
    return NAN;
  const char *line = strstr (text, "\nwrite_bytes: ");
  return line != NULL ? g_ascii_strtod (line + strlen ("\nwrite_bytes: "), NULL) : NAN;
}

static double
read_free (SluiceSystemProbe *self)
{
  struct statvfs disk;
  return statvfs (self->workspace, &disk) == 0 ? (double) disk.f_bavail * (double) disk.f_frsize
                                               : NAN;
}

static double
read_temperature (SluiceSystemProbe *self)
{
  double hottest = NAN;
  for (guint i = 0; i < self->sensors->len; i++)
    hottest = fmax (hottest, read_number (self->sensors->pdata[i]) * 1e-3);
  return hottest;
}

static double
read_energy (SluiceSystemProbe *self)
{
  double joules = 0;
  for (guint i = 0; i < self->counters->len; i++)
    {
      Counter *counter = &g_array_index (self->counters, Counter, i);
      double now = read_number (counter->path);
      if (isnan (now))
        return NAN;
      counter->sum += now >= counter->last ? now - counter->last
                      : counter->range > 0 ? now + counter->range - counter->last
                                           : now;
      counter->last = now;
      joules += counter->sum * 1e-6;
    }
  return joules;
}

static double
read_gpu (SluiceSystemProbe *self, SluiceSystemValue what)
{
  switch (what)
    {
    case SLUICE_SYSTEM_GPU_LOAD:
      return sluice_gpu_probe_read_load (self->gpu);
    case SLUICE_SYSTEM_GPU_MEMORY:
      return sluice_gpu_probe_read_memory (self->gpu);
    case SLUICE_SYSTEM_GPU_TEMPERATURE:
      return sluice_gpu_probe_read_temperature (self->gpu);
    case SLUICE_SYSTEM_GPU_ENERGY:
      return sluice_gpu_probe_read_energy (self->gpu) - self->gpu_energy;
    default:
      g_return_val_if_reached (NAN);
    }
}

double
sluice_system_probe_read (SluiceSystemProbe *self, SluiceSystemValue what)
{
  switch (what)
    {
    case SLUICE_SYSTEM_RESIDENT:
      return read_resident (self);
    case SLUICE_SYSTEM_DISK_FREE:
      return read_free (self);
    case SLUICE_SYSTEM_WRITTEN:
      return read_written (self) - self->written;
    case SLUICE_SYSTEM_TEMPERATURE:
      return read_temperature (self);
    case SLUICE_SYSTEM_ENERGY:
      return read_energy (self);
    default:
      return self->gpu != NULL ? read_gpu (self, what) : NAN;
    }
}

gboolean
sluice_system_value_is_counter (SluiceSystemValue what)
{
  return what == SLUICE_SYSTEM_WRITTEN || what == SLUICE_SYSTEM_ENERGY
         || what == SLUICE_SYSTEM_GPU_ENERGY;
}

gboolean
sluice_system_probe_has (const SluiceSystemProbe *self, SluiceSystemValue what)
{
  return self->has[what];
}

SluiceSystemProbe *
sluice_system_probe_new (const char *root, const char *workspace)
{
  SluiceSystemProbe *self = g_new0 (SluiceSystemProbe, 1);
  self->statm = g_strconcat (root, "/proc/self/statm", NULL);
  self->io = g_strconcat (root, "/proc/self/io", NULL);
  self->workspace = g_strdup (workspace);
  self->sensors = g_ptr_array_new_with_free_func (g_free);
  self->counters = g_array_new (FALSE, TRUE, sizeof (Counter));
  g_array_set_clear_func (self->counters, counter_clear);
  find_sensors (self, root);
  find_counters (self, root);
  find_gpus (self, root);
  self->written = read_written (self);
  for (guint i = 0; i < SLUICE_N_SYSTEM_VALUES; i++)
    self->has[i] = !isnan (sluice_system_probe_read (self, i));
  self->has[SLUICE_SYSTEM_ENERGY] &= self->counters->len > 0;
  return self;
}

void
sluice_system_probe_free (SluiceSystemProbe *self)
{
  g_clear_pointer (&self->gpu, sluice_gpu_probe_free);
  g_ptr_array_unref (self->sensors);
  g_array_unref (self->counters);
  g_free (self->statm);
  g_free (self->io);
  g_free (self->workspace);
  g_free (self);
}

gsize
sluice_system_get_available (void)
{
  static const char key[] = "MemAvailable:";
  g_autofree char *text = NULL;
  const char *line = NULL;
  if (g_file_get_contents ("/proc/meminfo", &text, NULL, NULL))
    line = strstr (text, key);
  return line != NULL ? (gsize) g_ascii_strtoull (line + strlen (key), NULL, 10) * 1024 : G_MAXSIZE;
}
