/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Send and Recv that stand in a graph: what meets, what is dead, and what never comes. */
#include "tests/kernels/handles.h"

#include <string.h>

#define TEXT(name, value) "attr { key: '" name "' value { s: '" value "' } } "
#define NAMES(tensor)                                                                              \
  TEXT ("tensor_name", tensor)                                                                     \
  TEXT ("send_device", "/device:CPU:0")                                                            \
  TEXT ("recv_device", "/device:CPU:0") "attr { key: 'send_device_incarnation' value { i: 1 } } "
#define TYPE(name, dtype) "attr { key: '" name "' value { type: " dtype " } } "
#define FLOATS(name)      TYPE (name, "DT_FLOAT")

static const HandleNode nodes[] = {
  { "x", { "Placeholder" }, FLOATS ("dtype") },
  { "p", { "Placeholder" }, TYPE ("dtype", "DT_BOOL") },
  { "send", { "_Send" }, "input: 'x' " FLOATS ("T") NAMES ("x") },
  { "recv", { "_HostRecv" }, "input: '^send' " FLOATS ("tensor_type") NAMES ("x") },
  { "switch", { "Switch" }, "input: 'x' input: 'p' " FLOATS ("T") },
  { "send_high", { "_HostSend" }, "input: 'switch:1' " FLOATS ("T") NAMES ("high") },
  { "recv_high", { "_Recv" }, FLOATS ("tensor_type") NAMES ("high") },
  { "high", { "Neg" }, "input: 'recv_high' " FLOATS ("T") },
  { "merge",
    { "Merge" },
    "input: 'switch' input: 'high' " FLOATS ("T") "attr { key: 'N' value { i: 2 } } " },
  { "lonely", { "_Recv" }, FLOATS ("tensor_type") NAMES ("nothing") },
  { "integer", { "_Recv" }, TYPE ("tensor_type", "DT_INT32") NAMES ("x") },
};

static void
expect (Harness *h, gboolean p, const char *fetch, float value)
{
  g_autoptr (SluiceTensor) x = sluice_tensor_new_float (3), which = sluice_tensor_new_bool (p);
  SluiceFeed feeds[] = { { "x:0", x }, { "p:0", which } };
  const char *targets[] = { "send_high" };
  g_autoptr (GError) error = NULL;
  SluiceTensor *output = NULL;
  sluice_session_extend (h->session, h->graph, &error);
  g_assert_no_error (error);
  sluice_session_run (h->session,
                      &(SluiceStepNames){ .feeds = feeds,
                                          .fetches = &fetch,
                                          .targets = targets,
                                          .n_feeds = 2,
                                          .n_fetches = 1,
                                          .n_targets = 1 },
                      &output, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (*(float *) output->data, ==, value);
  sluice_tensor_unref (output);
}

static void
test_meet (void)
{
  g_auto (Harness) h;
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), FALSE);
  for (int i = 0; i < 3; i++)
    expect (&h, FALSE, "recv:0", 3);
}

/* What a dead Send stands for is dead on the other side too. */
static void
test_dead (void)
{
  g_auto (Harness) h;
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), FALSE);
  expect (&h, TRUE, "merge:0", -3);
  expect (&h, FALSE, "merge:0", 3);
  expect (&h, TRUE, "merge:0", -3);
}

static void
expect_error (const char *fetch, const char *target, SluiceError code, const char *word)
{
  g_auto (Harness) h;
  g_autoptr (SluiceTensor) x = sluice_tensor_new_float (3);
  g_autoptr (GError) error = NULL;
  SluiceFeed feed = { "x:0", x };
  SluiceTensor *output = NULL;
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), FALSE);
  sluice_session_extend (h.session, h.graph, &error);
  g_assert_no_error (error);
  sluice_session_run (h.session,
                      &(SluiceStepNames){ .feeds = &feed,
                                          .fetches = &fetch,
                                          .targets = &target,
                                          .n_feeds = 1,
                                          .n_fetches = 1,
                                          .n_targets = target != NULL },
                      &output, NULL, &error);
  g_assert_error (error, SLUICE_ERROR, (int) code);
  if (!strstr (error->message, word))
    g_error ("'%s' does not say '%s'", error->message, word);
}

static void
test_refusals (void)
{
  expect_error ("lonely:0", NULL, SLUICE_ERROR_DEADLINE_EXCEEDED, "lonely");
  expect_error ("integer:0", "send", SLUICE_ERROR_INVALID_ARGUMENT, "float");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/kernels/rendezvous/meet", test_meet);
  g_test_add_func ("/kernels/rendezvous/dead", test_dead);
  g_test_add_func ("/kernels/rendezvous/refusals", test_refusals);
  return g_test_run ();
}
