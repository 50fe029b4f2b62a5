/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/import-words.h"

#include <glib/gi18n-lib.h>

const SluiceImportCount sluice_import_counts[] = {
  { "scalars", SLUICE_SERIES_SCALAR, N_ ("%" G_GUINT64_FORMAT " scalar"),
    N_ ("%" G_GUINT64_FORMAT " scalars") },
  { "histograms", SLUICE_SERIES_HISTOGRAM, N_ ("%" G_GUINT64_FORMAT " histogram"),
    N_ ("%" G_GUINT64_FORMAT " histograms") },
  { "images", SLUICE_SERIES_IMAGE, N_ ("%" G_GUINT64_FORMAT " image"),
    N_ ("%" G_GUINT64_FORMAT " images") },
  { "audio", SLUICE_SERIES_AUDIO, N_ ("%" G_GUINT64_FORMAT " audio clip"),
    N_ ("%" G_GUINT64_FORMAT " audio clips") },
  { "texts", SLUICE_SERIES_TEXT, N_ ("%" G_GUINT64_FORMAT " text"),
    N_ ("%" G_GUINT64_FORMAT " texts") },
  { "tensors", SLUICE_SERIES_TENSOR, N_ ("%" G_GUINT64_FORMAT " tensor"),
    N_ ("%" G_GUINT64_FORMAT " tensors") },
  { "pr_curves", SLUICE_SERIES_PR_CURVE, N_ ("%" G_GUINT64_FORMAT " PR curve"),
    N_ ("%" G_GUINT64_FORMAT " PR curves") },
  { "hparams", SLUICE_SERIES_HPARAMS, N_ ("%" G_GUINT64_FORMAT " record of hyper-parameters"),
    N_ ("%" G_GUINT64_FORMAT " records of hyper-parameters") },
  { "graphs", SLUICE_SERIES_GRAPH, N_ ("%" G_GUINT64_FORMAT " graph"),
    N_ ("%" G_GUINT64_FORMAT " graphs") },
  { "run_metadata", SLUICE_SERIES_RUN_METADATA, N_ ("RunMetadata of %" G_GUINT64_FORMAT " step"),
    N_ ("RunMetadata of %" G_GUINT64_FORMAT " steps") },
};
const guint sluice_n_import_counts = G_N_ELEMENTS (sluice_import_counts);

char *
sluice_import_words_dup_counts (const guint64 *n_of_kind)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < sluice_n_import_counts; i++)
    {
      const SluiceImportCount *count = &sluice_import_counts[i];
      guint64 n = n_of_kind[count->kind];
      if (n == 0)
        continue;
      g_string_append (text, text->len > 0 ? ", " : "");
      g_string_append_printf (text, ngettext (count->one, count->many, MIN (n, G_MAXINT)), n);
    }
  return g_strdup (text->len > 0 ? text->str : _ ("nothing new"));
}

char *
sluice_import_words_dup_damage (const SluiceDamage *damage)
{
  g_autofree char *file = g_filename_display_name (damage->file);
  return g_strdup_printf (_ ("“%s”, byte %" G_GUINT64_FORMAT ": %s"), file, damage->offset,
                          damage->what);
}
