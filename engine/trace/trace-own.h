/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/trace-view.h"

SLUICE_PUBLIC_BEGIN

/*
 * A view as a file of its own kind, .sltrace: columns lie in it as they lie in memory, so that it
 * is opened by mapping it, and of fifty million spans only what somebody looks at is read. Pages
 * have checksums, which are looked at when the page is. A file whose end is missing has what came
 * before: rows are then made again.
 */
#define SLUICE_TRACE_OWN_ENDING ".sltrace"

/* The file is there whole or not at all. */
gboolean sluice_trace_own_write (const SluiceTraceView *view, const char *path, GError **error);

/* Does it begin as such a file does? */
gboolean sluice_trace_own_is (const void *bytes, gsize length);
/**
 * sluice_trace_own_open:
 * @remarks: (element-type SluiceTraceRemark): what was missing
 *
 * Returns: (transfer full) (nullable): a view. DATA_LOSS where nothing of it can be read; what is
 * damaged further on is counted, sluice_trace_view_get_n_damaged()
 */
SluiceTraceView *sluice_trace_own_open (const char *path, GArray *remarks, GError **error);
/* The same of bytes, which start where eight divides. */
SluiceTraceView *sluice_trace_own_open_bytes (GBytes *bytes, GArray *remarks, GError **error);

SLUICE_PUBLIC_END
