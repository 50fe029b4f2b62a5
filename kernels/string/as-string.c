/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * AsString writes every element as text, by printf's rules: %d, and %f, %e or %g of a number with a
 * fraction, with a width, a precision and one flag.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/string/text.h"

/* More characters than that are no text that anybody reads, but memory that is asked for. */
#define MAX_WIDTH (1 << 20)
/* What "%f" of the largest double needs beside its width and precision. */
#define NUMBER_ROOM 330

typedef struct
{
  char format[32]; /* "%-9.2f" */
  int width;
  gsize most; /* bytes of a string; with a width only, as TensorFlow has it */
  gsize room; /* of one number */
  gboolean to_left;
} AsString;

static gboolean
fail (const SluiceNode *node, GError **error, const char *what)
{
  return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT, "%s", what);
}

static gboolean
check_attrs (const SluiceNode *node, GError **error)
{
  SluiceDType dtype = sluice_node_get_type (node, "T");
  gboolean scientific = sluice_node_get_bool (node, "scientific");
  gboolean shortest = sluice_node_get_bool (node, "shortest");
  const SluiceString *fill = sluice_node_get_string (node, "fill");
  gint64 precision = sluice_node_get_int (node, "precision");
  gboolean whole = dtype == SLUICE_BOOL || sluice_dtype_is_integer (dtype);
  if (whole && (scientific || shortest))
    return fail (node, error, "scientific and shortest are for numbers with a fraction");
  if (whole && precision >= 0)
    return fail (node, error, "precision is for numbers with a fraction");
  if (scientific && shortest)
    return fail (node, error, "scientific and shortest exclude each other");
  if (fill->length > 1 || (fill->length == 1 && strchr (" +-0#", *fill->data) == NULL)
      || (fill->length == 1 && *fill->data == '\0'))
    return fail (node, error, "fill must be one of ' ', '+', '-', '0' and '#', or nothing");
  if (precision > MAX_WIDTH || sluice_node_get_int (node, "width") > MAX_WIDTH)
    return fail (node, error, "width and precision can be 1048576 at most");
  return TRUE;
}

static gpointer
as_string_prepare (const SluiceNode *node, GError **error)
{
  if (!check_attrs (node, error))
    return NULL;
  AsString *self = g_new0 (AsString, 1);
  SluiceDType dtype = sluice_node_get_type (node, "T");
  const SluiceString *fill = sluice_node_get_string (node, "fill");
  int width = (int) MAX (-1, sluice_node_get_int (node, "width"));
  int precision = (int) MAX (-1, sluice_node_get_int (node, "precision"));
  self->width = MAX (0, width);
  self->most = width > 0 && precision >= 0 ? (gsize) precision : G_MAXSIZE;
  self->room = (gsize) self->width + MAX (0, precision) + NUMBER_ROOM;
  self->to_left = fill->length == 1 && *fill->data == '-';

  GString *format = g_string_new ("%");
  g_string_append_len (format, fill->data, fill->length);
  if (width >= 0)
    g_string_append_printf (format, "%d", width);
  if (precision >= 0)
    g_string_append_printf (format, ".%d", precision);
  if (sluice_dtype_is_integer (dtype))
    g_string_append (format, sluice_dtype_in (dtype, SLUICE_SET_UNSIGNED) ? G_GUINT64_FORMAT
                                                                          : G_GINT64_FORMAT);
  else
    g_string_append_c (format, sluice_node_get_bool (node, "shortest")     ? 'g'
                               : sluice_node_get_bool (node, "scientific") ? 'e'
                                                                           : 'f');
  g_strlcpy (self->format, format->str, sizeof self->format);
  g_string_free (format, TRUE);
  return self;
}

static void
put_double (const AsString *self, GString *out, double value)
{
  gsize at = out->len;
  g_string_set_size (out, at + self->room);
  g_ascii_formatd (out->str + at, (int) self->room, self->format, value);
  g_string_set_size (out, at + strlen (out->str + at));
}

static void
put_string (const AsString *self, GString *out, const SluiceString *text)
{
  gsize length = MIN (text->length, self->most);
  int blank = length < (gsize) self->width ? self->width - (int) length : 0;
  if (!self->to_left)
    g_string_append_printf (out, "%*s", blank, "");
  g_string_append_len (out, text->data, (gssize) length);
  if (self->to_left)
    g_string_append_printf (out, "%*s", blank, "");
}

