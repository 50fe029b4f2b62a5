/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/attr-parameter.h"
#include "engine/train/project.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/suggest.h"
#include "engine/base/text.h"
#include "engine/graph/savedmodel.h"
#include "engine/runtime/session/options.h"
#include "engine/store/file.h"
#include "engine/train/ini.h"
#include "engine/train/parameter-note.h"
#include "engine/train/project-alerts.h"
#include "engine/train/project-private.h"

#define INI "project.ini"

/* What a key holds, and so how it is read, checked, overridden and written. */
typedef enum
{
  KEY_STRING,
  KEY_NAME,    /* shown to people, and of files */
  KEY_SOURCE,  /* one of sources[] */
  KEY_PATH,    /* relative to the project's folder */
  KEY_TARGETS, /* "a;b" */
  KEY_EDGES,   /* "name:edge;…", GArray of SluiceNamedEdge */
  KEY_COUNT,   /* an integer of at least minimum */
  KEY_SEED,
  KEY_NUMBER,
  KEY_NUMBER_FROM_0,
  KEY_NUMBER_OR_NONE, /* NAN: none */
  KEY_BOOL,
  KEY_SHAPE, /* "8;8;1" */
} KeyKind;

typedef enum
{
  OPTIONAL,
  REQUIRED,
  WITH_DATA,    /* required where examples come from files */
  WITH_DEFAULT, /* may be left out, not be empty */
} Need;

typedef struct
{
  const char *group, *key;
  KeyKind kind;
  gsize offset; /* in SluiceProject */
  Need need;
  gint64 minimum, maximum; /* of a count; maximum 0: MAX_COUNT */
} Key;

/* Steps, examples: far from where a sum of two overflows. */
#define MAX_COUNT ((gint64) 1 << 48)

/* A trace holds no more records than that of any thread: a step has one at least. */
#define MAX_RECORD_STEPS 65535

#define AT(field) offsetof (SluiceProject, field)

static const Key keys[] = {
  { "project", "name", KEY_NAME, AT (name), REQUIRED, 0 },
  { "project", "description", KEY_STRING, AT (description), OPTIONAL, 0 },
  { "project", "graph", KEY_PATH, AT (graph_path), REQUIRED, 0 },
  { "project", "init", KEY_TARGETS, AT (init), OPTIONAL, 0 },
  { "project", "train", KEY_TARGETS, AT (train), REQUIRED, 0 },
  { "project", "loss", KEY_TARGETS, AT (loss), REQUIRED, 0 },
  { "project", "step", KEY_STRING, AT (step), OPTIONAL, 0 },
  { "project", "summaries", KEY_STRING, AT (summaries), OPTIONAL, 0 },
  { "project", "fetches", KEY_EDGES, AT (fetches), OPTIONAL, 0 },
  { "train", "steps", KEY_COUNT, AT (n_steps), REQUIRED, 1 },
  { "train", "batch", KEY_COUNT, AT (batch), WITH_DATA, 1 },
  { "train", "seed", KEY_SEED, AT (seed), OPTIONAL, 0 },
  { "train", "checkpoint-every", KEY_COUNT, AT (checkpoint_every), OPTIONAL, 0 },
  { "train", "checkpoint-minutes", KEY_NUMBER_FROM_0, AT (checkpoint_minutes), OPTIONAL, 0 },
  { "train", "keep-last", KEY_COUNT, AT (keep_last), OPTIONAL, 0 },
  { "train", "keep-best", KEY_COUNT, AT (keep_best), OPTIONAL, 0 },
  { "train", "keep-every", KEY_COUNT, AT (keep_every), OPTIONAL, 0 },
  { "train", "best", KEY_STRING, AT (best), WITH_DEFAULT, 0 },
  { "train", "record-steps", KEY_COUNT, AT (record_steps), OPTIONAL, 0, MAX_RECORD_STEPS },
  { "train", "record-slow", KEY_NUMBER_FROM_0, AT (record_slow), OPTIONAL, 0 },
  { "train", "summary-every", KEY_COUNT, AT (summary_every), OPTIONAL, 0 },
  { "train", "evaluate-every", KEY_COUNT, AT (evaluate_every), OPTIONAL, 0 },
  { "data", "source", KEY_SOURCE, AT (source), REQUIRED, 0 },
  { "data", "train-x", KEY_PATH, AT (train_x), WITH_DATA, 0 },
  { "data", "train-y", KEY_PATH, AT (train_y), OPTIONAL, 0 },
  { "data", "test-x", KEY_PATH, AT (test_x), OPTIONAL, 0 },
  { "data", "test-y", KEY_PATH, AT (test_y), OPTIONAL, 0 },
  { "data", "y-column", KEY_STRING, AT (y_column), OPTIONAL, 0 },
  { "data", "scale", KEY_NUMBER, AT (scale), OPTIONAL, 0 },
  { "data", "shuffle", KEY_BOOL, AT (shuffle), OPTIONAL, 0 },
  { "data", "shape", KEY_SHAPE, AT (shape), OPTIONAL, 0 },
  { "data", "x", KEY_STRING, AT (feed_x), WITH_DATA, 0 },
  { "data", "y", KEY_STRING, AT (feed_y), OPTIONAL, 0 },
  { "stop", "metric", KEY_STRING, AT (stop_metric), OPTIONAL, 0 },
  { "stop", "patience", KEY_COUNT, AT (stop_patience), OPTIONAL, 0 },
  { "stop", "min-delta", KEY_NUMBER, AT (stop_min_delta), OPTIONAL, 0 },
  { "stop", "target", KEY_NUMBER_OR_NONE, AT (stop_target), OPTIONAL, 0 },
  { "stop", "non-finite", KEY_BOOL, AT (stop_non_finite), OPTIONAL, 0 },
  { "evaluate", "fetches", KEY_EDGES, AT (evaluate), OPTIONAL, 0 },
  { "evaluate", "texts", KEY_EDGES, AT (texts), OPTIONAL, 0 },
  { "evaluate", "batch", KEY_COUNT, AT (evaluate_batch), OPTIONAL, 1 },
  { "sweep", "first-rung", KEY_COUNT, AT (first_rung), OPTIONAL, 0 },
  { "sweep", "one-of", KEY_COUNT, AT (one_of), OPTIONAL, 0, G_MAXINT16 },
  { "sweep", "trials", KEY_COUNT, AT (n_trials), OPTIONAL, 0, G_MAXINT32 },
  { "sweep", "trial", KEY_COUNT, AT (trial), OPTIONAL, 0, G_MAXINT32 },
};

