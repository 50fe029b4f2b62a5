/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/io/parse-feature.h"

typedef Sluice__Example__FeatureList SluiceFeatureList;

/* What was found in some examples, and where it goes: outputs of the call. */
typedef struct
{
  SluiceKernelCall *call;
  gboolean is_single; /* one example, and no dimension for it */
  gint64 n;           /* examples */
  guint n_wants, n_lists;
  const SluiceFeature **found;     /* n · n_wants; NULL: missing */
  const SluiceFeatureList **lists; /* n · n_lists; NULL: missing */
} SluiceExampleBatch;

/* Each writes one want's outputs; index is its number among wants or lists. The first output is
 * `output`, further ones are `step` apart: all first ones, then all second ones. */
gboolean sluice_example_batch_give_sparse (const SluiceExampleBatch *self,
                                           guint index,
                                           guint output,
                                           guint step);
gboolean sluice_example_batch_give_dense (const SluiceExampleBatch *self,
                                          guint index,
                                          const SluiceWant *want,
                                          guint output);
gboolean sluice_example_batch_give_ragged (const SluiceExampleBatch *self,
                                           guint index,
                                           guint output,
                                           guint step,
                                           const SluiceShape *single_splits);
gboolean sluice_example_batch_give_list_sparse (const SluiceExampleBatch *self,
                                                guint index,
                                                guint output,
                                                guint step);
/* With the numbers of steps behind, where step is not 0. */
gboolean sluice_example_batch_give_list_dense (
    const SluiceExampleBatch *self, guint index, const SluiceWant *want, guint output, guint step);
gboolean sluice_example_batch_give_list_ragged (const SluiceExampleBatch *self,
                                                guint index,
                                                guint output,
                                                guint step);
