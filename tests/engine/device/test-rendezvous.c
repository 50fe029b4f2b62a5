/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The rendezvous: either side first, many threads, what an abort ends, and keys in both ways. */
#include <pthread.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/device/rendezvous.h"

#define HERE  "/job:localhost/replica:0/task:0/device:CPU:0"
#define THERE "/job:ps/replica:0/task:1/device:SIM:3"

static SluiceTransfer *
new_transfer (const char *edge)
{
  g_autoptr (GError) error = NULL;
  SluiceTransfer *transfer = sluice_transfer_new (HERE, 1, THERE, edge, &error);
  g_assert_no_error (error);
  return transfer;
}

/* A receive, and what became of it. */
typedef struct
{
  SluiceReceive parent;
  guint n_times;
  SluiceTensor *tensor;
  GError *error;
} Taken;

static void
take (SluiceReceive *receive, SluiceTensor *take_tensor, GError *take_error)
{
  Taken *taken = (Taken *) receive;
  taken->n_times++;
  taken->tensor = take_tensor;
  taken->error = take_error;
}

static void
taken_clear (Taken *self)
{
  g_clear_pointer (&self->tensor, sluice_tensor_unref);
  g_clear_error (&self->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Taken, taken_clear)
#define TAKEN                                                                                      \
  {                                                                                                \
    .parent.received = take                                                                        \
  }

static void
send_float (SluiceRendezvous *self, guint64 epoch, const SluiceTransferKey *key, float value)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_float (value);
  sluice_rendezvous_send (self, epoch, key, tensor, &error);
  g_assert_no_error (error);
}

static void
check_float (const Taken *taken, float value)
{
  g_assert_cmpuint (taken->n_times, ==, 1);
  g_assert_no_error (taken->error);
  g_assert_nonnull (taken->tensor);
  g_assert_cmpfloat (*(const float *) taken->tensor->data, ==, value);
}

static void
check_error (const Taken *taken, SluiceError code, const char *word)
{
  g_assert_cmpuint (taken->n_times, ==, 1);
  g_assert_null (taken->tensor);
  g_assert_error (taken->error, SLUICE_ERROR, (int) code);
  if (!strstr (taken->error->message, word))
    g_error ("'%s' does not say '%s'", taken->error->message, word);
}

static void
abort_with (SluiceRendezvous *self, guint64 epoch, const char *message)
{
  g_autoptr (GError) status = g_error_new_literal (SLUICE_ERROR, SLUICE_ERROR_ABORTED, message);
  sluice_rendezvous_abort (self, epoch, status);
}

static void
test_order (void)
{
  g_autoptr (SluiceRendezvous) self = sluice_rendezvous_new_local ();
  g_autoptr (SluiceTransfer) transfer = new_transfer ("x:0");
  g_autoptr (SluiceTransfer) same = new_transfer ("x:0"); /* the other side has its own */
  const SluiceTransferKey key = { transfer, 0, 0 }, again = { same, 0, 0 };
  for (int i = 0; i < 3; i++)
    {
      g_auto (Taken) early = TAKEN, late = TAKEN;
      send_float (self, 1, &key, 3);
      sluice_rendezvous_receive (self, 1, &again, &late.parent);
      check_float (&late, 3);
      sluice_rendezvous_receive (self, 1, &key, &early.parent);
      g_assert_cmpuint (early.n_times, ==, 0);
      send_float (self, 1, &again, 4);
      check_float (&early, 4);
    }
}

