/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/failure-words.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/base/error.h"

/* (nullable): of what is known to help. Others' messages say what to change. */
static const char *
find_advice (const GError *error)
{
  if (error->domain != SLUICE_ERROR)
    return NULL;
  if (strstr (error->message, "NaN") != NULL || strstr (error->message, "infinit") != NULL)
    return _ ("Lower the learning rate, clip the gradient, or look at that node's inputs.");
  switch ((SluiceError) error->code)
    {
    case SLUICE_ERROR_RESOURCE_EXHAUSTED:
      return _ ("Make the batch smaller or the device's memory limit larger.");
    case SLUICE_ERROR_FAILED_PRECONDITION:
      if (sluice_error_get_place (error).node == NULL)
        return NULL; /* it says itself what to do: data that have changed, a graph that has */
      return _ ("See that what it needs is initialised before it runs.");
    case SLUICE_ERROR_UNIMPLEMENTED:
    case SLUICE_ERROR_NOT_FOUND:
      return _ ("See that it is spelt right, or load a plugin that brings it.");
    default:
      return NULL;
    }
}

char *
sluice_failure_sentence (const char *said)
{
  g_autofree char *message = g_strstrip (g_strdup (said));
  gunichar first = g_utf8_get_char_validated (message, -1);
  GString *text = g_string_new (NULL);
  const char *word_end = message + strspn (message, "abcdefghijklmnopqrstuvwxyz");
  /* A name stays as it is written: only a plain word gets its capital. */
  if (word_end > message && (*word_end == ' ' || *word_end == ','))
    {
      g_string_append_unichar (text, g_unichar_toupper (first));
      g_string_append (text, g_utf8_next_char (message));
    }
  else
    g_string_append (text, message);
  if (text->len > 0 && strchr (".!?", text->str[text->len - 1]) == NULL)
    g_string_append_c (text, '.');
  return g_string_free (text, FALSE);
}

char *
sluice_failure_words (const GError *error)
{
  const char *advice = find_advice (error);
  g_autofree char *sentence = sluice_failure_sentence (error->message);
  return advice != NULL ? g_strdup_printf ("%s %s", sentence, advice) : g_steal_pointer (&sentence);
}
