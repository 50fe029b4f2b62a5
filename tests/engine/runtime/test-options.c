/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The table of what a person may choose of a session. */
#include "engine/runtime/session/options.h"

#include <string.h>

#include "engine/base/error.h"

/* Every row: a name of its own, a default that an empty struct has, and what is set comes back. */
static void
test_rows (void)
{
  guint n;
  const SluiceOption *list = sluice_options_list (&n);
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < n; i++)
    {
      const SluiceOption *option = &list[i];
      g_autoptr (GError) error = NULL;
      SluiceSessionOptions options = { 0 }, empty = { 0 };
      const char *cli = option->cli_name ? option->cli_name : option->key;
      g_assert_true (sluice_options_find (option->key) == option);
      g_assert_true (g_hash_table_add (names, (gpointer) cli));
      if (option->type == SLUICE_OPTION_PATH)
        continue;
      g_assert_cmpuint (option->size, ==, option->type == SLUICE_OPTION_BOOL ? 4 : option->size);
      g_assert_cmpint (sluice_option_get (option, &empty), ==, option->default_value);
      gint64 other = option->default_value ? 0 : MIN (option->maximum, 7);
      sluice_option_set (option, &options, other, &error);
      g_assert_no_error (error);
      g_assert_cmpint (sluice_option_get (option, &options), ==, other);
      g_assert_cmpint (memcmp (&options, &empty, sizeof options), !=, 0);
      g_autofree char *text = sluice_option_to_text (option, &options);
      SluiceSessionOptions again = { 0 };
      sluice_option_parse (option, &again, text, &error);
      g_assert_no_error (error);
      g_assert_cmpint (memcmp (&options, &again, sizeof options), ==, 0);
    }
}

static void
assert_refused (const char *key, const char *text, const char *says)
{
  g_autoptr (GError) error = NULL;
  SluiceSessionOptions options = { 0 }, empty = { 0 };
  g_assert_false (sluice_option_parse (sluice_options_find (key), &options, text, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, says));
  g_assert_cmpint (memcmp (&options, &empty, sizeof options), ==, 0);
}

static void
test_texts (void)
{
  g_autoptr (GError) error = NULL;
  SluiceSessionOptions options = { 0 };
  const SluiceOption *limit = sluice_options_find ("memory-limit");
  g_assert_true (sluice_option_parse (limit, &options, "64M", &error));
  g_assert_cmpuint (options.memory_limit, ==, 64 << 20);
  g_assert_true (sluice_option_parse (limit, &options, "2g", &error));
  g_assert_cmpuint (options.memory_limit, ==, G_GUINT64_CONSTANT (2) << 30);
  g_assert_true (sluice_option_parse (limit, &options, "500000", &error));
  g_assert_cmpuint (options.memory_limit, ==, 500000);
  for (guint i = 0; i < 6; i++)
    assert_refused ("memory-limit",
                    (const char *[]){ "64Q", "", "M", "-1", "64M5", "99999999T" }[i], "bytes");
  assert_refused ("cpus", "two", "a whole number");
  assert_refused ("cpus", "1025", "at least 0 and at most 1024");
  assert_refused ("cpus", "-1", "at least 0 and at most 1024");
  assert_refused ("recompute", "yes", "true or false");
  const SluiceOption *folder = sluice_options_find ("swap-folder");
  const char *path = "somewhere";
  g_assert_true (sluice_option_parse (folder, &options, path, &error));
  g_assert_true (options.swap_folder == path);
  g_autofree char *said = sluice_option_to_text (folder, &options);
  g_assert_cmpstr (said, ==, path);
  g_assert_true (sluice_option_parse (folder, &options, "", &error));
  g_assert_null (options.swap_folder);
  g_assert_null (sluice_options_find ("recomput"));
  g_assert_cmpstr (sluice_options_suggest_key ("recomput", SLUICE_OPTION_API), ==, "recompute");
  g_assert_null (
      sluice_options_suggest_key ("thread", SLUICE_OPTION_API)); /* there only on the CLI */
}

/* A session that shares plans chooses for itself what these do not depend on, and nothing else. */
static void
test_own (void)
{
  const SluiceSessionOptions from = { .seed = 7,
                                      .max_iterations = 9,
                                      .keep_waiting = TRUE,
                                      .n_cpus = 4,
                                      .recompute = TRUE,
                                      .no_fusion = TRUE,
                                      .ordered = TRUE,
                                      .nan_guard = TRUE };
  SluiceSessionOptions to = { .n_cpus = 2 };
  sluice_options_copy (&to, &from, SLUICE_OPTION_OWN);
  g_assert_cmpuint (to.seed, ==, 7);
  g_assert_cmpuint (to.max_iterations, ==, 9);
  g_assert_true (to.keep_waiting);
  g_assert_cmpuint (to.n_cpus, ==, 2);
  g_assert_false (to.recompute || to.no_fusion || to.ordered || to.nan_guard);
}

/* What a run is given of the machine is told apart from what is the work's. */
static void
test_machine (void)
{
  const SluiceSessionOptions from = {
    .n_threads = 3, .memory_limit = 1 << 20, .swap_folder = "here", .n_cpus = 4, .seed = 7
  };
  SluiceSessionOptions to = { .n_cpus = 2, .seed = 1 };
  sluice_options_copy (&to, &from, SLUICE_OPTION_MACHINE);
  g_assert_cmpuint (to.n_threads, ==, 3);
  g_assert_cmpuint (to.memory_limit, ==, 1 << 20);
  g_assert_cmpstr (to.swap_folder, ==, "here");
  g_assert_cmpuint (to.n_cpus, ==, 2);
  g_assert_cmpuint (to.seed, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/runtime/options/rows", test_rows);
  g_test_add_func ("/runtime/options/texts", test_texts);
  g_test_add_func ("/runtime/options/own", test_own);
  g_test_add_func ("/runtime/options/machine", test_machine);
  return g_test_run ();
}
