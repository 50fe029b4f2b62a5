/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Steps that are fed and fetched from in several calls. */
#include <math.h>
#include <string.h>

#include "tests/engine/runtime/fixture.h"

static SluiceEdge
op1 (Fixture *f, const char *op, const char *name, SluiceEdge a)
{
  return sluice_builder_add (&f->b, op, name, &a, 1, NULL, 0);
}

static SluiceEdge
op2 (Fixture *f, const char *op, const char *name, SluiceEdge a, SluiceEdge b)
{
  return sluice_builder_add (&f->b, op, name, (SluiceEdge[]){ a, b }, 2, NULL, 0);
}

#define NAMES(...) (const char *const[]){ __VA_ARGS__ }, SLUICE_COUNT_ (const char *, __VA_ARGS__)

static SluicePartialRun *
set_up (Fixture *f,
        const char *const *feeds,
        guint n_feeds,
        const char *const *fetches,
        guint n_fetches,
        const char *target)
{
  g_autoptr (GError) error = NULL;
  g_autofree SluiceFeed *fed = sluice_feeds_new (feeds, n_feeds);
  const SluiceStepNames names = { .feeds = fed,
                                  .fetches = fetches,
                                  .targets = &target,
                                  .n_feeds = n_feeds,
                                  .n_fetches = n_fetches,
                                  .n_targets = target != NULL };
  SluicePartialRun *run = sluice_session_set_up_partial (f->session, &names, NULL, &error);
  g_assert_no_error (error);
  return run;
}

/* Feeds one scalar, where there is one, and fetches one, where it is wanted; NAN without a fetch.
 */
static float
part (SluicePartialRun *run, const char *feed, float value, const char *fetch)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) fed = sluice_tensor_new_float (value);
  g_autoptr (SluiceTensor) output = NULL;
  SluiceFeed feeds[] = { { feed, fed } };
  sluice_partial_run_part (
      run,
      &(SluiceStepNames){
          .feeds = feeds, .fetches = &fetch, .n_feeds = feed != NULL, .n_fetches = fetch != NULL },
      &output, &error);
  g_assert_no_error (error);
  return output != NULL ? *(float *) output->data : NAN;
}

static void
fails (SluicePartialRun *run,
       const char *feed,
       SluiceTensor *value,
       const char *fetch,
       SluiceError code,
       const char *word)
{
  g_autoptr (GError) error = NULL;
  SluiceTensor *output = NULL;
  SluiceFeed feeds[] = { { feed, value } };
  g_assert_false (sluice_partial_run_part (
      run,
      &(SluiceStepNames){
          .feeds = feeds, .fetches = &fetch, .n_feeds = feed != NULL, .n_fetches = fetch != NULL },
      &output, &error));
  g_assert_error (error, SLUICE_ERROR, (int) code);
  g_assert_null (output);
  if (!strstr (error->message, word))
    g_error ("'%s' does not say '%s'", error->message, word);
}

#define REFUSED(run, feed, value, fetch, word)                                                     \
  fails (run, feed, value, fetch, SLUICE_ERROR_INVALID_ARGUMENT, word)

/* (a + b) · c, and how often the sum was computed. */
static void
three_inputs (Fixture *f, const SluiceSessionOptions *options)
{
  fixture_init (f, options);
  SluiceEdge a = fixture_placeholder (f, "a", SLUICE_FLOAT);
  SluiceEdge b = fixture_placeholder (f, "b", SLUICE_FLOAT);
  SluiceEdge sum = op1 (f, "TestCount", "sum", op2 (f, "Add", NULL, a, b));
  SluiceEdge c = fixture_placeholder (f, "c", SLUICE_FLOAT);
  SluiceEdge inputs[] = { sum, c };
  const char *device = options != NULL && options->n_cpus > 1 ? "/cpu:1" : NULL;
  fixture_node (f, "Mul", "product", device, inputs, 2, NULL, 0, NULL, 0);
  fixture_extend (f);
}

/* One step in three calls, on one device and on two; again and again from one plan. */
static void
test_parts (void)
{
  for (guint n_cpus = 1; n_cpus <= 2; n_cpus++)
    {
      g_auto (Fixture) f = { NULL };
      three_inputs (&f, &(SluiceSessionOptions){ .n_cpus = n_cpus });
      for (int i = 0; i < 3; i++)
        {
          g_autoptr (SluicePartialRun) run =
              set_up (&f, NAMES ("a", "b:0", "c"), NAMES ("sum", "product:0"), NULL);
          part (run, "a:0", 2, NULL);
          g_assert_cmpfloat (part (run, "b", 3, "sum:0"), ==, 5);
          g_assert_cmpfloat (part (run, "c", 10, "product"), ==, 50);
          g_assert_cmpint (fixture_count, ==, i + 1);
          REFUSED (run, NULL, NULL, NULL, "has ended");
        }
      SluiceSessionStats stats;
      sluice_session_get_stats (f.session, &stats);
      g_assert_cmpuint (stats.n_plans, ==, 1);
      g_assert_cmpuint (stats.n_runs, ==, 3);
    }
}

