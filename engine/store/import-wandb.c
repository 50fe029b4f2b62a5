/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Runs of W&B's local folder: run-…-ID with files/config.yaml, files/wandb-metadata.json,
 * files/wandb-summary.json, and the history as run-ID.wandb or, of older versions,
 * files/wandb-history.jsonl. Where neither is there, the summary is one point a series. What is no
 * number (media, tables, histograms) is left out.
 */
#include "engine/store/import-wandb.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/base/wire.h"
#include "engine/store/flat-yaml.h"
#include "engine/store/import-text.h"
#include "engine/store/wandb-log.h"

#define CONFIG   "files/config.yaml"
#define METADATA "files/wandb-metadata.json"
#define SUMMARY  "files/wandb-summary.json"
#define HISTORY  "files/wandb-history.jsonl"
#define ENDING   ".wandb"
/* json-glib reads what lies in each other by calling itself. */
#define MAX_JSON_DEPTH 64

/* Fields of its messages (wandb_internal.proto). */
enum
{
  RECORD_HISTORY = 2,
  RECORD_CONFIG = 5,
  RECORD_RUN = 17,
  RECORD_EXIT = 18,
  HISTORY_ITEM = 1,
  HISTORY_STEP = 2,
  STEP_NUMBER = 1,
  ITEM_KEY = 1,
  ITEM_NESTED_KEY = 2,
  ITEM_JSON = 16,
  CONFIG_UPDATE = 1,
  RUN_PROJECT = 3,
  RUN_CONFIG = 4,
  RUN_GROUP = 6,
  RUN_NAME = 8,
  RUN_NOTES = 9,
  RUN_TAG = 10,
  EXIT_CODE = 1,
};

/* ---- JSON ---- */

/* (transfer full) (nullable) */
static JsonNode *
parse_json (const char *text, gsize length, GError **error)
{
  if (!sluice_text_is_shallow_json (text, length, MAX_JSON_DEPTH))
    {
      sluice_fail (error, SLUICE_ERROR_DATA_LOSS, _ ("JSON lies too deep"));
      return NULL;
    }
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root = json_parser_load_from_data (parser, text, (gssize) length, error)
                       ? json_parser_steal_root (parser)
                       : NULL;
  if (root == NULL && error != NULL && *error == NULL)
    sluice_fail (error, SLUICE_ERROR_DATA_LOSS, _ ("there is no JSON"));
  return root;
}

/* Of a number; W&B writes those that JSON has not as texts. */
static gboolean
get_number (JsonNode *node, double *value)
{
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node))
    return FALSE;
  GType type = json_node_get_value_type (node);
  if (type == G_TYPE_INT64 || type == G_TYPE_DOUBLE)
    {
      *value = json_node_get_double (node);
      return TRUE;
    }
  const char *text = type == G_TYPE_STRING ? json_node_get_string (node) : "";
  return (strcmp (text, "NaN") == 0 || strcmp (text, "Infinity") == 0
          || strcmp (text, "-Infinity") == 0)
         && sluice_import_parse_double (text, value);
}

typedef void (*NumberFunc) (const char *key, double value, gpointer data);

/* Numbers of an object, those of objects in it with "." between. */
static void
each_number (JsonNode *node, const char *key, NumberFunc func, gpointer data)
{
  double value;
  if (get_number (node, &value))
    func (key, value, data);
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node)
      || json_object_has_member (json_node_get_object (node), "_type"))
    return;
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;
  json_object_iter_init (&iter, json_node_get_object (node));
  while (json_object_iter_next (&iter, &name, &member))
    {
      g_autofree char *longer = *key != '\0' ? g_strconcat (key, ".", name, NULL) : g_strdup (name);
      each_number (member, longer, func, data);
    }
}

/* ---- a row of the history ---- */

typedef struct
{
  char *key;
  double value;
} Number;

typedef struct
{
  GArray *numbers; /* of Number */
  gint64 step;
  double wall;
} Row;

static void
number_clear (gpointer data)
{
  g_free (((Number *) data)->key);
}

