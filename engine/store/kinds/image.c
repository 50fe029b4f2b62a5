/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/kinds/image.h"

#include <string.h>

#include "engine/base/wire.h"
#include "engine/store/kind-private.h"
#include "engine/store/sql.h"

SluiceStoredImage *
sluice_stored_image_new (
    gint64 step, double wall, guint width, guint height, guint colorspace, GBytes *png)
{
  SluiceStoredImage *self = sluice_record_new (&sluice_kind_image, step, wall);
  self->width = width;
  self->height = height;
  self->colorspace = colorspace;
  self->png = g_bytes_ref (png);
  return self;
}

static void
image_free (SluiceRecord *record)
{
  g_bytes_unref (((SluiceStoredImage *) record)->png);
}

static gsize
image_get_size (const SluiceRecord *record)
{
  return g_bytes_get_size (((const SluiceStoredImage *) record)->png);
}

static gboolean
image_write (sqlite3 *db, gint64 series, const SluiceRecord *record, GError **error)
{
  const SluiceStoredImage *self = (const SluiceStoredImage *) record;
  g_autofree char *hash = NULL;
  return sluice_blob_put (db, self->png, &hash, error)
         && sluice_sql_change (
             db, error,
             "INSERT OR REPLACE INTO images (series, segment, step, wall, width, height, "
             "colorspace, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
             "iiidiiis", series, record->segment, record->step, record->wall, (gint64) self->width,
             (gint64) self->height, (gint64) self->colorspace, hash);
}

static SluiceRecord *
image_read (sqlite3_stmt *row, int at, GError **error)
{
  g_autoptr (GBytes) png = sluice_blob_dup_column (row, at + 3, error);
  if (png == NULL)
    return NULL;
  return &sluice_stored_image_new (0, 0, (guint) sqlite3_column_int (row, at),
                                   (guint) sqlite3_column_int (row, at + 1),
                                   (guint) sqlite3_column_int (row, at + 2), png)
              ->base;
}

static char *
image_dup_json (const SluiceRecord *record)
{
  const SluiceStoredImage *self = (const SluiceStoredImage *) record;
  g_autofree char *hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, self->png);
  return g_strdup_printf ("{\"width\": %u, \"height\": %u, \"sha256\": \"%s\", \"bytes\": %zu}",
                          self->width, self->height, hash, g_bytes_get_size (self->png));
}

#define PLUGIN "images"

/* TensorFlow 2's: strings width, height, image, image … */
static void
image_put_samples (const SluiceRecord *const *records, guint n, const SluiceEventOut *out)
{
  const SluicePluginOut plugin = { PLUGIN, SLUICE_CLASS_BLOBS, NULL };
  const SluiceStoredImage *first = (const SluiceStoredImage *) records[0];
  const SluiceShape shape = SLUICE_SHAPE (n + 2);
  g_autofree char *width = g_strdup_printf ("%u", first->width);
  g_autofree char *height = g_strdup_printf ("%u", first->height);
  g_autoptr (GBytes) width_bytes = g_bytes_new_static (width, strlen (width));
  g_autoptr (GBytes) height_bytes = g_bytes_new_static (height, strlen (height));
  g_autofree GBytes **strings = g_new (GBytes *, n + 2);
  strings[0] = width_bytes;
  strings[1] = height_bytes;
  for (guint i = 0; i < n; i++)
    strings[i + 2] = ((const SluiceStoredImage *) records[i])->png;
  sluice_summary_value_put_strings (out, &shape, strings, &plugin);
}

static void
image_put_event (const SluiceRecord *record, const SluiceEventOut *out)
{
  const SluiceStoredImage *self = (const SluiceStoredImage *) record;
  const SluicePluginOut plugin = { PLUGIN, SLUICE_CLASS_BLOBS, NULL };
  if (sluice_event_out_is_tensor (out, PLUGIN))
    {
      image_put_samples (&record, 1, out);
      return;
    }
  g_autoptr (GByteArray) message = g_byte_array_new ();
  gsize length;
  const void *bytes = g_bytes_get_data (self->png, &length);
  sluice_wire_put_int (message, 1, self->height);
  sluice_wire_put_int (message, 2, self->width);
  sluice_wire_put_int (message, 3, self->colorspace);
  sluice_wire_put_bytes (message, 4, bytes, length);
  sluice_summary_value_put (out, SLUICE_VALUE_IMAGE, message, &plugin);
}