static const char *const groups[] = { "project",    "train",     "data",    "evaluate", "stop",
                                      "parameters", "overrides", "changes", "sweep",    NULL };
/* Their keys are names of the user's. */
static const char *const free_groups[] = { "parameters", "overrides", "changes", NULL };

static void
named_edge_clear (gpointer data)
{
  SluiceNamedEdge *edge = data;
  g_free (edge->name);
  g_free (edge->target);
}

static void
override_clear (gpointer data)
{
  SluiceOverride *override = data;
  g_free (override->name);
  g_free (override->edge);
  g_free (override->text);
}

static GArray *
named_edges_new (void)
{
  GArray *edges = g_array_new (FALSE, TRUE, sizeof (SluiceNamedEdge));
  g_array_set_clear_func (edges, named_edge_clear);
  return edges;
}

static SluiceProject *
project_new (const char *folder)
{
  SluiceProject *self = g_new0 (SluiceProject, 1);
  self->folder = g_canonicalize_filename (folder, NULL);
  self->files = sluice_file_access_new ();
  sluice_file_access_allow (self->files, self->folder, SLUICE_FILE_READ);
  self->fetches = named_edges_new ();
  self->evaluate = named_edges_new ();
  self->texts = named_edges_new ();
  self->parameters = named_edges_new ();
  self->notes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                       (GDestroyNotify) sluice_parameter_note_free);
  self->overrides = g_array_new (FALSE, TRUE, sizeof (SluiceOverride));
  g_array_set_clear_func (self->overrides, override_clear);
  self->changes = sluice_project_changes_new ();
  self->alerts = sluice_project_alerts_new ();
  self->checkpoint_every = 500;
  self->summary_every = 50;
  self->keep_last = 5;
  self->keep_best = 1;
  self->record_steps = 64;
  self->record_slow = 3;
  self->best = g_strdup ("loss:min");
  self->evaluate_batch = 256;
  self->scale = 1;
  self->stop_target = NAN;
  self->seed = 1;
  self->batch = 1;
  return self;
}

