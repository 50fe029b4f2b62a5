/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "api/workspace-options.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/base/suggest.h"
#include "engine/train/sweep.h"

#define LAUNCH SLUICE_WORKSPACE_LAUNCH
#define SWEEP  SLUICE_WORKSPACE_SWEEP
#define FORK   SLUICE_WORKSPACE_FORK

typedef struct
{
  const char *name;
  const char *type; /* "s", "x" or "b", as GVariant has it */
  gsize offset;     /* in SluiceWorkspaceOptions */
  guint calls;
  gint64 least, most; /* of a number */
} Option;

static const Option table[] = {
#define FIELD(field) G_STRUCT_OFFSET (SluiceWorkspaceOptions, field)
  { "name", "s", FIELD (name), LAUNCH | FORK, 0, 0 },
  { "group", "s", FIELD (group), LAUNCH | SWEEP, 0, 0 },
  { "after", "s", FIELD (after), LAUNCH | FORK, 0, 0 },
  { "method", "s", FIELD (method), SWEEP, 0, 0 },
  { "metric", "s", FIELD (metric), SWEEP, 0, 0 },
  { "direction", "s", FIELD (direction), SWEEP, 0, 0 },
  { "trials", "x", FIELD (n_trials), SWEEP, 1, SLUICE_SWEEP_MAX_TRIALS },
  { "seed", "x", FIELD (seed), SWEEP, 0, G_MAXINT64 },
  { "one-of", "x", FIELD (one_of), SWEEP, 2, 1000 },
  { "first-rung", "x", FIELD (first_rung), SWEEP, 1, G_MAXINT32 },
  { "accept-changed-data", "b", FIELD (accept_changed_data), FORK, 0, 0 },
#undef FIELD
};

static const Option *
find (const char *name, guint call, GError **error)
{
  const char *known[G_N_ELEMENTS (table)];
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      known[i] = (table[i].calls & call) != 0 ? table[i].name : NULL;
      if (known[i] != NULL && strcmp (known[i], name) == 0)
        return &table[i];
    }
  const char *hint = sluice_suggest_name (name, known, G_N_ELEMENTS (known));
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "there is no option '%s' here%s%s%s", name,
               hint != NULL ? "; did you mean '" : "", hint != NULL ? hint : "",
               hint != NULL ? "'?" : "");
  return NULL;
}

static gboolean
set (SluiceWorkspaceOptions *self, const Option *option, GVariant *value, GError **error)
{
  gpointer field = (guint8 *) self + option->offset;
  g_autofree char *shown = g_variant_print (value, FALSE);
  if (!g_variant_is_of_type (value, G_VARIANT_TYPE (option->type)))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "option %s=%s: must be %s",
                        option->name, shown,
                        *option->type == 's'   ? "a text"
                        : *option->type == 'x' ? "a whole number (of 64 bits)"
                                               : "true or false");
  if (*option->type == 's')
    *(const char **) field = g_variant_get_string (value, NULL);
  else if (*option->type == 'b')
    *(gboolean *) field = g_variant_get_boolean (value);
  else
    {
      gint64 number = g_variant_get_int64 (value);
      if (number < option->least || number > option->most)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "option %s=%s: must be %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                            option->name, shown, option->least, option->most);
      *(gint64 *) field = number;
    }
  return TRUE;
}

gboolean
sluice_workspace_options_read (SluiceWorkspaceOptions *self,
                               GVariant *options,
                               guint call,
                               GError **error)
{
  *self = (SluiceWorkspaceOptions){ .seed = 1 };
  if (options == NULL)
    return TRUE;
  self->held = g_variant_ref_sink (options);
  if (!g_variant_is_of_type (options, G_VARIANT_TYPE_VARDICT))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "options of type '%s': a dictionary a{sv} is wanted",
                        g_variant_get_type_string (options));
  GVariantIter iter;
  const char *name;
  GVariant *boxed;
  g_variant_iter_init (&iter, options);
  while (g_variant_iter_next (&iter, "{&sv}", &name, &boxed))
    {
      g_autoptr (GVariant) value = boxed;
      const Option *option = find (name, call, error);
      if (option == NULL || !set (self, option, value, error))
        return FALSE;
    }
  return TRUE;
}

void
sluice_workspace_options_clear (SluiceWorkspaceOptions *self)
{
  g_clear_pointer (&self->held, g_variant_unref);
}
