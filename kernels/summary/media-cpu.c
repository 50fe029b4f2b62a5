/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "kernels/image/wav.h"
#include "kernels/summary/value.h"

/* Numbers of fields: of Summary.Value, Summary.Audio, TensorProto and its shape, SummaryMetadata
 * and its plug-in. */
enum
{
  VALUE_AUDIO = 6,
  VALUE_NODE_NAME = 7,
  VALUE_TENSOR = 8,
  VALUE_METADATA = 9,
  AUDIO_RATE = 1,
  AUDIO_CHANNELS = 2,
  AUDIO_FRAMES = 3,
  AUDIO_BYTES = 4,
  AUDIO_TYPE = 5,
  TENSOR_DTYPE = 1,
  TENSOR_SHAPE = 2,
  TENSOR_CONTENT = 4,
  TENSOR_STRINGS = 8,
  SHAPE_DIM = 2,
  DIM_SIZE = 1,
  METADATA_PLUGIN = 1,
  METADATA_CLASS = 4, /* the last; display name and description are 2 and 3 */
  PLUGIN_LAST = 2,    /* name and content are 1 and 2 */
};

static gboolean
want_tag (SluiceKernelCall *call)
{
  SluiceTensor *tag = sluice_call_input (call, 0);
  return (tag->shape.rank == 1 && tag->n_elements == 1) || sluice_call_want_scalar (call, 0);
}

/* ---- sound ---- */

typedef struct
{
  gint64 max_outputs;
  float rate; /* 0: an input */
} AudioState;

static gpointer
audio_prepare (const SluiceNode *node, GError **error)
{
  AudioState *state = g_new0 (AudioState, 1);
  state->max_outputs = sluice_node_get_int (node, "max_outputs");
  if (sluice_op_find_attr (node->op, sluice_intern ("sample_rate")))
    state->rate = sluice_node_get_float (node, "sample_rate");
  return state;
}

static gboolean
put_audio (SluiceKernelCall *call, GByteArray *summary, gint64 i, float rate)
{
  const AudioState *state = call->state;
  const SluiceString *tag = sluice_call_input (call, 0)->data;
  SluiceTensor *sound = sluice_call_input (call, 1);
  gint64 frames = sound->shape.dim[1];
  gint64 channels = sound->shape.rank == 2 ? 1 : sound->shape.dim[2];
  AUTO_BYTES wav = g_byte_array_new ();
  AUTO_BYTES message = g_byte_array_new ();
  AUTO_BYTES content = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  const float *samples = (const float *) sound->data + i * frames * channels;
  if (!sluice_wav_encode (samples, frames, channels, MAX (lrintf (rate), 1), wav, &error))
    return sluice_call_fail (call, error->code, "%s", error->message);
  sluice_wire_put_float (message, AUDIO_RATE, rate);
  sluice_wire_put_int (message, AUDIO_CHANNELS, channels);
  sluice_wire_put_int (message, AUDIO_FRAMES, frames);
  sluice_wire_put_bytes (message, AUDIO_BYTES, wav->data, wav->len);
  sluice_wire_put_bytes (message, AUDIO_TYPE, "audio/wav", strlen ("audio/wav"));
  sluice_wire_put_bytes (content, VALUE_AUDIO, message->data, message->len);
  g_autoptr (GString) name = g_string_new_len (tag->data, tag->length);
  g_string_append (name, "/audio");
  if (state->max_outputs > 1)
    g_string_append_printf (name, "/%" G_GINT64_FORMAT, i);
  sluice_summary_put_value (summary, name->str, name->len, content);
  return TRUE;
}

static gboolean
audio_compute (SluiceKernelCall *call)
{
  const AudioState *state = call->state;
  const SluiceShape *shape = &sluice_call_input (call, 1)->shape;
  char text[SLUICE_SHAPE_STR];
  if (!want_tag (call) || (call->n_inputs > 2 && !sluice_call_want_scalar (call, 2)))
    return FALSE;
  if (shape->rank != 2 && shape->rank != 3)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "sound has shape [batch, moments] or [batch, moments, channels], not "
                             "%s",
                             sluice_shape_str (shape, text));
  float rate =
      call->n_inputs > 2 ? *(const float *) sluice_call_input (call, 2)->data : state->rate;
  if (!(rate > 0) || rate > (float) G_MAXUINT32)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "sample_rate must be positive, below 2^32, not %g", (double) rate);
  AUTO_BYTES summary = g_byte_array_new ();
  for (gint64 i = 0; i < MIN (shape->dim[0], state->max_outputs); i++)
    if (!put_audio (call, summary, i, rate))
      return FALSE;
  return sluice_call_output_bytes (call, summary);
}

/* ---- tensors ---- */

/* A TensorProto: strings one by one, other elements as they lie in memory. */
static void
put_tensor (GByteArray *content, const SluiceTensor *tensor)
{
  AUTO_BYTES message = g_byte_array_new ();
  AUTO_BYTES shape = g_byte_array_new ();
  for (int i = 0; i < tensor->shape.rank; i++)
    {
      AUTO_BYTES dim = g_byte_array_new ();
      sluice_wire_put_int (dim, DIM_SIZE, tensor->shape.dim[i]);
      sluice_wire_put_bytes (shape, SHAPE_DIM, dim->data, dim->len);
    }
  sluice_wire_put_int (message, TENSOR_DTYPE, tensor->dtype);
  sluice_wire_put_bytes (message, TENSOR_SHAPE, shape->data, shape->len);
  const SluiceString *strings = tensor->data;
  if (tensor->dtype == SLUICE_STRING)
    for (gint64 i = 0; i < tensor->n_elements; i++)
      sluice_wire_put_bytes (message, TENSOR_STRINGS, strings[i].data, strings[i].length);
  else if (tensor->n_elements > 0)
    sluice_wire_put_bytes (message, TENSOR_CONTENT, tensor->data, sluice_tensor_bytes (tensor));
  sluice_wire_put_bytes (content, VALUE_TENSOR, message->data, message->len);
}

