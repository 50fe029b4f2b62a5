/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/wire.h"
#include "engine/trace/trace-view.h"

SLUICE_PUBLIC_BEGIN

/**
 * sluice_trace_open:
 * @format: (out) (nullable) (transfer none): "chrome", "perfetto", "run-metadata", "xspace",
 *   "sltrace"
 * @remarks: (element-type SluiceTraceRemark): what was not understood
 *
 * A trace of any program that is known, by what is in the file: Sluice's own, JSON of
 * chrome://tracing (also as gzip), Perfetto's protobuf, TensorFlow's RunMetadata, the XSpace of
 * TensorFlow's and JAX's profilers. Nothing in it is trusted.
 *
 * Returns: (transfer full) (nullable): a view. INVALID_ARGUMENT: it is none of them
 */
SluiceTraceView *
sluice_trace_open (const char *path, const char **format, GArray *remarks, GError **error);
/* The same of bytes, which start where eight divides. */
SluiceTraceView *
sluice_trace_open_bytes (GBytes *bytes, const char **format, GArray *remarks, GError **error);

/* ---- between the readers ---- */

/* All of a file is one message, and of it a device one: where the end is missing, they have what is
 * there. is_cut: set where that, or what is no field, ends it */
gboolean sluice_trace_next_field (const guint8 **at,
                                  const guint8 *end,
                                  SluiceWireField *field,
                                  gboolean *is_cut);

/* FALSE: there is nothing of that format in it. */

gboolean sluice_trace_import_chrome (SluiceTraceView *view,
                                     const guint8 *bytes,
                                     gsize length,
                                     GArray *remarks);
gboolean sluice_trace_import_perfetto (SluiceTraceView *view,
                                       const guint8 *bytes,
                                       gsize length,
                                       GArray *remarks);
gboolean sluice_trace_import_metadata (SluiceTraceView *view,
                                       const guint8 *bytes,
                                       gsize length,
                                       GArray *remarks);
gboolean sluice_trace_import_xspace (SluiceTraceView *view,
                                     const guint8 *bytes,
                                     gsize length,
                                     GArray *remarks);

SLUICE_PUBLIC_END
