/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/calibration.h"

#include <math.h>
#include <stdatomic.h>
#include <time.h>

#include "engine/base/pool.h"
#include "engine/device/yardstick.h"
#include "engine/runtime/session/session.h"
#include "engine/store/file.h"
#include "engine/train/measured-file.h"

#define FILE_NAME  "calibration.ini"
#define SECONDS    0.15 /* for each of the three figures */
#define LEAST_RUNS 5

/* Kernels of a step find colder caches than those by which the machine was measured, and some
 * functions take longer than their operations tell: between 1.0 and 2.0 times as long in the
 * samples. */
#define STEP_FACTOR  1.5
#define MODEL_SPREAD 0.6

/* ---- measuring ---- */

typedef struct
{
  SluiceSession *session;
  GPtrArray *edges;   /* of char: placeholders */
  GPtrArray *tensors; /* of SluiceTensor: what they are fed */
  GCancellable *cancellable;
} Bench;

static void
bench_clear (Bench *self)
{
  g_clear_object (&self->session);
  g_ptr_array_unref (self->edges);
  g_ptr_array_unref (self->tensors);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Bench, bench_clear)

static gboolean
begin (Bench *self, GError **error)
{
  const SluiceSessionOptions options = { .no_fusion = TRUE, .no_trace = TRUE, .seed = 1 };
  g_autoptr (SluiceGraph) graph = sluice_yardstick_make (error);
  self->session = graph != NULL ? sluice_session_new (&options, error) : NULL;
  if (self->session == NULL || !sluice_session_extend (self->session, graph, error))
    return FALSE;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (node->n_inputs > 0)
        continue;
      g_ptr_array_add (self->edges, g_strconcat (node->name, ":0", NULL));
      g_ptr_array_add (self->tensors,
                       sluice_tensor_new_zeros (node->outputs[0].dtype, &node->outputs[0].shape));
    }
  return TRUE;
}

static double
now_seconds (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

/* The least time of a run, which others disturb least, and what runs in it. */
static gboolean
measure (
    Bench *self, const char *target, double *seconds, SluiceCost *cost, guint *n, GError **error)
{
  g_autofree SluiceFeed *feeds =
      sluice_feeds_new ((const char *const *) self->edges->pdata, self->edges->len);
  const SluiceStepNames names = {
    .feeds = feeds, .n_feeds = self->edges->len, .targets = &target, .n_targets = 1
  };
  const SluiceRunOptions options = { .cancellable = self->cancellable };
  g_autoptr (SluiceForecast) forecast = sluice_session_forecast (self->session, &names, 1, error);
  g_autoptr (SluiceCallable) run =
      forecast != NULL ? sluice_session_prepare (self->session, &names, error) : NULL;
  if (run == NULL)
    return FALSE;
  double begin = now_seconds (), last = begin, least = INFINITY;
  for (guint i = 0; i < LEAST_RUNS || last - begin < SECONDS; i++)
    {
      if (!sluice_callable_run (run, (SluiceTensor *const *) self->tensors->pdata, NULL, &options,
                                error))
        return FALSE;
      double now = now_seconds ();
      least = fmin (least, now - last);
      last = now;
    }
  *seconds = fmax (least, 1e-9);
  *n = forecast->calls->len;
  *cost = (SluiceCost){ 0, 0 };
  for (guint i = 0; i < *n; i++)
    {
      const SluiceForecastCall *call = &g_array_index (forecast->calls, SluiceForecastCall, i);
      cost->flops += call->cost.flops;
      cost->bytes += call->cost.bytes;
    }
  return TRUE;
}

/* What is left of a measured time, of which the rest is explained; never nothing. */
static double
rest (double seconds, double explained)
{
  return fmax (seconds - explained, 0.1 * seconds);
}

static gboolean
measure_all (SluiceCalibration *self, Bench *bench, GError **error)
{
  double seconds;
  SluiceCost cost;
  guint n;
  if (!measure (bench, SLUICE_YARDSTICK_STEP, &self->step_seconds, &cost, &n, error)
      || !measure (bench, SLUICE_YARDSTICK_CALLS, &seconds, &cost, &n, error))
    return FALSE;
  self->call_seconds = rest (seconds, self->step_seconds) / n;
  if (!measure (bench, SLUICE_YARDSTICK_TRAFFIC, &seconds, &cost, &n, error))
    return FALSE;
  self->bytes_per_second = cost.bytes / rest (seconds, self->step_seconds);
  if (!measure (bench, SLUICE_YARDSTICK_WORK, &seconds, &cost, &n, error))
    return FALSE;
  self->flops_per_second = cost.flops / rest (seconds, self->step_seconds);
  self->when = (double) g_get_real_time () * 1e-6;
  return TRUE;
}

static gboolean
calibrate (SluiceCalibration *self, GCancellable *cancellable, GError **error)
{
  g_auto (Bench)
      bench = { .edges = g_ptr_array_new_with_free_func (g_free),
                .tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tensor_unref),
                .cancellable = cancellable };
  return begin (&bench, error) && measure_all (self, &bench, error);
}

