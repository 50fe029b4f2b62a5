/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/comparison.h"
#include "engine/train/project.h"

/**
 * sluice_compare_project:
 * @path: a checkpoint or .npz file
 *
 * What the project's graph computes beside the tensors of the file, by the tolerance of their
 * dtypes: initialised as the project says, and fed with what the file has for its placeholders. Any
 * thread.
 *
 * Returns: (transfer full) (nullable): as sluice_compare()
 */
SluiceComparison *
sluice_compare_project (const SluiceProject *project, const char *path, GError **error);