static void
row_init (Row *self, const ImportText *text, gint64 step)
{
  *self = (Row){ g_array_new (FALSE, FALSE, sizeof (Number)), step, text->wall };
  g_array_set_clear_func (self->numbers, number_clear);
}

static void
row_clear (Row *self)
{
  g_clear_pointer (&self->numbers, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Row, row_clear)

static void
note_number (const char *key, double value, gpointer data)
{
  Row *row = data;
  if (strcmp (key, "_step") == 0 && value == floor (value) && fabs (value) < 1e15)
    row->step = (gint64) value;
  else if (strcmp (key, "_timestamp") == 0 && isfinite (value) && value > 0)
    row->wall = value;
  else if (*key != '_')
    {
      const Number number = { g_strdup (key), value };
      g_array_append_val (row->numbers, number);
    }
}

static void
take_row (ImportReading *reading, const Row *row)
{
  for (guint i = 0; i < row->numbers->len; i++)
    {
      const Number *number = &g_array_index (row->numbers, Number, i);
      sluice_import_text_add_point (reading, number->key, row->step, row->wall, number->value);
    }
}

/* ---- what it is ---- */

static const ImportFormat format;

/* Its name, "run-….wandb". (transfer full) (nullable) */
static char *
find_log (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;
  char *found = NULL;
  while (found == NULL && dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ENDING))
      found = g_strdup (name);
  g_clear_pointer (&dir, g_dir_close);
  return found;
}

static gboolean
has_file (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

ImportSource *
sluice_import_find_wandb (const char *folder)
{
  static const char *const facts[] = { CONFIG, METADATA, SUMMARY };
  g_autofree char *log = find_log (folder);
  const char *history = log != NULL ? log : has_file (folder, HISTORY) ? HISTORY : NULL;
  gboolean is_run = log != NULL || has_file (folder, METADATA) || has_file (folder, SUMMARY);
  if (!is_run)
    return NULL;
  ImportSource *self =
      sluice_import_source_new (folder, folder, g_filename_display_basename (folder));
  self->format = &format;
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++)
    if (has_file (folder, facts[i]))
      sluice_import_source_add (self, facts[i])->is_fact = TRUE;
  if (history != NULL)
    sluice_import_source_add (self, history);
  return self;
}

static const ImportPath *
find_path (const ImportReading *reading, const char *name)
{
  for (guint i = 0; i < reading->source->files->len; i++)
    {
      const ImportPath *path = reading->source->files->pdata[i];
      if (strcmp (path->name, name) == 0)
        return path;
    }
  return NULL;
}

static gboolean
has_history (const ImportReading *reading)
{
  for (guint i = 0; i < reading->source->files->len; i++)
    if (!((const ImportPath *) reading->source->files->pdata[i])->is_fact)
      return TRUE;
  return FALSE;
}

/* ---- facts ---- */

/* NAME: / value: …, and what W&B says of itself. */
static void
take_config (
    const char *const *keys, guint n_keys, const char *value, gboolean is_quoted, gpointer data)
{
  GPtrArray *settings = data;
  if (n_keys < 2 || strcmp (keys[1], "value") != 0 || strcmp (keys[0], "_wandb") == 0)
    return;
  g_autoptr (GString) name = g_string_new (keys[0]);
  for (guint i = 2; i < n_keys; i++)
    g_string_append_printf (name, ".%s", keys[i]);
  SluiceSetting *last = settings->len > 0 ? settings->pdata[settings->len - 1] : NULL;
  SluiceSetting *setting = sluice_import_setting_new (name->str, value, is_quoted);
  if (last == NULL || strcmp (last->name, setting->name) != 0)
    {
      g_ptr_array_add (settings, setting);
      return;
    }
  /* Another item of a list. */
  g_autofree char *before =
      last->text != NULL ? g_steal_pointer (&last->text) : g_strdup_printf ("%.17g", last->number);
  last->text = g_strdup_printf ("%s, %s", before, value);
  last->number = NAN;
  sluice_setting_free (setting);
}

