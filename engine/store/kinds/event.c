/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/kinds/event.h"
#include "engine/store/sql.h"

#include <string.h>

#include "engine/base/wire.h"
#include "engine/store/kind-private.h"

SluiceEvent *
sluice_event_new (gint64 step, double wall, const char *kind, const char *text)
{
  SluiceEvent *self = sluice_record_new (&sluice_kind_event, step, wall);
  self->kind = g_strdup (kind);
  self->text = g_strdup (text);
  return self;
}

#define DROPPED "what came after it was dropped, up to step "

char *
sluice_event_dup_dropped_text (gint64 step, gint64 came_to)
{
  return came_to > step ? g_strdup_printf (DROPPED "%" G_GINT64_FORMAT, came_to) : NULL;
}

gint64
sluice_event_get_dropped (const SluiceEvent *self)
{
  gint64 to = self->base.step;
  if (strcmp (self->kind, "resume") == 0 && self->text != NULL
      && g_str_has_prefix (self->text, DROPPED))
    g_ascii_string_to_signed (self->text + strlen (DROPPED), 10, to, G_MAXINT64, &to, NULL);
  return to;
}

#define COMPUTED "as the graph computes it"
#define TO       " to "

char *
sluice_event_dup_change_text (const char *key, const char *before, const char *after)
{
  return g_strdup_printf ("%s %s" TO "%s", key, before != NULL ? before : COMPUTED, after);
}

gboolean
sluice_event_get_change (const SluiceEvent *self, char **key, char **before, char **after)
{
  const char *text = strcmp (self->kind, "set") == 0 ? self->text : NULL;
  const char *space = text != NULL ? strchr (text, ' ') : NULL;
  const char *to = space != NULL ? strstr (space + 1, TO) : NULL;
  if (to == NULL)
    return FALSE;
  g_autofree char *was = g_strndup (space + 1, to - space - 1);
  *key = g_strndup (text, space - text);
  *before = strcmp (was, COMPUTED) != 0 ? g_steal_pointer (&was) : NULL;
  *after = g_strdup (to + strlen (TO));
  return TRUE;
}

static void
event_free (SluiceRecord *record)
{
  SluiceEvent *self = (SluiceEvent *) record;
  g_free (self->kind);
  g_free (self->text);
}

static gsize
event_get_size (const SluiceRecord *record)
{
  const SluiceEvent *self = (const SluiceEvent *) record;
  return strlen (self->kind) + (self->text != NULL ? strlen (self->text) : 0);
}

/* A run resumed from a checkpoint logs the same events again. */
static gboolean
event_write (sqlite3 *db, gint64 run, const SluiceRecord *record, GError **error)
{
  const SluiceEvent *self = (const SluiceEvent *) record;
  return sluice_sql_change (
      db, error,
      "INSERT INTO events (run, step, wall, kind, text) SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS "
      "(SELECT 1 FROM events WHERE run = ?1 AND step = ?2 AND kind = ?4 AND text IS ?5)",
      "iidss", run, record->step, record->wall, self->kind, self->text);
}

static SluiceRecord *
event_read (sqlite3_stmt *row, int at, GError **error)
{
  return &sluice_event_new (0, 0, (const char *) sqlite3_column_text (row, at),
                            (const char *) sqlite3_column_text (row, at + 1))
              ->base;
}

static gboolean
event_each (sqlite3 *db,
            const SluiceSeriesInfo *series,
            const SluiceStepRange *range,
            SluiceRecordFunc func,
            gpointer data,
            GError **error)
{
  static const char sql[] =
      "SELECT step, wall, kind, text FROM events WHERE run = ?1 AND step BETWEEN ?2 AND ?3 AND "
      "(?4 IS NULL OR kind = ?4) ORDER BY step, id";
  sqlite3_stmt *row =
      sluice_sql_prepare (db, error, sql, "iiis", series->run, range->from, range->to, series->tag);
  return sluice_kind_each_in (&sluice_kind_event, db, row, func, data, error);
}

static char *
event_dup_json (const SluiceRecord *record)
{
  const SluiceEvent *self = (const SluiceEvent *) record;
  GString *json = g_string_new (NULL);
  if (self->text != NULL)
    sluice_json_append_string (json, self->text, -1);
  else
    g_string_append (json, "null");
  return g_string_free (json, FALSE);
}

/* Event.log_message: TensorBoard leaves it out, readers of the file have it. */
static void
event_put_event (const SluiceRecord *record, const SluiceEventOut *out)
{
  const SluiceEvent *self = (const SluiceEvent *) record;
  g_autoptr (GByteArray) message = g_byte_array_new ();
  g_autofree char *text =
      self->text != NULL ? g_strdup_printf ("%s: %s", self->kind, self->text) : NULL;
  sluice_wire_put_int (message, 1, 20); /* LogMessage.Level INFO */
  sluice_wire_put_text (message, 2, text != NULL ? text : self->kind);
  sluice_wire_put_message (out->event, SLUICE_EVENT_LOG_MESSAGE, message);
}

static const SluiceMigration migrations[] = {
  { 1, "CREATE TABLE events (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, "
       "step INTEGER NOT NULL, wall REAL NOT NULL, kind TEXT NOT NULL, text TEXT);"
       "CREATE INDEX events_by_run ON events (run, step);" },
  { 2, "CREATE VIEW event_points AS SELECT runs.name AS run, r.kind AS tag, r.step AS step, "
       "r.wall AS wall_time, r.text AS text FROM events r JOIN runs ON runs.id = r.run "
       "WHERE runs.deleted IS NULL;" },
  { 0 },
};

const SluiceKind sluice_kind_event = {
  .number = SLUICE_SERIES_EVENT,
  .name = "event",
  .migrations = migrations,
  .list = "SELECT 0 AS id, run, kind, 10, count (*), min (step), max (step), 1, NULL, NULL "
          "FROM events WHERE run = ?1 AND ?2 GROUP BY kind",
  .truncate = "DELETE FROM events WHERE run = ?1 AND step > ?2",
  .view = "event_points",
  .write = event_write,
  .read = event_read,
  .each = event_each,
  .free = event_free,
  .get_size = event_get_size,
  .record_size = sizeof (SluiceEvent),
  .dup_json = event_dup_json,
  .put_event = event_put_event,
  .is_of_the_run = TRUE,
};
