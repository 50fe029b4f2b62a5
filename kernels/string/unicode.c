/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * UnicodeDecode and UnicodeDecodeWithOffsets: the characters of strings in any encoding that iconv
 * knows, as a ragged tensor. What cannot be decoded is replaced, left out, or an error.
 */
#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/string/text.h"

#define MAX_CHARACTER 0x10ffff

static gboolean
decode_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n = sluice_shape_n_elements (&c->inputs[0]);
  gint64 splits = n < 0 || n == G_MAXINT64 ? SLUICE_UNKNOWN_DIM : n + 1;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (splits));
  for (guint i = 1; i < c->n_outputs; i++)
    sluice_shape_context_set (c, i, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  return TRUE;
}

typedef enum
{
  ERRORS_STRICT,
  ERRORS_REPLACE,
  ERRORS_IGNORE
} Errors;

typedef struct
{
  char *encoding;         /* iconv's name; NULL: UTF-8 */
  gboolean look_for_mark; /* UTF-16 or UTF-32 of either order; without a mark big-endian */
  guint unit;             /* bytes that one step over nonsense takes */
  Errors errors;
  gint32 replacement;
  gboolean replace_control;
} Decode;

static void
decode_free (gpointer state)
{
  Decode *self = state;
  g_free (self->encoding);
  g_free (self);
}

static const GIConv no_converter = (GIConv) -1;

/* The name without case and hyphens: ICU looks at neither, iconv at both. */
static void
set_encoding (Decode *self, const char *name)
{
  static const struct
  {
    const char *plain, *iconv;
    guint unit;
    gboolean look_for_mark;
  } known[] = {
    { "utf8", NULL, 1, FALSE },          { "utf16", "UTF-16BE", 2, TRUE },
    { "utf16be", "UTF-16BE", 2, FALSE }, { "utf16le", "UTF-16LE", 2, FALSE },
    { "utf32", "UTF-32BE", 4, TRUE },    { "utf32be", "UTF-32BE", 4, FALSE },
    { "utf32le", "UTF-32LE", 4, FALSE },
  };
  g_autoptr (GString) plain = g_string_new (NULL);
  for (const char *at = name; *at; at++)
    if (*at != '-' && *at != '_' && *at != ' ')
      g_string_append_c (plain, g_ascii_tolower (*at));
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (plain->str, known[i].plain))
      {
        self->encoding = g_strdup (known[i].iconv);
        self->unit = known[i].unit;
        self->look_for_mark = known[i].look_for_mark;
        return;
      }
  self->encoding = g_strdup (name);
  self->unit = 1;
}

/* Characters in the order of this machine. */
static GIConv
open_converter (const char *encoding)
{
  return g_iconv_open (G_BYTE_ORDER == G_LITTLE_ENDIAN ? "UTF-32LE" : "UTF-32BE", encoding);
}

static gpointer
decode_prepare (const SluiceNode *node, GError **error)
{
  gint64 replacement = sluice_node_get_int (node, "replacement_char");
  if (replacement < 0 || replacement > MAX_CHARACTER)
    {
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "replacement_char %" G_GINT64_FORMAT " is no character of Unicode",
                        replacement);
      return NULL;
    }
  g_autofree char *name = sluice_node_dup_text (node, "input_encoding");
  Decode *self = g_new0 (Decode, 1);
  self->replacement = (gint32) replacement;
  self->replace_control = sluice_node_get_bool (node, "replace_control_characters");
  self->errors = sluice_node_string_is (node, "errors", "strict")   ? ERRORS_STRICT
                 : sluice_node_string_is (node, "errors", "ignore") ? ERRORS_IGNORE
                                                                    : ERRORS_REPLACE;
  set_encoding (self, name);
  GIConv converter = self->encoding ? open_converter (self->encoding) : no_converter;
  if (self->encoding != NULL && converter == no_converter)
    {
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "input_encoding '%s' is not known", name);
      decode_free (self);
      return NULL;
    }
  if (converter != no_converter)
    g_iconv_close (converter);
  return self;
}

/* What a call works with. */
typedef struct
{
  const Decode *self;
  GIConv converter, swapped; /* the second for little-endian strings with a mark */
  GArray *characters;        /* gint32 */
  GArray *starts;            /* gint64 (nullable) */
} Decoder;

/* One character at *at; -1 where there is none, then *at moves over what is wrong. */
static gint32
next_character (const Decode *self, GIConv converter, const guint8 **at, const guint8 *end)
{
  if (converter == no_converter)
    return sluice_utf8_next (at, end);
  gint32 c = -1;
  char *from = (char *) *at, *to = (char *) &c;
  gsize left = end - *at, room = sizeof c;
  gsize result = g_iconv (converter, &from, &left, &to, &room);
  int code = errno;
  if (room == 0)
    {
      *at = (const guint8 *) from;
      return c;
    }
  g_iconv (converter, NULL, NULL, NULL, NULL);
  gboolean cut_off = result != (gsize) -1 || code == EINVAL;
  *at = cut_off ? end : *at + MIN (self->unit, (gsize) (end - *at));
  return -1;
}

