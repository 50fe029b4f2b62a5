/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What ends a run before its steps do, what somebody is told of, what the machine tells, and which
 * files of checkpoints go. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/store/checkpoints.h"
#include "engine/store/kinds/event.h"
#include "engine/train/alerts.h"
#include "engine/train/stop-rule.h"
#include "engine/train/system-probe.h"
#include "kernels/registry.h"
#include "tests/engine/train/trained.h"

/* In the build folder. */
#define FAKE_NVML "tests/engine/train/fake-nvml.so"

static SluiceRunInfo *
dup_run (Fixture *f, const char *name)
{
  g_autoptr (GError) error = NULL;
  SluiceRunInfo *info = sluice_store_dup_run (f->store, name, &error);
  g_assert_no_error (error);
  return info;
}

/* Texts of events of a kind, each a line behind its step. (transfer full) */
static char *
dup_events (Fixture *f, const char *run, const char *kind)
{
  g_autoptr (SluiceRunInfo) info = dup_run (f, run);
  g_autoptr (GPtrArray) events = sluice_store_read_events (f->store, info->id, NULL);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < events->len; i++)
    {
      const SluiceEvent *event = events->pdata[i];
      if (strcmp (event->kind, kind) == 0)
        g_string_append_printf (text, "%d %s\n", (int) event->base.step, event->text);
    }
  return g_string_free (text, FALSE);
}

/* ---- the rule ---- */

/* The step, from 1, at which such values end a run; 0: none does. */
static gint64
ends_at (const SluiceProject *project, gboolean is_max, const double *values, guint n)
{
  SluiceStopRule rule;
  sluice_stop_rule_init (&rule, is_max);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *why = sluice_stop_rule_take (&rule, project, i + 1, values[i]);
      if (why != NULL)
        return i + 1;
    }
  return 0;
}

static void
test_rule (void)
{
  static const double falling[] = { 5, 4, 4.5, 3.9, 3.95, 3.92, 3.91, 2 };
  SluiceProject p = { .stop_metric = (char *) "loss:min", .stop_target = NAN };
#define ENDS(is_max, values) ends_at (&p, is_max, values, G_N_ELEMENTS (values))
  g_assert_cmpint (ENDS (FALSE, falling), ==, 0);
  p.stop_patience = 3;
  g_assert_cmpint (ENDS (FALSE, falling), ==, 7);
  p.stop_patience = 4;
  g_assert_cmpint (ENDS (FALSE, falling), ==, 0);
  p.stop_min_delta = 0.5;
  g_assert_cmpint (ENDS (FALSE, falling), ==, 6);
  g_assert_cmpint (ENDS (TRUE, falling), ==, 5);
  p.stop_patience = 0;
  p.stop_target = 3.92;
  g_assert_cmpint (ENDS (FALSE, falling), ==, 4);
  g_assert_cmpint (ENDS (TRUE, falling), ==, 1);
  static const double broken[] = { 5, NAN, INFINITY, 4 };
  p.stop_target = NAN;
  g_assert_cmpint (ENDS (FALSE, broken), ==, 0);
  p.stop_non_finite = TRUE;
  g_assert_cmpint (ENDS (FALSE, broken), ==, 2);
  p.stop_non_finite = FALSE;
  p.stop_patience = 2;
  g_assert_cmpint (ENDS (FALSE, broken), ==, 3);
#undef ENDS
}

/* A run that it ends has finished, and says why; one that was stopped and resumed on the way ends
 * at the same step. */
static void
test_stop (Fixture *f, gconstpointer unused)
{
  folder_write_project (&f->folder, "[stop]\nmetric=loss:min\npatience=6\n");
  g_autofree char *whole = train (f, NULL, NULL);
  g_autoptr (SluiceRunInfo) info = dup_run (f, whole);
  g_test_message ("step %d: %s", (int) info->step, info->message);
  g_assert_cmpint (info->step, >, 8);
  g_assert_cmpint (info->step, <, 40);
  g_assert_nonnull (strstr (info->message, "for 6 values"));
  g_autofree char *events = dup_events (f, whole, "stopped-early");
  g_assert_true (g_str_has_suffix (events, "for 6 values\n"));
  stop_at (f, "parts", info->step - 3);
  SluiceTrainerOptions options = { .resume = "parts" };
  g_autofree char *parts = train (f, &options, NULL);
  assert_same_checkpoint (f, whole, "parts", info->step);
  assert_same_series (f, whole, "parts", "loss", (guint) info->step);
}

