/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Runs of MLflow's local file store: EXPERIMENT/RUN with meta.yaml, and a file each of
 * metrics/KEY ("milliseconds value step" a line), params/KEY and tags/KEY. A key may have slashes,
 * which are folders then.
 */
#include "engine/store/import-mlflow.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/store/flat-yaml.h"
#include "engine/store/import-text.h"

#define META       "meta.yaml"
#define EXPERIMENT "../meta.yaml"
#define METRICS    "metrics/"
#define PARAMS     "params/"
#define TAGS       "tags/"

/* Folders that a key may have. */
#define MAX_KEY_DEPTH 16

/* ---- what it is ---- */

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
add_files (ImportSource *source, const char *below, gboolean is_fact, guint depth)
{
  g_autofree char *folder = g_build_filename (source->folder, below, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  GDir *dir = depth < MAX_KEY_DEPTH ? g_dir_open (folder, 0, NULL) : NULL;
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strconcat (below, name, NULL));
  g_clear_pointer (&dir, g_dir_close);
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      struct stat info;
      g_autofree char *path = g_build_filename (source->folder, names->pdata[i], NULL);
      g_autofree char *inner = g_strconcat (names->pdata[i], "/", NULL);
      if (stat (path, &info) == 0 && S_ISDIR (info.st_mode))
        add_files (source, inner, is_fact, depth + 1);
      else if (stat (path, &info) == 0 && S_ISREG (info.st_mode))
        sluice_import_source_add (source, names->pdata[i])->is_fact = is_fact;
    }
}

/* Of a run, not of an experiment. */
static void
note_run_key (
    const char *const *keys, guint n_keys, const char *value, gboolean is_quoted, gpointer data)
{
  if (n_keys == 1 && (strcmp (keys[0], "run_id") == 0 || strcmp (keys[0], "run_uuid") == 0))
    *(gboolean *) data = TRUE;
}

static gboolean
is_run (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, META, NULL);
  g_autofree char *text = NULL;
  struct stat info;
  gsize length;
  gboolean found = FALSE;
  if (stat (path, &info) != 0 || !S_ISREG (info.st_mode)
      || (guint64) info.st_size > IMPORT_MOST_FACT
      || !g_file_get_contents (path, &text, &length, NULL))
    return FALSE;
  sluice_flat_yaml_each (text, length, note_run_key, &found, NULL);
  return found;
}

/* ---- facts ---- */

typedef struct
{
  ImportReading *reading;
  char *name, *experiment; /* (nullable) */
} Meta;

/* By name and by number. What goes on elsewhere, or was to, has not come to its end. */
static const struct
{
  const char *name, *number;
  SluiceRunState state;
} states[] = {
  { "RUNNING", "1", SLUICE_RUN_STOPPED },   { "SCHEDULED", "2", SLUICE_RUN_STOPPED },
  { "FINISHED", "3", SLUICE_RUN_FINISHED }, { "FAILED", "4", SLUICE_RUN_FAILED },
  { "KILLED", "5", SLUICE_RUN_STOPPED },
};

static void
take_meta (
    const char *const *keys, guint n_keys, const char *value, gboolean is_quoted, gpointer data)
{
  Meta *meta = data;
  SluiceRunInfo *info = &meta->reading->run->info;
  if (n_keys != 1)
    return;
  if (strcmp (keys[0], "run_name") == 0 && *value != '\0')
    {
      g_free (meta->name);
      meta->name = g_strdup (value);
    }
  else if (strcmp (keys[0], "start_time") == 0 || strcmp (keys[0], "end_time") == 0)
    sluice_import_text_note_time (meta->reading, sluice_import_parse_time (value));
  else if (strcmp (keys[0], "status") == 0)
    for (guint i = 0; i < G_N_ELEMENTS (states); i++)
      if (strcmp (value, states[i].name) == 0 || strcmp (value, states[i].number) == 0)
        info->state = states[i].state;
}

static void
take_experiment (
    const char *const *keys, guint n_keys, const char *value, gboolean is_quoted, gpointer data)
{
  Meta *meta = data;
  if (n_keys == 1 && strcmp (keys[0], "name") == 0 && meta->experiment == NULL)
    meta->experiment = g_strdup (value);
}

static void
read_yaml (Meta *meta, const ImportPath *path, SluiceFlatYamlFunc func)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (GBytes) text = sluice_import_read_fact (meta->reading, path);
  if (text != NULL
      && !sluice_flat_yaml_each (g_bytes_get_data (text, NULL), g_bytes_get_size (text) - 1, func,
                                 meta, &failure))
    sluice_import_add_damage (meta->reading, path, 0, g_strdup (failure->message));
}

