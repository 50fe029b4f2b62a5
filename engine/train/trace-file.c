/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/train/trace-file.h"

#include <string.h>

#include "engine/store/file.h"

static const struct
{
  const char *name;
  const char *endings[3];
} formats[SLUICE_N_TRACE_FORMATS] = {
  [SLUICE_TRACE_CHROME] = { "chrome", { ".json" } },
  [SLUICE_TRACE_PERFETTO] = { "perfetto", { ".pftrace", ".perfetto-trace" } },
  [SLUICE_TRACE_RUN_METADATA] = { "run-metadata", { ".pb" } },
  [SLUICE_TRACE_EVENT_FILE] = { "event-file", { NULL } },
};

gboolean
sluice_trace_format_from_name (const char *name, SluiceTraceFormat *format)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (strcmp (formats[i].name, name) == 0)
      {
        *format = i;
        return TRUE;
      }
  return FALSE;
}

gboolean
sluice_trace_format_from_path (const char *path, SluiceTraceFormat *format)
{
  g_autofree char *base = g_path_get_basename (path);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint k = 0; formats[i].endings[k]; k++)
      if (g_str_has_suffix (base, formats[i].endings[k]))
        {
          *format = i;
          return TRUE;
        }
  *format = SLUICE_TRACE_EVENT_FILE;
  return strstr (base, "tfevents") != NULL;
}

/* ---- order ---- */

static int
compare_events (gconstpointer a, gconstpointer b)
{
  const SluiceTraceEvent *x = *(const SluiceTraceEvent *const *) a;
  const SluiceTraceEvent *y = *(const SluiceTraceEvent *const *) b;
  int by_device = x->device == y->device ? 0 : strcmp (x->device, y->device);
  if (by_device != 0)
    return by_device;
  if (x->lane != y->lane)
    return x->lane < y->lane ? -1 : 1;
  if (x->start_us != y->start_us)
    return x->start_us < y->start_us ? -1 : 1;
  return x->end_us < y->end_us ? -1 : x->end_us > y->end_us;
}

GPtrArray *
sluice_trace_sort (const SluiceTraceContent *self, GPtrArray **devices)
{
  GPtrArray *order = g_ptr_array_sized_new (self->events->len);
  for (guint i = 0; i < self->events->len; i++)
    g_ptr_array_add (order, &g_array_index (self->events, SluiceTraceEvent, i));
  g_ptr_array_sort (order, compare_events);
  *devices = g_ptr_array_new ();
  for (guint i = 0; i < order->len; i++)
    {
      const SluiceTraceEvent *event = order->pdata[i];
      if (!(*devices)->len || strcmp ((*devices)->pdata[(*devices)->len - 1], event->device) != 0)
        g_ptr_array_add (*devices, (gpointer) event->device);
    }
  return order;
}

guint
sluice_trace_device_number (const GPtrArray *devices, const SluiceTraceEvent *event)
{
  for (guint i = 0; i < devices->len; i++)
    if (strcmp (devices->pdata[i], event->device) == 0)
      return i;
  g_return_val_if_reached (0);
}

/* ---- files ---- */

GByteArray *
sluice_trace_encode (const SluiceTraceContent *self, SluiceTraceFormat format)
{
  switch (format)
    {
    case SLUICE_TRACE_CHROME:
      return sluice_trace_encode_chrome (self);
    case SLUICE_TRACE_PERFETTO:
      return sluice_trace_encode_perfetto (self);
    case SLUICE_TRACE_RUN_METADATA:
      return sluice_trace_encode_run_metadata (self);
    case SLUICE_TRACE_EVENT_FILE:
      return sluice_trace_encode_event_file (self);
    case SLUICE_N_TRACE_FORMATS:
      break;
    }
  g_return_val_if_reached (NULL);
}

gboolean
sluice_trace_write (const SluiceTraceContent *self,
                    SluiceTraceFormat format,
                    const char *path,
                    GError **error)
{
  g_autoptr (GByteArray) bytes = sluice_trace_encode (self, format);
  return sluice_file_put ("trace", path, bytes->data, bytes->len, error);
}
