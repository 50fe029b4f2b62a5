/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "engine/device/device.h"

typedef struct
{
  const char *text;
  const char *job, *type;
  int replica, task, index;
} SpecCase;

static void
test_parse (void)
{
  const SpecCase cases[] = {
    { "", NULL, NULL, -1, -1, -1 },
    { "/cpu:0", NULL, "CPU", -1, -1, 0 },
    { "/gpu:*", NULL, "GPU", -1, -1, -1 },
    { "CPU:1", NULL, "CPU", -1, -1, 1 },
    { "gpu:3", NULL, "GPU", -1, -1, 3 },
    { "GPU", NULL, "GPU", -1, -1, -1 },
    { "/device:GPU:2", NULL, "GPU", -1, -1, 2 },
    { "/device:*", NULL, NULL, -1, -1, -1 },
    { "/job:x/replica:0/task:1/device:CPU:*", "x", "CPU", 0, 1, -1 },
    { "/job:worker/task:3", "worker", NULL, -1, 3, -1 },
    { "/job:*/replica:*/task:*", NULL, NULL, -1, -1, -1 },
    { "/task:2/job:ps_1/cpu:4", "ps_1", "CPU", -1, 2, 4 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SluiceDeviceSpec spec;
      g_autoptr (GError) error = NULL;
      g_assert_true (sluice_device_spec_parse (&spec, cases[i].text, &error));
      g_assert_no_error (error);
      g_assert_cmpstr (spec.job, ==, cases[i].job);
      g_assert_cmpstr (spec.type, ==, cases[i].type);
      g_assert_cmpint (spec.replica, ==, cases[i].replica);
      g_assert_cmpint (spec.task, ==, cases[i].task);
      g_assert_cmpint (spec.index, ==, cases[i].index);
      sluice_device_spec_clear (&spec);
    }
}

static void
test_parse_refuses (void)
{
  const char *const bad[] = { "/",        "//cpu:0",         "/cpu:",    "/cpu:x",
                              "/job:",    "/job:1",          "/task:-1", "/cpu:0garbage/",
                              "CPU:0 ",   "cpu:99999999999", "/ä:0",     ":0",
                              "/device:", "/replica:a" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      SluiceDeviceSpec spec;
      g_autoptr (GError) error = NULL;
      g_assert_false (sluice_device_spec_parse (&spec, bad[i], &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, bad[i]));
    }
}

static gboolean
matches (const char *text, const SluiceDevice *device)
{
  SluiceDeviceSpec spec;
  g_assert_true (sluice_device_spec_parse (&spec, text, NULL));
  gboolean result = sluice_device_spec_matches (&spec, device);
  sluice_device_spec_clear (&spec);
  return result;
}

static void
test_matches (void)
{
  g_autoptr (SluiceDevice) cpu = sluice_device_new_cpu (NULL, 1, 0, NULL);
  g_assert_cmpstr (cpu->name, ==, "/job:localhost/replica:0/task:0/device:CPU:1");
  g_assert_true (matches ("", cpu));
  g_assert_true (matches ("/cpu:1", cpu));
  g_assert_true (matches ("/cpu:*", cpu));
  g_assert_true (matches ("/job:localhost/task:0", cpu));
  g_assert_false (matches ("/cpu:0", cpu));
  g_assert_false (matches ("/gpu:1", cpu));
  g_assert_false (matches ("/job:ps", cpu));
  g_assert_false (matches ("/task:1/cpu:1", cpu));
  g_autoptr (SluiceDevice) null = sluice_device_new_null (NULL, 0);
  g_assert_false (null->klass->computes);
  g_assert_true (matches ("/device:NULL:0", null));
}

static void
check_merge (const char *a, const char *b, const char *job, const char *type, int task, int index)
{
  SluiceDeviceSpec x, y;
  g_assert_true (sluice_device_spec_parse (&x, a, NULL));
  g_assert_true (sluice_device_spec_parse (&y, b, NULL));
  g_assert_true (sluice_device_spec_merge (&x, &y));
  g_assert_cmpstr (x.job, ==, job);
  g_assert_cmpstr (x.type, ==, type);
  g_assert_cmpint (x.task, ==, task);
  g_assert_cmpint (x.index, ==, index);
  sluice_device_spec_clear (&x);
  sluice_device_spec_clear (&y);
}

static void
test_merge (void)
{
  check_merge ("", "/job:w/cpu:0", "w", "CPU", -1, 0);
  check_merge ("/job:w", "/task:2", "w", NULL, 2, -1);
  check_merge ("/cpu:*", "/device:CPU:3", NULL, "CPU", -1, 3);
  check_merge ("/task:1/cpu:0", "/task:1/cpu:0", NULL, "CPU", 1, 0);

  const char *const contrary[][2] = {
    { "/cpu:0", "/cpu:1" }, { "/cpu:0", "/gpu:0" }, { "/job:a", "/job:b" }, { "/task:0", "/task:1" }
  };
  for (guint i = 0; i < G_N_ELEMENTS (contrary); i++)
    {
      SluiceDeviceSpec x, y;
      g_assert_true (sluice_device_spec_parse (&x, contrary[i][0], NULL));
      g_assert_true (sluice_device_spec_parse (&y, contrary[i][1], NULL));
      g_assert_false (sluice_device_spec_merge (&x, &y));
      sluice_device_spec_clear (&x);
      sluice_device_spec_clear (&y);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device/spec/parse", test_parse);
  g_test_add_func ("/device/spec/refuses", test_parse_refuses);
  g_test_add_func ("/device/spec/matches", test_matches);
  g_test_add_func ("/device/spec/merge", test_merge);
  return g_test_run ();
}
