/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Views that have a name: what is written is read again, and a broken file is no failure. */

#include "app/runs/saved-views.h"

#include "tests/remove-tree.h"

static SluiceSavedView *
view_new (const char *name, const char *sort)
{
  SluiceSavedView *self = g_new (SluiceSavedView, 1);
  *self = (SluiceSavedView){ g_strdup (name),
                             g_strdup ("lr < 0.1 \"a b\";"),
                             g_strdup ("failed"),
                             g_strsplit ("one,t;wo", ",", -1),
                             g_strdup (sort),
                             TRUE,
                             g_strdup (sort != NULL ? "seed" : NULL),
                             g_strsplit ("name,setting:l;r", ",", -1) };
  return self;
}

static void
test_round (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("sluice-views-XXXXXX", &error);
  g_autoptr (GPtrArray) views = sluice_saved_views_load (folder);
  g_assert_cmpuint (views->len, ==, 0);
  g_ptr_array_add (views, view_new ("a [b] =\n", "last:loss"));
  g_ptr_array_add (views, view_new ("plain", NULL));
  g_assert_true (sluice_saved_views_save (views, folder, &error));
  g_assert_no_error (error);
  g_autoptr (GPtrArray) read = sluice_saved_views_load (folder);
  g_assert_cmpuint (read->len, ==, 2);
  const SluiceSavedView *first = sluice_saved_views_find (read, "a [b] =\n");
  g_assert_nonnull (first);
  g_assert_cmpstr (first->filter, ==, "lr < 0.1 \"a b\";");
  g_assert_cmpstr (first->view, ==, "failed");
  g_assert_cmpstr (first->tags[1], ==, "t;wo");
  g_assert_cmpstr (first->sort, ==, "last:loss");
  g_assert_true (first->descending);
  g_assert_cmpstr (first->group_by, ==, "seed");
  g_assert_cmpstr (first->columns[1], ==, "setting:l;r");
  g_assert_null (sluice_saved_views_find (read, "plain")->sort);
  g_assert_null (sluice_saved_views_find (read, "none"));
  g_assert_false (sluice_saved_views_save (views, "/proc/no-such", &error));
  g_assert_nonnull (error);
  remove_tree (folder);
  g_free (folder);
}

static void
test_broken (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("sluice-views-XXXXXX", &error);
  g_autofree char *path = g_build_filename (folder, "views.ini", NULL);
  g_assert_true (g_file_set_contents (path,
                                      "[view 1]\nfilter=x\n[view 2]\nname=b\n[view 3]\n"
                                      "name=b\n",
                                      -1, &error));
  g_autoptr (GPtrArray) half = sluice_saved_views_load (folder); /* no name; a name twice */
  g_assert_cmpuint (half->len, ==, 1);
  g_assert_cmpstr (((SluiceSavedView *) half->pdata[0])->view, ==, "all");
  g_assert_true (g_file_set_contents (path, "not an ini \xff", -1, &error));
  g_autoptr (GPtrArray) none = sluice_saved_views_load (folder);
  g_assert_cmpuint (none->len, ==, 0);
  remove_tree (folder);
  g_free (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/saved-views/round", test_round);
  g_test_add_func ("/app/saved-views/broken", test_broken);
  return g_test_run ();
}
