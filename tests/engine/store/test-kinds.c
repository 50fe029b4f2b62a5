/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Every kind: written, read, thinned, told as JSON, cut back, exported, and taken from the values
 * of event files. A kind without a sample here fails. */
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/tensorproto.h"
#include "engine/store/crc32c.h"
#include "engine/store/event-file.h"
#include "engine/store/export.h"
#include "engine/store/kind-private.h"
#include "engine/store/kinds/hparams.h"
#include "engine/store/kinds/image.h"
#include "engine/store/kinds/scalar.h"
#include "engine/store/query.h"
#include "tests/engine/store/sample.h"
#include "tests/remove-tree.h"

#define N_STEPS                   7
#define COUNT(NAME, name, number) +1
#define N_KINDS                   (0 SLUICE_KINDS (COUNT))

/* ---- a run that has N_STEPS of each ---- */

typedef struct
{
  char *folder;
  SluiceStore *store;
  SluiceRunInfo run;
  SluiceRunLog *log;
} Fixture;

static void
log_sample (Fixture *f, const SluiceKind *kind, gint64 step)
{
  g_autoptr (GError) error = NULL;
  sample_log (f->log, f->run.id, sample_new (kind, step), &error);
  g_assert_no_error (error);
}

static void
flush (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  sluice_run_log_flush (f->log, &error);
  g_assert_no_error (error);
}

static void
set_up (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  const SluiceKind *kind;
  f->folder = g_dir_make_tmp ("sluice-kinds-XXXXXX", &error);
  f->store = sluice_store_open (f->folder, &error);
  g_assert_no_error (error);
  f->run = (SluiceRunInfo){ .name = g_strdup ("a run"), .created = SAMPLE_WALL };
  sluice_store_add_run (f->store, &f->run, &error);
  f->log = sluice_store_open_log (f->store, f->run.id, &error);
  g_assert_no_error (error);
  SLUICE_EACH_KIND (kind)
  for (gint64 step = 0; step < N_STEPS; step++)
    log_sample (f, kind, step);
  flush (f);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  sluice_run_log_close (f->log, NULL);
  g_clear_object (&f->store);
  remove_tree (f->folder);
  g_free (f->folder);
  g_free (f->run.name);
}

static GPtrArray *
list_series (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *series = sluice_store_dup_series (f->store, f->run.id, &error);
  g_assert_no_error (error);
  return series;
}

typedef struct
{
  gint64 next;
} Check;

static gboolean
check_record (const SluiceRecord *record, gpointer data, GError **error)
{
  Check *check = data;
  g_autoptr (SluiceRecord) want = sample_new (record->kind, check->next++);
  g_autofree char *got_json = sluice_record_dup_json (record);
  g_autofree char *want_json = sluice_record_dup_json (want);
  g_assert_cmpint (record->step, ==, want->step);
  g_assert_cmpfloat (record->wall, ==, SAMPLE_WALL);
  g_assert_cmpstr (got_json, ==, want_json);
  if (record->kind->number != SLUICE_SERIES_SCALAR)
    g_assert_cmpuint (sluice_record_get_size (record), ==, sluice_record_get_size (want));
  g_autoptr (JsonNode) json = json_from_string (got_json, error);
  g_assert_no_error (*error);
  return json != NULL;
}