void
sluice_project_free (SluiceProject *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      void *field = (char *) self + keys[i].offset;
      if (keys[i].kind == KEY_STRING || keys[i].kind == KEY_NAME || keys[i].kind == KEY_SOURCE
          || keys[i].kind == KEY_PATH)
        g_free (*(char **) field);
      else if (keys[i].kind == KEY_TARGETS)
        g_strfreev (*(char ***) field);
      else if (keys[i].kind == KEY_EDGES)
        g_array_unref (*(GArray **) field);
    }
  g_free (self->shape);
  g_array_unref (self->parameters);
  g_hash_table_unref (self->notes);
  g_array_unref (self->overrides);
  g_array_unref (self->changes);
  g_array_unref (self->alerts);
  sluice_file_access_unref (self->files);
  g_free (self->folder);
  g_free (self);
}

/* ---- values ---- */

static gboolean
bad_value (const Key *key, const char *text, const char *want, GError **error)
{
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "[%s] %s=%s: %s", key->group, key->key,
                      text, want);
}

static gboolean
is_source (const char *text)
{
  static const char *const sources[] = { "idx", "csv", "npy", "text", "graph", NULL };
  return g_strv_contains (sources, text);
}

static gboolean
parse_edges (GArray *edges, const char *text)
{
  g_auto (GStrv) items = g_strsplit (text, ";", 0);
  g_array_set_size (edges, 0);
  for (guint i = 0; items[i] != NULL; i++)
    {
      g_strstrip (items[i]);
      if (*items[i] == '\0')
        continue;
      char *colon = strchr (items[i], ':');
      if (colon == NULL || colon == items[i] || colon[1] == '\0')
        return FALSE;
      SluiceNamedEdge edge = { g_strndup (items[i], colon - items[i]), g_strdup (colon + 1) };
      g_array_append_val (edges, edge);
      if (!sluice_text_check_name ("a name", edge.name, NULL))
        return FALSE;
    }
  return TRUE;
}

static gboolean
parse_shape (SluiceProject *self, const char *text)
{
  g_auto (GStrv) items = g_strsplit (text, ";", 0);
  guint n = g_strv_length (items);
  g_autofree gint64 *dims = g_new0 (gint64, n + 1);
  for (guint i = 0; i < n; i++)
    if (!g_ascii_string_to_signed (g_strstrip (items[i]), 10, 1, G_MAXINT32, &dims[i], NULL))
      return FALSE;
  g_free (self->shape);
  self->shape = g_steal_pointer (&dims);
  self->n_shape = n;
  return TRUE;
}

static gboolean
parse_number (const char *text, double *value)
{
  char *end;
  errno = 0;
  *value = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && errno == 0 && isfinite (*value);
}

static char **
parse_targets (const char *text)
{
  char **items = g_strsplit (text, ";", 0);
  for (guint i = 0; items[i] != NULL; i++)
    g_strstrip (items[i]);
  return items;
}

static gboolean
set_count (const Key *key, const char *text, gint64 *count, GError **error)
{
  gint64 maximum = key->maximum != 0 ? key->maximum : MAX_COUNT;
  if (g_ascii_string_to_signed (text, 10, key->minimum, maximum, count, NULL))
    return TRUE;
  g_autofree char *want = g_strdup_printf ("must be a whole number %s, at most %" G_GINT64_FORMAT,
                                           key->minimum > 0 ? "above 0" : "from 0 on", maximum);
  return bad_value (key, text, want, error);
}