/* Past a byte order mark; which converter the string needs. */
static GIConv
choose_converter (const Decoder *decoder, const guint8 **at, const guint8 *end)
{
  const Decode *self = decoder->self;
  static const guint8 little[] = { 0xff, 0xfe, 0, 0 }, big[] = { 0, 0, 0xfe, 0xff };
  if (!self->look_for_mark || (gsize) (end - *at) < self->unit)
    return decoder->converter;
  gboolean is_little = memcmp (*at, little, self->unit) == 0;
  if (is_little || memcmp (*at, big + 4 - self->unit, self->unit) == 0)
    *at += self->unit;
  return is_little ? decoder->swapped : decoder->converter;
}

/* FALSE: the string is not in the encoding and must be. */
static gboolean
decode_one (Decoder *decoder, const SluiceString *text)
{
  const Decode *self = decoder->self;
  const guint8 *begin = (const guint8 *) text->data, *at = begin;
  const guint8 *end = text->length ? begin + text->length : begin;
  GIConv converter = choose_converter (decoder, &at, end);
  while (at < end)
    {
      gint64 start = at - begin;
      gint32 c = next_character (self, converter, &at, end);
      if (c < 0 && self->errors == ERRORS_STRICT)
        return FALSE;
      if (c < 0 || (self->replace_control && c <= 0x1f))
        {
          if (self->errors == ERRORS_IGNORE)
            continue;
          c = self->replacement;
        }
      g_array_append_val (decoder->characters, c);
      if (decoder->starts != NULL)
        g_array_append_val (decoder->starts, start);
    }
  return TRUE;
}

static gboolean
decode_all (SluiceKernelCall *call, Decoder *decoder)
{
  const SluiceTensor *in = sluice_call_input (call, 0);
  SluiceTensor *splits = sluice_call_output (call, 0, &SLUICE_SHAPE (in->n_elements + 1));
  if (splits == NULL)
    return FALSE;
  sluice_tensor_put_int (splits, 0, 0);
  for (gint64 i = 0; i < in->n_elements; i++)
    {
      const SluiceString *text = sluice_tensor_get_string (in, i);
      if (sluice_call_stopped (call))
        return FALSE;
      if (!decode_one (decoder, text))
        {
          g_autofree char *quoted = sluice_string_quote (text);
          return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                   "element %" G_GINT64_FORMAT ": %s is not valid %s", i, quoted,
                                   decoder->self->encoding ? decoder->self->encoding : "UTF-8");
        }
      sluice_tensor_put_int (splits, i + 1, decoder->characters->len);
    }
  const GArray *parts[] = { decoder->characters, decoder->starts };
  for (guint k = 1; k < call->n_outputs; k++)
    {
      SluiceTensor *out = sluice_call_output (call, k, &SLUICE_SHAPE (parts[k - 1]->len));
      if (out == NULL)
        return FALSE;
      if (out->n_elements > 0)
        memcpy (out->data, parts[k - 1]->data, sluice_tensor_bytes (out));
    }
  return TRUE;
}

static gboolean
decode_compute (SluiceKernelCall *call)
{
  const Decode *self = call->state;
  Decoder decoder = { self, no_converter, no_converter, g_array_new (FALSE, FALSE, sizeof (gint32)),
                      call->n_outputs > 2 ? g_array_new (FALSE, FALSE, sizeof (gint64)) : NULL };
  if (self->encoding != NULL)
    decoder.converter = open_converter (self->encoding);
  if (self->look_for_mark)
    decoder.swapped = open_converter (self->unit == 2 ? "UTF-16LE" : "UTF-32LE");
  gboolean ok = decode_all (call, &decoder);
  if (decoder.converter != no_converter)
    g_iconv_close (decoder.converter);
  if (decoder.swapped != no_converter)
    g_iconv_close (decoder.swapped);
  g_array_unref (decoder.characters);
  g_clear_pointer (&decoder.starts, g_array_unref);
  return ok;
}

static const SluiceSample samples[] = {
  { "input_encoding='UTF-8'", "string[3]={'héllo','','a€😀'}" },
  { "input_encoding='UTF-16'; Tsplits=int32", "string[2,1]={'abcd','e'}" },
  { "input_encoding='latin1'; errors='ignore'", "string[]='é'" },
  { "input_encoding='UTF-8'; replace_control_characters=true", "string[0]={}" },
};
static const SluiceRecipe recipe = { .samples = samples, .n_samples = G_N_ELEMENTS (samples) };

#define DECODE_OP(id, op_name, more, text)                                                         \
  SLUICE_OP_DEF (id, op_name, "input: string -> row_splits: Tsplits, char_values: int32" more,     \
                 "input_encoding: string; errors: {'strict', 'replace', 'ignore'} = 'replace'; "   \
                 "replacement_char: int = 65533; replace_control_characters: bool = false; "       \
                 "Tsplits: {int32, int64} = int64",                                                \
                 SLUICE_OP_NOT_DIFFERENTIABLE, decode_shape, &recipe, text)
DECODE_OP (decode_op, "UnicodeDecode", "", N_ ("Characters of strings"));
DECODE_OP (offsets_op,
           "UnicodeDecodeWithOffsets",
           ", char_to_byte_starts: int64",
           N_ ("Characters of strings, and at which byte each begins"));

static const SluiceOpDef *const ops[] = { &decode_op, &offsets_op };

#define KERNEL(name)                                                                               \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS,                           \
    .prepare = decode_prepare, .free_state = decode_free, .compute = decode_compute                \
  }
static const SluiceKernel kernels[] = { KERNEL ("UnicodeDecode"),
                                        KERNEL ("UnicodeDecodeWithOffsets") };

const SluiceKernelModule sluice_module_string_unicode = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
