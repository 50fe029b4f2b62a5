/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* One event of a file that is imported: what it holds, and what it takes back. */
#include "engine/store/import-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/protobuf.h"
#include "engine/store/kinds/event.h"
#include "engine/store/kinds/graph.h"
#include "engine/store/kinds/hparams.h"
#include "engine/store/kinds/run-metadata.h"
#include "engine/store/kinds/scalar.h"

enum
{
  SESSION_LOG_STATUS = 1,
  SESSION_START = 1,
  META_GRAPH_GRAPH = 2,
  LOG_MESSAGE_TEXT = 2,
  PROTO_DTYPE = 1, /* TensorProto */
  PROTO_SHAPE = 2,
  PROTO_CONTENT = 4,
  PROTO_FLOATS = 5,
  DT_FLOAT = 1,
};

typedef struct
{
  ImportRun *run;
  SluiceImportedRun *counts;
  const SluiceEventView *event;
  ImportTag *tag; /* of the value at hand */
} Taking;

/* ---- taking back: TensorBoard's rule ---- */

/* The last field of a message that has this number; FALSE: there is none. */
static gboolean
find_field (const guint8 *bytes, gsize length, guint number, SluiceWireField *found)
{
  const guint8 *at = bytes, *end = bytes + length;
  SluiceWireField field;
  gboolean is_found = FALSE;
  while (sluice_wire_next (&at, end, &field))
    if (field.number == number)
      {
        *found = field;
        is_found = TRUE;
      }
  return is_found;
}

static gboolean
is_start (const SluiceEventView *event)
{
  SluiceWireField status;
  return event->what == SLUICE_EVENT_SESSION_LOG
         && find_field (event->data, event->length, SESSION_LOG_STATUS, &status)
         && status.wire_type == SLUICE_WIRE_VARINT && status.value == SESSION_START;
}

/* A tensor of older writers has its name in place of a tag. */
static ImportTag *
get_tag (ImportRun *run, const SluiceValueView *value)
{
  gboolean by_node = value->tag_length == 0 && value->what == SLUICE_VALUE_TENSOR;
  return by_node ? sluice_import_run_get_tag (run, value->node_name, value->node_name_length)
                 : sluice_import_run_get_tag (run, value->tag, value->tag_length);
}

static void
cut_tags (const Taking *taking)
{
  const guint8 *at = taking->event->data, *end = at + taking->event->length;
  SluiceValueView value;
  while (sluice_value_view_next (&at, end, &value))
    {
      const ImportTag *tag = get_tag (taking->run, &value);
      for (guint i = 0; i < tag->series->len; i++)
        sluice_import_run_cut_series (taking->run, tag->series->pdata[i], taking->event->step);
    }
}

static void
take_back (const Taking *taking)
{
  ImportRun *run = taking->run;
  const SluiceEventView *event = taking->event;
  if (run->file_version >= 2)
    {
      for (guint i = 0; is_start (event) && i < run->all_series->len; i++)
        sluice_import_run_cut_series (run, run->all_series->pdata[i], event->step);
    }
  else if (event->what == SLUICE_EVENT_SUMMARY && event->step < run->last_step)
    cut_tags (taking);
  else
    run->last_step = event->step;
}

/* ---- values ---- */

static void
add_series (ImportTag *tag, ImportSeries *series)
{
  if (!g_ptr_array_find (tag->series, series, NULL))
    {
      g_ptr_array_add (tag->series, series);
      tag->is_written = FALSE; /* the metadata are of this one too */
    }
}

static void
add_point (Taking *taking, double value)
{
  ImportTag *tag = taking->tag;
  if (G_UNLIKELY (tag->points == NULL))
    {
      tag->points = sluice_import_run_get_series (taking->run, tag->text, &sluice_kind_scalar);
      add_series (tag, tag->points);
    }
  sluice_import_run_add_point (taking->run, tag->points, taking->event->step, taking->event->wall,
                               value);
  taking->counts->n_of_kind[SLUICE_SERIES_SCALAR]++;
}

/* How the session ended is how the run did. One that says it still runs has not come to its end. */
static void
note_end (const Taking *taking, const SluiceRecord *record)
{
  SluiceSessionStatus status;
  if (record->kind->number == SLUICE_SERIES_HPARAMS && sluice_hparams_get_end (record, &status))
    taking->run->info.state = status == SLUICE_SESSION_FAILURE   ? SLUICE_RUN_FAILED
                              : status == SLUICE_SESSION_RUNNING ? SLUICE_RUN_STOPPED
                                                                 : SLUICE_RUN_FINISHED;
}

