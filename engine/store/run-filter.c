/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/run-filter.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/suggest.h"
#include "engine/store/kinds/hparams.h"

typedef enum
{
  SIGN_LESS,
  SIGN_AT_MOST,
  SIGN_MORE,
  SIGN_AT_LEAST,
  SIGN_IS,
  SIGN_IS_NOT,
} Sign;

/* Longer ones before those that they begin with. */
static const struct
{
  const char *text;
  Sign sign;
} signs[] = {
  { "<=", SIGN_AT_MOST }, { ">=", SIGN_AT_LEAST }, { "!=", SIGN_IS_NOT },
  { "<", SIGN_LESS },     { ">", SIGN_MORE },      { "=", SIGN_IS },
};

struct _Term;
typedef gboolean (*TermFunc) (const struct _Term *term, const SluiceRunEntry *row);

typedef struct _Term
{
  TermFunc matches;
  gboolean is_negated;
  char *name; /* (nullable): what is compared */
  char *text; /* casefolded where it is looked for, as it stands where it is compared */
  Sign sign;
  double number; /* NAN: text is none */
} Term;

struct _SluiceRunFilter
{
  GPtrArray *terms; /* of Term: all must match */
};

static void
term_free (gpointer data)
{
  Term *self = data;
  g_free (self->name);
  g_free (self->text);
  g_free (self);
}

/* ---- words ---- */

static gboolean
has_words (const char *text, const char *folded)
{
  if (text == NULL)
    return FALSE;
  g_autofree char *own = g_utf8_casefold (text, -1);
  return strstr (own, folded) != NULL;
}

static gboolean
begins_with (const char *text, const char *folded)
{
  if (text == NULL)
    return FALSE;
  g_autofree char *own = g_utf8_casefold (text, -1);
  return g_str_has_prefix (own, folded);
}

static gboolean
match_words (const Term *term, const SluiceRunEntry *row)
{
  const SluiceRunInfo *info = row->info;
  for (guint i = 0; info->tags != NULL && info->tags[i] != NULL; i++)
    if (has_words (info->tags[i], term->text))
      return TRUE;
  return has_words (info->name, term->text) || has_words (info->project, term->text)
         || has_words (info->group, term->text) || has_words (info->notes, term->text);
}

/* ---- KEY:TEXT ---- */

static gboolean
match_tag (const Term *term, const SluiceRunEntry *row)
{
  for (guint i = 0; row->info->tags != NULL && row->info->tags[i] != NULL; i++)
    if (begins_with (row->info->tags[i], term->text))
      return TRUE;
  return FALSE;
}

static gboolean
match_state (const Term *term, const SluiceRunEntry *row)
{
  return begins_with (sluice_run_state_name (row->info->state), term->text);
}

static gboolean
match_project (const Term *term, const SluiceRunEntry *row)
{
  return begins_with (row->info->project, term->text);
}

static gboolean
match_group (const Term *term, const SluiceRunEntry *row)
{
  return begins_with (row->info->group, term->text);
}

static gboolean
match_name (const Term *term, const SluiceRunEntry *row)
{
  return begins_with (row->info->name, term->text);
}

static gboolean
match_is (const Term *term, const SluiceRunEntry *row)
{
  return strcmp (term->text, "starred") == 0 ? row->info->is_starred : row->info->parent != 0;
}

static const struct
{
  const char *name;
  TermFunc matches;
} keys[] = {
  { "tag", match_tag },     { "state", match_state }, { "project", match_project },
  { "group", match_group }, { "name", match_name },   { "is", match_is },
};

/* ---- NAME SIGN VALUE ---- */

static gboolean
compare_numbers (Sign sign, double a, double b)
{
  switch (sign)
    {
    case SIGN_LESS:
      return a < b;
    case SIGN_AT_MOST:
      return a <= b;
    case SIGN_MORE:
      return a > b;
    case SIGN_AT_LEAST:
      return a >= b;
    case SIGN_IS:
      return a == b;
    case SIGN_IS_NOT:
      return a != b;
    }
  g_assert_not_reached ();
}

static gboolean
compare_texts (const Term *term, const char *text)
{
  return (strcmp (text, term->text) == 0) == (term->sign == SIGN_IS);
}

static gboolean
compare_setting (const Term *term, const SluiceSetting *setting)
{
  if (setting->text == NULL && !isnan (term->number))
    return compare_numbers (term->sign, setting->number, term->number);
  if (term->sign != SIGN_IS && term->sign != SIGN_IS_NOT)
    return FALSE;
  return setting->text != NULL ? compare_texts (term, setting->text) : term->sign == SIGN_IS_NOT;
}

/* Numbers that every run has. */
static gboolean
find_own_number (const SluiceRunInfo *info, const char *name, double *value)
{
  const struct
  {
    const char *name;
    double value;
  } own[] = { { "step", (double) info->step },
              { "steps", (double) info->n_steps },
              { "seed", (double) info->seed },
              { "seconds", info->seconds } };
  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    if (strcmp (own[i].name, name) == 0)
      {
        *value = own[i].value;
        return TRUE;
      }
  return FALSE;
}

static gboolean
match_value (const Term *term, const SluiceRunEntry *row)
{
  double own;
  for (guint i = 0; i < row->settings->len; i++)
    {
      const SluiceSetting *setting = row->settings->pdata[i];
      if (strcmp (setting->name, term->name) == 0)
        return compare_setting (term, setting);
    }
  for (guint i = 0; i < row->results->len; i++)
    {
      const SluiceRunResult *result = row->results->pdata[i];
      if (strcmp (result->tag, term->name) == 0)
        return compare_numbers (term->sign, result->last, term->number);
    }
  return find_own_number (row->info, term->name, &own)
         && compare_numbers (term->sign, own, term->number);
}

