/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Runs of two sessions that meet in one rendezvous, as those of two processes would: values in both
 * directions, and the end of one that is the other's, too. */
#include <string.h>

#include "engine/device/rendezvous.h"
#include "tests/engine/runtime/fixture.h"

#define A_DEVICE "/job:a/replica:0/task:0/device:CPU:0"
#define B_DEVICE "/job:b/replica:0/task:0/device:CPU:0"

typedef struct
{
  Fixture a, b;
  SluiceRendezvous *rendezvous;
  guint64 epoch;
  gboolean b_fails;
} Pair;

static SluiceNode *
meet (Fixture *f, const char *op, const char *name, const SluiceEdge *input, gboolean from_a)
{
  SluiceAttr attrs[] = {
    sluice_attr_type (input != NULL ? "T" : "tensor_type", SLUICE_FLOAT),
    sluice_attr_string ("tensor_name", from_a ? "there" : "back"),
    sluice_attr_string ("send_device", from_a ? A_DEVICE : B_DEVICE),
    sluice_attr_string ("recv_device", from_a ? B_DEVICE : A_DEVICE),
    sluice_attr_int ("send_device_incarnation", 1),
  };
  return fixture_node (f, op, name, NULL, input, input != NULL, NULL, 0, attrs,
                       G_N_ELEMENTS (attrs));
}

/* a sends x, b sends back what it has made of it. */
static void
pair_init (Pair *self)
{
  *self = (Pair){ .rendezvous = sluice_rendezvous_new_local () };
  fixture_init (&self->a, NULL);
  fixture_init (&self->b, NULL);
  SluiceEdge x = fixture_placeholder (&self->a, "x", SLUICE_FLOAT);
  meet (&self->a, "_Send", "send", &x, TRUE);
  SluiceEdge back = { meet (&self->a, "_Recv", "recv", NULL, FALSE), 0 };
  fixture_node (&self->a, "Neg", "result", NULL, &back, 1, NULL, 0, NULL, 0);
  fixture_extend (&self->a);
  SluiceEdge came = { meet (&self->b, "_HostRecv", "recv", NULL, TRUE), 0 };
  SluiceEdge squared = {
    fixture_node (&self->b, "Square", "squared", NULL, &came, 1, NULL, 0, NULL, 0), 0
  };
  meet (&self->b, "_HostSend", "send", &squared, FALSE);
  fixture_node (&self->b, "TestFail", "fails", NULL, &came, 1, NULL, 0, NULL, 0);
  fixture_extend (&self->b);
}

static void
pair_clear (Pair *self)
{
  g_autoptr (GError) status = g_error_new_literal (SLUICE_ERROR, SLUICE_ERROR_ABORTED, "over");
  sluice_rendezvous_abort (self->rendezvous, G_MAXUINT64, status);
  sluice_rendezvous_unref (self->rendezvous);
  fixture_clear (&self->a);
  fixture_clear (&self->b);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pair, pair_clear)

static gpointer
run_b (gpointer data)
{
  Pair *self = data;
  const SluiceRunOptions options = { .rendezvous = self->rendezvous,
                                     .epoch = self->epoch,
                                     .may_wait = TRUE };
  GError *error = NULL;
  fixture_run_target (&self->b, self->b_fails ? "fails" : "send", &options, &error);
  return error;
}

/* (transfer full) (nullable): error is set */
static SluiceTensor *
run_a (Pair *self, float value, GError **error)
{
  const SluiceRunOptions options = { .rendezvous = self->rendezvous,
                                     .epoch = self->epoch,
                                     .may_wait = TRUE };
  g_autoptr (SluiceTensor) x = sluice_tensor_new_float (value);
  SluiceFeed feed = { "x", x };
  const char *fetch = "result", *target = "send";
  SluiceTensor *output = NULL;
  sluice_session_run (self->a.session,
                      &(SluiceStepNames){ .feeds = &feed,
                                          .fetches = &fetch,
                                          .targets = &target,
                                          .n_feeds = 1,
                                          .n_fetches = 1,
                                          .n_targets = 1 },
                      &output, &options, error);
  return output;
}

static void
test_both_ways (void)
{
  g_auto (Pair) pair;
  pair_init (&pair);
  for (pair.epoch = 1; pair.epoch <= 50; pair.epoch++)
    {
      g_autoptr (GError) error = NULL;
      GThread *b = g_thread_new ("b", run_b, &pair);
      g_autoptr (SluiceTensor) output = run_a (&pair, (float) pair.epoch, &error);
      g_assert_no_error (error);
      g_assert_null (g_thread_join (b));
      g_assert_cmpfloat (*(float *) output->data, ==, -(float) (pair.epoch * pair.epoch));
    }
}

/* Who waits for a run that fails hears of it in its words, and the next epoch is a new one. */
static void
test_failure (void)
{
  g_auto (Pair) pair;
  pair_init (&pair);
  for (pair.epoch = 1; pair.epoch <= 20; pair.epoch++)
    {
      g_autoptr (GError) error = NULL;
      pair.b_fails = pair.epoch % 2;
      GThread *b = g_thread_new ("b", run_b, &pair);
      g_autoptr (SluiceTensor) output = run_a (&pair, 3, &error);
      g_autoptr (GError) b_error = g_thread_join (b);
      if (pair.b_fails)
        {
          g_assert_null (output);
          g_assert_error (b_error, SLUICE_ERROR, SLUICE_ERROR_OUT_OF_RANGE);
          g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_OUT_OF_RANGE);
          g_assert_nonnull (strstr (error->message, "fails by design"));
          continue;
        }
      g_assert_no_error (error);
      g_assert_no_error (b_error);
      g_assert_cmpfloat (*(float *) output->data, ==, -9);
    }
}

/* Whoever leads the cluster ends an epoch: who waits in it, and who comes too late. */
static gpointer
abort_epoch (gpointer data)
{
  Pair *self = data;
  g_autoptr (GError) status =
      g_error_new_literal (SLUICE_ERROR, SLUICE_ERROR_UNAVAILABLE, "task b:0 is gone");
  sluice_rendezvous_abort (self->rendezvous, self->epoch, status);
  return NULL;
}

static void
test_abort (void)
{
  g_auto (Pair) pair;
  pair_init (&pair);
  for (pair.epoch = 1; pair.epoch <= 20; pair.epoch++)
    {
      g_autoptr (GError) error = NULL;
      GThread *leader = g_thread_new ("leader", abort_epoch, &pair);
      g_assert_null (run_a (&pair, 3, &error));
      g_thread_join (leader);
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_UNAVAILABLE);
      g_assert_nonnull (strstr (error->message, "task b:0 is gone"));
      g_autoptr (GError) late = run_b (&pair);
      g_assert_error (late, SLUICE_ERROR, SLUICE_ERROR_UNAVAILABLE);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/meeting/both-ways", test_both_ways);
  g_test_add_func ("/runtime/meeting/failure", test_failure);
  g_test_add_func ("/runtime/meeting/abort", test_abort);
  return g_test_run ();
}
