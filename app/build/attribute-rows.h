/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/build/document.h"
#include "app/build/value-row.h"

/*
 * The attributes of a node, a row each, as the definition of its op tells them: their types,
 * defaults and what they may be. A value that is changed is a command of the document; one that is
 * refused says why in its row.
 *
 * Signals: attr-focused (string): the row of that attribute has the focus.
 */
#define SLUICE_TYPE_ATTRIBUTE_ROWS (sluice_attribute_rows_get_type ())
G_DECLARE_FINAL_TYPE (SluiceAttributeRows, sluice_attribute_rows, SLUICE, ATTRIBUTE_ROWS, GtkWidget)

/* Of a node of the document's graph. */
GtkWidget *sluice_attribute_rows_new (SluiceDocument *document, const SluiceNode *node);
/* The row stands out. attr: (nullable) */
void sluice_attribute_rows_select (SluiceAttributeRows *self, const char *attr);
/* (transfer none) (nullable): the op has no such attribute */
SluiceValueRow *sluice_attribute_rows_find (SluiceAttributeRows *self, const char *attr);

/* Above what stands at the end of rows. */
void sluice_attribute_rows_set_caption (SluiceAttributeRows *self, const char *caption);

/* A value as it is written in a command; NULL where it is too long for that, or cannot be.
 * (transfer full) (nullable) */
char *sluice_attribute_dup_text (const SluiceAttrDef *def, const SluiceAttrValue *value);