static void
test_read (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) series = list_series (f);
  g_autofree const char **names = sluice_kind_list_names ();
  g_assert_cmpuint (series->len, ==, g_strv_length ((char **) names));
  for (guint i = 0; i < series->len; i++)
    {
      const SluiceSeriesInfo *info = series->pdata[i];
      const SluiceKind *kind = sluice_kind_get ((int) info->kind);
      const SluiceStepRange all = { G_MININT64, G_MAXINT64 }, some = { 2, 4 };
      Check check = { 0 };
      g_assert_true (kind == sluice_kind_find (kind->name));
      g_assert_cmpint (info->n_points, ==, N_STEPS);
      g_assert_cmpint (info->first_step, ==, 0);
      g_assert_cmpint (info->last_step, ==, N_STEPS - 1);
      g_assert_true (sluice_store_each_record (f->store, info, &all, check_record, &check, &error));
      g_assert_cmpint (check.next, ==, N_STEPS);
      check.next = 2;
      g_assert_true (
          sluice_store_each_record (f->store, info, &some, check_record, &check, &error));
      g_assert_cmpint (check.next, ==, 5);
      if (kind->table == NULL)
        continue;
      g_autoptr (GPtrArray) thin = sluice_store_read_records (f->store, info, 1, 3, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (thin->len, ==, 3);
      g_assert_cmpint (((SluiceRecord *) thin->pdata[2])->step, ==, N_STEPS - 1);
    }
}

static gint64
count (Fixture *f, const char *table)
{
  g_autofree char *path = g_build_filename (f->folder, "sluice.db", NULL);
  g_autofree char *sql = g_strdup_printf ("SELECT count (*) FROM %s", table);
  sqlite3 *db = NULL;
  sqlite3_stmt *row = NULL;
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &row, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (row), ==, SQLITE_ROW);
  gint64 n = sqlite3_column_int64 (row, 0);
  sqlite3_finalize (row);
  sqlite3_close (db);
  return n;
}

/* A step logged again replaces; what is cut takes its blobs along; large values lie there once. */
static void
test_rewrite (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  const SluiceKind *kind;
  g_assert_cmpint (count (f, "blobs"), ==, 4); /* of steps 0, 2, 4, 6, for all kinds */
  SLUICE_EACH_KIND (kind)
  for (gint64 step = 3; step < N_STEPS; step++)
    log_sample (f, kind, step);
  flush (f);
  g_autoptr (GPtrArray) same = list_series (f);
  for (guint i = 0; i < same->len; i++)
    g_assert_cmpint (((SluiceSeriesInfo *) same->pdata[i])->n_points, ==, N_STEPS);
  sluice_run_log_truncate (f->log, 2, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) cut = list_series (f);
  for (guint i = 0; i < cut->len; i++)
    g_assert_cmpint (((SluiceSeriesInfo *) cut->pdata[i])->n_points, ==, 3);
  g_assert_cmpint (count (f, "blobs"), ==, 2);
}

static void
test_json (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) series = list_series (f);
  const SluiceStepRange some = { 3, 4 };
  for (guint i = 0; i < series->len; i++)
    {
      const SluiceSeriesInfo *info = series->pdata[i];
      guint64 n;
      g_autofree char *text =
          sluice_store_dup_series_json (f->store, "a run", info, &some, &n, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (n, ==, 2);
      g_assert_null (strchr (text, '\n'));
      g_autoptr (JsonNode) node = json_from_string (text, &error);
      g_assert_no_error (error);
      JsonObject *object = json_node_get_object (node);
      g_assert_cmpstr (json_object_get_string_member (object, "run"), ==, "a run");
      g_assert_cmpstr (json_object_get_string_member (object, "tag"), ==, info->tag);
      g_assert_cmpint (json_object_get_int_member (object, "n"), ==, 2);
      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "values")), ==,
                        2);
      if (info->kind == SLUICE_SERIES_SCALAR)
        g_assert_nonnull (strstr (text, "\"values\": [\"NaN\", 0.5]"));
      if (info->kind == SLUICE_SERIES_HISTOGRAM)
        g_assert_nonnull (strstr (text, "\"sum_squares\": \"Infinity\", \"limits\": [-1, 0.5, 5]"));
    }
}

/* ---- event files ---- */

typedef struct
{
  GHashTable *next; /* tag -> step that comes */
  guint n;
} Taken;

