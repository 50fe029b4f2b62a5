/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/kinds/hparams.h"
#include "engine/store/sql.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/wire.h"
#include "engine/store/kind-private.h"
#include "engine/store/kinds/bytes-private.h"

#define PLUGIN "hparams"

typedef Sluice__Event__HParamsPluginData Message;

SluiceBytesRecord *
sluice_hparams_new (gint64 step, double wall, GBytes *content)
{
  SluiceBytesRecord *self = sluice_record_new (&sluice_kind_hparams, step, wall);
  self->bytes = g_bytes_ref (content);
  return self;
}

SluiceBytesRecord *
sluice_hparams_new_start (gint64 step, double wall, const SluiceHparam *settings, guint n)
{
  Message message = SLUICE__EVENT__HPARAMS_PLUGIN_DATA__INIT;
  Sluice__Event__SessionStart start = SLUICE__EVENT__SESSION_START__INIT;
  g_autofree Sluice__Event__Setting *values = g_new (Sluice__Event__Setting, n);
  g_autofree Sluice__Event__NamedSetting *entries = g_new (Sluice__Event__NamedSetting, n);
  g_autofree Sluice__Event__NamedSetting **list = g_new (Sluice__Event__NamedSetting *, n);
  for (guint i = 0; i < n; i++)
    {
      sluice__event__setting__init (&values[i]);
      if (settings[i].text != NULL)
        {
          values[i].kind_case = SLUICE__EVENT__SETTING__KIND_STRING_VALUE;
          values[i].string_value = (char *) settings[i].text;
        }
      else
        {
          values[i].kind_case = SLUICE__EVENT__SETTING__KIND_NUMBER_VALUE;
          values[i].number_value = settings[i].value;
        }
      sluice__event__named_setting__init (&entries[i]);
      entries[i].key = (char *) settings[i].name;
      entries[i].value = &values[i];
      list[i] = &entries[i];
    }
  start.n_hparams = n;
  start.hparams = list;
  start.start_time_secs = wall;
  message.data_case = SLUICE__EVENT__HPARAMS_PLUGIN_DATA__DATA_SESSION_START_INFO;
  message.session_start_info = &start;
  gsize length = sluice__event__hparams_plugin_data__get_packed_size (&message);
  guint8 *packed = g_malloc (length);
  sluice__event__hparams_plugin_data__pack (&message, packed);
  g_autoptr (GBytes) bytes = g_bytes_new_take (packed, length);
  return sluice_hparams_new (step, wall, bytes);
}

static void *
allocate (void *unused, size_t bytes)
{
  return g_malloc (MAX (bytes, 1));
}

static void
release (void *unused, void *piece)
{
  g_free (piece);
}

/* (nullable) (transfer full): NULL where the bytes are no such message. Memory that is refused
 * would look the same: the small pieces are had as those of the text are that is made of them. */
static Message *
unpack (const SluiceRecord *record)
{
  gsize length;
  const void *bytes = g_bytes_get_data (((const SluiceBytesRecord *) record)->bytes, &length);
  ProtobufCAllocator allocator = { allocate, release, NULL };
  return sluice__event__hparams_plugin_data__unpack (&allocator, length, bytes);
}

static const char *
name_part (const Message *message)
{
  switch (message != NULL ? message->data_case : SLUICE__EVENT__HPARAMS_PLUGIN_DATA__DATA__NOT_SET)
    {
    case SLUICE__EVENT__HPARAMS_PLUGIN_DATA__DATA_EXPERIMENT:
      return "experiment";
    case SLUICE__EVENT__HPARAMS_PLUGIN_DATA__DATA_SESSION_START_INFO:
      return "session_start_info";
    case SLUICE__EVENT__HPARAMS_PLUGIN_DATA__DATA_SESSION_END_INFO:
      return "session_end_info";
    default:
      return "unknown";
    }
}

gboolean
sluice_hparams_get_end (const SluiceRecord *record, SluiceSessionStatus *status)
{
  Message *message = unpack (record);
  gboolean is_end =
      message != NULL
      && message->data_case == SLUICE__EVENT__HPARAMS_PLUGIN_DATA__DATA_SESSION_END_INFO;
  if (is_end)
    *status = (SluiceSessionStatus) message->session_end_info->status;
  if (message != NULL)
    sluice__event__hparams_plugin_data__free_unpacked (message, NULL);
  return is_end;
}

/* ---- settings ---- */

void
sluice_setting_free (gpointer setting)
{
  SluiceSetting *self = setting;
  g_free (self->name);
  g_free (self->text);
  g_free (self);
}

