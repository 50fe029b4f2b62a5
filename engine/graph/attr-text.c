/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/attr-text.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/suggest.h"
#include "engine/base/tensor-text.h"
#include "engine/graph/attrproto.h"
#include "engine/graph/text-format.h"

gsize
sluice_attr_text_span (const char *text, const char *stops)
{
  guint depth = 0;
  gboolean quoted = FALSE;
  gsize n = 0;
  for (; text[n] != '\0'; n++)
    {
      char c = text[n];
      if (quoted && c == '\\' && text[n + 1] != '\0')
        n++;
      else if (c == '"')
        quoted = !quoted;
      else if (quoted)
        continue;
      else if (depth == 0 && strchr (stops, c) != NULL)
        return n;
      else if (strchr ("[{(", c) != NULL)
        depth++;
      else if (strchr ("]})", c) != NULL && depth > 0)
        depth--;
    }
  return quoted || depth > 0 ? G_MAXSIZE : n;
}

/* ---- TensorFlow's text form ---- */

/* The field of AttrValue that a value of the kind is in, where it is a message. (nullable) */
static const char *
message_of_kind (SluiceAttrKind kind)
{
  switch (kind)
    {
    case SLUICE_ATTR_SHAPE:
      return "shape";
    case SLUICE_ATTR_TENSOR:
      return "tensor";
    case SLUICE_ATTR_FUNC:
      return "func";
    case SLUICE_ATTR_LIST:
      return "list";
    default:
      return NULL;
    }
}

static gboolean
parse_proto (const char *text, SluiceAttrValue *value, GError **error)
{
  g_auto (SluiceArena) arena;
  gint64 budget = G_MAXINT32;
  gboolean lossy = FALSE;
  sluice_arena_init (&arena);
  Tensorflow__AttrValue *proto =
      sluice_text_parse (&arena, &tensorflow__attr_value__descriptor, text, strlen (text), error);
  if (proto == NULL)
    return FALSE;
  if (proto->value_case == TENSORFLOW__ATTR_VALUE__VALUE__NOT_SET)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "there is no value in the braces");
  return sluice_attr_unpack (&proto, &arena, value, &budget, &lossy, error);
}

/* "{ tensor { … } }", "tensor { … }", or "{ dtype: … }" where the kind tells the rest. */
static gboolean
parse_braces (const SluiceAttrDef *def, const char *text, SluiceAttrValue *value, GError **error)
{
  gsize length = strlen (text);
  gboolean outer = *text == '{' && text[length - 1] == '}';
  g_autofree char *inner = outer ? g_strndup (text + 1, length - 2) : g_strdup (text);
  const char *field = def != NULL ? message_of_kind (def->kind) : NULL;
  g_autoptr (GError) first = NULL;
  if (parse_proto (inner, value, &first))
    return TRUE;
  g_autofree char *wrapped =
      outer && field != NULL ? g_strdup_printf ("%s {%s}", field, inner) : NULL;
  if (wrapped != NULL && parse_proto (wrapped, value, NULL))
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "TensorFlow's text form, at %s",
                      first->message);
}

/* ---- by kind ---- */

static gboolean
parse_string (const char *text, SluiceAttrValue *value, GError **error)
{
  if (*text != '"')
    {
      gsize n = strspn (text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.-/:@");
      if (text[n] != '\0')
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "'%s' is no text; write it in double quotes", text);
      SluiceAttr attr = sluice_attr_string ("", text);
      sluice_attr_value_copy (value, &attr.value);
      return TRUE;
    }
  g_autoptr (SluiceTensor) tensor = sluice_tensor_parse (text, SLUICE_STRING, error);
  if (tensor == NULL)
    return FALSE;
  SluiceAttrValue borrowed = { SLUICE_ATTR_STRING, .s = *(const SluiceString *) tensor->data };
  sluice_attr_value_copy (value, &borrowed);
  return TRUE;
}

static gboolean
parse_int (const char *text, SluiceAttrValue *value, GError **error)
{
  if (!g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &value->i, NULL))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is no whole number of 64 bits; write it as 3 or -1", text);
  value->kind = SLUICE_ATTR_INT;
  return TRUE;
}

