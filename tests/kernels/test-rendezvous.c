/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Send and Recv that stand in a graph: what meets, what is dead, and what never comes. */
#include "tests/kernels/handles.h"

#include <string.h>

#define TEXT(name, value) "attr { key: '" name "' value { s: '" value "' } } "
#define AT(tensor, device)                                                                         \
  TEXT ("tensor_name", tensor)                                                                     \
  TEXT ("send_device", device)                                                                     \
  TEXT ("recv_device", "/device:CPU:0") "attr { key: 'send_device_incarnation' value { i: 1 } } "
#define NAMES(tensor)     AT (tensor, "/device:CPU:0")
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
  { "again", { "_HostSend" }, "input: 'x' " FLOATS ("T") NAMES ("x") },
  { "no_device", { "_Recv" }, FLOATS ("tensor_type") AT ("x", "/cpu:x") },
  { "no_name", { "_Recv" }, FLOATS ("tensor_type") NAMES ("") },
  { "two_names", { "_Recv" }, FLOATS ("tensor_type") NAMES ("x;y") },
  { "false", { "Less" }, "input: 'x' input: 'x' " FLOATS ("T") },
  { "assert",
    { "Assert" },
    "input: 'false' input: 'x' attr { key: 'T' value { list { type: DT_FLOAT } } } " },
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

/* The run's error. */
static void
check_run (Harness *h,
           const SluiceStepNames *names,
           const SluiceRunOptions *options,
           SluiceError code,
           const char *const *words)
{
  g_autoptr (GError) error = NULL;
  SluiceTensor *output = NULL;
  sluice_session_extend (h->session, h->graph, &error);
  g_assert_no_error (error);
  g_assert_false (sluice_session_run (h->session, names, &output, options, &error));
  g_assert_error (error, SLUICE_ERROR, (int) code);
  for (; *words != NULL; words++)
    if (!strstr (error->message, *words))
      g_error ("'%s' does not say '%s'", error->message, *words);
}

static void
expect_error (const char *fetch, const char *target, SluiceError code, const char *const *words)
{
  g_auto (Harness) h;
  g_autoptr (SluiceTensor) x = sluice_tensor_new_float (3);
  SluiceFeed feed = { "x:0", x };
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), FALSE);
  check_run (&h,
             &(SluiceStepNames){ .feeds = &feed,
                                 .fetches = &fetch,
                                 .targets = &target,
                                 .n_feeds = 1,
                                 .n_fetches = 1,
                                 .n_targets = target != NULL },
             NULL, code, words);
}

static void
test_refusals (void)
{
  expect_error ("integer:0", "send", SLUICE_ERROR_INVALID_ARGUMENT,
                (const char *[]){ "integer", "float", "int32", NULL });
  expect_error ("recv:0", "again", SLUICE_ERROR_INVALID_ARGUMENT,
                (const char *[]){ "'again'", "'send'", "tensor_name", NULL });
  expect_error ("recv:0", "integer", SLUICE_ERROR_INVALID_ARGUMENT,
                (const char *[]){ "'integer'", "'recv'", "tensor_name", NULL });
  expect_error ("no_device:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT,
                (const char *[]){ "no_device", "send_device", "/cpu:x", NULL });
  expect_error ("no_name:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT,
                (const char *[]){ "no_name", "tensor_name", "empty", NULL });
  expect_error ("two_names:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT,
                (const char *[]){ "two_names", "tensor_name", "';'", NULL });
}

/* What nothing sends: the report names key, node and device, and what was sent instead. */
static void
test_lonely (void)
{
  expect_error ("lonely:0", NULL, SLUICE_ERROR_DEADLINE_EXCEEDED,
                (const char *[]){ "'lonely' waits for",
                                  "/device:CPU:0;0000000000000001;/device:CPU:0;nothing;0:0",
                                  "on /job:localhost/replica:0/task:0/device:CPU:0",
                                  "feed 'lonely:0'", NULL });
  expect_error ("lonely:0", "send", SLUICE_ERROR_DEADLINE_EXCEEDED,
                (const char *[]){ "received by nobody: "
                                  "'/device:CPU:0;0000000000000001;/device:CPU:0;x;0:0'",
                                  NULL });
}

/* Another node's failure, and a cancelled run, end who waits; and the next run is a new one. */
static void
test_ends (void)
{
  g_auto (Harness) h;
  g_autoptr (SluiceTensor) x = sluice_tensor_new_float (3), p = sluice_tensor_new_bool (TRUE);
  SluiceFeed feeds[] = { { "x:0", x }, { "p:0", p } };
  const char *fetch = "lonely:0", *target = "assert";
  SluiceStepNames names = { .feeds = feeds,
                            .fetches = &fetch,
                            .targets = &target,
                            .n_feeds = 1,
                            .n_fetches = 1,
                            .n_targets = 1 };
  const SluiceRunOptions for_ever = { .may_wait = TRUE };
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), FALSE);
  for (int i = 0; i < 3; i++)
    {
      check_run (&h, &names, &for_ever, SLUICE_ERROR_INVALID_ARGUMENT,
                 (const char *[]){ "assert", NULL });
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      const SluiceRunOptions cancelled = { .may_wait = TRUE, .cancellable = cancellable };
      names.n_targets = 0;
      g_cancellable_cancel (cancellable);
      check_run (&h, &names, &cancelled, SLUICE_ERROR_CANCELLED, (const char *[]){ NULL });
      names.n_targets = 1;
      expect (&h, FALSE, "recv:0", 3);
    }
}