static void
add_record (Taking *taking, SluiceRecord *take, const char *tag)
{
  note_end (taking, take);
  ImportSeries *series = sluice_import_run_get_series (taking->run, tag, take->kind);
  if (taking->tag != NULL)
    add_series (taking->tag, series);
  taking->counts->n_of_kind[take->kind->number]++;
  sluice_import_run_add_record (taking->run, series, take);
}

/* What kinds make of values they do not know how to take fast. */
static gboolean
sink (SluiceRecord *take, const char *tag, gpointer data, GError **error)
{
  Taking *taking = data;
  if (take->kind->number == SLUICE_SERIES_SCALAR)
    {
      g_autoptr (SluiceRecord) record = take;
      add_point (taking, ((SluiceScalarRecord *) record)->value);
      return TRUE;
    }
  g_autofree char *text = g_utf8_make_valid (tag, -1);
  add_record (taking, take, text);
  return TRUE;
}

/* Of a scalar tensor as TensorFlow 2 writes it: float, without dimensions. FALSE: of any other. */
static gboolean
read_scalar (const SluiceValueView *value, float *scalar)
{
  const guint8 *at = value->data, *end = value->data + value->length;
  const guint8 *number = NULL;
  gboolean is_float = FALSE;
  SluiceWireField field;
  while (sluice_wire_next (&at, end, &field))
    if (field.number == PROTO_DTYPE && field.wire_type == SLUICE_WIRE_VARINT)
      is_float = field.value == DT_FLOAT;
    else if (field.number == PROTO_SHAPE && field.length == 0)
      continue;
    else if ((field.number == PROTO_FLOATS || field.number == PROTO_CONTENT) && field.length == 4
             && number == NULL)
      number = field.data;
    else
      return FALSE;
  if (at != end || !is_float || number == NULL)
    return FALSE;
  *scalar = sluice_wire_get_float (number);
  return TRUE;
}

static ImportResult
tell (char **what, GError *take)
{
  ImportResult result = IMPORT_DAMAGED;
  g_free (*what);
  *what = g_strdup (take->message);
  g_error_free (take);
  return result;
}

/* Memory that is refused ends it; whatever else is wrong is so with this value. */
static ImportResult
tell_or_fail (char **what, GError **error, GError *take)
{
  if (!g_error_matches (take, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED))
    return tell (what, take);
  g_propagate_error (error, take);
  return IMPORT_FAILED;
}

static ImportResult
take_unpacked (Taking *taking, const SluiceValueView *view, char **what, GError **error)
{
  GError *failure = NULL;
  Sluice__Event__Value *value = sluice_protobuf_unpack (&sluice__event__value__descriptor,
                                                        view->all, view->all_length, &failure);
  if (value == NULL)
    return tell_or_fail (what, error, failure);
  if (value->tag[0] == '\0')
    {
      char *tag = value->tag;
      value->tag = value->node_name;
      value->node_name = tag;
    }
  /* Hyper-parameters are in what comes with each value, the rest only with the first. */
  const SluiceValueIn in = { value,
                             value->metadata != NULL ? value->metadata : taking->tag->unpacked,
                             taking->event->step,
                             taking->event->wall,
                             sink,
                             taking };
  gboolean ok = sluice_summary_value_take (&in, &failure);
  sluice__event__value__free_unpacked (value, NULL);
  return ok ? IMPORT_TAKEN : tell_or_fail (what, error, failure);
}

static ImportResult
take_value (Taking *taking, const SluiceValueView *value, char **what, GError **error)
{
  float scalar;
  GError *failure = NULL;
  taking->tag = get_tag (taking->run, value);
  if (G_UNLIKELY (value->metadata != NULL && taking->tag->metadata == NULL)
      && !sluice_import_tag_set_metadata (taking->tag, value->metadata, value->metadata_length,
                                          &failure))
    return tell_or_fail (what, error, failure);
  if (value->what == SLUICE_VALUE_SIMPLE)
    add_point (taking, (double) value->simple);
  else if (value->what == SLUICE_VALUE_TENSOR && taking->tag->is_scalars
           && read_scalar (value, &scalar))
    add_point (taking, (double) scalar);
  else
    return take_unpacked (taking, value, what, error);
  return IMPORT_TAKEN;
}