static gboolean
take (SluiceRecord *take_record, const char *tag, gpointer data, GError **error)
{
  g_autoptr (SluiceRecord) record = take_record;
  Taken *taken = data;
  Check check = { GPOINTER_TO_INT (g_hash_table_lookup (taken->next, tag)) };
  g_assert_true (g_str_has_prefix (tag, "kind-"));
  g_assert_cmpstr (tag + strlen ("kind-"), ==, record->kind->name);
  g_assert_true (check_record (record, &check, error));
  g_hash_table_insert (taken->next, g_strdup (tag), GINT_TO_POINTER (check.next));
  taken->n++;
  return TRUE;
}

/* The payload of the record at *at, whose checksums are right. */
static const guint8 *
next_record (const guint8 *bytes, gsize *at, guint64 *length)
{
  memcpy (length, bytes + *at, sizeof *length);
  g_assert_true (sluice_crc32c_matches (bytes + *at + 8, bytes + *at, 8));
  const guint8 *payload = bytes + *at + 12;
  g_assert_true (sluice_crc32c_matches (payload + *length, payload, *length));
  *at += *length + 16;
  return payload;
}

static void
take_event (const Sluice__Event__Event *event, GHashTable *metadata, Taken *taken, guint *n_others)
{
  g_autoptr (GError) error = NULL;
  if (event->what_case != SLUICE__EVENT__EVENT__WHAT_SUMMARY)
    {
      n_others[event->what_case]++;
      return;
    }
  g_assert_cmpuint (event->summary->n_value, ==, 1);
  Sluice__Event__Value *value = event->summary->value[0];
  if (value->metadata != NULL) /* only the first of a tag has it */
    g_hash_table_insert (metadata, g_strdup (value->tag),
                         g_strdup (value->metadata->plugin_data != NULL
                                       ? value->metadata->plugin_data->plugin_name
                                       : ""));
  Sluice__Event__PluginData plugin = SLUICE__EVENT__PLUGIN_DATA__INIT;
  Sluice__Event__SummaryMetadata known = SLUICE__EVENT__SUMMARY_METADATA__INIT;
  plugin.plugin_name = g_hash_table_lookup (metadata, value->tag);
  known.plugin_data = &plugin;
  const SluiceValueIn in = {
    value,
    value->metadata != NULL ? value->metadata : plugin.plugin_name != NULL ? &known : NULL,
    event->step,
    event->wall_time,
    take,
    taken
  };
  g_assert_true (sluice_summary_value_take (&in, &error));
}

