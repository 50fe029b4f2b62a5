/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/checkpoints.h"

#include "engine/base/error.h"
#include "engine/store/sql.h"
#include "engine/store/store-private.h"

typedef struct
{
  gint64 run, step;
  gboolean pinned;
} Request;

static gboolean
pin (sqlite3 *db, gpointer data, GError **error)
{
  const Request *r = data;
  gint64 n_found;
  sqlite3_stmt *row =
      sluice_sql_prepare (db, error, "SELECT count (*) FROM checkpoints WHERE run = ? AND step = ?",
                          "ii", r->run, r->step);
  if (!sluice_sql_take_number (db, row, &n_found, error))
    return FALSE;
  if (n_found == 0)
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                        "the run has no checkpoint of step %" G_GINT64_FORMAT, r->step);
  return sluice_store_note_change (db, r->run, error)
         && sluice_sql_change (db, error,
                               "DELETE FROM events WHERE run = ? AND step = ? AND kind = 'pin'",
                               "ii", r->run, r->step)
         && (!r->pinned
             || sluice_sql_change (
                 db, error, "INSERT INTO events (run, step, wall, kind) VALUES (?, ?, ?, 'pin')",
                 "iid", r->run, r->step, g_get_real_time () * 1e-6));
}

gboolean
sluice_store_pin_checkpoint (
    SluiceStore *self, gint64 run, gint64 step, gboolean pinned, GError **error)
{
  Request request = { run, step, pinned };
  return sluice_store_writer_run (sluice_store_get_writer (self), pin, &request, error);
}