/* ---- parsing ---- */

static double
parse_number (const char *text)
{
  char *end;
  double number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' ? number : NAN;
}

/* Up to a blank or one of the characters of stops; what stands in double quotes is taken whole.
 * (transfer full) (nullable): NULL: a quote is not closed. */
static char *
take_word (const char **at, const char *stops)
{
  GString *word = g_string_new (NULL);
  gboolean quoted = FALSE;
  for (; **at != '\0' && (quoted || (!g_ascii_isspace (**at) && strchr (stops, **at) == NULL));
       (*at)++)
    if (**at == '"')
      quoted = !quoted;
    else
      g_string_append_c (word, **at);
  return g_string_free (word, quoted);
}

static void
skip_blanks (const char **at)
{
  while (g_ascii_isspace (**at))
    (*at)++;
}

static gboolean
take_sign (const char **at, Sign *sign)
{
  for (guint i = 0; i < G_N_ELEMENTS (signs); i++)
    if (g_str_has_prefix (*at, signs[i].text))
      {
        *sign = signs[i].sign;
        *at += strlen (signs[i].text);
        return TRUE;
      }
  return FALSE;
}

static gboolean
unclosed (GError **error)
{
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "a quotation mark is opened and not closed");
}

/* Takes name. */
static gboolean
parse_comparison (Term *term, char *name, const char **at, GError **error)
{
  term->name = name;
  term->matches = match_value;
  skip_blanks (at);
  term->text = take_word (at, "");
  if (term->text == NULL)
    return unclosed (error);
  if (*term->name == '\0')
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a name is missing before the sign of comparison, as in lr<0.1");
  term->number = parse_number (term->text);
  if (isnan (term->number) && term->sign != SIGN_IS && term->sign != SIGN_IS_NOT)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is compared with '%s', which is no number", term->name, term->text);
  return TRUE;
}

static gboolean
parse_key (Term *term, const char *key, const char **at, GError **error)
{
  const char *known[G_N_ELEMENTS (keys)];
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      known[i] = keys[i].name;
      if (strcmp (keys[i].name, key) == 0)
        term->matches = keys[i].matches;
    }
  const char *like = sluice_suggest_name (key, known, G_N_ELEMENTS (known));
  g_autofree char *hint = like != NULL
                              ? g_strdup_printf ("did you mean '%s:'?", like)
                              : g_strdup ("there are tag, state, project, group, name and is");
  if (term->matches == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s:' is not known (words with a colon stand in quotation marks); %s", key,
                        hint);
  g_autofree char *word = take_word (at, "");
  if (word == NULL)
    return unclosed (error);
  term->text = g_utf8_casefold (word, -1);
  if (term->matches == match_is && strcmp (term->text, "starred") != 0
      && strcmp (term->text, "forked") != 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'is:%s' is not known; there are is:starred and is:forked", word);
  return TRUE;
}

static gboolean
parse_term (Term *term, const char **at, GError **error)
{
  term->is_negated = **at == '-' && (*at)[1] != '\0' && !g_ascii_isspace ((*at)[1]);
  *at += term->is_negated;
  gboolean starts_quoted = **at == '"';
  g_autofree char *word = take_word (at, starts_quoted ? "<>=!" : "<>=!:");
  if (word == NULL)
    return unclosed (error);
  if (**at == ':' && !starts_quoted)
    {
      (*at)++;
      return parse_key (term, word, at, error);
    }
  const char *behind = *at;
  skip_blanks (&behind);
  if (take_sign (&behind, &term->sign))
    {
      *at = behind;
      return parse_comparison (term, g_steal_pointer (&word), at, error);
    }
  if (**at == '!')
    return sluice_fail (
        error, SLUICE_ERROR_INVALID_ARGUMENT,
        "'!' stands before '=', or between quotation marks; '-' turns a term round");
  term->matches = match_words;
  term->text = g_utf8_casefold (word, -1);
  return TRUE;
}

SluiceRunFilter *
sluice_run_filter_new (const char *text, GError **error)
{
  g_autoptr (SluiceRunFilter) self = g_new0 (SluiceRunFilter, 1);
  self->terms = g_ptr_array_new_with_free_func (term_free);
  if (!g_utf8_validate (text, -1, NULL))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "the filter is no UTF-8 text");
      return NULL;
    }
  for (skip_blanks (&text); *text != '\0'; skip_blanks (&text))
    {
      Term *term = g_new0 (Term, 1);
      g_ptr_array_add (self->terms, term);
      if (!parse_term (term, &text, error))
        {
          g_prefix_error (error, "the filter: ");
          return NULL;
        }
    }
  return g_steal_pointer (&self);
}

void
sluice_run_filter_free (SluiceRunFilter *self)
{
  g_ptr_array_unref (self->terms);
  g_free (self);
}

gboolean
sluice_run_filter_matches (const SluiceRunFilter *self, const SluiceRunEntry *row)
{
  for (guint i = 0; i < self->terms->len; i++)
    {
      const Term *term = self->terms->pdata[i];
      if (term->matches (term, row) == term->is_negated)
        return FALSE;
    }
  return TRUE;
}
