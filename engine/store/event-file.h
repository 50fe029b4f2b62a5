/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* TensorFlow's event files: records of a length, its checksum, the bytes and theirs. */

/* Appends event (which is empty afterwards) to out as a record. */
void sluice_event_file_put_record (GByteArray *out, GByteArray *event);
/* Appends the record that such a file begins with. */
void sluice_event_file_put_version (GByteArray *out, double wall);
/* Begins an event: its wall time (Unix seconds) and step. */
void sluice_event_file_begin (GByteArray *event, double wall, gint64 step);
/* Does TensorBoard take a file of that name for one? */
gboolean sluice_event_file_is_name (const char *name);
/* Does a folder hold event files? */
gboolean sluice_event_file_is_in (const char *folder);