static void
test_event_file (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_build_filename (f->folder, "out", "run", NULL);
  g_autofree char *path = g_build_filename (folder, "events.out.tfevents.1700000000.sluice", NULL);
  g_autofree char *bytes = NULL;
  g_autoptr (GHashTable) metadata = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) next = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Taken taken = { next, 0 };
  guint n_others[16] = { 0 };
  guint64 n_records, length;
  gsize size, at = 0;
  g_assert_true (
      sluice_store_export (f->store, &f->run, SLUICE_LOG_TFEVENTS, folder, &n_records, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (n_records, ==, N_KINDS * N_STEPS);
  g_assert_true (g_file_get_contents (path, &bytes, &size, &error));
  while (at < size)
    {
      const guint8 *payload = next_record ((const guint8 *) bytes, &at, &length);
      Sluice__Event__Event *event = sluice__event__event__unpack (NULL, length, payload);
      g_assert_nonnull (event);
      take_event (event, metadata, &taken, n_others);
      sluice__event__event__free_unpacked (event, NULL);
    }
  g_assert_cmpuint (taken.n, ==, (N_KINDS - 3) * N_STEPS); /* but for the three below */
  g_assert_cmpuint (n_others[SLUICE__EVENT__EVENT__WHAT_FILE_VERSION], ==, 1);
  g_assert_cmpuint (n_others[SLUICE__EVENT__EVENT__WHAT_GRAPH_DEF], ==, N_STEPS);
  g_assert_cmpuint (n_others[SLUICE__EVENT__EVENT__WHAT_TAGGED_RUN_METADATA], ==, N_STEPS);
  g_assert_cmpuint (n_others[SLUICE__EVENT__EVENT__WHAT_LOG_MESSAGE], ==, N_STEPS);
  g_assert_cmpstr (g_hash_table_lookup (metadata, "kind-pr-curve"), ==, "pr_curves");

  /* TensorBoard would take both for one run. */
  g_assert_false (
      sluice_store_export (f->store, &f->run, SLUICE_LOG_TFEVENTS, folder, &n_records, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_ALREADY_EXISTS);
}

static void
test_text_files (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *csv = g_build_filename (f->folder, "run.csv", NULL);
  g_autofree char *jsonl = g_build_filename (f->folder, "run.jsonl", NULL);
  g_autofree char *text = NULL;
  g_autofree char *lines = NULL;
  guint64 n;
  g_assert_true (sluice_store_export (f->store, &f->run, SLUICE_LOG_CSV, csv, &n, &error));
  g_assert_true (g_file_get_contents (csv, &text, NULL, &error));
  g_assert_true (g_str_has_prefix (text, "run,tag,kind,step,wall_time,value\r\n"));
  g_assert_nonnull (strstr (text, "a run,kind-scalar,scalar,1,1700000000,0.125\r\n"));
  g_assert_nonnull (strstr (text, "a run,kind-scalar,scalar,3,1700000000,NaN\r\n"));
  g_assert_nonnull (
      strstr (text, "a run,kind-event,event,1,1700000000,\"\"\"why, \\\"\"so\\\"\"\"\"\"\r\n"));
  g_assert_true (sluice_store_export (f->store, &f->run, SLUICE_LOG_JSONL, jsonl, &n, &error));
  g_assert_cmpuint (n, ==, N_KINDS * N_STEPS);
  g_assert_true (g_file_get_contents (jsonl, &lines, NULL, &error));
  g_auto (GStrv) each = g_strsplit (lines, "\n", -1);
  g_assert_cmpuint (g_strv_length (each), ==, N_KINDS + 1); /* the last one is empty */
}

/* ---- values that other programs write ---- */

static SluiceTensor *
new_strings (const char *const *texts, gint64 rows, gint64 columns)
{
  const SluiceShape vector = SLUICE_SHAPE (rows), table = SLUICE_SHAPE (rows, columns);
  SluiceTensor *tensor = sluice_tensor_new_zeros (SLUICE_STRING, columns > 0 ? &table : &vector);
  for (gint64 i = 0; i < tensor->n_elements; i++)
    sluice_string_set ((SluiceString *) tensor->data + i, texts[i], strlen (texts[i]));
  return tensor;
}

typedef struct
{
  GString *text;
} Collected;

static gboolean
collect (SluiceRecord *take_record, const char *tag, gpointer data, GError **error)
{
  g_autoptr (SluiceRecord) record = take_record;
  g_autofree char *json = sluice_record_dup_json (record);
  g_string_append_printf (((Collected *) data)->text, "%s %s %s\n", tag, record->kind->name, json);
  return TRUE;
}

/* What is made of a tensor of this plugin; NULL: refused as DATA_LOSS. */
static char *
take_tensor (const char *plugin_name, SluiceTensor *take_tensor_)
{
  g_autoptr (SluiceTensor) tensor = take_tensor_;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) proto = sluice_tensor_to_proto (tensor, NULL);
  Collected collected = { g_string_new (NULL) };
  Sluice__Event__PluginData plugin = SLUICE__EVENT__PLUGIN_DATA__INIT;
  Sluice__Event__SummaryMetadata metadata = SLUICE__EVENT__SUMMARY_METADATA__INIT;
  Sluice__Event__Value value = SLUICE__EVENT__VALUE__INIT;
  plugin.plugin_name = (char *) plugin_name;
  metadata.plugin_data = &plugin;
  value.tag = (char *) "t";
  value.value_case = SLUICE__EVENT__VALUE__VALUE_TENSOR;
  value.tensor.data = (guint8 *) g_bytes_get_data (proto, &value.tensor.len);
  const SluiceValueIn in = { &value, &metadata, 5, SAMPLE_WALL, collect, &collected };
  if (sluice_summary_value_take (&in, &error))
    return g_string_free (collected.text, FALSE);
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
  g_assert_nonnull (strstr (error->message, "'t'"));
  g_string_free (collected.text, TRUE);
  return NULL;
}

/* A tensor of one repeated number is a few bytes of a file; what would be made of it is not. */
static void
test_many_rows (void)
{
  const gint64 n = SLUICE_VALUE_MOST_ROWS + 1;
  const SluiceShape histogram = SLUICE_SHAPE (n, 3), curve = SLUICE_SHAPE (6, n);
  g_assert_null (take_tensor ("histograms", sluice_tensor_new_zeros (SLUICE_DOUBLE, &histogram)));
  g_assert_null (take_tensor ("pr_curves", sluice_tensor_new_zeros (SLUICE_HALF, &curve)));
}

static void
assert_taken (const char *plugin, SluiceTensor *take_tensor_, const char *want)
{
  g_autofree char *got = take_tensor (plugin, take_tensor_);
  g_assert_cmpstr (got, ==, want);
}

static void
test_tensors (void)
{
  static const char *const images[] = { "4", "5", "abc", "def" };
  static const char *const clips[] = { "abc", "first", "def", "second" };
  static const char *const bytes[] = { "\xff\xfe" };
  const double rows[] = { -1, 0, 2, 0, 3, 5 };
  const SluiceShape table = SLUICE_SHAPE (2, 3), pair = SLUICE_SHAPE (2);
#define ABC "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\", \"bytes\": 3}\n"
#define DEF "\"cb8379ac2098aa165029e3938a51da0bcecfc008fd6795f401178647f96c5b34\", \"bytes\": 3}\n"
  assert_taken ("images", new_strings (images, 3, 0),
                "t image {\"width\": 4, \"height\": 5, \"sha256\": " ABC);
  assert_taken ("images", new_strings (images, 4, 0),
                "t/0 image {\"width\": 4, \"height\": 5, \"sha256\": " ABC
                "t/1 image {\"width\": 4, \"height\": 5, \"sha256\": " DEF);
  assert_taken ("images", new_strings (images, 1, 0), NULL);
#define CLIP "audio {\"sample_rate\": 0, \"channels\": 0, \"frames\": 0, \"sha256\": "
  assert_taken ("audio", new_strings (clips, 2, 2), "t/0 " CLIP ABC "t/1 " CLIP DEF);
  assert_taken ("text", new_strings (clips, 1, 0), "t text [\"abc\"]\n");
  assert_taken ("text", sluice_tensor_new_string ("abc", 3), "t text \"abc\"\n");
  assert_taken ("text", new_strings (bytes, 1, 0),
                "t tensor {\"dtype\": \"string\", \"shape\": [1], \"values\": "
                "[\"\xef\xbf\xbd\xef\xbf\xbd\"]}\n");
  assert_taken ("histograms", sluice_tensor_new_from (SLUICE_DOUBLE, &table, rows),
                "t histogram {\"min\": -1, \"max\": 3, \"count\": 7, \"sum\": \"NaN\", "
                "\"sum_squares\": \"NaN\", \"limits\": [0, 3], \"counts\": [2, 5]}\n");
  assert_taken ("histograms", sluice_tensor_new_float (1), NULL);
  assert_taken ("scalars", sluice_tensor_new_float (0.5f), "t scalar 0.5\n");
  assert_taken ("scalars", sluice_tensor_new_from (SLUICE_DOUBLE, &pair, rows), NULL);
  assert_taken ("pr_curves", sluice_tensor_new_from (SLUICE_DOUBLE, &table, rows), NULL);
  assert_taken ("mesh", sluice_tensor_new_int32 (7),
                "t tensor {\"dtype\": \"int32\", \"shape\": [], \"values\": 7}\n");
}

/* A number that is no float leaves as it came. */
static void
test_exact_scalars (void)
{
  static const double values[] = { 0.1, 0.5, 16777217, 1e300, INFINITY };
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autoptr (SluiceRecord) record = &sluice_scalar_record_new (1, 2, values[i])->base;
      g_autofree char *json = sluice_record_dup_json (record);
      g_autofree char *want = g_strdup_printf ("t scalar %s\n", json);
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_autoptr (GError) error = NULL;
      const SluiceEventOut out = { bytes, "t", NULL, TRUE, &error, "scalars" };
      record->kind->put_event (record, &out);
      Sluice__Event__Event *event = sluice__event__event__unpack (NULL, bytes->len, bytes->data);
      g_assert_nonnull (event);
      const Sluice__Event__Value *value = event->summary->value[0];
      Collected collected = { g_string_new (NULL) };
      const SluiceValueIn in = { value, value->metadata, 1, 2, collect, &collected };
      g_assert_true (sluice_summary_value_take (&in, &error));
      g_assert_cmpstr (collected.text->str, ==, want);
      g_string_free (collected.text, TRUE);
      sluice__event__event__free_unpacked (event, NULL);
    }
}

