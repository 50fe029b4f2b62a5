/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/replica.h"

/* Which variable of a graph gets which tensor of a checkpoint of any format, and which does not. */

typedef enum
{
  SLUICE_START_FITS,
  SLUICE_START_MISSING, /* the checkpoint has no tensor of that name */
  SLUICE_START_OTHER_SHAPE,
  SLUICE_START_OTHER_DTYPE,
  SLUICE_START_UNUSED, /* a tensor of the checkpoint that no variable takes */
} SluiceStartFit;
const char *sluice_start_fit_name (SluiceStartFit fit); /* "fits", translatable with _() */

typedef struct
{
  char *name; /* of the variable, as in a checkpoint of ours; of UNUSED the tensor */
  SluiceStartFit fit;
  SluiceDType dtype; /* of the variable; of UNUSED the tensor */
  SluiceShape shape;
  SluiceDType there_dtype; /* of the tensor; INVALID: there is none */
  SluiceShape there_shape;
  char *suggestion; /* (nullable): of MISSING: a tensor of that shape whose name ends alike, or is
                       spelt alike */
} SluiceStartRow;

typedef struct
{
  GPtrArray *rows;   /* of SluiceStartRow: variables in order of their names */
  GPtrArray *unused; /* of SluiceStartRow */
  guint n_fit;
} SluiceStartTable;

/**
 * sluice_start_table_new:
 * @replica: initialised
 *
 * Returns: (transfer full) (nullable): %NULL with NOT_FOUND or DATA_LOSS of the checkpoint
 */
SluiceStartTable *sluice_start_table_new (SluiceReplica *replica, const char *path, GError **error);
void sluice_start_table_free (SluiceStartTable *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceStartTable, sluice_start_table_free)