/* What is wrong is refused, has no effect, and the run goes on. */
static void
test_refusals (void)
{
  g_auto (Fixture) f = { NULL };
  three_inputs (&f, NULL);
  g_autoptr (SluiceTensor) one = sluice_tensor_new_float (1), whole = sluice_tensor_new_int32 (1);
  g_autoptr (SluicePartialRun) run =
      set_up (&f, NAMES ("a", "b", "c"), NAMES ("sum", "product"), NULL);
  REFUSED (run, "d", one, NULL, "the feed 'd' was not named");
  REFUSED (run, "a:1", one, NULL, "the feed 'a:1' was not named");
  REFUSED (run, NULL, NULL, "a", "the fetch 'a' was not named");
  REFUSED (run, "a", whole, NULL, "int32");
  REFUSED (run, "a", one, "sum", "feed 'b:0', too");
  part (run, "a", 1, NULL);
  REFUSED (run, "a", one, NULL, "already been fed");
  part (run, "b", 1, "sum");
  REFUSED (run, NULL, NULL, "sum", "already been fetched");
  REFUSED (run, NULL, NULL, "product", "feed 'c:0', too");
  g_assert_cmpfloat (part (run, "c", 3, "product"), ==, 6);
}

static void
test_refused_set_up (void)
{
  static const struct
  {
    const char *feed, *fetch;
    SluiceError code;
  } cases[] = {
    { "d", "sum", SLUICE_ERROR_NOT_FOUND },
    { "a", "none", SLUICE_ERROR_NOT_FOUND },
    { "a", "sum", SLUICE_ERROR_INVALID_ARGUMENT }, /* nothing feeds b */
  };
  g_auto (Fixture) f = { NULL };
  three_inputs (&f, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (sluice_session_set_up_partial (
          f.session,
          &(SluiceStepNames){ .feeds = &(SluiceFeed){ cases[i].feed },
                              .fetches = &cases[i].fetch,
                              .n_feeds = 1,
                              .n_fetches = 1 },
          NULL, &error));
      g_assert_error (error, SLUICE_ERROR, (int) cases[i].code);
    }
}

/* Runs of one plan do not meet; their calls may alternate. */
static void
test_two_at_once (void)
{
  g_auto (Fixture) f = { NULL };
  three_inputs (&f, NULL);
  g_autoptr (SluicePartialRun) x = set_up (&f, NAMES ("a", "b", "c"), NAMES ("product"), NULL);
  g_autoptr (SluicePartialRun) y = set_up (&f, NAMES ("a", "b", "c"), NAMES ("product"), NULL);
  part (x, "a", 1, NULL);
  part (y, "a", 10, NULL);
  part (y, "b", 20, NULL);
  part (x, "b", 2, NULL);
  g_assert_cmpfloat (part (x, "c", 3, "product"), ==, 9);
  g_assert_cmpfloat (part (y, "c", 3, "product"), ==, 90);
}

/* A run that nobody finishes goes with its last reference, and nothing behind a feed has run. */
static void
test_never_finished (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge w = fixture_variable (&f, "w", 5);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  op2 (&f, "AssignAdd", "add", w, x);
  fixture_extend (&f);
  g_assert_true (fixture_run_target (&f, "w/Assign", NULL, NULL));
  for (int i = 0; i < 3; i++)
    {
      g_autoptr (SluicePartialRun) run = set_up (&f, NAMES ("x"), NAMES ("w"), "add");
      if (i > 0)
        g_assert_cmpfloat (part (run, NULL, 0, "w"), ==, 5);
      if (i > 1)
        sluice_partial_run_cancel (run);
    }
  g_assert_cmpfloat (fixture_fetch (&f, "w", NULL, 0), ==, 5);
}

/* What was fetched of a variable stays as it was; the last call waits for the targets. */
static void
test_targets (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge w = fixture_variable (&f, "w", 5);
  op2 (&f, "AssignAdd", "add", w, fixture_placeholder (&f, "x", SLUICE_FLOAT));
  fixture_extend (&f);
  g_assert_true (fixture_run_target (&f, "w/Assign", NULL, NULL));
  g_autoptr (SluicePartialRun) run = set_up (&f, NAMES ("x"), NAMES ("w"), "add");
  const char *fetch = "w";
  g_autoptr (SluiceTensor) before = NULL;
  g_assert_true (sluice_partial_run_part (
      run, &(SluiceStepNames){ .fetches = &fetch, .n_fetches = 1 }, &before, NULL));
  part (run, "x", 2, NULL);
  g_assert_cmpfloat (*(float *) before->data, ==, 5);
  g_assert_cmpfloat (fixture_fetch (&f, "w", NULL, 0), ==, 7);
}

