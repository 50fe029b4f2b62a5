/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/command/expand.h"

#include <math.h>
#include <string.h>

#include "engine/base/suggest.h"
#include "engine/command/stack-private.h"
#include "engine/graph/attr-text.h"

/* Templates that use templates. */
#define MAX_DEPTH 8

/* ---- texts ---- */

SluiceTemplateValues *
sluice_template_values_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

void
sluice_template_values_set (SluiceTemplateValues *self, const char *name, const char *text)
{
  g_hash_table_replace (self, g_strdup (name), g_strdup (text));
}

void
sluice_template_values_set_number (SluiceTemplateValues *self, const char *name, double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd (text, sizeof text, "%.9g", number);
  sluice_template_values_set (self, name, text);
}

const char *
sluice_template_values_get (const SluiceTemplateValues *self, const char *name)
{
  return g_hash_table_lookup ((GHashTable *) self, name);
}

static void
set_fact (SluiceTemplateValues *self, const char *name, const char *fact, const char *text)
{
  g_hash_table_replace (self, g_strconcat (name, ".", fact, NULL), g_strdup (text));
}

static void
set_number_fact (SluiceTemplateValues *self, const char *name, const char *fact, gint64 number)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, number);
  set_fact (self, name, fact, text);
}

/* "[0,1,2]": the dimensions from first to n - 1. (transfer full) */
static char *
list_axes (int first, int n)
{
  GString *axes = g_string_new ("[");
  for (int i = first; i < n; i++)
    g_string_append_printf (axes, "%s%d", i > first ? "," : "", i);
  g_string_append_c (axes, ']');
  return g_string_free (axes, FALSE);
}

/* How many values an example has: all dimensions but the first; -1: not known. */
static gint64
size_of_example (const SluiceShape *shape)
{
  SluiceShape rest = *shape;
  if (shape->rank < 1)
    return -1;
  rest.dim[0] = 1;
  return sluice_shape_n_elements (&rest);
}

gboolean
sluice_template_values_set_edge (SluiceTemplateValues *self,
                                 const SluiceCommandCall *call,
                                 const char *name,
                                 const char *text,
                                 GError **error)
{
  SluiceEdge edge;
  char buffer[SLUICE_SHAPE_STR];
  if (!sluice_command_find_edge (call, text, &edge, error))
    return FALSE;
  sluice_template_values_set (self, name, text);
  set_fact (self, name, "node", edge.node->name);
  const SluiceShape *shape = sluice_edge_shape (edge);
  const gint64 numbers[] = { shape->rank, shape->rank > 0 ? shape->dim[shape->rank - 1] : -1,
                             size_of_example (shape) };
  static const char *const facts[] = { "rank", "last", "size" };
  g_autofree char *axes = list_axes (0, shape->rank);
  g_autofree char *before_last = list_axes (0, shape->rank - 1);
  g_autofree char *inner = list_axes (1, shape->rank - 1);
  set_fact (self, name, "dtype",
            sluice_dtype_enum_name (sluice_dtype_base (sluice_edge_dtype (edge))));
  set_fact (self, name, "shape", sluice_shape_str (shape, buffer));
  set_fact (self, name, "axes", axes);
  set_fact (self, name, "before-last", before_last);
  set_fact (self, name, "inner", inner);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    set_number_fact (self, name, facts[i], numbers[i]);
  for (int i = 0; i < shape->rank; i++)
    {
      g_snprintf (buffer, sizeof buffer, "%d", i);
      set_number_fact (self, name, buffer, shape->dim[i]);
    }
  return TRUE;
}

static gboolean
check_edges (const SluiceCommandCall *call, const char *text, GError **error)
{
  g_auto (GStrv) edges = sluice_template_split_edges (text);
  SluiceEdge edge;
  for (guint i = 0; edges[i] != NULL; i++)
    if (!sluice_command_find_edge (call, edges[i], &edge, error))
      return FALSE;
  return TRUE;
}

/* ---- parameters ---- */

static gboolean
check_number (const SluiceTemplateParameter *parameter, const char *text, GError **error)
{
  char *end;
  double number = g_ascii_strtod (text, &end);
  gboolean is_number = end != text && *end == '\0' && isfinite (number);
  if (!is_number || (parameter->kind == SLUICE_TEMPLATE_INT && number != floor (number)))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s is '%s'; it must be %s",
                        parameter->name, text,
                        parameter->kind == SLUICE_TEMPLATE_INT ? "a whole number" : "a number");
  if (number < parameter->least || number > parameter->most)
    return sluice_fail (error, SLUICE_ERROR_OUT_OF_RANGE, "%s is %s; it must be %s %g",
                        parameter->name, text, number < parameter->least ? "at least" : "at most",
                        number < parameter->least ? parameter->least : parameter->most);
  return TRUE;
}

