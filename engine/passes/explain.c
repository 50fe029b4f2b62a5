/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/explain.h"

#include "engine/passes/pipeline.h"

/* "fusion, ordered": what the pass needs that is not wanted. (transfer full) */
static char *
list_missing (const SluicePass *pass, const SluicePassOptions *options)
{
  static const char *const names[] = { "optimize", "leaving nodes out (no NaN guard)",
                                       "fusion",   "recompute",
                                       "ordered",  "order_seed",
                                       "fit" };
  g_autoptr (GPtrArray) missing = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (pass->enabled & ~options->wishes & 1u << i)
      g_ptr_array_add (missing, (gpointer) names[i]);
  g_ptr_array_add (missing, NULL);
  return g_strjoinv (", ", (char **) missing->pdata);
}

static const SluicePass *
find_enabled (const SluicePassOptions *options, const char *name, GError **error)
{
  const SluicePass *pass = sluice_passes_find (name);
  if (!pass)
    {
      guint n;
      const SluicePass *const *passes = sluice_passes_list (&n);
      g_autoptr (GString) names = g_string_new (passes[0]->name);
      for (guint i = 1; i < n; i++)
        g_string_append_printf (names, ", %s", passes[i]->name);
      sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there is no pass '%s'; there are %s", name,
                   names->str);
      return NULL;
    }
  if (sluice_pass_is_enabled (pass, options))
    return pass;
  g_autofree char *missing = list_missing (pass, options);
  sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
               "the pass '%s' does not run in such a session: it lacks the option %s", name,
               missing);
  return NULL;
}

SluiceExplanation *
sluice_passes_explain (const SluicePassOptions *options, const char *name, GError **error)
{
  guint n;
  const SluicePass *const *passes = sluice_passes_list (&n);
  const SluicePass *pass = find_enabled (options, name, error);
  if (!pass)
    return NULL;
  g_autoptr (SluiceWork) work = sluice_work_new (options->devices, options->max_rank);
  for (; *passes != pass; passes++)
    if (sluice_pass_is_enabled (*passes, options)
        && !sluice_pass_run (*passes, work, options, error))
      return NULL;
  g_autoptr (SluiceWorkText) before = sluice_work_text_new (work);
  if (!sluice_pass_run (pass, work, options, error))
    return NULL;
  SluiceExplanation *self = g_new (SluiceExplanation, 1);
  *self = (SluiceExplanation){ .pass = pass,
                               .before = g_steal_pointer (&before),
                               .after = sluice_work_text_new (work) };
  self->changes = sluice_work_diff (self->before, self->after);
  return self;
}

void
sluice_explanation_free (SluiceExplanation *self)
{
  if (!self)
    return;
  g_array_unref (self->changes);
  sluice_work_text_free (self->before);
  sluice_work_text_free (self->after);
  g_free (self);
}
