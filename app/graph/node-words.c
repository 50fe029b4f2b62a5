/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/node-words.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "engine/graph/shape-words.h"
#include "ui/chart/ticks.h"

#define UNIT_SPACE "\u202f" /* narrow, and no line ends there */

/* ---- shapes and types ---- */

char *
sluice_words_shape (const SluiceShape *shape)
{
  return sluice_shape_dup_words (shape);
}

/* As compilers and papers write them; names with digits keep these. */
char *
sluice_words_type (SluiceDType dtype)
{
  static const struct
  {
    const char *name, *word;
  } words[] = {
    { "float", "f32" },     { "double", "f64" },    { "half", "f16" },
    { "bfloat16", "bf16" }, { "complex64", "c64" }, { "complex128", "c128" },
  };
  const char *name = sluice_dtype_name (sluice_dtype_base (dtype));
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (name, words[i].name))
      return g_strdup (words[i].word);
  if (g_str_has_prefix (name, "int"))
    return g_strconcat ("i", name + strlen ("int"), NULL);
  if (g_str_has_prefix (name, "uint"))
    return g_strconcat ("u", name + strlen ("uint"), NULL);
  return g_strdup (name);
}

char *
sluice_words_output (const SluiceOutput *output)
{
  g_autofree char *shape = sluice_words_shape (&output->shape);
  if (output->dtype == SLUICE_INVALID)
    return g_strdup_printf (_ ("%s, of any type"), shape != NULL ? shape : _ ("any shape"));
  g_autofree char *type = sluice_words_type (output->dtype);
  return shape != NULL ? g_strdup_printf ("%s %s", shape, type)
                       : g_strdup_printf (_ ("any shape, %s"), type);
}

/* ---- quantities ---- */

/* Three digits are enough to compare. */
static char *
scaled (double value)
{
  double size = fabs (value);
  return sluice_format_fixed (value, size < 10 ? 2 : size < 100 ? 1 : 0);
}

char *
sluice_words_count (double n)
{
  if (n < 10000)
    return sluice_format_step ((gint64) n);
  g_autofree char *number =
      n < 1e6 ? sluice_format_fixed (n * 1e-3, 0) : sluice_format_fixed (n * 1e-6, 1);
  return g_strconcat (number, UNIT_SPACE, n < 1e6 ? "k" : "M", NULL);
}

char *
sluice_words_work (double flops)
{
  static const struct
  {
    double least;
    const char *unit;
  } units[] = { { 1e12, "TFLOP" }, { 1e9, "GFLOP" }, { 1e6, "MFLOP" }, { 1e3, "kFLOP" } };
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (flops >= units[i].least)
      {
        g_autofree char *number = scaled (flops / units[i].least);
        return g_strdup_printf ("%s" UNIT_SPACE "%s", number, units[i].unit);
      }
  return g_strdup_printf ("%.0f" UNIT_SPACE "FLOP", flops);
}

typedef struct
{
  double below, us; /* in which it is told, and how many µs it has */
  const char *name;
} DurationUnit;

static const DurationUnit *
find_unit (double us)
{
  static const DurationUnit units[] = { { 100, 1, "µs" },
                                        { 1e6, 1e3, "ms" },
                                        { INFINITY, 1e6, "s" } };
  guint i = 0;
  while (i + 1 < G_N_ELEMENTS (units) && !(us < units[i].below))
    i++;
  return &units[i];
}

char *
sluice_words_duration (double us)
{
  if (!(us >= 0))
    return g_strdup ("–");
  const DurationUnit *unit = find_unit (us);
  g_autofree char *number = scaled (us / unit->us);
  return g_strdup_printf ("%s" UNIT_SPACE "%s", number, unit->name);
}

char *
sluice_words_spread (double us, double plus_minus)
{
  if (!(us >= 0) || !isfinite (plus_minus))
    return sluice_words_duration (us);
  const DurationUnit *unit = find_unit (us);
  double value = us / unit->us;
  guint digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  g_autofree char *number = sluice_format_fixed (value, digits);
  g_autofree char *spread = sluice_format_fixed (plus_minus / unit->us, digits);
  return g_strdup_printf ("%s ± %s" UNIT_SPACE "%s", number, spread, unit->name);
}

char *
sluice_words_number (double value)
{
  double size = fabs (value);
  if (!isfinite (value))
    return sluice_format_value (value, SLUICE_UNIT_NONE);
  if (size >= 1000 && size < 1e6)
    return sluice_format_step ((gint64) round (value));
  g_autofree char *positive = g_strdup_printf ("%.3g", size);
  return value < 0 ? g_strconcat ("−", positive, NULL) : g_steal_pointer (&positive);
}

char *
sluice_words_share (gint64 part, gint64 whole)
{
  double percent = whole > 0 ? 100.0 * (double) part / (double) whole : 0;
  gboolean is_exact = part == 0 || part == whole;
  if (!is_exact)
    percent = CLAMP (percent, 0.01, 99.99);
  g_autofree char *number =
      sluice_format_fixed (percent, !is_exact && (percent < 1 || percent > 99) ? 2 : 0);
  return g_strconcat (number, UNIT_SPACE "%", NULL);
}

/* ---- attributes ---- */

