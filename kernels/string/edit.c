/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What changes each string by itself: case, white space at the ends, base64. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/string/text.h"

/* ---- case ---- */

typedef struct
{
  gboolean utf8, up;
} Case;

static gpointer
case_prepare (const SluiceNode *node, GError **error)
{
  gboolean utf8 = sluice_node_string_is (node, "encoding", "utf-8");
  if (!utf8 && sluice_node_get_string (node, "encoding")->length > 0)
    {
      g_autofree char *encoding = sluice_node_dup_text (node, "encoding");
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "encoding must be 'utf-8' or '' (bytes, ASCII), not '%s'", encoding);
      return NULL;
    }
  Case *self = g_new (Case, 1);
  *self = (Case){ utf8, g_str_equal (node->op_name, "StringUpper") };
  return self;
}

enum
{
  CAPITAL_SIGMA = 0x3a3,
  FINAL_SIGMA = 0x3c2,
  SMALL_SIGMA = 0x3c3
};

/* Unicode's "case-ignorable": what may stand within a word. */
static gboolean
is_ignorable (gunichar c)
{
  switch (g_unichar_type (c))
    {
    case G_UNICODE_NON_SPACING_MARK:
    case G_UNICODE_ENCLOSING_MARK:
    case G_UNICODE_FORMAT:
    case G_UNICODE_MODIFIER_LETTER:
    case G_UNICODE_MODIFIER_SYMBOL:
      return TRUE;
    default:
      return c == '\'' || c == '.' || c == ':' || c == 0xb7 || c == 0x2018 || c == 0x2019
             || c == 0x2024 || c == 0x2027;
    }
}

/* Does a letter with a case stand next, in the direction of step? */
static gboolean
has_cased (const char *text, const char *at, int step)
{
  for (;;)
    {
      if (step < 0 ? at == text : *at == '\0')
        return FALSE;
      at = step < 0 ? g_utf8_prev_char (at) : at;
      gunichar c = g_utf8_get_char (at);
      if (!is_ignorable (c))
        return g_unichar_islower (c) || g_unichar_isupper (c) || g_unichar_istitle (c);
      at = step < 0 ? at : g_utf8_next_char (at);
    }
}

/* A sigma at the end of a word has a small form of its own, which GLib gives to others too. */
static char *
lower_sigmas (const char *text)
{
  GString *out = g_string_new (NULL);
  for (const char *at = text; *at; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);
      if (c == CAPITAL_SIGMA)
        c = has_cased (text, at, -1) && !has_cased (text, g_utf8_next_char (at), 1) ? FINAL_SIGMA
                                                                                    : SMALL_SIGMA;
      g_string_append_unichar (out, c);
    }
  return g_string_free (out, FALSE);
}

/* Valid UTF-8 up to the first NUL, as TensorFlow hands it to ICU. (transfer full) */
static char *
dup_valid (const SluiceString *text)
{
  GString *valid = g_string_new (NULL);
  const guint8 *at = (const guint8 *) text->data, *end = text->length ? at + text->length : at;
  while (at < end && *at != '\0')
    {
      gint32 c = sluice_utf8_next (&at, end);
      g_string_append_unichar (valid, c < 0 ? 0xfffd : (gunichar) c);
    }
  return g_string_free (valid, FALSE);
}

static gboolean
change_case (gpointer data, gint64 i, GError **error)
{
  const SluiceTextMap *map = data;
  const Case *self = map->state;
  const SluiceString *from = &map->in[i];
  SluiceString *to = sluice_tensor_get_string (map->out, i);
  if (self->utf8)
    {
      g_autofree char *valid = dup_valid (from);
      g_autofree char *ready = self->up ? NULL : lower_sigmas (valid);
      char *changed = self->up ? g_utf8_strup (valid, -1) : g_utf8_strdown (ready, -1);
      sluice_string_take (to, changed, strlen (changed));
      return TRUE;
    }
  sluice_string_set (to, from->data, from->length);
  for (gsize k = 0; k < to->length; k++)
    to->data[k] = self->up ? g_ascii_toupper (to->data[k]) : g_ascii_tolower (to->data[k]);
  return TRUE;
}

static gboolean
case_compute (SluiceKernelCall *call)
{
  return sluice_call_map_text (call, call->state, 100, change_case);
}

/* ---- white space ---- */

static gboolean
strip (gpointer data, gint64 i, GError **error)
{
  const SluiceTextMap *map = data;
  const char *at = map->in[i].data;
  gsize length = map->in[i].length;
  while (length > 0 && sluice_is_space (at[length - 1]))
    length--;
  for (; length > 0 && sluice_is_space (*at); length--)
    at++;
  sluice_string_set (sluice_tensor_get_string (map->out, i), at, length);
  return TRUE;
}

static gboolean
strip_compute (SluiceKernelCall *call)
{
  return sluice_call_map_text (call, NULL, 50, strip);
}

/* ---- base64, RFC 4648 section 5: the alphabet that is safe in URLs ---- */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static gpointer
encode_prepare (const SluiceNode *node, GError **error)
{
  gboolean *pad = g_new (gboolean, 1);
  *pad = sluice_node_get_bool (node, "pad");
  return pad;
}