static gboolean
set_value (SluiceProject *self, const Key *key, const char *text, GError **error)
{
  void *field = (char *) self + key->offset;
  double number;
  switch (key->kind)
    {
    case KEY_NAME:
      if (!sluice_text_is_visible (text))
        {
          g_autofree char *shown = sluice_text_escape (text);
          return bad_value (key, shown, "must have no control characters", error);
        }
      G_GNUC_FALLTHROUGH;
    case KEY_SOURCE:
      if (key->kind == KEY_SOURCE && !is_source (text))
        return bad_value (key, text, "must be idx, csv, npy, text or graph", error);
      G_GNUC_FALLTHROUGH;
    case KEY_STRING:
      g_free (*(char **) field);
      *(char **) field = *text != '\0' ? g_strdup (text) : NULL;
      return *text != '\0' || key->need == OPTIONAL
             || bad_value (key, text, "must not be empty", error);
    case KEY_PATH:
      g_free (*(char **) field);
      *(char **) field = *text != '\0' ? g_canonicalize_filename (text, self->folder) : NULL;
      return *text != '\0' || key->need == OPTIONAL
             || bad_value (key, text, "must not be empty", error);
    case KEY_TARGETS:
      g_strfreev (*(char ***) field);
      *(char ***) field = parse_targets (text);
      return *text != '\0' || key->need == OPTIONAL
             || bad_value (key, text, "must not be empty", error);
    case KEY_EDGES:
      return parse_edges (*(GArray **) field, text)
             || bad_value (key, text, "must be NAME:EDGE, several with ';' between", error);
    case KEY_COUNT:
      return set_count (key, text, field, error);
    case KEY_SEED:
      return g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, field, NULL)
             || bad_value (key, text, "must be a whole number", error);
    case KEY_NUMBER:
      if (!parse_number (text, &number))
        return bad_value (key, text, "must be a number", error);
      *(double *) field = number;
      return TRUE;
    case KEY_NUMBER_FROM_0:
      if (!parse_number (text, &number) || number < 0)
        return bad_value (key, text, "must be a number from 0 on", error);
      *(double *) field = number;
      return TRUE;
    case KEY_NUMBER_OR_NONE:
      if (*text != '\0' && !parse_number (text, &number))
        return bad_value (key, text, "must be a number, or empty", error);
      *(double *) field = *text != '\0' ? number : NAN;
      return TRUE;
    case KEY_BOOL:
      if (strcmp (text, "true") != 0 && strcmp (text, "false") != 0)
        return bad_value (key, text, "must be true or false", error);
      *(gboolean *) field = strcmp (text, "true") == 0;
      return TRUE;
    case KEY_SHAPE:
      return parse_shape (self, text)
             || bad_value (key, text, "must be sizes with ';' between, as 8;8;1", error);
    }
  g_assert_not_reached ();
}

/* ---- loading ---- */

gboolean
sluice_project_has_own_input (const SluiceProject *self)
{
  return g_strcmp0 (self->source, "graph") == 0;
}

static const Key *
find_key (const char *group, const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if ((group == NULL || strcmp (keys[i].group, group) == 0) && strcmp (keys[i].key, name) == 0)
      return &keys[i];
  return NULL;
}

static gboolean
unknown_key (const char *what, const char *hint, GError **error)
{
  return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "%s is not known%s%s%s", what,
                      hint != NULL ? "; did you mean '" : "", hint != NULL ? hint : "",
                      hint != NULL ? "'?" : "");
}

static gboolean
load_parameters (SluiceProject *self, GKeyFile *file, GError **error)
{
  g_auto (GStrv) names = g_key_file_get_keys (file, "parameters", NULL, NULL);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      g_autofree char *text = sluice_ini_get_text (file, "parameters", names[i], error);
      SluiceParameterNote *note;
      char *target;
      if (text == NULL || !sluice_text_check_name ("[parameters] a name", names[i], error)
          || !sluice_parameter_note_parse (names[i], text, &target, &note, error))
        return FALSE;
      SluiceNamedEdge edge = { g_strdup (names[i]), target };
      g_array_append_val (self->parameters, edge);
      if (note != NULL)
        g_hash_table_insert (self->notes, g_strdup (names[i]), note);
    }
  g_auto (GStrv) overrides = g_key_file_get_keys (file, "overrides", NULL, NULL);
  for (guint i = 0; overrides != NULL && overrides[i] != NULL; i++)
    {
      g_autofree char *value = sluice_ini_get_text (file, "overrides", overrides[i], error);
      if (value == NULL)
        return FALSE;
      g_autofree char *assignment = g_strdup_printf ("%s=%s", overrides[i], value);
      if (!sluice_project_set (self, assignment, error))
        return FALSE;
    }
  return TRUE;
}

/* The known key that looks most like this one. (nullable) */
static const char *
suggest_key (const char *group, const char *name)
{
  const char *known[G_N_ELEMENTS (keys) + 1];
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    known[i] = strcmp (keys[i].group, group) == 0 ? keys[i].key : NULL;
  known[G_N_ELEMENTS (keys)] = strcmp (group, "train") == 0
                                   ? sluice_options_suggest_key (name, SLUICE_OPTION_PROJECT)
                                   : NULL;
  return sluice_suggest_name (name, known, G_N_ELEMENTS (known));
}

