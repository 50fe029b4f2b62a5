/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Values that leave a device's memory and come back, whatever happens to them on the way. */
#include "engine/device/swap.h"

#include <glib/gstdio.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "engine/device/sim.h"

#define LIMIT    ((gsize) 4 << 20)
#define N_FLOATS 16384 /* 64 KiB */
#define OWNER    ((SluiceOwner){ 1, SLUICE_MEMORY_STACK })

typedef struct
{
  SluiceDevice *device;
  SluiceSwap *swap;
} Fixture;

static void
fixture_init (Fixture *f, const char *folder)
{
  f->device = sluice_device_new_cpu (NULL, 0, LIMIT, folder);
  f->swap = f->device->swap;
}

static SluiceSwapStats
stats_of (Fixture *f)
{
  SluiceSwapStats stats;
  sluice_swap_get_stats (f->swap, &stats);
  return stats;
}

typedef void (*Begin) (Fixture *f);

static void
fixture_init_near (Fixture *f)
{
  fixture_init (f, NULL);
}

/* With memory of its own, of which the values go to the host's. */
static void
fixture_init_far (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  f->device =
      sluice_device_new_of_kind (NULL, &sluice_sim_kind, 0, 0, "memory=4M,bandwidth=4G", &error);
  g_assert_no_error (error);
  f->swap = f->device->swap;
}

/* (nullable) */
static SluiceTensor *
new_value (Fixture *f, int number)
{
  const gboolean is_far = f->device->klass->queues != NULL;
  SluiceTensor *value = sluice_tensor_new (is_far ? NULL : f->device->allocator, SLUICE_FLOAT,
                                           &SLUICE_SHAPE (N_FLOATS), OWNER);
  for (int i = 0; value && i < N_FLOATS; i++)
    ((float *) value->data)[i] = (float) (number * 1000 + i % 997);
  if (!is_far || !value)
    return value;
  SluiceTensor *there = sluice_device_copy_in (f->device, value, OWNER, NULL);
  sluice_tensor_unref (value);
  return there;
}

static void
check_value (SluiceTensor *there, int number)
{
  g_autoptr (SluiceTensor) value = there ? sluice_tensor_dup_near (there, NULL, NULL) : NULL;
  g_assert_nonnull (value);
  g_assert_cmpint (value->n_elements, ==, N_FLOATS);
  for (int i = 0; i < N_FLOATS; i++)
    g_assert_cmpfloat (((const float *) value->data)[i], ==, (float) (number * 1000 + i % 997));
}

/* As a stack: keeps n values, then nothing else holds them. Stops where memory ends. */
static GPtrArray *
keep_values (Fixture *f, int n)
{
  GPtrArray *kept = g_ptr_array_new ();
  for (int i = 0; i < n; i++)
    {
      g_autoptr (SluiceTensor) value = new_value (f, i);
      if (!value)
        break;
      g_ptr_array_add (kept, sluice_swap_keep (f->swap, value, OWNER));
    }
  return kept;
}

static void
drop_all (GPtrArray *kept)
{
  for (guint i = 0; i < kept->len; i++)
    sluice_swapped_drop (kept->pdata[i]);
}

/* What somebody waits for. */
typedef struct
{
  pthread_mutex_t lock;
  pthread_cond_t changed;
  gboolean is_there;
  SluiceTensor *value;
  GError *error;
} Waiter;

static void
on_ready (gpointer data, SluiceTensor *value, GError *error)
{
  Waiter *self = data;
  pthread_mutex_lock (&self->lock);
  self->is_there = TRUE;
  self->value = value;
  self->error = error;
  pthread_cond_signal (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/* (transfer full) (nullable) */
static SluiceTensor *
take (SluiceSwapped *kept, GError **error)
{
  SluiceTensor *now = sluice_swapped_take_now (kept);
  if (now)
    return now;
  Waiter waiter = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER };
  sluice_swapped_take (kept, on_ready, &waiter);
  pthread_mutex_lock (&waiter.lock);
  while (!waiter.is_there)
    pthread_cond_wait (&waiter.changed, &waiter.lock);
  pthread_mutex_unlock (&waiter.lock);
  if (waiter.error)
    g_propagate_error (error, waiter.error);
  return waiter.value;
}

/* Three times what fits goes in and comes back in the reverse order, twice. */
static void
test_there_and_back (gconstpointer begin)
{
  Fixture f;
  ((Begin) begin) (&f);
  for (int round = 0; round < 2; round++)
    {
      g_autoptr (GPtrArray) kept = keep_values (&f, 192);
      g_assert_cmpuint (kept->len, ==, 192);
      g_assert_cmpuint (stats_of (&f).bytes_out, >=, 2 * LIMIT);
      for (int i = 191; i >= 0; i--)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (SluiceTensor) value = take (kept->pdata[i], &error);
          g_assert_no_error (error);
          check_value (value, i);
        }
      g_assert_cmpuint (stats_of (&f).bytes_out, ==, 0);
    }
  SluiceMemoryStats stats;
  sluice_allocator_get_stats (f.device->allocator, &stats);
  g_assert_cmpuint (stats.peak_bytes, <=, LIMIT);
  g_assert_cmpuint (stats_of (&f).n_read_ahead, >, 0);
  sluice_device_free (f.device);
}