/* As templates compare and write it, however it was given: "1e3", "+4". */
static void
set_integer (SluiceTemplateValues *self, const char *name, double number)
{
  g_autofree char *text = g_strdup_printf ("%.0f", number);
  sluice_template_values_set (self, name, text);
}

static gboolean
check_choice (const SluiceTemplateParameter *parameter, const char *text, GError **error)
{
  g_auto (GStrv) choices = g_strsplit (parameter->words, "|", -1);
  if (g_strv_contains ((const char *const *) choices, text))
    return TRUE;
  g_autofree char *all = g_strjoinv (", ", choices);
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s is '%s'; it must be one of %s",
                      parameter->name, text, all);
}

static gboolean
set_parameter (SluiceTemplateValues *self,
               const SluiceCommandCall *call,
               const SluiceTemplateParameter *parameter,
               const char *text,
               GError **error)
{
  sluice_template_values_set (self, parameter->name, text);
  switch (parameter->kind)
    {
    case SLUICE_TEMPLATE_INT:
      if (!check_number (parameter, text, error))
        return FALSE;
      set_integer (self, parameter->name, g_ascii_strtod (text, NULL));
      return TRUE;
    case SLUICE_TEMPLATE_FLOAT:
      return check_number (parameter, text, error);
    case SLUICE_TEMPLATE_CHOICE:
      return check_choice (parameter, text, error);
    case SLUICE_TEMPLATE_EDGE:
      return *text == '\0'
             || sluice_template_values_set_edge (self, call, parameter->name, text, error);
    case SLUICE_TEMPLATE_EDGES:
      return check_edges (call, text, error);
    default:
      return TRUE;
    }
}

static gboolean
check_key (const SluiceTemplate *template,
           const char *key,
           const char *const *known,
           GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  if (known != NULL && g_strv_contains (known, key))
    return TRUE;
  for (guint i = 0; i < template->parameters->len; i++)
    {
      char *name = g_array_index (template->parameters, SluiceTemplateParameter, i).name;
      if (g_str_equal (name, key))
        return TRUE;
      g_ptr_array_add (names, name);
    }
  const char *hint = sluice_suggest_name (key, (const char *const *) names->pdata, names->len);
  g_ptr_array_add (names, NULL);
  g_autofree char *all = g_strjoinv (", ", (char **) names->pdata);
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s has no parameter %s; %s%s%s",
                      template->name, key, hint != NULL ? "did you mean " : "it has ",
                      hint != NULL ? hint : all, hint != NULL ? "?" : "");
}

