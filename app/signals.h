/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * Signals that ask a program to end, whatever sends them: a terminal that is closed, a session that
 * ends, a limit that is reached. All that can be caught are counted and end nothing; a run is saved
 * by whoever looks at the count. Writing to a file that may not grow is an error and no signal.
 */
void sluice_signals_catch (void);
/* So many came. */
guint sluice_signals_get_count (void);
/* A descriptor that can be read once one has come, and until sluice_signals_clear(). */
int sluice_signals_get_fd (void);
void sluice_signals_clear (void);
