/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/import.h"

/* What an import says of itself to a person. All (transfer full). */

/* A kind of what is counted, by its name in JSON: "scalars". */
typedef struct
{
  const char *name;
  SluiceSeriesKind kind;
  const char *one, *many; /* for ngettext(), with the number */
} SluiceImportCount;
extern const SluiceImportCount sluice_import_counts[];
extern const guint sluice_n_import_counts;

/* "3 scalars, 1 image", or that there is nothing new. */
char *sluice_import_words_dup_counts (const guint64 *n_of_kind);
/* File, byte and what is wrong. */
char *sluice_import_words_dup_damage (const SluiceDamage *damage);