static gboolean
parse_float (const char *text, SluiceAttrValue *value, GError **error)
{
  char *end;
  double number = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0')
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is no number; write it as 0.1, 1e-3 or inf", text);
  if (isfinite (number) && !isfinite ((float) number))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s is more than a float can be; write inf for infinity", text);
  *value = (SluiceAttrValue){ SLUICE_ATTR_FLOAT, .f = (float) number };
  return TRUE;
}

static gboolean
parse_bool (const char *text, SluiceAttrValue *value, GError **error)
{
  gboolean is_true = g_str_equal (text, "true");
  if (!is_true && !g_str_equal (text, "false"))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is neither true nor false",
                        text);
  *value = (SluiceAttrValue){ SLUICE_ATTR_BOOL, .b = is_true };
  return TRUE;
}

static gboolean
parse_type (const char *text, SluiceAttrValue *value, GError **error)
{
  SluiceDType dtype = sluice_dtype_from_name (text);
  if (dtype == SLUICE_INVALID)
    {
      const char *names[SLUICE_N_DTYPES] = { NULL };
      gboolean is_enum = g_ascii_strncasecmp (text, "DT_", 3) == 0;
      for (int i = 1; i < SLUICE_N_DTYPES; i++)
        names[i] = is_enum ? sluice_dtype_enum_name (i) : sluice_dtype_name (i);
      const char *hint = sluice_suggest_name (text, names, G_N_ELEMENTS (names));
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is no dtype; %s%s%s", text,
                          hint != NULL ? "did you mean " : "write DT_FLOAT, float, DT_INT32 …",
                          hint != NULL ? hint : "", hint != NULL ? "?" : "");
    }
  *value = (SluiceAttrValue){ SLUICE_ATTR_TYPE, .type = dtype };
  return TRUE;
}

/* The items of "[a, b]". (transfer full) (nullable): it is no list */
static char **
split_list (const char *text)
{
  gsize length = strlen (text);
  if (*text != '[' || length < 2 || text[length - 1] != ']')
    return NULL;
  g_autoptr (GStrvBuilder) items = g_strv_builder_new ();
  g_autofree char *inner = g_strndup (text + 1, length - 2);
  g_strstrip (inner);
  for (char *at = inner; *at != '\0';)
    {
      gsize n = sluice_attr_text_span (at, ",");
      if (n == G_MAXSIZE)
        return NULL;
      g_autofree char *item = g_strstrip (g_strndup (at, n));
      g_strv_builder_add (items, item);
      at += n;
      if (*at == ',' && *++at == '\0')
        g_strv_builder_add (items, ""); /* which is no value of any kind */
    }
  return g_strv_builder_end (items);
}

static gboolean
parse_shape (const char *text, SluiceAttrValue *value, GError **error)
{
  gint64 dims[SLUICE_MAX_RANK];
  g_auto (GStrv) items = split_list (text);
  gboolean is_unknown =
      g_str_equal (text, "unknown") || g_str_equal (text, "?") || g_str_equal (text, "<unknown>");
  guint n = items != NULL ? g_strv_length (items) : 0;
  gboolean ok = is_unknown || (items != NULL && n <= SLUICE_MAX_RANK);
  for (guint i = 0; ok && i < n; i++)
    if (g_str_equal (items[i], "?"))
      dims[i] = SLUICE_UNKNOWN_DIM;
    else
      ok = g_ascii_string_to_signed (items[i], 10, SLUICE_UNKNOWN_DIM, G_MAXINT64, &dims[i], NULL);
  if (!ok)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is no shape; write [?,784], [] for a scalar, or unknown, with at "
                        "most %d dimensions",
                        text, SLUICE_MAX_RANK);
  *value = (SluiceAttrValue){ SLUICE_ATTR_SHAPE, .shape = SLUICE_SHAPE_UNKNOWN };
  return is_unknown || sluice_shape_make (&value->shape, dims, n, error);
}

