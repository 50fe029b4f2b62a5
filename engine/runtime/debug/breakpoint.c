/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/debug/breakpoint.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/statistics.h"
#include "engine/graph/intern.h"

#define CONDITIONS                                                                                 \
  "'nonfinite', '|x| > 10', 'shape is [2,?]', 'shape is not [2,?]', 'step >= 100' or 'hits >= 3'"

/* ---- from text ---- */

static gboolean
parse_place (SluiceBreakpoint *self, const char *place, GError **error)
{
  gsize length = strlen (place);
  const char *colon = strrchr (place, ':');
  g_autofree char *name = NULL;
  guint64 port;
  self->port = -1;
  if (length == 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "name a node, an edge as NODE:1, a scope as SCOPE/, or * for all nodes");
  if (strchr (place, ' ') != NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is no place: behind it stands ' if ' and a condition", place);
  self->is_scope = g_str_equal (place, "*") || place[length - 1] == '/';
  if (self->is_scope)
    name = g_strndup (place, length - 1);
  else if (colon == NULL)
    name = g_strdup (place);
  else if (g_ascii_string_to_unsigned (colon + 1, 10, 0, G_MAXUINT16, &port, NULL))
    {
      name = g_strndup (place, (gsize) (colon - place));
      self->port = (int) port;
    }
  else
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is no edge: behind the colon stands the number of an output", place);
  self->name = sluice_intern (name);
  return TRUE;
}

/* The rest of the text where it begins with these words, whatever blanks are between. (nullable) */
static const char *
after_words (const char *text, const char *words)
{
  for (; *words != '\0'; words++)
    {
      while (*text == ' ')
        text++;
      if (*words == ' ')
        continue;
      if (*text++ != *words)
        return NULL;
    }
  while (*text == ' ')
    text++;
  return text;
}

/* "[2,?]" */
static gboolean
parse_shape (const char *text, SluiceShape *shape, GError **error)
{
  gsize length = strlen (text);
  gint64 dims[SLUICE_MAX_RANK + 1];
  gsize rank = 0;
  gboolean ok = length >= 2 && text[0] == '[' && text[length - 1] == ']';
  g_autofree char *inner = ok ? g_strndup (text + 1, length - 2) : NULL;
  g_auto (GStrv) parts = ok && *g_strstrip (inner) != '\0' ? g_strsplit (inner, ",", -1) : NULL;
  for (guint i = 0; parts != NULL && parts[i] != NULL && ok && rank <= SLUICE_MAX_RANK; i++)
    {
      const char *part = g_strstrip (parts[i]);
      guint64 dim = 0;
      gboolean any = g_str_equal (part, "?");
      ok = any || g_ascii_string_to_unsigned (part, 10, 0, G_MAXINT64, &dim, NULL);
      dims[rank++] = any ? SLUICE_UNKNOWN_DIM : (gint64) dim;
    }
  if (!ok)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is no shape: write it as [2,?], where ? is any size", text);
  return sluice_shape_make (shape, dims, rank, error);
}

static gboolean
parse_count (const char *text, guint64 *count, GError **error)
{
  if (g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, count, NULL))
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is no whole number", text);
}

static gboolean
parse_limit (SluiceBreakpoint *self, const char *text, GError **error)
{
  char *end;
  double above = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0' || isnan (above))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is no number", text);
  self->has_above = TRUE;
  self->above = above;
  return TRUE;
}

static gboolean
parse_condition (SluiceBreakpoint *self, const char *text, GError **error)
{
  const char *rest;
  if (g_str_equal (text, "nonfinite") || g_str_equal (text, "non-finite"))
    return self->non_finite = TRUE;
  if ((rest = after_words (text, "|x| >")) != NULL)
    return parse_limit (self, rest, error);
  if ((rest = after_words (text, "step >=")) != NULL)
    return parse_count (rest, &self->first_step, error);
  if ((rest = after_words (text, "hits >=")) != NULL)
    return parse_count (rest, &self->first_hit, error);
  self->shape_test = SLUICE_SHAPE_IS_NOT;
  if ((rest = after_words (text, "shape is not")) != NULL
      || (rest = after_words (text, "shape !=")) != NULL)
    return parse_shape (rest, &self->shape, error);
  self->shape_test = SLUICE_SHAPE_IS;
  if ((rest = after_words (text, "shape is")) != NULL
      || (rest = after_words (text, "shape =")) != NULL)
    return parse_shape (rest, &self->shape, error);
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "'%s' is no condition; write " CONDITIONS, text);
}

