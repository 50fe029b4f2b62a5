/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* StringToNumber: the number that a text says. */
#include "kernels/string/number.h"

#include <glib/gi18n-lib.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/string/text.h"

static locale_t c_locale;

static void
make_locale (void)
{
  c_locale = newlocale (LC_ALL_MASK, "C", (locale_t) 0);
  g_assert (c_locale != (locale_t) 0);
}

/* Digits behind an optional sign, as a magnitude up to max. */
static gboolean
parse_magnitude (const char *text, gsize length, guint64 max, guint64 *magnitude)
{
  *magnitude = 0;
  for (gsize i = 0; i < length; i++)
    {
      if (!g_ascii_isdigit (text[i]))
        return FALSE;
      guint64 digit = (guint64) (text[i] - '0');
      if (*magnitude > (max - digit) / 10)
        return FALSE;
      *magnitude = *magnitude * 10 + digit;
    }
  return length > 0;
}

static gboolean
parse_integer (SluiceDType dtype, const char *text, gsize length, void *to)
{
  gboolean is_signed = dtype == SLUICE_INT32 || dtype == SLUICE_INT64;
  gboolean wide = dtype == SLUICE_INT64 || dtype == SLUICE_UINT64;
  gboolean minus = is_signed && length > 0 && *text == '-';
  if (minus || (length > 0 && *text == '+'))
    text++, length--;
  guint64 max = is_signed ? (wide ? G_MAXINT64 : G_MAXINT32) + (guint64) minus
                          : (wide ? G_MAXUINT64 : G_MAXUINT32);
  guint64 magnitude;
  if (!parse_magnitude (text, length, max, &magnitude))
    return FALSE;
  guint64 value = minus ? -magnitude : magnitude;
  if (wide)
    memcpy (to, &value, sizeof value);
  else
    memcpy (to, &(guint32){ (guint32) value }, sizeof (guint32));
  return TRUE;
}

static gboolean
parse_real (SluiceDType dtype, const char *text, gsize length, void *to)
{
  char buffer[64], *end;
  g_autofree char *heap = length < sizeof buffer ? NULL : g_malloc (length + 1);
  char *copy = heap ? heap : buffer;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, make_locale);
  if (length == 0)
    return FALSE;
  memcpy (copy, text, length);
  copy[length] = '\0';
  if (dtype == SLUICE_FLOAT)
    {
      float value = strtof_l (copy, &end, c_locale);
      memcpy (to, &value, sizeof value);
    }
  else
    {
      double value = strtod_l (copy, &end, c_locale);
      memcpy (to, &value, sizeof value);
    }
  return end == copy + length;
}

gboolean
sluice_parse_number (SluiceDType dtype, const char *text, gsize length, void *to)
{
  for (; length > 0 && sluice_is_space (*text); length--)
    text++;
  while (length > 0 && sluice_is_space (text[length - 1]))
    length--;
  if (dtype == SLUICE_FLOAT || dtype == SLUICE_DOUBLE)
    return parse_real (dtype, text, length, to);
  return parse_integer (dtype, text, length, to);
}

static gboolean
to_number (gpointer data, gint64 i, GError **error)
{
  const SluiceTextMap *map = data;
  const SluiceString *text = &map->in[i];
  SluiceDType dtype = map->out->dtype;
  char *to = (char *) map->out->data + i * sluice_dtype_size (dtype);
  if (sluice_parse_number (dtype, text->data, text->length, to))
    return TRUE;
  g_autofree char *quoted = sluice_string_quote (text);
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s is no %s", quoted,
                      sluice_dtype_name (dtype));
}

static gboolean
to_number_compute (SluiceKernelCall *call)
{
  return sluice_call_map_text (call, NULL, 60, to_number);
}

static const SluiceSample samples[] = {
  { "out_type=float", "string[2,2]={'1e3',' -2.5 ','inf','.5'}" },
  { "out_type=double", "string[1]={'0.1'}" },
  { "out_type=int32", "string[2]={'-7','+12'}" },
  { "out_type=int64", "string[1]={'-9223372036854775808'}" },
  { "out_type=uint32", "string[1]={'4294967295'}" },
  { "out_type=uint64", "string[1]={'18446744073709551615'}" },
  { "out_type=float", "string[0]={}" },
};
static const SluiceRecipe recipe = { .samples = samples, .n_samples = G_N_ELEMENTS (samples) };

static const SluiceOpDef to_number_op = {
  .name = "StringToNumber",
  .signature = "string_tensor: string -> output: out_type",
  .attrs = "out_type: {float, double, int32, int64, uint32, uint64} = float",
  .summary = N_ ("Numbers that strings say"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_unchanged,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &to_number_op };

static const SluiceKernel kernels[] = {
  { .op = "StringToNumber",
    .device = "CPU",
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .compute = to_number_compute },
};

const SluiceKernelModule sluice_module_string_number = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
