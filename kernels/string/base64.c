/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Base64 with the alphabet that is safe in URLs: RFC 4648, section 5. */
#include "kernels/string/base64.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/string/text.h"

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

static const SluiceSample encode_samples[] = {
  { "pad=true", "string[3]={'','a','abcd'}" },
  { "", "string[2]={'ab','abc'}" },
};
static const SluiceSample decode_samples[] = { { "", "string[4]={'','YQ','YWI=','__79Pz4'}" } };
static const SluiceRecipe encode_recipe = { .samples = encode_samples,
                                            .n_samples = G_N_ELEMENTS (encode_samples) };
static const SluiceRecipe decode_recipe = { .samples = decode_samples,
                                            .n_samples = G_N_ELEMENTS (decode_samples) };

SLUICE_OP_DEF (encode_op,
               "EncodeBase64",
               "input: string -> output: string",
               "pad: bool = false",
               SLUICE_OP_NOT_DIFFERENTIABLE,
               sluice_shape_unchanged,
               &encode_recipe,
               N_ ("Bytes as base64 for URLs"));
SLUICE_OP_DEF (decode_op,
               "DecodeBase64",
               "input: string -> output: string",
               NULL,
               SLUICE_OP_NOT_DIFFERENTIABLE,
               sluice_shape_unchanged,
               &decode_recipe,
               N_ ("Bytes from base64 for URLs"));

static const SluiceOpDef *const ops[] = { &encode_op, &decode_op };

static const SluiceKernel kernels[] = {
  { .op = "EncodeBase64",
    .device = "CPU",
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .prepare = encode_prepare,
    .compute = encode_compute,
    .free_state = g_free },
  { .op = "DecodeBase64",
    .device = "CPU",
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .compute = decode_compute },
};

const SluiceKernelModule sluice_module_string_base64 = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
