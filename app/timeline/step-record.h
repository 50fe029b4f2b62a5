/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"
#include "engine/trace/trace-view.h"

/*
 * What a session traced of its last steps. Of steps that follow each other faster than they are
 * read some are lost; a step is there whole or not at all. A worker reads and makes pictures of it,
 * one at a time; a picture does not change any more, and any thread may look at it.
 */
typedef struct _SluiceStepRecord SluiceStepRecord;

#define SLUICE_RECORD_STEPS 200     /* that are kept at most */
#define SLUICE_RECORD_SPANS 2000000 /* likewise: of large graphs there are fewer steps */
#define SLUICE_LIVE_WIDTH   4       /* steps in a picture of a run at work */

SluiceStepRecord *sluice_step_record_new (SluiceSession *session);
SluiceStepRecord *sluice_step_record_ref (SluiceStepRecord *self);
void sluice_step_record_unref (SluiceStepRecord *self);
gboolean sluice_step_record_is_of (SluiceStepRecord *self, SluiceSession *session);

/* Takes up what was traced since the last call. FALSE: nothing is new. */
gboolean sluice_step_record_read (SluiceStepRecord *self);

/* How long a node ran in a step, in all iterations. */
typedef struct
{
  guint64 step;
  gint64 ns;
} SluiceStepTime;

typedef struct
{
  gatomicrefcount ref_count;
  SluiceTraceView *view;
  GArray *steps;       /* of SluiceTraceStep: all that are kept, also those that view has not */
  GHashTable *by_name; /* text of view -> GArray of guint64: spans in the order of their starts */
  gboolean is_wide;    /* view has all of the steps */
  char *node;          /* (nullable): whose times these are */
  GArray *times;       /* of SluiceStepTime, by step */
} SluiceStepPicture;

/**
 * sluice_step_record_make:
 * @is_wide: all steps, not only the last few
 * @has_ended: the last step is whole
 * @node: (nullable): of which the times in all steps are told
 */
SluiceStepPicture *sluice_step_record_make (SluiceStepRecord *self,
                                            gboolean is_wide,
                                            gboolean has_ended,
                                            const char *node);

/* Of all of a view. take_view: (transfer full) */
SluiceStepPicture *sluice_step_picture_new_of_view (SluiceTraceView *take_view);
SluiceStepPicture *sluice_step_picture_ref (SluiceStepPicture *self);
void sluice_step_picture_unref (SluiceStepPicture *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceStepPicture, sluice_step_picture_unref)

/* (nullable): it is not among those that are kept */
const SluiceTraceStep *sluice_step_picture_find (const SluiceStepPicture *self, guint64 step);
/* The first span of a node in a step; of the iteration where it is there. SLUICE_SPAN_NONE: it did
 * not run */
guint64 sluice_step_picture_find_span (const SluiceStepPicture *self,
                                       const char *node,
                                       guint64 step,
                                       guint64 iteration);
/* (transfer full) (element-type SluiceStepTime): of a wide picture's node. */
GArray *sluice_step_picture_dup_times (const SluiceStepPicture *self, const char *node);
