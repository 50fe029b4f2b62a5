/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Descriptions of clusters: TensorFlow's forms, what is wrong with others, and names of devices. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/device/device.h"

static void
check_words (const GError *error, const char *word)
{
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  if (!strstr (error->message, word))
    g_error ("'%s' does not say '%s'", error->message, word);
}

static void
test_local (void)
{
  SluiceCluster *local = sluice_cluster_get_local ();
  g_autofree char *name = sluice_cluster_dup_own_name (local);
  g_assert_cmpstr (name, ==, "/job:localhost/replica:0/task:0");
  g_assert_true (sluice_cluster_ref (local) == local);
  sluice_cluster_unref (local);
  g_autoptr (SluiceDevice) device = sluice_device_new_null (NULL, 4);
  g_assert_cmpstr (device->name, ==, "/job:localhost/replica:0/task:0/device:NULL:4");
}

static void
check_three (const SluiceCluster *self)
{
  g_assert_cmpuint (self->n_jobs, ==, 2);
  const SluiceJob *worker = sluice_cluster_find_job (self, "worker", NULL);
  const SluiceJob *ps = sluice_cluster_find_job (self, "ps", NULL);
  g_assert_cmpuint (worker->n_tasks, ==, 2);
  g_assert_cmpstr (worker->addresses[0], ==, "a:2222");
  g_assert_cmpstr (worker->addresses[1], ==, "[::1]:2222");
  g_assert_cmpuint (ps->n_tasks, ==, 2);
  g_assert_null (ps->addresses[0]);
  g_assert_cmpstr (ps->addresses[1], ==, "c-1.example.com:65535");
  g_autofree char *text = sluice_cluster_to_text (self);
  g_assert_cmpstr (text, ==, "worker=a:2222,[::1]:2222;ps=,c-1.example.com:65535");
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_cluster_find_job (self, "wroker", &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "did you mean 'worker'?"));
}

/* Devices are called after the process. */
static void
check_device (const SluiceCluster *self, const char *name, const char *spec_text)
{
  SluiceDeviceSpec spec;
  g_autoptr (SluiceDevice) device = sluice_device_new_cpu (self, 2, 0, NULL);
  g_assert_cmpstr (device->name, ==, name);
  g_assert_cmpstr (device->short_name, ==, "CPU:2");
  g_assert_cmpuint (device->incarnation, ==, self->incarnation);
  g_assert_true (sluice_device_spec_parse (&spec, spec_text, NULL));
  g_assert_true (sluice_device_spec_matches (&spec, device));
  sluice_device_spec_clear (&spec);
}

static void
test_text (void)
{
  static const char *const owns[] = { "ps:1", "/job:ps/task:1", "/job:ps/replica:0/task:1" };
  for (guint i = 0; i < G_N_ELEMENTS (owns); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceCluster) self = sluice_cluster_parse (
          "worker=a:2222,[::1]:2222;ps=,c-1.example.com:65535", owns[i], &error);
      g_assert_no_error (error);
      check_three (self);
      check_device (self, "/job:ps/replica:0/task:1/device:CPU:2", "/job:ps/task:1");
    }
}

static void
test_tf_config (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceCluster) self = sluice_cluster_parse_tf_config (
      "{\"cluster\": {\"worker\": [\"a:2222\", \"[::1]:2222\"], "
      "\"ps\": {\"1\": \"c-1.example.com:65535\"}}, "
      "\"task\": {\"type\": \"worker\", \"index\": 1, \"trial\": \"3\"}, \"rpc_layer\": \"grpc\"}",
      &error);
  g_assert_no_error (error);
  check_three (self);
  check_device (self, "/job:worker/replica:0/task:1/device:CPU:2", "/job:worker/cpu:2");
  static const char *const alone[] = {
    "{}", "{\"cluster\": {}}", "{\"cluster\": null, \"task\": {\"type\": \"worker\", \"index\": 0}}"
  };
  for (guint i = 0; i < G_N_ELEMENTS (alone); i++)
    {
      g_autoptr (SluiceCluster) local = sluice_cluster_parse_tf_config (alone[i], &error);
      g_assert_no_error (error);
      g_assert_true (local == sluice_cluster_get_local ());
    }
}

