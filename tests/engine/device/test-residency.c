/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Values of a device that has too little memory for them: they leave it and come back, whoever asks
 * and whatever runs. */
#include "engine/base/residency.h"

#include <pthread.h>
#include <string.h>

#include "engine/base/thread.h"
#include "engine/device/sim.h"

#define N_FLOATS 4096 /* 16 KiB */
#define LIMIT    (8 * N_FLOATS * sizeof (float))
#define OWNER    ((SluiceOwner){ 1, SLUICE_MEMORY_ACTIVATION })

static SluiceDevice *
open_tight (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *options = g_strdup_printf ("memory=%zu", LIMIT);
  SluiceDevice *device = sluice_device_new_of_kind (NULL, &sluice_sim_kind, 0, 0, options, &error);
  g_assert_no_error (error);
  g_assert_nonnull (device->residency);
  return device;
}

static float
get_element (guint number, gint64 i)
{
  return (float) (number * 100 + (guint) (i % 97));
}

static SluiceTensor *
new_value (SluiceDevice *device, guint number)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) near =
      sluice_tensor_new (NULL, SLUICE_FLOAT, &SLUICE_SHAPE (N_FLOATS), OWNER);
  for (gint64 i = 0; i < N_FLOATS; i++)
    ((float *) near->data)[i] = get_element (number, i);
  SluiceTensor *far = sluice_device_copy_in (device, near, OWNER, &error);
  g_assert_no_error (error);
  return far;
}

static GPtrArray *
new_values (SluiceDevice *device, guint n)
{
  GPtrArray *values = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tensor_unref);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (values, new_value (device, i));
  return values;
}

static void
check_value (SluiceTensor *far, guint number, float more)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) near = sluice_tensor_dup_near (far, NULL, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < near->n_elements; i++)
    g_assert_cmpfloat (((const float *) near->data)[i], ==, get_element (number, i) + more);
}

static SluiceResidencyStats
stats_of (SluiceDevice *device)
{
  SluiceResidencyStats stats;
  sluice_residency_get_stats (device->residency, &stats);
  return stats;
}

/* Adds one to each of some values, on the device. */
typedef struct
{
  SluiceDevice *device;
  SluiceTensor **values;
  guint n;
  GError *error;
} Job;

static void
add_one (gpointer data)
{
  Job *job = data;
  sluice_residency_begin (job->device->residency);
  if (sluice_residency_need (job->device->residency, job->values, job->n, &job->error))
    for (guint k = 0; k < job->n; k++)
      for (gint64 i = 0; i < job->values[k]->n_elements; i++)
        ((float *) job->values[k]->data)[i] += 1;
  sluice_residency_end (job->device->residency);
}

static void
run (Job *job)
{
  const SluiceDeviceQueues *queues = job->device->klass->queues;
  g_assert_true (queues->enqueue (job->device, SLUICE_QUEUE_COMPUTE, add_one, job));
  queues->wait (job->device, queues->record (job->device, SLUICE_QUEUE_COMPUTE));
}

/* Five times what there is, and half of it after a kernel. */
static void
test_there_and_back (void)
{
  const guint n = 40;
  SluiceDevice *device = open_tight ();
  g_autoptr (GPtrArray) values = new_values (device, n);
  g_autofree void **addresses = g_new (void *, n);
  for (guint i = 0; i < n; i++)
    addresses[i] = ((SluiceTensor *) values->pdata[i])->data;
  g_assert_cmpuint (stats_of (device).n_out, >=, n - 8);
  for (guint i = 0; i < n; i++)
    check_value (values->pdata[i], i, 0);
  for (guint i = 0; i + 2 < n; i += 4)
    {
      Job job = { device, (SluiceTensor **) &values->pdata[i], 2 };
      run (&job);
      g_assert_no_error (job.error);
    }
  g_assert_cmpuint (stats_of (device).n_back, >, 0);
  for (guint i = 0; i < n; i++)
    {
      check_value (values->pdata[i], i, i % 4 < 2 && i + 2 < n + i % 4 ? 1 : 0);
      g_assert_true (((SluiceTensor *) values->pdata[i])->data == addresses[i]);
    }
  SluiceMemoryStats memory;
  sluice_allocator_get_stats (device->allocator, &memory);
  g_assert_cmpuint (memory.peak_bytes, <=, LIMIT);
  g_ptr_array_set_size (values, 0);
  g_assert_cmpuint (stats_of (device).bytes_away, ==, 0);
  sluice_device_free (device);
}

