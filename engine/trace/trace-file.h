/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"

/*
 * What sluice_session_dup_trace() gives, in other programs' formats. White paper 9.2 and 9.3.
 */
typedef enum
{
  SLUICE_TRACE_CHROME,       /* JSON for chrome://tracing and ui.perfetto.dev: .json */
  SLUICE_TRACE_PERFETTO,     /* protobuf for ui.perfetto.dev: .pftrace, .perfetto-trace */
  SLUICE_TRACE_RUN_METADATA, /* TensorFlow's RunMetadata, all steps in one: .pb */
  SLUICE_TRACE_EVENT_FILE,   /* for TensorBoard: the graph, and each step's RunMetadata; a name with
                                "tfevents" in it, as TensorBoard looks for them */
  SLUICE_TRACE_OWN,          /* Sluice's own, which opens at once however large it is: .sltrace */
  SLUICE_TRACE_SQL,          /* a database of SQLite: .db, .sqlite */
  SLUICE_N_TRACE_FORMATS
} SluiceTraceFormat;

typedef struct
{
  const GArray *events; /* of SluiceTraceEvent */
  gint64 start;         /* what their times count from, in microseconds since 1970 */
  SluiceGraph *graph;   /* (nullable): whose nodes they are */
} SluiceTraceContent;

/* "chrome", "perfetto", "run-metadata", "event-file", "sltrace", "sqlite". FALSE: it is none of
 * them. */
gboolean sluice_trace_format_from_name (const char *name, SluiceTraceFormat *format);
/* By the ending of a file's name. */
gboolean sluice_trace_format_from_path (const char *path, SluiceTraceFormat *format);

/* Not of SLUICE_TRACE_OWN and SLUICE_TRACE_SQL, which are only ever files. (transfer full) */
GByteArray *sluice_trace_encode (const SluiceTraceContent *self, SluiceTraceFormat format);

/* The file is there whole or not at all. */
gboolean sluice_trace_write (const SluiceTraceContent *self,
                             SluiceTraceFormat format,
                             const char *path,
                             GError **error);

/* ---- between the files of the formats ---- */

/* Events by device, track and start, where what a queue did begins when what stood before it has
 * ended, for it was noted when it was given to the queue; devices: (out) (transfer container)
 * (element-type utf8): their names in that order. (transfer container) (element-type
 * SluiceTraceEvent) */
GPtrArray *sluice_trace_sort (const SluiceTraceContent *self, GPtrArray **devices);
/* Of a device: its queues stand behind all lanes. */
guint sluice_trace_track (const SluiceTraceEvent *event);
/* "lane 3", "compute", "in", "out": (transfer full) */
char *sluice_trace_dup_track_name (const SluiceTraceEvent *event);
guint sluice_trace_device_number (const GPtrArray *devices, const SluiceTraceEvent *event);

/* What a send and its receive have in common, and nothing else; 0: it is neither. */
guint64 sluice_trace_flow_id (const SluiceTraceEvent *event);
/* Of those that were received, too. (transfer container): id -> the send's SluiceTraceEvent */
GHashTable *sluice_trace_find_sends (const GArray *events);

GByteArray *sluice_trace_encode_chrome (const SluiceTraceContent *self);
GByteArray *sluice_trace_encode_perfetto (const SluiceTraceContent *self);
GByteArray *sluice_trace_encode_run_metadata (const SluiceTraceContent *self);
GByteArray *sluice_trace_encode_event_file (const SluiceTraceContent *self);
