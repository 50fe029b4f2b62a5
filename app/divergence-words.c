/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/divergence-words.h"

#include <glib/gi18n.h>

/* (transfer full) */
static char *
dup_what (const SluiceDivergence *self)
{
  if (self->mismatch != NULL)
    return g_strdup_printf (_ ("%s (%s) is the first that differs: %s."), self->tensor, self->op,
                            self->mismatch);
  if (self->place == NULL)
    return g_strdup_printf (_ ("%s (%s) is the first that differs: it was %s, is %s."),
                            self->tensor, self->op, self->was, self->is);
  return g_strdup_printf (_ ("%s (%s) is the first that differs: element %s was %s, is %s."),
                          self->tensor, self->op, self->place, self->was, self->is);
}

static char *
join (const GPtrArray *names)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  for (guint i = 0; i < names->len; i++)
    g_strv_builder_add (builder, names->pdata[i]);
  g_auto (GStrv) list = g_strv_builder_end (builder);
  return g_strjoinv (", ", list);
}

static void
add (GString *text, const char *sentence)
{
  g_string_append_printf (text, " %s", sentence);
}

char *
sluice_divergence_words (const SluiceDivergence *self)
{
  g_autofree char *what = dup_what (self);
  g_autofree char *inputs = join (self->inputs), *unknown = join (self->unknown);
  GString *text = g_string_new (what);
  if (self->variable != NULL)
    {
      g_autofree char *said = g_strdup_printf (_ ("The variable is %s."), self->variable);
      add (text, said);
    }
  else if (self->inputs->len == 0 && self->unknown->len == 0)
    add (text, _ ("It reads nothing."));
  if (self->inputs->len > 0)
    {
      g_autofree char *said = g_strdup_printf (_ ("What it reads agrees: %s."), inputs);
      add (text, said);
    }
  if (self->unknown->len > 0)
    {
      g_autofree char *said =
          g_strdup_printf (_ ("Of what it reads this was not compared: %s."), unknown);
      add (text, said);
    }
  if (self->n_others > 0)
    {
      g_autofree char *said = g_strdup_printf (
          ngettext ("%u more differs though what it reads agrees.",
                    "%u more differ though what they read agrees.", self->n_others),
          self->n_others);
      add (text, said);
    }
  return g_string_free (text, FALSE);
}
