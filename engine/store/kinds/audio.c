/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/kinds/audio.h"
#include "engine/store/sql.h"

#include <string.h>

#include "engine/base/wire.h"
#include "engine/store/kind-private.h"

SluiceAudio *
sluice_audio_new (gint64 step,
                  double wall,
                  double sample_rate,
                  gint64 channels,
                  gint64 frames,
                  const char *content_type,
                  GBytes *clip)
{
  SluiceAudio *self = sluice_record_new (&sluice_kind_audio, step, wall);
  self->sample_rate = sample_rate;
  self->channels = channels;
  self->frames = frames;
  self->content_type = g_strdup (content_type);
  self->clip = g_bytes_ref (clip);
  return self;
}

static void
audio_free (SluiceRecord *record)
{
  SluiceAudio *self = (SluiceAudio *) record;
  g_free (self->content_type);
  g_bytes_unref (self->clip);
}

static gsize
audio_get_size (const SluiceRecord *record)
{
  return g_bytes_get_size (((const SluiceAudio *) record)->clip);
}

static gboolean
audio_write (sqlite3 *db, gint64 series, const SluiceRecord *record, GError **error)
{
  const SluiceAudio *self = (const SluiceAudio *) record;
  g_autofree char *hash = NULL;
  return sluice_blob_put (db, self->clip, &hash, error)
         && sluice_sql_change (
             db, error,
             "INSERT OR REPLACE INTO audio (series, segment, step, wall, sample_rate, "
             "channels, frames, content_type, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
             "iiiddiiss", series, record->segment, record->step, record->wall, self->sample_rate,
             self->channels, self->frames, self->content_type, hash);
}

static SluiceRecord *
audio_read (sqlite3_stmt *row, int at, GError **error)
{
  g_autoptr (GBytes) clip = sluice_blob_dup_column (row, at + 4, error);
  if (clip == NULL)
    return NULL;
  return &sluice_audio_new (0, 0, sluice_column_double (row, at),
                            sqlite3_column_int64 (row, at + 1), sqlite3_column_int64 (row, at + 2),
                            (const char *) sqlite3_column_text (row, at + 3), clip)
              ->base;
}

static char *
audio_dup_json (const SluiceRecord *record)
{
  const SluiceAudio *self = (const SluiceAudio *) record;
  g_autofree char *hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, self->clip);
  GString *json = g_string_new ("{\"sample_rate\": ");
  sluice_json_append_double (json, self->sample_rate);
  g_string_append_printf (json,
                          ", \"channels\": %" G_GINT64_FORMAT ", \"frames\": %" G_GINT64_FORMAT
                          ", \"sha256\": \"%s\", \"bytes\": %zu}",
                          self->channels, self->frames, hash, g_bytes_get_size (self->clip));
  return g_string_free (json, FALSE);
}

#define PLUGIN "audio"

/* TensorFlow 2's: rows of clip and label. */
static void
audio_put_samples (const SluiceRecord *const *records, guint n, const SluiceEventOut *out)
{
  const SluicePluginOut plugin = { PLUGIN, SLUICE_CLASS_BLOBS, NULL };
  const SluiceShape shape = SLUICE_SHAPE (n, 2);
  g_autoptr (GBytes) label = g_bytes_new_static ("", 0);
  g_autofree GBytes **strings = g_new (GBytes *, 2 * n);
  for (guint i = 0; i < n; i++)
    {
      strings[2 * i] = ((const SluiceAudio *) records[i])->clip;
      strings[2 * i + 1] = label;
    }
  sluice_summary_value_put_strings (out, &shape, strings, &plugin);
}

static void
audio_put_event (const SluiceRecord *record, const SluiceEventOut *out)
{
  const SluiceAudio *self = (const SluiceAudio *) record;
  const SluicePluginOut plugin = { PLUGIN, SLUICE_CLASS_BLOBS, NULL };
  if (sluice_event_out_is_tensor (out, PLUGIN))
    {
      audio_put_samples (&record, 1, out);
      return;
    }
  g_autoptr (GByteArray) message = g_byte_array_new ();
  gsize length;
  const void *bytes = g_bytes_get_data (self->clip, &length);
  sluice_wire_put_float (message, 1, (float) self->sample_rate);
  sluice_wire_put_int (message, 2, self->channels);
  sluice_wire_put_int (message, 3, self->frames);
  sluice_wire_put_bytes (message, 4, bytes, length);
  sluice_wire_put_text (message, 5, self->content_type != NULL ? self->content_type : "");
  sluice_summary_value_put (out, SLUICE_VALUE_AUDIO, message, &plugin);
}

static guint32
get_le (const guint8 *at, guint n)
{
  guint32 value = 0;
  for (guint i = 0; i < n; i++)
    value |= (guint32) at[i] << (8 * i);
  return value;
}

