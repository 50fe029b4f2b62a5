/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "ui/timeline/memory-draw.h"

G_BEGIN_DECLS

/**
 * SluiceMemoryBands:
 *
 * The buffers of a device over the time of a step, in a stack. A person selects one by a click,
 * moves the cursor with the pointer, zooms with Ctrl and the wheel and pans with the wheel. What is
 * selected is told by whoever has it. Signals, for what a person did: selected (uint band, or
 * SLUICE_BAND_NONE), cursor-moved (uint moment), range-changed.
 */
#define SLUICE_TYPE_MEMORY_BANDS (sluice_memory_bands_get_type ())
G_DECLARE_FINAL_TYPE (SluiceMemoryBands, sluice_memory_bands, SLUICE, MEMORY_BANDS, GtkWidget)

GtkWidget *sluice_memory_bands_new (void);

/* (transfer full): what a band is in a sentence. */
typedef char *(*SluiceMemoryBandWords) (const SluiceMemoryView *view, guint band);
void sluice_memory_bands_set_words (SluiceMemoryBands *self, SluiceMemoryBandWords words);

/* @view: (nullable): stays until another one is told. All of it is shown, nothing is selected, and
 * the cursor stands at its peak. */
void sluice_memory_bands_set_view (SluiceMemoryBands *self, const SluiceMemoryView *view);

/* It stands under lanes, with their time in that of the recording: all of it, and what times are
 * told from. What it shows of it is told by sluice_memory_bands_show(). */
void sluice_memory_bands_share (SluiceMemoryBands *self, gint64 begin, gint64 end, gint64 zero);
void sluice_memory_bands_show (SluiceMemoryBands *self, gint64 from, gint64 to);
/* The cursor stands at a time. */
void sluice_memory_bands_point (SluiceMemoryBands *self, gint64 time);

void sluice_memory_bands_select (SluiceMemoryBands *self, guint band);
guint sluice_memory_bands_get_selected (SluiceMemoryBands *self);
void sluice_memory_bands_set_cursor (SluiceMemoryBands *self, guint moment);
guint sluice_memory_bands_get_cursor (SluiceMemoryBands *self);
/* Where it stands: at that moment, or behind it where a person put it there. */
gint64 sluice_memory_bands_get_cursor_time (SluiceMemoryBands *self);

/* The next that was made (1), or the one before (-1), of those that are high enough to be told
 * apart; SLUICE_BAND_NONE: there is none. */
guint sluice_memory_bands_find_beside (SluiceMemoryBands *self, int by);
/* At the cursor: the next over the selected one (1), or under it (-1). */
guint sluice_memory_bands_find_across (SluiceMemoryBands *self, int by);

/* About the cursor where it is seen. @factor: of the time that is shown */
void sluice_memory_bands_zoom (SluiceMemoryBands *self, double factor);
void sluice_memory_bands_show_all (SluiceMemoryBands *self);
void sluice_memory_bands_get_range (SluiceMemoryBands *self, gint64 *from, gint64 *to);

G_END_DECLS
