/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/wire-put.h"

/* A field that was read. */
typedef struct
{
  guint number, type;
  const guint8 *data; /* of a length-delimited field (type 2) */
  gsize length;
} SluiceWireField;

/* Reads the field at *at and moves on; FALSE where the bytes are no field. */
gboolean sluice_wire_read (const guint8 **at, const guint8 *end, SluiceWireField *field);