static SluiceSetting *
new_setting (const Sluice__Event__NamedSetting *entry)
{
  const Sluice__Event__Setting *value = entry->value;
  SluiceSetting *self = g_new (SluiceSetting, 1);
  *self = (SluiceSetting){ g_utf8_make_valid (entry->key, -1), NAN, NULL };
  switch (value != NULL ? value->kind_case : SLUICE__EVENT__SETTING__KIND__NOT_SET)
    {
    case SLUICE__EVENT__SETTING__KIND_NUMBER_VALUE:
      self->number = value->number_value;
      break;
    case SLUICE__EVENT__SETTING__KIND_STRING_VALUE:
      self->text = g_utf8_make_valid (value->string_value, -1);
      break;
    case SLUICE__EVENT__SETTING__KIND_BOOL_VALUE:
      self->text = g_strdup (value->bool_value ? "true" : "false");
      break;
    default:
      self->text = g_strdup ("");
    }
  return self;
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(SluiceSetting *const *) a)->name, (*(SluiceSetting *const *) b)->name);
}

GPtrArray *
sluice_hparams_dup_settings (const SluiceBytesRecord *record)
{
  GPtrArray *settings = g_ptr_array_new_with_free_func (sluice_setting_free);
  Message *message = unpack (&record->base);
  if (message != NULL
      && message->data_case == SLUICE__EVENT__HPARAMS_PLUGIN_DATA__DATA_SESSION_START_INFO)
    for (size_t i = 0; i < message->session_start_info->n_hparams; i++)
      g_ptr_array_add (settings, new_setting (message->session_start_info->hparams[i]));
  g_ptr_array_sort (settings, by_name);
  if (message != NULL)
    sluice__event__hparams_plugin_data__free_unpacked (message, NULL);
  return settings;
}

/* ---- JSON ---- */

static void
append_setting (GString *json, const Sluice__Event__Setting *value)
{
  switch (value != NULL ? value->kind_case : SLUICE__EVENT__SETTING__KIND__NOT_SET)
    {
    case SLUICE__EVENT__SETTING__KIND_NUMBER_VALUE:
      sluice_json_append_double (json, value->number_value);
      break;
    case SLUICE__EVENT__SETTING__KIND_STRING_VALUE:
      sluice_json_append_string (json, value->string_value, -1);
      break;
    case SLUICE__EVENT__SETTING__KIND_BOOL_VALUE:
      g_string_append (json, value->bool_value ? "true" : "false");
      break;
    default:
      g_string_append (json, "null");
    }
}

static void
append_settings (GString *json, const Sluice__Event__SessionStart *start)
{
  g_string_append_c (json, '{');
  for (size_t i = 0; i < start->n_hparams; i++)
    {
      if (i > 0)
        g_string_append (json, ", ");
      sluice_json_append_string (json, start->hparams[i]->key, -1);
      g_string_append (json, ": ");
      append_setting (json, start->hparams[i]->value);
    }
  g_string_append_c (json, '}');
}

static void
append_text (GString *json, const char *name, const char *text)
{
  g_string_append_printf (json, ", \"%s\": ", name);
  sluice_json_append_string (json, text, -1);
}

static void
append_number (GString *json, const char *name, double value)
{
  g_string_append_printf (json, ", \"%s\": ", name);
  sluice_json_append_double (json, value);
}

static char *
hparams_dup_json (const SluiceRecord *record)
{
  Message *message = unpack (record);
  GString *json = g_string_new (NULL);
  g_string_printf (json, "{\"part\": \"%s\"", name_part (message));
  switch (message != NULL ? message->data_case : SLUICE__EVENT__HPARAMS_PLUGIN_DATA__DATA__NOT_SET)
    {
    case SLUICE__EVENT__HPARAMS_PLUGIN_DATA__DATA_EXPERIMENT:
      append_text (json, "name", message->experiment->name);
      append_text (json, "description", message->experiment->description);
      append_text (json, "user", message->experiment->user);
      append_number (json, "created", message->experiment->time_created_secs);
      break;
    case SLUICE__EVENT__HPARAMS_PLUGIN_DATA__DATA_SESSION_START_INFO:
      g_string_append (json, ", \"settings\": ");
      append_settings (json, message->session_start_info);
      append_text (json, "group", message->session_start_info->group_name);
      append_number (json, "start", message->session_start_info->start_time_secs);
      break;
    case SLUICE__EVENT__HPARAMS_PLUGIN_DATA__DATA_SESSION_END_INFO:
      append_number (json, "status", message->session_end_info->status);
      append_number (json, "end", message->session_end_info->end_time_secs);
      break;
    default:
      break;
    }
  g_string_append_c (json, '}');
  if (message != NULL)
    sluice__event__hparams_plugin_data__free_unpacked (message, NULL);
  return g_string_free (json, FALSE);
}

