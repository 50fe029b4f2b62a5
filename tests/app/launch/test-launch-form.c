/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/launch-form.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/runtime/session/options.h"
#include "engine/train/project.h"
#include "kernels/registry.h"
#include "tests/lib/sample-project.h"
#include "tests/remove-tree.h"

static char *sample;

static const SluiceLaunchSetting *
find_row (GPtrArray *rows, const char *group, const char *key)
{
  for (guint i = 0; i < rows->len; i++)
    {
      const SluiceLaunchSetting *row = rows->pdata[i];
      if (g_str_equal (row->group, group) && g_str_equal (row->key, key))
        return row;
    }
  return NULL;
}

/* Whatever project.ini may say can be said otherwise for one run. */
static void
test_all_keys (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceProject) project = sluice_project_load (sample, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceLaunchForm) form = sluice_launch_form_load (sample, -1, &error);
  g_assert_no_error (error);
  GPtrArray *rows = form->settings;
  g_autofree char *text = sluice_project_dup_text (project);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_assert_true (g_key_file_load_from_data (file, text, strlen (text), G_KEY_FILE_NONE, &error));
  static const char *const groups[] = { "project", "train", "data", "evaluate" };
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    {
      g_auto (GStrv) keys = g_key_file_get_keys (file, groups[i], NULL, NULL);
      for (guint k = 0; keys[k] != NULL; k++)
        {
          g_autofree char *value = g_key_file_get_string (file, groups[i], keys[k], NULL);
          const SluiceLaunchSetting *row = find_row (rows, groups[i], keys[k]);
          if (g_str_equal (keys[k], "graph"))
            continue;
          g_test_message ("%s.%s", groups[i], keys[k]);
          g_assert_nonnull (row);
          g_assert_cmpstr (row->value, ==, value);
        }
    }
  guint n;
  const SluiceOption *options = sluice_options_list (&n);
  for (guint i = 0; i < n; i++)
    if (options[i].flags & SLUICE_OPTION_PROJECT)
      g_assert_nonnull (
          find_row (rows, options[i].flags & SLUICE_OPTION_MACHINE ? SLUICE_LAUNCH_NEEDS : "train",
                    options[i].key));
  const SluiceLaunchSetting *rate = find_row (rows, "", "learning-rate");
  g_assert_nonnull (rate);
  g_assert_cmpstr (rate->value, ==, "0.003");
  g_assert_cmpstr (rate->from, ==, "train/learning_rate");
  g_assert_cmpint (rate->effect, ==, SLUICE_EFFECT_NEXT_STEP);
  g_assert_false (rate->is_gone);
  g_assert_cmpint (find_row (rows, "train", "steps")->effect, ==, SLUICE_EFFECT_NOW);
  g_assert_cmpint (find_row (rows, "train", "batch")->effect, ==, SLUICE_EFFECT_RESTART);
}

/* What the form offers is taken as it stands. */
static void
test_assignments (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceProject) project = sluice_project_load (sample, &error);
  g_autoptr (SluiceLaunchForm) form = sluice_launch_form_load (sample, -1, &error);
  g_assert_no_error (error);
  GPtrArray *rows = form->settings;
  for (guint i = 0; i < rows->len; i++)
    {
      const SluiceLaunchSetting *row = rows->pdata[i];
      if (strcmp (row->group, SLUICE_LAUNCH_NEEDS) == 0)
        continue; /* of the queue, no setting of the project */
      g_autofree char *name = sluice_launch_setting_dup_name (row);
      g_autofree char *assignment = g_strconcat (name, "=", row->value, NULL);
      g_test_message ("%s", assignment);
      sluice_project_set (project, assignment, &error);
      g_assert_no_error (error);
    }
}

/* What a project says of its device stands where a run is told what it is to have. */
static void
test_device (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("sluice-form-XXXXXX", &error);
  g_autoptr (SluiceProject) project = sluice_project_load (sample, &error);
  g_assert_no_error (error);
  char *settings[] = { "train.device=SIM:2", "train.device-options=memory=256M,latency=1ms", NULL };
  g_assert_true (sluice_project_set_all (project, settings, &error));
  g_assert_false (sluice_project_set (project, "device-options=memory=lots", &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "memory=lots"));
  g_clear_error (&error);
  g_assert_false (sluice_project_set (project, "device=SIM:", &error));
  g_clear_error (&error);
  g_assert_true (sluice_project_save (project, folder, &error));
  g_assert_no_error (error);
  g_autoptr (SluiceLaunchForm) form = sluice_launch_form_load (folder, -1, &error);
  g_assert_no_error (error);
  const SluiceLaunchSetting *device =
      find_row (form->settings, SLUICE_LAUNCH_NEEDS, SLUICE_LAUNCH_DEVICE);
  g_assert_cmpstr (device->value, ==, "SIM:2");
  g_assert_cmpstr (device->choices[0], ==, "CPU:0");
  g_assert_true (g_strv_contains ((const char *const *) device->choices, "SIM:0"));
  g_assert_true (g_strv_contains ((const char *const *) device->choices, "SIM:2"));
  g_assert_cmpstr (
      find_row (form->settings, SLUICE_LAUNCH_NEEDS, SLUICE_LAUNCH_DEVICE_OPTIONS)->value, ==,
      "memory=256M,latency=1ms");
  remove_tree (folder);
}

static void
test_no_project (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_launch_form_load ("/nonexistent", -1, &error));
  g_assert_nonnull (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sample = sample_dup_folder ("digits-mlp");
  g_test_add_func ("/app/launch/form/all-keys", test_all_keys);
  g_test_add_func ("/app/launch/form/assignments", test_assignments);
  g_test_add_func ("/app/launch/form/device", test_device);
  g_test_add_func ("/app/launch/form/no-project", test_no_project);
  int status = g_test_run ();
  g_free (sample);
  return status;
}
