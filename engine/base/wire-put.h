/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * Just enough of protocol buffers to write summaries and traces: fields in order of their numbers,
 * numbers that are zero left out (by their bits: -0 stays), as TensorFlow's C++ does.
 */

void sluice_wire_put_varint (GByteArray *out, guint64 value);
void sluice_wire_put_bytes (GByteArray *out, guint field, const void *data, gsize length);
void sluice_wire_put_int (GByteArray *out, guint field, gint64 value); /* nothing where it is 0 */
void
sluice_wire_put_double (GByteArray *out, guint field, double value);    /* nothing where it is 0 */
void sluice_wire_put_float (GByteArray *out, guint field, float value); /* also 0: of a oneof */
void sluice_wire_put_doubles (GByteArray *out, guint field, const double *values, guint n);
void sluice_wire_put_text (GByteArray *out, guint field, const char *text);
/* Empties the message, for the next one. */
void sluice_wire_put_message (GByteArray *out, guint field, GByteArray *message);