gboolean
sluice_breakpoint_parse (SluiceBreakpoint *self, const char *text, GError **error)
{
  SluiceBreakpoint parsed = { .port = -1 };
  const char *condition = strstr (text, " if ");
  g_autofree char *place =
      condition != NULL ? g_strndup (text, (gsize) (condition - text)) : g_strdup (text);
  if (!parse_place (&parsed, g_strstrip (place), error))
    return FALSE;
  g_auto (GStrv) parts = condition != NULL ? g_strsplit (condition + 4, " and ", -1) : NULL;
  for (guint i = 0; parts != NULL && parts[i] != NULL; i++)
    if (!parse_condition (&parsed, g_strstrip (parts[i]), error))
      return FALSE;
  *self = parsed;
  return TRUE;
}

/* ---- to text ---- */

static void add_condition (GString *text, guint *n, const char *format, ...) G_GNUC_PRINTF (3, 4);

static void
add_condition (GString *text, guint *n, const char *format, ...)
{
  va_list args;
  g_string_append (text, (*n)++ == 0 ? " if " : " and ");
  va_start (args, format);
  g_string_append_vprintf (text, format, args);
  va_end (args);
}

char *
sluice_breakpoint_dup_place (const SluiceBreakpoint *self)
{
  if (self->is_scope)
    return g_strconcat (self->name, *self->name == '\0' ? "*" : "/", NULL);
  return self->port >= 0 ? g_strdup_printf ("%s:%d", self->name, self->port)
                         : g_strdup (self->name);
}

char *
sluice_breakpoint_to_text (const SluiceBreakpoint *self)
{
  g_autofree char *place = sluice_breakpoint_dup_place (self);
  GString *text = g_string_new (place);
  char number[G_ASCII_DTOSTR_BUF_SIZE], shape[SLUICE_SHAPE_STR];
  guint n = 0;
  if (self->non_finite)
    add_condition (text, &n, "nonfinite");
  if (self->has_above)
    add_condition (text, &n, "|x| > %s", g_ascii_dtostr (number, sizeof number, self->above));
  if (self->shape_test != SLUICE_SHAPE_ANY)
    add_condition (text, &n, "shape is %s%s", self->shape_test == SLUICE_SHAPE_IS_NOT ? "not " : "",
                   sluice_shape_str (&self->shape, shape));
  if (self->first_step > 0)
    add_condition (text, &n, "step >= %" G_GUINT64_FORMAT, self->first_step);
  if (self->first_hit > 1)
    add_condition (text, &n, "hits >= %" G_GUINT64_FORMAT, self->first_hit);
  return g_string_free (text, FALSE);
}

/* ---- values ---- */

gboolean
sluice_breakpoint_is_behind (const SluiceBreakpoint *self)
{
  return self->port >= 0 || self->non_finite || self->has_above
         || self->shape_test != SLUICE_SHAPE_ANY;
}

static gboolean
has_shape (const SluiceBreakpoint *self, const SluiceTensor *value)
{
  return self->shape.rank == value->shape.rank
         && sluice_shape_compatible (&self->shape, &value->shape);
}

gboolean
sluice_breakpoint_fits (const SluiceBreakpoint *self, const SluiceTensor *value)
{
  SluiceStatistics values;
  if (self->shape_test != SLUICE_SHAPE_ANY
      && has_shape (self, value) != (self->shape_test == SLUICE_SHAPE_IS))
    return FALSE;
  if (!self->non_finite && !self->has_above)
    return TRUE;
  if (!sluice_tensor_get_statistics (value, &values))
    return FALSE;
  if (self->non_finite && values.n_non_finite == 0)
    return FALSE;
  return !self->has_above || values.n_non_finite > 0 || values.max > self->above
         || values.min < -self->above;
}
