/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * Just enough of protocol buffers to write a Summary: fields in order of their numbers, numbers
 * that are zero left out (by their bits: -0 stays), as TensorFlow's C++ does.
 */

void sluice_wire_put_varint (GByteArray *out, guint64 value);
void sluice_wire_put_bytes (GByteArray *out, guint field, const void *data, gsize length);
void sluice_wire_put_int (GByteArray *out, guint field, gint64 value); /* nothing where it is 0 */
void
sluice_wire_put_double (GByteArray *out, guint field, double value);    /* nothing where it is 0 */
void sluice_wire_put_float (GByteArray *out, guint field, float value); /* also 0: of a oneof */
void sluice_wire_put_doubles (GByteArray *out, guint field, const double *values, guint n);

/* A field that was read. */
typedef struct
{
  guint number, type;
  const guint8 *data; /* of a length-delimited field (type 2) */
  gsize length;
} SluiceWireField;

/* Reads the field at *at and moves on; FALSE where the bytes are no field. */
gboolean sluice_wire_read (const guint8 **at, const guint8 *end, SluiceWireField *field);
