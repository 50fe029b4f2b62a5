/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/proxies.h"
#include "ui/timeline/memory-bands.h"

/* For memory-bands.c and memory-bands-proxy.c only. */

struct _SluiceMemoryBands
{
  GtkWidget parent_instance;
  const SluiceMemoryView *view; /* (nullable) */
  SluiceMemoryLayout *layout;   /* (nullable): of the time and the width that are shown */
  gint64 begin, end;            /* of all */
  gboolean is_shared;           /* of the lanes that it stands under */
  gint64 zero;                  /* then: what times are told from */
  gint64 from, to;              /* shown */
  double top_bytes;
  guint selected, hovered, cursor;
  gint64 cursor_time;          /* at or behind that moment, and before the next */
  double pointer_x, pointer_y; /* in units; negative: it is elsewhere */
  double seen[2];              /* where the pointer was last, in the window */
  SluiceMemoryBandWords words;
  SluiceProxies proxies;
};

SluiceMemoryPicture sluice_memory_bands_get_picture (SluiceMemoryBands *self);
/* By a person. */
void sluice_memory_bands_emit_selected (SluiceMemoryBands *self, guint band);

/* memory-bands-proxy.c: what assistive technology meets. */
void sluice_memory_bands_init_proxies (SluiceMemoryBands *self);