/* ---- loops ---- */

#define FRAME(name)                                                                                \
  FLOATS ("T")                                                                                     \
  TEXT ("frame_name", name) "attr { key: 'parallel_iterations' value { i: 4 } } "

static void
add (GString *text, const char *name, const char *op, const char *inputs, const char *attrs)
{
  g_string_append_printf (text, "node { name: '%s' op: '%s' ", name, op);
  g_auto (GStrv) each = g_strsplit (inputs, " ", -1);
  for (guint i = 0; each[i] != NULL && *inputs != '\0'; i++)
    g_string_append_printf (text, "input: '%s' ", each[i]);
  g_string_append_printf (text, "%s }\n", attrs);
}

/* (transfer full) */
static char *
fill (const char *text, const char *p)
{
  g_auto (GStrv) parts = g_strsplit (text, "%", -1);
  return g_strjoinv (p, parts);
}

/* A loop "P…" over v, from begin on, as long as it is under limit; its body takes v from "P_body"
 * to "P_sum". */
static void
add_loop (GString *text, const char *p, const char *begin, const char *limit)
{
  const struct
  {
    const char *name, *op, *inputs, *attrs;
  } parts[] = {
    { "%_enter", "Enter", begin, FRAME ("%") },
    { "%_limit", "Enter", limit, FRAME ("%") "attr { key: 'is_constant' value { b: true } } " },
    { "%_merge", "Merge", "%_enter %_next", FLOATS ("T") "attr { key: 'N' value { i: 2 } } " },
    { "%_less", "Less", "%_merge %_limit", FLOATS ("T") },
    { "%_cond", "LoopCond", "%_less", "" },
    { "%_switch", "Switch", "%_merge %_cond", FLOATS ("T") },
    { "%_body", "Identity", "%_switch:1", FLOATS ("T") },
    { "%_next", "NextIteration", "%_sum", FLOATS ("T") },
    { "%_exit", "Exit", "%_switch", FLOATS ("T") },
  };
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *name = fill (parts[i].name, p);
      g_autofree char *inputs = fill (parts[i].inputs, p);
      g_autofree char *attrs = fill (parts[i].attrs, p);
      add (text, name, parts[i].op, inputs, attrs);
    }
}

/* Each iteration sends v and receives it, in whatever order: v + v. The inner loop, which
 * quadruples v, runs once in each iteration of the outer one, under the same key. */
static void
init_loops (Harness *h)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  harness_init (h, 1, FALSE);
  add (text, "x", "Placeholder", "", FLOATS ("dtype"));
  add (text, "most", "Placeholder", "", FLOATS ("dtype"));
  add_loop (text, "inner", "outer_body", "four");
  add (text, "inner_send", "_Send", "inner_body", FLOATS ("T") NAMES ("v"));
  add (text, "inner_recv", "_Recv", "^inner_body", FLOATS ("tensor_type") NAMES ("v"));
  add (text, "inner_sum", "AddV2", "inner_recv inner_body ^inner_send", FLOATS ("T"));
  add_loop (text, "outer", "x", "most");
  add (text, "two", "AddV2", "outer_body outer_body", FLOATS ("T"));
  add (text, "four", "AddV2", "two two", FLOATS ("T"));
  add (text, "outer_send", "_HostSend", "outer_body", FLOATS ("T") NAMES ("v"));
  add (text, "outer_recv", "_HostRecv", "^outer_body", FLOATS ("tensor_type") NAMES ("v"));
  add (text, "zero", "Sub", "outer_recv outer_body", FLOATS ("T"));
  add (text, "outer_sum", "AddV2", "inner_exit zero ^outer_send", FLOATS ("T"));
  g_autoptr (GBytes) bytes = g_bytes_new (text->str, text->len);
  sluice_graph_import (h->graph, bytes, &error);
  g_assert_no_error (error);
  sluice_session_extend (h->session, h->graph, &error);
  g_assert_no_error (error);
}

static void
test_loops (void)
{
  g_auto (Harness) h;
  init_loops (&h);
  g_autoptr (SluiceTensor) x = sluice_tensor_new_float (1);
  for (int i = 0; i < 5; i++)
    {
      g_autoptr (SluiceTensor) most = sluice_tensor_new_float ((float) (1 << 2 * i));
      SluiceFeed feeds[] = { { "x:0", x }, { "most:0", most } };
      const char *fetch = "outer_exit:0";
      g_autoptr (SluiceTensor) output = NULL;
      g_autoptr (GError) error = NULL;
      sluice_session_run (
          h.session,
          &(SluiceStepNames){ .feeds = feeds, .fetches = &fetch, .n_feeds = 2, .n_fetches = 1 },
          &output, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpfloat (*(float *) output->data, ==, (float) (1 << 2 * i));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/kernels/rendezvous/meet", test_meet);
  g_test_add_func ("/kernels/rendezvous/dead", test_dead);
  g_test_add_func ("/kernels/rendezvous/refusals", test_refusals);
  g_test_add_func ("/kernels/rendezvous/lonely", test_lonely);
  g_test_add_func ("/kernels/rendezvous/ends", test_ends);
  g_test_add_func ("/kernels/rendezvous/loops", test_loops);
  return g_test_run ();
}
