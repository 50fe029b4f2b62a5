/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/launch-draft.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/store/runs.h"
#include "tests/remove-tree.h"

typedef struct
{
  char *folder;
  SluiceStore *store;
  gint64 run;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  f->folder = g_dir_make_tmp ("sluice-draft-XXXXXX", NULL);
  f->store = sluice_store_open (f->folder, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_clear_object (&f->store);
  remove_tree (f->folder);
  g_free (f->folder);
}

/* As a window does that knows @before. (transfer full) (nullable): what came of both */
static char *
save (Fixture *f, const char *text, const char *before)
{
  g_autoptr (GError) error = NULL;
  const SluiceLaunchDraft draft = { .name = "d",
                                    .project = "p",
                                    .n_steps = 5,
                                    .text = (char *) text,
                                    .before = (char *) before,
                                    .is_empty = *text == '\0' };
  char *merged = NULL;
  g_assert_true (sluice_launch_draft_save (&draft, f->store, &f->run, &merged, &error));
  g_assert_no_error (error);
  return merged;
}

static void
assert_kept (Fixture *f, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GKeyFile) file = sluice_launch_draft_load (f->store, f->run, &error);
  g_assert_no_error (error);
  g_autofree char *text = g_key_file_to_data (file, NULL, NULL);
  g_assert_cmpstr (text, ==, wanted);
}

#define FORM(name)  "[form]\nname=" name "\n"
#define SET(key, v) "\n[setting " key "]\nvalue=" v "\n"

/* Who writes second has what both changed; what both changed, as it changed it. */
static void
test_two_writers (Fixture *f, gconstpointer unused)
{
  static const char before[] = FORM ("") SET ("batch", "32") SET ("steps", "9");
  g_assert_null (save (f, before, NULL));
  g_assert_cmpint (f->run, !=, 0);
  g_assert_null (
      save (f, FORM ("one") SET ("batch", "32") SET ("steps", "10") SET ("seed", "3"), before));
  g_autofree char *merged =
      save (f, FORM ("") SET ("batch", "64") SET ("steps", "11") SET ("keep", "1"), before);
  g_assert_cmpstr (merged, ==,
                   "[setting batch]\nvalue=64\n" SET ("steps", "11")
                       SET ("keep", "1") "\n" FORM ("one") SET ("seed", "3"));
  assert_kept (f, merged);
}

/* A setting that was put back there is put back here. */
static void
test_reset (Fixture *f, gconstpointer unused)
{
  static const char before[] = FORM ("a") SET ("batch", "32") SET ("steps", "9");
  g_assert_null (save (f, before, NULL));
  g_assert_null (save (f, FORM ("a") SET ("steps", "9"), before));
  g_autofree char *merged = save (f, FORM ("a") SET ("batch", "32") SET ("steps", "7"), before);
  g_assert_nonnull (merged);
  g_assert_null (strstr (merged, "batch"));
  g_assert_nonnull (strstr (merged, "value=7"));
}

/* An emptied form needs no draft, unless another window has something in it. */
static void
test_emptied (Fixture *f, gconstpointer unused)
{
  static const char before[] = FORM ("a") SET ("steps", "9");
  g_assert_null (save (f, before, NULL));
  g_assert_null (save (f, FORM ("a") SET ("steps", "9") SET ("seed", "2"), before));
  g_autofree char *merged = save (f, "", before);
  g_assert_cmpstr (merged, ==, "[setting seed]\nvalue=2\n");
  g_assert_null (save (f, "", merged));
  g_assert_cmpint (f->run, ==, 0);
}

/* It was launched, or thrown away, in another window. */
static void
test_gone (Fixture *f, gconstpointer unused)
{
  static const char text[] = FORM ("a");
  g_assert_null (save (f, text, NULL));
  gint64 first = f->run;
  g_assert_null (save (f, "", text));
  f->run = first;
  g_assert_null (save (f, text, text));
  g_assert_cmpint (f->run, !=, 0);
  assert_kept (f, text);
}

/* Its row tells how many runs it is to be, and where they begin, as the form says now. */
static void
test_plan (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  SluiceRunInfo parent = { .name = g_strdup ("parent"), .project = (char *) "p" };
  SluiceLaunchDraft draft = { .name = (char *) "d",
                              .project = (char *) "p",
                              .n_steps = 50,
                              .variety = (char *) "3 × 2",
                              .text = (char *) FORM ("a") };
  g_autofree char *merged = NULL;
  g_assert_true (sluice_store_add_run (f->store, &parent, &error));
  draft.parent = parent.id;
  draft.parent_step = 20;
  g_assert_true (sluice_launch_draft_save (&draft, f->store, &f->run, &merged, &error));
  g_autofree char *number = g_strdup_printf ("#%" G_GINT64_FORMAT, f->run);
  g_autoptr (SluiceRunInfo) first = sluice_store_dup_run (f->store, number, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (first->message, ==, "3 × 2");
  g_assert_cmpint (first->parent, ==, parent.id);
  g_assert_cmpint (first->parent_step, ==, 20);
  draft.variety = NULL;
  draft.parent = draft.parent_step = 0;
  draft.n_steps = 60;
  draft.before = draft.text;
  g_assert_true (sluice_launch_draft_save (&draft, f->store, &f->run, &merged, &error));
  g_autoptr (SluiceRunInfo) second = sluice_store_dup_run (f->store, number, &error);
  g_assert_null (second->message);
  g_assert_cmpint (second->n_steps, ==, 60);
  g_assert_cmpint (second->parent, ==, 0);
  second->state = SLUICE_RUN_FINISHED; /* it is none any more: nobody plans it */
  g_assert_true (sluice_store_update_run (f->store, second, &error));
  second->n_steps = 70;
  g_assert_true (sluice_store_plan_draft (f->store, second, &error));
  g_autoptr (SluiceRunInfo) third = sluice_store_dup_run (f->store, number, &error);
  g_assert_cmpint (third->n_steps, ==, 60);
  g_free (parent.name);
}

/* While another window writes it is tried again later. */
static void
test_locked (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (save (f, FORM ("a"), NULL));
  g_autoptr (SluiceStore) other = sluice_store_open (f->folder, &error);
  g_assert_no_error (error);
  g_assert_true (sluice_store_lock_run (other, f->run, &error));
  const SluiceLaunchDraft draft = { .text = FORM ("b") };
  char *merged = NULL;
  g_assert_false (sluice_launch_draft_save (&draft, f->store, &f->run, &merged, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  sluice_store_unlock_run (other, f->run);
  assert_kept (f, FORM ("a"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/launch-draft/two-writers", Fixture, NULL, set_up, test_two_writers, tear_down);
  g_test_add ("/launch-draft/reset", Fixture, NULL, set_up, test_reset, tear_down);
  g_test_add ("/launch-draft/emptied", Fixture, NULL, set_up, test_emptied, tear_down);
  g_test_add ("/launch-draft/gone", Fixture, NULL, set_up, test_gone, tear_down);
  g_test_add ("/launch-draft/plan", Fixture, NULL, set_up, test_plan, tear_down);
  g_test_add ("/launch-draft/locked", Fixture, NULL, set_up, test_locked, tear_down);
  return g_test_run ();
}