/* A node behind a control input from a fed placeholder waits for the feed. */
static void
test_control_input (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge one = fixture_scalar (&f, 1);
  fixture_node (&f, "TestCount", "late", NULL, &one, 1, &x.node, 1, NULL, 0);
  fixture_extend (&f);
  g_autoptr (SluicePartialRun) run = set_up (&f, NAMES ("x"), NAMES ("late"), NULL);
  g_autoptr (SluiceTensor) none = NULL;
  REFUSED (run, NULL, none, "late", "feed 'x:0', too");
  g_assert_cmpint (fixture_count, ==, 0);
  g_assert_cmpfloat (part (run, "x", 2, "late"), ==, 1);
}

/* The first error ends the run. */
static void
test_failing_step (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  op1 (&f, "TestFail", "bad", x);
  op1 (&f, "Neg", "good", x);
  op1 (&f, "Neg", "later", fixture_placeholder (&f, "y", SLUICE_FLOAT));
  fixture_extend (&f);
  g_autoptr (SluiceTensor) one = sluice_tensor_new_float (1);
  g_autoptr (SluicePartialRun) run =
      set_up (&f, NAMES ("x", "y"), NAMES ("bad", "good", "later"), NULL);
  fails (run, "x", one, "bad", SLUICE_ERROR_OUT_OF_RANGE, "'bad'");
  REFUSED (run, "y", one, "later", "has ended");
}

/* What lies in a branch that was not taken has no value. */
static void
test_dead_fetch (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge p = fixture_placeholder (&f, "p", SLUICE_BOOL);
  SluiceEdge both = op2 (&f, "Switch", "switch", x, p);
  op1 (&f, "Neg", "no", both);
  op1 (&f, "Neg", "yes", (SluiceEdge){ both.node, 1 });
  fixture_extend (&f);
  g_autoptr (SluiceTensor) yes = sluice_tensor_new_zeros (SLUICE_BOOL, &SLUICE_SHAPE_SCALAR);
  *(guint8 *) yes->data = 1;
  g_autoptr (SluicePartialRun) run = set_up (&f, NAMES ("x", "p"), NAMES ("no", "yes"), NULL);
  part (run, "x", 2, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) output = NULL;
  SluiceFeed feeds[] = { { "p", yes } };
  const char *fetch = "yes";
  g_assert_true (sluice_partial_run_part (
      run, &(SluiceStepNames){ .feeds = feeds, .fetches = &fetch, .n_feeds = 1, .n_fetches = 1 },
      &output, &error));
  g_assert_cmpfloat (*(float *) output->data, ==, -2);
  REFUSED (run, NULL, NULL, "no", "branch that was not taken");
}

static gpointer
cancel_when_waiting (gpointer data)
{
  while (!fixture_waiting)
    g_thread_yield ();
  g_cancellable_cancel (data);
  return NULL;
}

/* Who waits in a part is let go of by a cancellation. */
static void
test_cancel (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  op1 (&f, "TestWait", "wait", fixture_placeholder (&f, "x", SLUICE_FLOAT));
  fixture_extend (&f);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  SluiceRunOptions options = { .cancellable = cancellable };
  const char *wait = "wait";
  g_autoptr (SluicePartialRun) run = sluice_session_set_up_partial (
      f.session,
      &(SluiceStepNames){
          .feeds = &(SluiceFeed){ "x" }, .fetches = &wait, .n_feeds = 1, .n_fetches = 1 },
      &options, NULL);
  g_autoptr (SluiceTensor) one = sluice_tensor_new_float (1);
  GThread *thread = g_thread_new ("cancel", cancel_when_waiting, cancellable);
  fails (run, "x", one, "wait", SLUICE_ERROR_CANCELLED, "'wait'");
  g_thread_join (thread);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/partial-run/parts", test_parts);
  g_test_add_func ("/runtime/partial-run/refusals", test_refusals);
  g_test_add_func ("/runtime/partial-run/refused-set-up", test_refused_set_up);
  g_test_add_func ("/runtime/partial-run/two-at-once", test_two_at_once);
  g_test_add_func ("/runtime/partial-run/never-finished", test_never_finished);
  g_test_add_func ("/runtime/partial-run/targets", test_targets);
  g_test_add_func ("/runtime/partial-run/control-input", test_control_input);
  g_test_add_func ("/runtime/partial-run/failing-step", test_failing_step);
  g_test_add_func ("/runtime/partial-run/dead-fetch", test_dead_fetch);
  g_test_add_func ("/runtime/partial-run/cancel", test_cancel);
  return g_test_run ();
}
