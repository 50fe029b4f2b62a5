/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/parameter-note.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/text.h"

void
sluice_parameter_note_free (SluiceParameterNote *self)
{
  g_free (self->unit);
  g_free (self->help);
  g_free (self);
}

/* ---- reading ---- */

static gboolean
parse_end (const char *key, const char *part, const char *text, double *value, GError **error)
{
  char *end;
  *value = g_ascii_strtod (text, &end);
  return (end != text && *end == '\0' && isfinite (*value))
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                         "[parameters] %s: %s=%s must be a number", key, part, text);
}

/* "low=0" */
static gboolean
take_part (SluiceParameterNote *self, const char *key, char *part, GError **error)
{
  char *value = strchr (part, '=');
  if (value != NULL)
    *value++ = '\0';
  g_strstrip (part);
  if (value != NULL)
    g_strstrip (value);
  if (value != NULL && strcmp (part, "low") == 0)
    return parse_end (key, part, value, &self->low, error);
  if (value != NULL && strcmp (part, "high") == 0)
    return parse_end (key, part, value, &self->high, error);
  char **text = strcmp (part, "unit") == 0   ? &self->unit
                : strcmp (part, "help") == 0 ? &self->help
                                             : NULL;
  if (value == NULL || text == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "[parameters] %s: '%s' is not known; what is said of a parameter is unit=, "
                        "low=, high= and, last, help=",
                        key, part);
  g_free (*text);
  *text = *value != '\0' ? g_strdup (value) : NULL;
  return TRUE;
}

gboolean
sluice_parameter_note_parse (
    const char *key, const char *text, char **target, SluiceParameterNote **note, GError **error)
{
  const char *at = strchr (text, ';');
  g_autoptr (SluiceParameterNote) found = g_new0 (SluiceParameterNote, 1);
  g_autofree char *of = at != NULL ? g_strndup (text, (gsize) (at - text)) : g_strdup (text);
  found->low = found->high = NAN;
  *note = NULL;
  for (const char *next; at != NULL; at = next)
    {
      const char *part = at + 1 + strspn (at + 1, " \t");
      next = g_str_has_prefix (part, "help=") ? NULL : strchr (part, ';'); /* all that is left */
      g_autofree char *one =
          next != NULL ? g_strndup (part, (gsize) (next - part)) : g_strdup (part);
      if (!take_part (found, key, one, error))
        return FALSE;
    }
  if (found->low > found->high)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "[parameters] %s: low=%g lies above high=%g", key, found->low, found->high);
  *target = g_strstrip (g_steal_pointer (&of));
  if (found->unit != NULL || found->help != NULL || !isnan (found->low) || !isnan (found->high))
    *note = g_steal_pointer (&found);
  return TRUE;
}

/* ---- writing ---- */

static void
append_end (GString *text, const char *part, double value)
{
  g_autofree char *number = sluice_text_dup_number (value, FALSE);
  if (!isnan (value))
    g_string_append_printf (text, "; %s=%s", part, number);
}

char *
sluice_parameter_note_dup_text (const SluiceParameterNote *self, const char *target)
{
  GString *text = g_string_new (target);
  if (self == NULL)
    return g_string_free (text, FALSE);
  if (self->unit != NULL)
    g_string_append_printf (text, "; unit=%s", self->unit);
  append_end (text, "low", self->low);
  append_end (text, "high", self->high);
  if (self->help != NULL)
    g_string_append_printf (text, "; help=%s", self->help);
  return g_string_free (text, FALSE);
}

char *
sluice_parameter_note_dup_range (const SluiceParameterNote *self)
{
  g_autofree char *low = sluice_text_dup_number (self->low, FALSE);
  g_autofree char *high = sluice_text_dup_number (self->high, FALSE);
  if (isnan (self->low) && isnan (self->high))
    return NULL;
  return isnan (self->low)    ? g_strdup_printf (_ ("up to %s"), high)
         : isnan (self->high) ? g_strdup_printf (_ ("from %s on"), low)
                              : g_strdup_printf (_ ("%s to %s"), low, high);
}

gboolean
sluice_parameter_note_check (const SluiceParameterNote *self,
                             const char *key,
                             double value,
                             GError **error)
{
  g_autofree char *range = sluice_parameter_note_dup_range (self);
  g_autofree char *number = sluice_text_dup_number (value, FALSE);
  return !(value < self->low || value > self->high)
         || sluice_fail (error, SLUICE_ERROR_OUT_OF_RANGE,
                         "%s=%s lies outside its range in [parameters]: %s", key, number, range);
}
