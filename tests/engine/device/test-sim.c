/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/sent.h"
#include "engine/device/sim.h"

#include <string.h>

static SluiceDevice *
open_sim (const char *options)
{
  GError *error = NULL;
  SluiceDevice *device = sluice_device_new_of_kind (NULL, &sluice_sim_kind, 0, 0, options, &error);
  g_assert_no_error (error);
  g_assert_nonnull (device);
  return device;
}

static SluiceTensor *
new_floats (SluiceDevice *device, gint64 n)
{
  SluiceTensor *tensor = sluice_tensor_new (device != NULL ? device->allocator : NULL, SLUICE_FLOAT,
                                            &SLUICE_SHAPE (n), SLUICE_OWNER_NONE);
  g_assert_nonnull (tensor);
  return tensor;
}

typedef struct
{
  SluiceDevice *device;
  SluiceTensor *far, *near;
} Job;

static void
copy_in (gpointer data)
{
  const Job *job = data;
  job->device->klass->queues->copy (job->device, SLUICE_QUEUE_IN, SLUICE_COPY_IN, job->far->data,
                                    job->near->data, sluice_tensor_bytes (job->near));
}

static void
copy_out (gpointer data)
{
  const Job *job = data;
  job->device->klass->queues->copy (job->device, SLUICE_QUEUE_OUT, SLUICE_COPY_OUT, job->near->data,
                                    job->far->data, sluice_tensor_bytes (job->near));
}

static void
add_one (gpointer data)
{
  const Job *job = data;
  for (gint64 i = 0; i < job->far->n_elements; i++)
    ((float *) job->far->data)[i] += 1;
}

/* In, a kernel, out: the host waits once. */
static void
test_way (gconstpointer options)
{
  SluiceDevice *device = open_sim (options);
  const SluiceDeviceQueues *queues = device->klass->queues;
  g_autoptr (SluiceTensor) far_tensor = new_floats (device, 1000);
  g_autoptr (SluiceTensor) near_tensor = new_floats (NULL, 1000);
  Job job = { device, far_tensor, near_tensor };
  for (guint i = 0; i < 1000; i++)
    ((float *) near_tensor->data)[i] = (float) i;
  queues->enqueue (device, SLUICE_QUEUE_IN, copy_in, &job);
  queues->wait_in_queue (device, SLUICE_QUEUE_COMPUTE, queues->record (device, SLUICE_QUEUE_IN));
  queues->enqueue (device, SLUICE_QUEUE_COMPUTE, add_one, &job);
  queues->enqueue (device, SLUICE_QUEUE_COMPUTE, add_one, &job);
  queues->wait_in_queue (device, SLUICE_QUEUE_OUT, queues->record (device, SLUICE_QUEUE_COMPUTE));
  queues->enqueue (device, SLUICE_QUEUE_OUT, copy_out, &job);
  SluiceDeviceEvent end = queues->record (device, SLUICE_QUEUE_OUT);
  queues->wait (device, end);
  g_assert_true (queues->has_passed (device, end));
  for (guint i = 0; i < 1000; i++)
    g_assert_cmpfloat (((float *) near_tensor->data)[i], ==, (float) i + 2);
  g_assert_true (queues->synchronize (device, NULL));
  sluice_device_free (device); /* the tensor keeps its memory */
}

