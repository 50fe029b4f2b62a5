/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/samples.h"

#include <math.h>
#include <string.h>

/* ---- elements ---- */

#define NUMBERS(X)                                                                                 \
  X (SLUICE_FLOAT, float)                                                                          \
  X (SLUICE_DOUBLE, double)                                                                        \
  X (SLUICE_INT8, gint8)                                                                           \
  X (SLUICE_INT16, gint16)                                                                         \
  X (SLUICE_INT32, gint32)                                                                         \
  X (SLUICE_INT64, gint64)                                                                         \
  X (SLUICE_UINT8, guint8)                                                                         \
  X (SLUICE_UINT16, guint16)                                                                       \
  X (SLUICE_UINT32, guint32)                                                                       \
  X (SLUICE_UINT64, guint64)                                                                       \
  X (SLUICE_QINT8, gint8)                                                                          \
  X (SLUICE_QUINT8, guint8)                                                                        \
  X (SLUICE_QINT16, gint16)                                                                        \
  X (SLUICE_QUINT16, guint16)                                                                      \
  X (SLUICE_QINT32, gint32)

void
sluice_element_set (SluiceTensor *tensor, gint64 i, double value)
{
  /* By way of an integer that has a sign: the conversion of a negative number to others is open. */
#define SET(DTYPE, T)                                                                              \
  case DTYPE:                                                                                      \
    ((T *) tensor->data)[i] = (T) 0.5 == 0 ? (T) (gint64) value : (T) value;                       \
    break;
  switch ((SluiceDType) tensor->dtype)
    {
      NUMBERS (SET)
    case SLUICE_HALF:
      ((guint16 *) tensor->data)[i] = sluice_float_to_half ((float) value);
      break;
    case SLUICE_BFLOAT16:
      ((guint16 *) tensor->data)[i] = sluice_float_to_bfloat16 ((float) value);
      break;
    case SLUICE_COMPLEX64:
      ((float *) tensor->data)[2 * i] = (float) value;
      ((float *) tensor->data)[2 * i + 1] = 0;
      break;
    case SLUICE_COMPLEX128:
      ((double *) tensor->data)[2 * i] = value;
      ((double *) tensor->data)[2 * i + 1] = 0;
      break;
    case SLUICE_BOOL:
      ((guint8 *) tensor->data)[i] = value != 0;
      break;
    default:
      g_error ("a sample of dtype %s takes no numbers", sluice_dtype_name (tensor->dtype));
    }
}

void
sluice_element_get (const SluiceTensor *tensor, gint64 i, double value[2])
{
#define GET(DTYPE, T)                                                                              \
  case DTYPE:                                                                                      \
    value[0] = (double) ((const T *) tensor->data)[i];                                             \
    break;
  value[1] = 0;
  switch ((SluiceDType) tensor->dtype)
    {
      NUMBERS (GET)
      GET (SLUICE_BOOL, guint8)
    case SLUICE_HALF:
      value[0] = sluice_half_to_float (((const guint16 *) tensor->data)[i]);
      break;
    case SLUICE_BFLOAT16:
      value[0] = sluice_bfloat16_to_float (((const guint16 *) tensor->data)[i]);
      break;
    case SLUICE_COMPLEX64:
      value[0] = ((const float *) tensor->data)[2 * i];
      value[1] = ((const float *) tensor->data)[2 * i + 1];
      break;
    case SLUICE_COMPLEX128:
      value[0] = ((const double *) tensor->data)[2 * i];
      value[1] = ((const double *) tensor->data)[2 * i + 1];
      break;
    default:
      g_error ("elements of %s are no numbers", sluice_dtype_name (tensor->dtype));
    }
}

static double
draw (SluiceDType dtype, GRand *random, double low, double high)
{
  if (dtype == SLUICE_BOOL)
    return g_rand_boolean (random);
  gboolean is_whole =
      sluice_dtype_is_integer (dtype) || sluice_dtype_in (dtype, SLUICE_SET_QUANTIZED);
  if (!is_whole)
    return g_rand_double_range (random, low, high);
  gboolean is_unsigned = sluice_dtype_in (dtype, SLUICE_SET_UNSIGNED | SLUICE_SET (SLUICE_QUINT8)
                                                     | SLUICE_SET (SLUICE_QUINT16));
  double first = MAX (ceil (low), is_unsigned ? 0 : -100), last = MAX (first, floor (high));
  return first + g_rand_int_range (random, 0, (int) (last - first) + 1);
}