/* The header of a WAV file tells what a tensor does not. */
static void
test_wav (void)
{
  static const guint8 wav[] =
      "RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\1\0\2\0\x40\x1f\0\0\0\x7d\0\0\4\0\x10\0"
      "data\x8\0\0\0abcdefg";
  const SluiceShape row = SLUICE_SHAPE (1, 2);
  SluiceTensor *tensor = sluice_tensor_new_zeros (SLUICE_STRING, &row);
  sluice_string_set (tensor->data, (const char *) wav, sizeof wav);
  g_autofree char *got = take_tensor ("audio", tensor);
  g_assert_true (g_str_has_prefix (
      got, "t audio {\"sample_rate\": 8000, \"channels\": 2, \"frames\": 2, \"sha256\": "));
}

/* ---- SQL ---- */

static gboolean
append_row (sqlite3_stmt *row, gpointer data, GError **error)
{
  for (int i = 0; i < sqlite3_column_count (row); i++)
    g_string_append_printf (data, "%s%s", i > 0 ? "|" : "", sqlite3_column_text (row, i));
  g_string_append_c (data, '\n');
  return TRUE;
}

static void
assert_query (Fixture *f, const char *sql, const char *want)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) got = g_string_new (NULL);
  g_assert_true (sluice_store_query (f->store, sql, append_row, got, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (got->str, ==, want);
}

static void
test_query (Fixture *f, gconstpointer unused)
{
  const SluiceKind *kind;
  SLUICE_EACH_KIND (kind)
  {
    g_autofree char *sql = g_strdup_printf (
        "SELECT run, tag, min (step), max (step), count (wall_time) FROM %s", kind->view);
    g_autofree char *want = g_strdup_printf ("a run|kind-%s|0|6|7\n", kind->name);
    assert_query (f, sql, want);
  }
  assert_query (f, "SELECT sum (value) FROM points", "2.25\n");
  assert_query (f, "SELECT limits, counts, min, max FROM histogram_points WHERE step = 1",
                "[-1, 0.5, 3]|[3, 0, 1]|-4.0|2.5\n");
  assert_query (f, "SELECT json_extract (settings, '$.optimizer') FROM hparams_points LIMIT 1",
                "adam\n");
  assert_query (f, "SELECT value FROM text_points, json_each (text) WHERE step = 1 LIMIT 1",
                "cell 0\nof 1\n");
  static const char *const refused[] = { "DELETE FROM runs",
                                         "CREATE TABLE x (y)",
                                         "CREATE TEMP TABLE x (y)",
                                         "ATTACH ':memory:' AS x",
                                         "PRAGMA journal_mode = x",
                                         "VACUUM INTO '/tmp/x'",
                                         "BEGIN",
                                         "SELECT load_extension ('x')",
                                         "SELECT 1; SELECT 2",
                                         "",
                                         "SELEC",
                                         "SELECT * FROM nothing" };
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GString) got = g_string_new (NULL);
      g_assert_false (sluice_store_query (f->store, refused[i], append_row, got, &error));
      g_assert_nonnull (error);
      g_assert_cmpuint (got->len, ==, 0);
    }
  g_assert_cmpint (count (f, "runs"), ==, 1);
}