static void
test_bad_text (void)
{
  static const struct
  {
    const char *text, *own, *word;
  } cases[] = {
    { "", "worker:0", "has a job" },
    { "worker", "worker:0", "'worker' is no job with tasks" },
    { "worker=a:1;", "worker:0", "'' is no job with tasks" },
    { "worker=", "worker:0", "without the address" },
    { "worker=a:1,", "worker:0", "without the address" },
    { "1w=a:1", "1w:0", "'1w' is no name of a job" },
    { "w-1=a:1", "w:0", "'w-1' is no name of a job" },
    { "w\x1b=a:1", "w:0", "'w\\x1b' is no name of a job" },
    { "w=a:1;w=b:1", "w:0", "job 'w' is there twice" },
    { "w=a:1,a:1", "w:0", "the address 'a:1' of task 0 of job 'w'" },
    { "w=a:1;v=a:1", "w:0", "the address 'a:1' of task 0 of job 'w'" },
    { "w=a", "w:0", "'a' is no address" },
    { "w=a:", "w:0", "'a:' is no address" },
    { "w=:1", "w:0", "':1' is no address" },
    { "w=a:0", "w:0", "'a:0' is no address" },
    { "w=a:65536", "w:0", "'a:65536' is no address" },
    { "w=a:+1", "w:0", "'a:+1' is no address" },
    { "w=a:000001", "w:0", "'a:000001' is no address" },
    { "w=a b:1", "w:0", "'a b:1' is no address" },
    { "w=grpc://a:1", "w:0", "'grpc://a:1' is no address" },
    { "w=::1:80", "w:0", "'::1:80' is no address" },
    { "w=[::1:80", "w:0", "'[::1:80' is no address" },
    { "w=[]:80", "w:0", "'[]:80' is no address" },
    { "w=a:1", "v:0", "no job 'v'" },
    { "w=a:1", "w:1", "job 'w' has no task 1, its last one is 0" },
    { "w=,a:1", "w:0", "job 'w' has no task 0, its last one is 1" },
    { "w=a:1", "w", "'w' is no task" },
    { "w=a:1", "w:x", "'w:x' is no task" },
    { "w=a:1", "/job:w", "'/job:w' is no task" },
    { "w=a:1", "/job:w/task:0/cpu:0", "is no task" },
    { "w=a:1", "/job:w/replica:1/task:0", "is no task" },
    { "w=a:1", "", "'' is no task" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (sluice_cluster_parse (cases[i].text, cases[i].own, &error));
      check_words (error, cases[i].word);
    }
}

#define TASK "\"task\": {\"type\": \"w\", \"index\": 0}"

static void
test_bad_tf_config (void)
{
  static const struct
  {
    const char *json, *word;
  } cases[] = {
    { "", "no object" },
    { "[]", "no object" },
    { "{", "TF_CONFIG" },
    { "{\"cluster\": [], " TASK "}", "\"cluster\" is no object" },
    { "{\"cluster\": {\"w\": [\"a:1\"]}, \"task\": 3}", "\"task\" is no object" },
    { "{\"cluster\": {\"w\": \"a:1\"}, " TASK "}", "job 'w' is no list" },
    { "{\"cluster\": {\"w\": []}, " TASK "}", "job 'w' has no tasks" },
    { "{\"cluster\": {\"w\": {}}, " TASK "}", "job 'w' has no tasks" },
    { "{\"cluster\": {\"w\": [3]}, " TASK "}", "task 0 of job 'w' is no text" },
    { "{\"cluster\": {\"w\": [null]}, " TASK "}", "task 0 of job 'w' is no text" },
    { "{\"cluster\": {\"w\": {\"x\": \"a:1\"}}, " TASK "}", "'x' is no number of a task" },
    { "{\"cluster\": {\"w\": {\"65536\": \"a:1\"}}, " TASK "}", "up to 65536 tasks" },
    { "{\"cluster\": {\"w\": {\"0\": \"a:1\", \"00\": \"b:1\"}}, " TASK "}", "there twice" },
    { "{\"cluster\": {\"w\": [\"a:1\"]}}", "which task this process is" },
    { "{\"cluster\": {\"w\": [\"a:1\"]}, \"task\": {\"type\": \"w\"}}", "which task" },
    { "{\"cluster\": {\"w\": [\"a:1\"]}, \"task\": {\"type\": \"w\", \"index\": -1}}",
      "which task" },
    { "{\"cluster\": {\"w\": [\"a:1\"]}, \"task\": {\"type\": \"w\", \"index\": 0.5}}",
      "which task" },
    { "{\"cluster\": {\"w\": [\"a:1\"]}, \"task\": {\"type\": \"w\", \"index\": 7}}",
      "has no task 7" },
    { "{\"cluster\": {\"w\": [\"a:1\"]}, \"task\": {\"type\": \"evaluator\", \"index\": 0}}",
      "no job 'evaluator' in the cluster, which has 'w'" },
    { "{\"task\": {\"type\": \"ps\", \"index\": 0}}", "no \"cluster\"" },
    { "{\"task\": {\"type\": \"worker\", \"index\": 1}}", "no \"cluster\"" },
    { "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "too deep" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (sluice_cluster_parse_tf_config (cases[i].json, &error));
      check_words (error, cases[i].word);
    }
}

/* As many tasks as may be, and one more: over all jobs, gaps counted. */
static void
test_many (void)
{
  g_autoptr (GString) text = g_string_new ("v=x:1,y:1;w=");
  for (guint i = 2; i < SLUICE_MAX_TASKS; i++)
    g_string_append_printf (text, "%sh%u:1", i > 2 ? "," : "", i);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceCluster) self = sluice_cluster_parse (text->str, "w:9", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sluice_cluster_find_job (self, "w", NULL)->n_tasks, ==, SLUICE_MAX_TASKS - 2);
  g_string_append (text, ",more:1");
  g_assert_null (sluice_cluster_parse (text->str, "w:9", &error));
  check_words (error, "up to 65536 tasks");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cluster/local", test_local);
  g_test_add_func ("/cluster/text", test_text);
  g_test_add_func ("/cluster/tf-config", test_tf_config);
  g_test_add_func ("/cluster/bad-text", test_bad_text);
  g_test_add_func ("/cluster/bad-tf-config", test_bad_tf_config);
  g_test_add_func ("/cluster/many", test_many);
  return g_test_run ();
}
