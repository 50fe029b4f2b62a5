/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/event-file.h"

#include <string.h>

#include "engine/base/wire.h"
#include "engine/store/crc32c.h"
#include "engine/store/summary-value.h"

void
sluice_event_file_put_record (GByteArray *out, GByteArray *event)
{
  guint64 length = GUINT64_TO_LE ((guint64) event->len);
  guint32 sum = sluice_crc32c_stored (&length, sizeof length);
  g_byte_array_append (out, (const guint8 *) &length, sizeof length);
  g_byte_array_append (out, (const guint8 *) &sum, sizeof sum);
  sum = sluice_crc32c_stored (event->data, event->len);
  g_byte_array_append (out, event->data, event->len);
  g_byte_array_append (out, (const guint8 *) &sum, sizeof sum);
  g_byte_array_set_size (event, 0);
}

void
sluice_event_file_begin (GByteArray *event, double wall, gint64 step)
{
  sluice_wire_put_double (event, SLUICE_EVENT_WALL_TIME, wall);
  sluice_wire_put_int (event, SLUICE_EVENT_STEP, step);
}

void
sluice_event_file_put_version (GByteArray *out, double wall)
{
  g_autoptr (GByteArray) event = g_byte_array_new ();
  sluice_event_file_begin (event, wall, 0);
  sluice_wire_put_text (event, SLUICE_EVENT_FILE_VERSION, "brain.Event:2");
  sluice_event_file_put_record (out, event);
}

gboolean
sluice_event_file_is_name (const char *name)
{
  return strstr (name, "tfevents") != NULL && !g_str_has_suffix (name, ".profile-empty");
}

gboolean
sluice_event_file_is_in (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name = NULL;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL && !sluice_event_file_is_name (name))
    ;
  g_clear_pointer (&dir, g_dir_close);
  return name != NULL;
}