void
sluice_element_fill_random (SluiceTensor *tensor, GRand *random, double low, double high)
{
  for (gint64 i = 0; i < tensor->n_elements; i++)
    if (tensor->dtype == SLUICE_STRING)
      {
        g_autofree char *text = g_strdup_printf ("s%d", g_rand_int_range (random, 0, 99));
        sluice_string_set ((SluiceString *) tensor->data + i, text, strlen (text));
      }
    else if (sluice_dtype_is_complex (tensor->dtype))
      {
        /* The imaginary part lies about 0, so that a domain away from 0 stays one. */
        double half = (high - low) / 2;
        double parts[2] = { g_rand_double_range (random, low, high),
                            g_rand_double_range (random, -half, half) };
        gboolean small = tensor->dtype == SLUICE_COMPLEX64;
        for (int k = 0; k < 2; k++)
          if (small)
            ((float *) tensor->data)[2 * i + k] = (float) parts[k];
          else
            ((double *) tensor->data)[2 * i + k] = parts[k];
      }
    else
      sluice_element_set (tensor, i, draw (tensor->dtype, random, low, high));
}

/* ---- the text of an input: dtype[dims], then nothing, ={values}, =value or in (low,high) ---- */

typedef struct
{
  const Use *use;
  const char *at;
} Reader;

static void G_GNUC_NORETURN
complain (const Reader *r, const char *what)
{
  g_error ("sample of op '%s': %s at \"%s\" in \"%s\"", r->use->op->name, what, r->at,
           r->use->sample->inputs);
  g_assert_not_reached ();
}

static gboolean
accept (Reader *r, const char *token)
{
  while (*r->at == ' ')
    r->at++;
  if (!g_str_has_prefix (r->at, token))
    return FALSE;
  r->at += strlen (token);
  return TRUE;
}

static double
read_number (Reader *r)
{
  char *end;
  if (accept (r, "true"))
    return 1;
  if (accept (r, "false"))
    return 0;
  double value = g_ascii_strtod (r->at, &end);
  if (end == r->at)
    complain (r, "number expected");
  r->at = end;
  return value;
}

static SluiceDType
read_dtype (Reader *r)
{
  accept (r, "");
  const char *begin = r->at;
  while (g_ascii_isalnum (*r->at))
    r->at++;
  g_autofree char *name = g_strndup (begin, r->at - begin);
  SluiceDType dtype = sluice_dtype_from_name (name);
  if (dtype == SLUICE_INVALID)
    complain (r, "dtype expected before this");
  return dtype;
}

static SluiceShape
read_shape (Reader *r)
{
  SluiceShape shape = SLUICE_SHAPE_SCALAR;
  if (!accept (r, "["))
    complain (r, "'[' expected");
  while (!accept (r, "]"))
    {
      if (shape.rank == SLUICE_MAX_RANK)
        complain (r, "too many dimensions");
      shape.dim[shape.rank++] = (gint64) read_number (r);
      accept (r, ",");
    }
  return shape;
}

static void
read_element (Reader *r, SluiceTensor *tensor, gint64 i)
{
  if (i >= tensor->n_elements)
    complain (r, "too many values");
  if (tensor->dtype != SLUICE_STRING)
    {
      sluice_element_set (tensor, i, read_number (r));
      return;
    }
  accept (r, "");
  const char *end = *r->at == '\'' || *r->at == '"' ? strchr (r->at + 1, *r->at) : NULL;
  if (end == NULL)
    complain (r, "quoted text expected");
  sluice_string_set ((SluiceString *) tensor->data + i, r->at + 1, end - r->at - 1);
  r->at = end + 1;
}

static void
read_values (Reader *r, SluiceTensor *tensor)
{
  gint64 n = 0;
  if (!accept (r, "{"))
    {
      read_element (r, tensor, n++);
      for (gint64 i = 1; i < tensor->n_elements && tensor->dtype != SLUICE_STRING; i++, n++)
        {
          double value[2];
          sluice_element_get (tensor, 0, value);
          sluice_element_set (tensor, i, value[0]);
        }
    }
  else
    while (!accept (r, "}"))
      {
        read_element (r, tensor, n++);
        accept (r, ",");
      }
  if (n != tensor->n_elements)
    complain (r, "fewer values than elements before this");
}

static SluiceTensor *
read_input (Reader *r, SluiceDType dtype, GRand *random)
{
  SluiceDType written = read_dtype (r);
  SluiceShape shape = read_shape (r);
  SluiceTensor *tensor =
      sluice_tensor_new_zeros (dtype != SLUICE_INVALID ? dtype : written, &shape);
  double low = -2, high = 2;
  if (accept (r, "="))
    {
      read_values (r, tensor);
      return tensor;
    }
  if (accept (r, "in"))
    {
      gboolean open = accept (r, "(") || accept (r, "[");
      low = read_number (r);
      accept (r, ",");
      high = read_number (r);
      if (!open || !(accept (r, ")") || accept (r, "]")))
        complain (r, "(low,high) expected");
    }
  sluice_element_fill_random (tensor, random, low, high);
  return tensor;
}

