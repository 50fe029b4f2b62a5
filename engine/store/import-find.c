/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Which runs a path holds. */
#include "engine/store/import-private.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/error.h"
#include "engine/store/event-file.h"
#include "engine/store/import-csv.h"
#include "engine/store/import-mlflow.h"
#include "engine/store/import-wandb.h"

/* Folders within folders; also what ends a search that links lead around in a circle. */
#define MAX_DEPTH 64

static void
path_free (gpointer data)
{
  ImportPath *path = data;
  g_free (path->name);
  g_free (path->path);
  g_free (path);
}

void
sluice_import_source_free (gpointer data)
{
  ImportSource *self = data;
  g_free (self->source);
  g_free (self->folder);
  g_free (self->name);
  g_free (self->part);
  g_clear_pointer (&self->spans, g_array_unref);
  g_ptr_array_unref (self->files);
  g_free (self);
}

ImportSource *
sluice_import_source_new (const char *source, const char *folder, char *take_name)
{
  ImportSource *self = g_new0 (ImportSource, 1);
  self->source = g_strdup (source);
  self->folder = g_strdup (folder);
  self->name = take_name;
  self->files = g_ptr_array_new_with_free_func (path_free);
  return self;
}

ImportPath *
sluice_import_source_add (ImportSource *self, const char *name)
{
  ImportPath *path = g_new0 (ImportPath, 1);
  path->name = g_strdup (name);
  path->path = g_build_filename (self->folder, name, NULL);
  g_ptr_array_add (self->files, path);
  return path;
}

/* Without what says only that it is an event file. */
char *
sluice_import_name_file (const char *basename)
{
  static const char *const parts[] = { ".tfevents", "events.out.", ".gz" };
  g_autoptr (GString) name = g_string_new (basename);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      const char *at = strstr (name->str, parts[i]);
      gboolean belongs =
          at != NULL
          && (i == 0 || (i == 1 && at == name->str) || (i == 2 && at[strlen (parts[i])] == '\0'));
      if (belongs)
        g_string_erase (name, at - name->str, (gssize) strlen (parts[i]));
    }
  return g_filename_display_name (name->len > 0 ? name->str : basename);
}

typedef struct
{
  const char *root_name; /* of the run that the root itself is */
  GHashTable *seen;      /* folders by device and inode: links may lead back */
  GPtrArray *sources, *folders;
  guint n_found;
} Search;

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(ImportPath *const *) a)->name, (*(ImportPath *const *) b)->name);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static gboolean
is_wandb_name (const char *name)
{
  return g_str_has_suffix (name, ".wandb");
}

static gboolean
is_csv_name (const char *name)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);
  return g_str_has_suffix (lower, ".csv") || g_str_has_suffix (lower, ".csv.gz")
         || g_str_has_suffix (lower, ".tsv");
}

gboolean
sluice_import_takes_name (const char *name)
{
  return sluice_event_file_is_name (name) || is_csv_name (name) || is_wandb_name (name);
}

/* What the folder holds; FALSE: it cannot be read. Names of folders and tables are sorted. */
static gboolean
list_folder (ImportSource *source, GPtrArray *folders, GPtrArray *tables, GError **error)
{
  const char *name;
  g_autoptr (GDir) dir = g_dir_open (source->folder, 0, error);
  if (dir == NULL)
    return FALSE;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      struct stat info;
      g_autofree char *path = g_build_filename (source->folder, name, NULL);
      if (stat (path, &info) != 0) /* gone meanwhile, or a link to nothing */
        continue;
      if (S_ISDIR (info.st_mode))
        g_ptr_array_add (folders, g_strdup (name));
      else if (S_ISREG (info.st_mode) && sluice_event_file_is_name (name))
        sluice_import_source_add (source, name);
      else if (S_ISREG (info.st_mode) && is_csv_name (name))
        g_ptr_array_add (tables, g_strdup (name));
    }
  g_ptr_array_sort (source->files, compare_paths);
  g_ptr_array_sort (folders, compare_names);
  g_ptr_array_sort (tables, compare_names);
  return TRUE;
}

static gboolean
is_seen (Search *search, const char *path)
{
  struct stat info;
  if (stat (path, &info) != 0)
    return TRUE;
  char *key = g_strdup_printf ("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, (guint64) info.st_dev,
                               (guint64) info.st_ino);
  return !g_hash_table_add (search->seen, key);
}

/* A folder that is a run of another program, and is searched no further. (transfer full)
 * (nullable): it is none */
static ImportSource *
find_run (const char *path)
{
  ImportSource *source = sluice_import_find_mlflow (path);
  return source != NULL ? source : sluice_import_find_wandb (path);
}

