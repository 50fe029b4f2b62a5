/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Draws every scalar series of a run, and its first histograms, as cards in one picture (.png,
   .svg, .pdf). run NULL: the project's newest. */
gboolean sluice_cli_draw_charts (const char *workspace,
                                 const char *project,
                                 const char *run,
                                 const char *path,
                                 gboolean dark,
                                 GError **error);