/* What a RIFF header says of a clip that came without it: the chunks "fmt " and "data". */
static void
read_wav (const guint8 *wav, gsize length, SluiceAudio *audio)
{
  guint block = 0;
  if (length < 12 || memcmp (wav, "RIFF", 4) != 0 || memcmp (wav + 8, "WAVE", 4) != 0)
    return;
  for (gsize at = 12; at + 8 <= length;)
    {
      guint32 size = get_le (wav + at + 4, 4);
      if (memcmp (wav + at, "fmt ", 4) == 0 && size >= 16 && at + 24 <= length)
        {
          audio->channels = get_le (wav + at + 10, 2);
          audio->sample_rate = get_le (wav + at + 12, 4);
          block = get_le (wav + at + 20, 2);
        }
      else if (memcmp (wav + at, "data", 4) == 0 && block > 0)
        audio->frames = MIN ((gsize) size, length - at - 8) / block;
      at += 8 + (gsize) size + (size & 1);
    }
}

static SluiceValueResult
take_tensor (const SluiceValueIn *in, GError **error)
{
  g_autoptr (SluiceTensor) tensor = sluice_summary_value_dup_tensor (in, error);
  if (tensor == NULL)
    return SLUICE_VALUE_FAILED;
  gint64 columns = tensor->shape.rank == 2 ? tensor->shape.dim[1] : 1;
  if (tensor->dtype != SLUICE_STRING || tensor->shape.rank < 1 || tensor->shape.rank > 2
      || columns < 1)
    return sluice_summary_value_fail (in, error,
                                      "a tensor of audio is rows of strings: clip and label");
  const SluiceString *strings = tensor->data;
  gint64 n = tensor->shape.dim[0];
  SluiceValueResult result = SLUICE_VALUE_TAKEN;
  for (gint64 i = 0; i < n && result == SLUICE_VALUE_TAKEN; i++)
    {
      const SluiceString *clip = &strings[i * columns];
      g_autoptr (GBytes) bytes = g_bytes_new (clip->data, clip->length);
      SluiceAudio *audio = sluice_audio_new (in->step, in->wall, 0, 0, 0, "audio/wav", bytes);
      char suffix[24];
      g_snprintf (suffix, sizeof suffix, "/%" G_GINT64_FORMAT, i);
      read_wav ((const guint8 *) clip->data, clip->length, audio);
      result = sluice_summary_value_sink (in, audio, n > 1 ? suffix : NULL, error);
    }
  return result;
}

static SluiceValueResult
audio_take_value (const SluiceValueIn *in, GError **error)
{
  if (sluice_summary_value_is_tensor_of (in, PLUGIN))
    return take_tensor (in, error);
  if (in->value->value_case != SLUICE__EVENT__VALUE__VALUE_AUDIO)
    return SLUICE_VALUE_NOT_MINE;
  const Sluice__Event__Audio *audio = in->value->audio;
  g_autoptr (GBytes) clip = g_bytes_new (audio->encoded.data, audio->encoded.len);
  return sluice_summary_value_sink (in,
                                    sluice_audio_new (in->step, in->wall, audio->sample_rate,
                                                      audio->num_channels, audio->length_frames,
                                                      audio->content_type, clip),
                                    NULL, error);
}

static const SluiceMigration migrations[] = {
  { 2, "CREATE TABLE audio (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, "
       "step INTEGER NOT NULL, wall REAL NOT NULL, sample_rate REAL, channels INTEGER, "
       "frames INTEGER, content_type TEXT, hash TEXT NOT NULL REFERENCES blobs);" },
  { 2, "CREATE UNIQUE INDEX audio_by_step ON audio (series, step);" },
  { 2, "CREATE INDEX audio_by_hash ON audio (hash);" },
  { 2, "CREATE VIEW audio_points AS SELECT runs.name AS run, s.tag AS tag, r.step AS step, "
       "r.wall AS wall_time, r.sample_rate AS sample_rate, r.channels AS channels, "
       "r.frames AS frames, r.content_type AS content_type, r.hash AS sha256, "
       "length (b.data) AS bytes, b.data AS data FROM audio r JOIN series s ON s.id = r.series "
       "JOIN runs ON runs.id = s.run JOIN blobs b ON b.hash = r.hash "
       "WHERE runs.deleted IS NULL;" },
  SLUICE_SEGMENT_STEPS ("audio", "step"),
  { 0 },
};

const SluiceKind sluice_kind_audio = {
  .number = SLUICE_SERIES_AUDIO,
  .name = "audio",
  .migrations = migrations,
  .table = "audio",
  .columns = "sample_rate, channels, frames, content_type, "
             "(SELECT data FROM blobs b WHERE b.hash = r.hash)",
  .has_blobs = TRUE,
  .view = "audio_points",
  .write = audio_write,
  .read = audio_read,
  .free = audio_free,
  .get_size = audio_get_size,
  .record_size = sizeof (SluiceAudio),
  .dup_json = audio_dup_json,
  .put_event = audio_put_event,
  .put_samples = audio_put_samples,
  .samples_plugin = PLUGIN,
  .take_value = audio_take_value,
};
