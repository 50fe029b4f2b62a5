/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/chart.h"
#include "ui/chart/series-buffer.h"

#define SAMPLE_WIDTH  560
#define SAMPLE_HEIGHT 320

/* A chart of two noisy losses with an event, for tests. */

/* (transfer full): n points of steps from 0, falling from start to floor. */
SluiceSeriesBuffer *sample_curve (int n, double start, double floor_, double rate);
/* (transfer full): of 1,241 and 2,001 points */
SluiceChart *sample_chart (void);
/* (transfer full): of these sizes */
cairo_surface_t *sample_render (SluiceChart *chart, SluiceThemeKind kind, guint flags);
