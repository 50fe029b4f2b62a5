/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What the trash takes, which runs of it go by age and size, that only those go, and that they go
 * as a whole. */
#include <string.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/store/draft.h"
#include "engine/store/trash.h"
#include "tests/lib/killed.h"
#include "tests/remove-tree.h"

typedef struct
{
  char *folder;
  SluiceStore *store;
  gint64 runs[3];
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  f->folder = g_dir_make_tmp ("sluice-trash-XXXXXX", &error);
  f->store = sluice_store_open (f->folder, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (f->runs); i++)
    {
      SluiceRunInfo info = { .name = g_strdup_printf ("run-%u", i),
                             .project = (char *) "p",
                             .parent = i == 2 ? f->runs[1] : 0,
                             .parent_step = i == 2 ? 7 : 0 };
      g_assert_true (sluice_store_add_run (f->store, &info, &error));
      f->runs[i] = info.id;
      g_free (info.name);
      g_autofree char *folder = sluice_store_dup_run_folder (f->store, info.id);
      g_autofree char *file = g_build_filename (folder, "data", NULL);
      g_autofree char *bytes = g_strnfill (100000 * (i + 1), 'x');
      g_mkdir_with_parents (folder, 0777);
      g_assert_true (g_file_set_contents (file, bytes, -1, &error));
    }
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  g_clear_object (&f->store);
  remove_tree (f->folder);
  g_free (f->folder);
}

static void
test_read (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) none = sluice_store_read_trash (f->store, &error);
  g_assert_cmpuint (none->len, ==, 0);
  g_assert_true (sluice_store_delete_run (f->store, f->runs[2], &error));
  g_assert_true (sluice_store_delete_run (f->store, f->runs[0], &error));
  g_autoptr (GPtrArray) two = sluice_store_read_trash (f->store, &error);
  g_assert_cmpuint (two->len, ==, 2);
  const SluiceTrashItem *oldest = two->pdata[0];
  g_assert_cmpint (oldest->run, ==, f->runs[2]);
  g_assert_cmpstr (oldest->name, ==, "run-2");
  g_assert_cmpuint (oldest->bytes, >=, 300000);
}

static void
test_choose (Fixture *f, gconstpointer unused)
{
  SluiceTrashItem items[] = { { 1, NULL, 100, 50 }, { 2, NULL, 200, 30 }, { 3, NULL, 300, 20 } };
  static const struct
  {
    SluiceTrashLimits limits;
    guint n; /* of them, the oldest ones */
  } cases[] = {
    { { 0, 0 }, 0 },  { { 1000, 0 }, 0 }, { { 150, 0 }, 2 }, { { 250, 0 }, 1 },  { { 0, 100 }, 0 },
    { { 0, 99 }, 1 }, { { 0, 49 }, 2 },   { { 0, 19 }, 3 },  { { 250, 40 }, 2 },
  };
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    g_ptr_array_add (all, &items[i]);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) chosen = sluice_trash_choose (all, &cases[i].limits, 401);
      g_assert_cmpuint (chosen->len, ==, cases[i].n);
      for (guint k = 0; k < chosen->len; k++)
        g_assert_true (chosen->pdata[k] == &items[k]);
    }
}

static void
test_empty (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (sluice_store_empty_run (f->store, f->runs[1], &error)); /* not in the trash */
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_clear_error (&error);
  g_assert_true (sluice_store_delete_run (f->store, f->runs[1], &error));
  g_assert_true (sluice_store_empty_run (f->store, f->runs[1], &error));
  g_assert_no_error (error);
  g_autofree char *folder = sluice_store_dup_run_folder (f->store, f->runs[1]);
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
  g_autoptr (SluiceRunInfo) fork = sluice_store_dup_run (f->store, "run-2", &error);
  g_assert_cmpint (fork->parent, ==, 0);
  g_autoptr (GPtrArray) left = sluice_store_dup_runs (f->store, &error);
  g_assert_cmpuint (left->len, ==, 2);
}

/* ---- killed over it ---- */

static const char *program;

/* What a program does that is killed: "run-0" of the trash goes. */
static void
empty_and_exit (const char *folder)
{
  g_autoptr (SluiceStore) store = sluice_store_open (folder, NULL);
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_deleted_run (store, "run-0", NULL);
  _exit (info == NULL || !sluice_store_empty_run (store, info->id, NULL));
}

static void
open_again (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_clear_object (&f->store);
  f->store = sluice_store_open (f->folder, &error);
  g_assert_no_error (error);
}

/* The run is in the trash with its folder, or there is nothing of it. TRUE: it is there */
static gboolean
assert_whole (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = sluice_store_dup_run_folder (f->store, f->runs[0]);
  g_autofree char *file = g_build_filename (folder, "data", NULL);
  g_autofree char *purged = g_build_filename (f->folder, "runs", ".purged", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GArray) lost = sluice_store_dup_lost_runs (f->store, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lost->len, ==, 0);
  g_autoptr (GDir) dir = g_dir_open (purged, 0, NULL);
  g_assert_null (dir != NULL ? g_dir_read_name (dir) : NULL);
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_deleted_run (f->store, "run-0", NULL);
  g_assert_true (g_file_test (folder, G_FILE_TEST_EXISTS) == (info != NULL));
  if (info == NULL)
    return FALSE;
  g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
  g_assert_cmpuint (strlen (text), ==, 100000);
  return TRUE;
}

static void
test_killed (Fixture *f, gconstpointer unused)
{
  const char *arguments[] = { program, "--empty", f->folder, NULL };
  guint n_undone = 0, n_done = 0;
  Killed killed = KILLED;
  for (guint n = 1; killed == KILLED; n++)
    {
      g_assert_true (sluice_store_delete_run (f->store, f->runs[0], NULL));
      g_clear_object (&f->store);
      killed = killed_at (arguments, n);
      open_again (f);
      if (killed == KILLED_CANNOT)
        {
          g_test_skip ("programs may not be traced here");
          return;
        }
      if (assert_whole (f))
        {
          n_undone++;
          g_assert_true (sluice_store_restore_run (f->store, f->runs[0], NULL));
        }
      else
        {
          n_done++;
          tear_down (f, NULL);
          set_up (f, NULL);
          arguments[2] = f->folder;
        }
    }
  g_test_message ("killed %u times before, %u times behind", n_undone, n_done - 1);
  g_assert_cmpuint (n_undone, >, 10);
  g_assert_cmpuint (n_done, >, 3);
}

int
main (int argc, char **argv)
{
  program = argv[0];
  if (argc == 3 && strcmp (argv[1], "--empty") == 0)
    empty_and_exit (argv[2]);
  static const struct
  {
    const char *name;
    void (*test) (Fixture *f, gconstpointer unused);
  } tests[] = { { "read", test_read },
                { "choose", test_choose },
                { "empty", test_empty },
                { "killed", test_killed } };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strdup_printf ("/store/trash/%s", tests[i].name);
      g_test_add (path, Fixture, NULL, set_up, tests[i].test, tear_down);
    }
  return g_test_run ();
}
