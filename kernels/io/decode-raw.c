/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * DecodeRaw takes the bytes of each string as numbers, DecodePaddedRaw the first fixed_length of
 * them with zeros behind what is shorter, DecodeCompressed unpacks each.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "engine/store/input.h"
#include "kernels/io/io.h"
#include "kernels/string/text.h"

/* An op's element i may unpack to so much, and no more: TensorFlow's limit. */
#define MAX_UNPACKED G_MAXINT32

/* ---- shapes ---- */

/* The shape of the strings with one more dimension. */
static gboolean
append_dim (const SluiceShape *strings, gint64 size, SluiceShape *out, GError **error)
{
  gint64 dims[SLUICE_MAX_RANK + 1];
  for (int i = 0; i < strings->rank; i++)
    dims[i] = strings->dim[i];
  dims[strings->rank] = size;
  return sluice_shape_make (out, dims, strings->rank + 1, error);
}

static gboolean
raw_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape out = SLUICE_SHAPE_UNKNOWN;
  gint64 size = SLUICE_UNKNOWN_DIM;
  if (c->n_inputs > 1 && !sluice_shape_context_want_rank (c, 1, 0, error))
    return FALSE;
  const SluiceTensor *length = c->n_inputs > 1 ? sluice_shape_context_constant (c, 1) : NULL;
  if (length != NULL)
    {
      gint64 bytes = sluice_tensor_get_int (length, 0);
      gint64 width = sluice_dtype_size (sluice_node_get_type (c->node, "out_type"));
      if (bytes > 0 && bytes % width == 0)
        size = bytes / width;
    }
  if (c->inputs[0].rank >= 0 && !append_dim (&c->inputs[0], size, &out, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

/* ---- DecodeRaw, DecodePaddedRaw ---- */

typedef struct
{
  gsize swap; /* bytes of what is turned round; 1: nothing */
} RawState;

static gpointer
raw_prepare (const SluiceNode *node, GError **error)
{
  SluiceDType dtype = sluice_node_get_type (node, "out_type");
  gboolean is_little = sluice_node_get_bool (node, "little_endian");
  RawState *state = g_new (RawState, 1);
  state->swap = sluice_dtype_size (dtype) / (sluice_dtype_is_complex (dtype) ? 2 : 1);
  if (is_little == (G_BYTE_ORDER == G_LITTLE_ENDIAN))
    state->swap = 1;
  return state;
}

static void
swap_bytes (guint8 *at, gsize length, gsize width)
{
  for (guint8 *end = at + length; at < end; at += width)
    for (gsize i = 0; i < width / 2; i++)
      {
        guint8 byte = at[i];
        at[i] = at[width - 1 - i];
        at[width - 1 - i] = byte;
      }
}

/* Each string's first `length` bytes, zeros behind what is shorter. */
static gboolean
decode_strings (SluiceKernelCall *call, gint64 length)
{
  const SluiceTensor *in = sluice_call_input (call, 0);
  const RawState *state = call->state;
  gsize width = sluice_dtype_size (call->node->outputs[0].dtype);
  SluiceShape shape;
  GError *error = NULL;
  if (!append_dim (&in->shape, length / width, &shape, &error))
    return sluice_call_take_error (call, error);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  guint8 *to = out->data;
  for (gint64 i = 0; i < in->n_elements && length > 0; i++, to += length)
    {
      const SluiceString *s = sluice_tensor_get_string (in, i);
      gsize n = MIN (s->length, (gsize) length);
      if (n > 0)
        memcpy (to, s->data, n);
      memset (to + n, 0, length - n);
      if (state->swap > 1)
        swap_bytes (to, length, state->swap);
      for (gint64 b = 0; out->dtype == SLUICE_BOOL && b < length; b++)
        to[b] = to[b] != 0;
      if (sluice_call_stopped (call))
        return FALSE;
    }
  return TRUE;
}

static gboolean
raw_compute (SluiceKernelCall *call)
{
  const SluiceTensor *in = sluice_call_input (call, 0);
  SluiceDType dtype = sluice_dtype_base (call->node->outputs[0].dtype);
  gsize length = in->n_elements > 0 ? sluice_tensor_get_string (in, 0)->length : 0;
  for (gint64 i = 1; i < in->n_elements; i++)
    if (sluice_tensor_get_string (in, i)->length != length)
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "input 0 (bytes): all strings must have one length, but element 0 "
                               "has %zu bytes and element %" G_GINT64_FORMAT " has %zu",
                               length, i, sluice_tensor_get_string (in, i)->length);
  if (length % sluice_dtype_size (dtype) != 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input 0 (bytes): %zu bytes are no whole number of %s of %zu bytes "
                             "each",
                             length, sluice_dtype_name (dtype), sluice_dtype_size (dtype));
  return decode_strings (call, length);
}

static gboolean
padded_compute (SluiceKernelCall *call)
{
  SluiceDType dtype = sluice_dtype_base (call->node->outputs[0].dtype);
  if (!sluice_call_want_scalar (call, 1))
    return FALSE;
  gint64 length = sluice_tensor_get_int (sluice_call_input (call, 1), 0);
  if (length <= 0 || length % (gint64) sluice_dtype_size (dtype) != 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input 1 (fixed_length) is %" G_GINT64_FORMAT "; it must be positive "
                             "and a multiple of the %zu bytes of %s",
                             length, sluice_dtype_size (dtype), sluice_dtype_name (dtype));
  return decode_strings (call, length);
}

/* ---- DecodeCompressed ---- */

static gpointer
compressed_prepare (const SluiceNode *node, GError **error)
{
  g_autofree char *name = sluice_node_dup_text (node, "compression_type");
  SluiceEncoding encoding;
  if (!sluice_encoding_parse (name, &encoding, error))
    {
      g_prefix_error (error, "%s '%s': ", node->op_name, node->name);
      sluice_node_sign_error (node, error);
      return NULL;
    }
  return GINT_TO_POINTER (1 + encoding); /* NULL would be no state */
}

static gboolean
unpack_one (gpointer data, gint64 i, GError **error)
{
  const SluiceTextMap *map = data;
  const SluiceString *in = &map->in[i];
  SluiceEncoding encoding = GPOINTER_TO_INT (map->state) - 1;
  g_autoptr (SluiceInput) input = sluice_input_new_bytes (in->data, in->length, encoding);
  g_autoptr (GString) text = g_string_new (NULL);
  if (sluice_input_read (input, MAX_UNPACKED, text, error) < 0)
    return FALSE;
  sluice_string_take_text (sluice_tensor_get_string (map->out, i), g_steal_pointer (&text));
  return TRUE;
}

static gboolean
compressed_compute (SluiceKernelCall *call)
{
  return sluice_call_map_text (call, call->state, 5000, unpack_one);
}

/* ---- the ops ---- */

#define RAW_TYPES                                                                                  \
  "half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, bool, "   \
  "bfloat16"

static const SluiceSample raw_samples[] = {
  { .attrs = "out_type=int16", .inputs = "string[2,1]={'abcd','efgh'}" },
  { .attrs = "out_type=float; little_endian=false", .inputs = "string[]='abcdefgh'" },
  { .attrs = "out_type=complex64; little_endian=false", .inputs = "string[1]={'abcdefgh'}" },
  { .attrs = "out_type=bool", .inputs = "string[0]={}" },
};
static const SluiceRecipe raw_recipe = { raw_samples, G_N_ELEMENTS (raw_samples) };
static const SluiceSample padded_samples[] = {
  { .attrs = "out_type=int32", .inputs = "string[2]={'abc','abcdefgh'}; int32[]=8" },
  { .attrs = "out_type=uint16; little_endian=false", .inputs = "string[]='abc'; int32[]=2" },
};
static const SluiceRecipe padded_recipe = { padded_samples, G_N_ELEMENTS (padded_samples) };
static const SluiceSample compressed_samples[] = {
  { .inputs = "string[2]={'abc',''}" },
};
static const SluiceRecipe compressed_recipe = { compressed_samples,
                                                G_N_ELEMENTS (compressed_samples) };

static const SluiceOpDef raw_op = {
  .name = "DecodeRaw",
  .signature = "bytes: string -> output: out_type",
  .attrs = "out_type: {" RAW_TYPES "}; little_endian: bool = true",
  .summary = N_ ("The bytes of strings as numbers"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = raw_shape,
  .recipe = &raw_recipe,
};

static const SluiceOpDef padded_op = {
  .name = "DecodePaddedRaw",
  .signature = "input_bytes: string, fixed_length: int32 -> output: out_type",
  .attrs = "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}; "
           "little_endian: bool = true",
  .summary = N_ ("The first bytes of strings as numbers, zeros behind them"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = raw_shape,
  .recipe = &padded_recipe,
};

static const SluiceOpDef compressed_op = {
  .name = "DecodeCompressed",
  .signature = "bytes: string -> output: string",
  .attrs = "compression_type: string = ''",
  .summary = N_ ("Unpacks strings that are compressed with ZLIB or GZIP"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_unchanged,
  .recipe = &compressed_recipe,
};

static const SluiceOpDef *const ops[] = { &raw_op, &padded_op, &compressed_op };

static const SluiceKernel kernels[] = {
  { .op = "DecodeRaw",
    .device = "CPU",
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .prepare = raw_prepare,
    .free_state = g_free,
    .compute = raw_compute },
  { .op = "DecodePaddedRaw",
    .device = "CPU",
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .prepare = raw_prepare,
    .free_state = g_free,
    .compute = padded_compute },
  { .op = "DecodeCompressed",
    .device = "CPU",
    .prepare = compressed_prepare,
    .compute = compressed_compute },
};

const SluiceKernelModule sluice_module_io_decode_raw = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
