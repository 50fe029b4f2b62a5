/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"
#include "engine/trace/trace-view.h"

/* Adds what a session recorded: a lane a thread, a queue, a link, and one of what waits. events:
 * (element-type SluiceTraceEvent) */
void sluice_trace_view_add_events (SluiceTraceView *self, const GArray *events);
/* The other way, for the formats of trace-file.h, of a view that was made so: devices have their
 * short names, and what ran together is told of none. Texts live as long as the view. (transfer
 * full) (element-type SluiceTraceEvent) */
GArray *sluice_trace_view_dup_events (const SluiceTraceView *self);