/* Whoever touches the memory from elsewhere ends the program. */
static void
test_touch (void)
{
  if (g_test_subprocess ())
    {
      SluiceDevice *device = open_sim (NULL);
      SluiceTensor *tensor = new_floats (device, 10);
      Job job = { device, tensor, NULL };
      device->klass->queues->enqueue (device, SLUICE_QUEUE_COMPUTE, add_one, &job);
      device->klass->queues->synchronize (device, NULL);
      g_printerr ("touched: %g\n", ((float *) tensor->data)[0]);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr_unmatched ("*touched*");
}

static void
test_memory (void)
{
  SluiceDevice *device = open_sim ("memory=1M");
  g_assert_cmpuint (sluice_allocator_get_limit (device->allocator), ==, 1 << 20);
  for (guint round = 0; round < 100; round++) /* what is given back is used again */
    {
      g_autoptr (SluiceTensor) large = new_floats (device, 150000 + 16 * round);
      g_autoptr (SluiceTensor) small = new_floats (device, round);
      GError *error = NULL;
      g_assert_null (sluice_tensor_new_checked (device->allocator, SLUICE_FLOAT,
                                                &SLUICE_SHAPE (150000), SLUICE_OWNER_NONE, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
      g_assert_nonnull (strstr (error->message, "SIM:0"));
      g_clear_error (&error);
    }
  sluice_device_free (device);
}

typedef struct
{
  SluiceDevice *device;
  SluiceTensor *near;
  float sum;
} Sum;

static void
add_sent (gpointer data)
{
  Sum *self = data;
  g_autoptr (SluiceTensor) far = sluice_device_dup_sent (self->device, self->near);
  for (gint64 i = 0; far != NULL && i < far->n_elements; i++)
    self->sum += ((const float *) far->data)[i];
}

/* A value goes there once, whoever sends it, and is there until all of them let go. */
static void
test_sent (void)
{
  SluiceDevice *device = open_sim ("bandwidth=100M");
  const SluiceDeviceQueues *queues = device->klass->queues;
  g_autoptr (SluiceTensor) near = new_floats (NULL, 1000);
  for (guint i = 0; i < 1000; i++)
    ((float *) near->data)[i] = 2;
  SluiceMemoryStats stats;
  GArray *early = sluice_sent_new (), *now = sluice_sent_new ();
  sluice_sent_add (early, device, near, 0, FALSE);
  SluiceDeviceEvent first = queues->record (device, SLUICE_QUEUE_IN);
  sluice_sent_add (now, device, near, 0, TRUE);
  g_assert_cmpuint (queues->record (device, SLUICE_QUEUE_IN).number, ==, first.number);
  Sum sum = { device, near, 0 };
  queues->enqueue (device, SLUICE_QUEUE_COMPUTE, add_sent, &sum);
  g_array_unref (early);
  queues->wait (device, queues->record (device, SLUICE_QUEUE_COMPUTE));
  g_assert_cmpfloat (sum.sum, ==, 2000);
  g_array_set_size (now, 0);
  g_assert_null (sluice_device_dup_sent (device, near));
  g_array_unref (now);
  g_assert_true (queues->synchronize (device, NULL));
  sluice_allocator_get_stats (device->allocator, &stats);
  g_assert_cmpuint (stats.live_bytes, ==, 0);
  sluice_device_free (device);
}

/* What is not needed yet leaves the room that was needed before. */
static void
test_sent_without_room (void)
{
  SluiceDevice *device = open_sim ("memory=1M");
  g_autoptr (SluiceTensor) near = new_floats (NULL, 100000);
  SluiceTensor *peak = new_floats (device, 200000);
  sluice_tensor_unref (peak);
  g_autoptr (GArray) sent = sluice_sent_new ();
  sluice_sent_add (sent, device, near, 0, FALSE);
  g_assert_cmpuint (sent->len, ==, 0);
  g_assert_null (sluice_device_dup_sent (device, near));
  sluice_sent_add (sent, device, near, 0, TRUE);
  g_assert_cmpuint (sent->len, ==, 1);
  g_array_set_size (sent, 0);
  sluice_device_free (device);
}

static void
test_options (void)
{
  SluiceSimOptions options;
  GError *error = NULL;
  g_assert_true (sluice_sim_options_parse (&options, NULL, NULL));
  g_assert_cmpfloat (options.speed, ==, 1);
  g_assert_true (sluice_sim_options_parse (
      &options, "latency=2ms, memory=64M,bandwidth=10G ,speed=0.25", &error));
  g_assert_no_error (error);
  g_assert_cmpint (options.latency_us, ==, 2000);
  g_assert_cmpuint (options.memory_bytes, ==, 64 << 20);
  g_assert_cmpfloat (options.bytes_a_second, ==, 10 * 1024.0 * 1024 * 1024);
  g_assert_cmpfloat (options.speed, ==, 0.25);
  static const char *const wrong[] = { "latency",        "latency=",     "latency=5",
                                       "latency=61s",    "latency=-1us", "latency=nans",
                                       "latency=1e300s", "speed=2",      "speed=0",
                                       "speed=nan",      "memory=x",     "bandwidth=0",
                                       "colour=red",     "speed=1,," };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_false (sluice_sim_options_parse (&options, wrong[i], &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/device/sim/way", NULL, test_way);
  g_test_add_data_func ("/device/sim/slow-way", "latency=1ms,bandwidth=100M,speed=0.5,memory=1M",
                        test_way);
  g_test_add_func ("/device/sim/touch", test_touch);
  g_test_add_func ("/device/sim/memory", test_memory);
  g_test_add_func ("/device/sim/sent", test_sent);
  g_test_add_func ("/device/sim/sent-without-room", test_sent_without_room);
  g_test_add_func ("/device/sim/options", test_options);
  return g_test_run ();
}