/* What it has may grow in any of its folders. */
static void
add_run (Search *search, ImportSource *take)
{
  g_autoptr (GHashTable) folders = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < take->files->len; i++)
    {
      g_autofree char *folder =
          g_path_get_dirname (((const ImportPath *) take->files->pdata[i])->path);
      if (g_hash_table_contains (folders, folder))
        continue;
      g_hash_table_add (folders, folder);
      g_ptr_array_add (search->folders, g_steal_pointer (&folder));
    }
  g_ptr_array_add (search->sources, take);
  search->n_found++;
}

static void
add_tables (Search *search, const char *folder, GPtrArray *names)
{
  for (guint i = 0; i < names->len; i++)
    {
      guint n = search->sources->len;
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
      sluice_import_find_csv (path, names->pdata[i], TRUE, search->sources, NULL);
      search->n_found += search->sources->len - n;
    }
}

/* W&B's link to the newest of the runs beside it. */
static gboolean
is_latest_run (const char *path)
{
  return g_str_has_suffix (path, "/latest-run") && g_file_test (path, G_FILE_TEST_IS_SYMLINK);
}

/* below: (nullable): the folder's path from the root on. A folder below that cannot be read is as
 * if it were empty, and so is one that went away. */
static gboolean
search_folder (Search *search, const char *path, const char *below, guint depth, GError **error)
{
  if (depth > MAX_DEPTH || is_seen (search, path))
    return TRUE;
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) tables = g_ptr_array_new_with_free_func (g_free);
  char *name = g_filename_display_name (below != NULL ? below : search->root_name);
  ImportSource *source = find_run (path);
  if (source != NULL)
    {
      g_free (source->name);
      source->name = name;
      add_run (search, source);
      return TRUE;
    }
  source = sluice_import_source_new (path, path, name);
  if (!list_folder (source, folders, tables, error))
    {
      sluice_import_source_free (source);
      return FALSE;
    }
  g_ptr_array_add (search->folders, g_strdup (path));
  search->n_found += source->files->len;
  if (source->files->len > 0)
    g_ptr_array_add (search->sources, source);
  else
    sluice_import_source_free (source);
  add_tables (search, path, tables);
  for (guint i = 0; i < folders->len; i++)
    {
      g_autofree char *next = g_build_filename (path, folders->pdata[i], NULL);
      if (is_latest_run (next))
        continue;
      g_autofree char *next_below = below != NULL
                                        ? g_build_filename (below, folders->pdata[i], NULL)
                                        : g_strdup (folders->pdata[i]);
      search_folder (search, next, next_below, depth + 1, NULL);
    }
  return TRUE;
}

static gboolean
find_in_folder (const char *path, GPtrArray *sources, GPtrArray *folders, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *root_name = g_path_get_basename (path);
  g_autoptr (GError) failure = NULL;
  Search search = { root_name, seen, sources, folders, 0 };
  if (!search_folder (&search, path, NULL, 0, &failure))
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "'%s' cannot be searched: %s", path,
                        failure->message);
  g_autofree char *aim = g_build_filename (path, ".aim", NULL);
  if (search.n_found == 0 && g_file_test (aim, G_FILE_TEST_IS_DIR))
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                        "'%s' is of Aim, which keeps its runs in a RocksDB database that is not "
                        "read here; have Aim write them as CSV, and import that",
                        path);
  return search.n_found > 0
         || sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                         "there is no event file in '%s' or below it: their names have 'tfevents' "
                         "in them; a file of another name can be given by itself. Nor is there a "
                         "table .csv with a column step, or a run of MLflow or W&B",
                         path);
}

gboolean
sluice_import_find (const char *path, GPtrArray *sources, GPtrArray *folders, GError **error)
{
  struct stat info;
  g_autofree char *canonical = g_canonicalize_filename (path, NULL);
  if (stat (canonical, &info) != 0)
    return sluice_fail_errno (error, errno, "'%s' cannot be imported", path);
  if (S_ISDIR (info.st_mode))
    return find_in_folder (canonical, sources, folders, error);
  g_autofree char *folder = g_path_get_dirname (canonical);
  g_autofree char *name = g_path_get_basename (canonical);
  if (is_csv_name (name))
    {
      g_ptr_array_add (folders, g_strdup (folder));
      if (sluice_import_find_csv (canonical, name, FALSE, sources, error))
        return TRUE;
      g_prefix_error (error, "'%s': ", path);
      return FALSE;
    }
  /* The log of a run of W&B stands for its folder. */
  if (is_wandb_name (name))
    return find_in_folder (folder, sources, folders, error);
  ImportSource *source =
      sluice_import_source_new (canonical, folder, sluice_import_name_file (name));
  sluice_import_source_add (source, name);
  g_ptr_array_add (sources, source);
  g_ptr_array_add (folders, g_strdup (folder));
  return TRUE;
}