/* In no order that helps, and many are not wanted any more. */
static void
test_any_order (gconstpointer begin)
{
  Fixture f;
  ((Begin) begin) (&f);
  g_autoptr (GPtrArray) kept = keep_values (&f, 150);
  for (int k = 0; k < 150; k++)
    {
      int i = k * 67 % 150;
      if (k % 3 == 0)
        {
          sluice_swapped_drop (kept->pdata[i]);
          continue;
        }
      g_autoptr (SluiceTensor) value = take (kept->pdata[i], NULL);
      check_value (value, i);
    }
  g_assert_cmpuint (stats_of (&f).bytes_out, ==, 0);
  sluice_device_free (f.device);
}

/* Memory that others hold too would not come free: it stays, until they let go of it; far from the
 * host it leaves by itself, however much of it there is. */
static void
test_shared (gconstpointer begin)
{
  Fixture f;
  ((Begin) begin) (&f);
  g_autoptr (GPtrArray) others =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tensor_unref);
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();
  const guint enough = 3 * LIMIT / (N_FLOATS * sizeof (float));
  for (SluiceTensor *value;
       kept->len < enough && (value = new_value (&f, (int) kept->len)) != NULL;)
    {
      g_ptr_array_add (others, value);
      g_ptr_array_add (kept, sluice_swap_keep (f.swap, value, OWNER));
    }
  const gboolean is_far = f.device->klass->queues != NULL;
  g_assert_true (is_far ? kept->len == enough : kept->len < enough);
  g_assert_cmpuint (stats_of (&f).n_written, ==, 0);
  g_ptr_array_set_size (others, 0);
  g_autoptr (GPtrArray) more = keep_values (&f, 30);
  g_assert_cmpuint (more->len, ==, 30);
  /* Two values of one buffer: it goes when both have gone. */
  g_autoptr (SluiceTensor) twice = new_value (&f, 99);
  SluiceSwapped *a = sluice_swap_keep (f.swap, twice, OWNER);
  SluiceSwapped *b = sluice_swap_keep (f.swap, twice, OWNER);
  g_clear_pointer (&twice, sluice_tensor_unref);
  g_autoptr (GPtrArray) last = keep_values (&f, 70);
  g_assert_cmpuint (last->len, ==, 70);
  drop_all (last);
  g_autoptr (SluiceTensor) first = take (a, NULL);
  g_autoptr (SluiceTensor) second = take (b, NULL);
  check_value (first, 99);
  check_value (second, 99);
  drop_all (more);
  for (guint i = kept->len; i-- > 0;)
    {
      g_autoptr (SluiceTensor) value = take (kept->pdata[i], NULL);
      check_value (value, (int) i);
    }
  sluice_device_free (f.device);
}

/* The message of the allocation that fails when nothing more can leave. */
static void
check_shortage (Fixture *f, const char *folder, const char *reason)
{
  g_autoptr (GPtrArray) kept = keep_values (f, 200);
  g_assert_cmpuint (kept->len, >=, 40);
  g_assert_cmpuint (kept->len, <, 200);
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_tensor_new_checked (f->device->allocator, SLUICE_FLOAT,
                                            &SLUICE_SHAPE (N_FLOATS), OWNER, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  g_assert_nonnull (strstr (error->message, folder));
  g_assert_nonnull (strstr (error->message, reason));
  g_assert_nonnull (strstr (error->message, "node 1 (stack)"));
  for (guint i = kept->len; i-- > 0;)
    {
      g_autoptr (SluiceTensor) value = take (kept->pdata[i], NULL);
      check_value (value, (int) i);
    }
}

static void
test_no_folder (void)
{
  Fixture f;
  fixture_init (&f, "/nowhere/at/all");
  check_shortage (&f, "/nowhere/at/all", g_strerror (ENOENT));
  sluice_device_free (f.device);
}

/* A disk that is full after a few values: here the largest size of a file. */
static void
test_full_disk (void)
{
  struct rlimit old, few;
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &old), ==, 0);
  few = old;
  few.rlim_cur = 10 * N_FLOATS * sizeof (float);
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &few), ==, 0);
  Fixture f;
  fixture_init (&f, NULL);
  check_shortage (&f, g_get_tmp_dir (), g_strerror (EFBIG));
  g_assert_cmpuint (stats_of (&f).n_written, ==, 10);
  sluice_device_free (f.device);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &old), ==, 0);
  signal (SIGXFSZ, SIG_DFL);
}