static gboolean
load_group (SluiceProject *self, GKeyFile *file, const char *group, GError **error)
{
  if (sluice_project_is_alert_group (group))
    return sluice_project_load_alert (self, file, group, error);
  if (!g_strv_contains (groups, group))
    {
      g_autofree char *what = g_strdup_printf ("group [%s]", group);
      return unknown_key (what, sluice_suggest_name (group, groups, G_N_ELEMENTS (groups) - 1),
                          error);
    }
  if (g_strv_contains (free_groups, group))
    return TRUE;
  g_auto (GStrv) names = g_key_file_get_keys (file, group, NULL, NULL);
  for (guint i = 0; names[i] != NULL; i++)
    {
      const Key *key = find_key (group, names[i]);
      const SluiceOption *option = sluice_project_find_option (group, names[i]);
      if (key == NULL && option == NULL)
        {
          g_autofree char *what = g_strdup_printf ("key '%s' in group [%s]", names[i], group);
          return unknown_key (what, suggest_key (group, names[i]), error);
        }
      g_autofree char *text = sluice_ini_get_text (file, group, names[i], error);
      if (text == NULL
          || !(key != NULL ? set_value (self, key, text, error)
                           : sluice_project_set_option (self, option, text, error)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_required (const SluiceProject *self, GKeyFile *file, GError **error)
{
  gboolean own_input = sluice_project_has_own_input (self);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if ((keys[i].need == REQUIRED || (keys[i].need == WITH_DATA && !own_input))
        && !g_key_file_has_key (file, keys[i].group, keys[i].key, NULL))
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "key '%s' in group [%s] is missing",
                          keys[i].key, keys[i].group);
  return TRUE;
}

static gboolean
load_keys (SluiceProject *self, GKeyFile *file, GError **error)
{
  g_auto (GStrv) names = g_key_file_get_groups (file, NULL);
  for (guint i = 0; names[i] != NULL; i++)
    if (!load_group (self, file, names[i], error))
      return FALSE;
  if (!check_required (self, file, error) || !sluice_project_check_device (self, error))
    return FALSE;
  return load_parameters (self, file, error) && sluice_project_load_changes (self, file, error);
}

gboolean
sluice_project_is_folder (const char *path)
{
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return FALSE;
  g_autofree char *ini = g_build_filename (path, INI, NULL);
  return g_file_test (ini, G_FILE_TEST_EXISTS) || !sluice_saved_model_exists (path);
}

/* What a folder that is no project lacks. */
static void
fail_absent (const char *folder, const char *path, GError **error)
{
  if (g_file_test (folder, G_FILE_TEST_IS_DIR))
    sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                 "'%s' is neither a project, for it has no " INI
                 ", nor a SavedModel, for it has no saved_model.pb",
                 folder);
  else
    sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "project '%s': there is no such file", path);
}

SluiceProject *
sluice_project_load (const char *folder, GError **error)
{
  g_autoptr (SluiceProject) self = project_new (folder);
  g_autofree char *path = g_build_filename (self->folder, INI, NULL);
  g_autoptr (GError) local = NULL;
  g_autoptr (GKeyFile) file = sluice_ini_read (path, &local);
  if (file == NULL)
    {
      /* A precondition: what should be the folder is a file. */
      gboolean absent = g_error_matches (local, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND)
                        || (g_error_matches (local, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION)
                            && !g_file_test (path, G_FILE_TEST_IS_DIR));
      if (absent)
        fail_absent (self->folder, path, error);
      else
        g_propagate_prefixed_error (error, g_steal_pointer (&local), "project '%s': ", path);
      return NULL;
    }
  if (!load_keys (self, file, error))
    {
      g_prefix_error (error, "project '%s': ", path);
      return NULL;
    }
  if (sluice_saved_model_exists (self->graph_path))
    {
      g_autofree char *model = sluice_saved_model_dup_folder (self->graph_path);
      sluice_file_access_allow (self->files, model, SLUICE_FILE_READ);
    }
  return g_steal_pointer (&self);
}

/* ---- what it says ---- */

gboolean
sluice_project_evaluates (const SluiceProject *self)
{
  return self->evaluate->len > 0 && (self->test_x != NULL || sluice_project_has_own_input (self));
}

/* ---- overrides ---- */

const SluiceNamedEdge *
sluice_project_find_parameter (const SluiceProject *self, const char *name)
{
  for (guint i = 0; i < self->parameters->len; i++)
    {
      const SluiceNamedEdge *edge = &g_array_index (self->parameters, SluiceNamedEdge, i);
      if (strcmp (edge->name, name) == 0)
        return edge;
    }
  return NULL;
}

static gboolean
set_parameter (SluiceProject *self,
               const SluiceNamedEdge *parameter,
               const char *text,
               GError **error)
{
  SluiceOverride override = { .name = g_strdup (parameter->name),
                              .edge = g_strdup (parameter->target) };
  const SluiceParameterNote *note = g_hash_table_lookup (self->notes, parameter->name);
  if (sluice_parameter_is_attr (parameter->target))
    override.text = g_strstrip (g_strdup (text)); /* what it may be, the graph knows */
  else if (!parse_number (text, &override.value))
    {
      override_clear (&override);
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s=%s: must be a number",
                          parameter->name, text);
    }
  else if (note != NULL
           && !sluice_parameter_note_check (note, parameter->name, override.value, error))
    {
      override_clear (&override);
      return FALSE;
    }
  for (guint i = 0; i < self->overrides->len; i++)
    if (strcmp (g_array_index (self->overrides, SluiceOverride, i).name, parameter->name) == 0)
      {
        g_array_remove_index (self->overrides, i);
        break;
      }
  g_array_append_val (self->overrides, override);
  return TRUE;
}

