/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/wire.h"
#include "engine/store/summary-value.h"

/* TensorFlow's Event where it lies: nothing is copied, so that a scalar costs a few fields. Of a
 * field that comes twice the last one counts, as protobuf has it. */

typedef struct
{
  double wall;
  gint64 step;
  guint what;         /* SLUICE_EVENT_...: of the field that is set; 0: of none that is known */
  const guint8 *data; /* of that field */
  gsize length;
} SluiceEventView;

/* FALSE: the bytes are no event. */
static inline gboolean
sluice_event_view (SluiceEventView *self, const guint8 *bytes, gsize length)
{
  const guint8 *at = bytes, *end = bytes + length;
  SluiceWireField field;
  *self = (SluiceEventView){ 0 };
  while (sluice_wire_next (&at, end, &field))
    {
      if (field.number == SLUICE_EVENT_WALL_TIME && field.wire_type == SLUICE_WIRE_FIXED_64)
        self->wall = sluice_wire_get_double (field.data);
      else if (field.number == SLUICE_EVENT_STEP && field.wire_type == SLUICE_WIRE_VARINT)
        self->step = (gint64) field.value;
      else if (field.number <= SLUICE_EVENT_META_GRAPH && field.wire_type == SLUICE_WIRE_BYTES)
        {
          self->what = field.number;
          self->data = field.data;
          self->length = field.length;
        }
    }
  return at == end;
}

typedef struct
{
  const guint8 *tag; /* not ended by a zero; NULL: it has none */
  gsize tag_length;
  guint what; /* SLUICE_VALUE_...: of the value; 0: none that is known */
  float simple;
  const guint8 *data; /* of a value that is a message */
  gsize length;
  const guint8 *metadata; /* (nullable) */
  gsize metadata_length;
  const guint8 *node_name; /* (nullable) */
  gsize node_name_length;
  const guint8 *all; /* the whole message */
  gsize all_length;
} SluiceValueView;

/* The next value of a Summary. FALSE at the end, and where the bytes are none: then at < end. */
static inline gboolean
sluice_value_view_next (const guint8 **at, const guint8 *end, SluiceValueView *value)
{
  SluiceWireField field;
  const guint8 *before = *at;
  do
    {
      before = *at;
      if (!sluice_wire_next (at, end, &field))
        return FALSE;
    }
  while (field.number != 1 || field.wire_type != SLUICE_WIRE_BYTES);
  *value = (SluiceValueView){ .all = field.data, .all_length = field.length };
  const guint8 *in = field.data, *stop = field.data + field.length;
  while (sluice_wire_next (&in, stop, &field))
    {
      if (field.number == SLUICE_VALUE_SIMPLE && field.wire_type == SLUICE_WIRE_FIXED_32)
        {
          value->what = SLUICE_VALUE_SIMPLE;
          value->simple = sluice_wire_get_float (field.data);
        }
      if (field.wire_type != SLUICE_WIRE_BYTES)
        continue;
      switch (field.number)
        {
        case SLUICE_VALUE_TAG:
          value->tag = field.data;
          value->tag_length = field.length;
          break;
        case SLUICE_VALUE_IMAGE:
        case SLUICE_VALUE_HISTOGRAM:
        case SLUICE_VALUE_AUDIO:
        case SLUICE_VALUE_TENSOR:
          value->what = field.number;
          value->data = field.data;
          value->length = field.length;
          break;
        case SLUICE_VALUE_NODE_NAME:
          value->node_name = field.data;
          value->node_name_length = field.length;
          break;
        case SLUICE_VALUE_METADATA:
          value->metadata = field.data;
          value->metadata_length = field.length;
          break;
        default:
          break;
        }
    }
  if (in == stop)
    return TRUE;
  *at = before;
  return FALSE;
}