/* (transfer full) (nullable) */
static JsonNode *
read_json (ImportReading *reading, const char *name)
{
  const ImportPath *path = find_path (reading, name);
  g_autoptr (GBytes) text = path != NULL ? sluice_import_read_fact (reading, path) : NULL;
  g_autoptr (GError) failure = NULL;
  if (text == NULL)
    return NULL;
  JsonNode *root =
      parse_json (g_bytes_get_data (text, NULL), g_bytes_get_size (text) - 1, &failure);
  if (root == NULL)
    sluice_import_add_damage (reading, path, 0, g_strdup (failure->message));
  return root;
}

static void
read_config (ImportReading *reading)
{
  const ImportPath *path = find_path (reading, CONFIG);
  g_autoptr (GPtrArray) settings = g_ptr_array_new_with_free_func (sluice_setting_free);
  g_autoptr (GBytes) text = path != NULL ? sluice_import_read_fact (reading, path) : NULL;
  g_autoptr (GError) failure = NULL;
  if (text == NULL)
    return;
  if (!sluice_flat_yaml_each (g_bytes_get_data (text, NULL), g_bytes_get_size (text) - 1,
                              take_config, settings, &failure))
    sluice_import_add_damage (reading, path, 0, g_strdup (failure->message));
  sluice_import_text_set_settings (reading, settings);
}

/* One point a series; what is there of it goes. */
static void
take_summary (ImportReading *reading, JsonNode *summary)
{
  const ImportText none = { .wall = reading->run->info.created };
  g_auto (Row) row;
  row_init (&row, &none, 0);
  each_number (summary, "", note_number, &row);
  for (guint i = 0; i < reading->run->all_series->len; i++)
    sluice_import_run_cut_series (reading->run, reading->run->all_series->pdata[i], G_MININT64);
  take_row (reading, &row);
}

static gboolean
take_facts (ImportReading *reading, GError **error)
{
  g_autoptr (JsonNode) metadata = read_json (reading, METADATA);
  g_autoptr (JsonNode) summary = read_json (reading, SUMMARY);
  if (metadata != NULL && JSON_NODE_HOLDS_OBJECT (metadata))
    {
      JsonNode *started = json_object_get_member (json_node_get_object (metadata), "startedAt");
      if (started != NULL && json_node_get_value_type (started) == G_TYPE_STRING)
        sluice_import_text_note_time (reading,
                                      sluice_import_parse_time (json_node_get_string (started)));
    }
  read_config (reading);
  if (summary != NULL && !has_history (reading))
    take_summary (reading, summary);
  return TRUE;
}

/* ---- the history of older versions: an object a line ---- */