/* What a name in KEY=VALUE means: one of the three, or none. */
typedef struct
{
  const SluiceNamedEdge *parameter;
  const Key *key;
  const SluiceOption *option;
} Meaning;

static Meaning
find_meaning (const SluiceProject *self, const char *name)
{
  Meaning meaning = { .parameter = sluice_project_find_parameter (self, name) };
  const char *dot = strchr (name, '.');
  g_autofree char *group = dot != NULL ? g_strndup (name, dot - name) : g_strdup ("train");
  if (meaning.parameter != NULL)
    return meaning;
  meaning.key = find_key (group, dot != NULL ? dot + 1 : name);
  meaning.option = sluice_project_find_option (group, dot != NULL ? dot + 1 : name);
  if (meaning.key == NULL && dot == NULL)
    meaning.key = find_key (NULL, name);
  return meaning;
}

static gboolean
fail_unknown (const SluiceProject *self, const char *name, GError **error)
{
  g_autoptr (GPtrArray) known = g_ptr_array_new_with_free_func (g_free);
  const char *dot = strchr (name, '.');
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_ptr_array_add (known, dot == NULL ? g_strdup (keys[i].key)
                                        : g_strdup_printf ("%s.%s", keys[i].group, keys[i].key));
  for (guint i = 0; i < self->parameters->len; i++)
    g_ptr_array_add (known, g_strdup (g_array_index (self->parameters, SluiceNamedEdge, i).name));
  const char *hint =
      sluice_options_suggest_key (dot != NULL ? dot + 1 : name, SLUICE_OPTION_PROJECT);
  if (hint != NULL)
    g_ptr_array_add (known, dot == NULL ? g_strdup (hint) : g_strconcat ("train.", hint, NULL));
  g_autofree char *what = g_strdup_printf ("key '%s'", name);
  return unknown_key (
      what, sluice_suggest_name (name, (const char *const *) known->pdata, known->len), error);
}

gboolean
sluice_project_check_key (const SluiceProject *self, const char *name, GError **error)
{
  Meaning meaning = find_meaning (self, name);
  return meaning.parameter != NULL || meaning.key != NULL || meaning.option != NULL
         || fail_unknown (self, name, error);
}

gboolean
sluice_project_parse_count (const char *name, const char *text, gint64 *count, GError **error)
{
  const Key *key = find_key ("train", name);
  g_return_val_if_fail (key != NULL && key->kind == KEY_COUNT, FALSE);
  return set_count (key, text, count, error);
}

gboolean
sluice_project_set (SluiceProject *self, const char *assignment, GError **error)
{
  g_autofree char *name = NULL;
  const char *value = sluice_project_split_assignment (assignment, &name, error);
  if (value == NULL)
    return FALSE;
  Meaning meaning = find_meaning (self, name);
  if (meaning.parameter == NULL && meaning.key == NULL && meaning.option == NULL)
    return fail_unknown (self, name, error);
  const SluiceSessionOptions before = self->session;
  if (!(meaning.parameter != NULL ? set_parameter (self, meaning.parameter, value, error)
        : meaning.option != NULL  ? sluice_project_set_option (self, meaning.option, value, error)
                                  : set_value (self, meaning.key, value, error)))
    return FALSE;
  if (meaning.option != NULL && !sluice_project_check_device (self, error))
    {
      self->session = before;
      return FALSE;
    }
  sluice_project_drop_changes (self, meaning.key != NULL ? meaning.key->key : name);
  return TRUE;
}

