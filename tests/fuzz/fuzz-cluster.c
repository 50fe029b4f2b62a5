/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes descriptions of clusters, as text and as TF_CONFIG: what is read as one is a cluster whose
 * text gives the same, and the rest is refused with a reason. */
#include "engine/base/text.h"
#include "engine/device/device.h"
#include "tests/fuzz/fuzz-driver.h"

static guint n_texts, n_configs;

static void
check (const SluiceCluster *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = sluice_cluster_to_text (self);
  g_autofree char *own = sluice_cluster_dup_own_name (self);
  SluiceDeviceSpec spec;
  g_assert_true (sluice_device_spec_parse (&spec, own, &error));
  g_assert_cmpstr (spec.job, ==, self->jobs[self->own_job].name);
  g_assert_cmpint (spec.task, ==, (int) self->own_task);
  sluice_device_spec_clear (&spec);
  if (self->jobs[self->own_job].addresses[self->own_task] == NULL)
    return; /* it is alone */
  g_autoptr (SluiceCluster) again = sluice_cluster_parse (text, own, &error);
  g_assert_no_error (error);
  g_autofree char *same = sluice_cluster_to_text (again);
  g_assert_cmpstr (same, ==, text);
}

/* "TEXT|OWN": a cluster and who of it this is. */
static void
try_text (char *text)
{
  g_autoptr (GError) error = NULL;
  char *bar = strrchr (text, '|');
  if (bar != NULL)
    *bar = '\0';
  g_autoptr (SluiceCluster) cluster =
      sluice_cluster_parse (text, bar != NULL ? bar + 1 : "worker:0", &error);
  g_assert_true ((cluster != NULL) == (error == NULL));
  n_texts += cluster != NULL;
  if (cluster != NULL)
    check (cluster);
  else if (g_utf8_validate (text, -1, NULL))
    g_assert_true (sluice_text_is_visible (error->message));
}

static void
try_config (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceCluster) cluster = sluice_cluster_parse_tf_config (text, &error);
  g_assert_true ((cluster != NULL) == (error == NULL));
  n_configs += cluster != NULL;
  if (cluster != NULL)
    check (cluster);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup (data != NULL ? (const char *) data : "", size);
  try_config (text);
  try_text (text);
  return 0;
}

void
fuzz_init (void)
{
}

void
fuzz_check_met (void)
{
  g_assert_cmpuint (n_texts, >=, 3);
  g_assert_cmpuint (n_configs, >=, 3);
}

GPtrArray *
fuzz_seeds (void)
{
  static const char *const seeds[] = {
    "worker=a:2222,b:2222;ps=c.example.com:1|ps:0",
    "worker=,10.0.0.1:80,,[::1]:65535|/job:worker/task:1",
    "chief=h-1_x:22|chief:0",
    ("{\"cluster\": {\"worker\": [\"a:1\", \"b:2\"], \"ps\": {\"3\": \"c:3\"}}, "
     "\"task\": {\"type\": \"worker\", \"index\": 1}, \"environment\": \"cloud\"}"),
    "{\"cluster\": {\"chief\": [\"a:1\"]}, \"task\": {\"type\": \"chief\", \"index\": \"0\"}}",
    "{\"task\": {\"type\": \"worker\", \"index\": 0}}",
  };
  return fuzz_texts (seeds, G_N_ELEMENTS (seeds));
}
