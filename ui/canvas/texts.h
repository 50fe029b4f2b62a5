/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Texts of a model, of those that came from it by edits, and of what is made of them: each once,
 * never moved, kept until the last of them goes. Any thread adds to them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _SluiceTexts SluiceTexts;

SluiceTexts *sluice_texts_new (void);
SluiceTexts *sluice_texts_ref (SluiceTexts *self);
void sluice_texts_unref (SluiceTexts *self);

/* The copy of @text; the same one for equal texts. */
const char *sluice_texts_keep (SluiceTexts *self, const char *text);
/* Of its first @length bytes. */
const char *sluice_texts_keep_part (SluiceTexts *self, const char *text, gsize length);

G_END_DECLS
