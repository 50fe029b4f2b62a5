/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/trace-remarks.h"

#include <string.h>

static void
clear_remark (gpointer data)
{
  SluiceTraceRemark *self = data;
  g_free (self->what);
}

GArray *
sluice_trace_remarks_new (void)
{
  GArray *self = g_array_new (FALSE, FALSE, sizeof (SluiceTraceRemark));
  g_array_set_clear_func (self, clear_remark);
  return self;
}

void
sluice_trace_remarks_add (GArray *self, guint64 n, const char *what)
{
  if (n == 0)
    return;
  for (guint i = 0; i < self->len; i++)
    {
      SluiceTraceRemark *remark = &g_array_index (self, SluiceTraceRemark, i);
      if (strcmp (remark->what, what) != 0)
        continue;
      remark->n += n;
      return;
    }
  const SluiceTraceRemark remark = { g_strdup (what), n };
  g_array_append_val (self, remark);
}