/* The last value of each field from first to last, in their order; fields that have another number
 * come behind, as they are. `sub` (nullable) takes the bytes of field METADATA_PLUGIN instead. */
static gboolean
put_sorted (GByteArray *out, const guint8 *at, const guint8 *end, guint last, GByteArray **sub)
{
  SluiceWireField fields[METADATA_CLASS + 1] = { 0 };
  struct
  {
    const guint8 *begin, *end;
  } raw[METADATA_CLASS + 1] = { 0 };
  AUTO_BYTES rest = g_byte_array_new ();
  gboolean ok = TRUE;
  while (at < end && ok)
    {
      const guint8 *begin = at;
      SluiceWireField field;
      ok = sluice_wire_next (&at, end, &field);
      if (!ok)
        break;
      if (sub && field.number == METADATA_PLUGIN && field.wire_type == SLUICE_WIRE_BYTES)
        {
          *sub = *sub ? *sub : g_byte_array_new ();
          g_byte_array_append (*sub, field.data, (guint) field.length);
        }
      else if (field.number <= last
               && field.wire_type
                      == (field.number == METADATA_CLASS ? SLUICE_WIRE_VARINT : SLUICE_WIRE_BYTES))
        {
          fields[field.number] = field;
          raw[field.number].begin = begin;
          raw[field.number].end = at;
        }
      else
        g_byte_array_append (rest, begin, (guint) (at - begin));
    }
  for (guint n = 1; n <= last; n++)
    /* An empty text or the number 0 says nothing. */
    if (raw[n].begin
        && (fields[n].wire_type == SLUICE_WIRE_BYTES ? fields[n].length > 0 : raw[n].end[-1] != 0))
      g_byte_array_append (out, raw[n].begin, (guint) (raw[n].end - raw[n].begin));
  g_byte_array_append (out, rest->data, rest->len);
  return ok;
}

/* SummaryMetadata as TensorFlow writes what it has read: what is no such message is left out. */
static void
put_metadata (GByteArray *content, const SluiceString *metadata)
{
  const guint8 *at = (const guint8 *) metadata->data;
  AUTO_BYTES message = g_byte_array_new ();
  AUTO_BYTES own = g_byte_array_new ();
  AUTO_BYTES plugin = NULL;
  if (metadata->length > 0) /* at is NULL otherwise */
    put_sorted (own, at, at + metadata->length, METADATA_CLASS, &plugin);
  if (plugin)
    {
      AUTO_BYTES sorted = g_byte_array_new ();
      put_sorted (sorted, plugin->data, plugin->data + plugin->len, PLUGIN_LAST, NULL);
      sluice_wire_put_bytes (message, METADATA_PLUGIN, sorted->data, sorted->len);
    }
  g_byte_array_append (message, own->data, own->len);
  sluice_wire_put_bytes (content, VALUE_METADATA, message->data, message->len);
}

static gboolean
tensor_compute (SluiceKernelCall *call)
{
  AUTO_BYTES summary = g_byte_array_new ();
  AUTO_BYTES content = g_byte_array_new ();
  sluice_wire_put_bytes (content, VALUE_NODE_NAME, call->node->name, strlen (call->node->name));
  put_tensor (content, sluice_call_input (call, 0));
  sluice_summary_put_value (summary, NULL, 0, content);
  return sluice_call_output_bytes (call, summary);
}

static gboolean
tensor_v2_compute (SluiceKernelCall *call)
{
  if (!sluice_call_want_scalar (call, 0) || !sluice_call_want_scalar (call, 2))
    return FALSE;
  const SluiceString *tag = sluice_call_input (call, 0)->data;
  AUTO_BYTES summary = g_byte_array_new ();
  AUTO_BYTES content = g_byte_array_new ();
  put_tensor (content, sluice_call_input (call, 1));
  put_metadata (content, sluice_call_input (call, 2)->data);
  sluice_summary_put_value (summary, tag->data, tag->length, content);
  return sluice_call_output_bytes (call, summary);
}

#define KERNEL(name, function, ...)                                                                \
  {                                                                                                \
    .op = name, .device = "CPU", .host_inputs = ~0u, .host_outputs = 1, .compute = function,       \
    __VA_ARGS__                                                                                    \
  }
#define WRITTEN                                                                                    \
  {                                                                                                \
    {                                                                                              \
      "T", SLUICE_SET_POD | SLUICE_SET (SLUICE_STRING)                                             \
    }                                                                                              \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("AudioSummary", audio_compute, .prepare = audio_prepare, .free_state = g_free),
  KERNEL ("AudioSummaryV2", audio_compute, .prepare = audio_prepare, .free_state = g_free),
  KERNEL ("TensorSummary", tensor_compute, .where = WRITTEN),
  KERNEL ("TensorSummaryV2", tensor_v2_compute, .where = WRITTEN),
};

const SluiceKernelModule sluice_module_summary_media_cpu = { .kernels = kernels,
                                                             .n_kernels = G_N_ELEMENTS (kernels) };
