/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/import-words.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

const SluiceImportCount sluice_import_counts[] = {
  { "scalars", SLUICE_SERIES_SCALAR, N_ ("%" PRIu64 " scalar"), N_ ("%" PRIu64 " scalars") },
  { "histograms", SLUICE_SERIES_HISTOGRAM, N_ ("%" PRIu64 " histogram"),
    N_ ("%" PRIu64 " histograms") },
  { "images", SLUICE_SERIES_IMAGE, N_ ("%" PRIu64 " image"), N_ ("%" PRIu64 " images") },
  { "audio", SLUICE_SERIES_AUDIO, N_ ("%" PRIu64 " audio clip"), N_ ("%" PRIu64 " audio clips") },
  { "texts", SLUICE_SERIES_TEXT, N_ ("%" PRIu64 " text"), N_ ("%" PRIu64 " texts") },
  { "tensors", SLUICE_SERIES_TENSOR, N_ ("%" PRIu64 " tensor"), N_ ("%" PRIu64 " tensors") },
  { "pr_curves", SLUICE_SERIES_PR_CURVE, N_ ("%" PRIu64 " PR curve"),
    N_ ("%" PRIu64 " PR curves") },
  { "hparams", SLUICE_SERIES_HPARAMS, N_ ("%" PRIu64 " record of hyper-parameters"),
    N_ ("%" PRIu64 " records of hyper-parameters") },
  { "graphs", SLUICE_SERIES_GRAPH, N_ ("%" PRIu64 " graph"), N_ ("%" PRIu64 " graphs") },
  { "run_metadata", SLUICE_SERIES_RUN_METADATA, N_ ("RunMetadata of %" PRIu64 " step"),
    N_ ("RunMetadata of %" PRIu64 " steps") },
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
  return g_strdup_printf (_ ("“%s”, byte %" PRIu64 ": %s"), file, damage->offset, damage->what);
}