/* ---- the queue ---- */

/* Records are bounded by their bytes, whatever their number: while another program holds the
 * database, the end of a step waits, and says why; nothing is dropped. */
static void
test_bounded (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (f->folder, "sluice.db", NULL);
  gint64 series = sluice_run_log_series (f->log, "large", SLUICE_SERIES_IMAGE, &error);
  const guint n = SLUICE_STORE_QUEUE_BYTES / (4 << 20) + 1;
  double waited;
  sqlite3 *db;
  sluice_store_set_patience (f->store, 0.1); /* as long as that is refused */
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, "BEGIN IMMEDIATE", NULL, NULL, NULL), ==, SQLITE_OK);
  for (guint step = 0; step < n; step++)
    {
      guint8 *large = g_malloc0 (4 << 20);
      memcpy (large, &step, sizeof step);
      g_autoptr (GBytes) bytes = g_bytes_new_take (large, 4 << 20);
      sluice_run_log_record (f->log, series,
                             &sluice_stored_image_new (step, SAMPLE_WALL, 1, 1, 1, bytes)->base);
    }
  g_assert_false (sluice_run_log_end_step (f->log, &waited, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_UNAVAILABLE);
  g_assert_cmpfloat (waited, >, 0);
  g_assert_cmpint (sqlite3_exec (db, "COMMIT", NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
  flush (f);
  g_assert_cmpint (count (f, "images WHERE series = (SELECT id FROM series WHERE tag = 'large')"),
                   ==, n);
}

/* What is no start of a session has no settings, whatever its bytes are. */
static void
test_settings (void)
{
  const SluiceHparam settings[] = { { "seed", 7 }, { "rate", 0.25 } };
  g_autoptr (GBytes) garbage = g_bytes_new_static ("\xff\x01", 2);
  SluiceBytesRecord *start = sluice_hparams_new_start (0, 1, settings, G_N_ELEMENTS (settings));
  SluiceBytesRecord *other = sluice_hparams_new (0, 1, garbage);
  g_autoptr (GPtrArray) got = sluice_hparams_dup_settings (start);
  g_autoptr (GPtrArray) none = sluice_hparams_dup_settings (other);
  g_assert_cmpuint (got->len, ==, 2);
  g_assert_cmpstr (((SluiceSetting *) got->pdata[0])->name, ==, "rate"); /* in order of names */
  g_assert_cmpfloat (((SluiceSetting *) got->pdata[0])->number, ==, 0.25);
  g_assert_null (((SluiceSetting *) got->pdata[0])->text);
  g_assert_cmpuint (none->len, ==, 0);
  sluice_record_free (start);
  sluice_record_free (other);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add ("/kinds/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("read", test_read);
  ADD ("rewrite", test_rewrite);
  ADD ("json", test_json);
  ADD ("event-file", test_event_file);
  ADD ("text-files", test_text_files);
  ADD ("query", test_query);
  ADD ("bounded", test_bounded);
#undef ADD
  g_test_add_func ("/kinds/tensors", test_tensors);
  g_test_add_func ("/kinds/exact-scalars", test_exact_scalars);
  g_test_add_func ("/kinds/many-rows", test_many_rows);
  g_test_add_func ("/kinds/settings", test_settings);
  g_test_add_func ("/kinds/wav", test_wav);
  return g_test_run ();
}