static ImportResult
take_summary (Taking *taking, char **what, GError **error)
{
  const guint8 *at = taking->event->data, *end = at + taking->event->length;
  ImportResult result = IMPORT_TAKEN;
  SluiceValueView value;
  taking->run->info.step = MAX (taking->run->info.step, taking->event->step);
  while (sluice_value_view_next (&at, end, &value))
    {
      ImportResult one = take_value (taking, &value, what, error);
      if (one == IMPORT_FAILED)
        return one;
      result = MAX (result, one);
    }
  if (at == end)
    return result;
  g_free (*what);
  *what = g_strdup (_ ("a summary is no such message"));
  return IMPORT_DAMAGED;
}

/* ---- what is no summary ---- */

static void
take_graph (Taking *taking, const guint8 *bytes, gsize length, gint64 which)
{
  g_autoptr (GBytes) graph = NULL;
  if (taking->run->graph > which)
    return;
  graph = g_bytes_new (bytes, length);
  taking->run->graph = which;
  add_record (taking,
              &sluice_graph_record_new (taking->event->step, taking->event->wall, graph)->base,
              SLUICE_RUN_GRAPH_TAG);
}

static void
take_meta_graph (Taking *taking)
{
  SluiceWireField graph;
  if (find_field (taking->event->data, taking->event->length, META_GRAPH_GRAPH, &graph)
      && graph.wire_type == SLUICE_WIRE_BYTES)
    take_graph (taking, graph.data, graph.length, IMPORT_GRAPH_OF_META);
}

static void
take_run_metadata (Taking *taking)
{
  SluiceWireField tag, metadata;
  if (!find_field (taking->event->data, taking->event->length, SLUICE_TAGGED_TAG, &tag)
      || tag.wire_type != SLUICE_WIRE_BYTES
      || !find_field (taking->event->data, taking->event->length, SLUICE_TAGGED_METADATA, &metadata)
      || metadata.wire_type != SLUICE_WIRE_BYTES)
    return;
  g_autoptr (GBytes) bytes = g_bytes_new (metadata.data, metadata.length);
  g_autofree char *text = tag.length > 0
                              ? g_utf8_make_valid ((const char *) tag.data, (gssize) tag.length)
                              : g_strdup ("");
  add_record (taking,
              &sluice_run_metadata_new (taking->event->step, taking->event->wall, bytes)->base,
              text);
}

static void
take_log_message (Taking *taking)
{
  SluiceWireField message;
  if (!find_field (taking->event->data, taking->event->length, LOG_MESSAGE_TEXT, &message)
      || message.wire_type != SLUICE_WIRE_BYTES || message.length == 0)
    return;
  g_autofree char *text = g_utf8_make_valid ((const char *) message.data, (gssize) message.length);
  add_record (taking,
              &sluice_event_new (taking->event->step, taking->event->wall, "log", text)->base,
              "log");
}

/* "brain.Event:2" */
static void
take_version (Taking *taking)
{
  static const char prefix[] = "brain.Event:";
  const gsize length = strlen (prefix);
  g_autofree char *text =
      g_strndup ((const char *) taking->event->data, MIN (taking->event->length, 64));
  taking->run->file_version =
      g_str_has_prefix (text, prefix) ? g_ascii_strtoll (text + length, NULL, 10) : -1;
}

static ImportResult
take_event (Taking *taking, char **what, GError **error)
{
  switch (taking->event->what)
    {
    case SLUICE_EVENT_SUMMARY:
      return take_summary (taking, what, error);
    case SLUICE_EVENT_GRAPH:
      take_graph (taking, taking->event->data, taking->event->length, IMPORT_GRAPH_OWN);
      break;
    case SLUICE_EVENT_META_GRAPH:
      take_meta_graph (taking);
      break;
    case SLUICE_EVENT_TAGGED_METADATA:
      take_run_metadata (taking);
      break;
    case SLUICE_EVENT_LOG_MESSAGE:
      take_log_message (taking);
      break;
    default:
      break;
    }
  return IMPORT_TAKEN;
}

ImportResult
sluice_import_event (ImportRun *run,
                     SluiceOverlaps overlaps,
                     const guint8 *bytes,
                     gsize length,
                     SluiceImportedRun *counts,
                     char **what,
                     GError **error)
{
  SluiceEventView event;
  Taking taking = { run, counts, &event, NULL };
  if (!sluice_event_view (&event, bytes, length))
    {
      *what = g_strdup (_ ("a record is no event"));
      return IMPORT_DAMAGED;
    }
  if (run->info.created == 0)
    run->info.created = event.wall;
  if (event.wall > run->info.ended)
    run->info.ended = event.wall;
  if (event.what == SLUICE_EVENT_FILE_VERSION)
    take_version (&taking);
  if (overlaps == SLUICE_OVERLAPS_DROP)
    take_back (&taking);
  return take_event (&taking, what, error);
}