static gboolean
encode (gpointer data, gint64 i, GError **error)
{
  const SluiceTextMap *map = data;
  const gboolean *pad = map->state;
  const guint8 *from = (const guint8 *) map->in[i].data;
  gsize n = map->in[i].length;
  GString *to = g_string_sized_new (n / 3 * 4 + 4);
  for (gsize k = 0; k < n; k += 3)
    {
      guint left = (guint) MIN (3, n - k);
      guint32 bits = (guint32) from[k] << 16;
      if (left > 1)
        bits |= (guint32) from[k + 1] << 8;
      if (left > 2)
        bits |= from[k + 2];
      for (guint digit = 0; digit < 4; digit++)
        if (digit <= left)
          g_string_append_c (to, alphabet[bits >> (18 - 6 * digit) & 63]);
        else if (*pad)
          g_string_append_c (to, '=');
    }
  sluice_string_take_text (sluice_tensor_get_string (map->out, i), to);
  return TRUE;
}

static gboolean
encode_compute (SluiceKernelCall *call)
{
  return sluice_call_map_text (call, call->state, 100, encode);
}

static int
digit_value (char c)
{
  const char *at = c ? strchr (alphabet, c) : NULL;
  return at ? (int) (at - alphabet) : -1;
}

gboolean
sluice_base64_decode (const char *text, gsize length, GString *to, GError **error)
{
  gsize n = length;
  if (n > 0 && n % 4 == 0 && text[n - 1] == '=')
    n -= text[n - 2] == '=' ? 2 : 1;
  if (n % 4 == 1)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%" G_GSIZE_FORMAT " characters are no base64: one is left over", n);
  guint32 bits = 0;
  for (gsize k = 0; k < n; k++)
    {
      int value = digit_value (text[k]);
      if (value < 0)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "byte 0x%02x at %" G_GSIZE_FORMAT " is no digit of base64 in the "
                            "alphabet of URLs (A-Z, a-z, 0-9, '-', '_')",
                            (guint8) text[k], k);
      bits = bits << 6 | (guint) value;
      /* 6, 12, 18 or 24 bits so far: each digit but the first completes a byte. */
      if (k % 4 > 0)
        g_string_append_c (to, (char) (bits >> (6 - 2 * (k % 4))));
    }
  return TRUE;
}

static gboolean
decode (gpointer data, gint64 i, GError **error)
{
  const SluiceTextMap *map = data;
  GString *to = g_string_sized_new (map->in[i].length / 4 * 3 + 3);
  gboolean ok = sluice_base64_decode (map->in[i].data, map->in[i].length, to, error);
  if (ok)
    sluice_string_take_text (sluice_tensor_get_string (map->out, i), to);
  else
    g_string_free (to, TRUE);
  return ok;
}

static gboolean
decode_compute (SluiceKernelCall *call)
{
  return sluice_call_map_text (call, NULL, 100, decode);
}

/* ---- definitions ---- */

#define RECIPE(id, ...)                                                                            \
  static const SluiceSample id##_samples[] = { __VA_ARGS__ };                                      \
  static const SluiceRecipe id##_recipe = { .samples = id##_samples,                               \
                                            .n_samples = G_N_ELEMENTS (id##_samples) }
#define EDIT_OP(id, op_name, recipe_id, op_attrs, text)                                            \
  SLUICE_OP_DEF (id##_op, op_name, "input: string -> output: string", op_attrs,                    \
                 SLUICE_OP_NOT_DIFFERENTIABLE, sluice_shape_unchanged, &recipe_id##_recipe, text)

RECIPE (case,
        { "", "string[3]={'aBc','','ÀÉx'}" },
        { "encoding='utf-8'", "string[2]={'ÀÉxß',''}" },
        { "", "string[0]={}" });
RECIPE (strip, { "", "string[2,2]={' a ','','b','  '}" });
RECIPE (encode, { "pad=true", "string[3]={'','a','abcd'}" }, { "", "string[2]={'ab','abc'}" });
RECIPE (decode, { "", "string[4]={'','YQ','YWI=','__79Pz4'}" });

EDIT_OP (encode, "EncodeBase64", encode, "pad: bool = false", N_ ("Bytes as base64 for URLs"));
EDIT_OP (decode, "DecodeBase64", decode, NULL, N_ ("Bytes from base64 for URLs"));
EDIT_OP (strip, "StringStrip", strip, NULL, N_ ("Strings without white space at their ends"));
EDIT_OP (lower, "StringLower", case, "encoding: string = ''", N_ ("Strings in lower case"));
EDIT_OP (upper, "StringUpper", case, "encoding: string = ''", N_ ("Strings in upper case"));

static const SluiceOpDef *const ops[] = {
  &encode_op, &decode_op, &strip_op, &lower_op, &upper_op,
};

#define KERNEL(name, ...)                                                                          \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS, .free_state = g_free,     \
    __VA_ARGS__                                                                                    \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("StringLower", .prepare = case_prepare, .compute = case_compute),
  KERNEL ("StringUpper", .prepare = case_prepare, .compute = case_compute),
  KERNEL ("StringStrip", .compute = strip_compute),
  KERNEL ("EncodeBase64", .prepare = encode_prepare, .compute = encode_compute),
  KERNEL ("DecodeBase64", .compute = decode_compute),
};

const SluiceKernelModule sluice_module_string_edit = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