/* Frame, iteration and epoch are parts of the key; dead is a value like others. */
static void
test_apart (void)
{
  g_autoptr (SluiceRendezvous) self = sluice_rendezvous_new_local ();
  g_autoptr (SluiceTransfer) x = new_transfer ("x:0"), y = new_transfer ("y:0");
  const SluiceTransferKey keys[] = { { x, 0, 0 }, { x, 0, 1 }, { x, 1, 0 }, { y, 0, 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    for (guint64 epoch = 1; epoch < 3; epoch++)
      send_float (self, epoch, &keys[i], (float) (i * 10 + epoch));
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    for (guint64 epoch = 1; epoch < 3; epoch++)
      {
        g_auto (Taken) taken = TAKEN;
        sluice_rendezvous_receive (self, epoch, &keys[i], &taken.parent);
        check_float (&taken, (float) (i * 10 + epoch));
      }
  g_auto (Taken) dead = TAKEN;
  g_assert_true (sluice_rendezvous_send (self, 1, &keys[0], NULL, NULL));
  sluice_rendezvous_receive (self, 1, &keys[0], &dead.parent);
  g_assert_cmpuint (dead.n_times, ==, 1);
  g_assert_null (dead.tensor);
  g_assert_no_error (dead.error);
}

static void
test_twice (void)
{
  g_autoptr (SluiceRendezvous) self = sluice_rendezvous_new_local ();
  g_autoptr (SluiceTransfer) x = new_transfer ("x:0"), y = new_transfer ("y:0");
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_float (2);
  g_autoptr (GError) error = NULL;
  const SluiceTransferKey key = { x, 7, 8 }, other = { y, 0, 0 };
  send_float (self, 1, &key, 1);
  g_assert_false (sluice_rendezvous_send (self, 1, &key, tensor, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_ALREADY_EXISTS);
  g_assert_nonnull (strstr (error->message, "x:0;7:8"));
  g_assert_true (sluice_tensor_is_exclusive (tensor)); /* what was refused is not held */
  g_auto (Taken) first = TAKEN, second = TAKEN, taken = TAKEN;
  sluice_rendezvous_receive (self, 1, &key, &taken.parent);
  check_float (&taken, 1);
  sluice_rendezvous_receive (self, 1, &other, &first.parent);
  sluice_rendezvous_receive (self, 1, &other, &second.parent);
  check_error (&second, SLUICE_ERROR_ALREADY_EXISTS, "received twice");
  g_assert_cmpuint (first.n_times, ==, 0);
  send_float (self, 1, &other, 5);
  check_float (&first, 5);
}

/* Who waits in vain hears of what was sent under other keys in the same epoch. */
static void
test_words (void)
{
  g_autoptr (SluiceRendezvous) self = sluice_rendezvous_new_local ();
  g_autoptr (SluiceTransfer) x = new_transfer ("x:0"), y = new_transfer ("y:0");
  const SluiceTransferKey key = { x, 0, 3 }, other = { y, 0, 3 };
  g_auto (Taken) taken = TAKEN;
  g_assert_null (sluice_rendezvous_describe_wait (self, 1, &key));
  sluice_rendezvous_receive (self, 1, &key, &taken.parent);
  send_float (self, 2, &other, 1);
  g_autofree char *alone = sluice_rendezvous_describe_wait (self, 1, &key);
  g_assert_cmpstr (
      alone, ==, "'" HERE ";0000000000000001;" THERE ";x:0;0:3', which nothing in this run sends");
  send_float (self, 1, &other, 1);
  g_autofree char *beside = sluice_rendezvous_describe_wait (self, 1, &key);
  g_autofree char *both = g_strconcat (
      alone, " (sent, and received by nobody: '" HERE ";0000000000000001;" THERE ";y:0;0:3')",
      NULL);
  g_assert_cmpstr (beside, ==, both);
  g_assert_null (sluice_rendezvous_describe_wait (self, 1, &other));
  send_float (self, 1, &key, 2);
  check_float (&taken, 2);
  g_assert_null (sluice_rendezvous_describe_wait (self, 1, &key));
}

/* ---- aborts ---- */

#define N_ACTS 8

/* A step of four transfers: each is sent and received once, in an order of `order`. */
static void
act (SluiceRendezvous *self, guint64 epoch, SluiceTransfer *x, guint number, Taken *taken)
{
  const SluiceTransferKey key = { x, 0, number / 2 };
  const gboolean receives = (number ^ number >> 1) & 1; /* two of them receive first */
  if (receives)
    sluice_rendezvous_receive (self, epoch, &key, &taken[number / 2].parent);
  else
    {
      g_autoptr (SluiceTensor) tensor = sluice_tensor_new_float ((float) number);
      g_autoptr (GError) error = NULL;
      if (!sluice_rendezvous_send (self, epoch, &key, tensor, &error))
        g_assert_cmpstr (error->message, ==, "lost");
    }
}

/* Whatever had come to pass when it was aborted: each receive ends once, no value stays. */
static void
test_abort_at (void)
{
  g_autoptr (SluiceTransfer) x = new_transfer ("x:0");
  for (guint at = 0; at <= N_ACTS; at++)
    {
      g_autoptr (SluiceRendezvous) self = sluice_rendezvous_new_local ();
      Taken taken[N_ACTS / 2] = { TAKEN, TAKEN, TAKEN, TAKEN };
      for (guint i = 0; i < N_ACTS; i++)
        {
          if (i == at)
            abort_with (self, 3, "lost");
          act (self, 3, x, i, taken);
        }
      if (at == N_ACTS)
        abort_with (self, 3, "lost");
      for (guint i = 0; i < N_ACTS / 2; i++)
        {
          if (2 * i + 1 < at)
            g_assert_no_error (taken[i].error);
          else
            check_error (&taken[i], SLUICE_ERROR_ABORTED, "lost");
          g_assert_cmpuint (taken[i].n_times, ==, 1);
          taken_clear (&taken[i]);
        }
    }
}

/* An abort ends its epoch and those before, for late comers too; the next one goes on. */
static void
test_epochs (void)
{
  g_autoptr (SluiceRendezvous) self = sluice_rendezvous_new_local ();
  g_autoptr (SluiceTransfer) x = new_transfer ("x:0"), y = new_transfer ("y:0");
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_float (2);
  const SluiceTransferKey key = { x, 0, 0 }, other = { y, 0, 0 };
  g_auto (Taken) old = TAKEN, now = TAKEN, next = TAKEN, late = TAKEN, second = TAKEN;
  sluice_rendezvous_receive (self, 4, &key, &old.parent);
  sluice_rendezvous_receive (self, 5, &key, &now.parent);
  sluice_rendezvous_receive (self, 6, &key, &next.parent);
  g_assert_true (sluice_rendezvous_send (self, 5, &other, tensor, NULL));
  g_assert_false (sluice_tensor_is_exclusive (tensor));
  abort_with (self, 5, "worker 1 is gone");
  check_error (&old, SLUICE_ERROR_ABORTED, "worker 1");
  check_error (&now, SLUICE_ERROR_ABORTED, "worker 1");
  g_assert_cmpuint (next.n_times, ==, 0);
  g_assert_true (sluice_tensor_is_exclusive (tensor));
  g_autoptr (GError) error = NULL;
  g_assert_false (sluice_rendezvous_send (self, 5, &key, tensor, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_ABORTED);
  sluice_rendezvous_receive (self, 1, &key, &late.parent);
  check_error (&late, SLUICE_ERROR_ABORTED, "worker 1");
  abort_with (self, 5, "a second time");
  abort_with (self, 3, "an older one");
  sluice_rendezvous_receive (self, 5, &other, &second.parent);
  check_error (&second, SLUICE_ERROR_ABORTED, "worker 1");
  send_float (self, 6, &key, 6);
  check_float (&next, 6);
}

/* ---- threads ---- */

#define N_THREADS 4
#define N_KEYS    3000

typedef struct
{
  SluiceReceive parent;
  _Atomic guint n_times;
  _Atomic guint n_failed;
  float value;
} Slot;

typedef struct
{
  SluiceRendezvous *rendezvous;
  SluiceTransfer *transfer;
  Slot *slots;
  guint number;
  guint64 epoch;
} Side;

static void
fill_slot (SluiceReceive *receive, SluiceTensor *take_tensor, GError *take_error)
{
  Slot *slot = (Slot *) receive;
  if (take_error != NULL)
    {
      g_assert_error (take_error, SLUICE_ERROR, SLUICE_ERROR_ABORTED);
      g_error_free (take_error);
      atomic_fetch_add (&slot->n_failed, 1);
    }
  else
    {
      slot->value = *(const float *) take_tensor->data;
      sluice_tensor_unref (take_tensor);
    }
  atomic_fetch_add (&slot->n_times, 1);
}

/* Thread i takes the keys i, i + N_THREADS …, one side forwards and the other backwards. */
static void *
send_all (void *data)
{
  const Side *side = data;
  for (guint i = side->number; i < N_KEYS; i += N_THREADS)
    {
      const SluiceTransferKey key = { side->transfer, i % 3, i };
      g_autoptr (SluiceTensor) tensor = sluice_tensor_new_float ((float) i);
      g_autoptr (GError) error = NULL;
      if (!sluice_rendezvous_send (side->rendezvous, side->epoch, &key, tensor, &error))
        g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_ABORTED);
    }
  return NULL;
}

static void *
receive_all (void *data)
{
  const Side *side = data;
  for (guint i = N_KEYS; i-- > 0;)
    if (i % N_THREADS == side->number)
      {
        const SluiceTransferKey key = { side->transfer, i % 3, i };
        sluice_rendezvous_receive (side->rendezvous, side->epoch, &key, &side->slots[i].parent);
      }
  return NULL;
}

static void *
abort_once (void *data)
{
  const Side *side = data;
  abort_with (side->rendezvous, side->epoch, "in the middle");
  return NULL;
}

static void
run_threads (gboolean aborts)
{
  g_autoptr (SluiceRendezvous) self = sluice_rendezvous_new_local ();
  g_autoptr (SluiceTransfer) x = new_transfer ("x:0");
  for (guint64 epoch = 1; epoch <= 4; epoch++)
    {
      g_autofree Slot *slots = g_new0 (Slot, N_KEYS);
      Side sides[N_THREADS];
      pthread_t threads[2 * N_THREADS + 1];
      guint n = 0;
      for (guint i = 0; i < N_KEYS; i++)
        slots[i].parent.received = fill_slot;
      for (guint i = 0; i < N_THREADS; i++)
        {
          sides[i] = (Side){ self, x, slots, i, epoch };
          g_assert_cmpint (pthread_create (&threads[n++], NULL, send_all, &sides[i]), ==, 0);
          g_assert_cmpint (pthread_create (&threads[n++], NULL, receive_all, &sides[i]), ==, 0);
        }
      if (aborts)
        g_assert_cmpint (pthread_create (&threads[n++], NULL, abort_once, &sides[0]), ==, 0);
      for (guint i = 0; i < n; i++)
        pthread_join (threads[i], NULL);
      for (guint i = 0; i < N_KEYS; i++)
        {
          g_assert_cmpuint (slots[i].n_times, ==, 1);
          if (slots[i].n_failed == 0)
            g_assert_cmpfloat (slots[i].value, ==, (float) i);
          else
            g_assert_true (aborts);
        }
    }
}

static void
test_threads (void)
{
  run_threads (FALSE);
}

static void
test_threads_abort (void)
{
  run_threads (TRUE);
}

/* ---- keys ---- */

static void
test_keys (void)
{
  g_autoptr (SluiceTransfer) x = sluice_transfer_new (HERE, 0xabcdef, THERE, "w/read:0", NULL);
  g_autofree char *text = sluice_transfer_dup_key (x, 17, G_MAXUINT64);
  g_assert_cmpstr (text, ==, HERE ";0000000000abcdef;" THERE ";w/read:0;17:18446744073709551615");
  guint64 frame = 0, iteration = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTransfer) read = sluice_transfer_parse_key (text, &frame, &iteration, &error);
  g_assert_no_error (error);
  g_assert_true (sluice_transfer_equal (x, read));
  g_assert_cmpstr (read->send_device, ==, HERE);
  g_assert_cmpstr (read->recv_device, ==, THERE);
  g_assert_cmpstr (read->edge, ==, "w/read:0");
  g_assert_cmpuint (read->incarnation, ==, 0xabcdef);
  g_assert_cmpuint (frame, ==, 17);
  g_assert_cmpuint (iteration, ==, G_MAXUINT64);
}

static void
test_bad_keys (void)
{
  static const struct
  {
    const char *key, *word;
  } cases[] = {
    { "", "parts" },
    { "a;b;c;d", "4 parts" },
    { "/cpu:0;0000000000000001;/cpu:1;x;0:0;", "6 parts" },
    { "/cpu:;0000000000000001;/cpu:1;x;0:0", "send_device" },
    { "/cpu:0;0000000000000001;cpu 1;x;0:0", "recv_device" },
    { "/cpu:0;1;/cpu:1;x;0:0", "incarnation" },
    { "/cpu:0;000000000000000g;/cpu:1;x;0:0", "incarnation" },
    { "/cpu:0;000000000000000A;/cpu:1;x;0:0", "incarnation" },
    { "/cpu:0;-000000000000001;/cpu:1;x;0:0", "incarnation" },
    { "/cpu:0;0000000000000001;/cpu:1;;0:0", "tensor_name" },
    { "/cpu:0;0000000000000001;/cpu:1;x;", "frame" },
    { "/cpu:0;0000000000000001;/cpu:1;x;0", "frame" },
    { "/cpu:0;0000000000000001;/cpu:1;x;0:", "frame" },
    { "/cpu:0;0000000000000001;/cpu:1;x;:0", "frame" },
    { "/cpu:0;0000000000000001;/cpu:1;x;0:00", "frame" },
    { "/cpu:0;0000000000000001;/cpu:1;x;0:-1", "frame" },
    { "/cpu:0;0000000000000001;/cpu:1;x;0:0 ", "frame" },
    { "/cpu:0;0000000000000001;/cpu:1;x;0:18446744073709551616", "frame" },
    { "/cpu:0;0000000000000001;/cpu:1;x;0:100000000000000000000000000000", "frame" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      guint64 frame, iteration;
      g_autoptr (GError) error = NULL;
      g_assert_null (sluice_transfer_parse_key (cases[i].key, &frame, &iteration, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      if (!strstr (error->message, cases[i].word))
        g_error ("'%s' does not say '%s'", error->message, cases[i].word);
    }
}

static void
test_between (void)
{
  g_autoptr (SluiceDevice) a = sluice_device_new_cpu (NULL, 0, 0, NULL);
  g_autoptr (SluiceDevice) b = sluice_device_new_null (NULL, 2);
  g_autoptr (SluiceTransfer) x = sluice_transfer_new_between (a, b, "x:0");
  g_autofree char *text =
      g_strdup_printf ("%s;%016" G_GINT64_MODIFIER "x;%s;x:0", a->name, a->incarnation, b->name);
  g_assert_cmpstr (x->text, ==, text);
}

/* Frames of one step have numbers of their own, and the same ones wherever they are made. */
static void
test_frames (void)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  static const char *const names[] = {
    "", "a", "b", "while/context", "while/contexT", "while/context_1"
  };
  const guint64 outer = sluice_transfer_number_frame (0, 0, "outer");
  for (guint parent = 0; parent < 2; parent++)
    for (guint64 iteration = 0; iteration < 1000; iteration++)
      for (guint i = 0; i < G_N_ELEMENTS (names); i++)
        {
          guint64 number = sluice_transfer_number_frame (parent ? outer : 0, iteration, names[i]);
          g_assert_cmpuint (number, !=, 0);
          g_assert_true (g_hash_table_add (seen, g_memdup2 (&number, sizeof number)));
        }
  g_assert_cmpuint (outer, ==, sluice_transfer_number_frame (0, 0, "outer"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rendezvous/order", test_order);
  g_test_add_func ("/rendezvous/apart", test_apart);
  g_test_add_func ("/rendezvous/twice", test_twice);
  g_test_add_func ("/rendezvous/words", test_words);
  g_test_add_func ("/rendezvous/abort-at", test_abort_at);
  g_test_add_func ("/rendezvous/epochs", test_epochs);
  g_test_add_func ("/rendezvous/threads", test_threads);
  g_test_add_func ("/rendezvous/threads-abort", test_threads_abort);
  g_test_add_func ("/rendezvous/keys", test_keys);
  g_test_add_func ("/rendezvous/bad-keys", test_bad_keys);
  g_test_add_func ("/rendezvous/between", test_between);
  g_test_add_func ("/rendezvous/frames", test_frames);
  return g_test_run ();
}
