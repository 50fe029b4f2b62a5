/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/summary-value.h"

#include "engine/base/error.h"
#include "engine/base/wire.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/tensorproto.h"
#include "engine/store/kind-private.h"

enum
{
  SUMMARY_VALUE = 1,
  METADATA_PLUGIN = 1,
  METADATA_CLASS = 4,
  PLUGIN_NAME = 1,
  PLUGIN_CONTENT = 2,
};

/* ---- in ---- */

gboolean
sluice_summary_value_take (const SluiceValueIn *in, GError **error)
{
  const SluiceKind *kind;
  for (int rest = 0; rest < 2; rest++)
    SLUICE_EACH_KIND (kind)
    {
      if (kind->take_value == NULL || kind->takes_the_rest != rest)
        continue;
      SluiceValueResult result = kind->take_value (in, error);
      if (result != SLUICE_VALUE_NOT_MINE)
        return result == SLUICE_VALUE_TAKEN;
    }
  return TRUE; /* a value without content */
}

const char *
sluice_summary_value_get_plugin (const SluiceValueIn *in)
{
  return in->metadata != NULL && in->metadata->plugin_data != NULL
             ? in->metadata->plugin_data->plugin_name
             : NULL;
}

gboolean
sluice_summary_value_is_tensor_of (const SluiceValueIn *in, const char *plugin)
{
  return in->value->value_case == SLUICE__EVENT__VALUE__VALUE_TENSOR
         && g_strcmp0 (sluice_summary_value_get_plugin (in), plugin) == 0;
}

SluiceTensor *
sluice_summary_value_dup_tensor (const SluiceValueIn *in, GError **error)
{
  SluiceTensor *tensor =
      sluice_tensor_from_proto (in->value->tensor.data, in->value->tensor.len, error);
  if (tensor == NULL)
    g_prefix_error (error, "summary '%s': ", in->value->tag);
  return tensor;
}

SluiceValueResult
sluice_summary_value_fail (const SluiceValueIn *in, GError **error, const char *what)
{
  sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "summary '%s': %s", in->value->tag, what);
  return SLUICE_VALUE_FAILED;
}

SluiceValueResult
sluice_summary_value_sink (const SluiceValueIn *in,
                           gpointer take_record,
                           const char *suffix,
                           GError **error)
{
  g_autofree char *tag = g_strconcat (in->value->tag, suffix, NULL);
  return in->sink (take_record, tag, in->sink_data, error) ? SLUICE_VALUE_TAKEN
                                                           : SLUICE_VALUE_FAILED;
}

/* ---- out ---- */

gboolean
sluice_event_out_is_tensor (const SluiceEventOut *out, const char *plugin)
{
  return g_strcmp0 (out->plugin, plugin) == 0;
}

static gboolean
find_bytes (const guint8 *bytes, gsize length, guint number, SluiceWireField *found)
{
  const guint8 *at = bytes, *end = bytes + length;
  while (sluice_wire_next (&at, end, found))
    if (found->number == number && found->wire_type == SLUICE_WIRE_BYTES)
      return TRUE;
  return FALSE;
}

char *
sluice_summary_metadata_dup_plugin (GBytes *metadata)
{
  gsize length;
  const guint8 *bytes = g_bytes_get_data (metadata, &length);
  SluiceWireField plugin, name;
  return find_bytes (bytes, length, METADATA_PLUGIN, &plugin)
                 && find_bytes (plugin.data, plugin.length, PLUGIN_NAME, &name)
             ? g_strndup ((const char *) name.data, name.length)
             : NULL;
}

static void
put_metadata (const SluiceEventOut *out, GByteArray *value, const SluicePluginOut *plugin)
{
  if (out->metadata != NULL)
    {
      gsize length;
      const void *bytes = g_bytes_get_data (out->metadata, &length);
      sluice_wire_put_bytes (value, SLUICE_VALUE_METADATA, bytes, length);
      return;
    }
  g_autoptr (GByteArray) data = g_byte_array_new ();
  g_autoptr (GByteArray) metadata = g_byte_array_new ();
  sluice_wire_put_text (data, PLUGIN_NAME, plugin->name);
  if (plugin->content != NULL)
    sluice_wire_put_message (data, PLUGIN_CONTENT, plugin->content);
  sluice_wire_put_message (metadata, METADATA_PLUGIN, data);
  sluice_wire_put_int (metadata, METADATA_CLASS, plugin->data_class);
  sluice_wire_put_message (value, SLUICE_VALUE_METADATA, metadata);
}

/* Takes the value's own field, written already, for the rest of the message. */
static void
put_summary (const SluiceEventOut *out, GByteArray *content, const SluicePluginOut *plugin)
{
  g_autoptr (GByteArray) value = g_byte_array_new ();
  g_autoptr (GByteArray) summary = g_byte_array_new ();
  sluice_wire_put_text (value, SLUICE_VALUE_TAG, out->tag);
  g_byte_array_append (value, content->data, content->len);
  if (out->first && (plugin != NULL || out->metadata != NULL))
    put_metadata (out, value, plugin);
  sluice_wire_put_message (summary, SUMMARY_VALUE, value);
  sluice_wire_put_message (out->event, SLUICE_EVENT_SUMMARY, summary);
}

void
sluice_summary_value_put (const SluiceEventOut *out,
                          guint field,
                          GByteArray *message,
                          const SluicePluginOut *plugin)
{
  g_autoptr (GByteArray) content = g_byte_array_new ();
  sluice_wire_put_message (content, field, message);
  put_summary (out, content, plugin);
}

void
sluice_summary_value_put_simple (const SluiceEventOut *out,
                                 float value,
                                 const SluicePluginOut *plugin)
{
  g_autoptr (GByteArray) content = g_byte_array_new ();
  sluice_wire_put_float (content, SLUICE_VALUE_SIMPLE, value);
  put_summary (out, content, plugin);
}

void
sluice_summary_value_put_tensor (const SluiceEventOut *out,
                                 const SluiceTensor *tensor,
                                 const SluicePluginOut *plugin)
{
  GError *failed = NULL;
  g_autoptr (GBytes) proto = tensor != NULL ? sluice_tensor_to_proto (tensor, &failed) : NULL;
  gsize length;
  if (tensor == NULL)
    sluice_fail (&failed, SLUICE_ERROR_RESOURCE_EXHAUSTED, "no memory for a tensor of '%s'",
                 out->tag);
  if (failed != NULL)
    {
      if (*out->error == NULL)
        *out->error = g_steal_pointer (&failed);
      g_clear_error (&failed);
      return;
    }
  const guint8 *bytes = g_bytes_get_data (proto, &length);
  g_autoptr (GByteArray) message = g_byte_array_new ();
  g_byte_array_append (message, bytes, (guint) length);
  sluice_summary_value_put (out, SLUICE_VALUE_TENSOR, message, plugin);
}

void
sluice_summary_value_put_strings (const SluiceEventOut *out,
                                  const SluiceShape *shape,
                                  GBytes *const *strings,
                                  const SluicePluginOut *plugin)
{
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_zeros (SLUICE_STRING, shape);
  for (gint64 i = 0; tensor != NULL && i < tensor->n_elements; i++)
    {
      gsize length;
      const void *data = g_bytes_get_data (strings[i], &length);
      sluice_string_set (&((SluiceString *) tensor->data)[i], data, length);
    }
  sluice_summary_value_put_tensor (out, tensor, plugin);
}
