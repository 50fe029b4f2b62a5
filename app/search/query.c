/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/search/query.h"
#include "engine/graph/scope.h"

#include <glib/gi18n.h>
#include <string.h>

typedef struct _Term Term;

/* A word that begins with a key and a colon; a name has neither. */
typedef struct
{
  const char *key;
  gboolean (*matches) (const Term *self, const SluiceNode *node);
} Field;

struct _Term
{
  const Field *field; /* NULL: a name */
  char *text;         /* behind the colon */
  GRegex *regex;      /* of names and ops */
  SluiceDType dtype;  /* of dtypes; invalid: there is no such one */
};

struct _SluiceQuery
{
  char *text;
  GPtrArray *terms;
  char *problem;
};

static gboolean
matches_op (const Term *self, const SluiceNode *node)
{
  return g_regex_match (self->regex, node->op_name, 0, NULL);
}

static gboolean
matches_device (const Term *self, const SluiceNode *node)
{
  g_autofree char *device = g_utf8_casefold (node->device, -1);
  g_autofree char *wanted = g_utf8_casefold (self->text, -1);
  return *node->device != '\0' && strstr (device, wanted) != NULL;
}

/* "64x?x10", "64×10", "64,10"; "scalar" and "" are of no dimension. */
static gboolean
fits_shape (const char *wanted, const SluiceShape *shape)
{
  g_auto (GStrv) sizes = g_regex_split_simple ("\\s*[x×,]\\s*", wanted, 0, 0);
  int n = (int) g_strv_length (sizes);
  if (g_ascii_strcasecmp (wanted, "scalar") == 0 || *wanted == '\0')
    return shape->rank == 0;
  if (shape->rank != n)
    return FALSE;
  for (int i = 0; i < n; i++)
    {
      char *end;
      gint64 size = g_ascii_strtoll (sizes[i], &end, 10);
      gboolean any = strcmp (sizes[i], "?") == 0 || strcmp (sizes[i], "*") == 0 || size == -1;
      if (!any && (*sizes[i] == '\0' || *end != '\0' || size != shape->dim[i]))
        return FALSE;
    }
  return TRUE;
}

static gboolean
matches_shape (const Term *self, const SluiceNode *node)
{
  for (guint i = 0; i < node->n_outputs; i++)
    if (fits_shape (self->text, &node->outputs[i].shape))
      return TRUE;
  return FALSE;
}

static gboolean
matches_dtype (const Term *self, const SluiceNode *node)
{
  for (guint i = 0; i < node->n_outputs; i++)
    if (sluice_dtype_base (node->outputs[i].dtype) == self->dtype)
      return TRUE;
  return FALSE;
}

/* "float32", "DT_FLOAT", and as shapes are written, "f32", "bf16". */
static SluiceDType
read_dtype (const char *text)
{
  static const struct
  {
    const char *letters, *word;
  } words[] = { { "bf", "bfloat" }, { "f", "float" }, { "i", "int" }, { "u", "uint" } };
  g_autofree char *lower = g_ascii_strdown (text, -1);
  SluiceDType dtype = sluice_dtype_from_name (text);
  if (dtype == SLUICE_INVALID)
    dtype = sluice_dtype_from_name (lower);
  if (g_str_equal (lower, "f16") || g_str_equal (lower, "float16"))
    return SLUICE_HALF;
  for (guint i = 0; i < G_N_ELEMENTS (words) && dtype == SLUICE_INVALID; i++)
    if (g_str_has_prefix (lower, words[i].letters))
      {
        g_autofree char *name =
            g_strconcat (words[i].word, lower + strlen (words[i].letters), NULL);
        dtype = sluice_dtype_from_name (name);
      }
  return dtype;
}

static gboolean
matches_scope (const Term *self, const SluiceNode *node)
{
  return sluice_name_is_below (node->name, self->text);
}

static const Field fields[] = {
  { "op", matches_op },       { "device", matches_device }, { "shape", matches_shape },
  { "dtype", matches_dtype }, { "in", matches_scope },
};

static const Field *
find_field (const char *word)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      gsize length = strlen (fields[i].key);
      if (g_ascii_strncasecmp (word, fields[i].key, length) == 0 && word[length] == ':')
        return &fields[i];
    }
  return NULL;
}

static void
take_problem (SluiceQuery *self, char *take)
{
  g_free (self->problem);
  self->problem = take;
}

