/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/memory-tape.h"

/* Records the memory of single steps of a session, which costs nothing between them. One thread at
 * a time. */
typedef struct _SluiceMemoryRecorder SluiceMemoryRecorder;

/* Borrows the session. */
SluiceMemoryRecorder *sluice_memory_recorder_new (SluiceSession *session);
void sluice_memory_recorder_free (SluiceMemoryRecorder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceMemoryRecorder, sluice_memory_recorder_free)

/* Before a step. FALSE: somebody else records that memory already. */
gboolean sluice_memory_recorder_begin (SluiceMemoryRecorder *self);
/* After it. (transfer full) (element-type SluiceMemoryTape): of each device that held something;
 * none where nothing was begun */
GPtrArray *sluice_memory_recorder_end (SluiceMemoryRecorder *self, guint64 step);

/* After a step that failed: what was live where a request was refused, of each device where one
 * was. (transfer full) (element-type SluiceMemoryTape) */
GPtrArray *sluice_memory_take_shortages (SluiceSession *session, guint64 step);