static void
take_tag (Meta *meta, const char *key, const char *value)
{
  SluiceRunInfo *info = &meta->reading->run->info;
  if (strcmp (key, "mlflow.runName") == 0 && meta->name == NULL && *value != '\0')
    meta->name = g_strdup (value);
  else if (strcmp (key, "mlflow.note.content") == 0 && info->id == 0)
    {
      g_free (info->notes);
      info->notes = g_utf8_make_valid (value, -1);
    }
  else if (!g_str_has_prefix (key, "mlflow."))
    {
      g_autofree char *tag =
          *value != '\0' ? g_strdup_printf ("%s=%s", key, value) : g_strdup (key);
      sluice_import_text_add_tag (meta->reading, tag);
    }
}

static void
read_entries (Meta *meta, GPtrArray *settings)
{
  const ImportSource *source = meta->reading->source;
  for (guint i = 0; i < source->files->len; i++)
    {
      const ImportPath *path = source->files->pdata[i];
      gboolean is_param = g_str_has_prefix (path->name, PARAMS);
      if (!is_param && !g_str_has_prefix (path->name, TAGS))
        continue;
      g_autoptr (GBytes) bytes = sluice_import_read_fact (meta->reading, path);
      const char *text = bytes != NULL ? g_bytes_get_data (bytes, NULL) : NULL;
      if (is_param && text != NULL)
        g_ptr_array_add (settings,
                         sluice_import_setting_new (path->name + strlen (PARAMS), text, FALSE));
      else if (text != NULL)
        take_tag (meta, path->name + strlen (TAGS), text);
    }
}

static gboolean
take_facts (ImportReading *reading, GError **error)
{
  Meta meta = { .reading = reading };
  SluiceRunInfo *info = &reading->run->info;
  g_autoptr (GPtrArray) settings = g_ptr_array_new_with_free_func (sluice_setting_free);
  const GPtrArray *files = reading->source->files;
  for (guint i = 0; i < files->len; i++)
    {
      const ImportPath *path = files->pdata[i];
      if (strcmp (path->name, META) == 0)
        read_yaml (&meta, path, take_meta);
      else if (strcmp (path->name, EXPERIMENT) == 0)
        read_yaml (&meta, path, take_experiment);
    }
  read_entries (&meta, settings);
  sluice_import_text_set_settings (reading, settings);
  if (info->id == 0 && meta.name != NULL && sluice_text_check_name ("a run", meta.name, NULL))
    {
      g_free (info->name);
      info->name = g_steal_pointer (&meta.name);
    }
  if (info->id == 0 && meta.experiment != NULL)
    {
      g_free (info->project);
      info->project = g_steal_pointer (&meta.experiment);
    }
  g_free (meta.name);
  g_free (meta.experiment);
  return TRUE;
}

/* ---- points ---- */

/* "milliseconds value step"; older ones have no step. */
static const char *
take_line (ImportReading *reading, const char *tag, const char *line)
{
  g_auto (GStrv) parts = g_strsplit (line, " ", 4);
  guint n = g_strv_length (parts);
  double value, wall;
  gint64 step = 0;
  if (n < 2 || n > 3)
    return _ ("it is no 'time value step'");
  if ((wall = sluice_import_parse_time (parts[0])) == 0)
    return _ ("the first number is no time");
  if (!sluice_import_parse_double (parts[1], &value))
    return _ ("the second word is no number");
  if (n == 3 && !sluice_import_parse_int (parts[2], &step))
    return _ ("the third word is no step");
  sluice_import_text_add_point (reading, tag, step, wall, value);
  return NULL;
}

static gboolean
take (ImportReading *reading,
      const ImportPath *path,
      const ImportText *text,
      gsize *taken,
      GError **error)
{
  const char *tag = path->name + strlen (METRICS);
  gint64 number = sluice_import_count_lines (text, 0, text->from);
  ImportLine line;
  while (sluice_import_get_line (reading, text, *taken, &line))
    {
      g_autofree char *copy = g_strndup (line.begin, (gsize) (line.end - line.begin));
      number++;
      g_strchomp (copy);
      const char *wrong = *copy != '\0' ? take_line (reading, tag, copy) : NULL;
      if (wrong != NULL)
        sluice_import_add_line_damage (reading, path, *taken, number, NULL, wrong);
      *taken = line.next;
      if (!sluice_import_text_taken (reading, path, text, *taken, error))
        return FALSE;
    }
  return TRUE;
}

static const ImportFormat format = { .take_facts = take_facts, .take = take };

ImportSource *
sluice_import_find_mlflow (const char *folder)
{
  if (!is_run (folder))
    return NULL;
  ImportSource *self =
      sluice_import_source_new (folder, folder, g_filename_display_basename (folder));
  g_autofree char *experiment = g_build_filename (folder, EXPERIMENT, NULL);
  self->format = &format;
  sluice_import_source_add (self, META)->is_fact = TRUE;
  if (g_file_test (experiment, G_FILE_TEST_IS_REGULAR))
    sluice_import_source_add (self, EXPERIMENT)->is_fact = TRUE;
  add_files (self, PARAMS, TRUE, 0);
  add_files (self, TAGS, TRUE, 0);
  add_files (self, METRICS, FALSE, 0);
  return self;
}