gboolean
sluice_template_values_set_parameters (SluiceTemplateValues *self,
                                       const SluiceCommandCall *call,
                                       const SluiceTemplate *template,
                                       const SluiceWord *const *values,
                                       guint n,
                                       const char *const *known,
                                       GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!check_key (template, values[i]->key, known, error))
      return FALSE;
  for (guint k = 0; k < template->parameters->len; k++)
    {
      const SluiceTemplateParameter *parameter =
          &g_array_index (template->parameters, SluiceTemplateParameter, k);
      const char *text = parameter->value;
      for (guint i = 0; i < n; i++)
        if (g_str_equal (values[i]->key, parameter->name))
          text = values[i]->text;
      if (text != NULL && (*text == '\0' || g_str_equal (text, "\"\"")))
        text = parameter->value; /* back to the default */
      if (text == NULL)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s= is missing: %s",
                            parameter->name, parameter->help);
      if (!set_parameter (self, call, parameter, text, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- expressions ---- */

static double parse_sum (const char **at, guint depth);

/* "sum )" or "sum, sum )", of which the larger; *at stands behind it. */
static double
parse_inner (const char **at, guint depth)
{
  double value = parse_sum (at, depth);
  if (**at == ',')
    {
      *at += 1;
      double other = parse_sum (at, depth);
      value = value < other ? other : value;
    }
  if (**at != ')')
    return NAN;
  *at += 1;
  return value;
}

/* A number, "( sum )", "sqrt( sum )", "max( sum, sum )"; NAN where there is none. */
static double
parse_atom (const char **at, guint depth)
{
  *at += strspn (*at, " ");
  gboolean is_root = g_str_has_prefix (*at, "sqrt("), is_larger = g_str_has_prefix (*at, "max(");
  if (is_root || is_larger)
    *at = strchr (*at, '(');
  if (**at == '(' && depth < MAX_DEPTH)
    {
      *at += 1;
      double inner = parse_inner (at, depth + 1);
      return is_root ? sqrt (inner) : inner;
    }
  char *end;
  double number = g_ascii_strtod (*at, &end);
  if (end == *at)
    return NAN;
  *at = end;
  return number;
}

static double
parse_product (const char **at, guint depth)
{
  double value = parse_atom (at, depth);
  for (;;)
    {
      *at += strspn (*at, " ");
      char sign = **at;
      if (sign != '*' && sign != '/')
        return value;
      *at += 1;
      double other = parse_atom (at, depth);
      value = sign == '*' ? value * other : value / other;
    }
}

static double
parse_sum (const char **at, guint depth)
{
  double value = parse_product (at, depth);
  for (;;)
    {
      *at += strspn (*at, " ");
      char sign = **at;
      if (sign != '+' && sign != '-')
        return value;
      *at += 1;
      double other = parse_product (at, depth);
      value = sign == '+' ? value + other : value - other;
    }
}

/* ---- substitution ---- */

static gboolean
append_expression (GString *out, const char *text, GError **error)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  const char *at = text;
  double value = parse_sum (&at, 0);
  if (*at != '\0' || !isfinite (value))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' comes to no number: is a dimension of the input unknown?", text);
  g_string_append (out, g_ascii_formatd (number, sizeof number, "%.9g", value));
  return TRUE;
}

static gboolean
substitute (const char *text, const SluiceTemplateValues *texts, GString *out, GError **error);

/* "$(…)", "${name}", "$name"; *at stands behind the '$'. */
static gboolean
substitute_one (const char **at, const SluiceTemplateValues *texts, GString *out, GError **error)
{
  if (**at == '(')
    {
      const char *close = *at;
      for (guint depth = 1; depth > 0 && close[1] != '\0';)
        {
          close++;
          depth += *close == '(';
          depth -= *close == ')';
        }
      g_autofree char *inner = g_strndup (*at + 1, (gsize) (MAX (close - *at, 1)) - 1);
      g_autoptr (GString) filled = g_string_new (NULL);
      *at = close + 1;
      return substitute (inner, texts, filled, error)
             && append_expression (out, filled->str, error);
    }
  gboolean braced = **at == '{';
  const char *begin = *at + braced;
  gsize n = strspn (begin, G_CSET_a_2_z G_CSET_DIGITS "_.-");
  g_autofree char *name = g_strndup (begin, n);
  const char *text = sluice_template_values_get (texts, name);
  if (text == NULL)
    return sluice_fail (error, SLUICE_ERROR_INTERNAL, "the template has no parameter '%s'", name);
  g_string_append (out, text);
  *at = begin + n + (braced && begin[n] == '}');
  return TRUE;
}

static gboolean
substitute (const char *text, const SluiceTemplateValues *texts, GString *out, GError **error)
{
  for (const char *at = text; *at != '\0';)
    if (*at != '$')
      g_string_append_c (out, *at++);
    else
      {
        at++;
        if (!substitute_one (&at, texts, out, error))
          return FALSE;
      }
  return TRUE;
}

/* ---- lines ---- */

static gboolean expand_section (const SluiceTemplate *self,
                                const char *section,
                                SluiceTemplateValues *texts,
                                SluiceCommandCall *call,
                                guint depth,
                                GError **error);

/* A part, or a layer as one, which then is no layer of its own. */
static gboolean
use (SluiceCommandCall *call, const SluiceLine *line, guint depth, GError **error)
{
  static const char *const known[] = { "name", NULL };
  g_autoptr (GHashTable) texts = sluice_template_values_new ();
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  if (line->n < 2 || depth >= MAX_DEPTH)
    return sluice_fail (error, SLUICE_ERROR_INTERNAL, "a template uses nothing, or itself");
  const SluiceTemplate *used = sluice_template_find ("part", line->words[1].text, NULL);
  if (used == NULL)
    used = sluice_template_find ("layer", line->words[1].text, error);
  for (guint i = 2; i < line->n; i++)
    if (line->words[i].key != NULL)
      g_ptr_array_add (values, &line->words[i]);
  for (guint i = 0; i < values->len; i++)
    {
      const SluiceWord *word = values->pdata[i];
      if (g_str_equal (word->key, known[0]))
        sluice_template_values_set (texts, word->key, word->text);
    }
  return used != NULL
         && sluice_template_values_set_parameters (texts, call, used,
                                                   (const SluiceWord *const *) values->pdata,
                                                   values->len, known, error)
         && expand_section (used, "do", texts, call, depth + 1, error);
}

/* "A = B" or "A != B" at *at, which then stands behind it. */
static gboolean
is_true (const char **at)
{
  const char *begin[3];
  gsize length[3];
  for (guint i = 0; i < G_N_ELEMENTS (begin); i++)
    {
      begin[i] = *at += strspn (*at, " ");
      length[i] = MIN (sluice_attr_text_span (*at, " "), strlen (*at));
      *at += length[i];
    }
  *at += strspn (*at, " ");
  gboolean is_equal = length[0] == length[2] && memcmp (begin[0], begin[2], length[0]) == 0;
  return is_equal == (*begin[1] == '=');
}

/* "need A = B TEXT" */
static gboolean
need (const char *text, GError **error)
{
  gboolean ok = is_true (&text);
  g_autofree char *words = ok ? NULL : sluice_line_unquote (text, NULL);
  return ok
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s", words != NULL ? words : text);
}

/* "append NAME TEXT" */
static void
append (SluiceTemplateValues *texts, const char *name, const char *text)
{
  const char *before = sluice_template_values_get (texts, name);
  gboolean is_first = before == NULL || *before == '\0';
  g_autofree char *all = g_strconcat (is_first ? "" : before, is_first ? "" : " ", text, NULL);
  sluice_template_values_set (texts, name, all);
}

static gboolean
do_text (const char *text,
         SluiceTemplateValues *texts,
         SluiceCommandCall *call,
         guint depth,
         GError **error)
{
  const char *command = text;
  while (g_str_has_prefix (command, "when "))
    {
      command += strlen ("when");
      if (!is_true (&command))
        return TRUE;
    }
  if (g_str_has_prefix (command, "need "))
    return need (command + strlen ("need"), error);
  g_autoptr (SluiceLine) line = sluice_line_parse (command, error);
  if (line == NULL || line->n == 0)
    return line != NULL;
  const char *first = line->words[0].text;
  if (g_str_equal (first, "use"))
    return use (call, line, depth, error);
  if (g_str_equal (first, "append") && line->n == 3)
    {
      append (texts, line->words[1].text, line->words[2].text);
      return TRUE;
    }
  SluiceCommandCall inner = { .stack = call->stack,
                              .graph = call->graph,
                              .command = sluice_command_find (first, error),
                              .said = call->said };
  gboolean ok = inner.command != NULL && sluice_command_run_line (&inner, line, error);
  g_free (inner.words);
  return ok;
}

static gboolean
do_line (const char *line,
         SluiceTemplateValues *texts,
         SluiceCommandCall *call,
         guint depth,
         GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  return substitute (line, texts, text, error) && do_text (text->str, texts, call, depth, error);
}

/* "for EACH in NAME COMMAND" */
static gboolean
repeat (const char *line,
        SluiceTemplateValues *texts,
        SluiceCommandCall *call,
        guint depth,
        GError **error)
{
  g_auto (GStrv) words = g_strsplit (line, " ", 5);
  const char *list =
      g_strv_length (words) == 5 ? sluice_template_values_get (texts, words[3]) : NULL;
  if (list == NULL)
    return sluice_fail (error, SLUICE_ERROR_INTERNAL, "'%s' repeats nothing", line);
  g_auto (GStrv) edges = sluice_template_split_edges (list);
  for (guint i = 0; edges[i] != NULL; i++)
    {
      sluice_template_values_set_number (texts, "i", i);
      if (!sluice_template_values_set_edge (texts, call, words[1], edges[i], error)
          || !do_line (words[4], texts, call, depth, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
expand_section (const SluiceTemplate *self,
                const char *section,
                SluiceTemplateValues *texts,
                SluiceCommandCall *call,
                guint depth,
                GError **error)
{
  const GPtrArray *lines = g_hash_table_lookup (self->sections, section);
  for (guint i = 0; lines != NULL && i < lines->len; i++)
    {
      const char *line = lines->pdata[i];
      gboolean ok = g_str_has_prefix (line, "for ") ? repeat (line, texts, call, depth, error)
                                                    : do_line (line, texts, call, depth, error);
      if (!ok)
        {
          g_prefix_error (error, "%s: ", self->name);
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
sluice_template_expand (const SluiceTemplate *self,
                        const char *section,
                        SluiceTemplateValues *texts,
                        SluiceCommandCall *call,
                        GError **error)
{
  return expand_section (self, section, texts, call, 0, error);
}