/* ---- uses ---- */

const SluiceAttrDef *
sluice_op_repeated_attr (const SluiceOp *op)
{
  const SluiceAttrDef *first = NULL;
  for (guint i = 0; i < op->n_attrs; i++)
    if (op->attrs[i].kind == SLUICE_ATTR_TYPE)
      {
        if (strcmp (op->attrs[i].name, "T") == 0)
          return &op->attrs[i];
        first = first ? first : &op->attrs[i];
      }
  return first;
}

/* What the sample says of an integer attribute; 1 where it says nothing. */
static guint
count_of (const Use *self, const char *attr)
{
  for (guint i = 0; i < self->n_attrs; i++)
    if (self->attrs[i].name == attr)
      return (guint) self->attrs[i].value.i;
  return 1;
}

/* Whether each input has the repeated dtype, in the order of the signature. */
static GArray *
list_repeats (const Use *self, const SluiceAttrDef *repeated, guint n_written)
{
  GArray *list = g_array_new (FALSE, TRUE, sizeof (gboolean));
  for (guint i = 0; i < self->op->n_inputs; i++)
    {
      const SluiceArg *arg = &self->op->inputs[i];
      gboolean repeats = repeated != NULL && arg->type_attr == repeated->name;
      guint n = arg->number_attr ? count_of (self, arg->number_attr) : 1;
      for (guint k = 0; k < n; k++)
        g_array_append_val (list, repeats);
    }
  g_array_set_size (list, MAX (list->len, n_written));
  return list;
}

/* A ';' inside quotes is text. */
static guint
count_inputs (const char *text)
{
  guint n = text && *text ? 1 : 0;
  gboolean quoted = FALSE;
  for (; text && *text; text++)
    {
      quoted ^= *text == '\'';
      n += *text == ';' && !quoted;
    }
  return n;
}

void
sluice_use_init (
    Use *self, const SluiceOp *op, const SluiceSample *sample, SluiceDType dtype, guint32 seed)
{
  *self = (Use){ .op = op, .sample = sample, .dtype = dtype };
  self->attrs = sluice_op_parse_sample (op, sample->attrs, &self->n_attrs);
  const SluiceAttrDef *repeated = sluice_op_repeated_attr (op);
  if (dtype != SLUICE_INVALID)
    for (guint i = 0; i < self->n_attrs; i++)
      if (repeated && self->attrs[i].name == repeated->name)
        self->attrs[i].value.type = dtype;
  self->n_inputs = count_inputs (sample->inputs);
  GArray *repeats = list_repeats (self, repeated, self->n_inputs);
  self->repeats = (gboolean *) g_array_free (repeats, FALSE);
  self->inputs = g_new0 (SluiceTensor *, self->n_inputs + 1);
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  Reader r = { self, sample->inputs };
  for (guint i = 0; i < self->n_inputs; i++)
    {
      self->inputs[i] = read_input (&r, self->repeats[i] ? dtype : SLUICE_INVALID, random);
      if (i + 1 < self->n_inputs ? !accept (&r, ";") : *r.at != '\0')
        complain (&r, "';' or the end expected");
    }
  for (guint i = 0; i < self->n_inputs && self->dtype == SLUICE_INVALID; i++)
    if (sluice_dtype_is_floating (self->inputs[i]->dtype))
      self->dtype = self->inputs[i]->dtype;
}

void
sluice_use_clear (Use *self)
{
  for (guint i = 0; i < self->n_attrs; i++)
    sluice_attr_value_clear (&self->attrs[i].value);
  for (guint i = 0; i < self->n_inputs; i++)
    sluice_tensor_unref (self->inputs[i]);
  g_clear_pointer (&self->attrs, g_free);
  g_clear_pointer (&self->inputs, g_free);
  g_clear_pointer (&self->repeats, g_free);
  self->n_inputs = self->n_attrs = 0;
}

char *
sluice_use_to_string (const Use *self)
{
  return g_strdup_printf ("%s in %s: %s | %s", self->op->name, sluice_dtype_name (self->dtype),
                          self->sample->attrs ? self->sample->attrs : "",
                          self->sample->inputs ? self->sample->inputs : "");
}

SluiceDType
sluice_recipe_next_dtype (const SluiceRecipe *recipe, SluiceDType from)
{
  for (int d = from + 1; d < SLUICE_N_DTYPES; d++)
    if (sluice_dtype_in (d, recipe->dtypes))
      return d;
  return SLUICE_INVALID;
}
