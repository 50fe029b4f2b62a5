/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/device-thread.h"

#define N 1000

typedef struct
{
  guint at, n_seen;
  guint *seen; /* of at, as they came */
} Note;

static void
take_down (gpointer data)
{
  Note *note = data;
  note->seen[note->n_seen++] = note->at++;
}

static void
test_order (void)
{
  guint seen[N];
  Note note = { 0, 0, seen };
  SluiceDeviceThread *thread = sluice_device_thread_new ("the test", NULL);
  SluiceMoment begin = sluice_device_thread_get_moment (thread);
  g_assert_true (sluice_device_thread_has_passed (begin));
  for (guint i = 0; i < N; i++)
    sluice_device_thread_push (thread, take_down, &note);
  SluiceMoment end = sluice_device_thread_get_moment (thread);
  sluice_device_thread_wait (end);
  g_assert_true (sluice_device_thread_has_passed (end));
  g_assert_cmpuint (note.n_seen, ==, N);
  for (guint i = 0; i < N; i++)
    g_assert_cmpuint (seen[i], ==, i);
  /* What is left is done before the thread goes. */
  sluice_device_thread_push (thread, take_down, &(Note){ 0, 0, seen });
  Note last = { 7, 0, seen };
  sluice_device_thread_push (thread, take_down, &last);
  sluice_device_thread_free (thread);
  g_assert_cmpuint (last.n_seen, ==, 1);
  g_assert_cmpuint (seen[0], ==, 7);
}

typedef struct
{
  GMutex lock;
  int value;
} Gate;

static void
pass_gate (gpointer data)
{
  Gate *gate = data;
  g_mutex_lock (&gate->lock);
  gate->value = 1;
  g_mutex_unlock (&gate->lock);
}

static void
look_at_gate (gpointer data)
{
  Gate *gate = data;
  gate->value = gate->value == 1 ? 2 : -1;
}

/* One waits for another, which is held up. */
static void
test_wait_in_queue (void)
{
  Gate gate = { .value = 0 };
  g_mutex_init (&gate.lock);
  SluiceDeviceThread *a = sluice_device_thread_new ("the test", NULL),
                     *b = sluice_device_thread_new ("the test", NULL);
  g_mutex_lock (&gate.lock);
  sluice_device_thread_push (a, pass_gate, &gate);
  SluiceMoment passed = sluice_device_thread_get_moment (a);
  sluice_device_thread_push_wait (b, passed);
  sluice_device_thread_push (b, look_at_gate, &gate);
  SluiceMoment end = sluice_device_thread_get_moment (b);
  g_assert_false (sluice_device_thread_has_passed (passed));
  g_assert_false (sluice_device_thread_has_passed (end));
  g_mutex_unlock (&gate.lock);
  sluice_device_thread_wait (end);
  g_assert_cmpint (gate.value, ==, 2);
  g_assert_true (sluice_device_thread_has_passed (passed));
  sluice_device_thread_push_wait (b, passed); /* nothing to wait for */
  g_assert_true (sluice_device_thread_has_passed (sluice_device_thread_get_moment (b)));
  sluice_device_thread_free (b);
  sluice_device_thread_free (a);
  g_mutex_clear (&gate.lock);
}

/* A queue may go as soon as it has done all that stood in it, while another that waited for that
 * has not woken up yet. */
static void
test_goes_before_who_waits (void)
{
  for (guint i = 0; i < 500; i++)
    {
      guint seen;
      Note note = { i, 0, &seen };
      Gate gate = { .value = 0 };
      SluiceDeviceThread *first = sluice_device_thread_new ("the test", NULL),
                         *second = sluice_device_thread_new ("the test", NULL);
      g_mutex_init (&gate.lock);
      g_mutex_lock (&gate.lock);
      sluice_device_thread_push (first, pass_gate, &gate);
      sluice_device_thread_push_wait (second, sluice_device_thread_get_moment (first));
      sluice_device_thread_push (second, take_down, &note);
      g_mutex_unlock (&gate.lock);
      sluice_device_thread_free (first);
      sluice_device_thread_free (second);
      g_assert_cmpuint (note.n_seen, ==, 1);
      g_mutex_clear (&gate.lock);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device/device-thread/order", test_order);
  g_test_add_func ("/device/device-thread/wait-in-thread", test_wait_in_queue);
  g_test_add_func ("/device/device-thread/goes-before-who-waits", test_goes_before_who_waits);
  return g_test_run ();
}