static void
test_stop_refused (Fixture *f, gconstpointer unused)
{
  static const struct
  {
    const char *ini, *part;
  } cases[] = {
    { "[stop]\nmetric=loss\n", "loss:min" },
    { "[stop]\nmetric=evaluate/los:min\n", "its series are loss, again, evaluate/loss" },
    { "[stop]\npatence=3\n", "did you mean 'patience'" },
    { "[stop]\ntarget=low\n", "must be a number" },
    { "[alert a]\nmetric=loss\n", "above, below or non-finite" },
    { "[alert a]\nabove=3\n", "and they need it" },
    { "[alert a]\ncommand=true\n", "has no condition" },
    { "[alert a]\nstalls=0\n", "must be a number" },
    { "[alert a]\ndisk-below=lots\n", "must be a size" },
    { "[alert a]\nstals=3\n", "did you mean 'stalls'" },
    { "[alert a]\nmetric=los\nabove=1\n", "its series are" },
    { "[alert a]\nstalls=3\ncommand=\n", "must be a program" },
    { "[alert ]\nstalls=3\n", "name" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_project_refused (f, cases[i].ini, cases[i].part);
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (f->store, NULL);
  g_assert_cmpuint (runs->len, ==, 0);
}

/* ---- alerts ---- */

#define ALERTS                                                                                     \
  "[alert low]\nmetric=loss\nbelow=1e9\ncommand=sh;-c;echo $SLUICE_ALERT $SLUICE_RUN "             \
  "$SLUICE_STEP > \"$SLUICE_WORKSPACE/told\"\n"                                                    \
  "[alert high]\nmetric=evaluate/loss\nabove=1e9\nnon-finite=true\n"                               \
  "[alert disk]\ndisk-below=100000T\ncommand=sluice-no-such-program\n"

static void
test_alerts (Fixture *f, gconstpointer allow)
{
  folder_write_project (&f->folder, ALERTS);
  SluiceTrainerOptions options = { .run_name = "told", .runs_commands = allow != NULL };
  g_autoptr (SluiceTrainer) trainer = new_trainer (f, &options, NULL);
  g_autofree char *text = NULL;
  sluice_trainer_start (trainer);
  g_assert_true (sluice_trainer_wait (trainer, NULL));
  g_assert_cmpuint (sluice_trainer_get_last_alert (trainer, &text), ==, 2);
  g_autofree char *events = dup_events (f, "told", "alert");
  g_test_message ("%s", events);
  g_assert_nonnull (strstr (events, "1 low: loss is "));
  g_assert_nonnull (strstr (events, "disk: "));
  g_assert_null (strstr (events, "high: "));
  g_assert_true ((strstr (events, "--allow-commands") == NULL) == (allow != NULL));
  g_autofree char *path = folder_dup_path (&f->folder, "workspace/told");
  g_autofree char *told = NULL;
  if (allow != NULL)
    {
      while (!g_file_get_contents (path, &told, NULL, NULL) || *told == '\0')
        g_clear_pointer (&told, g_free);
      g_assert_cmpstr (told, ==, "low told 1\n");
      g_assert_nonnull (strstr (events, "sluice-no-such-program"));
    }
  else
    g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

/* A value that wavers is told of once, and again when it was well for long. */
static void
test_wavering (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  folder_write_project (&f->folder, "[alert a]\nmetric=loss\nabove=2\nnon-finite=true\n");
  g_autoptr (SluiceProject) project = load_project (f->folder.path, NULL);
  const gint64 series = 7;
  SluiceAlertsOptions options = { .series = &series, .run = "a", .workspace = f->folder.path };
  SluiceAlerts *alerts = sluice_alerts_new (project, &options, &error);
  g_assert_no_error (error);
  g_autofree char *first = NULL, *second = NULL;
  for (gint64 step = 1; step <= 301; step++)
    {
      sluice_alerts_take (alerts, 7, step, step > 101 ? 1 : step % 2 == 0 ? 3 : 1);
      sluice_alerts_take (alerts, 8, step, NAN);
      if (step == 199)
        sluice_alerts_take (alerts, 7, step, INFINITY);
    }
  g_assert_cmpuint (sluice_alerts_get_last (alerts, &first), ==, 1);
  g_assert_cmpstr (first, ==, "a: loss is 3, above 2");
  sluice_alerts_take (alerts, 7, 302, NAN);
  g_assert_cmpuint (sluice_alerts_get_last (alerts, &second), ==, 2);
  g_assert_cmpstr (second, ==, "a: loss is not finite");
  sluice_alerts_free (alerts);
}

/* No step ends: told once, until one has ended. A pause is no stall. */
static void
test_stall (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  folder_write_project (&f->folder, "[alert slow]\nstalls=0.001\n");
  g_autoptr (SluiceProject) project = load_project (f->folder.path, NULL);
  const gint64 series = 0;
  SluiceAlertsOptions options = { .series = &series, .run = "a", .workspace = f->folder.path };
  SluiceAlerts *alerts = sluice_alerts_new (project, &options, &error);
  g_assert_no_error (error);
  g_autofree char *text = NULL;
  g_assert_cmpuint (sluice_alerts_get_last (alerts, &text), ==, 0);
  sluice_alerts_beat (alerts, 5, TRUE);
  while (text == NULL)
    {
      g_usleep (200);
      g_assert_cmpuint (sluice_alerts_get_last (alerts, &text), <=, 1);
    }
  g_assert_cmpstr (text, ==, "slow: no step has ended for 0.001 s");
  sluice_alerts_free (alerts);
}

/* What the folder of a run says is what was read. */
static void
test_alerts_file (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  folder_write_project (&f->folder, ALERTS "[alert slow]\nstalls=2.5\n");
  g_autoptr (SluiceProject) project = load_project (f->folder.path, NULL);
  g_autofree char *text = sluice_project_dup_text (project);
  folder_write (&f->folder, "project.ini", text, -1);
  g_autoptr (SluiceProject) again = sluice_project_load (f->folder.path, &error);
  g_assert_no_error (error);
  g_autofree char *same = sluice_project_dup_text (again);
  g_assert_cmpstr (text, ==, same);
  const SluiceAlertRule *low = &g_array_index (again->alerts, SluiceAlertRule, 0);
  g_assert_cmpuint (g_strv_length (low->command), ==, 3);
  g_assert_true (g_str_has_prefix (low->command[2], "echo $SLUICE_ALERT"));
  g_assert_cmpfloat (g_array_index (again->alerts, SluiceAlertRule, 3).stalls, ==, 2.5);
}

/* ---- the machine ---- */

static void
write_file (const Folder *folder, const char *name, const char *text)
{
  g_autofree char *path = folder_dup_path (folder, name);
  g_autofree char *dir = g_path_get_dirname (path);
  g_assert_cmpint (g_mkdir_with_parents (dir, 0777), ==, 0);
  folder_write (folder, name, text, -1);
}

static void
test_probe (Fixture *f, gconstpointer unused)
{
  const Folder *root = &f->folder;
  SluiceSystemProbe *none = sluice_system_probe_new (root->path, root->path);
  for (guint i = 0; i < SLUICE_N_SYSTEM_VALUES; i++)
    g_assert_true (sluice_system_probe_has (none, i) == (i == SLUICE_SYSTEM_DISK_FREE));
  sluice_system_probe_free (none);
  /* Two GPUs of a library of the tests' own. */
  g_autofree char *lib = folder_dup_path (root, "usr/lib");
  g_autofree char *nvml = g_build_filename (lib, "libnvidia-ml.so.1", NULL);
  g_autofree char *fake = g_build_filename (g_getenv ("SLUICE_BUILD_DIR"), FAKE_NVML, NULL);
  g_assert_cmpint (g_mkdir_with_parents (lib, 0777), ==, 0);
  g_assert_cmpint (symlink (fake, nvml), ==, 0);
  write_file (root, "proc/self/statm", "900 10 5 1 0 3 0\n");
  write_file (root, "proc/self/io", "rchar: 5\nwrite_bytes: 4096\ncancelled_write_bytes: 1\n");
  write_file (root, "sys/class/hwmon/hwmon0/name", "nvme\n");
  write_file (root, "sys/class/hwmon/hwmon0/temp1_input", "99000\n");
  write_file (root, "sys/class/hwmon/hwmon1/name", "k10temp\n");
  write_file (root, "sys/class/hwmon/hwmon1/temp1_input", "41500\n");
  write_file (root, "sys/class/hwmon/hwmon1/temp2_input", "47000\n");
  write_file (root, "sys/class/powercap/intel-rapl:0/energy_uj", "9000000\n");
  write_file (root, "sys/class/powercap/intel-rapl:0/max_energy_range_uj", "10000000\n");
  write_file (root, "sys/class/powercap/intel-rapl:0:0/energy_uj", "1\n");
  SluiceSystemProbe *probe = sluice_system_probe_new (root->path, root->path);
  for (guint i = 0; i < SLUICE_N_SYSTEM_VALUES; i++)
    g_assert_true (sluice_system_probe_has (probe, i));
  write_file (root, "proc/self/io", "rchar: 5\nwrite_bytes: 8192\ncancelled_write_bytes: 1\n");
  write_file (root, "sys/class/powercap/intel-rapl:0/energy_uj", "9500000\n");
  g_assert_cmpfloat (sluice_system_probe_read (probe, SLUICE_SYSTEM_ENERGY), ==, 0.5);
  write_file (root, "sys/class/powercap/intel-rapl:0/energy_uj", "500000\n");
  g_assert_cmpfloat (sluice_system_probe_read (probe, SLUICE_SYSTEM_ENERGY), ==, 1.5);
  g_assert_cmpfloat (sluice_system_probe_read (probe, SLUICE_SYSTEM_TEMPERATURE), ==, 47);
  g_assert_cmpfloat (sluice_system_probe_read (probe, SLUICE_SYSTEM_WRITTEN), ==, 4096);
  g_assert_cmpfloat (sluice_system_probe_read (probe, SLUICE_SYSTEM_RESIDENT), >=, 10 * 4096);
  g_assert_cmpfloat (sluice_system_probe_read (probe, SLUICE_SYSTEM_DISK_FREE), >, 0);
  g_assert_cmpfloat (sluice_system_probe_read (probe, SLUICE_SYSTEM_GPU_LOAD), ==, 0.5);
  g_assert_cmpfloat (sluice_system_probe_read (probe, SLUICE_SYSTEM_GPU_MEMORY), ==, 5 << 20);
  g_assert_cmpfloat (sluice_system_probe_read (probe, SLUICE_SYSTEM_GPU_TEMPERATURE), ==, 61);
  double joules = sluice_system_probe_read (probe, SLUICE_SYSTEM_GPU_ENERGY);
  g_assert_cmpfloat (joules, >, 0);
  g_assert_cmpfloat (sluice_system_probe_read (probe, SLUICE_SYSTEM_GPU_ENERGY), >, joules);
  g_assert_true (sluice_system_value_is_counter (SLUICE_SYSTEM_GPU_ENERGY));
  write_file (root, "proc/self/io", "nothing\n");
  g_assert_true (isnan (sluice_system_probe_read (probe, SLUICE_SYSTEM_WRITTEN)));
  sluice_system_probe_free (probe);
}

/* A library that is none of the driver's, or whose driver is not there, brings no series. */
static void
test_no_gpu (Fixture *f, gconstpointer unused)
{
  const Folder *root = &f->folder;
  write_file (root, "usr/lib/libnvidia-ml.so.1", "no library");
  SluiceSystemProbe *probe = sluice_system_probe_new (root->path, root->path);
  g_assert_false (sluice_system_probe_has (probe, SLUICE_SYSTEM_GPU_LOAD));
  g_assert_true (isnan (sluice_system_probe_read (probe, SLUICE_SYSTEM_GPU_ENERGY)));
  sluice_system_probe_free (probe);
}

/* ---- files that were left ---- */

static void
test_left_files (Fixture *f, gconstpointer unused)
{
  stop_at (f, "left", 25);
  g_autofree char *newest = checkpoint_path (f, "left", 25);
  g_autofree char *folder = g_path_get_dirname (newest);
  static const char *const names[] = { "step-0000000007.safetensors", "step-0000000033.safetensors",
                                       "step-7.safetensors", "notes.txt" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      g_assert_true (g_file_set_contents (path, "x", 1, NULL));
    }
  SluiceTrainerOptions options = { .resume = "left", .start_paused = TRUE };
  g_autoptr (SluiceTrainer) trainer = new_trainer (f, &options, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS) == (i > 0));
    }
  g_autofree char *kept = checkpoint_path (f, "left", 20);
  g_assert_true (g_file_test (kept, G_FILE_TEST_EXISTS));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
#define ADD(name, data, func)                                                                      \
  g_test_add ("/rules/" name, Fixture, GINT_TO_POINTER (data), set_up, func, tear_down)
  g_test_add_func ("/rules/rule", test_rule);
  ADD ("stop", 0, test_stop);
  ADD ("refused", 0, test_stop_refused);
  ADD ("alerts", 0, test_alerts);
  ADD ("alerts-commands", 1, test_alerts);
  ADD ("wavering", 0, test_wavering);
  ADD ("stall", 0, test_stall);
  ADD ("alerts-file", 0, test_alerts_file);
  ADD ("probe", 0, test_probe);
  ADD ("no-gpu", 0, test_no_gpu);
  ADD ("left-files", 0, test_left_files);
#undef ADD
  return g_test_run ();
}
