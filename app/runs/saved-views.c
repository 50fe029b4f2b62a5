/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/saved-views.h"

#include <string.h>

#include "engine/store/file.h"

#define MOST 1000 /* of a file that somebody else has written */

void
sluice_saved_view_free (SluiceSavedView *self)
{
  g_free (self->name);
  g_free (self->filter);
  g_free (self->view);
  g_strfreev (self->tags);
  g_free (self->sort);
  g_free (self->group_by);
  g_strfreev (self->columns);
  g_free (self);
}

static char *
dup_path (const char *workspace)
{
  return g_build_filename (workspace, "views.ini", NULL);
}

static char *
dup_text (GKeyFile *file, const char *group, const char *key, const char *otherwise)
{
  char *text = g_key_file_get_string (file, group, key, NULL);
  return text != NULL ? text : g_strdup (otherwise);
}

static char **
dup_list (GKeyFile *file, const char *group, const char *key)
{
  char **list = g_key_file_get_string_list (file, group, key, NULL, NULL);
  return list != NULL ? list : g_new0 (char *, 1);
}

static SluiceSavedView *
read_view (GKeyFile *file, const char *group)
{
  char *name = g_key_file_get_string (file, group, "name", NULL);
  if (name == NULL)
    return NULL;
  SluiceSavedView *self = g_new (SluiceSavedView, 1);
  *self = (SluiceSavedView){ .name = name,
                             .filter = dup_text (file, group, "filter", ""),
                             .view = dup_text (file, group, "view", "all"),
                             .tags = dup_list (file, group, "tags"),
                             .sort = dup_text (file, group, "sort", NULL),
                             .descending = g_key_file_get_boolean (file, group, "descending", NULL),
                             .group_by = dup_text (file, group, "group-by", NULL),
                             .columns = dup_list (file, group, "columns") };
  return self;
}

GPtrArray *
sluice_saved_views_load (const char *workspace)
{
  GPtrArray *views = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_saved_view_free);
  g_autofree char *path = dup_path (workspace);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)
      || !g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return views;
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL && views->len < MOST; i++)
    {
      SluiceSavedView *view = read_view (file, groups[i]);
      if (view != NULL && sluice_saved_views_find (views, view->name) == NULL)
        g_ptr_array_add (views, view);
      else if (view != NULL)
        sluice_saved_view_free (view);
    }
  return views;
}

static void
put_list (GKeyFile *file, const char *group, const char *key, char **list)
{
  g_key_file_set_string_list (file, group, key, (const char *const *) list, g_strv_length (list));
}

gboolean
sluice_saved_views_save (GPtrArray *views, const char *workspace, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  for (guint i = 0; i < views->len; i++)
    {
      const SluiceSavedView *view = views->pdata[i];
      g_autofree char *group = g_strdup_printf ("view %u", i + 1);
      g_key_file_set_string (file, group, "name", view->name);
      g_key_file_set_string (file, group, "filter", view->filter);
      g_key_file_set_string (file, group, "view", view->view);
      put_list (file, group, "tags", view->tags);
      if (view->sort != NULL)
        g_key_file_set_string (file, group, "sort", view->sort);
      g_key_file_set_boolean (file, group, "descending", view->descending);
      if (view->group_by != NULL)
        g_key_file_set_string (file, group, "group-by", view->group_by);
      put_list (file, group, "columns", view->columns);
    }
  g_autofree char *path = dup_path (workspace);
  g_autofree char *text = g_key_file_to_data (file, NULL, NULL);
  return sluice_file_put ("views", path, text, strlen (text), error);
}

SluiceSavedView *
sluice_saved_views_find (GPtrArray *views, const char *name)
{
  for (guint i = 0; i < views->len; i++)
    if (strcmp (((SluiceSavedView *) views->pdata[i])->name, name) == 0)
      return views->pdata[i];
  return NULL;
}
