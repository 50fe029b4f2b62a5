/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/vary.h"

#include <string.h>

#include "engine/base/error.h"
#include "tests/lib/sample-project.h"

typedef struct
{
  SluiceProject *project;
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  f->project = sample_load_project ("digits-mlp");
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  sluice_project_free (f->project);
}

static char *
vary (Fixture *f, const SluiceVary *self, const char *key, guint64 *count)
{
  g_autoptr (GError) error = NULL;
  char *text = sluice_vary_dup_text (self, key, f->project, count, &error);
  g_assert_no_error (error);
  return text;
}

static void
test_values (Fixture *f, gconstpointer unused)
{
  static const char *const values[] = { "0.1", "0.03", NULL };
  const SluiceVary self = { .kind = SLUICE_VARY_VALUES, .values = values };
  guint64 count;
  g_autofree char *text = vary (f, &self, "learning-rate", &count);
  g_assert_cmpstr (text, ==, "learning-rate=0.1,0.03");
  g_assert_cmpuint (count, ==, 2);
}

static void
test_grid (Fixture *f, gconstpointer unused)
{
  const SluiceVary self = {
    .kind = SLUICE_VARY_GRID, .low = "0.001", .high = "0.1", .n = "5", .is_log = TRUE
  };
  guint64 count;
  g_autofree char *text = vary (f, &self, "learning-rate", &count);
  g_assert_cmpstr (text, ==, "learning-rate=0.001..0.1/5:log");
  g_assert_cmpuint (count, ==, 5);
}

/* The same seed draws the same ones, more of them begin with the fewer, each is there once. */
static void
test_random (Fixture *f, gconstpointer unused)
{
  SluiceVary self = {
    .kind = SLUICE_VARY_RANDOM, .low = "0.3", .high = "0.7", .n = "2", .seed = 7
  };
  guint64 count;
  g_autofree char *two = vary (f, &self, "learning-rate", &count);
  g_assert_cmpuint (count, ==, 2);
  self.n = "3";
  g_autofree char *three = vary (f, &self, "learning-rate", &count);
  g_assert_true (g_str_has_prefix (three, two));
  self.seed = 8;
  g_autofree char *others = vary (f, &self, "learning-rate", &count);
  g_assert_cmpstr (others, !=, three);
}

/* A range of whole numbers may have fewer than are asked for. */
static void
test_few (Fixture *f, gconstpointer unused)
{
  const SluiceVary self = { .kind = SLUICE_VARY_RANDOM, .low = "1", .high = "3", .n = "50" };
  guint64 count;
  g_autofree char *text = vary (f, &self, "train.seed", &count);
  g_auto (GStrv) values = g_strsplit (strchr (text, '='), ",", -1);
  g_assert_cmpuint (count, ==, g_strv_length (values));
  g_assert_cmpuint (count, <=, 3);
}

static void
test_refused (Fixture *f, gconstpointer unused)
{
  static const char *const none[] = { NULL };
  static const char *const words[] = { "many", NULL };
  const SluiceVary wrong[] = {
    { .kind = SLUICE_VARY_VALUES, .values = none },
    { .kind = SLUICE_VARY_VALUES, .values = words },
    { .kind = SLUICE_VARY_GRID, .low = "", .high = "1", .n = "3" },
    { .kind = SLUICE_VARY_GRID, .low = "1", .high = "2", .n = "0" },
    { .kind = SLUICE_VARY_GRID, .low = "1", .high = "2", .n = "99999999999999999999" },
    { .kind = SLUICE_VARY_RANDOM, .low = "a", .high = "b", .n = "3" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;
      guint64 count;
      g_test_message ("%u", i);
      g_assert_null (sluice_vary_dup_text (&wrong[i], "learning-rate", f->project, &count, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_assert_cmpuint (count, ==, 0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/app/launch/vary/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("values", test_values);
  ADD ("grid", test_grid);
  ADD ("random", test_random);
  ADD ("few", test_few);
  ADD ("refused", test_refused);
  return g_test_run ();
}