/* Whoever waits is called once, or cancels. */
static void
test_cancel (void)
{
  Fixture f;
  fixture_init (&f, NULL);
  guint n_cancelled = 0;
  for (int round = 0; round < 20; round++)
    {
      g_autoptr (GPtrArray) kept = keep_values (&f, 100);
      Waiter waiter = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER };
      sluice_swapped_take (kept->pdata[0], on_ready, &waiter);
      gboolean was_cancelled = sluice_swap_cancel (f.swap, &waiter);
      pthread_mutex_lock (&waiter.lock);
      while (!was_cancelled && !waiter.is_there)
        pthread_cond_wait (&waiter.changed, &waiter.lock);
      pthread_mutex_unlock (&waiter.lock);
      g_assert_true (was_cancelled != waiter.is_there);
      g_clear_pointer (&waiter.value, sluice_tensor_unref);
      n_cancelled += was_cancelled;
      for (guint i = 1; i < kept->len; i++)
        sluice_swapped_drop (kept->pdata[i]);
    }
  g_test_message ("%u of 20 cancelled", n_cancelled);
  sluice_device_free (f.device);
}

/* A handle may outlive the session that kept the value. */
static void
test_closed (void)
{
  Fixture f;
  fixture_init (&f, NULL);
  g_autoptr (GPtrArray) kept = keep_values (&f, 150);
  sluice_device_free (f.device);
  g_autoptr (GError) error = NULL;
  g_assert_null (take (kept->pdata[0], &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_autoptr (SluiceTensor) newest = take (kept->pdata[149], NULL);
  check_value (newest, 149);
  for (guint i = 1; i < 149; i++)
    sluice_swapped_drop (kept->pdata[i]);
}

static void
test_accepts (void)
{
  Fixture f;
  fixture_init (&f, NULL);
  g_autoptr (SluiceTensor) small = sluice_tensor_new_float (1);
  g_autoptr (SluiceTensor) text = sluice_tensor_new_zeros (SLUICE_STRING, &SLUICE_SHAPE (1000));
  g_autoptr (SluiceTensor) large = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (1000));
  g_assert_false (sluice_swap_accepts (f.swap, small));
  g_assert_false (sluice_swap_accepts (f.swap, text));
  g_assert_true (sluice_swap_accepts (f.swap, large));
  g_autoptr (GError) error = NULL;
  SluiceDevice *sim = sluice_device_new_of_kind (NULL, &sluice_sim_kind, 0, 0, "memory=4M", &error);
  g_assert_no_error (error);
  g_assert_false (sluice_swap_accepts (sim->swap, large)); /* it lies with the host already */
  sluice_device_free (sim);
  sluice_device_free (f.device);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/device/swap/there-and-back", fixture_init_near, test_there_and_back);
  g_test_add_data_func ("/device/swap/there-and-back-of-far", fixture_init_far,
                        test_there_and_back);
  g_test_add_data_func ("/device/swap/any-order", fixture_init_near, test_any_order);
  g_test_add_data_func ("/device/swap/any-order-of-far", fixture_init_far, test_any_order);
  g_test_add_data_func ("/device/swap/shared", fixture_init_near, test_shared);
  g_test_add_data_func ("/device/swap/shared-of-far", fixture_init_far, test_shared);
  g_test_add_func ("/device/swap/no-folder", test_no_folder);
  g_test_add_func ("/device/swap/full-disk", test_full_disk);
  g_test_add_func ("/device/swap/cancel", test_cancel);
  g_test_add_func ("/device/swap/closed", test_closed);
  g_test_add_func ("/device/swap/accepts", test_accepts);
  return g_test_run ();
}
