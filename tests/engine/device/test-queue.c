/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/queue.h"

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
  SluiceQueue *queue = sluice_queue_new ("the test", NULL);
  SluiceQueueMoment begin = sluice_queue_get_moment (queue);
  g_assert_true (sluice_queue_has_passed (begin));
  for (guint i = 0; i < N; i++)
    sluice_queue_push (queue, take_down, &note);
  SluiceQueueMoment end = sluice_queue_get_moment (queue);
  sluice_queue_wait (end);
  g_assert_true (sluice_queue_has_passed (end));
  g_assert_cmpuint (note.n_seen, ==, N);
  for (guint i = 0; i < N; i++)
    g_assert_cmpuint (seen[i], ==, i);
  /* What is left is done before the queue goes. */
  sluice_queue_push (queue, take_down, &(Note){ 0, 0, seen });
  Note last = { 7, 0, seen };
  sluice_queue_push (queue, take_down, &last);
  sluice_queue_free (queue);
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

/* One queue waits for another, which is held up. */
static void
test_wait_in_queue (void)
{
  Gate gate = { .value = 0 };
  g_mutex_init (&gate.lock);
  SluiceQueue *a = sluice_queue_new ("the test", NULL), *b = sluice_queue_new ("the test", NULL);
  g_mutex_lock (&gate.lock);
  sluice_queue_push (a, pass_gate, &gate);
  SluiceQueueMoment passed = sluice_queue_get_moment (a);
  sluice_queue_push_wait (b, passed);
  sluice_queue_push (b, look_at_gate, &gate);
  SluiceQueueMoment end = sluice_queue_get_moment (b);
  g_assert_false (sluice_queue_has_passed (passed));
  g_assert_false (sluice_queue_has_passed (end));
  g_mutex_unlock (&gate.lock);
  sluice_queue_wait (end);
  g_assert_cmpint (gate.value, ==, 2);
  g_assert_true (sluice_queue_has_passed (passed));
  sluice_queue_push_wait (b, passed); /* nothing to wait for */
  g_assert_true (sluice_queue_has_passed (sluice_queue_get_moment (b)));
  sluice_queue_free (b);
  sluice_queue_free (a);
  g_mutex_clear (&gate.lock);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device/queue/order", test_order);
  g_test_add_func ("/device/queue/wait-in-queue", test_wait_in_queue);
  return g_test_run ();
}