static gboolean
take_lines (ImportReading *reading,
            const ImportPath *path,
            const ImportText *text,
            gsize *taken,
            GError **error)
{
  gint64 number = sluice_import_count_lines (text, 0, text->from);
  ImportLine line;
  while (sluice_import_get_line (reading, text, *taken, &line))
    {
      g_autoptr (GError) failure = NULL;
      g_auto (Row) row;
      row_init (&row, text, number++);
      g_autoptr (JsonNode) root =
          line.end > line.begin ? parse_json (line.begin, (gsize) (line.end - line.begin), &failure)
                                : NULL;
      each_number (root, "", note_number, &row);
      if (failure != NULL)
        sluice_import_add_line_damage (reading, path, *taken, number, NULL, failure->message);
      if (failure != NULL && !line.is_whole)
        return TRUE; /* its rest may come */
      take_row (reading, &row);
      *taken = line.next;
      if (!sluice_import_text_taken (reading, path, text, *taken, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the log ---- */

static char *
dup_field (const SluiceWireField *field)
{
  return field->length > 0 ? g_utf8_make_valid ((const char *) field->data, (gssize) field->length)
                           : g_strdup ("");
}

/* What an item of a history or of a configuration says. (transfer full): key, and its JSON */
static void
read_item (const SluiceWireField *message, char **key, char **json)
{
  const guint8 *at = message->data, *end = at + message->length;
  g_autoptr (GString) nested = g_string_new (NULL);
  SluiceWireField field;
  *key = *json = NULL;
  while (sluice_wire_next (&at, end, &field))
    {
      g_autofree char *text = field.wire_type == SLUICE_WIRE_BYTES ? dup_field (&field) : NULL;
      char **to = field.number == ITEM_KEY ? key : field.number == ITEM_JSON ? json : NULL;
      if (text != NULL && to != NULL && *text != '\0')
        {
          g_free (*to);
          *to = g_steal_pointer (&text);
        }
      else if (text != NULL && field.number == ITEM_NESTED_KEY)
        g_string_append_printf (nested, "%s%s", nested->len > 0 ? "." : "", text);
    }
  if (*key == NULL)
    *key = g_strdup (nested->str);
}

static void
take_history_item (const SluiceWireField *message, Row *row)
{
  g_autofree char *key = NULL, *json = NULL;
  double value;
  read_item (message, &key, &json);
  if (json == NULL)
    return;
  /* Most are plain numbers. */
  if (sluice_import_parse_double (json, &value))
    {
      note_number (key, value, row);
      return;
    }
  g_autoptr (JsonNode) root = parse_json (json, strlen (json), NULL);
  each_number (root, key, note_number, row);
}

static void
take_history (ImportReading *reading, const ImportText *text, const SluiceWireField *message)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field, number;
  g_auto (Row) row;
  row_init (&row, text, 0);
  while (sluice_wire_next (&at, end, &field))
    if (field.wire_type == SLUICE_WIRE_BYTES && field.number == HISTORY_ITEM)
      take_history_item (&field, &row);
    else if (field.wire_type == SLUICE_WIRE_BYTES && field.number == HISTORY_STEP)
      {
        const guint8 *inner = field.data, *inner_end = inner + field.length;
        while (sluice_wire_next (&inner, inner_end, &number))
          if (number.number == STEP_NUMBER && number.wire_type == SLUICE_WIRE_VARINT)
            row.step = (gint64) number.value;
      }
  take_row (reading, &row);
}

static void
take_run_text (ImportReading *reading, const SluiceWireField *field)
{
  SluiceRunInfo *info = &reading->run->info;
  char **to = field->number == RUN_PROJECT ? &info->project
              : field->number == RUN_GROUP ? &info->group
              : field->number == RUN_NAME  ? &info->name
              : field->number == RUN_NOTES ? &info->notes
                                           : NULL;
  g_autofree char *text = dup_field (field);
  if (field->number == RUN_TAG)
    sluice_import_text_add_tag (reading, text);
  if (to == NULL || *text == '\0' || info->id != 0
      || (field->number != RUN_NOTES && !sluice_text_check_name ("a run", text, NULL)))
    return;
  g_free (*to);
  *to = g_steal_pointer (&text);
}

/* In place of what it was before; of an object each member, with "." between. */
static void
set_setting (GPtrArray *settings, const char *key, JsonNode *value)
{
  if (JSON_NODE_HOLDS_OBJECT (value))
    {
      JsonObjectIter iter;
      const char *name;
      JsonNode *member;
      json_object_iter_init (&iter, json_node_get_object (value));
      while (json_object_iter_next (&iter, &name, &member))
        {
          g_autofree char *longer = g_strconcat (key, ".", name, NULL);
          set_setting (settings, longer, member);
        }
      return;
    }
  gboolean is_text = json_node_get_value_type (value) == G_TYPE_STRING;
  g_autofree char *text = is_text ? json_node_dup_string (value) : json_to_string (value, FALSE);
  for (guint i = 0; i < settings->len; i++)
    if (strcmp (((SluiceSetting *) settings->pdata[i])->name, key) == 0)
      g_ptr_array_remove_index (settings, i--);
  g_ptr_array_add (settings, sluice_import_setting_new (key, text, is_text));
}

/* Where there is no config.yaml, what the log says it began with. */
static void
take_updates (const SluiceWireField *message, GPtrArray *settings)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  while (sluice_wire_next (&at, end, &field))
    {
      g_autofree char *key = NULL, *json = NULL;
      if (field.wire_type != SLUICE_WIRE_BYTES || field.number != CONFIG_UPDATE)
        continue;
      read_item (&field, &key, &json);
      if (json == NULL || strcmp (key, "_wandb") == 0 || g_str_has_prefix (key, "_wandb."))
        continue;
      g_autoptr (JsonNode) value = parse_json (json, strlen (json), NULL);
      if (value != NULL)
        set_setting (settings, key, value);
    }
}

static void
take_run (ImportReading *reading, const SluiceWireField *message, GPtrArray *settings)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  while (sluice_wire_next (&at, end, &field))
    if (field.wire_type == SLUICE_WIRE_BYTES && field.number == RUN_CONFIG)
      take_updates (&field, settings);
    else if (field.wire_type == SLUICE_WIRE_BYTES)
      take_run_text (reading, &field);
}

static void
take_exit (ImportReading *reading, const SluiceWireField *message)
{
  const guint8 *at = message->data, *end = at + message->length;
  SluiceWireField field;
  guint64 code = 0;
  while (sluice_wire_next (&at, end, &field))
    if (field.number == EXIT_CODE && field.wire_type == SLUICE_WIRE_VARINT)
      code = field.value;
  reading->run->info.state = code == 0 ? SLUICE_RUN_FINISHED : SLUICE_RUN_FAILED;
}

/* FALSE: it is no message. */
static gboolean
take_record (ImportReading *reading,
             const ImportText *text,
             const GByteArray *record,
             GPtrArray *settings)
{
  const guint8 *at = record->data, *end = at + record->len;
  SluiceWireField field;
  while (sluice_wire_next (&at, end, &field))
    if (field.wire_type != SLUICE_WIRE_BYTES)
      continue;
    else if (field.number == RECORD_HISTORY)
      take_history (reading, text, &field);
    else if (field.number == RECORD_CONFIG)
      take_updates (&field, settings);
    else if (field.number == RECORD_RUN)
      take_run (reading, &field, settings);
    else if (field.number == RECORD_EXIT)
      take_exit (reading, &field);
  return at == end;
}

static gboolean
take_log (ImportReading *reading,
          const ImportPath *path,
          const ImportText *text,
          gsize *taken,
          GError **error)
{
  const guint8 *bytes = (const guint8 *) text->bytes;
  g_autoptr (GByteArray) record = g_byte_array_new ();
  g_autoptr (GPtrArray) settings = g_ptr_array_new_with_free_func (sluice_setting_free);
  const char *what = NULL;
  SluiceWandbResult result;
  if (!sluice_wandb_log_is_one (bytes, text->length))
    {
      sluice_import_add_damage (reading, path, 0, g_strdup (_ ("it is no log of W&B")));
      return TRUE;
    }
  /* Until the log says how it ended, it has not. */
  if (text->from == 0)
    reading->run->info.state = SLUICE_RUN_STOPPED;
  *taken = MAX (*taken, SLUICE_WANDB_HEADER);
  for (;;)
    {
      const gsize at = *taken;
      result = sluice_wandb_log_next (bytes, text->length, taken, record, &what);
      if (result == SLUICE_WANDB_END || result == SLUICE_WANDB_TORN)
        break;
      if (result == SLUICE_WANDB_DAMAGED)
        sluice_import_add_damage (reading, path, at, g_strdup (_ (what)));
      else if (!take_record (reading, text, record, settings))
        sluice_import_add_damage (reading, path, at, g_strdup (_ ("a record is no message")));
      if (!sluice_import_text_taken (reading, path, text, *taken, error))
        return FALSE;
    }
  if (result == SLUICE_WANDB_TORN && !sluice_import_follows (reading))
    sluice_import_add_damage (reading, path, *taken,
                              g_strdup (_ ("the file ends within a record")));
  if (find_path (reading, CONFIG) == NULL)
    sluice_import_text_set_settings (reading, settings);
  return TRUE;
}

static gboolean
take (ImportReading *reading,
      const ImportPath *path,
      const ImportText *text,
      gsize *taken,
      GError **error)
{
  return g_str_has_suffix (path->name, ENDING) ? take_log (reading, path, text, taken, error)
                                               : take_lines (reading, path, text, taken, error);
}

static const ImportFormat format = { .is_binary = TRUE, .take_facts = take_facts, .take = take };