/* What is no regular expression is searched for as it stands. */
static GRegex *
compile (SluiceQuery *self, const char *text)
{
  g_autoptr (GError) error = NULL;
  GRegex *regex = g_regex_new (text, G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, &error);
  if (regex != NULL)
    return regex;
  take_problem (self, g_strdup_printf (_ ("“%s” is no regular expression; it is looked for letter "
                                          "by letter"),
                                       text));
  g_autofree char *literal = g_regex_escape_string (text, -1);
  return g_regex_new (literal, G_REGEX_CASELESS, 0, NULL);
}

static void
term_free (gpointer data)
{
  Term *self = data;
  g_free (self->text);
  g_clear_pointer (&self->regex, g_regex_unref);
  g_free (self);
}

static Term *
term_new (SluiceQuery *self, const char *word)
{
  Term *term = g_new0 (Term, 1);
  term->field = find_field (word);
  term->text = g_strdup (term->field != NULL ? word + strlen (term->field->key) + 1 : word);
  if (term->field == NULL || term->field->matches == matches_op)
    term->regex = compile (self, term->text);
  else if (term->field->matches == matches_dtype)
    {
      term->dtype = read_dtype (term->text);
      if (term->dtype == SLUICE_INVALID)
        take_problem (self, g_strdup_printf (_ ("No dtype is called “%s”"), term->text));
    }
  else if (g_str_has_suffix (term->text, "/"))
    term->text[strlen (term->text) - 1] = '\0';
  return term;
}

SluiceQuery *
sluice_query_new (const char *text)
{
  SluiceQuery *self = g_new0 (SluiceQuery, 1);
  self->text = g_utf8_make_valid (text, -1);
  g_auto (GStrv) words = g_strsplit_set (self->text, " \t\n", -1);
  self->terms = g_ptr_array_new_with_free_func (term_free);
  for (char **word = words; *word != NULL; word++)
    if (**word != '\0')
      g_ptr_array_add (self->terms, term_new (self, *word));
  return self;
}

void
sluice_query_free (SluiceQuery *self)
{
  g_ptr_array_unref (self->terms);
  g_free (self->text);
  g_free (self->problem);
  g_free (self);
}

const char *
sluice_query_get_text (const SluiceQuery *self)
{
  return self->text;
}

gboolean
sluice_query_is_empty (const SluiceQuery *self)
{
  return self->terms->len == 0;
}

const char *
sluice_query_get_problem (const SluiceQuery *self)
{
  return self->problem;
}

/* A match that ends behind @last: what lies in a scope is not found by the scope's name. */
static gboolean
matches_behind (const Term *self, const char *name, int last)
{
  int end = 0;
  g_autoptr (GMatchInfo) match = NULL;
  gboolean found = FALSE;
  if (!g_utf8_validate (name, -1, NULL) || !g_regex_match (self->regex, name, 0, &match))
    return FALSE;
  do
    found = g_match_info_fetch_pos (match, 0, NULL, &end) && end > last;
  while (!found && g_match_info_next (match, NULL));
  return found;
}

static gboolean
matches_name (const Term *self, const char *name)
{
  const char *stroke = strrchr (name, '/');
  return matches_behind (self, name, stroke != NULL ? (int) (stroke + 1 - name) : 0);
}

gboolean
sluice_query_matches_node (const SluiceQuery *self, const SluiceNode *node)
{
  for (guint i = 0; i < self->terms->len; i++)
    {
      const Term *term = self->terms->pdata[i];
      if (!(term->field != NULL ? term->field->matches (term, node)
                                : matches_name (term, node->name)
                                      || g_regex_match (term->regex, node->op_name, 0, NULL)))
        return FALSE;
    }
  return self->terms->len > 0;
}

static gboolean
matches_all (const SluiceQuery *self, const char *text, gboolean anywhere)
{
  for (guint i = 0; i < self->terms->len; i++)
    {
      const Term *term = self->terms->pdata[i];
      if (term->field != NULL
              ? term->field->matches != matches_scope || !sluice_name_is_below (text, term->text)
              : !(anywhere ? matches_behind (term, text, 0) : matches_name (term, text)))
        return FALSE;
    }
  return self->terms->len > 0;
}

gboolean
sluice_query_matches_name (const SluiceQuery *self, const char *name)
{
  return matches_all (self, name, FALSE);
}

gboolean
sluice_query_matches_text (const SluiceQuery *self, const char *text)
{
  return matches_all (self, text, TRUE);
}
