/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/trace-import.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/trace/trace-own.h"

#define MAX_BYTES (G_GUINT64_CONSTANT (1) << 40) /* that a trace can have */

typedef gboolean (*ImportFunc) (SluiceTraceView *view,
                                const guint8 *bytes,
                                gsize length,
                                GArray *remarks);

static const struct
{
  const char *name;
  ImportFunc import;
} formats[] = {
  { "chrome", sluice_trace_import_chrome },
  { "perfetto", sluice_trace_import_perfetto },
  { "run-metadata", sluice_trace_import_metadata },
  { "xspace", sluice_trace_import_xspace },
};

gboolean
sluice_trace_next_field (const guint8 **at,
                         const guint8 *end,
                         SluiceWireField *field,
                         gboolean *is_cut)
{
  const guint8 *next = *at;
  guint64 tag, length;
  if (*at >= end)
    return FALSE;
  if (sluice_wire_next (at, end, field))
    return TRUE;
  *is_cut = TRUE;
  *at = end;
  if (!sluice_wire_read_varint (&next, end, &tag) || (tag & 7) != SLUICE_WIRE_BYTES || tag >> 3 == 0
      || tag >> 32 != 0 || !sluice_wire_read_varint (&next, end, &length) || next == end)
    return FALSE;
  *field = (SluiceWireField){ .number = (guint32) (tag >> 3),
                              .wire_type = SLUICE_WIRE_BYTES,
                              .data = next,
                              .length = (gsize) (end - next) };
  return TRUE;
}

/* JSON begins with a bracket; of the protobufs each says whether it finds something of its own. */
static gboolean
may_be (guint format, const guint8 *bytes, gsize length)
{
  gsize at = 0;
  while (at < length && g_ascii_isspace ((char) bytes[at]))
    at++;
  gboolean is_json = at < length && (bytes[at] == '{' || bytes[at] == '[');
  return format != 0 || is_json;
}

static SluiceTraceView *
import (const guint8 *bytes, gsize length, const char **format, GArray *remarks, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      if (!may_be (i, bytes, length))
        continue;
      SluiceTraceView *view = sluice_trace_view_new ();
      if (formats[i].import (view, bytes, length, remarks))
        {
          if (format != NULL)
            *format = formats[i].name;
          return view;
        }
      sluice_trace_view_free (view);
      g_array_set_size (remarks, 0); /* of what it is not */
    }
  g_set_error_literal (
      error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT,
      "it is no trace: neither Sluice's own, nor JSON of chrome://tracing, nor "
      "Perfetto's protobuf, nor TensorFlow's RunMetadata, nor a profiler's XSpace");
  return NULL;
}

SluiceTraceView *
sluice_trace_open_bytes (GBytes *bytes, const char **format, GArray *remarks, GError **error)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  if (sluice_trace_own_is (data, length))
    {
      if (format != NULL)
        *format = "sltrace";
      return sluice_trace_own_open_bytes (bytes, remarks, error);
    }
  if (!sluice_read_is_gzip (bytes))
    return import (data, length, format, remarks, error);
  g_autoptr (GBytes) unpacked = sluice_read_unzip (bytes, MAX_BYTES, error);
  if (unpacked == NULL)
    return NULL;
  data = g_bytes_get_data (unpacked, &length);
  return import (data, length, format, remarks, error);
}

SluiceTraceView *
sluice_trace_open (const char *path, const char **format, GArray *remarks, GError **error)
{
  g_autoptr (GBytes) bytes = sluice_read_file ("trace", path, SLUICE_READ_MAPPED, MAX_BYTES, error);
  if (bytes == NULL)
    return NULL;
  SluiceTraceView *view = sluice_trace_open_bytes (bytes, format, remarks, error);
  if (view == NULL)
    g_prefix_error (error, "'%s': ", path);
  return view;
}
