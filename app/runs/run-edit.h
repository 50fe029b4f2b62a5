/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/runs.h"

/*
 * Something that people change about runs, one or many at once, with what was before: it can be
 * taken back and done again.
 */
typedef enum
{
  SLUICE_RUN_EDIT_STAR,
  SLUICE_RUN_EDIT_TAG,
  SLUICE_RUN_EDIT_NAME,
  SLUICE_RUN_EDIT_NOTES,
  SLUICE_RUN_EDIT_COLOR,
  SLUICE_RUN_EDIT_TRASH,
} SluiceRunEditKind;

typedef struct _SluiceRunEdit SluiceRunEdit;

/* tag: (nullable): which, of a SLUICE_RUN_EDIT_TAG */
SluiceRunEdit *sluice_run_edit_new (SluiceRunEditKind kind, const char *tag);
SluiceRunEdit *sluice_run_edit_ref (SluiceRunEdit *self);
void sluice_run_edit_unref (SluiceRunEdit *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceRunEdit, sluice_run_edit_unref)

/* What the run has now, and what it is to have. Of star, tag and trash, whose values are yes and
 * no, a text means yes and NULL no. Equal ones are left out. */
void sluice_run_edit_add (SluiceRunEdit *self,
                          const SluiceRunInfo *run,
                          const char *before,
                          const char *after);
guint sluice_run_edit_get_n_runs (const SluiceRunEdit *self);
SluiceRunEditKind sluice_run_edit_get_kind (const SluiceRunEdit *self);
/* (transfer full): what was done, for a message: "“lenet-2” is in the trash". */
char *sluice_run_edit_dup_words (const SluiceRunEdit *self);

/**
 * sluice_run_edit_apply:
 * @back: what was done is taken back
 *
 * On a worker. Writes to the store and to the folders of the runs. Where one of many runs cannot be
 * changed, the others before it are, and only they are changed back later. A run that is being
 * trained stays out of the trash.
 */
gboolean
sluice_run_edit_apply (SluiceRunEdit *self, SluiceStore *store, gboolean back, GError **error);
