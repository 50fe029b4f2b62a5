/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/command/problems.h"
#include "engine/train/project.h"

/* What a project does with its graph, as problems are judged by it. Counted, not by atomics. */
typedef struct
{
  GStrv fed, run;
  SluiceProblemContext context; /* the same */
} SluiceProjectEnds;

/* What steps run or read, evaluations and summaries among them: nodes and edges. (transfer full) */
char **sluice_project_dup_step_ends (const SluiceProject *project);

/* (transfer full) */
SluiceProjectEnds *sluice_project_ends_new (const SluiceProject *project);
/* self: (nullable) */
SluiceProjectEnds *sluice_project_ends_ref (SluiceProjectEnds *self);
void sluice_project_ends_unref (SluiceProjectEnds *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceProjectEnds, sluice_project_ends_unref)

/* self: (nullable). (nullable) (transfer none) */
const SluiceProblemContext *sluice_project_ends_get_context (const SluiceProjectEnds *self);