gboolean
sluice_project_set_all (SluiceProject *self, char **assignments, GError **error)
{
  for (guint i = 0; assignments != NULL && assignments[i] != NULL; i++)
    if (!sluice_project_set (self, assignments[i], error))
      return FALSE;
  return TRUE;
}

/* ---- saving ---- */

static char *
edges_to_text (GArray *edges)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < edges->len; i++)
    {
      SluiceNamedEdge *edge = &g_array_index (edges, SluiceNamedEdge, i);
      g_string_append_printf (text, "%s%s:%s", i > 0 ? ";" : "", edge->name, edge->target);
    }
  return g_string_free (text, FALSE);
}

/* (transfer full) (nullable): NULL where the key has no value. */
static char *
value_to_text (const SluiceProject *self, const Key *key)
{
  const void *field = (const char *) self + key->offset;
  switch (key->kind)
    {
    case KEY_STRING:
    case KEY_NAME:
    case KEY_SOURCE:
    case KEY_PATH:
      return g_strdup (*(char *const *) field);
    case KEY_TARGETS:
      return *(char **const *) field != NULL ? g_strjoinv (";", *(char **const *) field) : NULL;
    case KEY_EDGES:
      return edges_to_text (*(GArray *const *) field);
    case KEY_COUNT:
      return g_strdup_printf ("%" G_GINT64_FORMAT, *(const gint64 *) field);
    case KEY_SEED:
      return g_strdup_printf ("%" G_GUINT64_FORMAT, *(const guint64 *) field);
    case KEY_NUMBER_OR_NONE:
      if (isnan (*(const double *) field))
        return NULL;
      G_GNUC_FALLTHROUGH;
    case KEY_NUMBER:
    case KEY_NUMBER_FROM_0:
      return sluice_text_dup_number (*(const double *) field, FALSE);
    case KEY_BOOL:
      return g_strdup (*(const gboolean *) field ? "true" : "false");
    case KEY_SHAPE:
      {
        GString *text = g_string_new (NULL);
        for (guint i = 0; i < self->n_shape; i++)
          g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ";" : "", self->shape[i]);
        return self->shape != NULL ? g_string_free (text, FALSE)
                                   : (g_string_free (text, TRUE), NULL);
      }
    }
  g_assert_not_reached ();
}

char *
sluice_project_dup_text (const SluiceProject *self)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      gboolean without = self->stop_metric == NULL && strcmp (keys[i].group, "stop") == 0;
      g_autofree char *text = !without ? value_to_text (self, &keys[i]) : NULL;
      if (text != NULL)
        sluice_ini_set_text (file, keys[i].group, keys[i].key, text);
    }
  sluice_project_save_options (self, file);
  g_autofree char *base = sluice_project_dup_graph_name (self);
  sluice_ini_set_text (file, "project", "graph", base);
  for (guint i = 0; i < self->parameters->len; i++)
    {
      SluiceNamedEdge *edge = &g_array_index (self->parameters, SluiceNamedEdge, i);
      g_autofree char *text = sluice_parameter_note_dup_text (
          self->notes != NULL ? g_hash_table_lookup (self->notes, edge->name) : NULL, edge->target);
      sluice_ini_set_text (file, "parameters", edge->name, text);
    }
  for (guint i = 0; i < self->overrides->len; i++)
    {
      SluiceOverride *override = &g_array_index (self->overrides, SluiceOverride, i);
      g_autofree char *number = sluice_text_dup_number (override->value, FALSE);
      sluice_ini_set_text (file, "overrides", override->name,
                           override->text != NULL ? override->text : number);
    }
  sluice_project_save_changes (self, file);
  sluice_project_save_alerts (self, file);
  return g_key_file_to_data (file, NULL, NULL);
}

gboolean
sluice_project_save_text (const SluiceProject *self, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, INI, NULL);
  g_autofree char *text = sluice_project_dup_text (self);
  return sluice_file_put ("project", path, text, strlen (text), error);
}

gboolean
sluice_project_save (const SluiceProject *self, const char *folder, GError **error)
{
  return sluice_project_copy_files (self, folder, error)
         && sluice_project_save_text (self, folder, error);
}