/* ---- rows ---- */

static gboolean
hparams_write (sqlite3 *db, gint64 series, const SluiceRecord *record, GError **error)
{
  Message *message = unpack (record);
  g_autoptr (GString) settings = g_string_new (NULL);
  if (message != NULL
      && message->data_case == SLUICE__EVENT__HPARAMS_PLUGIN_DATA__DATA_SESSION_START_INFO)
    append_settings (settings, message->session_start_info);
  gboolean ok = sluice_sql_change (
      db, error,
      "INSERT OR REPLACE INTO hparams (series, segment, step, wall, part, settings, data) "
      "VALUES (?, ?, ?, ?, ?, nullif (?, ''), ?)",
      "iiidssb", series, record->segment, record->step, record->wall, name_part (message),
      settings->str, ((const SluiceBytesRecord *) record)->bytes);
  if (message != NULL)
    sluice__event__hparams_plugin_data__free_unpacked (message, NULL);
  return ok;
}

static SluiceRecord *
hparams_read (sqlite3_stmt *row, int at, GError **error)
{
  g_autoptr (GBytes) content = sluice_column_dup_bytes (row, at);
  return &sluice_hparams_new (0, 0, content)->base;
}

/* ---- event files: the plugin's content is the record, the value says nothing ---- */

static void
hparams_put_event (const SluiceRecord *record, const SluiceEventOut *out)
{
  gsize length;
  const guint8 *bytes = g_bytes_get_data (((const SluiceBytesRecord *) record)->bytes, &length);
  g_autoptr (GByteArray) content = g_byte_array_new ();
  const SluicePluginOut plugin = { PLUGIN, SLUICE_CLASS_TENSOR, content };
  GBytes *metadata = out->first ? out->metadata : NULL; /* that the first one came with */
  const SluiceEventOut each = { out->event, out->tag, metadata, TRUE, out->error };
  const SluiceShape none = SLUICE_SHAPE (0);
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_zeros (SLUICE_FLOAT, &none);
  g_byte_array_append (content, bytes, (guint) length);
  sluice_summary_value_put_tensor (&each, tensor, &plugin);
}

static SluiceValueResult
hparams_take_value (const SluiceValueIn *in, GError **error)
{
  if (g_strcmp0 (sluice_summary_value_get_plugin (in), PLUGIN) != 0)
    return SLUICE_VALUE_NOT_MINE;
  const ProtobufCBinaryData *content = &in->metadata->plugin_data->content;
  g_autoptr (GBytes) bytes = g_bytes_new (content->data, content->len);
  return sluice_summary_value_sink (in, sluice_hparams_new (in->step, in->wall, bytes), NULL,
                                    error);
}

static const SluiceMigration migrations[] = {
  { 2, "CREATE TABLE hparams (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, "
       "step INTEGER NOT NULL, wall REAL NOT NULL, part TEXT NOT NULL, settings TEXT, "
       "data BLOB NOT NULL);" },
  { 2, "CREATE UNIQUE INDEX hparams_by_step ON hparams (series, step);" },
  { 2, "CREATE VIEW hparams_points AS SELECT runs.name AS run, s.tag AS tag, r.step AS step, "
       "r.wall AS wall_time, r.part AS part, r.settings AS settings FROM hparams r "
       "JOIN series s ON s.id = r.series JOIN runs ON runs.id = s.run "
       "WHERE runs.deleted IS NULL;" },
  SLUICE_SEGMENT_STEPS ("hparams", "step"),
  { 0 },
};

const SluiceKind sluice_kind_hparams = {
  .number = SLUICE_SERIES_HPARAMS,
  .name = "hparams",
  .migrations = migrations,
  .table = "hparams",
  .columns = "data",
  .view = "hparams_points",
  .write = hparams_write,
  .read = hparams_read,
  .free = sluice_bytes_record_clear,
  .get_size = sluice_bytes_record_get_size,
  .record_size = sizeof (SluiceBytesRecord),
  .dup_json = hparams_dup_json,
  .put_event = hparams_put_event,
  .take_value = hparams_take_value,
  .is_of_the_run = TRUE,
};
