/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/build/text-sync.h"
#include "app/build/text-view.h"
#include "engine/command/stack.h"

/* Lines that would come, in the text of what is there: the blocks of new nodes behind that of node
 * (nullable), and before the line of what the first reader reads now, what it would read.
 * text: ends with a newline. reader: (nullable) */
void sluice_text_preview_begin (SluiceTextView *view,
                                SluiceTextSync *sync,
                                const char *node,
                                const char *text,
                                const SluicePreviewInput *reader);
/* FALSE: there were none. */
gboolean sluice_text_preview_end (SluiceTextView *view, SluiceTextSync *sync);
