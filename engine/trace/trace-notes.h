/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/* What people wrote to moments of traces. It is kept beside them, by step and by the time since the
 * step began: so it stands in each trace that has the step. */
typedef struct
{
  guint64 step;    /* 0: of a trace without steps, since its begin */
  gint64 from, to; /* nanoseconds since then; the same: a moment */
  char *text;
} SluiceTraceNote;

/* text: copied */
SluiceTraceNote *sluice_trace_note_new (guint64 step, gint64 from, gint64 to, const char *text);
void sluice_trace_note_free (SluiceTraceNote *self);

/* notes.json of a run's traces. folder: of the run. (transfer full) */
char *sluice_trace_notes_dup_path (const char *folder);
/* Of a trace in a file: that of its run where it lies among a run's traces, else one of its own.
 * (transfer full) */
char *sluice_trace_notes_dup_path_of (const char *trace);

/* By step and time; none where there is no file. (transfer full) (element-type SluiceTraceNote)
 * (nullable): DATA_LOSS: it is damaged */
GPtrArray *sluice_trace_notes_read (const char *path, GError **error);
/* The file is there whole or not at all; without notes there is none. Its folder is made. */
gboolean sluice_trace_notes_write (GPtrArray *notes, const char *path, GError **error);

SLUICE_PUBLIC_END