/* ---- keeping ---- */

static const struct
{
  const char *key;
  gsize offset;
} keys[] = {
  { "step-seconds", offsetof (SluiceCalibration, step_seconds) },
  { "call-seconds", offsetof (SluiceCalibration, call_seconds) },
  { "flops-per-second", offsetof (SluiceCalibration, flops_per_second) },
  { "bytes-per-second", offsetof (SluiceCalibration, bytes_per_second) },
  { "when", offsetof (SluiceCalibration, when) },
};

static gboolean
load (GKeyFile *file, const char *group, SluiceCalibration *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      double value = g_key_file_get_double (file, group, keys[i].key, NULL);
      if (!isfinite (value) || value <= 0)
        return FALSE;
      *(double *) ((char *) self + keys[i].offset) = value;
    }
  return TRUE;
}

/* Said once: whoever edits a form looks at the forecast with every letter. */
static void
tell_not_kept (const GError *error)
{
  static atomic_flag told = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set (&told))
    g_message ("the machine's speed is not kept and will be measured again: %s", error->message);
}

static void
keep (GKeyFile *file, const char *group, const char *path, const SluiceCalibration *self)
{
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_key_file_set_double (file, group, keys[i].key,
                           *(const double *) ((const char *) self + keys[i].offset));
  gsize length;
  g_autofree char *text = g_key_file_to_data (file, &length, NULL);
  if (!sluice_file_make_folder (path, &error)
      || !sluice_file_put ("calibration", path, text, length, &error))
    tell_not_kept (error);
}

gboolean
sluice_calibration_get (const char *folder,
                        SluiceCalibration *self,
                        GCancellable *cancellable,
                        GError **error)
{
  g_autofree char *own = g_build_filename (g_get_user_cache_dir (), "sluice", NULL);
  g_autofree char *path = g_build_filename (folder != NULL ? folder : own, FILE_NAME, NULL);
  g_autofree char *group = sluice_dup_machine_key ();
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL);
  if (load (file, group, self))
    return TRUE;
  if (!calibrate (self, cancellable, error))
    return FALSE;
  keep (file, group, path, self);
  return TRUE;
}

double
sluice_calibration_get_seconds (const SluiceCalibration *self, const GArray *calls)
{
  double seconds = self->step_seconds;
  for (guint i = 0; i < calls->len; i++)
    {
      const SluiceForecastCall *call = &g_array_index (calls, SluiceForecastCall, i);
      double work = call->cost.flops / self->flops_per_second;
      double traffic = call->cost.bytes / self->bytes_per_second;
      double elements = call->ns * 1e-9 / sluice_pool_get_threads ();
      seconds += self->call_seconds + fmax (work, fmax (traffic, elements));
    }
  return seconds;
}

double
sluice_calibration_get_step_us (const SluiceCalibration *self, const GArray *calls, double *spread)
{
  double us = 1e6 * STEP_FACTOR * sluice_calibration_get_seconds (self, calls);
  *spread = MODEL_SPREAD * us;
  return us;
}

void
sluice_calibration_set_speed (const SluiceCalibration *self, SluiceMachine *machine)
{
  for (guint i = 0; i < machine->n_devices; i++)
    {
      SluiceMachineDevice *device = &machine->devices[i];
      const char *kernels = sluice_device_class_get_kernel_type (device->device->klass);
      if (!device->is_here || !g_str_equal (kernels, "CPU"))
        continue;
      device->flops_per_us = self->flops_per_second * 1e-6;
      device->bytes_per_us = self->bytes_per_second * 1e-6;
      device->overhead_us = self->call_seconds * 1e6;
    }
}
