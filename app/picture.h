/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/*
 * --screenshot: a page as a picture, the same bytes each time. It reads and changes none of the
 * user's settings, needs no session bus, and where there is no display it starts one that draws
 * into memory.
 */

/**
 * sluice_picture_prepare:
 *
 * Before there is a toolkit. Where the command line asks for a picture, settings are the defaults,
 * kept in memory, and a pixel is a pixel.
 *
 * Returns: (transfer full) (nullable): a display that the caller ends
 */
GSubprocess *sluice_picture_prepare (int argc, char **argv);
/* Ends it, and takes away where it was met. */
void sluice_picture_end_display (GSubprocess *take_server);

/**
 * sluice_picture_take:
 * @width: in pixels, as is @height; the picture has exactly that size
 * @text_scale: of all text; 1 is 96 dots an inch
 * @actions: (nullable): detailed names, as in "win.select::loss", done one by one, each once the
 *   page is ready; where one of them opens another window, that is drawn in its own size
 * @done: called once, with %NULL, or with why there is no picture
 *
 * Waits until everything is there and two frames are the same, then writes @path. @window is not
 * presented yet.
 */
void sluice_picture_take (SluiceWindow *window,
                          const char *path,
                          int width,
                          int height,
                          double text_scale,
                          char **actions,
                          void (*done) (const char *failure, gpointer data),
                          gpointer data);

/* Once more after it, in the same size, as the window looks now; done as there. */
void sluice_picture_take_again (SluiceWindow *window,
                                const char *path,
                                void (*done) (const char *failure, gpointer data),
                                gpointer data);