/* Views of what is away come back with it, and two of one buffer are one. */
static void
test_views (void)
{
  SluiceDevice *device = open_tight ();
  g_autoptr (SluiceTensor) whole = new_value (device, 7);
  g_autoptr (SluiceTensor) half =
      sluice_tensor_new_view (whole, &SLUICE_SHAPE (N_FLOATS / 2), N_FLOATS / 2);
  g_autoptr (GPtrArray) others = new_values (device, 20);
  g_assert_true (sluice_residency_is_away (half->buffer));
  g_autoptr (SluiceTensor) near = sluice_tensor_dup_near (half, NULL, NULL);
  g_assert_cmpfloat (((const float *) near->data)[3], ==, get_element (7, N_FLOATS / 2 + 3));
  SluiceTensor *both[] = { whole, half };
  Job job = { device, both, 2 };
  run (&job);
  g_assert_no_error (job.error);
  g_clear_pointer (&near, sluice_tensor_unref);
  near = sluice_tensor_dup_near (whole, NULL, NULL);
  g_assert_cmpfloat (((const float *) near->data)[3], ==, get_element (7, 3) + 1);
  g_assert_cmpfloat (((const float *) near->data)[N_FLOATS / 2 + 3], ==,
                     get_element (7, N_FLOATS / 2 + 3) + 2);
  g_ptr_array_set_size (others, 0);
  g_clear_pointer (&whole, sluice_tensor_unref);
  g_clear_pointer (&half, sluice_tensor_unref);
  sluice_device_free (device);
}

/* What a kernel needs at once must fit; nothing is lost where it does not. */
static void
test_too_much (void)
{
  SluiceDevice *device = open_tight ();
  g_autoptr (GPtrArray) values = new_values (device, 12);
  Job all = { device, (SluiceTensor **) values->pdata, 8 };
  run (&all);
  g_assert_no_error (all.error);
  all.n = 9;
  run (&all);
  g_assert_error (all.error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  g_assert_nonnull (strstr (all.error->message, "SIM:0"));
  g_assert_nonnull (strstr (all.error->message, "128.0"));
  g_assert_nonnull (strstr (all.error->message, "144.0"));
  g_clear_error (&all.error);
  for (guint i = 0; i < values->len; i++)
    check_value (values->pdata[i], i, i < 8 ? 1 : 0);
  g_ptr_array_set_size (values, 0);
  sluice_device_free (device);
}

/* What has left may outlive the device: it can be dropped. */
static void
test_closed (void)
{
  SluiceDevice *device = open_tight ();
  g_autoptr (GPtrArray) values = new_values (device, 20);
  sluice_device_free (device);
  g_ptr_array_set_size (values, 0);
}

/* ---- many at once ---- */

#define N_THREADS 3
#define N_ROUNDS  60

typedef struct
{
  SluiceDevice *device;
  guint number;
  pthread_t thread;
} Host;

/* Makes values, computes with some, reads and drops them. */
static void *
make_and_drop (gpointer data)
{
  Host *self = data;
  GRand *lots = g_rand_new_with_seed (self->number);
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      g_autoptr (GPtrArray) values = new_values (self->device, 4);
      guint first = (guint) g_rand_int_range (lots, 0, 3);
      Job job = { self->device, (SluiceTensor **) &values->pdata[first], 2 };
      run (&job);
      g_assert_no_error (job.error);
      for (guint i = 0; i < values->len; i++)
        if (g_rand_boolean (lots))
          check_value (values->pdata[i], i, i - first < 2 ? 1 : 0);
    }
  g_rand_free (lots);
  return NULL;
}

static void
test_many (void)
{
  Host hosts[N_THREADS];
  SluiceDevice *device = open_tight ();
  g_autoptr (GPtrArray) kept = new_values (device, 6);
  for (guint i = 0; i < N_THREADS; i++)
    {
      g_autoptr (GError) error = NULL;
      hosts[i] = (Host){ device, i };
      sluice_thread_start (&hosts[i].thread, make_and_drop, &hosts[i], "a test", NULL, &error);
      g_assert_no_error (error);
    }
  for (guint i = 0; i < N_THREADS; i++)
    pthread_join (hosts[i].thread, NULL);
  for (guint i = 0; i < kept->len; i++)
    check_value (kept->pdata[i], i, 0);
  g_assert_cmpuint (stats_of (device).n_failed, ==, 0);
  g_assert_cmpuint (stats_of (device).n_out, >, 0);
  g_ptr_array_set_size (kept, 0);
  sluice_device_free (device);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device/residency/there-and-back", test_there_and_back);
  g_test_add_func ("/device/residency/views", test_views);
  g_test_add_func ("/device/residency/too-much", test_too_much);
  g_test_add_func ("/device/residency/closed", test_closed);
  g_test_add_func ("/device/residency/many", test_many);
  return g_test_run ();
}
