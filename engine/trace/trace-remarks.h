/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/* What a reader of a trace did not understand, did not take or had to change: nothing is dropped in
 * silence. */
typedef struct
{
  char *what; /* "packets of an unknown kind" */
  guint64 n;
} SluiceTraceRemark;

/* (element-type SluiceTraceRemark) */
GArray *sluice_trace_remarks_new (void);
/* n more of it. */
void sluice_trace_remarks_add (GArray *self, guint64 n, const char *what);

SLUICE_PUBLIC_END