/* What TensorFlow makes of such a value: text, truth, float, int32. */
static SluiceDType
guess_dtype (const char *text)
{
  const char *at = text + strspn (text, "[ ,]");
  if (*at == '"')
    return SLUICE_STRING;
  if (g_str_has_prefix (at, "true") || g_str_has_prefix (at, "false"))
    return SLUICE_BOOL;
  return strpbrk (text, ".eEnN") != NULL ? SLUICE_FLOAT : SLUICE_INT32;
}

static gboolean
parse_tensor (SluiceDType dtype, const char *text, SluiceAttrValue *value, GError **error)
{
  SluiceTensor *tensor =
      sluice_tensor_parse (text, dtype != SLUICE_INVALID ? dtype : guess_dtype (text), error);
  *value = (SluiceAttrValue){ SLUICE_ATTR_TENSOR, .tensor = tensor };
  return tensor != NULL;
}

static gboolean
parse_func (const char *text, SluiceAttrValue *value)
{
  SluiceFuncValue func = { .name = (char *) text };
  SluiceAttrValue borrowed = { SLUICE_ATTR_FUNC, .func = &func };
  sluice_attr_value_copy (value, &borrowed);
  return TRUE;
}

/* The kind that a text has by itself. */
static SluiceAttrKind
guess_kind (const char *text)
{
  if (*text == '[')
    return SLUICE_ATTR_LIST;
  if (g_str_equal (text, "true") || g_str_equal (text, "false"))
    return SLUICE_ATTR_BOOL;
  if (g_str_has_prefix (text, "DT_"))
    return SLUICE_ATTR_TYPE;
  if (g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, NULL, NULL))
    return SLUICE_ATTR_INT;
  char *end;
  g_ascii_strtod (text, &end);
  return *text != '\0' && *end == '\0' ? SLUICE_ATTR_FLOAT : SLUICE_ATTR_STRING;
}

static gboolean
parse_list (const SluiceAttrDef *def, const char *text, SluiceAttrValue *value, GError **error)
{
  g_auto (GStrv) items = split_list (text);
  if (items == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is no list; write its values in [ ], with commas between", text);
  SluiceAttrDef item = { .kind = def != NULL ? def->list_kind : SLUICE_ATTR_NONE };
  guint n = g_strv_length (items);
  if (item.kind == SLUICE_ATTR_NONE && n > 0)
    item.kind = guess_kind (items[0]);
  if (item.kind == SLUICE_ATTR_LIST)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s': a list of an attribute holds no lists", text);
  *value = (SluiceAttrValue){ SLUICE_ATTR_LIST, item.kind };
  value->list.items = g_new0 (SluiceAttrValue, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    {
      SluiceAttrValue *to = &value->list.items[value->list.n++];
      gboolean ok = sluice_attr_parse (&item, SLUICE_INVALID, items[i], to, error);
      if (ok && to->kind == item.kind)
        continue;
      if (ok)
        sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                     "'%s' is of another kind than the list's other values", items[i]);
      sluice_attr_value_clear (value);
      return FALSE;
    }
  return TRUE;
}

gboolean
sluice_attr_parse (const SluiceAttrDef *def,
                   SluiceDType dtype,
                   const char *text,
                   SluiceAttrValue *value,
                   GError **error)
{
  SluiceAttrKind kind = def != NULL ? def->kind : guess_kind (text);
  *value = (SluiceAttrValue){ 0 };
  if (*text != '"' && *text != '[' && strchr (text, '{') != NULL)
    return parse_braces (def, text, value, error);
  switch (kind)
    {
    case SLUICE_ATTR_STRING:
      return parse_string (text, value, error);
    case SLUICE_ATTR_INT:
      return parse_int (text, value, error);
    case SLUICE_ATTR_FLOAT:
      return parse_float (text, value, error);
    case SLUICE_ATTR_BOOL:
      return parse_bool (text, value, error);
    case SLUICE_ATTR_TYPE:
      return parse_type (text, value, error);
    case SLUICE_ATTR_SHAPE:
      return parse_shape (text, value, error);
    case SLUICE_ATTR_TENSOR:
      return parse_tensor (dtype, text, value, error);
    case SLUICE_ATTR_FUNC:
      return parse_func (text, value);
    case SLUICE_ATTR_LIST:
      return parse_list (def, text, value, error);
    default:
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is no value", text);
    }
}