typedef struct
{
  const AsString *self;
  const SluiceTensor *in;
  SluiceString *out;
} Task;

static gint64
get_integer (const SluiceTensor *tensor, gint64 i)
{
  switch ((SluiceDType) tensor->dtype)
    {
    case SLUICE_INT8:
      return ((const gint8 *) tensor->data)[i];
    case SLUICE_UINT8:
      return ((const guint8 *) tensor->data)[i];
    case SLUICE_INT16:
      return ((const gint16 *) tensor->data)[i];
    case SLUICE_UINT16:
      return ((const guint16 *) tensor->data)[i];
    case SLUICE_INT32:
      return ((const gint32 *) tensor->data)[i];
    case SLUICE_UINT32:
      return ((const guint32 *) tensor->data)[i];
    default:
      return ((const gint64 *) tensor->data)[i];
    }
}

static double
get_real (const SluiceTensor *tensor, gint64 i)
{
  switch ((SluiceDType) tensor->dtype)
    {
    case SLUICE_HALF:
      return sluice_half_to_float (((const guint16 *) tensor->data)[i]);
    case SLUICE_BFLOAT16:
      return sluice_bfloat16_to_float (((const guint16 *) tensor->data)[i]);
    case SLUICE_FLOAT:
    case SLUICE_COMPLEX64:
      return ((const float *) tensor->data)[i];
    default:
      return ((const double *) tensor->data)[i];
    }
}

static gboolean
as_string (gpointer data, gint64 i, GError **error)
{
  const Task *task = data;
  const AsString *self = task->self;
  SluiceDType dtype = task->in->dtype;
  GString *out = g_string_new (NULL);
  if (dtype == SLUICE_STRING)
    put_string (self, out, sluice_tensor_get_string (task->in, i));
  else if (dtype == SLUICE_BOOL)
    g_string_append (out, ((const guint8 *) task->in->data)[i] ? "true" : "false");
  else if (sluice_dtype_is_integer (dtype))
    g_string_append_printf (out, self->format, get_integer (task->in, i));
  else if (sluice_dtype_is_complex (dtype))
    {
      g_string_append_c (out, '(');
      put_double (self, out, get_real (task->in, 2 * i));
      g_string_append_c (out, ',');
      put_double (self, out, get_real (task->in, 2 * i + 1));
      g_string_append_c (out, ')');
    }
  else
    put_double (self, out, get_real (task->in, i));
  sluice_string_take_text (&task->out[i], out);
  return TRUE;
}

static gboolean
as_string_compute (SluiceKernelCall *call)
{
  SluiceTensor *in = sluice_call_input (call, 0);
  SluiceTensor *out = sluice_call_output (call, 0, &in->shape);
  if (out == NULL)
    return FALSE;
  Task task = { call->state, in, out->data };
  return sluice_call_each (call, in->n_elements, 300, as_string, &task);
}

static const SluiceSample samples[] = {
  { "", "float[2,3]" },
  { "T=float; width=9; precision=2; fill='-'", "float[4]={1.5,-2.25,1e10,0}" },
  { "T=double; scientific=true", "double[2]={0.001,-7}" },
  { "T=half; shortest=true", "half[2]={0.1,65504}" },
  { "T=int32; width=6; fill='0'", "int32[2]={5,-17}" },
  { "T=uint64; width=3", "uint64[1]={7}" },
  { "T=complex64; shortest=true", "complex64[2]" },
  { "T=bool; width=7", "bool[2]={true,false}" },
  { "T=string; width=5", "string[2]={'a','longer'}" },
  { "T=float", "float[0]" },
};
static const SluiceRecipe recipe = { .samples = samples, .n_samples = G_N_ELEMENTS (samples) };

static const SluiceOpDef as_string_op = {
  .name = "AsString",
  .signature = "input: T -> output: string",
  .attrs = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
           "uint64, complex64, complex128, bool, variant, string}; precision: int = -1; "
           "scientific: bool = false; shortest: bool = false; width: int = -1; fill: string = ''",
  .summary = N_ ("Elements as text"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_unchanged,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &as_string_op };

static const SluiceKernel kernels[] = {
  { .op = "AsString",
    .device = "CPU",
    .where = { { "T", SLUICE_SET_NUMBER | SLUICE_SET (SLUICE_BOOL) | SLUICE_SET (SLUICE_STRING) } },
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .prepare = as_string_prepare,
    .free_state = g_free,
    .compute = as_string_compute },
};

const SluiceKernelModule sluice_module_string_as_string = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