/* What real graphs have most; any other attribute is called by its name. */
static const struct
{
  const char *name, *title;
} attr_titles[] = {
  { "adj_x", N_ ("Adjoint of x") },
  { "adj_y", N_ ("Adjoint of y") },
  { "align_corners", N_ ("Align corners") },
  { "allowed_devices", N_ ("Allowed devices") },
  { "axis", N_ ("Axis") },
  { "begin_mask", N_ ("Begin mask") },
  { "capacity", N_ ("Capacity") },
  { "component_types", N_ ("Types of components") },
  { "container", N_ ("Container") },
  { "data_format", N_ ("Data format") },
  { "dilations", N_ ("Dilations") },
  { "element_shape", N_ ("Shape of elements") },
  { "ellipsis_mask", N_ ("Ellipsis mask") },
  { "end_mask", N_ ("End mask") },
  { "epsilon", N_ ("Epsilon") },
  { "exclusive", N_ ("Exclusive") },
  { "frame_name", N_ ("Frame") },
  { "grad_a", N_ ("Gradient of a") },
  { "grad_b", N_ ("Gradient of b") },
  { "is_constant", N_ ("Constant") },
  { "is_training", N_ ("Training") },
  { "keep_dims", N_ ("Keep dimensions") },
  { "ksize", N_ ("Size of the window") },
  { "message", N_ ("Message") },
  { "momentum", N_ ("Momentum") },
  { "new_axis_mask", N_ ("New axis mask") },
  { "num_split", N_ ("Number of parts") },
  { "out_type", N_ ("Type of the output") },
  { "output_shapes", N_ ("Shapes of outputs") },
  { "output_types", N_ ("Types of outputs") },
  { "padding", N_ ("Padding") },
  { "parallel_iterations", N_ ("Parallel iterations") },
  { "reverse", N_ ("Reverse") },
  { "seed", N_ ("Seed") },
  { "seed2", N_ ("Second seed") },
  { "shape", N_ ("Shape") },
  { "shapes", N_ ("Shapes") },
  { "shared_name", N_ ("Shared name") },
  { "shrink_axis_mask", N_ ("Shrink axis mask") },
  { "strides", N_ ("Strides") },
  { "transpose_a", N_ ("Transpose a") },
  { "transpose_b", N_ ("Transpose b") },
  { "use_locking", N_ ("Locking") },
  { "use_nesterov", N_ ("Nesterov") },
  { "validate_shape", N_ ("Check the shape") },
  { "value", N_ ("Value") },
};

char *
sluice_words_attr_name (const char *name)
{
  if (g_str_equal (name, "T") || g_str_equal (name, "dtype"))
    return g_strdup (_ ("Type"));
  if (name[0] == 'T' && name[1] != '\0' && strchr (name, '_') == NULL)
    return g_strdup_printf (_ ("Type of %s"), name + 1);
  for (guint i = 0; i < G_N_ELEMENTS (attr_titles); i++)
    if (g_str_equal (name, attr_titles[i].name))
      return g_strdup (_ (attr_titles[i].title));
  return g_strdup (name);
}

static char *
list_words (const SluiceAttrValue *value)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < value->list.n; i++)
    {
      g_autofree char *item = sluice_words_attr_value (&value->list.items[i]);
      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", item);
    }
  if (value->list.n == 0)
    g_string_append (text, _ ("none"));
  return g_string_free (text, FALSE);
}

/* Of "float [] = 0.0299999993" the number, with the digits that it takes: its type is an attribute
 * of its own, and there is no shape. */
static char *
tensor_words (const SluiceAttrValue *value)
{
  static const char scalar[] = " [] = ";
  g_autofree char *text = sluice_attr_value_to_string (value);
  const char *found = strstr (text, scalar);
  if (found == NULL || strchr (text, ' ') != found)
    return g_steal_pointer (&text);
  const char *number = found + strlen (scalar);
  return g_str_has_prefix (text, "float ")
             ? sluice_format_exact ((double) (float) g_ascii_strtod (number, NULL))
             : g_strdup (number);
}

char *
sluice_words_attr_value (const SluiceAttrValue *value)
{
  switch (value->kind)
    {
    case SLUICE_ATTR_TYPE:
      return sluice_words_type (value->type);
    case SLUICE_ATTR_BOOL:
      return g_strdup (value->b ? _ ("yes") : _ ("no"));
    case SLUICE_ATTR_FLOAT:
      return sluice_words_number ((double) value->f);
    case SLUICE_ATTR_INT:
      return sluice_format_step (value->i);
    case SLUICE_ATTR_STRING:
      {
        g_autofree char *bytes =
            g_strndup (value->s.data != NULL ? value->s.data : "", value->s.length);
        return *bytes != '\0' ? g_utf8_make_valid (bytes, -1) : g_strdup (_ ("none"));
      }
    case SLUICE_ATTR_SHAPE:
      {
        char *shape = sluice_words_shape (&value->shape);
        return shape != NULL ? shape : g_strdup (_ ("any shape"));
      }
    case SLUICE_ATTR_LIST:
      return list_words (value);
    case SLUICE_ATTR_FUNC:
      return g_strdup (value->func->name);
    case SLUICE_ATTR_TENSOR:
      return tensor_words (value);
    case SLUICE_ATTR_NONE:
    case SLUICE_ATTR_PLACEHOLDER:
    default:
      return sluice_attr_value_to_string (value);
    }
}

gboolean
sluice_words_attr_is_shown (const SluiceAttr *attr)
{
  return attr->name[0] != '_' && !g_str_equal (attr->name, "debug_name");
}

char *
sluice_words_loop (const char *frame)
{
  static const char end[] = "/while_context";
  return g_str_has_suffix (frame, end) && strlen (frame) > strlen (end)
             ? g_strndup (frame, strlen (frame) - strlen (end))
             : g_strdup (frame);
}
