/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/*
 * A checksum of each example of a data set (CRC-32C, so that no change of 32 bits or less in a row
 * goes unnoticed): with them a changed file tells which of its examples are others now. Made when a
 * run begins, in one pass over the data; no step costs more for them. They lie in the workspace's
 * folder "examples" in files that are named by the SHA-256 of what they hold, so that runs over the
 * same data share them.
 */
typedef struct
{
  gint64 n;      /* examples */
  guint32 *sums; /* (array length=n) */
} SluiceExampleSums;

/* More examples than this have none: the file would be as large as a checkpoint. */
#define SLUICE_EXAMPLE_SUMS_MOST ((gint64) 1 << 20)

/* (nullable): of values[n, ...]; NULL: there are too many. */
SluiceExampleSums *sluice_example_sums_new (const SluiceTensor *values);
void sluice_example_sums_free (SluiceExampleSums *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceExampleSums, sluice_example_sums_free)

/* hash: (out) (transfer full): finds them again. */
gboolean sluice_example_sums_write (const SluiceExampleSums *self,
                                    const char *workspace,
                                    char **hash,
                                    GError **error);
/* (nullable): NULL where they are gone or damaged, which is no error. */
SluiceExampleSums *sluice_example_sums_read (const char *workspace, const char *hash);

/* Numbers of the examples that are others in now than in before; of two lengths those that both
 * have. (transfer full) (element-type gint64) */
GArray *sluice_example_sums_compare (const SluiceExampleSums *before, const SluiceExampleSums *now);