static SluiceValueResult
take_tensor (const SluiceValueIn *in, GError **error)
{
  g_autoptr (SluiceTensor) tensor = sluice_summary_value_dup_tensor (in, error);
  if (tensor == NULL)
    return SLUICE_VALUE_FAILED;
  if (tensor->dtype != SLUICE_STRING || tensor->shape.rank != 1 || tensor->n_elements < 2)
    return sluice_summary_value_fail (in, error,
                                      "a tensor of images is a vector of strings: width, height "
                                      "and images");
  const SluiceString *strings = tensor->data;
  guint sizes[2];
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *text = g_strndup (strings[i].data, strings[i].length);
      sizes[i] = (guint) g_ascii_strtoull (text, NULL, 10);
    }
  SluiceValueResult result = SLUICE_VALUE_TAKEN;
  for (gint64 i = 2; i < tensor->n_elements && result == SLUICE_VALUE_TAKEN; i++)
    {
      g_autoptr (GBytes) png = g_bytes_new (strings[i].data, strings[i].length);
      char suffix[24];
      g_snprintf (suffix, sizeof suffix, "/%" G_GINT64_FORMAT, i - 2);
      result = sluice_summary_value_sink (
          in, sluice_stored_image_new (in->step, in->wall, sizes[0], sizes[1], 0, png),
          tensor->n_elements > 3 ? suffix : NULL, error);
    }
  return result;
}

static SluiceValueResult
image_take_value (const SluiceValueIn *in, GError **error)
{
  if (sluice_summary_value_is_tensor_of (in, PLUGIN))
    return take_tensor (in, error);
  if (in->value->value_case != SLUICE__EVENT__VALUE__VALUE_IMAGE)
    return SLUICE_VALUE_NOT_MINE;
  const Sluice__Event__Image *image = in->value->image;
  g_autoptr (GBytes) png = g_bytes_new (image->encoded.data, image->encoded.len);
  return sluice_summary_value_sink (
      in,
      sluice_stored_image_new (in->step, in->wall, (guint) MAX (image->width, 0),
                               (guint) MAX (image->height, 0), (guint) MAX (image->colorspace, 0),
                               png),
      NULL, error);
}

static const SluiceMigration migrations[] = {
  { 1, "CREATE TABLE images (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, "
       "step INTEGER NOT NULL, wall REAL NOT NULL, width INTEGER, height INTEGER, "
       "data BLOB NOT NULL);"
       "CREATE UNIQUE INDEX images_by_step ON images (series, step);" },
  { 2, "INSERT OR IGNORE INTO blobs (hash, data) SELECT sha256 (data), data FROM images;" },
  { 2, "ALTER TABLE images RENAME TO images_1;" },
  { 2, "DROP INDEX images_by_step;" },
  { 2, "CREATE TABLE images (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, "
       "step INTEGER NOT NULL, wall REAL NOT NULL, width INTEGER, height INTEGER, "
       "colorspace INTEGER, hash TEXT NOT NULL REFERENCES blobs);" },
  { 2, "CREATE UNIQUE INDEX images_by_step ON images (series, step);" },
  { 2, "CREATE INDEX images_by_hash ON images (hash);" },
  { 2, "INSERT INTO images SELECT id, series, step, wall, width, height, 0, sha256 (data) FROM "
       "images_1;" },
  { 2, "DROP TABLE images_1;" },
  { 2, "CREATE VIEW image_points AS SELECT runs.name AS run, s.tag AS tag, r.step AS step, "
       "r.wall AS wall_time, r.width AS width, r.height AS height, r.hash AS sha256, "
       "length (b.data) AS bytes, b.data AS data FROM images r JOIN series s ON s.id = r.series "
       "JOIN runs ON runs.id = s.run JOIN blobs b ON b.hash = r.hash "
       "WHERE runs.deleted IS NULL;" },
  SLUICE_SEGMENT_STEPS ("images", "step"),
  { 0 },
};

const SluiceKind sluice_kind_image = {
  .number = SLUICE_SERIES_IMAGE,
  .name = "image",
  .migrations = migrations,
  .table = "images",
  .columns = "width, height, colorspace, (SELECT data FROM blobs b WHERE b.hash = r.hash)",
  .has_blobs = TRUE,
  .view = "image_points",
  .write = image_write,
  .read = image_read,
  .free = image_free,
  .get_size = image_get_size,
  .record_size = sizeof (SluiceStoredImage),
  .dup_json = image_dup_json,
  .put_event = image_put_event,
  .put_samples = image_put_samples,
  .samples_plugin = PLUGIN,
  .take_value = image_take_value,
};
